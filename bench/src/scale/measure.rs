//! Builds and lookups of 10⁵ to 10⁹ keys, on one core and on all.
//!
//! Keys are the integers from 0, hashed where they are needed: a list of 10⁹ would take 8 GB, and
//! reading it is what the source of the keys costs, not the filter.

use crate::race::memory::Peak;
use crate::race::record::Row;
use crate::race::rounds::{Runner, alternate, timed};
use crate::random::{mix, scale};
use anther::{
    Again, AnyFilter, BuildError, Filter, InsertError, KeyHash, Kind, Options, Seed, SizeError,
    Target, Threads, Work,
};
use std::convert::Infallible;
use std::error::Error;
use std::fs;
use std::ops::Range;

/// The rate of all filters here.
pub const RATE: f64 = 0.01;
/// Lookups of a round.
const QUERIES: usize = 1 << 21;
/// Hashes of a static build that are in memory at once: 10⁹ keys take two passes.
const MEMORY: u64 = 4 << 30;

/// The rows of all sizes up to the largest, and of the machine.
pub fn run(most: u64) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = vec![machine()];
    for items in (5..=9).map(|power| 10u64.pow(power)).filter(|items| *items <= most) {
        rows.extend(of_size(items)?);
    }
    Ok(rows)
}

/// The rows of one size.
pub fn of_size(items: u64) -> Result<Vec<Row>, Box<dyn Error>> {
    eprintln!("scale: {items} keys");
    let mut rows = blocked(items)?;
    for kind in [Kind::Ribbon, Kind::Fuse] {
        rows.push(statics(kind, items)?);
    }
    Ok(rows)
}

/// How much memory there is, which decides what one machine holds.
fn machine() -> Row {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    let bytes = kib.unwrap_or(0) << 10;
    Row { work: "memory", contender: "machine", ns: f64::NAN, note: bytes.to_string(), ..blank(0) }
}

fn blank(items: u64) -> Row {
    Row { section: "scale", keys: "u64", items, rate: RATE, threads: 1, ..Row::default() }
}

fn cores() -> usize {
    Threads::all().get()
}

/// One thread and one per core; the same on a machine with one.
fn numbers_of_threads() -> [usize; 2] {
    [1, cores()]
}

/// More rounds where they are short.
fn rounds(items: u64) -> usize {
    match items {
        n if n <= 1_000_000 => 15,
        n if n <= 10_000_000 => 7,
        n if n <= 100_000_000 => 3,
        _ => 1,
    }
}

#[inline]
fn hash(key: u64) -> KeyHash {
    Seed::FIXED.hash_integer(key)
}

fn fill(items: u64, threads: usize) -> Result<AnyFilter, Box<dyn Error>> {
    let target = Target::new(items, RATE)?;
    let mut filter = AnyFilter::new(Kind::Blocked, target, Seed::FIXED)?;
    let hashes = |keys: Range<usize>, hashes: &mut [KeyHash]| {
        for (slot, key) in hashes.iter_mut().zip(keys) {
            *slot = hash(key as u64);
        }
    };
    let inserted: Result<(), InsertError> =
        filter.bulk_insert_blocks(usize::try_from(items)?, &hashes, Threads::new(threads));
    inserted?;
    Ok(filter)
}

fn blocked(items: u64) -> Result<Vec<Row>, Box<dyn Error>> {
    let keys = usize::try_from(items)?;
    let own = Row { contender: "anther blocked", ..blank(items) };
    // A build that fails now would fail in every round.
    let peak = Peak::begin();
    let filter = fill(items, cores())?;
    let peak = peak.bytes() as f64 / items as f64;
    let profile = filter.profile();
    let bits = profile.bits as f64 / items as f64;
    let build = |threads: usize| -> Runner<'_> {
        Box::new(move |_| {
            let (time, built) = timed(keys, || fill(items, threads));
            drop(built);
            time
        })
    };
    let [one, all] = numbers_of_threads();
    let times = alternate(rounds(items), &mut [build(one), build(all)]);
    let mut rows = Vec::new();
    for (threads, times_of) in [one, all].into_iter().zip(&times) {
        rows.push(Row {
            work: "insert",
            way: "bulk",
            threads,
            ns: times_of.median(),
            ratio: Some(times[0].over(times_of)),
            bits: Some(bits),
            peak: Some(peak),
            note: "ratio: times as fast as one thread".to_string(),
            ..own.clone()
        });
    }

    let (mut found, mut again) = (vec![false; QUERIES], vec![false; QUERIES]);
    for (work, present) in [("hit", true), ("miss", false)] {
        let key = |at: usize| match present {
            true => scale(mix(at as u64 + 1), items),
            false => items + at as u64,
        };
        look_up(&filter, key, &mut found, 1);
        let maybes = found.iter().filter(|found| **found).count();
        assert!(!present || maybes == QUERIES, "no false negatives");
        let fpr = (!present).then(|| maybes as f64 / QUERIES as f64);
        let found = std::cell::RefCell::new((&found, &mut again));
        let runner = |threads: usize| -> Runner<'_> {
            let (filter, found) = (&filter, &found);
            Box::new(move |_| {
                let mut found = found.borrow_mut();
                let (time, ()) = timed(QUERIES, || look_up(filter, key, found.1, threads));
                assert!(found.0 == found.1, "the answers stay the same");
                time
            })
        };
        let times = alternate(9, &mut [runner(one), runner(all)]);
        for (threads, times_of) in [one, all].into_iter().zip(&times) {
            rows.push(Row {
                work,
                way: "batch",
                threads,
                ns: times_of.median(),
                ratio: Some(times[0].over(times_of)),
                bits: Some(bits),
                fpr,
                note: "ratio: times as fast as one thread".to_string(),
                ..own.clone()
            });
        }
    }
    rows.push(Row { work: "merge", ns: merge(filter, items)?, bits: Some(bits), ..own });
    Ok(rows)
}

fn look_up(
    filter: &AnyFilter,
    key: impl Fn(usize) -> u64 + Sync,
    found: &mut [bool],
    threads: usize,
) {
    let hashes = |keys: Range<usize>, hashes: &mut [KeyHash]| {
        for (slot, at) in hashes.iter_mut().zip(keys) {
            *slot = hash(key(at));
        }
        Ok::<(), Infallible>(())
    };
    let Ok(()) = filter.contains_blocks(found, hashes, Threads::new(threads));
}

/// Nanoseconds per key to merge two filters of this size, on one thread.
fn merge(mut filter: AnyFilter, items: u64) -> Result<f64, Box<dyn Error>> {
    let other = filter.clone();
    let mut times = Vec::new();
    for _ in 0..rounds(items).min(5) {
        let (time, merged) = timed(usize::try_from(items)?, || filter.merge(&other));
        merged?;
        times.push(time);
    }
    Ok(crate::statistics::median(&mut times))
}

/// The build of a static kind, on all cores.
fn statics(kind: Kind, items: u64) -> Result<Row, BuildError> {
    let target = Target::new(items, RATE).map_err(SizeError::from)?;
    let build = || {
        let (options, work) = (Options::new(), Work::new().memory(MEMORY));
        let mut keys = Again(|| (0..items).map(hash));
        AnyFilter::build(kind, &mut keys, target, &options, Seed::FIXED, work)
    };
    let peak = Peak::begin();
    let (time, filter) = timed(items as usize, build);
    let filter = filter?;
    let peak = peak.bytes() as f64 / items as f64;
    let mut times = vec![time];
    for _ in 1..rounds(items).min(3) {
        times.push(timed(items as usize, build).0);
    }
    for at in 0..1000 {
        let key = hash(scale(mix(at), items));
        assert!(filter.contains_hash(key), "no false negatives");
    }
    Ok(Row {
        work: "insert",
        way: "build",
        threads: cores(),
        contender: if kind == Kind::Ribbon { "anther ribbon" } else { "anther fuse" },
        ns: crate::statistics::median(&mut times),
        bits: Some(filter.profile().bits as f64 / items as f64),
        peak: Some(peak),
        ..blank(items)
    })
}
