"""The difference of two sets, by as many bytes as the difference needs.

One side makes an `Encoder` of its set and sends symbols. The other makes a `Decoder` of its own
and takes symbols until it has decoded which elements only one side has. Nobody needs to know
beforehand how large the difference is.

>>> from anther import diff
>>> ours, theirs = diff.difference({1, 2, 3}, diff.Encoder({2, 3, 4}))
>>> ours, theirs
([1], [4])
"""

from collections.abc import Iterable
from typing import overload

from anther._anther import Decoder, Encoder

__all__ = ["Decoder", "Encoder", "difference"]


@overload
def difference(
    elements: Iterable[int],
    symbols: Iterable[bytes],
    *,
    length: None = None,
    key: bytes | None = None,
    seed: int | None = None,
    limit: int | None = None,
) -> tuple[list[int], list[int]]: ...


@overload
def difference(
    elements: Iterable[bytes],
    symbols: Iterable[bytes],
    *,
    length: int,
    key: bytes | None = None,
    seed: int | None = None,
    limit: int | None = None,
) -> tuple[list[bytes], list[bytes]]: ...


def difference(
    elements: Iterable[int] | Iterable[bytes],
    symbols: Iterable[bytes],
    *,
    length: int | None = None,
    key: bytes | None = None,
    seed: int | None = None,
    limit: int | None = None,
) -> tuple[list[int], list[int]] | tuple[list[bytes], list[bytes]]:
    """What only our side has, and what only the other side has, whose symbols these are.

    `EOFError`: the symbols ended before the difference was decoded, or there were `limit` of them.
    Symbols never end, and those of another seed, key or length are never decoded. Without a limit
    it is 1000 and four per element of both sides, more than twice what any difference needs.
    """
    elements = list(elements)  # type: ignore[assignment]
    decoder = Decoder(elements, length=length, key=key, seed=seed)
    for symbol in symbols:
        if limit is None:
            # All elements are in the first symbol, and after its checksum is their number.
            theirs = int.from_bytes(symbol[8:12], "little", signed=True)
            limit = 1000 + 4 * (len(elements) + abs(theirs))  # type: ignore[arg-type]
        if decoder.push(symbol):
            return decoder.ours, decoder.theirs
        if decoder.symbols >= limit:
            raise EOFError(
                f"the difference is not decoded after {limit} symbols; "
                "both sides need the same seed, key and length"
            )
    raise EOFError(f"the difference is not decoded after {decoder.symbols} symbols")
