//! Unit tests: codes and scales. The laws are in `tests/range.rs`.

use super::*;
use crate::error::OutOfMemory;
use crate::parts::hash::mix;
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
