"""Objects of all types to every method: exceptions that say why, never a crash or a panic."""

import array
import datetime
import decimal
import fractions
import random
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import anther
from anther import diff

ALLOWED = (TypeError, ValueError, KeyError, OverflowError, OSError, MemoryError, EOFError, anther.AntherError)


class Strange:
    """Claims to be what it is not."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)

    def __len__(self):
        return 2**62

    def __iter__(self):
        return iter([1, "a", None])

    def __index__(self):
        return 2**200


class Interface:
    def __init__(self, interface):
        self.__array_interface__ = interface


def scalars(random):
    return [
        None, True, 0, -1, 2**63, 2**64, -(2**63) - 1, 2**127, 10**100, 1.5, float("nan"), 1j, "", "text",
        "\ud800", "é" * 50, b"", b"bytes", bytearray(b"x"), memoryview(b"x"), (), (1,), (1, 2), ("a", (1, b"")),
        tuple(range(300)), [], [1], {}, {1: 2}, {1, 2}, frozenset([1]), range(5), object(), int, len, ...,
        NotImplemented, Strange(), decimal.Decimal(1), fractions.Fraction(1, 2), uuid.UUID(int=1),
        datetime.datetime(2020, 1, 1), np.int8(1), np.float64(1), np.str_("x"), np.bytes_(b"x"), np.bool_(True),
        np.datetime64("2020"), pa.scalar(1), pd.NA, pd.NaT, pd.Timestamp(0), anther.Filter(10), anther.Rule(),
        random.getrandbits(random.randrange(1, 200)), "".join(map(chr, random.choices(range(0xD7FF), k=5))),
        random.randbytes(random.randrange(40)),
    ]


def columns(random):
    numbers = [random.randrange(-100, 100) for _ in range(random.randrange(50))]
    yield from [
        array.array("i", numbers), np.array(numbers), np.array(numbers, dtype="f4"), np.array(numbers)[::-2],
        np.array([numbers, numbers]), np.array(numbers, dtype="i2").byteswap(), np.array(numbers, dtype="O"),
        np.zeros(3, dtype=[("a", "i4"), ("b", "U3")]), np.matrix([1]), np.recarray(2, dtype=[("a", "i4")]),
        np.zeros(0), np.broadcast_to(np.int64(5), (1000,)), np.ma.masked_array(numbers), np.array(["a", None]),
        pa.array(numbers), pa.array(numbers, pa.float32()), pa.array([str(n) for n in numbers]), pa.nulls(5),
        pa.array([[1], None]), pa.array([{"a": 1, "b": "x"}, None]), pa.array([{"a": {"b": 1}, "c": 1}]),
        pa.chunked_array([numbers, numbers]) if numbers else pa.chunked_array([], pa.int8()), pa.table({"a": numbers}),
        pa.table({"a": numbers, "b": numbers}), pa.RecordBatch.from_pydict({}), pa.array(["a", "b", "a"]).dictionary_encode(),
        pa.array([1, 2], pa.duration("s")), pa.array([True, None]), pa.array([b"ab", None], pa.binary(2)),
        pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]),
        pa.array([1, 1, 2]).cast(pa.int64()) if True else None, pa.array([], pa.string_view()),
        pd.Series(numbers), pd.Series(["a", None]), pd.Series([1.5]), pd.Series([object()]), pd.Index([1, 2]),
        pd.DataFrame({"a": [1], "b": ["x"]}), pd.Series([1, None], dtype="Int8"), pd.Categorical(["a", "b"]),
        pd.Series(pd.to_datetime(["2020"])), pd.interval_range(0, 3), pd.MultiIndex.from_tuples([(1, 2)]),
        pl.Series(numbers), pl.Series(["a", None]), pl.Series([[1]]), pl.DataFrame({"a": [1]}), pl.Series([1.5]),
        pl.DataFrame({"a": [1], "b": ["x"]}).lazy(), pl.Series([None, None]), pl.col("a"),
        Interface({}), Interface({"shape": (1,), "typestr": "<i8", "data": None, "version": 3}), Interface(5),
        Interface({"shape": (10**15,), "typestr": "<i8", "version": 3}), Strange(__arrow_c_array__=5),
        Strange(__arrow_c_array__=lambda **_: (1, 2)), Strange(__arrow_c_stream__=lambda: None), Strange(index=1),
    ]


def call(function, *arguments, **keywords):
    try:
        return function(*arguments, **keywords)
    except ALLOWED:
        return None


def test_random_objects():
    seed = random.Random(1)
    for _ in range(3):
        things = [*scalars(seed), *columns(seed)]
        seed.shuffle(things)
        for thing in things:
            other = seed.choice(things)
            for filter in [
                anther.Filter(1000),
                anther.Filter(1000, kind="counting", key=bytes(16)),
                anther.Filter(1000, kind="cuckoo", rule=seed.choice(["int", "hex", "domain", "url", "email", "text"])),
                anther.Filter(1000, rule=anther.Rule("text", trim=True, parts=2)),
                anther.Filter.build({"a": 1}, kind="bloomier"),
            ]:
                methods = ["add", "update", "contains_many", "remove", "discard", "count", "get", "hash_of", "merge",
                           "from_bytes", "__or__", "__and__", "__ior__", "__iand__", "__eq__", "__contains__"]
                for name in methods:
                    call(getattr(filter, name), thing)
                call(filter.update, [thing, other])
                call(filter.contains_many, iter([thing, other]))
            shared = anther.Shared(anther.Filter(100))
            for name in ["add", "update", "contains_many", "__contains__"]:
                call(getattr(shared, name), thing)
            if not isinstance(thing, (int, str, bytes)):  # names and numbers of real files
                call(anther.open, thing)
                call(anther.Shared.open, thing)
                call(anther.Filter(10).save, thing)
            call(anther.Filter.build, thing, 0.01, seed.choice(list(anther.kinds)), values=other)
            call(anther.Filter.build, [1], thing)
            call(anther.Filter, 10, seed.choice([0.01, thing]), kind=seed.choice(["blocked", thing]), key=other)
            call(anther.Filter, 10, kind="scalable", over=thing, growth=other)
            call(anther.Filter, 10, rule=thing, seed=other)
            call(anther.plan, thing, other)
            call(anther.plan, 10, 0.01, probes=thing)
            call(anther.compare, thing, other)
            call(anther.Rule, thing, parts=other)
            for make in [diff.Encoder, diff.Decoder]:
                call(make, thing)
                call(make, thing, length=seed.choice([5, other]))
            call(diff.Decoder([1]).push, thing)


def test_random_bytes_are_no_filter():
    seed = random.Random(2)
    data = anther.Filter(100, kind="quotient").to_bytes()
    for _ in range(3000):
        bad = bytearray(data)
        for _ in range(seed.randrange(1, 4)):
            bad[seed.randrange(len(bad))] = seed.randrange(256)
        call(anther.Filter.from_bytes, bytes(bad[: seed.choice([len(bad), seed.randrange(len(bad))])]))
