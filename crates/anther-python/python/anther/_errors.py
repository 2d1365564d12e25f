"""The exceptions. Their messages are the library's; they say what is wrong and what to do."""


class AntherError(Exception):
    """The base of all of them.

    What Python has an exception for is that exception: a file that is missing is a
    `FileNotFoundError`, memory that is exhausted a `MemoryError`.
    """


class SizeError(AntherError, ValueError):
    """A filter that cannot be made: a size, a false-positive rate or an option out of range."""


class KeyTypeError(AntherError, TypeError):
    """A key of a type that no filter takes, or that this filter's rule refuses."""


class KeyValueError(AntherError, ValueError):
    """A key that the filter's rule refuses, such as text that is no domain name."""


class FullError(AntherError):
    """The filter is full and rejected a key."""


class UnsupportedError(AntherError, TypeError):
    """An operation that the filter's kind does not support."""


class RemoveError(AntherError):
    """A key that cannot be removed: its counters are stuck, or it shares all its bits."""


class MergeError(AntherError, ValueError):
    """Two filters that cannot be combined. Both are unchanged."""


class BuildError(AntherError, ValueError):
    """A static filter that cannot be built from these keys."""


class FileError(AntherError, ValueError):
    """Bytes that are no filter: truncated, corrupt, or keyed with another secret key."""
