"""The container of an anther file: header, fields, sections, checksums. Of every kind.

Left out: starting again when another process opens or closes the file meanwhile.
"""

import struct

from hashes import u64, xxh3

NAME = set(b"abcdefghijklmnopqrstuvwxyz0123456789.")


class Refused(Exception):
    """A file or a key that the format does not allow, or that this reader does not know."""


def require(condition, why):
    if not condition:
        raise Refused(why)


class Container:
    """`fields` are (type, value) by name, `sections` (encoding, bytes) by name."""

    def __init__(self, data):
        require(data[:8] == b"\x89ANT\r\n\x1a\n" and len(data) >= 64, "no anther file")
        version, self.kind, header, self.hash, fields, sections, recipe, self.seed = struct.unpack_from("<HHIHHHHQ", data, 8)
        require(version == 1, f"version {version}")
        require(header % 64 == 0 and 64 <= header <= min(65536, len(data)), "length of the header")
        end, at, places = header - 8, 32 + recipe, {}

        def entries(count):
            nonlocal at
            found = {}
            for _ in range(count):
                require(at < end and at + data[at] + 10 <= end, "header too short")
                name, at = data[at + 1:at + 1 + data[at]], at + data[at] + 10
                require(name and NAME.issuperset(name) and name.decode() not in found, "name")
                found[name.decode()], places[name] = (data[at - 9], u64(data, at - 8)), at - 8
            return found

        self.recipe = data[32:at]
        self.fields, lengths = entries(fields), entries(sections)
        require(0 <= end - at < 64 and not any(data[at:end]), "padding of the header")
        self.open = u64(data, end) != xxh3(data[:end])
        if self.open:
            require(self.kind in (1, 2, 3) and next(iter(self.fields), "") == "inserted", "checksum of the header")
            value = places[b"inserted"]
            blank = data[:value] + bytes(8) + data[value + 8:end]
            require(u64(data, end) == xxh3(blank, 0x6E65706F), "checksum of the header")
        self.sections, sums, at = {}, [data[end:header]], header
        for name, (encoding, size) in lengths.items():
            require(encoding < 2 and size % 8 == 0 and size <= len(data) - at, "length of a section")
            section, at = data[at:at + size], at + size
            padding = data[at:at + -at % 64]
            require(len(padding) == -at % 64 and not any(padding), "padding of a section")
            self.sections[name], at = (encoding, section), at + len(padding)
            sums.append(xxh3(section).to_bytes(8, "little"))
        require(len(data) == at + 8 * len(sums), "length of the file")
        if self.open:
            # Its cells change, and so do the first and the last word of the footer.
            require(b"".join(sums[2:]) == data[at + 8:-8], "checksum of a section")
        else:
            sums.append(xxh3(b"".join(sums)).to_bytes(8, "little"))
            require(b"".join(sums[1:]) == data[at:], "checksum of a section")
