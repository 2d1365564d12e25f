"""Many keys at once: every form of keys, and answers in that form."""

import datetime
import decimal
import re
import subprocess
import sys
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import anther

TEXTS = ["x", "", "yy", "a text that is longer than twelve bytes", "é", "zzz"]
INTEGER_TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i2", ">u4", ">i8", "<i4"]


def filter_of(keys, **options):
    filter = anther.Filter(10_000, 1e-9, "classic", **options)
    for key in keys:
        filter.add(key)
    return filter


@pytest.mark.parametrize("dtype", INTEGER_TYPES)
def test_numpy_integers(dtype):
    keys = np.array([0, 1, 2, 100, 127] + ([-1, -128] if "i" in dtype else [200, 255]), dtype=dtype)
    one_by_one = filter_of(keys.tolist())
    for given in [keys, keys[::-1], np.repeat(keys, 3)[1::3], keys.copy()[:]]:
        many = filter_of([])
        many.update(given)
        assert many == one_by_one
        assert many.contains_many(given).all()
    # An odd address and an odd stride.
    record = np.zeros(len(keys), dtype=[("pad", "u1"), ("key", dtype)])
    record["key"] = keys
    many = filter_of([])
    many.update(record["key"])
    assert many == one_by_one
    read_only = keys.copy()
    read_only.flags.writeable = False
    assert one_by_one.contains_many(read_only).all()


def test_numpy_of_other_items():
    filter = filter_of([*TEXTS, 0, 1])
    texts = np.array(TEXTS)
    for given in [
        texts,
        texts.astype(">U40"),
        texts[::-2],
        np.array([text.encode() for text in TEXTS]),
        np.array(TEXTS, dtype=object),
        np.array([True, False, True]),
        np.array([True, False, True])[::-1],
        np.array([], dtype="i8"),
        np.array([]).astype("U1"),
        np.arange(0),
    ]:
        found = filter.contains_many(given)
        assert found.dtype == bool and found.shape == given.shape and found.all()
        many = filter_of([])
        many.update(given)
        assert many == filter_of(given.tolist())
    if hasattr(np.dtypes, "StringDType"):
        assert filter.contains_many(np.array(TEXTS, dtype=np.dtypes.StringDType())).all()


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (np.array([1.5]), anther.KeyTypeError, "float64 cannot be keys"),
        (np.array(["2020-01-01"], dtype="M8[D]"), anther.KeyTypeError, "astype"),
        (np.array([1], dtype="m8[s]"), anther.KeyTypeError, "astype"),
        (np.array([1j]), anther.KeyTypeError, "complex"),
        (np.zeros(3, dtype="V4"), anther.KeyTypeError, "integers, booleans, bytes or str"),
        (np.zeros((2, 2), dtype="i8"), TypeError, "2 dimensions"),
        (np.array(1), TypeError, "0 dimensions"),
        (np.ma.array([1, 2], mask=[0, 1]), TypeError, "mask"),
        (np.array(["a", "\ud800"]), anther.KeyValueError, "row 1"),
        (np.array(["a", 1.5], dtype=object), anther.KeyTypeError, "float"),
        (pa.array([1.5]), anther.KeyTypeError, "Float64.*cast"),
        (pa.array([1], pa.timestamp("us", "UTC")), anther.KeyTypeError, "Timestamp.*cast"),
        (pa.array([1], pa.date32()), anther.KeyTypeError, "Date32.*cast"),
        (pa.array([1], pa.decimal128(5)), anther.KeyTypeError, "Decimal128.*cast"),
        (pa.array([[1]]), anther.KeyTypeError, "List.*string or tuple"),
        (pa.array([{"a": 1, "b": {"c": 1, "d": 2}}]), anther.KeyTypeError, "struct within"),
        (pa.RunEndEncodedArray.from_arrays([2], [1.5]), anther.KeyTypeError, "Float64.*cast"),
        (pa.array([1.5]).dictionary_encode(), anther.KeyTypeError, "Float64"),
        (pa.table({"a": [1]}), anther.KeyTypeError, "one column"),
        (pa.table({"a": [1], "b": [1.5]}), anther.KeyTypeError, "Float64"),
        (pd.Series([1.5]), anther.KeyTypeError, "float"),
        (pl.Series([1.5]), anther.KeyTypeError, "Float64"),
        (pl.Series([1, 2**127], dtype=pl.UInt128), anther.KeyValueError, "128 bits"),
        (pl.LazyFrame({"a": [1], "b": [2]}), TypeError, r"frame\.collect\(\)"),
        ("text", TypeError, "one key"),
        (b"text", TypeError, "one key"),
        (bytearray(b"text"), TypeError, "one key"),
        (5, TypeError, "one key"),
        (None, TypeError, "not a collection"),
        (1.5, TypeError, "not a collection"),
        (object(), TypeError, "not a collection"),
    ],
    ids=lambda value: None,
)
def test_what_is_refused_changes_nothing(given, error, words):
    filter = filter_of(["a"])
    before = filter.to_bytes()
    for method in [filter.update, filter.contains_many]:
        with pytest.raises(error, match=words):
            method(given)
    with pytest.raises(error, match=words):
        anther.Filter.build(given, 0.01)
    assert filter.to_bytes() == before


TEXT_TYPES = [pa.string(), pa.large_string(), pa.string_view()]
BYTES_TYPES = [pa.binary(), pa.large_binary(), pa.binary_view()]


@pytest.mark.parametrize("kind", TEXT_TYPES + BYTES_TYPES, ids=str)
def test_arrow_text_and_bytes(kind):
    keys = [TEXTS[0], None, *TEXTS[1:], None, "absent", "absent, and longer than twelve bytes"]
    if kind in BYTES_TYPES:
        keys = [None if key is None else key.encode() for key in keys]
    expected = [True, None, *[True] * 5, None, False, False]
    array = pa.array(keys, kind)
    filter = filter_of(TEXTS)
    assert filter.contains_many(array).to_pylist() == expected
    for start in range(len(keys)):
        for length in range(len(keys) - start + 1):
            found = filter.contains_many(array.slice(start, length))
            assert found.type == pa.bool_()
            assert found.to_pylist() == expected[start : start + length]
    many = filter_of([])
    many.update(array.slice(1, 6))
    assert many == filter_of([key for key in keys[1:7] if key is not None]), "nulls are left out"
    encoded = array.cast(pa.string() if kind in TEXT_TYPES else pa.binary()).dictionary_encode()
    assert filter.contains_many(encoded).to_pylist() == expected
    assert filter.contains_many(encoded.slice(1, 4)).to_pylist() == expected[1:5]


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()], ids=str
)
def test_arrow_integers(kind):
    keys = [0, None, 1, 100, 5, 127] + ([-1, -128] if "u" not in str(kind) else [255])
    array = pa.array(keys, kind)
    filter = filter_of([key for key in keys if key not in (None, 5)])
    expected = [None if key is None else key != 5 for key in keys]
    assert filter.contains_many(array).to_pylist() == expected
    assert filter.contains_many(array.slice(1, 3)).to_pylist() == expected[1:4]
    many = filter_of([])
    many.update(array)
    assert many == filter_of([key for key in keys if key is not None])


def test_other_arrow_types():
    filter = filter_of([1, b"abcd"])
    booleans = pa.array([True, False, None, True])
    assert filter.contains_many(booleans).to_pylist() == [True, False, None, True]
    assert filter.contains_many(booleans.slice(1)).to_pylist() == [False, None, True]
    assert filter.contains_many(pa.nulls(3)).to_pylist() == [None] * 3
    fixed = pa.array([b"abcd", None, b"abce"], pa.binary(4))
    assert filter.contains_many(fixed).to_pylist() == [True, None, False]
    assert filter.contains_many(fixed.slice(1)).to_pylist() == [None, False]
    assert filter.contains_many(pa.array([], pa.string())).to_pylist() == []
    filter.update(pa.nulls(3))
    assert filter == filter_of([1, b"abcd"])
    # A null among the values of a dictionary.
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0]), pa.array(["x", None]))
    assert filter_of(["x"]).contains_many(dictionary).to_pylist() == [True, None, None, True]


def in_runs(values, ends=pa.int32()):
    return pa.RunEndEncodedArray.from_arrays(pa.array(range(2, 2 * len(values) + 1, 2), ends), values)


@pytest.mark.parametrize(
    "values",
    [
        *(pa.array([*TEXTS, None, "absent"], kind) for kind in TEXT_TYPES),
        pa.array(["x", None, "y", "x"]).dictionary_encode(),
        pa.array([b"abcd", None, b"efgh"], pa.binary(4)),
        pa.array([1, -1, None, 5]),
        pa.array([True, None, False]),
    ],
    ids=lambda values: str(values.type),
)
def test_runs_and_dictionaries_of_any_layout(values):
    filter = filter_of([key for key in values.to_pylist()[:3] if key is not None])
    plain = [key for key in values.to_pylist() for _ in range(2)]
    expected = [None if key is None else key in filter for key in plain]
    twice = pa.DictionaryArray.from_arrays(pa.array([place // 2 for place in range(len(plain))]), values)
    columns = [in_runs(values, ends) for ends in [pa.int16(), pa.int32(), pa.int64()]] + [twice]
    for column in columns:
        for start in range(len(plain)):
            for length in range(len(plain) - start + 1):
                found = filter.contains_many(column.slice(start, length))
                assert found.to_pylist() == expected[start : start + length]
        many = filter_of([])
        many.update(pa.chunked_array([column.slice(1), column]))
        keys = [key for key in [*plain[1:], *plain] if key is not None]
        assert many == filter_of(keys)
        table = pa.table({"a": column, "b": ["b"] * len(plain)}).slice(1)
        pairs = [None if key is None else (key, "b") for key in plain[1:]]
        some = filter_of([pair for pair in pairs[:4] if pair is not None])
        assert some.contains_many(table).to_pylist() == [pair and pair in some for pair in pairs]


def test_runs_under_a_rule_and_of_malformed_data():
    hosts = anther.Filter(100, rule="domain")
    hosts.update(in_runs(pa.array(["Example.ORG.", None, "example.net"])))
    assert hosts.contains_many(["example.org", "example.NET", "example.com"]).tolist() == [True, True, False]
    ends = np.array([2, 4], dtype="i4")
    column = pa.RunEndEncodedArray.from_arrays(pa.array(ends), pa.array(["a.org", "b.org"]))
    for bad in [[4, 2], [1, 2], [-1, 4]]:
        ends[:] = bad
        with pytest.raises(ValueError, match="malformed Arrow data"):
            hosts.contains_many(column)


@pytest.mark.parametrize(
    "empty",
    [
        np.array([]),
        np.array([], dtype="M8[D]"),
        np.ma.array([]),
        pa.array([], pa.float64()),
        pa.array([], pa.uuid()),
        pa.array([], pa.list_(pa.int8())),
        pa.chunked_array([], pa.float64()),
        pa.chunked_array([[], []], pa.float64()),
        pa.table({"a": pa.array([], pa.float64())}),
        pd.Series([], dtype="float64"),
        pd.Series([], dtype="Float64"),
        pd.Series([], dtype="datetime64[ns, UTC]"),
        pd.Index([], dtype="float64"),
        pd.DataFrame(),
        pd.DataFrame({"a": [1.5], "b": [2.5]}).iloc[:0],
        pl.Series([], dtype=pl.Float64),
        pl.Series([], dtype=pl.Object),
        pl.DataFrame(),
        pl.DataFrame(schema={"a": pl.Float64, "b": pl.List(pl.Int8)}),
    ],
    ids=lambda empty: f"{type(empty).__module__}.{type(empty).__name__}",
)
def test_an_empty_column_of_any_type_has_no_keys(empty):
    filter = filter_of(["a"])
    filter.update(empty)
    assert filter == filter_of(["a"])
    assert len(filter.contains_many(empty)) == 0
    assert anther.Filter.build(empty, 0.01) == anther.Filter.build([], 0.01)


DAY = datetime.datetime(2026, 11, 17)


@pytest.mark.parametrize(
    ("array", "ways"),
    [
        (pd.Series([1, None]), 2),
        (pd.Series([1, None], dtype="Float64"), 2),
        (pd.Series([1, None], dtype="double[pyarrow]"), 2),
        (pd.Index([1, None]), 2),
        (pd.Series([DAY, None]), 1),
        (pd.Series([DAY, None]).dt.tz_localize("UTC"), 1),
        (pd.Series([DAY - DAY, None]), 1),
        (pd.Series([pd.Period("2026-11"), None]), 1),
        (pd.Series([pd.Interval(0, 1), None]), 1),
        (np.array([1, np.nan]), 2),
        (np.array([DAY, None], dtype="M8[us]"), 2),
        (np.array([1, "NaT"], dtype="m8[s]"), 2),
        (pa.array([1.0, None]), 2),
        (pa.array([decimal.Decimal("1.00"), None]), 2),
        (pa.array([DAY, None]), 1),
        (pa.array([DAY.date(), None]), 1),
        (pa.array([DAY.time(), None]), 1),
        (pa.array([DAY - DAY, None]), 1),
        (pa.array(["1", None], pa.json_()), 1),
        (pa.array([uuid.UUID(int=1).bytes, None], pa.uuid()), 1),
    ],
    ids=lambda value: str(getattr(value, "dtype", getattr(value, "type", ""))),
)
def test_advice_works_when_pasted(array, ways):
    with pytest.raises(anther.KeyTypeError) as refused:
        filter_of([]).update(array)
    advice = str(refused.value)
    codes = re.findall(r"(?:array|column)\.astype\([^)]*\)|\[str.*\]", advice)
    codes += [f'array.cast("{kind}")' for kind in re.findall(r"to (string|int64)", advice)]
    assert len(codes) == ways
    for missing in re.findall(r"array\[~.*?\]", advice):
        array = eval(missing, {"np": np, "array": array})
    for code in codes:
        filter = filter_of([])
        filter.update(eval(code, {"array": array, "column": array}))
        assert filter.info.inserted == 1, "what is missing is no key"


def test_advice_for_the_columns_of_a_frame():
    with pytest.raises(anther.KeyTypeError, match=r'float64 .* column.astype\("Int64"\)'):
        filter_of([]).update(pd.DataFrame({"a": ["x", "y"], "b": [1, None]}))


def test_rows_of_tables_are_tuples():
    table = pa.table({"a": ["x", "y", None, "w"], "b": [1, 2, 3, None], "c": [True, False, True, True]})
    filter = filter_of([("x", 1, True), ("y", 2, False)])
    many = filter_of([])
    many.update(table)
    assert many == filter, "a row with a null has no key"
    expected = [True, True, None, None]
    assert filter.contains_many(table).to_pylist() == expected
    assert filter.contains_many(table.to_batches()[0]).to_pylist() == expected
    assert filter.contains_many(pl.from_arrow(table)).to_list() == expected
    assert filter.contains_many(table.slice(1, 2)).to_pylist() == [True, None]
    frame = pd.DataFrame({"a": ["x", "q"], "b": [1, 2], "c": [True, True]}, index=[7, 8])
    found = filter.contains_many(frame)
    assert found.tolist() == [True, False] and found.index.tolist() == [7, 8]
    ruled = anther.Filter(100, rule=anther.Rule("text", ignore_case=True, parts=2))
    ruled.add(("A", "B"))
    assert ruled.contains_many(pa.table({"a": ["a"], "b": ["b"]})).to_pylist() == [True]
    with pytest.raises(anther.KeyTypeError):
        ruled.contains_many(table)


def test_chunks():
    filter = filter_of(range(0, 3000, 3))
    chunks = pa.chunked_array([range(1000), [], [None, 3], range(1000, 3000)], pa.int64())
    found = filter.contains_many(chunks)
    assert isinstance(found, pa.ChunkedArray) and found.num_chunks == 4
    expected = [None if key is None else key % 3 == 0 for key in chunks.to_pylist()]
    assert found.to_pylist() == expected
    many = filter_of([])
    many.update(chunks)
    assert many == filter_of([*range(1000), 3, *range(1000, 3000)])
    empty = pa.chunked_array([], pa.int64())
    assert filter.contains_many(empty).to_pylist() == []
    filter.update(empty)


def test_polars():
    filter = filter_of(["x", 1])
    found = filter.contains_many(pl.Series("name", ["x", None, "y"]))
    assert isinstance(found, pl.Series) and found.name == "name" and found.dtype == pl.Boolean
    assert found.to_list() == [True, None, False]
    chunked = pl.concat([pl.Series([1, 2]), pl.Series([3, None])], rechunk=False)
    assert filter.contains_many(chunked).to_list() == [True, False, False, None]
    assert filter.contains_many(pl.Series([None, None])).to_list() == [None, None]
    category = pl.Series(["x", "y", None], dtype=pl.Categorical)
    assert filter.contains_many(category).to_list() == [True, False, None]


@pytest.mark.parametrize("kind", [pl.Int128, pl.UInt128])
def test_polars_integers_of_128_bits(kind):
    keys = [5, None, 2**64 - 1, 2**64, 2**127 - 1, *([-1, -(2**127)] if kind == pl.Int128 else [])]
    series = pl.Series(keys, dtype=kind)
    present = [key for key in keys if key is not None]
    filter = filter_of([*present, *((key, "b") for key in present)])
    expected = [None if key is None else True for key in keys]
    both = pl.concat([series[1:], series], rechunk=False)
    assert filter.contains_many(both).to_list() == [*expected[1:], *expected]
    frame = pl.DataFrame({"a": series}).with_columns(b=pl.lit("b"))
    assert filter.contains_many(frame).to_list() == expected
    assert filter.contains_many(frame[1:].to_struct()).to_list() == expected[1:]
    assert not filter_of([6]).contains_many(series.drop_nulls()).any()
    many = filter_of([])
    many.update(both)
    many.update(frame)
    assert many == filter_of([*present[1:], *present, *((key, "b") for key in present)])


@pytest.mark.parametrize("dtype", ["object", "string", "category", None])
def test_pandas_text(dtype):
    series = pd.Series(["x", "y", None], index=[5, 6, 7], name="name", dtype=dtype)
    found = filter_of(["x"]).contains_many(series)
    assert isinstance(found, pd.Series) and found.name == "name"
    assert found.index.tolist() == [5, 6, 7]
    assert found[5] and not found[6] and found[7] is pd.NA
    many = filter_of([])
    many.update(series)
    assert many == filter_of(["x", "y"])


def test_pandas_numbers():
    filter = filter_of([1, 2])
    for dtype in ["int64", "uint8", "Int64", "int64[pyarrow]", "bool"]:
        series = pd.Series([1, 0, 1], index=list("abc"), dtype=dtype)
        found = filter.contains_many(series)
        assert found.index.tolist() == ["a", "b", "c"] and found.tolist() == [True, False, True]
    found = filter.contains_many(pd.Series([1, None, 3], dtype="Int64"))
    assert found.dtype == "boolean" and found[0] and found[1] is pd.NA and not found[2]
    assert filter.contains_many(pd.Index([1, 2, 3])).tolist() == [True, True, False]


def test_another_arrow_producer_gets_arrow():
    class Producer:
        def __init__(self, array):
            self.array = array

        def __arrow_c_array__(self, requested_schema=None):
            return self.array.__arrow_c_array__(requested_schema)

    found = filter_of(["x"]).contains_many(Producer(pa.array(["x", "y", None])))
    assert type(found) is anther.BooleanArray
    assert len(found) == 3 and found.to_pylist() == [True, False, None] == list(found)
    assert (found[0], found[-1], found.null_count) == (True, None, 1)
    with pytest.raises(IndexError):
        found[3]
    assert pa.array(found).to_pylist() == pl.Series(found).to_list() == [True, False, None]


def test_a_used_capsule_is_an_error():
    class Once:
        def __init__(self):
            self.capsules = pa.array([1]).__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema=None):
            return self.capsules

    once = Once()
    filter = filter_of([1])
    assert filter.contains_many(once).to_pylist() == [True]
    with pytest.raises(ValueError, match="used before|released"):
        filter.contains_many(once)

    class Wrong:
        def __init__(self, capsules):
            self.capsules = capsules

        def __arrow_c_array__(self, requested_schema=None):
            return self.capsules

    for capsules in [None, (1, 2), pa.array([1]).__arrow_c_array__()[::-1], ()]:
        with pytest.raises((TypeError, ValueError)):
            filter.contains_many(Wrong(capsules))


def test_iterables():
    expected = filter_of(["a", "b", "c"])
    for given in [
        ["a", "b", "c"],
        ("a", "b", "c"),
        {"a", "b", "c"},
        frozenset("abc"),
        {"a": 1, "b": 2, "c": 3},
        {"a": 1, "b": 2, "c": 3}.keys(),
        iter("abc"),
        (key for key in "abc"),
        map(str, "abc"),
    ]:
        filter = filter_of([])
        filter.update(given)
        assert filter == expected
    found = expected.contains_many(key for key in "axb")
    assert isinstance(found, np.ndarray) and found.tolist() == [True, False, True]


def test_sized_collections_are_hashed_first_and_iterators_as_they_come():
    keys = ["a"] * 100_000 + [1.5]
    filter = anther.Filter(100)
    with pytest.raises(anther.KeyTypeError):
        filter.update(keys)
    assert filter.info.inserted == 0
    with pytest.raises(anther.KeyTypeError):
        filter.update(iter(keys))
    assert filter.info.inserted == 100_000

    def broken():
        yield "a"
        raise RuntimeError("from the iterator")

    with pytest.raises(RuntimeError, match="from the iterator"):
        filter.update(broken())


@pytest.mark.parametrize("kind", sorted(set(anther.kinds) - anther.static_kinds))
def test_large_columns_are_as_single_keys(kind):
    keys = np.arange(60_000, dtype=np.uint32)
    single, many = (anther.Filter(150_000, 0.01, kind) for _ in range(2))
    single.update(iter(keys.tolist()))
    many.update(keys)
    assert single.to_bytes() == many.to_bytes()
    texts = pa.array([f"key {key}" for key in range(60_000)])
    single.update(iter(texts.to_pylist()))
    for threads in [1, 2]:
        again = many.copy()
        again.update(texts, threads=threads)
        assert single.to_bytes() == again.to_bytes()
        expected = [key in single for key in texts.to_pylist()]
        assert again.contains_many(texts, threads=threads).to_pylist() == expected
    with pytest.raises(ValueError, match="1 or more"):
        many.update(keys, threads=0)


def test_large_columns_on_several_threads():
    keys = np.random.default_rng(1).integers(0, 2**64, 400_000, dtype=np.uint64)
    one, two = anther.Filter(400_000), anther.Filter(400_000)
    one.update(keys, threads=1)
    two.update(keys, threads=2)
    assert one.to_bytes() == two.to_bytes()
    other = keys + 1
    assert (one.contains_many(other, threads=1) == two.contains_many(other, threads=2)).all()
    # With nulls, and many chunks.
    array = pa.chunked_array([pa.array([*chunk.tolist(), None], pa.uint64()) for chunk in np.split(keys, 1000)])
    nulls = anther.Filter(400_000)
    nulls.update(array, threads=2)
    assert nulls.to_bytes() == one.to_bytes()


def test_without_numpy_there_are_lists():
    code = """
import sys
sys.modules["numpy"] = None
import anther
filter = anther.Filter(100)
filter.update(["a", "b"])
assert filter.contains_many(["a", "c"]) == [True, False]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_object_is_made_per_key():
    import tracemalloc

    filter = anther.Filter(1_000_000)
    texts = pa.array([f"https://example.org/{key}" for key in range(200_000)])
    numbers = np.arange(200_000)
    tracemalloc.start()
    filter.update(texts)
    filter.update(numbers)
    filter.contains_many(texts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000, "bytes of Python objects for 400,000 keys"


def test_extension_types_are_refused():
    filter = filter_of(["a"])
    storage = pa.array([b"0123456789abcdef"], pa.binary(16))
    uuids = pa.ExtensionArray.from_storage(pa.uuid(), storage)
    bool8 = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1], pa.int8()))
    table = pa.table({"a": ["a"], "b": uuids})
    objects = pl.Series(["a"], dtype=pl.Object)
    for keys in [uuids, bool8, table, objects, objects.to_frame().with_columns(b=1)]:
        for call in [filter.update, filter.contains_many]:
            with pytest.raises(anther.KeyTypeError, match="cast it to|give its text"):
                call(keys)
    assert filter == filter_of(["a"])


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_pandas_objects_are_read_one_by_one(missing):
    objects = ["x", 7, missing, b"y", ("x", 1)]
    series = pd.Series(objects, index=list("abcde"), dtype=object)
    filter = filter_of([])
    filter.update(series)
    assert filter == filter_of(["x", 7, b"y", ("x", 1)])
    found = filter.contains_many(series)
    assert found.dtype == "boolean" and found.index.tolist() == list("abcde")
    assert found["c"] is pd.NA and found.drop("c").all()
    assert filter_of([7]).contains_many(series).fillna(False).tolist() == [False, True, False, False, False]
    assert anther.Filter.build(series, 0.01) == anther.Filter.build(["x", 7, b"y", ("x", 1)], 0.01)
    with pytest.raises(ValueError, match="null key"):
        anther.Filter.build(series, 0.01, "bloomier", values=[1] * 5)


@pytest.mark.parametrize(
    "bad", [uuid.uuid4(), {"a": 1}, pd.Period("2026-01"), pd.Interval(0, 1), pd.Timestamp(0), 1.5, [1]]
)
def test_pandas_objects_that_are_no_keys(bad):
    filter = filter_of([])
    for series in [pd.Series(["x", bad], dtype=object), pd.Series([bad, bad])]:
        with pytest.raises(anther.KeyTypeError):
            filter.update(series)
    assert filter == filter_of([])


def test_pandas_tuples_indices_and_categories():
    filter = filter_of([("a", 1), "x", "y"])
    assert filter.contains_many(pd.Series([("a", 1), ("a", 2)])).tolist() == [True, False]
    assert filter.contains_many(pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])).tolist() == [True, False]
    frame = pd.DataFrame({"n": [1, 2]}, index=["x", "z"])
    assert frame[filter.contains_many(frame.index)].n.tolist() == [1]
    for keys in [pd.Index(["x", None, "z"], dtype=object), pd.Categorical(["x", None, "z"])]:
        assert filter.contains_many(keys).tolist() == [True, pd.NA, False]
        twin = filter_of([])
        twin.update(keys)
        assert twin == filter_of(["x", "z"])
    twin = filter_of([])
    with pytest.raises(anther.KeyTypeError):
        twin.update(pd.Index(["x", 1.5], dtype=object))
    assert twin == filter_of([])
