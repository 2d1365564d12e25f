import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;

/** XXH3-64, SipHash-1-3, and the hash of a key, as the section Hashes of FORMAT.md has it. */
final class Hashes {
    static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final long P32A = 0x9E3779B1L, P32B = 0x85EBCA77L, P32C = 0xC2B2AE3DL;
    private static final long P64A = 0x9E3779B185EBCA87L, P64B = 0xC2B2AE3D27D4EB4FL, P64C = 0x165667B19E3779F9L;
    private static final long P64D = 0x85EBCA77C2B2AE63L, P64E = 0x27D4EB2F165667C5L;
    private static final byte[] SECRET = HexFormat.of().parseHex(
            "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
            + "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
            + "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
            + "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e");

    static long u32(byte[] data, int at) {
        return Integer.toUnsignedLong(little(data).getInt(at));
    }

    static long u64(byte[] data, int at) {
        return little(data).getLong(at);
    }

    private static ByteBuffer little(byte[] data) {
        return ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    }

    static byte[] word(long x) {
        byte[] data = new byte[8];
        little(data).putLong(0, x);
        return data;
    }

    /** The high half of the 128-bit product of two unsigned numbers. */
    static long scale(long x, long n) {
        return Math.multiplyHigh(x, n) + (x >> 63 & n) + (n >> 63 & x);
    }

    private static long fold(long a, long b) {
        return scale(a, b) ^ a * b;
    }

    private static long avalanche(long x) {
        x = (x ^ x >>> 37) * 0x165667919E3779F9L;
        return x ^ x >>> 32;
    }

    private static long avalanche64(long x) {
        x = (x ^ x >>> 33) * P64B;
        x = (x ^ x >>> 29) * P64C;
        return x ^ x >>> 32;
    }

    private static long mix16(byte[] data, int at, int secretAt, long seed) {
        return fold(u64(data, at) ^ u64(SECRET, secretAt) + seed, u64(data, at + 8) ^ u64(SECRET, secretAt + 8) - seed);
    }

    static long xxh3(byte[] data, long seed) {
        int size = data.length;
        long total = size * P64A;
        if (size > 240) {
            return xxh3Long(data, seed);
        } else if (size > 128) {
            for (int i = 0; i < 8; i++) {
                total += mix16(data, 16 * i, 16 * i, seed);
            }
            total = avalanche(total);
            for (int i = 8; i < size / 16; i++) {
                total += mix16(data, 16 * i, 16 * (i - 8) + 3, seed);
            }
            return avalanche(total + mix16(data, size - 16, 136 - 17, seed));
        } else if (size > 16) {
            for (int i = 0; i <= (size - 1) / 32; i++) {
                total += mix16(data, 16 * i, 32 * i, seed) + mix16(data, size - 16 * (i + 1), 32 * i + 16, seed);
            }
            return avalanche(total);
        } else if (size > 8) {
            long low = u64(data, 0) ^ (u64(SECRET, 24) ^ u64(SECRET, 32)) + seed;
            long high = u64(data, size - 8) ^ (u64(SECRET, 40) ^ u64(SECRET, 48)) - seed;
            return avalanche(size + Long.reverseBytes(low) + high + fold(low, high));
        } else if (size > 3) {
            seed ^= (long) Integer.reverseBytes((int) seed) << 32;
            long x = u32(data, size - 4) + (u32(data, 0) << 32) ^ (u64(SECRET, 8) ^ u64(SECRET, 16)) - seed;
            x = (x ^ Long.rotateLeft(x, 49) ^ Long.rotateLeft(x, 24)) * 0x9FB21C651E98DF25L;
            x = (x ^ (x >>> 35) + size) * 0x9FB21C651E98DF25L;
            return x ^ x >>> 28;
        } else if (size > 0) {
            int x = (data[0] & 255) << 16 | data[size / 2] << 24 | data[size - 1] & 255 | size << 8;
            return avalanche64(Integer.toUnsignedLong(x) ^ (u32(SECRET, 0) ^ u32(SECRET, 4)) + seed);
        }
        return avalanche64(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64));
    }

    private static long xxh3Long(byte[] data, long seed) {
        byte[] secret = new byte[192];
        for (int i = 0; i < 192; i += 16) {
            little(secret).putLong(i, u64(SECRET, i) + seed).putLong(i + 8, u64(SECRET, i + 8) - seed);
        }
        long[] lanes = {P32C, P64A, P64B, P64C, P64D, P32B, P64E, P32A};
        // A block is 16 stripes of 64 bytes; the last stripe ends with the data and is taken once more.
        for (int number = 0; number < (data.length - 1) / 64; number++) {
            stripe(lanes, data, 64 * number, secret, 8 * (number % 16));
            for (int i = 0; number % 16 == 15 && i < 8; i++) {
                lanes[i] = (lanes[i] ^ lanes[i] >>> 47 ^ u64(secret, 128 + 8 * i)) * P32A;
            }
        }
        stripe(lanes, data, data.length - 64, secret, 192 - 64 - 7);
        long total = data.length * P64A;
        for (int i = 0; i < 8; i += 2) {
            total += fold(lanes[i] ^ u64(secret, 11 + 8 * i), lanes[i + 1] ^ u64(secret, 19 + 8 * i));
        }
        return avalanche(total);
    }

    private static void stripe(long[] lanes, byte[] data, int at, byte[] secret, int secretAt) {
        for (int i = 0; i < 8; i++) {
            long value = u64(data, at + 8 * i), key = value ^ u64(secret, secretAt + 8 * i);
            lanes[i ^ 1] += value;
            lanes[i] += (key & 0xFFFFFFFFL) * (key >>> 32);
        }
    }

    /** SipHash-1-3; the domain is xored into the key's second word. */
    static long siphash(byte[] key, byte[] data, long domain) {
        long k0 = u64(key, 0), k1 = u64(key, 8) ^ domain;
        long a = k0 ^ 0x736F6D6570736575L, b = k1 ^ 0x646F72616E646F6DL;
        long c = k0 ^ 0x6C7967656E657261L, d = k1 ^ 0x7465646279746573L;
        byte[] padded = java.util.Arrays.copyOf(data, data.length / 8 * 8 + 8 + 24);
        int words = data.length / 8 + 1;
        padded[8 * words - 1] = (byte) data.length;
        for (int at = 0; at < words + 3; at++) {
            long value = u64(padded, 8 * at);
            c ^= at == words ? 0xFF : 0;
            d ^= value;
            a += b;
            b = Long.rotateLeft(b, 13) ^ a;
            a = Long.rotateLeft(a, 32);
            c += d;
            d = Long.rotateLeft(d, 16) ^ c;
            a += d;
            d = Long.rotateLeft(d, 21) ^ a;
            c += b;
            b = Long.rotateLeft(b, 17) ^ c;
            c = Long.rotateLeft(c, 32);
            a ^= value;
        }
        return a ^ b ^ c ^ d;
    }

    private static long mix(long x) {
        x = (x ^ x >>> 30) * 0xBF58476D1CE4E5B9L;
        x = (x ^ x >>> 27) * 0x94D049BB133111EBL;
        return x ^ x >>> 31;
    }

    static long again(long x, long salt) {
        return mix(x + (salt + 1) * GOLDEN);
    }

    /** An integer is hashed as its 16 bytes, whatever its value. */
    static byte[] integer128(BigInteger x) {
        byte[] data = new byte[16];
        little(data).putLong(0, x.longValue()).putLong(8, x.shiftRight(64).longValue());
        return data;
    }

    /** The hash of bytes, of an integer (a Long) or of a tuple (a List); the secret is null for an open seed. */
    static long keyHash(Object key, long seed, byte[] secret) {
        if (key instanceof byte[] data) {
            return secret == null ? xxh3(data, seed) : siphash(secret, data, 0);
        } else if (key instanceof Long x && secret == null) {
            return fold(fold(x ^ 0x243F6A8885A308D3L ^ mix(seed), GOLDEN), 0xA4093822299F31D1L);
        } else if (key instanceof Long x) {
            return siphash(secret, word(x), 1);
        }
        return secret == null ? xxh3(frame(key), seed) : siphash(secret, frame(key), 2);
    }

    private static byte[] frame(Object key) {
        var out = new ByteArrayOutputStream();
        if (key instanceof byte[] data) {
            out.write(0);
            out.writeBytes(word(data.length));
            out.writeBytes(data);
        } else if (key instanceof Long x) {
            out.write(1);
            out.writeBytes(word(x));
        } else {
            out.write(2);
            out.write(((List<?>) key).size());
            ((List<?>) key).forEach(part -> out.writeBytes(frame(part)));
        }
        return out.toByteArray();
    }
}
