"""`anther.redis.Sharded` on a cluster of six nodes: slots move and a primary dies while items are added and looked up."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness.cluster import Cluster
from harness.poll import wait_until
from harness.server import Server
from redis.cluster import ClusterNode, RedisCluster

from anther.redis import PartsError, Sharded

PARTS = 12


def filter_named(cluster: Cluster, name: str) -> Sharded:
    return Sharded(cluster.client(), name, PARTS)


def items_from(name: str, start: int, count: int) -> list[str]:
    return [f"{name}-{number}" for number in range(start, start + count)]


def parts_on(node: Server, name: str) -> set[str]:
    with node.wire() as wire:
        return {key.decode() for key in wire.ok("KEYS", f"{name}:*")}


class Worker(threading.Thread):
    """Does one thing again and again until it is told to stop; keeps its error."""

    def __init__(self, step: Callable[[int], None]) -> None:
        super().__init__(daemon=True)
        self.step = step
        self.steps = 0
        self.stopped = threading.Event()
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.stopped.is_set():
                self.step(self.steps)
                self.steps += 1
        except BaseException as error:
            self.error = error

    def stop(self) -> None:
        self.stopped.set()
        self.join(60)
        assert not self.is_alive(), "it hangs"
        if self.error is not None:
            raise self.error


@pytest.mark.parametrize("protocol", [2, 3])
def test_the_parts_spread_over_the_nodes(cluster: Cluster, protocol: int) -> None:
    nodes = [ClusterNode("127.0.0.1", node.port) for node in cluster.nodes]
    wide = Sharded(RedisCluster(startup_nodes=nodes, protocol=protocol), "wide", PARTS)
    wide.reserve(items=100_000, fpr=0.01)
    placed = [parts_on(node, "wide") for node in cluster.primaries()]
    assert all(placed), "every primary has some"
    assert set.union(*placed) == {wide.key(part) for part in range(PARTS)}
    items = items_from("wide", 0, 50_000)
    wide.update(items)
    assert all(wide.contains_many(items))
    assert sum(wide.contains_many(items_from("absent", 0, 10_000))) < 150
    info = wide.info()
    assert 49_500 < info.items <= 50_000 and info.layers == 1
    wide.client.bf()
    assert wide.info() == info, "bf() changes what redis-py makes of replies"
    with pytest.raises(PartsError, match="'wide' has 12 parts, not 4"):
        Sharded(cluster.client(), "wide", 4).add("x")
    wide.delete()
    with pytest.raises(PartsError, match="there is no filter 'wide'"):
        wide.contains("x")


def test_slots_move_while_items_are_added_and_looked_up(cluster: Cluster) -> None:
    """No add is lost and no answer is a false negative; no error reaches the caller either."""
    filter_named(cluster, "moving").reserve(items=50_000, fpr=0.01)
    added: list[str] = []
    adding, single, asking = (filter_named(cluster, "moving") for _ in range(3))

    def add(step: int) -> None:
        items = items_from("many", 100 * step, 100)
        adding.update(items)
        added.extend(items)

    def add_one(step: int) -> None:
        item = f"single-{step}"
        single.add(item)
        assert item in single
        added.append(item)

    def look_up(_: int) -> None:
        known = added[:]
        answers = asking.contains_many(known)
        assert all(answers), f"false negatives: {[item for item, yes in zip(known, answers) if not yes][:5]}"

    workers = [Worker(add), Worker(add_one), Worker(look_up)]
    for worker in workers:
        worker.start()
    try:
        for number in range(6):
            goal = [worker.steps + 5 for worker in workers]
            wait_until(lambda: all_past(workers, goal), "all workers go on", 60)  # noqa: B023
            primaries = sorted(cluster.primaries(), key=lambda node: node.port)
            move_parts(cluster, primaries[number % 3], primaries[(number + 1) % 3], "moving")
        goal = [worker.steps + 5 for worker in workers]
        wait_until(lambda: all_past(workers, goal), "all workers go on after the last move", 60)
    finally:
        for worker in workers:
            worker.stopped.set()
    for worker in workers:
        worker.stop()
    assert len(added) > 1000
    assert all(filter_named(cluster, "moving").contains_many(added))
    cluster.assert_equal_digests()


def test_a_slot_that_stays_half_moved(cluster: Cluster) -> None:
    """The slot migrates, its keys have gone: every command to the old node is sent on with ASK."""
    name = "asked"
    half = filter_named(cluster, name)
    half.reserve(items=10_000, fpr=0.01)
    items = items_from(name, 0, 2000)
    half.update(items)
    wait_until(cluster.is_agreed, "all nodes know who has which slots", 30)
    source, target = sorted(cluster.primaries(), key=lambda node: node.port)[:2]
    ids = {node.port: cluster.id_of(node) for node in (source, target)}
    with source.wire() as giver, target.wire() as taker:
        names = parts_on(source, name)
        assert names
        slots = {key: giver.ok("CLUSTER", "KEYSLOT", key) for key in names}
        for key, slot in slots.items():
            taker.ok("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[source.port])
            giver.ok("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[target.port])
            giver.ok("MIGRATE", "127.0.0.1", target.port, "", 0, 10_000, "KEYS", key)
        for client in (half, filter_named(cluster, name)):
            assert all(client.contains_many(items))
            assert all(item in client for item in items[:50])
            more = items_from("more", 0, 500)
            client.update(more)
            assert all(client.contains_many(more))
            assert client.info().parts == PARTS
        for slot in slots.values():
            taker.ok("CLUSTER", "SETSLOT", slot, "NODE", ids[target.port])
            giver.ok("CLUSTER", "SETSLOT", slot, "NODE", ids[target.port])
    wait_until(cluster.is_agreed, "all nodes know who has which slots now", 30)
    assert all(half.contains_many(items))


def test_a_primary_dies_while_items_are_looked_up(cluster: Cluster) -> None:
    """What its replica has is found throughout; lookups wait until the replica has taken over."""
    name = "survives"
    filter_named(cluster, name).reserve(items=10_000, fpr=0.01)
    items = items_from(name, 0, 5000)
    filter_named(cluster, name).update(items)
    for primary in cluster.primaries():
        with primary.wire() as wire:
            assert wire.ok("WAIT", 1, 10_000) >= 1
    asking = filter_named(cluster, name)

    def look_up(_: int) -> None:
        assert all(asking.contains_many(items)), "false negatives"

    worker = Worker(look_up)
    worker.start()
    wait_until(lambda: worker.steps > 3 or worker.error, "lookups work")
    victim = next(node for node in cluster.primaries() if parts_on(node, name))
    successor = cluster.fail_over(victim)
    steps = worker.steps
    wait_until(lambda: worker.steps > steps + 3 or worker.error, "lookups work again", 60)
    worker.stop()
    cluster.bring_back(victim, successor)
    assert all(asking.contains_many(items))


def all_past(workers: list[Worker], goal: list[int]) -> bool:
    """Also true when one has failed, which `stop` reports."""
    return any(worker.error for worker in workers) or all(worker.steps >= steps for worker, steps in zip(workers, goal))


def move_parts(cluster: Cluster, source: Server, target: Server, name: str) -> None:
    """Moves every slot of the source that holds a part, as `redis-cli --cluster reshard` does."""
    wait_until(cluster.is_agreed, "all nodes know who has which slots", 30)
    ids = {node.port: cluster.id_of(node) for node in (source, target)}
    moved = parts_on(source, name)
    with source.wire() as giver, target.wire() as taker:
        for key in moved:
            slot = giver.ok("CLUSTER", "KEYSLOT", key)
            keys = giver.ok("CLUSTER", "GETKEYSINSLOT", slot, 1000)
            taker.ok("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[source.port])
            giver.ok("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[target.port])
            giver.ok("MIGRATE", "127.0.0.1", target.port, "", 0, 10_000, "KEYS", *keys)
            taker.ok("CLUSTER", "SETSLOT", slot, "NODE", ids[target.port])
            giver.ok("CLUSTER", "SETSLOT", slot, "NODE", ids[target.port])
    wait_until(cluster.is_agreed, "all nodes know who has which slots now", 30)
    assert moved <= parts_on(target, name), "what was on one node is on another"


def test_the_example_of_the_readme(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    (block,) = (block for block in readme.split("```python\n")[1:] if "import Sharded" in block)
    monkeypatch.chdir(tmp_path)
    Path("urls.txt").write_text("https://example.com/\n")
    names: dict[str, Any] = {}
    exec(block.split("```")[0].replace("7000", str(cluster.nodes[0].port)).replace('"seen"', '"readme"'), names)
    assert names["seen"].contains_many(["https://example.org/", "https://example.com/"]) == [True, True]
    names["seen"].delete()
