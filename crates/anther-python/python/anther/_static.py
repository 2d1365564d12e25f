"""Static kinds in `build` of the engines: DuckDB and Polars."""

from __future__ import annotations

from . import SizeError, UnsupportedError, static_kinds

# Those that need more than keys.
_NEED_MORE = {
    "bloomier": 'bloomier maps keys to values; build it with Filter.build({key: value}, fpr, "bloomier")',
    "cascade": "cascade also needs keys that are not in the set; build it with Filter.cascade(members, others)",
}


def check(kind: str, items: int | None = None) -> None:
    """Refuses a kind that cannot be built from one column, and `items` where it has no effect."""
    if kind in _NEED_MORE:
        raise UnsupportedError(_NEED_MORE[kind])
    if kind in static_kinds and items is not None:
        raise SizeError(f"{kind} is static and counts its keys; leave items out")
