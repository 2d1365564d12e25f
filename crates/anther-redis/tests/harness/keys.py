"""Keys for filters: the same in every run, and as many as asked."""

from collections.abc import Iterable, Iterator
from itertools import islice

from .wire import Error, Wire, as_text

# In one command; large enough that the wire does not count.
BATCH = 1000


def keys(prefix: str, count: int, start: int = 0) -> list[bytes]:
    return [b"%s:%d" % (prefix.encode(), number) for number in range(start, start + count)]


def in_batches(items: Iterable[bytes], size: int = BATCH) -> Iterator[tuple[bytes, ...]]:
    rest = iter(items)
    while batch := tuple(islice(rest, size)):
        yield batch


def add(wire: Wire, name: str, items: Iterable[bytes], command: str = "BF.MADD") -> int:
    """Adds all of them and says how many were new; CF.INSERT has its word before the items."""
    word = ("ITEMS",) if "INSERT" in command else ()
    replies = wire.calls((command, name, *word, *batch) for batch in in_batches(items))
    for reply in replies:
        assert not isinstance(reply, Error), f"{command} {name}: {reply}"
    flat = [answer for reply in replies for answer in reply]
    # A full cuckoo filter answers -1.
    assert not any(isinstance(answer, Error) or answer < 0 for answer in flat), f"{name}: {flat[-1]}"
    return sum(flat)


def found(wire: Wire, name: str, items: Iterable[bytes], command: str = "BF.MEXISTS") -> list[bool]:
    """What the filter says of each."""
    pairs = [(batch, (command, name, *batch)) for batch in in_batches(items)]
    replies = wire.calls(call for _, call in pairs)
    for reply in replies:
        assert isinstance(reply, list), f"{command} {name}: {reply}"
    return [bool(answer) for reply in replies for answer in reply]


def missing(wire: Wire, name: str, items: Iterable[bytes], command: str = "BF.MEXISTS") -> list[bytes]:
    """The keys that a filter has lost: false negatives, the first few."""
    items = list(items)
    answers = found(wire, name, items, command)
    return list(islice((item for item, yes in zip(items, answers) if not yes), 5))


def rate(wire: Wire, name: str) -> float:
    """What BF.INFO says of the false-positive rate, as the filter is now."""
    reply = wire.ok("BF.INFO", name, "ERROR")
    (value,) = reply.values() if isinstance(reply, dict) else reply
    return float(as_text(value))
