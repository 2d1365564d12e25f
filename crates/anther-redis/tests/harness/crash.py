"""A server that is killed while clients add keys."""

import random
import threading
from dataclasses import dataclass, field

from .keys import add, keys, missing
from .poll import wait_until
from .server import Server
from .wire import Wire

OPTIONS = ("--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-min-size", "64kb")

# Name, the command that makes it, the command that adds to it.
FILTERS = [
    ("scaling", ("BF.RESERVE", "scaling", "0.01", 100), "BF.MADD"),
    ("counting", ("BF.RESERVE", "counting", "0.01", 100, "COUNTING"), "BF.INSERT"),
    ("window", ("BF.RESERVE", "window", "0.01", 100, "WINDOW", 10_000_000), "BF.MADD"),
    ("cuckoo", ("CF.RESERVE", "cuckoo", 100, "EXPANSION", 2), "CF.INSERT"),
]


@dataclass
class Crashes:
    """Rounds of one server, and every key that it has acknowledged."""

    server: Server
    randomness: random.Random
    acknowledged: dict[str, list[bytes]] = field(default_factory=lambda: {row[0]: [] for row in FILTERS})

    def prepare(self) -> None:
        with self.server.wire() as wire:
            for _, reserve, _ in FILTERS:
                wire.ok(*reserve)

    def round(self, number: int) -> list[bytes]:
        """Kills the server under load, starts it again; returns what it has lost."""
        before = self.count()
        writers = [self.writer(number, *row) for row in FILTERS]
        for writer in writers:
            writer.start()
        wanted = before + self.randomness.randrange(100, 1500)
        wait_until(lambda: self.count() >= wanted, f"{wanted - before} keys are acknowledged")
        self.server.kill()
        for writer in writers:
            writer.join()
        self.server.start()
        return self.lost()

    def count(self) -> int:
        return sum(map(len, self.acknowledged.values()))

    def writer(self, number: int, name: str, _: tuple, command: str) -> threading.Thread:
        return threading.Thread(target=self.write, args=(number, name, command))

    def write(self, number: int, name: str, command: str) -> None:
        """Small batches, so that the server is killed between any two of them."""
        with self.server.wire() as wire:
            for start in range(0, 10**9, 5):
                items = keys(f"{name}:{number}", 5, start)
                try:
                    add(wire, name, items, command)
                except OSError:
                    return
                self.acknowledged[name] += items

    def lost(self) -> list[bytes]:
        with self.server.wire() as wire:
            return [item for name, _, command in FILTERS for item in self.lost_from(wire, name, command)]

    def lost_from(self, wire: Wire, name: str, command: str) -> list[bytes]:
        return missing(wire, name, self.acknowledged[name], f"{command[:2]}.MEXISTS")
