"""Memory limits: refused before anything is allocated."""

from collections.abc import Callable, Iterator

import pytest

from harness.keys import add, in_batches, keys, missing
from harness.names import MEMORY_LIMIT
from harness.server import Server
from harness.wire import OK, Error, Wire

MEGABYTE = 1 << 20
LIMIT = "ERR operation exceeds bloom object memory limit"
# What a command may take on its way.
SLACK = 12 * MEGABYTE


@pytest.fixture
def limited(start: Callable[..., Server]) -> Server:
    server = start()
    with server.wire() as wire:
        wire.ok("CONFIG", "SET", MEMORY_LIMIT, MEGABYTE)
    return server


@pytest.fixture
def tight(limited: Server) -> Iterator[Wire]:
    """Fails if the server's memory ever grew by more than what is allowed."""
    before = limited.resident()
    limited.forget_peak()
    with limited.wire() as wire:
        yield wire
    assert limited.resident("VmHWM") < before + SLACK


HUGE = [
    "BF.RESERVE f 0.000001 1073741824",
    "BF.RESERVE f 0.01 100000000 NONSCALING",
    "BF.RESERVE f 0.01 100000000 COUNTING",
    "BF.RESERVE f 0.01 1000 WINDOW 100000000",
    "BF.RESERVE f 0.01 100000000 TTL 60",
    "BF.INSERT f CAPACITY 1073741824 ITEMS a",
    "CF.RESERVE f 1073741824",
    "CF.RESERVE f 100000000 ERROR 0.0000001",
    "CF.INSERT f CAPACITY 1073741824 ITEMS a",
]


@pytest.mark.parametrize("command", HUGE)
def test_a_filter_that_is_too_large(tight: Wire, command: str) -> None:
    reply = tight.call(*command.split())
    assert isinstance(reply, Error)
    assert "memory" in reply
    assert tight.call("EXISTS", "f") == 0


def test_the_limit_is_named_and_can_be_raised(limited: Server) -> None:
    with limited.wire() as wire:
        call = ("BF.RESERVE", "f", "0.01", 1_500_000)
        assert wire.call(*call) == LIMIT
        assert wire.ok("CONFIG", "GET", MEMORY_LIMIT)[1] == b"1048576"
        wire.ok("CONFIG", "SET", MEMORY_LIMIT, "16mb")
        assert wire.call(*call) == OK


@pytest.mark.parametrize("family", ["BF", "CF"])
def test_a_filter_that_would_grow_too_large(tight: Wire, family: str) -> None:
    """Growth stops with an error, and what is in stays in."""
    tight.ok(f"{family}.RESERVE", "f", *(("0.01", 1000) if family == "BF" else (1000, "EXPANSION", 2)))
    inside: list[bytes] = []
    for batch in in_batches(keys("a", 3_000_000)):
        reply = tight.call(f"{family}.INSERT", "f", "ITEMS", *batch)
        if isinstance(reply, Error) or any(isinstance(answer, Error) or answer == -1 for answer in reply):
            break
        inside += batch
    else:
        pytest.fail("it grew without end")
    assert 10_000 < len(inside)
    assert tight.ok("MEMORY", "USAGE", "f") <= MEGABYTE + 4096
    assert missing(tight, "f", inside, f"{family}.MEXISTS") == []


def test_payloads_and_chunks_and_files_that_are_too_large(limited: Server, start: Callable[..., Server]) -> None:
    """What another server may hold, this one need not take."""
    generous = start()
    with generous.wire() as source, limited.wire() as wire:
        source.ok("BF.RESERVE", "f", "0.01", 4_000_000, "NONSCALING")
        source.ok("CF.RESERVE", "c", 4_000_000)
        source.ok("CF.ADD", "c", "a")
        payloads = [source.ok("DUMP", name) for name in "fc"]
        exported = source.ok("BF.EXPORT", "f")
        before = limited.resident()
        for payload in payloads:
            assert isinstance(wire.call("RESTORE", "g", 0, payload), Error)
        for family, name in (("BF", "f"), ("CF", "c")):
            position, replies = 0, []
            while True:
                position, chunk = source.ok(f"{family}.SCANDUMP", name, position)
                if position == 0:
                    break
                replies.append(wire.call(f"{family}.LOADCHUNK", "g", position, chunk))
            assert any(isinstance(reply, Error) for reply in replies)
            wire.call("DEL", "g")
        assert isinstance(wire.call("BF.IMPORT", "g", exported), Error)
        assert wire.call("EXISTS", "g") == 0
        assert limited.is_alive()
        # The commands themselves were that long; what they brought is gone.
        assert limited.resident() < before + 64 * MEGABYTE


def test_an_rdb_file_loads_whatever_the_limit(start: Callable[..., Server]) -> None:
    """Data that is there is not thrown away, because a setting is lower now."""
    server = start("--save", 3600, 1, persistent=True)
    with server.wire() as wire:
        wire.ok("BF.RESERVE", "f", "0.01", 2_000_000)
        add(wire, "f", keys("a", 100))
    server.stop()
    server.options = (*server.options, f"--{MEMORY_LIMIT}", MEGABYTE)
    server.start()
    with server.wire() as wire:
        assert wire.ok("CONFIG", "GET", MEMORY_LIMIT)[1] == b"1048576"
        assert missing(wire, "f", keys("a", 100)) == []


def test_maxmemory(start: Callable[..., Server]) -> None:
    """A server without memory refuses to make a filter larger, as it refuses SET."""
    server = start()
    with server.wire() as wire:
        wire.ok("BF.ADD", "f", "a")
        wire.ok("CF.ADD", "c", "a")
        wire.ok("CONFIG", "SET", "maxmemory", 1)
        for command in ("BF.ADD f b", "BF.RESERVE g 0.01 100", "CF.ADD c b", "BF.IMPORT g x"):
            assert wire.call(*command.split()).startswith("OOM")
        assert wire.call("BF.EXISTS", "f", "a") == 1
        assert wire.call("CF.DEL", "c", "a") == 1
