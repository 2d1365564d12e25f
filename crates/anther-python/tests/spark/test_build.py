"""Building on executors gives the bytes of one local build."""

import secrets
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import anther
import anther.spark
from anther import Filter


def local(df: DataFrame, column: str, *args: Any, **options: Any) -> Filter:
    """What one process builds."""
    filter = Filter(*args, **options)
    filter.update(df.select(column).toArrow().column(0).drop_null())
    return filter


@pytest.mark.parametrize(
    "expression",
    [
        "id",
        "CAST(id % 30000 - 15000 AS smallint)",
        "CAST(id % 256 - 128 AS tinyint)",
        "-id * id * id",
        "UNHEX(SHA2(CAST(id AS string), 256))",
        "id % 2 = 0",
        "IF(id % 3 = 0, NULL, id)",
        "IF(id % 3 = 0, NULL, CONCAT('ключ ', id))",
    ],
)
def test_types(spark: SparkSession, expression: str) -> None:
    df = spark.range(0, 40_000, numPartitions=5).select(F.expr(expression).alias("key"))
    made = anther.spark.build(df, "key", 40_000, 0.01)
    assert made.to_bytes() == local(df, "key", 40_000, 0.01).to_bytes()


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("blocked", {"seed": 7}),
        ("blocked", {"key": secrets.token_bytes(16)}),
        ("classic", {"rule": "int"}),
        ("split", {}),
        ("counting", {"counter_bits": 8}),
        ("quotient", {}),
    ],
)
def test_kinds(spark: SparkSession, kind: str, options: dict[str, Any]) -> None:
    # Each key twice, mostly in two partitions.
    df = spark.range(0, 20_000, numPartitions=3).select((F.col("id") % 10_000).alias("key"))
    if "rule" in options:
        df = df.select(F.col("key").cast("string"))
    made = anther.spark.build(df, "key", 20_000, 0.01, kind, **options)
    assert made.to_bytes() == local(df, "key", 20_000, 0.01, kind, **options).to_bytes()
    assert made.kind == kind


@pytest.mark.parametrize("partitions", [1, 2, 5, 17])
def test_partitions(spark: SparkSession, partitions: int) -> None:
    df = spark.range(0, 10_000, numPartitions=17)
    made = anther.spark.build(df, "id", 10_000, 0.01, partitions=partitions)
    assert made.to_bytes() == local(df, "id", 10_000, 0.01).to_bytes()


def test_empty_partitions_and_empty_frames(spark: SparkSession) -> None:
    few = spark.range(0, 3, numPartitions=8)
    nulls = few.select(F.lit(None).cast("string").alias("id"))
    for df in (few, nulls, spark.createDataFrame([], "id string")):
        made = anther.spark.build(df, "id", 100, 0.01, partitions=3)
        assert made.to_bytes() == local(df, "id", 100, 0.01).to_bytes()


def test_filters_of_several_pieces(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 15 MB in four pieces; then fetched in four jobs, as those beyond 256 MB are.
    df = spark.range(0, 50_000, numPartitions=5)
    expected = local(df, "id", 12_000_000, 0.01).to_bytes()
    assert len(expected) > 3 * anther.spark._PIECE
    assert anther.spark.build(df, "id", 12_000_000, 0.01, partitions=5).to_bytes() == expected
    monkeypatch.setattr(anther.spark, "_FETCH", anther.spark._PIECE)
    assert anther.spark.build(df, "id", 12_000_000, 0.01, partitions=5).to_bytes() == expected


def test_counts_the_keys_if_not_told(spark: SparkSession) -> None:
    df = spark.range(0, 60_000, numPartitions=3).select((F.col("id") % 20_000).alias("key"))
    made = anther.spark.build(df, "key", None, 0.01)
    expected = local(df, "key", made.info.items_target, 0.01)
    assert made.to_bytes() == expected.to_bytes()
    assert 20_000 <= made.info.items_target <= 21_200


def test_several_columns_make_tuples(spark: SparkSession) -> None:
    df = spark.range(0, 5_000, numPartitions=3).select(
        F.concat(F.lit("user "), "id").alias("user"),
        F.expr("IF(id % 5 = 0, NULL, id % 100)").alias("day"),
    )
    made = anther.spark.build(df, ["user", "day"], 5_000, 0.01)
    expected = Filter(5_000, 0.01)
    rows = [tuple(row) for row in df.collect()]
    expected.update([row for row in rows if None not in row])
    assert made.to_bytes() == expected.to_bytes()
    answers = df.select(anther.spark.contains(["user", "day"], made)).collect()
    assert [answer[0] for answer in answers] == [None if None in row else True for row in rows]


def jobs(spark: SparkSession, work: Callable[[], object]) -> int:
    """How many jobs some work starts."""
    context = spark.sparkContext
    group = secrets.token_hex(8)
    context.setJobGroup(group, "counted")
    try:
        work()
    finally:
        context.setJobGroup("", "")
    return len(context.statusTracker().getJobIdsForGroup(group))


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("CAST(id AS double)", "double"),
        ("CAST(id AS float)", "float"),
        ("CAST(id AS decimal(20, 0))", "decimal"),
        ("CURRENT_TIMESTAMP()", "timestamp"),
        ("CURRENT_DATE()", "date"),
        ("ARRAY(id)", "array"),
        ("COLLATE(CAST(id AS string), 'UTF8_LCASE')", "UTF8_LCASE"),
    ],
)
def test_columns_that_make_no_keys(spark: SparkSession, expression: str, error: str) -> None:
    df = spark.range(10).select(F.expr(expression).alias("price"))

    def refused() -> None:
        with pytest.raises(anther.KeyTypeError, match=f"column price .*{error}"):
            anther.spark.build(df, "price", None, 0.01)

    assert jobs(spark, refused) == 0
    assert jobs(spark, lambda: spark.range(10).collect()) > 0


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((1_000, 0.01, "scalable"), (anther.MergeError, anther.UnsupportedError)),
        ((1_000, 0.01, "cuckoo"), (anther.MergeError, anther.UnsupportedError)),
        ((1_000, 0.01, "ribbon"), anther.AntherError),
        ((None, 0.01, "ribbon"), anther.AntherError),
        ((1_000, 0.01, "bloomy"), ValueError),
        ((1_000, 2.0), anther.SizeError),
        ((0, 0.01), anther.SizeError),
        ((-1, 0.01), (anther.SizeError, OverflowError)),
    ],
)
def test_filters_that_cannot_be_made(
    spark: SparkSession, arguments: Any, error: Any
) -> None:
    def refused() -> None:
        with pytest.raises(error):
            anther.spark.build(spark.range(10), "id", *arguments)

    assert jobs(spark, refused) == 0


def test_bad_arguments(spark: SparkSession) -> None:
    with pytest.raises(anther.SizeError, match="partitions is 0"):
        anther.spark.build(spark.range(10), "id", 10, 0.01, partitions=0)
    with pytest.raises(TypeError, match="partitions must be a whole number, not 1.5"):
        anther.spark.build(spark.range(10), "id", 10, 0.01, partitions=1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["cuckoo", "scalable", "ribbon", "bloomier"])
def test_a_kind_that_does_not_merge(spark: SparkSession, kind: str) -> None:
    with pytest.raises(anther.UnsupportedError, match="Spark cannot build") as raised:
        anther.spark.build(spark.range(10), "id", 10, 0.01, kind)
    assert "rebuild" not in str(raised.value) and 'kind="blocked"' in str(raised.value)


def test_a_float_is_refused_before_a_job(spark: SparkSession) -> None:
    df = spark.range(10).selectExpr("id / 2 AS half")
    with pytest.raises(anther.KeyTypeError, match="column half is double"):
        anther.spark.build(df, "half", 10, 0.01)
    with pytest.raises(anther.KeyTypeError, match="column half is double"):
        anther.spark.prefilter(df, df, "half", items=10)


def test_contains_takes_a_filter(spark: SparkSession) -> None:
    for wrong in (None, 7, {1, 2}):
        with pytest.raises(TypeError, match="filter must be a Filter, or what broadcast made of one"):
            anther.spark.contains("id", wrong)  # type: ignore[arg-type]
    with pytest.raises(anther.KeyTypeError, match="no column"):
        anther.spark.build(spark.range(10), [], 10, 0.01)


def test_a_key_that_the_rule_refuses(spark: SparkSession) -> None:
    df = spark.createDataFrame([("example.org",), ("not a domain",)], "name string")
    with pytest.raises(anther.KeyValueError, match="not a domain"):
        anther.spark.build(df, "name", 10, 0.01, rule="domain")


def test_pieces_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anther.spark, "_PIECE", 4)
    pieces = anther.spark._Pieces()
    whole = {part: secrets.token_bytes(10) for part in (3, 4)}
    rows = [
        (part, 10, start, pa.py_buffer(whole[part][start : start + 4]))
        for start in (8, 0, 4)
        for part in whole
    ]
    done = [bytes(data) for row in rows for data in pieces.add(*row)]
    assert done == [whole[3], whole[4]]
    assert not pieces.incomplete
