"""BF.* as RedisBloom answers it, in both protocols."""

import pytest

from harness.keys import add, keys, missing
from harness.wire import OK, Error, Wire, fields, same

INFO = ["Capacity", "Size", "Number of filters", "Number of items inserted", "Expansion rate"]


def info(wire: Wire, name: str) -> dict:
    return fields(wire.ok("BF.INFO", name))


def test_add_says_whether_the_item_is_new(spoken: Wire) -> None:
    assert same(spoken.call("BF.ADD", "f", "a"), spoken.yes())
    assert same(spoken.call("BF.ADD", "f", "a"), spoken.yes(False))
    assert same(spoken.call("BF.MADD", "f", "a", "b"), [spoken.yes(False), spoken.yes()])
    assert same(spoken.call("BF.MADD", "new", "x", "x"), [spoken.yes(), spoken.yes(False)])


def test_exists(spoken: Wire) -> None:
    add(spoken, "f", [b"a", b"", b"\0\xff\r\n"])
    assert same(spoken.call("BF.EXISTS", "f", b""), spoken.yes())
    assert same(spoken.call("BF.EXISTS", "f", "zzz"), spoken.yes(False))
    answers = [spoken.yes(), spoken.yes(False), spoken.yes()]
    assert same(spoken.call("BF.MEXISTS", "f", "a", "zzz", b"\0\xff\r\n"), answers)


@pytest.mark.parametrize("key", ["absent", "text"])
def test_what_is_no_filter_has_no_items(spoken: Wire, key: str) -> None:
    spoken.ok("SET", "text", "x")
    assert same(spoken.call("BF.EXISTS", key, "a"), spoken.yes(False))
    assert same(spoken.call("BF.MEXISTS", key, "a", "b"), [spoken.yes(False)] * 2)


def test_card_counts_new_items(spoken: Wire) -> None:
    assert same(spoken.call("BF.CARD", "f"), 0)
    assert spoken.call("BF.MADD", "f", "a", "b", "a") == [1, 1, 0]
    assert same(spoken.call("BF.CARD", "f"), 2)


def test_a_filter_made_by_add_has_the_defaults(spoken: Wire) -> None:
    spoken.ok("BF.ADD", "f", "a")
    told = info(spoken, "f")
    assert list(told)[:5] == INFO
    assert told["Capacity"] == 100
    assert told["Number of filters"] == 1
    assert told["Number of items inserted"] == 1
    assert told["Expansion rate"] == 2
    assert 100 <= told["Size"] <= 4096


def test_reserve(spoken: Wire) -> None:
    assert same(spoken.call("BF.RESERVE", "f", "0.001", 5000, "EXPANSION", 4), OK)
    told = info(spoken, "f")
    assert told["Capacity"] == 5000
    assert told["Number of items inserted"] == 0
    assert told["Expansion rate"] == 4


def test_options_are_read_in_any_case_and_order(spoken: Wire) -> None:
    assert spoken.call("bf.reserve", "f", "0.01", 10, "nonscaling") == OK
    assert info(spoken, "f")["Expansion rate"] is None
    call = ["bf.insert", "g", "nocreate", "error", "0.01", "items", "x"]
    assert same(spoken.call(*call), Error("ERR not found"))
    call = ["BF.INSERT", "g", "EXPANSION", 3, "error", "0.1", "Capacity", 20, "items", "x"]
    assert same(spoken.call(*call), [spoken.yes()])
    assert info(spoken, "g") | {"Size": 0} == dict(zip(INFO, [20, 0, 1, 1, 3]))


@pytest.mark.parametrize("field", range(5))
def test_one_field_of_info(spoken: Wire, field: int) -> None:
    spoken.ok("BF.RESERVE", "f", "0.01", 300)
    word = ["CAPACITY", "SIZE", "FILTERS", "ITEMS", "EXPANSION"][field]
    value = info(spoken, "f")[INFO[field]]
    for spelling in (word, word.lower()):
        reply = spoken.call("BF.INFO", "f", spelling)
        assert reply == ({INFO[field]: value} if spoken.protocol == 3 else [value])


def test_insert_answers_as_madd(spoken: Wire) -> None:
    yes, no = spoken.yes(), spoken.yes(False)
    assert same(spoken.call("BF.INSERT", "f", "ITEMS", "a", "b", "a"), [yes, yes, no])
    assert same(spoken.call("BF.INSERT", "f", "NOCREATE", "ITEMS", "b", "c"), [no, yes])
    # Items may be named like options.
    assert same(spoken.call("BF.INSERT", "f", "ITEMS", "NOCREATE", "ITEMS"), [yes, yes])


def test_a_full_filter_that_does_not_scale(spoken: Wire) -> None:
    full = Error("ERR non scaling filter is full")
    spoken.ok("BF.RESERVE", "f", "0.0001", 10, "NONSCALING")
    reply = spoken.call("BF.MADD", "f", *keys("a", 30))
    assert same(reply, [spoken.yes()] * 10 + [full]), "ten items, one error, and no more"
    assert same(spoken.call("BF.ADD", "f", "b"), full)
    assert same(spoken.call("BF.INSERT", "f", "ITEMS", "b", "c"), [full])
    assert same(spoken.call("BF.ADD", "f", "a:3"), spoken.yes(False)), "what is in it, is no insert"
    assert spoken.call("BF.CARD", "f") == 10
    assert missing(spoken, "f", keys("a", 10)) == []


def test_expansion_0_does_not_scale(spoken: Wire) -> None:
    spoken.ok("BF.RESERVE", "f", "0.0001", 5, "EXPANSION", 0)
    replies = spoken.call("BF.MADD", "f", *keys("a", 9))
    assert same(replies[-1], Error("ERR non scaling filter is full"))
    assert len(replies) == 6


def test_growth_shows_in_info(spoken: Wire) -> None:
    spoken.ok("BF.RESERVE", "f", "0.01", 100, "EXPANSION", 2)
    new = add(spoken, "f", keys("a", 650))
    told = info(spoken, "f")
    assert told["Number of filters"] == 3, "100, 200, 400"
    assert told["Capacity"] == 700
    assert told["Number of items inserted"] == new == spoken.call("BF.CARD", "f")
    assert 630 <= new <= 650
    assert missing(spoken, "f", keys("a", 650)) == []


def test_error_rates_above_a_quarter_are_a_quarter(spoken: Wire) -> None:
    spoken.ok("BF.RESERVE", "f", "0.9", 1000)
    spoken.ok("BF.RESERVE", "g", "0.25", 1000)
    assert info(spoken, "f")["Size"] == info(spoken, "g")["Size"]


@pytest.mark.parametrize("options", ["NONSCALING EXPANSION 2", "EXPANSION 2 NONSCALING"])
def test_an_insert_that_scales_and_does_not(spoken: Wire, options: str) -> None:
    """Only BF.RESERVE refuses that."""
    assert same(spoken.call("BF.INSERT", "f", *options.split(), "ITEMS", "a"), [spoken.yes()])
    assert info(spoken, "f")["Expansion rate"] is None
