"""Refuse breached passwords, from a list of hashes that would not fit next to your service.

Lists of breached passwords have a line `SHA1:COUNT` for each: about 40 GB for 900 million. A filter of them answers "is
this password in the list?" in memory and offline. It takes 7 bits per password, so 800 MB for all of them, with 1 % false
positives. A false positive only makes a user choose another password; a breached one is never let through.

The filter has the rule "hex": keys are the 20 bytes of the hash, however it is spelt. The program makes the same filter

    anther build breached.anther breached.txt --delimiter : --column 1 --as hex --kind ribbon --fpr 1%

and this script opens that one, too, if the program is on the PATH (or named by ANTHER).

Run it: python breached_passwords.py
"""

import hashlib
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import anther

BREACHED = 200_000
FPR = 0.01


def sha1(password: str) -> str:
    return hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest()


def breached_password(number: int) -> str:
    """Some of what people choose."""
    words = ["password", "letmein", "dragon", "sunshine", "monkey", "football", "qwerty", "master"]
    return f"{words[number % len(words)]}{number // len(words)}"


def write_list(path: Path) -> None:
    """In the form of the published lists: capital letters, sorted, with a count."""
    chance = random.Random(1)
    lines = sorted(f"{sha1(breached_password(n)).upper()}:{chance.randint(1, 5000)}\n" for n in range(BREACHED))
    path.write_text("".join(lines))


def hashes(path: Path) -> Iterator[str]:
    with path.open() as lines:
        for line in lines:
            yield line.partition(":")[0]


def is_breached(filter: anther.Filter, password: str) -> bool:
    return sha1(password) in filter


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_list(folder / "breached.txt")

        # The list does not change, so a static kind: "ribbon" is the smallest.
        started = time.perf_counter()
        anther.Filter.build(hashes(folder / "breached.txt"), FPR, kind="ribbon", rule="hex").save(
            folder / "breached.anther"
        )
        seconds = time.perf_counter() - started
        sizes = [(folder / name).stat().st_size for name in ("breached.txt", "breached.anther")]
        print(
            f"{BREACHED:,} hashes, {sizes[0] / 1e6:.1f} MB, became a filter of {sizes[1] / 1e3:.0f} kB in {seconds:.1f} s"
        )
        assert 8 * sizes[1] / BREACHED < 11, "bits per password"

        # In the service: mapped, so that all its processes share one copy.
        breached = anther.open(folder / "breached.anther", map=True)
        for password in ("password1", "sunshine777", "correct horse battery staple", "xkcd-936-is-known"):
            print(f"  {password:<30} {'choose another one' if is_breached(breached, password) else 'fine'}")
        assert is_breached(breached, "password1")
        assert sha1("password1").upper() in breached, "however the hash is spelt"

        known = [sha1(breached_password(number)) for number in range(BREACHED)]
        assert breached.contains_many(known).all(), "no breached password is let through"
        others = [sha1(f"a good one, number {number}") for number in range(BREACHED)]
        wrong = int(breached.contains_many(others).sum())
        print(f"of {BREACHED:,} other passwords, {wrong:,} are refused without need: {wrong / BREACHED:.2%}")
        assert wrong < 1.2 * FPR * BREACHED

        started = time.perf_counter()
        for number in range(20_000):
            is_breached(breached, breached_password(number))
        print(f"a look-up takes {(time.perf_counter() - started) / 20_000 * 1e6:.1f} µs, the SHA-1 included")

        compare_with_program(folder, breached, known + others)


def compare_with_program(folder: Path, ours: anther.Filter, keys: list[str]) -> None:
    program = os.environ.get("ANTHER") or shutil.which("anther")
    if program is None:
        print("the program anther is not on the PATH: its filter was not compared")
        return
    build = [program, "build", "--quiet", str(folder / "theirs.anther"), str(folder / "breached.txt")]
    build += ["--delimiter", ":", "--column", "1", "--as", "hex", "--kind", "ribbon", "--fpr", "1%"]
    subprocess.run(build, check=True)
    theirs = anther.open(folder / "theirs.anther")
    assert (theirs.contains_many(keys) == ours.contains_many(keys)).all()
    print(f"the program's filter gives the same {len(keys):,} answers")


if __name__ == "__main__":
    main()
