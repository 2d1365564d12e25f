"""Waiting for something to become true: never longer than a deadline, and with a word about what was missing."""

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


def wait_until(condition: Callable[[], Value], what: str, seconds: float = 20) -> Value:
    """Asks again and again until the answer is true, and returns it."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds:g} s: {what}")
        time.sleep(0.005)
    return answer
