//! The bytes, pinned: hashes, whole filters, and one golden file a kind. They change only together
//! with the version of the format; `ANTHER_BLESS=1 cargo test --test golden` then writes the files
//! anew, and the pins below are copied from its messages.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "tests: small numbers, and a panic is the message"
)]

use anther::format::recipe::{Column, Recipe, Which};
use anther::iblt::{Encoder, Integers, Strata, Strings};
use anther::{
    AnyFilter, Elements, Filter, Iblt, Key, KeyHash, Kind, Method, Open, Options, Queries,
    Quotient, Seed, SeedKind, Target, Weighted,
};
use std::path::{Path, PathBuf};
use std::{env, fs};
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
        assert_eq!(bytes.hash(&Seed::FIXED), KeyHash(fixed), "{len} bytes");
        assert_eq!(bytes.hash(&Seed::chosen(PRIME64)), KeyHash(chosen), "{len} bytes, seeded");
    }
}

/// SipHash-1-3 as its paper has it, apart from the crate that the library uses.
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
            assert_eq!(bytes[..len].hash(&seed), KeyHash(expected), "{len} bytes");
        }
        for x in [0u64, 1, 5, u64::MAX, 0x0123_4567_89AB_CDEF] {
            let expected = siphash_1_3(apart(key, 1), &x.to_le_bytes());
            assert_eq!(x.hash(&seed), KeyHash(expected), "{x}");
        }
        let text = b"anther key check: tells a wrong key from the right one";
        assert_eq!(seed.kind(), SeedKind::Keyed { check: siphash_1_3(key, text) });
    }
}

/// The formula of FORMAT.md, written again.
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
        let got = (x.hash(&Seed::FIXED), x.hash(&Seed::chosen(7)));
        assert_eq!(got, (KeyHash(fixed), KeyHash(chosen)), "{x}: {got:#018x?}");
    }
    let mut random = support::Random::new(200);
    for _ in 0..10_000 {
        let (x, seed) = (random.draw(), random.draw());
        assert_eq!(x.hash(&Seed::chosen(seed)), KeyHash(integer_hash(x, seed)), "{x} {seed}");
    }
}

/// Every type of key under every sort of seed, by what it is the same as.
#[test]
fn keys_hash_as_their_bytes_or_words() {
    for seed in [Seed::FIXED, Seed::chosen(7), Seed::keyed([9; 16])] {
        let word = |x: u64| seed.hash_integer(x);
        for same in [5u8.hash(&seed), 5u16.hash(&seed), 5u32.hash(&seed), 5u64.hash(&seed)] {
            assert_eq!(same, word(5));
        }
        for same in [5i8.hash(&seed), 5i16.hash(&seed), 5i32.hash(&seed), 5i64.hash(&seed)] {
            assert_eq!(same, word(5));
        }
        assert_eq!((5usize.hash(&seed), 5isize.hash(&seed)), (word(5), word(5)));
        for same in [(-2i8).hash(&seed), (-2i16).hash(&seed), (-2i32).hash(&seed)] {
            assert_eq!(same, word(u64::MAX - 1));
        }
        assert_eq!((-2isize).hash(&seed), word(u64::MAX - 1));

        let bytes = |bytes: &[u8]| seed.hash_bytes(bytes);
        assert_eq!("é".hash(&seed), bytes(b"\xC3\xA9"));
        assert_eq!("é".to_string().hash(&seed), bytes(b"\xC3\xA9"));
        assert_eq!(b"\xC3\xA9".hash(&seed), bytes(b"\xC3\xA9"));
        assert_eq!(vec![0xC3u8, 0xA9].hash(&seed), bytes(b"\xC3\xA9"));
        assert_eq!((&&"é").hash(&seed), bytes(b"\xC3\xA9"));
        let sixteen = bytes(b"\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
        assert_eq!((5u128.hash(&seed), 5i128.hash(&seed)), (sixteen, sixteen));
        assert_eq!((-1i128).hash(&seed), bytes(&[0xFF; 16]));

        // A tuple: 2, its length, and its parts; 0, length and bytes; 1 and a word.
        let tuple = |frame: &[u8]| match seed.kind() {
            SeedKind::Keyed { .. } => KeyHash(siphash_1_3(apart([9; 16], 2), frame)),
            _ => bytes(frame),
        };
        let pair = b"\x02\x02\x00\x03\0\0\0\0\0\0\0abc\x01\x05\0\0\0\0\0\0\0";
        assert_eq!(("abc", 5u8).hash(&seed), tuple(pair));
        let nested = [&b"\x02\x03\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"[..], pair].concat();
        let nested = [&nested[..], b"\x00\0\0\0\0\0\0\0\0"].concat();
        assert_eq!((-1i64, ("abc", 5i64), b"").hash(&seed), tuple(&nested));
        let four = b"\x02\x04\x01\x01\0\0\0\0\0\0\0\x01\x02\0\0\0\0\0\0\0\x01\x03\0\0\0\0\0\0\0\
            \x01\x04\0\0\0\0\0\0\0";
        assert_eq!((1u8, 2u16, 3u32, 4u64).hash(&seed), tuple(four));
    }
}

// ---------------------------------------------------------------------------------------------
// Filters
// ---------------------------------------------------------------------------------------------

/// A filter as one number, and the first keys that it is wrong about: any change of a hash, a
/// probe, a size or a byte shows in one of them. A new kind adds its line. Kinds that forget have
/// far lower rates before they are full; where there is no wrong key up to two million, 0 stands.
#[test]
fn whole_filters_are_pinned() {
    let pins: &[(&str, f64, u64, [u64; 5])] = &[
        ("classic", 0.01, 0xF6B7_3BF1_ACD7_E004, [10099, 10188, 10210, 10222, 10271]),
        ("classic", 1e-4, 0x2675_3199_CB59_47E5, [21626, 25831, 30024, 38977, 43134]),
        ("blocked", 0.01, 0x7457_086F_9050_7A68, [10081, 10235, 10266, 10312, 10535]),
        ("blocked", 1e-4, 0x24E6_9148_7487_0EF2, [13924, 20074, 20090, 21218, 32196]),
        ("split", 0.01, 0x8592_A2CA_0745_31FB, [10128, 10141, 10250, 10409, 10434]),
        ("split", 1e-4, 0x47B6_99BA_A4FF_9C6D, [17403, 17438, 21396, 38341, 45958]),
        ("counting", 0.01, 0x9F96_DB03_DFB9_3A93, [10099, 10188, 10210, 10222, 10271]),
        ("counting", 1e-4, 0x3CC7_243B_E30D_081A, [21626, 25831, 30024, 38977, 43134]),
        ("deletable", 0.01, 0x0163_63F8_10D5_A13C, [10180, 10262, 10273, 10377, 10415]),
        ("deletable", 1e-4, 0x4322_BDA0_C46B_0003, [36469, 47393, 57189, 64792, 79519]),
        ("weighted", 0.01, 0x71F1_9A00_8658_876E, [10099, 10188, 10210, 10222, 10271]),
        ("weighted", 1e-4, 0x0153_2216_1C60_CF61, [21626, 25831, 30024, 38977, 43134]),
        ("spectral", 0.01, 0x3B83_764B_BF28_74FE, [10099, 10188, 10210, 10222, 10271]),
        ("spectral", 1e-4, 0x6270_5F39_8A53_69C5, [21626, 25831, 30024, 38977, 43134]),
        ("scalable", 0.01, 0xB450_F2AC_0590_FED7, [10198, 11438, 12713, 12794, 13937]),
        ("scalable", 1e-4, 0x28B3_F0FF_C32A_B99E, [41649, 160_429, 214_844, 264_419, 423_325]),
        ("stable", 0.01, 0xD996_43CC_EDBC_CD70, [13072, 13888, 15756, 16058, 17689]),
        ("stable", 1e-4, 0xE8CF_2DC7_6154_D90D, [1_636_317, 0, 0, 0, 0]),
        ("dleft", 0.01, 0x41C4_7B44_99C8_5E3C, [10021, 10234, 10271, 10714, 10718]),
        ("dleft", 1e-4, 0xC6A6_EF2C_27B0_DF67, [43469, 57203, 57725, 60894, 67084]),
        ("variable-increment", 0.01, 0x4FB5_0A48_ECA1_17E2, [10112, 10200, 10236, 10326, 10344]),
        ("variable-increment", 1e-4, 0x064D_037F_8B21_25C0, [12234, 25804, 34383, 39816, 50876]),
        ("compressed", 0.01, 0x34C7_5E77_B5CA_57B7, [10090, 10101, 10159, 10210, 10263]),
        ("compressed", 1e-4, 0x4AC5_BADB_0732_210F, [52808, 69465, 87031, 104036, 113741]),
        ("generalized", 0.01, 0x1C2D_6232_6CE8_5DBF, [0; 5]),
        ("generalized", 1e-4, 0x6CC1_53BB_3BD5_3510, [0; 5]),
        ("robust", 0.01, 0x5C65_8408_0E77_346D, [10170, 10171, 10198, 10388, 10429]),
        ("robust", 1e-4, 0x4135_5E53_9B91_05E3, [15317, 23647, 33278, 44825, 61121]),
        ("floom", 0.01, 0x30A6_1659_32BB_0210, [10155, 10210, 10222, 10335, 10337]),
        ("floom", 1e-4, 0x04C2_7B36_170A_054B, [11122, 13312, 16390, 28987, 47893]),
        ("cuckoo", 0.01, 0xB91D_E7BB_7EBE_4942, [10206, 10249, 10376, 10656, 10670]),
        ("cuckoo", 1e-4, 0xE2D3_06A1_F15E_4E8B, [14451, 38085, 46425, 61313, 62345]),
        ("fuse", 0.01, 0x6BB2_CEBA_ED53_751A, [10156, 10252, 10300, 10349, 10440]),
        ("fuse", 1e-4, 0x4491_0D91_B9FA_1FD7, [10551, 81367, 110_974, 131_981, 176_190]),
        ("ribbon", 0.01, 0xD28F_8135_E3CD_57D0, [10262, 10445, 10533, 10750, 10896]),
        ("ribbon", 1e-4, 0x0B48_D078_D0E3_D542, [21856, 32031, 34631, 38984, 59080]),
        ("bloomier", 0.01, 0x8C18_8503_081A_81C1, [10156, 10252, 10300, 10349, 10440]),
        ("bloomier", 1e-4, 0x7E91_34F6_A412_EBCB, [10551, 81367, 110_974, 131_981, 176_190]),
        ("quotient", 0.01, 0x774E_FC9B_7956_8422, [10021, 10263, 10418, 10655, 10714]),
        ("quotient", 1e-4, 0x2C37_FA00_1592_7CD1, [26365, 41004, 57203, 57394, 57725]),
    ];
    let mut wrong = String::new();
    for &kind in Kind::ALL {
        for fpr in [0.01, 1e-4] {
            let keys: Vec<_> = (0..10_000u64).map(|key| key.hash(&Seed::FIXED)).collect();
            let filter = filled(kind, 10_000, fpr, Seed::FIXED, &keys);
            let whole = XxHash3_64::oneshot(&bytes_of(&filter));
            let mut absent = (10_000..2_000_000u64).filter(|key| filter.contains(*key));
            let first: [u64; 5] = std::array::from_fn(|_| absent.next().unwrap_or(0));
            let pinned = pins.iter().find(|pin| (pin.0, pin.1) == (kind.name(), fpr));
            if pinned.is_none_or(|pin| (pin.2, pin.3) != (whole, first)) {
                wrong += &format!("(\"{kind}\", {fpr:?}, {whole:#018X}, {first:?}),\n");
            }
        }
    }
    assert!(wrong.is_empty(), "not as pinned:\n{wrong}");
}

/// What options and tables make of a kind, which the pins above do not show.
#[test]
fn filters_with_options_are_pinned() {
    let target = Target::new(1000, 0.01).unwrap();
    let mut filters: Vec<(&str, AnyFilter, u64)> = Vec::new();
    for (name, method, pin) in [
        ("increase", Method::Increase, 0x6FC3_212E_0886_FB8F),
        ("recurring", Method::Recurring, 0x7167_8C3D_F3D2_3DE4),
    ] {
        let options = Options::new().method(method);
        let filter = AnyFilter::with_options(Kind::Spectral, target, &options, Seed::FIXED);
        filters.push((name, filter.unwrap(), pin));
    }
    let asked = (0..50u64).map(|key| (key.hash(&Seed::FIXED), 1000 / (key + 1)));
    let queries = Queries::counted(asked).unwrap().hot(30);
    let weighted = Weighted::for_queries(target, &queries, Seed::FIXED).unwrap();
    filters.push(("with a table", weighted.into(), 0x8414_C0F7_F90C_A377));
    let exact = Quotient::from(Elements::new(1000).unwrap());
    filters.push(("exact, doubled", exact.into(), 0x12DD_6B08_3F15_7AD7));
    let mut wrong = String::new();
    for (name, mut filter, pin) in filters {
        let keys: Vec<_> = (0..3000u64).map(|key| (key % 1000).hash(&Seed::FIXED)).collect();
        put(&mut filter, &keys);
        let whole = XxHash3_64::oneshot(&bytes_of(&filter));
        if whole != pin {
            wrong += &format!("{} {name}: {whole:#018X}\n", filter.kind());
        }
    }
    assert!(wrong.is_empty(), "not as pinned:\n{wrong}");
}

/// A filter that has grown: how large each layer is, and when it came.
#[test]
fn grown_filters_are_pinned() {
    let pins = [
        (Kind::Classic, 0xFAA8_93A5_832E_A762),
        (Kind::Blocked, 0x3690_0F2C_DEFB_9942),
        (Kind::Counting, 0x512A_2A73_0BE7_EA71),
    ];
    let keys: Vec<_> = (0..10_000u64).map(|key| key.hash(&Seed::FIXED)).collect();
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

/// What is no filter: the three forms of an iblt, and the beginning of a stream.
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
    pin("integers", 0x7B0B_DD8C_A128_9994, &bytes);
    bytes.clear();
    let mut table = Iblt::with_seed(Strings::up_to(30).unwrap(), 20, seed).unwrap();
    table.insert_all(texts.iter().map(|text| text.as_bytes())).unwrap();
    table.write_to(&mut bytes).unwrap();
    pin("strings", 0x8C8E_1901_9CE9_5E11, &bytes);
    bytes.clear();
    let mut strata = Strata::new(seed).unwrap();
    (0..1000u64).for_each(|key| strata.insert(key));
    strata.write_to(&mut bytes).unwrap();
    pin("strata", 0x4382_1AE9_161D_73B4, &bytes);
    let symbols = Encoder::new(Integers, 0..1000, seed).unwrap().take(2000);
    let bytes: Vec<u8> = symbols.flat_map(|symbol| symbol.as_bytes().to_vec()).collect();
    pin("symbols", 0xDD42_9097_5BDB_2BF1, &bytes);
    assert!(wrong.is_empty(), "not as pinned:\n{wrong}");
}

fn golden_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("golden")
}

/// What the golden files hold: integers, text and pairs, taken by a recipe.
fn golden_filter(kind: Kind) -> (AnyFilter, Vec<KeyHash>) {
    let seed = Seed::chosen(0x0061_6E74_6865_7200);
    let mut keys: Vec<_> = (0..40u64).map(|i| (i * i).hash(&seed)).collect();
    keys.extend((0..40).map(|i| format!("https://example.org/{i}").hash(&seed)));
    keys.extend((0..20u8).map(|i| ("pair", i).hash(&seed)));
    let mut filter = filled(kind, 100, 0.01, seed, &keys);
    let column = Column { which: Which::Name("url".to_string()), delimiter: b'\t' };
    filter.set_recipe(Some(Recipe { column: Some(column), trim: true, ..Recipe::default() }));
    (filter, keys)
}

#[test]
fn files_are_byte_for_byte_the_golden_ones() {
    let bless = env::var_os("ANTHER_BLESS").is_some();
    for &kind in Kind::ALL {
        let path = golden_folder().join(format!("{kind}.anther"));
        let (filter, keys) = golden_filter(kind);
        if bless {
            filter.save(&path).unwrap();
        }
        let golden = fs::read(&path).expect("one golden file a kind; ANTHER_BLESS=1 makes it");
        assert!(golden.len() < 8192, "{kind}: small");
        assert_eq!(bytes_of(&filter), golden, "{kind}: what is written now");

        let read = Open::new().bytes(&golden).unwrap();
        assert_eq!(read, filter, "{kind}: what is read now");
        for key in &keys {
            assert_eq!(read.contains_hash(*key), filter.contains_hash(*key), "{kind}");
        }
        assert_eq!(AnyFilter::open(&path).unwrap(), filter);
        assert_eq!(Open::new().map(&path).unwrap(), filter);
        if kind.capabilities().no_false_negatives {
            assert!(keys.iter().all(|key| read.contains_hash(*key)), "{kind}");
            assert!(read.contains(81u64) && read.contains("https://example.org/7"));
        }
        assert!(read.contains(("pair", 19u64)) && !read.contains("https://example.net/7"));
        assert_eq!(read.about().target, Some(Target::new(100, 0.01).unwrap()));
    }
    let files = fs::read_dir(golden_folder()).unwrap().count();
    assert_eq!(files, Kind::ALL.len(), "a golden file for each kind and for nothing else");
}

/// The offsets of FORMAT.md, for whoever reads the files without this library.
#[test]
fn headers_begin_as_the_format_says() {
    for &kind in Kind::ALL {
        let bytes = bytes_of(&empty(kind, 100, 0.01, Seed::chosen(0x0102_0304_0506_0708)));
        assert_eq!(&bytes[..8], b"\x89ANT\r\n\x1A\n");
        assert_eq!((&bytes[8..10], &bytes[10..12]), (&[0; 2][..], &kind.tag().to_le_bytes()[..]));
        assert_eq!(&bytes[16..18], [0, 0]);
        assert_eq!(&bytes[24..32], [8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(&bytes[32..42], b"\x08inserted\x01");
        let header = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let sum = XxHash3_64::oneshot(&bytes[..header - 8]);
        assert_eq!(bytes[header - 8..header], sum.to_le_bytes());
    }
}
