//! Hash functions that clear bits beside those that set them: the generalized Bloom filter.
//!
//! Each key clears a given bit with probability p0=1-q^k0, sets it with probability
//! p1=q^k0·(1-q^k1) since clearing wins, and leaves it alone with probability a=q^(k0+k1), where
//! q=1-1/m. So the share of zeros converges to p0/(1-a) from any start, and no fill gives many
//! false positives: neither all ones nor all zeros.
//!
//! Laufer, Velloso and Duarte (2005) treat a key as b0=m·p0 clearing and b1=m·p1 setting positions,
//! the mean numbers of distinct ones: [`Rule::published_rate`] and the other `published_…`
//! functions. At small fills that is too low by a fifth, since keys whose positions coincide are
//! false positives more easily. [`Rule::rate_at`] counts those keys and is exact.

use super::first;
use crate::parts::probes::Spread;

/// The bits and hash functions of a generalized filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// m.
    pub bits: u64,
    /// k0: how many hash functions clear.
    pub clears: u32,
    /// k1: how many hash functions set.
    pub sets: u32,
}

/// (k0/(k0+k1))^k0·(k1/(k0+k1))^k1: the bound for many bits, where no positions coincide.
fn bound_of_many_bits(k0: u32, k1: u32) -> f64 {
    power_bound(f64::from(k0), f64::from(k1))
}

fn power_bound(b0: f64, b1: f64) -> f64 {
    let share = b0 / (b0 + b1);
    share.powf(b0) * (1.0 - share).powf(b1)
}

impl Rule {
    /// 1-q^draws: the probability that at least one of `draws` draws hits a given bit.
    fn met(&self, draws: f64) -> f64 {
        if draws == 0.0 {
            return 0.0;
        }
        -(draws * (-1.0 / self.bits as f64).ln_1p()).exp_m1()
    }

    /// p0 and p1.
    fn chances(&self) -> (f64, f64) {
        let cleared = self.met(f64::from(self.clears));
        (cleared, (1.0 - cleared) * self.met(f64::from(self.sets)))
    }

    /// 1-a^t: the probability that at least one of t keys touches a given bit.
    fn touched(&self, t: u64) -> f64 {
        self.met(t as f64 * f64::from(self.clears + self.sets))
    }

    /// The mean share of zeros after n keys, from an initial share: 1 for an empty filter.
    pub fn zeros(&self, start: f64, n: u64) -> f64 {
        let ((p0, p1), touched) = (self.chances(), self.touched(n));
        start * (1.0 - touched) + p0 / (p0 + p1) * touched
    }

    /// The published false-positive rate at a share of zeros: Z^b0·(1-Z)^b1.
    pub fn published_rate(&self, zeros: f64) -> f64 {
        let ((p0, p1), m) = (self.chances(), self.bits as f64);
        zeros.powf(m * p0) * (1.0 - zeros).powf(m * p1)
    }

    /// The published bound on the rate at any share of zeros: (b0/(b0+b1))^b0·(b1/(b0+b1))^b1.
    pub fn published_bound(&self) -> f64 {
        let ((p0, p1), m) = (self.chances(), self.bits as f64);
        power_bound(m * p0, m * p1)
    }

    /// The published probability that a key is forgotten after t others:
    /// 1-(a^t+p0(1-a^t)/(1-a))^b0·(a^t+p1(1-a^t)/(1-a))^b1.
    pub fn published_misses(&self, t: u64) -> f64 {
        let ((p0, p1), m) = (self.chances(), self.bits as f64);
        self.lost(t, m * p0, m * p1)
    }

    /// The probability that a key is forgotten after t others, if all its positions are distinct,
    /// as they nearly always are: the same with k0 and k1 instead of b0 and b1. Slightly too high.
    pub fn misses(&self, t: u64) -> f64 {
        self.lost(t, f64::from(self.clears), f64::from(self.sets))
    }

    /// The probability that of this many zeros and ones at least one has changed after t keys.
    fn lost(&self, t: u64, zeros: f64, ones: f64) -> f64 {
        let ((p0, p1), touched) = (self.chances(), self.touched(t));
        // A touched zero is a one with the share of ones among touched bits.
        let (zero_lost, one_lost) = (touched * p1 / (p0 + p1), touched * p0 / (p0 + p1));
        -(zeros * (-zero_lost).ln_1p() + ones * (-one_lost).ln_1p()).exp_m1()
    }

    /// The exact rate with this many zeros: the probability that all k0 draws hit zeros, i of
    /// them distinct, and that all k1 draws then hit one of those i or a one.
    pub fn rate_at(&self, zeros: f64) -> f64 {
        let m = self.bits as f64;
        // different[i]: the probability of zeros only, i of them distinct.
        let mut different = [0.0; Spread::MAX_PROBES as usize + 1];
        different[0] = 1.0;
        for draw in 1..=self.clears as usize {
            let mut i = draw as f64;
            for at in (1..=draw).rev() {
                let new = (zeros - i + 1.0).max(0.0) / m;
                different[at] = different[at] * i / m + different[at - 1] * new;
                i -= 1.0;
            }
            different[0] = 0.0;
        }
        let passes = |i: f64| ((i + m - zeros) / m).min(1.0).powi(self.sets.cast_signed());
        (0..=self.clears).zip(different).map(|(i, p)| p * passes(f64::from(i))).sum()
    }

    /// The rate after n keys, from an empty filter, at the mean share of zeros. Its spread adds at
    /// most k1²/2m of the rate.
    pub fn rate(&self, n: u64) -> f64 {
        self.rate_at(self.zeros(1.0, n) * self.bits as f64)
    }

    /// The highest rate at any share of zeros: an attacker who fills the filter cannot raise it
    /// further.
    pub fn worst_rate(&self) -> f64 {
        let m = self.bits as f64;
        if self.bits <= 64 {
            return (0u32..=64)
                .map(|zeros| self.rate_at(f64::from(zeros).min(m)))
                .fold(0.0, f64::max);
        }
        // The rate rises and then falls, and is flat at the top: thirty ternary steps leave 10⁻⁵ of
        // the interval and 10⁻¹⁰ of the rate.
        let (mut low, mut high) = (0.0, m);
        for _ in 0..30 {
            let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if self.rate_at(left) < self.rate_at(right) { low = left } else { high = right }
        }
        self.rate_at(low)
    }
}

/// The rule with the fewest bits whose rate never exceeds p, whatever its fill, and that forgets at
/// most the share `misses` of keys after t others. `None` when it would have more than `most` bits.
///
/// The share forgotten grows with k0·k1, and the bound falls with k0+k1: at 1 % 3 hash functions
/// clear and 4 set, and 10 % forgotten costs 226 bits per key.
pub fn size(p: f64, t: u64, misses: f64, most: u64) -> Option<Rule> {
    // The bound of k hash functions is 2^-k when half of them clear. Unequal numbers need more of
    // them for a rate and have the larger product; a few more pay off where bits are so few that
    // positions coincide.
    let all = 2..=Spread::MAX_PROBES;
    let fewest = all.clone().find(|k| 0.5f64.powi(k.cast_signed()) < p)?;
    let mut best: Option<Rule> = None;
    for k in all.skip_while(|k| *k < fewest).take(4) {
        for k0 in (1..k).filter(|k0| bound_of_many_bits(*k0, k - k0) < p) {
            let rule = |m| Rule { bits: m, clears: k0, sets: k - k0 };
            let fewer = best.map_or(most, |best| best.bits - 1);
            let remembers = first(1, fewer, |m| rule(m).misses(t) <= misses);
            // Bits that remember enough nearly always meet the rate.
            let found = remembers.and_then(|low| {
                let keeps = |m| rule(m).worst_rate() <= p;
                if keeps(low) { Some(low) } else { first(low, fewer, keeps) }
            });
            best = found.map(rule).or(best);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: [(u64, u32, u32); 7] = [
        (304, 2, 2),
        (1000, 5, 5),
        (2, 1, 1),
        (9, 3, 2),
        (65, 1, 7),
        (5000, 4, 3),
        (1 << 40, 3, 4),
    ];

    fn rules() -> impl Iterator<Item = Rule> {
        RULES.into_iter().map(|(bits, clears, sets)| Rule { bits, clears, sets })
    }

    /// Every key of a few bits, enumerated.
    #[test]
    fn the_rate_is_the_share_of_all_keys() {
        let (m, k0, k1) = (5u64, 3u32, 2u32);
        let rule = Rule { bits: m, clears: k0, sets: k1 };
        for zeros in 0..=m {
            let keys = m.pow(k0 + k1);
            let pass = (0..keys).filter(|key| {
                let place = |i: u32| key / m.pow(i) % m;
                let clears: Vec<u64> = (0..k0).map(place).collect();
                let mut sets = (k0..k0 + k1).map(place);
                clears.iter().all(|at| *at < zeros)
                    && sets.all(|at| clears.contains(&at) || at >= zeros)
            });
            let (counted, rate) = (pass.count() as f64 / keys as f64, rule.rate_at(zeros as f64));
            assert!((rate - counted).abs() < 1e-12, "{zeros}: {rate} {counted}");
        }
    }

    #[test]
    fn no_fill_is_worse_than_the_worst() {
        for rule in rules() {
            let worst = rule.worst_rate();
            assert!(worst <= 1.0);
            for part in 0..=1000 {
                let zeros = (rule.bits as f64 * f64::from(part) / 1000.0).round();
                assert!(rule.rate_at(zeros) <= worst * (1.0 + 1e-9), "{rule:?} {zeros}");
            }
            // Where positions hardly coincide, it is the published bound.
            if rule.bits > 1000 {
                assert!((worst / rule.published_bound() - 1.0).abs() < 0.01, "{rule:?}");
            }
        }
    }

    /// From any start the share of zeros converges to the same value, where the rate is the
    /// published bound up to coinciding positions.
    #[test]
    fn every_start_ends_alike() {
        for rule in rules() {
            let ends = [0.0, 0.5, 1.0].map(|start| rule.zeros(start, 1 << 48));
            assert!((ends[0] - ends[2]).abs() < 1e-9 && (ends[1] - ends[2]).abs() < 1e-9);
            assert_eq!(rule.zeros(0.3, 0), 0.3);
            assert_eq!(rule.misses(0), 0.0);
            let misses: Vec<f64> = (0..60).map(|power| rule.misses(1 << power)).collect();
            assert!(misses.is_sorted() && misses.iter().all(|share| (0.0..=1.0).contains(share)));
        }
        let rule = Rule { bits: 1, clears: 1, sets: 1 };
        assert_eq!((rule.zeros(1.0, 0), rule.zeros(0.0, 1), rule.rate_at(1.0)), (1.0, 1.0, 1.0));
    }

    #[test]
    fn a_size_is_the_smallest_that_holds() {
        for p in [0.999_999, 0.5, 0.05, 0.01, 1e-4, 1e-8] {
            for t in [0, 1, 10, 1000, 1_000_000] {
                for misses in [1e-6, 0.1, 0.9] {
                    let rule = size(p, t, misses, 1 << 50).unwrap();
                    assert!(rule.worst_rate() <= p && rule.misses(t) <= misses, "{rule:?}");
                    let less = Rule { bits: rule.bits - 1, ..rule };
                    assert!(
                        less.bits == 0 || less.worst_rate() > p || less.misses(t) > misses,
                        "{p} {t} {misses} {rule:?}"
                    );
                }
            }
        }
        assert_eq!(size(0.01, 1 << 48, 0.1, 1 << 46), None);
        assert!(size(0.01, 1 << 48, 0.1, 1 << 60).is_some());
        assert!(size(1e-18, 1, 0.1, 1 << 46).is_some());
    }

    /// With so few bits that positions coincide, three hash functions more than the fewest pay off. At
    /// 2⁻⁴ the fewest are five: four have that bound, and are not below it.
    #[test]
    fn many_hash_functions_pay_off_where_positions_coincide() {
        let best = size(0.0625, 1, 0.99, 1 << 40);
        assert_eq!(best, Some(Rule { bits: 7, clears: 2, sets: 6 }));
    }
}
