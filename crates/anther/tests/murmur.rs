//! The false-positive rate also holds with another sound hash: MurmurHash3, from which a textbook
//! filter takes its positions. Nothing in the filters depends on the library's own hash.

use self::murmur3::{murmur3_32, murmur3_128};
use crate::support::{count_found, empty, put, six_sigma};
use anther::{Classic, Filter, KeyHash, Kind, Seed, Shape, Target};

#[path = "support/murmur3.rs"]
mod murmur3;

const ITEMS: u64 = 100_000;
const QUERIES: u64 = 300_000;
const RATES: [f64; 2] = [0.01, 1e-3];

type NthKey = fn(u64) -> String;

/// Typical keys: those below [`ITEMS`] are inserted, the others are looked up.
const SHAPES: [(&str, NthKey); 3] = [
    ("numbers", |i| i.to_string()),
    ("even and odd numbers", |i| {
        if i < ITEMS { (2 * i).to_string() } else { (2 * (i - ITEMS) + 1).to_string() }
    }),
    ("URLs", |i| format!("https://example.org/articles/{}/{}?page=1", i % 97, i)),
];

/// Checks that the hits match the rate. A filter of 100,000 items is off by less than 1 % by chance
/// (`accuracy.rs` computes how much); the rate computed from the cells has no such error.
#[track_caller]
fn check(what: &str, hits: u64, target: f64, now: f64) {
    let queries = QUERIES as f64;
    for (rate, chance) in [(target, 0.01), (now, 0.0)] {
        let expected = queries * rate;
        let bound = six_sigma(expected + (chance * expected).powi(2));
        let off = hits as f64 - expected;
        assert!(off.abs() <= bound, "{what}: {hits} hits, expected {expected:.0} ± {bound:.0}");
    }
    println!("{what}: {:.5} of {target}", hits as f64 / queries);
}

/// Classic filters by hand: position i is the hash with seed i, modulo the number of bits.
#[test]
fn positions_from_murmur_keep_the_rate() {
    for fpr in RATES {
        let made = Classic::new(Target::new(ITEMS, fpr).unwrap()).unwrap().profile();
        let shape = Shape::bits(made.bits).probes(made.probes);
        for (name, key) in SHAPES {
            let positions = |i| -> Vec<u64> {
                let key = key(i);
                let hash = |seed| u64::from(murmur3_32(key.as_bytes(), seed));
                (0..made.probes).map(|seed| hash(seed) % made.bits).collect()
            };
            let mut filter = Classic::with_shape(shape, Seed::EXTERNAL).unwrap();
            (0..ITEMS).for_each(|i| {
                filter.insert_positions(&positions(i)).unwrap();
            });
            let found = |i: &u64| filter.contains_positions(&positions(*i)).unwrap();
            assert!((0..ITEMS).all(|i| found(&i)), "{name}: no false negatives");
            let hits = (ITEMS..ITEMS + QUERIES).filter(found).count() as u64;
            check(&format!("positions, {name}"), hits, fpr, filter.profile().fpr_now);
        }
    }
}

/// Filters that are given the low half of the 128-bit hash, and derive their own from it.
#[test]
fn filters_fed_by_murmur_keep_the_rate() {
    for (name, key) in SHAPES {
        let hash = |i| KeyHash(murmur3_128(key(i).as_bytes(), 0)[0]);
        let hashes: Vec<KeyHash> = (0..ITEMS + QUERIES).map(hash).collect();
        let (present, absent) = hashes.split_at(ITEMS as usize);
        for kind in [Kind::Classic, Kind::Blocked, Kind::Split, Kind::Counting] {
            for fpr in RATES {
                let mut filter = empty(kind, ITEMS, fpr, Seed::EXTERNAL);
                put(&mut filter, present);
                assert_eq!(count_found(&filter, present.iter().copied()), ITEMS, "{kind}");
                let hits = count_found(&filter, absent.iter().copied());
                check(&format!("{kind}, {name}"), hits, fpr, filter.profile().fpr_now);
            }
        }
    }
}

/// Published values, and SMHasher's verification: the hash of all hashes of 0, 0 1, 0 1 2 and so on
/// to 255 bytes, each with 256 minus its length as its seed.
#[test]
fn murmur_is_murmur() {
    for (key, seed, expected) in [
        ("", 0, 0),
        ("", 1, 0x514E_28B7),
        ("test", 0, 0xBA6B_D213),
        ("test", 0x9747_B28C, 0x704B_81DC),
        ("Hello, world!", 0, 0xC036_3E43),
        ("The quick brown fox jumps over the lazy dog", 0x9747_B28C, 0x2FA8_26CD),
    ] {
        assert_eq!(murmur3_32(key.as_bytes(), seed), expected, "{key}, {seed:#x}");
    }
    let hello = murmur3_128(b"Hello world", 0);
    assert_eq!(hello, [0xBD65_6D29_D21A_C009, 0x4AB5_B5CD_54EB_2CB3]);

    let short = |key: &[u8], seed| murmur3_32(key, seed).to_le_bytes().to_vec();
    let long = |key: &[u8], seed| murmur3_128(key, seed).map(u64::to_le_bytes).concat();
    assert_eq!(verification(short), 0xB0F5_7EE3);
    assert_eq!(verification(long), 0x6384_BA69);
}

fn verification(hash: impl Fn(&[u8], u32) -> Vec<u8>) -> u32 {
    let bytes: Vec<u8> = (0..=255).collect();
    let hashes: Vec<u8> = (0..256).flat_map(|len| hash(&bytes[..len], 256 - len as u32)).collect();
    u32::from_le_bytes(hash(&hashes, 0)[..4].try_into().unwrap())
}
