//! Bulk inserts give what one insert after the other gives.

use super::*;
use crate::batch::bulk::{SHARE, WORDS_PER_KEY, WORTH_IT};
use crate::{Blocked, Classic, Compressed, Split};

fn assert_same<F: PlainBits + Insert + PartialEq + Debug>(empty: &F, keys: &[u64]) {
    let mut one_by_one = empty.clone();
    for key in keys {
        one_by_one.insert_hash(key.key_hash(empty.seed())).unwrap();
    }
    for threads in 1..=5 {
        let mut bulk = empty.clone();
        bulk.bulk_insert_keys(keys, Threads::new(threads));
        assert_eq!(bulk, one_by_one, "{} keys, {threads} threads", keys.len());
        let hashes: Vec<_> = keys.iter().map(|key| key.key_hash(empty.seed())).collect();
        let mut bulk = empty.clone();
        bulk.bulk_insert_hashes(&hashes, Threads::new(threads)).unwrap();
        assert_eq!(bulk, one_by_one, "{} hashes, {threads} threads", keys.len());
    }
}

/// Few keys and many, in small filters: many rounds, since the buckets are small, too.
#[test]
fn threads_make_the_filter_of_one() {
    fn of<F: PlainBits + ForTarget + PartialEq + Debug>(keys: &[u64]) {
        for items in [1, 100, 30_000] {
            let target = Target::new(items, 0.01).unwrap();
            assert_same(&F::with_seed(target, Seed::chosen(7)).unwrap(), keys);
        }
    }
    // One key 20,000 times: one bucket is full again and again.
    of::<Classic>(&[7; 20_000]);
    of::<Blocked>(&[7; 20_000]);
    let keys: Vec<u64> = (0..20_000).collect();
    for count in [0, 1, 3, 1000, keys.len()] {
        of::<Classic>(&keys[..count]);
        of::<Blocked>(&keys[..count]);
        of::<Split>(&keys[..count]);
        of::<Compressed>(&keys[..count]);
    }
}

/// Threads own what is between their keys. Some keys come many times, so that shares end there.
#[test]
fn sorted_hashes_make_the_same_filter() {
    fn of<F: PlainBits + ForTarget + PartialEq + Debug>(hashes: &[KeyHash]) {
        for items in [1, 100, 30_000] {
            let target = Target::new(items, 0.01).unwrap();
            let mut one_by_one = F::with_seed(target, Seed::chosen(7)).unwrap();
            let empty = one_by_one.clone();
            for hash in hashes {
                one_by_one.insert_hash(*hash).unwrap();
            }
            for threads in 1..=5 {
                let mut bulk = empty.clone();
                bulk.bulk_insert_hashes(hashes, Threads::new(threads)).unwrap();
                assert_eq!(bulk, one_by_one, "{items} items, {threads} threads");
            }
        }
    }
    let repeated = |i: u64| if i.is_multiple_of(3) { i % 4 } else { i };
    let mut hashes: Vec<_> =
        (0..5 * SHARE as u64).map(|i| repeated(i).key_hash(&Seed::chosen(7))).collect();
    hashes.sort_unstable();
    of::<Blocked>(&hashes);
    of::<Split>(&hashes);
    of::<Classic>(&hashes);
    // All but the last one in order.
    let last = hashes.len() - 1;
    hashes.swap(2, last);
    of::<Blocked>(&hashes);
}

/// From here on one thread uses buckets, too.
#[test]
fn one_thread_beyond_the_caches_is_the_same() {
    let shape = Shape::bits(WORTH_IT as u64 * 64 + 4096).probes(8);
    let keys: Vec<u64> = (0..(WORTH_IT / WORDS_PER_KEY) as u64 + 100).collect();
    let mut bulk = Split::with_shape(shape, Seed::FIXED).unwrap();
    let mut one_by_one = bulk.clone();
    bulk.bulk_insert_keys(&keys, Threads::ONE);
    one_by_one.extend(&keys);
    assert_eq!(bulk, one_by_one);
}

#[test]
#[should_panic(expected = "external hashes")]
fn a_thread_that_panics_says_why() {
    let mut filter = Blocked::with_seed(Target::new(10, 0.1).unwrap(), Seed::EXTERNAL).unwrap();
    filter.bulk_insert_keys(&[1; 2 * SHARE], Threads::new(2));
}
