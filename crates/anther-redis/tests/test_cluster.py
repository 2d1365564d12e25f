"""Three primaries and three replicas: failover, and slots that move, with nothing lost."""

import threading
from collections.abc import Iterator

import pytest

from harness.cluster import Cluster
from harness.failover import fail_over_under_load
from harness.keys import keys
from harness.poll import wait_until
from harness.server import Program
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
    with_part = {node.port: keys_on(node) for node in cluster.primaries()}
    assert sum(map(len, with_part.values())) >= 12
    assert all(with_part.values()), "the parts spread over all primaries"
    added: list[bytes] = []
    done = threading.Event()

    def load() -> None:
        mine = SplitFilter(cluster.client(), "seen", 12)
        for number in range(0, 10**9, 100):
            items = keys("item", 100, number)
            mine.add(items)
            added.extend(items)
            if done.is_set():
                return

    thread = threading.Thread(target=load)
    thread.start()
    try:
        source, target, _ = cluster.primaries()
        count = len(added)
        moved = move_slots_with_keys(cluster, source, target)
        assert moved, "some parts moved"
        wait_until(lambda: len(added) > count + 1000, "keys are added after the move, too")
    finally:
        done.set()
        thread.join()
    assert len(added) > 1000
    assert parts.missing(added) == []
    assert {name for name in moved} <= {name.decode() for name in keys_on(target)}
    cluster.assert_equal_digests()


def keys_on(node) -> set[bytes]:
    with node.wire() as wire:
        return set(wire.ok("KEYS", "seen:*"))


def move_slots_with_keys(cluster: Cluster, source, target) -> list[str]:
    """Moves every slot of the source that holds a part, as `redis-cli --cluster reshard` does."""
    names = sorted(name.decode() for name in keys_on(source))
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
