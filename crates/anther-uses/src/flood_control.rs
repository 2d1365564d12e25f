//! Flood control: who was here recently, in fixed memory. Two filters take turns.
//!
//! One question has two uses. A node of a mesh that forwards a broadcast asks "did I see this
//! message?"; without an answer each message circulates for ever. A server under attack asks "has
//! this sender had its turn?", and drops the rest. Patgiri, Nayak and Borgohain (2018, "Preventing
//! DDoS using Bloom filter: a survey") have more of the kind.
//!
//! A key goes into the filter of the current period, and is looked up in that and in the one
//! before. At the end of a period the older filter is emptied and becomes the current one. So a key
//! is remembered for one period at least and for two at most. A sender gets at most one packet
//! through in any period, and one that waits for two periods is never dropped, except by mistake:
//! with 1-(1-f)(1-g), where f and g are the false-positive rates of the two filters
//! ([`wrongly_dropped`]), so with less than twice the rate that they were made for.
//!
//! Memory is fixed: a filter that has got as many keys as it was made for ends its period early. A
//! flood of forged addresses then shortens what is remembered. It cannot have others dropped.
//!
//! It breaks if an attacker knows the hash. A few senders of its choice set all bits of a chosen
//! victim, which is then dropped. So the filters are keyed, each node's with a key of its own, so
//! that a message that one node drops by mistake still goes around it.
//!
//! ```
//! use anther::{Seed, Target};
//! use anther_uses::flood_control::Recent;
//!
//! let mut senders = Recent::new(Target::new(1000, 0.01)?, Seed::keyed([9; 16]))?;
//! assert!(senders.first("10.1.2.3") && !senders.first("10.1.2.3"));
//! senders.turn();
//! assert!(!senders.first("10.1.2.3"), "still remembered");
//! senders.turn();
//! assert!(senders.first("10.1.2.3"), "two periods later");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use anther::sizing::bloom;
use anther::{Classic, Key, PlainBits, Seed, SizeError, Target};
use std::mem;

/// Keys of this period and of the one before.
#[derive(Clone, Debug)]
pub struct Recent {
    current: Classic,
    previous: Classic,
    /// Keys of this period, and how many there may be.
    keys: u64,
    most: u64,
}

impl Recent {
    /// For as many keys per period as the target says. Its false-positive rate is that of each of
    /// the two filters.
    pub fn new(target: Target, seed: Seed) -> Result<Recent, SizeError> {
        let filter = Classic::with_seed(target, seed)?;
        let most = target.items();
        Ok(Recent { current: filter.clone(), previous: filter, keys: 0, most })
    }

    /// Whether the key is new: not seen in this period, nor in the one before. From now on it is
    /// not.
    pub fn first(&mut self, key: impl Key) -> bool {
        if self.previous.contains(&key) || !self.current.insert(&key) {
            return false;
        }
        self.keys += 1;
        if self.keys == self.most {
            self.turn();
        }
        true
    }

    /// Begins the next period.
    pub fn turn(&mut self) {
        mem::swap(&mut self.current, &mut self.previous);
        self.current.clear();
        self.keys = 0;
    }

    /// The bytes of both filters.
    pub fn bytes(&self) -> u64 {
        2 * self.current.profile().bits.div_ceil(8)
    }

    /// The bits and probes of each filter.
    pub fn shape(&self) -> (u64, u32) {
        let profile = self.current.profile();
        (profile.bits, profile.probes)
    }
}

/// 1-(1-f)(1-g): how often a new key is taken for an old one, by the keys in the two filters.
pub fn wrongly_dropped(bits: u64, probes: u32, current: u64, previous: u64) -> f64 {
    let passes = |keys| 1.0 - bloom::rate(bits, keys, probes);
    1.0 - passes(current) * passes(previous)
}

/// The mean of [`wrongly_dropped`] over a period in which `keys` new keys come, and how many of them
/// the filter has at its end: dropped keys are not inserted.
pub fn over_a_period(bits: u64, probes: u32, keys: f64, previous: f64) -> (f64, f64) {
    let (mut current, mut dropped) = (0.0, 0.0);
    #[expect(clippy::cast_possible_truncation, reason = "numbers of keys")]
    let whole = |keys: f64| keys.round().max(0.0) as u64;
    for _ in 0..whole(keys) {
        let drop = wrongly_dropped(bits, probes, whole(current), whole(previous));
        (current, dropped) = (current + 1.0 - drop, dropped + drop);
    }
    (dropped / keys.max(1.0), current)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recent(items: u64) -> Recent {
        Recent::new(Target::new(items, 0.01).unwrap(), Seed::keyed([5; 16])).unwrap()
    }

    #[test]
    fn a_key_is_remembered_for_one_period_to_two() {
        let mut seen = recent(1000);
        let first = (0..900u32).filter(|key| seen.first(key)).count();
        assert!(first > 880, "{first}");
        assert!((0..900u32).all(|key| !seen.first(key)));
        seen.turn();
        assert!((0..900u32).all(|key| !seen.first(key)));
        seen.turn();
        assert!((0..900u32).filter(|key| seen.first(key)).count() > 880);
    }

    /// However many keys come, memory stays, and so does the rate.
    #[test]
    fn a_flood_changes_neither_memory_nor_rate() {
        let mut seen = recent(1000);
        let (bytes, (bits, probes)) = (seen.bytes(), seen.shape());
        let keys = 200_000u32;
        let dropped = (0..keys).filter(|key| !seen.first(key)).count() as f64;
        assert_eq!(seen.bytes(), bytes);
        // Full filters hold what was not dropped, here too.
        let (expected, current) = over_a_period(bits, probes, 1000.0 / 0.985, 1000.0);
        assert!((current - 1000.0).abs() < 5.0, "{current}");
        assert!(expected < 0.02);
        // Filters of a thousand keys differ by 4 % (`bloom::spread`), so 200 of them by 0.3 %.
        let bound = expected * 0.02 + 5.0 * (expected / f64::from(keys)).sqrt();
        assert!((dropped / f64::from(keys) - expected).abs() < bound, "{dropped} {expected}");
    }
}
