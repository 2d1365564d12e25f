"""Forged RESTORE payloads and chunks: the server lives, and either refuses or answers."""

import random
from collections.abc import Iterator

import pytest

from harness.attack import Attack, use
from harness.dumps import chunks, for_this, payload_of
from harness.forge import at_random, changed, every_field, nonsense
from harness.objects import SMALL, Sample
from harness.payload import crc64, seal, unpack
from harness.server import Server
from harness.vectors import cases
from harness.wire import OK, Error, Wire

RANDOM_PAYLOADS = 150

THEIRS = [case for case in cases() if len(case.dump()) < 3000]

every_small = pytest.mark.parametrize("sample", SMALL, ids=[sample.name for sample in SMALL])
every_case = pytest.mark.parametrize("case", THEIRS, ids=[case.name for case in THEIRS])


@pytest.fixture
def attack(server: Server) -> Iterator[Attack]:
    attack = Attack(server)
    yield attack
    attack.assert_harmless()


def test_our_checksum_is_the_servers() -> None:
    assert crc64(b"123456789") == 0xE9C6D914C4B8D9CA


@every_small
def test_what_is_put_together_again_is_accepted(wire: Wire, sample: Sample) -> None:
    """Otherwise all the others would be refused for the wrong reason."""
    payload = payload_of(wire, sample)
    assert wire.call("RESTORE", "copy", 0, unpack(payload).packed()) == OK
    assert sample.missing(wire, "copy") == []


@every_small
def test_every_field_with_every_extreme(attack: Attack, sample: Sample) -> None:
    payload = payload_of(attack.wire, sample)
    for forged in every_field(payload):
        attack.restore(forged)
    assert attack.tried > 30
    assert sample.missing(attack.wire) == []


@every_small
def test_changes_at_random(attack: Attack, sample: Sample) -> None:
    payload = payload_of(attack.wire, sample)
    randomness = random.Random(sample.name)
    for _ in range(RANDOM_PAYLOADS):
        attack.restore(at_random(payload, randomness))
    assert attack.accepted < attack.tried


@every_case
def test_redisblooms_layout(attack: Attack, case) -> None:
    payload = for_this(attack.wire, case.dump())
    randomness = random.Random(case.name)
    for forged in every_field(payload):
        attack.restore(forged)
    for _ in range(RANDOM_PAYLOADS):
        attack.restore(at_random(payload, randomness))


@pytest.mark.parametrize("name", [b"MBbloom--", b"MBbloomCF"])
def test_nonsense(attack: Attack, name: bytes) -> None:
    attack.wire.ok("SET", "s", "x")
    rdb_version = attack.wire.ok("DUMP", "s")[-10:-8]
    randomness = random.Random(name)
    for version in (0, 1, 2, 3, 4, 5, 6):
        for _ in range(30):
            attack.restore(nonsense(randomness, name, version, rdb_version))


def test_truncations(attack: Attack) -> None:
    payload = payload_of(attack.wire, SMALL[0])
    body = payload[:-10]
    for length in range(1, len(body)):
        attack.restore(seal(body[:length] + payload[-10:-8]))
    assert attack.accepted == 0


@every_small
def test_chunks_at_random(attack: Attack, sample: Sample) -> None:
    wire = attack.wire
    payload_of(wire, sample)
    parts = chunks(wire, sample.family, sample.name)
    load_forged(wire, sample.family, parts, random.Random(sample.name))


@every_case
def test_chunks_in_redisblooms_layout(attack: Attack, case) -> None:
    load_forged(attack.wire, case.family, case.chunks(), random.Random(case.name))


def load_forged(wire: Wire, family: str, parts: list[tuple[int, bytes]], randomness: random.Random) -> None:
    refused = 0
    for _ in range(RANDOM_PAYLOADS):
        forged = list(parts)
        index = randomness.randrange(len(forged))
        position, chunk = forged[index]
        if randomness.random() < 0.2:
            position = randomness.choice([0, 1, 2, 3, 1 << 31, (1 << 63) - 1, -1, -(1 << 63), position + 1])
        else:
            chunk = bytes(changed(bytearray(chunk), randomness))
        forged[index] = position, chunk
        replies = wire.calls((f"{family}.LOADCHUNK", "forged", *part) for part in forged)
        refused += any(isinstance(reply, Error) for reply in replies)
        use(wire, "forged")
        wire.call("DEL", "forged")
    assert refused > 0


def test_a_header_that_promises_too_much(attack: Attack) -> None:
    """RedisBloom's header with 2^60 bytes of bits, and a cuckoo header with 2^50 buckets."""
    layer = (1 << 60).to_bytes(8, "little") + (1 << 63).to_bytes(8, "little") + b"\0" * 37
    bloom_header = (
        (0).to_bytes(8, "little") + (1).to_bytes(4, "little") + (5).to_bytes(4, "little") + (2).to_bytes(4, "little")
    )
    assert isinstance(attack.wire.call("BF.LOADCHUNK", "f", 1, bloom_header + layer), Error)
    cuckoo_header = b"".join(number.to_bytes(8, "little") for number in (1, 1 << 50, 0, 1)) + b"\x02\0\x14\0\x01\0"
    assert len(cuckoo_header) == 38
    assert isinstance(attack.wire.call("CF.LOADCHUNK", "f", 1, cuckoo_header), Error)
