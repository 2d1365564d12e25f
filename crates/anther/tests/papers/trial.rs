//! Filling filters of any kind and querying them.

use crate::papers::table::Measured;
use anther::{Filter, KeyHash};

/// The finalizer of SplitMix64: different numbers give different hashes.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The i-th key of a trial, pseudorandom. Keys of other trials and other numbers differ.
pub fn key(trial: u64, i: u64) -> KeyHash {
    debug_assert!(trial < 1 << 24 && i < 1 << 40);
    KeyHash(mix((trial << 40 | i).wrapping_mul(0x9E37_79B9_7F4A_7C15)))
}

/// The number of a trial's first absent key.
pub const ABSENT: u64 = 1 << 39;

/// Makes `filters` filters, each with keys of its own, and queries each for absent keys.
pub fn measure<F: Filter>(filters: u64, queries: u64, make: impl Fn(u64) -> F) -> Measured {
    let rates = (0..filters).map(|trial| {
        let filter = make(trial);
        let found = (0..queries).filter(|i| filter.contains_hash(key(trial, ABSENT + i))).count();
        found as f64 / queries as f64
    });
    mean(&rates.collect::<Vec<f64>>(), queries)
}

/// The mean rate of several filters, each with `queries` queries, and the variation between them.
pub fn mean(rates: &[f64], queries: u64) -> Measured {
    let filters = rates.len() as f64;
    let rate = rates.iter().sum::<f64>() / filters;
    let squares: f64 = rates.iter().map(|one| (one - rate) * (one - rate)).sum();
    // The queries' own variance is not the filters'; a single filter shows none.
    let between = squares / (filters - 1.0).max(1.0) - rate * (1.0 - rate) / queries as f64;
    let spread = if rate > 0.0 { between.max(0.0) / (rate * rate) / filters } else { 0.0 };
    Measured { rate, queries: queries * rates.len() as u64, spread }
}
