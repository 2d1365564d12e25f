//! The generalized Bloom filter: hash functions that clear bits beside those that set them (Laufer,
//! Velloso and Duarte, 2005 and 2007). **It forgets**: later keys overwrite the bits of earlier
//! ones, so there are false negatives.
//!
//! **For** filters that untrusted parties can write to, such as one carried in a packet: no fill,
//! not even all ones, raises the false-positive rate above its bound, whatever was done to the bits
//! before. **Not for** anything else: a negative answer is not certain here, and forgetting only a
//! tenth of the oldest keys costs 226 bits per key at 1 %. Experimental: a later release may reject
//! its files.
//!
//! An insert clears `clears` bits and then sets `sets` others, except those that it cleared. A key
//! may be present when all of the first are 0 and all of the second are 1, except those among the
//! first. The target's rate is the highest with any fill, [`Rule::worst_rate`]; starting from an
//! empty filter it is far lower ([`Rule::rate`]). Of the oldest of the target's items at most the
//! share `misses` (an option; by default a tenth) is forgotten ([`Rule::misses`]).

use crate::error::{Full, LoadError, SizeError};
use crate::filter::cells;
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::bits::Bits;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::probes::Spread;
use crate::parts::view::{self, Row, Touch, View};
use crate::profile::{About, Profile};
use crate::sizing::bound::hash_floor;
use crate::sizing::generalized::{self, Rule};
use crate::target::{Plan, Target};
use crate::traits::{Filter, ForTarget, Insert, Inspect, Planned};

/// The generalized Bloom filter. **It forgets**: [`contains`](Generalized::contains) may be false
/// for a key that was followed by others. Experimental: a later release may reject its files.
///
/// ```
/// use anther::{Classic, Generalized, Seed, Shape};
///
/// // Filters that somebody has filled with ones.
/// let mut tampered = Generalized::with_start(10_000, 5, 5, Seed::FIXED, |_| true)?;
/// let mut classic = Classic::with_shape(Shape::bits(1).probes(1), Seed::FIXED)?;
/// classic.insert("all its bits are ones now");
///
/// let absent = (0..100_000u32).filter(|key| tampered.contains(key)).count();
/// assert_eq!(absent, 0, "full of ones, it reports no key");
/// assert!(classic.contains("anything"), "where others report every key");
/// assert!(tampered.insert("packet 1") && tampered.contains("packet 1"));
///
/// // It never gets worse than this, whatever is inserted.
/// let worst = tampered.rule().worst_rate();
/// assert!(worst < 0.00101);
/// for key in 0..20_000u32 {
///     tampered.insert(key);
/// }
/// assert!(tampered.profile().fpr_now <= worst);
/// assert!(tampered.profile().may_forget());
/// # Ok::<(), anther::SizeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Generalized {
    /// First the positions to clear, then those to set.
    probes: Spread,
    clears: u32,
    bits: Bits,
    about: About,
}

impl Generalized {
    /// The share of the oldest items that may be forgotten, by default.
    pub const DEFAULT_MISSES: f64 = 0.1;
    const LEAST_MISSES: f64 = 1e-6;
    const MOST_MISSES: f64 = 0.9;

    /// Makes an empty filter of `bits` bits, whose inserts clear `clears` and set `sets` of them.
    pub fn with_bits(
        bits: u64,
        clears: u32,
        sets: u32,
        seed: Seed,
    ) -> Result<Generalized, SizeError> {
        let (kind, most) = (Kind::Generalized, Spread::MAX_PROBES - 1);
        // Each at least 1, and together no more than a walk has.
        for got in [clears, sets] {
            if !(1..=most).contains(&got) {
                return Err(SizeError::Probes { kind, got, least: 1, most });
            }
        }
        cells::spread(kind, bits, clears + sets, 1)?;
        Generalized::sized(Rule { bits, clears, sets }, seed, None)
    }

    /// The same, with a 1 where `is_one` says so: a filter as others may have left it.
    pub fn with_start(
        bits: u64,
        clears: u32,
        sets: u32,
        seed: Seed,
        is_one: impl Fn(u64) -> bool,
    ) -> Result<Generalized, SizeError> {
        let mut filter = Generalized::with_bits(bits, clears, sets, seed)?;
        (0..bits).filter(|bit| is_one(*bit)).for_each(|bit| {
            filter.bits.set(bit);
        });
        Ok(filter)
    }

    fn sized(rule: Rule, seed: Seed, target: Option<Target>) -> Result<Generalized, SizeError> {
        Ok(Generalized {
            probes: Spread::new(rule.bits, rule.clears + rule.sets),
            clears: rule.clears,
            bits: Bits::zeroed(rule.bits)?,
            about: About::new(seed, target),
        })
    }

    /// The filter's bits and probes: what it will forget, and its highest false-positive rate.
    pub fn rule(&self) -> Rule {
        let sets = self.probes.probes() - self.clears;
        Rule { bits: self.probes.cells(), clears: self.clears, sets }
    }

    /// Whether the bits are as a key with these positions leaves them.
    #[inline]
    fn holds(&self, clear: &[u64], set: &[u64]) -> bool {
        clear.iter().all(|bit| !self.bits.get(*bit))
            && set.iter().all(|bit| self.bits.get(*bit) || clear.contains(bit))
    }
}

/// The rule for a target.
fn rule_for(target: Target, options: &Options) -> Result<Rule, SizeError> {
    let (kind, floor) = (Kind::Generalized, hash_floor(target.items()));
    let misses = options.misses.unwrap_or(Generalized::DEFAULT_MISSES);
    let (least, most) = (Generalized::LEAST_MISSES, Generalized::MOST_MISSES);
    options::within(kind, "misses", misses, least, most)?;
    if target.fpr() <= floor {
        return Err(SizeError::Fpr { kind, got: target.fpr(), least: floor });
    }
    // The floor adds to the bits' own rate. Beyond 2⁶⁰ bits the number does not matter.
    match generalized::size(target.fpr() - floor, target.items() - 1, misses, 1 << 60) {
        Some(rule) => cells::check_bits(kind, rule.bits, 1).map(|()| rule),
        None => Err(SizeError::TooLarge { kind, got: u64::MAX, most: cells::MAX_BITS }),
    }
}

impl Filter for Generalized {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        let mut buffer = [0; 64];
        let (clear, set) = self.probes.gather(key, &mut buffer).split_at(self.clears as usize);
        self.holds(clear, set)
    }

    /// The number of items cannot be estimated from the fill, which depends on the start, and soon
    /// not on the items. The rate of an empty filter is not 0: keys that set only what they clear
    /// pass.
    fn profile(&self) -> Profile {
        let (ones, bits) = (self.bits.ones(), self.bits.len());
        Profile {
            fpr_now: self.rule().rate_at((bits - ones) as f64),
            fill: ones as f64 / bits as f64,
            // It forgets the excess, so only the number of inserts shows that it is overfull.
            crowded: self.about.target.is_some_and(|target| self.about.inserted > target.items()),
            ..self.about.profile(Kind::Generalized, bits, self.probes.probes())
        }
    }
}

impl Insert for Generalized {
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        self.about.count(1);
        let mut buffer = [0; 64];
        let (clear, set) = self.probes.gather(key, &mut buffer).split_at(self.clears as usize);
        let new = !self.holds(clear, set);
        clear.iter().for_each(|bit| self.bits.unset(*bit));
        set.iter().filter(|bit| !clear.contains(bit)).for_each(|bit| {
            self.bits.set(*bit);
        });
        Ok(new)
    }
}

impl Inspect for Generalized {
    fn rows(&self) -> Vec<Row<'_>> {
        vec![Row::new("bits", View::of(&self.bits))]
    }

    /// First the bits that the key clears, then those that it sets.
    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        view::spread(0, self.probes, key)
    }
}

impl Planned for Generalized {
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        let rule = rule_for(target, options)?;
        let fpr = rule.rate(target.items()) + hash_floor(target.items());
        Ok(Plan::new(rule.bits, rule.clears + rule.sets, fpr.min(target.fpr())))
    }
}

impl ForTarget for Generalized {
    fn with_options(
        target: Target,
        options: &Options,
        seed: Seed,
    ) -> Result<Generalized, SizeError> {
        Generalized::sized(rule_for(target, options)?, seed, Some(target))
    }
}

impl Stored for Generalized {
    const KIND: Kind = Kind::Generalized;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        let rule = self.rule();
        sheet.field("bits", rule.bits);
        sheet.field("clears", u64::from(rule.clears));
        sheet.field("sets", u64::from(rule.sets));
        sheet.words("bits", self.bits.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Generalized, LoadError> {
        let clears = parts.small("clears", 1..=Spread::MAX_PROBES - 1)?;
        let sets = parts.small("sets", 1..=Spread::MAX_PROBES - clears)?;
        let len = parts.number("bits", 1..=cells::MAX_BITS)?;
        let bits = Bits::from_words(parts.words("bits")?, len)
            .ok_or(LoadError::Section { name: "bits" })?;
        Ok(Generalized { probes: Spread::new(len, clears + sets), clears, bits, about })
    }
}

crate::filter::methods_by_key!(Generalized, about);
crate::filter::inserts_by_key!(Generalized);

#[cfg(test)]
mod tests {
    use super::*;

    /// The published rule, bit by bit, in filters so small that positions coincide.
    #[test]
    fn it_follows_the_published_rule() {
        for (bits, clears, sets) in [(1, 1, 1), (7, 3, 4), (50, 2, 6), (304, 2, 2), (1000, 32, 32)]
        {
            let mut filter =
                Generalized::with_start(bits, clears, sets, Seed::FIXED, |bit| bit % 3 == 0)
                    .unwrap();
            let mut model: Vec<bool> = (0..bits).map(|bit| bit % 3 == 0).collect();
            for i in 0..500 {
                let key = KeyHash(i).again(0);
                let mut positions = Vec::new();
                filter.probes.each(key, |position| positions.push(position as usize));
                let (g, h) = positions.split_at(clears as usize);
                let mut seen = true;
                for position in h {
                    seen &= model[*position] != g.contains(position);
                }
                for position in g {
                    seen &= !model[*position];
                }
                assert_eq!(filter.contains_hash(key), seen);
                assert_eq!(filter.insert_hash(key), Ok(!seen));
                // Set first, so that clearing wins.
                h.iter().for_each(|position| model[*position] = true);
                g.iter().for_each(|position| model[*position] = false);
                assert!(filter.contains_hash(key), "the latest key is never forgotten");
                assert!((0..bits).all(|bit| filter.bits.get(bit) == model[bit as usize]));
            }
        }
    }

    #[test]
    fn invalid_options_are_named() {
        let target = Target::new(1000, 0.01).unwrap();
        for misses in [0.0, 0.95, f64::NAN] {
            let options = Options::new().misses(misses);
            let error = Generalized::with_options(target, &options, Seed::FIXED).unwrap_err();
            let text =
                format!("misses of a generalized filter cannot be {misses}; it can be 1e-6 to 0.9");
            assert_eq!(error.to_string(), text);
        }
        let made = |bits, clears, sets| Generalized::with_bits(bits, clears, sets, Seed::FIXED);
        assert!(matches!(made(0, 1, 1), Err(SizeError::TooSmall { .. })));
        assert!(matches!(made(1 << 47, 1, 1), Err(SizeError::TooLarge { .. })));
        for (clears, sets) in [(0, 1), (1, 0), (64, 1), (32, 33), (u32::MAX, u32::MAX)] {
            assert!(matches!(made(10, clears, sets), Err(SizeError::Probes { .. })));
        }
        assert!(made(10, 63, 1).is_ok() && made(10, 1, 63).is_ok());
    }

    /// The share of the oldest items that is forgotten is the planned one, in filters of any size.
    #[test]
    fn as_much_is_forgotten_as_planned() {
        for (items, misses, filters) in [(2, 0.1, 20_000), (10, 0.1, 20_000), (300, 0.5, 2000)] {
            let target = Target::new(items, 0.01).unwrap();
            let options = Options::new().misses(misses);
            let empty = Generalized::with_options(target, &options, Seed::FIXED).unwrap();
            let mut missed = 0;
            for trial in 0..filters {
                let mut filter = empty.clone();
                let key = |i| KeyHash(trial).again(i);
                (0..items).for_each(|i| {
                    filter.insert_hash(key(i)).unwrap();
                });
                missed += u64::from(!filter.contains_hash(key(0)));
            }
            let share = missed as f64 / filters as f64;
            let sigma = (misses * (1.0 - misses) / filters as f64).sqrt();
            assert!(share < misses + 4.0 * sigma && share > 0.8 * misses, "{items}: {share}");
        }
    }
}
