"""Data that RedisBloom wrote: its chunks, its DUMP payloads and its RDB files load, and answer as they did."""

import shutil
from collections.abc import Callable

import pytest

from harness.dumps import chunks, for_this, load_chunks
from harness.keys import add, found, keys, missing
from harness.server import Program, Server
from harness.vectors import IN_RDB, PLACES, Case, cases, rdb
from harness.wire import OK, Error, Wire, fields, same

CASES = {case.name: case for case in cases()}
NONE = f"no files of RedisBloom in {PLACES[0]} or {PLACES[1]}"

pytestmark = pytest.mark.skipif(not CASES, reason=NONE)
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def assert_answers(wire: Wire, case: Case, name: str = "f") -> None:
    """Every key, every false positive, and nothing else."""
    command = f"{case.family}.MEXISTS"
    assert missing(wire, name, case.present, command) == []
    assert missing(wire, name, case.false_positives, command) == []
    assert not any(found(wire, name, case.absent, command))
    told = fields(wire.ok(f"{case.family}.INFO", name))
    assert {field: told[field] for field in case.told if field != "Size"} == without_size(case)


def without_size(case: Case) -> dict:
    return {field: value for field, value in case.told.items() if field != "Size"}


@every_case
def test_chunks(wire: Wire, case: Case) -> None:
    load_chunks(wire, case.family, "f", case.chunks())
    assert_answers(wire, case)


@every_case
def test_chunks_go_back_as_they_came(wire: Wire, case: Case) -> None:
    load_chunks(wire, case.family, "f", case.chunks())
    assert chunks(wire, case.family, "f") == case.chunks()


@every_case
def test_dump_payload(wire: Wire, case: Case) -> None:
    assert wire.call("RESTORE", "f", 0, for_this(wire, case.dump())) == OK
    assert_answers(wire, case)
    load_chunks(wire, case.family, "g", case.chunks())
    digest = wire.ok("DEBUG", "DIGEST-VALUE", "f", "g")
    assert digest[0] == digest[1], "both ways bring the same"


@every_case
def test_what_was_loaded_goes_on(wire: Wire, case: Case) -> None:
    """New items go into layers of ours; the old ones stay."""
    load_chunks(wire, case.family, "f", case.chunks())
    more = keys("more", 3000)
    if case.told.get("Expansion rate", 1) is None:
        reply = wire.call("BF.MADD", "f", *more)
        assert same(reply[-1], Error("ERR non scaling filter is full"))
    else:
        add(wire, "f", more, f"{case.family}.INSERT")
        assert missing(wire, "f", more, f"{case.family}.MEXISTS") == []
    assert missing(wire, "f", case.present, f"{case.family}.MEXISTS") == []
    copy = wire.ok("DUMP", "f")
    assert wire.call("RESTORE", "g", 0, copy) == OK
    assert missing(wire, "g", case.present, f"{case.family}.MEXISTS") == []
    assert wire.ok("DEBUG", "DIGEST-VALUE", "f") == wire.ok("DEBUG", "DIGEST-VALUE", "g")


@pytest.mark.skipif("rb26_cf_deleted_1000" not in CASES, reason=NONE)
def test_counts_and_deletions_of_a_cuckoo_filter(wire: Wire) -> None:
    load_chunks(wire, "CF", "f", CASES["rb26_cf_deleted_1000"].chunks())
    assert wire.ok("CF.COUNT", "f", "a") == 3
    assert [wire.ok("CF.DEL", "f", "a") for _ in range(3)] == [1, 1, 1]
    assert wire.ok("CF.COUNT", "f", "a") == 0
    assert fields(wire.ok("CF.INFO", "f"))["Number of items inserted"] == 799


@pytest.mark.parametrize("file", ["rb26_rdb", "rbmaster_rdb"])
def test_an_rdb_file(start: Callable[..., Server], program: Program, file: str) -> None:
    """As the server's own dump file; of Valkey's only where Valkey runs: Redis does not read those."""
    source = rdb(file)
    if program.name == "redis" and file == "rbmaster_rdb":
        return
    server = start(persistent=True)
    server.stop()
    shutil.copyfile(source, server.folder / "dump.rdb")
    server.start()
    with server.wire() as wire:
        for name, case in IN_RDB.items():
            assert wire.ok("EXISTS", name) == 1
            assert_answers(wire, CASES[case], name)
        names = sorted(wire.ok("KEYS", "*"))
        assert len(names) == 9
        before = wire.ok("DEBUG", "DIGEST-VALUE", *names)
        wire.ok("DEBUG", "RELOAD")
        assert wire.ok("DEBUG", "DIGEST-VALUE", *names) == before


def test_errors_of_loadchunk_in_its_layout(wire: Wire) -> None:
    case = CASES["rb26_bf_100"]
    (_, header), (position, chunk) = case.chunks()
    assert wire.call("BF.LOADCHUNK", "f", 1, header) == OK
    too_far = Error("ERR invalid offset - no link found")
    assert same(wire.call("BF.LOADCHUNK", "f", 1 << 40, chunk), too_far)
    too_big = Error("ERR invalid chunk - Too big for current filter")
    assert same(wire.call("BF.LOADCHUNK", "f", position + 1, chunk + b"x"), too_big)
    assert same(wire.call("BF.LOADCHUNK", "g", 1, header[:-1]), Error("ERR received bad data"))
    assert wire.call("BF.LOADCHUNK", "f", position, chunk) == OK
    assert missing(wire, "f", case.present) == []


def test_errors_of_cuckoo_loadchunk_in_its_layout(wire: Wire) -> None:
    case = CASES["rb26_cf_100"]
    (_, header), *rest = case.chunks()
    assert same(wire.call("CF.LOADCHUNK", "g", 1, header[:-1]), Error("Invalid header"))
    assert wire.call("CF.LOADCHUNK", "f", 1, header) == OK
    assert same(wire.call("CF.LOADCHUNK", "f", 1 << 40, b"x"), Error("Couldn't load chunk!"))
    for position, chunk in rest:
        assert wire.call("CF.LOADCHUNK", "f", position, chunk) == OK
    assert_answers(wire, case)
