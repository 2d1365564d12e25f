"""An executor is killed in mid-build, or a task fails: the bytes are the same."""

import pathlib
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import gate as gates
import pyarrow as pa
import pytest
from gate import Gate, Killer, stop_in
from pyspark import TaskContext, cloudpickle
from pyspark.sql import SparkSession

import anther
import anther.spark
from anther import Filter

cloudpickle.register_pickle_by_value(gates)
cloudpickle.register_pickle_by_value(sys.modules[__name__])

KEYS = 400_000
PARTITIONS = 8


@pytest.fixture
def gate(tmp_path: pathlib.Path) -> Gate:
    return Gate(tmp_path)


def expected(*args: Any) -> bytes:
    filter = Filter(KEYS, 0.01, *args)
    filter.update(range(KEYS))
    return filter.to_bytes()


def test_killed_while_it_makes_a_partial_filter(spark: SparkSession, gate: Gate) -> None:
    # Partition 5 is among the last, so its executor has finished others, which are lost, too.
    # Batches have 10,000 keys: it dies with two of five.
    keys = spark.range(0, KEYS, numPartitions=PARTITIONS)
    keys = keys.mapInArrow(stop_in(gate, partition=5, after=2), "id long")
    killer = Killer(gate)
    killer.start()
    made = anther.spark.build(keys, "id", KEYS, 0.01, "counting", partitions=PARTITIONS)
    killer.join()

    assert killer.killed is not None
    assert not [name for name in gate.ran("finished-5") if name.endswith(f"-{killer.killed}")]
    assert killer.finished_there, "the executor had finished partial filters"
    for lost in killer.finished_there:
        partition = lost.split("-")[1]
        assert len(gate.ran(f"started-{partition}")) >= 2, f"{lost} was built again"
    assert made.to_bytes() == expected("counting")


class GatedRecipe(anther.spark._Recipe):
    """Stops in the middle of a merge: of the first round, since the second has one partition."""

    def merge(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        assert context is not None
        gate = Gate(pathlib.Path(context.getLocalProperty("anther.gate") or ""))
        rows = (batch.slice(row, 1) for batch in batches for row in range(batch.num_rows))
        return super().merge(stop_in(gate, partition=1, after=2)(rows))


def test_killed_while_it_merges(
    spark: SparkSession, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anther.spark, "_Recipe", GatedRecipe)
    spark.sparkContext.setLocalProperty("anther.gate", str(gate.folder))
    killer = Killer(gate)
    killer.start()
    keys = spark.range(0, KEYS, numPartitions=PARTITIONS)
    made = anther.spark.build(keys, "id", KEYS, 0.01, partitions=PARTITIONS)
    killer.join()

    assert killer.killed is not None
    assert not [name for name in gate.ran("finished-1") if name.endswith(f"-{killer.killed}")]
    assert len(gate.ran("started-1")) >= 2, "the merge ran again"
    assert made.to_bytes() == expected()


def fails_once(
    gate: Gate, partition: int
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The first attempt at the partition fails after its last key."""

    def passes(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        here, attempt = gates.task()
        gate.says(f"started-{here}-{attempt}")
        yield from batches
        if here == partition and gate.first("failed"):
            raise OSError("a disk fails")

    return passes


def test_a_task_that_runs_twice_counts_once(spark: SparkSession, gate: Gate) -> None:
    # Counters would show keys that were inserted twice. Speculation is the same to Spark: one of
    # several attempts counts. It cannot run here: it wants a second host.
    keys = spark.range(0, KEYS, numPartitions=PARTITIONS)
    keys = keys.mapInArrow(fails_once(gate, 6), "id long")
    made = anther.spark.build(keys, "id", KEYS, 0.01, "counting", partitions=PARTITIONS)
    assert len(gate.ran("started-6")) == 2
    assert made.to_bytes() == expected("counting")
