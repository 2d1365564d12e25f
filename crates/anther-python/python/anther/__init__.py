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

from anther._anther import BooleanArray, Filter, Info, Rule, __version__
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
    "RemoveError",
    "Rule",
    "SizeError",
    "UnsupportedError",
    "__version__",
    "open",
]
