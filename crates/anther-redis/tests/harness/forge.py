"""Payloads that lie: made from true ones, always with a right checksum."""

import random
import struct
from collections.abc import Iterator

from . import anther_file
from .payload import DOUBLE, STRING, UNSIGNED, Payload, seal, unpack

OPCODES = {int: UNSIGNED, float: DOUBLE, bytes: STRING}

INTEGERS = [0, 1, 2, 3, 7, 63, 64, 255, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 40, 1 << 62,
            (1 << 63) - 1, 1 << 63, (1 << 64) - 1]  # fmt: skip
DOUBLES = [0.0, -0.0, 1.0, 2.0, -1.0, 1e-320, 1e-300, 1e300, float("inf"), float("-inf"), float("nan"), 0.25, 0.999999]


def every_field(payload: bytes) -> Iterator[bytes]:
    """Each number of a payload set to each extreme, each value left out or doubled, each version."""
    true = unpack(payload)
    for version in (*range(8), 1023):
        yield Payload(true.name, version, true.values, true.rdb_version).packed()
    for index, (_, value) in enumerate(true.values):
        for other in others(value):
            lie = OPCODES[type(other)], other
            yield with_values(true, [*true.values[:index], lie, *true.values[index + 1 :]])
        yield with_values(true, true.values[:index] + true.values[index + 1 :])
        yield with_values(true, true.values[: index + 1] + true.values[index:])
        yield with_values(true, true.values[:index])


def others(value: int | float | bytes) -> Iterator[int | float | bytes]:
    if isinstance(value, bytes):
        yield from (b"", value[:-1], value + b"\0", value[: len(value) // 2], b"\0" * len(value), b"\xff" * len(value))
        # Another type where a string is expected.
        yield from (0, 1.0)
        yield from lies_inside(value)
    elif isinstance(value, float):
        yield from (*DOUBLES, 7, b"x")
    else:
        yield from (*INTEGERS, 1.0, b"x")


def with_values(true: Payload, values: list) -> bytes:
    return Payload(true.name, true.version, values, true.rdb_version).packed()


def at_random(payload: bytes, randomness: random.Random) -> bytes:
    """One or a few changes, anywhere below the checksum."""
    true = unpack(payload)
    if randomness.random() < 0.5:
        return seal(bytes(changed(bytearray(payload[:-8]), randomness)))
    values = list(true.values)
    for _ in range(randomness.randint(1, 3)):
        index = randomness.randrange(len(values))
        opcode, value = values[index]
        if isinstance(value, bytes) and value:
            values[index] = opcode, randomly_changed(value, randomness)
        else:
            other = randomness.choice([*others(value)])
            values[index] = OPCODES[type(other)], other
    return with_values(true, values)


def lies_inside(value: bytes) -> Iterator[bytes]:
    """A string that holds files of ours: their fields lie, and so do the numbers that come before them."""
    files = list(anther_file.inside(value))
    for start, end in files:
        for forged in anther_file.every_field(value[start:end], INTEGERS, DOUBLES):
            yield value[:start] + forged + value[end:]
    if files:
        words = [*anther_file.eight_bytes(INTEGERS[::3]), *(struct.pack("<d", number) for number in DOUBLES[::3])]
        for at in range(files[0][0]):
            yield from (value[:at] + word + value[at + 8 :] for word in words)
            yield value[:at] + bytes([value[at] ^ 0xFF]) + value[at + 1 :]


def randomly_changed(value: bytes, randomness: random.Random) -> bytes:
    """A file of ours inside is sealed again, most of the time."""
    files = list(anther_file.inside(value))
    if not files or randomness.random() < 0.3:
        return bytes(changed(bytearray(value), randomness))
    start, end = randomness.choice(files)
    forged = changed(bytearray(value[start:end]), randomness)
    return value[:start] + anther_file.resealed(bytes(forged), 0, b"") + value[end:]


def changed(data: bytearray, randomness: random.Random) -> bytearray:
    for _ in range(randomness.choice([1, 1, 1, 2, 5])):
        at = randomness.randrange(len(data))
        match randomness.randrange(6):
            case 0:
                data[at] ^= 1 << randomness.randrange(8)
            case 1:
                data[at] = randomness.choice([0, 1, 127, 128, 255])
            case 2:
                word = randomness.choice(INTEGERS).to_bytes(8, "little")
                data[at : at + 8] = word[: len(data) - at]
            case 3 if at > 12:
                del data[at:]
            case 4:
                data[at:at] = randomness.randbytes(randomness.randint(1, 20))
            case _:
                other = randomness.randrange(len(data))
                data[at : at + 8] = data[other : other + 8]
    return data


def nonsense(randomness: random.Random, name: bytes, version: int, rdb_version: bytes) -> bytes:
    """The right type, and then anything."""
    values = []
    for _ in range(randomness.randint(0, 12)):
        text = randomness.randbytes(randomness.randint(0, 80))
        value = randomness.choice([randomness.choice(INTEGERS), randomness.choice(DOUBLES), text])
        values.append((OPCODES[type(value)], value))
    return Payload(name, version, values, rdb_version).packed()
