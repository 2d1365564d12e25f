"""Every answer that was compared, counted: the table at the end of a run, and in docs/formats.md."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Row:
    filters: int = 0
    members: int = 0
    others: int = 0
    false_positives: int = 0


ANSWERS = ("Who writes, who reads", "Filters", "Keys in", "Keys not in", "False positives")
GROUPS = ("Reader", "Column", "Keys", "Row groups read per key, of 25")


@dataclass
class Tally:
    rows: dict[str, Row] = field(default_factory=dict)
    groups: list[tuple[str, str, str, str]] = field(default_factory=list)

    def same(self, who: str, ours: Sequence[bool], theirs: Sequence[bool], members: int) -> None:
        """Compare two programs' answers to the same keys; the first `members` of them are in the filter."""
        assert len(ours) == len(theirs), f"{who}: {len(ours)} and {len(theirs)} answers"
        differ = [at for at, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1]]
        assert not differ, f"{who}: {len(differ)} answers differ, the first for key {differ[0]}"
        missing = [at for at, answer in enumerate(ours[:members]) if not answer]
        assert not missing, f"{who}: {len(missing)} keys are not found, the first is key {missing[0]}"
        row = self.rows.setdefault(who, Row())
        row.filters += 1
        row.members += members
        row.others += len(ours) - members
        row.false_positives += sum(ours[members:])

    def read(self, reader: str, column: str, keys: str, per_key: float) -> None:
        """How many row groups of a Parquet file were read for a key."""
        self.groups.append((reader, column, keys, f"{per_key:.2f}"))

    def tables(self) -> list[list[str]]:
        """In Markdown, as the page has them."""
        return [self.answers_table(), self.groups_table()]

    def answers_table(self) -> list[str]:
        lines = [f"| {' | '.join(ANSWERS)} |", "|---|---:|---:|---:|---:|"]
        for who, row in sorted(self.rows.items()):
            numbers = (row.filters, row.members, row.others, row.false_positives)
            lines.append(f"| {who} | {' | '.join(f'{number:,}' for number in numbers)} |")
        return lines

    def groups_table(self) -> list[str]:
        lines = [f"| {' | '.join(GROUPS)} |", "|---|---|---|---:|"]
        return lines + [f"| {' | '.join(row)} |" for row in sorted(self.groups)]
