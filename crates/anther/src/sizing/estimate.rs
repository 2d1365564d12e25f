//! The number of items from the fill.
//!
//! The share of zeros tells how many distinct items were inserted: each leaves a given bit alone
//! with a known probability. Swamidass and Baldi (2007) gave n̂=-(m/k)·ln(1-X/m) for the classic
//! filter. With keys over L blocks the expected share of zeros is exp(-(n/L)(1-q)), where q is the
//! probability that a key of the block leaves a bit alone, and the same inversion holds. The
//! deviation follows from the variance of the number of zeros, that is from the probabilities that
//! a key leaves one bit, or two bits, alone.

use crate::parts::probes::{Lanes, Line};

/// An estimate of a number of items, with its standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The most likely number.
    pub items: f64,
    /// Its standard deviation.
    pub deviation: f64,
    /// Every bit is 1: the number is only a lower bound.
    pub saturated: bool,
}

impl Estimate {
    /// An exact count.
    pub(crate) fn exactly(items: u64) -> Estimate {
        Estimate { items: items as f64, deviation: 0.0, saturated: false }
    }
}

/// The classic filter: m bits, k probes, `ones` bits set.
pub fn classic(m: u64, k: u32, ones: u64) -> Estimate {
    from_ones(1, m, ones, Hits::with_repetition(m, k))
}

/// `blocked`: `lines` lines, k probes, `ones` bits set in all.
pub fn line(lines: u64, k: u32, ones: u64) -> Estimate {
    from_ones(lines, Line::BITS, ones, Hits::with_repetition(Line::BITS, k))
}

/// `split`: `blocks` blocks, `ones` bits set in all.
pub fn lanes(blocks: u64, ones: u64) -> Estimate {
    let lanes = f64::from(Lanes::PROBES);
    let bits = Lanes::BITS as f64 / lanes;
    let one = 1.0 / bits;
    // Of the other bits of a block, bits-1 are in the same lane, where a key sets only one bit.
    let same_lane = (bits - 1.0) / (bits * lanes - 1.0);
    from_ones(blocks, Lanes::BITS, ones, Hits { one, both: (1.0 - same_lane) * one * one })
}

/// The probabilities that a key of a block sets a given bit, and both of two given bits.
#[derive(Clone, Copy)]
struct Hits {
    one: f64,
    both: f64,
}

impl Hits {
    /// k probes of b bits, with repetition. `both` is 1-2(1-1/b)^k+(1-2/b)^k, about k(k-1)/b²,
    /// written so that nothing cancels at b=10¹²: (1-2/b)/(1-1/b)² = 1-1/(b-1)².
    fn with_repetition(b: u64, k: u32) -> Hits {
        let (bits, k) = (b as f64, f64::from(k));
        let one = -(k * (-1.0 / bits).ln_1p()).exp_m1();
        let others = (bits - 1.0).max(1.0);
        let apart = -(k * (-1.0 / (others * others)).ln_1p()).exp_m1();
        Hits { one, both: one * one - (1.0 - one) * (1.0 - one) * apart }
    }
}

fn from_ones(blocks: u64, block_bits: u64, ones: u64, hits: Hits) -> Estimate {
    let bits = blocks.saturating_mul(block_bits);
    let saturated = ones >= bits;
    let (blocks, block_bits, bits) = (blocks as f64, block_bits as f64, bits as f64);
    // With no zeros left, assume half a zero.
    let ones = if saturated { bits - 0.5 } else { ones as f64 };
    let zeros = bits - ones;
    let load = (-(-ones / bits).ln_1p() / hits.one).max(0.0);
    let items = load * blocks;
    // Var(zeros) of one block under a Poisson load, then through the derivative of the logarithm;
    // the variance of the load itself, `items`, is not an error of the estimate. With s the share
    // of zeros, B bits and E=e^(load·both)-1, Var = B·s(1-s) + B(B-1)s²E, and the slope is
    // 1/(one·B·s).
    let together = (block_bits - 1.0) * (load * hits.both).exp_m1();
    let variance = blocks * (ones / zeros + together) / (block_bits * hits.one * hits.one);
    Estimate { items, deviation: (variance - items).max(0.0).sqrt(), saturated }
}

/// |A∩B| from |A|, |B| and |A∪B| (Swamidass and Baldi).
pub fn intersection(a: Estimate, b: Estimate, union: Estimate) -> f64 {
    (a.items + b.items - union.items).max(0.0)
}

/// |A∩B| of two classic filters from the numbers of ones in each and in their AND (Papapetrou,
/// Siberski and Nejdl 2010). It agrees with [`intersection`] to a tenth of an item. Use it if you
/// have only the AND.
pub fn intersection_from_and(m: u64, k: u32, ones_a: u64, ones_b: u64, ones_and: u64) -> f64 {
    let (m, a, b, both) = (m as f64, ones_a as f64, ones_b as f64, ones_and as f64);
    let left = m - (both * m - a * b) / (m - a - b + both);
    (left.ln() - m.ln()) / (f64::from(k) * (-1.0 / m).ln_1p())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_and_a_full_filter_have_estimates() {
        for estimate in [classic(1000, 7, 0), line(10, 6, 0), lanes(10, 0)] {
            assert_eq!((estimate.items, estimate.saturated), (0.0, false));
            assert!(estimate.deviation < 1e-3, "{estimate:?}");
        }
        for estimate in [classic(1000, 7, 1000), line(2, 6, 1024), lanes(4, 1024)] {
            assert!(estimate.saturated && estimate.items.is_finite());
            assert!(estimate.deviation.is_finite());
        }
    }

    /// The known deviation of a bitmap with one probe: sqrt(m(e^λ-1-λ)).
    #[test]
    fn the_deviation_is_that_of_linear_counting() {
        let m = 1_000_000u64;
        for load in [0.1f64, 0.5, 1.0, 2.0] {
            let ones = (m as f64 * -(-load).exp_m1()) as u64;
            let expected = (m as f64 * (load.exp() - 1.0 - load)).sqrt();
            let got = classic(m, 1, ones).deviation;
            assert!((got / expected - 1.0).abs() < 0.01, "{load}: {got} {expected}");
        }
    }

    /// A large filter that is nearly empty: the variance is n²/2m, as in the birthday problem. Sums
    /// of numbers of the order of m² would lose it.
    #[test]
    fn the_deviation_holds_for_large_and_nearly_empty_filters() {
        for m in [1_000_000u64, 100_000_000, 10_000_000_000, 1 << 46] {
            for (n, k) in [(1000u32, 7u32), (100_000, 7), (100_000, 1), (100_000, 20)] {
                let (n, load) = (f64::from(n), f64::from(n) * f64::from(k) / m as f64);
                let ones = (m as f64 * -(-load).exp_m1()).round();
                let expected = (m as f64 * (load.exp_m1() - load)).sqrt() / f64::from(k);
                let got = classic(m, k, ones as u64);
                assert!((got.items - n).abs() < 0.6 + 1e-4 * n, "{m} {n} {k}: {got:?}");
                if load > 1e-4 {
                    assert!((got.deviation / expected - 1.0).abs() < 0.01, "{m} {n} {k}: {got:?}");
                } else {
                    assert!(got.deviation < 2.0 * expected + 0.01, "{m} {n} {k}: {got:?}");
                }
            }
        }
    }

    /// The probabilities as they are defined, where blocks are so small that nothing cancels.
    #[test]
    fn two_bits_are_hit_as_often_as_with_repetition() {
        for (b, k) in [(2u32, 1i32), (2, 5), (3, 1), (3, 4), (8, 6), (64, 7)] {
            let hits = Hits::with_repetition(b.into(), k.cast_unsigned());
            let missed = |bits: f64| (1.0 - bits / f64::from(b)).powi(k);
            let both = 1.0 - 2.0 * missed(1.0) + missed(2.0);
            assert!((hits.one - (1.0 - missed(1.0))).abs() < 1e-12, "{b} {k}");
            assert!((hits.both - both).abs() < 1e-12, "{b} {k}: {} {both}", hits.both);
        }
    }
}
