//! Probes spread over all m bits: the classic filter.
//!
//! The textbook false-positive rate, (1-(1-1/m)^kn)^k, is not exact and always too low: it treats
//! the k probed bits as independent. Bose et al. (2008) gave the exact value, Grandi (2018) a fast
//! approximation. Sizing uses the exact value for small filters, and otherwise a variant of
//! Grandi's that is never too low. So a filter made for a target meets it.

use super::bound::hash_floor;
use super::first;
use crate::parts::probes::Spread;

/// Above this many steps the exact value is not worth its time: m=256 or so, where [`upper`] is at
/// most 0.3 % above it down to rates of 10⁻⁷, and 2 % at 10⁻¹⁷.
const EXACT_STEPS: u64 = 1 << 16;

/// Bits and probes of a classic filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// m.
    pub bits: u64,
    /// k.
    pub probes: u32,
}

/// A=(1-e^(-kn/m))^k, the form used in tables; k need not be an integer.
pub fn approximate(m: f64, n: f64, k: f64) -> f64 {
    (-(-k * n / m).exp_m1()).powf(k)
}

/// S=(1-(1-1/m)^kn)^k, the textbook form.
pub fn standard(m: u64, n: u64, k: u32) -> f64 {
    fill(m, n, k).powi(k.cast_signed())
}

/// 1-(1-1/m)^kn: the expected share of ones.
pub fn fill(m: u64, n: u64, k: u32) -> f64 {
    if n == 0 {
        return 0.0;
    }
    -(f64::from(k) * n as f64 * (-1.0 / m as f64).ln_1p()).exp_m1()
}

/// The exact rate (Bose et al.): the mean of (x/m)^k over the distribution of the number of ones x
/// after kn throws. Takes kn·m steps; numerically stable, unlike the published sum.
pub fn exact(m: u64, n: u64, k: u32) -> f64 {
    let ones = occupancy(m, u64::from(k).saturating_mul(n));
    let hit = |x: u32| (f64::from(x) / m as f64).powi(k.cast_signed());
    ones.iter().zip(0u32..).map(|(p, x)| p * hit(x)).sum()
}

/// The probability of x ones, for x=0, 1, 2, …, after `throws` throws at m bits.
pub(crate) fn occupancy(m: u64, throws: u64) -> Vec<f64> {
    let cells = m as f64;
    let mut ones = vec![1.0];
    for _ in 0..throws {
        if (ones.len() as u64) <= m {
            ones.push(0.0);
        }
        for x in (1..ones.len()).rev() {
            ones[x] =
                ones[x] * (x as f64 / cells) + ones[x - 1] * ((cells - x as f64 + 1.0) / cells);
        }
        ones[0] = 0.0;
    }
    ones
}

/// The exact rate of Bloom's own filter of 1970, whose k probes are k distinct bits. Ours draws
/// with replacement; this one is for comparison. Takes n·m·k steps.
pub fn exact_distinct(m: u64, n: u64, k: u32) -> f64 {
    #[expect(clippy::cast_possible_truncation, reason = "m steps are taken")]
    let (cells, k) = (m as usize, k as usize);
    // C(a, b) as f64; the products here stay far below the largest f64.
    let choose = |a: usize, b: usize| -> f64 {
        if b > a { 0.0 } else { (0..b).map(|i| (a - i) as f64 / (i + 1) as f64).product() }
    };
    let all = choose(cells, k);
    let mut ones = vec![0.0; cells + 1];
    ones[0] = 1.0;
    for _ in 0..n {
        let mut next = vec![0.0; cells + 1];
        for (x, p) in ones.iter().enumerate().filter(|(_, p)| **p > 0.0) {
            for new in 0..=k.min(cells - x) {
                next[x + new] += p * choose(cells - x, new) * choose(x, k - new) / all;
            }
        }
        ones = next;
    }
    ones.iter().enumerate().map(|(x, p)| p * choose(x, k) / all).sum()
}

/// The mean fill after n items, and the variance of the fill divided by its squared mean.
fn moments(m: u64, n: u64, k: u32) -> (f64, f64) {
    let (cells, throws) = (m as f64, f64::from(k) * n as f64);
    let fill = fill(m, n, k);
    if m < 2 || n == 0 {
        return (fill, 0.0);
    }
    // V/m = q^N - (1-2/m)^N + m·((1-2/m)^N - q^2N), written so that nothing cancels at m=10¹²:
    // (1-2/m)/q² = 1 - 1/(m-1)².
    let zero = 1.0 - fill;
    let shrink = (throws * (-1.0 / ((cells - 1.0) * (cells - 1.0))).ln_1p()).exp_m1();
    let pair = zero * zero * (1.0 + shrink);
    let variance = (zero - pair) + cells * zero * zero * shrink;
    (fill, (variance / (cells * fill * fill)).max(0.0))
}

/// Grandi's rate: the expected k-th power of the fill to second order, from the mean E and the
/// variance V of the number of ones: (E/m)^k·(1 + k(k-1)V/(2E²)). Too low with many probes and few
/// items: by 0.3 % at 27 items and 10⁻⁷, by 12 % at 9 items and 10⁻¹⁷.
pub fn grandi(m: u64, n: u64, k: u32) -> f64 {
    let (fill, spread) = moments(m, n, k);
    let pairs = f64::from(k) * (f64::from(k) - 1.0) / 2.0;
    (fill.powi(k.cast_signed()) * (1.0 + pairs * spread)).min(1.0)
}

/// The same moments, as if the logarithm of the fill were normal: (E/m)^k·(1+V/E²)^(k(k-1)/2).
/// It equals Grandi's value to second order and errs on the safe side: above the exact rate by
/// 0.07 % at 27 items and 10⁻⁷, by 1.7 % at 9 items and 10⁻¹⁷.
pub fn upper(m: u64, n: u64, k: u32) -> f64 {
    let (fill, spread) = moments(m, n, k);
    let pairs = f64::from(k) * (f64::from(k) - 1.0) / 2.0;
    (fill.powi(k.cast_signed()) * (pairs * spread.ln_1p()).exp()).min(1.0)
}

/// How far the rate of one filter is from the mean over all filters of its size, relative to that
/// mean: one standard deviation, to first order k·√V/E. Which bits collide is chance, and averages
/// out in larger filters: 4 % at 1000 items and 1 %, 0.1 % at 10⁶.
pub fn spread(m: u64, n: u64, k: u32) -> f64 {
    f64::from(k) * moments(m, n, k).1.sqrt()
}

/// The true rate of a filter of m bits that holds n items with k probes each: the exact value where
/// affordable, [`upper`] elsewhere, and the floor of the hash.
pub fn rate(m: u64, n: u64, k: u32) -> f64 {
    if m == 0 {
        return 1.0;
    }
    let throws = u64::from(k).saturating_mul(n);
    let small = throws.saturating_mul(m.min(throws)) <= EXACT_STEPS;
    let rate = if small { exact(m, n, k) } else { upper(m, n, k) };
    rate + (1.0 - rate) * hash_floor(n)
}

/// Σf^i for i<k, which is (1-f^k)/(1-f): how many bits a lookup of an absent key reads on average
/// when a share f of them is 1, since it stops at the first 0. At the best k, where half are 1,
/// just under 2, however large the filter.
pub fn bits_read(fill: f64, k: u32) -> f64 {
    (0..k).fold(0.0, |sum, _| 1.0 + fill * sum)
}

/// The same for lookups that answer no: a false positive reads all k.
pub fn bits_read_to_reject(fill: f64, k: u32) -> f64 {
    let rate = fill.powi(k.cast_signed());
    if rate < 1.0 { (bits_read(fill, k) - f64::from(k) * rate) / (1.0 - rate) } else { f64::NAN }
}

/// 1-(1-1/m)^(k²d): the share of keys that become false negatives when d others are "deleted" by
/// clearing their bits. A key is lost when one of its k bits is among the cleared ones, which are a
/// share 1-(1-1/m)^kd of all.
pub fn lost(m: u64, d: u64, k: u32) -> f64 {
    let kept = 1.0 - fill(m, d, k);
    1.0 - kept.powi(k.cast_signed())
}

/// k=(m/n)·ln 2, where the approximate rate is lowest.
pub fn optimal_probes(m: f64, n: f64) -> f64 {
    m / n * std::f64::consts::LN_2
}

/// The integer k with the lowest true rate. It can be smaller than the approximation says: 5, not
/// 6, at m=64, n=8.
pub fn best_probes(m: u64, n: u64) -> u32 {
    let guess = whole_probes(optimal_probes(m as f64, n as f64));
    let around = guess.saturating_sub(2).max(1)..=(guess + 1).min(Spread::MAX_PROBES);
    around.min_by(|&a, &b| rate(m, n, a).total_cmp(&rate(m, n, b))).unwrap_or(1)
}

/// The fewest bits for n items at rate p, and their probes. `None` when p is below the floor or
/// the filter would have more than `most` bits.
///
/// The usual m=-n·ln p/ln²2 with a rounded k misses the target: 58,110 words at 1 % measure
/// 1.0039 % with its 556,988 bits.
pub fn size(n: u64, p: f64, most: u64) -> Option<Size> {
    let ideal = -p.log2();
    // The two integers around the ideal k; one less pays off in very small filters.
    let low = whole_probes(ideal.floor()).saturating_sub(1).max(1);
    let high = whole_probes(ideal.ceil());
    (low..=high)
        .filter_map(|k| Some(Size { bits: bits_for(n, p, k, most)?, probes: k }))
        .min_by_key(|size| size.bits)
}

/// The fewest bits for n items at rate p with k probes.
pub fn bits_for(n: u64, p: f64, k: u32, most: u64) -> Option<u64> {
    // The fast value is within 2 %, so m is within 1/32; the true value decides. Both fall with m.
    let near = first(1, most, |m| upper(m, n, k) <= p)?;
    let (low, high) = (near - near / 32, near.saturating_add(near / 32 + 8).min(most));
    let holds = |m| rate(m, n, k) <= p;
    if low > 1 && holds(low - 1) { first(1, low, holds) } else { first(low, high, holds) }
}

/// The most items that m bits and k probes hold at rate p.
pub fn capacity(m: u64, k: u32, p: f64) -> u64 {
    // No filter holds 64 times as many items as bits: its rate would round to 1.
    first(1, m.saturating_mul(64).max(64), |n| rate(m, n, k) > p).map_or(m, |n| n - 1)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 1..=MAX_PROBES"
)]
fn whole_probes(k: f64) -> u32 {
    k.round().clamp(1.0, f64::from(Spread::MAX_PROBES)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizing assumes that the rate falls with m and rises with n.
    #[test]
    fn the_rate_is_monotone() {
        for (n, k) in [(3, 2), (40, 7), (1000, 10), (100_000, 1)] {
            let rates: Vec<f64> = (1..200).map(|i| rate(i * n / 4 + 1, n, k)).collect();
            assert!(rates.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-4)), "{n} {k}");
        }
    }

    #[test]
    fn a_size_is_the_smallest_that_holds() {
        for n in [1, 2, 3, 9, 13, 19, 27, 100, 1000, 58_110, 1_000_000, 100_000_000] {
            for p in [0.9, 0.5, 0.2, 0.01, 1e-3, 1e-7, 1e-9, 1e-12] {
                let Some(Size { bits, probes }) = size(n, p, 1 << 50) else {
                    assert!(p <= hash_floor(n), "{n} {p}");
                    continue;
                };
                assert!(rate(bits, n, probes) <= p, "{n} {p}");
                assert!(bits == 1 || rate(bits - 1, n, probes) > p, "{n} {p}: {bits} {probes}");
                // The fast value stands in for the exact one, but the guarantee is about the exact
                // one.
                if u64::from(probes) * n * bits < 1 << 24 {
                    assert!(exact(bits, n, probes) <= p, "{n} {p}: {bits} {probes}");
                    let fewer = (bits * 127 / 128).saturating_sub(1).max(1);
                    assert!(bits == 1 || exact(fewer, n, probes) > p, "{n} {p}: {bits} {probes}");
                }
            }
        }
    }

    /// Against the sums that the formulas replace.
    #[test]
    fn reads_are_those_of_a_stop_at_the_first_zero() {
        for (fill, k) in [(0.0f64, 7), (0.5, 7), (0.5, 1), (0.93, 10), (1.0, 5)] {
            let stops = |i: u32| fill.powi(i.cast_signed() - 1) * (1.0 - fill);
            let rejected: f64 = (1..=k).map(|i| f64::from(i) * stops(i)).sum();
            let rate = fill.powi(k.cast_signed());
            assert!((bits_read(fill, k) - rejected - f64::from(k) * rate).abs() < 1e-12);
            let mean = bits_read_to_reject(fill, k);
            assert!(mean.is_nan() == (fill == 1.0), "{fill}");
            assert!(mean.is_nan() || (mean - rejected / (1.0 - rate)).abs() < 1e-12, "{fill} {k}");
        }
        assert!((bits_read(0.5, 7) - 1.984_375).abs() < 1e-12);
    }

    /// An experiment: keys that share a bit with a deleted one.
    #[test]
    fn clearing_bits_loses_members() {
        let (m, n, k) = (9593, 1000u64, 7);
        let (mut gone, mut asked) = ([0u32; 3], 0);
        for round in 0..20 {
            let spread = Spread::new(m, k);
            let key = |i: u64| crate::KeyHash(n * round + i).again(3);
            for (gone, deleted) in gone.iter_mut().zip([1, 20, 200]) {
                let mut cleared = vec![false; m as usize];
                (0..deleted).for_each(|i| spread.each(key(i), |bit| cleared[bit as usize] = true));
                let stays = |i: &u64| spread.all(key(*i), |bit| !cleared[bit as usize]);
                *gone += (500..n).filter(|i| !stays(i)).count() as u32;
            }
            asked += 500;
        }
        for (gone, deleted) in gone.into_iter().zip([1, 20, 200]) {
            let (p, n) = (lost(m, deleted, k), f64::from(asked));
            // Keys of one filter are lost together, hence twice the deviation of independent
            // throws.
            let bound = 12.0 * (p * (1.0 - p) / n).sqrt();
            assert!((f64::from(gone) / n - p).abs() < bound, "{deleted}: {gone} of {n}, {p}");
        }
        assert_eq!((lost(100, 0, 3), lost(1, 1, 1)), (0.0, 1.0));
    }

    #[test]
    fn extremes_stay_numbers() {
        for m in [1, 2, 3, 1 << 50] {
            for n in [0, 1, 1 << 48] {
                for k in [1, 64] {
                    for rate in [rate(m, n, k), grandi(m, n, k), standard(m, n, k)] {
                        assert!((0.0..=1.0).contains(&rate), "{m} {n} {k}: {rate}");
                    }
                }
            }
        }
        assert_eq!(size(1 << 48, 1e-18, 1 << 40), None);
    }
}
