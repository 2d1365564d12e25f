use super::*;
use crate::traits::Insert;
use std::collections::HashMap;

fn made(items: u64, fpr: f64, method: Method) -> Spectral {
    let options = Options::new().method(method);
    Spectral::with_options(Target::new(items, fpr).unwrap(), &options, Seed::FIXED).unwrap()
}

#[test]
fn increase_counts_and_refuses_to_remove_or_merge() {
    let mut filter = made(1000, 0.01, Method::Increase);
    let mut all = made(1000, 0.01, Method::Minimum);
    for i in 0..3000u64 {
        assert_eq!(filter.insert(i % 1000), all.insert(i % 1000), "{i}");
    }
    for i in 0..1000u64 {
        assert!((3..=all.count(i)).contains(&filter.count(i)));
    }
    let before = filter.clone();
    let error = filter.remove(1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "keys cannot be removed from a spectral filter made with method increase, which does not \
         record which counters it incremented; make it with method minimum or recurring"
    );
    let absent = (1000..).find(|key: &u64| !filter.contains(*key)).unwrap();
    assert_eq!(filter.remove(absent), Ok(false));
    let error = filter.merge(&before).unwrap_err();
    assert_eq!(error, Mismatch::Method { method: Method::Increase });
    assert_eq!(
        error.to_string(),
        "spectral filters made with method increase cannot be combined; \
         rebuild from the keys, or make both with method minimum"
    );
    assert_eq!(filter.merge(&all), Err(Mismatch::Option { name: "method" }));
    assert_eq!(filter, before);
}

#[test]
fn recurring_does_not_merge() {
    let mut filter = made(100, 0.01, Method::Recurring);
    let error = filter.merge(&filter.clone());
    assert_eq!(error, Err(Mismatch::Method { method: Method::Recurring }));
}

/// Inserts and removals: no key is ever lost, and few counts are too low.
#[test]
fn recurring_against_a_multiset() {
    let mut filter = made(2000, 0.01, Method::Recurring);
    let mut model: HashMap<u64, u64> = HashMap::new();
    let mut draw = KeyHash(1);
    let (mut asked, mut low, mut high) = (0u32, 0u32, 0u32);
    for step in 0..200_000 {
        draw = draw.again(step);
        let key = draw.0 % 4000;
        let held = model.entry(key).or_default();
        // One insert to two removals: half of the 4000 keys are present at any time, a quarter
        // more than once.
        if (draw.0 >> 32).is_multiple_of(3) {
            filter.insert(key);
            *held += 1;
        } else if *held > 0 {
            assert_eq!(filter.remove(key), Ok(true), "step {step}");
            *held -= 1;
        }
        if step % 10_000 == 9_999 {
            for (key, held) in model.iter().filter(|(_, held)| **held > 0) {
                assert!(filter.contains(*key), "step {step}");
                asked += 1;
                low += u32::from(filter.count(*key) < *held);
                high += u32::from(filter.count(*key) > *held);
            }
        }
    }
    assert!(f64::from(low) < 0.001 * f64::from(asked), "{low} of {asked}");
    assert!(f64::from(high) < 0.01 * f64::from(asked), "{high} of {asked}");
    // With all keys removed, the first filter is empty.
    for (key, held) in model {
        (0..held).for_each(|_| assert_eq!(filter.remove(key), Ok(true)));
    }
    assert_eq!(filter.profile().fill, 0.0);
    assert!((0..4000).all(|key: u64| filter.count(key) == 0));
}

#[test]
fn sizes_count_both_filters() {
    for (items, fpr) in [(1, 0.999_999), (1, 1e-8), (7, 0.5), (1000, 0.01), (1000, 1e-8)] {
        let target = Target::new(items, fpr).unwrap();
        let bits = Method::ALL.map(|method| {
            let options = Options::new().method(method).counter_bits(5);
            let plan = Kind::Spectral.plan(target, &options).unwrap();
            let mut filter = Spectral::with_options(target, &options, Seed::FIXED).unwrap();
            assert_eq!(filter.profile().bits, plan.bits);
            assert_eq!(filter.method(), method);
            for key in 0..items {
                filter.insert(key);
                assert!(filter.contains(key) && filter.count(key) > 0);
            }
            let mut bytes = Vec::new();
            filter.write_to(&mut bytes).unwrap();
            assert_eq!(crate::Open::new().bytes::<Spectral>(&bytes).unwrap(), filter);
            plan.bits
        });
        assert_eq!(bits[0], bits[1]);
        assert_eq!(bits[2], bits[0] + 5 * (bits[0] / 10).max(1), "half as many again");
    }
}

#[test]
fn counters_saturate_and_report_it() {
    let mut filter = Spectral::with_cells(1000, 4, 2, Method::Minimum, Seed::FIXED).unwrap();
    (0..9).for_each(|_| {
        filter.insert_hash(KeyHash(77)).unwrap();
    });
    assert_eq!((filter.count_hash(KeyHash(77)), filter.profile().stuck), (3, 4));
    let error = filter.remove_hash(KeyHash(77)).unwrap_err();
    assert_eq!(error, RemoveError::Stuck { kind: Kind::Spectral, most: 3 });
}

#[test]
fn options_out_of_range_are_named() {
    for width in [0, 1, 33, u32::MAX] {
        let error = Spectral::with_cells(10, 3, width, Method::Minimum, Seed::FIXED);
        assert!(matches!(error, Err(SizeError::Option { name: "counter-bits", .. })));
    }
    // The second filter makes it too large.
    let cells = cells::MAX_BITS / 32;
    let error = Spectral::with_cells(cells, 3, 32, Method::Recurring, Seed::FIXED);
    assert!(matches!(error, Err(SizeError::TooLarge { .. })), "{error:?}");
    let error = Spectral::with_cells(0, 3, 8, Method::Recurring, Seed::FIXED);
    assert!(matches!(error, Err(SizeError::TooSmall { .. })), "{error:?}");
    let error = Spectral::with_cells(10, 65, 8, Method::Recurring, Seed::FIXED);
    assert!(matches!(error, Err(SizeError::Probes { .. })), "{error:?}");
    let mut wide = Spectral::with_cells(10, 3, 9, Method::Minimum, Seed::FIXED).unwrap();
    let narrow = Spectral::with_cells(10, 3, 8, Method::Minimum, Seed::FIXED).unwrap();
    assert_eq!(wide.merge(&narrow), Err(Mismatch::Option { name: "counter-bits" }));
}

/// A file whose method does not match its sections.
#[test]
fn the_method_must_match_the_sections() {
    let filter = made(100, 0.01, Method::Recurring);
    for method in [Method::Minimum, Method::Increase] {
        let forged = Spectral { method, ..filter.clone() };
        let mut bytes = Vec::new();
        forged.write_to(&mut bytes).unwrap();
        let error = crate::Open::new().bytes::<Spectral>(&bytes).unwrap_err();
        assert!(matches!(error, LoadError::Section { name: "secondary" }), "{error:?}");
    }
}
