//! Invertible Bloom lookup tables: how many cells a difference needs, and estimates of its size
//! when decoding fails.
//!
//! A table of k equal parts holds an element in one cell of each. Decoding peels cells that hold
//! one element. Two things stop it. With many elements it is a threshold: decoding nearly always
//! succeeds with more than c_k·d cells, and nearly never with fewer. With few elements it is two
//! that share all their cells.

use crate::units::whole;
use std::ops::RangeInclusive;

/// Cells per element.
pub const PROBES: RangeInclusive<u32> = 3..=7;

/// c_k for k = 3 to 7, as [`threshold`] computes them. Sizes use these digits, so that both sides
/// get the same table whatever their exponential function.
pub const THRESHOLDS: [f64; 5] = [1.2218, 1.2949, 1.4249, 1.5697, 1.7189];

/// The largest supported difference.
pub const MAX_DIFFERENCE: u64 = 1 << 32;

/// The probability that two of d elements share all their cells: at most one in this many.
const PAIRS: u128 = 500;

/// Levels of a strata estimator: for differences up to 2³¹ and more.
pub const STRATA: u32 = 32;
/// Cells per stratum.
pub const STRATUM_CELLS: u32 = 80;
/// Cells per element in a stratum.
pub const STRATUM_PROBES: u32 = 4;
/// Safety factor for an estimate by strata: the result is too small once in a hundred times.
pub const STRATA_SCALE: f64 = 1.39;

/// c_k = 1 / min over x of x / (k·(1 − e⁻ˣ)ᵏ⁻¹): cells per element, for very many elements.
pub fn threshold(k: u32) -> f64 {
    let (k, power) = (f64::from(k), k.cast_signed() - 1);
    let cost = |x: f64| x / (k * (1.0 - (-x).exp()).powi(power));
    // There is one minimum, between 1 and 5 for every k: ternary search.
    let (mut low, mut high) = (0.1, 10.0);
    for _ in 0..200 {
        let third = (high - low) / 3.0;
        if cost(low + third) < cost(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    1.0 / cost(low)
}

/// The size of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// All cells: a multiple of `probes`.
    pub cells: u64,
    /// Cells per element.
    pub probes: u32,
}

/// The smallest table that decodes d elements at least 995 times in a thousand.
///
/// Of k = 3 to 6 the one with the fewest cells, which are at least c_k·d + 2.5·√d + 8 and enough
/// that two elements share all their cells once in 500 tables: d·(d−1)/2 pairs, each with
/// probability (k/m)ᵏ. Measured from 1 to 30,000 elements, 60,000 tables each up to 300: decoding
/// fails for 0.02 % to 0.2 %. d = 1: 12 cells, 10: 36, 100: 164, 1000: 1384, 30,000: 37,098.
///
/// For 999 in a thousand the tables for 100 would need 15 % more. A failure is detected and costs
/// another table, so that is not worth it.
pub fn size(d: u64) -> Size {
    let sizes = (3..=6u32).zip(THRESHOLDS).map(|(k, threshold)| {
        let peeling = threshold * d as f64 + 2.5 * (d as f64).sqrt() + 8.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive")]
        let peeling = (peeling / f64::from(k)).ceil() as u64;
        let pairs = u128::from(d) * u128::from(d.saturating_sub(1)) / 2 * PAIRS;
        let apart = |part: u64| u128::from(part).saturating_pow(k) >= pairs;
        let part = super::first(peeling, u64::MAX, apart).unwrap_or(u64::MAX);
        Size { cells: part.saturating_mul(k.into()), probes: k }
    });
    sizes.min_by_key(|size| size.cells).unwrap_or(Size { cells: u64::MAX, probes: 3 })
}

/// The number of elements in a table of `parts` × `part` cells, from the sum of its counts and the
/// sum of their squares.
///
/// An element changes one count of each part by ±1, so their sum is that of the signs, and each
/// adds 1 − 1/part to the sum of the squared deviations. This holds for any number of elements,
/// even when no cell is empty any more. The standard error is about √(2/cells) of the number.
pub fn difference(sum: f64, squares: f64, parts: u32, part: u64) -> f64 {
    let (parts, part) = (f64::from(parts), part as f64);
    let deviations = squares - sum * sum / (parts * part);
    // A table of one cell per part shows only how many more elements one side has.
    let spread = if part > 1.0 { deviations / parts / (1.0 - 1.0 / part) } else { 0.0 };
    spread.max((sum / parts).abs())
}

/// The difference to make the next table for, after an estimate from `cells` cells: three standard
/// errors more.
pub fn enough(difference: f64, cells: u64) -> u64 {
    let enough = difference * (1.0 + 3.0 * (2.0 / cells as f64).sqrt());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let enough = enough.ceil() as u64;
    enough.clamp(1, MAX_DIFFERENCE)
}

/// Symbols per element, for very many elements, in the rateless stream: the least η for which
/// e^(−2·E₁(2q/η)) < q for all 0 < q ≤ 1.
///
/// Symbol i holds an element with probability about 2/i. While a share q of d elements is not yet
/// decoded, it yields its element with probability e^(−2qd/i), so after ηd symbols a share of
/// e^(−∫2/x·e^(−2q/x)dx) is left, x from 0 to η.
pub fn rateless_limit() -> f64 {
    let left = |q: f64, eta: f64| (-2.0 * exponential_integral(2.0 * q / eta)).exp();
    let decodes = |eta: f64| {
        (1..=1000).all(|step| left(f64::from(step) / 1000.0, eta) < f64::from(step) / 1000.0)
    };
    let (mut low, mut high) = (1.0, 2.0);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if decodes(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// Symbols that decode a difference of d elements 99 times in a hundred: 1.36·d + 3·√d + 12, where
/// 1.35 is the [limit](rateless_limit).
///
/// Measured as in [`rateless`](crate::iblt::rateless): 35 symbols for 10 elements, 172 for 100,
/// 1450 for 1000. The formula gives 36, 178, 1467.
pub fn rateless_symbols(d: u64) -> u64 {
    let symbols = 1.36 * d as f64 + 3.0 * (d as f64).sqrt() + 12.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let symbols = symbols.ceil() as u64;
    if d == 0 { 1 } else { symbols }
}

/// The number of elements that differ, from the counts of the difference's first symbols, in order.
///
/// Symbol i holds an element with probability p = 1/(1 + i/2), and the first one holds all, so its
/// count S is the sum of all signs. A later count is expected to be p·S, with the variance
/// p·(1 − p)·d, from which each gives an estimate of d. Their relative errors are about √2 whatever
/// i is, so they weigh the same.
pub fn rateless_difference(counts: impl IntoIterator<Item = i32>) -> u64 {
    let mut counts = counts.into_iter().map(f64::from);
    let all = counts.next().unwrap_or(0.0);
    let (mut sum, mut symbols) = (0.0, 0.0);
    for (at, count) in (1..).zip(counts) {
        let p = 1.0 / (1.0 + f64::from(at) / 2.0);
        sum += (count - p * all).powi(2) / (p - p * p);
        symbols += 1.0;
    }
    let mean = if symbols > 0.0 { sum / symbols } else { 0.0 };
    whole(mean.max(all.abs()))
}

/// The difference to ask symbols for, after an estimate from this many: three standard errors
/// more, of √(2/symbols) each, and a few for small numbers.
pub fn rateless_enough(estimate: u64, symbols: u64) -> u64 {
    let error = (2.0 / symbols.max(2) as f64).sqrt();
    whole((estimate as f64 * (1.0 + 3.0 * error)).ceil()).saturating_add(3)
}

/// E₁(x) = ∫ e⁻ᵗ/t dt from x on, for x up to 4: −γ − ln x + x − x²/(2·2!) + x³/(3·3!) − …
fn exponential_integral(x: f64) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    let mut sum = -EULER - x.ln();
    let mut term = -1.0;
    for n in 1..60 {
        let n = f64::from(n);
        term *= -x / n;
        sum += term / n;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_what_sizes_are_made_of() {
        for (k, print) in PROBES.zip(THRESHOLDS) {
            assert!((threshold(k) - print).abs() <= 0.00005, "{k}: {}", threshold(k));
        }
    }

    #[test]
    fn sizes_are_those_that_were_measured() {
        let sizes = [1, 2, 10, 50, 100, 1000, 30_000].map(|d| {
            let size = size(d);
            (size.cells, size.probes)
        });
        let measured = [(12, 3), (18, 6), (36, 6), (100, 5), (164, 4), (1384, 4), (37_098, 3)];
        assert_eq!(sizes, measured);
        let largest = size(MAX_DIFFERENCE);
        assert!(largest.cells < MAX_DIFFERENCE / 4 * 5, "{largest:?}");
    }

    #[test]
    fn an_estimate_counts_what_the_counts_show() {
        // Four elements of one side, each alone in 2 parts of 8 cells: the sum alone says four.
        assert_eq!(difference(8.0, 8.0, 2, 8), 4.0);
        // Four of each side.
        assert!((difference(0.0, 16.0, 2, 8) - 8.0 * 8.0 / 7.0).abs() < 1e-12);
        assert_eq!(difference(30.0, 300.0, 3, 1), 10.0);
        assert_eq!((enough(0.0, 12), enough(1e300, 12)), (1, MAX_DIFFERENCE));
        assert_eq!(enough(f64::NAN, 12), 1);
    }

    #[test]
    fn exponential_integrals_are_those_of_the_tables() {
        for (x, value) in [(0.1, 1.822_924), (1.0, 0.219_384), (2.0, 0.048_901), (4.0, 0.003_779)] {
            assert!((exponential_integral(x) - value).abs() < 1e-6, "{x}");
        }
    }

    #[test]
    fn symbols_are_those_of_the_formula() {
        assert_eq!([0, 10, 100, 1000].map(rateless_symbols), [1, 36, 178, 1467]);
    }

    #[test]
    fn enough_is_three_standard_errors_more() {
        // √(2/800) is 5 %, and √(2/8) is half.
        assert_eq!(rateless_enough(1000, 800), 1150 + 3);
        assert_eq!(rateless_enough(1000, 8), 2500 + 3);
        assert_eq!([0, 1, 2].map(|symbols| rateless_enough(10, symbols)), [40 + 3; 3]);
    }
}
