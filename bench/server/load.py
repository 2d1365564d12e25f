"""`cargo xtask bench server`: the module's commands beside the server's own, in one server, under load.

redis-benchmark runs all commands of a group in each round, one after the other, so that a busy minute of the machine
hits all of them. What counts is the ratio within a round; the table shows the median over the rounds.
"""

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "crates/anther-redis/tests"))

from harness.keys import in_batches  # noqa: E402
from harness.server import Program, Server, find  # noqa: E402
from harness.wire import Wire  # noqa: E402

# Every second one is there: lookups find half of what they look for.
KEYS = 1_000_000
KEY = "key:__rand_int__"
# redis-benchmark writes random numbers with leading zeros, which are no bit offsets: always the same bit, then, which
# is in the server's favour.
BIT = "765432"


@dataclass(frozen=True)
class Group:
    """A command of ours, and those of the server that do the same."""

    ours: tuple[str, ...]
    theirs: list[tuple[str, ...]]
    keys: int = 1
    # Writes go to new keys in each round, from a range that is hardly ever hit twice.
    writes: bool = False


GROUPS = [
    Group(
        ("BF.EXISTS", "bloom", KEY),
        [("GET", KEY), ("SISMEMBER", "set", KEY), ("GETBIT", "bits", BIT)],
    ),
    Group(("CF.EXISTS", "cuckoo", KEY), [("GET", KEY), ("SISMEMBER", "set", KEY)]),
    Group(("BF.MEXISTS", "bloom", *[KEY] * 100), [("MGET", *[KEY] * 100)], keys=100),
    Group(
        ("BF.ADD", "new bloom", KEY),
        [("SADD", "new set", KEY), ("SETBIT", "new bits", BIT, "1")],
        writes=True,
    ),
    Group(("CF.ADD", "new cuckoo", KEY), [("SADD", "new set", KEY)], writes=True),
]

# The least ratio of ours to theirs, with this many commands in a pipeline.
GOALS = {
    ("BF.EXISTS", "GET", 1): 0.90,
    ("BF.EXISTS", "GET", 16): 0.75,
    ("BF.MEXISTS", "MGET", 1): 1.0,
    ("BF.MEXISTS", "MGET", 16): 1.0,
}


@dataclass
class Line:
    """A line of the table and of the record."""

    server: str
    pipeline: int
    command: str
    reference: str
    keys_per_second: float
    reference_keys_per_second: float
    ratio: float
    lowest: float
    highest: float
    goal: float | str

    def verdict(self) -> str:
        if isinstance(self.goal, str):
            return ""
        return f"≥ {self.goal:.2f} {'met' if self.ratio >= self.goal else 'MISSED'}"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="cargo xtask bench server", description=__doc__
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument(
        "--seconds",
        type=float,
        default=1.5,
        help="of each command in each round, about",
    )
    parser.add_argument("--server", choices=["redis", "valkey"], default="redis")
    parser.add_argument("--only", help="groups whose command begins like this")
    parser.add_argument("--no-record", action="store_true", help="print the table only")
    parser.add_argument("--module", type=Path, required=True)
    return parser.parse_args()


def prepare(wire: Wire) -> None:
    """Half of the keys, as strings, in a set, in a bitmap and in filters."""
    wire.ok("FLUSHALL")
    wire.ok("BF.RESERVE", "bloom", "0.01", KEYS // 2)
    wire.ok("CF.RESERVE", "cuckoo", KEYS)
    for batch in in_batches(b"key:%012d" % number for number in range(0, KEYS, 2)):
        pairs = [part for key in batch for part in (key, b"x")]
        for reply in wire.calls(
            [
                ("BF.MADD", "bloom", *batch),
                ("CF.INSERT", "cuckoo", "ITEMS", *batch),
                ("SADD", "set", *batch),
                ("MSET", *pairs),
            ]
        ):
            assert reply
    wire.ok("SET", "bits", b"\xaa" * (KEYS // 8))


def refresh(wire: Wire) -> None:
    """What writes go to, empty."""
    wire.ok("DEL", "new bloom", "new cuckoo", "new set", "new bits")
    wire.ok("BF.RESERVE", "new bloom", "0.01", KEYS)
    wire.ok("CF.RESERVE", "new cuckoo", KEYS)


def commands_per_second(
    server: Server, command: tuple[str, ...], pipeline: int, requests: int, keys: int
) -> float:
    program = shutil.which("redis-benchmark")
    assert program is not None, (
        "no redis-benchmark on the path; Debian's package is redis-tools"
    )
    call = [
        program,
        "-p",
        server.port,
        "-c",
        50,
        "-n",
        requests,
        "-P",
        pipeline,
        "-r",
        keys,
        "--csv",
        *command,
    ]
    done = subprocess.run(
        [str(word) for word in call],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: pin(0, 1),
    )
    assert done.returncode == 0, f"{command[0]}: {done.stdout}{done.stderr}"
    return float(list(csv.reader(done.stdout.splitlines()))[-1][1])


def pin(process: int, core: int) -> None:
    """The server and its load each on a core of its own, where there are two."""
    if len(os.sched_getaffinity(0)) > 1:
        os.sched_setaffinity(process, {core})


def measure(
    server: Server, wire: Wire, group: Group, pipeline: int, options: argparse.Namespace
) -> Iterator[Line]:
    commands = [group.ours, *group.theirs]
    keys = 10 * KEYS if group.writes else KEYS
    if group.writes:
        refresh(wire)
    # A first run each, to warm up and to see how many requests are enough.
    requests = {}
    for command in commands:
        rate = commands_per_second(
            server,
            command,
            pipeline,
            200 * pipeline if group.keys > 1 else 20_000,
            keys,
        )
        requests[command] = max(1000, int(rate * options.seconds))
    rates: dict[tuple[str, ...], list[float]] = {command: [] for command in commands}
    for number in range(options.rounds):
        if group.writes:
            refresh(wire)
        # Each is first in turn.
        for command in (
            commands[number % len(commands) :] + commands[: number % len(commands)]
        ):
            rates[command].append(
                commands_per_second(server, command, pipeline, requests[command], keys)
            )
    for command in group.theirs:
        ratios = [
            ours / theirs for ours, theirs in zip(rates[group.ours], rates[command])
        ]
        yield Line(
            server.program.name,
            pipeline,
            group.ours[0],
            command[0],
            group.keys * median(rates[group.ours]),
            group.keys * median(rates[command]),
            median(ratios),
            min(ratios),
            max(ratios),
            GOALS.get((group.ours[0], command[0], pipeline), ""),
        )


def write(lines: list[Line]) -> Path:
    file = (
        ROOT
        / f"bench/records/{time.strftime('%Y-%m-%d', time.gmtime())}-server-{lines[0].server}.csv"
    )
    with file.open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(vars(lines[0]))
        for line in lines:
            writer.writerow(
                f"{value:.4g}" if isinstance(value, float) else value
                for value in vars(line).values()
            )
    return file


def run(program: Program, options: argparse.Namespace) -> list[Line]:
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, Path(folder)).start()
        try:
            with server.wire() as wire:
                prepare(wire)
                pin(server.process.pid, 0)
                print(
                    f"{'-P':>3} {'command':<11}{'keys/s':>12}  {'beside':<10}{'keys/s':>12}{'ratio':>7}  range"
                )
                for pipeline in (1, 16):
                    for group in GROUPS:
                        if options.only and not group.ours[0].startswith(options.only):
                            continue
                        for line in measure(server, wire, group, pipeline, options):
                            lines.append(line)
                            print(
                                f"{line.pipeline:>3} {line.command:<11}{line.keys_per_second:>12,.0f}  "
                                f"{line.reference:<10}{line.reference_keys_per_second:>12,.0f}{line.ratio:>7.2f}  "
                                f"{line.lowest:.2f} to {line.highest:.2f}  {line.verdict()}",
                                flush=True,
                            )
        finally:
            server.kill()
    return lines


def main() -> int:
    options = arguments()
    lines = run(find(options.server, options.module), options)
    if not options.no_record:
        print(f"written: {write(lines).relative_to(ROOT)}")
    return 1 if any("MISSED" in line.verdict() for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
