"""The same key here as in Rust: hashes, types, and what is refused."""

import numpy as np
import pytest

import anther

# The hashes that crates/anther/tests/hashes.rs pins, with the fixed seed and seed 7.
INTEGERS = [
    (0, 0x705D54D38F7A0DB3, 0x6401A9C59091D3C2),
    (1, 0x7662347C5557785C, 0x451F1B65F1B9DE37),
    (2, 0x2847FF06EBD9EB09, 0x14CE72A79A598397),
    (5, 0x6E1AE0F3A3192B6E, 0x87400E1A14F91C09),
    (1 << 32, 0x3CC17DF2E3258363, 0x84D0302DBEE0EAC5),
    (0x243F6A8885A308D3, 0x0000000000000000, 0xEC57A74DD1FA2137),
    (2**64 - 1, 0x052E54A4C80CC14C, 0x3FCC199037E7E622),
]

FIXED = anther.Filter(100)
SEEDS = [FIXED, anther.Filter(100, seed=7), anther.Filter(100, key=bytes([9] * 16))]


def frame(key):
    """The frame of FORMAT.md, written again here."""
    if isinstance(key, tuple):
        return bytes([2, len(key)]) + b"".join(map(frame, key))
    if isinstance(key, int) and -(2**63) <= key < 2**64:
        return b"\1" + (key % 2**64).to_bytes(8, "little")
    if isinstance(key, int):
        key = key.to_bytes(16, "little", signed=True)
    if isinstance(key, str):
        key = key.encode()
    return b"\0" + len(key).to_bytes(8, "little") + key


@pytest.mark.parametrize(("key", "fixed", "chosen"), INTEGERS)
def test_integers_are_pinned(key, fixed, chosen):
    assert FIXED.hash_of(key) == fixed
    assert anther.Filter(100, seed=7).hash_of(key) == chosen
    many = anther.Filter(100)
    many.update(np.array([key], dtype=np.uint64))
    single = anther.Filter(100)
    single.add(key)
    assert many == single


@pytest.mark.parametrize("filter", SEEDS, ids=["fixed", "seeded", "keyed"])
def test_one_key_in_all_its_types(filter):
    same = filter.hash_of
    assert same("é") == same(b"\xc3\xa9") == same(bytearray(b"\xc3\xa9")) == same(np.str_("é"))
    assert same(5) == same(np.int8(5)) == same(np.uint64(5)) != same("5")
    assert same(-1) == same(2**64 - 1) == same(np.int64(-1)), "one word"
    assert same(True) == same(1) == same(np.bool_(True))
    assert same(False) == same(0)
    # Wider integers are the 16 bytes of an i128.
    for wide in [2**64, -(2**63) - 1, 2**127 - 1, -(2**127)]:
        assert same(wide) == same(wide.to_bytes(16, "little", signed=True))


@pytest.mark.parametrize("filter", SEEDS[:2], ids=["fixed", "seeded"])
def test_tuples_are_framed(filter):
    for key in [
        ("abc", 5),
        (-1, ("abc", 5), b""),
        ("a", True, 2**70),
        tuple(range(255)),
        (1, (2, (3, (4, 5)))),
    ]:
        assert filter.hash_of(key) == filter.hash_of(frame(key))
    assert filter.hash_of(("ab", "c")) != filter.hash_of(("a", "bc"))


def test_tuples_are_apart_from_bytes_under_a_secret_key():
    keyed = SEEDS[2]
    assert keyed.hash_of(("abc", 5)) != keyed.hash_of(frame(("abc", 5)))


def deep(levels):
    key = (1, 2)
    for _ in range(levels):
        key = (key, 1)
    return key


@pytest.mark.parametrize(
    ("key", "error", "words"),
    [
        (1.0, anther.KeyTypeError, "float cannot be a key"),
        (float("nan"), anther.KeyTypeError, "float"),
        (np.float32(1), anther.KeyTypeError, "float"),
        (None, anther.KeyTypeError, "None"),
        (memoryview(b"a"), anther.KeyTypeError, r"bytes\(key\)"),
        ([1, 2], anther.KeyTypeError, "list cannot be a key"),
        ({1}, anther.KeyTypeError, "set"),
        (object(), anther.KeyTypeError, "object"),
        (1j, anther.KeyTypeError, "complex"),
        (2**127, anther.KeyValueError, "128 bits"),
        (-(2**127) - 1, anther.KeyValueError, "128 bits"),
        ("\ud800", anther.KeyValueError, "surrogate"),
        ((), anther.KeyValueError, "2 to 255"),
        (("a",), anther.KeyValueError, "2 to 255"),
        (tuple(range(256)), anther.KeyValueError, "2 to 255"),
        (("a", 1.5), anther.KeyTypeError, "float"),
        (("a", None), anther.KeyTypeError, "None"),
        (deep(100_000), anther.KeyValueError, "deep"),
    ],
    ids=lambda value: None,
)
def test_what_is_refused_changes_nothing(key, error, words):
    filter = anther.Filter(100, kind="counting")
    before = filter.to_bytes()
    for method in [filter.add, filter.remove, filter.discard, filter.count, filter.hash_of]:
        with pytest.raises(error, match=words):
            method(key)
    with pytest.raises(error, match=words):
        _ = key in filter
    with pytest.raises(error, match=words):
        filter.update(["good", key])
    with pytest.raises(error, match=words):
        filter.contains_many(["good", key])
    assert filter.to_bytes() == before


def test_nesting_has_a_limit_that_is_enough():
    filter = anther.Filter(100)
    filter.add(deep(31))
    assert deep(31) in filter
    with pytest.raises(anther.KeyValueError, match="32 deep"):
        filter.add(deep(32))


RULES = [
    ("int", "0042", 42, ["forty"], [b"42", ("a", "b")]),
    ("domain", "Example.ORG.", "example.org", ["a b", "ü.de"], [42, b"example.org"]),
    ("email", "Bob@Example.org", "bob@example.org", ["bob"], [1]),
    ("url", "HTTP://example.org:80", "http://example.org/", ["example.org"], [1]),
    ("hex", "CAFE", b"\xca\xfe", ["cafez", "xy"], [7]),
]


@pytest.mark.parametrize(("form", "spelling", "other", "bad_values", "bad_types"), RULES)
def test_a_rule_is_applied_or_refuses(form, spelling, other, bad_values, bad_types):
    filter = anther.Filter(100, rule=form)
    assert filter.rule == anther.Rule(form)
    filter.add(spelling)
    assert other in filter
    assert filter.contains_many([spelling, other]).all()
    assert filter.contains_many(np.array([spelling])).all()
    again = anther.Filter.from_bytes(filter.to_bytes())
    assert again.rule == filter.rule and other in again
    before = filter.to_bytes()
    for bad in bad_values:
        with pytest.raises(anther.KeyValueError):
            filter.add(bad)
        with pytest.raises(anther.KeyValueError):
            filter.update([spelling, bad])
        with pytest.raises(anther.KeyValueError):
            filter.update(np.array([spelling, bad]))
    for bad in bad_types:
        with pytest.raises(anther.KeyTypeError):
            filter.add(bad)
    assert filter.to_bytes() == before


def test_a_rule_of_parts():
    filter = anther.Filter(100, rule=anther.Rule("text", ignore_case=True, trim=True, parts=2))
    filter.add((" A ", "b"))
    assert ("a", "B ") in filter
    with pytest.raises(anther.KeyTypeError, match="1 part, but the filter's keys have 2 parts"):
        filter.add("a")
    with pytest.raises(anther.KeyTypeError):
        filter.add(("a", ("b", "c")))
    with pytest.raises(ValueError, match="0"):
        anther.Rule(parts=0)
    with pytest.raises(ValueError, match="forms: text, hex"):
        anther.Rule("words")


def test_an_error_of_index_is_not_hidden():
    class Broken:
        def __index__(self):
            raise ZeroDivisionError

    class NoInteger:
        def __index__(self):
            raise TypeError

    class Wrong:
        def __index__(self):
            return "text"

    with pytest.raises(ZeroDivisionError):
        FIXED.add(Broken())
    for key in [NoInteger(), Wrong(), int]:
        with pytest.raises(anther.KeyTypeError):
            FIXED.add(key)


def test_missing_values_and_memoryviews():
    with pytest.raises(anther.KeyTypeError, match="missing value"):
        FIXED.update(["a", float("nan")])
    with pytest.raises(TypeError, match="memoryview is one key"):
        FIXED.update(memoryview(b"ab"))
