//! What SECURITY.md says about keys chosen by an attacker.

use anther::{Blocked, Cuckoo, Filter, Fuse, Seed, Target};

/// A key has only eight slots, and a fixed seed lets anyone find keys that share them.
#[test]
fn eight_chosen_keys_block_a_ninth_in_an_empty_cuckoo_filter() {
    let target = Target::new(100, 0.01).unwrap();
    // The false positives of a filter with one key have that key's fingerprint and buckets.
    let mut alone = Cuckoo::new(target).unwrap();
    alone.insert(0u64).unwrap();
    let chosen: Vec<u64> = (0u64..).filter(|key| alone.contains(*key)).take(9).collect();
    let mut filter = Cuckoo::new(target).unwrap();
    for key in &chosen[..8] {
        filter.insert(*key).unwrap();
    }
    assert!(filter.insert(chosen[8]).is_err(), "the ninth");
    assert!(filter.insert("any other").is_ok(), "there is room for all others");
    let mut copies = Cuckoo::new(target).unwrap();
    assert!((0..8).all(|_| copies.insert("key").is_ok()) && copies.insert("key").is_err());

    // With a secret key they are keys like any others.
    let mut keyed = Cuckoo::with_seed(target, Seed::keyed([7; 16])).unwrap();
    for key in chosen {
        keyed.insert(key).unwrap();
    }
}

/// The column of the table that holds where nothing else is asked for.
#[test]
fn filters_that_are_made_without_a_seed_have_the_fixed_one() {
    let target = Target::new(100, 0.01).unwrap();
    assert_eq!(Seed::default(), Seed::FIXED);
    assert_eq!(*Blocked::new(target).unwrap().seed(), Seed::FIXED);
    assert_eq!(*Cuckoo::new(target).unwrap().seed(), Seed::FIXED);
    assert_eq!(*Fuse::build(0..100u64, 0.01).unwrap().seed(), Seed::FIXED);
}
