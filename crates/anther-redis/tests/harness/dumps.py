"""What servers hand out of an object: chunks of SCANDUMP and DUMP payloads."""

from .objects import Sample
from .payload import seal
from .wire import Wire

CHUNK = 16 << 20


def chunks(wire: Wire, family: str, name: str) -> list[tuple[int, bytes]]:
    """All of them, each with the position that LOADCHUNK takes."""
    position, all_of_them = 0, []
    while True:
        position, chunk = wire.ok(f"{family}.SCANDUMP", name, position)
        if position == 0:
            assert chunk == (None if family == "CF" else b"")
            return all_of_them
        assert 0 < len(chunk) <= CHUNK
        all_of_them.append((position, chunk))


def load_chunks(wire: Wire, family: str, name: str, parts: list[tuple[int, bytes]]) -> None:
    for position, chunk in parts:
        wire.ok(f"{family}.LOADCHUNK", name, position, chunk)


def payload_of(wire: Wire, sample: Sample) -> bytes:
    """Makes the object; its payload is not compressed, so that it can be changed piece by piece."""
    wire.ok(*sample.reserve)
    sample.fill(wire)
    wire.ok("CONFIG", "SET", "rdbcompression", "no")
    return wire.ok("DUMP", sample.name)


def for_this(wire: Wire, payload: bytes) -> bytes:
    """With the RDB version of this server: a payload of Valkey's is too new for Redis."""
    wire.ok("SET", "version", "x")
    return seal(payload[:-10] + wire.ok("DUMP", "version")[-10:-8])
