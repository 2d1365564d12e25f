"""Errors of BF.*, to the letter: clients match these texts."""

import pytest

from harness.wire import Error, Wire, same

WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value"
RATE_RANGE = "ERR error rate must be in the range (0.000000, 1.000000)"
CAPACITY_RANGE = "ERR capacity must be in the range [1, 1073741824]"
EXPANSION_RANGE = "ERR expansion must be in the range [0, 32768]"

RESERVE = [
    ("none 100", "ERR bad error rate"),
    ("0.1x 100", "ERR bad error rate"),
    ("0 100", RATE_RANGE),
    ("1 100", RATE_RANGE),
    ("-0.5 100", RATE_RANGE),
    ("1e300 100", RATE_RANGE),
    ("0.01 none", "ERR bad capacity"),
    ("0.01 1.5", "ERR bad capacity"),
    ("0.01 99999999999999999999", "ERR bad capacity"),
    ("0.01 0", CAPACITY_RANGE),
    ("0.01 -7", CAPACITY_RANGE),
    ("0.01 1073741825", CAPACITY_RANGE),
    ("0.01 100 EXPANSION", "ERR no expansion"),
    ("0.01 100 EXPANSION none", "ERR bad expansion"),
    ("0.01 100 EXPANSION -1", EXPANSION_RANGE),
    ("0.01 100 EXPANSION 32769", EXPANSION_RANGE),
    ("0.01 100 NONSCALING EXPANSION 2", "Nonscaling filters cannot expand"),
    ("0.01 100 EXPANSION 2 NONSCALING", "Nonscaling filters cannot expand"),
]

INSERT = [
    ("ERROR none ITEMS a", "Bad error rate"),
    ("EXPANSION none ITEMS a", "Bad expansion"),
    ("CAPACITY none ITEMS a", "Bad capacity"),
    ("WHATEVER ITEMS a", "Unknown argument received"),
    ("NOCREATE ITEMS a", "ERR not found"),
]


@pytest.mark.parametrize(("arguments", "text"), RESERVE, ids=[row[0] for row in RESERVE])
def test_reserve(wire: Wire, arguments: str, text: str) -> None:
    assert same(wire.call("BF.RESERVE", "f", *arguments.split()), Error(text))
    assert wire.call("EXISTS", "f") == 0


@pytest.mark.parametrize("rate", ["nan", "inf", "-inf"])
def test_a_rate_that_is_no_number(wire: Wire, rate: str) -> None:
    assert wire.call("BF.RESERVE", "f", rate, 100) in ("ERR bad error rate", RATE_RANGE)
    assert isinstance(wire.call("BF.INSERT", "f", "ERROR", rate, "ITEMS", "a"), Error)
    assert wire.call("EXISTS", "f") == 0


@pytest.mark.parametrize(("arguments", "text"), INSERT, ids=[row[0] for row in INSERT])
def test_insert(wire: Wire, arguments: str, text: str) -> None:
    assert same(wire.call("BF.INSERT", "f", *arguments.split()), Error(text))
    assert wire.call("EXISTS", "f") == 0


@pytest.mark.parametrize(
    "arguments",
    ["ERROR 0", "ERROR 1", "ERROR -1", "CAPACITY 0", "CAPACITY 1073741825", "EXPANSION -1", "EXPANSION 32769"],
)
def test_insert_out_of_range_makes_nothing(wire: Wire, arguments: str) -> None:
    assert isinstance(wire.call("BF.INSERT", "f", *arguments.split(), "ITEMS", "a"), Error)
    assert wire.call("EXISTS", "f") == 0


def test_a_key_that_is_there(wire: Wire) -> None:
    wire.ok("BF.ADD", "f", "a")
    assert same(wire.call("BF.RESERVE", "f", "0.01", 100), Error("ERR item exists"))
    assert wire.call("BF.EXISTS", "f", "a") == 1


@pytest.mark.parametrize("command", ["BF.INFO f", "BF.SCANDUMP f 0", "BF.LOADCHUNK f 2 x"])
def test_a_key_that_is_not_there(wire: Wire, command: str) -> None:
    assert same(wire.call(*command.split()), Error("ERR not found"))


@pytest.mark.parametrize(
    "command",
    [
        "BF.RESERVE f 0.01 100",
        "BF.ADD f a",
        "BF.MADD f a b",
        "BF.INSERT f ITEMS a",
        "BF.CARD f",
        "BF.INFO f",
        "BF.SCANDUMP f 0",
        "BF.LOADCHUNK f 1 x",
        "BF.MERGE f g",
        "BF.REM f a",
        "BF.COUNT f a",
        "BF.EXPORT f",
        "BF.KEY f",
    ],
)
@pytest.mark.parametrize("other", ["SET f x", "CF.ADD f x"], ids=["string", "cuckoo"])
def test_a_key_of_another_type(wire: Wire, command: str, other: str) -> None:
    wire.ok(*other.split())
    wire.ok("BF.ADD", "g", "x")
    assert same(wire.call(*command.split()), Error(WRONG_TYPE))
    assert wire.call("EXISTS", "f") == 1


def test_info_of_an_unknown_field(wire: Wire) -> None:
    wire.ok("BF.ADD", "f", "a")
    assert same(wire.call("BF.INFO", "f", "COLOUR"), Error("Invalid information value"))


def test_dump_and_load(wire: Wire) -> None:
    wire.ok("BF.ADD", "f", "a")
    assert same(wire.call("BF.SCANDUMP", "f", "x"), Error("Second argument must be numeric"))
    assert same(wire.call("BF.LOADCHUNK", "g", "x", "d"), Error("ERR Second argument must be numeric"))
    assert same(wire.call("BF.LOADCHUNK", "g", 1, "no header"), Error("ERR received bad data"))
    assert wire.call("EXISTS", "g") == 0


ARITY = [
    "bf.reserve f",
    "bf.reserve f 0.01",
    "bf.add",
    "bf.add f",
    "bf.add f a b",
    "bf.madd f",
    "bf.insert f",
    "bf.insert f ITEMS",
    "bf.insert f NOCREATE NONSCALING",
    "bf.insert f CAPACITY",
    "bf.exists f",
    "bf.exists f a b",
    "bf.mexists f",
    "bf.card",
    "bf.card f g",
    "bf.info",
    "bf.info f SIZE ITEMS",
    "bf.scandump f",
    "bf.scandump f 0 1",
    "bf.loadchunk f 1",
    "bf.merge f",
    "bf.rem f",
    "bf.rem f a b",
    "bf.count f",
    "bf.get f",
    "bf.between f 1",
    "bf.between f 1 2 3",
    "bf.import f",
    "bf.export",
    "bf.export f g",
    "bf.key",
]


@pytest.mark.parametrize("command", ARITY)
def test_arity(wire: Wire, command: str) -> None:
    name, *rest = command.split()
    text = f"ERR wrong number of arguments for '{name}' command"
    assert same(wire.call(name, *rest), Error(text))
