"""The switch that makes the module answer as Valkey's own does, where the two differ."""

from collections.abc import Callable, Iterator

import pytest

from harness.names import VALKEY_COMPATIBLE
from harness.server import Server
from harness.wire import OK, Error, Wire, same
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
