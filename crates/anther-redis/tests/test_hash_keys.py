"""Keyed hashing: every object has a key of 16 bytes, its own or the configured one."""

from collections.abc import Callable

import pytest

from harness.keys import found, keys
from harness.names import HASH_KEY
from harness.server import Server
from harness.wire import OK, Error, Wire

KEY = "00112233445566778899aabbccddeeff"
MAKERS = ["BF.ADD f a", "BF.RESERVE f 0.01 100", "BF.INSERT f ITEMS a", "BF.RESERVE f 0.01 100 WINDOW 100"]


@pytest.mark.parametrize("command", MAKERS)
@pytest.mark.usefixtures("random_keys")
def test_every_filter_has_a_key_of_its_own(wire: Wire, command: str) -> None:
    seen = set()
    for _ in range(3):
        wire.ok(*command.split())
        seen.add(wire.ok("BF.KEY", "f"))
        wire.ok("DEL", "f")
    assert len(seen) == 3
    assert all(len(bytes.fromhex(key.decode())) == 16 for key in seen)


@pytest.mark.usefixtures("random_keys")
def test_so_two_filters_have_other_false_positives(wire: Wire) -> None:
    wrong = []
    for name in "ab":
        wire.ok("BF.RESERVE", name, "0.05", 1000, "NONSCALING")
        wire.ok("BF.MADD", name, *keys("a", 1000))
        wrong.append([item for item, yes in zip(keys("q", 5000), found(wire, name, keys("q", 5000))) if yes])
    assert min(map(len, wrong)) > 50
    assert len(set(wrong[0]) & set(wrong[1])) < 0.5 * len(wrong[0])


@pytest.mark.parametrize("command", MAKERS)
def test_a_named_key(wire: Wire, command: str) -> None:
    if "INSERT" in command:
        command = "BF.INSERT f HASHKEY {} ITEMS a"
    elif "ADD" in command:
        return
    else:
        command += " HASHKEY {}"
    wire.ok(*command.format(KEY).split())
    assert wire.ok("BF.KEY", "f").decode() == KEY


@pytest.mark.parametrize("key", ["", "00", "zz" * 16, KEY + "00", KEY[:-1]])
def test_what_is_no_key(wire: Wire, key: str) -> None:
    assert isinstance(wire.call("BF.RESERVE", "f", "0.01", 100, "HASHKEY", key), Error)
    assert isinstance(wire.call("CF.RESERVE", "f", 100, "HASHKEY", key), Error)
    assert wire.call("EXISTS", "f") == 0


@pytest.mark.usefixtures("random_keys")
def test_cuckoo_filters_are_keyed_too(wire: Wire) -> None:
    digests = []
    for key in (KEY, KEY, KEY[::-1]):
        wire.ok("CF.RESERVE", "f", 100, "HASHKEY", key)
        wire.ok("CF.ADD", "f", "a")
        digests += wire.ok("DEBUG", "DIGEST-VALUE", "f")
        wire.ok("DEL", "f")
    assert digests[0] == digests[1] != digests[2]
    wire.ok("CF.ADD", "f", "a")
    wire.ok("CF.ADD", "g", "a")
    assert len(set(wire.ok("DEBUG", "DIGEST-VALUE", "f", "g"))) == 2, "at random, if none is named"


def test_the_configured_key(start: Callable[..., Server]) -> None:
    server = start()
    with server.wire() as wire:
        assert wire.call("CONFIG", "SET", HASH_KEY, "no key") != OK
        wire.ok("CONFIG", "SET", HASH_KEY, KEY)
        wire.ok("BF.ADD", "f", "a")
        wire.ok("BF.ADD", "g", "b")
        assert wire.ok("BF.KEY", "f").decode() == KEY
        assert wire.call("BF.MERGE", "f", "g") == OK
        wire.ok("CONFIG", "SET", HASH_KEY, "")
        wire.ok("BF.ADD", "h", "a")
        assert wire.ok("BF.KEY", "h").decode() != KEY
        assert wire.ok("BF.KEY", "f").decode() == KEY, "what is there keeps its key"
