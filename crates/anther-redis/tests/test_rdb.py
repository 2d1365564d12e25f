"""Saved in an RDB file, and loaded by a server that starts."""

from collections.abc import Callable

from harness.objects import SAMPLES, check_all, digests, make_all
from harness.server import Server


def test_restart(start: Callable[..., Server]) -> None:
    server = start("--save", 3600, 1, persistent=True)
    with server.wire() as wire:
        make_all(wire)
        before = digests(wire)
        told = {sample.name: sample.info(wire) for sample in SAMPLES}
    server.restart()
    with server.wire() as wire:
        assert digests(wire) == before
        check_all(wire)
        assert {sample.name: sample.info(wire) for sample in SAMPLES} == told


def test_a_loaded_filter_goes_on_growing(start: Callable[..., Server]) -> None:
    server = start("--save", 3600, 1, persistent=True)
    samples = [sample for sample in SAMPLES if "grown" in sample.name]
    with server.wire() as wire:
        for sample in samples:
            wire.ok(*sample.reserve)
            sample.fill(wire, slice(1000))
    server.restart()
    with server.wire() as wire:
        for sample in samples:
            sample.fill(wire, slice(1000, None))
        check_all(wire, samples)


def test_background_save_and_debug_reload(start: Callable[..., Server]) -> None:
    server = start(persistent=True)
    with server.wire() as wire:
        make_all(wire)
        before = digests(wire)
        assert wire.ok("DEBUG", "RELOAD") == "OK"
        assert digests(wire) == before
        check_all(wire)
