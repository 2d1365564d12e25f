"""Three primaries with a replica each, made by redis-cli."""

import shutil
import subprocess
from pathlib import Path

from redis.cluster import ClusterNode, RedisCluster

from .poll import wait_until
from .server import Program, Server

# How long a silent node counts as alive, in ms; a failover takes about twice that. A busy machine is silent for a second.
TIMEOUT = 2000


class Cluster:
    def __init__(self, program: Program, folder: Path) -> None:
        options = (
            "--cluster-enabled",
            "yes",
            "--cluster-node-timeout",
            TIMEOUT,
            "--cluster-replica-validity-factor",
            0,
        )
        durable = ("--appendonly", "yes", "--appendfsync", "everysec")
        self.nodes = [Server(program, folder / str(number), *options, *durable) for number in range(6)]
        try:
            for node in self.nodes:
                node.start()
            self.create()
        except BaseException:
            self.kill()
            raise

    def create(self) -> None:
        addresses = [f"127.0.0.1:{node.port}" for node in self.nodes]
        self.cli("--cluster", "create", *addresses, "--cluster-replicas", "1", "--cluster-yes")
        wait_until(self.is_whole, "every primary has a replica that follows it", 60)

    def kill(self) -> None:
        for node in self.nodes:
            node.kill()

    def cli(self, *words: str | int) -> str:
        program = shutil.which("redis-cli")
        assert program is not None, "no redis-cli on the path; Debian's package is redis-tools"
        call = [program, *map(str, words)]
        done = subprocess.run(call, check=False, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{' '.join(call)}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def client(self) -> RedisCluster:
        nodes = [ClusterNode("127.0.0.1", node.port) for node in self.nodes if node.is_alive()]
        return RedisCluster(startup_nodes=nodes, socket_timeout=10, protocol=2)

    def role(self, node: Server) -> str:
        if not node.is_alive():
            return "dead"
        with node.wire() as wire:
            return wire.ok("ROLE")[0].decode()

    def primaries(self) -> list[Server]:
        return [node for node in self.nodes if self.role(node) == "master"]

    def replica_of(self, primary: Server) -> Server:
        return next(node for node in self.nodes if self.follows(node, primary))

    def follows(self, node: Server, primary: Server) -> bool:
        """Whether it is a replica of that primary, with a link that is up."""
        if not node.is_alive():
            return False
        with node.wire() as wire:
            role = wire.ok("ROLE")
        return role[0] == b"slave" and role[2] == primary.port and role[3] == b"connected"

    def is_whole(self) -> bool:
        """Three primaries that all see all slots, and a connected replica of each."""
        primaries = self.primaries()
        if len(primaries) != 3 or not all(map(self.sees_all, self.nodes)):
            return False
        return all(any(self.follows(node, primary) for node in self.nodes) for primary in primaries)

    def sees_all(self, node: Server) -> bool:
        if not node.is_alive():
            return False
        with node.wire() as wire:
            told = wire.ok("CLUSTER", "INFO").decode()
            nodes = wire.ok("CLUSTER", "NODES").decode()
        return "cluster_state:ok" in told and "cluster_known_nodes:6" in told and "fail" not in nodes

    def is_agreed(self) -> bool:
        """Whether all nodes have heard of the last change of slots.

        Who owns a slot is decided by epochs. A node that takes one over with an old idea of them loses it again,
        with its keys: so the next change must wait for this one to be known.
        """
        views = set()
        for node in self.nodes:
            with node.wire() as wire:
                info = wire.ok("CLUSTER", "INFO").decode().split()
                lines = [line.split() for line in wire.ok("CLUSTER", "NODES").decode().splitlines()]
            epoch = next(line for line in info if line.startswith("cluster_current_epoch:"))
            # Behind the eight fields of a node come its slots; a slot on its way is in brackets.
            slots = frozenset((line[0], line[6], *(slot for slot in line[8:] if slot[0] != "[")) for line in lines)
            views.add((epoch, slots))
        return len(views) == 1

    def id_of(self, node: Server) -> str:
        with node.wire() as wire:
            return wire.ok("CLUSTER", "MYID").decode()

    def fail_over(self, primary: Server) -> Server:
        """Kills a primary; returns the replica that took its place."""
        replica = self.replica_of(primary)
        primary.kill()
        wait_until(lambda: self.role(replica) == "master", "the replica takes over", 30)
        others = [node for node in self.nodes if node.is_alive()]
        wait_until(lambda: all(agrees(node) for node in others), "the cluster works again", 30)
        return replica

    def bring_back(self, node: Server, primary: Server) -> None:
        """Starts what was killed; it follows the new primary."""
        node.start()
        wait_until(lambda: self.follows(node, primary), "it follows the new primary", 30)
        wait_until(self.is_whole, "the cluster is whole again", 30)

    def assert_equal_digests(self) -> None:
        """Each replica holds what its primary holds."""
        for primary in self.primaries():
            replica = self.replica_of(primary)
            with primary.wire() as left, replica.wire() as right:
                assert left.ok("WAIT", 1, 10_000) >= 1
                assert left.ok("DEBUG", "DIGEST") == right.ok("DEBUG", "DIGEST")
                right.ok("READONLY")
                names = sorted(left.ok("KEYS", "*"))
                assert sorted(right.ok("KEYS", "*")) == names
                if names:
                    call = ("DEBUG", "DIGEST-VALUE", *names)
                    assert left.ok(*call) == right.ok(*call)


def agrees(node: Server) -> bool:
    with node.wire() as wire:
        return "cluster_state:ok" in wire.ok("CLUSTER", "INFO").decode()
