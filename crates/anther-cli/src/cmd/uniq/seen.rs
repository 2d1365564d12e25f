//! Which lines were seen: all of them, by long or by short fingerprints, or the latest.

use super::available;
use super::timed::Timed;
use crate::exit::Stop;
use crate::units;
use anther::{Aging, Filter, FingerprintSet, Insert, KeyHash, Options, Seed, Target};
use std::time::Duration;

/// The share of new lines that a window may drop, unless `--fpr` says otherwise.
pub const WINDOW_RATE: f64 = 1e-6;

/// How far back lines are remembered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Horizon {
    /// All lines.
    All,
    /// All lines, with this share of new lines taken for old ones.
    Share { rate: f64 },
    /// The latest lines.
    Window { lines: u64, rate: f64 },
    /// The lines of the latest time.
    Timed { time: Duration, rate: f64 },
}

/// The lines that were seen, by their hashes.
pub enum Seen {
    All(FingerprintSet),
    Share(Layers),
    Window(Aging),
    Latest(Latest),
    Timed(Timed),
}

impl Seen {
    pub fn new(horizon: Horizon) -> Result<Seen, Stop> {
        let stop = |option, cause: &dyn std::fmt::Display| Stop::about(option, cause);
        Ok(match horizon {
            Horizon::All => Seen::All(FingerprintSet::new()),
            Horizon::Share { rate } => {
                // The same range as everywhere.
                Target::new(1, rate).map_err(|error| stop("--fpr", &error))?;
                Seen::Share(Layers::new(rate))
            }
            Horizon::Window { lines, rate } => {
                let target = Target::new(lines, rate).map_err(|error| stop("--window", &error))?;
                let aging = Aging::with_options(target, &Options::default(), Seed::EXTERNAL);
                let aging = aging.map_err(|error| stop("--window", &error))?;
                match forgets_in_time(&aging, lines) {
                    true => Seen::Window(aging),
                    false => Seen::Latest(Latest::new(lines)),
                }
            }
            Horizon::Timed { time, rate } => {
                Target::new(1, rate).map_err(|error| stop("--fpr", &error))?;
                Seen::Timed(Timed::new(time, rate).map_err(|error| stop("--ttl", &error))?)
            }
        })
    }

    /// Says of each line whether it is new, and remembers it.
    pub fn insert(&mut self, lines: &[KeyHash], is_new: &mut [bool]) -> Result<(), Stop> {
        let grows = |error| Stop::about("uniq", format_args!("{error}; {LESS}"));
        match self {
            Seen::All(set) => {
                check_room(set, lines.len())?;
                set.insert_hashes(lines, is_new).map_err(grows)
            }
            Seen::Share(layers) => {
                layers.sets.last().map_or(Ok(()), |newest| check_room(newest, lines.len()))?;
                layers.insert(lines, is_new).map_err(grows)
            }
            Seen::Window(latest) => {
                for (line, is_new) in lines.iter().zip(is_new) {
                    *is_new = !latest.contains_hash(*line);
                    if *is_new {
                        latest.insert_hash(*line).map_err(|error| Stop::about("uniq", error))?;
                    }
                }
                Ok(())
            }
            Seen::Latest(latest) => latest.insert(lines, is_new).map_err(grows),
            Seen::Timed(timed) => {
                timed.insert(lines, is_new).map_err(|error| Stop::about("--ttl", error))
            }
        }
    }

    /// The bytes of its tables.
    pub fn bytes(&self) -> u64 {
        match self {
            Seen::All(set) => set.bytes(),
            Seen::Share(layers) => layers.sets.iter().map(FingerprintSet::bytes).sum(),
            Seen::Window(latest) => latest.ring().bits() / 8,
            Seen::Latest(latest) => latest.sets.iter().map(FingerprintSet::bytes).sum(),
            Seen::Timed(timed) => timed.bytes(),
        }
    }

    /// The distinct lines that it holds, if it forgets none.
    pub fn distinct(&self) -> Option<u64> {
        match self {
            Seen::All(set) => Some(set.len()),
            Seen::Share(layers) => Some(layers.sets.iter().map(FingerprintSet::len).sum()),
            Seen::Window(_) | Seen::Latest(_) | Seen::Timed(_) => None,
        }
    }
}

/// Whether an aging filter has nothing left of a line after twice the window. With few lines, or at
/// a very low rate, lines fade for longer than the window is.
fn forgets_in_time(aging: &Aging, lines: u64) -> bool {
    let generations = aging.generations();
    u64::from(generations.all).saturating_mul(generations.inserts) <= lines.saturating_mul(2)
}

/// The latest lines by whole fingerprints: the newest, at most the window, and as many before them.
/// In twice the bytes of an aging filter.
pub struct Latest {
    lines: u64,
    /// The newest lines, and those before.
    pub sets: [FingerprintSet; 2],
}

impl Latest {
    fn new(lines: u64) -> Latest {
        Latest { lines, sets: [FingerprintSet::new(), FingerprintSet::new()] }
    }

    /// From a state file; `None` if the sets are not those of the window.
    pub fn restored(lines: u64, sets: [FingerprintSet; 2]) -> Option<Latest> {
        let whole = FingerprintSet::BITS.1;
        let fits = |set: &FingerprintSet| set.bits() == whole && set.len() <= lines;
        sets.iter().all(fits).then_some(Latest { lines, sets })
    }

    fn insert(&mut self, lines: &[KeyHash], is_new: &mut [bool]) -> Result<(), anther::GrowError> {
        for (line, is_new) in lines.iter().zip(is_new) {
            *is_new = !self.sets.iter().any(|set| set.contains_hash(*line));
            if *is_new {
                if self.sets[0].len() >= self.lines {
                    self.sets.swap(0, 1);
                    self.sets[0] = FingerprintSet::new();
                }
                self.sets[0].insert_hash(*line)?;
            }
        }
        Ok(())
    }
}

/// Ends with a message before the system is out of memory. The table grows in steps of 3/16.
fn check_room(set: &FingerprintSet, lines: usize) -> Result<(), Stop> {
    let after = set.bytes_after(lines as u64);
    let more = after.saturating_sub(set.bytes());
    if more == 0 {
        return Ok(());
    }
    match available::memory().filter(|left| more > *left) {
        None => Ok(()),
        Some(left) => Err(Stop::about(
            "uniq",
            format_args!(
                "out of memory: {} lines need {}, and {} are left; {LESS}",
                units::count(set.len()),
                units::size(after),
                units::size(left)
            ),
        )),
    }
}

const LESS: &str = "set a limit with --memory, or use shorter fingerprints with --fpr";

/// Sets of short fingerprints. An absent line is in a set of n fingerprints of b bits with a chance
/// of n/2^b, so a set takes no more when that has reached half of the rate, the next one a quarter
/// of it, and so on. The next set has four bits more, and so holds eight times as many.
pub struct Layers {
    rate: f64,
    pub sets: Vec<FingerprintSet>,
}

impl Layers {
    /// The first set is for 2²⁶ lines. With more bits, a few lines would take more; with fewer,
    /// many lines would need more sets.
    fn new(rate: f64) -> Layers {
        let bits = Layers::first_bits(rate);
        Layers { rate, sets: vec![FingerprintSet::with_bits(bits)] }
    }

    /// From a state file; `None` if the sets are not those of the rate.
    pub fn restored(rate: f64, sets: Vec<FingerprintSet>) -> Option<Layers> {
        let layers = Layers { rate, sets };
        let fits = |(at, set): (usize, &FingerprintSet)| {
            set.bits() == Layers::bits(rate, at) && set.len() <= layers.capacity(at)
        };
        (!layers.sets.is_empty() && layers.sets.iter().enumerate().all(fits)).then_some(layers)
    }

    fn first_bits(rate: f64) -> u32 {
        let (least, most) = FingerprintSet::BITS;
        let inverse = (1.0 / rate).log2().ceil();
        // A rate is 1e-18 to 1.
        (27..)
            .take(61)
            .find(|bits| f64::from(bits - 27) >= inverse)
            .unwrap_or(most)
            .clamp(least, most)
    }

    fn bits(rate: f64, at: usize) -> u32 {
        let more = u32::try_from(4 * at).unwrap_or(u32::MAX);
        Layers::first_bits(rate).saturating_add(more).min(FingerprintSet::BITS.1)
    }

    /// The most lines of a set. Whole fingerprints are as good as any.
    fn capacity(&self, at: usize) -> u64 {
        let bits = Layers::bits(self.rate, at);
        if bits == FingerprintSet::BITS.1 {
            return u64::MAX;
        }
        let share = self.rate / 2f64.powi(i32::try_from(at + 1).unwrap_or(i32::MAX));
        units::whole((share * 2f64.powi(bits.cast_signed())).floor())
    }

    fn insert(&mut self, lines: &[KeyHash], is_new: &mut [bool]) -> Result<(), anther::GrowError> {
        let last = self.sets.len() - 1;
        let after = self.sets[last].len().saturating_add(lines.len() as u64);
        if after > self.capacity(last) {
            let bits = Layers::bits(self.rate, last + 1);
            self.sets.push(FingerprintSet::with_bits(bits));
        }
        let Some((newest, older)) = self.sets.split_last_mut() else { return Ok(()) };
        if older.is_empty() {
            return newest.insert_hashes(lines, is_new);
        }
        let mut absent = vec![true; lines.len()];
        let mut found = vec![false; lines.len()];
        for set in older {
            set.contains_hashes(lines, &mut found);
            absent.iter_mut().zip(&found).for_each(|(absent, found)| *absent &= !found);
        }
        let places = || absent.iter().enumerate().filter(|(_, absent)| **absent).map(|(at, _)| at);
        let left: Vec<KeyHash> = places().map(|at| lines[at]).collect();
        found.truncate(left.len());
        newest.insert_hashes(&left, &mut found)?;
        is_new.fill(false);
        places().zip(&found).for_each(|(at, new)| is_new[at] = *new);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anther::Key;

    /// The least and the most bytes per distinct line that the help names, from a million lines on.
    #[test]
    fn a_line_takes_the_bytes_that_the_help_says() {
        let [millionth, percent] = [1e-6, 0.01].map(Layers::first_bits);
        for (bits, least, most) in [(64, 6.7, 9.3), (millionth, 4.4, 6.6), (percent, 2.4, 4.0)] {
            let set = FingerprintSet::with_bits(bits);
            let each = |lines: f64| set.bytes_after(units::whole(lines)) as f64 / lines;
            // To 76 million, by one percent.
            let all: Vec<f64> = (0..436).map(|step| each(1e6 * 1.01_f64.powi(step))).collect();
            let low = all.iter().copied().fold(f64::MAX, f64::min);
            let high = all.iter().copied().fold(0.0, f64::max);
            assert!((low - least).abs() < 0.1 && (high - most).abs() < 0.1, "{low} to {high}");
        }
    }

    /// With one in eight, the first set holds few lines, and others follow.
    #[test]
    fn layers_keep_the_share_and_every_line() {
        let hash = |line: u64| line.key_hash(&Seed::FIXED);
        let mut layers = Layers { rate: 1e-3, sets: vec![FingerprintSet::with_bits(32)] };
        let mut is_new = vec![false; 1000];
        let mut dropped = 0;
        let lines: Vec<_> = (0..1_000_000).map(hash).collect();
        for (at, some) in lines.chunks(1000).enumerate() {
            // Small sets, as if they were full: the rule of capacity is the next test's.
            if at == 100 || at == 300 {
                layers.sets.push(FingerprintSet::with_bits(40));
            }
            layers.insert(some, &mut is_new).unwrap();
            dropped += is_new.iter().filter(|is_new| !**is_new).count();
            layers.insert(some, &mut is_new).unwrap();
            assert!(is_new.iter().all(|is_new| !is_new));
        }
        // 1e5 in 2³² is 2.3e-5 of the lines that follow.
        assert!(dropped < 60, "{dropped}");
        layers.insert(&lines[..1000], &mut is_new).unwrap();
        assert!(is_new.iter().all(|is_new| !is_new), "what is in an older set is found");
    }

    #[test]
    fn capacities_add_up_to_the_rate() {
        for rate in [0.5, 0.01, 1e-3, 1e-6, 1e-9, 1e-18] {
            let layers = Layers::new(rate);
            let mut sum = 0.0;
            for at in 0..9 {
                let (bits, capacity) = (Layers::bits(rate, at), layers.capacity(at));
                assert!((32..=64).contains(&bits));
                if bits < 64 {
                    assert!(capacity >= 1 << 25, "{rate} {at} {capacity}");
                    sum += capacity as f64 / 2f64.powi(bits.cast_signed());
                }
            }
            assert!(sum <= rate, "{rate}: {sum}");
        }
    }
}
