//! Costa, Ferragina and Vinciguerra 2024: bits and rates of range filters.

use crate::papers::table::{Measured, Table};
use crate::papers::trial::key;
use anther::sizing::range as sizing;
use anther::{Range, Seed};

const KEYS: u64 = 20_000;

/// The share of empty ranges that are answered maybe, over some seeds.
fn measured(span: u64, next_to_keys: bool) -> Measured {
    const ASKED: u64 = 5000;
    const SEEDS: u64 = 20;
    let mut rates = Vec::new();
    for trial in 0..SEEDS {
        let mut keys: Vec<u64> = (0..KEYS).map(|i| key(trial, i).0).collect();
        keys.sort_unstable();
        let filter = Range::build(keys.iter().copied(), span, 0.01, Seed::chosen(trial)).unwrap();
        let starts = (0..).map(|i| {
            let drawn = key(trial + 1000, i).0;
            match next_to_keys {
                true => keys[(drawn % KEYS) as usize].saturating_add(1 + (drawn >> 32) % 16),
                false => drawn,
            }
        });
        let ranges = starts.filter_map(|first| Some(first..=first.checked_add(span - 1)?));
        let empty = ranges.filter(|range| {
            let next = keys.partition_point(|key| key < range.start());
            keys.get(next).is_none_or(|key| key > range.end())
        });
        let wrong =
            empty.take(ASKED as usize).filter(|range| filter.contains_any(range.clone()).unwrap());
        rates.push(wrong.count() as f64 / ASKED as f64);
    }
    let mean = rates.iter().sum::<f64>() / SEEDS as f64;
    // Offsets are only pairwise independent, so one seed may lie off by more than a binomial.
    let variance = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / SEEDS as f64;
    let spread = variance / (mean * mean) / SEEDS as f64;
    Measured { rate: mean, queries: ASKED * SEEDS, spread }
}

#[test]
fn range_bits_and_rates() {
    let mut table = Table::new("Range: bits per key, and the rate of empty ranges, made for 1 %");
    for (span, print) in [(1, "8.64"), (32, "13.64"), (1024, "18.64")] {
        let formula = (span as f64 / 0.01).log2() + 2.0;
        table.row(format!("log2(L/ε)+2, L={span}"), print, formula, None);
        let bits = sizing::bits_per_key(1_000_000, sizing::bound(1_000_000, span, 0.01));
        assert!((formula - 0.09..=formula).contains(&bits), "{span}: {bits}");
    }
    for span in [1, 32, 1024] {
        for (name, next_to_keys) in [("anywhere", false), ("next to keys", true)] {
            let law = sizing::fpr(KEYS, sizing::bound(KEYS, span, 0.01), span);
            let measured = measured(span, next_to_keys);
            table.row(format!("L={span}, {name}"), "1.00 %", law, measured);
        }
    }
    table.finish();
}
