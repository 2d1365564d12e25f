//! Wrong answers counted, and held against what was predicted.

use anther::{Filter, Key, Seed};

/// How many of the lookups of absent keys were answered with maybe.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub asked: u64,
    pub wrong: u64,
    /// How many filters were queried.
    pub filters: u32,
}

impl Tally {
    /// Looks up keys that are absent in one more filter.
    pub fn ask(&mut self, filter: &impl Filter, absent: impl Iterator<Item = u64>) {
        self.filters += 1;
        for key in absent {
            self.asked += 1;
            self.wrong += u64::from(filter.contains_hash(key.key_hash(filter.seed())));
        }
    }

    /// The share of wrong answers.
    pub fn rate(&self) -> f64 {
        self.wrong as f64 / self.asked as f64
    }

    /// Whether a prediction lies within six standard deviations. Each lookup is a throw; and
    /// each filter has a rate of its own, which differs from the mean of all by so much, as a
    /// share of it.
    pub fn agrees(&self, predicted: f64, spread: f64) -> bool {
        let throws = predicted * (1.0 - predicted) / self.asked as f64;
        let filters = (predicted * spread).powi(2) / f64::from(self.filters.max(1));
        // Where hardly one is expected, one may come all the same.
        let least = 1.0 / self.asked as f64;
        (self.rate() - predicted).abs() <= 6.0 * (throws + filters).sqrt().max(least)
    }
}

/// Whether a measured mean lies within six of its standard deviations from the predicted one.
pub fn near(measured: f64, predicted: f64, deviation: f64) -> bool {
    (measured - predicted).abs() <= 6.0 * deviation
}

/// The seed of the n-th filter of a figure: other filters, the same in every run.
pub fn seed(number: u32) -> Seed {
    Seed::chosen(number.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six deviations: of 100,000 lookups at 1 % they are 189 wrong answers, and of ten filters
    /// that differ by 4 % a little less.
    #[test]
    fn what_chance_allows_agrees_and_no_more() {
        let tally = |wrong| Tally { asked: 100_000, wrong, filters: 10 };
        for (wrong, spread, agrees) in [
            (1000, 0.0, true),
            (1180, 0.0, true),
            (1200, 0.0, false),
            (820, 0.0, true),
            (800, 0.0, false),
            (1200, 0.04, true),
            (1210, 0.04, false),
        ] {
            assert_eq!(tally(wrong).agrees(0.01, spread), agrees, "{wrong} {spread}");
        }
        // Where none is expected, six may come and no more.
        assert!(tally(6).agrees(0.0, 0.0) && !tally(7).agrees(0.0, 0.0));
        assert!(near(1.5, 1.0, 0.1) && !near(1.7, 1.0, 0.1));
    }
}
