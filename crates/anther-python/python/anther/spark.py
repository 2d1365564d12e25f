"""Filters on Apache Spark: built on the executors, and looked up in column expressions.

>>> from anther import spark
>>> known = spark.build(customers, "id", 100_000_000, 0.01)             # doctest: +SKIP
>>> orders.where(spark.contains("customer_id", known))                  # doctest: +SKIP

Needs Spark 4.1 or later (the extra `spark` of the package), and `anther` installed on the executors
as well as on the driver.

A filter that `build` made has the same bytes as one that this process would build from the same
column, whatever the number of partitions, and whatever was retried, run twice by speculation or
killed: Spark takes one result of each task, and merging is exact.

How `build` works, for a filter of m bytes:

1. Each of P tasks makes one partial filter from its keys, with `mapInArrow`. P is the number of
   cores, not of partitions, because each partial filter has m bytes.
2. Rounds of merging on the executors: each task merges four filters, so log₄ P rounds move about
   4/3 · P · m bytes through the shuffle.
3. The last filter goes to the driver. No other one does.

Filters travel as rows of 4 MiB, so no row or Arrow batch comes near the 2 GiB that Spark allows,
and an executor's JVM needs no memory for a whole filter. Its Python worker does: up to 3 · m while
merging. The driver needs 3 · m.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

import pyspark

if tuple(int(part) for part in re.findall(r"\d+", pyspark.__version__)[:2]) < (4, 1):
    # Arrow UDFs, `repartitionById` and Arrow batches limited by bytes came with 4.1.
    raise ImportError(f"anther.spark needs Spark 4.1 or later; this is {pyspark.__version__}")

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark import Broadcast, TaskContext
from pyspark.errors import PythonException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    ByteType,
    CharType,
    DataType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    VarcharType,
)

import anther
from anther import Filter

__all__ = ["broadcast", "build", "contains", "prefilter", "semi_join"]

Columns: TypeAlias = str | Column | Sequence[str | Column]

# Rows of this size pass through any heap that runs Spark, and are few: 30 for 10⁸ keys at 1 %.
_PIECE = 4 << 20
# A task merges this many filters. The slowest chain of merges has fan_in · log P / log fan_in steps:
# as many with 4 as with 2, in half of the rounds; a third more with 8.
_FAN_IN = 4
# The driver fetches the result in jobs of this size: `spark.driver.maxResultSize` holds per job.
_FETCH = 256 << 20

_PIECES = "part int, size bigint, start bigint, piece binary"
_PIECES_ARROW = pa.schema(
    [("part", pa.int32()), ("size", pa.int64()), ("start", pa.int64()), ("piece", pa.binary())]
)


def build(
    df: DataFrame,
    column: Columns,
    items: int | None,
    fpr: float,
    kind: str = "blocked",
    *,
    key: bytes | None = None,
    seed: int | None = None,
    rule: Any = None,
    partitions: int | None = None,
    **options: Any,
) -> Filter:
    """Builds a filter from a column of a data frame, on the executors.

    Its bytes equal those of `Filter(items, fpr, kind, ...)` after `update` with the column.

    Args:
        df: The data frame. Its nulls are skipped. If it is expensive to compute and `items` is
            None, `cache()` it first: it is read twice.
        column: The column of keys: strings, binary, integers or booleans. Several columns make
            tuple keys; a row in which one of them is null is skipped.
        items: Expected distinct keys. None counts them first, with `approx_count_distinct` to 1 %,
            and adds 3 %.
        fpr: The false-positive rate at that many keys.
        kind: A kind that merges: see `anther.kinds`.
        key: 16 secret bytes for a keyed filter. They go to the executors inside the tasks, so
            whoever can read the traffic or the disks of the cluster can read them; encrypt both
            (`spark.network.crypto.enabled`, `spark.io.encryption.enabled`).
        seed: The seed of the hash.
        rule: What a key is, as for `Filter`.
        partitions: Partial filters to make, at most. The default is the number of cores.
        options: Options of the kind.

    Raises:
        KeyTypeError: The column is a float, a timestamp or another type that makes no keys.
            No job has started then.
        UnsupportedError: The kind does not merge. No job has started then.
        SizeError: `items`, `fpr` or an option is out of range.
        KeyValueError: The rule refuses a key of the column.
    """
    keys = df.select(*_as_list(column))
    _families(keys)
    # Two columns of a data frame may have one name.
    keys = keys.toDF(*(f"key{i}" for i in range(len(keys.columns))))
    if partitions is not None and (isinstance(partitions, bool) or not isinstance(partitions, int)):
        raise TypeError(f"partitions must be a whole number, not {partitions!r}")
    if partitions is not None and partitions < 1:
        raise anther.SizeError(f"partitions is {partitions}; it must be 1 or more")
    recipe = _Recipe(items or 1, fpr, kind, key, seed, rule, options)
    recipe.check_merges()
    if items is None:
        recipe.items = _count_distinct(keys)
    elif items != recipe.items:
        raise anther.SizeError(f"items is {items}; it must be 1 or more")

    # Made here before a job starts, so that a filter too large for the driver fails at once.
    result = recipe.empty()
    parts = partitions or _cores(df.sparkSession)
    pieces = keys.coalesce(parts).mapInArrow(recipe.partial, _PIECES)
    while parts > 1:
        parts = math.ceil(parts / _FAN_IN)
        pieces = pieces.repartitionById(parts, F.col("part") % parts)
        pieces = pieces.mapInArrow(recipe.merge, _PIECES)

    jobs = math.ceil(result.info.bits / 8 / _FETCH)
    if jobs > 1:
        pieces = pieces.repartitionById(jobs, (F.col("start") / _FETCH).cast("int") % jobs)
    collected = _Pieces()
    try:
        for row in pieces.toLocalIterator():
            for data in collected.add(row["part"], row["size"], row["start"], row["piece"]):
                result = recipe.load(data)
    except PythonException as error:
        _raise_ours(error)
    return result


def broadcast(filter: Filter, *, key: bytes | None = None) -> Broadcast[Any]:
    """Sends a filter to the executors, to be used by several calls of `contains`.

    It is sent as it is now; later inserts do not show. Each Python worker loads it once and keeps
    it, so an executor needs the filter's memory once per core. `destroy()` frees it.

    Args:
        filter: The filter.
        key: The secret key of a keyed filter. It is broadcast with the filter; see `build` for who
            can read it.
    """
    _check_filter(filter)
    return SparkSession.active().sparkContext.broadcast(_Sent(filter, key))


def contains(
    column: Columns, filter: Filter | Broadcast[Any], *, key: bytes | None = None
) -> Column:
    """A boolean column: may the key be in the filter? Null where the key is null.

    Args:
        column: The column of keys, or several columns for tuple keys. Its type is not known here:
            one that makes no keys, such as a float, fails when the query runs. `prefilter` and
            `build` know the schema and refuse it at once.
        filter: The filter, or what `broadcast` made of it.
        key: The secret key of a keyed filter, as for `broadcast`.
    """
    _check_filter(filter)
    columns = [F.col(one) if isinstance(one, str) else one for one in _as_list(column)]
    shared = filter if isinstance(filter, Broadcast) else broadcast(filter, key=key)
    # The stubs know no function of any number of columns; Spark does, by its type hints.
    make: Callable[..., Any] = arrow_udf
    lookup: Callable[..., Column] = make(_lookup(shared), "boolean")
    return lookup(*columns)


def prefilter(
    large: DataFrame,
    small: DataFrame,
    on: str | Sequence[str],
    *,
    items: int | None = None,
    fpr: float = 0.01,
    **options: Any,
) -> DataFrame:
    """The rows of `large` whose key may be in `small`: all that have a match, and the fraction
    `fpr` of those that do not.

    An inner, left-semi or right join with `small` gives the same rows with the result as with
    `large`. Other joins keep rows of `large` that have no match; they do not.

    It pays when Spark would shuffle both sides of the join and few rows of `large` have a match:
    the shuffle then moves few rows. If `small` can be broadcast, a broadcast join is faster. Spark
    has a Bloom filter of its own for joins, but uses it only for a `small` of up to 10 MB with a
    selective predicate and 4 M keys.

    Args:
        large: The data frame to filter.
        small: The data frame with the keys. It is read here: twice if `items` is None.
        on: The name of the key's column in both, or several names.
        items: Distinct keys of `small`; None counts them.
        fpr: The false-positive rate.
        options: Other arguments of `build`.
    """
    names = [on] if isinstance(on, str) else list(on)
    types = _families(large.select(*names)), _families(small.select(*names))
    for name, one, other in zip(names, *types):
        if one != other:
            raise anther.KeyTypeError(
                f"column {name} is {one} in one data frame and {other} in the other; cast one"
            )
    filter = build(small, names, items, fpr, **options)
    return large.where(contains(names, filter, key=options.get("key")))


def semi_join(
    large: DataFrame,
    small: DataFrame,
    on: str | Sequence[str],
    *,
    items: int | None = None,
    fpr: float = 0.01,
    **options: Any,
) -> DataFrame:
    """The rows of `large` whose key is in `small`: exactly those of
    `large.join(small, on, "left_semi")`.

    `prefilter` drops most rows without a match before the shuffle; the join drops the rest. See
    there for the arguments and for when it pays.
    """
    names = [on] if isinstance(on, str) else list(on)
    kept = prefilter(large, small, names, items=items, fpr=fpr, **options)
    return kept.join(small.select(*names), names, "left_semi")


@dataclass
class _Recipe:
    """What the executors need to make filters that merge with each other."""

    items: int
    fpr: float
    kind: str
    key: bytes | None
    seed: int | None
    rule: Any
    options: dict[str, Any]

    def empty(self) -> Filter:
        return Filter(
            self.items,
            self.fpr,
            self.kind,
            self.key,
            seed=self.seed,
            rule=self.rule,
            **self.options,
        )

    def load(self, data: bytes) -> Filter:
        return Filter.from_bytes(data, key=self.key)

    def check_merges(self) -> None:
        """Refuses kinds, and options, that do not merge."""
        if self.kind in anther.static_kinds:
            raise anther.UnsupportedError(
                f"{self.kind} is static and does not merge, so Spark cannot build it in parts; "
                'use kind="blocked"'
            )
        try:
            self.empty().merge(self.empty())
        except (anther.MergeError, anther.UnsupportedError) as error:
            raise anther.UnsupportedError(
                f"{self.kind} filters do not merge, so Spark cannot build one in parts; "
                'use a kind that does, such as kind="blocked", or "counting" to remove keys'
            ) from error

    def partial(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One filter from the keys of one task; nothing if there are none."""
        filter = self.empty()
        rows = 0
        for batch in batches:
            # Spark's batches have 10,000 keys. A hundred of them at once would be 2 ns per key
            # faster: little beside what it takes Spark to bring a key here.
            filter.update(_keys(batch.columns), threads=_task().cpus())
            rows += batch.num_rows
        if rows:
            yield from _cut(filter)

    def merge(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One filter from several."""
        merged: Filter | None = None
        pieces = _Pieces()
        for batch in batches:
            for row in range(batch.num_rows):
                part, size, start = (batch.column(i)[row].as_py() for i in range(3))
                for data in pieces.add(part, size, start, batch.column(3)[row].as_buffer()):
                    if merged is None:
                        merged = self.load(data)
                    else:
                        merged.merge(self.load(data))
        if merged is not None:
            yield from _cut(merged)


@dataclass
class _Pieces:
    """Puts filters together again. The pieces of one filter arrive one after another, since one
    task wrote them; but Spark does not promise that, so any order will do."""

    incomplete: dict[int, dict[int, Any]] = field(default_factory=dict)

    def add(self, part: int, size: int, start: int, piece: Any) -> Iterator[bytes]:
        """Adds a piece; yields the filter's bytes if it was the last one."""
        pieces = self.incomplete.setdefault(part, {})
        pieces[start] = piece
        if len(pieces) == math.ceil(size / _PIECE):
            del self.incomplete[part]
            yield b"".join(pieces[start] for start in sorted(pieces))


class _Sent:
    """A filter on its way to the executors, where it is unpickled as a filter. Keyed filters refuse
    to be pickled, so that nobody sends a secret key unasked."""

    def __init__(self, filter: Filter, key: bytes | None) -> None:
        if filter.keyed and key is None:
            raise TypeError("the filter is keyed; pass its key, which is sent to the executors")
        self.data, self.key = filter.to_bytes(), key
        if filter.keyed:
            # Another key fails here, not on the executors.
            Filter.from_bytes(self.data, key)

    def __reduce__(self) -> tuple[Any, ...]:
        return Filter.from_bytes, (self.data, self.key)


def _task() -> TaskContext:
    context = TaskContext.get()
    assert context is not None, "runs in a task"
    return context


def _cut(filter: Filter) -> Iterator[pa.RecordBatch]:
    """Cuts a filter into rows. Its part is the number of the task's partition, which is the same
    for every attempt."""
    part = _task().partitionId()
    data = memoryview(filter.to_bytes())
    for start in range(0, len(data), _PIECE):
        piece = data[start : start + _PIECE]
        yield pa.record_batch([[part], [len(data)], [start], [piece]], schema=_PIECES_ARROW)


def _keys(columns: Sequence[pa.Array]) -> pa.Array:
    """One column of keys. Rows of several columns are tuples, null if one of them is."""
    if len(columns) == 1:
        return columns[0]
    return pa.StructArray.from_arrays(columns, [str(i) for i in range(len(columns))])


def _lookup(shared: Broadcast[Any]) -> Callable[..., pa.Array]:
    def anther_contains(*columns: pa.Array) -> pa.Array:
        # Spark loads the value once per process and keeps it.
        return shared.value.contains_many(_keys(columns), threads=_task().cpus())

    return anther_contains


def _check_filter(filter: object) -> None:
    if not isinstance(filter, (Filter, Broadcast)):
        raise TypeError(
            f"filter must be a Filter, or what broadcast made of one, not {type(filter).__name__}; "
            "make one with anther.spark.build or anther.open"
        )


def _as_list(column: Columns) -> list[str | Column]:
    columns = [column] if isinstance(column, (str, Column)) else list(column)
    if not columns:
        raise anther.KeyTypeError("no column of keys is given")
    return columns


_FAMILIES: dict[type[DataType], str] = {
    StringType: "string",
    CharType: "string",
    VarcharType: "string",
    BinaryType: "binary",
    ByteType: "integer",
    ShortType: "integer",
    IntegerType: "integer",
    LongType: "integer",
    BooleanType: "boolean",
}


def _families(keys: DataFrame) -> list[str]:
    """What the columns' keys are; raises for types that make no keys. Runs no job."""
    families = []
    for found in keys.schema.fields:
        family = _FAMILIES.get(type(found.dataType))
        if family is None:
            raise anther.KeyTypeError(
                f"column {found.name} is {found.dataType.simpleString()}, which makes no keys; "
                "cast it to string, binary, an integer type or boolean"
            )
        if isinstance(found.dataType, StringType) and not found.dataType.isUTF8BinaryCollation():
            raise anther.KeyTypeError(
                f"column {found.name} has the collation {found.dataType.collation}, under which "
                "different bytes are equal; a filter compares bytes: "
                "collate(column, 'UTF8_BINARY')"
            )
        families.append(family)
    return families


def _count_distinct(keys: DataFrame) -> int:
    names = keys.columns
    value = F.col(names[0]) if len(names) == 1 else F.struct(*names)
    row = keys.select(F.approx_count_distinct(value, 0.01)).first()
    assert row is not None, "an aggregate has one row"
    # Three standard errors: a filter for too few keys would exceed its false-positive rate.
    return max(1, math.ceil(int(row[0]) * 1.03))


def _cores(session: SparkSession) -> int:
    """The cores that the executors have, or will have."""
    context = session.sparkContext
    conf = context.getConf()
    cores: int = context.defaultParallelism
    if conf.get("spark.dynamicAllocation.enabled", "false") == "true":
        # Executors that are not there yet do not count above.
        most = conf.get("spark.dynamicAllocation.maxExecutors", None)
        if most is None:
            return max(cores, int(session.conf.get("spark.sql.shuffle.partitions") or 1))
        cores = max(cores, int(most) * int(conf.get("spark.executor.cores", "1") or 1))
    return cores


def _raise_ours(error: PythonException) -> NoReturn:
    """Raises the exception of this package that a task died of, if it is one."""
    found = re.findall(r"^anther(?:\._errors)?\.(\w+): (.*)$", str(error), re.MULTILINE)
    if found:
        name, message = found[-1]
        raise getattr(anther, name)(message) from error
    raise error
