//! Pinned bytes: hashes, and whole filters of some thousands of keys as one number each. They
//! belong to version 1 of the format, so they never change; a new kind adds its lines, copied from
//! the messages. Whole files, to be read again, are in `frozen.rs`.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "tests: small numbers, and a panic is the message"
)]

use anther::iblt::{Encoder, Integers, Strata, Strings};
use anther::{
    AnyFilter, ExactSet, Iblt, Key, KeyHash, Kind, Method, Options, Queries, Quotient, Range, Seed,
    SeedKind, Target, Weighted,
};
use support::{bytes_of, empty, filled, put};
use twox_hash::XxHash3_64;

#[allow(clippy::allow_attributes, dead_code, reason = "each test program uses a part of it")]
mod support;

// ---------------------------------------------------------------------------------------------
// Hashes
// ---------------------------------------------------------------------------------------------

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

// ---------------------------------------------------------------------------------------------
// Filters
// ---------------------------------------------------------------------------------------------

/// A filter as one number, and its first false positives: any change of a hash, a probe, a size or
/// a byte shows in one of them. A new kind adds its line. Kinds that forget have far lower rates
/// before they are full; where there is no false positive up to two million, the entry is 0.
#[test]
fn whole_filters_are_pinned() {
    let pins: &[(&str, f64, u64, [u64; 5])] = &[
        ("classic", 0.01, 0x33B9_B7DB_734D_3209, [10099, 10188, 10210, 10222, 10271]),
        ("classic", 1e-4, 0xA22A_03D0_8154_C9A5, [21626, 25831, 30024, 38977, 43134]),
        ("blocked", 0.01, 0xCA22_B33F_74CF_BCD5, [10081, 10235, 10266, 10312, 10535]),
        ("blocked", 1e-4, 0x1E7F_AB3F_0066_B5F8, [13924, 20074, 20090, 21218, 32196]),
        ("split", 0.01, 0xCF0E_D8C1_F474_22AA, [10128, 10141, 10250, 10409, 10434]),
        ("split", 1e-4, 0xE3E7_9980_8C0D_630F, [17403, 17438, 21396, 38341, 45958]),
        ("counting", 0.01, 0xF3F9_537F_E0BB_6C68, [10099, 10188, 10210, 10222, 10271]),
        ("counting", 1e-4, 0x3E2A_A264_A3F0_6E9A, [21626, 25831, 30024, 38977, 43134]),
        ("deletable", 0.01, 0x4236_0622_274A_1FDE, [10180, 10262, 10273, 10377, 10415]),
        ("deletable", 1e-4, 0x78A5_0D07_7D82_009C, [36469, 47393, 57189, 64792, 79519]),
        ("weighted", 0.01, 0x3835_2747_D0F4_8408, [10099, 10188, 10210, 10222, 10271]),
        ("weighted", 1e-4, 0x6209_96F9_CF3E_18B9, [21626, 25831, 30024, 38977, 43134]),
        ("spectral", 0.01, 0x2D65_C675_8C06_F562, [10099, 10188, 10210, 10222, 10271]),
        ("spectral", 1e-4, 0x020D_6E9F_7049_27A8, [21626, 25831, 30024, 38977, 43134]),
        ("scalable", 0.01, 0x20ED_7F02_9DFC_7028, [10198, 11438, 12713, 12794, 13937]),
        ("scalable", 1e-4, 0x4E2B_D164_2AC9_9D93, [41649, 160_429, 214_844, 264_419, 423_325]),
        ("aging", 0.01, 0x90AA_FE5E_002B_088C, [10527, 10574, 10847, 11041, 11082]),
        ("aging", 1e-4, 0x75FA_4196_A567_88B6, [38704, 46055, 46336, 80492, 88189]),
        ("stable", 0.01, 0xB40F_DCA3_696A_FF26, [13072, 13888, 15756, 16058, 17689]),
        ("stable", 1e-4, 0xBC45_3C16_09D4_2581, [1_636_317, 0, 0, 0, 0]),
        ("dleft", 0.01, 0x16A6_70E6_4238_148C, [10021, 10234, 10271, 10714, 10718]),
        ("dleft", 1e-4, 0xBD0B_8855_1CCC_DFCA, [43469, 57203, 57725, 60894, 67084]),
        ("variable-increment", 0.01, 0x2FCE_D328_71EE_FB62, [10112, 10200, 10236, 10326, 10344]),
        ("variable-increment", 1e-4, 0xC100_2FB8_006B_87A5, [12234, 25804, 34383, 39816, 50876]),
        ("compressed", 0.01, 0x7FB7_C2C2_B10F_DA83, [10090, 10101, 10159, 10210, 10263]),
        ("compressed", 1e-4, 0x4E53_0DBE_5C04_2EE1, [52808, 69465, 87031, 104036, 113741]),
        ("generalized", 0.01, 0xE4AF_4D9B_338A_2867, [0; 5]),
        ("generalized", 1e-4, 0xC4F1_CAFF_11E7_50A8, [0; 5]),
        ("robust", 0.01, 0xBF9D_F236_E335_7864, [10170, 10171, 10198, 10388, 10429]),
        ("robust", 1e-4, 0xDE60_C78D_637F_95B8, [15317, 23647, 33278, 44825, 61121]),
        ("floom", 0.01, 0xEA22_F3C8_2E36_508B, [10155, 10210, 10222, 10335, 10337]),
        ("floom", 1e-4, 0x8088_E04C_A87F_1EFE, [11122, 13312, 16390, 28987, 47893]),
        ("cuckoo", 0.01, 0xC56B_BDB2_9E60_EB4C, [10206, 10249, 10376, 10656, 10670]),
        ("cuckoo", 1e-4, 0xADE6_F487_E7D0_CBD6, [14451, 38085, 46425, 61313, 62345]),
        ("fuse", 0.01, 0x5C9D_CCD4_222D_7901, [10156, 10252, 10300, 10349, 10440]),
        ("fuse", 1e-4, 0x4B14_F0B1_A46B_E5D2, [10551, 81367, 110_974, 131_981, 176_190]),
        ("ribbon", 0.01, 0x6ACD_4237_2F5E_B455, [10262, 10445, 10533, 10750, 10896]),
        ("ribbon", 1e-4, 0x2879_F54E_A930_5F5B, [21856, 32031, 34631, 38984, 59080]),
        ("cascade", 0.01, 0xC1E8_36F2_5E44_2B74, [10262, 10445, 10510, 10896, 11028]),
        ("cascade", 1e-4, 0x2AC6_B4C3_B308_15DE, [12685, 34625, 45929, 49874, 77411]),
        ("bloomier", 0.01, 0xA840_5B15_42B4_5D6D, [10156, 10252, 10300, 10349, 10440]),
        ("bloomier", 1e-4, 0x935D_7859_3D2D_A447, [10551, 81367, 110_974, 131_981, 176_190]),
        ("quotient", 0.01, 0x4863_0096_49EF_FEC8, [10021, 10263, 10418, 10655, 10714]),
        ("quotient", 1e-4, 0xE130_8D1C_D5FA_8311, [26365, 41004, 57203, 57394, 57725]),
    ];
    let mut wrong = String::new();
    for &kind in Kind::ALL {
        for fpr in [0.01, 1e-4] {
            let keys: Vec<_> = (0..10_000u64).map(|key| key.key_hash(&Seed::FIXED)).collect();
            let filter = filled(kind, 10_000, fpr, Seed::FIXED, &keys);
            let whole = XxHash3_64::oneshot(&bytes_of(&filter));
            let mut absent = (10_000..2_000_000u64).filter(|key| filter.contains(*key).unwrap());
            let first: [u64; 5] = std::array::from_fn(|_| absent.next().unwrap_or(0));
            let pinned = pins.iter().find(|pin| (pin.0, pin.1) == (kind.name(), fpr));
            if pinned.is_none_or(|pin| (pin.2, pin.3) != (whole, first)) {
                wrong += &format!("(\"{kind}\", {fpr:?}, {whole:#018X}, {first:?}),\n");
            }
        }
    }
    assert!(wrong.is_empty(), "not as pinned:\n{wrong}");
}

/// Filters with options and tables, which the pins above do not cover.
#[test]
fn filters_with_options_are_pinned() {
    let target = Target::new(1000, 0.01).unwrap();
    let mut filters: Vec<(&str, AnyFilter, u64)> = Vec::new();
    for (name, method, pin) in [
        ("increase", Method::Increase, 0xA544_DE1B_EF68_EF1A),
        ("recurring", Method::Recurring, 0x3EB3_E148_3DFF_6DE3),
    ] {
        let options = Options::new().method(method);
        let filter = AnyFilter::with_options(Kind::Spectral, target, &options, Seed::FIXED);
        filters.push((name, filter.unwrap(), pin));
    }
    let asked = (0..50u64).map(|key| (key.key_hash(&Seed::FIXED), 1000 / (key + 1)));
    let queries = Queries::counted(asked).unwrap().hot(30);
    let weighted = Weighted::for_queries(target, &queries, Seed::FIXED).unwrap();
    filters.push(("with a table", weighted.into(), 0x33C3_D4CB_585F_9F55));
    let exact = Quotient::from(ExactSet::new(1000).unwrap());
    filters.push(("exact, doubled", exact.into(), 0x260A_1782_2383_0414));
    let mut wrong = String::new();
    for (name, mut filter, pin) in filters {
        let keys: Vec<_> = (0..3000u64).map(|key| (key % 1000).key_hash(&Seed::FIXED)).collect();
        put(&mut filter, &keys);
        let whole = XxHash3_64::oneshot(&bytes_of(&filter));
        if whole != pin {
            wrong += &format!("{} {name}: {whole:#018X}\n", filter.kind());
        }
    }
    assert!(wrong.is_empty(), "not as pinned:\n{wrong}");
}

/// A filter that has grown: the size of each layer, and when it was added.
#[test]
fn grown_filters_are_pinned() {
    let pins = [
        (Kind::Classic, 0x1E04_7FAA_BE5A_3C7A),
        (Kind::Blocked, 0x2CD4_BCE6_1299_2A5D),
        (Kind::Counting, 0xA8E4_76A0_9D60_0FFF),
    ];
    let keys: Vec<_> = (0..10_000u64).map(|key| key.key_hash(&Seed::FIXED)).collect();
    let whole = |over| {
        let (target, options) = (Target::new(100, 0.01).unwrap(), Options::new().over(over));
        let filter = AnyFilter::with_options(Kind::Scalable, target, &options, Seed::FIXED);
        let mut filter = filter.unwrap();
        put(&mut filter, &keys);
        XxHash3_64::oneshot(&bytes_of(&filter))
    };
    let got = pins.map(|(over, _)| (over, whole(over)));
    assert_eq!(got, pins, "not as pinned: {got:#018X?}");
}

/// Not filters: the three forms of an iblt, and the beginning of a stream.
#[test]
fn iblts_are_pinned() {
    let seed = Seed::chosen(7);
    let texts: Vec<String> = (0..40).map(|i| format!("https://example.org/{i}")).collect();
    let mut wrong = String::new();
    let mut pin = |name: &str, pin: u64, bytes: &[u8]| {
        let whole = XxHash3_64::oneshot(bytes);
        if whole != pin {
            wrong += &format!("{name}: {whole:#018X}\n");
        }
    };
    let mut bytes = Vec::new();
    let mut table = Iblt::with_seed(Integers, 100, seed).unwrap();
    table.insert_all(0..1000).unwrap();
    table.write_to(&mut bytes).unwrap();
    pin("integers", 0xDDA2_65C0_DCB9_360A, &bytes);
    bytes.clear();
    let mut table = Iblt::with_seed(Strings::up_to(30).unwrap(), 20, seed).unwrap();
    table.insert_all(texts.iter().map(|text| text.as_bytes())).unwrap();
    table.write_to(&mut bytes).unwrap();
    pin("strings", 0xBC08_30B1_AACB_5A2C, &bytes);
    bytes.clear();
    let mut strata = Strata::new(seed).unwrap();
    (0..1000u64).for_each(|key| strata.insert(key));
    strata.write_to(&mut bytes).unwrap();
    pin("strata", 0x0B24_C43B_D948_CAB2, &bytes);
    let symbols = Encoder::new(Integers, 0..1000, seed).unwrap().take(2000);
    let bytes: Vec<u8> = symbols.flat_map(|symbol| symbol.as_bytes().to_vec()).collect();
    pin("symbols", 0xDD42_9097_5BDB_2BF1, &bytes);
    assert!(wrong.is_empty(), "not as pinned:\n{wrong}");
}

/// A range filter: codes, and their Elias–Fano form.
#[test]
fn ranges_are_pinned() {
    let pins = [
        (Seed::chosen(7), 1, 0x7BFD_9D02_7176_E69B),
        (Seed::chosen(7), 1024, 0x1134_9192_16A0_DE94),
        (Seed::keyed([7; 16]), 32, 0x5B2C_C7EB_F71B_D52A),
    ];
    let whole = |seed, span| {
        let keys = (0..1000u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        XxHash3_64::oneshot(&Range::build(keys, span, 0.01, seed).unwrap().to_bytes().unwrap())
    };
    let got = pins.map(|(seed, span, _)| (seed, span, whole(seed, span)));
    assert_eq!(got, pins, "not as pinned: {got:#018X?}");
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
