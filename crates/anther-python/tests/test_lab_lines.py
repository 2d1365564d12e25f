"""The lines for Python that the tab Plan of `anther lab` shows: each runs as it is shown."""

import json
from pathlib import Path

import pytest

LINES = Path(__file__).resolve().parents[3] / "crates/anther-lab/tests/lines.json"
SHOWN = [entry for entry in json.loads(LINES.read_text()) if entry["lines"].get("Python")]


def test_all_kinds_are_shown():
    import anther

    assert {entry["kind"] for entry in SHOWN} == {*anther.kinds, "range"}


@pytest.mark.parametrize("entry", SHOWN, ids=lambda entry: entry["kind"] + "-keyed" * entry["keyed"])
def test_lines_run(entry):
    names = {}
    exec(entry["lines"]["Python"], names)
    seen = names["seen"]
    assert getattr(seen, "kind", "range") == entry["kind"]
    if entry["kind"] != "range":
        assert seen.keyed == entry["keyed"]
