"""Checks `sketches.py` by ../../sketches; exits with 1 on the first mismatch."""

from check import KIT, expect
from container import Refused
from sketches import Sketch

SECRET = b"conformance key!"
theirs, ours = ((KIT / f"sketches/{name}.txt").read_bytes().split(b"\n")[:-1] for name in ("theirs", "ours"))
counts = dict.fromkeys(["sketches", "lines", "prefixes", "corrupt"], 0)

for name in ("open", "chosen", "keyed", "hashes", "recipe"):
    data = (KIT / f"sketches/{name}.sketch").read_bytes()
    sketch = Sketch(data, SECRET)
    counts["sketches"] += expect(f"{name}: lines", sketch.lines, len(theirs))
    found = sketch.difference(ours)
    for side, lines, other in (0, ours, theirs), (1, theirs, ours):
        expected = {sketch.element(line) for line in lines if line not in other} - {None}
        expect(f"{name}: side {side}", sorted(found[side]), sorted(expected))
        counts["lines"] += len(expected)
    for end in range(len(data)):
        try:
            prefix = Sketch(data[:end], SECRET)
            counts["prefixes"] += expect(f"{name}: {end} bytes", prefix.symbols, sketch.symbols[:len(prefix.symbols)])
        except Refused:
            expect(f"{name}: {end} bytes are refused", end < 80, True)
    for at in range(0, len(data), 7):
        try:
            corrupt = Sketch(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:], SECRET)
            # The length of the last frame: nothing of it counts.
            expect(f"{name}: bit at {at}", len(corrupt.symbols) < len(sketch.symbols), True)
        except Refused:
            counts["corrupt"] += 1

print(", ".join(f"{number} {name}" for name, number in counts.items()))
