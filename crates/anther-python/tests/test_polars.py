"""`anther.polars`: the expression in every context, and filters built from frames."""

import doctest
import threading
from pathlib import Path

import pytest

pl = pytest.importorskip("polars")

import anther  # noqa: E402
import anther.polars  # noqa: E402
from anther.polars import build, contains  # noqa: E402


def filter_of(*keys: object) -> anther.Filter:
    made = anther.Filter(items=1000, fpr=1e-6)
    made.update(list(keys))
    return made


class Watched:
    """A filter that notes who calls it, with how many rows."""

    def __init__(self, filter: anther.Filter) -> None:
        self.filter = filter
        self.calls: list[tuple[int, int]] = []

    def contains_many(self, keys):
        self.calls.append((threading.get_ident(), len(keys)))
        return self.filter.contains_many(keys)


FRAME = pl.DataFrame({"group": ["a", "a", "b", "b"], "i": [1, 2, None, 4]})


def test_select_filter_and_null() -> None:
    seen = filter_of(1, 4)
    found = FRAME.select(contains("i", seen))
    assert found.schema == {"i": pl.Boolean}
    assert found["i"].to_list() == [True, False, None, True]
    assert FRAME.filter(contains(pl.col("i"), seen))["i"].to_list() == [1, 4]
    assert FRAME.filter(~contains("i", seen))["i"].to_list() == [2], "null is neither"
    assert FRAME.select(contains(pl.col("i") - 3, seen).alias("x"))["x"].to_list() == [False, False, None, True]


def test_lazy_frames_know_the_type() -> None:
    lazy = FRAME.lazy().with_columns(found=contains("i", filter_of(1)))
    assert lazy.collect_schema()["found"] == pl.Boolean
    assert lazy.collect()["found"].to_list() == [True, False, None, False]


def test_a_call_per_batch() -> None:
    watched = Watched(filter_of(*range(100)))
    frame = pl.DataFrame({"i": range(100_000)})
    assert frame.filter(contains("i", watched)).height == 100
    assert sum(rows for _, rows in watched.calls) == 100_000
    # `filter` gives each thread its share of the rows.
    assert len(watched.calls) <= max(64, pl.thread_pool_size())


def test_the_streaming_engine() -> None:
    watched = Watched(anther.polars.build(pl.DataFrame({"i": range(0, 600_000, 3)}), "i", fpr=1e-6))
    lazy = pl.LazyFrame({"i": range(600_000), "amount": [1] * 600_000})
    query = lazy.filter(contains("i", watched)).select(pl.col("amount").sum(), (pl.col("i") % 3 != 0).sum())
    total, wrong = query.collect(engine="streaming").row(0)
    assert total - wrong == 200_000 and wrong < 10
    assert len(watched.calls) < 100, "a call per batch, none per row"
    assert sum(rows for _, rows in watched.calls) == 600_000


def test_a_scan_of_a_file(tmp_path: Path) -> None:
    pl.DataFrame({"i": range(100_000), "s": [f"user-{i}" for i in range(100_000)]}).write_parquet(
        tmp_path / "t.parquet"
    )
    lazy = pl.scan_parquet(tmp_path / "t.parquet")
    seen = build(lazy.filter(pl.col("i") < 500), "s", fpr=1e-6)
    assert lazy.filter(contains("s", seen)).select("i").collect(engine="streaming").height == 500


def test_group_by_and_over() -> None:
    seen = filter_of(1, 2)
    grouped = FRAME.group_by("group", maintain_order=True).agg(
        contains("i", seen).sum().alias("found"), pl.col("i").filter(contains("i", seen)).alias("which")
    )
    assert grouped.rows() == [("a", 2, [1, 2]), ("b", 0, [])]
    assert FRAME.select(contains("i", seen).sum().over("group"))["i"].to_list() == [2, 2, 0, 0]
    streamed = FRAME.lazy().group_by("group").agg(contains("i", seen).sum()).sort("group").collect(engine="streaming")
    assert streamed.rows() == [("a", 2), ("b", 0)]


def test_when_then_and_literals() -> None:
    seen = filter_of(1)
    labelled = FRAME.select(pl.when(contains("i", seen)).then(pl.lit("old")).otherwise(pl.lit("new")).alias("l"))
    assert labelled["l"].to_list() == ["old", "new", "new", "new"]
    assert pl.select(contains(pl.lit(1), seen)).item() is True
    assert pl.select(contains(pl.lit(None), seen)).item() is None
    assert pl.DataFrame({"x": [None, None]}).select(contains("x", seen))["x"].to_list() == [None, None]
    assert FRAME.head(0).select(contains("i", seen)).schema == {"i": pl.Boolean}


def test_a_shared_filter() -> None:
    assert FRAME.filter(contains("i", anther.Shared(filter_of(2))))["i"].to_list() == [2]


def test_the_examples_of_the_docstrings() -> None:
    failed, attempted = doctest.testmod(anther.polars)
    assert failed == 0 and attempted > 10


def test_the_namespace() -> None:
    assert FRAME.filter(pl.col("i").anther.contains(filter_of(2)))["i"].to_list() == [2]


@pytest.mark.parametrize(
    ("key", "value", "dtype"),
    [
        ("a", "a", pl.String),
        ("a", "a", pl.Categorical),
        ("a", "a", pl.Enum(["a", "b"])),
        ("a", b"a", pl.Binary),
        (b"\xff", b"\xff", pl.Binary),
        (7, 7, pl.Int8),
        (-7, -7, pl.Int64),
        (2**64 - 1, 2**64 - 1, pl.UInt64),
        (1, True, pl.Boolean),
        ((7, "a"), {"x": 7, "y": "a"}, pl.Struct({"x": pl.Int64, "y": pl.String})),
    ],
)
def test_the_same_key_in_python_and_in_polars(key: object, value: object, dtype: "pl.DataType") -> None:
    frame = pl.DataFrame({"k": pl.Series([value, None], dtype=dtype)})
    assert frame.select(contains("k", filter_of(key)))["k"].to_list() == [True, None]
    assert frame.select(contains("k", filter_of("something else")))["k"].to_list() == [False, None]
    assert key in build(frame, "k", fpr=1e-6)


def test_an_integer_is_not_its_text() -> None:
    assert FRAME.select(contains("i", filter_of("1", "2"))).to_series().to_list() == [False, False, None, False]
    assert FRAME.select(contains(pl.col("i").cast(pl.String), filter_of("1")))["i"].to_list() == [
        True,
        False,
        None,
        False,
    ]


def test_types_that_are_no_keys() -> None:
    from datetime import date

    for values in ([1.5], [date(2026, 11, 17)], [[1, 2]]):
        frame = pl.DataFrame({"x": values})
        with pytest.raises(anther.KeyTypeError, match="cannot be a key"):
            frame.select(contains("x", filter_of(1)))
        with pytest.raises(anther.KeyTypeError, match="cannot be a key"):
            frame.lazy().select(contains("x", filter_of(1))).collect(engine="streaming")
        with pytest.raises(anther.KeyTypeError, match="cannot be a key"):
            build(frame, "x", fpr=0.01)


def test_contains_refuses() -> None:
    with pytest.raises(TypeError, match="takes a filter, not set"):
        contains("i", {1, 2})
    with pytest.raises(TypeError, match="an expression or the name of a column, not int"):
        contains(7, filter_of(1))
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        FRAME.select(contains("no such column", filter_of(1)))


def test_build_is_what_one_update_makes() -> None:
    values = pl.Series("i", range(300_000))
    local = anther.Filter(items=300_000, fpr=0.01)
    local.update(values)
    for frame in (values.to_frame(), values.to_frame().lazy()):
        assert build(frame, "i", fpr=0.01).to_bytes() == local.to_bytes()
        assert build(frame, pl.col("i"), fpr=0.01, items=300_000).to_bytes() == local.to_bytes()


def test_build_leaves_nulls_out_and_takes_options() -> None:
    made = build(FRAME, pl.col("i") * 10, fpr=1e-6, kind="counting", counter_bits=8, key=bytes(range(16)))
    assert [key in made for key in (10, 20, 40, 30)] == [True, True, True, False]
    assert made.kind == "counting"
    assert 1 not in build(FRAME.head(0), "i", fpr=0.01), "an empty frame makes an empty filter"


def test_build_a_static_kind() -> None:
    ribbon = build(FRAME, "i", fpr=0.001, kind="ribbon")
    assert ribbon.kind == "ribbon" and 4 in ribbon


def test_build_refuses() -> None:
    with pytest.raises(TypeError, match="takes a DataFrame or a LazyFrame, not Series"):
        build(FRAME["i"], "i", fpr=0.01)
    with pytest.raises(ValueError, match="one column, not 2: group, i"):
        build(FRAME, pl.all(), fpr=0.01)
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        build(FRAME, "no such column", fpr=0.01)
    with pytest.raises(anther.SizeError):
        build(FRAME, "i", fpr=2)
    with pytest.raises(anther.SizeError):
        build(FRAME, "i", fpr=0.01, items=0)
    with pytest.raises(anther.UnsupportedError, match="bloomier maps keys to values"):
        build(FRAME, "i", fpr=0.01, kind="bloomier")
    with pytest.raises(anther.UnsupportedError, match="Filter.cascade"):
        build(FRAME, "i", fpr=0.01, kind="cascade")
    with pytest.raises(anther.SizeError, match="ribbon is static and counts its keys; leave items out"):
        build(FRAME, "i", fpr=0.01, kind="ribbon", items=10)
