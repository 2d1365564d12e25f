use super::*;
use crate::batch::threads::Threads;

fn keys(n: u64) -> Vec<KeyHash> {
    (0..n).map(|i| KeyHash(i).again(0)).collect()
}

fn about() -> About {
    About::new(Seed::FIXED, None)
}

fn solved(keys: &[KeyHash], items: u64, width: u32, arity: u32, work: Work<'_>) -> Fuse {
    Fuse::solve(&mut { keys }, items, (arity, width), about(), work).unwrap()
}

fn build(keys: &[KeyHash], width: u32, arity: u32) -> Fuse {
    solved(keys, keys.len() as u64, width, arity, Work::new())
}

fn assert_holds(filter: &Fuse, keys: &[KeyHash]) {
    assert!(keys.iter().all(|key| filter.contains_hash(*key)), "{} keys", keys.len());
    assert_eq!(filter.items, keys.len() as u64);
}

/// Batches whose ends are not those of sixteen keys, in cells that are bytes and others.
#[test]
fn keys_together_match_as_one_by_one() {
    let asked = keys(6000);
    for (width, arity) in [(8, 3), (8, 4), (9, 3)] {
        let filter = build(&asked[..3000], width, arity);
        for len in [0, 1, 15, 16, 17, 100, 6000] {
            let (keys, mut found) = (&asked[6000 - len..], vec![false; len]);
            filter.contains_hashes(keys, &mut found);
            assert!(keys.iter().map(|key| filter.contains_hash(*key)).eq(found), "{len}");
        }
    }
}

#[test]
fn every_size_builds_and_no_key_is_lost() {
    // From 11,193 keys on segments are twice as long, and the first attempt rarely succeeds.
    let sizes = (0..=300).chain((3330..=3530).step_by(20)).chain((11_150..=11_650).step_by(25));
    let sizes = sizes.chain((13_000..=13_300).step_by(60)).chain([30_000, 100_000]);
    let all = keys(100_000);
    for n in sizes {
        for arity in slots::ARITIES {
            let keys = &all[..n];
            let filter = build(keys, 8, arity);
            assert_holds(&filter, keys);
            let slots = sizing::slots(n as u64, arity);
            let most = if n < 1000 { 3 * slots } else { slots };
            assert!(
                (slots..=most).contains(&filter.cells.cells()),
                "{n}: {}",
                filter.cells.cells()
            );
        }
    }
}

/// Batches in vectors, and those of filters beyond the caches, without a filter of that size.
#[test]
fn batches_find_what_single_lookups_find() {
    let all = keys(20_000);
    // One shard, and three of which some keys of the batch are in none.
    for (present, items) in [(10_000, 10_000), (2, 7_000_000)] {
        for width in [1, 7, 8, 10, 16, 31, 32] {
            for arity in slots::ARITIES {
                let filter = solved(&all[..present], items, width, arity, Work::new());
                let expected: Vec<bool> =
                    all.iter().map(|key| filter.contains_hash(*key)).collect();
                let mut found = vec![false; all.len()];
                filter.look_up_ahead(all.iter().copied(), &mut found);
                assert!(found == expected, "{present} keys, {width} bits, {arity} cells");
                found.fill(false);
                filter.look_up(all.iter().copied(), &mut found);
                assert!(found == expected, "as it is: {present}, {width}, {arity}");
            }
        }
    }
}

#[test]
fn no_keys_find_nothing() {
    let filter = build(&[], 1, 3);
    assert!(keys(1000).iter().all(|key| !filter.contains_hash(*key)));
    assert_eq!((filter.cells.cells(), filter.fpr()), (0, 0.0));
}

#[test]
fn the_false_positive_rate_follows_from_the_width() {
    let present = keys(5000);
    let absent = 400_000;
    for width in [1, 2, 4, 5, 7, 8, 9, 12, 13, 16, 24, 31, 32] {
        for arity in slots::ARITIES {
            let filter = build(&present, width, arity);
            assert_holds(&filter, &present);
            let found =
                (5000..5000 + absent).filter(|i| filter.contains_hash(KeyHash(*i).again(0)));
            let expected = absent as f64 * filter.fpr();
            let off = (found.count() as f64 - expected).abs();
            assert!(off <= 6.0 * expected.sqrt(), "{width} bits: {off} off {expected}");
        }
    }
}

/// Hashes that are not uniform: small numbers, multiples, or all in one shard.
#[test]
fn hashes_from_other_functions_build_too() {
    for shift in [0, 3, 20, 40, 51] {
        for n in [2, 3, 100, 5000] {
            let keys: Vec<KeyHash> = (0..n).map(|i| KeyHash(i << shift)).collect();
            for arity in slots::ARITIES {
                assert_holds(&build(&keys, 16, arity), &keys);
            }
        }
    }
}

#[test]
fn only_keys_and_items_decide_the_filter() {
    let mut all = keys(30_000);
    // Many more items announced than present: three shards, of 10,000 keys each.
    let items = 7_000_000;
    for arity in slots::ARITIES {
        let once = solved(&all, items, 9, arity, Work::new());
        assert!(once.slots.table().len() > 2, "several shards");
        assert_holds(&once, &all);
        let distinct = all.clone();
        all.reverse();
        all.extend_from_within(..20_000);
        for (threads, memory) in [(1, 1), (1, 100_000), (3, u64::MAX), (8, 1)] {
            let work = Work::new().threads(Threads::new(threads)).memory(memory);
            let again = solved(&all, items, 9, arity, work);
            assert_eq!(again, once, "{threads} threads, {memory} bytes");
        }
        all = distinct;
    }
}

#[test]
fn shards_without_keys_find_nothing() {
    let few = keys(3);
    let filter = solved(&few, 1 << 26, 2, 3, Work::new());
    assert_holds(&filter, &few);
    assert!(filter.slots.table().len() > 20 && filter.cells.cells() <= 64 * 27);
    let found = keys(100_000).iter().skip(3).filter(|key| filter.contains_hash(**key)).count();
    let expected = 99_997.0 * filter.fpr();
    assert!((found as f64 - expected).abs() < 6.0 * expected.sqrt(), "{found}, {expected}");
}

#[test]
fn parts_make_the_same_filter_and_forged_ones_none() {
    let all = keys(2000);
    let copy = |row: &[u64]| {
        let mut words = Words::zeroed(row.len()).unwrap();
        words.to_mut().copy_from_slice(row);
        words
    };
    for items in [2000, 7_000_000] {
        let filter = solved(&all, items, 11, 3, Work::new());
        let read = |table: &[u64], items, width, arity| {
            let words = copy(filter.cells.words());
            Fuse::from_parts(copy(table), words, items, (arity, width), filter.about.clone()).ok()
        };
        let table = filter.slots.table();
        assert_eq!(read(table, 2000, 11, 3).as_ref(), Some(&filter));
        let cut = copy(&filter.cells.words()[1..]);
        assert!(Fuse::from_parts(copy(table), cut, 2000, (3, 11), about()).is_err());
        for width in [0, 10, 12, 33, 64, u32::MAX] {
            assert_eq!(read(table, 2000, width, 3), None, "{width}");
        }
        for arity in [0, 1, 2, 4, 5, u32::MAX] {
            assert_eq!(read(table, 2000, 11, arity), None, "{arity}");
        }
        for count in [0, filter.cells.cells() + 1, u64::MAX] {
            assert_eq!(read(table, count, 11, 3), None, "{count} keys");
        }
        assert_eq!(read(&[], 2000, 11, 3), None);
        // With any words for the shards, a lookup stays within the cells.
        for bit in 0..64 {
            for base in [0, table[0], u64::MAX] {
                let mut forged = table.to_vec();
                forged[0] = base ^ 1 << bit;
                if let Some(filter) = read(&forged, 2000, 11, 3) {
                    let ends = [KeyHash(0), KeyHash(u64::MAX)];
                    for key in all.iter().chain(&ends) {
                        std::hint::black_box(filter.contains_hash(*key));
                    }
                }
            }
        }
    }
}

#[test]
fn slots_are_shown_in_segments() {
    let filter = build(&keys(3000), 8, 3);
    let group = filter.rows()[0].group;
    assert!(group.is_power_of_two() && group > 1, "{group}");
    assert!(filter.cells.cells().is_multiple_of(group));
    assert_eq!(build(&[], 8, 3).rows()[0].group, 0, "there is no segment without keys");
}
