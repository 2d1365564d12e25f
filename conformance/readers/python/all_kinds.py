"""Lookups in every kind, iblts and ranges, a few lines each: the rules of FORMAT.md as they stand there.

Of the kinds that `kinds.py` has not, files are taken as good: this checks the container and no field or cell.
Left out: the section `recipe`.
"""

from container import require
from hashes import GOLDEN, M32, M64, again, key_hash, mix, u64
from kinds import Filter, positions

SALT = [0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31]


def scale(x, n):
    return x * n >> 64


class Cells:
    """A row of cells of `width` bits, the lowest first; with no width, of bits."""

    def __init__(self, row, width=1):
        self.bits, self.width = int.from_bytes(row, "little"), width

    def __getitem__(self, at):
        return self.bits >> at * self.width & (1 << self.width) - 1


class AnyFilter:
    """A filter of any kind in a container, or one within a filter, whose names begin with `prefix`."""

    def __init__(self, file, prefix="", kind=None):
        self.file, self.prefix, self.kind = file, prefix, kind or file.kind

    def field(self, name):
        return self.file.fields[self.prefix + name][1]

    def section(self, name):
        return self.file.sections[self.prefix + name][1]

    def cells(self, name, width=1):
        return Cells(self.section(name), width)

    def places(self, h, cells="cells", probes=None):
        return positions("classic", {"bits": self.field(cells), "probes": probes or self.field("probes")}, h)

    def contains(self, h):
        return getattr(self, "kind_%d" % self.kind)(h)

    def kind_1(self, h):
        row = self.cells("bits")
        return all(row[bit] for bit in self.places(h, "bits"))

    def kind_2(self, h):
        row = self.cells("lines")
        return all(row[bit] for bit in positions("blocked", {"lines": self.field("lines"), "probes": self.field("probes")}, h))

    def kind_3(self, h):
        row, block = self.cells("blocks"), (h >> 32) * self.field("blocks") >> 32
        return all(row[256 * block + 32 * i + (((h & M32) * salt & M32) >> 27)] for i, salt in enumerate(SALT))

    def kind_4(self, h):
        return self.count(h) > 0

    def kind_5(self, h):
        return self.count(h) > 0

    def dleft(self, h):
        buckets, r = self.field("buckets"), self.field("remainder.bits")
        cells, product = self.cells("cells", r + 2), h * self.field("buckets")
        bucket, remainder = product >> 64, (product & M64) >> 64 - r
        for i in range(4):
            x = remainder ^ again(bucket, 2 * i) >> 64 - r if i else remainder
            b = (bucket + scale(again(x, 2 * i + 1), buckets)) % buckets if i else bucket
            for at in range(8):
                cell = cells[8 * (i * buckets + b) + at]
                if cell >> r and cell & (1 << r) - 1 == x:
                    return cell >> r
        return 0

    def kind_6(self, h):
        form, size, w = self.field("increments.form"), self.field("increments.size"), self.field("counter.bits")
        cells = self.cells("cells", w + (0, 2 * size)[form])
        for i, at in enumerate(self.places(h)):
            draw = again(h, i // 4) >> 16 * (i % 4) & 0xFFFF
            if form == 0:
                cell, v = cells[at], size + (draw * size >> 16)
                # Above 0 and below L: a cell that no set of keys leaves.
                passes = cell == (1 << w) - 1 or cell == v or cell - v >= size or 0 < cell < size
            else:
                increments = ((1, 2, 5, 7), (1, 2, 8, 12))[size - 2]
                count, total, modulus = cells[at] & (1 << w) - 1, cells[at] >> w, 1 << 2 * size
                sums = [{0}]
                for _ in range(size):
                    sums.append({(x + v) % modulus for x in sums[-1] for v in increments})
                passes = count == (1 << w) - 1 or count > size
                if 1 <= count <= size:
                    passes |= (total - increments[draw >> 14]) % modulus in sums[count - 1] or total not in sums[count]
            if not passes:
                return False
        return True

    def kind_7(self, h):
        row = self.cells("bits")
        return all(row[bit] for bit in self.places(h))

    def kind_8(self, h):
        if not hasattr(self, "row"):
            encoding, section = self.file.sections["row"]
            self.row = decoded(section) if encoding else Cells(section)
        return all(self.row[bit] for bit in self.places(h))

    def kind_9(self, h):
        layers = (AnyFilter(self.file, f"{i}.", self.field("over")) for i in range(self.field("layers")))
        return any(layer.contains(h) for layer in layers)

    def kind_10(self, h):
        cells = self.cells("cells", self.field("counter.bits"))
        return all(cells[at] for at in self.places(h))

    def kind_11(self, h):
        row, hot = self.cells("bits"), self.section("hot")
        probes = {u64(hot, 8 * i): self.section("probes")[i] for i in range(len(hot) // 8)}
        return all(row[bit] for bit in self.places(h, "bits", probes.get(h)))

    def kind_12(self, h):
        cells = self.cells("counters", self.field("counter.bits"))
        return all(cells[at] for at in self.places(h))

    def kind_13(self, h):
        row, clears = self.cells("bits"), self.field("clears")
        places = self.places(h, "bits", clears + self.field("sets"))
        first, others = places[:clears], places[clears:]
        return not any(row[bit] for bit in first) and all(row[bit] for bit in others if bit not in first)

    def kind_14(self, h):
        cells, columns, rows = self.cells("cells", 64), self.field("columns"), self.field("rows")
        draws = [mix(h + s * GOLDEN & M64) for s in (1, 2, 3)]
        return all(cells[z % columns * rows + z % rows] >> z % 61 & 1 for z in draws)

    def kind_15(self, h):
        row, m, b = self.cells("bits"), self.field("cells"), self.field("signature.bits")
        places = self.places(h)
        regions = {next(j for j in range(1, b + 1) if p <= j * m // b) for p in places}
        return all(row[bit] for bit in places) and row[m + sum(1 << j - 1 for j in regions)] == 1

    def slots(self, h):
        """The cells of a key in fuse and bloomier; None in a shard without keys."""
        arity, count, words = self.field("arity"), self.field("shards"), self.section("shards")
        product, begin = h * count, 0
        for shard in range(count):
            word = u64(words, 8 * shard)
            t, l, first = word & 255, word >> 8 & 255, word >> 16
            begin = -(-begin // 64) * 64
            if shard == product >> 64:
                break
            begin += first + (arity - 1 << l) if word else 0
        if not word:
            return None
        a = scale(product & M64 if t < 2 else again(h, 33 + t), first)
        d = again(h, 1 + t)
        return [begin + a] + [begin + (a >> l << l) + (i << l) + (d >> 18 * (i - 1) & (1 << l) - 1) for i in range(1, arity)]

    def kind_16(self, h):
        width, slots = self.field("fingerprint.bits"), self.slots(h)
        return slots is not None and xored(self.cells("fingerprints", width), slots) == again(h, 0) & (1 << width) - 1

    def kind_17(self, h):
        if not hasattr(self, "ribbon"):
            self.ribbon = Filter.__new__(Filter)
            self.ribbon.kind, self.ribbon.row = "ribbon", self.section("ribbon")
            self.ribbon.fields = {name: self.field(name) for name in ("columns", "shards", "items")}
            self.ribbon._read_directory()
        return self.ribbon.contains_hash(h)

    def kind_18(self, h):
        return self.value(h) is not None

    def value(self, h):
        v, f, slots = self.field("value.bits"), self.field("check.bits"), self.slots(h)
        mutable, joined = self.field("mutable"), v + f <= 64
        width = f + 2 if mutable else v + f if joined else f
        if slots is None:
            return None
        x = (xored(self.cells("checks", width), slots) ^ again(h, 0)) & (1 << width) - 1
        if x & (1 << f) - 1 or mutable and x >> f >= len(slots):
            return None
        if mutable:
            return self.cells("values", v)[slots[x >> f]]
        return x >> f if joined else xored(self.cells("values", v), slots)

    def kind_19(self, h):
        return self.count(h) > 0

    def cuckoo(self, h):
        buckets, size, f = self.field("buckets"), self.field("bucket.size"), self.field("tag.bits")
        cells, product = self.cells("tags", f), again(h, 0) * buckets
        left, tag = product >> 64, (product & M64) >> 64 - f or 1
        right = buckets + (left + scale(again(tag, 1), buckets)) % buckets
        return sum(cells[size * bucket + at] == tag for bucket in (left, right) for at in range(size))

    def kind_20(self, h):
        return self.count(h) > 0

    def quotient(self, h):
        blocks, r = self.field("blocks"), self.field("remainder.bits")
        slots, cells = 64 * blocks, self.cells("remainders", r)
        occupied, ends, offsets = self.cells("occupied"), self.cells("run.ends"), self.cells("offsets", 8)
        quotient, remainder = h * slots >> 64, (h * slots & M64) >> 64 - r
        if not occupied[quotient]:
            return 0
        block = quotient // 64
        require(offsets[block] < 255, "an offset of 255: left out")
        t = 64 * block + offsets[block]
        for q in range(64 * block, quotient):
            if occupied[q]:
                while not ends[t % slots]:
                    t += 1
                t += 1
        t, run = max(t, quotient), []
        while not run or not ends[(t - 1) % slots]:
            run.append(cells[t % slots])
            t += 1
        return counts_of(run, r).get(remainder, 0)

    def kind_21(self, h):
        row, k, l, m = self.cells("bits"), self.field("probes"), self.field("generations"), self.field("slice.bits")
        has = [row[s * m + scale(again(h, s), m)] for s in range(k + l)]
        by_age = [has[(self.field("newest") + age) % (k + l)] for age in range(k + l)]
        return any(all(by_age[i:i + k]) for i in range(l + 1))

    def kind_22(self, h):
        if not hasattr(self, "ribbons"):
            self.ribbons = [AnyFilter(self.file, f"{i}.", 17) for i in range(self.field("layers"))]
        return all(ribbon.contains(h) for ribbon in self.ribbons[:-1]) and self.ribbons[-1].contains(again(h, 1026))

    def count(self, h):
        if self.kind in (5, 19, 20):
            return {5: self.dleft, 19: self.cuckoo, 20: self.quotient}[self.kind](h)
        if self.kind == 9:
            layers = (AnyFilter(self.file, f"{i}.", self.field("over")) for i in range(self.field("layers")))
            return next((layer.count(h) for layer in layers if layer.contains(h)), 0)
        cells = self.cells("counters", self.field("counter.bits"))
        counters = [cells[at] for at in self.places(h)]
        least = min(counters)
        if self.kind == 12 and self.field("method") == 2:
            # A cell that two probes share is one cell.
            places = set(self.places(h))
            half = {"bits": max(1, self.field("cells") // 2), "probes": self.field("probes")}
            secondary = self.cells("secondary", self.field("counter.bits"))
            second = min(secondary[at] for at in positions("classic", half, mix(h + GOLDEN & M64)))
            if sum(cells[at] == least for at in places) == 1 and second > 0:
                return min(least, second)
        return least


def xored(cells, slots):
    total = 0
    for slot in slots:
        total ^= cells[slot]
    return total


def counts_of(run, r):
    """The counts of the remainders in a run of quotient."""
    if len(run) < 2 or run[:2] != [1, 0]:
        return {x: run.count(x) for x in run}
    counts, at = {}, 2
    while at < len(run):
        x, zeros, bits = run[at], 0, []
        at += 1
        while True:
            bits += [run[at] >> r - 1 - i & 1 for i in range(r)]
            at += 1
            if 1 in bits:
                zeros = bits.index(1)
                if len(bits) >= 2 * zeros + 1:
                    break
        counts[x] = int("".join(map(str, bits[zeros:2 * zeros + 1])), 2)
    return counts


def decoded(section):
    """A coded row."""
    m, ones = u64(section), u64(section, 8)
    if ones in (0, m):
        return [int(ones == m)] * m
    units = iter([int.from_bytes(section[at:at + 4], "little") for at in range(16, len(section), 4)])
    p, r, bits = max(1, (ones << 32) // m), M64, []
    v = next(units, 0) << 32 | next(units, 0)
    for _ in range(m):
        s = r * p >> 32
        bits.append(int(v >= r - s))
        r, v = (s, v - (r - s)) if bits[-1] else (r - s, v)
        if r <= M32:
            r, v = r << 32, v << 32 | next(units, 0)
    require(sum(bits) == ones and v <= M32, "a coded row")
    return bits


def in_range(file, x, y, seed, secret):
    """Whether a range filter may have a key from x to y, both after `step` and `signed`."""
    r, m = file.fields["bound"][1] + 1, file.fields["codes"][1]
    w = max(0, min(63, (r // max(m, 1)).bit_length() - 1))
    low, high = Cells(file.sections["low"][1], w), Cells(file.sections["high"][1])
    ones = [at for at in range(m + (r - 1 >> w) + 1) if high[at]]
    codes = [(at - j) << w | low[j] for j, at in enumerate(ones)]
    hashed = [key_hash(j, seed, secret) for j in range(4)]

    def code(x):
        if r == 1 << 64:
            return x
        i = x // r
        t = key_hash(i, seed, secret) << 64 if secret else (hashed[0] << 64 | hashed[1]) * i + (hashed[2] << 64 | hashed[3])
        return ((t % (1 << 128) * r >> 128) + x) % r

    if y // r > x // r + 1:
        return m > 0
    parts = [(x, y)] if x // r == y // r else [(x, y // r * r - 1), (y // r * r, y)]
    for first, last in ((code(first), code(last)) for first, last in parts):
        if first <= last and any(first <= c <= last for c in codes) or first > last and any(c >= first or c <= last for c in codes):
            return True
    return False


def z(h, i):
    return mix(h + (i + 1) * GOLDEN & M64)


def next_symbol(h, at, turn):
    """The symbol after `at` that an element is in, which is in `turn` + 1 so far."""
    u = ((z(h, turn) >> 11) + 1) / 2 ** 53
    step = (at + 1.5) * (1 / u ** 0.5 - 1)
    return at + max(1, int(-(-step // 1)))


def symbols(elements, count, seed):
    rows = [[0, 0, 0] for _ in range(count)]
    for x in elements:
        h, at, turn = key_hash(x, seed), 0, 0
        while at < count:
            rows[at] = [rows[at][0] ^ mix(h), rows[at][1] + 1, rows[at][2] ^ x]
            at, turn = next_symbol(h, at, turn), turn + 1
    return [a.to_bytes(8, "little") + b.to_bytes(4, "little") + c.to_bytes(8, "little") for a, b, c in rows]


def table(file, ours, theirs, seed, secret=None):
    """The cells of an iblt that holds these elements, as the bytes of its section."""
    form, k, part = (file.fields[name][1] for name in ("form", "probes", "part"))
    longest = file.fields.get("longest", (1, 0))[1]
    size = {0: 20, 1: 12 + longest + (2 if longest > 255 else 1), 2: 20}[form]
    row = bytearray(-(-k * part * (32 if form == 2 else 1) * size // 8) * 8)
    for sign, elements in ((1, ours), (-1, theirs)):
        for x in elements:
            h = key_hash(x, seed, secret)
            stratum = min(31, trailing_zeros(mix(h - GOLDEN & M64))) if form == 2 else 0
            code = h if form == 2 else x
            if form == 1:
                code = int.from_bytes(len(x).to_bytes(2 if longest > 255 else 1, "little") + x, "little")
            for i in range(k):
                at = size * (80 * stratum + i * part + scale(z(h, i), part))
                check, count, total = u64(row, at), int.from_bytes(row[at + 8:at + 12], "little"), row[at + 12:at + size]
                total = int.from_bytes(total, "little") ^ code
                row[at:at + size] = ((check ^ mix(h)).to_bytes(8, "little") + (count + sign & M32).to_bytes(4, "little")
                                     + total.to_bytes(size - 12, "little"))
    return bytes(row)


def trailing_zeros(x):
    return (x & -x).bit_length() - 1 if x else 64
