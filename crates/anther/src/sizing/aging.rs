//! Age-partitioned filters: slices in a ring, each with one bit per key (Shtul, Baquero and Almeida,
//! 2020).
//!
//! An insert sets one bit in each of the k newest of k+l slices of m bits. After g inserts, a
//! generation, the oldest slice is emptied and becomes the newest. So slice i (0 is the newest)
//! holds the inserts of min(i, k-1) whole generations and of the newest, a share φ of which has
//! come; with the load a = -g·ln(1-1/m), its fill is 1-exp(-(min(i, k-1)+φ)·a), and beyond the k
//! newest 1-exp(-ka). A key is found where k slices in a row have its bit, which has the probability
//! of a run of k successes in k+l throws ([`run`]).
//!
//! Each slice is read at most once, with a hash of its own. So the rate is linear in the fill of
//! each, and its mean over filters is exactly the rate of the mean fills: unlike in other filters,
//! the spread of small ones adds nothing.
//!
//! The paper fills slices to one half, a = ln 2/k; [`published_rate`] and [`published_bits`] are its
//! numbers. [`size`] chooses the load, too: with up to 32 generations, slices that are 44 % full
//! save 3 % of the bits at 1 %, and 5 % at 0.1 %.

use super::first;
use crate::parts::probes::Spread;
use std::f64::consts::LN_2;

/// The most generations of a window. More of them save bits and cost lookups, which read up to
/// 2(l/k+1) slices: 32 take 19.9 bits per key at 1 % and 27.5 at 0.1 %, 64 take 19.6 and 26.1.
pub const MAX_GENERATIONS: u32 = 32;

/// The parameters of an age-partitioned filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// k: the slices that an insert sets a bit in, and that must match in a row.
    pub probes: u32,
    /// l: the generations that are surely found, besides the newest.
    pub generations: u32,
    /// g: inserts per generation; very many if generations end by time alone.
    pub inserts: u64,
    /// m: bits per slice.
    pub slice_bits: u64,
}

impl Ring {
    /// k+l.
    pub fn slices(&self) -> u32 {
        self.probes.saturating_add(self.generations)
    }

    /// l·g: as many of the latest inserts are surely found.
    pub fn window(&self) -> u64 {
        u64::from(self.generations).saturating_mul(self.inserts)
    }

    /// m(k+l).
    pub fn bits(&self) -> u64 {
        u64::from(self.slices()).saturating_mul(self.slice_bits)
    }

    /// The load a: -g·ln(1-1/m). Infinite with one bit, which the first insert sets.
    pub fn load(&self) -> f64 {
        -(self.inserts as f64) * (-1.0 / self.slice_bits as f64).ln_1p()
    }

    /// The rate after very many inserts of distinct keys, when the newest generation is complete:
    /// its maximum.
    pub fn full_rate(&self) -> f64 {
        rate(self.probes, self.generations, self.load(), 1.0)
    }

    /// The probability that a key is found which came this many generations before the newest,
    /// after very many inserts, when the newest generation is complete. It is 1 up to l, then the
    /// key has fewer than k slices left and needs others beside them to match by chance, and from
    /// k+l on it is the rate.
    pub fn found(&self, generations: u64) -> f64 {
        let k = u64::from(self.probes);
        let fill = |slice: u64| match (generations..generations.saturating_add(k)).contains(&slice)
        {
            true => 1.0,
            false => filled((slice + 1).min(k) as f64 * self.load()),
        };
        let fills: Vec<f64> = (0..u64::from(self.slices())).map(fill).collect();
        run(&fills, self.probes)
    }

    /// The rate n inserts of distinct keys after the empty start. It rises up to
    /// [`full_rate`](Ring::full_rate) and then swings below it, with the newest generation.
    pub fn rate(&self, n: u64) -> f64 {
        if n == 0 {
            return 0.0;
        }
        // The newest generation is number `newest` (from 0) and has taken `part` inserts.
        let newest = (n - 1) / self.inserts;
        let part = n - newest * self.inserts;
        let k = u64::from(self.probes);
        let each = self.load() / self.inserts as f64;
        let fill = |slice: u64| {
            // Its generations ended `old` ago, and began k before that or at the start.
            let old = (slice + 1).saturating_sub(k);
            let first = newest.saturating_sub(slice);
            let whole = (newest + 1).saturating_sub(old + first);
            let kept = match old {
                0 => (whole - 1) * self.inserts + part,
                _ => whole * self.inserts,
            };
            filled(kept as f64 * each)
        };
        let fills: Vec<f64> = (0..u64::from(self.slices())).map(fill).collect();
        run(&fills, self.probes)
    }
}

/// 1-e^-a: the fill of a slice with load a. No inserts at an infinite load, 0·∞, leave it empty.
fn filled(load: f64) -> f64 {
    if load.is_nan() { 0.0 } else { -(-load).exp_m1() }
}

/// The rate after very many inserts, with load a per generation, when a share φ of the newest
/// generation has come.
pub fn rate(k: u32, l: u32, load: f64, part: f64) -> f64 {
    let newest = (0..k).map(|slice| filled((f64::from(slice) + part) * load));
    let older = std::iter::repeat_n(filled(f64::from(k) * load), l as usize);
    let fills: Vec<f64> = newest.chain(older).collect();
    run(&fills, k)
}

/// The published rate: that of slices which are half full once they have taken k generations.
pub fn published_rate(k: u32, l: u32, part: f64) -> f64 {
    rate(k, l, LN_2 / f64::from(k), part)
}

/// The published bits per item of the window: k(k+l)/(l·ln 2).
pub fn published_bits(k: u32, l: u32) -> f64 {
    let (k, l) = (f64::from(k), f64::from(l));
    k * (k + l) / (l * LN_2)
}

/// The probability that k throws in a row succeed, where throw i does so with probability
/// `chances[i]`.
///
/// This is the chain over the length of the run, of which only the ends of a first run need to be
/// added up: it ends with throw i if the k throws up to i succeed, the one before them fails, and
/// the run did not occur before that.
pub fn run(chances: &[f64], k: u32) -> f64 {
    let k = k as usize;
    // occurred[i]: within the first i throws.
    let mut occurred = vec![0.0; chances.len() + 1];
    for (at, all) in (k..).zip(chances.windows(k)) {
        let together: f64 = all.iter().product();
        occurred[at] = match (at - k).checked_sub(1) {
            None => together,
            Some(before) => {
                occurred[at - 1] + (1.0 - occurred[before]) * (1.0 - chances[before]) * together
            }
        };
    }
    occurred[chances.len()]
}

/// The ring with the fewest bits whose rate never exceeds p, and that surely finds the latest
/// `window` inserts. `None` when it would have more than `most` bits.
///
/// At 1 % it takes 19.9 bits per key of the window: 9 probes, 32 generations, slices 44 % full.
pub fn size(p: f64, window: u64, most: u64) -> Option<Ring> {
    let most_probes = most_probes(p);
    let most_generations = u32::try_from(window).unwrap_or(u32::MAX).min(MAX_GENERATIONS);
    let mut best: Option<Ring> = None;
    // The most generations first: they are nearly always the best, and what follows is then
    // rejected by its first rate.
    for generations in (1..=most_generations).rev() {
        let inserts = window.div_ceil(u64::from(generations));
        for probes in 1..=most_probes {
            let ring = |slice_bits| Ring { probes, generations, inserts, slice_bits };
            let fewer = best.map_or(most, |best| best.bits() - 1);
            let found = first(1, fewer / u64::from(probes + generations), |slice_bits| {
                ring(slice_bits).full_rate() <= p
            });
            best = found.map(ring).or(best);
        }
    }
    best
}

/// The fewest generations of a window of time: what is due to go goes at most an eighth too late.
const LEAST_TIMED: u32 = 8;

/// The ring with the fewest bits for a window of time, in which at most `items` keys come, all at once
/// or evenly: its rate never exceeds p then. Generations end by time alone.
///
/// A slice takes the inserts of k generations. With l ≥ k these are no longer than the window, so each
/// slice has at most all its items, and so have all of them at worst: 26.3 bits per item at 1 %. To end
/// generations by number, too, would save a quarter, and forget keys of a burst before their time.
pub fn size_timed(p: f64, items: u64, most: u64, inserts: u64) -> Option<Ring> {
    let mut best: Option<Ring> = None;
    for probes in 1..=most_probes(p) {
        let generations = probes.max(LEAST_TIMED);
        let ring = |slice_bits| Ring { probes, generations, inserts, slice_bits };
        let fewer = best.map_or(most, |best| best.bits() - 1);
        let found = first(1, fewer / u64::from(probes + generations), |slice_bits| {
            let load = -(items as f64) * (-1.0 / slice_bits as f64).ln_1p();
            run(&vec![filled(load); (probes + generations) as usize], probes) <= p
        });
        best = found.map(ring).or(best);
    }
    best
}

/// The best k is at most log2(1/p)+2: p is 2^-k·(1+l/2) where slices are half full. Three more are
/// tried.
fn most_probes(p: f64) -> u32 {
    (1..Spread::MAX_PROBES)
        .find(|k| 0.5f64.powi(k.cast_signed() - 5) <= p)
        .unwrap_or(Spread::MAX_PROBES)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chain itself: state s is a run of s successes that has just ended, k is absorbing.
    fn chained(chances: &[f64], k: usize) -> f64 {
        let mut states = vec![0.0; k + 1];
        states[0] = 1.0;
        for chance in chances {
            let running: f64 = states[..k].iter().sum();
            states[k] += states[k - 1] * chance;
            for length in (1..k).rev() {
                states[length] = states[length - 1] * chance;
            }
            states[0] = running * (1.0 - chance);
        }
        states[k]
    }

    #[test]
    fn the_sum_over_first_runs_is_the_chain() {
        for (k, slices) in [(1, 1), (1, 9), (2, 3), (5, 15), (7, 12), (17, 47), (64, 96)] {
            for seed in 0..20u32 {
                let chances: Vec<f64> = (0..slices)
                    .map(|slice| (f64::from(slice * 7 + seed * 13) * 0.618).fract())
                    .map(|chance| if chance < 0.05 { 0.0 } else { chance.powf(0.2) })
                    .collect();
                let (sum, chain) = (run(&chances, k), chained(&chances, k as usize));
                assert!((sum - chain).abs() <= 1e-12 * chain + 1e-300, "{k} {chances:?}");
            }
        }
        assert_eq!((run(&[0.5; 3], 4), run(&[1.0; 4], 4)), (0.0, 1.0));
    }

    /// The fills are those of slices that are filled and moved one by one.
    #[test]
    fn the_rate_after_n_inserts_is_that_of_the_slices() {
        for (probes, generations, inserts, slice_bits) in
            [(1, 1, 1, 3), (3, 2, 4, 20), (7, 5, 10, 100), (2, 9, 3, 7), (9, 32, 7, 130)]
        {
            let ring = Ring { probes, generations, inserts, slice_bits };
            let mut held = vec![0u64; ring.slices() as usize];
            assert_eq!(ring.rate(0), 0.0);
            let many = 3 * u64::from(ring.slices()) * inserts;
            for n in 1..=many {
                if n > 1 && (n - 1) % inserts == 0 {
                    held.rotate_right(1);
                    held[0] = 0;
                }
                held[..probes as usize].iter_mut().for_each(|held| *held += 1);
                let zeros = 1.0 - 1.0 / slice_bits as f64;
                let fills: Vec<f64> =
                    held.iter().map(|held| 1.0 - zeros.powf(*held as f64)).collect();
                let (expected, got) = (chained(&fills, probes as usize), ring.rate(n));
                assert!((got - expected).abs() <= 1e-9 * expected, "{ring:?} {n}");
                assert!(got <= ring.full_rate() * (1.0 + 1e-12), "{ring:?} {n}");
            }
            assert!((ring.rate(many) / ring.full_rate() - 1.0).abs() < 1e-12, "{ring:?}");
        }
    }

    #[test]
    fn keys_fade_after_the_window() {
        for (probes, generations) in [(1, 1), (3, 2), (7, 5), (9, 32)] {
            let ring = Ring { probes, generations, inserts: 10, slice_bits: 130 };
            let (window, all) = (u64::from(generations), u64::from(ring.slices()));
            assert!((0..=window).all(|age| (ring.found(age) - 1.0).abs() < 1e-12), "{ring:?}");
            for age in window..all {
                assert!(ring.found(age) > ring.found(age + 1), "{ring:?}, {age}");
            }
            for age in [all, all + 1, u64::MAX] {
                assert!((ring.found(age) / ring.full_rate() - 1.0).abs() < 1e-12, "{ring:?}");
            }
        }
    }

    /// One bit per slice is set by the first insert; a huge slice hardly ever.
    #[test]
    fn extreme_slices_have_a_rate() {
        let ring = |inserts, slice_bits| Ring { probes: 3, generations: 2, inserts, slice_bits };
        assert_eq!(ring(1, 1).full_rate(), 1.0);
        assert_eq!((ring(1, 1).rate(0), ring(1, 1).rate(1)), (0.0, 1.0));
        let rare = ring(1, 1 << 60).full_rate();
        assert!(rare > 0.0 && rare < 1e-50, "{rare}");
        assert!(ring(u64::MAX, 1 << 40).rate(u64::MAX) > 0.999);
    }

    #[test]
    fn a_size_is_the_smallest_of_all() {
        for (p, window) in [(0.5, 3), (0.1, 100), (0.01, 10), (0.01, 1000), (1e-3, 50), (1e-6, 7)] {
            let best = size(p, window, 1 << 40).unwrap();
            assert!(best.full_rate() <= p && best.window() >= window, "{best:?}");
            for generations in 1..=MAX_GENERATIONS {
                for probes in 1..=40 {
                    let slices = u64::from(probes + generations);
                    let slice_bits = (best.bits() - 1) / slices;
                    let inserts = window.div_ceil(u64::from(generations));
                    let other = Ring { probes, generations, inserts, slice_bits };
                    assert!(slice_bits == 0 || other.full_rate() > p, "{best:?} {other:?}");
                }
            }
        }
        // What the documentation says.
        for (p, window, bits) in [(0.01, 1_000_000, 19.85), (1e-3, 1_000_000, 27.54)] {
            let each = size(p, window, 1 << 60).unwrap().bits() as f64 / window as f64;
            assert!((each - bits).abs() < 0.005, "{each}");
        }
    }

    #[test]
    fn extremes_have_a_size() {
        for p in [0.999_999, 0.5, 1e-8, 1e-18] {
            for window in [1, 2, 1000, 1 << 48] {
                let ring = size(p, window, 1 << 60).unwrap();
                assert!(ring.full_rate() <= p && ring.window() >= window, "{ring:?}");
            }
        }
        assert_eq!(size(0.01, 1 << 48, 1 << 46), None);
    }

    #[test]
    fn windows_of_time_have_room_for_all_items_at_once() {
        for (p, bits) in [(0.1, 16.03), (0.01, 26.29), (0.001, 37.08)] {
            let ring = size_timed(p, 100_000, 1 << 60, 1 << 48).unwrap();
            let each = ring.bits() as f64 / 100_000.0;
            assert!(ring.generations >= ring.probes && each < bits, "{ring:?} {each}");
            let fill = 1.0 - (1.0 - 1.0 / ring.slice_bits as f64).powf(1e5);
            assert!(run(&vec![fill; ring.slices() as usize], ring.probes) <= p);
        }
        assert_eq!(size_timed(0.01, 100_000, 1000, 1), None);
    }
}
