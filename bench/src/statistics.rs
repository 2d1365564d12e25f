//! How sure a measured number is.

use std::fmt;

/// A rate measured on several independent filters. Its sigma comes from the spread between
/// filters, so it holds the chance of the queries and that of the filters alike.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Mean of the filters' rates.
    pub mean: f64,
    /// Standard deviation of that mean.
    pub sigma: f64,
}

impl Rate {
    /// From the rate of each filter.
    pub fn of(rates: &[f64]) -> Rate {
        let count = rates.len() as f64;
        let mean = rates.iter().sum::<f64>() / count;
        let square = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>();
        Rate { mean, sigma: (square / (count - 1.0) / count).sqrt() }
    }

    /// The rate as a multiple of a model's.
    pub fn over(&self, model: f64) -> Rate {
        Rate { mean: self.mean / model, sigma: self.sigma / model }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.4} ±{:.4}", self.mean, self.sigma)
    }
}

/// −log10 of the chance that a Poisson variable of this mean is at least `count`: 9 means one in
/// a billion. Bounded by Chernoff, which is safe on the side of passing only by a small factor.
pub fn surprise(count: u64, mean: f64) -> f64 {
    let count = count as f64;
    if count <= mean {
        return 0.0;
    }
    let nats = count * (count / mean).ln() - (count - mean);
    nats / std::f64::consts::LN_10
}

/// How many sigmas the chi-square of these bucket counts lies above its mean.
pub fn unevenness(buckets: &[u32]) -> f64 {
    let total = buckets.iter().map(|&count| f64::from(count)).sum::<f64>();
    let expected = total / buckets.len() as f64;
    let chi =
        buckets.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum::<f64>();
    let freedom = buckets.len() as f64 - 1.0;
    (chi - freedom) / (2.0 * freedom).sqrt()
}

/// The middle of the values, which are reordered.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
