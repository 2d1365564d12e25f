/* XXH3-64, SipHash-1-3, and the hash of a key, as the section Hashes of FORMAT.md has it. */
#include "anther.h"

static const uint64_t P32[] = {0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D};
static const uint64_t P64[] = {0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                               0x27D4EB2F165667C5};
static const uint8_t SECRET[192] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

uint64_t load(const uint8_t *from, int bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | from[bytes];
    return value;
}

static uint64_t u64(const uint8_t *from) { return load(from, 8); }

void store64(uint8_t *to, uint64_t value) {
    for (int i = 0; i < 8; i++) to[i] = (uint8_t)(value >> 8 * i);
}

uint64_t scale(uint64_t x, uint64_t n) { return (uint64_t)((unsigned __int128)x * n >> 64); }
uint64_t rotl(uint64_t x, int by) { return x << by | x >> (64 - by); }
static uint64_t fold(uint64_t a, uint64_t b) { return scale(a, b) ^ a * b; }

static uint64_t reversed(uint64_t x, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | (x >> 8 * i & 255);
    return value;
}

static uint64_t avalanche(uint64_t x) {
    x = (x ^ x >> 37) * 0x165667919E3779F9;
    return x ^ x >> 32;
}

static uint64_t avalanche64(uint64_t x) {
    x = (x ^ x >> 33) * P64[1];
    x = (x ^ x >> 29) * P64[2];
    return x ^ x >> 32;
}

static uint64_t mix16(const uint8_t *data, const uint8_t *secret, uint64_t seed) {
    return fold(u64(data) ^ (u64(secret) + seed), u64(data + 8) ^ (u64(secret + 8) - seed));
}

static void stripe(uint64_t lanes[8], const uint8_t *data, const uint8_t *secret) {
    for (int i = 0; i < 8; i++) {
        uint64_t value = u64(data + 8 * i), key = value ^ u64(secret + 8 * i);
        lanes[i ^ 1] += value;
        lanes[i] += (key & 0xFFFFFFFF) * (key >> 32);
    }
}

static uint64_t xxh3_long(const uint8_t *data, size_t size, uint64_t seed) {
    uint8_t secret[192];
    for (int i = 0; i < 192; i += 8) store64(secret + i, i % 16 ? u64(SECRET + i) - seed : u64(SECRET + i) + seed);
    uint64_t lanes[8] = {P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]};
    /* A block is 16 stripes of 64 bytes; the last stripe ends with the data and is taken once more. */
    for (size_t number = 0; number < (size - 1) / 64; number++) {
        stripe(lanes, data + 64 * number, secret + 8 * (number % 16));
        for (int i = 0; number % 16 == 15 && i < 8; i++)
            lanes[i] = (lanes[i] ^ lanes[i] >> 47 ^ u64(secret + 128 + 8 * i)) * P32[0];
    }
    stripe(lanes, data + size - 64, secret + 192 - 64 - 7);
    uint64_t total = size * P64[0];
    for (int i = 0; i < 8; i += 2)
        total += fold(lanes[i] ^ u64(secret + 11 + 8 * i), lanes[i + 1] ^ u64(secret + 19 + 8 * i));
    return avalanche(total);
}

uint64_t xxh3(const uint8_t *data, size_t size, uint64_t seed) {
    uint64_t total = size * P64[0];
    if (size > 240) return xxh3_long(data, size, seed);
    if (size > 128) {
        for (size_t i = 0; i < 8; i++) total += mix16(data + 16 * i, SECRET + 16 * i, seed);
        total = avalanche(total);
        for (size_t i = 8; i < size / 16; i++) total += mix16(data + 16 * i, SECRET + 16 * (i - 8) + 3, seed);
        return avalanche(total + mix16(data + size - 16, SECRET + 136 - 17, seed));
    }
    if (size > 16) {
        for (size_t i = 0; i <= (size - 1) / 32; i++)
            total += mix16(data + 16 * i, SECRET + 32 * i, seed) +
                     mix16(data + size - 16 * (i + 1), SECRET + 32 * i + 16, seed);
        return avalanche(total);
    }
    if (size > 8) {
        uint64_t low = u64(data) ^ ((u64(SECRET + 24) ^ u64(SECRET + 32)) + seed);
        uint64_t high = u64(data + size - 8) ^ ((u64(SECRET + 40) ^ u64(SECRET + 48)) - seed);
        return avalanche(size + reversed(low, 8) + high + fold(low, high));
    }
    if (size > 3) {
        seed ^= reversed(seed, 4) << 32;
        uint64_t x = load(data + size - 4, 4) + (load(data, 4) << 32);
        x ^= (u64(SECRET + 8) ^ u64(SECRET + 16)) - seed;
        x = (x ^ rotl(x, 49) ^ rotl(x, 24)) * 0x9FB21C651E98DF25;
        x = (x ^ ((x >> 35) + size)) * 0x9FB21C651E98DF25;
        return x ^ x >> 28;
    }
    if (size > 0) {
        uint64_t x = (uint64_t)data[0] << 16 | (uint64_t)data[size / 2] << 24 | data[size - 1] | size << 8;
        return avalanche64(x ^ ((load(SECRET, 4) ^ load(SECRET + 4, 4)) + seed));
    }
    return avalanche64(seed ^ u64(SECRET + 56) ^ u64(SECRET + 64));
}

/* SipHash-1-3; the domain is xored into the key's second word. */
uint64_t siphash(const uint8_t *key, const uint8_t *data, size_t size, uint64_t domain) {
    uint64_t k0 = u64(key), k1 = u64(key + 8) ^ domain;
    uint64_t a = k0 ^ 0x736F6D6570736575, b = k1 ^ 0x646F72616E646F6D;
    uint64_t c = k0 ^ 0x6C7967656E657261, d = k1 ^ 0x7465646279746573;
    size_t words = size / 8 + 1;
    for (size_t i = 0; i < words + 3; i++) {
        uint64_t value = 0;
        if (i + 1 < words) value = u64(data + 8 * i);
        if (i + 1 == words) value = (uint64_t)size << 56 | (size % 8 ? load(data + 8 * i, (int)(size % 8)) : 0);
        if (i == words) c ^= 0xFF;
        d ^= value;
        a += b, b = rotl(b, 13) ^ a, a = rotl(a, 32);
        c += d, d = rotl(d, 16) ^ c;
        a += d, d = rotl(d, 21) ^ a;
        c += b, b = rotl(b, 17) ^ c, c = rotl(c, 32);
        a ^= value;
    }
    return a ^ b ^ c ^ d;
}

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

uint64_t again(uint64_t x, uint64_t salt) { return mix(x + (salt + 1) * GOLDEN); }

uint64_t hash_bytes(struct hashing by, const uint8_t *data, size_t size) {
    return by.secret ? siphash(by.secret, data, size, 0) : xxh3(data, size, by.seed);
}

uint64_t hash_frame(struct hashing by, const uint8_t *frame, size_t size) {
    return by.secret ? siphash(by.secret, frame, size, 2) : xxh3(frame, size, by.seed);
}

uint64_t hash_integer(struct hashing by, uint64_t x) {
    uint8_t word[8];
    store64(word, x);
    if (by.secret) return siphash(by.secret, word, 8, 1);
    return fold(fold(x ^ 0x243F6A8885A308D3 ^ mix(by.seed), GOLDEN), 0xA4093822299F31D1);
}
