"""Filters in DuckDB's SQL: `anther_contains` in queries, and filters built from them.

    >>> import anther, anther.duckdb, duckdb
    >>> con = duckdb.connect()
    >>> seen = anther.Filter(items=1000, fpr=0.01)
    >>> seen.update([3, 5, 8])
    >>> anther.duckdb.register(con, seen=seen)
    >>> con.sql("SELECT i FROM range(10) t(i) WHERE anther_contains('seen', i)").fetchall()
    [(3,), (5,), (8,)]

`anther_contains(filter, value)` is one call of Python per vector of 2048 rows, never one per row. It answers NULL if
`filter` or `value` is NULL. `filter` is

- the name of a registered filter,
- the path of a file, which is opened once, and again when the file has changed. DuckDB is asked each time whether it
  may (`enable_external_access`), a fraction of a millisecond per vector: in large queries, register the filter, or
- a BLOB with the bytes of a filter. DuckDB copies it for every row: fit for filters of a few kilobytes.

`value` is a key as everywhere in anther: VARCHAR (also UUID, ENUM and JSON) is its text, BLOB its bytes, BOOLEAN and all
integers up to HUGEINT are the number, a STRUCT is the tuple of its fields. DuckDB casts nothing: the integer 7 is not the
text '7'. Other types are refused.

A filter is built by `build`, which streams a query, or in SQL from a list: one filter per group.

    >>> rows = con.execute("SELECT i % 2, anther_build(list(i), 0.01) FROM range(1000) t(i) GROUP BY ALL").fetchall()
    >>> even = anther.Filter.from_bytes(dict(rows)[0])
    >>> 500 in even
    True

It needs DuckDB and pyarrow (the extra `duckdb` of the package).
"""

from __future__ import annotations

import os
import re
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import count, product
from typing import Any, Protocol

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from . import Filter, KeyTypeError, _static, static_kinds
from . import open as open_filter

__all__ = ["build", "register", "unregister"]

# Rows of DuckDB's vectors; only a constant filter of that many rows is recognised at a glance.
_VECTOR = 2048
# Filters that were given as a BLOB are kept: the last few.
_BLOBS = 16
# Rows that `build` takes from DuckDB at a time.
_BATCH = 1 << 18

# Names and paths that are remembered before they are all forgotten: queries have few, a column of paths may have many.
_CONSTANTS = 64
_FILES = 1024
# How DuckDB's JSON names a part of a query that writes: WITH d AS (DELETE … RETURNING …) SELECT ….
_CHANGES = re.compile(r'"type":"(?:INSERT|DELETE|UPDATE|MERGE|COPY)[A-Z_]*NODE"')
# From here to there an integer is a word of 64 bits, signed or unsigned.
_WORDS = (-(2**63), 2**63 - 1, 2**64 - 1)


class Lookup(Protocol):
    """What can be registered: a `Filter`, or a `Shared` one."""

    def contains_many(self, keys: Any, /, *, threads: int | None = None) -> Any: ...


def register(con: duckdb.DuckDBPyConnection, /, *, paths: bool | None = None, **filters: Lookup) -> None:
    """Gives a connection the functions `anther_contains` and `anther_build`, and filters by name.

    Call it again to add or replace filters; each is known to all queries from then on. Names belong to the database, not
    to the connection: cursors and other connections of the process to the same database see them. They live as long
    as a connection that has registered some.

    `paths=False`: names only, until a call says `paths=True`. Say so if you run SQL that others wrote. Files cannot be
    opened either once the database has `enable_external_access` off.

        >>> import anther, anther.duckdb, duckdb
        >>> con = duckdb.connect()
        >>> small = anther.Filter(items=100, fpr=0.01)
        >>> small.update(["a", "b"])
        >>> anther.duckdb.register(con, small=small)
        >>> con.sql("SELECT anther_contains('small', 'a'), anther_contains('small', NULL)").fetchall()
        [(True, None)]
    """
    if not isinstance(con, duckdb.DuckDBPyConnection):
        raise TypeError(f"register takes a DuckDB connection, not {type(con).__name__}")
    if paths is not None and not isinstance(paths, bool):
        raise TypeError("paths is an option of register; give the filter another name")
    for name, filter in filters.items():
        if not callable(getattr(filter, "contains_many", None)):
            raise TypeError(f"{name} must be a filter, not {type(filter).__name__}")
    _known_to(con, paths).names.update(filters)


def unregister(con: duckdb.DuckDBPyConnection, /, *names: str) -> None:
    """Forgets filters; KeyError if one was not registered."""
    known = _known_to(con, None).names
    for name in names:
        if name not in known:
            raise KeyError(name)
    for name in names:
        del known[name]


def build(
    con: duckdb.DuckDBPyConnection,
    query: str | duckdb.DuckDBPyRelation,
    fpr: float,
    *,
    items: int | None = None,
    kind: str = "blocked",
    **options: Any,
) -> Filter:
    """Builds a filter from the one column of a query or relation; NULLs are left out.

    Rows are streamed, so that only the filter needs memory. `items` is the number of distinct keys. Without it, rows
    are counted first: the query runs twice, and repeated keys make the filter larger than need be. Static kinds
    ("ribbon", "fuse") need all keys in memory and count them: they take no `items`.

    A query is one SELECT (or FROM, VALUES, WITH). Statements that change something are refused, not run.

    `options` are those of `Filter`: `key`, `seed`, `rule`, and the kind's own.

        >>> import anther.duckdb, duckdb
        >>> con = duckdb.connect()
        >>> even = anther.duckdb.build(con, "SELECT 2 * i FROM range(1000) t(i)", fpr=0.001)
        >>> 500 in even, 501 in even
        (True, False)
    """
    _static.check(kind, items)
    if isinstance(query, str):
        _check_query(con, query)
    relation = con.sql(query) if isinstance(query, str) else query
    if not isinstance(relation, duckdb.DuckDBPyRelation):
        raise TypeError(f"build takes a query or a relation, not {query!r}")
    if len(relation.columns) != 1:
        raise ValueError(f"build takes one column, not {len(relation.columns)}: {', '.join(relation.columns)}")
    if str(relation.types[0]) == "UHUGEINT":
        raise KeyTypeError("UHUGEINT has numbers beyond those of keys; cast the column to HUGEINT or VARCHAR")
    if items is None and kind not in static_kinds:
        ((rows,),) = relation.aggregate("count(COLUMNS(*))").fetchall()
        # A query without rows makes an empty filter.
        items = max(rows, 1)
    return _built(_columns_of(relation), items, fpr, kind, options)


def _check_query(con: duckdb.DuckDBPyConnection, query: str) -> None:
    """Refuses what is no query before it runs: DuckDB runs such statements when it makes their relation."""
    statements = con.extract_statements(query)
    if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
        names = "; ".join(statement.type.name for statement in statements) or "nothing"
        raise TypeError(f"build takes one query, not {names}: {query!r}")
    cursor = con.cursor()
    try:
        row = cursor.execute("SELECT json_serialize_sql($1)", [query]).fetchone()
    except duckdb.Error:
        # Without the extension json. DuckDB 1, which can lack it, has no queries that change tables.
        return
    finally:
        cursor.close()
    if row is not None and _CHANGES.search(str(row[0])):
        raise TypeError(f"build takes a query that changes nothing, not {query!r}")


def _built(columns: Iterable[pa.Array], items: int | None, fpr: float, kind: str, options: Mapping[str, Any]) -> Filter:
    keys = (keys for column in columns for keys in _keys_of(column))
    if kind in static_kinds or items is None:
        return Filter.build(_one_column(keys), fpr, kind=kind, **options)
    filter = Filter(items, fpr, kind=kind, **options)
    for column in keys:
        filter.update(column)
    return filter


class _Filters:
    """What the functions of one database know."""

    def __init__(self) -> None:
        self.names: dict[str, Lookup] = {}
        self.paths = True
        # Connections to the database, the latest last.
        self.connections: list[weakref.ref[duckdb.DuckDBPyConnection]] = []
        self.files: dict[str, tuple[tuple[int, ...], Lookup]] = {}
        self.blobs: OrderedDict[bytes, Lookup] = OrderedDict()
        self.constants: dict[str, pa.Array] = {}

    def contains(self, *columns: pa.ChunkedArray) -> pa.Array:
        """`anther_contains`, for the rows of a vector."""
        if len(columns) != 2:
            raise TypeError(f"anther_contains(filter, value) takes 2 arguments, not {len(columns)}")
        filters, values = (_array(column) for column in columns)
        if (name := self.constant(filters)) is not None:
            return _answers(self.by_name(name), values)
        if pa.types.is_null(filters.type):
            return pa.nulls(len(values), pa.bool_())
        # A column of filters: each one gets its own rows, and the answers are put back in order.
        codes = filters.dictionary_encode()
        rows = [pc.indices_nonzero(pc.is_null(codes.indices))]
        answers = [pa.nulls(len(rows[0]), pa.bool_())]
        for code, value in enumerate(codes.dictionary):
            rows.append(pc.indices_nonzero(pc.equal(codes.indices, code)))
            answers.append(_answers(self.of_value(value.as_py()), values.take(rows[-1])))
        order = pc.array_sort_indices(pa.concat_arrays(rows))
        return pa.concat_arrays(answers).take(order)

    def constant(self, filters: pa.Array) -> str | None:
        """The name that is in all rows, as it nearly always is; DuckDB writes it out row by row.

        Comparing with an array of this name is four times as fast as looking for distinct values.
        """
        if not (pa.types.is_string(filters.type) and len(filters) <= _VECTOR and filters[0].is_valid):
            return None
        name: str = filters[0].as_py()
        constant = self.constants.get(name)
        if constant is None:
            constant = pa.repeat(pa.scalar(name), _VECTOR)
            if len(self.constants) >= _CONSTANTS:
                self.constants.clear()
            self.constants[name] = constant
        return name if filters.equals(constant[: len(filters)]) else None

    def of_value(self, value: object) -> Lookup:
        if isinstance(value, str):
            return self.by_name(value)
        if isinstance(value, bytes):
            return self.of_bytes(value)
        raise TypeError(
            f"the first argument of anther_contains is a filter (a name, a path or a BLOB), not {type(value).__name__}"
        )

    def by_name(self, name: str) -> Lookup:
        filter = self.names.get(name)
        return self.of_file(name) if filter is None else filter

    def of_file(self, path: str) -> Lookup:
        """Looks at the setting and the file for each vector: either may have changed since the last one."""
        if not (self.paths and self.has_external_access()):
            raise LookupError(f"no filter {path!r} is registered; {self.advice()}")
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            raise LookupError(f"{path!r} is no registered filter and no file; {self.advice()}") from None
        version = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
        known = self.files.get(path)
        if known is not None and known[0] == version:
            return known[1]
        filter = open_filter(path)
        if len(self.files) >= _FILES:
            self.files.clear()
        self.files[path] = (version, filter)
        return filter

    def has_external_access(self) -> bool:
        """Asks the database. No answer is kept: `SET` may come between any two queries."""
        connections: list[duckdb.DuckDBPyConnection | None] = [ref() for ref in reversed(self.connections)]
        if self in _of_default:
            connections.append(duckdb.default_connection())
        for con in connections:
            try:
                cursor = con.cursor() if con is not None else None
            except duckdb.ConnectionException:
                continue
            if cursor is not None:
                try:
                    row = cursor.execute("SELECT current_setting('enable_external_access')").fetchone()
                    return row is not None and bool(row[0])
                finally:
                    cursor.close()
        # All that registered something are closed.
        return False

    def of_bytes(self, blob: bytes) -> Lookup:
        filter = self.blobs.pop(blob, None)
        if filter is None:
            filter = Filter.from_bytes(blob)
        self.blobs[blob] = filter
        while len(self.blobs) > _BLOBS:
            self.blobs.popitem(last=False)
        return filter

    def advice(self) -> str:
        if not self.names:
            return "register it with anther.duckdb.register(con, NAME=filter)"
        listed = ", ".join(sorted(self.names)[:5]) + (", …" if len(self.names) > 5 else "")
        return f"registered: {listed}"


def _build_lists(*columns: pa.ChunkedArray) -> pa.Array:
    """`anther_build(list(key), fpr [, kind])`: one filter per list."""
    if not 2 <= len(columns) <= 3:
        raise TypeError(f"anther_build(keys, fpr, kind) takes 2 or 3 arguments, not {len(columns)}")
    lists, *settings = (_array(column) for column in columns)
    if not (pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type) or pa.types.is_null(lists.type)):
        raise TypeError("the first argument of anther_build is a list of keys: write anther_build(list(column), fpr)")
    filters: list[bytes | None] = []
    for row, keys in enumerate(lists):
        fpr, *kind = (setting[row].as_py() for setting in settings)
        if not keys.is_valid or fpr is None or kind == [None]:
            filters.append(None)
            continue
        name = kind[0] if kind else "blocked"
        _static.check(name)
        filter = _built([keys.values], max(len(keys), 1), float(fpr), name, {})
        filters.append(filter.to_bytes())
    return pa.array(filters, pa.binary())


# The functions in a database know only the number of their filters. They are kept for ever: DuckDB frees them with the
# connection that made them, and crashes if another connection to the database still calls them.
_functions: list[Callable[..., Any]] = []
_filters: dict[int, weakref.ref[_Filters]] = {}
_numbers = count(1)
# Databases with `paths=False`. They stay so when the connection that said it is gone.
_names_only: set[int] = set()
# What keeps filters: the connections that have registered some. The one behind `duckdb.sql` lives as long as the
# process, but its object in Python does not.
_keepers: weakref.WeakKeyDictionary[duckdb.DuckDBPyConnection, _Filters] = weakref.WeakKeyDictionary()
_of_default: list[_Filters] = []


def _known_to(con: duckdb.DuckDBPyConnection, paths: bool | None) -> _Filters:
    """The filters of the connection's database; makes the functions if they are not there."""
    # In a transaction of its own: the functions stay if that of the caller is rolled back, and a result that the
    # caller has not fetched stays, too.
    cursor = con.cursor()
    try:
        try:
            row = cursor.execute("SELECT anther_filters()").fetchone()
            assert row is not None, "a function has a value"
            number = row[0]
        except duckdb.CatalogException:
            number = _create_functions(cursor)
        known = _filters[number]()
        if known is None:
            known = _Filters()
            _filters[number] = weakref.ref(known)
    finally:
        cursor.close()
    if paths is not None:
        (_names_only.discard if paths else _names_only.add)(number)
    known.paths = number not in _names_only
    others = [ref for ref in known.connections if ref() not in (None, con)]
    known.connections = [*others, weakref.ref(con)]
    _keepers[con] = known
    if con is duckdb.default_connection():
        _of_default[:] = [known]
    return known


def _create_functions(cursor: duckdb.DuckDBPyConnection) -> int:
    number = next(_numbers)
    _filters[number] = weakref.ref(_Filters())

    def anther_contains(*columns: pa.ChunkedArray) -> pa.Array:
        known = _filters[number]()
        if known is None:
            raise LookupError("the connection that registered the filters is gone; register them again")
        return known.contains(*columns)

    def anther_build(*columns: pa.ChunkedArray) -> pa.Array:
        return _build_lists(*columns)

    def anther_filters() -> int:
        return number

    _functions.extend([anther_contains, anther_build, anther_filters])
    # Without types of parameters, a function takes any: DuckDB does not cast an integer to text.
    arrow: dict[str, Any] = {"type": "arrow", "null_handling": "special"}
    cursor.create_function("anther_filters", anther_filters, [], "BIGINT")
    cursor.create_function("anther_build", anther_build, None, "BLOB", **arrow)
    cursor.create_function("anther_contains", anther_contains, None, "BOOLEAN", **arrow)
    return number


def _array(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _answers(filter: Lookup, values: pa.Array) -> pa.Array:
    """Null for null. On this thread: DuckDB has its own."""
    answers = [filter.contains_many(keys, threads=1) for keys in _keys_of(values)]
    # Only wide integers, and tuples of them, come in more than one column, each with nulls where another has its keys.
    return answers[0] if len(answers) == 1 else pc.coalesce(*answers)


def _keys_of(values: pa.Array) -> Iterator[pa.Array]:
    """A column as columns of keys, where DuckDB's form in Arrow is not that of the key."""
    type = values.type
    if pa.types.is_decimal(type):
        if type.scale > 0:
            raise KeyTypeError(f"{type} cannot be a key: 1.0 and 1.00 would be different keys; cast it to VARCHAR")
        yield from _integers_of(values)
    elif pa.types.is_struct(type) and [field.name for field in type] == ["metadata", "value"]:
        raise KeyTypeError("VARIANT cannot be a key; cast it to the type of its values")
    elif pa.types.is_struct(type) and any(_is_wide(field.type) for field in type):
        # The tuples of each choice of widths. Where a field has another width it is null, and so is the tuple.
        fields = [list(_keys_of(field)) for field in values.flatten()]
        for choice in product(*fields):
            yield pa.StructArray.from_arrays(choice, [field.name for field in type])
    elif isinstance(type, pa.BaseExtensionType):
        raise KeyTypeError(
            f"{type} cannot be a key; cast it to VARCHAR, or to BIGINT or HUGEINT if it is a number "
            "(with arrow_lossless_conversion off)"
        )
    else:
        yield values


def _is_wide(type: pa.DataType) -> bool:
    """Whether a field's form in Arrow is not that of the key, or may be refused."""
    if pa.types.is_struct(type):
        return any(_is_wide(field.type) for field in type)
    return pa.types.is_decimal(type) or isinstance(type, pa.BaseExtensionType)


def _integers_of(values: pa.Array) -> Iterator[pa.Array]:
    """HUGEINT comes as a decimal of 38 digits. Integers of 64 bits are the word, wider ones 16 bytes."""
    try:
        yield values.cast(pa.int64())
        return
    except pa.ArrowInvalid:
        pass
    wide = pa.decimal128(38, 0)
    values = values.cast(wide)
    least, middle, most = (pa.scalar(Decimal(number), wide) for number in _WORDS)
    is_signed = pc.and_(pc.greater_equal(values, least), pc.less_equal(values, middle))
    is_unsigned = pc.and_(pc.greater(values, middle), pc.less_equal(values, most))
    nothing = pa.scalar(None, wide)
    yield pc.if_else(is_signed, values, nothing).cast(pa.int64())
    yield pc.if_else(is_unsigned, values, nothing).cast(pa.uint64())
    rest = pc.if_else(pc.or_(is_signed, is_unsigned), nothing, values)
    yield pa.Array.from_buffers(pa.binary(16), len(rest), rest.buffers(), offset=rest.offset)


def _columns_of(relation: duckdb.DuckDBPyRelation) -> Iterator[pa.Array]:
    # DuckDB 1 has it by another name.
    reader = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    for batch in reader(_BATCH):
        yield batch.column(0)


def _one_column(columns: Iterable[pa.Array]) -> Any:
    """For a static kind. Integers of three widths have no common Arrow type."""
    some = [column.drop_null() for column in columns]
    some = [column for column in some if len(column)] or some[:1]
    if not some:
        # DuckDB has no batch for a result without rows.
        return []
    if len({column.type for column in some}) > 1:
        raise KeyTypeError("keys of a static kind must fit into 64 bits here; cast them to VARCHAR")
    return pa.chunked_array(some)
