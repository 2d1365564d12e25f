//! Removing: a removed key is gone as far as cells can tell, and no other is removed with it.

use super::*;
use std::collections::HashMap;

fn removable() -> impl Iterator<Item = Kind> {
    Kind::ALL.iter().copied().filter(|kind| kind.capabilities().remove)
}

/// Half of the keys are removed: the others stay, and most removed keys are no longer found.
#[test]
fn removing_a_key_removes_no_other() {
    for kind in removable() {
        for seed in seeds() {
            let keys = Random::new(30).hashes(4000);
            let (stay, go) = keys.split_at(2000);
            let mut filter = filled(kind, 4000, 0.01, seed, &keys);
            let mut stuck = 0;
            for key in go {
                match filter.as_remove().unwrap().remove_hash(*key) {
                    Ok(removed) => assert!(removed, "{kind}: it was present"),
                    Err(_) => stuck += 1,
                }
            }
            assert_eq!(count_found(&filter, stay.iter().copied()), 2000, "{kind}");
            let left = count_found(&filter, go.iter().copied());
            assert!(stuck < 1000 && left < stuck + 100, "{kind}: {stuck} stuck, {left} found");
        }
    }
}

/// Removing a key that is definitely absent returns false and changes nothing.
#[test]
fn an_absent_key_cannot_be_removed() {
    for kind in removable() {
        let filter = filled(kind, 1000, 0.01, Seed::FIXED, &Random::new(31).hashes(1000));
        let mut asked = filter.clone();
        for key in Random::new(32).hashes(2000) {
            if !filter.contains_hash(key) {
                assert_eq!(asked.as_remove().unwrap().remove_hash(key), Ok(false), "{kind}");
            }
        }
        assert_eq!(asked, filter, "{kind}");
    }
}

/// With all keys removed the filter is empty, unless a counter is stuck.
#[test]
fn removing_all_leaves_nothing() {
    for kind in removable() {
        let keys = Random::new(33).hashes(1000);
        let mut filter = filled(kind, 1000, 0.001, Seed::FIXED, &keys);
        let mut stuck = 0;
        for key in &keys {
            stuck += u64::from(filter.as_remove().unwrap().remove_hash(*key) != Ok(true));
        }
        if stuck == 0 && filter.profile().stuck == 0 {
            assert_eq!(filter.profile().fill, 0.0, "{kind}");
            assert_eq!(count_found(&filter, keys), 0, "{kind}");
        }
    }
}

/// Inserts and removals in any order, against a multiset: no key is ever lost.
#[test]
fn any_order_of_inserts_and_removals_loses_nothing() {
    for kind in removable() {
        let mut random = Random::new(34);
        let keys = random.hashes(500);
        let mut filter = empty(kind, for_copies(kind, 500, 3), 0.001, Seed::FIXED);
        let mut model: HashMap<KeyHash, u64> = HashMap::new();
        for step in 0..20_000 {
            let key = keys[random.draw() as usize % keys.len()];
            let held = model.entry(key).or_default();
            // Counters of two bits hold a key three times.
            if random.draw().is_multiple_of(2) && *held < 3 {
                filter.as_insert().unwrap().insert_hash(key).unwrap();
                *held += 1;
            } else if *held > 0 && filter.as_remove().unwrap().remove_hash(key) == Ok(true) {
                *held -= 1;
            }
            if step % 100 == 0 {
                for (key, held) in &model {
                    assert!(*held == 0 || filter.contains_hash(*key), "{kind}, step {step}");
                    if let Some(counts) = filter.as_count() {
                        assert!(counts.count_hash(*key) >= *held, "{kind}, step {step}");
                    }
                }
            }
        }
    }
}

/// A count is never too low, and too high for as many keys as the false-positive rate says.
#[test]
fn counts_are_upper_bounds() {
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().count) {
        let keys = Random::new(35).hashes(3000);
        let mut filter = empty(kind, for_copies(kind, 3000, 2), 0.01, Seed::FIXED);
        for (at, key) in keys.iter().enumerate() {
            put(&mut filter, &vec![*key; at % 3 + 1]);
        }
        let counts = filter.as_count().unwrap();
        let mut high = 0;
        for (at, key) in keys.iter().enumerate() {
            let (count, truth) = (counts.count_hash(*key), at as u64 % 3 + 1);
            assert!(count >= truth, "{kind}: {count} of {truth}");
            high += u64::from(count > truth);
        }
        assert!((high as f64) < 30.0 + six_sigma(30.0), "{kind}: {high} too high");
    }
}
