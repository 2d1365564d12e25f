//! Cells that are set by keys and decremented at random: the stable Bloom filter.
//!
//! Each arrival decrements a cell with probability a=P/m, and then sets it to Max with probability
//! s=1-(1-1/m)^K, if one of the K probes hits it. Everything here follows from that Markov chain of
//! Max+1 states, in closed form: a cell is 0 when it was decremented Max times since it was last
//! set. With r=a(1-s)/(a+s-as), the probability that the next change of a cell is a decrement,
//!
//! - share of zeros in the limit: r^Max,
//! - share of zeros n arrivals after the empty start: (1-s)^n·(1-B(n-1,a)) + r^Max·B(n-1,a+s-as),
//! - probability that a cell at Max is 0 after t arrivals:
//!   (1-s)^t·(B(t,a)-B(t-1,a)) + r^Max·B(t-1,a+s-as),
//!
//! where B(n,p) is the probability of Max or more successes in n trials of probability p. Deng and
//! Rafiei (2006) gave the first with K/m for s; [`published_zeros`] and [`published_decrements`]
//! are theirs.
//!
//! The false-positive rate is the K-th power of a share that varies between filters, so its mean is
//! above the K-th power of the mean share: by 28 % in a filter of 11 cells, by 2 % in one of 400.
//! [`Chain::upper_rate`] is above that, and sizing uses it.

use super::first;
use crate::parts::probes::Spread;

/// The widest useful cells. More than 8 bits would pay only where at most one key in a million may
/// be forgotten, and then every arrival would decrement thousands of cells.
pub const MAX_BITS: u32 = 8;

/// The parameters of a stable filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// m.
    pub cells: u64,
    /// K.
    pub probes: u32,
    /// Bits per cell; its largest value is Max.
    pub bits: u32,
    /// P: how many cells each arrival decrements, at most m.
    pub decrements: u64,
}

/// Max, the largest value of a cell of `bits` bits.
fn largest(bits: u32) -> u32 {
    (1 << bits) - 1
}

/// s=1-(1-1/m)^K.
fn set_chance(m: u64, k: u32) -> f64 {
    -(f64::from(k) * (-1.0 / m as f64).ln_1p()).exp_m1()
}

/// K(K-1)(1-f)/(fm), see [`Chain::upper_rate`].
fn spread(m: u64, k: u32, fill: f64) -> f64 {
    f64::from(k) * (f64::from(k) - 1.0) * (1.0 - fill) / (fill * m as f64)
}

impl Chain {
    fn max(&self) -> u32 {
        largest(self.bits)
    }

    /// s and a.
    fn chances(&self) -> (f64, f64) {
        (set_chance(self.cells, self.probes), self.decrements as f64 / self.cells as f64)
    }

    /// ln r^Max: the logarithm of the share of zeros after very many arrivals.
    fn log_stable_zeros(&self) -> f64 {
        let (s, a) = self.chances();
        -f64::from(self.max()) * (s / (a * (1.0 - s))).ln_1p()
    }

    /// The share of zeros after very many arrivals.
    pub fn stable_zeros(&self) -> f64 {
        self.log_stable_zeros().exp()
    }

    /// The false-positive rate after very many arrivals: its maximum.
    pub fn stable_rate(&self) -> f64 {
        (-self.log_stable_zeros().exp_m1()).powi(self.probes.cast_signed())
    }

    /// Above the mean rate of filters after very many arrivals, even small ones. The spread of the
    /// fill f was measured to add 0 to 1.6 times what a binomial fill would add, K(K-1)(1-f)/(2fm):
    /// decrementing neighbours together increases it, and setting as many cells as are decremented
    /// reduces it. This adds twice that.
    pub fn upper_rate(&self) -> f64 {
        let fill = -self.log_stable_zeros().exp_m1();
        fill.powi(self.probes.cast_signed()) * spread(self.cells, self.probes, fill).exp()
    }

    /// The share of zeros n arrivals of distinct keys after the empty start.
    pub fn zeros(&self, n: u64) -> f64 {
        if n == 0 {
            return 1.0;
        }
        let (s, a) = self.chances();
        let never_set = (n as f64 * (-s).ln_1p()).exp();
        let lowered = at_least(self.max(), n - 1, a);
        let settled = at_least(self.max(), n - 1, a + s - a * s);
        never_set * (1.0 - lowered) + self.stable_zeros() * settled
    }

    /// The false-positive rate after n arrivals of distinct keys: it only rises, up to
    /// [`stable_rate`](Chain::stable_rate).
    pub fn rate(&self, n: u64) -> f64 {
        (1.0 - self.zeros(n)).max(0.0).powi(self.probes.cast_signed())
    }

    /// The probability that a key is forgotten whose last arrival is `age` arrivals ago: 1 means
    /// the latest key, which is never forgotten. 1-(1-z)^K with the z of a cell that was at Max.
    pub fn misses(&self, age: u64) -> f64 {
        if age <= 1 {
            return 0.0;
        }
        let ((s, a), t) = (self.chances(), age - 1);
        let just_now = at_least(self.max(), t, a) - at_least(self.max(), t - 1, a);
        let settled = at_least(self.max(), t - 1, a + s - a * s);
        let zero = (t as f64 * (-s).ln_1p()).exp() * just_now + self.stable_zeros() * settled;
        -(f64::from(self.probes) * (-zero.clamp(0.0, 1.0)).ln_1p()).exp_m1()
    }
}

/// The probability of `least` or more successes in n trials of probability p. At most `least`
/// steps, or a few hundred.
fn at_least(least: u32, n: u64, p: f64) -> f64 {
    if u64::from(least) > n || p <= 0.0 {
        return 0.0;
    }
    if p >= 1.0 {
        return 1.0;
    }
    let (throws, odds) = (n as f64, p / (1.0 - p));
    // The terms grow from (1-p)^n, which may underflow: its logarithm is kept apart, and so is each
    // factor that scales down large sums.
    let mut log_scale = throws * (-p).ln_1p();
    let (mut term, mut below) = (1.0, 0.0);
    for i in 0..least {
        below += term;
        term *= (throws - f64::from(i)) / f64::from(i + 1) * odds;
        if term > 1e200 {
            term *= 1e-200;
            below *= 1e-200;
            log_scale += 200.0 * std::f64::consts::LN_10;
        }
    }
    if throws * p >= f64::from(least) {
        return (1.0 - below * log_scale.exp()).clamp(0.0, 1.0);
    }
    // Rare: subtracting the rest from 1 would lose the digits. Beyond the mean the terms fall.
    let (mut i, mut sum) = (f64::from(least), 0.0);
    while term > sum * 1e-17 {
        sum += term;
        term *= (throws - i).max(0.0) / (i + 1.0) * odds;
        i += 1.0;
    }
    // The scale can be e^-1000 and the sum e^900.
    (sum.ln() + log_scale).exp().clamp(0.0, 1.0)
}

/// The published share of zeros after very many arrivals: (1/(1+1/(P(1/K-1/m))))^Max.
pub fn published_zeros(m: u64, k: u32, max: u32, p: f64) -> f64 {
    let free = p * (1.0 / f64::from(k) - 1.0 / m as f64);
    (1.0 / (1.0 + 1.0 / free)).powi(max.cast_signed())
}

/// The published P for a rate: 1/((1/(1-FPS^(1/K))^(1/Max)-1)·(1/K-1/m)). Round it up to meet the
/// rate.
pub fn published_decrements(m: u64, k: u32, max: u32, rate: f64) -> f64 {
    let zeros = 1.0 - rate.powf(1.0 / f64::from(k));
    let each = zeros.powf(-1.0 / f64::from(max)) - 1.0;
    1.0 / (each * (1.0 / f64::from(k) - 1.0 / m as f64))
}

/// The fewest decrements with which the rate never exceeds p; `None` when decrementing all cells
/// each time is not enough.
pub fn decrements_for(m: u64, k: u32, bits: u32, p: f64) -> Option<u64> {
    let (s, probes) = (set_chance(m, k), f64::from(k));
    // The fill f with f^K·e^spread(f)=p: a fixed point found in a few steps, except in filters of a
    // few cells, which the last line rejects.
    let alone = p.powf(1.0 / probes);
    let mut fill = alone;
    for _ in 0..20 {
        let next = alone * (-spread(m, k, fill) / probes).exp();
        let done = (fill - next).abs() <= 1e-15 * fill;
        fill = next;
        if done {
            break;
        }
    }
    // r from r^Max=1-f, then P=m·a from r=a(1-s)/(a(1-s)+s).
    let log_r = (-fill).ln_1p() / f64::from(largest(bits));
    let odds = log_r.exp() / -log_r.exp_m1();
    let exact = m as f64 * odds * s / (1.0 - s);
    if exact.is_nan() || exact > m as f64 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and m")]
    let guess = exact.ceil() as u64;
    // The last digit of the guess may be rounded to the wrong side.
    (guess.max(1)..=guess.saturating_add(2).min(m))
        .find(|&decrements| Chain { cells: m, probes: k, bits, decrements }.upper_rate() <= p)
}

/// The chain with the fewest bits whose rate never exceeds p, and that forgets at most the share
/// `misses` of the keys whose last arrival is `age` arrivals ago. With cells of `bits` bits, or the
/// best width. `None` when it would have more than `most` bits.
///
/// At 1 % and 10 % forgotten it takes 68 bits per key of the window: 4 bits per cell, 6 probes, 142
/// decrements. Cells of 1 bit take 312, of 8 bits 87.
pub fn size(p: f64, age: u64, misses: f64, bits: Option<u32>, most: u64) -> Option<Chain> {
    // The best k is a little below log2(1/p), where half of the cells are 0.
    let most_probes = (1..Spread::MAX_PROBES)
        .find(|k| 0.5f64.powi(k.cast_signed() - 2) <= p)
        .unwrap_or(Spread::MAX_PROBES);
    let (least_bits, most_bits) = bits.map_or((1, MAX_BITS), |bits| (bits, bits));
    let mut best: Option<Chain> = None;
    for bits in least_bits..=most_bits {
        for k in 1..=most_probes {
            let chain = |m| {
                let decrements = decrements_for(m, k, bits, p)?;
                let chain = Chain { cells: m, probes: k, bits, decrements };
                (chain.misses(age) <= misses).then_some(chain)
            };
            let fewer = best.map_or(most, |best| best.cells * u64::from(best.bits) - 1);
            // More cells need no more decrements and remember longer.
            let found = first(1, fewer / u64::from(bits), |m| chain(m).is_some());
            best = found.and_then(chain).or(best);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chain itself, state by state.
    fn iterated(chain: Chain, from: usize, arrivals: u64) -> f64 {
        let (s, a) = chain.chances();
        let max = chain.max() as usize;
        let mut states = vec![0.0; max + 1];
        states[from] = 1.0;
        for _ in 0..arrivals {
            for value in 0..max {
                states[value] += a * states[value + 1];
                states[value + 1] *= 1.0 - a;
            }
            states.iter_mut().for_each(|state| *state *= 1.0 - s);
            states[max] += s;
        }
        states[0]
    }

    const CHAINS: [(u64, u32, u32, u64); 8] = [
        (20_000, 3, 2, 13),
        (20_000, 3, 1, 4),
        (1000, 5, 3, 67),
        (600, 6, 5, 297),
        (100, 2, 4, 100),
        (300, 7, 8, 299),
        (50, 1, 8, 7),
        (2, 1, 1, 1),
    ];

    #[test]
    fn the_closed_forms_are_the_chain() {
        for (cells, probes, bits, decrements) in CHAINS {
            let chain = Chain { cells, probes, bits, decrements };
            for n in [1, 2, 3, 5, 10, 100, 260, 1000, 5000] {
                let (zeros, expected) = (chain.zeros(n), iterated(chain, 0, n));
                assert!((zeros - expected).abs() < 1e-12, "{chain:?} {n}: {zeros} {expected}");
                let zero = iterated(chain, chain.max() as usize, n - 1);
                let expected = 1.0 - (1.0 - zero).powi(probes.cast_signed());
                let misses = chain.misses(n);
                assert!((misses - expected).abs() < 1e-12, "{chain:?} {n}: {misses} {expected}");
            }
            let (ever, late) = (chain.stable_zeros(), iterated(chain, 0, 400_000));
            assert!((ever - late).abs() < 1e-9, "{chain:?}: {ever} {late}");
            assert!((ever - chain.zeros(1 << 48)).abs() < 1e-9, "{chain:?}");
        }
    }

    /// Rare misses keep their digits: 1 minus nearly 1 would not.
    #[test]
    fn small_chances_are_exact() {
        // Max = 3 of three throws: p³. Of four: 4p³(1-p)+p⁴.
        let p = 1e-6f64;
        assert!((at_least(3, 3, p) / p.powi(3) - 1.0).abs() < 1e-12);
        let expected = 4.0 * p.powi(3) * (1.0 - p) + p.powi(4);
        assert!((at_least(3, 4, p) / expected - 1.0).abs() < 1e-12);
        // (1-p)^n underflows here, and yet the probability is not 1.
        let (most, few) = (at_least(255, 260, 0.95), at_least(255, 260, 0.9));
        assert!(most > 0.005 && most < 0.02 && few > 0.0 && few < 1e-5, "{most} {few}");
    }

    #[test]
    fn rates_rise_to_the_stable_point_and_keys_fade() {
        for (cells, probes, bits, decrements) in CHAINS {
            let chain = Chain { cells, probes, bits, decrements };
            for n in 1..3000 {
                assert!(chain.rate(n) <= chain.rate(n + 1) * (1.0 + 1e-9) + 1e-15, "{chain:?} {n}");
                assert!(chain.misses(n) <= chain.misses(n + 1) + 1e-12, "{chain:?} {n}");
            }
            assert!(chain.rate(100_000) <= chain.stable_rate() * (1.0 + 1e-9), "{chain:?}");
        }
    }

    #[test]
    fn decrements_are_the_fewest() {
        for (m, k, bits) in [(1000, 3, 1), (1_000_000, 4, 2), (1 << 40, 6, 4), (500, 2, 8)] {
            for p in [0.3, 0.1, 0.01] {
                let Some(decrements) = decrements_for(m, k, bits, p) else { continue };
                let rate =
                    |decrements| Chain { cells: m, probes: k, bits, decrements }.upper_rate();
                assert!(rate(decrements) <= p, "{m} {k} {bits} {p}");
                assert!(decrements == 1 || rate(decrements - 1) > p, "{m} {k} {bits} {p}");
            }
        }
        assert_eq!(decrements_for(1, 1, 1, 0.5), None, "one cell is always set");
        assert_eq!(decrements_for(100, 1, 1, 1e-3), None, "more than all cells");
    }

    #[test]
    fn a_size_is_the_smallest_of_all() {
        for (p, age, misses) in
            [(0.1, 100, 0.1), (0.01, 1000, 0.5), (1e-3, 50, 0.01), (0.5, 3, 0.2)]
        {
            let best = size(p, age, misses, None, 1 << 40).unwrap();
            assert!(best.upper_rate() <= p && best.misses(age) <= misses, "{best:?}");
            let all = best.cells * u64::from(best.bits);
            for bits in 1..=MAX_BITS {
                let own = size(p, age, misses, Some(bits), 1 << 40).unwrap();
                assert!(own.bits == bits && own.cells * u64::from(bits) >= all, "{own:?}");
                for k in 1..=Spread::MAX_PROBES {
                    let cells = (own.cells - 1).max(1);
                    let smaller = decrements_for(cells, k, bits, p).map(|decrements| Chain {
                        cells,
                        probes: k,
                        bits,
                        decrements,
                    });
                    assert!(smaller.is_none_or(|chain| chain.misses(age) > misses), "{smaller:?}");
                }
            }
        }
    }

    #[test]
    fn extremes_have_a_size() {
        for p in [0.999_999, 0.5, 1e-8, 1e-18] {
            for age in [1, 2, 1000, 1 << 48] {
                for misses in [1e-6, 0.9] {
                    let chain = size(p, age, misses, None, 1 << 60).unwrap();
                    assert!(chain.upper_rate() <= p && chain.decrements <= chain.cells);
                    assert!(chain.misses(age) <= misses, "{chain:?}");
                }
            }
        }
        assert_eq!(size(0.01, 1 << 48, 0.1, None, 1 << 46), None);
    }
}
