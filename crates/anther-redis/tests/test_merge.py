"""BF.MERGE: the union of filters of one shape, with an honest rate; everything else is refused."""

import pytest

from harness.keys import add, found, keys, missing, rate
from harness.wire import OK, Error, Wire

KEY = "000102030405060708090a0b0c0d0e0f"
OTHER = "f0e0d0c0b0a090807060504030201000"


def reserve(
    wire: Wire, name: str, *options: str | int, capacity: int = 1000, error: str = "0.01", key: str = KEY
) -> None:
    wire.ok("BF.RESERVE", name, error, capacity, *options, "HASHKEY", key)


@pytest.mark.parametrize("options", [[], ["NONSCALING"], ["COUNTING"]], ids=["scaling", "nonscaling", "counting"])
def test_union(spoken: Wire, options: list[str]) -> None:
    for name in "abc":
        reserve(spoken, name, *options, capacity=3000)
        add(spoken, name, keys(name, 500), "BF.INSERT")
    assert spoken.call("BF.MERGE", "a", "b", "c") == OK
    for name in "abc":
        assert missing(spoken, "a", keys(name, 500)) == []
    assert sum(found(spoken, "b", keys("a", 500))) < 50, "sources stay what they are"


def test_into_a_new_key(spoken: Wire) -> None:
    for name in "ab":
        reserve(spoken, name)
        add(spoken, name, keys(name, 300))
    assert spoken.call("BF.MERGE", "new", "a", "b") == OK
    assert missing(spoken, "new", keys("a", 300) + keys("b", 300)) == []
    spoken.ok("BF.ADD", "new", "more")
    assert spoken.call("BF.EXISTS", "new", "more") == 1


def test_with_itself_is_harmless(wire: Wire) -> None:
    reserve(wire, "a")
    add(wire, "a", keys("a", 300))
    before = wire.ok("BF.CARD", "a"), sum(found(wire, "a", keys("never", 2000)))
    assert wire.call("BF.MERGE", "a", "a") == OK
    assert (wire.ok("BF.CARD", "a"), sum(found(wire, "a", keys("never", 2000)))) == before


@pytest.mark.usefixtures("random_keys")
def test_copies_of_one_filter_merge_without_a_named_key(wire: Wire) -> None:
    wire.ok("BF.ADD", "a", "x")
    wire.ok("COPY", "a", "b")
    wire.ok("BF.ADD", "b", "y")
    assert wire.call("BF.MERGE", "a", "b") == OK
    assert wire.ok("BF.MEXISTS", "a", "x", "y") == [1, 1]


def refused(wire: Wire, *words: str) -> None:
    """Refused with a reason, and both are what they were."""
    before = wire.ok("DEBUG", "DIGEST-VALUE", "a", "b")
    reply = wire.call("BF.MERGE", "a", "b")
    assert isinstance(reply, Error), reply
    assert any(word in reply.lower() for word in words), reply
    assert wire.ok("DEBUG", "DIGEST-VALUE", "a", "b") == before
    assert isinstance(wire.call("BF.MERGE", "new", "a", "b"), Error)
    assert wire.call("EXISTS", "new") == 0


def test_other_keys_are_refused_by_name(wire: Wire) -> None:
    reserve(wire, "a")
    reserve(wire, "b", key=OTHER)
    refused(wire, "key")


@pytest.mark.usefixtures("random_keys")
def test_random_keys_are_different_keys(wire: Wire) -> None:
    wire.ok("BF.ADD", "a", "x")
    wire.ok("BF.ADD", "b", "x")
    refused(wire, "key")


@pytest.mark.parametrize("change", [{"capacity": 2000}, {"error": "0.001"}], ids=["capacity", "error"])
def test_other_shapes_are_refused(wire: Wire, change: dict) -> None:
    reserve(wire, "a", "NONSCALING")
    reserve(wire, "b", "NONSCALING", **change)
    refused(wire, "size", "shape", "capacity", "items", "bits", "target")


def test_other_kinds_are_refused(wire: Wire) -> None:
    reserve(wire, "a", "NONSCALING")
    reserve(wire, "b", "COUNTING")
    refused(wire, "kind", "counting", "blocked")


def test_a_missing_source(wire: Wire) -> None:
    reserve(wire, "a")
    assert wire.call("BF.MERGE", "a", "none") == "ERR not found"
    assert wire.call("BF.MERGE", "new", "none") == "ERR not found"
    assert wire.call("EXISTS", "new") == 0


@pytest.mark.parametrize("options", [[], ["NONSCALING"]], ids=["scaling", "nonscaling"])
def test_the_rate_after_a_merge_is_honest(wire: Wire, options: list[str]) -> None:
    """Three full filters in the room of one: what INFO says is what one measures."""
    for name in "abc":
        reserve(wire, name, *options, capacity=20_000)
        add(wire, name, keys(name, 19_000))
    before = rate(wire, "a")
    assert before <= 0.011
    wire.ok("BF.MERGE", "a", "b", "c")
    said = rate(wire, "a")
    measured = sum(found(wire, "a", keys("never", 100_000))) / 100_000
    assert measured > 2 * before
    assert 0.85 * measured < said < 1.15 * measured, f"said {said}, measured {measured}"
