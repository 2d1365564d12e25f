"""The lines for redis-cli that the tab Plan of `anther lab` shows, after those for the shell where they import a file."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.server import Server
from harness.wire import Wire

LINES = Path(__file__).resolve().parents[3] / "crates/anther-lab/tests/lines.json"
SHOWN = [entry for entry in json.loads(LINES.read_text()) if entry["lines"].get("redis-cli")]
FILES = {
    "keys.txt": "ada@example.org\ngrace@example.org\n",
    "keys.tsv": "ada@example.org\t1\ngrace@example.org\t0\n",
    "never.txt": "bob@example.org\n",
    "numbers.txt": "1700000042\n",
}


def name(entry: dict) -> str:
    return entry["kind"] + "-keyed" * entry["keyed"]


@pytest.mark.parametrize("entry", SHOWN, ids=name)
def test_lines_run(entry: dict, server: Server, wire: Wire, anther: Path, tmp_path: Path) -> None:
    def run(line: str) -> str:
        line = line.replace("redis-cli", f"{shutil.which('redis-cli')} -e -p {server.port}", 1)
        line = line.replace("anther ", f"{anther} ", 1) if line.startswith("anther ") else line
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
        return done.stdout.strip()

    for file, text in FILES.items():
        (tmp_path / file).write_text(text)
    lines = entry["lines"]["redis-cli"].splitlines()
    if "BF.IMPORT" in lines[0]:
        run(entry["lines"]["Shell"].splitlines()[0])
        assert [run(line) for line in lines] == ["OK", "1"]
    else:
        assert [run(line) for line in lines] == ["OK", "1", "1", "1"][: len(lines)]
    if "BF." in lines[0]:
        assert wire.ok("BF.INFO", "seen", "KIND")[-1] in (entry["kind"].encode(), entry["kind"])
