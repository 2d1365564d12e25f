"""Ranges of ordered keys, and two lists told apart."""

import numpy as np
import pytest

import anther


def test_no_key_of_a_range_is_missed():
    keys = np.random.default_rng(5).integers(-(2**62), 2**62, 2000)
    filter = anther.RangeFilter(keys.tolist(), span=1024, fpr=0.01)
    assert all(int(key) in filter for key in keys)
    assert all(filter.contains_between(int(key) - 500, int(key) + 500) for key in keys)
    gaps = np.sort(keys)[:-1] + 10_000
    wrong = sum(filter.contains_between(int(gap), int(gap) + 1023) for gap in gaps)
    # Six standard deviations above the mean of 20.
    assert wrong <= 47
    again = anther.RangeFilter.from_bytes(filter.to_bytes())
    assert again == filter and again.keys == 2000 and again.span == 1024
    assert 0 < filter.bits / 2000 < np.log2(1024 / 0.01) + 2.3


def test_times_addresses_and_texts():
    times = anther.RangeFilter(["2026-11-17T08:30:00Z", 0], span=10**9, fpr=1e-6, rule="time")
    assert times.contains_between("2026-11-17", "2026-11-17")
    assert not times.contains_between("2026-11-18T00:00:00Z", "2026-11-18T00:00:01Z")
    assert "1970-01-01T00:00:00Z" in times and times.rule == anther.Rule("time")
    hosts = anther.RangeFilter(["192.0.2.7"], span=256, fpr=1e-6, rule="ip")
    assert hosts.contains_between("192.0.2.0/24", "192.0.2.0/24")
    assert not hosts.contains_between("192.0.2.8", "192.0.2.255")
    names = anther.RangeFilter(["b", "d"], span=2**56, fpr=0.01, rule="text")
    assert "b" in names


def test_what_is_refused(tmp_path):
    filter = anther.RangeFilter([1, 2], 10)
    with pytest.raises(ValueError, match="before it begins"):
        filter.contains_between(2, 1)
    for bad in (1.5, None, ("a", "b")):
        with pytest.raises(TypeError):
            filter.contains_between(bad, 5)
        with pytest.raises(TypeError):
            anther.RangeFilter([bad], 10)
    with pytest.raises(TypeError):
        anther.RangeFilter("12", 10)
    with pytest.raises(anther.BuildError):
        anther.RangeFilter([1], 0)
    with pytest.raises(anther.BuildError):
        anther.RangeFilter([2**64], 10)
    filter.save(tmp_path / "ranges.anther")
    assert anther.RangeFilter.open(tmp_path / "ranges.anther") == filter
    with pytest.raises(anther.FileError, match="range"):
        anther.open(tmp_path / "ranges.anther")
    anther.Filter(10).save(tmp_path / "filter.anther")
    with pytest.raises(anther.FileError):
        anther.RangeFilter.open(tmp_path / "filter.anther")


def test_the_program_builds_what_is_opened_here(program, tmp_path):
    path = tmp_path / "times.anther"
    lines = "".join(f"2026-11-17T08:{minute:02}:00Z\n" for minute in range(60))
    program("build", path, "--kind", "range", "--span", "1m", "--as", "time", "--fpr", "0.01%", stdin=lines)
    filter = anther.RangeFilter.open(path)
    assert filter.keys == 60
    assert filter.contains_between("2026-11-17T08:30:00Z", "2026-11-17T08:30:30Z")
    assert not filter.contains_between("2026-11-17T12:00:00Z", "2026-11-17T12:00:30Z")


def test_two_lists_are_told_apart(tmp_path):
    members, others = np.arange(5000), np.arange(5000, 300_000)
    filter = anther.Filter.cascade(members, others)
    assert filter.contains_many(members).all() and not filter.contains_many(others).any()
    assert filter.info.bits_per_key < 9
    filter.save(tmp_path / "both.anther")
    assert anther.open(tmp_path / "both.anther") == filter
    low = anther.Filter.cascade(members, others, 0.001)
    unseen = low.contains_many(np.arange(10**6, 10**6 + 100_000))
    assert unseen.mean() < 0.0016
    with pytest.raises(anther.BuildError, match="both lists"):
        anther.Filter.cascade([1, 2], [2, 3])
    with pytest.raises(anther.AntherError):
        anther.Filter.build([1, 2], kind="cascade")
