"""DUMP payloads, taken apart and put together again with whatever we like inside.

A payload of a module's type is the byte 7, the type's id with its encoding version, values that each come after
an opcode, the opcode 0, two bytes of RDB version and a CRC-64 (Jones) of all that.
"""

import struct
from dataclasses import dataclass

UNSIGNED, DOUBLE, STRING = 2, 4, 5


@dataclass
class Payload:
    name: bytes
    version: int
    values: list[tuple[int, int | float | bytes]]
    rdb_version: bytes

    def packed(self) -> bytes:
        body = b"\x07" + length(module_id(self.name) << 10 | self.version, force64=True)
        body += b"".join(packed_value(*value) for value in self.values)
        return seal(body + length(0) + self.rdb_version)


def unpack(payload: bytes) -> Payload:
    """Reads a payload; strings may be compressed."""
    reader = Reader(payload[:-10])
    assert reader.take(1) == b"\x07", "not of a module's type"
    number = reader.length()
    values = []
    while opcode := reader.length():
        values.append((opcode, reader.value(opcode)))
    return Payload(module_name(number >> 10), number & 1023, values, payload[-10:-8])


class Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        part = self.data[self.at : self.at + count]
        assert len(part) == count
        self.at += count
        return part

    def length(self) -> int:
        first = self.take(1)[0]
        if first == 0x80:
            return int.from_bytes(self.take(4), "big")
        if first == 0x81:
            return int.from_bytes(self.take(8), "big")
        return first if first < 64 else (first & 63) << 8 | self.take(1)[0]

    def value(self, opcode: int) -> int | float | bytes:
        if opcode == UNSIGNED:
            return self.length()
        if opcode == DOUBLE:
            return struct.unpack("<d", self.take(8))[0]
        assert opcode == STRING, f"opcode {opcode}"
        return self.string()

    def string(self) -> bytes:
        first = self.data[self.at]
        if first < 0xC0:
            return self.take(self.length())
        self.at += 1
        if first < 0xC3:
            return str(int.from_bytes(self.take(1 << (first & 3)), "little", signed=True)).encode()
        compressed, _ = self.length(), self.length()
        return decompress(self.take(compressed))


def packed_value(opcode: int, value: int | float | bytes) -> bytes:
    if isinstance(value, bytes):
        return length(opcode) + length(len(value)) + value
    if isinstance(value, float):
        return length(opcode) + struct.pack("<d", value)
    return length(opcode) + length(value)


def length(number: int, force64: bool = False) -> bytes:
    if force64 or number >= 1 << 32:
        return b"\x81" + (number & (1 << 64) - 1).to_bytes(8, "big")
    if number < 64:
        return bytes([number])
    return bytes([0x40 | number >> 8, number & 255]) if number < 1 << 14 else b"\x80" + number.to_bytes(4, "big")


ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def module_id(name: bytes) -> int:
    number = 0
    for character in name:
        number = number << 6 | ALPHABET.index(character)
    return number


def module_name(number: int) -> bytes:
    return bytes(ALPHABET[number >> shift & 63] for shift in range(48, -1, -6))


def decompress(data: bytes) -> bytes:
    """LZF: runs of literals, and copies of what came before."""
    out, at = bytearray(), 0
    while at < len(data):
        control = data[at]
        at += 1
        if control < 32:
            out += data[at : at + control + 1]
            at += control + 1
            continue
        count = control >> 5
        if count == 7:
            count += data[at]
            at += 1
        start = len(out) - ((control & 31) << 8 | data[at]) - 1
        at += 1
        for offset in range(count + 2):
            out.append(out[start + offset])
    return bytes(out)


def crc_table() -> list[int]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            # The polynomial 0xad93d23594c935a9, reflected.
            crc = crc >> 1 ^ 0x95AC9329AC4BC9B5 if crc & 1 else crc >> 1
        table.append(crc)
    return table


TABLE = crc_table()


def crc64(data: bytes) -> int:
    crc = 0
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc


def seal(body: bytes) -> bytes:
    """With a checksum that the server finds right."""
    return body + crc64(body).to_bytes(8, "little")
