// Checks the reader by ../../vectors.json, or that of the folder in its argument; exits with 1 on the first mismatch.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Refused } from "./container.mjs";
import { Integer128, keyHash } from "./hashes.mjs";
import { Filter, positions } from "./kinds.mjs";

const KIT = process.argv[2] ? pathToFileURL(process.argv[2] + "/") : new URL("../../", import.meta.url);
const NAMES = ["classic", "blocked", "ribbon"];
const counts = { hashes: 0, positions: 0, files: 0, lookups: 0, refused: 0, changed: 0, "left out": 0 };
const file = (name) => readFileSync(new URL(name, KIT));

function expect(what, got, expected) {
  if (String(got) === String(expected)) return;
  console.error(`javascript: ${what}: got ${got}, expected ${expected}`);
  process.exit(1);
}

const hex = (x) => x.toString(16).padStart(16, "0");
const wordOf = (text) => BigInt("0x" + text);
const secretOf = (entry) => entry.secret ? Buffer.from(entry.secret, "hex") : null;

function keyOf(entry) {
  const [[form, value]] = Object.entries(entry);
  switch (form) {
    case "text": return value;
    case "bytes": return Buffer.from(value, "hex");
    case "ramp": return Buffer.from(Array.from({ length: value }, (_, i) => i % 251));
    case "integer": return BigInt(value);
    case "integer128": return new Integer128(value);
    case "tuple": return value.map(keyOf);
    default: throw new Error(`a key of form ${form}`);
  }
}

function attempt(call) {
  try {
    return call();
  } catch (error) {
    if (error instanceof Refused) return "refused";
    throw error;
  }
}

const isRefused = (data, secret = null) => attempt(() => new Filter(data, secret)) === "refused";

function checkFile(entry, sets) {
  const { file: name } = entry, data = file(name), secret = secretOf(entry);
  if (entry.sections.some(([section]) => section === "recipe")) {
    expect(name, isRefused(data), true);
    counts["left out"]++;
    return;
  }
  const filter = new Filter(data, secret);
  counts.files++;
  expect(`${name}: kind`, filter.kind, entry.kind);
  expect(`${name}: open`, filter.isOpen, entry.open ?? false);
  for (const [field, , value] of entry.fields) expect(`${name}: ${field}`, hex(filter.fields[field]), value);
  const lookup = (key, says) => {
    expect(`${name}: ${key}`, attempt(() => filter.contains(key) ? "maybe" : "no"), says);
    counts.lookups++;
  };
  const held = (entry.holds ?? []).flatMap((set) => sets[set].map(keyOf));
  held.forEach((key, at) => lookup(key, entry.forgotten.includes(at) ? "no" : "maybe"));
  for (const { prefix, count, maybe } of [entry.numbered, entry.absent].filter(Boolean)) {
    const passing = new Set(maybe);
    for (let at = 0; at < count; at++) lookup(`${prefix} ${at}`, !maybe || passing.has(at) ? "maybe" : "no");
  }
  for (const { parts, says } of entry.lookups ?? []) {
    const keys = parts.map((part) => Buffer.from(part, "hex"));
    lookup(keys.length === 1 ? keys[0] : keys, says);
  }
  for (const { hash, cells } of (entry.reads ?? []).filter(({ cells }) => cells)) {
    expect(`${name}: cells of ${hash}`, positions(filter.kind, filter.fields, wordOf(hash)), cells);
    counts.positions++;
  }
  const step = data.length < 1000 ? 1 : 499;
  for (let at = 0; at < data.length && !filter.isOpen; at += step) {
    const changed = Buffer.from(data);
    changed[at] ^= 1 << at % 8;
    expect(`${name}: up to byte ${at}`, isRefused(data.subarray(0, at), secret), true);
    expect(`${name}: byte ${at} changed`, isRefused(changed, secret), true);
    counts.changed += 2;
  }
}

const vectors = JSON.parse(file("vectors.json"));
expect("version", vectors.version, 1);
for (const { key, values } of vectors.hashes) {
  vectors.seeds.forEach((seed, i) => {
    expect(`hash of ${JSON.stringify(key)}`, hex(keyHash(keyOf(key), wordOf(seed.seed ?? "0"), secretOf(seed))), values[i]);
    counts.hashes++;
  });
}
for (const entry of vectors.positions.filter(({ kind }) => NAMES.includes(kind))) {
  const sizes = Object.fromEntries(["lines", "bits", "probes"].map((name) => [name, BigInt(entry[name] ?? 0)]));
  expect(`positions in ${entry.kind}`, positions(entry.kind, sizes, wordOf(entry.hash)), entry.positions);
  counts.positions++;
}
const sets = Object.fromEntries(vectors.sets.map(({ name, keys }) => [name, keys]));
vectors.files.filter(({ kind }) => NAMES.includes(kind)).forEach((entry) => checkFile(entry, sets));
for (const entry of vectors.refused) {
  expect(`${entry.file}: refused`, isRefused(file(entry.file)), true);
  counts.refused++;
}
expect("something was checked", Object.values(counts).every(Boolean), true);
console.log("javascript: " + Object.entries(counts).map(([what, count]) => `${count} ${what}`).join(", ") + ": all as expected");
