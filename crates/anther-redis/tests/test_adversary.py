"""Strangers who choose keys: they know the software, and not the key of the filter.

The attacker finds out, in a server of their own, which bits an item sets under a key that they know, and takes
items that set bits which are still clear. Against that key it works; against any other it does nothing.
"""

import random

import pytest

from harness.anther_file import bits
from harness.keys import found, keys
from harness.wire import Wire

ITEMS = 1000
CANDIDATES = 12_000
KNOWN = "00000000000000000000000000000000"
RESERVE = ("0.01", ITEMS, "NONSCALING")
FILTERS, QUERIES = 100, 10_000


@pytest.mark.usefixtures("random_keys")
def test_chosen_keys_do_nothing_to_a_filter_of_another_key(wire: Wire) -> None:
    chosen = choose(wire)
    attacked = rate(wire, chosen, "HASHKEY", KNOWN, filters=1)
    assert attacked > 0.03, f"the attack must work where the key is known, and gave {attacked}"
    # A million queries: sigma is one per cent of the rate, and the filters' own chance half of that.
    keyed = rate(wire, chosen, filters=FILTERS)
    assert keyed <= 0.011


def rate(wire: Wire, items: list[bytes], *options: str, filters: int) -> float:
    """The mean over some filters, each with a key of its own unless one is named."""
    positives = 0
    for number in range(filters):
        wire.ok("BF.RESERVE", "f", *RESERVE, *options)
        wire.ok("BF.MADD", "f", *items)
        positives += sum(found(wire, "f", keys(f"query {number}", QUERIES)))
        wire.ok("DEL", "f")
    return positives / (filters * QUERIES)


def choose(wire: Wire) -> list[bytes]:
    """Greedily: first the items all of whose bits are clear, then those with one less, and so on."""
    seen = random.Random(16)
    pool = [(item, positions(wire, item)) for item in (b"%x" % seen.getrandbits(64) for _ in range(CANDIDATES))]
    filled, chosen = 0, []
    most = max(mask.bit_count() for _, mask in pool)
    for wanted in range(most, 0, -1):
        rest = []
        for item, mask in pool:
            if (mask & ~filled).bit_count() >= wanted and len(chosen) < ITEMS:
                filled |= mask
                chosen.append(item)
            else:
                rest.append((item, mask))
        pool = rest
    assert len(chosen) == ITEMS
    return chosen


def positions(wire: Wire, item: bytes) -> int:
    """The bits that one item sets under the known key, from an export of a filter with nothing else."""
    replies = wire.calls(
        [
            ("BF.RESERVE", "probe", *RESERVE, "HASHKEY", KNOWN),
            ("BF.ADD", "probe", item),
            ("BF.EXPORT", "probe"),
            ("DEL", "probe"),
        ]
    )
    return int.from_bytes(bits(replies[2]), "little")
