"""Lookups in expressions, and joins with a prefilter."""

import pathlib
import secrets
import sys
from typing import Any

import pytest
from pyspark import cloudpickle
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import anther
import anther.spark
from anther import Filter

cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.mark.parametrize(
    ("expression", "key"),
    [
        ("id", None),
        ("CAST(id AS smallint)", secrets.token_bytes(16)),
        ("CONCAT('ключ ', id)", None),
        ("UNHEX(SHA2(CAST(id AS string), 256))", secrets.token_bytes(16)),
        ("IF(id % 7 = 0, NULL, id + 9007199254740992)", None),
        ("IF(id % 7 = 0, NULL, CONCAT('key ', id))", None),
    ],
)
def test_contains(spark: SparkSession, expression: str, key: bytes | None) -> None:
    df = spark.range(0, 30_000, numPartitions=3).select("id", F.expr(expression).alias("key"))
    known = Filter(15_000, 0.01, key=key)
    known.update(df.where("id % 2 = 0").select("key").toArrow().column(0).drop_null())
    found = df.select("key", anther.spark.contains("key", known, key=key).alias("found")).toArrow()
    keys = found.column("key")
    assert found.column("found").to_pylist() == known.contains_many(keys).to_pylist()
    assert found.column("found").null_count == keys.null_count
    assert 0.4 < sum(map(bool, found.column("found").to_pylist())) / 30_000 < 0.52


def test_a_column_a_broadcast_and_a_rule(spark: SparkSession) -> None:
    known = Filter(10, 1e-6, rule="domain")
    known.update(["example.org"])
    shared = anther.spark.broadcast(known)
    names = ["WWW.Example.ORG.", "Example.org", "example.net"]
    df = spark.createDataFrame([(name,) for name in names], "name string")
    for filter in (known, shared):
        rows = df.select(anther.spark.contains(F.trim(F.col("name")), filter)).collect()
        assert [row[0] for row in rows] == [name in known for name in names]
    assert rows[1][0] and not rows[2][0]


def test_secret_keys_are_not_sent_unasked(spark: SparkSession) -> None:
    key = secrets.token_bytes(16)
    known = Filter(10, 0.01, key=key)
    with pytest.raises(TypeError, match="keyed"):
        anther.spark.contains("id", known)
    with pytest.raises(anther.FileError):
        anther.spark.contains("id", known, key=secrets.token_bytes(16))


def test_columns_that_make_no_keys(spark: SparkSession) -> None:
    known = Filter(10, 0.01)
    df = spark.range(3).select(F.col("id").cast("double").alias("price"))
    with pytest.raises(PythonException, match="float"):
        df.select(anther.spark.contains("price", known)).collect()


class CountedLoads:
    """Becomes a filter where it is unpickled, and leaves a file there with the process's number."""

    def __init__(self, folder: pathlib.Path, filter: Filter) -> None:
        self.code = (
            "(__import__('tempfile').mkstemp('', str(__import__('os').getpid()) + '-', "
            f"{str(folder)!r}), __import__('anther').Filter.from_bytes({filter.to_bytes()!r}))[1]"
        )

    def __reduce__(self) -> Any:
        return eval, (self.code,)


def test_a_worker_loads_the_filter_once(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    known = Filter(10, 0.01)
    shared = spark.sparkContext.broadcast(CountedLoads(tmp_path, known))
    df = spark.range(0, 200_000, numPartitions=12)  # 24 batches in 12 tasks
    assert df.where(anther.spark.contains("id", shared)).count() == 0
    loads = [path.name.split("-")[0] for path in tmp_path.iterdir()]
    assert loads and len(loads) == len(set(loads)), "once per process"
    assert len(loads) < 12, "processes are used again"


@pytest.fixture
def sides(spark: SparkSession) -> tuple[DataFrame, DataFrame]:
    large = spark.range(0, 200_000, numPartitions=4).select(
        F.expr("IF(id % 10 = 0, NULL, id % 50000)").alias("key"), F.col("id").alias("order")
    )
    small = spark.range(0, 3_000, numPartitions=2).select(
        F.expr("IF(id % 10 = 1, NULL, CAST(id * 17 AS int))").alias("key"), F.lit("x").alias("name")
    )
    return large, small.union(small)


def test_semi_join(sides: tuple[DataFrame, DataFrame]) -> None:
    large, small = sides
    expected = sorted(large.join(small, "key", "left_semi").collect())
    assert expected
    assert sorted(anther.spark.semi_join(large, small, "key").collect()) == expected
    few = anther.spark.prefilter(large, small, ["key"], items=3_000, fpr=0.001)
    assert len(expected) <= few.count() < len(expected) + 1_000
    for how in ("inner", "right"):
        assert few.join(small, "key", how).count() == large.join(small, "key", how).count()


def test_keys_of_two_types(sides: tuple[DataFrame, DataFrame]) -> None:
    large, small = sides
    text = small.select(F.col("key").cast("string"))
    with pytest.raises(anther.KeyTypeError, match="column key is integer .* string"):
        anther.spark.semi_join(large, text, "key")


def test_the_example_of_the_readme(spark: SparkSession) -> None:
    readme = (pathlib.Path(__file__).parents[2] / "README.md").read_text()
    (block,) = (block for block in readme.split("```python\n")[1:] if "import spark" in block)
    customers = spark.range(0, 1000, 10)
    orders = spark.range(1000).withColumn("customer_id", F.col("id"))
    names: dict[str, Any] = {"customers": customers, "orders": orders}
    exec(block.split("```")[0].replace("100_000_000", "100"), names)
    assert names["known"].contains_many([0, 10, 990]).all()
    joined = anther.spark.semi_join(orders, customers, "id")
    assert joined.count() == customers.count()
