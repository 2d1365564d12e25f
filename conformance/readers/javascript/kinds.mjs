// Lookups in filters of the kinds classic, blocked and ribbon.
//
// Left out: the section `recipe` and hashes made elsewhere; files that have them are refused.

import { isUtf8 } from "node:buffer";
import { parse, require } from "./container.mjs";
import { GOLDEN, M32, M64, again, keyHash, rotl, siphash, u64, word } from "./hashes.mjs";

const CHECK = Buffer.from("anther key check: tells a wrong key from the right one");
const ODD = [0x6A09E667n, 0xBB67AE85n, 0x3C6EF373n, 0xA54FF53Bn, 0x510E527Fn, 0x9B05688Dn, 0x1F83D9ABn, 0x5BE0CD19n,
  0xCBBB9D5Dn, 0x629A292Bn, 0x9159015Bn, 0x152FECD9n, 0x67332667n, 0x8EB44A87n, 0xDB0C2E0Dn, 0x47B5481Dn];
// A kind's number, its section, and its fields with their ranges.
const KINDS = {
  1: ["classic", "bits", { bits: [1n, 1n << 46n], probes: [1n, 64n] }],
  2: ["blocked", "lines", { lines: [1n, 1n << 37n], probes: [1n, 16n] }],
  17: ["ribbon", "ribbon", { columns: [0n, 60n], shards: [0n, M64], items: [0n, 1n << 48n] }],
};

export class Filter {
  constructor(data, secret = null) {
    const file = parse(data);
    require(file.kind in KINDS, "kind");
    const [kind, section, own] = KINDS[file.kind];
    const [[name, [encoding, row]] = ["", [0, data]]] = file.sections;
    require(file.sections.size === 1 && name === section && encoding === 0, "sections");
    Object.assign(this, { kind, row, seed: file.seed, isOpen: file.isOpen, fields: {} });
    const ranges = { inserted: [0n, M64], ...own };
    if (file.fields.has("target.items")) Object.assign(ranges, { "target.items": [1n, 1n << 48n], "target.fpr": null });
    require(file.fields.size === Object.keys(ranges).length, "fields");
    for (const [name, [type, value]] of file.fields) {
      require(name in ranges, "fields");
      const number = type === 2 ? word(value).readDoubleLE() : value;
      const range = ranges[name];
      require(range ? type === 1 && value >= range[0] && value <= range[1] : type === 2 && number >= 1e-18 && number < 1, name);
      this.fields[name] = value;
    }
    require(file.hash === 0 || file.hash === 1 && secret && siphash(secret, CHECK) === file.seed, "hash or secret key");
    this.secret = file.hash ? secret : null;
    this.readRecipe(file.recipe);
    if (kind === "blocked") require(BigInt(row.length) === this.fields.lines * 64n, "lines");
    if (kind === "classic") this.checkBits();
    if (kind === "ribbon") this.readDirectory();
  }

  readRecipe(recipe) {
    const [flags, rest] = [recipe[0] ?? 0, recipe.subarray(1)];
    require(flags < 64 && (flags & 48) !== 48, "flags of the recipe");
    require(flags & 16 ? rest.length === 5 && rest.readUInt32LE(1) > 0 : flags & 32 ? isUtf8(rest.subarray(1)) && rest.length > 0 : rest.length === 0,
      "column of the recipe");
    this.rule = recipe.length ? { trim: flags & 2, ignoreCase: flags & 4, hex: flags & 8 } : null;
  }

  checkBits() {
    const { row, fields: { bits } } = this;
    require(BigInt(row.length) === (bits + 63n) / 64n * 8n, "bits");
    require(u64(row, row.length - 8) >> (bits - 1n) % 64n + 1n === 0n, "a bit beyond the last");
  }

  readDirectory() {
    const { row, fields: { columns, shards: count } } = this;
    require(count * 8n <= BigInt(row.length), "shards");
    const few = Number(columns), end = Number(count) * 8;
    let [last, thresholds, words] = [1n, 0, 0];
    this.layers = [];
    for (let at = 0; at < end; at += 8) {
      const entry = u64(row, at);
      const [blocks, narrow] = [Number(entry & 0x7FFFFFFn), Number(entry >> 27n & 0x7FFFFFFn)];
      const draw = entry >> 54n & 511n;
      require(narrow <= blocks && (last ? draw || !this.layers.length : !draw), "directory");
      if (last) this.layers.push({ draw, shards: [] });
      last = entry >> 63n;
      const starts = blocks ? 64 * (blocks - 1) + 1 : 0;
      this.layers.at(-1).shards.push({ starts, narrow, thresholds, words });
      thresholds += Math.ceil(starts / 192);
      words += blocks * few + blocks - narrow;
    }
    Object.assign(this, { thresholds: end, blocks: end + 8 * Math.ceil(thresholds / 32) });
    require(last && this.layers.length <= 40 && row.length === this.blocks + 8 * words, "directory");
    const beyond = thresholds % 32 ? u64(row, this.blocks - 8) >> 2n * BigInt(thresholds % 32) : 0n;
    require(beyond === 0n, "a threshold beyond the last");
  }

  // Whether a key may be in: bytes, text, an integer (a BigInt) or an array of them.
  contains(key) {
    return this.containsHash(keyHash(this.rule ? this.byRule(key) : key, this.seed, this.secret));
  }

  byRule(key) {
    require(typeof key === "string" || Buffer.isBuffer(key), "the rule of the file takes text");
    let text = Buffer.from(key).toString("latin1");
    if (this.rule.trim) text = text.replace(/^[ \t\n\f\r]+|[ \t\n\f\r]+$/g, "");
    if (!this.rule.hex) return Buffer.from(this.rule.ignoreCase ? text.replace(/[A-Z]/g, (a) => a.toLowerCase()) : text, "latin1");
    require(/^([0-9a-fA-F]{2})*$/.test(text), "hexadecimal digits");
    return Buffer.from(text, "hex");
  }

  containsHash(h) {
    if (this.kind === "ribbon") return this.inRibbon(h);
    return positions(this.kind, this.fields, h).every((bit) => this.row[Number(bit >> 3n)] >> Number(bit & 7n) & 1);
  }

  inRibbon(x) {
    for (const { draw, shards } of this.layers) {
      if (draw) x = again(x, draw);
      const product = x * BigInt(shards.length);
      const shard = shards[Number(product >> 64n)];
      if (!shard.starts) continue;
      const start = Number((product & M64) * BigInt(shard.starts) >> 64n);
      const at = shard.thresholds + Math.floor(start / 192);
      const level = this.row[this.thresholds + (at >> 2)] >> at % 4 * 2 & 3;
      if (start % 192 >= [0, 24, 48, 192][level]) return this.holds(x, start, shard);
    }
    return false;
  }

  holds(x, start, { narrow, words }) {
    const few = Number(this.fields.columns), block = Math.floor(start / 64), shift = BigInt(start % 64);
    const ones = again(x, 1024n) | 1n, value = again(x, 1025n);
    const column = (block, j) => u64(this.row, this.blocks + 8 * (words + block * few + Math.max(0, block - narrow) + j));
    for (let j = 0; j < few + (block >= narrow ? 1 : 0); j++) {
      let parity = (column(block, j) | (shift ? column(block + 1, j) << 64n : 0n)) >> shift & ones;
      for (let by = 32n; by; by >>= 1n) parity ^= parity >> by;
      if ((parity & 1n) !== (value >> BigInt(j) & 1n)) return false;
    }
    return true;
  }
}

// The bits of a key in the section of classic or blocked.
export function positions(kind, { lines, bits, probes }, h) {
  if (kind === "blocked") {
    const line = h * lines >> 64n, u = h * GOLDEN >> 32n & M32;
    return ODD.slice(0, Number(probes)).map((odd) => line * 512n + ((u * odd & M32) >> 23n));
  }
  const found = [];
  let x = h, y = rotl(h, 32n) * GOLDEN & M64;
  for (let i = 0n; i < probes; i++) {
    found.push(x * bits >> 64n);
    x = x + y & M64;
    y = rotl(y, 5n) + GOLDEN & M64;
  }
  return found;
}
