//! The laws: what every filter keeps, whatever its kind. They run over the registry, so a new
//! kind inherits them; those of plain bits run over the three kinds that are nothing else.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "tests: small numbers, and a panic is the message"
)]

use anther::error::{FoldError, LoadError, Mismatch, SizeError, TargetError};
use anther::format::recipe::{Column, Recipe, Separator, Which};
use anther::parts::probes::{Lanes, Line, Spread};
use anther::{
    AnyFilter, Blocked, Classic, Filter, ForTarget, Key, KeyHash, Kind, Merge, Open, PlainBits,
    Seed, Shape, Shared, Split, Target,
};
use std::collections::HashSet;
use std::fmt::Debug;
use std::io::{self, ErrorKind, Read};
use std::num::NonZero;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::{fs, thread};
use support::{Keys, Random, assert_rate, bytes_of, count_found, empty, filled, put, six_sigma};

#[allow(clippy::allow_attributes, dead_code, reason = "each test program uses a part of it")]
mod support;

const SECRET: [u8; 16] = *b"\x9D\xE3\x51\xC8\x07\xFA\x6E\xB4\x2B\xD9\x85\x13\xAC\x70\xF6\x4E";

fn seeds() -> [Seed; 3] {
    [Seed::FIXED, Seed::chosen(0xDEAD_BEEF_0123), Seed::keyed(SECRET)]
}

/// The cells as a file has them: all that follows the header, but for the last checksum, which
/// covers the header too.
fn cells(filter: &AnyFilter) -> Vec<u8> {
    let bytes = bytes_of(filter);
    let header = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    bytes[header..bytes.len() - 8].to_vec()
}

// ---------------------------------------------------------------------------------------------
// Keys
// ---------------------------------------------------------------------------------------------

#[test]
fn a_key_that_is_in_is_found() {
    let sizes = [1, 2, 3, 7, 8, 9, 63, 64, 65, 100, 511, 512, 513, 1000, 4096, 30_000];
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().no_false_negatives) {
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

/// Too many keys raise the rate; they never push one out.
#[test]
fn a_filter_that_is_too_full_forgets_nothing() {
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().no_false_negatives) {
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
        let hashes: HashSet<_> = keys.iter().map(|key| key.hash(&seed)).collect();
        assert_eq!(hashes.len(), keys.len(), "different keys, different hashes");
        for &kind in Kind::ALL {
            // Every second key in: its neighbours, which differ in a byte, are not.
            let mut filter = empty(kind, 1000, 1e-8, seed);
            for key in keys.iter().step_by(2) {
                assert!(filter.as_insert().unwrap().insert_hash(key.hash(&seed)).unwrap());
            }
            for (at, key) in keys.iter().enumerate() {
                assert_eq!(filter.contains(key), at % 2 == 0, "{kind}: key {at}");
            }
        }
    }
}

/// `insert` answers what `contains` would have answered before it.
#[test]
fn insert_says_new_exactly_when_the_filter_said_no() {
    for &kind in Kind::ALL {
        let mut filter = empty(kind, 10_000, 0.05, Seed::FIXED);
        let keys = Random::new(1).hashes(10_000);
        let mut mistaken = 0;
        for key in &keys {
            let maybe = filter.contains_hash(*key);
            let new = filter.as_insert().unwrap().insert_hash(*key).unwrap();
            assert_eq!(new, !maybe, "{kind}");
            assert!(!filter.as_insert().unwrap().insert_hash(*key).unwrap(), "{kind}: again");
            mistaken += u64::from(maybe);
        }
        for key in &keys {
            assert!(!filter.as_insert().unwrap().insert_hash(*key).unwrap(), "{kind}: much later");
        }
        // A fresh key that is no news is a false positive; the rate only rose to this.
        let most = keys.len() as f64 * filter.profile().fpr_now;
        assert!(mistaken > 0 && (mistaken as f64) < most + six_sigma(most), "{kind}: {mistaken}");
        assert_eq!(filter.about().inserted, 30_000, "{kind}: every call counts");
    }
}

#[test]
fn a_batch_is_its_keys_one_by_one() {
    for &kind in Kind::ALL {
        let mut random = Random::new(2);
        for len in [0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000, 4097] {
            // Half of the queries are for keys that are in; some keys come twice.
            let mut keys = random.hashes(len);
            keys.extend_from_within(..len / 3);
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
            // Answers are overwritten, whatever stood there.
            let mut batch: Vec<_> = single.iter().map(|found| !found).collect();
            all.contains_hashes(&queries, &mut batch);
            assert_eq!(single, batch, "{kind} {len}");
        }
    }
}

#[test]
#[should_panic(expected = "an answer for each key")]
fn a_batch_needs_an_answer_for_each_key() {
    empty(Kind::Blocked, 10, 0.1, Seed::FIXED).contains_hashes(&[KeyHash(1)], &mut []);
}

/// The methods that take keys are those that take hashes, with the filter's own seed.
#[test]
fn keys_and_their_hashes_are_one() {
    fn law<F: Plain + Extend<String>>(
        insert: fn(&mut F, &str) -> bool,
        contains_each: fn(&F, &[String]) -> Vec<bool>,
    ) {
        for seed in seeds() {
            let keys: Vec<String> = (0..2000).map(|i| format!("key {i}")).collect();
            let (mut by_key, mut by_hash) = (F::for_items(1000, seed), F::for_items(1000, seed));
            let mut extended = F::for_items(1000, seed);
            for key in &keys[..1000] {
                let new = by_hash.insert_hash(key.hash(&seed)).unwrap();
                assert_eq!(insert(&mut by_key, key), new);
            }
            extended.extend(keys[..1000].iter().cloned());
            assert_eq!(by_key, by_hash);
            assert_eq!(extended, by_hash);
            let found: Vec<_> =
                keys.iter().map(|key| by_hash.contains_hash(key.hash(&seed))).collect();
            assert_eq!(contains_each(&by_key, &keys), found);
            let any: AnyFilter = by_key.into();
            assert!(keys.iter().zip(found).all(|(key, found)| any.contains(key) == found));
        }
    }
    law::<Classic>(|filter, key| filter.insert(key), |filter, keys| filter.contains_each(keys));
    law::<Blocked>(|filter, key| filter.insert(key), |filter, keys| filter.contains_each(keys));
    law::<Split>(|filter, key| filter.insert(key), |filter, keys| filter.contains_each(keys));
}

// ---------------------------------------------------------------------------------------------
// Saving and loading
// ---------------------------------------------------------------------------------------------

/// A reader as networks have them: a few bytes at a time, and sometimes a signal.
struct Dribble<'a> {
    rest: &'a [u8],
    calls: usize,
}

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(5) {
            return Err(ErrorKind::Interrupted.into());
        }
        let len = (self.calls % 13 + 1).min(buffer.len());
        self.rest.read(&mut buffer[..len])
    }
}

/// Bytes that live for ever, at an address that is aligned or is not.
fn forever(bytes: &[u8], aligned: bool) -> &'static [u8] {
    let memory = vec![0; bytes.len() + 128].leak();
    let start = memory.as_ptr().align_offset(64) + usize::from(!aligned);
    memory[start..start + bytes.len()].copy_from_slice(bytes);
    &memory[start..start + bytes.len()]
}

fn through_every_loader(filter: &AnyFilter, open: Open) -> Vec<(&'static str, AnyFilter)> {
    let bytes = bytes_of(filter);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("filter.anther");
    filter.save(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), bytes, "a file is what a stream is");
    vec![
        ("bytes", open.bytes(&bytes).unwrap()),
        ("reader", open.reader(&bytes[..]).unwrap()),
        ("slow reader", open.reader(Dribble { rest: &bytes, calls: 0 }).unwrap()),
        ("file", open.file(&path).unwrap()),
        ("map", open.map(&path).unwrap()),
        ("shared", open.shared(bytes.clone().into()).unwrap()),
        ("static", open.from_static(forever(&bytes, true)).unwrap()),
        ("misaligned", open.from_static(forever(&bytes, false)).unwrap()),
    ]
}

fn recipes() -> [Option<Recipe>; 4] {
    let column = |which, delimiter| Some(Column { which, delimiter });
    [
        None,
        Some(Recipe::default()),
        Some(Recipe {
            separator: Separator::Nul,
            column: column(Which::Number(NonZero::new(3).unwrap()), b'\t'),
            trim: true,
            fold_case: true,
            hex: true,
        }),
        Some(Recipe {
            column: column(Which::Name("naïve \"name\"".to_string()), b','),
            ..Recipe::default()
        }),
    ]
}

#[test]
fn what_is_saved_comes_back() {
    for &kind in Kind::ALL {
        for (seed, open) in [
            (Seed::FIXED, Open::new()),
            (Seed::chosen(u64::MAX), Open::new()),
            (Seed::keyed(SECRET), Open::new().key(SECRET)),
            (Seed::EXTERNAL, Open::new().without_hashing()),
        ] {
            for (recipe, n) in recipes().into_iter().zip([0, 1, 1000, 5000]) {
                let keys = Random::new(3).hashes(n);
                let mut filter = filled(kind, 1000, 0.01, seed, &keys);
                filter.set_recipe(recipe.clone());
                for (way, loaded) in through_every_loader(&filter, open) {
                    assert_eq!(loaded, filter, "{kind}, {way}");
                    assert_eq!(loaded.kind(), kind, "{way}");
                    assert_eq!(loaded.about(), filter.about(), "{kind}, {way}");
                    assert_eq!(loaded.about().recipe, recipe, "{kind}, {way}");
                    assert_eq!(loaded.about().inserted, n as u64, "{kind}, {way}");
                    assert_eq!(loaded.about().target, Some(Target::new(1000, 0.01).unwrap()));
                    assert_eq!(loaded.seed().kind(), seed.kind(), "{kind}, {way}");
                    assert_eq!(loaded.profile(), filter.profile(), "{kind}, {way}");
                    assert_eq!(count_found(&loaded, keys.iter().copied()), n as u64);
                    assert_eq!(bytes_of(&loaded), bytes_of(&filter), "{kind}, {way}");
                }
            }
        }
    }
}

/// Sizes around words, lines and pages, and a filter without a target.
#[test]
fn filters_of_every_size_come_back() {
    fn law<F: Plain>() {
        for bits in [1, 63, 64, 65, 511, 512, 513, 4095, 4096, 4097, 100_000, 9_999_999] {
            let mut filter = F::shaped(Shape::bits(bits).probes(F::PROBES), Seed::FIXED).unwrap();
            filter.insert_hashes(&Random::new(bits).hashes(50)).unwrap();
            let filter: AnyFilter = filter.into();
            assert_eq!(filter.about().target, None);
            for (way, loaded) in through_every_loader(&filter, Open::new()) {
                assert_eq!(loaded, filter, "{bits} bits, {way}");
                assert_eq!(bytes_of(&loaded), bytes_of(&filter), "{bits} bits, {way}");
            }
        }
    }
    over_plain_kinds!(law);
}

/// The first change of a mapped or borrowed filter copies it; the file stays.
#[test]
fn a_mapped_filter_changes_in_memory_only() {
    for &kind in Kind::ALL {
        let mut random = Random::new(4);
        let (keys, more) = (random.hashes(1000), random.hashes(1000));
        let filter = filled(kind, 2000, 0.01, Seed::FIXED, &keys);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("filter.anther");
        filter.save(&path).unwrap();
        let before = fs::read(&path).unwrap();

        let mut mapped = Open::new().map(&path).unwrap();
        let untouched = mapped.clone();
        put(&mut mapped, &more);
        let mut expected = filter.clone();
        put(&mut expected, &more);
        assert_eq!(mapped, expected, "{kind}");
        assert_eq!(untouched, filter, "{kind}: a clone made before does not change");
        assert_eq!(fs::read(&path).unwrap(), before, "{kind}");

        // A file may be replaced while it is mapped, even by the filter that maps it.
        untouched.save(&path).unwrap();
        mapped.save(&path).unwrap();
        assert_eq!(untouched, filter, "{kind}: the old file is still mapped");
        assert_eq!(AnyFilter::open(&path).unwrap(), expected, "{kind}");
        if kind.capabilities().merge {
            let mut merged = untouched.clone();
            merged.merge(&expected).unwrap();
            assert_eq!(cells(&merged), cells(&expected), "{kind}");
        }
    }
}

#[test]
fn a_file_opens_as_its_own_kind_only() {
    fn law<F: Plain + anther::format::Stored>() {
        let folder = tempfile::tempdir().unwrap();
        for &kind in Kind::ALL {
            let path = folder.path().join(kind.name());
            empty(kind, 10, 0.1, Seed::FIXED).save(&path).unwrap();
            match Open::new().file_as::<F>(&path) {
                Ok(_) => assert_eq!(kind, F::KIND),
                Err(LoadError::Kind { expected, got }) => {
                    assert_eq!((expected, got), (F::KIND, kind));
                    assert_ne!(kind, F::KIND);
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    over_plain_kinds!(law);
}

// ---------------------------------------------------------------------------------------------
// Merging
// ---------------------------------------------------------------------------------------------

#[test]
fn merging_is_building_from_both() {
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().merge) {
        for seed in seeds() {
            let all = Random::new(5).hashes(3000);
            // Apart, overlapping, one inside the other, equal, empty.
            for (ours, theirs) in [
                (0..1000, 1000..3000),
                (0..2000, 1000..3000),
                (0..3000, 1000..2000),
                (0..1500, 0..1500),
                (0..0, 0..3000),
                (0..3000, 0..0),
                (0..0, 0..0),
            ] {
                let (ours, theirs) = (&all[ours], &all[theirs]);
                let a = filled(kind, 2000, 0.01, seed, ours);
                let b = filled(kind, 2000, 0.01, seed, theirs);
                let both = filled(kind, 2000, 0.01, seed, &[ours, theirs].concat());
                let mut merged = a.clone();
                merged.merge(&b).unwrap();
                assert_eq!(merged, both, "{kind}: bit for bit, and as many inserts");
                let mut other_way = b.clone();
                other_way.merge(&a).unwrap();
                assert_eq!(other_way, merged, "{kind}: whichever takes the other");

                // Once more changes nothing but the number of inserts.
                merged.merge(&b).unwrap();
                merged.merge(&merged.clone()).unwrap();
                assert_eq!(cells(&merged), cells(&both), "{kind}");
                assert_eq!(merged.about().target, both.about().target);
                assert_eq!(
                    merged.about().inserted,
                    2 * (both.about().inserted + theirs.len() as u64)
                );
            }
        }
    }
}

#[test]
fn merging_goes_by_any_grouping() {
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().merge) {
        let keys = Random::new(6).hashes(900);
        let [a, b, c] = [0, 300, 600]
            .map(|start| filled(kind, 900, 1e-3, Seed::FIXED, &keys[start..start + 300]));
        let (mut left, mut right) = (a.clone(), b.clone());
        left.merge(&b).unwrap();
        left.merge(&c).unwrap();
        right.merge(&c).unwrap();
        let mut whole = a;
        whole.merge(&right).unwrap();
        assert_eq!(left, whole, "{kind}");
        assert_eq!(whole, filled(kind, 900, 1e-3, Seed::FIXED, &keys), "{kind}");
    }
}

/// Asserts that two filters refuse each other, both ways, and are as they were.
#[track_caller]
fn refuse(a: &AnyFilter, b: &AnyFilter, expected: fn(&Mismatch) -> bool) {
    for (ours, theirs) in [(a, b), (b, a)] {
        let (mut merged, other) = (ours.clone(), theirs.clone());
        let error = merged.merge(&other).unwrap_err();
        assert!(expected(&error), "{error:?}");
        assert_eq!((&merged, &other), (ours, theirs), "both are as they were");
    }
}

#[test]
fn filters_that_differ_do_not_merge() {
    let keys = Random::new(7).hashes(100);
    let make = |kind, seed| filled(kind, 100, 0.01, seed, &keys);
    for &kind in Kind::ALL {
        for &other in Kind::ALL.iter().filter(|other| **other != kind) {
            refuse(
                &make(kind, Seed::FIXED),
                &make(other, Seed::FIXED),
                |error| matches!(error, Mismatch::Kind { ours, theirs } if ours != theirs),
            );
        }
        if !kind.capabilities().merge {
            continue;
        }
        let all = [
            Seed::FIXED,
            Seed::chosen(1),
            Seed::chosen(2),
            Seed::keyed(SECRET),
            Seed::keyed([1; 16]),
            Seed::EXTERNAL,
        ];
        for (at, ours) in all.iter().enumerate() {
            for theirs in &all[..at] {
                refuse(&make(kind, *ours), &make(kind, *theirs), |error| {
                    matches!(error, Mismatch::Seed)
                });
            }
        }
        for (at, ours) in recipes().iter().enumerate() {
            for theirs in &recipes()[..at] {
                let (mut a, mut b) = (make(kind, Seed::FIXED), make(kind, Seed::FIXED));
                a.set_recipe(ours.clone());
                b.set_recipe(theirs.clone());
                refuse(&a, &b, |error| matches!(error, Mismatch::Recipe { .. }));
            }
        }
    }
}

#[test]
fn shapes_that_do_not_fit_do_not_merge() {
    fn law<F: Plain>() {
        let make = |units: u64, probes: u32| -> F {
            let shape = Shape::bits(units * F::UNIT).probes(probes);
            let mut filter = F::shaped(shape, Seed::FIXED).unwrap();
            filter.insert_hashes(&Random::new(8).hashes(20)).unwrap();
            filter
        };
        if F::PROBES != Lanes::PROBES {
            refuse(
                &make(12, F::PROBES).into(),
                &make(12, F::PROBES + 1).into(),
                |error| matches!(error, Mismatch::Probes { ours, theirs } if ours != theirs),
            );
        }
        for (ours, theirs) in [(12, 18), (12, 13), (2, 3), (100, 8), (64, 65), (1000, 999)] {
            let (a, b) = (make(ours, F::PROBES), make(theirs, F::PROBES));
            refuse(
                &a.clone().into(),
                &b.clone().into(),
                |error| matches!(error, Mismatch::Bits { ours, theirs } if ours != theirs),
            );
            // What looks at two rows side by side needs them of one length, multiples or not.
            for (a, b) in [(&a, &b), (&a, &make(2 * ours, F::PROBES))] {
                let mut both = a.clone();
                assert!(matches!(both.intersect(b), Err(Mismatch::Bits { .. })));
                assert_eq!(both, *a);
                assert!(matches!(a.estimate_union(b), Err(Mismatch::Bits { .. })));
                assert!(matches!(a.estimate_intersection(b), Err(Mismatch::Bits { .. })));
            }
        }
        let (fixed, chosen) = (F::for_items(9, Seed::FIXED), F::for_items(9, Seed::chosen(1)));
        assert_eq!(fixed.clone().intersect(&chosen), Err(Mismatch::Seed));
        assert_eq!(fixed.estimate_union(&chosen), Err(Mismatch::Seed));
    }
    over_plain_kinds!(law);
}

// ---------------------------------------------------------------------------------------------
// What a filter says of itself
// ---------------------------------------------------------------------------------------------

#[test]
fn the_registry_tells_the_truth() {
    for &kind in Kind::ALL {
        let can = kind.capabilities();
        let mut filter = empty(kind, 100, 0.01, Seed::FIXED);
        assert_eq!(filter.kind(), kind);
        assert_eq!(filter.profile().kind, kind);
        assert_eq!(filter.as_insert().is_some(), can.insert, "{kind}");
        assert_eq!(kind.bits_for(Target::new(100, 0.01).unwrap()), Ok(filter.profile().bits));
        let other = filter.clone();
        match filter.merge(&other) {
            Ok(()) => assert!(can.merge, "{kind}"),
            Err(error) => assert!(matches!(error, Mismatch::Unsupported { .. }) && !can.merge),
        }
        // No false negatives: `a_key_that_is_in_is_found` runs for those that promise it.
        assert!(can.no_false_negatives, "{kind}: say which law holds instead");
    }
}

#[test]
fn an_empty_filter_says_no() {
    for &kind in Kind::ALL {
        for (items, fpr) in [(1, 0.999_999), (1, 1e-8), (100, 0.5), (10_000, 0.01)] {
            let filter = empty(kind, items, fpr, Seed::FIXED);
            assert_eq!(count_found(&filter, Random::new(9).hashes(1000)), 0, "{kind}");
            let profile = filter.profile();
            assert_eq!((profile.items.items, profile.inserted), (0.0, 0), "{kind}");
            assert_eq!((profile.fill, profile.fpr_now), (0.0, 0.0), "{kind}");
            assert!(!profile.is_overfull() && !profile.items.saturated, "{kind}");
        }
    }
}

/// From nearly empty to 90 % full: within six of its own deviations. Half an item more is allowed,
/// since a count is whole while the estimate of a nearly empty filter is good to less than that.
#[test]
fn the_estimate_of_items_is_as_good_as_it_says() {
    for &kind in Kind::ALL {
        for items in [100u64, 5000, 300_000] {
            let mut filter = empty(kind, items, 0.01, Seed::FIXED);
            let mut random = Random::new(items);
            let (mut n, mut checks) = (0u64, 0);
            while filter.profile().fill < 0.9 {
                let more = (n / 3).max(1);
                put(&mut filter, &random.hashes(more as usize));
                n += more;
                checks += 1;
                let estimate = filter.profile().items;
                let error = (estimate.items - n as f64).abs();
                assert!(
                    error <= 6.0 * estimate.deviation + 0.5,
                    "{kind}: {n} items of {items}, {estimate:?}"
                );
            }
            assert!(n > 2 * items && checks > 10, "{kind}");
        }
    }
}

/// A large filter with little in it: the deviation is a small difference of large numbers.
#[test]
fn the_estimate_holds_where_a_large_filter_is_nearly_empty() {
    for &kind in Kind::ALL {
        let mut filter = empty(kind, 100_000_000, 0.01, Seed::FIXED);
        let mut random = Random::new(27);
        let mut n = 0.0;
        for more in [1u32, 999, 99_000, 900_000] {
            put(&mut filter, &random.hashes(more as usize));
            n += f64::from(more);
            let estimate = filter.profile().items;
            let error = (estimate.items - n).abs();
            assert!(error <= 6.0 * estimate.deviation + 0.5, "{kind}, {n}: {estimate:?}");
            // A key of `blocked` sets 5.97 ± 0.17 bits, so one key is known to within 0.03.
            assert!(estimate.deviation <= 0.05 * n.sqrt(), "{kind}, {n}: {estimate:?}");
        }
    }
}

/// Neither modest nor boastful: over many filters the error has the stated deviation. The mean of
/// N squares of a normal variable is 1 ± √(2/N), the mean of N of them 0 ± √(1/N).
#[test]
fn the_deviation_of_the_estimate_is_the_true_one() {
    const FILTERS: u64 = 400;
    for &kind in Kind::ALL {
        for n in [1000u64, 2000, 4000, 6000] {
            let (mut sum, mut squares) = (0.0, 0.0);
            for seed in 0..FILTERS {
                let keys = Random::new(n ^ seed << 20).hashes(n as usize);
                let estimate = filled(kind, 2000, 0.01, Seed::FIXED, &keys).profile().items;
                let z = (estimate.items - n as f64) / estimate.deviation;
                sum += z;
                squares += z * z;
            }
            let (mean, square) = (sum / FILTERS as f64, squares / FILTERS as f64);
            let sigma = (1.0 / FILTERS as f64).sqrt();
            assert!(mean.abs() < 6.0 * sigma, "{kind}, {n}: off by {mean} deviations");
            assert!((square - 1.0).abs() < 6.0 * 2f64.sqrt() * sigma, "{kind}, {n}: {square}");
        }
    }
}

/// The rate now is the rate measured: half full, full, and filled twice over, where it must be
/// within 10 % and the filter must say that it is overfull.
#[test]
fn the_rate_now_is_the_rate_measured() {
    const QUERIES: u64 = 1_000_000;
    for &kind in Kind::ALL {
        for (items, fpr) in [(20_000u64, 0.01), (20_000, 1e-3), (500, 0.1)] {
            for (load, overfull) in [(0.5, false), (1.0, false), (2.0, true)] {
                let mut random = Random::new(items ^ u64::from(overfull));
                let keys = random.hashes((items as f64 * load) as usize);
                let filter = filled(kind, items, fpr, Seed::FIXED, &keys);
                let profile = filter.profile();
                let hits = count_found(&filter, (0..QUERIES).map(|_| KeyHash(random.draw())));
                let what = format!("{kind}, {items} items at {fpr}, {load} times full");
                assert_rate(hits, QUERIES, profile.fpr_now, &what);
                assert_eq!(profile.is_overfull(), overfull, "{what}");
                if overfull {
                    let measured = hits as f64 / QUERIES as f64;
                    assert!((profile.fpr_now / measured - 1.0).abs() < 0.1, "{what}: {measured}");
                    assert!(measured > 2.0 * fpr, "{what}: {measured}");
                }
            }
        }
    }
}

/// A full filter, in the other sense: it says yes to everything, and says so.
#[test]
fn a_saturated_filter_knows_it() {
    for &kind in Kind::ALL {
        let filter = filled(kind, 1, 0.5, Seed::FIXED, &Random::new(10).hashes(20_000));
        let profile = filter.profile();
        assert_eq!((profile.fill, profile.fpr_now), (1.0, 1.0), "{kind}");
        assert!(profile.items.saturated && profile.is_overfull(), "{kind}");
        assert!(profile.items.items.is_finite() && profile.items.deviation.is_finite());
        assert_eq!(count_found(&filter, Random::new(11).hashes(100)), 100, "{kind}");
    }
}

/// Where keys share lines, the rate of the mean fill is too low; the mean over the lines is not.
#[test]
fn averaging_over_lines_beats_the_mean_fill() {
    const QUERIES: u64 = 4_000_000;
    for kind in [Kind::Blocked, Kind::Split] {
        let mut random = Random::new(12);
        let filter = filled(kind, 100_000, 1e-3, Seed::FIXED, &random.hashes(100_000));
        let profile = filter.profile();
        let hits = count_found(&filter, (0..QUERIES).map(|_| KeyHash(random.draw())));
        let global = profile.fill.powi(profile.probes.cast_signed());
        let understated = QUERIES as f64 * global;
        assert!(hits as f64 > understated + six_sigma(understated), "{kind}: {hits} {global}");
        assert_rate(hits, QUERIES, profile.fpr_now, kind);
    }
}

// ---------------------------------------------------------------------------------------------
// Secrets, threads, extremes
// ---------------------------------------------------------------------------------------------

/// Every way in which somebody might write the key or half of it, each 8 bytes at least.
fn forms_of(key: [u8; 16]) -> Vec<String> {
    let mut forms = Vec::new();
    for half in key.chunks(8) {
        let list = |number: fn(&u8) -> String| half.iter().map(number).collect::<Vec<_>>();
        forms.push(list(|byte| format!("{byte:02x}")).concat());
        forms.push(list(|byte| format!("{byte}")).join(", "));
        forms.push(list(|byte| format!("{byte:x}")).join(", "));
        forms.push(list(|byte| format!("{byte:02x}")).join(" "));
        forms.push(list(|byte| format!("{byte:#x}")).join(", "));
        let number = u64::from_le_bytes(half.try_into().unwrap());
        for number in [number, number.swap_bytes()] {
            forms.extend([format!("{number}"), format!("{number:x}")]);
            forms.push(format!("{}", number.cast_signed()));
        }
    }
    let whole = u128::from_le_bytes(key);
    forms.extend([whole, whole.swap_bytes()].map(|number| number.to_string()));
    forms
}

#[test]
fn nobody_is_shown_a_secret_key() {
    let seed = Seed::keyed(SECRET);
    let other = Seed::keyed([0x5A; 16]);
    let mut told = vec![format!("{seed:?} {seed:#?} {:?}", seed.kind())];
    let open = Open::new().key(SECRET);
    told.push(format!("{open:?} {open:#?}"));
    for &kind in Kind::ALL {
        let keys = Random::new(13).hashes(1000);
        let filter = filled(kind, 1000, 0.01, seed, &keys);
        told.push(format!("{filter:?} {filter:#?}"));
        told.push(format!("{:?} {:?}", filter.profile(), filter.about()));
        let bytes = bytes_of(&filter);
        for (way, loaded) in through_every_loader(&filter, open) {
            told.push(format!("{way}: {loaded:?}"));
        }
        // A wrong key, no key, a key where there is none, a flipped bit, another filter's key.
        let (unkeyed, mut flipped) = (bytes_of(&empty(kind, 9, 0.1, Seed::FIXED)), bytes.clone());
        flipped[200] ^= 1;
        for result in [
            Open::new().key([1; 16]).bytes(&bytes),
            Open::new().bytes(&bytes),
            open.bytes(&unkeyed),
            open.bytes(&flipped),
            open.bytes(&bytes_of(&empty(kind, 9, 0.1, other))),
        ] {
            let error = result.unwrap_err();
            told.push(format!("{error} {error:?}"));
        }
        let mut merged = filter.clone();
        let error = merged.merge(&empty(kind, 1000, 0.01, other)).unwrap_err();
        told.push(format!("{error} {error:?}"));

        // Not in the file either, nor any eight bytes of it.
        for window in SECRET.windows(8) {
            let mut reversed = window.to_vec();
            reversed.reverse();
            for secret in [window, &reversed] {
                assert!(!bytes.windows(8).any(|bytes| bytes == secret), "{kind}: in the file");
            }
        }
    }
    fn shared<F: Plain>() -> String {
        format!("{:?}", F::for_items(10, Seed::keyed(SECRET)).into_shared().unwrap())
    }
    told.extend([shared::<Classic>(), shared::<Blocked>(), shared::<Split>()]);
    for text in told.iter().map(|text| text.to_lowercase()) {
        for form in forms_of(SECRET) {
            assert!(!text.contains(&form), "{form} in {text}");
        }
    }
    assert!(told.iter().any(|text| text.contains("Seed(keyed)")), "the search looks at something");
}

#[test]
fn filters_go_where_values_go() {
    fn value<T: Clone + Debug + PartialEq + Send + Sync + 'static>() {}
    fn threads<T: Send + Sync + 'static>() {}
    value::<Classic>();
    value::<Blocked>();
    value::<Split>();
    value::<AnyFilter>();
    value::<Seed>();
    value::<anther::Profile>();
    threads::<Shared<Classic>>();
    threads::<Shared<Blocked>>();
    threads::<Shared<Split>>();
    threads::<Open>();
    threads::<LoadError>();
    threads::<anther::SaveError>();
    threads::<Mismatch>();
}

#[test]
fn targets_out_of_range_are_named() {
    for items in [0, Target::MAX_ITEMS + 1, u64::MAX] {
        let error = Target::new(items, 0.01).unwrap_err();
        assert!(matches!(error, TargetError::Items { got } if got == items));
        let text = format!("{items} items are not possible; it must be 1 to 281474976710656");
        assert_eq!(error.to_string(), text);
    }
    for (fpr, name) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (2.0, "2.0"),
        (-1.0, "-1.0"),
        (1e-300, "1e-300"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        (9.9e-19, "9.9e-19"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
    ] {
        let text = format!(
            "a false-positive rate of {name} is not possible; \
             it must be at least 1e-18 and below 1"
        );
        assert_eq!(Target::new(1000, fpr).unwrap_err().to_string(), text);
    }
}

/// Targets that make sense and that a kind cannot keep: the error names what was asked for and
/// what can be had, at once.
#[test]
fn targets_out_of_reach_are_named() {
    for &kind in Kind::ALL {
        for (items, fpr) in [(Target::MAX_ITEMS, 0.5), (Target::MAX_ITEMS, 0.01)] {
            let target = Target::new(items, fpr).unwrap();
            for error in [
                AnyFilter::new(kind, target, Seed::FIXED).unwrap_err(),
                kind.bits_for(target).unwrap_err(),
            ] {
                let SizeError::TooLarge { got, most, .. } = error else { panic!("{error:?}") };
                let least = items as f64 * -fpr.log2();
                assert!(got > most && got as f64 > least, "{kind}: {got}");
                let text = format!(
                    "{kind} cannot have {got} bits; it can have at most {most}: \
                     ask for fewer items or a higher rate"
                );
                assert_eq!(error.to_string(), text);
            }
        }
        // Below what 64-bit hashes of so many items, or the kind, can give.
        for (items, fpr) in [(1 << 40, 1e-8), (Target::MAX_ITEMS, 1e-5), (1000, 1e-18)] {
            let error = empty_error(kind, items, fpr);
            let SizeError::Fpr { got, least, .. } = error else { panic!("{kind}: {error:?}") };
            assert!(got == fpr && least >= items as f64 * 2f64.powi(-64), "{kind}: {error:?}");
            let text = error.to_string();
            assert!(text.contains(&format!("of {fpr:e}; ")), "{text}");
            assert!(text.contains(&format!("cannot go below {least:e}")), "{text}");
        }
        // The nearest that is possible works.
        for (items, fpr) in [(1, 1e-8), (1, 0.999_999), (1000, 1e-8), (2, 0.5)] {
            let keys = Random::new(14).hashes(items as usize);
            let filter = filled(kind, items, fpr, Seed::FIXED, &keys);
            assert_eq!(count_found(&filter, keys), items, "{kind}");
        }
    }
}

fn empty_error(kind: Kind, items: u64, fpr: f64) -> SizeError {
    let target = Target::new(items, fpr).unwrap();
    assert_eq!(kind.bits_for(target), Err(kind.bits_for(target).unwrap_err()));
    AnyFilter::new(kind, target, Seed::FIXED).unwrap_err()
}

#[test]
fn shapes_out_of_range_are_named() {
    fn law<F: Plain + anther::format::Stored>() {
        let kind = F::KIND;
        let refused = |shape| F::shaped(shape, Seed::FIXED).unwrap_err().to_string();
        let small = |got| format!("{kind} cannot have {got} bits; it needs at least {}", F::UNIT);
        assert_eq!(refused(Shape::bits(0).probes(F::PROBES)), small(0));
        assert_eq!(refused(Shape::memory(0).items(10)), small(0));
        if F::UNIT > 8 {
            assert_eq!(refused(Shape::memory(31).items(10)), small(248));
        }
        for shape in [Shape::bits(u64::MAX), Shape::memory(u64::MAX), Shape::bits(1 << 50)] {
            for shape in [shape.probes(F::PROBES), shape.items(1)] {
                let text = refused(shape);
                assert!(text.starts_with(&format!("{kind} cannot have ")), "{text}");
                assert!(text.contains(" bits; it can have at most "), "{text}");
            }
        }
        for probes in [0, F::MOST_PROBES + 1, u32::MAX] {
            let (least, most) = (F::LEAST_PROBES, F::MOST_PROBES);
            let allowed = match least == most {
                true => format!("it always has {most}"),
                false => format!("it can have {least} to {most}"),
            };
            assert_eq!(
                refused(Shape::bits(1024).probes(probes)),
                format!("{kind} cannot have {probes} probes a key; {allowed}")
            );
        }
        // Any number of items has a best number of probes.
        for items in [0, 1, 1000, u64::MAX] {
            let filter = F::shaped(Shape::memory(1024).items(items), Seed::FIXED).unwrap();
            assert_eq!(filter.profile().bits, 8192);
            assert!((F::LEAST_PROBES..=F::MOST_PROBES).contains(&filter.profile().probes));
        }
    }
    over_plain_kinds!(law);
}

// ---------------------------------------------------------------------------------------------
// Hashes that a weak rule would stumble over
// ---------------------------------------------------------------------------------------------

/// Hashes that are degenerate in one half, in both, or in their multiples.
fn degenerate_hashes() -> Vec<KeyHash> {
    let mut hashes =
        vec![0, 1, 2, 3, u64::MAX, u64::MAX - 1, u64::MAX - 2, 1 << 63, i64::MAX as u64];
    hashes.extend((0..64).map(|bit| 1 << bit));
    hashes.extend((0..64).map(|bit| u64::MAX << bit));
    hashes.extend((0..64).map(|bit| u64::MAX >> bit));
    hashes.extend((0..64).map(|bit| !(1 << bit)));
    for half in [1, 2, 3, 0x8000_0000, 0xFFFF_FFFF, 0x5555_5555, 0xAAAA_AAAA] {
        hashes.extend([half, half << 32, half << 32 | half, half << 32 | (half ^ 0xFFFF_FFFF)]);
    }
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into_iter().map(KeyHash).collect()
}

#[test]
fn degenerate_hashes_are_keys_like_others() {
    for &kind in Kind::ALL {
        for fpr in [0.5, 0.01, 1e-6] {
            let hashes = degenerate_hashes();
            let filter = filled(kind, hashes.len() as u64, fpr, Seed::EXTERNAL, &hashes);
            assert_eq!(count_found(&filter, hashes.iter().copied()), hashes.len() as u64);
            for (way, loaded) in through_every_loader(&filter, Open::new().without_hashing()) {
                assert_eq!(loaded, filter, "{kind}, {way}");
            }
        }
    }
}

/// Probes that all meet in one cell are one probe. Spread over a million cells, k probes of any
/// hash find k different cells, give or take the one that a zero step repeats.
#[test]
fn probes_do_not_meet() {
    for probes in [2, 3, 7, 17, 64] {
        for cells in [1 << 20, 1_000_003, 3 << 29, 1 << 33, 1 << 46] {
            for key in degenerate_hashes() {
                let mut seen = HashSet::new();
                Spread::new(cells, probes).each(key, |cell| {
                    assert!(cell < cells);
                    seen.insert(cell);
                });
                assert!(
                    seen.len() + 1 + probes as usize / 16 >= probes as usize,
                    "{key:?}: {} cells of {cells} with {probes} probes",
                    seen.len()
                );
                assert!(probes == 2 || seen.len() > 1, "{key:?}");
            }
        }
    }
    // One bit in each lane: they cannot meet, whatever the hash.
    for key in degenerate_hashes() {
        let mut lanes = HashSet::new();
        Lanes::new(1000).each(key, |place| {
            lanes.insert(place / 32);
        });
        assert_eq!(lanes.len(), 8, "{key:?}");
    }
}

/// Within a line the places are odd multiples of 32 bits, so they meet only where those 32 bits
/// end in zeros: 2 of 2³² patterns give one place (0 and 2³¹), 2 more give two, 4 more give at
/// most four, and so on. Together they add less than 10⁻⁹ to a rate, a tenth of the least that
/// `blocked` takes. The long run goes through all patterns.
#[test]
fn places_in_a_line_meet_only_for_round_patterns() {
    let places = |pattern: u32| line_places(pattern).len();
    for bits in 0..9u32 {
        for odd in (1..1u32 << bits).step_by(2) {
            let pattern = odd << (32 - bits);
            assert!(places(pattern) <= 1 << bits, "{pattern:x}");
            assert!(bits == 1 || places(pattern) > 1, "{pattern:x}");
        }
    }
    assert_eq!((places(0), places(1 << 31)), (1, 1));
    let mut random = Random::new(15);
    let fewest = (0..1_000_000).map(|_| places(random.draw() as u32)).min();
    assert!(fewest >= Some(9), "{fewest:?}");
}

/// The different places of sixteen probes for the 32 bits that a hash gives a line.
fn line_places(pattern: u32) -> HashSet<u32> {
    // The inverse of the multiplier that brings the low bits of the hash up, modulo 2⁶⁴.
    const INVERSE: u64 = 0xF1DE_83E1_9937_733D;
    const { assert!(INVERSE.wrapping_mul(0x9E37_79B9_7F4A_7C15) == 1) };
    let key = KeyHash((u64::from(pattern) << 32).wrapping_mul(INVERSE));
    let mut places = HashSet::new();
    Line::new(1, 16).each(key, |place| {
        places.insert(place);
    });
    places
}

// ---------------------------------------------------------------------------------------------
// Plain bits
// ---------------------------------------------------------------------------------------------

/// A kind that is nothing but a row of bits, as the laws of such kinds need it.
trait Plain:
    PlainBits + ForTarget + Merge + PartialEq + Debug + Into<AnyFilter> + TryFrom<AnyFilter> + 'static
{
    /// Bits of what a fold counts.
    const UNIT: u64;
    const LEAST_PROBES: u32 = 1;
    const MOST_PROBES: u32;
    /// Some number of probes that it can have.
    const PROBES: u32;

    fn shaped(shape: Shape, seed: Seed) -> Result<Self, SizeError>;

    fn for_items(items: u64, seed: Seed) -> Self {
        Self::with_seed(Target::new(items, 0.01).unwrap(), seed).unwrap()
    }

    /// So many units, with these keys in.
    fn units(units: u64, keys: &[KeyHash]) -> Self {
        let shape = Shape::bits(units * Self::UNIT).probes(Self::PROBES);
        let mut filter = Self::shaped(shape, Seed::FIXED).unwrap();
        filter.insert_hashes(keys).unwrap();
        filter
    }
}

impl Plain for Classic {
    const UNIT: u64 = 1;
    const MOST_PROBES: u32 = Spread::MAX_PROBES;
    const PROBES: u32 = 5;

    fn shaped(shape: Shape, seed: Seed) -> Result<Classic, SizeError> {
        Classic::with_shape(shape, seed)
    }
}

impl Plain for Blocked {
    const UNIT: u64 = Line::BITS;
    const MOST_PROBES: u32 = Line::MAX_PROBES;
    const PROBES: u32 = 5;

    fn shaped(shape: Shape, seed: Seed) -> Result<Blocked, SizeError> {
        Blocked::with_shape(shape, seed)
    }
}

impl Plain for Split {
    const UNIT: u64 = Lanes::BITS;
    const LEAST_PROBES: u32 = Lanes::PROBES;
    const MOST_PROBES: u32 = Lanes::PROBES;
    const PROBES: u32 = Lanes::PROBES;

    fn shaped(shape: Shape, seed: Seed) -> Result<Split, SizeError> {
        Split::with_shape(shape, seed)
    }
}

macro_rules! over_plain_kinds {
    ($law:ident) => {
        $law::<Classic>();
        $law::<Blocked>();
        $law::<Split>();
    };
}
use over_plain_kinds;

#[test]
fn folding_is_building_smaller() {
    fn law<F: Plain>() {
        let keys = Random::new(16).hashes(500);
        for (units, ratio) in
            [(1, 1), (2, 1), (2, 2), (6, 2), (6, 3), (1000, 8), (1009 * 7, 7), (4096, 64)]
        {
            let large = F::units(units, &keys);
            assert_eq!(large.fold(ratio), Ok(F::units(units / ratio, &keys)), "{units}/{ratio}");
            assert_eq!(large, F::units(units, &keys), "the folded one stays");
        }
        let twice = F::units(60, &keys).fold(2).unwrap().fold(3).unwrap();
        assert_eq!(Ok(twice), F::units(60, &keys).fold(6));
        let filter = F::units(12, &keys);
        for ratio in [0, 5, 8, 13, 24, u64::MAX] {
            let expected = FoldError::Ratio { ratio, units: 12 };
            assert_eq!(filter.fold(ratio), Err(expected), "{ratio}");
        }
        // A target shrinks with its filter: the same rate for so many fewer items.
        let target = Target::new(1 << 20, 0.01).unwrap();
        let large = F::with_seed(target, Seed::FIXED).unwrap();
        let units = large.profile().bits / F::UNIT;
        let ratio = (2..).find(|ratio| units.is_multiple_of(*ratio)).unwrap();
        let small = large.fold(ratio).unwrap().profile();
        assert_eq!(small.target, Some(Target::new((1 << 20) / ratio, 0.01).unwrap()));
    }
    over_plain_kinds!(law);
}

#[test]
fn sizes_of_integer_ratio_merge_at_the_smaller() {
    fn law<F: Plain>() {
        let mut random = Random::new(17);
        let (ours, theirs) = (random.hashes(300), random.hashes(200));
        for (units, ratio) in [(1, 2), (5, 3), (64, 8), (1000, 7), (999, 64)] {
            let (small, large) = (F::units(units, &ours), F::units(units * ratio, &theirs));
            let both = F::units(units, &[&ours[..], &theirs].concat());
            let mut merged = small.clone();
            merged.merge(&large).unwrap();
            assert_eq!(merged, both, "{units} and {ratio} times as many");
            let mut merged = large.clone();
            merged.merge(&small).unwrap();
            assert_eq!(merged, both, "{units} and {ratio} times as many, the other way");
        }
    }
    over_plain_kinds!(law);
}

/// Every common key stays, no bit appears, and the rate is not above either filter's.
#[test]
fn an_intersection_keeps_what_is_common() {
    fn law<F: Plain>() {
        let all = Random::new(18).hashes(3000);
        let (ours, theirs) = (F::units(4096, &all[..2000]), F::units(4096, &all[1000..]));
        let mut both = ours.clone();
        both.intersect(&theirs).unwrap();
        assert_eq!(count_found(&both, all[1000..2000].iter().copied()), 1000);
        for (word, (a, b)) in
            both.bits().words().iter().zip(ours.bits().words().iter().zip(theirs.bits().words()))
        {
            assert_eq!(*word, a & b);
        }
        let rate = |filter: &F| filter.profile().fpr_now;
        assert!(rate(&both) <= rate(&ours).min(rate(&theirs)));
        let queries = Random::new(19).hashes(200_000);
        let found = |filter: &F| count_found(filter, queries.iter().copied());
        assert!(found(&both) <= found(&ours).min(found(&theirs)));
        assert_eq!(both.profile().inserted, 2000, "not more than either");

        let mut same = ours.clone();
        same.intersect(&ours.clone()).unwrap();
        assert_eq!(same, ours, "with itself: nothing changes");
        let mut other_way = theirs.clone();
        other_way.intersect(&ours).unwrap();
        assert_eq!(other_way.bits(), both.bits());
    }
    over_plain_kinds!(law);
}

#[test]
fn a_cleared_filter_is_a_fresh_one() {
    fn law<F: Plain>() {
        for seed in seeds() {
            let mut fresh = F::for_items(1000, seed);
            fresh.set_recipe(Some(Recipe::default()));
            let mut cleared = fresh.clone();
            cleared.insert_hashes(&Random::new(20).hashes(5000)).unwrap();
            assert_ne!(cleared, fresh);
            cleared.clear();
            assert_eq!(cleared, fresh);
            assert_eq!(bytes_of(&cleared.into()), bytes_of(&fresh.into()));
        }
    }
    over_plain_kinds!(law);
}

#[test]
fn unions_and_intersections_are_estimated() {
    fn law<F: Plain>() {
        for (a, common, b) in [(3000, 0, 3000), (3000, 3000, 3000), (0, 2000, 4000), (10, 5, 9000)]
        {
            let keys = Random::new(21).hashes(a + common + b);
            let (ours, theirs) = (&keys[..a + common], &keys[a..]);
            let (mut one, mut other) =
                (F::for_items(6000, Seed::FIXED), F::for_items(6000, Seed::FIXED));
            one.insert_hashes(ours).unwrap();
            other.insert_hashes(theirs).unwrap();
            let union = one.estimate_union(&other).unwrap();
            let mut merged = one.clone();
            merged.merge(&other).unwrap();
            assert_eq!(union, merged.estimate_items(), "the estimate of the union is the union's");
            let error = (union.items - keys.len() as f64).abs();
            assert!(error <= 6.0 * union.deviation + 0.5, "{union:?}");
            // A sum of three estimates errs at most by the sum of their errors.
            let deviation =
                union.deviation + one.estimate_items().deviation + other.estimate_items().deviation;
            let both = one.estimate_intersection(&other).unwrap();
            assert!((both - common as f64).abs() <= 6.0 * deviation + 0.5, "{both} {common}");
            assert!(both >= 0.0);
        }
    }
    over_plain_kinds!(law);
}

/// Owned memory is handed over, not copied: to threads and back.
#[test]
fn conversions_do_not_copy() {
    fn law<F: Plain>() {
        let mut filter = F::for_items(100_000, Seed::FIXED);
        filter.insert_hashes(&Random::new(22).hashes(1000)).unwrap();
        let (before, address) = (filter.clone(), filter.bits().words().as_ptr());
        assert_eq!(address.addr() % 64, 0, "at a cache line");
        let filter = filter.into_shared().unwrap().into_inner();
        assert_eq!(filter.bits().words().as_ptr(), address);
        assert_eq!(filter, before);
        let any: AnyFilter = filter.into();
        let Ok(filter) = F::try_from(any) else { panic!("another kind") };
        assert_eq!(filter.bits().words().as_ptr(), address);

        // What lives for ever is borrowed, and copied only to be changed.
        let bytes = forever(&bytes_of(&before.clone().into()), true);
        let Ok(mut borrowed) = F::try_from(Open::new().from_static(bytes).unwrap()) else {
            panic!("another kind");
        };
        let inside = |filter: &F| {
            bytes.as_ptr_range().contains(&filter.bits().words().as_ptr().cast::<u8>())
        };
        assert!(inside(&borrowed) && inside(&borrowed.clone()));
        borrowed.insert_hash(KeyHash(1)).unwrap();
        assert!(!inside(&borrowed));
    }
    over_plain_kinds!(law);
}

// ---------------------------------------------------------------------------------------------
// Threads
// ---------------------------------------------------------------------------------------------

#[test]
fn many_threads_build_the_filter_of_one() {
    fn law<F: Plain>() {
        for n in [0, 1, 7, 50_000] {
            let keys = Random::new(23).hashes(n);
            let mut serial = F::for_items(40_000, Seed::FIXED);
            serial.insert_hashes(&keys).unwrap();
            for threads in [1, 2, 3, 8] {
                let shared = F::for_items(40_000, Seed::FIXED).into_shared().unwrap();
                shared.insert_hashes(&keys, NonZero::new(threads).unwrap());
                assert!(keys.iter().all(|key| shared.contains_hash(*key)));
                assert_eq!(shared.into_inner(), serial, "{threads} threads");

                // Key by key, each thread on its own.
                let shared = F::for_items(40_000, Seed::FIXED).into_shared().unwrap();
                thread::scope(|scope| {
                    for part in keys.chunks(n.div_ceil(threads).max(1)) {
                        let shared = &shared;
                        scope.spawn(move || {
                            for key in part {
                                shared.insert_hash(*key);
                            }
                        });
                    }
                });
                let filter = shared.into_inner();
                assert_eq!(filter, serial, "{threads} threads");
                assert_eq!(count_found(&filter, keys.iter().copied()), n as u64);
            }
        }
    }
    over_plain_kinds!(law);
}

/// Alone, a shared filter answers as the plain one does.
#[test]
fn a_shared_filter_answers_as_the_plain_one() {
    fn law<F: Plain>() {
        let mut plain = F::for_items(2000, Seed::FIXED);
        let shared = plain.clone().into_shared().unwrap();
        for key in Random::new(24).hashes(10_000) {
            assert_eq!(shared.contains_hash(key), plain.contains_hash(key));
            assert_eq!(shared.insert_hash(key), plain.insert_hash(key).unwrap());
        }
        for key in 0..1000u64 {
            let hash = key.hash(&Seed::FIXED);
            assert_eq!(shared.contains(key), plain.contains_hash(hash));
            assert_eq!(shared.insert(key), plain.insert_hash(hash).unwrap());
        }
        assert_eq!(shared.into_inner(), plain);
    }
    over_plain_kinds!(law);
}

/// Of threads that race to insert the same fresh key, one at least is told that it is new. The
/// filter is so large that no key is a false positive of the others.
#[test]
fn a_race_has_a_winner() {
    const THREADS: usize = 4;
    fn law<F: Plain>() {
        let keys = Random::new(25).hashes(20_000);
        for round in 0..5 {
            let target = Target::new(keys.len() as u64, 1e-8).unwrap();
            let shared = F::with_seed(target, Seed::chosen(round)).unwrap().into_shared().unwrap();
            let news: Vec<AtomicU32> = keys.iter().map(|_| AtomicU32::new(0)).collect();
            let start = Barrier::new(THREADS);
            thread::scope(|scope| {
                for _ in 0..THREADS {
                    scope.spawn(|| {
                        start.wait();
                        for (key, news) in keys.iter().zip(&news) {
                            if shared.insert_hash(*key) {
                                news.fetch_add(1, Ordering::Relaxed);
                            }
                            assert!(shared.contains_hash(*key), "one's own insert is seen");
                        }
                    });
                }
            });
            let news: Vec<_> = news.into_iter().map(AtomicU32::into_inner).collect();
            assert!(news.iter().all(|news| (1..=THREADS as u32).contains(news)));
            let filter = shared.into_inner();
            assert_eq!(filter.about().inserted, (THREADS * keys.len()) as u64);
        }
    }
    over_plain_kinds!(law);
}

/// What was inserted before a message was sent is there when it is received.
#[test]
fn an_insert_that_happened_before_is_found() {
    fn law<F: Plain>() {
        let keys = Random::new(26).hashes(100_000);
        let shared = F::for_items(keys.len() as u64, Seed::FIXED).into_shared().unwrap();
        let published = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                for (at, key) in keys.iter().enumerate() {
                    shared.insert_hash(*key);
                    published.store(at + 1, Ordering::Release);
                }
            });
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut checked = 0;
                    while checked < keys.len() {
                        let there = published.load(Ordering::Acquire);
                        for key in &keys[checked..there] {
                            assert!(shared.contains_hash(*key));
                        }
                        checked = there;
                        thread::yield_now();
                    }
                });
            }
        });
        assert_eq!(count_found(&shared.into_inner(), keys.iter().copied()), keys.len() as u64);
    }
    over_plain_kinds!(law);
}
