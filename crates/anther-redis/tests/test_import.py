"""anther build → BF.IMPORT → BF.EXISTS → BF.EXPORT → anther check and info: one path, with the real tool."""

import json
import random
import subprocess
from pathlib import Path

import pytest

from harness.anther_file import every_field
from harness.attack import Attack, use
from harness.forge import DOUBLES, INTEGERS, changed
from harness.keys import add, found, keys, missing
from harness.server import Server
from harness.wire import OK, Error, Wire, same

STATIC = ["fuse", "ribbon", "cascade"]
GROWING = ["classic", "blocked", "split", "compressed", "scalable", "spectral"]
GROWING += ["counting", "dleft", "variable-increment", "deletable", "quotient", "cuckoo"]
ITEMS = keys("item", 2000)
# The second list of a cascade.
OTHERS = keys("other", 20_000)


class Anther:
    """The program anther, in a folder."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.folder = path, folder

    def run(self, *words: str | int, codes: tuple[int, ...] = (0,)) -> str:
        call = [self.path, *map(str, words)]
        done = subprocess.run(
            call, check=False, cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        assert done.returncode in codes, f"{words}: {done.stderr}"
        return done.stdout

    def build(self, *options: str | int, lines: list[bytes] = ITEMS) -> bytes:
        (self.folder / "list").write_bytes(b"".join(line + b"\n" for line in lines))
        if "cascade" in options:
            (self.folder / "others").write_bytes(b"".join(line + b"\n" for line in OTHERS))
            options += ("--never-wrong-on", "others")
        self.run("build", "--force", "f.anther", "list", *options)
        return (self.folder / "f.anther").read_bytes()

    def count(self, file: bytes, items: list[bytes], *options: str | int) -> int:
        """How many of the items a file may hold."""
        (self.folder / "exported.anther").write_bytes(file)
        (self.folder / "queries").write_bytes(b"".join(item + b"\n" for item in items))
        return int(self.run("check", "exported.anther", "-c", "-f", "queries", *options, codes=(0, 1)))

    def info(self, file: bytes) -> dict:
        (self.folder / "exported.anther").write_bytes(file)
        return json.loads(self.run("info", "--json", "exported.anther"))


@pytest.fixture
def tool(anther: Path, tmp_path: Path) -> Anther:
    return Anther(anther, tmp_path)


@pytest.mark.parametrize("kind", STATIC + GROWING)
def test_there_and_back(wire: Wire, tool: Anther, kind: str) -> None:
    file = tool.build("--kind", kind, "--fpr", "1%")
    assert wire.call("BF.IMPORT", "f", file) == OK
    assert missing(wire, "f", ITEMS) == []
    assert sum(found(wire, "f", keys("never", 2000))) < 100
    exported = wire.ok("BF.EXPORT", "f")
    assert exported == file, "byte for byte"
    assert tool.count(exported, ITEMS) == len(ITEMS)
    assert tool.info(exported)["kind"] == kind


def test_a_cascade_never_errs(wire: Wire, tool: Anther) -> None:
    """Not on the keys of its list, and not on those of the other."""
    assert wire.call("BF.IMPORT", "f", tool.build("--kind", "cascade")) == OK
    assert missing(wire, "f", ITEMS) == []
    assert sum(found(wire, "f", OTHERS)) == 0
    assert [wire.call("BF.EXISTS", "f", item) for item in (ITEMS[0], OTHERS[0])] == [1, 0]
    assert isinstance(wire.call("BF.ADD", "f", OTHERS[0]), Error)


@pytest.mark.parametrize("kind", ["blocked", "fuse"])
def test_keyed_files_come_with_their_key(wire: Wire, tool: Anther, kind: str) -> None:
    file = tool.build("--kind", kind, "--keyed", "--key-file", "secret")
    key = (tool.folder / "secret").read_text().strip()
    assert isinstance(wire.call("BF.IMPORT", "f", file), Error), "without the key nothing can be looked up"
    assert isinstance(wire.call("BF.IMPORT", "f", file, "HASHKEY", "00" * 16), Error), "the wrong key"
    assert wire.call("EXISTS", "f") == 0
    assert wire.call("BF.IMPORT", "f", file, "HASHKEY", key) == OK
    assert missing(wire, "f", ITEMS) == []
    assert wire.ok("BF.KEY", "f").decode() == key
    assert wire.ok("BF.EXPORT", "f") == file


@pytest.mark.parametrize(
    "reserve", ["0.01 3000 NONSCALING", "0.01 3000", "0.01 100", "0.01 3000 COUNTING", "0.01 3000 WINDOW 3000"]
)
def test_a_filter_made_in_the_server(wire: Wire, tool: Anther, reserve: str) -> None:
    """Exported, and looked up with the key that BF.KEY hands out."""
    wire.ok("BF.RESERVE", "f", *reserve.split())
    add(wire, "f", ITEMS, "BF.INSERT")
    (tool.folder / "key").write_bytes(wire.ok("BF.KEY", "f") + b"\n")
    (tool.folder / "key").chmod(0o600)
    exported = wire.ok("BF.EXPORT", "f")
    assert tool.info(exported)["seed"] == "keyed"
    assert tool.count(exported, ITEMS, "--key-file", "key") == len(ITEMS)
    assert tool.count(exported, keys("never", 2000), "--key-file", "key") < 100
    assert wire.call("BF.IMPORT", "g", exported, "HASHKEY", wire.ok("BF.KEY", "f")) == OK
    assert missing(wire, "g", ITEMS) == []


def test_what_is_imported_is_kept_and_copied(wire: Wire, tool: Anther) -> None:
    for kind in STATIC + GROWING:
        wire.ok("BF.IMPORT", kind, tool.build("--kind", kind))
    for kind in STATIC + GROWING:
        wire.ok("COPY", kind, f"copy of {kind}")
        wire.ok("RESTORE", f"dump of {kind}", 0, wire.ok("DUMP", kind))
    wire.ok("DEBUG", "RELOAD")
    for kind in STATIC + GROWING:
        digests = wire.ok("DEBUG", "DIGEST-VALUE", kind, f"copy of {kind}", f"dump of {kind}")
        assert len(set(digests)) == 1, kind
        for name in (kind, f"copy of {kind}", f"dump of {kind}"):
            assert missing(wire, name, ITEMS) == []


@pytest.mark.parametrize("kind", STATIC)
def test_static_filters_take_no_more(wire: Wire, tool: Anther, kind: str) -> None:
    wire.ok("BF.IMPORT", "f", tool.build("--kind", kind))
    before = wire.ok("DEBUG", "DIGEST-VALUE", "f")
    reply = wire.call("BF.ADD", "f", "surely new, this one")
    assert isinstance(reply, Error) and "static" in reply.lower() or kind in str(reply)
    assert wire.ok("DEBUG", "DIGEST-VALUE", "f") == before
    assert wire.call("BF.INFO", "f") is not None


def test_entries_that_stand_for_many_fill_it(wire: Wire, tool: Anther) -> None:
    """Each is inserted as several keys, so there is room for a few more, not for as many as there are keys."""
    wire.ok("BF.IMPORT", "f", tool.build("--as", "domain", "--items", 100, lines=[b"a.example"]))
    replies = [wire.call("BF.ADD", "f", f"{number}.b.example") for number in range(100)]
    assert any(isinstance(reply, Error) and "full" in str(reply).lower() for reply in replies)
    # Made for 100 entries, of five keys each.
    assert wire.ok("BF.CARD", "f") <= 500
    assert wire.call("BF.EXISTS", "f", "x.0.b.example") == 1


def test_values(spoken: Wire, tool: Anther) -> None:
    lines = [b"%b\t%d" % (item, number % 200) for number, item in enumerate(ITEMS)]
    spoken.ok("BF.IMPORT", "f", tool.build("--kind", "bloomier", lines=lines))
    assert [spoken.call("BF.GET", "f", item) for item in ITEMS[:300]] == [number % 200 for number in range(300)]
    answers = [spoken.call("BF.GET", "f", item) for item in keys("never", 300)]
    assert answers.count(None) > 200
    assert missing(spoken, "f", ITEMS) == []
    assert spoken.call("BF.GET", "none", "a") is None
    spoken.ok("BF.ADD", "plain", "a")
    assert isinstance(spoken.call("BF.GET", "plain", "a"), Error)


# Integers at a rate at which no test meets a false positive.
RANGE = ["--kind", "range", "--as", "int", "--span", "1000", "--fpr", "1e-6"]
NUMBERS = [b"%d" % (number * number * 1_000_003 - 500) for number in range(500)]


def test_ranges(spoken: Wire, tool: Anther) -> None:
    spoken.ok("BF.IMPORT", "f", tool.build(*RANGE, lines=NUMBERS))
    for number in map(int, NUMBERS):
        assert spoken.call("BF.BETWEEN", "f", number - 100, number + 100) == 1
        assert spoken.call("BF.EXISTS", "f", number) == 1
        assert spoken.call("BF.BETWEEN", "f", number + 1, number + 1000) == 0
    assert spoken.call("BF.BETWEEN", "f", -10_000, -501) == 0
    assert spoken.call("BF.BETWEEN", "f", -(2**63), 2**63) == 1
    assert missing(spoken, "f", NUMBERS) == []
    assert spoken.call("BF.BETWEEN", "none", 1, 2) == 0
    spoken.ok("BF.ADD", "plain", "a")
    for call in [("plain", 1, 2), ("f", 2, 1), ("f", "one", 2), ("f", 1, "two"), ("f", "", "")]:
        assert isinstance(spoken.call("BF.BETWEEN", *call), Error), call
    assert isinstance(spoken.call("BF.EXISTS", "f", "one"), Error)


def test_ranges_of_times(wire: Wire, tool: Anther) -> None:
    times = [b"2026-11-17T08:30:15Z", b"2026-11-17T09:45:00Z"]
    file = tool.build("--kind", "range", "--as", "time", "--span", "1h", "--fpr", "1e-6", lines=times)
    wire.ok("BF.IMPORT", "f", file)
    assert wire.call("BF.BETWEEN", "f", "2026-11-17", "2026-11-17") == 1
    assert wire.call("BF.BETWEEN", "f", "2026-11-17T10:00", "2026-11-17T12:00") == 0
    assert wire.call("BF.BETWEEN", "f", "1794904215", "1794904215") == 1
    assert wire.ok("BF.EXPORT", "f") == file


def test_a_range_filter_is_kept_and_copied(wire: Wire, tool: Anther) -> None:
    (tool.folder / "key").write_text("00112233445566778899aabbccddeeff\n")
    plain = tool.build(*RANGE, lines=NUMBERS)
    keyed = tool.build(*RANGE, "--keyed", "--key-file", "key", lines=NUMBERS)
    wire.ok("BF.IMPORT", "plain", plain)
    assert isinstance(wire.call("BF.IMPORT", "keyed", keyed), Error)
    wire.ok("BF.IMPORT", "keyed", keyed, "HASHKEY", "00112233445566778899aabbccddeeff")
    for name, file in (("plain", plain), ("keyed", keyed)):
        wire.ok("COPY", name, f"copy of {name}")
        wire.ok("RESTORE", f"dump of {name}", 0, wire.ok("DUMP", name))
        position, chunk = wire.ok("BF.SCANDUMP", name, 0)
        while position != 0:
            wire.ok("BF.LOADCHUNK", f"chunks of {name}", position, chunk)
            position, chunk = wire.ok("BF.SCANDUMP", name, position)
        wire.ok("DEBUG", "RELOAD")
        for one in (name, f"copy of {name}", f"dump of {name}", f"chunks of {name}"):
            assert missing(wire, one, NUMBERS) == []
            assert wire.call("BF.BETWEEN", one, 1_000_000, 1_000_100) == 0
            assert wire.call("BF.BETWEEN", one, 999_000, 1_000_000) == 1
            assert wire.ok("BF.EXPORT", one) == file


def test_a_range_filter_is_static(wire: Wire, tool: Anther) -> None:
    wire.ok("BF.IMPORT", "f", tool.build(*RANGE, lines=NUMBERS))
    wire.ok("BF.ADD", "other", "a")
    before = wire.ok("DEBUG", "DIGEST-VALUE", "f")
    for call in ["BF.ADD f 5", "BF.MADD f 5", "BF.INSERT f ITEMS 5", "BF.REM f 5", "BF.COUNT f 5", "BF.GET f 5"]:
        reply = wire.call(*call.split())
        assert isinstance(reply[0] if isinstance(reply, list) else reply, Error), call
    for call in ["BF.MERGE f other", "BF.MERGE other f", "BF.MERGE new f f"]:
        assert isinstance(wire.call(*call.split()), Error), call
    assert wire.ok("DEBUG", "DIGEST-VALUE", "f") == before
    assert wire.ok("BF.INFO", "f", "KIND")[-1] in (b"range", "range")
    assert wire.ok("BF.CARD", "f") == len(NUMBERS)


def test_forged_range_filters_do_no_harm(wire: Wire, tool: Anther) -> None:
    file, draw = tool.build(*RANGE, lines=NUMBERS), random.Random(7)
    for _ in range(300):
        forged = bytearray(file)
        forged[draw.randrange(len(forged))] ^= 1 << draw.randrange(8)
        assert isinstance(wire.call("BF.IMPORT", "forged", bytes(forged)), Error)
    dump = wire.ok("DUMP", "f") if wire.call("BF.IMPORT", "f", file) == OK else b""
    for _ in range(300):
        forged = bytearray(dump)
        forged[draw.randrange(len(forged))] ^= 1 << draw.randrange(8)
        assert isinstance(wire.call("RESTORE", "forged", 0, bytes(forged)), Error)
    assert missing(wire, "f", NUMBERS) == []


def test_added_in_the_server_checked_outside(wire: Wire, tool: Anther) -> None:
    wire.ok("BF.IMPORT", "f", tool.build("--kind", "blocked", "--items", 10_000))
    add(wire, "f", keys("more", 3000))
    assert tool.count(wire.ok("BF.EXPORT", "f"), ITEMS + keys("more", 3000)) == 5000


def test_a_key_that_is_there_is_kept(wire: Wire, tool: Anther) -> None:
    wire.ok("BF.ADD", "f", "a")
    before = wire.ok("DEBUG", "DIGEST-VALUE", "f")
    assert same(wire.call("BF.IMPORT", "f", tool.build()), Error("ERR item exists"))
    assert wire.ok("DEBUG", "DIGEST-VALUE", "f") == before


@pytest.mark.parametrize("data", [b"", b"x", b"\x89ANT\r\n\x1a\n", b"\x89ANT\r\n\x1a\n" + b"\0" * 200])
def test_what_is_no_filter(wire: Wire, data: bytes) -> None:
    assert isinstance(wire.call("BF.IMPORT", "f", data), Error)
    assert wire.call("EXISTS", "f") == 0


@pytest.mark.parametrize("kind", STATIC + GROWING + ["bloomier"])
def test_forged_files(server: Server, tool: Anther, kind: str) -> None:
    """Fields that lie under right checksums, and changes at random."""
    if kind == "bloomier":
        file = tool.build("--kind", kind, lines=[b"%d\t%d" % (number, number) for number in range(100)])
    else:
        file = tool.build("--kind", kind, lines=keys("a", 100))
    attack = Attack(server)
    randomness = random.Random(kind)
    forged = [*every_field(file, INTEGERS, DOUBLES)]
    forged += [bytes(changed(bytearray(file), randomness)) for _ in range(50)]
    forged += [file[:length] for length in range(0, len(file), 37)]
    for data in forged:
        if attack.wire.call("BF.IMPORT", "f", data) == OK:
            use(attack.wire, "f")
        attack.wire.call("DEL", "f")
    attack.assert_harmless()


def test_keys_are_bytes_here_and_there(wire: Wire, tool: Anther) -> None:
    """Whatever the program made of the lines, the same items are found in the server."""
    odd = [b"\xff\xfe", "é".encode(), b"with space", b" trailing ", b"x" * 4096, b"0", b"-1"]
    wire.ok("BF.IMPORT", "f", tool.build("--binary", lines=odd))
    assert missing(wire, "f", odd) == []


def test_a_file_whose_keys_are_not_lines(wire: Wire, tool: Anther) -> None:
    """Keys that are changed before they are hashed: changed alike here, or refused."""
    file = tool.build("--ignore-case", lines=[b"Alice", b"BOB"])
    reply = wire.call("BF.IMPORT", "f", file)
    if reply == OK:
        assert wire.call("BF.MEXISTS", "f", "alice", "ALICE", "bob", "BOB") == [1, 1, 1, 1]
    else:
        assert isinstance(reply, Error)
