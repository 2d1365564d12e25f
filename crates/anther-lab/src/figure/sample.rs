//! What several filters gave, a number each: their mean, and how sure it is.
//!
//! [`Tally`](super::tally::Tally) is for rates of which it is known how far filters lie apart. Here
//! that is taken from the filters themselves, for everything else.

use super::tally::seed;
use crate::error::Error;
use anther::{Counting, Filter, Insert, Inspect, Key};
use std::fmt::Display;

/// Where absent keys begin: beyond every key that a figure inserts.
pub const ABSENT: u64 = 1 << 40;

/// A number from each of some filters.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    values: Vec<f64>,
    /// How many lookups, keys or cells are behind all of them.
    throws: f64,
}

impl Sample {
    /// One more filter's share of `throws` throws.
    pub fn push(&mut self, value: f64, throws: u64) {
        self.values.push(value);
        self.throws += throws as f64;
    }

    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    /// The standard deviation of the mean, as the filters lie apart.
    pub fn error(&self) -> f64 {
        let (mean, count) = (self.mean(), self.values.len() as f64);
        let squares: f64 = self.values.iter().map(|value| (value - mean).powi(2)).sum();
        (squares / (count - 1.0).max(1.0) / count).sqrt()
    }

    /// Whether a share lies within six standard deviations: those of the throws, or those between
    /// the filters where they are larger.
    pub fn agrees(&self, predicted: f64) -> bool {
        let throws = (predicted * (1.0 - predicted) / self.throws).sqrt();
        // Where hardly one is expected, one may come all the same.
        let least = 1.0 / self.throws;
        (self.mean() - predicted).abs() <= 6.0 * throws.max(self.error()).max(least)
    }
}

/// The false-positive rates of `filters` filters, from `asked` lookups in each.
pub fn rates<F: Filter>(
    filters: u32,
    asked: u64,
    make: impl Fn(u32) -> Result<F, Error>,
) -> Result<Sample, Error> {
    let mut sample = Sample::default();
    for number in 0..filters {
        sample.push(share_found(&make(number)?, ABSENT, asked), asked);
    }
    Ok(sample)
}

/// The share of `asked` keys, the first of which is `from`, to which a filter says maybe.
pub fn share_found(filter: &impl Filter, from: u64, asked: u64) -> f64 {
    let found =
        (from..from + asked).filter(|key| filter.contains_hash(key.key_hash(filter.seed())));
    found.count() as f64 / asked as f64
}

/// A filter with `items` keys, if it could be made.
pub fn filled<F: Insert, E: Display>(made: Result<F, E>, items: u64) -> Result<F, Error> {
    let mut filter = made.map_err(broken)?;
    for key in 0..items {
        let hash = key.key_hash(filter.seed());
        filter.insert_hash(hash).map_err(broken)?;
    }
    Ok(filter)
}

/// How many counters have each value.
pub fn counter_values(filter: &Counting) -> Vec<u64> {
    let mut counts = vec![0; 1 << Counting::DEFAULT_COUNTER_BITS];
    for row in filter.rows() {
        for cell in 0..row.cells.cells() {
            let value = usize::try_from(row.cells.get(cell)).ok();
            if let Some(count) = value.and_then(|value| counts.get_mut(value)) {
                *count += 1;
            }
        }
    }
    counts
}

/// What a figure says when the library refuses: a mistake in the figure.
pub fn broken(error: impl Display) -> Error {
    Error::about("this figure cannot be made", error)
}

/// Numbers as good as random, the same in every run: hashes of 0, 1, 2 and so on.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    seed: anther::Seed,
    next: u64,
}

impl Random {
    pub fn new(number: u32) -> Random {
        Random { seed: seed(number), next: 0 }
    }

    pub fn draw(&mut self) -> u64 {
        self.next += 1;
        self.seed.hash_integer(self.next).0
    }

    pub fn below(&mut self, range: u64) -> u64 {
        scale(self.draw(), range)
    }
}

/// From all numbers of 64 bits to those below a range.
pub fn scale(x: u64, range: u64) -> u64 {
    ((u128::from(x) * u128::from(range)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_likely_agrees_and_what_is_not_does_not() {
        let mut sample = Sample::default();
        for value in [0.011, 0.0095, 0.0095] {
            sample.push(value, 10_000);
        }
        assert!((sample.mean() - 0.01).abs() < 1e-12 && (sample.error() - 5e-4).abs() < 1e-9);
        // Six times 0.0006 by the throws, a little more than between the filters.
        assert!(sample.agrees(0.01) && sample.agrees(0.0131) && !sample.agrees(0.015));
        let mut none = Sample::default();
        none.push(0.0, 1000);
        assert!(none.agrees(1e-5) && !none.agrees(0.05));
    }
}
