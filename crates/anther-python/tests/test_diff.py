"""Set differences."""

import itertools

import pytest

import anther
from anther import diff


@pytest.mark.parametrize("options", [{}, {"seed": 5}, {"key": bytes(16)}])
def test_integers(options):
    sender = diff.Encoder(range(10_000), **options)
    ours, theirs = diff.difference(range(100, 10_020), sender, **options)
    assert ours == list(range(10_000, 10_020)) and theirs == list(range(100))


def test_bytes():
    left = {b"anther", b"", b"petal", bytes(20)}
    right = {b"anther", b"sepal"}
    ours, theirs = diff.difference(left, diff.Encoder(right, length=20), length=20)
    assert set(ours) == left - right and theirs == [b"sepal"]


def test_a_decoder_step_by_step():
    symbols = list(itertools.islice(diff.Encoder([1, 2, 3, 3]), 50))
    decoder = diff.Decoder([2, 3, 4])
    assert not decoder.done and decoder.symbols == 0
    taken = next(count for count, symbol in enumerate(symbols, 1) if decoder.push(symbol))
    assert decoder.done and decoder.symbols == taken
    assert (decoder.ours, decoder.theirs) == ([4], [1])
    assert all(len(symbol) == diff.Encoder([]).symbol_bytes for symbol in symbols)
    same = diff.Decoder([])
    assert same.push(next(diff.Encoder([]))) and same.ours == same.theirs == []


def test_what_is_refused():
    for bad in [[-1], [2**64]]:
        with pytest.raises(anther.KeyValueError, match="0 to 2"):
            diff.Encoder(bad)
    for bad in [["a"], [1.5], [None]]:
        with pytest.raises(anther.KeyTypeError):
            diff.Decoder(bad)
    with pytest.raises(TypeError, match="length="):
        diff.Encoder([b"a"])
    with pytest.raises(anther.KeyTypeError, match="bytes, not int"):
        diff.Encoder([1], length=5)
    with pytest.raises(anther.KeyValueError, match="does not fit"):
        diff.Encoder([b"too long"], length=5)
    for length in [0, 70_000]:
        with pytest.raises(anther.SizeError, match="1 to 65535"):
            diff.Encoder([], length=length)
    with pytest.raises(TypeError):
        diff.Encoder(5)
    decoder = diff.Decoder([1])
    with pytest.raises(anther.FileError, match="symbol of 3 bytes"):
        decoder.push(b"abc")
    with pytest.raises(TypeError):
        decoder.push("abc")
    with pytest.raises(EOFError, match="after 1 symbols"):
        diff.difference([1, 2, 3], itertools.islice(diff.Encoder([4, 5, 6]), 1))


def test_symbols_of_another_seed_are_never_decoded():
    decoder = diff.Decoder(range(50))
    try:
        for symbol in itertools.islice(diff.Encoder(range(50), seed=1), 300):
            assert not decoder.push(symbol)
    except anther.FileError as error:
        assert "forged" in str(error)


def test_a_difference_that_cannot_be_decoded_ends():
    for theirs in [diff.Encoder(range(50), seed=1), diff.Encoder(range(50), key=bytes(16))]:
        with pytest.raises((EOFError, anther.FileError), match="same seed|forged"):
            diff.difference(range(50), theirs)
    with pytest.raises(EOFError, match="after 3 symbols"):
        diff.difference(range(50), diff.Encoder(range(100, 150)), limit=3)
    ours, theirs = diff.difference(iter([]), diff.Encoder(range(20_000)))
    assert not ours and theirs == list(range(20_000))
