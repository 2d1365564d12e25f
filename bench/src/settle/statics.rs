//! Filters that are solved from all keys at once: time and memory to build them, and lookups beside
//! those of a blocked filter of the same rate.

use super::heading;
use crate::race::memory::{forget_peak, peak};
use crate::statistics::median;
use anther::{Again, AnyFilter, BuildError, Filter, KeyHash, Kind, Options, Seed, Target, Work};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

const FPR: f64 = 0.004;
const KINDS: [Kind; 4] = [Kind::Blocked, Kind::Fuse, Kind::Ribbon, Kind::Bloomier];
/// Hashes held at once; 10⁸ keys take two passes.
const MEMORY: u64 = 512 << 20;
const QUERIES: usize = 1 << 20;
const ROUNDS: usize = 21;

/// Prints the tables, up to 10⁸ keys.
pub fn run() {
    for items in [1_000_000, 10_000_000, 100_000_000] {
        if let Err(error) = table(items) {
            println!("statics: skipped, {error}");
        }
    }
}

/// The i-th key. Its other half of numbers are the absent ones.
fn key(i: u64) -> KeyHash {
    KeyHash(i).again(1)
}

fn build(kind: Kind, items: u64) -> Result<AnyFilter, BuildError> {
    let target = Target::new(items, FPR).map_err(anther::SizeError::from)?;
    let (options, work) = (Options::new(), Work::new().memory(MEMORY));
    AnyFilter::build(kind, &mut Again(|| (0..items).map(key)), target, &options, Seed::FIXED, work)
}

fn table(items: u64) -> Result<(), Box<dyn Error>> {
    heading(&format!(
        "{items} keys at {} %, built on all cores within {} MiB of hashes",
        FPR * 100.0,
        MEMORY >> 20
    ));
    println!(
        "{:>9} {:>9} {:>10} {:>11} {:>17} {:>17}",
        "kind", "bits/key", "build ns", "peak B/key", "present ns", "absent ns"
    );
    let mut filters = Vec::new();
    let mut built = Vec::new();
    for kind in KINDS {
        let before = forget_peak();
        let start = Instant::now();
        let filter = build(kind, items)?;
        let time = start.elapsed().as_nanos() as f64 / items as f64;
        let peak = (peak().saturating_sub(before)) as f64 / items as f64;
        built.push((time, peak));
        filters.push(filter);
    }
    let step = (items / QUERIES as u64).max(1);
    let present: Vec<_> = (0..QUERIES as u64).map(|i| key(i * step % items)).collect();
    let absent: Vec<_> = (0..QUERIES as u64).map(|i| key((1 << 40) + i)).collect();
    // Times of all kinds in every round, so that the ratio is of the same moment.
    let mut rounds = vec![Vec::new(); KINDS.len()];
    for _ in 0..ROUNDS {
        for (filter, rounds) in filters.iter().zip(&mut rounds) {
            rounds.push((ask(filter, &present, true), ask(filter, &absent, false)));
        }
    }
    for (at, kind) in KINDS.iter().enumerate() {
        let column = |pick: fn(&(f64, f64)) -> f64| {
            let mut times: Vec<f64> = rounds[at].iter().map(pick).collect();
            let pairs = rounds[at].iter().zip(&rounds[0]);
            let mut ratios: Vec<f64> = pairs.map(|(a, b)| pick(a) / pick(b)).collect();
            format!("{:>7.1} ({:.2}×)", median(&mut times), median(&mut ratios))
        };
        let bits = filters[at].profile().bits as f64 / items as f64;
        let (time, peak) = built[at];
        let (yes, no) = (column(|round| round.0), column(|round| round.1));
        println!("{:>9} {bits:>9.2} {time:>10.0} {peak:>11.1} {yes:>17} {no:>17}", kind.name());
    }
    Ok(())
}

/// Nanoseconds per lookup.
fn ask(filter: &AnyFilter, keys: &[KeyHash], present: bool) -> f64 {
    let start = Instant::now();
    let found = keys.iter().filter(|key| filter.contains_hash(black_box(**key))).count();
    let time = start.elapsed().as_nanos() as f64 / keys.len() as f64;
    assert!(if present { found == keys.len() } else { found < keys.len() / 100 }, "{found}");
    time
}
