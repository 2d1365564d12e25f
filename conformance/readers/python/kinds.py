"""Lookups in filters of the kinds classic, blocked and ribbon.

Left out: the section `recipe` and hashes made elsewhere; files that have them are refused.
"""

import struct

from container import Container, require
from hashes import GOLDEN, M32, M64, again, key_hash, rotl, siphash, u32, u64

CHECK = b"anther key check: tells a wrong key from the right one"
ODD = [0x6A09E667, 0xBB67AE85, 0x3C6EF373, 0xA54FF53B, 0x510E527F, 0x9B05688D, 0x1F83D9AB, 0x5BE0CD19,
       0xCBBB9D5D, 0x629A292B, 0x9159015B, 0x152FECD9, 0x67332667, 0x8EB44A87, 0xDB0C2E0D, 0x47B5481D]
# A kind's number, its section, and its fields with their ranges.
KINDS = {1: ("classic", "bits", {"bits": (1, 1 << 46), "probes": (1, 64)}),
         2: ("blocked", "lines", {"lines": (1, 1 << 37), "probes": (1, 16)}),
         17: ("ribbon", "ribbon", {"columns": (0, 60), "shards": (0, M64), "items": (0, 1 << 48)})}


class Filter:
    def __init__(self, data, secret=None):
        file = Container(data)
        require(file.kind in KINDS, f"kind {file.kind}")
        self.kind, section, ranges = KINDS[file.kind]
        self.open, self.seed = file.open, file.seed
        require(list(file.sections) == [section] and file.sections[section][0] == 0, "sections")
        self.row = file.sections[section][1]
        target = {"target.items", "target.fpr"} & file.fields.keys()
        require(file.fields.keys() == {"inserted", *ranges, *target} and len(target) != 1, "fields")
        self.fields = {name: value for name, (_, value) in file.fields.items()}
        ranges = {"inserted": (0, M64), "target.items": (1, 1 << 48), **ranges}
        for name, (form, value) in file.fields.items():
            if name == "target.fpr":
                require(form == 2 and 1e-18 <= struct.unpack("<d", struct.pack("<Q", value))[0] < 1, name)
            else:
                require(form == 1 and ranges[name][0] <= value <= ranges[name][1], name)
        require(file.hash in (0, 1), "hash")
        require(file.hash == 0 or secret is not None and siphash(secret, CHECK) == file.seed, "secret key")
        self.secret = secret if file.hash else None
        self._read_recipe(file.recipe)
        {"classic": self._check_bits, "blocked": self._check_lines, "ribbon": self._read_directory}[self.kind]()

    def _read_recipe(self, recipe):
        self.ruled, flags, rest = len(recipe) > 0, (recipe or b"\0")[0], recipe[1:]
        require(flags < 64 and flags & 48 != 48, "flags of the recipe")
        if flags & 32:
            require(rest and rest[1:] == rest[1:].decode(errors="ignore").encode(), "column of the recipe")
        else:
            require(len(rest) == 5 and u32(rest, 1) > 0 if flags & 16 else not rest, "column of the recipe")
        self.trim, self.ignore_case, self.hex = flags & 2, flags & 4, flags & 8

    def _check_bits(self):
        bits = self.fields["bits"]
        require(len(self.row) == (bits + 63) // 64 * 8, "bits")
        require(u64(self.row, len(self.row) - 8) >> (bits - 1) % 64 + 1 == 0, "a bit beyond the last")

    def _check_lines(self):
        require(len(self.row) == self.fields["lines"] * 64, "lines")

    def _read_directory(self):
        columns, count = self.fields["columns"], self.fields["shards"]
        require(count * 8 <= len(self.row), "shards")
        self.layers, last, thresholds, words = [], 1, 0, 0
        for number in range(count):
            word = u64(self.row, 8 * number)
            blocks, narrow, draw = word & 0x7FFFFFF, word >> 27 & 0x7FFFFFF, word >> 54 & 511
            require(narrow <= blocks and (draw > 0 or not self.layers if last else draw == 0), "directory")
            if last:
                self.layers.append((draw, []))
            starts, last = 64 * (blocks - 1) + 1 if blocks else 0, word >> 63
            self.layers[-1][1].append((number, starts, narrow, thresholds, words))
            thresholds += (starts + 191) // 192
            words += blocks * columns + blocks - narrow
        self.thresholds, self.blocks = 8 * count, 8 * (count + (thresholds + 31) // 32)
        require(last and len(self.layers) <= 40 and len(self.row) == self.blocks + 8 * words, "directory")
        levels = int.from_bytes(self.row[self.thresholds:self.blocks], "little")
        require(levels >> 2 * thresholds == 0, "a threshold beyond the last")

    def contains(self, key):
        """Whether a key may be in: bytes, text, an integer or a tuple."""
        return self.contains_hash(key_hash(self._by_rule(key) if self.ruled else key, self.seed, self.secret))

    def _by_rule(self, key):
        require(isinstance(key, (str, bytes)), "the rule of the file takes text")
        key = key.encode() if isinstance(key, str) else key
        key = key.strip(b" \t\n\f\r") if self.trim else key
        if not self.hex:
            return key.lower() if self.ignore_case else key
        require(len(key) % 2 == 0 and not key.strip(b"0123456789abcdefABCDEF"), "hexadecimal digits")
        return bytes.fromhex(key.decode())

    def contains_hash(self, h):
        if self.kind == "ribbon":
            _, _, equation = self.find(h)
            return equation is not None and self._holds(*equation)
        return all(self.row[bit >> 3] >> (bit & 7) & 1 for bit in positions(self.kind, self.fields, h))

    def find(self, x):
        """The shards and thresholds on the key's way, and its equation in the last of them."""
        way, levels = [], []
        for draw, shards in self.layers:
            x = again(x, draw) if draw else x
            product = x * len(shards)
            number, starts, narrow, thresholds, words = shards[product >> 64]
            way.append(number)
            if starts:
                start = (product & M64) * starts >> 64
                at = thresholds + start // 192
                levels.append(at)
                if start % 192 >= (0, 24, 48, 192)[self.row[self.thresholds + at // 4] >> at % 4 * 2 & 3]:
                    return way, levels, (start, again(x, 1024) | 1, again(x, 1025), narrow, words)
        return way, levels, None

    def _holds(self, start, ones, value, narrow, words):
        few, block, shift = self.fields["columns"], start // 64, start % 64

        def column(block, j):
            return u64(self.row, self.blocks + 8 * (words + block * few + max(0, block - narrow) + j))

        def parity(j):
            slots = column(block, j) | (column(block + 1, j) << 64 if shift else 0)
            return (slots >> shift & ones).bit_count() & 1

        return all(parity(j) == value >> j & 1 for j in range(few + (block >= narrow)))


def positions(kind, sizes, h):
    """The bits of a key in the section of classic or blocked."""
    if kind == "blocked":
        line, u = h * sizes["lines"] >> 64, h * GOLDEN >> 32 & M32
        return [line * 512 + ((u * odd & M32) >> 23) for odd in ODD[:sizes["probes"]]]
    x, y, found = h, rotl(h, 32) * GOLDEN & M64, []
    for _ in range(sizes["probes"]):
        found.append(x * sizes["bits"] >> 64)
        x, y = x + y & M64, rotl(y, 5) + GOLDEN & M64
    return found
