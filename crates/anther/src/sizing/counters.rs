//! Counters instead of bits: how high they get.

use std::f64::consts::{E, LN_2};

/// Pr(some counter of m reaches i) ≤ m·(e·ln 2/i)^i, for k ≤ (m/n)·ln 2 (Fan et al. 1998). For
/// counters of four bits, i=16, that is 1.37·10⁻¹⁵·m.
pub fn overflow_bound(m: u64, i: u32) -> f64 {
    m as f64 * (E * LN_2 / f64::from(i)).powi(i.cast_signed())
}

/// Pr(a counter is exactly i) when its mean is λ: e^-λ·λ^i/i!. With λ=ln 2, as at the best k, and
/// i=16 that is 6.8·10⁻¹⁷.
pub fn poisson(lambda: f64, i: u32) -> f64 {
    (1..=i).fold((-lambda).exp(), |p, j| p * lambda / f64::from(j))
}

/// Pr(a counter is i or more).
pub fn poisson_tail(lambda: f64, i: u32) -> f64 {
    // Summed from i on: subtracting the rest from 1 would lose all digits. Beyond the mean each
    // term is soon at most half the previous one, so 200 terms are more than enough.
    let mut term = poisson(lambda, i);
    let mut sum = 0.0;
    for j in i + 1..=i + 200 {
        sum += term;
        term *= lambda / f64::from(j);
    }
    sum
}
