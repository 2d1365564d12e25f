use super::*;
use crate::parts::hash::mix;
use std::collections::BTreeSet;

fn hash(x: u64) -> KeyHash {
    KeyHash(mix(x.wrapping_add(0x9E37_79B9_7F4A_7C15)))
}

/// The first bits, as the set keeps them.
fn kept(set: &FingerprintSet, keys: impl Iterator<Item = KeyHash>) -> Vec<KeyHash> {
    let all: BTreeSet<u64> = keys.map(|key| set.table.canonical(key)).collect();
    all.into_iter().map(KeyHash).collect()
}

/// Every width of an entry occurs: 8, 7 and 6 bytes with 64 bits, down to 2 with 32.
#[test]
fn it_is_a_set_at_every_size() {
    for (bits, keys) in [(64, 300_000), (57, 100_000), (48, 300_000), (40, 300_000), (32, 300_000)]
    {
        let mut set = FingerprintSet::with_bits(bits);
        let mut model = BTreeSet::new();
        for x in 0..keys {
            // One in three is a repetition.
            let key = hash(if x % 3 == 2 { mix(x) % x } else { x });
            let is_new = model.insert(set.table.canonical(key));
            assert_eq!(set.insert_hash(key).unwrap(), is_new, "{bits} bits, {x}");
        }
        assert_eq!(set.len(), model.len() as u64);
        assert!(set.iter().map(|key| key.0).eq(model.iter().copied()), "{bits} bits");
        assert!((0..keys).step_by(3).all(|x| set.contains_hash(hash(x))));
        let absent = (keys..2 * keys).map(hash).filter(|key| set.contains_hash(*key)).count();
        let expected = (keys as f64 * set.chance()).max(1.0);
        assert!((absent as f64) < 6.0 * expected, "{bits} bits: {absent} of {expected}");
    }
}

/// Beyond 2²⁴ slots entries have six bytes, and a key takes eight at any time.
#[test]
fn large_sets_take_less_than_eight_bytes_per_key() {
    let mut set = FingerprintSet::new();
    let mut is_new = vec![false; 1000];
    let mut most: f64 = 0.0;
    for start in (0..19_000_000).step_by(1000) {
        let keys: Vec<_> = (start..start + 1000).map(hash).collect();
        set.insert_hashes(&keys, &mut is_new).unwrap();
        assert!(is_new.iter().all(|is_new| *is_new));
        let per_key = set.bytes() as f64 / set.len() as f64;
        if start >= 15_300_000 {
            most = most.max(per_key);
        }
        assert!(start < 100_000 || per_key < 9.3, "{per_key} with {start}");
    }
    assert!(most < 8.0, "{most}");
    let keys: Vec<_> = (0..19_000_000).map(hash).collect();
    let mut found = vec![false; keys.len()];
    set.contains_hashes(&keys, &mut found);
    assert!(found.iter().all(|found| *found));
    assert_eq!((20_000_000..21_000_000).filter(|x| set.contains_hash(hash(*x))).count(), 0);
    let mut sorted: Vec<_> = kept(&set, keys.into_iter());
    assert!(set.iter().eq(sorted.iter().copied()));

    let len = sorted.len() as u64;
    let again = FingerprintSet::from_sorted(64, len, sorted.iter().copied()).unwrap().unwrap();
    assert!(again.iter().eq(sorted.iter().copied()) && again.len() == len);
    sorted.swap(7, 8);
    assert!(FingerprintSet::from_sorted(64, len, sorted.iter().copied()).unwrap().is_none());
}

#[test]
fn batches_answer_as_single_keys_do() {
    let (mut one, mut many) = (FingerprintSet::new(), FingerprintSet::new());
    let mut x = 0;
    for len in (0..200).chain([5000, 1, 70_000]) {
        let keys: Vec<_> = (0..len).map(|at| hash(x + mix(at) % (at + 1))).collect();
        x += len / 2;
        let mut is_new = vec![false; keys.len()];
        many.insert_hashes(&keys, &mut is_new).unwrap();
        let expected: Vec<_> = keys.iter().map(|key| one.insert_hash(*key).unwrap()).collect();
        assert_eq!(is_new, expected);
    }
    assert!(one.iter().eq(many.iter()) && one.len() == many.len());
}

/// At both ends of the table, where growing in place has the least room.
#[test]
fn the_first_and_the_last_hashes_stay() {
    for bits in [64, 48, 32] {
        let mut set = FingerprintSet::with_bits(bits);
        let edges = |n: u64| [n << 32, n << 33 | 1, u64::MAX - (n << 32), u64::MAX - n];
        let all = |to| (0..to).flat_map(|n| [hash(n)].into_iter().chain(edges(n % 9).map(KeyHash)));
        for (at, key) in all(200_000).enumerate() {
            set.insert_hash(key).unwrap();
            if at.is_power_of_two() {
                assert!(all(9).take(at).all(|key| set.contains_hash(key)), "{bits} bits, {at}");
            }
        }
        assert!(set.iter().eq(kept(&set, all(200_000))), "{bits} bits");
    }
}

/// Crafted hashes end in an error, not in a table of any size.
#[test]
fn hashes_that_crowd_together_are_refused() {
    let mut set = FingerprintSet::new();
    let error = (0..1 << 20).find_map(|x| set.insert_hash(KeyHash(1 << 63 | x)).err());
    assert_eq!(error, Some(GrowError::Uneven { keys: set.len() }));
    assert!(set.bytes() < 1 << 20 && set.len() >= 100);
    assert!((0..100).all(|x| set.contains_hash(KeyHash(1 << 63 | x))), "those before are in");
}

#[test]
fn what_is_restored_is_checked() {
    let sorted: Vec<_> = kept(&FingerprintSet::new(), (0..1000).map(hash));
    let of = |bits, len, keys: &[KeyHash]| {
        FingerprintSet::from_sorted(bits, len, keys.iter().copied()).unwrap().map(|set| set.len())
    };
    assert_eq!(of(64, 1000, &sorted), Some(1000));
    assert_eq!(of(64, 0, &[]), Some(0));
    for (bits, len) in [(64, 999), (64, 1001), (63, 1000), (31, 1000), (65, 1000)] {
        assert_eq!(of(bits, len, &sorted), None, "{bits} {len}");
    }
    let twice = [&sorted[..1], &sorted[..999]].concat();
    assert_eq!(of(64, 1000, &twice), None);
    let crowded: Vec<_> = (1..=1000).map(KeyHash).collect();
    assert_eq!(of(64, 1000, &crowded), None);
    assert_eq!(
        FingerprintSet::from_sorted(64, u64::MAX, []).unwrap_err(),
        GrowError::TooMany,
        "a length that nothing holds is not allocated"
    );
}
