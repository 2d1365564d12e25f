"""The switch that makes the module answer as Valkey's own does, where the two differ."""

from collections.abc import Callable, Iterator

import pytest

from harness.names import VALKEY_COMPATIBLE
from harness.server import Server
from harness.wire import OK, Error, Wire, as_text, fields, same
from test_bloom_errors import WRONG_TYPE


@pytest.fixture
def dialect(start: Callable[..., Server], protocol: int) -> Iterator[Wire]:
    server = start()
    with server.wire(protocol) as wire:
        assert wire.call("CONFIG", "SET", VALKEY_COMPATIBLE, "yes") == OK
        yield wire


def test_replies_and_errors(dialect: Wire) -> None:
    assert same(dialect.call("BF.ADD", "f", "a"), 1), "integers in both protocols"
    assert same(dialect.call("BF.MEXISTS", "f", "a", "b"), [1, 0])
    dialect.ok("SET", "s", "x")
    for command in ("BF.EXISTS s a", "BF.MEXISTS s a b", "BF.CARD s"):
        assert same(dialect.call(*command.split()), Error(WRONG_TYPE))
    errors = [
        ("BF.RESERVE g 2 100", "ERR (0 < error rate range < 1)"),
        ("BF.RESERVE g 0.01 0", "ERR (capacity should be larger than 0)"),
        ("BF.RESERVE g 0.01 -1", "ERR bad capacity"),
        ("BF.RESERVE g 0.01 4394967295", "ERR bad capacity"),
        ("BF.RESERVE g 0.01 100 EXPANSION 0", "ERR bad expansion"),
        ("BF.RESERVE g 0.01 100 EXPANSION 4294967299", "ERR bad expansion"),
        ("BF.RESERVE f 0.01 100", "ERR item exists"),
        ("BF.INSERT g CAPACITY 0 ITEMS a", "ERR (capacity should be larger than 0)"),
        ("BF.INSERT g CAPACITY x ITEMS a", "ERR bad capacity"),
        ("BF.INSERT g CAPACITY 4394967295 ITEMS a", "ERR bad capacity"),
        ("BF.INSERT g ERROR x ITEMS a", "ERR bad error rate"),
        ("BF.INSERT g ERROR 2 ITEMS a", "ERR (0 < error rate range < 1)"),
        ("BF.INSERT g EXPANSION 0.99 ITEMS a", "ERR bad expansion"),
        ("BF.INSERT g EXPANSION 0 ITEMS a", "ERR bad expansion"),
        ("BF.INSERT g TIGHTENING x ITEMS a", "ERR bad tightening ratio"),
        ("BF.INSERT g TIGHTENING 2 ITEMS a", "ERR (0 < tightening ratio range < 1)"),
        ("BF.INSERT g SEED short ITEMS a", "ERR invalid seed"),
        ("BF.INSERT g WHATEVER ITEMS a", "ERR unknown argument received"),
        ("BF.INFO f COLOUR", "ERR invalid information value"),
    ]
    for command, text in errors:
        assert same(dialect.call(*command.split()), Error(text)), command
    assert dialect.call("EXISTS", "g") == 0


def test_info_and_insert(dialect: Wire) -> None:
    assert dialect.call("BF.INSERT", "f", "CAPACITY", 500, "ERROR", "0.01") in (OK, [])
    assert same(dialect.call("BF.INFO", "f", "CAPACITY"), 500), "a bare value"
    assert same(dialect.call("BF.INFO", "f", "ITEMS"), 0)
    assert not isinstance(dialect.call("BF.INFO", "f", "ERROR"), Error | list)
    assert not isinstance(dialect.call("BF.INFO", "f", "TIGHTENING"), Error | list)
    assert not isinstance(dialect.call("BF.INFO", "f", "MAXSCALEDCAPACITY"), Error | list)


@pytest.mark.parametrize("is_valkey", ["yes", "no"])
def test_names_of_commands(start: Callable[..., Server], is_valkey: str) -> None:
    """As the server has them from its start: it tells them in COMMAND INFO and in its own errors."""
    written = str.upper if is_valkey == "yes" else str.lower
    with start(f"--{VALKEY_COMPATIBLE}", is_valkey).wire() as wire:
        for command in ("bf.add k", "BF.INFO k CAPACITY SIZE", "bf.insert k NOCREATE ITEMS"):
            name = written(command.split()[0])
            text = f"ERR wrong number of arguments for '{name}' command"
            assert same(wire.call(*command.split()), Error(text)), command
            assert as_text(wire.ok("COMMAND", "INFO", name.swapcase())[0][0]) == name
            assert list(fields(wire.ok("COMMAND", "DOCS", name))) == [name]
        assert wire.ok("COMMAND", "INFO", "BF.INSERT")[0][1] == (-2 if is_valkey == "yes" else -4)
        assert isinstance(wire.call("BF.INSERT", "k"), Error) == (is_valkey == "no")
        assert wire.call("EXISTS", "k") == (is_valkey == "yes")


def test_a_copy_understands_both(start: Callable[..., Server]) -> None:
    """What the AOF has, in whichever language, is loaded in the other."""
    calls = {
        "no": ("BF.INSERT", "f", "EXPANSION", "0", "ITEMS", "a"),
        "yes": ("BF.INSERT", "g", "TIGHTENING", "0.5", "SEED", "s" * 32, "ITEMS", "a"),
    }
    with start("--appendonly", "yes").wire() as wire:
        for language, call in calls.items():
            wire.ok("CONFIG", "SET", VALKEY_COMPATIBLE, language)
            assert wire.call(*call) == [1]
        for language in calls:
            wire.ok("CONFIG", "SET", VALKEY_COMPATIBLE, language)
            wire.ok("DEBUG", "LOADAOF")
            assert [wire.call("BF.EXISTS", key, "a") for key in "fg"] == [1, 1]
