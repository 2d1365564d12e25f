//! Hashes of keys, and the first bytes of a file: version 1 of the format. `golden.rs` has whole files.

use crate::support;
use crate::support::{bytes_of, empty};
use anther::{Key, KeyHash, Kind, Seed, SeedKind};
use twox_hash::XxHash3_64;

const PRIME32: u32 = 0x9E37_79B1;
const PRIME64: u64 = 0x9E37_79B1_85EB_CA8D;

/// The buffer of xxHash's own sanity check.
fn sanity_buffer(len: usize) -> Vec<u8> {
    let mut state = u64::from(PRIME32);
    let next = || {
        let byte = (state >> 56) as u8;
        state = state.wrapping_mul(PRIME64);
        byte
    };
    std::iter::repeat_with(next).take(len).collect()
}

/// XXH3-64 of the first bytes of the sanity buffer, as xxHash publishes it, with seeds 0 and
/// PRIME64. The lengths go through every branch of the function: 0, 1–3, 4–8, 9–16, 17–128,
/// 129–240, more, whole stripes, whole blocks.
#[test]
fn bytes_hash_as_xxh3_does() {
    for (len, fixed, chosen) in [
        (0, 0x2D06_8005_38D3_94C2, 0xA8A6_B918_B2F0_364A),
        (1, 0xC44B_DFF4_074E_ECDB, 0x032B_E332_DD76_6EF8),
        (6, 0x27B5_6A84_CD2D_7325, 0x8458_9C11_6AB5_9AB9),
        (12, 0xA713_DAF0_DFBB_77E7, 0xE730_3E1B_2336_DE0E),
        (24, 0xA3FE_70BF_9D35_10EB, 0x850E_80FC_35BD_D690),
        (48, 0x397D_A259_ECBA_1F11, 0xADC2_CBAA_44AC_C616),
        (80, 0xBCDE_FBBB_2C47_C90A, 0xC6DD_0CB6_9953_2E73),
        (195, 0xCD94_217E_E362_EC3A, 0xBA68_003D_370C_B3D9),
        (403, 0xCDEB_804D_65C6_DEA4, 0x6259_F6EC_FD64_43FD),
        (512, 0x617E_4959_9013_CB6B, 0x3CE4_57DE_14C2_7708),
        (2048, 0xDD59_E2C3_A5F0_38E0, 0x66F8_1670_669A_BABC),
        (2240, 0x6E73_A905_39CF_2948, 0x757B_A848_7D1B_5247),
        (2367, 0xCB37_AEB9_E5D3_61ED, 0xD2DB_3415_B942_B42A),
    ] {
        let bytes = sanity_buffer(len);
        assert_eq!(bytes.key_hash(&Seed::FIXED), KeyHash(fixed), "{len} bytes");
        assert_eq!(bytes.key_hash(&Seed::chosen(PRIME64)), KeyHash(chosen), "{len} bytes, seeded");
    }
}

/// SipHash-1-3 by its paper, independent of the crate that the library uses.
fn siphash_1_3(key: [u8; 16], bytes: &[u8]) -> u64 {
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let (k0, k1) = (word(&key[..8]), word(&key[8..]));
    let mut v = [
        k0 ^ 0x736F_6D65_7073_6575,
        k1 ^ 0x646F_7261_6E64_6F6D,
        k0 ^ 0x6C79_6765_6E65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ];
    let round = |v: &mut [u64; 4]| {
        v[0] = v[0].wrapping_add(v[1]);
        v[1] = v[1].rotate_left(13) ^ v[0];
        v[0] = v[0].rotate_left(32);
        v[2] = v[2].wrapping_add(v[3]);
        v[3] = v[3].rotate_left(16) ^ v[2];
        v[0] = v[0].wrapping_add(v[3]);
        v[3] = v[3].rotate_left(21) ^ v[0];
        v[2] = v[2].wrapping_add(v[1]);
        v[1] = v[1].rotate_left(17) ^ v[2];
        v[2] = v[2].rotate_left(32);
    };
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len() / 8 * 8 + 7, 0);
    padded.push(bytes.len() as u8);
    for message in padded.chunks(8).map(word) {
        v[3] ^= message;
        round(&mut v);
        v[0] ^= message;
    }
    v[2] ^= 0xFF;
    for _ in 0..3 {
        round(&mut v);
    }
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

/// The key for integers (1) and tuples (2): its second word is xored.
fn apart(mut key: [u8; 16], domain: u8) -> [u8; 16] {
    key[8] ^= domain;
    key
}

#[test]
fn keyed_bytes_hash_as_siphash_does() {
    let key: [u8; 16] = std::array::from_fn(|at| at as u8);
    let bytes: Vec<u8> = (0..=255).cycle().take(300).collect();
    // The first of the published vectors for one and three rounds.
    assert_eq!(siphash_1_3(key, &[]), 0xABAC_0158_050F_C4DC);
    for key in [key, [0; 16], [0xFF; 16], *b"0123456789abcdef"] {
        let seed = Seed::keyed(key);
        for len in 0..bytes.len() {
            let expected = siphash_1_3(key, &bytes[..len]);
            assert_eq!(bytes[..len].key_hash(&seed), KeyHash(expected), "{len} bytes");
        }
        for x in [0u64, 1, 5, u64::MAX, 0x0123_4567_89AB_CDEF] {
            let expected = siphash_1_3(apart(key, 1), &x.to_le_bytes());
            assert_eq!(x.key_hash(&seed), KeyHash(expected), "{x}");
        }
        let text = b"anther key check: tells a wrong key from the right one";
        assert_eq!(seed.kind(), SeedKind::Keyed { check: siphash_1_3(key, text) });
    }
}

/// The formula of FORMAT.md, reimplemented.
fn integer_hash(x: u64, seed: u64) -> u64 {
    let fold = |x: u64, factor: u64| {
        let product = u128::from(x) * u128::from(factor);
        product as u64 ^ (product >> 64) as u64
    };
    let mask = 0x243F_6A88_85A3_08D3 ^ support::mix(seed);
    fold(fold(x ^ mask, 0x9E37_79B9_7F4A_7C15), 0xA409_3822_299F_31D1)
}

#[test]
fn integers_hash_by_two_folded_products() {
    for (x, fixed, chosen) in [
        (0u64, 0x705D_54D3_8F7A_0DB3, 0x6401_A9C5_9091_D3C2),
        (1, 0x7662_347C_5557_785C, 0x451F_1B65_F1B9_DE37),
        (2, 0x2847_FF06_EBD9_EB09, 0x14CE_72A7_9A59_8397),
        (5, 0x6E1A_E0F3_A319_2B6E, 0x8740_0E1A_14F9_1C09),
        (1 << 32, 0x3CC1_7DF2_E325_8363, 0x84D0_302D_BEE0_EAC5),
        (0x243F_6A88_85A3_08D3, 0x0000_0000_0000_0000, 0xEC57_A74D_D1FA_2137),
        (u64::MAX, 0x052E_54A4_C80C_C14C, 0x3FCC_1990_37E7_E622),
    ] {
        let got = (x.key_hash(&Seed::FIXED), x.key_hash(&Seed::chosen(7)));
        assert_eq!(got, (KeyHash(fixed), KeyHash(chosen)), "{x}: {got:#018x?}");
    }
    let mut random = support::Random::new(200);
    for _ in 0..10_000 {
        let (x, seed) = (random.draw(), random.draw());
        assert_eq!(x.key_hash(&Seed::chosen(seed)), KeyHash(integer_hash(x, seed)), "{x} {seed}");
    }
}

/// Every type of key under every type of seed, by what it is equivalent to.
#[test]
fn keys_hash_as_their_bytes_or_words() {
    for seed in [Seed::FIXED, Seed::chosen(7), Seed::keyed([9; 16])] {
        let word = |x: u64| seed.hash_integer(x);
        for same in
            [5u8.key_hash(&seed), 5u16.key_hash(&seed), 5u32.key_hash(&seed), 5u64.key_hash(&seed)]
        {
            assert_eq!(same, word(5));
        }
        for same in
            [5i8.key_hash(&seed), 5i16.key_hash(&seed), 5i32.key_hash(&seed), 5i64.key_hash(&seed)]
        {
            assert_eq!(same, word(5));
        }
        assert_eq!((5usize.key_hash(&seed), 5isize.key_hash(&seed)), (word(5), word(5)));
        for same in [(-2i8).key_hash(&seed), (-2i16).key_hash(&seed), (-2i32).key_hash(&seed)] {
            assert_eq!(same, word(u64::MAX - 1));
        }
        assert_eq!((-2isize).key_hash(&seed), word(u64::MAX - 1));

        let bytes = |bytes: &[u8]| seed.hash_bytes(bytes);
        assert_eq!("é".key_hash(&seed), bytes(b"\xC3\xA9"));
        assert_eq!("é".to_string().key_hash(&seed), bytes(b"\xC3\xA9"));
        assert_eq!(b"\xC3\xA9".key_hash(&seed), bytes(b"\xC3\xA9"));
        assert_eq!(vec![0xC3u8, 0xA9].key_hash(&seed), bytes(b"\xC3\xA9"));
        assert_eq!((&&"é").key_hash(&seed), bytes(b"\xC3\xA9"));
        let sixteen = bytes(b"\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
        assert_eq!((5u128.key_hash(&seed), 5i128.key_hash(&seed)), (sixteen, sixteen));
        assert_eq!((-1i128).key_hash(&seed), bytes(&[0xFF; 16]));

        // A tuple: 2, its length, and its parts; 0, length and bytes; 1 and a word.
        let tuple = |frame: &[u8]| match seed.kind() {
            SeedKind::Keyed { .. } => KeyHash(siphash_1_3(apart([9; 16], 2), frame)),
            _ => bytes(frame),
        };
        let pair = b"\x02\x02\x00\x03\0\0\0\0\0\0\0abc\x01\x05\0\0\0\0\0\0\0";
        assert_eq!(("abc", 5u8).key_hash(&seed), tuple(pair));
        let nested = [&b"\x02\x03\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"[..], pair].concat();
        let nested = [&nested[..], b"\x00\0\0\0\0\0\0\0\0"].concat();
        assert_eq!((-1i64, ("abc", 5i64), b"").key_hash(&seed), tuple(&nested));
        let four = b"\x02\x04\x01\x01\0\0\0\0\0\0\0\x01\x02\0\0\0\0\0\0\0\x01\x03\0\0\0\0\0\0\0\
            \x01\x04\0\0\0\0\0\0\0";
        assert_eq!((1u8, 2u16, 3u32, 4u64).key_hash(&seed), tuple(four));
    }
}

/// The offsets of FORMAT.md, for programs that read the files without this library.
#[test]
fn headers_begin_as_the_format_says() {
    for &kind in Kind::ALL {
        let bytes = bytes_of(&empty(kind, 100, 0.01, Seed::chosen(0x0102_0304_0506_0708)));
        assert_eq!(&bytes[..8], b"\x89ANT\r\n\x1A\n");
        assert_eq!((&bytes[8..10], &bytes[10..12]), (&[1, 0][..], &kind.tag().to_le_bytes()[..]));
        assert_eq!(&bytes[16..18], [0, 0]);
        assert_eq!(&bytes[24..32], [8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(&bytes[32..42], b"\x08inserted\x01");
        let header = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let sum = XxHash3_64::oneshot(&bytes[..header - 8]);
        assert_eq!(bytes[header - 8..header], sum.to_le_bytes());
    }
}
