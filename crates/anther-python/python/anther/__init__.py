"""Bloom filters and their relatives: is this key in the set?

A filter answers *no*, which is certain, or *maybe*. It stores no keys, so it is small: about ten
bits per key. The price is a false positive now and then, as rarely as you ask for.

>>> import anther
>>> seen = anther.Filter(items=1_000_000, fpr=0.01)
>>> seen.add("https://example.org/")
True
>>> "https://example.org/" in seen
True
>>> "https://example.org/other" in seen
False
"""

from collections.abc import Mapping
from types import MappingProxyType

from anther import diff
from anther._anther import (
    BooleanArray,
    Filter,
    Info,
    Plan,
    RangeFilter,
    Rule,
    Shared,
    __version__,
    _kinds,
    _static_kinds,
    compare,
    plan,
)
from anther._errors import (
    AntherError,
    BuildError,
    FileError,
    FullError,
    KeyTypeError,
    KeyValueError,
    MergeError,
    RemoveError,
    SizeError,
    UnsupportedError,
)

open = Filter.open

kinds: Mapping[str, str] = MappingProxyType(_kinds)
"""The names of the kinds, and what each is for."""

static_kinds: frozenset[str] = frozenset(_static_kinds)
"""The kinds that are built once, from all keys, by `Filter.build`."""

__all__ = [
    "AntherError",
    "BooleanArray",
    "BuildError",
    "FileError",
    "Filter",
    "FullError",
    "Info",
    "KeyTypeError",
    "KeyValueError",
    "MergeError",
    "Plan",
    "RangeFilter",
    "RemoveError",
    "Rule",
    "Shared",
    "SizeError",
    "UnsupportedError",
    "__version__",
    "compare",
    "diff",
    "kinds",
    "open",
    "plan",
    "static_kinds",
]
