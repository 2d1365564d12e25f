use super::*;
use crate::batch::threads::Threads;

fn pairs(n: u64, value_bits: u32) -> Vec<(KeyHash, u64)> {
    let value = |i| KeyHash(i).again(1).0 >> (64 - value_bits);
    (0..n).map(|i| (KeyHash(i).again(0), value(i))).collect()
}

fn shape(value_bits: u32, check_bits: u32, arity: u32, mutable: bool) -> MapShape {
    MapShape { value_bits, check_bits, arity, mutable, banded: false }
}

fn about() -> About {
    About::new(Seed::FIXED, None)
}

fn solve(
    mut pairs: &[(KeyHash, u64)],
    items: u64,
    shape: MapShape,
    work: Work<'_>,
) -> Result<Bloomier, BuildError> {
    Bloomier::solve(&mut pairs, items, shape, about(), work)
}

fn build(pairs: &[(KeyHash, u64)], shape: MapShape) -> Bloomier {
    solve(pairs, pairs.len() as u64, shape, Work::new()).unwrap()
}

const FORMS: [(u32, u32); 6] = [(1, 1), (8, 8), (20, 10), (32, 32), (64, 1), (64, 12)];

#[test]
fn members_are_exact_and_others_err_as_often_as_said() {
    let (items, absent) = (2000, 200_000);
    for (value_bits, check_bits) in FORMS {
        for (arity, mutable) in [(3, false), (3, true), (4, false), (4, true)] {
            let pairs = pairs(items, value_bits);
            let shape = shape(value_bits, check_bits, arity, mutable);
            let map = build(&pairs, shape);
            assert!(
                pairs.iter().all(|(key, value)| map.get_hash(*key) == Some(*value)),
                "{shape:?}"
            );
            let wrong =
                (items..items + absent).filter(|i| map.get_hash(KeyHash(*i).again(0)).is_some());
            let expected = absent as f64 * map.fpr();
            let off = (wrong.count() as f64 - expected).abs();
            assert!(off <= 6.0 * expected.sqrt() + 1.0, "{shape:?}: {off} off {expected}");
            let bits = u64::from(value_bits + check_bits + if mutable { 2 } else { 0 });
            assert_eq!(map.bits(), map.slots.cells() * bits + 64);
            assert_eq!(map.profile().fill, items as f64 / map.slots.cells() as f64);
        }
    }
}

#[test]
fn batches_that_prefetch_find_what_single_lookups_find() {
    let all = pairs(5000, 5);
    let keys: Vec<_> = all.iter().map(|(key, _)| *key).collect();
    for arity in slots::ARITIES {
        for mutable in [false, true] {
            let map = build(&all[..3000], shape(5, 7, arity, mutable));
            let expected: Vec<_> = keys.iter().map(|key| map.contains_hash(*key)).collect();
            let mut found = vec![false; keys.len()];
            map.contains_hashes(&keys, &mut found);
            assert!(found == expected, "{arity} cells, mutable: {mutable}");
            assert!(found[..3000].iter().all(|found| *found) && found.contains(&false));
        }
    }
}

#[test]
fn values_change_in_place_and_alone() {
    for arity in [3, 4] {
        let mut pairs = pairs(1500, 40);
        let mut map = build(&pairs, shape(40, 16, arity, true));
        for i in (0..1500).step_by(7) {
            pairs[i].1 ^= 0xFF_FFFF_FFFF;
            assert!(map.set_hash(pairs[i].0, pairs[i].1));
        }
        assert!(pairs.iter().all(|(key, value)| map.get_hash(*key) == Some(*value)));
        assert_eq!(map, build(&pairs, map.shape), "same as built with this value");
        let before = map.clone();
        assert!(!map.set_hash(pairs[0].0, 1 << 40), "it does not fit");
        let absent = (0..).map(|i| KeyHash(i).again(7)).find(|key| map.get_hash(*key).is_none());
        assert!(!map.set_hash(absent.unwrap(), 1));
        assert_eq!(map, before);
        let mut fixed = build(&pairs, shape(40, 16, arity, false));
        assert!(!fixed.set_hash(pairs[0].0, 1), "not mutable");
    }
}

#[test]
fn every_small_size_builds() {
    for n in 0..=60 {
        for (value_bits, check_bits) in [(8, 8), (64, 32)] {
            for (arity, mutable) in [(3, false), (3, true), (4, false), (4, true)] {
                let pairs = pairs(n, value_bits);
                let map = build(&pairs, shape(value_bits, check_bits, arity, mutable));
                assert!(pairs.iter().all(|(key, value)| map.get_hash(*key) == Some(*value)));
                assert_eq!(map.items, n);
            }
        }
    }
    assert_eq!(build(&[], shape(8, 8, 3, true)).get_hash(KeyHash(3)), None);
}

#[test]
fn repeated_pairs_are_one_and_two_values_are_rejected() {
    let once = pairs(3000, 10);
    let shape = shape(10, 8, 3, true);
    let mut twice = once.clone();
    twice.reverse();
    twice.extend_from_slice(&once[..1000]);
    let one = Work::new().threads(Threads::ONE).memory(1);
    let again = solve(&twice[..], 3000, shape, one).unwrap();
    assert_eq!(again, build(&once, shape));

    // The hash lets a caller who has the keys find the conflicting one.
    let (key, value) = twice[3500];
    twice[3500].1 ^= 1;
    let clash = solve(&twice[..], 3000, shape, one).unwrap_err();
    let values = [value & !1, value | 1];
    assert_eq!(clash, BuildError::Conflict { key, values });
    twice[3500].1 = 1 << 10;
    let wide = solve(&twice[3500..3501], 1, shape, one).unwrap_err();
    assert_eq!(wide, BuildError::Value { key, got: 1 << 10, bits: 10 });
    assert!(wide.to_string().starts_with("the value 1024 does not fit in 10 bits"));
}

#[test]
fn parts_make_the_same_map_and_forged_ones_none() {
    for (value_bits, mutable) in [(20, false), (50, false), (20, true)] {
        let shape = shape(value_bits, 16, 3, mutable);
        let map = build(&pairs(500, value_bits), shape);
        let words = |row: &[u64]| {
            let mut words = Words::zeroed(row.len()).unwrap();
            words.to_mut().copy_from_slice(row);
            words
        };
        let read = |items, shape| {
            let values = map.values.as_ref().map(|values| words(values.words()));
            Bloomier::from_parts(
                words(map.slots.table()),
                words(map.checks.words()),
                values,
                items,
                shape,
                map.about.clone(),
            )
            .unwrap()
        };
        assert_eq!(read(500, shape).as_ref(), Some(&map));
        assert_eq!(read(0, shape), None);
        for (values, checks) in [(0, 16), (65, 16), (20, 0), (20, 33), (u32::MAX, u32::MAX)] {
            let forged = MapShape { value_bits: values, check_bits: checks, ..shape };
            assert_eq!(read(500, forged), None);
        }
        assert_eq!(read(500, MapShape { arity: 4, ..shape }), None);
        assert_eq!(read(500, MapShape { mutable: !mutable, ..shape }), None);
        let (table, checks) = (words(map.slots.table()), words(map.checks.words()));
        let none = Bloomier::from_parts(table, checks, Some(words(&[])), 500, shape, about());
        assert_eq!(none, Ok(None));
    }
}

#[test]
fn counts_are_in_their_bands() {
    let counts = || (0..64u32).flat_map(|power| [1u64 << power, (1 << power) + ((1 << power) - 1)]);
    for bits in Bands::BITS {
        let bands = Bands::new(bits).unwrap();
        for count in counts().chain([3, 1000, 37_359_195]) {
            let band = bands.of(count).unwrap();
            assert!(band < 1 << bits && bands.range(band).contains(&count), "{bits} {count}");
        }
        // They are disjoint, and leave nothing out.
        let last = (1u64 << bits) - 1;
        assert_eq!((*bands.range(0).start(), *bands.range(last).end()), (1, u64::MAX));
        assert!((0..last).all(|at| bands.range(at).end() + 1 == *bands.range(at + 1).start()));
    }
    assert_eq!((Bands::new(0), Bands::new(7)), (None, None));
    assert_eq!(Bands::new(6).unwrap().range(63), 1 << 63..=u64::MAX);
}

#[test]
fn a_map_of_bands() {
    let target = Target::new(3000, 0.001).unwrap();
    let all: Vec<_> = pairs(3000, 40).into_iter().map(|(key, count)| (key, count + 1)).collect();
    let build = |pairs: &[(KeyHash, u64)], options: Options, mutable| {
        let mut pairs = pairs;
        Bloomier::build_bands(&mut pairs, target, &options, mutable, Seed::FIXED, Work::new())
    };
    for mutable in [false, true] {
        for bits in [1, 3, 6] {
            let map = build(&all, Options::new().value_bits(bits), mutable).unwrap();
            for (key, count) in &all {
                assert!(map.counts(map.get_hash(*key).unwrap()).contains(count));
            }
        }
    }
    let map = build(&all, Options::new(), false).unwrap();
    assert_eq!((map.value_bits(), map.bands()), (3, Bands::new(3)));
    // One key with two counts of a band is no conflict.
    let (one, same, other) = ((KeyHash(5), 9), (KeyHash(5), 15), (KeyHash(5), 16));
    assert!(build(&[one, same], Options::new(), false).is_ok());
    // The error has counts as they were given, and not the numbers of their bands.
    let error = build(&[other, same, one, (KeyHash(6), 8)], Options::new(), false).unwrap_err();
    assert!(matches!(error, BuildError::Conflict { key: KeyHash(5), values: [9, 16] }), "{error}");
    let error = build(&[one, (KeyHash(6), 0)], Options::new(), false).unwrap_err();
    assert!(matches!(error, BuildError::NoBand { key: KeyHash(6) }), "{error}");
    assert!(build(&[one], Options::new().value_bits(7), false).is_err());

    let mut map = build(&[one], Options::new(), true).unwrap();
    assert!(map.set_hash(KeyHash(5), 200) && !map.set_hash(KeyHash(5), 0));
    assert_eq!(map.counts(map.get_hash(KeyHash(5)).unwrap()), 128..=u64::MAX);
}
