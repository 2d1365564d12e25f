//! Forged files of range filters.

use super::forgeries::numbers;
use super::*;
use anther::Range;
use anther::range::Keys;
use anther::recipe::{Given, KeyRule};

fn sample() -> Vec<u8> {
    let keys = (0..200).map(|i| i * i * 1_000_003);
    let mut filter = Range::build(keys, 32, 0.01, Seed::chosen(5)).unwrap();
    let rule = KeyRule { form: KeyForm::Int, ..KeyRule::default() };
    filter.set_recipe(Some(Recipe { rule, ..Recipe::default() }));
    filter.to_bytes().unwrap()
}

/// Words of up to four bytes, so that the file has the field `exact`.
fn sample_of_text() -> Vec<u8> {
    let rule = KeyRule::default();
    let mut keys = Keys::default();
    for word in ["ant", "bee", "crow", "gnu"] {
        keys.push(rule.order(Given::Text(word.as_bytes())).unwrap()).unwrap();
    }
    let mut filter = Range::from_keys(keys.without_zero_bytes(), 32, 1e-6, Seed::FIXED).unwrap();
    filter.set_recipe(Some(Recipe { rule, ..Recipe::default() }));
    filter.to_bytes().unwrap()
}

/// Loads it in every way. What is accepted answers, describes itself, and is saved as it was read.
fn rejected_or_harmless(bytes: &[u8], what: &str) -> Result<Range, LoadError> {
    let shared: Arc<[u8]> = bytes.into();
    let open = Open::new().without_hashing();
    let (result, peak) = with_peak(|| open.bytes::<Range>(bytes));
    assert!(peak < 2 * bytes.len() + (1 << 16), "{what}: {peak} bytes of memory");
    assert_eq!(open.shared_bytes::<Range>(shared).is_ok(), result.is_ok(), "{what}");
    assert_eq!(open.bytes::<Verified>(bytes).is_ok(), result.is_ok(), "{what}");
    if let Ok(filter) = &result {
        assert_eq!(filter.to_bytes().unwrap(), bytes, "{what}");
        let profile = filter.profile();
        assert!((0.0..=1.0).contains(&profile.fpr_now), "{what}: {profile:?}");
        assert!(filter.codes().is_sorted_by(|a, b| a < b && *b <= profile.bound), "{what}");
        if filter.seed().can_hash() {
            for first in [0, 1, 1_000_003, 1 << 40, u64::MAX - 5] {
                for len in [0, 1, 4, u64::MAX] {
                    let _ = filter.contains_any(first..=first.saturating_add(len)).unwrap();
                }
                // Words are no integers.
                let answer = filter.contains_between(first, first);
                assert_eq!(answer.is_ok(), filter.rule().form == KeyForm::Int, "{what}");
            }
        }
    }
    result
}

#[test]
fn forged_fields_of_a_range_filter_are_rejected_or_harmless() {
    let bytes = sample();
    let original = Forged::of(&bytes);
    rejected_or_harmless(&original.sealed(), "as it was").unwrap();
    for (name, _, value) in &original.fields {
        let name = str::from_utf8(name).unwrap();
        let mut refused = 0;
        for number in numbers().into_iter().filter(|number| number.to_le_bytes() != *value) {
            let what = format!("{name} = {number:#x}");
            match rejected_or_harmless(&original.with_field(name, number).sealed(), &what) {
                Ok(_) => assert!(!matches!(name, "codes" | "bound"), "{what}: accepted"),
                Err(LoadError::Field { .. } | LoadError::Section { .. }) => refused += 1,
                Err(error) => panic!("{what}: {error}"),
            }
        }
        assert!(refused > 0 || matches!(name, "inserted" | "span" | "step"), "{name}");
    }
}

#[test]
fn forged_cells_of_a_range_filter_are_rejected_or_harmless() {
    let bytes = sample();
    let original = Forged::of(&bytes);
    for section in 0..2 {
        let mut accepted = 0;
        for bit in 0..original.sections[section].3.len() * 8 {
            let mut forged = Forged::of(&bytes);
            forged.sections[section].3[bit / 8] ^= 1 << (bit % 8);
            accepted += u32::from(
                rejected_or_harmless(&forged.sealed(), &format!("{section}: {bit}")).is_ok(),
            );
        }
        // Another number of ones is never a row of as many codes.
        assert_eq!(accepted == 0, section == 1, "{accepted}");
    }
}

#[test]
fn a_range_filter_is_no_other_container() {
    let bytes = sample();
    assert!(matches!(Open::new().bytes::<AnyFilter>(&bytes), Err(LoadError::Range)));
    assert!(matches!(Open::new().bytes::<Blocked>(&bytes), Err(LoadError::Range)));
    let iblt = Open::new().bytes::<anther::Iblt>(&bytes);
    assert!(matches!(iblt, Err(LoadError::Range)));
    let verified: Verified = Open::new().bytes(&bytes).unwrap();
    assert_eq!((verified.tag, verified.tag.number(), verified.sections), (Tag::Range, 25, 2));
    let blocked = bytes_of(&empty(Kind::Blocked, 10, 0.01, Seed::FIXED));
    let error = Range::from_bytes(&blocked).unwrap_err();
    assert_eq!(error.to_string(), "blocked, not a range filter");
}

/// The field `exact` is 1 or not there. Whatever else it is, no filter comes of it; and without it
/// the filter says maybe to longer words, but never no to a key.
#[test]
fn a_forged_field_exact_is_refused_and_a_missing_one_loses_no_key() {
    let original = Forged::of(&sample_of_text());
    let read = rejected_or_harmless(&original.sealed(), "as it was").unwrap();
    let found = |filter: &Range, word: &str| filter.contains_key(word).unwrap();
    assert!(found(&read, "crow") && !found(&read, "crows"));
    for number in numbers().into_iter().filter(|number| *number != 1) {
        let forged = original.with_field("exact", number).sealed();
        let result = rejected_or_harmless(&forged, &format!("exact = {number:#x}"));
        assert!(matches!(result, Err(LoadError::Field { .. })), "{number:#x}: {result:?}");
    }
    let at = original.fields.iter().position(|(name, ..)| name == b"exact").unwrap();
    let mut real = original.clone();
    real.fields[at].1 ^= 1;
    assert!(rejected_or_harmless(&real.sealed(), "a real number").is_err());
    let mut twice = original.clone();
    twice.fields.insert(at, original.fields[at].clone());
    assert!(rejected_or_harmless(&twice.sealed(), "twice").is_err());

    let mut without = original.clone();
    without.fields.remove(at);
    let without = rejected_or_harmless(&without.sealed(), "without").unwrap();
    for word in ["ant", "bee", "crow", "gnu", "crows"] {
        assert!(found(&without, word), "{word}");
    }
    // With a step of 1, every integer is a multiple of it.
    let mut integers = Forged::of(&sample());
    let exact = original.fields[at].clone();
    let step = integers.fields.iter().position(|(name, ..)| name == b"step").unwrap();
    integers.fields.insert(step + 1, exact);
    let integers = rejected_or_harmless(&integers.sealed(), "integers").unwrap();
    assert!((0..200_u64).all(|i| integers.contains_key(i * i * 1_000_003).unwrap()));
}

/// Every prefix is truncated, and every flipped bit is found by a checksum.
#[test]
fn damage_to_a_range_filter_is_found() {
    let bytes = sample();
    for len in 0..bytes.len() {
        assert!(Range::from_bytes(&bytes[..len]).is_err(), "{len}");
    }
    for at in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[at / 8] ^= 1 << (at % 8);
        assert!(Range::from_bytes(&damaged).is_err(), "{at}");
    }
}
