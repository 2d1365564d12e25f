"""Filters in DCSO's format, with flor, which reads and writes it in Python."""

import gzip
from pathlib import Path

import pytest
from flor import BloomFilter

from lists import COUNT, lists
from program import Anther
from tally import Tally

FPR = 0.03
# flor calls a filter full when it holds as many keys as it was made for.
ITEMS = COUNT + 1


def as_bytes(form: str, key: str) -> bytes:
    return bytes.fromhex(key) if form == "hex" else key.encode()


@pytest.mark.parametrize("form", ["text", "hex"])
@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gzip"])
def test_both_ways(anther: Anther, tally: Tally, tmp_path: Path, form: str, compressed: bool) -> None:
    keys = lists(form)
    theirs = BloomFilter(n=ITEMS, p=FPR)
    for key in keys.members:
        theirs.add(as_bytes(form, key))
    their_file = tmp_path / "their.bloom"
    with (gzip.open if compressed else open)(their_file, "wb") as out:
        theirs.write(out)
    our_file = anther.build("dcso", form, keys.members, "--fpr", FPR, "--items", ITEMS)
    plain = our_file.read_bytes()
    if compressed:
        our_file.write_bytes(gzip.compress(plain))
    ours = BloomFilter()
    with (gzip.open if compressed else open)(our_file, "rb") as stream:
        ours.read(stream)
    for who, file, filter_there in [
        ("anther writes, flor (DCSO) reads", our_file, ours),
        ("flor (DCSO) writes, anther reads", their_file, theirs),
    ]:
        answers = [as_bytes(form, key) in filter_there for key in keys.all]
        tally.same(who, anther.check(file, form, keys.all), answers, len(keys.members))
    if not compressed:
        assert plain == their_file.read_bytes()
