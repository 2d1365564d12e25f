//! Unit tests: codes and scales. The laws are in `tests/range.rs`.

use super::*;
use crate::error::OutOfMemory;
use crate::parts::hash::mix;
use std::collections::BTreeSet;
use std::num::NonZero;

const SEEDS: [Seed; 3] = [Seed::FIXED, Seed::chosen(9), Seed::keyed([7; 16])];

/// Within a block, codes are a rotation.
#[test]
fn a_block_is_rotated() {
    for seed in SEEDS {
        for bound in [1, 2, 9, 99, 1_000_000_006, u64::MAX / 2, u64::MAX - 1, u64::MAX] {
            let offsets = Offsets::new(seed, bound);
            for x in (0..200).map(mix).chain([0, bound, u64::MAX, u64::MAX - 1]) {
                let code = offsets.code(x);
                assert!(code <= bound);
                if let Some(next) = x.checked_add(1)
                    && offsets.block(next) == offsets.block(x)
                {
                    let expected = if code == bound { 0 } else { code + 1 };
                    assert_eq!(offsets.code(next), expected, "{x} of {bound}");
                }
                assert!(offsets.start_of_block(x) <= x);
                assert_eq!(offsets.block(offsets.start_of_block(x)), offsets.block(x));
            }
        }
    }
}

/// Where the codes of a range are given at once, they are those of its bounds, and where they are
/// not, the range is in two blocks or wraps around.
#[test]
fn codes_of_a_range_are_those_of_its_bounds() {
    for seed in SEEDS {
        for bound in [1, 2, 9, 99, 1_000_000_006, u64::MAX / 2, u64::MAX - 1, u64::MAX] {
            let offsets = Offsets::new(seed, bound);
            for first in (0..200).map(mix).chain([0, bound, u64::MAX, u64::MAX - 1]) {
                for len in [0, 1, 5, 98, 99, 100, 1 << 40, u64::MAX] {
                    let last = first.saturating_add(len);
                    let (code, end) = (offsets.code(first), offsets.code(last));
                    let one = offsets.block(first) == offsets.block(last) && code <= end;
                    let expected = one.then_some((code, end));
                    assert_eq!(offsets.codes(first, last), expected, "{first} to {last}");
                }
            }
        }
    }
}

/// In unit tests no filter counts as cached, so this one is searched as large ones are.
#[test]
fn a_batch_of_ranges_equals_single_lookups() {
    for (count, below, span) in [(0, 100, 1), (1, 100, 7), (500, 600, 3), (3000, u64::MAX, 1024)] {
        for seed in SEEDS {
            let keys: Vec<u64> = (0..count).map(|i| mix(i) % below).collect();
            let filter = Range::build(keys.iter().copied(), span, 0.01, seed).unwrap();
            let near = keys.iter().map(|key| key.saturating_sub(span / 2));
            let starts = near.chain((0..500).map(|i| mix(i + 9000))).chain([0, u64::MAX]);
            let lengths = [0, 1, span, 50, 100_000, u64::MAX].into_iter().cycle();
            let ranges: Vec<RangeInclusive<u64>> =
                starts.zip(lengths).map(|(first, len)| first..=first.saturating_add(len)).collect();
            for len in [0, 1, 63, 64, 65, ranges.len()] {
                let ranges = &ranges[..len.min(ranges.len())];
                let single: Vec<bool> = ranges
                    .iter()
                    .map(|range| filter.contains_any(range.clone()).unwrap())
                    .collect();
                let mut batch: Vec<bool> = single.iter().map(|found| !found).collect();
                filter.contains_ranges(ranges, &mut batch).unwrap();
                assert_eq!(single, batch, "{count} keys: {len} ranges");
            }
        }
    }
}

#[test]
fn a_batch_with_a_reversed_range_has_no_answers() {
    let filter = Range::build([5, 6], 1, 0.01, Seed::FIXED).unwrap();
    let mut found = [false, true];
    #[expect(clippy::reversed_empty_ranges, reason = "that is refused")]
    let refused = filter.contains_ranges(&[5..=6, 6..=5], &mut found);
    assert_eq!((refused, found), (Err(BoundsError::Reversed), [false, true]));
}

/// Over many seeds, two integers of different blocks share a code as often as chance has it: once in r.
#[test]
fn blocks_are_shifted_independently() {
    let (bound, tries) = (99_u64, 40_000_u32);
    for (x, y) in [(0, 100), (5, 1_000_005), (17, u64::MAX), (1 << 40, 1 << 41)] {
        let shares = |seed: u64| {
            let offsets = Offsets::new(Seed::chosen(seed), bound);
            offsets.code(x) == offsets.code(y)
        };
        let shared = (0..tries).filter(|seed| shares(u64::from(*seed))).count() as f64;
        let expected = f64::from(tries) / 100.0;
        assert!((shared - expected).abs() < 5.0 * expected.sqrt(), "{x}, {y}: {shared}");
    }
}

#[test]
fn keys_out_of_range_are_refused() {
    let push = |key: i128| Keys::default().push(key);
    assert!(push(i64::MIN.into()).is_ok() && push(u64::MAX.into()).is_ok());
    assert_eq!(push(i128::from(i64::MIN) - 1), Err(RangeError::Wide { got: -(1 << 63) - 1 }));
    assert_eq!(push(1 << 64), Err(RangeError::Wide { got: 1 << 64 }));
    let mut mixed = Keys::default();
    mixed.push(-1).unwrap();
    mixed.push(1 << 63).unwrap();
    let mixed = Range::from_keys(mixed, 1, 0.01, Seed::FIXED);
    assert_eq!(mixed, Err(RangeError::Mixed { least: -1, most: 1 << 63 }));
    assert_eq!(Range::build([1], 0, 0.01, Seed::FIXED), Err(RangeError::Span));
    assert_eq!(Range::build([1], 1, 0.01, Seed::EXTERNAL), Err(RangeError::Seed));
    for fpr in [0.0, 1.0, -0.1, f64::NAN] {
        assert!(matches!(Range::build([1], 1, fpr, Seed::FIXED), Err(RangeError::Target(_))));
    }
    let error = RangeError::from(OutOfMemory { bytes: 1 });
    assert!(matches!(error, RangeError::OutOfMemory(_)));
}

/// A scale rounds down, and what is off it is no key.
#[test]
fn scales_cut_ranges_off() {
    let whole = Scale::default();
    assert_eq!(whole.clamped(-5, 3), Some((0, 3)));
    assert_eq!(whole.clamped(-5, -1), None);
    assert_eq!(whole.clamped(1 << 64, 1 << 65), None);
    assert_eq!(whole.clamped(7, i128::MAX), Some((7, u64::MAX)));
    let mut keys = Keys::with_step(NonZero::new(1000).unwrap());
    keys.push(-1).unwrap();
    let (signed, words) = keys.finish().unwrap();
    assert!(signed.is_signed());
    assert_eq!(words, [(1 << 63) - 1], "-1 is in step -1");
    assert_eq!(signed.clamped(-1000, 999), Some(((1 << 63) - 1, 1 << 63)));
    assert_eq!(signed.clamped(i128::MIN, i128::MAX), Some((0, u64::MAX)));
    assert_eq!(signed.clamped(1 << 80, 1 << 81), None);
}

/// Zero bytes that all keys have at their end are dropped, and no others.
#[test]
fn steps_follow_the_bytes_of_keys() {
    let stepped = |keys: &[i128]| {
        let mut all = Keys::default();
        keys.iter().for_each(|key| all.push(*key).unwrap());
        let (scale, words) = all.without_zero_bytes().finish().unwrap();
        (scale.step().get(), words)
    };
    assert_eq!(stepped(&[0x6100 << 40, 0x62 << 48]), (1 << 48, vec![0x61, 0x62]));
    assert_eq!(stepped(&[0x6101 << 40, 0x62 << 48]), (1 << 40, vec![0x6101, 0x6200]));
    assert_eq!(stepped(&[1]), (1, vec![1]));
    assert_eq!(stepped(&[0]), (1 << 56, vec![0]));
    assert_eq!(stepped(&[]), (1 << 56, vec![]));
    assert_eq!(stepped(&[-256]).0, 1, "not with a sign");
}

fn text(key: &str) -> i128 {
    KeyRule::default().order(Given::Text(key.as_bytes())).unwrap()
}

fn texts<'a>(keys: impl IntoIterator<Item = &'a str>) -> Keys {
    let mut all = Keys::default();
    keys.into_iter().for_each(|key| all.push(text(key)).unwrap());
    all
}

/// A key that comes after the step was chosen may be no multiple of it. It must not be lost.
#[test]
fn a_scale_is_exact_only_if_all_keys_are_multiples() {
    let is_exact = |keys: Keys| keys.finish().unwrap().0.is_exact();
    let short = texts(["ant", "bee"]).without_zero_bytes();
    assert!(is_exact(short.clone()));
    assert!(is_exact(short.clone().without_zero_bytes()), "a second time changes nothing");
    let mut longer = short.clone();
    longer.push(text("cat")).unwrap();
    assert!(is_exact(longer.clone()));
    longer.push(text("crow")).unwrap();
    assert!(!is_exact(longer.clone()));
    longer.push(text("dog")).unwrap();
    assert!(!is_exact(longer));
    let mut appended = short.clone();
    appended.append(short.clone()).unwrap();
    assert!(is_exact(appended));
    let mut rounded = Keys::with_step(NonZero::new(1 << 40).unwrap());
    rounded.push(text("crow")).unwrap();
    let mut appended = short;
    appended.append(rounded).unwrap();
    assert!(!is_exact(appended));
    let mut late = Keys::default().without_zero_bytes();
    late.push(text("crow")).unwrap();
    let mut late = Range::from_keys(late, 1, 0.01, Seed::FIXED).unwrap();
    late.set_recipe(Some(Recipe::default()));
    assert_eq!(late.contains_key("crow"), Ok(true));
    // Steps that a user chose are rounded.
    let mut seconds = Keys::with_step(NonZero::new(1000).unwrap());
    seconds.push(256_000).unwrap();
    assert!(!is_exact(seconds.without_zero_bytes()));
    assert!(!is_exact(texts(["ant", "elephant"]).without_zero_bytes()), "with a step of 1");
}

/// All texts of up to four bytes of a small alphabet, and all ranges between them, against the set
/// of keys. The filter's rate is low enough that it has no false positive here.
#[test]
fn texts_of_several_lengths_against_a_set() {
    let mut all = vec![String::new()];
    for len in 1..=4 {
        let shorter: Vec<_> = all.iter().filter(|text| text.len() == len - 1).cloned().collect();
        all.extend(
            shorter.iter().flat_map(|text| ["a", "b", "\u{7f}"].map(|end| text.clone() + end)),
        );
    }
    assert_eq!(all.len(), 1 + 3 + 9 + 27 + 81);
    for (longest, seed) in
        (1..=4).zip([Seed::FIXED, Seed::chosen(4), Seed::keyed([2; 16]), Seed::FIXED])
    {
        let keys: BTreeSet<&str> = all
            .iter()
            .enumerate()
            .filter(|(at, text)| {
                text.len() <= longest && (mix(*at as u64).is_multiple_of(3) || *at == 2)
            })
            .map(|(_, text)| text.as_str())
            .collect();
        assert!(keys.iter().any(|key| key.len() == longest), "{longest}");
        let keys_of_range = texts(keys.iter().copied()).without_zero_bytes();
        let mut filter = Range::from_keys(keys_of_range, 1 << 20, 1e-9, seed).unwrap();
        filter.set_recipe(Some(Recipe::default()));
        assert!(filter.scale().is_exact());
        assert_eq!(filter.scale().step().get(), 1 << (8 * (8 - longest)));
        for first in &all {
            let present = keys.contains(first.as_str());
            assert_eq!(filter.contains_key(first.as_str()), Ok(present), "{first:?} of {keys:?}");
            for last in all.iter().filter(|last| *last >= first) {
                let expected = keys.range(first.as_str()..=last.as_str()).next().is_some();
                let got = filter.contains_between(first.as_str(), last.as_str());
                assert_eq!(got, Ok(expected), "{first:?} to {last:?} of {keys:?}");
            }
        }
    }
}
