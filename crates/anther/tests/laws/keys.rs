//! Keys: every inserted key is found.

use super::*;
use crate::support::map;

#[test]
fn an_inserted_key_is_found() {
    let sizes = [1, 2, 3, 7, 8, 9, 63, 64, 65, 100, 511, 512, 513, 1000, 4096, 30_000];
    for kind in faithful() {
        for keys in Keys::ALL {
            for (n, fpr) in sizes.into_iter().zip([0.5, 0.01, 1e-3, 1e-6].into_iter().cycle()) {
                for seed in seeds() {
                    let hashes: Vec<_> = (0..n).map(|i| keys.present(i, n, &seed)).collect();
                    let filter = filled(kind, n, fpr, seed, &hashes);
                    assert_eq!(count_found(&filter, hashes), n, "{kind}, {n} {keys} keys, {fpr}");
                }
            }
        }
    }
}

/// Too many keys raise the false-positive rate; they never remove one.
#[test]
fn an_overfull_filter_forgets_nothing() {
    for kind in faithful().filter(|kind| overfills(*kind) || kind.capabilities().grow) {
        for (items, n) in [(1, 100), (100, 10_000), (10_000, 80_000)] {
            let hashes = Random::new(items).hashes(n);
            let filter = filled(kind, items, 0.01, Seed::FIXED, &hashes);
            assert_eq!(count_found(&filter, hashes), n as u64, "{kind}");
        }
    }
}

#[test]
fn any_bytes_are_a_key() {
    let mut keys: Vec<Vec<u8>> = vec![Vec::new()];
    keys.extend((0..=255).map(|byte| vec![byte]));
    keys.extend((2..300).map(|len| vec![0; len]));
    keys.extend((2..300).map(|len| vec![0xFF; len]));
    keys.extend([b"a\0b".to_vec(), b"a\0c".to_vec(), b"a".repeat(100), vec![0x80; 1000]]);
    // Several megabytes, different in the first byte, in the last, and in length.
    let long = vec![7; 3 << 20];
    let (mut first, mut last) = (long.clone(), long.clone());
    (first[0], last[(3 << 20) - 1]) = (8, 8);
    keys.extend([first, last, long[1..].to_vec(), long]);

    for seed in seeds() {
        let hashes: HashSet<_> = keys.iter().map(|key| key.key_hash(&seed)).collect();
        assert_eq!(hashes.len(), keys.len(), "different keys, different hashes");
        for kind in faithful() {
            // Every second key is inserted: its neighbours, which differ in a byte, are absent.
            let half: Vec<_> = keys.iter().step_by(2).map(|key| key.key_hash(&seed)).collect();
            let filter = filled(kind, 1000, 1e-8, seed, &half);
            for (at, key) in keys.iter().enumerate() {
                assert_eq!(filter.contains(key), Ok(at % 2 == 0), "{kind}: key {at}");
            }
        }
    }
}

/// `insert` returns what `contains` would have returned before it, negated.
#[test]
fn insert_returns_new_exactly_when_contains_was_false() {
    for kind in taking() {
        let keys = Random::new(1).hashes(10_000);
        let mut filter = empty(kind, for_copies(kind, 10_000, 3), 0.05, Seed::FIXED);
        let mut mistaken = 0;
        for key in &keys {
            let maybe = filter.contains_hash(*key);
            let new = filter.as_insert().unwrap().insert_hash(*key).unwrap();
            assert_eq!(new, !maybe, "{kind}");
            assert!(!filter.as_insert().unwrap().insert_hash(*key).unwrap(), "{kind}: again");
            mistaken += u64::from(maybe);
        }
        for key in &keys {
            let new = filter.as_insert().unwrap().insert_hash(*key).unwrap();
            assert!(!new || !kind.capabilities().no_false_negatives, "{kind}: much later");
        }
        // A fresh key that is not new is a false positive; the rate only rose to this.
        let most = keys.len() as f64 * filter.profile().fpr_now;
        assert!((mistaken as f64) < most + six_sigma(most), "{kind}: {mistaken}");
        // Kinds that forget may have a far lower rate than the target's before they are full.
        let due = most > 50.0 || kind.capabilities().no_false_negatives;
        assert!(mistaken > 0 || !due, "{kind}: no false positive");
        assert_eq!(filter.about().inserted, 30_000, "{kind}: every call counts");
    }
}

#[test]
fn a_batch_equals_its_keys_one_by_one() {
    for kind in taking() {
        let mut random = Random::new(2);
        for len in [0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000, 4097] {
            // Half of the queries are for present keys; some keys are repeated.
            let mut keys = random.hashes(room(kind, 1125, len as u64) as usize);
            keys.extend_from_within(..keys.len() / 3);
            let mut queries = random.hashes(len);
            queries.extend(&keys);

            let (mut one, mut all) =
                (empty(kind, 1500, 0.1, Seed::FIXED), empty(kind, 1500, 0.1, Seed::FIXED));
            let insert = one.as_insert().unwrap();
            let new: u64 =
                keys.iter().map(|key| u64::from(insert.insert_hash(*key).unwrap())).sum();
            assert_eq!(all.as_insert().unwrap().insert_hashes(&keys).unwrap(), new, "{kind} {len}");
            assert_eq!(one, all, "{kind} {len}");

            let single: Vec<_> = queries.iter().map(|key| one.contains_hash(*key)).collect();
            // Answers are overwritten, whatever they were.
            let mut batch: Vec<_> = single.iter().map(|found| !found).collect();
            all.contains_hashes(&queries, &mut batch);
            assert_eq!(single, batch, "{kind} {len}");
        }
    }
}

/// Of every kind, static ones and mapped files, too.
#[test]
fn a_batch_of_lookups_equals_single_ones() {
    let folder = tempfile::tempdir().unwrap();
    for &kind in Kind::ALL {
        let mut random = Random::new(4);
        let keys = random.hashes(1000);
        let made = filled(kind, 1000, 0.1, Seed::EXTERNAL, &keys);
        let path = folder.path().join(kind.name());
        made.save(&path).unwrap();
        let mapped: AnyFilter = map(Open::new().without_hashing(), &path).unwrap();
        let empty = empty(kind, 1000, 0.1, Seed::EXTERNAL);
        for (what, filter) in [("made", made), ("mapped", mapped), ("empty", empty)] {
            for len in [0, 1, 63, 64, 65, 1000] {
                // Present and absent keys alternate.
                let queries = keys.iter().copied().zip(random.hashes(1000));
                let queries = queries.flat_map(|(key, other)| [key, other]).take(len);
                let queries: Vec<KeyHash> = queries.collect();
                let single: Vec<_> = queries.iter().map(|key| filter.contains_hash(*key)).collect();
                let mut batch: Vec<_> = single.iter().map(|found| !found).collect();
                filter.contains_hashes(&queries, &mut batch);
                assert_eq!(single, batch, "{kind}, {what}: {len} hashes");
            }
        }
        // The same of keys that the filter hashes.
        let texts: Vec<String> = (0..1000).map(|i| format!("key {i}")).collect();
        let hashes: Vec<_> = texts[..500].iter().map(|text| text.key_hash(&Seed::FIXED)).collect();
        let filter = filled(kind, 1000, 0.1, Seed::FIXED, &hashes);
        let single: Vec<_> = texts.iter().map(|text| filter.contains(text).unwrap()).collect();
        let mut batch: Vec<_> = single.iter().map(|found| !found).collect();
        filter.contains_keys(&texts, &mut batch).unwrap();
        assert_eq!(single, batch, "{kind}: keys");
    }
}

#[test]
#[should_panic(expected = "an answer for each key")]
fn a_batch_needs_an_answer_for_each_key() {
    empty(Kind::Blocked, 10, 0.1, Seed::FIXED).contains_hashes(&[KeyHash(1)], &mut []);
}

/// The methods that take keys equal those that take hashes, with the filter's own seed.
#[test]
fn keys_and_their_hashes_are_equivalent() {
    fn law<F: Plain + Extend<String>>(
        insert: fn(&mut F, &str) -> bool,
        insert_keys: fn(&mut F, &[String]) -> u64,
    ) {
        for seed in seeds() {
            let keys: Vec<String> = (0..2000).map(|i| format!("key {i}")).collect();
            let (mut by_key, mut by_hash) = (F::for_items(1000, seed), F::for_items(1000, seed));
            let (mut extended, mut at_once) = (F::for_items(1000, seed), F::for_items(1000, seed));
            let mut new_ones = 0;
            for key in &keys[..1000] {
                let new = by_hash.insert_hash(key.key_hash(&seed)).unwrap();
                assert_eq!(insert(&mut by_key, key), new);
                new_ones += u64::from(new);
            }
            extended.extend(keys[..1000].iter().cloned());
            assert_eq!(by_key, by_hash);
            assert_eq!(extended, by_hash);
            assert_eq!(insert_keys(&mut at_once, &keys[..1000]), new_ones);
            assert_eq!(at_once, by_hash);
            let found: Vec<_> =
                keys.iter().map(|key| by_hash.contains_hash(key.key_hash(&seed))).collect();
            let mut batch = vec![false; keys.len()];
            by_key.contains_keys(&keys, &mut batch);
            assert_eq!(batch, found);
            let any: AnyFilter = by_key.into();
            assert!(keys.iter().zip(found).all(|(key, found)| any.contains(key) == Ok(found)));
        }
    }
    law::<Classic>(|filter, key| filter.insert(key), |filter, keys| filter.insert_keys(keys));
    law::<Blocked>(|filter, key| filter.insert(key), |filter, keys| filter.insert_keys(keys));
    law::<Split>(|filter, key| filter.insert(key), |filter, keys| filter.insert_keys(keys));
}
