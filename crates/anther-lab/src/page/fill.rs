//! `api/fill`: fills a filter to three times its capacity, and measures the false-positive rate.
//!
//! The page asks for one part after the other and draws each as it comes. Every part fills a filter
//! from the start: a filter of 10,000 keys is filled in a few milliseconds, and no state is kept.

use crate::Error;
use crate::page::api;
use crate::page::look::{find_kind, parse_items, parse_rate};
use anther::{
    AnyFilter, Bloomier, Cascade, Filter, KeyHash, Kind, Options, Seed, Target, Work, units,
};
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
    let (first, last) = (filling.part * each + 1, (filling.part + 1) * each);
    let mut filled = Filled {
        items,
        fpr,
        parts: PARTS,
        points: Vec::new(),
        says: Vec::new(),
        ended: last == PER_TARGET * TIMES,
    };
    let mut steps = Steps::new(kind, target)?;
    for number in 1..=last {
        let full = steps.fill_to((items * number).div_ceil(PER_TARGET));
        if number < first && !full {
            continue;
        }
        let point = steps.point()?;
        if full {
            let keys = units::count(point.keys);
            filled.says.push(format!("With {keys} keys it is full and rejects inserts."));
        } else if number.is_multiple_of(PER_TARGET) {
            filled.says.push(steps.says(number / PER_TARGET, &point));
        }
        filled.points.push(point);
        if full {
            filled.ended = true;
            break;
        }
    }
    Ok(filled)
}

/// A filter that is filled step by step.
struct Steps {
    kind: Kind,
    target: Target,
    filter: AnyFilter,
    /// Its size when it was empty, or, where it is static, when it has as many keys as expected.
    first_bits: u64,
    inserted: u64,
}

impl Steps {
    fn new(kind: Kind, target: Target) -> Result<Steps, Error> {
        let filter = match kind.capabilities().insert {
            true => AnyFilter::new(kind, target, Seed::FIXED).map_err(|e| Error::about(kind, e))?,
            false => built(kind, target, target.items())?,
        };
        let first_bits = filter.profile().bits;
        Ok(Steps { kind, target, filter, first_bits, inserted: 0 })
    }

    /// Inserts keys up to this many. True if the filter is full. A static one is built when it is
    /// measured.
    fn fill_to(&mut self, keys: u64) -> bool {
        if let Some(filter) = self.filter.as_insert() {
            while self.inserted < keys {
                if filter.insert_hash(Seed::FIXED.hash_integer(self.inserted)).is_err() {
                    return true;
                }
                self.inserted += 1;
            }
        }
        self.inserted = keys;
        false
    }

    fn point(&mut self) -> Result<Point, Error> {
        if !self.kind.capabilities().insert {
            self.filter = built(self.kind, self.target, self.inserted)?;
        }
        let profile = self.filter.profile();
        let matches = |key: &u64| self.filter.contains_hash(Seed::FIXED.hash_integer(*key));
        let wrong = (ABSENT..ABSENT + LOOKUPS).filter(matches).count();
        Ok(Point {
            keys: self.inserted,
            predicted: profile.fpr_now,
            measured: wrong as f64 / LOOKUPS as f64,
            bits: profile.bits,
        })
    }

    /// What to tell when the filter holds `times` times as many keys as it was made for.
    fn says(&self, times: u64, point: &Point) -> String {
        let keys = units::count(point.keys);
        let as_many = match times {
            1 => "as many as it was made for",
            2 => "twice as many as it was made for",
            _ => "three times as many as it was made for",
        };
        let (measured, predicted) = (units::rate(point.measured), units::rate(point.predicted));
        let mut says =
            format!("With {keys} keys, {as_many}: FPR {measured} measured, {predicted} predicted.");
        let can = self.kind.capabilities();
        if point.bits != self.first_bits {
            let [before, now] =
                [self.first_bits, point.bits].map(|bits| units::size(bits.div_ceil(8)));
            says += &match can.insert {
                true => format!(" It has grown from {before} to {now}."),
                false => format!(" It was built again and takes {now} in place of {before}."),
            };
        }
        if !can.no_false_negatives {
            let gone = (0..point.keys)
                .filter(|key| !self.filter.contains_hash(Seed::FIXED.hash_integer(*key)));
            let gone = units::count(gone.count() as u64);
            says += &format!(" It has forgotten {gone} of the {keys} keys.");
        }
        says
    }
}

/// A static filter of `keys` keys.
fn built(kind: Kind, target: Target, keys: u64) -> Result<AnyFilter, Error> {
    let hashes = || (0..keys).map(|key| Seed::FIXED.hash_integer(key));
    let (options, work) = (Options::new(), Work::new());
    let built = match kind {
        Kind::Bloomier => {
            // A value of one bit, as small as values get.
            let mut pairs: Vec<(KeyHash, u64)> = hashes().map(|hash| (hash, 1)).collect();
            let options = options.value_bits(1);
            Bloomier::build_pairs(&mut pairs, target, &options, false, Seed::FIXED, work)
                .map(AnyFilter::from)
        }
        Kind::Cascade => {
            let (mut keys, mut others) = (hashes().collect::<Vec<_>>(), Vec::<KeyHash>::new());
            Cascade::build_lists(&mut keys, &mut others, Some(target.fpr()), Seed::FIXED, work)
                .map(AnyFilter::from)
        }
        _ => {
            let mut keys: Vec<KeyHash> = hashes().collect();
            AnyFilter::build(kind, &mut keys, target, &options, Seed::FIXED, work)
        }
    };
    built.map_err(|error| Error::about(kind, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(kind: Kind, items: &str, part: u64) -> Filled {
        let (kind, items) = (kind.name().to_string(), items.to_string());
        filled(&Filling { kind, items, fpr: "1%".to_string(), part }).unwrap()
    }

    /// At twice the keys, (1 - e^(-2kn/m))^k with k = 7 and m/n = 9.6 is 14 %.
    #[test]
    fn twice_as_many_keys_in_a_classic_filter_are_fourteen_percent() {
        let filled = fill(Kind::Classic, "1000", 3);
        let point = filled.points.iter().find(|point| point.keys == 2000).unwrap();
        for rate in [point.predicted, point.measured] {
            assert!((0.12..0.19).contains(&rate), "{rate}");
        }
        assert!(filled.says[0].starts_with("With 2,000 keys, twice as many"), "{:?}", filled.says);
    }

    /// The predicted rate of every kind is what is measured, and every kind ends.
    #[test]
    fn every_kind_is_filled_to_its_end() {
        for &kind in Kind::ALL {
            let mut points = Vec::new();
            for part in 0..PARTS {
                let filled = fill(kind, "500", part);
                points.extend(filled.points);
                if filled.ended {
                    break;
                }
                assert!(part + 1 < PARTS, "{kind}");
            }
            assert!(points.windows(2).all(|pair| pair[0].keys < pair[1].keys), "{kind}");
            let last = points.last().unwrap();
            let is_full = kind.capabilities().fills_up;
            assert!(is_full || last.keys == 1500, "{kind}: {}", last.keys);
            // Twice as far as six deviations of 20,000 throws, since the prediction is of the mean.
            let near = 0.002 + last.predicted * 0.6;
            assert!((last.measured - last.predicted).abs() < near, "{kind}: {last:?}");
        }
    }

    #[test]
    fn bad_requests_are_named() {
        let ask = |text: &str| answer(text.as_bytes()).unwrap_err().to_string();
        let body = |kind: &str, items: &str, fpr: &str, part: u64| {
            format!(r#"{{"kind":"{kind}","items":"{items}","fpr":"{fpr}","part":{part}}}"#)
        };
        assert!(ask("{").contains("reload the page"));
        assert!(ask(&body("nest", "10", "1%", 0)).contains("no such kind"));
        assert!(ask(&body("classic", "1M", "1%", 0)).contains("1 to 10,000 keys"));
        assert!(ask(&body("classic", "0", "1%", 0)).contains("1 to 10,000 keys"));
        assert!(ask(&body("classic", "10", "much", 0)).contains("“much”"));
        assert!(ask(&body("classic", "10", "200%", 0)).contains("classic"));
        assert!(ask(&body("classic", "10", "1%", 6)).contains("no such part"));
    }
}
