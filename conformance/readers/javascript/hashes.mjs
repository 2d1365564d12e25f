// XXH3-64, SipHash-1-3, and the hash of a key, as the section Hashes of FORMAT.md has it.
// 64-bit numbers are BigInts.

export const M64 = (1n << 64n) - 1n;
export const M32 = (1n << 32n) - 1n;
export const GOLDEN = 0x9E3779B97F4A7C15n;
const P32 = [0x9E3779B1n, 0x85EBCA77n, 0xC2B2AE3Dn];
const P64 = [0x9E3779B185EBCA87n, 0xC2B2AE3D27D4EB4Fn, 0x165667B19E3779F9n, 0x85EBCA77C2B2AE63n, 0x27D4EB2F165667C5n];
const SECRET = Buffer.from(
  "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221" +
  "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8" +
  "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb" +
  "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e", "hex");

const u32 = (data, at = 0) => BigInt(data.readUInt32LE(at));
export const u64 = (data, at = 0) => data.readBigUInt64LE(at);
export const rotl = (x, by) => (x << by | x >> 64n - by) & M64;
const fold = (a, b) => (a * b ^ a * b >> 64n) & M64;

export function word(x) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, x));
  return bytes;
}

function avalanche(x) {
  x = ((x & M64) ^ (x & M64) >> 37n) * 0x165667919E3779F9n & M64;
  return x ^ x >> 32n;
}

function avalanche64(x) {
  x = (x ^ x >> 33n) * P64[1] & M64;
  x = (x ^ x >> 29n) * P64[2] & M64;
  return x ^ x >> 32n;
}

function mix16(data, at, secretAt, seed) {
  return fold(u64(data, at) ^ (u64(SECRET, secretAt) + seed & M64), u64(data, at + 8) ^ (u64(SECRET, secretAt + 8) - seed & M64));
}

export function xxh3(data, seed = 0n) {
  const size = data.length;
  if (size > 240) return long(data, seed);
  let total = BigInt(size) * P64[0];
  if (size > 128) {
    for (let i = 0; i < 8; i++) total += mix16(data, 16 * i, 16 * i, seed);
    total = avalanche(total);
    for (let i = 8; i < size >> 4; i++) total += mix16(data, 16 * i, 16 * (i - 8) + 3, seed);
    return avalanche(total + mix16(data, size - 16, 136 - 17, seed));
  }
  if (size > 16) {
    for (let i = 0; i <= size - 1 >> 5; i++) {
      total += mix16(data, 16 * i, 32 * i, seed) + mix16(data, size - 16 * (i + 1), 32 * i + 16, seed);
    }
    return avalanche(total);
  }
  if (size > 8) {
    const low = u64(data) ^ ((u64(SECRET, 24) ^ u64(SECRET, 32)) + seed & M64);
    const high = u64(data, size - 8) ^ ((u64(SECRET, 40) ^ u64(SECRET, 48)) - seed & M64);
    return avalanche(BigInt(size) + word(low).readBigUInt64BE() + high + fold(low, high));
  }
  if (size > 3) {
    seed ^= BigInt(word(seed).readUInt32BE()) << 32n;
    let x = u32(data, size - 4) + (u32(data) << 32n) ^ ((u64(SECRET, 8) ^ u64(SECRET, 16)) - seed & M64);
    x = (x ^ rotl(x, 49n) ^ rotl(x, 24n)) * 0x9FB21C651E98DF25n & M64;
    x = (x ^ (x >> 35n) + BigInt(size)) * 0x9FB21C651E98DF25n & M64;
    return x ^ x >> 28n;
  }
  if (size > 0) {
    const x = BigInt((data[0] << 16 | data[size >> 1] << 24 | data[size - 1] | size << 8) >>> 0);
    return avalanche64(x ^ (u32(SECRET) ^ u32(SECRET, 4)) + seed & M64);
  }
  return avalanche64(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64));
}

function long(data, seed) {
  const secret = Buffer.alloc(192);
  for (let i = 0; i < 192; i += 8) secret.set(word(i % 16 ? u64(SECRET, i) - seed : u64(SECRET, i) + seed), i);
  const lanes = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]];
  const stripe = (at, secretAt) => {
    for (let i = 0; i < 8; i++) {
      const value = u64(data, at + 8 * i), key = value ^ u64(secret, secretAt + 8 * i);
      lanes[i ^ 1] = lanes[i ^ 1] + value & M64;
      lanes[i] = lanes[i] + (key & M32) * (key >> 32n) & M64;
    }
  };
  // A block is 16 stripes of 64 bytes; the last stripe ends with the data and is taken once more.
  for (let number = 0; number < data.length - 1 >> 6; number++) {
    stripe(64 * number, 8 * (number % 16));
    if (number % 16 !== 15) continue;
    for (let i = 0; i < 8; i++) lanes[i] = (lanes[i] ^ lanes[i] >> 47n ^ u64(secret, 128 + 8 * i)) * P32[0] & M64;
  }
  stripe(data.length - 64, 192 - 64 - 7);
  let total = BigInt(data.length) * P64[0];
  for (let i = 0; i < 8; i += 2) total += fold(lanes[i] ^ u64(secret, 11 + 8 * i), lanes[i + 1] ^ u64(secret, 19 + 8 * i));
  return avalanche(total);
}

// SipHash-1-3; the domain is xored into the key's second word.
export function siphash(key, data, domain = 0n) {
  const k0 = u64(key), k1 = u64(key, 8) ^ domain;
  let a = k0 ^ 0x736F6D6570736575n, b = k1 ^ 0x646F72616E646F6Dn, c = k0 ^ 0x6C7967656E657261n, d = k1 ^ 0x7465646279746573n;
  const padded = Buffer.alloc((data.length >> 3) * 8 + 8);
  padded.set(data);
  padded[padded.length - 1] = data.length;
  const round = (value) => {
    d ^= value;
    a = a + b & M64; b = rotl(b, 13n) ^ a; a = rotl(a, 32n);
    c = c + d & M64; d = rotl(d, 16n) ^ c;
    a = a + d & M64; d = rotl(d, 21n) ^ a;
    c = c + b & M64; b = rotl(b, 17n) ^ c; c = rotl(c, 32n);
    a ^= value;
  };
  for (let at = 0; at < padded.length; at += 8) round(u64(padded, at));
  c ^= 0xFFn;
  for (let i = 0; i < 3; i++) round(0n);
  return a ^ b ^ c ^ d;
}

function mix(x) {
  x = (x ^ x >> 30n) * 0xBF58476D1CE4E5B9n & M64;
  x = (x ^ x >> 27n) * 0x94D049BB133111EBn & M64;
  return x ^ x >> 31n;
}

export const again = (x, salt) => mix(x + (salt + 1n) * GOLDEN & M64);

// An integer that is hashed as its 16 bytes, whatever its value.
export class Integer128 {
  constructor(text) {
    const value = BigInt(text);
    this.bytes = Buffer.concat([word(value), word(value >> 64n)]);
  }
}

// Bytes stay, text is UTF-8, and 128-bit integers are 16 bytes; null for other keys.
function asBytes(key) {
  if (key instanceof Integer128) return key.bytes;
  return typeof key === "string" ? Buffer.from(key) : Buffer.isBuffer(key) ? key : null;
}

function frame(key) {
  if (Array.isArray(key)) return Buffer.concat([Buffer.from([2, key.length]), ...key.map(frame)]);
  const data = asBytes(key);
  return data ? Buffer.concat([Buffer.from([0]), word(BigInt(data.length)), data]) : Buffer.concat([Buffer.from([1]), word(key)]);
}

// The hash of bytes, text, an integer (a BigInt) or an array of them.
export function keyHash(key, seed = 0n, secret = null) {
  const data = asBytes(key);
  if (data) return secret ? siphash(secret, data) : xxh3(data, seed);
  if (Array.isArray(key)) return secret ? siphash(secret, frame(key), 2n) : xxh3(frame(key), seed);
  if (secret) return siphash(secret, word(key), 1n);
  return fold(fold(BigInt.asUintN(64, key) ^ 0x243F6A8885A308D3n ^ mix(seed), GOLDEN), 0xA4093822299F31D1n);
}
