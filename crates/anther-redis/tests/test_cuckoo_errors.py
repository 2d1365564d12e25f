"""Errors of CF.*, to the letter: clients match these texts."""

import pytest

from harness.wire import Error, Wire, same
from test_bloom_errors import WRONG_TYPE

ITERATIONS_RANGE = "MAXITERATIONS: value must be in the range [1, 65535]"
BUCKET_RANGE = "BUCKETSIZE: value must be in the range [1, 255]"
EXPANSION_RANGE = "EXPANSION: value must be in the range [0, 32768]"
CAPACITY_RANGE = "Capacity must be in the range [2 * BUCKETSIZE, 1073741824]"

RESERVE = [
    ("none", "Bad capacity"),
    ("1.5", "Bad capacity"),
    ("100 MAXITERATIONS none", "Couldn't parse MAXITERATIONS"),
    ("100 BUCKETSIZE none", "Couldn't parse BUCKETSIZE"),
    ("100 EXPANSION none", "Couldn't parse EXPANSION"),
    ("100 MAXITERATIONS 0", ITERATIONS_RANGE),
    ("100 MAXITERATIONS 65536", ITERATIONS_RANGE),
    ("100 BUCKETSIZE 0", BUCKET_RANGE),
    ("100 BUCKETSIZE 256", BUCKET_RANGE),
    ("100 EXPANSION -1", EXPANSION_RANGE),
    ("100 EXPANSION 32769", EXPANSION_RANGE),
    ("0", CAPACITY_RANGE),
    ("-5", CAPACITY_RANGE),
    ("3", CAPACITY_RANGE),
    ("9 BUCKETSIZE 5", CAPACITY_RANGE),
    ("1073741825", CAPACITY_RANGE),
]

INSERT = [
    ("CAPACITY none ITEMS a", "Bad capacity"),
    ("CAPACITY 3 ITEMS a", CAPACITY_RANGE),
    ("WHATEVER ITEMS a", "Unknown argument received"),
    ("NOCREATE ITEMS a", "ERR not found"),
]


@pytest.mark.parametrize(("arguments", "text"), RESERVE, ids=[row[0] for row in RESERVE])
def test_reserve(wire: Wire, arguments: str, text: str) -> None:
    assert same(wire.call("CF.RESERVE", "f", *arguments.split()), Error(text))
    assert wire.call("EXISTS", "f") == 0


@pytest.mark.parametrize("command", ["CF.INSERT", "CF.INSERTNX"])
@pytest.mark.parametrize(("arguments", "text"), INSERT, ids=[row[0] for row in INSERT])
def test_insert(wire: Wire, command: str, arguments: str, text: str) -> None:
    assert same(wire.call(command, "f", *arguments.split()), Error(text))
    assert wire.call("EXISTS", "f") == 0


def test_a_key_that_is_there(wire: Wire) -> None:
    wire.ok("CF.ADD", "f", "a")
    assert same(wire.call("CF.RESERVE", "f", 100), Error("ERR item exists"))
    assert wire.call("CF.EXISTS", "f", "a") == 1


@pytest.mark.parametrize("command", ["CF.INFO f", "CF.SCANDUMP f 0", "CF.LOADCHUNK f 2 x"])
def test_a_key_that_is_not_there(wire: Wire, command: str) -> None:
    assert same(wire.call(*command.split()), Error("ERR not found"))


def test_nothing_to_delete_from(wire: Wire) -> None:
    assert same(wire.call("CF.DEL", "f", "a"), Error("Not found"))


@pytest.mark.parametrize(
    "command",
    [
        "CF.RESERVE f 100",
        "CF.ADD f a",
        "CF.ADDNX f a",
        "CF.INSERT f ITEMS a",
        "CF.INSERTNX f ITEMS a",
        "CF.INFO f",
        "CF.SCANDUMP f 0",
    ],
)
@pytest.mark.parametrize("other", ["SET f x", "BF.ADD f x"], ids=["string", "bloom"])
def test_a_key_of_another_type(wire: Wire, command: str, other: str) -> None:
    wire.ok(*other.split())
    assert same(wire.call(*command.split()), Error(WRONG_TYPE))


def test_dump_and_load(wire: Wire) -> None:
    wire.ok("CF.ADD", "f", "a")
    assert same(wire.call("CF.SCANDUMP", "f", "x"), Error("Invalid position"))
    assert same(wire.call("CF.LOADCHUNK", "g", "x", "d"), Error("Invalid position"))
    assert same(wire.call("CF.LOADCHUNK", "g", 0, "d"), Error("Invalid position"))
    assert same(wire.call("CF.LOADCHUNK", "g", 1, "no header"), Error("Invalid header"))
    assert same(wire.call("CF.LOADCHUNK", "f", 1, b"\0" * 38), Error("ERR item exists"))
    assert wire.call("EXISTS", "g") == 0


def test_a_forged_header(wire: Wire) -> None:
    header = b"\xff" * 38
    assert wire.call("CF.LOADCHUNK", "g", 1, header) in ("Invalid header", "Couldn't create filter!")
    assert wire.call("EXISTS", "g") == 0


ARITY = [
    "cf.reserve f",
    "cf.reserve f 100 BUCKETSIZE",
    "cf.add f",
    "cf.add f a b",
    "cf.addnx f",
    "cf.insert f",
    "cf.insert f ITEMS",
    "cf.insert f CAPACITY",
    "cf.insertnx f ITEMS",
    "cf.exists f",
    "cf.exists f a b",
    "cf.mexists f",
    "cf.count f",
    "cf.count f a b",
    "cf.del f",
    "cf.info",
    "cf.info f g",
    "cf.scandump f",
    "cf.loadchunk f 1",
]


@pytest.mark.parametrize("command", ARITY)
def test_arity(wire: Wire, command: str) -> None:
    name, *rest = command.split()
    text = f"ERR wrong number of arguments for '{name}' command"
    assert same(wire.call(name, *rest), Error(text))
