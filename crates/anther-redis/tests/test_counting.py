"""BF.RESERVE … COUNTING, BF.REM and BF.COUNT."""

import pytest

from harness.keys import add, found, keys, missing
from harness.wire import OK, Error, Wire, same


@pytest.fixture
def counting(spoken: Wire) -> Wire:
    assert spoken.call("BF.RESERVE", "f", "0.0001", 1000, "COUNTING") == OK
    return spoken


def test_an_item_goes_in_and_out(counting: Wire) -> None:
    yes, no = counting.yes(), counting.yes(False)
    assert same(counting.call("BF.ADD", "f", "a"), yes)
    assert same(counting.call("BF.REM", "f", "a"), yes)
    assert same(counting.call("BF.EXISTS", "f", "a"), no)
    assert same(counting.call("BF.REM", "f", "a"), no)


def test_copies_are_counted(counting: Wire) -> None:
    for expected in (1, 2, 3):
        counting.ok("BF.ADD", "f", "a")
        assert same(counting.call("BF.COUNT", "f", "a"), expected)
    assert same(counting.call("BF.COUNT", "f", "b"), 0)
    for expected in (2, 1, 0):
        assert same(counting.call("BF.REM", "f", "a"), counting.yes())
        assert counting.call("BF.COUNT", "f", "a") == expected


def test_what_stays_is_still_there(counting: Wire) -> None:
    items = keys("a", 900)
    add(counting, "f", items, "BF.INSERT")
    assert all(counting.call("BF.REM", "f", item) == 1 for item in items[:450])
    assert missing(counting, "f", items[450:]) == []
    assert sum(found(counting, "f", items[:450])) < 10
    assert counting.ok("BF.CARD", "f") in range(440, 451)


def test_removal_makes_room(counting: Wire) -> None:
    """Ten times its capacity goes through, and it stays at its rate."""
    counting.ok("BF.RESERVE", "g", "0.001", 100, "COUNTING", "NONSCALING")
    for number in range(20):
        items = keys("a", 50, number * 50)
        add(counting, "g", items, "BF.INSERT")
        assert missing(counting, "g", items) == []
        assert all(counting.call("BF.REM", "g", item) == 1 for item in items)
    assert sum(found(counting, "g", keys("a", 1000))) == 0


def test_a_scaling_one_removes_from_every_layer(counting: Wire) -> None:
    counting.ok("BF.RESERVE", "g", "0.0001", 100, "COUNTING")
    items = keys("a", 2000)
    add(counting, "g", items, "BF.INSERT")
    assert all(counting.call("BF.REM", "g", item) == 1 for item in items[::2])
    assert missing(counting, "g", items[1::2]) == []
    assert sum(found(counting, "g", items[::2])) < 10


@pytest.mark.parametrize("options", ["", "NONSCALING", "WINDOW 100"])
def test_filters_that_do_not_count_say_so(spoken: Wire, options: str) -> None:
    spoken.ok("BF.RESERVE", "f", "0.01", 100, *options.split())
    spoken.ok("BF.ADD", "f", "a")
    assert isinstance(spoken.call("BF.REM", "f", "a"), Error)
    assert spoken.call("BF.EXISTS", "f", "a") == 1


def test_nothing_there(spoken: Wire) -> None:
    assert same(spoken.call("BF.COUNT", "none", "a"), 0)
    assert spoken.call("BF.REM", "none", "a") in (0, "ERR not found")
    assert spoken.call("EXISTS", "none") == 0
