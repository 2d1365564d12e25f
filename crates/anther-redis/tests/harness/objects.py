"""One object of every sort that the module can hold, with what was put into it."""

from dataclasses import dataclass

from .keys import add, keys, missing
from .wire import Wire, fields


@dataclass(frozen=True)
class Sample:
    """How to make an object, and what it then holds."""

    name: str
    reserve: tuple[str | int, ...]
    items: list[bytes]

    @property
    def family(self) -> str:
        return self.reserve[0][:2]

    def fill(self, wire: Wire, part: slice = slice(None)) -> None:
        add(wire, self.name, self.items[part], f"{self.family}.INSERT")

    def missing(self, wire: Wire, name: str | None = None) -> list[bytes]:
        return missing(wire, name or self.name, self.items, f"{self.family}.MEXISTS")

    def info(self, wire: Wire, name: str | None = None) -> dict:
        return fields(wire.ok(f"{self.family}.INFO", name or self.name))


def bloom(name: str, *options: str | int, count: int = 500, capacity: int = 1000) -> Sample:
    return Sample(name, ("BF.RESERVE", name, "0.01", capacity, *options), keys(name, count))


def cuckoo(name: str, *options: str | int, count: int = 500, capacity: int = 1000) -> Sample:
    return Sample(name, ("CF.RESERVE", name, capacity, *options), keys(name, count))


SAMPLES = [
    bloom("scaling"),
    bloom("grown", count=3000, capacity=100),
    bloom("nonscaling", "NONSCALING"),
    bloom("strict", "EXPANSION", 1, count=700, capacity=50),
    bloom("counting", "COUNTING"),
    bloom("window", "WINDOW", 1000),
    bloom("ttl", "TTL", 3600),
    bloom("empty", count=0),
    cuckoo("cuckoo"),
    cuckoo("cuckoo-grown", "EXPANSION", 2, count=3000, capacity=100),
    cuckoo("cuckoo-buckets", "BUCKETSIZE", 4, "MAXITERATIONS", 50),
    cuckoo("cuckoo-rate", "ERROR", "0.0001"),
]

# Small ones, to be forged: what matters is how they are built, and each is changed hundreds of times.
SMALL = [
    bloom("scaling", count=30, capacity=10),
    bloom("nonscaling", "NONSCALING", count=30, capacity=50),
    bloom("counting", "COUNTING", count=30, capacity=50),
    bloom("window", "WINDOW", 50, count=30, capacity=50),
    bloom("ttl", "TTL", 3600, count=30, capacity=50),
    cuckoo("cuckoo", count=30, capacity=16),
    cuckoo("cuckoo-rate", "ERROR", "0.001", count=30, capacity=50),
]


def make_all(wire: Wire, samples: list[Sample] = SAMPLES) -> None:
    for sample in samples:
        wire.ok(*sample.reserve)
        sample.fill(wire)


def digests(wire: Wire, samples: list[Sample] = SAMPLES) -> dict[str, bytes]:
    """The server's own fingerprint of each value, through the module's digest callback."""
    values = wire.ok("DEBUG", "DIGEST-VALUE", *(sample.name for sample in samples))
    return {sample.name: value for sample, value in zip(samples, values)}


def check_all(wire: Wire, samples: list[Sample] = SAMPLES) -> None:
    """Nothing is lost, and no filter says yes to everything."""
    for sample in samples:
        assert sample.missing(wire) == [], f"lost from {sample.name}"
        answers = wire.ok(f"{sample.family}.MEXISTS", sample.name, *keys("never added", 200))
        assert sum(answers) < 40, f"{sample.name} says yes to {sum(answers)} of 200"
