"""Settings: defaults, CONFIG SET, the command line, and the arguments that RedisBloom's users have in their files."""

from collections.abc import Callable

import pytest

from harness.server import Server
from harness.wire import OK, Error, Wire, fields
from test_bloom import info
from test_cuckoo import info as cuckoo_info

DEFAULTS = {
    "bf.error-rate": b"0.01",
    "bf.initial-size": b"100",
    "bf.expansion": b"2",
    "bf.cf-initial-size": b"1024",
    "bf.cf-bucket-size": b"2",
    "bf.cf-max-iterations": b"20",
    "bf.cf-expansion": b"1",
    "bf.cf-max-expansions": b"32",
    "bf.hash-key": b"",
    "bf.valkey-compatible": b"no",
}


def test_defaults(start: Callable[..., Server]) -> None:
    with start().wire() as wire:
        told = fields(wire.ok("CONFIG", "GET", "bf.*"))
    assert {name: told.get(name) for name in DEFAULTS} == DEFAULTS
    assert int(told["bf.memory-limit"]) >= 128 << 20


def test_new_filters_follow_the_settings(start: Callable[..., Server]) -> None:
    with start().wire() as wire:
        for name, value in {
            "bf.initial-size": 500,
            "bf.expansion": 4,
            "bf.cf-initial-size": 4096,
            "bf.cf-bucket-size": 4,
            "bf.cf-max-iterations": 33,
            "bf.cf-expansion": 2,
        }.items():
            assert wire.call("CONFIG", "SET", name, value) == OK
        wire.ok("BF.ADD", "f", "a")
        wire.ok("CF.ADD", "c", "a")
        told, cuckoo = info(wire, "f"), cuckoo_info(wire, "c")
        assert (told["Capacity"], told["Expansion rate"]) == (500, 4)
        assert (cuckoo["Bucket size"], cuckoo["Max iterations"], cuckoo["Expansion rate"]) == (4, 33, 2)
        assert cuckoo["Number of buckets"] * 4 >= 4096


def test_a_stricter_rate_takes_more_memory(start: Callable[..., Server]) -> None:
    with start().wire() as wire:
        wire.ok("CONFIG", "SET", "bf.initial-size", 10_000)
        wire.ok("BF.ADD", "f", "a")
        wire.ok("CONFIG", "SET", "bf.error-rate", "0.0001")
        wire.ok("BF.ADD", "g", "a")
        assert info(wire, "g")["Size"] > 1.4 * info(wire, "f")["Size"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bf.error-rate", "0"),
        ("bf.error-rate", "1"),
        ("bf.error-rate", "x"),
        ("bf.initial-size", "0"),
        ("bf.expansion", "32769"),
        ("bf.cf-bucket-size", "256"),
        ("bf.cf-max-iterations", "0"),
        ("bf.memory-limit", "x"),
        ("bf.hash-key", "short"),
    ],
)
def test_values_that_make_no_sense(wire: Wire, name: str, value: str) -> None:
    before = wire.ok("CONFIG", "GET", name)
    assert isinstance(wire.call("CONFIG", "SET", name, value), Error)
    assert wire.ok("CONFIG", "GET", name) == before


def test_on_the_command_line(start: Callable[..., Server]) -> None:
    with start("--bf.initial-size", 700, "--bf.memory-limit", "3mb").wire() as wire:
        wire.ok("BF.ADD", "f", "a")
        assert info(wire, "f")["Capacity"] == 700
        assert wire.ok("CONFIG", "GET", "bf.memory-limit")[1] == b"3145728"


def test_arguments_of_redisbloom(start: Callable[..., Server]) -> None:
    server = start(module=("ERROR_RATE", "0.001", "INITIAL_SIZE", 400, "CF_MAX_EXPANSIONS", 2))
    with server.wire() as wire:
        wire.ok("BF.ADD", "f", "a")
        assert info(wire, "f")["Capacity"] == 400
        wire.ok("CF.RESERVE", "c", 8)
        replies = wire.calls([("CF.ADD", "c", "a")] * 200)
        assert replies[-1] == "Maximum expansions reached"
        assert cuckoo_info(wire, "c")["Number of filters"] <= 2


@pytest.mark.parametrize("arguments", [("ERROR_RATE",), ("ERROR_RATE", "2"), ("INITIAL_SIZE", "0"), ("COLOUR", "red")])
def test_arguments_that_make_no_sense(start: Callable[..., Server], arguments: tuple[str, ...]) -> None:
    """The server does not start, and its log says why."""
    with pytest.raises(RuntimeError) as failure:
        start(module=arguments)
    assert "did not start" in str(failure.value)
    assert "argument" in str(failure.value).lower() or arguments[0] in str(failure.value)
