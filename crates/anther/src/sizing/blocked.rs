//! Probes within one line or block: fast, since a key touches one cache line, and a little larger,
//! since some lines hold more keys than others.
//!
//! With n keys over L lines, the number of keys i in a line is binomial. The false-positive rate is
//! the mean over i of the rate of a line with i keys, which is a sum of powers, Σ w·rⁱ, by
//! inclusion and exclusion over the bits that may be 0. The binomial mean of rⁱ is (1-(1-r)/L)ⁿ. So
//! the mixture has a closed form, exact for every L, where the literature sums a Poisson series
//! over i. Treating the probed bits of a line as independent would undersize by 1 to 5 %.
//!
//! Alternating sums lose digits: sixteen probes leave an error of 10⁻¹², while rates here are never
//! below 10⁻⁸.

use super::bound::hash_floor;
use super::first;
use crate::parts::probes::{Lanes, Line};

/// Below this, the 32 bits that place a key within its line begin to show, and the filter takes
/// more than twice the bits of a classic one.
pub const MIN_FPR: f64 = 1e-8;

/// The rate of a block as a signed sum of powers of its number of keys.
#[derive(Clone, Debug)]
pub struct Mixture {
    terms: Vec<Term>,
}

/// `weight`·`survival`ⁱ: the signed weight of a set of bits, and the probability that one key
/// leaves all of them 0.
#[derive(Clone, Copy, Debug)]
struct Term {
    weight: f64,
    survival: f64,
}

impl Mixture {
    /// A block of b bits in which a key has k probes, with repetition.
    pub fn line(b: u64, k: u32) -> Mixture {
        let bits = b as f64;
        let probes = k as usize;
        // distinct[j]: the probability that k probes hit j distinct bits.
        let mut distinct = vec![0.0; probes + 1];
        distinct[0] = 1.0;
        for _ in 0..probes {
            for j in (1..=probes).rev() {
                let (hit, new) = (j as f64 / bits, (bits - j as f64 + 1.0) / bits);
                distinct[j] = distinct[j] * hit + distinct[j - 1] * new;
            }
            distinct[0] = 0.0;
        }
        let terms = (0..=probes)
            .map(|s| Term {
                weight: sign(s) * (s..=probes).map(|j| distinct[j] * choose(j, s)).sum::<f64>(),
                survival: (1.0 - s as f64 / bits).powi(k.cast_signed()),
            })
            .collect();
        Mixture { terms }
    }

    /// A block of lanes of b bits in which a key has one probe per lane.
    pub fn lanes(b: u64, lanes: u32) -> Mixture {
        let kept = 1.0 - 1.0 / b as f64;
        let terms = (0..=lanes as usize)
            .map(|s| Term {
                weight: sign(s) * choose(lanes as usize, s),
                survival: kept.powf(s as f64),
            })
            .collect();
        Mixture { terms }
    }

    /// The rate when n keys are spread over `blocks` blocks.
    pub fn rate(&self, blocks: u64, n: u64) -> f64 {
        let (blocks, n) = (blocks as f64, n as f64);
        let sum: f64 = self
            .terms
            .iter()
            .map(|term| term.weight * (n * (-(1.0 - term.survival) / blocks).ln_1p()).exp())
            .sum();
        sum.clamp(0.0, 1.0)
    }
}

/// The true rate of `blocked`: the mixture, the 32 bits that place a key within its line, and the
/// floor of the hash.
pub fn line_rate(lines: u64, n: u64, k: u32) -> f64 {
    with_floors(&Mixture::line(Line::BITS, k), lines, n)
}

/// The true rate of `split`; as [`line_rate`].
pub fn lanes_rate(blocks: u64, n: u64) -> f64 {
    with_floors(&split_mixture(), blocks, n)
}

fn split_mixture() -> Mixture {
    Mixture::lanes(Lanes::BITS / u64::from(Lanes::PROBES), Lanes::PROBES)
}

fn with_floors(mixture: &Mixture, blocks: u64, n: u64) -> f64 {
    let same_pattern = n as f64 / blocks as f64 * 2f64.powi(-32);
    (mixture.rate(blocks, n) + same_pattern + hash_floor(n)).min(1.0)
}

/// Lines and probes of a `blocked` filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSize {
    /// L.
    pub lines: u64,
    /// k.
    pub probes: u32,
}

/// The fewest lines for n items at rate p, and the number of probes with the lowest rate in them,
/// which is well below p in filters of few lines. `None` beyond `most` lines.
pub fn size_lines(n: u64, p: f64, most: u64) -> Option<LineSize> {
    // From the best of a classic filter outwards. Numbers of probes that miss the rate in about the
    // fewest lines so far are not searched: that takes a quarter of the time, which was that of
    // inserting 60,000 keys. About, since rounding makes the rate rise and fall by 10⁻¹², and sizes
    // must stay what they were: at 10⁻⁸ two lines in 10⁵.
    let middle = (-p.log2()).round();
    let mut probes: Vec<u32> = (1..=Line::MAX_PROBES).collect();
    probes
        .sort_by(|&a, &b| (f64::from(a) - middle).abs().total_cmp(&(f64::from(b) - middle).abs()));
    let fewest = |best: Option<u64>, k| match best {
        Some(lines) if line_rate(lines + lines / 1024 + 8, n, k) > p => best,
        _ => [best, lines_for(n, p, k, most)].into_iter().flatten().min(),
    };
    let lines = probes.into_iter().fold(None, fewest)?;
    Some(LineSize { lines, probes: best_line_probes(lines, n) })
}

/// The fewest lines for n items at rate p with k probes.
pub fn lines_for(n: u64, p: f64, k: u32, most: u64) -> Option<u64> {
    let mixture = Mixture::line(Line::BITS, k);
    first(1, most, |lines| with_floors(&mixture, lines, n) <= p)
}

/// The fewest blocks of a `split` filter for n items at rate p; `None` beyond `most` blocks.
pub fn size_blocks(n: u64, p: f64, most: u64) -> Option<u64> {
    let mixture = split_mixture();
    first(1, most, |blocks| with_floors(&mixture, blocks, n) <= p)
}

/// The number of probes with the lowest rate for n items in this many lines.
pub fn best_line_probes(lines: u64, n: u64) -> u32 {
    let rates = (1..=Line::MAX_PROBES).map(|k| (line_rate(lines, n, k), k));
    rates.min_by(|(a, _), (b, _)| a.total_cmp(b)).map_or(1, |(_, k)| k)
}

/// The most items that a blocked filter holds at rate p.
pub fn line_capacity(lines: u64, k: u32, p: f64) -> u64 {
    let mixture = Mixture::line(Line::BITS, k);
    capacity(lines.saturating_mul(Line::BITS), |n| with_floors(&mixture, lines, n) > p)
}

/// The most items that a split filter holds at rate p.
pub fn block_capacity(blocks: u64, p: f64) -> u64 {
    let mixture = split_mixture();
    capacity(blocks.saturating_mul(Lanes::BITS), |n| with_floors(&mixture, blocks, n) > p)
}

/// No block holds 64 times as many items as bits: its rate would round to 1.
fn capacity(bits: u64, too_many: impl Fn(u64) -> bool) -> u64 {
    first(1, bits.saturating_mul(64), too_many).map_or(bits, |n| n - 1)
}

fn sign(s: usize) -> f64 {
    if s.is_multiple_of(2) { 1.0 } else { -1.0 }
}

fn choose(n: usize, r: usize) -> f64 {
    (0..r).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::bloom;

    /// The closed form against direct summation: binomial weights times the exact occupancy.
    /// What is not searched would not have been fewer.
    #[test]
    fn sizes_are_the_fewest_of_all_probes() {
        for n in [1, 2, 77, 1000, 30_011, 1_387_079, 2_097_351] {
            for p in [0.9, 0.3, 0.1, 0.01, 0.001, 1e-4, 1e-6, 2e-8] {
                let each = (1..=Line::MAX_PROBES).filter_map(|k| lines_for(n, p, k, 1 << 40));
                assert_eq!(
                    size_lines(n, p, 1 << 40).map(|size| size.lines),
                    each.min(),
                    "{n}, {p}"
                );
            }
        }
    }

    #[test]
    fn the_closed_form_is_the_mixture() {
        for (b, k, lines, n) in
            [(512u64, 6u32, 1u64, 52u64), (512, 9, 3, 100), (64, 4, 10, 70), (512, 16, 40, 700)]
        {
            let share = 1.0 / lines as f64;
            let mut weight = (n as f64 * (-share).ln_1p()).exp();
            if lines == 1 {
                weight = 0.0;
            }
            let mut long = 0.0;
            for i in 0..=n {
                if lines == 1 && i == n {
                    weight = 1.0;
                }
                long += if weight > 1e-18 { weight * bloom::exact(b, i, k) } else { 0.0 };
                if lines > 1 {
                    weight *= (n - i) as f64 / (i + 1) as f64 * share / (1.0 - share);
                }
            }
            let short = Mixture::line(b, k).rate(lines, n);
            assert!((short - long).abs() < 1e-11 + 1e-6 * long, "{b} {k}: {short} {long}");
        }
    }

    #[test]
    fn a_size_is_the_smallest_that_holds() {
        for n in [1, 10, 1000, 1_000_000, 1_000_000_000] {
            for p in [0.9, 0.2, 0.01, 1e-4, 1e-6, 1e-8] {
                let LineSize { lines, probes } = size_lines(n, p, 1 << 45).unwrap();
                assert!(line_rate(lines, n, probes) <= p, "{n} {p}");
                assert!(lines == 1 || line_rate(lines - 1, n, probes) > p, "{n} {p}");
                let blocks = size_blocks(n, p, 1 << 45).unwrap();
                assert!(lanes_rate(blocks, n) <= p, "{n} {p}");
                assert!(blocks == 1 || lanes_rate(blocks - 1, n) > p, "{n} {p}");
            }
        }
    }

    #[test]
    fn capacity_is_the_inverse_of_size() {
        for p in [0.1, 0.01, 1e-3] {
            let LineSize { lines, probes } = size_lines(100_000, p, 1 << 40).unwrap();
            let items = line_capacity(lines, probes, p);
            assert!((100_000..100_100).contains(&items), "{items}");
            let blocks = size_blocks(100_000, p, 1 << 40).unwrap();
            assert!((100_000..100_100).contains(&block_capacity(blocks, p)));
            let classic = bloom::size(100_000, p, 1 << 40).unwrap();
            assert_eq!(bloom::capacity(classic.bits, classic.probes, p), 100_000);
        }
    }
}
