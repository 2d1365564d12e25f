"""Java libraries at work: jobs for a class of the folder `java`."""

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

SOURCES = Path(__file__).parent / "java"


def compiled(folder: Path, libraries: Iterable[str]) -> Path:
    sources = sorted(map(str, SOURCES.glob("*.java")))
    class_path = ":".join(libraries)
    done = subprocess.run(
        ["javac", "-d", folder, "-cp", class_path, *sources], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


@dataclass
class Jobs:
    """Jobs for a library, in one process: see Jobs.java."""

    main: str
    class_path: str
    folder: Path
    lines: list[str] = field(default_factory=list)
    outputs: list[Path] = field(default_factory=list)

    def write(self, to: str, form: str, items: int, fpr: float, keys: Path) -> Path:
        """Asks for a filter of these keys."""
        return self.add(("write", to, form, items, fpr, keys))

    def answer(self, to: str, form: str, filter_file: Path, keys: Path) -> Path:
        """Asks for the answer to every key."""
        return self.add(("answer", to, form, filter_file, keys))

    def add(self, job: tuple[object, ...]) -> Path:
        out = self.folder / f"{self.main}{len(self.outputs)}"
        self.outputs.append(out)
        self.lines.append("\t".join(map(str, (*job, out))))
        return out

    def run(self) -> None:
        done = subprocess.run(
            ["java", "-XX:TieredStopAtLevel=1", "-cp", self.class_path, self.main],
            input="".join(f"{line}\n" for line in self.lines),
            check=False,
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stderr


def answers(file: Path) -> list[bool]:
    return [character == "1" for character in file.read_text()]
