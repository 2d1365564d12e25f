//! Is any key between a and b? A range filter for ordered integers: Grafite (Costa, Ferragina and
//! Vinciguerra 2024).
//!
//! A filter of hashes can only be queried key by key: hashing scatters neighbours. Here keys are
//! 64-bit integers, and neighbours stay neighbours, so one lookup covers a range: the events of an
//! hour, the addresses of a network, a page of identifiers.
//!
//! **For** skipping work when a range is empty: a block of a log, a file of a table, a page on a slow
//! disk. For integers, times, IPv4 addresses, and strings of up to eight bytes in the order of their
//! bytes. **Not for** keys without an order, or if only single keys are looked up: a
//! [`Ribbon`](crate::Ribbon) takes 2 bits per key less. Not for ranges of any length: at log2(L/ε) + 2
//! bits per key, doubling the longest range L costs a bit, and the sorted keys themselves cost 64.
//! Keys cannot be added later.
//!
//! ```
//! use anther::{Range, Seed};
//!
//! // A million identifiers, for ranges of up to 1024, at most 1 % false positives.
//! let ids = (0..1_000_000).map(|i| i * 5_000_000_000);
//! let taken = Range::build(ids, 1024, 0.01, Seed::FIXED)?;
//! assert!(taken.contains(35_000_000_000));
//! assert!(taken.contains_any(34_999_999_900..=35_000_000_100)?, "one of them is a key");
//!
//! let gaps = (0..10_000).map(|i| 5_000_000_000 * i + 1_000_000);
//! let wrong = gaps.filter(|&gap| taken.contains_any(gap..=gap + 1023).unwrap()).count();
//! assert!(wrong < 130, "1 % of ten thousand");
//! assert!(taken.profile().bits_per_key() < 19.0, "not 64");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it works
//!
//! The integers are cut into blocks of r = n·L/ε numbers. Each block is shifted by a pseudorandom
//! offset q and wrapped around: h(x) = (q(⌊x/r⌋) + x) mod r. So a range within a block stays a range
//! of codes, and keys of other blocks fall anywhere. The codes are sorted and kept in
//! [Elias–Fano form](crate::parts::elias_fano). A query maps its bounds and looks for a code between
//! them.
//!
//! The offsets are pairwise independent: q(i) is the upper half of a·i + b in 128 bits, scaled to r
//! (Dietzfelbinger 1996). That makes the false-positive rate of a range of ℓ numbers at most ℓ·n/r,
//! **for any keys and any queries** that do not depend on the seed. Filters that keep prefixes of keys
//! (SuRF, Rosetta, prefix Bloom filters) have no such bound: they fail if queries begin next to keys.
//!
//! A range longer than the span L is answered, too, at [a higher rate](Range::fpr).
//!
//! # What it gives away
//!
//! The codes keep distances. Anyone who has the file knows how far apart keys are within a block,
//! and, with a seed that is not secret, which numbers could be keys at all: one in r/n. A
//! [keyed](Seed::keyed) seed hides the offsets, so strangers cannot compute false positives, but
//! not the distances. If r is above all keys, the filter holds the keys as they are, up to one
//! constant.

mod offset;
mod scale;
#[cfg(test)]
mod tests;

pub use scale::{Keys, Scale};

use crate::batch::steps;
use crate::error::{BoundsError, KeyError, LoadError, RangeError, SaveError};
use crate::format::{Contents, Open, Parts, Readable, Save, Sealed, Sheet, Tag, Writable};
use crate::parts::elias_fano::EliasFano;
use crate::parts::hash::{Given, Key, Seed, unframe};
use crate::profile::About;
use crate::recipe::{KeyForm, KeyRule, Recipe};
use crate::sizing::range as sizing;
use crate::target::Target;
use offset::Offsets;
use std::io::Write;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;

/// A range filter: see the [module](self) for when and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    codes: EliasFano,
    offsets: Offsets,
    /// The longest range that the rate of the target is for.
    span: u64,
    scale: Scale,
    about: About,
}

/// A range filter in numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RangeProfile {
    /// Distinct keys.
    pub keys: u64,
    /// Distinct codes: keys that share theirs are one.
    pub codes: u64,
    /// Bits in memory, and in the file without its header.
    pub bits: u64,
    /// The longest range that it was made for, in steps.
    pub span: u64,
    /// The highest false-positive rate of such a range, as it was asked for.
    pub target: f64,
    /// The same with the codes that it has.
    pub fpr_now: f64,
    /// The same of a single key.
    pub fpr_of_key: f64,
    /// The largest code.
    pub bound: u64,
}

impl RangeProfile {
    /// Bits per distinct key; all bits if the filter has no key.
    pub fn bits_per_key(&self) -> f64 {
        self.bits as f64 / self.keys.max(1) as f64
    }
}

impl Range {
    /// Builds a filter from integers, in any order; repetitions are dropped. Ranges of up to `span`
    /// integers have a false-positive rate of at most `fpr`.
    ///
    /// Takes 8 bytes of memory per key besides the filter.
    pub fn build(
        keys: impl IntoIterator<Item = u64>,
        span: u64,
        fpr: f64,
        seed: Seed,
    ) -> Result<Range, RangeError> {
        let mut all = Keys::default();
        keys.into_iter().try_for_each(|key| all.push(key.into()))?;
        Range::from_keys(all, span, fpr, seed)
    }

    /// The same from keys on any [scale](Scale). The span is in its steps.
    pub fn from_keys(keys: Keys, span: u64, fpr: f64, seed: Seed) -> Result<Range, RangeError> {
        if span == 0 {
            return Err(RangeError::Span);
        }
        if !seed.can_hash() {
            return Err(RangeError::Seed);
        }
        // Before the keys are sorted.
        Target::new(1, fpr)?;
        let (scale, mut keys) = keys.finish()?;
        keys.sort_unstable();
        keys.dedup();
        let target = Target::new((keys.len() as u64).max(1), fpr)?;
        let offsets = Offsets::new(seed, sizing::bound(target.items(), span, fpr));
        let mut about = About::new(seed, Some(target));
        about.count(keys.len() as u64);
        for key in &mut keys {
            *key = offsets.code(*key);
        }
        keys.sort_unstable();
        keys.dedup();
        let codes = EliasFano::new(&keys, offsets.bound())?;
        Ok(Range { codes, offsets, span, scale, about })
    }

    /// Whether an integer may be a key. False is certain.
    ///
    /// # Panics
    /// If the filter's seed [cannot hash](Seed::can_hash).
    #[inline]
    pub fn contains(&self, key: u64) -> bool {
        let code = self.offsets.code(key);
        !self.codes.is_empty() && self.codes.contains_any(code, code)
    }

    /// Whether any integer of a range may be a key. False is certain.
    ///
    /// ```
    /// use anther::{Range, Seed};
    ///
    /// let primes = Range::build([2, 3, 5, 7, 11, 13], 4, 0.001, Seed::FIXED)?;
    /// assert!(primes.contains_any(8..=11)?);
    /// assert!(!primes.contains_any(8..=10)?);
    /// assert!(primes.contains_any(10..=8).is_err(), "it ends before it begins");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the filter's seed [cannot hash](Seed::can_hash).
    #[inline]
    pub fn contains_any(&self, range: RangeInclusive<u64>) -> Result<bool, BoundsError> {
        let (first, last) = (*range.start(), *range.end());
        if first > last {
            return Err(BoundsError::Reversed);
        }
        if self.codes.is_empty() {
            return Ok(false);
        }
        if let Some((first, last)) = self.offsets.codes(first, last) {
            return Ok(self.codes.contains_any(first, last));
        }
        let blocks = self.offsets.block(last) - self.offsets.block(first);
        Ok(match blocks {
            0 => self.within_block(first, last),
            1 => {
                let next = self.offsets.start_of_block(last);
                self.within_block(first, next - 1) || self.within_block(next, last)
            }
            // All of a block is in the range, so every code is.
            _ => true,
        })
    }

    /// Whether any integer of each of the ranges may be a key. Beyond the caches this is more than
    /// twice as fast as single lookups: while memory is read for one range, others are searched.
    ///
    /// ```
    /// use anther::{Range, Seed};
    ///
    /// let primes = Range::build([2, 3, 5, 7, 11, 13], 4, 0.001, Seed::FIXED)?;
    /// let mut found = [false; 3];
    /// primes.contains_ranges(&[8..=10, 9..=11, 3..=3], &mut found)?;
    /// assert_eq!(found, [false, true, true]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// An error means that a range ends before it begins, and then no answer is written.
    ///
    /// # Panics
    /// When `found` is not as long as `ranges`, or if the filter's seed
    /// [cannot hash](Seed::can_hash).
    pub fn contains_ranges(
        &self,
        ranges: &[RangeInclusive<u64>],
        found: &mut [bool],
    ) -> Result<(), BoundsError> {
        assert_eq!(ranges.len(), found.len(), "an answer for each range");
        if ranges.iter().any(|range| range.start() > range.end()) {
            return Err(BoundsError::Reversed);
        }
        let contains_any =
            |range: &RangeInclusive<u64>| self.contains_any(range.clone()) == Ok(true);
        if self.codes.is_empty() || steps::are_cached(self.codes.low()) {
            for (found, range) in found.iter_mut().zip(ranges) {
                *found = contains_any(range);
            }
            return Ok(());
        }
        let starts =
            ranges.iter().map(|range| match self.offsets.codes(*range.start(), *range.end()) {
                Some((first, last)) => ControlFlow::Continue(self.codes.search(first, last)),
                None => ControlFlow::Break(contains_any(range)),
            });
        steps::contains_in_steps(found, starts, |search| match search {
            ControlFlow::Break(answer) => ControlFlow::Break(answer),
            ControlFlow::Continue(search) => match self.codes.step(search) {
                ControlFlow::Break(answer) => ControlFlow::Break(answer),
                next => ControlFlow::Continue(next),
            },
        });
        Ok(())
    }

    /// The same for a range within a block, whose codes may wrap around.
    #[inline]
    fn within_block(&self, first: u64, last: u64) -> bool {
        let (first, last) = (self.offsets.code(first), self.offsets.code(last));
        if first <= last {
            return self.codes.contains_any(first, last);
        }
        self.codes.contains_any(first, self.codes.bound()) || self.codes.contains_any(0, last)
    }

    /// Whether a key may be in it, by the filter's [rule](Range::rule): text of a time if its keys are
    /// times, and so on. A key that is off its [scale](Scale) is not in it.
    ///
    /// # Panics
    /// If the filter's seed [cannot hash](Seed::can_hash).
    pub fn contains_key(&self, key: impl Key) -> Result<bool, KeyError> {
        let order = with_given(&key, |given| self.rule().order(given))?;
        Ok(self.scale.clamped(order, order).is_some_and(|(key, _)| self.contains(key)))
    }

    /// Whether any key from `first` to `last`, both included, may be in it, by the filter's
    /// [rule](Range::rule). A date as a bound is all its day, and `192.0.2.0/24` all addresses of the
    /// network.
    ///
    /// ```
    /// use anther::range::{Keys, Range};
    /// use anther::Seed;
    /// use anther::recipe::{Given, KeyForm, KeyRule, Recipe};
    ///
    /// let rule = KeyRule { form: KeyForm::Ip, ..KeyRule::default() };
    /// let mut keys = Keys::default();
    /// for address in ["192.0.2.7", "198.51.100.20"] {
    ///     keys.push(rule.order(Given::Text(address.as_bytes()))?)?;
    /// }
    /// let mut seen = Range::from_keys(keys, 256, 0.001, Seed::FIXED)?;
    /// seen.set_recipe(Some(Recipe { rule, ..Recipe::default() }));
    /// assert!(seen.contains_between("192.0.2.0/24", "192.0.2.0/24")?);
    /// assert!(!seen.contains_between("192.0.2.8", "192.0.2.255")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the filter's seed [cannot hash](Seed::can_hash).
    pub fn contains_between(&self, first: impl Key, last: impl Key) -> Result<bool, BoundsError> {
        let rule = self.rule();
        let (first, _) = with_given(&first, |given| rule.order_of_bound(given))?;
        let (_, last) = with_given(&last, |given| rule.order_of_bound(given))?;
        if first > last {
            return Err(BoundsError::Reversed);
        }
        match self.scale.clamped(first, last) {
            Some((first, last)) => self.contains_any(first..=last),
            None => Ok(false),
        }
    }

    /// The highest false-positive rate of a range of `len` steps: ℓ·n/r.
    pub fn fpr(&self, len: u64) -> f64 {
        sizing::fpr(self.codes.len(), self.codes.bound(), len)
    }

    /// The filter in numbers.
    pub fn profile(&self) -> RangeProfile {
        RangeProfile {
            keys: self.about.inserted,
            codes: self.codes.len(),
            bits: self.codes.bits(),
            span: self.span,
            target: self.about.target.map_or(1.0, |target| target.fpr()),
            fpr_now: self.fpr(self.span),
            fpr_of_key: self.fpr(1),
            bound: self.codes.bound(),
        }
    }

    /// The codes of its keys, in increasing order. Keys that share a code are one.
    pub fn codes(&self) -> impl Iterator<Item = u64> {
        self.codes.iter()
    }

    /// The code of an integer.
    ///
    /// # Panics
    /// If the filter's seed [cannot hash](Seed::can_hash).
    pub fn code(&self, key: u64) -> u64 {
        self.offsets.code(key)
    }

    /// The longest range that the rate of its target is for, in steps.
    pub fn span(&self) -> u64 {
        self.span
    }

    /// How keys become unsigned integers.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// How codes are computed.
    pub fn seed(&self) -> &Seed {
        &self.about.seed
    }

    /// What it was made for and with, apart from its codes.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// What its keys are: by its recipe, or integers.
    pub fn rule(&self) -> KeyRule {
        self.about.rule().unwrap_or(KeyRule { form: KeyForm::Int, ..KeyRule::default() })
    }

    /// Sets the recipe: what the keys are, and where they were in the input.
    pub fn set_recipe(&mut self, recipe: Option<Recipe>) {
        self.about.recipe = recipe;
    }

    /// Writes the filter to a file, atomically.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        Save::new().file(self, path)
    }

    /// Writes the filter to a stream.
    pub fn write_to(&self, out: impl Write) -> Result<(), SaveError> {
        Save::new().writer(self, out)
    }

    /// The bytes of its file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SaveError> {
        Save::new().bytes(self)
    }

    /// Reads a filter from a file and verifies every byte. [`Open`] has more options, such as a
    /// secret key.
    pub fn open(path: impl AsRef<Path>) -> Result<Range, LoadError> {
        Open::new().file(path)
    }

    /// Reads a filter from bytes and verifies every byte.
    pub fn from_bytes(bytes: &[u8]) -> Result<Range, LoadError> {
        Open::new().bytes(bytes)
    }
}

/// Passes on a key as it was given.
fn with_given<T>(
    key: &impl Key,
    take: impl FnOnce(Given<'_>) -> Result<T, KeyError>,
) -> Result<T, KeyError> {
    if let Some(given) = key.given() {
        return take(given);
    }
    let mut frame = Vec::new();
    key.frame(&mut frame);
    match unframe(&frame).as_deref() {
        Some([given]) => take(*given),
        Some(parts) => Err(KeyError::Parts { expected: 1, got: parts.len() }),
        None => Err(KeyError::Opaque),
    }
}

impl Sealed for Range {}

impl Writable for Range {
    fn contents(&self) -> Contents<'_> {
        let mut sheet = Sheet::default();
        sheet.field("span", self.span);
        sheet.field("bound", self.codes.bound());
        sheet.field("codes", self.codes.len());
        sheet.field("signed", self.scale.is_signed().into());
        sheet.field("step", self.scale.step().get());
        if self.scale.is_exact() {
            sheet.field("exact", 1);
        }
        sheet.words("low", self.codes.low());
        sheet.words("high", self.codes.high());
        Contents { tag: Tag::Range, about: &self.about, sheet }
    }
}

impl Readable for Range {
    /// Lookups by key apply the rule; others take integers as they are, which are no keys.
    const APPLIES_RULE: bool = true;

    fn read(tag: Tag, parts: &mut Parts, about: About) -> Result<Range, LoadError> {
        match tag {
            Tag::Range => {}
            Tag::Iblt => return Err(LoadError::NotRange { got: "an iblt" }),
            Tag::Filter(kind) => return Err(LoadError::NotRange { got: kind.name() }),
        }
        let target = about.target.ok_or(LoadError::Missing { name: "target.items" })?;
        let span = parts.number("span", 1..=u64::MAX)?;
        // Not computed from the span: how it is sized may change, and files stay.
        let bound = parts.number("bound", 1..=u64::MAX)?;
        let len = parts.number("codes", 0..=target.items())?;
        let scale = Scale::read(parts)?;
        let (low, high) = (parts.words("low")?, parts.words("high")?);
        let codes = EliasFano::from_words(len, bound, low, high)
            .ok_or(LoadError::Section { name: "high" })??;
        Ok(Range { codes, offsets: Offsets::new(about.seed, bound), span, scale, about })
    }
}
