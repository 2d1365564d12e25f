"""Alternated rounds: everyone's turn comes in each round, so that a busy minute of the machine hits all of them.

What counts is the ratio within a round. A record has its median over the rounds, and the lowest and the highest.
"""

import csv
import datetime
import gc
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median

RECORDS = Path(__file__).resolve().parents[1] / "records"

# Runs once and returns the seconds that count: what it prepares for itself is not timed.
Turn = Callable[[], float]


@dataclass
class Line:
    """A line of the table and of the record."""

    section: str
    work: str
    ours: str
    reference: str
    ns_per_key: float
    reference_ns_per_key: float
    # How many times as fast ours is.
    ratio: float
    lowest: float
    highest: float
    goal: float | None

    def verdict(self) -> str:
        if self.goal is None:
            return ""
        return f"≥ {self.goal:.2f} {'met' if self.ratio >= self.goal else 'MISSED'}"

    def show(self) -> None:
        print(
            f"{self.section:<8} {self.work:<34} {self.ours:<18} {self.ns_per_key:8.1f} ns   "
            f"{self.reference:<26} {self.reference_ns_per_key:8.1f} ns   "
            f"{self.ratio:6.2f}× ({self.lowest:.2f} to {self.highest:.2f})  {self.verdict()}",
            flush=True,
        )


def timed(work: Callable[[], object]) -> float:
    """The seconds of one run. The collector waits: it would look at a peer's list of ten million objects."""
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    gc.enable()
    return seconds


def alternate(
    section: str,
    work: str,
    keys: int,
    rounds: int,
    turns: dict[str, Turn],
    goals: dict[str, float] | None = None,
) -> list[Line]:
    """Ours is the first of the turns; a line for each of the others."""
    ours, *others = turns
    seconds: dict[str, list[float]] = {name: [] for name in turns}
    for _ in range(rounds):
        for name, turn in turns.items():
            seconds[name].append(turn())
    lines = []
    for other in others:
        ratios = [
            theirs / own
            for own, theirs in zip(seconds[ours], seconds[other], strict=True)
        ]
        line = Line(
            section,
            work,
            ours,
            other,
            median(seconds[ours]) / keys * 1e9,
            median(seconds[other]) / keys * 1e9,
            median(ratios),
            min(ratios),
            max(ratios),
            (goals or {}).get(other),
        )
        line.show()
        lines.append(line)
    return lines


def write(name: str, lines: list[Line]) -> None:
    """A record of today: `DATE-NAME.csv`."""
    path = RECORDS / f"{datetime.date.today()}-{name}.csv"
    with path.open("w", newline="") as file:
        out = csv.DictWriter(file, [field.name for field in fields(Line)], lineterminator="\n")
        out.writeheader()
        for line in lines:
            row = asdict(line)
            out.writerow({key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()})
    print(f"wrote {path.relative_to(RECORDS.parents[1])}")
