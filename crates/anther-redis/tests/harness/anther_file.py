"""anther's own files (FORMAT.md), taken apart so far that a field can lie under right checksums."""

import struct
from collections.abc import Iterator

from xxhash import xxh3_64_intdigest

SIGNATURE = b"\x89ANT\r\n\x1a\n"
WHOLE, NUMBER = 1, 2


def header_length(file: bytes) -> int:
    return struct.unpack_from("<I", file, 12)[0]


def bits(file: bytes) -> bytes:
    """The cells of a file of one section: all between the header and the footer of two words."""
    return file[header_length(file) : -16]


def places(file: bytes) -> tuple[list[tuple[int, int]], list[int]]:
    """Where the values of the fields are, with their types, and where the lengths of the sections are."""
    fields, sections, recipe = struct.unpack_from("<HHH", file, 18)
    at = 32 + recipe
    values = []
    for _ in range(fields):
        at += 1 + file[at]
        values.append((at + 1, file[at]))
        at += 9
    lengths = []
    for _ in range(sections):
        at += 1 + file[at] + 1
        lengths.append(at)
        at += 8
    return values, lengths


def length(file: bytes) -> int:
    """How far it goes: header, sections, and the footer with a word for each and one more."""
    lengths = [struct.unpack_from("<Q", file, place)[0] for place in places(file)[1]]
    return header_length(file) + sum(-(-length // 64) * 64 for length in lengths) + 8 * (len(lengths) + 1)


def inside(data: bytes) -> Iterator[tuple[int, int]]:
    """Where files begin and end in what holds them; one that was changed before may make no sense."""
    at = data.find(SIGNATURE)
    while at >= 0:
        try:
            end = at + length(data[at:])
        except (struct.error, IndexError):
            return
        yield at, end
        at = data.find(SIGNATURE, end)


def sealed(file: bytes) -> bytes:
    """With right checksums, wherever the lengths still allow to compute them."""
    file = bytearray(file)
    size = header_length(file)
    sums = [checksum(file[: size - 8])]
    file[size - 8 : size] = sums[0]
    at = size
    for place in places(file)[1]:
        length = struct.unpack_from("<Q", file, place)[0]
        sums.append(checksum(file[at : at + length]))
        at += -(-length // 64) * 64
    return bytes(file[:at]) + b"".join(sums[1:]) + checksum(b"".join(sums))


def checksum(data: bytes) -> bytes:
    return xxh3_64_intdigest(bytes(data)).to_bytes(8, "little")


def every_field(file: bytes, integers: list[int], doubles: list[float]) -> Iterator[bytes]:
    """Each field and each length of a section set to each extreme."""
    values, lengths = places(file)
    for at, kind in values:
        packed = [struct.pack("<d", number) for number in doubles] if kind == NUMBER else eight_bytes(integers)
        for value in packed:
            yield resealed(file, at, value)
    for at in lengths:
        for value in eight_bytes(integers):
            yield resealed(file, at, value)
    for at in (10, 12, 16, 18, 20, 22):
        for number in (0, 1, 2, 3, 24, 255, 65_535):
            yield resealed(file, at, number.to_bytes(2, "little"))


def eight_bytes(integers: list[int]) -> list[bytes]:
    return [number.to_bytes(8, "little") for number in integers]


def resealed(file: bytes, at: int, value: bytes) -> bytes:
    forged = bytearray(file)
    forged[at : at + len(value)] = value
    try:
        return sealed(forged)
    except (struct.error, IndexError, OverflowError, MemoryError):
        # The lie is about where things are: then there is nothing to seal.
        return bytes(forged)
