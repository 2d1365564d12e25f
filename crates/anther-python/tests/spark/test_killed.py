"""An executor is killed in mid-build, or a task runs twice: the bytes are the same."""

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


@pytest.mark.parametrize("kind", ["blocked", "counting"])
def test_killed_while_it_makes_a_partial_filter(
    spark: SparkSession, gate: Gate, kind: str
) -> None:
    # Partition 5 is among the last, so its executor has finished others, which are lost, too.
    # Batches have 10,000 keys: it dies with two of five.
    keys = spark.range(0, KEYS, numPartitions=PARTITIONS)
    keys = keys.mapInArrow(stop_in(gate, partition=5, after=2), "id long")
    killer = Killer(gate)
    killer.start()
    made = anther.spark.build(keys, "id", KEYS, 0.01, kind, partitions=PARTITIONS)
    killer.join()

    assert killer.killed is not None
    assert not [name for name in gate.ran("finished-5") if name.endswith(f"-{killer.killed}")]
    assert killer.finished_there, "the executor had finished partial filters"
    for lost in killer.finished_there:
        partition = lost.split("-")[1]
        assert len(gate.ran(f"started-{partition}")) >= 2, f"{lost} was built again"
    assert made.to_bytes() == expected(kind)


class GatedRecipe(anther.spark._Recipe):
    """Stops in the middle of a merge."""

    gate: Gate

    def merge(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        assert context is not None
        first_round = context.getLocalProperty("anther.gate") or ""
        self.gate = Gate(pathlib.Path(first_round))
        rows = (batch.slice(row, 1) for batch in batches for row in range(batch.num_rows))
        return super().merge(stop_in(self.gate, partition=1, after=2)(rows))


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


def slow_once(
    gate: Gate, partition: int
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The first attempt at the partition waits until a second one has read all of its keys."""

    def passes(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        here, attempt = gates.task()
        gate.says(f"started-{here}-{attempt}")
        first = here == partition and gate.first("slow")
        yield from batches
        if first:
            assert gate.waits("twice"), "no second attempt"
        elif here == partition:
            gate.says("twice")

    return passes


def test_a_task_that_runs_twice_counts_once(spark: SparkSession, gate: Gate) -> None:
    # Counters would show keys that were inserted twice.
    keys = spark.range(0, KEYS, numPartitions=PARTITIONS)
    keys = keys.mapInArrow(slow_once(gate, 6), "id long")
    made = anther.spark.build(keys, "id", KEYS, 0.01, "counting", partitions=PARTITIONS)
    assert len(gate.ran("started-6")) == 2
    assert made.to_bytes() == expected("counting")
