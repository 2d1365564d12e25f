//! Range filters beside a sorted array that is searched by bisection: bits per key, time to build, and
//! lookups of empty ranges and of ranges with a key.

use super::heading;
use crate::statistics::median;
use anther::{KeyHash, Range, Seed};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

const FPR: f64 = 0.01;
const SPANS: [u64; 3] = [1, 32, 1024];
const QUERIES: usize = 1 << 20;
const ROUNDS: usize = 15;

/// Prints the tables, up to 10⁸ keys.
pub fn run() {
    for items in [1_000_000, 10_000_000, 100_000_000] {
        if let Err(error) = table(items) {
            println!("ranges: skipped, {error}");
        }
    }
}

fn draw(i: u64) -> u64 {
    KeyHash(i).again(1).0
}

fn table(items: u64) -> Result<(), Box<dyn Error>> {
    heading(&format!("{items} keys of 64 bits, ranges of the span at {} %", FPR * 100.0));
    println!(
        "{:>12} {:>6} {:>9} {:>9} {:>10} {:>17} {:>17}",
        "", "span", "bits/key", "formula", "build ns", "with a key ns", "empty ns"
    );
    let start = Instant::now();
    let mut sorted: Vec<u64> = (0..items).map(draw).collect();
    sorted.sort_unstable();
    let sorting = start.elapsed().as_nanos() as f64 / items as f64;
    for (at, span) in SPANS.into_iter().enumerate() {
        let start = Instant::now();
        let filter = Range::build((0..items).map(draw), span, FPR, Seed::FIXED)?;
        let building = start.elapsed().as_nanos() as f64 / items as f64;
        let step = (items / QUERIES as u64).max(1);
        let starts = |queries: u64, key: &dyn Fn(u64) -> u64| -> Vec<u64> {
            (0..queries).map(key).map(|first| first.min(u64::MAX - span)).collect()
        };
        // The key anywhere in its range.
        let held = starts(QUERIES as u64, &|i| draw(i * step % items).saturating_sub(i % span));
        let empty = starts(QUERIES as u64, &|i| draw((1 << 40) + i));
        let by_filter = |first: u64| filter.contains_any(first..=first + span - 1) == Ok(true);
        let by_array = |first: u64| {
            let next = sorted.partition_point(|key| *key < first);
            sorted.get(next).is_some_and(|key| *key < first + span)
        };
        // Both in every round, so that the ratio is of the same moment.
        let mut rounds = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            rounds[0].push((time(&held, by_array, 1.0), time(&empty, by_array, 0.0)));
            rounds[1].push((time(&held, by_filter, 1.0), time(&empty, by_filter, FPR)));
        }
        let column = |of: usize, pick: fn(&(f64, f64)) -> f64| {
            let mut times: Vec<f64> = rounds[of].iter().map(pick).collect();
            let pairs = rounds[of].iter().zip(&rounds[0]);
            let mut ratios: Vec<f64> = pairs.map(|(a, b)| pick(a) / pick(b)).collect();
            format!("{:>7.1} ({:.2}×)", median(&mut times), median(&mut ratios))
        };
        let row = |name: &str, bits: f64, formula: &str, build: f64, of: usize| {
            let (yes, no) = (column(of, |round| round.0), column(of, |round| round.1));
            println!(
                "{name:>12} {span:>6} {bits:>9.2} {formula:>9} {build:>10.0} {yes:>17} {no:>17}"
            );
        };
        if at == 0 {
            row("sorted array", 64.0, "64", sorting, 0);
        }
        let formula = format!("{:.2}", (span as f64 / FPR).log2() + 2.0);
        row("range", filter.profile().bits_per_key(), &formula, building, 1);
    }
    Ok(())
}

/// Nanoseconds per lookup. About this share is found.
fn time(starts: &[u64], contains_any: impl Fn(u64) -> bool, share: f64) -> f64 {
    let start = Instant::now();
    let found = starts.iter().filter(|first| contains_any(black_box(**first))).count();
    let time = start.elapsed().as_nanos() as f64 / starts.len() as f64;
    let found = found as f64 / starts.len() as f64;
    assert!((found - share).abs() < 0.003, "{found} of the ranges were found, {share} expected");
    time
}
