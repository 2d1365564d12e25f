"""Users who may do less than all."""

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from harness.server import Program, Server
from harness.wire import OK, Error, Wire


@pytest.fixture
def login(server: Server, protocol: int) -> Iterator[Callable[..., Wire]]:
    """Makes a user with these rules, and connects as that user."""
    with server.wire() as admin, closing(Connections()) as connections:
        admin.ok("BF.ADD", "mine:f", "a")
        admin.ok("BF.ADD", "other:f", "a")

        def as_user(*rules: str) -> Wire:
            admin.ok("ACL", "SETUSER", "guest", "reset", "on", ">word", *rules)
            wire = connections.keep(server.wire(protocol))
            assert wire.call("AUTH", "guest", "word") == OK
            return wire

        yield as_user
        admin.ok("ACL", "DELUSER", "guest")


class Connections:
    def __init__(self) -> None:
        self.open: list[Wire] = []

    def keep(self, wire: Wire) -> Wire:
        self.open.append(wire)
        return wire

    def close(self) -> None:
        for wire in self.open:
            wire.close()


def refused(reply) -> bool:
    return isinstance(reply, Error) and reply.startswith("NOPERM")


def test_one_command(login: Callable[..., Wire]) -> None:
    guest = login("~*", "+bf.exists")
    assert guest.call("BF.EXISTS", "mine:f", "a") == 1
    for command in ("BF.ADD", "BF.REM", "CF.ADD"):
        assert refused(guest.call(command, "mine:f", "b"))


def reading(program: Program) -> tuple[str, ...]:
    """Rules for all reads; Redis 7.0 has no categories for the commands of modules."""
    return ("+@read",) if program.name == "valkey" else ("+bf.exists", "+bf.card", "+bf.info", "+bf.scandump")


def test_reads_and_no_writes(login: Callable[..., Wire], program: Program) -> None:
    guest = login("~*", *reading(program))
    assert guest.call("BF.EXISTS", "mine:f", "a") == 1
    assert guest.call("BF.CARD", "mine:f") == 1
    assert refused(guest.call("BF.ADD", "mine:f", "b"))
    assert refused(guest.call("BF.LOADCHUNK", "mine:g", 1, "x"))
    assert refused(guest.call("BF.IMPORT", "mine:g", "x"))


def test_keys_of_ones_own(login: Callable[..., Wire]) -> None:
    guest = login("~mine:*", "+@all")
    assert guest.call("BF.ADD", "mine:f", "b") == 1
    for command in ("BF.ADD other:f b", "BF.EXISTS other:f a", "BF.SCANDUMP other:f 0", "CF.ADD other:c a"):
        assert refused(guest.call(*command.split()))


def test_merge_needs_the_right_to_every_source(login: Callable[..., Wire]) -> None:
    guest = login("~mine:*", "+@all")
    assert refused(guest.call("BF.MERGE", "mine:g", "mine:f", "other:f"))
    assert refused(guest.call("BF.MERGE", "other:f", "mine:f"))
    assert guest.call("BF.MERGE", "mine:g", "mine:f") == OK


def test_a_source_of_a_merge_need_only_be_readable(login: Callable[..., Wire]) -> None:
    guest = login("%R~other:*", "%RW~mine:*", "+@all")
    assert guest.call("BF.MERGE", "mine:g", "other:f") == OK
    assert refused(guest.call("BF.MERGE", "other:f", "mine:f"))
    assert guest.call("BF.EXISTS", "other:f", "a") == 1
    assert refused(guest.call("BF.ADD", "other:f", "b"))


def test_the_key_is_not_for_everyone(login: Callable[..., Wire], program: Program) -> None:
    without_dangerous = "-@dangerous" if program.name == "valkey" else "-bf.key"
    for rules in (reading(program), ("+@all", without_dangerous)):
        guest = login("~*", *rules)
        assert guest.call("BF.EXISTS", "mine:f", "a") == 1
        assert refused(guest.call("BF.KEY", "mine:f"))
    assert not refused(login("~*", "+bf.key").call("BF.KEY", "mine:f"))


def test_an_export_does_not_hold_the_key(login: Callable[..., Wire]) -> None:
    """Who may read but not see the key must not find it in what reads return."""
    key = login("~*", "+@all").ok("BF.KEY", "mine:f")
    exported = login("~*", "+@all", "-bf.key").ok("BF.EXPORT", "mine:f")
    assert bytes.fromhex(key.decode()) not in exported
    assert key not in exported
