"""Builds a filter from integers on a local Spark cluster, beside Spark's own `bloomFilter`.

    python bench/python/spark.py --keys 100000000 --rounds 3 --record

Needs `anther[spark]` and NumPy installed, and Java 17. The rounds alternate; each figure is a
median. The bytes that the cluster built are compared with those of one local build.
"""

import argparse
import csv
import datetime
import os
import pathlib
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyspark
from pyspark.sql import DataFrame, SparkSession

import anther
import anther.spark

RECORDS = pathlib.Path(__file__).parent.parent / "records"
# docs/scale.md reads `keys`, `seconds_partial`, `seconds_merge` and `bytes_moved`.
COLUMNS = [
    "keys",
    "contender",
    "seconds",
    "lowest",
    "highest",
    "times_reference",
    "seconds_partial",
    "seconds_merge",
    "seconds_rest",
    "bytes_moved",
    "filter_bytes",
    "measured_fpr",
    "executors",
]


def session(folder: pathlib.Path, arguments: argparse.Namespace) -> SparkSession:
    """A cluster whose executors are processes of their own."""
    package = pathlib.Path(pyspark.__file__).parent
    home = folder / "home"  # the executors write to a folder in it
    home.mkdir()
    for name in ("bin", "jars", "python", "sbin"):
        (home / name).symlink_to(package / name)
    os.environ["SPARK_HOME"] = str(home)
    os.environ["SPARK_LOCAL_HOSTNAME"] = "localhost"
    os.environ["SPARK_LOCAL_DIRS"] = str(folder / "local")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = (
        SparkSession.builder.master(f"local-cluster[{arguments.executors},1,{arguments.memory}]")
        .appName("anther bench")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.executor.memory", f"{arguments.memory}m")
        .config("spark.driver.memory", f"{arguments.memory}m")
        .config("spark.driver.maxResultSize", "0")
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        # Spark's own filter is cut to 8 MB and 4 M keys, without a word, unless these are raised.
        .config("spark.sql.optimizer.runtime.bloomFilter.maxNumBits", str(1 << 34))
        .config("spark.sql.optimizer.runtime.bloomFilter.maxNumItems", str(1 << 34))
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("OFF")
    return made


def stages(spark: SparkSession) -> list[Any]:
    """The finished stages, oldest first, as Spark keeps them for its web pages."""
    context = spark.sparkContext
    jvm: Any = context._jvm
    store = context._jsc.sc().statusStore()
    empty = getattr(store, "stageList$default$5")()
    nothing = context._gateway.new_array(jvm.double, 0)  # type: ignore[union-attr]
    found = store.stageList(None, False, False, nothing, empty)
    listed = [found.apply(i) for i in range(found.size())]
    return sorted(
        (one for one in listed if str(one.status()) == "COMPLETE"), key=lambda one: one.stageId()
    )


def seconds_of(stage: Any) -> float:
    return (stage.completionTime().get().getTime() - stage.submissionTime().get().getTime()) / 1e3


class Figures:
    """What the rounds measured, by contender and phase."""

    def __init__(self) -> None:
        self.seconds: dict[tuple[str, str], list[float]] = {}
        self.moved: dict[tuple[str, str], int] = {}

    def add(self, contender: str, phase: str, seconds: float, moved: int | None = None) -> None:
        self.seconds.setdefault((contender, phase), []).append(seconds)
        if moved is not None:
            self.moved[contender, phase] = moved


def timed(spark: SparkSession, work: Callable[[], Any]) -> tuple[float, Any, list[Any]]:
    """Seconds, the result, and the stages that ran."""
    before = {stage.stageId() for stage in stages(spark)}
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    time.sleep(0.5)  # the stages' figures come a little later
    return seconds, result, [one for one in stages(spark) if one.stageId() not in before]


def rows_of(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield pa.record_batch({"rows": [sum(batch.num_rows for batch in batches)]})


def local_build(keys: int, fpr: float) -> anther.Filter:
    made = anther.Filter(keys, fpr)
    step = 10_000_000
    for start in range(0, keys, step):
        made.update(np.arange(start, min(start + step, keys), dtype=np.int64))
    return made


def run(spark: SparkSession, keys: int, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    fpr, partials = arguments.fpr, arguments.executors
    df: DataFrame = spark.range(0, keys, numPartitions=4 * arguments.executors)
    figures = Figures()
    expected = local_build(keys, fpr).to_bytes()
    ours = theirs = None

    def spark_build() -> Any:
        return df._jdf.stat().bloomFilter("id", keys, float(fpr))

    # One small round first: Java compiles, Python workers start.
    warm = spark.range(0, 100_000, numPartitions=4 * arguments.executors)
    anther.spark.build(warm, "id", 100_000, fpr)
    warm._jdf.stat().bloomFilter("id", 100_000, float(fpr))

    for _ in range(arguments.rounds):
        seconds, ours, ran = timed(spark, lambda: anther.spark.build(df, "id", keys, fpr))
        assert ours.to_bytes() == expected, "not the bytes of a local build"
        figures.add("anther", "all", seconds, sum(one.shuffleWriteBytes() for one in ran))
        partial, merges = ran[0], ran[1:]
        figures.add("anther", "partial", seconds_of(partial), partial.shuffleWriteBytes())
        merge = sum(seconds_of(one) for one in merges)
        figures.add("anther", "merge", merge, sum(one.shuffleWriteBytes() for one in merges))
        rest = seconds - merge - seconds_of(partial)
        figures.add("anther", "plan and fetch", rest, len(expected))

        seconds, theirs, ran = timed(spark, spark_build)
        figures.add(
            "spark bloomFilter", "all", seconds, sum(one.shuffleWriteBytes() for one in ran)
        )

        seconds, rows, _ = timed(
            spark, lambda: df.coalesce(partials).mapInArrow(rows_of, "rows long").collect()
        )
        assert sum(row[0] for row in rows) == keys
        figures.add("keys to Python", "all", seconds)

        start = time.perf_counter()
        local_build(keys, fpr)
        figures.add("anther in one process", "all", time.perf_counter() - start)

    assert ours is not None and theirs is not None
    absent = np.arange(2 * keys, 2 * keys + 1_000_000, dtype=np.int64)
    probes = 20_000
    measured = {
        "anther": float(np.mean(ours.contains_many(absent))),
        "spark bloomFilter": sum(theirs.mightContainLong(int(one)) for one in absent[:probes])
        / probes,
    }
    sizes = {"anther": len(expected), "spark bloomFilter": theirs.bitSize() // 8}
    reference = statistics.median(figures.seconds["spark bloomFilter", "all"])
    rows_out = []
    for (contender, phase), seconds_all in figures.seconds.items():
        if phase != "all":
            continue
        median = statistics.median(seconds_all)

        def of_phase(phase: str, contender: str = contender) -> str:
            seconds = figures.seconds.get((contender, phase))
            return f"{statistics.median(seconds):.3f}" if seconds else ""

        rows_out.append(
            {
                "keys": keys,
                "contender": contender,
                "seconds": f"{median:.3f}",
                "lowest": f"{min(seconds_all):.3f}",
                "highest": f"{max(seconds_all):.3f}",
                "times_reference": f"{median / reference:.3f}",
                "seconds_partial": of_phase("partial"),
                "seconds_merge": of_phase("merge"),
                "seconds_rest": of_phase("plan and fetch"),
                "bytes_moved": figures.moved.get((contender, "all"), ""),
                "filter_bytes": sizes.get(contender, ""),
                "measured_fpr": f"{measured[contender]:.5f}" if contender in measured else "",
                "executors": arguments.executors,
            }
        )
    return rows_out


def machine(spark: SparkSession) -> str:
    names = [
        line.split(":")[1].strip()
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    jvm: Any = spark.sparkContext._jvm
    return (
        f"# {names[0] if names else platform.machine()}, {os.cpu_count()} cores; "
        f"Spark {pyspark.__version__}, Java {jvm.System.getProperty('java.version')}, "
        f"Python {platform.python_version()}, pyarrow {pa.__version__}; "
        f"anther {anther.__version__}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--keys", type=int, nargs="+", default=[10_000_000, 100_000_000])
    parser.add_argument("--fpr", type=float, default=0.01)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--executors", type=int, default=2)
    parser.add_argument("--memory", type=int, default=3072, help="MB per executor")
    parser.add_argument("--no-record", action="store_true", help="print the table only")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spark = session(pathlib.Path(folder), arguments)
        try:
            rows = [row for keys in arguments.keys for row in run(spark, keys, arguments)]
            about = machine(spark)
        finally:
            spark.stop()

    def write(out: Any) -> None:
        out.write(about + "\n")
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)

    write(sys.stdout)
    if not arguments.no_record:
        today = datetime.datetime.now(datetime.timezone.utc).date()
        with (RECORDS / f"{today}-spark.csv").open("w", newline="") as out:
            write(out)


if __name__ == "__main__":
    main()
