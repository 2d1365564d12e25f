"""A primary that is killed while keys are added."""

import threading

from .cluster import Cluster
from .keys import add, keys, missing
from .poll import wait_until
from .server import Server
from .wire import Wire


def fail_over_under_load(cluster: Cluster, name: str, victim: int) -> list[bytes]:
    """Kills a primary and brings it back; returns the acknowledged keys that are lost."""
    primary = sorted(cluster.primaries(), key=lambda node: node.port)[victim % 3]
    with primary.wire() as wire:
        tag = own_tag(wire)
        bloom, cuckoo = f"{{{tag}}}bloom:{name}", f"{{{tag}}}cuckoo:{name}"
        wire.ok("CF.RESERVE", cuckoo, 1000, "EXPANSION", 2)
        kept: list[bytes] = []
        writer = threading.Thread(target=add_until_it_dies, args=(wire, bloom, cuckoo, kept))
        writer.start()
        wait_until(lambda: len(kept) >= 2000 or not writer.is_alive(), "keys are acknowledged")
        successor = cluster.fail_over(primary)
        writer.join()
    assert len(kept) >= 2000
    lost = lost_from(successor, bloom, cuckoo, kept)
    cluster.bring_back(primary, successor)
    return lost + lost_from(successor, bloom, cuckoo, kept)


def add_until_it_dies(wire: Wire, bloom: str, cuckoo: str, kept: list[bytes]) -> None:
    """Keeps what a replica has acknowledged."""
    for number in range(0, 10**9, 100):
        items = keys("kept", 100, number)
        try:
            add(wire, bloom, items)
            add(wire, cuckoo, items, "CF.INSERT")
            if wire.ok("WAIT", 1, 5000) >= 1:
                kept += items
        except OSError:
            return


def lost_from(node: Server, bloom: str, cuckoo: str, items: list[bytes]) -> list[bytes]:
    with node.wire() as wire:
        return missing(wire, bloom, items) + missing(wire, cuckoo, items, "CF.MEXISTS")


def own_tag(wire: Wire) -> int:
    """A hash tag that falls into one of the node's own slots."""
    own = slots_of(wire)
    return next(tag for tag in range(100_000) if wire.ok("CLUSTER", "KEYSLOT", tag) in own)


def slots_of(wire: Wire) -> set[int]:
    """From the node's own line of CLUSTER NODES, in which ranges come last."""
    lines = wire.ok("CLUSTER", "NODES").decode().splitlines()
    words = next(line for line in lines if "myself" in line).split()[8:]
    ranges = [word.split("-") for word in words if not word.startswith("[")]
    return {slot for ends in ranges for slot in range(int(ends[0]), int(ends[-1]) + 1)}
