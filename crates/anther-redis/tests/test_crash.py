"""kill -9 under load with `appendfsync always`: no acknowledged insert is missing."""

import random
from collections.abc import Callable

import pytest

from harness.crash import OPTIONS, Crashes
from harness.server import Server

ROUNDS = 4


@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_nothing_acknowledged_is_lost(start: Callable[..., Server], preamble: str) -> None:
    server = start(*OPTIONS, "--aof-use-rdb-preamble", preamble)
    crashes = Crashes(server, random.Random(1))
    crashes.prepare()
    for number in range(ROUNDS):
        assert crashes.round(number) == [], f"round {number}"
