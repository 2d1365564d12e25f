//! The laws of range filters: no false negative for any range with a key in it, a false-positive rate
//! of at most ℓ·n/r whatever is looked up, and the bits that this takes.

use crate::support::Random;
use anther::error::{BoundsError, KeyError, RangeError};
use anther::range::Keys;
use anther::recipe::{Given, KeyForm, KeyRule, Recipe};
use anther::sizing::range as sizing;
use anther::{LoadError, Open, Range, Save, Seed};
use std::collections::BTreeSet;
use std::num::NonZero;

const SECRET: [u8; 16] = [3; 16];

fn seeds() -> [Seed; 3] {
    [Seed::FIXED, Seed::chosen(77), Seed::keyed(SECRET)]
}

/// Sets of keys that could trip it: none, one, the ends, neighbours, and keys at the ends of blocks.
fn sets() -> Vec<Vec<u64>> {
    let mut random = Random::new(1);
    let mut sets = vec![
        vec![],
        vec![0],
        vec![u64::MAX],
        vec![0, u64::MAX],
        vec![42; 100],
        (0..300).collect(),
        (0..300).map(|i| i * 1000).collect(),
        (0..300).map(|i| u64::MAX - i * i).collect(),
        (0..500).map(|_| random.draw()).collect(),
        // r is 500·32/0.01 for them: the first and the last of many blocks.
        (1..=250).flat_map(|i| [i * 1_600_000 - 1, i * 1_600_000]).collect(),
    ];
    sets.push((0..64).map(|bit| 1 << bit).collect());
    sets
}

/// Every range of a small universe, against a set: a key in it is found, and what is found beyond
/// that is within the law.
#[test]
fn no_range_with_a_key_is_missed_in_a_small_universe() {
    let mut random = Random::new(5);
    for seed in seeds() {
        for (keys, span, fpr) in [(1, 1, 0.5), (3, 4, 0.3), (8, 2, 0.05), (20, 16, 0.5)] {
            let keys: BTreeSet<u64> = (0..keys).map(|_| random.draw() % 256).collect();
            let filter = Range::build(keys.iter().copied(), span, fpr, seed).unwrap();
            for first in 0..256 {
                assert!(!keys.contains(&first) || filter.contains(first));
                for last in first..256 {
                    let expected = keys.range(first..=last).next().is_some();
                    let got = filter.contains_any(first..=last).unwrap();
                    assert!(got || !expected, "{first} to {last} of {keys:?}");
                }
                assert_eq!(
                    filter.contains(first),
                    filter.contains_any(first..=first).unwrap(),
                    "a key is a range of one"
                );
            }
        }
    }
}

/// Ranges around every key, of every length: also those over the end of a block, and over many.
#[test]
fn no_range_with_a_key_is_missed() {
    for seed in seeds() {
        for keys in sets() {
            for (span, fpr) in [(1, 0.01), (32, 0.01), (1 << 40, 0.1)] {
                let filter = Range::build(keys.iter().copied(), span, fpr, seed).unwrap();
                for &key in &keys {
                    assert!(filter.contains(key), "{key}");
                    for len in [0, 1, 31, 32, 1000, 1_600_000, 1 << 33, 1 << 62, u64::MAX] {
                        let before = key.saturating_sub(len)..=key;
                        let after = key..=key.saturating_add(len);
                        let around = key.saturating_sub(len / 2)..=key.saturating_add(len / 2);
                        for range in [before, after, around] {
                            assert!(filter.contains_any(range.clone()).unwrap(), "{range:?}");
                        }
                    }
                }
                assert_eq!(filter.contains_any(0..=u64::MAX).unwrap(), !keys.is_empty());
            }
        }
    }
}

#[test]
fn an_empty_filter_has_nothing() {
    let none = Range::build([], 1024, 0.01, Seed::FIXED).unwrap();
    assert!(!none.contains(0) && !none.contains(u64::MAX));
    assert_eq!(none.contains_any(0..=u64::MAX), Ok(false));
    assert_eq!((none.profile().keys, none.profile().codes, none.fpr(5)), (0, 0, 0.0));
    let again = Range::from_bytes(&none.to_bytes().unwrap()).unwrap();
    assert_eq!(again, none);
}

#[test]
fn a_range_that_ends_before_it_begins_is_refused() {
    let one = Range::build([7], 4, 0.01, Seed::FIXED).unwrap();
    let reversed = std::ops::RangeInclusive::new(8, 7);
    assert_eq!(one.contains_any(reversed), Err(BoundsError::Reversed));
    assert_eq!(one.contains_between(8, 7), Err(BoundsError::Reversed));
    assert_eq!(one.contains_between(7, 7), Ok(true));
}

/// If r reaches all integers, every integer is its own code.
#[test]
fn a_filter_of_all_integers_is_exact() {
    let mut random = Random::new(3);
    let keys: BTreeSet<u64> = (0..1000).map(|_| random.draw()).collect();
    let exact = Range::build(keys.iter().copied(), 1 << 60, 0.001, Seed::FIXED).unwrap();
    assert_eq!((exact.profile().bound, exact.fpr(u64::MAX)), (u64::MAX, 0.0));
    assert!(exact.codes().eq(keys.iter().copied()));
    for len in [0, 1, 1 << 20, 1 << 50, 1 << 58] {
        for _ in 0..2000 {
            let first = random.draw();
            let last = first.saturating_add(len);
            let expected = keys.range(first..=last).next().is_some();
            assert_eq!(exact.contains_any(first..=last), Ok(expected));
        }
    }
}

/// Where queries begin.
#[derive(Clone, Copy, Debug)]
enum Queries {
    /// Anywhere.
    Uniform,
    /// Just behind a key.
    Correlated,
}

/// Measured over 40 seeds, since the law is about the choice of the seed: uniform and clustered keys,
/// queries anywhere and next to keys. The bound is that of a binomial, plus what one seed can deviate.
#[test]
fn the_false_positive_rate_is_within_its_law() {
    const KEYS: u64 = 4000;
    const ASKED: u64 = 3000;
    const SEEDS: u64 = 40;
    for clustered in [false, true] {
        for queries in [Queries::Uniform, Queries::Correlated] {
            for len in [1, 32, 1024_u64] {
                let (mut rates, mut law) = (Vec::new(), 0.0);
                for number in 0..SEEDS {
                    let mut random = Random::new(number);
                    let keys: BTreeSet<u64> = (0..KEYS)
                        .map(|i| match clustered {
                            // Runs of a hundred keys, 5000 apart.
                            true => random.draw() % 40 * 1_000_000_007_000 + i / 40 * 5000,
                            false => random.draw(),
                        })
                        .collect();
                    let list: Vec<u64> = keys.iter().copied().collect();
                    let seed = if number % 2 == 0 { Seed::chosen(number) } else { keyed(number) };
                    let filter = Range::build(list.iter().copied(), len, 0.01, seed).unwrap();
                    law = f64::max(law, filter.fpr(len));
                    let (mut asked, mut wrong) = (0, 0_u64);
                    while asked < ASKED {
                        let first = match queries {
                            Queries::Uniform => random.draw(),
                            Queries::Correlated => {
                                let key = list[(random.draw() % list.len() as u64) as usize];
                                key.saturating_add(1 + random.draw() % 16)
                            }
                        };
                        let Some(last) = first.checked_add(len - 1) else { continue };
                        if keys.range(first..=last).next().is_some() {
                            continue;
                        }
                        asked += 1;
                        wrong += u64::from(filter.contains_any(first..=last).unwrap());
                    }
                    rates.push(wrong as f64 / asked as f64);
                }
                let mean = rates.iter().sum::<f64>() / rates.len() as f64;
                let spread = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>()
                    / (rates.len() - 1) as f64;
                let sigma = (spread / rates.len() as f64).sqrt();
                let what = format!("clustered {clustered}, {queries:?}, {len}: {mean} ±{sigma}");
                assert!(law <= 0.01, "{what}: the law says {law}");
                assert!(mean <= law + 5.0 * sigma, "{what}: the law says {law}");
                // Uniform keys fill the codes, so the law is also about what happens.
                if !clustered {
                    assert!(mean > 0.8 * law - 5.0 * sigma, "{what}: the law says {law}");
                }
            }
        }
    }
}

fn keyed(number: u64) -> Seed {
    Seed::keyed((u128::from(number) * 0x1_0000_0001).to_le_bytes())
}

/// Ten times the span: ten times the rate, and no more.
#[test]
fn longer_ranges_err_more_often_and_are_answered() {
    let mut random = Random::new(9);
    let keys: BTreeSet<u64> = (0..20_000).map(|_| random.draw()).collect();
    let filter = Range::build(keys.iter().copied(), 100, 0.01, Seed::FIXED).unwrap();
    for len in [1, 10, 100, 1000, 5000_u64] {
        let wrong = (0..20_000).filter(|_| {
            let first = random.draw() >> 1;
            let range = first..=first + len - 1;
            keys.range(range.clone()).next().is_none() && filter.contains_any(range).unwrap()
        });
        let rate = wrong.count() as f64 / 20_000.0;
        let law = filter.fpr(len);
        assert!((law - len as f64 * 1e-4).abs() < 0.02 * law, "{law}");
        let sigma = (law / 20_000.0).sqrt();
        assert!(
            rate <= law + 5.0 * sigma && rate > 0.7 * law - 5.0 * sigma,
            "{len}: {rate}, {law}"
        );
    }
}

#[test]
fn bits_per_key_are_within_a_third_of_the_formula() {
    let mut random = Random::new(4);
    let keys: Vec<u64> = (0..300_000).map(|_| random.draw()).collect();
    for (span, fpr) in [(1, 0.01), (32, 0.01), (1024, 0.01), (1024, 0.001), (700, 0.013)] {
        let filter = Range::build(keys.iter().copied(), span, fpr, Seed::FIXED).unwrap();
        let formula = (span as f64 / fpr).log2() + 2.0;
        let bits = filter.profile().bits_per_key();
        assert!(bits < formula + 0.3, "{span}, {fpr}: {bits} bits, {formula} expected");
        assert!(sizing::bits_per_key(300_000, filter.profile().bound) <= formula);
        // The counts of zeros are not in the file.
        let file = filter.to_bytes().unwrap().len() as f64 * 8.0 / 300_000.0;
        assert!(file < formula + 0.02, "{span}, {fpr}: {file} bits in the file");
    }
}

#[test]
fn the_order_of_keys_and_repetitions_make_no_difference() {
    let mut random = Random::new(8);
    let mut keys: Vec<u64> = (0..1000).map(|_| random.draw()).collect();
    let filter = Range::build(keys.iter().copied(), 10, 0.01, Seed::FIXED).unwrap();
    keys.reverse();
    keys.extend_from_within(..500);
    assert_eq!(Range::build(keys, 10, 0.01, Seed::FIXED).unwrap(), filter);
    assert_eq!(filter.profile().keys, 1000);
}

#[test]
fn another_seed_has_other_false_positives() {
    let keys = || (0..5000).map(|i| i * 1_000_003 * 1_000_003);
    let found = |seed| {
        let filter = Range::build(keys(), 1, 0.05, seed).unwrap();
        let absent = (0..20_000).map(|i| i * 1_000_003 + 500);
        absent.filter(|key| filter.contains(*key)).collect::<BTreeSet<u64>>()
    };
    let all = [Seed::FIXED, Seed::chosen(1), Seed::keyed([1; 16]), Seed::keyed([2; 16])];
    let all = all.map(found);
    for (at, one) in all.iter().enumerate() {
        assert!((500..1500).contains(&one.len()), "5 % of twenty thousand: {}", one.len());
        for other in &all[..at] {
            assert!(one.intersection(other).count() < 200, "no more than by chance");
        }
    }
}

/// A filter with a rule, and what its keys are by that rule.
fn ruled(form: KeyForm, step: u64, keys: &[&str]) -> Range {
    let rule = KeyRule { form, ..KeyRule::default() };
    let mut all = Keys::with_step(NonZero::new(step).unwrap());
    for key in keys {
        all.push(rule.order(Given::Text(key.as_bytes())).unwrap()).unwrap();
    }
    if matches!(form, KeyForm::Text | KeyForm::Hex) {
        all = all.without_zero_bytes();
    }
    let mut filter = Range::from_keys(all, 1000, 1e-6, Seed::FIXED).unwrap();
    filter.set_recipe(Some(Recipe { rule, ..Recipe::default() }));
    filter
}

#[test]
fn times_are_looked_up_by_their_text() {
    const SECOND: u64 = 1_000_000_000;
    let times = ["2026-11-17T08:30:00.75Z", "1969-12-31 23:59:59.5", "2026-11-20"];
    let filter = ruled(KeyForm::Time, SECOND, &times);
    assert!(filter.scale().is_signed(), "one is before 1970");
    for time in times {
        assert_eq!(filter.contains_key(time), Ok(true), "{time}");
        assert_eq!(filter.contains_between(time, time), Ok(true), "{time}");
    }
    let between = |a: &str, b: &str| filter.contains_between(a, b).unwrap();
    assert!(between("2026-11-17", "2026-11-17"), "a date is all its day");
    assert!(!between("2026-11-18", "2026-11-19"));
    assert!(between("2026-11-18", "2026-11-20"));
    let leap = ruled(KeyForm::Time, SECOND, &["2016-12-31T23:59:60Z"]);
    assert_eq!(leap.contains_between("2016-12-31", "2016-12-31"), Ok(true));
    assert_eq!(leap.contains_between("2017-01-01", "2017-01-01"), Ok(false));
    assert!(!between("2026-11-17T08:30:01Z", "2026-11-17T23:59:59Z"));
    assert!(between("2026-11-17T10:29:00+02:00", "2026-11-17T10:31:00+02:00"));
    assert!(between("1794904190", "1794904200"), "Unix seconds");
    assert_eq!(filter.contains_key(1_794_904_200), Ok(true), "as an integer, too");
    assert_eq!(filter.contains_key("soon"), Err(KeyError::Time));
    assert_eq!(filter.contains_between("2026-11-18", "2026-11-17"), Err(BoundsError::Reversed));
}

#[test]
fn addresses_integers_and_texts_are_looked_up_by_their_text() {
    let addresses = ruled(KeyForm::Ip, 1, &["192.0.2.7", "10.0.0.1"]);
    assert_eq!(addresses.contains_between("192.0.2.0/24", "192.0.2.0/24"), Ok(true));
    assert_eq!(addresses.contains_between("192.0.2.8", "192.0.2.0/24"), Ok(false));
    assert_eq!(addresses.contains_key("10.0.0.1"), Ok(true));
    assert_eq!(addresses.contains_key("10.0.0.0/8"), Err(KeyError::RangeNetwork));
    assert_eq!(addresses.contains_key("::1"), Err(KeyError::WideIp));

    let numbers = ruled(KeyForm::Int, 1, &["-5", "0", "9223372036854775807"]);
    assert_eq!(numbers.contains_between("-9999", "-6"), Ok(false));
    assert_eq!(numbers.contains_between("-10", "-5"), Ok(true));
    assert_eq!(numbers.contains_between(-5, 5), Ok(true));
    assert_eq!(numbers.contains_key("18446744073709551615"), Ok(false), "off the scale");
    assert_eq!(numbers.contains_key(u64::MAX), Ok(false), "and not -1");
    assert_eq!(numbers.contains_between("-1000000000000000000000000", "-5"), Ok(true));
    let unsigned = ruled(KeyForm::Int, 1, &["0", "18446744073709551615"]);
    assert_eq!(unsigned.contains_between(-5, -1), Ok(false));
    assert_eq!(unsigned.contains_between(-5, 0), Ok(true));

    let words = ruled(KeyForm::Text, 1, &["ant", "bee", "cat"]);
    assert_eq!(words.scale().step().get(), 1 << 40, "words of three bytes");
    assert_eq!(words.contains_between("b", "c"), Ok(true));
    assert_eq!(words.contains_between("bef", "c"), Ok(false), "cat is behind c");
    assert_eq!(words.contains_key("bee"), Ok(true));
    assert_eq!(words.contains_key("beef"), Ok(false), "longer than all keys");
    assert_eq!(words.contains_between("beef", "been"), Ok(false));
    assert_eq!(words.contains_between("bed", "beef"), Ok(true));
    assert_eq!(words.contains_key("longer than eight"), Err(KeyError::Long { got: 17 }));
    assert!(matches!(words.contains_key(5), Err(KeyError::Type { form: "text", .. })));
    let hex = ruled(KeyForm::Hex, 1, &["00000f", "AB"]);
    assert_eq!(hex.contains_between("aa", "ac"), Ok(true));
    assert_eq!(hex.contains_between("0010", "aaff"), Ok(false));

    for form in [KeyForm::Url, KeyForm::Domain, KeyForm::Email] {
        let rule = KeyRule { form, ..KeyRule::default() };
        let refused = rule.order(Given::Text(b"example.org"));
        assert_eq!(refused, Err(KeyError::NoOrder { form: form.name() }));
    }
}

#[test]
fn a_file_is_read_back_and_needs_its_key() {
    for keys in sets() {
        for seed in seeds() {
            let filter = Range::build(keys.iter().copied(), 32, 0.01, seed).unwrap();
            let bytes = filter.to_bytes().unwrap();
            let open =
                if seed == Seed::keyed(SECRET) { Open::new().key(SECRET) } else { Open::new() };
            let read: Range = open.bytes(&bytes).unwrap();
            assert_eq!(read, filter);
            assert!(keys.iter().all(|key| read.contains(*key)));
            assert_eq!(Save::new().bytes(&read).unwrap(), bytes);
            for len in [0, 10, bytes.len() / 2, bytes.len() - 1] {
                assert!(open.bytes::<Range>(&bytes[..len]).is_err());
            }
        }
    }
    let keyed = Range::build([1], 1, 0.1, Seed::keyed(SECRET)).unwrap().to_bytes().unwrap();
    assert!(matches!(Range::from_bytes(&keyed), Err(LoadError::KeyNeeded)));
    assert!(matches!(Open::new().key([9; 16]).bytes::<Range>(&keyed), Err(LoadError::WrongKey)));
    let closed: Range = Open::new().without_hashing().bytes(&keyed).unwrap();
    assert_eq!(closed.profile().keys, 1, "it can be described");
}

#[test]
fn a_build_that_cannot_be_says_why() {
    let error = Range::build([1], 0, 0.01, Seed::FIXED).unwrap_err();
    assert_eq!(error, RangeError::Span);
    assert!(error.to_string().contains("at least 1"));
    let error = Range::build([1], 1, 2.0, Seed::FIXED).unwrap_err();
    assert!(error.to_string().contains("must be at least 1e-18 and below 1"), "{error}");
}
