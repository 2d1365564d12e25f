"""`cargo xtask bench python`: the package beside abloom and rbloom, and beside the library's own calls.

Peers take Python objects only. They get lists that are ready, which is in their favour: nobody counts the time that
it takes to make ten million objects of a column. Strings are new objects in each turn, as lines of a file are:
Python keeps the hash of a string once it is computed, and abloom and rbloom use that hash by default. One row, "hash
kept", looks up strings that Python has hashed before, which is in their favour. They can neither save nor send such a
filter; `serializable` is abloom with a hash that stays the same, as ours always does.
"""

import argparse
import threading
from collections.abc import Callable

import abloom
import anther
import numpy
import pyarrow
import rbloom
from rounds import Line, Turn, alternate, timed, write

FPR = 0.01


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="cargo xtask bench python", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--single", type=int, default=1_000_000, help="keys one at a time")
    parser.add_argument("--many", type=int, default=10_000_000, help="keys at once")
    parser.add_argument("--only", help="sections that begin like this")
    parser.add_argument("--no-record", action="store_true", help="print the table only")
    return parser.parse_args()


def urls(start: int, count: int) -> list[str]:
    """New objects at each call."""
    return [f"https://example.org/{number:012}" for number in range(start, start + count)]


class Peer:
    """A filter under the names that all of them share."""

    def __init__(self, name: str, make: Callable[[int], object]):
        self.name = name
        self.make = make


PEERS = [
    Peer("abloom", lambda items: abloom.BloomFilter(items, FPR)),
    Peer("abloom serializable", lambda items: abloom.BloomFilter(items, FPR, serializable=True)),
    Peer("rbloom", lambda items: rbloom.Bloom(items, FPR)),
]
OURS = Peer("anther", lambda items: anther.Filter(items, FPR))
EVERYONE = [OURS, *PEERS]


def add_each(filter: object, keys: list[str]) -> None:
    add = filter.add  # type: ignore[attr-defined]
    for key in keys:
        add(key)


def find_each(filter: object, keys: list[str]) -> int:
    return sum(key in filter for key in keys)  # type: ignore[operator]


def find_all(filter: object, keys: list[str]) -> None:
    for key in keys:
        key in filter  # type: ignore[operator]


def single(count: int, rounds: int) -> list[Line]:
    goals = {"abloom": 1.0, "rbloom": 1.5}
    filled = {}
    for peer in EVERYONE:
        filled[peer.name] = peer.make(count)
        filled[peer.name].update(urls(0, count))  # type: ignore[attr-defined]
        found = find_each(filled[peer.name], urls(0, count))
        assert found == count, peer.name
        wrong = find_each(filled[peer.name], urls(count, count))
        assert 0 < wrong < 1.5 * FPR * count, (peer.name, wrong)

    def adding(peer: Peer) -> Turn:
        def turn() -> float:
            filter, keys = peer.make(count), urls(0, count)
            return timed(lambda: add_each(filter, keys))

        return turn

    hashed = urls(0, count)
    hash(tuple(hashed))

    def finding(peer: Peer, start: int | None) -> Turn:
        def turn() -> float:
            keys = hashed if start is None else urls(start, count)
            return timed(lambda: find_all(filled[peer.name], keys))

        return turn

    lines = alternate("single", "add", count, rounds, {peer.name: adding(peer) for peer in EVERYONE}, goals)
    for work, start in [("in, present", 0), ("in, absent", count), ("in, present, hash kept", None)]:
        turns = {peer.name: finding(peer, start) for peer in EVERYONE}
        lines += alternate("single", work, count, rounds, turns, goals if start is not None else None)
    return lines


def updating(peer: Peer, keys: object, count: int) -> Turn:
    def turn() -> float:
        filter = peer.make(count)
        return timed(lambda: filter.update(keys))  # type: ignore[attr-defined]

    return turn


def integers(count: int, rounds: int) -> list[Line]:
    """10⁷ unsigned integers: NumPy and Arrow beside the library's batch calls, and beside peers with a list."""
    random = numpy.random.default_rng(7)
    column = random.integers(0, 2**64, count, dtype=numpy.uint64)
    others = random.integers(0, 2**64, count, dtype=numpy.uint64)
    arrow = pyarrow.array(column)
    # Hashes of integers beyond 2^61 repeat in Python; within it they are what they are.
    listed = (column >> numpy.uint64(4)).tolist()
    filled = OURS.make(count)
    filled.update(column)  # type: ignore[attr-defined]
    assert filled.contains_many(column).all()  # type: ignore[attr-defined]
    assert filled.contains_many(others).mean() < 1.2 * FPR  # type: ignore[attr-defined]

    def rust_update() -> float:
        return anther._anther._rust_update(OURS.make(count), column)  # type: ignore[attr-defined]

    def rust_contains(asked: numpy.ndarray) -> Turn:
        return lambda: anther._anther._rust_contains(filled, asked)  # type: ignore[attr-defined]

    goals = {"Rust batch": 1 / 1.2, "abloom": 5.0}
    peers = {peer.name: updating(peer, listed, count) for peer in PEERS}
    lines = []
    for name, keys in [("NumPy", column), ("Arrow", arrow)]:
        turns: dict[str, Turn] = {
            f"anther, {name}": updating(OURS, keys, count),
            "Rust batch": rust_update,
        }
        lines += alternate("integers", f"update, {name}", count, rounds, {**turns, **peers}, goals)
        for work, questions in [("present", column), ("absent", others)]:
            asked = questions if name == "NumPy" else pyarrow.array(questions)
            turns = {
                f"anther, {name}": lambda asked=asked: timed(lambda: filled.contains_many(asked)),  # type: ignore
                "Rust batch": rust_contains(questions),
            }
            lines += alternate("integers", f"contains_many, {name}, {work}", count, rounds, turns, goals)
    return lines


def strings(count: int, rounds: int) -> list[Line]:
    """10⁷ strings of an Arrow column, beside peers with a list of the same strings."""
    column = pyarrow.array(urls(0, count))
    goals = {peer.name: 3.0 for peer in PEERS}

    def from_list(peer: Peer) -> Turn:
        def turn() -> float:
            filter, keys = peer.make(count), urls(0, count)
            return timed(lambda: filter.update(keys))  # type: ignore[attr-defined]

        return turn

    turns = {"anther, Arrow": updating(OURS, column, count), **{peer.name: from_list(peer) for peer in PEERS}}
    lines = alternate("strings", "update", count, rounds, turns, goals)

    filled = {}
    for peer in EVERYONE:
        filled[peer.name] = peer.make(count)
        filled[peer.name].update(column if peer is OURS else urls(0, count))  # type: ignore[attr-defined]

    def finding(peer: Peer) -> Turn:
        def turn() -> float:
            keys = urls(0, count)
            return timed(lambda: find_all(filled[peer.name], keys))

        return turn

    ours = filled[OURS.name]
    turns = {
        "anther, Arrow": lambda: timed(lambda: ours.contains_many(column)),  # type: ignore[attr-defined]
        **{peer.name: finding(peer) for peer in PEERS},
    }
    return lines + alternate("strings", "contains_many, or in one by one", count, rounds, turns, goals)


def threads(count: int, rounds: int) -> list[Line]:
    """The same lookups by two Python threads, each with half of them, and by one."""
    column = numpy.arange(count, dtype=numpy.uint64)
    filter = anther.Filter(count, FPR)
    filter.update(column)
    halves = numpy.split(column[: count // 2 * 2], 2)

    def ask(keys: object) -> None:
        filter.contains_many(keys, threads=1)

    def two() -> None:
        workers = [threading.Thread(target=ask, args=(half,)) for half in halves]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    turns = {"two threads": lambda: timed(two), "one thread": lambda: timed(lambda: ask(column))}
    return alternate("threads", "contains_many", count, rounds, turns, {"one thread": 1.8})


def main() -> None:
    args = arguments()
    lines: list[Line] = []
    for section, keys in [(single, args.single), (integers, args.many), (strings, args.many), (threads, args.many)]:
        if not args.only or section.__name__.startswith(args.only):
            lines += section(keys, args.rounds)
    if not args.no_record:
        write("python", lines)


if __name__ == "__main__":
    main()
