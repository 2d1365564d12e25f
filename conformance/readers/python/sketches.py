"""Reads a sketch and finds what its list and another one differ in, as the section Sketches of FORMAT.md has it."""

from all_kinds import next_symbol
from container import Refused
from hashes import GOLDEN, M32, mix, siphash, u64, xxh3

CHECK = b"anther key check: tells a wrong key from the right one"


def require(condition, why):
    if not condition:
        raise Refused(why)


class Sketch:
    """The header, the set, and the symbols of all frames that are whole."""

    def __init__(self, data, secret=None):
        require(data[:8] == b"\x89ANS\r\n\x1a\n", "signature")
        require(data[8:10] == b"\1\0", "version")
        end = int.from_bytes(data[10:12], "little")
        require(end >= 32 and end % 8 == 0 and data[13:16] == bytes(3) and data[12] < 2, "header")
        self.sum, self.at, self.data = 0, 0, data
        header = self.part(end - 8, "header")
        self.secret, self.seed, self.recipe = None, u64(header, 16), header[24:]
        if data[12] == 1:
            require(secret and siphash(secret, CHECK) == self.seed, "secret key")
            self.secret = secret
        info = self.part(16, "set")
        self.lines, self.whole, self.hashed = u64(info), info[8], info[9]
        require(self.whole < 255 and self.hashed < 2 and info[10:] == bytes(6), "set")
        self.longest = max(self.whole, 16) + 1 if self.hashed else max(self.whole, 1)
        self.symbols, width = [], 13 + self.longest
        while len(data) - self.at >= 2:
            size = int.from_bytes(data[self.at:self.at + 2], "little") * width
            require(0 < size <= 65536, "frame")
            if len(data) - self.at < 2 + size + 8:
                break
            frame = self.part(2 + size, "frame")
            self.symbols += [frame[at:at + width] for at in range(2, len(frame), width)]

    def part(self, size, name):
        part, sum = self.data[self.at:self.at + size], self.data[self.at + size:self.at + size + 8]
        require(len(part) == size and len(sum) == 8, f"truncated {name}")
        require(xxh3(part, self.sum) == u64(sum), f"checksum of the {name}")
        self.at, self.sum = self.at + size + 8, u64(sum)
        return part

    def hash(self, data, again=0):
        if self.secret:
            return siphash(self.secret, data, 3 * again)
        return xxh3(data, self.seed ^ GOLDEN * again)

    def line_hash(self, line):
        return self.hash(line).to_bytes(8, "little") + self.hash(line, 1).to_bytes(8, "little")

    def element(self, line):
        """The element of a line; None if it is longer than every line of the list."""
        if len(line) <= self.whole:
            return line
        return self.line_hash(line).ljust(self.longest, b"\0") if self.hashed else None

    def code(self, element):
        return int.from_bytes(bytes([len(element)]) + element, "little")

    def places(self, h):
        at = turn = 0
        while at < len(self.symbols):
            yield at
            at, turn = next_symbol(h, at, turn), turn + 1

    def difference(self, lines):
        """The elements that only the lines have, and that only the sketch has; None if it is too short."""
        cells = [[u64(s), int.from_bytes(s[8:12], "little"), int.from_bytes(s[12:], "little")] for s in self.symbols]

        def add(element, sign):
            h = self.hash(element)
            for at in self.places(h):
                check, count, code = cells[at]
                cells[at] = [check ^ mix(h), count + sign & M32, code ^ self.code(element)]

        for element in {self.element(line) for line in lines} - {None}:
            add(element, -1)
        found = {1: set(), M32: set()}
        for at in (peeling := list(range(len(cells)))):
            check, count, code = cells[at]
            data = code.to_bytes(self.longest + 1, "little")
            element, rest = data[1:1 + data[0]], data[1 + data[0]:]
            if count in found and data[0] <= self.longest and not any(rest) and mix(self.hash(element)) == check:
                require(len(found[1]) + len(found[M32]) < len(cells), "forged")
                found[count].add(element)
                add(element, -1 if count == 1 else 1)
                peeling += self.places(self.hash(element))
        return (found[M32], found[1]) if cells and not any(map(any, cells)) else None
