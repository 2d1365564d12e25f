"""A replica holds the same values; digests are compared over its own connection."""

from collections.abc import Callable, Iterator

import pytest

from harness.dumps import chunks, load_chunks
from harness.keys import add, keys
from harness.names import FIXED_KEY
from harness.objects import SAMPLES, check_all, digests, make_all
from harness.poll import wait_until
from harness.server import Program, Server
from harness.wire import Wire


class Pair:
    """A primary and its replica, each with a connection."""

    def __init__(self, primary: Server, replica: Server) -> None:
        self.primary, self.replica = primary.wire(), replica.wire()
        self.replica.ok("REPLICAOF", "127.0.0.1", primary.port)
        wait_until(self.linked, "the replica has synchronised")

    def linked(self) -> bool:
        return "master_link_status:up" in self.replica.ok("INFO", "replication").decode()

    def caught_up(self) -> Wire:
        """The replica, once it has all that the primary has sent."""
        assert self.primary.ok("WAIT", 1, 20_000) == 1
        return self.replica

    def assert_equal(self) -> None:
        """All keys and values, by the server's fingerprint of the whole data set."""
        replica = self.caught_up()
        names = sorted(self.primary.ok("KEYS", "*"))
        assert sorted(replica.ok("KEYS", "*")) == names
        values = [wire.ok("DEBUG", "DIGEST-VALUE", *names) for wire in (self.primary, replica)]
        assert dict(zip(names, values[0])) == dict(zip(names, values[1]))
        assert self.primary.ok("DEBUG", "DIGEST") == replica.ok("DEBUG", "DIGEST")


@pytest.fixture(scope="module")
def linked(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """A first synchronisation takes a second, so that all tests have one pair."""
    servers = [Server(program, tmp_path_factory.mktemp(role)).start() for role in ("primary", "replica")]
    yield Pair(*servers)
    for server in servers:
        server.kill()


@pytest.fixture
def pair(linked: Pair) -> Pair:
    linked.primary.ok("FLUSHALL")
    linked.caught_up()
    return linked


def test_commands_are_replicated(pair: Pair) -> None:
    make_all(pair.primary)
    pair.assert_equal()
    check_all(pair.replica)
    add(pair.primary, "grown", keys("more", 5000))
    add(pair.primary, "cuckoo-grown", keys("more", 5000), "CF.INSERT")
    assert all(pair.primary.ok("CF.DEL", "cuckoo", item) == 1 for item in keys("cuckoo", 100))
    assert all(pair.primary.ok("BF.REM", "counting", item) == 1 for item in keys("counting", 100))
    pair.assert_equal()


@pytest.mark.parametrize(
    "command",
    ["BF.ADD f a", "BF.MADD f a b", "BF.INSERT f CAPACITY 10 ITEMS a", "CF.ADD f a", "CF.ADDNX f a",
     "CF.INSERT f ITEMS a", "CF.INSERTNX f ITEMS a", "BF.RESERVE f 0.1 10", "CF.RESERVE f 100"],
)  # fmt: skip
def test_a_filter_that_a_command_makes_has_one_key(pair: Pair, command: str) -> None:
    pair.primary.ok(*command.split())
    pair.assert_equal()


def test_in_transactions_and_scripts(pair: Pair) -> None:
    wire = pair.primary
    assert wire.calls([("MULTI",), ("BF.ADD", "f", "a"), ("BF.ADD", "f", "b"), ("EXEC",)])[-1] == [1, 1]
    wire.ok("EVAL", "return redis.call('BF.MADD', KEYS[1], 'a', 'b')", 1, "g")
    wire.ok("EVAL", "return redis.call('CF.ADD', KEYS[1], 'a')", 1, "h")
    pair.assert_equal()


def test_a_full_synchronisation_and_a_promotion(start: Callable[..., Server]) -> None:
    primary = start()
    with primary.wire() as wire:
        make_all(wire)
    pair = Pair(primary, start())
    assert digests(pair.primary) == digests(pair.caught_up())
    pair.assert_equal()
    check_all(pair.replica)
    for sample in SAMPLES:
        if sample.name != "nonscaling":
            add(pair.primary, sample.name, keys("after", 300), f"{sample.family}.INSERT")
    pair.assert_equal()
    pair.replica.ok("REPLICAOF", "NO", "ONE")
    add(pair.replica, "grown", keys("more", 3000))
    pair.replica.ok("BF.ADD", "brand new", "a")
    check_all(pair.replica)


def test_chunks_are_replicated(pair: Pair) -> None:
    make_all(pair.primary)
    for sample in SAMPLES:
        parts = chunks(pair.primary, sample.family, sample.name)
        load_chunks(pair.primary, sample.family, f"copy of {sample.name}", parts)
    pair.assert_equal()
    add(pair.primary, "copy of grown", keys("more", 5000))
    pair.assert_equal()


def test_copies_merges_and_restores_are_replicated(pair: Pair) -> None:
    wire = pair.primary
    wire.ok("BF.MADD", "f", *keys("a", 50))
    wire.ok("COPY", "f", "g")
    wire.ok("BF.MADD", "g", *keys("b", 40))
    wire.ok("BF.MERGE", "f", "g")
    wire.ok("BF.MERGE", "new", "f", "g")
    wire.ok("RESTORE", "h", 0, wire.ok("DUMP", "g"))
    pair.assert_equal()


def test_what_changes_nothing_is_not_replicated(pair: Pair) -> None:
    wire = pair.primary
    wire.ok("BF.MADD", "f", "a", "b")
    # Under this key `zzz` is no false positive.
    wire.ok("CF.RESERVE", "c", 100, "HASHKEY", FIXED_KEY)
    wire.ok("CF.ADD", "c", "a")

    def changes() -> int:
        return int(wire.ok("INFO", "persistence").decode().split("rdb_changes_since_last_save:")[1].split()[0])

    pair.assert_equal()
    before = changes()
    for command in ("BF.ADD f a", "BF.MADD f a b", "BF.INSERT f ITEMS b", "CF.ADDNX c a", "CF.DEL c zzz", "BF.ADD f a"):
        wire.ok(*command.split())
    assert changes() == before


def test_reads_of_a_replica(pair: Pair) -> None:
    pair.primary.ok("BF.ADD", "f", "a")
    replica = pair.caught_up()
    assert replica.call("BF.EXISTS", "f", "a") == 1
    assert replica.call("BF.ADD", "f", "b").startswith("READONLY")


def test_notifications(pair: Pair) -> None:
    """A key that changes says so, as the server's own do."""
    pair.primary.ok("CONFIG", "SET", "notify-keyspace-events", "KEA")
    with Wire(pair.primary.socket.getpeername()[1]) as listener:
        listener.ok("PSUBSCRIBE", "__keyspace@0__:*")
        pair.primary.ok("BF.ADD", "f", "a")
        assert listener.read()[2] == b"__keyspace@0__:f"
