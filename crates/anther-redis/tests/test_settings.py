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


# RedisBloom's name, ours, and a value that is not the default.
REDISBLOOM = [
    ("bf-error-rate", "bf.error-rate", "0.02"),
    ("bf-initial-size", "bf.initial-size", "200"),
    ("bf-expansion-factor", "bf.expansion", "3"),
    ("cf-bucket-size", "bf.cf-bucket-size", "4"),
    ("cf-initial-size", "bf.cf-initial-size", "2048"),
    ("cf-max-iterations", "bf.cf-max-iterations", "30"),
    ("cf-expansion-factor", "bf.cf-expansion", "2"),
    ("cf-max-expansions", "bf.cf-max-expansions", "65536"),
]


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


@pytest.mark.parametrize("column", [0, 1], ids=["redisbloom", "ours"])
def test_settings_are_arguments(start: Callable[..., Server], column: int) -> None:
    """Upper or lower case."""
    arguments = [word for row in REDISBLOOM for word in (row[column].title(), row[2])]
    with start(module=tuple(arguments)).wire() as wire:
        told = fields(wire.ok("CONFIG", "GET", "bf.*"))
    assert [told[ours].decode() for _, ours, _ in REDISBLOOM] == [value for *_, value in REDISBLOOM]


def test_names_of_redisbloom(start: Callable[..., Server]) -> None:
    """Redis takes names without a dot from 8.0; other servers put the module's name before each."""
    with start().wire() as wire:
        version = wire.ok("INFO", "server").decode().partition("redis_version:")[2]
        if int(version.partition(".")[0]) < 8:
            assert wire.ok("CONFIG", "GET", "[bc]f-*") == []
            return
        for theirs, ours, value in REDISBLOOM:
            assert wire.call("CONFIG", "SET", theirs, value) == OK
            assert wire.ok("CONFIG", "GET", ours)[1] == value.encode()
            default = DEFAULTS[ours]
            assert wire.call("CONFIG", "SET", ours, default) == OK
            assert wire.ok("CONFIG", "GET", theirs)[1] == default
    for name in ("bf-initial-size", "bf.initial-size"):
        with start(f"--{name}", 700).wire() as wire:
            assert {wire.ok("CONFIG", "GET", row)[1] for row in REDISBLOOM[1][:2]} == {b"700"}


def test_a_small_cuckoo_filter_survives_its_aof(start: Callable[..., Server]) -> None:
    """CF.RESERVE, which makes it again, has a least capacity of two buckets."""
    with start("--appendonly", "yes", "--bf.cf-initial-size", 2, "--bf.cf-bucket-size", 255).wire() as wire:
        wire.ok("CF.ADD", "c", "a")
        digest = wire.ok("DEBUG", "DIGEST-VALUE", "c")
        wire.ok("DEBUG", "LOADAOF")
        assert wire.ok("DEBUG", "DIGEST-VALUE", "c") == digest


@pytest.mark.parametrize(
    "arguments",
    [("ERROR_RATE",), ("ERROR_RATE", "2"), ("INITIAL_SIZE", "0"), ("bf-initial-size", "x"), ("COLOUR", "red")],
)
def test_arguments_that_make_no_sense(start: Callable[..., Server], arguments: tuple[str, ...]) -> None:
    """The server does not start, and its log says why."""
    with pytest.raises(RuntimeError) as failure:
        start(module=arguments)
    assert "did not start" in str(failure.value)
    assert "argument" in str(failure.value).lower() or arguments[0] in str(failure.value)
