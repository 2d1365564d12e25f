"""One logical filter over a Redis or Valkey cluster that has the module `anther-redis`.

A key lives on one node of a cluster. `Sharded` spreads one filter over N keys by the rule of the module's README:
part i of N of the filter NAME is the key `NAME:i/N`, and an item belongs to part CRC-32(item) mod N. Every client that
follows this rule, in any language, sees the same filter.

    >>> import redis                                                                # doctest: +SKIP
    >>> from anther.redis import Sharded                                            # doctest: +SKIP
    >>> seen = Sharded(redis.RedisCluster("127.0.0.1", 7000), "seen", parts=12)     # doctest: +SKIP
    >>> seen.reserve(items=10_000_000, fpr=0.01, exist_ok=True)                     # doctest: +SKIP
    >>> seen.add("https://example.org/")                                            # doctest: +SKIP
    True
    >>> "https://example.org/" in seen                                              # doctest: +SKIP
    True
    >>> seen.contains_many(["https://example.org/", "https://example.net/"])        # doctest: +SKIP
    [True, False]

It needs redis-py (the extra `redis` of the package).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import iscoroutinefunction
from itertools import islice
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any
from zlib import crc32

from redis import exceptions

from . import AntherError, FullError, KeyTypeError, KeyValueError, SizeError

if TYPE_CHECKING:
    from redis import Redis
    from redis.cluster import RedisCluster

__all__ = ["Info", "PartsError", "Sharded"]

Item = str | bytes | bytearray | memoryview

# A server does nothing else while it runs a command: this many items take it about a tenth of a millisecond.
_ITEMS_PER_COMMAND = 1024
_BYTES_PER_COMMAND = 1 << 20
# The most items on their way at once; a longer iterable is read piece by piece.
_ITEMS_PER_ROUND = 16_384

# The rule does not store the number of parts anywhere. Part 0 of each number up to this one is looked for.
_PARTS_LOOKED_FOR = 1024
# As many as a cluster has slots.
_MOST_PARTS = 16_384

# What passes while slots move, a replica takes over or a server restarts. An add can be sent twice.
_PASSING = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.ClusterError,
    exceptions.RedisClusterException,
    exceptions.AskError,
    exceptions.TryAgainError,
    exceptions.ReadOnlyError,
)
# Connection errors in redis-py's hierarchy, but nothing that waiting cures.
_LASTING = (exceptions.AuthenticationError, exceptions.AuthorizationError, exceptions.MaxConnectionsError)


class PartsError(AntherError):
    """The filter does not exist, lacks some of its parts, or has another number of them."""


@dataclass(frozen=True)
class Info:
    """What `BF.INFO` tells of all parts together."""

    name: str
    parts: int
    #: Items that were new when they were added.
    items: int
    #: Items that fit before the parts grow (or are full, if they do not).
    capacity: int
    #: Memory of all parts.
    bytes: int
    #: The false-positive rate as the filter is now: the mean over the parts, as an item is looked up in one of them.
    fpr: float
    #: The false-positive rate that was asked for.
    target: float
    #: Layers of the part that has most of them: 1 until a part has grown.
    layers: int
    kind: str


class Sharded:
    """One filter that is split over `parts` keys of a cluster (or of one server).

    `client` is a `redis.RedisCluster` or a `redis.Redis`; threads can share a `Sharded` if they can share the client.
    Making a `Sharded` sends nothing. `reserve` makes the filter; everything else raises `PartsError` if a part of it
    is missing, so that a deleted or evicted part never answers "no".

    Choose `parts` once, a few per node: it cannot be changed later.

    While slots move or a replica takes over, commands are sent again for up to `patience` seconds; then the error of
    redis-py is raised. Adding an item twice is harmless, so this is safe. Only the answer of `add` is affected: it
    may be False for an item whose first reply was lost.

    A replica may lag behind its primary: with a client that reads from replicas, an item that was just added may be
    missing for a moment.
    """

    def __init__(
        self,
        client: Redis | RedisCluster,
        name: str,
        parts: int,
        *,
        patience: float = 30.0,
    ) -> None:
        if not isinstance(name, str) or not name:
            raise SizeError(f"the name of a filter is a str that is not empty, not {name!r}")
        if has_hash_tag(name):
            raise SizeError(f"{name!r} has a hash tag, which puts all parts into one slot; choose a name without {{…}}")
        if isinstance(parts, bool) or not isinstance(parts, int) or not 1 <= parts <= _MOST_PARTS:
            raise SizeError(f"parts must be a whole number from 1 to {_MOST_PARTS}, not {parts!r}")
        if not callable(getattr(client, "pipeline", None)):
            raise TypeError(f"client must be a redis.Redis or redis.RedisCluster, not {type(client).__name__}")
        if iscoroutinefunction(getattr(client, "execute_command", None)):
            raise TypeError(
                "client is one of redis.asyncio, which Sharded cannot wait for; give it a redis.Redis or "
                "redis.RedisCluster, and call it with asyncio.to_thread"
            )
        self.client = client
        self.name = name
        self.parts = parts
        self.patience = patience

    def __repr__(self) -> str:
        return f"<anther.redis.Sharded {self.name!r} in {self.parts} parts>"

    def key(self, part: int) -> str:
        """The key of a part, from 0 to `parts` − 1."""
        if not 0 <= part < self.parts:
            raise IndexError(f"{self.name!r} has parts 0 to {self.parts - 1}, not {part}")
        return f"{self.name}:{part}/{self.parts}"

    def part_of(self, item: Item) -> int:
        """The part to which an item belongs."""
        return crc32(as_bytes(item)) % self.parts

    def reserve(
        self,
        items: int,
        fpr: float,
        *,
        expansion: int | None = None,
        scaling: bool = True,
        ttl: int | None = None,
        key: bytes | None = None,
        exist_ok: bool = False,
    ) -> None:
        """Makes the filter for this number of items at this false-positive rate.

        Each part gets 1/N of the items and four standard deviations more, as a hash does not split evenly.

        `expansion`, `scaling=False` (`NONSCALING`) and `ttl` (seconds) are options of `BF.RESERVE`. `key`: 16 bytes,
        for example `secrets.token_bytes(16)`, if the hash key of the parts is to be known; by default the server
        makes a random one for each.

        With `exist_ok`, parts that are there stay as they are, so that several programs can start at once, and a
        call that failed half-way can be repeated. Raises `PartsError` if the filter exists without it, if it exists
        with another false-positive rate, or with another number of parts (of up to 1024).
        """
        options = reserve_options(expansion, scaling, ttl, key)
        if isinstance(items, bool) or not isinstance(items, int) or items < 1:
            raise SizeError(f"items must be a whole number from 1, not {items!r}")
        if not 0 < fpr < 1:
            raise SizeError(f"fpr must be above 0 and below 1, for example 0.01 for 1 %, not {fpr!r}")
        other = self._other_number_of_parts()
        if other is not None:
            raise PartsError(self._has_other_parts(other))
        is_new = len(self._missing_parts()) == self.parts
        if not is_new and not exist_ok:
            raise PartsError(f"{self.name!r} exists already; delete it, or pass exist_ok=True to keep what it holds")
        capacity = self.capacity_of_part(items)
        replies = self._run(
            [("BF.RESERVE", self.key(part), repr(fpr), capacity, *options) for part in range(self.parts)]
        )
        for part, reply in enumerate(replies):
            # "item exists": somebody else was faster, or the first reply was lost.
            if isinstance(reply, exceptions.ResponseError):
                if "exists" not in str(reply):
                    raise self._explained(part, reply)
                is_new = False
        if not is_new and (target := self.info().target) != fpr:
            raise PartsError(f"{self.name!r} exists with a false-positive rate of {target:g}, not {fpr:g}")

    def capacity_of_part(self, items: int) -> int:
        """For how many items each part is made, so that a part hardly ever gets more."""
        share = items / self.parts
        # One part has all items, and no deviation.
        return ceil(share + 4 * sqrt(share * (1 - 1 / self.parts)))

    def add(self, item: Item) -> bool:
        """Adds an item; True if it is certainly new."""
        return self.add_many([item])[0]

    def add_many(self, items: Iterable[Item]) -> list[bool]:
        """Adds items, and says of each whether it is certainly new.

        Items go in rounds, with one command per part and 1024 items. If an item is refused, nothing of its round has
        been sent.
        """
        answers: list[bool] = []
        for members in rounds(items):
            answers += self._of_round("BF.INSERT", ("NOCREATE", "ITEMS"), members)
        return answers

    def update(self, items: Iterable[Item]) -> None:
        """Adds items, like `set.update`: any iterable, also one that does not fit in memory."""
        for members in rounds(items):
            self._of_round("BF.INSERT", ("NOCREATE", "ITEMS"), members)

    def __contains__(self, item: Item) -> bool:
        return self.contains(item)

    def contains(self, item: Item) -> bool:
        """False: certainly not there (or forgotten, if the filter has a `ttl`). True: maybe there."""
        return self.contains_many([item])[0]

    def contains_many(self, items: Iterable[Item]) -> list[bool]:
        """`contains` of each item, with one command per part and 1024 items."""
        answers: list[bool] = []
        for members in rounds(items):
            answers += self._of_round("BF.MEXISTS", (), members)
        return answers

    def info(self) -> Info:
        """Sums over all parts; raises `PartsError` if one is missing."""
        replies = self._run([("BF.INFO", self.key(part), "ALL") for part in range(self.parts)])
        parts = [as_fields(self._checked(part, reply)) for part, reply in enumerate(replies)]
        return Info(
            name=self.name,
            parts=self.parts,
            items=sum(int(part["Number of items inserted"]) for part in parts),
            capacity=sum(int(part["Capacity"]) for part in parts),
            bytes=sum(int(part["Size"]) for part in parts),
            fpr=sum(float(part["False-positive rate now"]) for part in parts) / self.parts,
            target=max(float(part["False-positive rate asked for"]) for part in parts),
            layers=max(int(part["Number of filters"]) for part in parts),
            kind=parts[0]["Kind"],
        )

    def delete(self) -> None:
        """Deletes all parts, as far as they are there."""
        replies = self._run([("DEL", self.key(part)) for part in range(self.parts)])
        for part, reply in enumerate(replies):
            self._checked(part, reply)

    def _of_round(self, command: str, words: tuple[str, ...], items: Sequence[bytes]) -> list[bool]:
        """Sends a round of items, each to its part, and puts the answers in the order of the items."""
        places: list[list[int]] = [[] for _ in range(self.parts)]
        for place, item in enumerate(items):
            places[crc32(item) % self.parts].append(place)
        sent = [(part, batch) for part, members in enumerate(places) for batch in batches(members, items)]
        commands = [(command, self.key(part), *words, *(items[place] for place in batch)) for part, batch in sent]
        probed: list[int] = []
        if command == "BF.MEXISTS":
            # It answers 0 for a key that does not exist, or is no filter; BF.INFO says so.
            probed = [part for part, members in enumerate(places) if members]
        replies = self._run(commands + [("BF.INFO", self.key(part), "CAPACITY") for part in probed])
        for part, reply in zip(probed, replies[len(commands) :]):
            self._checked(part, reply)
        answers = [False] * len(items)
        for (part, batch), reply in zip(sent, replies):
            told = self._checked(part, reply)
            for answer in told:
                if isinstance(answer, Exception):
                    raise self._explained(part, answer)
            if len(told) != len(batch):
                raise AntherError(f"{self.key(part)}: {len(told)} answers for {len(batch)} items")
            for place, answer in zip(batch, told):
                answers[place] = bool(answer)
        return answers

    def _run(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Sends commands in one pipeline per node, again if need be; replies may be errors that do not pass."""
        replies: list[Any] = [None] * len(commands)
        pending = list(range(len(commands)))
        give_up = time.monotonic() + self.patience
        pause = 0.01
        while pending:
            try:
                received = self._send([commands[place] for place in pending])
            except _PASSING as error:
                if isinstance(error, _LASTING):
                    raise
                received = [error] * len(pending)
            failed = [isinstance(reply, _PASSING) and not isinstance(reply, _LASTING) for reply in received]
            for place, reply in zip(pending, received):
                replies[place] = reply
            pending = [place for place, again in zip(pending, failed) if again]
            if pending:
                if time.monotonic() + pause > give_up:
                    raise replies[pending[0]]
                time.sleep(pause)
                pause = min(2 * pause, 0.5)
        return replies

    def _send(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        pipeline: Any = self.client.pipeline(transaction=False)
        # After `client.bf()`, redis-py turns the reply of BF.INFO into an object that lacks most of its fields.
        for callbacks in ("response_callbacks", "cluster_response_callbacks"):
            if hasattr(pipeline, callbacks):
                setattr(pipeline, callbacks, {})
        for command in commands:
            pipeline.execute_command(*command)
        received: list[Any] = pipeline.execute(raise_on_error=False)
        return received

    def _checked(self, part: int, reply: Any) -> Any:
        if isinstance(reply, Exception):
            raise self._explained(part, reply)
        return reply

    def _explained(self, part: int, error: Exception) -> Exception:
        """The server's error with what to do about it."""
        text = str(error)
        if text.startswith("not found"):
            return self._explained_missing()
        if "is full" in text:
            return FullError(f"{self.key(part)}: {text}; reserve for more items, or with scaling=True")
        if text.startswith("unknown command"):
            return AntherError(f"{text}; load the module anther-redis into every node of the cluster")
        if text.startswith("WRONGTYPE"):
            return PartsError(f"{self.key(part)} holds something else than a Bloom filter of the module anther-redis")
        return error

    def _explained_missing(self) -> PartsError:
        other = self._other_number_of_parts()
        if other is not None:
            return PartsError(self._has_other_parts(other))
        missing = self._missing_parts()
        if len(missing) == self.parts:
            return PartsError(f"there is no filter {self.name!r} in {self.parts} parts; make it with reserve")
        listed = ", ".join(self.key(part) for part in missing[:5]) + (", …" if len(missing) > 5 else "")
        return PartsError(
            f"{self.name!r} has lost {len(missing)} of its {self.parts} parts: {listed}; "
            "their items are gone, so delete the filter and build it again"
        )

    def _has_other_parts(self, other: int) -> str:
        return f"{self.name!r} has {other} parts, not {self.parts}; use Sharded(client, {self.name!r}, {other})"

    def _missing_parts(self) -> list[int]:
        replies = self._run([("EXISTS", self.key(part)) for part in range(self.parts)])
        return [part for part, reply in enumerate(replies) if not self._checked(part, reply)]

    def _other_number_of_parts(self) -> int | None:
        """Of a filter of this name that is there, too."""
        others = [number for number in range(1, _PARTS_LOOKED_FOR + 1) if number != self.parts]
        replies = self._run([("EXISTS", f"{self.name}:0/{number}") for number in others])
        return next((number for number, reply in zip(others, replies) if self._checked(0, reply)), None)


def has_hash_tag(name: str) -> bool:
    """Whether a cluster hashes only a piece of the name: what is between the first { and the next }."""
    start = name.find("{")
    return start >= 0 and name.find("}", start + 1) > start + 1


def as_bytes(item: object) -> bytes:
    """The bytes of an item; the server has no other keys."""
    if isinstance(item, bytes):
        return item
    if isinstance(item, str):
        try:
            return item.encode()
        except UnicodeEncodeError as error:
            raise KeyValueError(f"{item!r} has no UTF-8 form: {error.reason}") from None
    if isinstance(item, (bytearray, memoryview)):
        return bytes(item)
    if isinstance(item, int) and not isinstance(item, bool):
        raise KeyTypeError(
            f"{item!r} is an int, and the keys of the server are byte strings; "
            f"add str({item}) to get what `BF.ADD name {item}` adds, and look it up as str, too"
        )
    raise KeyTypeError(f"an item is a str or bytes, not {type(item).__name__}")


def rounds(items: Iterable[Item]) -> Iterator[list[bytes]]:
    """All items, checked, a bounded number of them at a time."""
    if isinstance(items, (str, bytes, bytearray, memoryview)):
        raise KeyTypeError(f"items must be several items, not one {type(items).__name__}; put it into a list")
    # Arrow's own scalars are no Python str.
    if hasattr(items, "to_pylist"):
        items = items.to_pylist()
    rest = iter(items)
    while members := [as_bytes(item) for item in islice(rest, _ITEMS_PER_ROUND)]:
        yield members


def batches(places: Sequence[int], items: Sequence[bytes]) -> Iterator[list[int]]:
    """Places of items that go in one command: a bounded number of items, and of bytes unless one alone has more."""
    batch: list[int] = []
    size = 0
    for place in places:
        length = len(items[place])
        if batch and (len(batch) == _ITEMS_PER_COMMAND or size + length > _BYTES_PER_COMMAND):
            yield batch
            batch, size = [], 0
        batch.append(place)
        size += length
    if batch:
        yield batch


def reserve_options(expansion: int | None, scaling: bool, ttl: int | None, key: bytes | None) -> list[str | int]:
    """Words of BF.RESERVE."""
    options: list[str | int] = []
    if expansion is not None:
        if not scaling:
            raise SizeError("a filter with scaling=False does not grow; leave expansion out")
        options += ["EXPANSION", expansion]
    if not scaling:
        options.append("NONSCALING")
    if ttl is not None:
        options += ["TTL", ttl]
    if key is not None:
        if not isinstance(key, (bytes, bytearray)) or len(key) != 16:
            raise SizeError("key must be 16 bytes, for example secrets.token_bytes(16)")
        options += ["HASHKEY", bytes(key).hex()]
    return options


def as_fields(reply: Any) -> dict[str, Any]:
    """BF.INFO in RESP2, a list, and in RESP3, a map; text may be bytes."""
    pairs = reply.items() if isinstance(reply, dict) else zip(reply[::2], reply[1::2])
    return {as_text(name): as_text(value) for name, value in pairs}


def as_text(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value
