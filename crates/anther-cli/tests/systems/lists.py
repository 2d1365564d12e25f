"""Lists of keys: 10,000 to insert, 10,000 others, for each form of keys."""

import gzip
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# Made to bite: the empty key, all lengths, bytes above 0x7f in every place, surrogate pairs, extremes of integers.
SHARP = Path(__file__).resolve().parents[4] / "crates/anther/tests/foreign/keys"
COUNT = 10_000


@dataclass(frozen=True)
class Lists:
    """Keys as lines of text. No key is in both lists."""

    form: str
    members: list[str]
    others: list[str]

    @property
    def all(self) -> list[str]:
        return self.members + self.others


@cache
def lists(form: str) -> Lists:
    """The same keys in every run."""
    rng = random.Random(f"keys of {form}")
    members = dict.fromkeys(sharp(form))
    fill(members, form, rng)
    others: dict[str, None] = {}
    fill(others, form, rng, members)
    return Lists(form, list(members), list(others))


def sharp(form: str) -> list[str]:
    names = {"text": "utf8_10000", "utf16": "utf8_10000", "hex": "hex_10000", "int64": "i64_10000", "int32": "i32_100"}
    names["double"] = "f64_100"
    file = SHARP / f"{names[form]}.txt"
    text = file.read_bytes() if file.exists() else gzip.decompress(file.with_suffix(".txt.gz").read_bytes())
    return text.decode().split("\n")[:-1]


def fill(keys: dict[str, None], form: str, rng: random.Random, without: dict[str, None] | None = None) -> None:
    while len(keys) < COUNT:
        key = random_key(form, rng)
        if key not in (without or ()):
            keys[key] = None


def random_key(form: str, rng: random.Random) -> str:
    match form:
        case "int32":
            return str(rng.randrange(-(1 << 31), 1 << 31))
        case "int64":
            return str(rng.randrange(-(1 << 63), 1 << 63))
        case "double":
            return repr(rng.uniform(-1e6, 1e6))
        case "hex":
            return rng.randbytes(rng.randrange(1, 40)).hex()
    return "".join(rng.choice("abcdefgh/.-0123456789éß鍵😀") for _ in range(rng.randrange(4, 30)))


def write(path: Path, keys: list[str]) -> Path:
    path.write_text("".join(f"{key}\n" for key in keys), encoding="utf-8", newline="")
    return path
