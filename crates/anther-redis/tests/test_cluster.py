"""Three primaries and three replicas: failover, and slots that move, with nothing lost."""

import threading
from collections.abc import Iterator

import pytest
from redis.exceptions import ClusterError

from harness.cluster import Cluster
from harness.failover import fail_over_under_load
from harness.keys import keys
from harness.poll import wait_until
from harness.server import Program, Server
from harness.split import SplitFilter


@pytest.fixture(scope="module")
def cluster(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(program, tmp_path_factory.mktemp(f"cluster-{program.name}"))
    yield cluster
    cluster.kill()


def test_a_primary_dies_and_nothing_is_lost(cluster: Cluster) -> None:
    lost = fail_over_under_load(cluster, "ordinary", victim=0)
    assert lost == []
    cluster.assert_equal_digests()


def test_slots_move_while_keys_are_added(cluster: Cluster) -> None:
    parts = SplitFilter(cluster.client(), "seen", 12)
    parts.reserve(0.01, 20_000)
    assert all(keys_on(node) for node in cluster.primaries()), "the parts spread over all primaries"
    added: list[bytes] = []
    done = threading.Event()
    thread = threading.Thread(target=add_until, args=(cluster, added, done))
    thread.start()
    try:
        for number in range(6):
            wait_until(lambda: len(added) > 1000 * number or not thread.is_alive(), "keys are added")  # noqa: B023
            primaries = sorted(cluster.primaries(), key=lambda node: node.port)
            source, target = primaries[number % 3], primaries[(number + 1) % 3]
            moved = move_slots_with_keys(cluster, source, target)
            wait_until(cluster.is_agreed, "all nodes know who has which slots now", 30)
            assert moved <= keys_on(target), "what was on one node is on another"
        wait_until(lambda: len(added) > 7000 or not thread.is_alive(), "keys are added after the last move")
    finally:
        done.set()
        thread.join()
    assert len(added) > 7000
    assert parts.missing(added) == []
    cluster.assert_equal_digests()


def add_until(cluster: Cluster, added: list[bytes], done: threading.Event) -> None:
    parts = SplitFilter(cluster.client(), "seen", 12)
    number = 0
    while not done.is_set():
        items = keys("item", 100, number)
        try:
            parts.add(items)
        except ClusterError:
            # The client follows 16 redirections; a slot on its way may have more. Nothing was acknowledged.
            continue
        added += items
        number += 100


def keys_on(node: Server) -> set[bytes]:
    with node.wire() as wire:
        return set(wire.ok("KEYS", "seen:*"))


def move_slots_with_keys(cluster: Cluster, source: Server, target: Server) -> set[bytes]:
    """Moves every slot of the source that holds a part, as `redis-cli --cluster reshard` does."""
    wait_until(cluster.is_agreed, "all nodes know who has which slots", 30)
    names = keys_on(source)
    ids = {node.port: cluster.id_of(node) for node in (source, target)}
    with source.wire() as giver, target.wire() as taker:
        for name in names:
            slot = giver.ok("CLUSTER", "KEYSLOT", name)
            taker.ok("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[source.port])
            giver.ok("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[target.port])
            giver.ok("MIGRATE", "127.0.0.1", target.port, "", 0, 10_000, "KEYS", name)
            taker.ok("CLUSTER", "SETSLOT", slot, "NODE", ids[target.port])
            giver.ok("CLUSTER", "SETSLOT", slot, "NODE", ids[target.port])
    return names
