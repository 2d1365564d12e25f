"""SCANDUMP and LOADCHUNK: round trips, also between Redis and Valkey, and chunks that do not fit."""

from collections.abc import Callable, Iterator

import pytest

from harness.dumps import CHUNK, chunks, load_chunks
from harness.keys import add, keys, missing
from harness.objects import SAMPLES, Sample
from harness.server import Program, Server, find
from harness.wire import Error, Wire, same

every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=[sample.name for sample in SAMPLES])


@pytest.fixture(scope="module")
def other(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The other kind of server."""
    name = "redis" if program.name == "valkey" else "valkey"
    server = Server(find(name, program.module), tmp_path_factory.mktemp(name)).start()
    yield server
    server.stop()


@every_sample
def test_to_the_other_kind_of_server(wire: Wire, other: Server, sample: Sample) -> None:
    wire.ok(*sample.reserve)
    sample.fill(wire)
    first, *rest = chunks(wire, sample.family, sample.name)
    assert first[0] == 1
    with other.wire() as far:
        far.ok("FLUSHALL")
        load_chunks(far, sample.family, sample.name, [first, *rest])
        assert sample.missing(far) == []
        assert sample.info(far) == sample.info(wire)
        same_digest = [link.ok("DEBUG", "DIGEST-VALUE", sample.name) for link in (wire, far)]
        assert same_digest[0] == same_digest[1]
        assert chunks(far, sample.family, sample.name) == [first, *rest]


def test_an_empty_cuckoo_filter_has_no_chunks(spoken: Wire) -> None:
    """So RedisBloom has it."""
    spoken.ok("CF.RESERVE", "f", 1000)
    assert spoken.ok("CF.SCANDUMP", "f", 0) == [0, None]


@pytest.mark.parametrize("position", ["-1", "-9223372036854775808", "x"])
def test_positions_before_the_first(spoken: Wire, position: str) -> None:
    """RedisBloom refuses them for cuckoo filters; for Bloom filters a negative one is beyond the end."""
    spoken.ok("CF.ADD", "c", "a")
    for key in ("c", "absent"):
        assert same(spoken.call("CF.SCANDUMP", key, position), Error("Invalid position"))
    spoken.ok("BF.ADD", "b", "a")
    end = Error("Second argument must be numeric") if position == "x" else [0, b""]
    assert same(spoken.call("BF.SCANDUMP", "b", position), end)


@pytest.mark.parametrize("family", ["BF", "CF"])
def test_a_large_filter_comes_in_chunks_of_16_mib(wire: Wire, family: str) -> None:
    items = keys("large", 5000)
    reserve = ("BF.RESERVE", "f", "0.0001", 16_000_000) if family == "BF" else ("CF.RESERVE", "f", 36_000_000)
    wire.ok(*reserve)
    add(wire, "f", items, f"{family}.INSERT")
    parts = chunks(wire, family, "f")
    assert sum(len(chunk) for _, chunk in parts) > 2 * CHUNK
    assert len(parts) >= 3
    load_chunks(wire, family, "g", parts)
    assert missing(wire, "g", items, f"{family}.MEXISTS") == []
    assert wire.ok("DEBUG", "DIGEST-VALUE", "f") == wire.ok("DEBUG", "DIGEST-VALUE", "g")


def test_a_key_that_is_there_is_not_replaced(wire: Wire) -> None:
    wire.ok("BF.MADD", "f", *keys("a", 50))
    wire.ok("BF.ADD", "g", "mine")
    before = wire.ok("DEBUG", "DIGEST-VALUE", "g")
    for position, chunk in chunks(wire, "BF", "f"):
        assert isinstance(wire.call("BF.LOADCHUNK", "g", position, chunk), Error)
    assert wire.ok("DEBUG", "DIGEST-VALUE", "g") == before


@pytest.mark.parametrize("family", ["BF", "CF"])
def test_a_filter_of_which_chunks_are_missing(start: Callable[..., Server], family: str) -> None:
    """It is persistent and replicated as it is, and the rest can still come."""
    server = start("--appendonly", "yes")
    with server.wire() as wire:
        wire.ok(f"{family}.RESERVE", "f", *(("0.0001", 16_000_000) if family == "BF" else (36_000_000,)))
        add(wire, "f", keys("a", 100), f"{family}.INSERT")
        parts = chunks(wire, family, "f")
        digest = wire.ok("DEBUG", "DIGEST-VALUE", "f")
        load_chunks(wire, family, "g", parts[:2])
        for command in ("EXISTS g a", "ADD g a", "INFO g", "SCANDUMP g 0"):
            wire.call(f"{family}.{command.split()[0]}", *command.split()[1:])
        wire.call("COPY", "g", "h")
        wire.call("DUMP", "g")
    server.restart()
    with server.wire() as wire:
        load_chunks(wire, family, "g", parts[2:])
        assert wire.ok("DEBUG", "DIGEST-VALUE", "g") == digest
        assert missing(wire, "g", keys("a", 100), f"{family}.MEXISTS") == []


def test_a_chunk_may_come_twice(wire: Wire) -> None:
    """A client that got no answer sends it again."""
    wire.ok("BF.RESERVE", "f", "0.01", 1000)
    add(wire, "f", keys("a", 1000))
    (one, header), (end, data) = chunks(wire, "BF", "f")
    wire.ok("DEL", "f")
    wire.ok("BF.LOADCHUNK", "f", one, header)
    half = len(data) // 2
    for _ in range(2):
        wire.ok("BF.LOADCHUNK", "f", end - len(data) + half, data[:half])
    assert isinstance(wire.call("BF.LOADCHUNK", "f", end - len(data) + half, bytes(half)), Error)
    wire.ok("BF.LOADCHUNK", "f", end, data[half:])
    assert missing(wire, "f", keys("a", 1000)) == []
    empty = header[:-8] + bytes(8)
    assert isinstance(wire.call("BF.LOADCHUNK", "g", one, empty), Error)
    assert wire.call("EXISTS", "g") == 0
