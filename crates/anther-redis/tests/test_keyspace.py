"""What a server expects of every type of value: COPY, DUMP, MEMORY, DEBUG, OBJECT, UNLINK, SWAPDB."""

import pytest

from harness.keys import keys
from harness.objects import SAMPLES, Sample, check_all, digests, make_all
from harness.poll import wait_until
from harness.wire import OK, Wire

every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=[sample.name for sample in SAMPLES])


@pytest.fixture
def full(wire: Wire) -> Wire:
    make_all(wire)
    return wire


@every_sample
def test_copy(wire: Wire, sample: Sample) -> None:
    wire.ok(*sample.reserve)
    sample.fill(wire)
    assert wire.ok("COPY", sample.name, "copy") == 1
    assert wire.ok("DEBUG", "DIGEST-VALUE", "copy") == wire.ok("DEBUG", "DIGEST-VALUE", sample.name)
    assert sample.missing(wire, "copy") == []
    assert sample.info(wire, "copy") == sample.info(wire)
    before = wire.ok("DEBUG", "DIGEST-VALUE", sample.name)
    wire.ok(f"{sample.family}.INSERT", "copy", "ITEMS", *keys("only here", 20))
    assert wire.ok("DEBUG", "DIGEST-VALUE", sample.name) == before, "a copy shares nothing"
    assert wire.ok("DEBUG", "DIGEST-VALUE", "copy") != before


@every_sample
def test_dump_and_restore(wire: Wire, sample: Sample) -> None:
    wire.ok(*sample.reserve)
    sample.fill(wire)
    payload = wire.ok("DUMP", sample.name)
    assert wire.ok("RESTORE", "copy", 0, payload) == OK
    assert wire.ok("DUMP", "copy") == payload
    assert wire.ok("DEBUG", "DIGEST-VALUE", "copy") == wire.ok("DEBUG", "DIGEST-VALUE", sample.name)
    assert sample.missing(wire, "copy") == []
    assert sample.info(wire, "copy") == sample.info(wire)


@every_sample
def test_memory_usage_is_what_info_says(wire: Wire, sample: Sample) -> None:
    wire.ok(*sample.reserve)
    sample.fill(wire)
    usage = wire.ok("MEMORY", "USAGE", sample.name)
    size = sample.info(wire)["Size"]
    # The server counts the name and its own records, too.
    assert size <= usage <= size + 400


def test_memory_usage_is_what_the_allocator_gives(wire: Wire) -> None:
    def used() -> int:
        told = wire.ok("INFO", "memory").decode()
        return int(told.split("used_memory:")[1].split()[0])

    for reserve in (("BF.RESERVE", "f", "0.01", 4_000_000), ("CF.RESERVE", "f", 4_000_000)):
        wire.ok("FLUSHALL", "SYNC")
        before = used()
        wire.ok(*reserve)
        grown = used() - before
        assert 0.9 * grown < wire.ok("MEMORY", "USAGE", "f") < 1.1 * grown, "filters are the server's memory"


def test_digests_differ_by_content_and_not_by_way(wire: Wire) -> None:
    def digest(name: str) -> bytes:
        return wire.ok("DEBUG", "DIGEST-VALUE", name)[0]

    hash_key = "00112233445566778899aabbccddeeff"
    for name in ("f", "g", "h"):
        wire.ok("BF.RESERVE", name, "0.01", 1000, "HASHKEY", hash_key)
    assert digest("f") == digest("g")
    assert wire.ok("BF.MADD", "f", "a", "b") == [1, 1]
    assert digest("f") != digest("g")
    assert wire.ok("BF.MADD", "g", "b", "a") == [1, 1]
    assert digest("f") == digest("g")
    assert wire.ok("BF.MADD", "h", "a", "c") == [1, 1]
    assert digest("f") != digest("h")


def test_object_commands(full: Wire) -> None:
    for sample in SAMPLES:
        assert full.ok("OBJECT", "ENCODING", sample.name) == b"raw"
        assert full.ok("OBJECT", "REFCOUNT", sample.name) == 1
        assert full.ok("OBJECT", "IDLETIME", sample.name) < 60
    assert full.ok("TYPE", "scaling") == "MBbloom--"
    assert full.ok("TYPE", "cuckoo") == "MBbloomCF"
    policy = full.ok("CONFIG", "GET", "maxmemory-policy")[1]
    full.ok("CONFIG", "SET", "maxmemory-policy", "allkeys-lfu")
    try:
        full.ok("BF.EXISTS", "scaling", "a")
        assert full.ok("OBJECT", "FREQ", "scaling") >= 1
    finally:
        full.ok("CONFIG", "SET", "maxmemory-policy", policy)


def test_lazy_free(wire: Wire) -> None:
    """A large filter is freed by another thread; the server asks the module how much work it is."""

    def freed() -> int:
        return int(wire.ok("INFO", "memory").decode().split("lazyfreed_objects:")[1].split()[0])

    wire.ok("BF.RESERVE", "f", "0.01", 20_000_000)
    assert wire.ok("MEMORY", "USAGE", "f") > 20_000_000
    before = freed()
    assert wire.ok("UNLINK", "f") == 1
    wait_until(lambda: freed() > before, "the filter is freed in the background")


def test_flush_and_expire(full: Wire) -> None:
    assert full.ok("PEXPIRE", "scaling", 1) == 1
    wait_until(lambda: full.ok("EXISTS", "scaling") == 0, "the key expires")
    assert full.ok("FLUSHALL", "ASYNC") == OK
    assert full.ok("DBSIZE") == 0


def test_rename_move_and_swap(full: Wire) -> None:
    before = digests(full)
    full.ok("RENAME", "scaling", "other")
    full.ok("RENAME", "other", "scaling")
    assert full.ok("MOVE", "counting", 1) == 1
    full.ok("SWAPDB", 0, 1)
    assert full.ok("MOVE", "counting", 1) == 1
    full.ok("SWAPDB", 0, 1)
    assert digests(full) == before
    check_all(full)


def test_scan_by_type(full: Wire) -> None:
    names: set[bytes] = set()
    cursor = b"0"
    while True:
        cursor, batch = full.ok("SCAN", cursor, "COUNT", 100, "TYPE", "MBbloomCF")
        names.update(batch)
        if cursor == b"0":
            break
    assert names == {sample.name.encode() for sample in SAMPLES if sample.family == "CF"}


def test_active_defragmentation_keeps_everything(full: Wire) -> None:
    """Debian's Redis can move memory; where a server cannot, there is nothing to see."""
    reply = full.call("CONFIG", "SET", "activedefrag", "yes")
    try:
        if reply == OK:
            full.ok("CONFIG", "SET", "active-defrag-threshold-lower", 0, "active-defrag-ignore-bytes", 1)
            before = full.ok("INFO", "stats").decode()
            hits = int(before.split("active_defrag_key_misses:")[1].split()[0])

            def went_over_all() -> bool:
                told = full.ok("INFO", "stats").decode()
                seen = sum(int(told.split(f"active_defrag_key_{word}:")[1].split()[0]) for word in ("hits", "misses"))
                return seen > hits + len(SAMPLES) or "active_defrag_running:0" in full.ok("INFO", "memory").decode()

            wait_until(went_over_all, "the defragmentation goes over all keys")
        check_all(full)
    finally:
        full.call("CONFIG", "SET", "activedefrag", "no")
