"""Checks `all_kinds.py` by ../../vectors.json; exits with 1 on the first mismatch."""

import json

from all_kinds import AnyFilter, in_range, symbols, table
from check import KIT, expect, key_of, secret_of
from container import Container
from hashes import key_hash, mix

counts = dict.fromkeys(["files", "lookups", "counts", "values", "ranges", "cells", "left out"], 0)


def check_filter(entry, sets):
    name, file = entry["file"], Container((KIT / entry["file"]).read_bytes())
    filter, seed, secret = AnyFilter(file), int(entry.get("seed", "0"), 16), secret_of(entry)
    hashes = [key_hash(key_of(key), seed, secret) for name in entry.get("holds", []) for key in sets[name]]
    lookups = [(h, at not in entry["forgotten"]) for at, h in enumerate(hashes)]
    for group in (entry.get(group) for group in ("numbered", "absent", "others") if group in entry):
        maybe = set(group.get("maybe", range(group["count"])))
        texts = [f"{group['prefix']} {at}" for at in range(group["count"])]
        lookups += [(key_hash(text, seed, secret), at in maybe) for at, text in enumerate(texts)]
    for h, expected in lookups:
        counts["lookups"] += expect(f"{name}: {h:016x}", filter.contains(h), expected)
    for h, expected in zip(hashes, entry.get("counts", [])):
        counts["counts"] += expect(f"{name}: count of {h:016x}", filter.count(h), expected)
    for h, expected in zip(hashes, entry.get("values", [])):
        counts["values"] += expect(f"{name}: value of {h:016x}", filter.value(h), int(expected, 16))


def check_other(entry):
    name, file = entry["file"], Container((KIT / entry["file"]).read_bytes())
    seed, secret = int(entry.get("seed", "0"), 16), secret_of(entry)
    if "elements" in entry:
        elements = [int(x, 16) for x in entry["elements"]]
        for x in range(500):
            got = AnyFilter(file).count(mix(x))
            counts["lookups"] += expect(f"{name}: {x}", got, elements.count(x))
    elif "ranges" in entry:
        for first, last, says in entry["ranges"]:
            got = "maybe" if in_range(file, int(first, 16), int(last, 16), seed, secret) else "no"
            counts["ranges"] += expect(f"{name}: {first} to {last}", got, says)
    elif "ours" in entry:
        read = bytes.fromhex if "strings" in name else lambda x: int(x, 16)
        ours, theirs = ([read(x) for x in entry[side]] for side in ("ours", "theirs"))
        got = table(file, ours, theirs, seed, secret)
        counts["cells"] += expect(f"{name}: cells", got.hex(), file.sections["cells"][1].hex())
    else:
        counts["left out"] += 1


def main():
    vectors = json.loads((KIT / "vectors.json").read_text())
    sets = {entry["name"]: entry["keys"] for entry in vectors["sets"]}
    for entry in vectors["files"]:
        counts["files"] += 1
        if "absent" in entry:
            check_filter(entry, sets)
        else:
            check_other(entry)
    for entry in vectors["symbols"]:
        integers = [int(x, 16) for x in entry["integers"]]
        got = symbols(integers, len(entry["symbols"]), int(entry["seed"], 16))
        counts["cells"] += expect("symbols", [symbol.hex() for symbol in got], entry["symbols"])
    expect("something was checked", all(counts.values()), True)
    print("python, all kinds: " + ", ".join(f"{count} {what}" for what, count in counts.items()) + ": all as expected")


if __name__ == "__main__":
    main()
