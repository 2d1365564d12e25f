"""The append-only file: replayed, rewritten with and without an RDB preamble, and rewritten under load."""

import threading
from collections.abc import Callable

import pytest

from harness.keys import add, keys, missing
from harness.objects import check_all, digests, make_all
from harness.poll import wait_until
from harness.server import Server
from harness.wire import Wire


@pytest.fixture(params=["yes", "no"], ids=["preamble", "commands"])
def server(start: Callable[..., Server], request: pytest.FixtureRequest) -> Server:
    return start("--appendonly", "yes", "--aof-use-rdb-preamble", request.param)


def rewrite(wire: Wire) -> None:
    def settled() -> bool:
        told = wire.ok("INFO", "persistence").decode()
        return "aof_rewrite_in_progress:0" in told and "aof_rewrite_scheduled:0" in told

    wait_until(settled, "no rewrite is under way")
    wire.ok("BGREWRITEAOF")
    wait_until(settled, "the rewrite ends")
    assert "aof_last_bgrewrite_status:ok" in wire.ok("INFO", "persistence").decode()


def test_replay(server: Server) -> None:
    """The commands themselves: a filter that is made again must get the same key."""
    with server.wire() as wire:
        make_all(wire)
        wire.ok("BF.ADD", "by add", "a")
        wire.ok("CF.ADD", "by add too", "a")
        before = digests(wire), wire.ok("DEBUG", "DIGEST-VALUE", "by add", "by add too")
    server.kill()
    server.start()
    with server.wire() as wire:
        check_all(wire)
        assert (digests(wire), wire.ok("DEBUG", "DIGEST-VALUE", "by add", "by add too")) == before


def test_rewrite_and_what_comes_after(server: Server) -> None:
    with server.wire() as wire:
        make_all(wire)
        rewrite(wire)
        add(wire, "grown", keys("later", 2000))
        add(wire, "cuckoo", keys("later", 2000), "CF.INSERT")
        before = digests(wire)
    server.restart()
    with server.wire() as wire:
        assert digests(wire) == before
        check_all(wire)
        assert missing(wire, "grown", keys("later", 2000)) == []
        assert missing(wire, "cuckoo", keys("later", 2000), "CF.MEXISTS") == []


def test_a_large_filter_is_rewritten_in_chunks(server: Server) -> None:
    """More than 16 MiB, the most that a chunk holds."""
    items = keys("large", 20_000)
    with server.wire() as wire:
        wire.ok("BF.RESERVE", "large", "0.0001", 12_000_000, "NONSCALING")
        wire.ok("CF.RESERVE", "large too", 24_000_000)
        add(wire, "large", items)
        add(wire, "large too", items, "CF.INSERT")
        assert wire.ok("BF.INFO", "large", "SIZE")[0] > 20 << 20
        before = wire.ok("DEBUG", "DIGEST-VALUE", "large", "large too")
        rewrite(wire)
    server.restart()
    with server.wire() as wire:
        assert wire.ok("DEBUG", "DIGEST-VALUE", "large", "large too") == before
        assert missing(wire, "large", items) == []
        assert missing(wire, "large too", items, "CF.MEXISTS") == []


def test_rewrite_under_load(server: Server) -> None:
    added: list[bytes] = []
    done = threading.Event()

    def load() -> None:
        with server.wire() as wire:
            for number in range(0, 10**9, 50):
                items = keys("load", 50, number)
                add(wire, "bloom", items)
                add(wire, "cuckoo", items, "CF.INSERT")
                added.extend(items)
                if done.is_set():
                    break

    with server.wire() as wire:
        wire.ok("CF.RESERVE", "cuckoo", 1000, "EXPANSION", 2)
    thread = threading.Thread(target=load)
    thread.start()
    try:
        with server.wire() as wire:
            for number in range(3):
                wait_until(lambda: len(added) > 2000 * number, "two thousand more items")  # noqa: B023
                rewrite(wire)
    finally:
        done.set()
        thread.join()
    with server.wire() as wire:
        before = wire.ok("DEBUG", "DIGEST-VALUE", "bloom", "cuckoo")
    server.kill()
    server.start()
    with server.wire() as wire:
        assert missing(wire, "bloom", added) == []
        assert missing(wire, "cuckoo", added, "CF.MEXISTS") == []
        assert wire.ok("DEBUG", "DIGEST-VALUE", "bloom", "cuckoo") == before
