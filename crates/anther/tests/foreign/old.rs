//! Encodings of RedisBloom's first releases: fewer fields, 32-bit hashes, powers of two.
//!
//! No program that writes them is at hand: the filters are made here, by the rules of its sources.

use super::rdb::{Field, Fields};
use super::*;
use anther::ForeignError;

/// MurmurHash2 of 32 bits, written independently of the library.
fn murmur(key: &[u8], seed: u32) -> u32 {
    let m = 0x5bd1_e995u32;
    let mut h = seed ^ key.len() as u32;
    let mut rest = key;
    while rest.len() >= 4 {
        let mut k = 0u32;
        for at in (0..4).rev() {
            k = k << 8 | u32::from(rest[at]);
        }
        k = k.wrapping_mul(m);
        k = (k ^ (k >> 24)).wrapping_mul(m);
        h = h.wrapping_mul(m) ^ k;
        rest = &rest[4..];
    }
    if !rest.is_empty() {
        for (at, byte) in rest.iter().enumerate() {
            h ^= u32::from(*byte) << (8 * at);
        }
        h = h.wrapping_mul(m);
    }
    h = (h ^ (h >> 13)).wrapping_mul(m);
    h ^ (h >> 15)
}

/// A layer for `keys`, of `range` bits, with seven hash functions.
fn bits_of(keys: &[Vec<u8>], range: u64, bytes: usize) -> Vec<u8> {
    let mut bits = vec![0; bytes];
    for key in keys {
        let a = murmur(key, 0x9747_b28c);
        let b = murmur(key, a);
        for probe in 0..7 {
            let bit = (u64::from(a) + probe * u64::from(b)) % range;
            bits[bit as usize / 8] |= 1 << (bit % 8);
        }
    }
    bits
}

const ERROR: f64 = 0.01;
const BITS_PER_ENTRY: f64 = 9.585_058_377_438_85;

#[test]
fn old_bloom_filters_answer() {
    use Field::{Double, String, Unsigned};
    let keys: Vec<Vec<u8>> =
        lines("keys/utf8_100.txt").iter().map(|key| key.clone().into()).collect();
    let layer = [Unsigned(100), Double(ERROR), Unsigned(7), Double(BITS_PER_ENTRY)];
    let head = [Unsigned(100), Unsigned(1)];
    // Version 0 has as many bits as the entries need: 958, in 120 bytes.
    let zero = [&head[..], &layer, &[String(bits_of(&keys, 958, 120)), Unsigned(100)]].concat();
    // Version 1 has a power of two, version 2 and 3 the options.
    let rounded = [Unsigned(1024), Unsigned(10), String(bits_of(&keys, 1024, 128)), Unsigned(100)];
    let one = [&head[..], &layer, &rounded].concat();
    let three = [&head[..], &[Unsigned(0)], &layer, &rounded].concat();
    for (version, fields) in [(0, &zero), (1, &one), (2, &three), (3, &three)] {
        let mut source = Fields(fields.clone().into_iter());
        let mut filter = Bloom::from_rdb(&mut source, version, LIMIT).unwrap();
        assert_eq!(source.0.len(), 0);
        assert!(keys.iter().all(|key| filter.contains(key)), "version {version}");
        let others = (0..10_000).map(|i| format!("other {i}"));
        let falsely = others.filter(|key| filter.contains(key.as_bytes())).count();
        assert!((20..300).contains(&falsely), "version {version}: {falsely} of 10,000");
        assert_eq!((filter.len(), filter.expansion()), (100, Some(2)));
        // Full, and its layers were sized in another way: the next one is not RedisBloom's.
        assert!(filter.insert(b"other").is_err());
        assert!(matches!(filter.grow(LIMIT), Err(ForeignError::Field { .. })));
        exercise(Object::Bloom(filter));
    }
    let short = [&head[..], &layer, &[String(vec![0; 119]), Unsigned(100)]].concat();
    assert!(Bloom::from_rdb(&mut Fields(short.into_iter()), 0, LIMIT).is_err());
}

#[test]
fn old_cuckoo_filters_answer() {
    use Field::{String, Unsigned};
    let Object::Cuckoo(filter) = from_chunks(&case("rb26_cf_100")) else { panic!("cuckoo") };
    let mut fields = vec![Unsigned(2), Unsigned(64), Unsigned(100)];
    fields.extend(filter.chunks().map(|(_, slots)| String(slots.to_vec())));
    let old = Cuckoo::from_rdb(&mut Fields(fields.into_iter()), 3, LIMIT).unwrap();
    assert_eq!(old, filter);
}
