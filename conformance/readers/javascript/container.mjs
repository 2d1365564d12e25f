// The container of an anther file: header, fields, sections, checksums. Of every kind.
//
// Left out: starting again when another process opens or closes the file meanwhile.

import { u64, word, xxh3 } from "./hashes.mjs";

// A file or a key that the format does not allow, or that this reader does not know.
export class Refused extends Error {}

export function require(condition, why) {
  if (!condition) throw new Refused(why);
}

// `fields` has [type, value] by name, `sections` [encoding, bytes] by name.
export function parse(data) {
  require(data.length >= 64 && data.toString("latin1", 0, 8) === "\x89ANT\r\n\x1a\n", "no anther file");
  require(data.readUInt16LE(8) === 1, "version");
  const [kind, header, hash] = [data.readUInt16LE(10), data.readUInt32LE(12), data.readUInt16LE(16)];
  require(header % 64 === 0 && header >= 64 && header <= Math.min(65536, data.length), "length of the header");
  const end = header - 8;
  let at = 32 + data.readUInt16LE(22), inserted = 0;
  const recipe = data.subarray(32, at);
  const entries = (count) => {
    const found = new Map();
    for (; count > 0; count--) {
      require(at < end && at + data[at] + 10 <= end, "header too short");
      const name = data.toString("latin1", at + 1, at + 1 + data[at]);
      at += data[at] + 10;
      require(/^[a-z0-9.]+$/.test(name) && !found.has(name), "name");
      if (name === "inserted" && found.size === 0) inserted = at - 8;
      found.set(name, [data[at - 9], u64(data, at - 8)]);
    }
    return found;
  };
  const fields = entries(data.readUInt16LE(18));
  const canBeOpen = kind >= 1 && kind <= 3 && inserted > 0;
  const lengths = entries(data.readUInt16LE(20));
  require(at <= end && end - at < 64 && isZero(data.subarray(at, end)), "padding of the header");
  const isOpen = u64(data, end) !== xxh3(data.subarray(0, end));
  if (isOpen) {
    require(canBeOpen, "checksum of the header");
    const blank = Buffer.from(data.subarray(0, end)).fill(0, inserted, inserted + 8);
    require(u64(data, end) === xxh3(blank, 0x6E65706Fn), "checksum of the header");
  }
  const sections = new Map(), sums = [data.subarray(end, header)];
  at = header;
  for (const [name, [encoding, size]] of lengths) {
    require(encoding < 2 && size % 8n === 0n && size <= BigInt(data.length - at), "length of a section");
    const bytes = data.subarray(at, at + Number(size));
    at += bytes.length;
    const next = Math.ceil(at / 64) * 64;
    require(next <= data.length && isZero(data.subarray(at, next)), "padding of a section");
    at = next;
    sections.set(name, [encoding, bytes]);
    sums.push(word(xxh3(bytes)));
  }
  require(data.length === at + 8 * sums.length, "length of the file");
  if (isOpen) { // Its cells change, and so do the first and the last word of the footer.
    require(Buffer.concat(sums.slice(2)).equals(data.subarray(at + 8, -8)), "checksum of a section");
  } else {
    sums.push(word(xxh3(Buffer.concat(sums))));
    require(Buffer.concat(sums.slice(1)).equals(data.subarray(at)), "checksum of a section");
  }
  return { kind, hash, seed: u64(data, 24), recipe, fields, sections, isOpen };
}

const isZero = (bytes) => bytes.every((byte) => byte === 0);
