"""The sessions of the module's README, run as they are printed, against both servers.

A line after `$ ` is a command; what follows is what it prints, as in a terminal; `…` stands for anything. Commands
that start servers, build or install are left out: the tests have done that already.
"""

import os
import pty
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.server import Server

README = Path(__file__).resolve().parents[1] / "README.md"
LEFT_OUT = re.compile(r"(redis-server|valkey-server|cargo|docker|apt-get|apt|sudo|git|cd|pip)\b")
BLOCKS = re.findall(r"^```console\n(.*?)^```", README.read_text(), re.DOTALL | re.MULTILINE) if README.exists() else []


def commands() -> list[tuple[str, str]]:
    """Each with what it prints. A command goes on after a backslash."""
    pairs: list[tuple[str, str]] = []
    for line in "".join(BLOCKS).splitlines():
        if line.startswith("$ "):
            pairs.append((line[2:], ""))
        elif pairs and pairs[-1][0].endswith("\\") and not pairs[-1][1]:
            pairs[-1] = pairs[-1][0] + "\n" + line.removeprefix("> "), ""
        elif pairs:
            pairs[-1] = pairs[-1][0], pairs[-1][1] + line + "\n"
    return pairs


@pytest.fixture
def tools(server: Server, anther: Path, tmp_path: Path) -> dict[str, str]:
    """An environment in which `redis-cli` talks to our server, and `anther` is the program."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "anther").symlink_to(anther)
    for name in ("redis-cli", "valkey-cli"):
        (folder / name).write_text(f'#!/bin/sh\nexec {shutil.which("redis-cli")} -p {server.port} "$@"\n')
        (folder / name).chmod(0o755)
    return os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200"}


def in_terminal(command: str, folder: Path, tools: dict[str, str]) -> str:
    """What a terminal shows: redis-cli writes types only there."""
    reader, writer = pty.openpty()
    process = subprocess.Popen(
        ["bash", "-c", command], cwd=folder, env=tools, stdin=subprocess.DEVNULL, stdout=writer, stderr=writer
    )
    os.close(writer)
    shown = b""
    try:
        while part := os.read(reader, 65536):
            shown += part
    except OSError:
        # So a terminal ends whose last writer is gone.
        pass
    os.close(reader)
    process.wait(60)
    return shown.decode().replace("\r\n", "\n")


def fits(shown: str, printed: str) -> bool:
    pattern = "".join(".*" if part == "…" else re.escape(part) for part in re.split("(…)", printed.strip()))
    return re.fullmatch(pattern, shown.strip(), re.DOTALL) is not None


@pytest.mark.skipif(not BLOCKS, reason=f"no console sessions in {README}")
def test_sessions(tools: dict[str, str], tmp_path: Path) -> None:
    ran = 0
    for command, printed in commands():
        if LEFT_OUT.match(command):
            continue
        shown = in_terminal(command, tmp_path, tools)
        assert fits(shown, printed), f"$ {command}\n{shown}\ninstead of\n{printed}"
        ran += 1
    assert ran >= 5


def test_patterns_can_fail() -> None:
    assert fits("(integer) 1\n", "(integer) 1\n")
    assert not fits("(integer) 0\n", "(integer) 1\n")
    assert fits("made by anther 3\n", "made … 3\n")
