"""What RedisBloom wrote: chunks of SCANDUMP, DUMP payloads and RDB files, with keys that are in and keys that are not."""

import gzip
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
PLACES = [ROOT / "crates/anther/tests/foreign", ROOT.parent / "shared/vectors"]

# Keys of the RDB files, and the case that was written with the same commands.
IN_RDB = {
    "bf_100": "rb26_bf_100",
    "bf_ns": "rb26_bf_nonscaling_100",
    "bf_def": "rbmaster_bf_default_1000",
    "bf_e1": "rb26_bf_expansion1_1000",
    "cf_100": "rb26_cf_100",
    "cf_b1": "rb26_cf_bucket1_100",
    "cf_del": "rb26_cf_deleted_1000",
}


@dataclass(frozen=True)
class Case:
    """A filter of RedisBloom's, and what RedisBloom answered."""

    name: str
    folder: Path
    present: list[bytes]
    absent: list[bytes]
    false_positives: list[bytes]
    told: dict[str, int | None]

    @property
    def family(self) -> str:
        return "CF" if "_cf_" in self.name else "BF"

    def chunks(self) -> list[tuple[int, bytes]]:
        files = {int(file.stem.split("_")[1]): file for file in self.folder.glob("scandump_*.bin")}
        return [(position, files[position].read_bytes()) for position in sorted(files)]

    def dump(self) -> bytes:
        return (self.folder / "dump.bin").read_bytes()


def place() -> Path | None:
    """The copy in the repository, or the collection beside it."""
    return next((folder for folder in PLACES if (folder / "redis").is_dir()), None)


def rdb(name: str) -> Path | None:
    folder = place()
    return folder / "redis" / name / "dump.rdb" if folder else None


def cases() -> list[Case]:
    folder = place()
    if folder is None:
        return []
    rows = [line.split("\t") for line in (folder / "cases.tsv").read_text().splitlines()[1:]]
    return [read(folder, row) for row in rows if row[0] == "redis" and (folder / row[2]).is_file()]


def read(folder: Path, row: list[str]) -> Case:
    _, name, file, present, absent, kind, _, _, _, told, *_ = row
    marked = [line.split(b"\t", 1) for file in absent.split("+") for line in lines(folder / file)]
    return Case(
        name,
        (folder / file).parent,
        [key(line, kind) for line in lines(folder / present)],
        [key(line, kind) for mark, line in marked if mark == b"no"],
        [key(line, kind) for mark, line in marked if mark == b"maybe"],
        dict(number(word) for word in told.split()),
    )


def lines(file: Path) -> list[bytes]:
    """An empty line is the empty key; the last line ends like all others. Long lists are compressed."""
    text = file.read_bytes() if file.exists() else gzip.decompress(file.with_suffix(".txt.gz").read_bytes())
    return text.split(b"\n")[:-1]


def key(line: bytes, kind: str) -> bytes:
    return bytes.fromhex(line.decode()) if kind == "hex" else line


def number(word: str) -> tuple[str, int | None]:
    name, value = word.split("=")
    return name.replace("_", " "), None if value == "None" else int(value)
