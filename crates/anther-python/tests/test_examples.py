"""The examples run as they are. They assert what they show."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_example(example: Path, tmp_path: Path) -> None:
    if "import polars" in example.read_text():
        pytest.importorskip("polars")
    done = subprocess.run(
        [sys.executable, "-W", "error", example], check=False, capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout and not done.stderr
    assert list(tmp_path.iterdir()) == [], "it leaves nothing behind"


def test_there_are_examples() -> None:
    assert len(list(EXAMPLES.glob("*.py"))) >= 3
