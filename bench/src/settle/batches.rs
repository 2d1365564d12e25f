//! Batches beside single lookups, of every kind: nanoseconds per key, and how many times as fast a
//! batch is.

use super::{heading, items};
use crate::random::{Random, scale};
use crate::statistics::median;
use anther::{
    AnyFilter, BuildError, Cascade, Filter, KeyHash, Kind, Options, Range, Seed, Target, Threads,
    Work,
};
use std::error::Error;
use std::hint::black_box;
use std::ops::RangeInclusive;
use std::time::Instant;

const FPR: f64 = 0.01;
const SPAN: u64 = 1024;
/// Keys of a call.
const BATCH: usize = 1024;
/// Keys of a round. Other keys in each, so that none is in the cache because it was looked up before.
const ROUND: usize = 8 * BATCH;
const ROUNDS: usize = 64;

/// Prints the table, for a million keys or as many as `--items=` says.
pub fn run() {
    let items = items().unwrap_or(1_000_000);
    heading(&format!(
        "{items} keys at {} %, one thread: ns of single lookups and in batches of {BATCH}, and times \
         as fast; medians of {ROUNDS} alternated rounds",
        FPR * 100.0
    ));
    println!("{:>18} {:>9} {:>22} {:>22}", "kind", "bits/key", "present", "absent");
    let queries = Queries::new(items);
    for &kind in Kind::ALL {
        match build(kind, items) {
            Ok(filter) => queries.table(&filter, items),
            Err(error) => println!("{kind}: skipped, {error}"),
        }
    }
    if let Err(error) = queries.ranges(items) {
        println!("range: skipped, {error}");
    }
}

fn key(i: u64) -> KeyHash {
    KeyHash(i).again(1)
}

fn build(kind: Kind, items: u64) -> Result<AnyFilter, BuildError> {
    // A scalable filter that has grown a hundredfold.
    let first = if kind == Kind::Scalable { items / 100 } else { items };
    let target = Target::new(first, FPR).map_err(anther::SizeError::from)?;
    let keys: Vec<KeyHash> = (0..items).map(key).collect();
    let (mut keys, work) = (&keys[..], Work::new().threads(Threads::ONE));
    if kind == Kind::Cascade {
        let others: Vec<KeyHash> = (0..items).map(|i| key((1 << 41) + i)).collect();
        let filter =
            Cascade::build_lists(&mut keys, &mut &others[..], Some(FPR), Seed::FIXED, work)?;
        return Ok(filter.into());
    }
    AnyFilter::build(kind, &mut keys, target, &Options::new(), Seed::FIXED, work)
}

struct Queries {
    present: Vec<KeyHash>,
    absent: Vec<KeyHash>,
}

impl Queries {
    fn new(items: u64) -> Queries {
        let mut random = Random::new(5);
        let count = 2 * ROUND * ROUNDS;
        Queries {
            present: (0..count).map(|_| key(scale(random.draw(), items))).collect(),
            absent: (0..count as u64).map(|i| key((1 << 40) + i)).collect(),
        }
    }

    fn table(&self, filter: &AnyFilter, items: u64) {
        let single = |keys: &[KeyHash]| {
            keys.iter().filter(|key| filter.contains_hash(black_box(**key))).count()
        };
        let batch = |keys: &[KeyHash]| {
            let mut found = [false; BATCH];
            filter.contains_hashes(keys, &mut found);
            found.iter().filter(|found| **found).count()
        };
        let columns = [&self.present, &self.absent].map(|keys| column(keys, single, batch));
        let bits = filter.profile().bits as f64 / items as f64;
        row(filter.kind().name(), bits, columns);
    }

    fn ranges(&self, items: u64) -> Result<(), Box<dyn Error>> {
        let filter = Range::build((0..items).map(|i| key(i).0), SPAN, FPR, Seed::FIXED)?;
        // The key is within its range.
        let range = |key: &KeyHash| {
            let first = key.0.saturating_sub(SPAN / 2).min(u64::MAX - SPAN);
            first..=first + SPAN - 1
        };
        let single = |ranges: &[RangeInclusive<u64>]| {
            let found = |range: RangeInclusive<u64>| filter.contains_any(range) == Ok(true);
            ranges.iter().filter(|range| found(black_box((*range).clone()))).count()
        };
        let batch = |ranges: &[RangeInclusive<u64>]| {
            let mut found = [false; BATCH];
            // None is reversed.
            let _ = filter.contains_ranges(ranges, &mut found);
            found.iter().filter(|found| **found).count()
        };
        let columns = [&self.present, &self.absent].map(|keys| {
            let ranges: Vec<_> = keys.iter().map(range).collect();
            column(&ranges, single, batch)
        });
        row("range", filter.profile().bits_per_key(), columns);
        Ok(())
    }
}

/// Single lookups and batches, in turn.
fn column<T>(keys: &[T], single: impl Fn(&[T]) -> usize, batch: impl Fn(&[T]) -> usize) -> String {
    let (mut singles, mut batches, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let mut found = [0; 2];
    let time = |keys: &[T], look_up: &dyn Fn(&[T]) -> usize, found: &mut usize| {
        let start = Instant::now();
        *found += keys.chunks(BATCH).map(look_up).sum::<usize>();
        start.elapsed().as_nanos() as f64 / keys.len() as f64
    };
    for keys in keys.chunks_exact(2 * ROUND) {
        let (first, second) = keys.split_at(ROUND);
        let [one, many] =
            [time(first, &single, &mut found[0]), time(second, &batch, &mut found[1])];
        singles.push(one);
        batches.push(many);
        ratios.push(one / many);
    }
    assert!(found[0].abs_diff(found[1]) <= keys.len() / 100, "{found:?} were found");
    let [single, batch, ratio] = [singles, batches, ratios].map(|mut times| median(&mut times));
    format!("{single:>7.1} {batch:>7.1} ({ratio:.2}×)")
}

fn row(name: &str, bits: f64, [present, absent]: [String; 2]) {
    println!("{name:>18} {bits:>9.2} {present:>22} {absent:>22}");
}
