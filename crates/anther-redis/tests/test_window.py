"""Filters that forget: the latest items, or those of the last seconds."""

import time
from collections.abc import Callable

import pytest

from harness.keys import add, found, keys, missing, rate
from harness.poll import wait_until
from harness.server import Server
from harness.wire import OK, Error, Wire, fields


def test_the_latest_items_are_all_found(spoken: Wire) -> None:
    assert spoken.call("BF.RESERVE", "f", "0.01", 1000, "WINDOW", 1000) == OK
    for number in range(0, 6000, 250):
        add(spoken, "f", keys("a", 250, number))
        latest = max(0, number + 250 - 1000)
        assert missing(spoken, "f", keys("a", number + 250 - latest, latest)) == []


def test_older_ones_are_forgotten(spoken: Wire) -> None:
    spoken.ok("BF.RESERVE", "f", "0.01", 1000, "WINDOW", 1000)
    size = fields(spoken.ok("BF.INFO", "f"))["Size"]
    add(spoken, "f", keys("a", 30_000))
    # One in a hundred is a false positive: 200 of 20,000; 300 is seven sigmas more.
    assert sum(found(spoken, "f", keys("a", 20_000))) < 300
    assert sum(found(spoken, "f", keys("never", 20_000))) < 300
    assert fields(spoken.ok("BF.INFO", "f"))["Size"] == size, "it does not grow"


def test_an_item_that_is_added_again_stays(spoken: Wire) -> None:
    spoken.ok("BF.RESERVE", "f", "0.01", 1000, "WINDOW", 1000)
    for number in range(0, 10_000, 400):
        spoken.ok("BF.ADD", "f", "hot")
        add(spoken, "f", keys("a", 400, number))
        assert spoken.call("BF.EXISTS", "f", "hot") == 1


def test_items_expire_with_time(spoken: Wire) -> None:
    spoken.ok("BF.RESERVE", "f", "0.001", 1000, "TTL", 2)
    before = time.monotonic()
    add(spoken, "f", keys("a", 100))
    lost = missing(spoken, "f", keys("a", 100))
    assert lost == [] or time.monotonic() - before >= 2
    wait_until(lambda: sum(found(spoken, "f", keys("a", 100))) <= 5, "the items expire", 15)
    assert time.monotonic() - before >= 2, "not before their time"
    add(spoken, "f", keys("b", 100))
    assert missing(spoken, "f", keys("b", 100)) == []


@pytest.mark.parametrize("items", [100, 1000])
def test_a_burst_stays_for_its_time(spoken: Wire, items: int) -> None:
    """The capacity may come all at once."""
    spoken.ok("BF.RESERVE", "f", "0.001", 1000, "TTL", 3)
    before = time.monotonic()
    add(spoken, "f", keys("a", items))
    while True:
        lost = missing(spoken, "f", keys("a", items))
        # Only an answer that surely came in time counts.
        if time.monotonic() - before >= 3:
            break
        assert lost == []


def test_more_than_the_capacity_is_remembered(spoken: Wire) -> None:
    spoken.ok("BF.RESERVE", "f", "0.001", 1000, "TTL", 3600)
    assert spoken.ok("BF.ADD", "f", "victim") == 1
    add(spoken, "f", keys("flood", 11_000))
    assert spoken.ok("BF.ADD", "f", "victim") == 0
    assert rate(spoken, "f") > 0.1, "and it says so"


def test_the_capacity_of_a_window_of_time_must_be_said(spoken: Wire) -> None:
    reply = spoken.call("BF.INSERT", "f", "TTL", 60, "ITEMS", "a")
    assert isinstance(reply, Error) and "CAPACITY" in reply
    assert spoken.ok("BF.INSERT", "f", "CAPACITY", 10, "TTL", 60, "ITEMS", "a") == [1]
    spoken.ok("BF.RESERVE", "g", "0.01", 10, "TTL", 60, "EXPANSION", 0)


def test_time_passes_while_the_server_is_down(start: Callable[..., Server]) -> None:
    server = start("--appendonly", "yes")
    with server.wire() as wire:
        wire.ok("BF.RESERVE", "f", "0.001", 1000, "TTL", 1)
        add(wire, "f", keys("a", 100))
    before = time.monotonic()
    server.stop()
    wait_until(lambda: time.monotonic() > before + 4, "four seconds pass")
    server.start()
    with server.wire() as wire:
        assert sum(found(wire, "f", keys("a", 100))) <= 5


def test_a_replica_forgets_alike(start: Callable[..., Server]) -> None:
    primary, replica = start(), start()
    with primary.wire() as wire, replica.wire() as far:
        far.ok("REPLICAOF", "127.0.0.1", primary.port)
        wait_until(lambda: b"master_link_status:up" in far.ok("INFO", "replication"), "the replica follows")
        wire.ok("BF.RESERVE", "f", "0.01", 1000, "TTL", 1)
        deadline = time.monotonic() + 2.5
        number = 0
        while time.monotonic() < deadline:
            add(wire, "f", keys("a", 5, number))
            number += 5
        wire.ok("WAIT", 1, 10_000)
        assert wire.ok("DEBUG", "DIGEST-VALUE", "f") == far.ok("DEBUG", "DIGEST-VALUE", "f")
        wire.ok("BF.ADD", "f", "last")
        wire.ok("WAIT", 1, 10_000)
        assert far.ok("BF.EXISTS", "f", "last") == 1


@pytest.mark.parametrize(
    "options",
    ["WINDOW", "WINDOW 0", "WINDOW -1", "WINDOW x", "TTL", "TTL 0", "TTL -1", "TTL x", "WINDOW 10 TTL 10",
     "WINDOW 10 COUNTING", "TTL 99999999999999999999", "WINDOW 99999999999999999999", "WINDOW 9223372036854775807"],
)  # fmt: skip
def test_options_that_make_no_sense(wire: Wire, options: str) -> None:
    assert isinstance(wire.call("BF.RESERVE", "f", "0.01", 100, *options.split()), Error)
    assert wire.call("EXISTS", "f") == 0
