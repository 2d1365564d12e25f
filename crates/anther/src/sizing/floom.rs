//! A classic filter that also stores which regions its keys touched: the Floom filter.
//!
//! The m bits are divided into b regions. The set of regions that the k positions of a key fall
//! into is its signature, and 2^b additional bits store which signatures occurred. A false positive
//! must have the signature of some key.
//!
//! That helps while most signatures have not occurred, that is while there are far fewer keys than
//! 2^b; but then the same bits do more good in the filter itself. On every grid tried (10 to
//! 100,000 keys, rates 0.5 to 10⁻⁵, 2 to 16 regions) a filter for a target takes more bits than a
//! classic one.

use super::bloom::{self, occupancy};
use super::bound::hash_floor;
use super::first;
use crate::parts::probes::Spread;

/// Below this many items sizing ignores the signatures: the keys that set the bits of a false
/// positive also set signatures near its own, and how much that matters is known only roughly.
pub const SMALL: u64 = 100;

/// With fewer bits the regions are too unequal for the formula.
const REGION_BITS: u64 = 64;

/// Number of possible signatures: of 1 to min(k, b) regions.
pub fn signatures(k: u32, b: u32) -> f64 {
    (1..=k.min(b)).map(|j| choose(b, j).round()).sum()
}

/// C(b, j).
fn choose(b: u32, j: u32) -> f64 {
    (0..j).map(|i| f64::from(b - i) / f64::from(i + 1)).product()
}

/// The share of a classic filter's false positives whose signature occurred: Σ_j
/// C(b,j)·P_j·(1-(1-P_j)^n), where P_j is the probability of each signature of j regions.
pub fn seen(n: u64, k: u32, b: u32) -> f64 {
    each_size(n, k, b).map(|size| size.share * size.seen).sum()
}

/// Numbers of the signatures of j regions.
struct Size {
    regions: f64,
    /// C(b,j)·P_j: the share of keys that have one of them.
    share: f64,
    /// P_j.
    each: f64,
    /// 1-(1-P_j)^n: the probability that one of them occurs among n keys.
    seen: f64,
}

fn each_size(n: u64, k: u32, b: u32) -> impl Iterator<Item = Size> {
    let shares = occupancy(b.into(), k.into());
    shares.into_iter().zip(0u32..).skip(1).map(move |(share, j)| {
        let each = share / choose(b, j);
        let seen = -(n as f64 * (-each).ln_1p()).exp_m1();
        Size { regions: f64::from(j), share, each, seen }
    })
}

/// The true rate of m bits in b regions with n items and k probes, the floor of the hash included.
///
/// It is the classic rate times [`seen`], with a correction: a signature that occurred belongs to a
/// key whose bits are all in these regions. So they are fuller than others, by (b/j-1)/n where n is
/// small. That is +2 % of the rate at 300 items and 1 %.
pub fn rate(m: u64, n: u64, k: u32, b: u32) -> f64 {
    let classic = bloom::rate(m, n, k);
    if n < SMALL || m < REGION_BITS * u64::from(b) {
        return classic;
    }
    let load = f64::from(k) * n as f64 / m as f64;
    let share: f64 = each_size(n, k, b)
        .map(|Size { regions, share, each, seen }| {
            let part = regions / f64::from(b);
            let more = (1.0 / seen - 1.0) * each * (1.0 - part) / ((1.0 - each) * part);
            let fuller = (-load * (1.0 + more)).exp_m1() / (-load).exp_m1();
            share * seen * fuller.powi(k.cast_signed())
        })
        .sum();
    let share = share.min(1.0);
    share * classic + (1.0 - share) * hash_floor(n)
}

/// The fewest bits in b regions for n items at rate p, without the 2^b for the signatures, and
/// their probes. `None` when p is below the floor.
///
/// More probes spread the signatures further, fewer leave more room: the best number is on either
/// side of the classic one, 7 instead of 3 at 300 items and 10 %, 11 instead of 17 at 1000 items
/// and 10⁻⁵. So all are tried.
pub fn size(n: u64, p: f64, b: u32) -> Option<bloom::Size> {
    let most = u64::MAX;
    let classic = bloom::size(n, p, most)?;
    if n < SMALL {
        return Some(classic);
    }
    let least = REGION_BITS * u64::from(b);
    (1..=(classic.probes + 8).min(Spread::MAX_PROBES))
        .filter_map(|k| {
            let bits = first(least, most, |m| rate(m, n, k, b) <= p)?;
            Some(bloom::Size { bits, probes: k })
        })
        .min_by(|one, other| {
            // Where the regions need all of the bits anyway, the rate decides.
            let rate = |size: &bloom::Size| rate(size.bits, n, size.probes, b);
            one.bits.cmp(&other.bits).then(rate(one).total_cmp(&rate(other)))
        })
}

/// Powers of x up to the most probes.
const TERMS: usize = Spread::MAX_PROBES as usize + 1;

/// Coefficients of x⁰ to x^k of a series.
type Series = [f64; TERMS];

/// The probability that the signature of k positions occurred, when each position is in region j
/// with probability `shares[j]`; `was_seen` tells whether a signature occurred.
///
/// A signature's probability is the coefficient of x^k in k!·Π(e^(share·x)-1), the product being
/// over its regions. All terms are positive, so nothing cancels; inclusion and exclusion would lose
/// half of the digits at 24 regions.
///
/// The regions are split into two parts. The products of each part's subsets take k² steps each, but
/// there are only 2^10 and 2^14 of them. Each of the upper part's is multiplied once, by the sum of
/// those of the lower part with which it occurred; four of these are added at a time, by a table of
/// their sums. So 24 regions and 64 probes take 2²⁸ additions, which vectorise, even for forged
/// signatures, and 12 MB: 0.19 s of CPU time, where a product for each signature took 0.59 s. A lower
/// part of 12 regions takes 0.27 s, since its table leaves the cache.
pub fn seen_among(shares: &[f64], k: u32, was_seen: impl Fn(u64) -> bool) -> f64 {
    let (low, high) = shares.split_at((shares.len() / 2).min(10));
    let k = k as usize;
    let (lows, highs) = (subsets(low, k), subsets(high, k));
    let fours: Vec<_> = lows.chunks(4).map(sums).collect();
    let factorial: f64 = (1..=k).map(|i| i as f64).product();
    let mut share = 0.0;
    for (above, high) in (0u64..).zip(&highs) {
        let mut sum = [0.0; TERMS];
        for (four, sums) in (above << lows.len().ilog2()..).step_by(4).zip(&fours) {
            let bits = 0..sums.len().ilog2();
            let seen = bits.map(|bit| usize::from(was_seen(four + u64::from(bit))) << bit).sum();
            match seen {
                0usize => {}
                seen => add(&mut sum, &sums[seen]),
            }
        }
        share += (0..=k).map(|power| sum[power] * high[k - power]).sum::<f64>();
    }
    (share * factorial).min(1.0)
}

/// The sum of every subset of some series, in the order of the subsets' bits.
fn sums(series: &[Series]) -> Vec<Series> {
    let mut all = vec![[0.0; TERMS]];
    for one in series {
        let with = all.iter().map(|sum| {
            let mut with = *sum;
            add(&mut with, one);
            with
        });
        all.extend(with.collect::<Vec<_>>());
    }
    all
}

fn add(sum: &mut Series, series: &Series) {
    sum.iter_mut().zip(series).for_each(|(sum, term)| *sum += term);
}

/// Π(e^(share·x)-1) up to x^k for every subset of regions, in the order of the subsets' bits.
fn subsets(shares: &[f64], k: usize) -> Vec<Series> {
    let mut one = [0.0; TERMS];
    one[0] = 1.0;
    let mut all = vec![one];
    for share in shares {
        let (mut term, mut region) = (1.0, [0.0; TERMS]);
        for (power, coefficient) in region.iter_mut().enumerate().take(k + 1).skip(1) {
            term *= share / power as f64;
            *coefficient = term;
        }
        let with = |product: &Series| {
            let mut with = [0.0; TERMS];
            for (power, coefficient) in with.iter_mut().enumerate().take(k + 1) {
                *coefficient = (0..power).map(|i| product[i] * region[power - i]).sum();
            }
            with
        };
        all.extend(all.iter().map(with).collect::<Vec<_>>());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_counted() {
        assert_eq!(signatures(7, 12), 3301.0);
        assert_eq!(signatures(64, 24), f64::from((1 << 24) - 1));
        for (k, b) in [(1, 2), (7, 12), (4, 16), (40, 24)] {
            let shares: f64 = each_size(1, k, b).map(|size| size.share).sum();
            assert!((shares - 1.0).abs() < 1e-12, "{k} {b}: every key has a signature");
        }
    }

    /// With equal regions the walk finds the probabilities of the sum.
    #[test]
    fn the_walk_agrees_with_the_sum() {
        for (k, b) in [(1u32, 3u32), (2, 2), (5, 4), (4, 9), (11, 6)] {
            let shares = vec![1.0 / f64::from(b); b as usize];
            for j in 1..=k.min(b) {
                let of_j = |signature: u64| signature.count_ones() == j;
                let expected = each_size(1, k, b).nth(j as usize - 1).unwrap().share;
                let got = seen_among(&shares, k, of_j);
                assert!((got / expected - 1.0).abs() < 1e-12, "{k} {b} {j}: {got} {expected}");
            }
            assert!((seen_among(&shares, k, |_| true) - 1.0).abs() < 1e-12);
            assert_eq!(seen_among(&shares, k, |_| false), 0.0);
        }
    }

    /// Forged signatures, every second of the largest possible number: each is looked at once, and
    /// the shares are still those of a distribution.
    #[test]
    fn the_most_signatures_are_looked_at_once() {
        let shares = [1.0 / 24.0; 24];
        let looks = std::cell::Cell::new(0u64);
        let seen = |odd: u32| {
            seen_among(&shares, 64, |signature| {
                looks.set(looks.get() + 1);
                signature.count_ones() % 2 == odd
            })
        };
        let (even, odd) = (seen(0), seen(1));
        assert!((even + odd - 1.0).abs() < 1e-9, "{even} {odd}");
        assert!(looks.get() <= 2 << 24, "{} looks", looks.get());
    }

    #[test]
    fn sizes_hold() {
        for n in [1, 99, 100, 1000, 1_000_000, 1 << 40] {
            for p in [0.999_999, 0.3, 0.01, 1e-5] {
                for b in [2, 12, 24] {
                    let bloom::Size { bits, probes } = size(n, p, b).unwrap();
                    assert!(rate(bits, n, probes, b) <= p, "{n} {p} {b}");
                    let least = bits <= REGION_BITS * u64::from(b);
                    assert!(least || rate(bits - 1, n, probes, b) > p, "{n} {p} {b}: {bits}");
                }
            }
        }
        assert_eq!(size(1 << 40, 1e-9, 12), None);
    }

    #[test]
    fn extremes_stay_numbers() {
        for (m, n) in [(1, 1), (1 << 46, 1), (1, 1 << 48), (1 << 46, 1 << 48), (1 << 46, 100)] {
            for (k, b) in [(1, 2), (64, 2), (1, 24), (64, 24)] {
                let rate = rate(m, n, k, b);
                assert!((0.0..=1.0).contains(&rate), "{m} {n} {k} {b}: {rate}");
            }
        }
    }
}
