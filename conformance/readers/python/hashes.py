"""XXH3-64, SipHash-1-3, and the hash of a key, as the section Hashes of FORMAT.md has it."""

import struct

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
MX1, MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")


def u32(data, at=0):
    return int.from_bytes(data[at:at + 4], "little")


def u64(data, at=0):
    return int.from_bytes(data[at:at + 8], "little")


def fold(a, b):
    product = a * b
    return (product ^ product >> 64) & M64


def rotl(x, by):
    return (x << by | x >> 64 - by) & M64


def avalanche(x):
    x = (x ^ x >> 37) * MX1 & M64
    return x ^ x >> 32


def avalanche64(x):
    x = (x ^ x >> 33) * P64[1] & M64
    x = (x ^ x >> 29) * P64[2] & M64
    return x ^ x >> 32


def mix16(data, at, secret_at, seed, secret=SECRET):
    return fold(u64(data, at) ^ (u64(secret, secret_at) + seed & M64),
                u64(data, at + 8) ^ (u64(secret, secret_at + 8) - seed & M64))


def xxh3(data, seed=0):
    size = len(data)
    if size > 240:
        return xxh3_long(data, seed)
    if size > 128:
        total = size * P64[0]
        for i in range(8):
            total += mix16(data, 16 * i, 16 * i, seed)
        total = avalanche(total & M64)
        for i in range(8, size // 16):
            total += mix16(data, 16 * i, 16 * (i - 8) + 3, seed)
        return avalanche(total + mix16(data, size - 16, 136 - 17, seed) & M64)
    if size > 16:
        total = size * P64[0]
        for i in range((size - 1) // 32 + 1):
            total += mix16(data, 16 * i, 32 * i, seed) + mix16(data, size - 16 * (i + 1), 32 * i + 16, seed)
        return avalanche(total & M64)
    if size > 8:
        low = u64(data) ^ ((u64(SECRET, 24) ^ u64(SECRET, 32)) + seed & M64)
        high = u64(data, size - 8) ^ ((u64(SECRET, 40) ^ u64(SECRET, 48)) - seed & M64)
        return avalanche(size + int.from_bytes(low.to_bytes(8, "little"), "big") + high + fold(low, high) & M64)
    if size > 3:
        seed ^= int.from_bytes((seed & M32).to_bytes(4, "little"), "big") << 32
        x = u32(data, size - 4) + (u32(data) << 32) ^ ((u64(SECRET, 8) ^ u64(SECRET, 16)) - seed & M64)
        x ^= rotl(x, 49) ^ rotl(x, 24)
        x = x * MX2 & M64
        x = (x ^ (x >> 35) + size) * MX2 & M64
        return x ^ x >> 28
    if size > 0:
        x = data[0] << 16 | data[size >> 1] << 24 | data[size - 1] | size << 8
        return avalanche64(x ^ (u32(SECRET) ^ u32(SECRET, 4)) + seed & M64)
    return avalanche64(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64))


def xxh3_long(data, seed):
    secret = b"".join(struct.pack("<QQ", u64(SECRET, i) + seed & M64, u64(SECRET, i + 8) - seed & M64)
                      for i in range(0, 192, 16))
    lanes = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]

    def stripe(at, secret_at):
        words, keys = struct.unpack_from("<8Q", data, at), struct.unpack_from("<8Q", secret, secret_at)
        for i in range(8):
            key = words[i] ^ keys[i]
            lanes[i ^ 1] = lanes[i ^ 1] + words[i] & M64
            lanes[i] = lanes[i] + (key & M32) * (key >> 32) & M64

    # A block is 16 stripes of 64 bytes; the last stripe ends with the data and is taken once more.
    for number in range((len(data) - 1) // 64):
        stripe(64 * number, 8 * (number % 16))
        if number % 16 == 15:
            for i in range(8):
                lanes[i] = (lanes[i] ^ lanes[i] >> 47 ^ u64(secret, 128 + 8 * i)) * P32[0] & M64
    stripe(len(data) - 64, 192 - 64 - 7)
    total = len(data) * P64[0]
    for i in range(0, 8, 2):
        total += fold(lanes[i] ^ u64(secret, 11 + 8 * i), lanes[i + 1] ^ u64(secret, 19 + 8 * i))
    return avalanche(total & M64)


def siphash(key, data, domain=0):
    """SipHash-1-3; the domain is xored into the key's second word."""
    k0, k1 = u64(key), u64(key, 8) ^ domain
    a, b, c, d = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573
    tail = data[len(data) // 8 * 8:].ljust(7, b"\0") + bytes([len(data) & 255])
    words = [u64(data, at) for at in range(0, len(data) // 8 * 8, 8)] + [u64(tail)]
    for word in words + [None, 0, 0]:
        if word is None:
            c ^= 0xFF
            word = 0
        d ^= word
        a = a + b & M64
        b, a, c = rotl(b, 13) ^ a, rotl(a, 32), c + d & M64
        d = rotl(d, 16) ^ c
        a, c = a + d & M64, c + b & M64
        d, b, c = rotl(d, 21) ^ a, rotl(b, 17) ^ c, rotl(c, 32)
        a ^= word
    return a ^ b ^ c ^ d


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & M64
    return x ^ x >> 31


def again(x, salt):
    return mix(x + (salt + 1) * GOLDEN & M64)


class Integer128(int):
    """An integer that is hashed as its 16 bytes, whatever its value."""


def as_bytes(key):
    """Bytes stay, text is UTF-8, and 128-bit integers are 16 bytes; None for other keys."""
    if isinstance(key, Integer128):
        return (int(key) & (1 << 128) - 1).to_bytes(16, "little")
    return key.encode() if isinstance(key, str) else key if isinstance(key, bytes) else None


def frame(key):
    if isinstance(key, tuple):
        return bytes([2, len(key)]) + b"".join(map(frame, key))
    data = as_bytes(key)
    return struct.pack("<BQ", 1, key & M64) if data is None else struct.pack("<BQ", 0, len(data)) + data


def key_hash(key, seed=0, secret=None):
    """The hash of bytes, text, an integer or a tuple of them."""
    data = as_bytes(key)
    if data is not None:
        return siphash(secret, data) if secret else xxh3(data, seed)
    if isinstance(key, tuple):
        return siphash(secret, frame(key), 2) if secret else xxh3(frame(key), seed)
    if secret:
        return siphash(secret, struct.pack("<Q", key & M64), 1)
    return fold(fold(key & M64 ^ 0x243F6A8885A308D3 ^ mix(seed), GOLDEN), 0xA4093822299F31D1)
