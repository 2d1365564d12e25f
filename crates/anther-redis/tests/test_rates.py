"""False-positive rates as asked for: bounds at which a chance failure is rarer than one in 10^9."""

from math import sqrt

import pytest

from harness.keys import add, found, keys
from harness.wire import Error, Wire, fields

QUERIES = 200_000


def most(rate: float, queries: int = QUERIES) -> float:
    """6.5 sigmas above the mean: the binomial's upper tail there is below 10^-9."""
    return queries * rate + 6.5 * sqrt(queries * rate) + 10


@pytest.mark.parametrize("rate", ["0.05", "0.01", "0.001"])
def test_ten_growths(wire: Wire, rate: str) -> None:
    wire.ok("BF.RESERVE", "f", rate, 100)
    add(wire, "f", keys("a", 100 * (2**11 - 1)))
    assert fields(wire.ok("BF.INFO", "f"))["Number of filters"] >= 11
    assert sum(found(wire, "f", keys("never", QUERIES))) <= most(float(rate))


def test_many_growths_by_1(wire: Wire) -> None:
    wire.ok("BF.RESERVE", "f", "0.01", 500, "EXPANSION", 1)
    add(wire, "f", keys("a", 30 * 500))
    assert sum(found(wire, "f", keys("never", QUERIES))) <= most(0.01)


@pytest.mark.parametrize("options", ["NONSCALING", "COUNTING NONSCALING", "WINDOW 50000", "TTL 3600"])
@pytest.mark.parametrize("rate", ["0.01", "0.0005"])
def test_at_capacity(wire: Wire, rate: str, options: str) -> None:
    wire.ok("BF.RESERVE", "f", rate, 50_000, *options.split())
    add(wire, "f", keys("a", 49_000))
    # The filter itself is random, too: another 2 %.
    assert sum(found(wire, "f", keys("never", QUERIES))) <= 1.02 * most(float(rate))


@pytest.mark.parametrize("rate", ["0.01", "0.001", "0.00001"])
def test_cuckoo_filters_with_a_chosen_rate(wire: Wire, rate: str) -> None:
    wire.ok("CF.RESERVE", "f", 50_000, "ERROR", rate)
    add(wire, "f", keys("a", 50_000), "CF.INSERT")
    assert sum(found(wire, "f", keys("never", QUERIES), "CF.MEXISTS")) <= 1.02 * most(float(rate))


def test_cuckoo_filters_keep_it_over_growth(wire: Wire) -> None:
    wire.ok("CF.RESERVE", "f", 1000, "ERROR", "0.01", "EXPANSION", 2)
    add(wire, "f", keys("a", 100_000), "CF.INSERT")
    assert fields(wire.ok("CF.INFO", "f"))["Number of filters"] > 4
    assert sum(found(wire, "f", keys("never", QUERIES), "CF.MEXISTS")) <= 1.02 * most(0.01)


@pytest.mark.parametrize("rate", ["0", "1", "x", "-1", "nan", "1e-300"])
def test_cuckoo_rates_that_make_no_sense(wire: Wire, rate: str) -> None:
    assert isinstance(wire.call("CF.RESERVE", "f", 100, "ERROR", rate), Error)
    assert wire.call("EXISTS", "f") == 0
