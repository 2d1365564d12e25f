"""Checks the reader by ../../vectors.json, or that of the folder in its argument; exits with 1 on the first mismatch."""

import json
import sys
from pathlib import Path

from container import Refused
from hashes import Integer128, key_hash
from kinds import KINDS, Filter, positions

KIT = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
NAMES = [name for name, _, _ in KINDS.values()]
counts = dict.fromkeys(["hashes", "positions", "files", "lookups", "refused", "changed", "left out"], 0)


def expect(what, got, expected):
    if got != expected:
        sys.exit(f"python: {what}: got {got}, expected {expected}")
    return 1


def key_of(entry):
    (form, value), = entry.items()
    if form == "bytes":
        return bytes.fromhex(value)
    if form == "ramp":
        return bytes(i % 251 for i in range(value))
    if form == "tuple":
        return tuple(map(key_of, value))
    return {"text": str, "integer": int, "integer128": Integer128}[form](value)


def secret_of(entry):
    return bytes.fromhex(entry["secret"]) if "secret" in entry else None


def says(filter, key):
    try:
        return "maybe" if filter.contains(key) else "no"
    except Refused:
        return "refused"


def is_refused(data, secret=None):
    try:
        Filter(data, secret)
    except Refused:
        return True
    return False


def reads(filter, read):
    """What a lookup reads, in the form of the vectors."""
    h = int(read["hash"], 16)
    if filter.kind != "ribbon":
        return {"hash": read["hash"], "cells": positions(filter.kind, filter.fields, h)}
    shards, thresholds, equation = filter.find(h)
    start, ones = equation[:2] if equation else (0, 0)
    slots = [start + i for i in range(64) if ones >> i & 1]
    return {"hash": read["hash"], "shards": shards, "thresholds": thresholds, "slots": slots}


def check_file(entry, sets):
    name, data = entry["file"], (KIT / entry["file"]).read_bytes()
    if any(section[0] == "recipe" for section in entry["sections"]):
        expect(name, is_refused(data), True)
        counts["left out"] += 1
        return
    secret = secret_of(entry)
    filter = Filter(data, secret)
    counts["files"] += expect(f"{name}: kind", filter.kind, entry["kind"])
    expect(f"{name}: fields", filter.fields, {field: int(value, 16) for field, _, value in entry["fields"]})
    expect(f"{name}: open", filter.open, "open" in entry)
    keys = [key_of(key) for name in entry.get("holds", []) for key in sets[name]]
    lookups = [(key, at not in entry["forgotten"]) for at, key in enumerate(keys)]
    for group in ("numbered", "absent"):
        group = entry.get(group, {"count": 0})
        maybe = set(group.get("maybe", range(group["count"])))
        lookups += [(f"{group['prefix']} {at}", at in maybe) for at in range(group["count"])]
    for key, expected in lookups:
        counts["lookups"] += expect(f"{name}: {key!r}", says(filter, key), "maybe" if expected else "no")
    for lookup in entry.get("lookups", []):
        parts = [bytes.fromhex(part) for part in lookup["parts"]]
        key = parts[0] if len(parts) == 1 else tuple(parts)
        counts["lookups"] += expect(f"{name}: {key!r}", says(filter, key), lookup["says"])
    for read in entry.get("reads", []):
        counts["positions"] += expect(f"{name}: reads of {read['hash']}", reads(filter, read), read)
    if filter.open:
        return
    step = 1 if len(data) < 1000 else 499
    for at in range(0, len(data), step):
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        counts["changed"] += expect(f"{name}: up to byte {at}", is_refused(data[:at], secret), True)
        counts["changed"] += expect(f"{name}: byte {at} changed", is_refused(bytes(changed), secret), True)


def main():
    vectors = json.loads((KIT / "vectors.json").read_text())
    expect("version", vectors["version"], 1)
    for entry in vectors["hashes"]:
        for seed, value in zip(vectors["seeds"], entry["values"], strict=True):
            got = key_hash(key_of(entry["key"]), int(seed.get("seed", "0"), 16), secret_of(seed))
            counts["hashes"] += expect(f"hash of {entry['key']}", f"{got:016x}", value)
    for entry in vectors["positions"]:
        if entry["kind"] in NAMES:
            got = positions(entry["kind"], entry, int(entry["hash"], 16))
            counts["positions"] += expect(f"positions in {entry['kind']}", got, entry["positions"])
    sets = {entry["name"]: entry["keys"] for entry in vectors["sets"]}
    for entry in vectors["files"]:
        if entry["kind"] in NAMES:
            check_file(entry, sets)
    for entry in vectors["refused"]:
        data = (KIT / entry["file"]).read_bytes()
        counts["refused"] += expect(f"{entry['file']}: refused", is_refused(data), True)
    expect("something was checked", all(counts.values()), True)
    print("python: " + ", ".join(f"{count} {what}" for what, count in counts.items()) + ": all as expected")


if __name__ == "__main__":
    main()
