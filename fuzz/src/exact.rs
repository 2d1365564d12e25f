//! Exact sets against maps of the standard library.

use crate::input::Input;
use anther::{ExactSet, FingerprintSet, GrowError, KeyHash};
use std::collections::{BTreeMap, BTreeSet};

/// Which one, and operations on it.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    match input.byte() {
        0..128 => multiset(&mut input),
        bits => fingerprints(32 + u32::from(bits) % 33, &mut input),
    }
}

fn multiset(input: &mut Input<'_>) {
    let (mut set, mut model) = (ExactSet::new(4).expect("small"), BTreeMap::<u64, u64>::new());
    for _ in 0..64 {
        if input.is_empty() {
            break;
        }
        let is_insert = input.byte() % 3 < 2;
        let key = input.hash().0;
        let held = model.entry(key).or_default();
        assert_eq!((set.contains(key), set.count(key)), (*held > 0, *held));
        if is_insert {
            assert_eq!(set.insert(key).ok(), Some(*held == 0));
            *held += 1;
        } else {
            assert_eq!(set.remove(key), Ok(*held > 0));
            *held = held.saturating_sub(1);
        }
    }
    model.retain(|_, held| *held > 0);
    assert_eq!(set.len(), model.values().sum::<u64>());
    assert!(set.iter().collect::<BTreeSet<u64>>().iter().eq(model.keys()));
    let mut twice = set.clone();
    twice.merge(&set).expect("itself");
    assert!(model.iter().all(|(key, held)| twice.count(*key) == 2 * held));
}

fn fingerprints(bits: u32, input: &mut Input<'_>) {
    let mut set = FingerprintSet::with_bits(bits);
    let mask = u64::MAX << (64 - bits);
    let mut model = BTreeSet::new();
    // Of hashes whose stored bits are all 0, two may be one.
    let keys = input.hashes(100).into_iter().map(|key| KeyHash(key.0 | 1 << (64 - bits)));
    for key in keys {
        match set.insert_hash(key) {
            Ok(is_new) => assert_eq!(is_new, model.insert(key.0 & mask)),
            // Keys that stand close together.
            Err(error) => {
                assert!(matches!(error, GrowError::Uneven { .. }) && !set.contains_hash(key))
            }
        }
        assert_eq!(set.contains_hash(key), model.contains(&(key.0 & mask)));
    }
    assert!(
        set.len() == model.len() as u64 && set.iter().map(|key| key.0).eq(model.iter().copied())
    );
    if let Ok(Some(again)) = FingerprintSet::from_sorted(bits, set.len(), set.iter()) {
        assert!(again.iter().eq(set.iter()));
    }
}
