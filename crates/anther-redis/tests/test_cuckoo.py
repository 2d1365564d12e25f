"""CF.* as RedisBloom answers it, in both protocols."""

import pytest

from harness.keys import add, keys, missing
from harness.wire import OK, Error, Wire, fields, same

INFO = [
    "Size",
    "Number of buckets",
    "Number of filters",
    "Number of items inserted",
    "Number of items deleted",
    "Bucket size",
    "Expansion rate",
    "Max iterations",
]


def info(wire: Wire, name: str) -> dict:
    return fields(wire.ok("CF.INFO", name))


def test_add_and_addnx(spoken: Wire) -> None:
    yes, no = spoken.yes(), spoken.yes(False)
    assert same(spoken.call("CF.ADD", "f", "a"), yes)
    assert same(spoken.call("CF.ADD", "f", "a"), yes), "a second copy"
    assert same(spoken.call("CF.ADDNX", "f", "a"), no)
    assert same(spoken.call("CF.ADDNX", "f", "b"), yes)
    assert same(spoken.call("CF.COUNT", "f", "a"), 2)


def test_exists_and_count(spoken: Wire) -> None:
    yes, no = spoken.yes(), spoken.yes(False)
    spoken.ok("CF.ADD", "f", b"")
    assert same(spoken.call("CF.EXISTS", "f", b""), yes)
    assert same(spoken.call("CF.EXISTS", "f", "zzz"), no)
    assert same(spoken.call("CF.MEXISTS", "f", "zzz", b""), [no, yes])
    assert same(spoken.call("CF.COUNT", "f", "zzz"), 0)


@pytest.mark.parametrize("key", ["absent", "text"])
def test_what_is_no_filter_has_no_items(spoken: Wire, key: str) -> None:
    spoken.ok("SET", "text", "x")
    assert same(spoken.call("CF.EXISTS", key, "a"), spoken.yes(False))
    assert same(spoken.call("CF.MEXISTS", key, "a", "b"), [spoken.yes(False)] * 2)
    assert same(spoken.call("CF.COUNT", key, "a"), 0)


def test_insert(spoken: Wire) -> None:
    yes = spoken.yes()
    assert same(spoken.call("CF.INSERT", "f", "ITEMS", "a", "b", "a"), [yes] * 3)
    assert same(spoken.call("CF.INSERT", "g", "CAPACITY", 5000, "ITEMS", "a"), [yes])
    assert same(spoken.call("CF.INSERT", "f", "NOCREATE", "ITEMS", "c"), [yes])
    assert spoken.call("CF.COUNT", "f", "a") == 2


def test_insertnx_answers_in_integers(spoken: Wire) -> None:
    assert same(spoken.call("CF.INSERTNX", "f", "ITEMS", "a", "b", "a"), [1, 1, 0])
    assert same(spoken.call("CF.INSERTNX", "f", "NOCREATE", "ITEMS", "b", "c"), [0, 1])


def test_del_takes_one_copy(spoken: Wire) -> None:
    yes, no = spoken.yes(), spoken.yes(False)
    assert spoken.call("CF.INSERT", "f", "ITEMS", "a", "a") == [1, 1]
    assert same(spoken.call("CF.DEL", "f", "a"), yes)
    assert same(spoken.call("CF.EXISTS", "f", "a"), yes)
    assert same(spoken.call("CF.DEL", "f", "a"), yes)
    assert same(spoken.call("CF.EXISTS", "f", "a"), no)
    assert same(spoken.call("CF.DEL", "f", "a"), no)
    told = info(spoken, "f")
    assert told["Number of items inserted"] == 0
    assert told["Number of items deleted"] == 2


def test_info_of_the_defaults(spoken: Wire) -> None:
    spoken.ok("CF.ADD", "f", "a")
    told = info(spoken, "f")
    assert list(told) == INFO
    assert told["Number of filters"] == told["Number of items inserted"] == 1
    assert told["Number of items deleted"] == 0
    assert told["Bucket size"] == 2
    assert told["Expansion rate"] == 1
    assert told["Max iterations"] == 20
    assert told["Number of buckets"] * told["Bucket size"] >= 1024


def test_reserve(spoken: Wire) -> None:
    call = ["CF.RESERVE", "f", 1000, "BUCKETSIZE", 4, "maxiterations", 50, "EXPANSION", 2]
    assert same(spoken.call(*call), OK)
    told = info(spoken, "f")
    assert told["Bucket size"] == 4
    assert told["Max iterations"] == 50
    assert told["Expansion rate"] == 2
    assert told["Number of buckets"] * 4 >= 1000


def test_it_grows(spoken: Wire) -> None:
    spoken.ok("CF.RESERVE", "f", 100, "EXPANSION", 2)
    items = keys("a", 2000)
    assert add(spoken, "f", items, "CF.INSERT") == 2000
    assert info(spoken, "f")["Number of filters"] > 1
    assert info(spoken, "f")["Number of items inserted"] == 2000
    assert missing(spoken, "f", items, "CF.MEXISTS") == []


def test_deletion_from_all_layers(spoken: Wire) -> None:
    """At a rate at which one item is hardly ever taken for another in an older layer."""
    spoken.ok("CF.RESERVE", "f", 100, "EXPANSION", 2, "ERROR", "0.0000001")
    items = keys("a", 2000)
    add(spoken, "f", items, "CF.INSERT")
    assert all(spoken.call("CF.DEL", "f", item) == 1 for item in items)
    assert not any(spoken.call("CF.MEXISTS", "f", *items))
    assert info(spoken, "f")["Number of items deleted"] == 2000


def test_a_full_filter_that_does_not_grow(spoken: Wire) -> None:
    spoken.ok("CF.RESERVE", "f", 100, "EXPANSION", 0)
    items = keys("a", 400)
    replies = spoken.call("CF.INSERT", "f", "ITEMS", *items)
    full = False if spoken.protocol == 3 else -1
    assert len(replies) == 400
    assert any(same(reply, full) for reply in replies)
    went_in = [item for item, reply in zip(items, replies) if same(reply, spoken.yes())]
    assert 80 <= len(went_in) <= 128, "the slots that CF.INFO tells"
    assert missing(spoken, "f", went_in, "CF.MEXISTS") == [], "a rejected insert loses nothing"
    assert info(spoken, "f")["Number of items inserted"] == len(went_in)
    rejected = [item for item, reply in zip(items, replies) if same(reply, full)]
    answers = {str(spoken.call("CF.ADD", "f", item)) for item in rejected}
    assert "Filter is full" in answers


def test_four_items_that_do_not_grow(spoken: Wire) -> None:
    spoken.ok("CF.RESERVE", "f", 4, "EXPANSION", 0)
    assert spoken.calls([("CF.ADD", "f", item) for item in range(1, 5)]) == [spoken.yes()] * 4
    assert same(spoken.call("CF.INSERT", "f", "ITEMS", 5, 6), [False if spoken.protocol == 3 else -1] * 2)
    assert same(spoken.call("CF.ADD", "f", 7), Error("Filter is full"))


def test_four_items_that_grow(wire: Wire) -> None:
    """The README has the number: 16 filters of 4 items, and 16 of 8."""
    wire.ok("CF.RESERVE", "f", 4)
    replies = wire.calls([("CF.ADD", "f", item) for item in range(200)])
    assert replies == [1] * 192 + [Error("Maximum expansions reached")] * 8


def test_insertnx_into_a_full_filter(spoken: Wire) -> None:
    spoken.ok("CF.RESERVE", "f", 64, "EXPANSION", 0)
    replies = spoken.call("CF.INSERTNX", "f", "ITEMS", *keys("a", 400))
    assert {type(reply) for reply in replies} == {int}
    assert -1 in replies


def test_one_item_a_thousand_times(spoken: Wire) -> None:
    """At most 32 filters: what is stored twice in each bucket ends there."""
    spoken.ok("CF.RESERVE", "f", 8)
    replies = spoken.calls([("CF.ADD", "f", "a")] * 1000)
    taken = sum(same(reply, spoken.yes()) for reply in replies)
    assert 32 <= taken < 1000
    assert same(replies[-1], Error("Maximum expansions reached"))
    assert info(spoken, "f")["Number of filters"] <= 32
    assert spoken.call("CF.COUNT", "f", "a") == taken
    assert same(spoken.call("CF.DEL", "f", "a"), spoken.yes())


def test_copies_of_one_item_do_not_double_the_memory(spoken: Wire) -> None:
    spoken.ok("CF.RESERVE", "f", 1000, "EXPANSION", 2)
    for _ in range(160):
        assert spoken.ok("CF.ADD", "f", "same") == 1
    assert spoken.ok("CF.COUNT", "f", "same") == 160
    assert spoken.ok("MEMORY", "USAGE", "f") < 1 << 20
