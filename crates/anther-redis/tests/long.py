"""`cargo xtask long server`: kills servers, forges payloads and fails over, as often as asked.

Appends a line for each server to the record, and ends with 1 if anything was lost or any server died.
"""

import argparse
import csv
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from harness import crash
from harness.attack import Attack
from harness.cluster import Cluster
from harness.dumps import for_this, payload_of
from harness.failover import fail_over_under_load
from harness.forge import at_random
from harness.objects import SMALL
from harness.server import Program, Server, find
from harness.vectors import cases

ROOT = Path(__file__).resolve().parents[3]


@dataclass
class Result:
    """A line of the record."""

    date: str
    server: str
    rounds: int = 0
    payloads: int = 0
    failovers: int = 0
    lost: int = 0
    deaths: int = 0
    unequal: int = 0

    def is_well(self) -> bool:
        return self.lost + self.deaths + self.unequal == 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="cargo xtask long server", description=__doc__)
    parser.add_argument("--rounds", type=int, default=100, help="kill -9 rounds [default: 100]")
    parser.add_argument("--payloads", type=int, help="forged payloads [default: 100 per round]")
    parser.add_argument("--failovers", type=int, help="failovers [default: one per five rounds]")
    parser.add_argument("--server", choices=["redis", "valkey"], action="append", help="only this one")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of what is forged, and when is killed")
    parser.add_argument("--record", type=Path, default=ROOT / "bench/records/server.csv")
    parser.add_argument("--module", type=Path, required=True)
    options = parser.parse_args()
    options.payloads = 100 * options.rounds if options.payloads is None else options.payloads
    options.failovers = -(-options.rounds // 5) if options.failovers is None else options.failovers
    return options


def kill_rounds(program: Program, folder: Path, rounds: int, seed: int, result: Result) -> None:
    """Every tenth round begins with an empty server, so that all stages of growth are met."""
    for first in range(0, rounds, 10):
        preamble = "yes" if first % 20 == 0 else "no"
        server = Server(program, folder / f"kill-{first}", *crash.OPTIONS, "--aof-use-rdb-preamble", preamble)
        crashes = crash.Crashes(server.start(), random.Random(seed + first))
        crashes.prepare()
        for number in range(first, min(first + 10, rounds)):
            lost = crashes.round(number)
            result.lost += len(lost)
            result.rounds += 1
        server.kill()
        print(f"{program.name}: {result.rounds} kill -9 rounds, {result.lost} lost", flush=True)


def forged_payloads(program: Program, folder: Path, count: int, seed: int, result: Result) -> None:
    server = Server(program, folder / "forged").start()
    with server.wire() as wire:
        payloads = [payload_of(wire, sample) for sample in SMALL]
        payloads += [for_this(wire, case.dump()) for case in cases() if len(case.dump()) < 3000]
    randomness = random.Random(seed)
    attack = Attack(server)
    for number in range(count):
        forged = at_random(payloads[number % len(payloads)], randomness)
        try:
            attack.restore(forged)
        except OSError:
            result.deaths += 1
            kept = ROOT / f"target/server/death-{program.name}-{result.deaths}.bin"
            kept.write_bytes(forged)
            print(f"{program.name} died of {kept}:\n{server.log(30)}", flush=True)
            server.kill()
            attack = Attack(server.start())
        result.payloads += 1
        if result.payloads % 1000 == 0:
            print(f"{program.name}: {result.payloads} forged payloads, {result.deaths} deaths", flush=True)
    attack.assert_harmless()
    server.kill()


def failovers(program: Program, folder: Path, count: int, result: Result) -> None:
    cluster = Cluster(program, folder / "cluster")
    try:
        for number in range(count):
            result.lost += len(fail_over_under_load(cluster, str(number), number))
            result.failovers += 1
            try:
                cluster.assert_equal_digests()
            except AssertionError as error:
                result.unequal += 1
                print(f"{program.name}: {error}", flush=True)
            print(f"{program.name}: {result.failovers} failovers, {result.lost} lost", flush=True)
    finally:
        cluster.kill()


def append(record: Path, result: Result) -> None:
    is_new = not record.exists()
    with record.open("a", newline="") as file:
        writer = csv.DictWriter(file, asdict(result), lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(asdict(result))


def main() -> int:
    options = arguments()
    is_well = True
    for name in options.server or ["redis", "valkey"]:
        program = find(name, options.module)
        result = Result(time.strftime("%Y-%m-%d", time.gmtime()), version(program))
        with tempfile.TemporaryDirectory() as folder:
            print(f"{result.server}, seed {options.seed}", flush=True)
            kill_rounds(program, Path(folder), options.rounds, options.seed, result)
            forged_payloads(program, Path(folder), options.payloads, options.seed, result)
            failovers(program, Path(folder), options.failovers, result)
        append(options.record, result)
        print(result, flush=True)
        is_well &= result.is_well()
    return 0 if is_well else 1


def version(program: Program) -> str:
    """Name and version, as the server has them."""
    words = subprocess.run([program.path, "--version"], capture_output=True, text=True, check=True).stdout.split()
    return f"{program.name} {next(word[2:] for word in words if word.startswith('v='))}"


if __name__ == "__main__":
    sys.exit(main())
