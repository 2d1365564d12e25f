"""What the tests share."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def program():
    """Runs the program that was built from this tree. Its path is in ANTHER."""
    path = Path(os.environ.get("ANTHER", ROOT / "target" / "release" / "anther"))
    if not path.is_file():
        pytest.fail(f"{path} is missing; build it with `cargo build --release -p anther-cli`")

    def run(*arguments, stdin="", key=None, fails=False):
        environment = dict(os.environ)
        if key is not None:
            environment["ANTHER_KEY"] = key.hex()
        done = subprocess.run(
            [str(path), *map(str, arguments)],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env=environment,
        )
        assert fails == (done.returncode == 2), done.stderr.decode()
        return done

    return run
