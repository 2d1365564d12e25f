//! `api/fill`: fills a filter to three times its capacity, and measures the false-positive rate.
//!
//! The page asks for one part after the other and draws each as it comes. Every part fills a filter
//! from the start: a filter of 10,000 keys is filled in a few milliseconds, and no state is kept.

use crate::Error;
use crate::page::api;
use crate::page::look::{find_kind, parse_items, parse_rate};
use anther::{AnyFilter, BuildError, Filter, Kind, Options, Seed, Target, Work, units};
use serde::{Deserialize, Serialize};

/// The most keys that a filter is made for. Larger ones have the same curve.
const MOST_ITEMS: u64 = 10_000;
/// Lookups of absent keys per point: at a rate of 1 % within 14 % of it, at two deviations.
const LOOKUPS: u64 = 20_000;
/// Points until the filter holds as many keys as it was made for.
const PER_TARGET: u64 = 8;
/// How many times its capacity the filter is filled.
const TIMES: u64 = 3;
/// How many parts the page asks for.
const PARTS: u64 = 6;
/// The largest filter, in bits: 10,000 keys at 1e-9 in the largest kind take about half of it.
const MOST_BITS: u64 = 1 << 24;
/// Where absent keys begin, beyond all that are inserted.
const ABSENT: u64 = 1 << 40;

/// A filter to fill.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Filling {
    kind: String,
    /// As people write them.
    items: String,
    fpr: String,
    /// Which part, from 0.
    part: u64,
}

/// What was measured.
#[derive(Debug, Serialize)]
struct Filled {
    items: u64,
    fpr: f64,
    parts: u64,
    points: Vec<Point>,
    /// What to tell of it.
    says: Vec<String>,
    /// Whether no part comes after this.
    ended: bool,
}

/// A filter with some keys.
#[derive(Debug, Serialize)]
struct Point {
    keys: u64,
    predicted: f64,
    measured: f64,
    bits: u64,
}

/// Answers a request.
pub fn answer(body: &[u8]) -> Result<Vec<u8>, Error> {
    api::write(&filled(&api::read(body)?)?)
}

fn filled(filling: &Filling) -> Result<Filled, Error> {
    let kind = find_kind(&filling.kind)?;
    let (items, fpr) = (parse_items(&filling.items, MOST_ITEMS)?, parse_rate(&filling.fpr)?);
    if filling.part >= PARTS {
        return Err(Error::about(filling.part, "no such part; reload the page"));
    }
    let stop = |error: &dyn std::fmt::Display| Error::about(kind, error);
    let target = Target::new(items, fpr).map_err(|error| stop(&error))?;
    let bits = kind.plan(target, &Options::new()).map_err(|error| stop(&error))?.bits;
    if bits > MOST_BITS {
        let cause = "too large to fill here; use fewer keys, or a higher false-positive rate";
        return Err(Error::about(format_args!("{} bits", units::count(bits)), cause));
    }
    let each = PER_TARGET * TIMES / PARTS;
    let mut steps = Steps::new(kind, target)?;
    let mut filled =
        Filled { items, fpr, parts: PARTS, points: Vec::new(), says: Vec::new(), ended: false };
    for number in 1..=(filling.part + 1) * each {
        let keys = (items * number).div_ceil(PER_TARGET);
        let is_of_this_part = number > filling.part * each;
        let full = steps.fill_to(keys)?;
        if is_of_this_part || full {
            filled.points.push(steps.point());
        }
        if full {
            filled.says.push(format!(
                "{kind}: rejects inserts from {} keys on. It is full.",
                units::count(steps.inserted)
            ));
            filled.ended = true;
            break;
        }
        if is_of_this_part && number.is_multiple_of(PER_TARGET) {
            filled.says.push(steps.says(number / PER_TARGET));
        }
    }
    filled.ended |= filling.part + 1 == PARTS;
    Ok(filled)
}

/// A filter that is filled step by step.
struct Steps {
    kind: Kind,
    target: Target,
    filter: AnyFilter,
    first_bits: u64,
    inserted: u64,
}

impl Steps {
    fn new(kind: Kind, target: Target) -> Result<Steps, Error> {
        let mut filter = match kind.capabilities().insert {
            true => AnyFilter::new(kind, target, Seed::FIXED).map_err(|e| Error::about(kind, e))?,
            false => built(kind, target, target.items())?,
        };
        let first_bits = filter.profile().bits;
        if filter.as_insert().is_none() {
            filter = built(kind, target, 0)?;
        }
        Ok(Steps { kind, target, filter, first_bits, inserted: 0 })
    }

    /// Inserts keys up to this many, or builds a static filter of so many. True if it is full.
    fn fill_to(&mut self, keys: u64) -> Result<bool, Error> {
        if !self.kind.capabilities().insert {
            // Only what is measured needs to be built.
            self.inserted = keys;
            return Ok(false);
        }
        let Some(filter) = self.filter.as_insert() else { return Ok(true) };
        while self.inserted < keys {
            if filter.insert_hash(Seed::FIXED.hash_integer(self.inserted)).is_err() {
                return Ok(true);
            }
            self.inserted += 1;
        }
        Ok(false)
    }

    fn point(&mut self) -> Result<Point, Error> {
        if !self.kind.capabilities().insert {
            self.filter = built(self.kind, self.target, self.inserted)?;
        }
        let profile = self.filter.profile();
        let absent = (ABSENT..ABSENT + LOOKUPS).map(|key| Seed::FIXED.hash_integer(key));
        let wrong = absent.filter(|key| self.filter.contains_hash(*key)).count();
        Ok(Point {
            keys: self.inserted,
            predicted: profile.fpr_now,
            measured: wrong as f64 / LOOKUPS as f64,
            bits: profile.bits,
        })
    }
}
