//! Filters that are full: a rejected key changes nothing, and every other key is still found.

use super::*;
use anther::{ForeignError, LayerFull};

#[test]
fn a_full_cuckoo_filter_loses_nothing() {
    for bucket_size in [1, 2, 4, 255] {
        let mut filter = Cuckoo::new(1024, bucket_size, 50, 0).unwrap();
        let mut inserted = Vec::new();
        let mut rejected = 0;
        for number in 0..2000 {
            let key = format!("key {number}").into_bytes();
            let before = filter.clone();
            match filter.insert(&key) {
                Ok(()) => inserted.push(key),
                Err(LayerFull) => {
                    assert_eq!(filter, before);
                    rejected += 1;
                }
            }
        }
        assert!(rejected > 900, "{bucket_size}: {rejected}");
        assert_eq!(filter.len(), inserted.len() as u64);
        assert!(inserted.iter().all(|key| filter.contains(key)));
        assert!(matches!(filter.grow(LIMIT), Err(ForeignError::Field { .. })));
        assert_eq!(filter.layers(), 1);
        // Everything can be removed again.
        assert!(inserted.iter().all(|key| filter.remove(key)));
        assert!(
            filter.is_empty() && filter.chunks().all(|(_, slots)| slots.iter().all(|s| *s == 0))
        );
    }
}

#[test]
fn one_key_fills_its_two_buckets_of_each_layer() {
    let mut filter = Cuckoo::new(1024, 2, 20, 1).unwrap();
    let mut copies = 0;
    while filter.insert(b"same").is_ok() {
        copies += 1;
    }
    assert_eq!((copies, filter.count(b"same")), (4, 4));
    filter.grow(LIMIT).unwrap();
    while filter.insert(b"same").is_ok() {
        copies += 1;
    }
    assert_eq!((copies, filter.count(b"same")), (8, 8));
}

#[test]
fn a_full_bloom_filter_grows_or_rejects() {
    for expansion in [None, Some(1), Some(4)] {
        let mut filter = Bloom::new(5000, 0.01, expansion).unwrap();
        let mut number = 0;
        let full = loop {
            number += 1;
            let before = filter.clone();
            if filter.insert(format!("key {number}").as_bytes()).is_err() {
                break filter == before;
            }
        };
        assert!(full && filter.len() == 5000);
        match expansion {
            None => assert!(matches!(filter.grow(LIMIT), Err(ForeignError::Field { .. }))),
            Some(factor) => {
                let refused = filter.grow(filter.bytes() + 1);
                assert!(matches!(refused, Err(ForeignError::TooLarge { .. })));
                filter.grow(LIMIT).unwrap();
                assert_eq!(filter.capacity(), 5000 + 5000 * u64::from(factor));
            }
        }
        assert!((1..number).all(|number| filter.contains(format!("key {number}").as_bytes())));
        // As many false positives as the bits say, within a few deviations of chance.
        let queries = 100_000;
        let others = (0..queries).map(|number| format!("other {number}"));
        let found = others.filter(|key| filter.contains(key.as_bytes())).count() as f64;
        let expected = filter.fpr() * f64::from(queries);
        assert!((found - expected).abs() < 6.0 * expected.sqrt(), "{found}, not {expected}");
    }
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    for (capacity, error) in [
        (0, 0.01),
        (u64::MAX, 0.01),
        (100, 0.0),
        (100, 1.0),
        (100, -1.0),
        (100, f64::NAN),
        (100, f64::INFINITY),
        (1 << 53, 1e-300),
    ] {
        assert!(Bloom::new(capacity, error, Some(2)).is_err(), "{capacity}, {error}");
    }
    assert!(Bloom::new(100, 0.01, Some(0)).is_err());
    for (capacity, bucket_size, max_iterations, expansion) in [
        (1024, 0, 20, 1),
        (1024, 256, 20, 1),
        (1024, 2, 0, 1),
        (1024, 2, 20, 32769),
        (u64::MAX, 1, 20, 1),
    ] {
        assert!(Cuckoo::new(capacity, bucket_size, max_iterations, expansion).is_err());
    }
}
