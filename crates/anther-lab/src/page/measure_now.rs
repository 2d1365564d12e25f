//! `api/measure-now`: the time of a lookup on this machine, now.

use crate::Error;
use crate::page::api;
use crate::page::plan::Fields;
use anther::{
    AnyFilter, Cascade, Filter, Key, KeyHash, Kind, Options, Range, Seed, Target, Work, units,
};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The most keys that are inserted.
const MOST_KEYS: u64 = 10_000_000;
/// The most memory of the filter.
const MOST_BITS: u64 = 8 * (512 << 20);
/// Keys of the filter that tells how long building takes.
const TRIAL_KEYS: u64 = 20_000;
/// How long building may take, roughly, and lookups.
const BUILD: Duration = Duration::from_millis(450);
const LOOKUPS: Duration = Duration::from_millis(250);
/// Lookups between two looks at the clock.
const BATCH: usize = 1 << 14;

/// What the page asks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    kind: String,
    fields: Fields,
    /// With a secret key.
    #[serde(default)]
    keyed: bool,
}

/// The time, and what it was measured with.
#[derive(Debug, Serialize)]
pub struct Measured {
    ns: f64,
    text: String,
    with: String,
}

/// Measures.
pub fn answer(body: &[u8]) -> Result<Vec<u8>, Error> {
    api::write(&measure(&api::read(body)?)?)
}

/// A filter that is looked up in.
enum Made {
    Filter(Box<AnyFilter>),
    Range(Box<Range>),
}

/// Builds a filter of as many keys as a second allows, and looks up keys of which half are in it.
pub fn measure(question: &Question) -> Result<Measured, Error> {
    let missing = || Error::about("measure", "needs the number of keys and the FPR");
    let items = question.fields.items()?.ok_or_else(missing)?;
    let fpr = question.fields.fpr()?.ok_or_else(missing)?;
    let span = question.fields.span()?;
    // The key of a filter that lives for a second need not be secret.
    let seed = if question.keyed { Seed::keyed([7; 16]) } else { Seed::FIXED };
    let kind = Kind::from_name(&question.kind);
    if kind.is_none() && question.kind != "range" {
        return Err(Error::about(&question.kind, "is not a kind; choose one of the table"));
    }
    let build = |items: u64| match kind {
        Some(kind) => build(kind, items, fpr, seed),
        None => {
            let range = Range::build((0..items).map(spread), span, fpr, seed);
            range.map(|range| Made::Range(Box::new(range))).map_err(failed)
        }
    };
    let trial = items.min(TRIAL_KEYS);
    let start = Instant::now();
    let mut made = build(trial)?;
    let per_key = start.elapsed().as_secs_f64() / trial as f64;
    // Large filters take longer per key: cache misses.
    let in_time = BUILD.as_secs_f64() / per_key / 2.5;
    let mut keys = items.min(MOST_KEYS).min(units::whole(in_time)).max(trial);
    if let Some(kind) = kind {
        let target = Target::new(keys, fpr).map_err(failed)?;
        let bits = kind.plan(target, &Options::default()).map_err(failed)?.bits;
        if bits > MOST_BITS {
            keys = (keys / bits.div_ceil(MOST_BITS)).max(1);
        }
    }
    if keys > trial {
        made = build(keys)?;
    } else {
        keys = trial;
    }
    let ns = match &made {
        Made::Filter(filter) => time(keys, |key| filter.contains_hash(key.key_hash(&seed))),
        Made::Range(range) => time(keys, |key| range.contains(key)),
    };
    let with = match keys == items {
        true => format!("{} keys", units::count(keys)),
        false => format!("{} of {} keys", units::count(keys), units::count(items)),
    };
    Ok(Measured { ns, text: units::duration(ns), with })
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Failed(error.to_string())
}

fn build(kind: Kind, items: u64, fpr: f64, seed: Seed) -> Result<Made, Error> {
    let target = Target::new(items, fpr).map_err(failed)?;
    let mut hashes: Vec<KeyHash> = (0..items).map(|key| spread(key).key_hash(&seed)).collect();
    let (options, work) = (Options::default(), Work::new());
    let filter = match kind {
        // Without keys that it must never report, as it is planned.
        Kind::Cascade => Cascade::build_lists(&mut hashes, &mut Vec::new(), Some(fpr), seed, work)
            .map(AnyFilter::from),
        _ => AnyFilter::build(kind, &mut hashes, target, &options, seed, work),
    };
    filter.map(|filter| Made::Filter(Box::new(filter))).map_err(failed)
}

/// A number without a pattern, from a counter: the finaliser of SplitMix64.
fn spread(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// The time of a lookup in ns: the median of all batches.
fn time(keys: u64, contains: impl Fn(u64) -> bool) -> f64 {
    let mut times = Vec::new();
    let (start, mut at) = (Instant::now(), 0);
    while start.elapsed() < LOOKUPS || times.len() < 3 {
        // Keys below the number of keys are present: every second one, in no order.
        let next = |index: u64| {
            let random = spread(at + index + (1 << 40));
            spread(if index.is_multiple_of(2) { random % keys } else { keys + random % keys })
        };
        let asked: Vec<u64> = (0..BATCH as u64).map(next).collect();
        let batch = Instant::now();
        let found = asked.iter().filter(|key| contains(**key)).count();
        times.push(batch.elapsed().as_secs_f64() * 1e9 / BATCH as f64);
        black_box(found);
        at += BATCH as u64;
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(kind: &str, items: &str, fpr: &str) -> Question {
        let fields = Fields {
            items: Some(items.to_string()),
            fpr: Some(fpr.to_string()),
            ..Fields::default()
        };
        Question { kind: kind.to_string(), fields, keyed: false }
    }

    /// Every kind, within a few seconds even on a busy machine in debug mode.
    #[test]
    fn every_kind_is_measured() {
        for kind in Kind::ALL.iter().map(|kind| kind.name()).chain(["range"]) {
            let start = Instant::now();
            let measured = measure(&question(kind, "2k", "2 %")).expect(kind);
            assert!(measured.ns > 0.1 && measured.ns < 1e6, "{kind}: {measured:?}");
            assert_eq!(measured.with, "2,000 keys");
            assert!(start.elapsed() < Duration::from_secs(10), "{kind}: {:?}", start.elapsed());
        }
    }

    #[test]
    fn work_is_bounded() {
        let start = Instant::now();
        let measured = measure(&question("blocked", "1T", "1 %")).unwrap();
        assert!(measured.with.ends_with("of 1,000,000,000,000 keys"), "{measured:?}");
        assert!(start.elapsed() < Duration::from_secs(20));
        for (kind, items, fpr) in [("blocked", "0", "1 %"), ("x", "1", "1 %"), ("blocked", "1", "")]
        {
            assert!(measure(&question(kind, items, fpr)).is_err(), "{kind} {items} {fpr}");
        }
    }
}
