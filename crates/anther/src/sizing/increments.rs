//! Variable increments: which of them a counter can tell apart.
//!
//! A probe of an absent key hits a cell with j increments. A counter that counts by ones rejects
//! the key if j=0. Here the key has an increment of its own, and a cell with few increments can
//! also show that this one is not among them (Rottenstreich, Kanizo and Keslassy 2012).

use super::bound::hash_floor;
use super::first;
use crate::kind::Increments;
use crate::parts::probes::Spread;

/// The increments of [`Increments::Sums`]: the B_h set of four members whose largest member is
/// smallest.
pub fn sums_set(h: u32) -> [u64; 4] {
    if h == 2 { [1, 2, 5, 7] } else { [1, 2, 8, 12] }
}

/// Cells and probes of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// m.
    pub cells: u64,
    /// k.
    pub probes: u32,
}

/// How well a cell tells increments apart: the mean and mean square, over its possible contents, of
/// the share of increments that a cell with 0, 1, 2, 3 of them rejects. With more, it rejects none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refusal([(f64, f64); 4]);

impl Refusal {
    /// D_L: the counter minus the probe's increment must be 0, or L and more. With one increment in
    /// the cell all others are rejected, (L-1)/L; with two, those that leave too little,
    /// (L²-1)/(6L²) on average; three leave at least L in any case.
    ///
    /// B_h, of ℓ=4 members: the sum of up to h of them determines them, so all others are rejected,
    /// (1-1/ℓ)^j on average.
    pub fn of(increments: Increments) -> Refusal {
        match increments {
            Increments::Interval(l) => {
                let size = f64::from(l);
                let one = (size - 1.0) / size;
                // The two increments are i and j above L.
                let pairs = (0..l).flat_map(|i| (0..l).map(move |j| i + j));
                let two = pairs.map(|above| f64::from((l - 1).saturating_sub(above)) / size);
                let (sum, squares) =
                    two.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
                let two = (sum / (size * size), squares / (size * size));
                Refusal([(1.0, 1.0), (one, one * one), two, (0.0, 0.0)])
            }
            Increments::Sums(h) => {
                let mut moments = [(0.0, 0.0); 4];
                for (moment, j) in moments.iter_mut().zip(0..=h.cast_signed()) {
                    // A given member is not among j with (1-1/ℓ)^j; two given ones are not with
                    // (1-2/ℓ)^j.
                    let (one, both) = (0.75f64.powi(j), 0.5f64.powi(j));
                    *moment = (one, 0.25 * one + 0.75 * both);
                }
                Refusal(moments)
            }
        }
    }

    /// (1-Σ_j C(N,j)·m^-j·q^(N-j)·refused_j)^k with N=kn and q=1-1/m: the formulas of the paper,
    /// which treat the k cells as independent.
    pub fn standard(&self, m: u64, n: u64, k: u32) -> f64 {
        self.moments(m, n, k).0.powi(k.cast_signed())
    }

    /// The mean, over cells, of the share of increments that they accept; and its variance from one
    /// filter to another divided by its squared mean.
    fn moments(&self, m: u64, n: u64, k: u32) -> (f64, f64) {
        let (cells, throws) = (m as f64, f64::from(k) * n as f64);
        if n == 0 {
            return (0.0, 0.0);
        }
        let (load, spared) = (throws / cells, (-1.0 / cells).ln_1p());
        // Subtracted from 1-q^N instead of 1, which keeps the digits where it is small.
        let occupied = -(throws * spared).exp_m1();
        let (mut passed, mut square) = (occupied, occupied);
        // Σ j·P_j·refused_j, for the covariance with the number in the cell.
        let mut together = 0.0;
        let mut choose = 1.0;
        for (&(refused, squared), j) in self.0.iter().zip(0u32..).skip(1) {
            let others = throws - f64::from(j);
            if others < 0.0 {
                break;
            }
            choose *= (others + 1.0) / f64::from(j) / cells;
            // q^0 is 1 even where q is 0.
            let chance = choose * if others > 0.0 { (others * spared).exp() } else { 1.0 };
            passed -= chance * refused;
            square -= chance * (2.0 * refused - squared);
            together += f64::from(j) * chance * refused;
        }
        let covariance = together - load * (1.0 - passed);
        // The cells hold N increments together, so one cell has more where others have less.
        // Relative to independent cells, the variance explained by the number in the cell drops
        // out.
        let variance = (square - passed * passed - covariance * covariance / load).max(0.0) / cells;
        (passed, if passed > 0.0 { variance / (passed * passed) } else { 0.0 })
    }

    /// The true false-positive rate: the k-th power of the mean that is accepted, averaged over
    /// filters as [`bloom::upper`](super::bloom::upper) does, and the floor of the hash.
    pub fn rate(&self, m: u64, n: u64, k: u32) -> f64 {
        if m == 0 {
            return 1.0;
        }
        let (passed, spread) = self.moments(m, n, k);
        let pairs = f64::from(k) * (f64::from(k) - 1.0) / 2.0;
        let rate = passed.powi(k.cast_signed()) * (pairs * spread.ln_1p()).exp();
        let rate = rate.clamp(0.0, 1.0);
        rate + (1.0 - rate) * hash_floor(n).min(1.0)
    }

    /// The fewest cells for n items at rate p, and their probes. `None` when p is below the floor.
    pub fn size(&self, n: u64, p: f64) -> Option<Size> {
        let mut best: Option<Size> = None;
        for probes in 1..=Spread::MAX_PROBES {
            // Only fewer cells are of interest, so most k cost one evaluation.
            let most = best.map_or(u64::MAX, |best| best.cells - 1);
            if let Some(cells) = first(1, most, |m| self.rate(m, n, probes) <= p) {
                best = Some(Size { cells, probes });
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moments_are_those_of_the_paper() {
        for l in 2..=16u32 {
            let Refusal(moments) = Refusal::of(Increments::Interval(l));
            let square = f64::from(l * l);
            assert!((moments[2].0 - (square - 1.0) / (6.0 * square)).abs() < 1e-12, "{l}");
        }
        // Two of four members: the same with 1/4, and 3/4 are rejected; else 1/2.
        let Refusal(moments) = Refusal::of(Increments::Sums(2));
        assert_eq!(moments[2], (0.25 * 0.75 + 0.75 * 0.5, 0.25 * 0.5625 + 0.75 * 0.25));
        assert_eq!(moments[3], (0.0, 0.0));
        assert!(Refusal::of(Increments::Sums(3)).0[3].0 > 0.4);
    }

    /// Sizing assumes that the rate falls with m and rises with n.
    #[test]
    fn the_rate_is_monotone() {
        for increments in Increments::ALL {
            let refusal = Refusal::of(increments);
            for (n, k) in [(1, 1), (1, 4), (3, 2), (40, 7), (1000, 10), (100_000, 1)] {
                let rates: Vec<f64> = (0..200).map(|i| refusal.rate(i * n / 4 + 1, n, k)).collect();
                assert!(rates.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-4)), "{n} {k}");
            }
        }
    }

    #[test]
    fn a_size_is_the_smallest_that_holds() {
        for increments in Increments::ALL {
            let refusal = Refusal::of(increments);
            for n in [1, 2, 9, 100, 58_110, 1 << 40] {
                for p in [0.999_999, 0.5, 0.01, 1e-7, 1e-12, 1e-18] {
                    let Some(Size { cells, probes }) = refusal.size(n, p) else {
                        assert!(p <= hash_floor(n), "{n} {p}");
                        continue;
                    };
                    assert!(refusal.rate(cells, n, probes) <= p, "{n} {p}");
                    assert!(cells == 1 || refusal.rate(cells - 1, n, probes) > p, "{n} {p}");
                }
            }
        }
    }

    #[test]
    fn extremes_stay_numbers() {
        for increments in Increments::ALL {
            for m in [1, 2, 3, 1 << 50] {
                for n in [0, 1, 1 << 48] {
                    for k in [1, 64] {
                        let rate = Refusal::of(increments).rate(m, n, k);
                        assert!((0.0..=1.0).contains(&rate), "{m} {n} {k}: {rate}");
                    }
                }
            }
        }
    }
}
