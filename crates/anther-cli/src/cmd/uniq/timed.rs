//! The lines of the latest time: aging filters whose generations end by the clock.
//!
//! An aging filter of fixed size would take more and more new lines for old ones if more came within
//! the time than it is made for. So a larger one is added then, and the smaller one is dropped when
//! its last lines are forgotten.

use anther::{Aging, Filter, Insert, KeyHash, Seed, SizeError, Target};
use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

/// The lines within the time that the first filter is made for.
const FIRST: u64 = 1 << 16;

/// How much larger the next filter is.
const GROWTH: u64 = 8;

/// The lines of the latest time.
pub struct Timed {
    pub time: Duration,
    pub rate: f64,
    pub layers: Vec<TimedLayer>,
}

/// One filter.
pub struct TimedLayer {
    pub filter: Aging,
    /// The lines within the time that it is made for.
    pub capacity: u64,
    /// When its current generation began. The clock may be set; a filter ages by what it shows.
    pub began: SystemTime,
    /// How many lines each of the latest generations has, the newest first.
    pub arrivals: VecDeque<u64>,
}

impl TimedLayer {
    /// The share of new lines that this filter may drop: half of all for the first, a quarter for
    /// the next, and so on.
    pub fn target(capacity: u64, rate: f64) -> Result<Target, SizeError> {
        let steps = (capacity / FIRST).ilog(GROWTH);
        let fpr = (rate / 2f64.powi(steps.cast_signed() + 1)).max(Target::MIN_FPR);
        // Both are in range.
        Target::new(capacity, fpr).or(Target::new(capacity, 0.5)).map_err(|_| {
            let got = capacity;
            SizeError::TooLarge { kind: anther::Kind::Aging, got, most: Target::MAX_ITEMS }
        })
    }

    fn new(capacity: u64, rate: f64) -> Result<TimedLayer, SizeError> {
        let filter = Aging::timed(TimedLayer::target(capacity, rate)?, Seed::EXTERNAL)?;
        let (began, arrivals) = (SystemTime::now(), VecDeque::from([0]));
        Ok(TimedLayer { filter, capacity, began, arrivals })
    }

    /// As many of these as the window has generations are the time.
    fn interval(&self, time: Duration) -> Duration {
        let intervals = self.filter.generations().window;
        (time / intervals).max(Duration::from_nanos(1)) + Duration::from_nanos(1)
    }

    /// Begins the generations that are due.
    fn advance(&mut self, time: Duration, now: SystemTime) {
        let interval = self.interval(time);
        // A clock that was set back stops the ageing until it has caught up.
        let Ok(passed) = now.duration_since(self.began) else { return };
        let due = passed.as_nanos() / interval.as_nanos();
        if due == 0 {
            return;
        }
        let all = self.filter.generations().all as usize;
        self.filter.advance(u64::try_from(due).unwrap_or(u64::MAX));
        for _ in 0..due.min(all as u128) {
            self.arrivals.push_front(0);
        }
        self.arrivals.truncate(all);
        // What is left of an interval counts for the next.
        let rest = passed.as_nanos() % interval.as_nanos();
        let rest = Duration::from_nanos(u64::try_from(rest).unwrap_or(0));
        self.began = now.checked_sub(rest).unwrap_or(now);
    }

    fn is_empty(&self) -> bool {
        self.arrivals.iter().all(|lines| *lines == 0)
    }

    /// Lines of all generations of which something is left. Those of half of them are within the
    /// time, but the others have set bits, too.
    fn is_full(&self) -> bool {
        let window = self.filter.generations().window as usize;
        self.arrivals.iter().take(window + 1).sum::<u64>() >= self.capacity
    }
}

impl Timed {
    pub fn new(time: Duration, rate: f64) -> Result<Timed, SizeError> {
        Ok(Timed { time, rate, layers: vec![TimedLayer::new(FIRST, rate)?] })
    }

    /// From a state file; `None` if the filters are not those of the time and the rate.
    pub fn restored(time: Duration, rate: f64, layers: Vec<TimedLayer>) -> Option<Timed> {
        let fits = |layer: &TimedLayer| {
            let steps = layer.capacity.checked_div(FIRST).filter(|times| *times > 0)?.ilog(GROWTH);
            let target = TimedLayer::target(layer.capacity, rate).ok()?;
            let ring = Aging::timed_ring(target).ok()?;
            let generations = layer.filter.generations().all as usize;
            (layer.capacity == FIRST.checked_mul(GROWTH.checked_pow(steps)?)?
                && layer.filter.ring() == ring
                && (1..=generations).contains(&layer.arrivals.len()))
            .then_some(())?;
            // A forger can write any numbers.
            layer.arrivals.iter().try_fold(0u64, |sum, lines| sum.checked_add(*lines))
        };
        layers.iter().all(|layer| fits(layer).is_some()).then_some(Timed { time, rate, layers })
    }

    /// Says of each line whether it is new, and remembers those that are.
    pub fn insert(&mut self, lines: &[KeyHash], is_new: &mut [bool]) -> Result<(), SizeError> {
        self.advance(SystemTime::now());
        for (line, is_new) in lines.iter().zip(is_new) {
            *is_new = !self.layers.iter().any(|layer| layer.filter.contains_hash(*line));
            if *is_new {
                self.remember(*line)?;
            }
        }
        Ok(())
    }

    fn advance(&mut self, now: SystemTime) {
        self.layers.iter_mut().for_each(|layer| layer.advance(self.time, now));
        let newest = self.layers.len() - 1;
        let mut at = 0;
        self.layers.retain(|layer| {
            at += 1;
            at > newest || !layer.is_empty()
        });
    }

    fn remember(&mut self, line: KeyHash) -> Result<(), SizeError> {
        if let Some(newest) = self.layers.last().filter(|newest| newest.is_full()) {
            let larger = newest.capacity.saturating_mul(GROWTH);
            self.layers.push(TimedLayer::new(larger, self.rate)?);
        }
        if let Some(newest) = self.layers.last_mut() {
            // An aging filter takes any number.
            let _ = newest.filter.insert_hash(line);
            newest.arrivals[0] += 1;
        }
        Ok(())
    }

    pub fn bytes(&self) -> u64 {
        self.layers.iter().map(|layer| layer.filter.ring().bits() / 8).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anther::Key;

    fn hashes(range: std::ops::Range<u64>) -> Vec<KeyHash> {
        range.map(|line| line.key_hash(&Seed::FIXED)).collect()
    }

    #[test]
    fn forged_numbers_of_lines_are_rejected() {
        let (time, rate) = (Duration::from_secs(60), 0.01);
        for (arrivals, is_sound) in
            [(vec![7, 9], true), (vec![u64::MAX], true), (vec![u64::MAX, 1], false)]
        {
            let mut layer = TimedLayer::new(FIRST, rate).unwrap();
            layer.arrivals = arrivals.into();
            let restored = Timed::restored(time, rate, vec![layer]);
            assert_eq!(restored.is_some(), is_sound);
            let is_new = restored.map(|mut timed| {
                let mut is_new = [false];
                timed.insert(&hashes(0..1), &mut is_new).unwrap();
                is_new
            });
            assert!(is_new.is_none_or(|is_new| is_new[0]));
        }
    }

    #[test]
    fn more_lines_than_expected_make_it_larger_and_none_is_forgotten_early() {
        let hour = Duration::from_secs(3600);
        let mut timed = Timed::new(hour, 1e-3).unwrap();
        let lines = hashes(0..300_000);
        let mut is_new = vec![false; lines.len()];
        timed.insert(&lines, &mut is_new).unwrap();
        let wrong = is_new.iter().filter(|is_new| !**is_new).count();
        assert!(wrong < 300 + 100, "{wrong}");
        assert_eq!(timed.layers.len(), 2);
        // Most of an hour later, all of them are known.
        timed.advance(SystemTime::now() + hour - Duration::from_secs(1));
        assert!(
            lines.iter().all(|line| timed.layers.iter().any(|l| l.filter.contains_hash(*line)))
        );
        // After two hours, nothing is left, and the smaller filter is gone.
        timed.advance(SystemTime::now() + 2 * hour + Duration::from_secs(700));
        assert_eq!(timed.layers.len(), 1);
        assert_eq!(timed.layers[0].capacity, FIRST * GROWTH);
        let left = lines.iter().filter(|line| timed.layers[0].filter.contains_hash(**line));
        assert_eq!(left.count(), 0);
    }
}
