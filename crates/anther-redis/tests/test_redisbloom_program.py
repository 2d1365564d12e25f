"""Filters of RedisBloom that the program makes: the server restores and dumps them, and answers as the program does."""

import subprocess
from pathlib import Path

import pytest

from harness.dumps import chunks
from harness.keys import found
from harness.vectors import PLACES, lines
from harness.wire import OK, Wire

# Made to bite: the empty key, all lengths, bytes above 0x7f in every place.
MEMBERS = lines(PLACES[0] / "keys/utf8_10000.txt")
OTHERS = [b"%d/\xc3\xa9" % number for number in range(10_000)]


@pytest.mark.parametrize("items", [10_000, 700], ids=["one layer", "four layers"])
def test_there_and_back(wire: Wire, anther: Path, tmp_path: Path, items: int) -> None:
    def run(*words: object) -> bytes:
        call = [anther, *map(str, words)]
        done = subprocess.run(call, check=False, cwd=tmp_path, capture_output=True, stdin=subprocess.DEVNULL)
        assert done.returncode in (0, 1), f"{words}: {done.stderr.decode()}"
        return done.stdout

    def check(file: str) -> list[bool]:
        selected = run("check", file, "-n", "--keep-empty", "-f", "all").splitlines()
        numbers = {int(line.split(b":", 1)[0]) for line in selected}
        return [number in numbers for number in range(1, len(MEMBERS + OTHERS) + 1)]

    (tmp_path / "members").write_bytes(b"".join(key + b"\n" for key in MEMBERS))
    (tmp_path / "all").write_bytes(b"".join(key + b"\n" for key in MEMBERS + OTHERS))
    run("build", "dump", "members", "--to", "redisbloom", "--keep-empty", "--fpr", "3%", "--items", items)

    assert wire.call("RESTORE", "f", 0, (tmp_path / "dump").read_bytes()) == OK
    answers = found(wire, "f", MEMBERS + OTHERS)
    assert all(answers[: len(MEMBERS)])
    assert 0.01 < sum(answers[len(MEMBERS) :]) / len(OTHERS) < 0.05, "false positives, to be compared"
    assert check("dump") == answers

    for position, chunk in chunks(wire, "BF", "f"):
        (tmp_path / f"scandump_{position}.bin").write_bytes(chunk)
    assert check("scandump_1.bin") == answers
