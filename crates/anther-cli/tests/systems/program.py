"""The program anther, in a folder of its own."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lists import write


@dataclass
class Anther:
    path: Path
    folder: Path
    lists: int = 0

    def run(self, *words: object, codes: tuple[int, ...] = (0,)) -> str:
        """What it prints; any other exit code fails the test with the program's own words."""
        call = [str(self.path), *map(str, words)]
        done = subprocess.run(
            call, check=False, cwd=self.folder, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL
        )
        assert done.returncode in codes, f"{' '.join(call)}: {done.stderr}"
        return done.stdout

    def key_file(self, keys: list[str]) -> Path:
        """A file of keys."""
        self.lists += 1
        return write(self.folder / f"keys{self.lists}.txt", keys)

    def build(self, to: str, form: str, keys: list[str], *options: object) -> Path:
        """A filter of these keys in another system's format."""
        list_file = self.key_file(keys)
        out = list_file.with_suffix(f".{to}")
        self.run("build", out, list_file, "--to", to, *as_form(form), "--keep-empty", *options)
        return out

    def check(self, filter_file: Path, form: str, keys: list[str], *options: object) -> list[bool]:
        """What a filter says to each key."""
        words = ["check", filter_file, "-n", "-f", self.key_file(keys), *as_form(form), "--keep-empty", *options]
        lines = self.run(*words, codes=(0, 1)).split("\n")[:-1]
        answers = [False] * len(keys)
        for line in lines:
            number, _, key = line.partition(":")
            assert keys[int(number) - 1] == key
            answers[int(number) - 1] = True
        return answers

    def row_groups(self, file: Path, column: str, form: str, keys: list[str]) -> list[list[int]]:
        """For each key, the row groups of a Parquet file whose filters may hold it."""
        words = ["check", file, "--json", "--entry", column, "-f", self.key_file(keys), *as_form(form), "--keep-empty"]
        answers = [json.loads(line) for line in self.run(*words, codes=(0, 1)).splitlines()]
        assert [answer["record"] for answer in answers] == keys
        return [answer.get("row_groups", []) for answer in answers]


def as_form(form: str) -> list[str]:
    """Text is the default."""
    return [] if form == "text" else ["--as", form]
