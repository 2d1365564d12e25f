"""Filters in Polars: an expression that looks a column up, and filters built from frames.

    >>> import anther, polars as pl
    >>> from anther.polars import contains
    >>> seen = anther.Filter(items=1000, fpr=0.001)
    >>> seen.update([3, 5, 8])
    >>> pl.DataFrame({"i": [1, 3, None, 8]}).with_columns(seen=contains("i", seen))
    shape: (4, 2)
    ┌──────┬───────┐
    │ i    ┆ seen  │
    │ ---  ┆ ---   │
    │ i64  ┆ bool  │
    ╞══════╪═══════╡
    │ 1    ┆ false │
    │ 3    ┆ true  │
    │ null ┆ null  │
    │ 8    ┆ true  │
    └──────┴───────┘

It is one call of Python per batch, never one per row, and works in lazy frames, in the streaming engine and in
`group_by`. Importing this module also gives expressions a namespace: `pl.col("i").anther.contains(seen)`.

It needs Polars (the extra `polars` of the package).
"""

from __future__ import annotations

from typing import Any, Protocol

import polars as pl

from . import Filter, _static, static_kinds

__all__ = ["build", "contains"]


class Lookup(Protocol):
    """What is looked up in: a `Filter`, or a `Shared` one."""

    def contains_many(self, keys: Any, /) -> Any: ...


def contains(expr: str | pl.Expr, filter: Lookup) -> pl.Expr:
    """An expression of booleans: false is certain, true means maybe; null for null.

    `expr` is an expression or the name of a column. Its type is that of the keys: String, Categorical and Enum are the
    text, Binary the bytes, Boolean and integers the number, a Struct the tuple of its fields. Nothing is cast: the
    integer 7 is not the text "7". Other types raise `KeyTypeError` when the query runs.

        >>> import anther, polars as pl
        >>> from anther.polars import contains
        >>> seen = anther.Filter(items=1000, fpr=0.001)
        >>> seen.update(["a", "b"])
        >>> events = pl.LazyFrame({"user": ["a", "x", "b"], "amount": [1, 2, 3]})
        >>> events.filter(contains("user", seen)).select(pl.col("amount").sum()).collect().item()
        4
    """
    if not callable(getattr(filter, "contains_many", None)):
        raise TypeError(f"contains takes a filter, not {type(filter).__name__}")
    if isinstance(expr, str):
        expr = pl.col(expr)
    if not isinstance(expr, pl.Expr):
        raise TypeError(f"contains takes an expression or the name of a column, not {type(expr).__name__}")

    def look_up(keys: pl.Series) -> pl.Series:
        # A column of type Null has a buffer that Arrow's format does not allow.
        if keys.dtype == pl.Null:
            return pl.Series(keys.name, keys, dtype=pl.Boolean)
        answers = filter.contains_many(keys)
        return pl.Series(keys.name, answers, dtype=pl.Boolean)

    # By its elements alone, so that Polars may cut the column into batches as it likes, also across groups.
    return expr.map_batches(look_up, return_dtype=pl.Boolean, is_elementwise=True)


def build(
    frame: pl.DataFrame | pl.LazyFrame,
    column: str | pl.Expr,
    fpr: float,
    *,
    items: int | None = None,
    kind: str = "blocked",
    **options: Any,
) -> Filter:
    """Builds a filter from a column (or an expression); nulls are left out.

    A lazy frame is read in batches by the streaming engine, so that only the filter needs memory. `items` is the number
    of distinct keys. Without it, rows are counted first: a lazy frame is read twice, and repeated keys make the filter
    larger than need be. Static kinds ("ribbon", "fuse") need all keys in memory and count them: they take no `items`.

    `options` are those of `Filter`: `key`, `seed`, `rule`, and the kind's own.

        >>> import polars as pl
        >>> from anther.polars import build
        >>> even = build(pl.LazyFrame({"i": range(0, 1000, 2)}), "i", fpr=0.001)
        >>> 500 in even, 501 in even
        (True, False)
    """
    if not isinstance(frame, (pl.DataFrame, pl.LazyFrame)):
        raise TypeError(f"build takes a DataFrame or a LazyFrame, not {type(frame).__name__}")
    _static.check(kind, items)
    expr = pl.col(column) if isinstance(column, str) else column
    keys = frame.lazy().select(expr)
    names = keys.collect_schema().names()
    if len(names) != 1:
        raise ValueError(f"build takes one column, not {len(names)}: {', '.join(names)}")
    if kind in static_kinds:
        return Filter.build(keys.collect().to_series(), fpr, kind=kind, **options)
    if items is None:
        # A frame without rows makes an empty filter.
        items = max(keys.select(pl.all().count()).collect(engine="streaming").item(), 1)
    filter = Filter(items, fpr, kind=kind, **options)
    for batch in keys.collect_batches(maintain_order=False):
        filter.update(batch.to_series())
    return filter


@pl.api.register_expr_namespace("anther")
class _Namespace:
    """`pl.col("i").anther`, which type checkers do not know; `contains` is the same as a function."""

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def contains(self, filter: Lookup) -> pl.Expr:
        """See `anther.polars.contains`."""
        return contains(self._expr, filter)
