//! What the kinds of plain bits share: a row of bits, and the algebra of such rows.
//!
//! `classic`, `blocked`, `split` and `compressed` are one type, [`PlainFilter`], with four rules. A
//! [`Rule`] is in the kind's own file and says how a key's bits are set and tested, how the
//! filter is sized and how its false-positive rate follows from the fill. What holds for every
//! row of bits is here, once: batches, union by OR, folding, estimates.

mod pattern;

pub(crate) use pattern::Pattern;

use crate::batch::blocks::{HashBlock, Rolling};
use crate::batch::bulk::{self, Scatter};
use crate::batch::threads::Threads;
use crate::batch::{Hashes, hashes};
use crate::error::{FoldError, Full, LoadError, Mismatch, OutOfMemory, SaveError, SizeError};
use crate::format::{Open, Parts, Save, Sheet, Stored};
use crate::kind::Kind;
use crate::options::Options;
use crate::parts::bits::Bits;
use crate::parts::hash::{Key, KeyHash, Seed};
use crate::parts::view::{self, Touch, View};
use crate::parts::words::{Words, prefetch};
use crate::profile::{About, Profile};
use crate::recipe::Recipe;
use crate::sizing::estimate::{self, Estimate};
use crate::target::{Plan, Shape, Target};
use crate::traits::{Filter, ForTarget, Insert, Inspect, Merge, Planned, Shaped};
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::path::Path;

/// A filter whose whole state is a row of bits: [`Classic`](crate::Classic),
/// [`Blocked`](crate::Blocked), [`Split`](crate::Split) and [`Compressed`](crate::Compressed) are
/// this type, each with its own [`Rule`].
#[derive(Clone, Debug, PartialEq)]
pub struct PlainFilter<R: Rule> {
    /// Where the bits of a key are.
    pub(crate) pattern: R::Pattern,
    pub(crate) bits: Bits,
    pub(crate) about: About,
}

/// The rule of a kind of plain bits. There are four, and nobody else can implement it.
pub trait Rule: Copy + Debug + PartialEq + Send + Sync + plumbing::Sealed + 'static {
    /// Where the bits of a key are.
    type Pattern: Pattern;
    /// The kind.
    const KIND: Kind;

    /// Sets the bits of a key; true when one of them was 0.
    fn insert(pattern: &Self::Pattern, words: &mut Words, key: KeyHash) -> bool;

    /// Whether all bits of a key are 1.
    fn contains(pattern: &Self::Pattern, words: &Words, key: KeyHash) -> bool;

    /// The size for a target.
    fn sized(target: Target, options: &Options) -> Result<Self::Pattern, SizeError>;

    /// The size of a shape.
    fn shaped(shape: Shape) -> Result<Self::Pattern, SizeError>;

    /// The plan of a filter of this size that holds `items` keys.
    fn plan(pattern: &Self::Pattern, items: u64) -> Plan;

    /// How many bits are 1, and the false-positive rate that follows.
    fn fill(pattern: &Self::Pattern, bits: &Bits) -> (u64, f64);

    /// About how many bits the row takes in a file with this share of ones.
    fn bits_sent(bits: u64, fill: f64) -> u64 {
        let _ = fill;
        bits
    }

    /// Names the fields and the section of a file.
    fn describe<'a>(pattern: &Self::Pattern, bits: &'a Bits, sheet: &mut Sheet<'a>);

    /// The pattern and the words from the fields and the section of a file, and the section's name.
    fn restore(parts: &mut Parts) -> Result<(Self::Pattern, Words, &'static str), LoadError>;
}

impl<R: Rule> PlainFilter<R> {
    /// An empty filter for a target, with the fixed seed: the same keys give the same file on every
    /// machine.
    pub fn new(target: Target) -> Result<Self, SizeError> {
        Self::with_seed(target, Seed::FIXED)
    }

    /// An empty filter for a target, with a seed.
    pub fn with_seed(target: Target, seed: Seed) -> Result<Self, SizeError> {
        Self::with_options(target, &Options::default(), seed)
    }

    /// An empty filter for a target, with [options](Kind::options) of the kind.
    pub fn with_options(target: Target, options: &Options, seed: Seed) -> Result<Self, SizeError> {
        options.check(R::KIND)?;
        Ok(Self::zeroed(R::sized(target, options)?, seed, Some(target))?)
    }

    /// An empty filter of a given size. `blocked` and `split` have whole lines or blocks.
    pub fn with_shape(shape: Shape, seed: Seed) -> Result<Self, SizeError> {
        Ok(Self::zeroed(R::shaped(shape)?, seed, None)?)
    }

    pub(crate) fn zeroed(
        pattern: R::Pattern,
        seed: Seed,
        target: Option<Target>,
    ) -> Result<Self, OutOfMemory> {
        let bits = Bits::zeroed(pattern.units() * unit::<R>())?;
        Ok(PlainFilter { pattern, bits, about: About::new(seed, target) })
    }

    /// Inserts a key. Returns true if it is certainly new, as `HashSet` does.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](Seed::can_hash).
    #[inline]
    pub fn insert(&mut self, key: impl Key) -> bool {
        let hash = key.key_hash(&self.about.seed);
        self.insert_one(hash)
    }

    /// Whether the key may be in the set. False is certain.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](Seed::can_hash).
    #[inline]
    pub fn contains(&self, key: impl Key) -> bool {
        R::contains(&self.pattern, self.bits.storage(), key.key_hash(&self.about.seed))
    }

    /// Inserts keys in order. Returns how many of them are certainly new. While the cache lines of
    /// some keys are fetched, later keys are hashed.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](Seed::can_hash).
    pub fn insert_keys<K: Key>(&mut self, keys: &[K]) -> u64 {
        let seed = self.about.seed;
        self.insert_many(keys.len(), hashes(keys, &seed))
    }

    /// Inserts all keys of the other filter; see [`Merge`].
    pub fn merge(&mut self, other: &Self) -> Result<(), Mismatch> {
        Merge::merge(self, other)
    }

    /// The filter described in numbers. Reads all cells.
    pub fn profile(&self) -> Profile {
        Filter::profile(self)
    }

    /// Sets the recipe: what the keys are, and where they were in the input. The file stores it.
    /// This type takes keys as they are; only [`AnyFilter`](crate::AnyFilter) applies the rule.
    pub fn set_recipe(&mut self, recipe: Option<Recipe>) {
        self.about.recipe = recipe;
    }

    /// Saves the filter to a file, atomically.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        Save::new().file(self, path)
    }

    /// Writes the filter to a stream.
    pub fn write_to(&self, out: impl io::Write) -> Result<(), SaveError> {
        Save::new().writer(self, out)
    }

    /// Reads a filter from a file and verifies every byte. [`Open`] has more ways: from bytes,
    /// mapped, with a secret key.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        Open::new().file(path)
    }

    #[inline]
    fn insert_one(&mut self, key: KeyHash) -> bool {
        self.about.count_one();
        R::insert(&self.pattern, self.bits.storage_mut(), key)
    }

    fn insert_many(&mut self, count: usize, hashes: impl Hashes) -> u64 {
        self.about.count(count as u64);
        self.pattern.insert_hashes(self.bits.words_mut(), count, hashes)
    }

    /// Sets the bits of a key; how many of them were 0.
    #[inline]
    pub(crate) fn set(&mut self, key: KeyHash) -> u32 {
        self.pattern.set(self.bits.words_mut(), key)
    }

    /// Whether the other's keys were made and placed as ours, whatever its size.
    fn check_alike(&self, other: &Self) -> Result<(), Mismatch> {
        self.about.check_alike(&other.about)?;
        let (ours, theirs) = (self.pattern.probes(), other.pattern.probes());
        if ours != theirs {
            return Err(Mismatch::Probes { ours, theirs });
        }
        Ok(())
    }

    fn check_same(&self, other: &Self) -> Result<(), Mismatch> {
        self.check_alike(other)?;
        if self.bits.len() != other.bits.len() {
            return Err(self.different_bits(other));
        }
        Ok(())
    }

    fn different_bits(&self, other: &Self) -> Mismatch {
        Mismatch::Bits { ours: self.bits.len(), theirs: other.bits.len() }
    }
}

/// Bits of a unit: a bit, a line or a block.
const fn unit<R: Rule>() -> u64 {
    <R::Pattern as Scatter>::UNIT
}

impl<R: Rule> Filter for PlainFilter<R> {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        R::contains(&self.pattern, self.bits.storage(), key)
    }

    #[inline]
    fn prefetch_hash(&self, key: KeyHash) {
        let words = self.bits.words().as_ptr();
        self.pattern.each_line(key, |word| prefetch(words.wrapping_add(word)));
    }

    fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool]) {
        assert_eq!(keys.len(), found.len(), "an answer for each key");
        self.pattern.contains_hashes(self.bits.words(), found, keys.iter().copied());
    }

    fn contains_keys<K: Key>(&self, keys: &[K], found: &mut [bool]) {
        assert_eq!(keys.len(), found.len(), "an answer for each key");
        let seed = self.about.seed;
        self.pattern.contains_hashes(self.bits.words(), found, hashes(keys, &seed));
    }

    fn profile(&self) -> Profile {
        let (ones, fpr_now) = R::fill(&self.pattern, &self.bits);
        let bits = self.bits.len();
        let fill = ones as f64 / bits as f64;
        Profile {
            items: Some(self.pattern.estimate(ones)),
            fpr_now,
            fill,
            bits_sent: R::bits_sent(bits, fill),
            ..self.about.profile(R::KIND, bits, self.pattern.probes())
        }
    }
}

impl<R: Rule> Inspect for PlainFilter<R> {
    /// The bits, in units where a unit is more than one.
    fn rows(&self) -> Vec<view::Row<'_>> {
        let group = if unit::<R>() > 1 { unit::<R>() } else { 0 };
        vec![view::Row::new("bits", View::of(&self.bits)).grouped(group)]
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let mut touches = Vec::with_capacity(self.pattern.probes() as usize);
        self.pattern.each_mask(key, |word, mask| {
            touches.push(Touch::new(0, word as u64 * 64 + u64::from(mask.trailing_zeros())));
        });
        touches
    }
}

impl<R: Rule> Insert for PlainFilter<R> {
    #[inline]
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        Ok(self.insert_one(key))
    }

    fn insert_hashes(&mut self, keys: &[KeyHash]) -> Result<u64, Full> {
        Ok(self.insert_many(keys.len(), keys.iter().copied()))
    }

    fn bulk_insert_hashes(&mut self, keys: &[KeyHash], threads: Threads) -> Result<(), Full> {
        self.about.count(keys.len() as u64);
        if bulk::insert_sorted(&self.pattern, self.bits.words_mut(), keys, threads) {
            return Ok(());
        }
        let hashes = |range: Range<usize>| keys[range].iter().copied();
        bulk::insert(&self.pattern, self.bits.words_mut(), keys.len(), hashes, threads);
        Ok(())
    }

    fn bulk_insert_blocks(
        &mut self,
        count: usize,
        hashes: &HashBlock<'_>,
        threads: Threads,
    ) -> Result<(), Full> {
        self.about.count(count as u64);
        let hashes = |range: Range<usize>| Rolling::new(hashes, range);
        bulk::insert(&self.pattern, self.bits.words_mut(), count, hashes, threads);
        Ok(())
    }
}

impl<R: Rule, K: Key> Extend<K> for PlainFilter<R> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        const BLOCK: usize = 512;
        let seed = self.about.seed;
        let mut keys = keys.into_iter().map(|key| key.key_hash(&seed));
        let mut hashes = [KeyHash(0); BLOCK];
        loop {
            let mut count = 0;
            for (slot, hash) in hashes.iter_mut().zip(&mut keys) {
                *slot = hash;
                count += 1;
            }
            self.insert_many(count, hashes[..count].iter().copied());
            if count < BLOCK {
                break;
            }
        }
    }
}

impl<R: Rule> Planned for PlainFilter<R> {
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        Ok(R::plan(&R::sized(target, options)?, target.items()))
    }
}

impl<R: Rule> Shaped for PlainFilter<R> {
    fn plan_shape(shape: Shape, items: u64) -> Result<Plan, SizeError> {
        Ok(R::plan(&R::shaped(shape)?, items))
    }
}

impl<R: Rule> ForTarget for PlainFilter<R> {
    fn with_options(target: Target, options: &Options, seed: Seed) -> Result<Self, SizeError> {
        Ok(Self::zeroed(R::sized(target, options)?, seed, Some(target))?)
    }
}

impl<R: Rule> Merge for PlainFilter<R> {
    /// The larger is folded first.
    fn merge(&mut self, other: &Self) -> Result<(), Mismatch> {
        self.check_alike(other)?;
        let (ours, theirs) = (self.pattern.units(), other.pattern.units());
        let folded = |filter: &Self, ratio| {
            filter.fold(ratio).map_err(|error| match error {
                FoldError::OutOfMemory(error) => Mismatch::OutOfMemory(error),
                FoldError::Ratio { .. } => self.different_bits(other),
            })
        };
        if ours < theirs && theirs.is_multiple_of(ours) {
            return Merge::merge(self, &folded(other, theirs / ours)?);
        }
        if theirs < ours && ours.is_multiple_of(theirs) {
            *self = folded(self, ours / theirs)?;
        }
        self.check_same(other)?;
        self.bits.storage_mut().try_own()?;
        self.bits.union(&other.bits);
        self.about.take_in(&other.about);
        Ok(())
    }
}

impl<R: Rule> Stored for PlainFilter<R> {
    const KIND: Kind = R::KIND;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        R::describe(&self.pattern, &self.bits, sheet);
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Self, LoadError> {
        let (pattern, words, name) = R::restore(parts)?;
        let bits = Bits::from_words(words, pattern.units() * unit::<R>())
            .ok_or(LoadError::Section { name })?;
        Ok(PlainFilter { pattern, bits, about })
    }
}

/// What only filters of plain bits can do. The trait is for code that is generic over them.
///
/// It is implemented by [`PlainFilter`], and by nothing else.
pub trait PlainBits: Filter + Insert + Clone + Send + Sync + plumbing::Plain {
    /// The estimated number of distinct items, with its error.
    fn estimate_items(&self) -> Estimate;

    /// The estimated number of distinct items in either filter.
    fn estimate_union(&self, other: &Self) -> Result<Estimate, Mismatch>;

    /// The estimated number of distinct items in both filters.
    fn estimate_intersection(&self, other: &Self) -> Result<f64, Mismatch> {
        let union = self.estimate_union(other)?;
        Ok(estimate::intersection(self.estimate_items(), other.estimate_items(), union))
    }

    /// Keeps the bits that both filters have.
    ///
    /// The result contains every key that is in both sets. It has more false positives than a filter
    /// built from the intersection, because different keys of the two sets can set the same bit, but
    /// never more than either filter. The filters must have the same size.
    ///
    /// Where entries [stand for what is below them](crate::recipe::Reach), an entry of one filter may
    /// be below an entry of the other, and the result would lose it. So such filters are refused,
    /// unless all entries of both are domains of the same number of labels.
    fn intersect(&mut self, other: &Self) -> Result<(), Mismatch>;

    /// Removes every key.
    fn clear(&mut self);

    /// The same filter in one `ratio`-th of the bits: bit for bit what inserting the same keys
    /// into a filter of that size would give. `ratio` must divide the number of bits (`classic`,
    /// `compressed`), lines (`blocked`) or blocks (`split`).
    fn fold(&self, ratio: u64) -> Result<Self, FoldError>;

    /// Inserts many keys on several threads. The result is bit for bit that of single inserts.
    /// Beyond the caches this is the fastest way; on one thread `blocked` gains nothing. With several threads or a
    /// large filter it allocates as much memory as the filter has, 32 MiB at most, until it
    /// returns; if that fails, it inserts on one thread. For hashes there is
    /// [`Insert::bulk_insert_hashes`].
    ///
    /// ```
    /// use anther::{Blocked, PlainBits, Target, Threads};
    ///
    /// let keys: Vec<u64> = (0..100_000).collect();
    /// let mut seen = Blocked::new(Target::new(100_000, 0.01)?)?;
    /// seen.bulk_insert_keys(&keys, Threads::all());
    /// assert!(keys.iter().all(|key| seen.contains(key)));
    /// # Ok::<(), anther::SizeError>(())
    /// ```
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](Seed::can_hash).
    fn bulk_insert_keys<K: Key + Sync>(&mut self, keys: &[K], threads: Threads);

    /// The row of bits itself, to look at.
    fn bits(&self) -> &Bits;
}

impl<R: Rule> PlainBits for PlainFilter<R> {
    fn estimate_items(&self) -> Estimate {
        self.pattern.estimate(self.bits.ones())
    }

    fn estimate_union(&self, other: &Self) -> Result<Estimate, Mismatch> {
        self.check_same(other)?;
        Ok(self.pattern.estimate(self.bits.ones_in_either(&other.bits)))
    }

    fn intersect(&mut self, other: &Self) -> Result<(), Mismatch> {
        self.check_same(other)?;
        self.about.check_no_entry_is_below(&other.about)?;
        self.bits.storage_mut().try_own()?;
        self.bits.intersect(&other.bits);
        self.about.inserted = self.about.inserted.min(other.about.inserted);
        Ok(())
    }

    fn clear(&mut self) {
        self.bits.clear();
        self.about.inserted = 0;
    }

    fn fold(&self, ratio: u64) -> Result<Self, FoldError> {
        let units = self.pattern.units();
        if ratio == 0 || !units.is_multiple_of(ratio) {
            return Err(FoldError::Ratio { ratio, units });
        }
        let target = self.about.target.map(|target| target.folded(ratio));
        Ok(PlainFilter {
            pattern: self.pattern.over(units / ratio),
            bits: self.bits.fold(ratio, unit::<R>())?,
            about: About { target, ..self.about.clone() },
        })
    }

    fn bulk_insert_keys<K: Key + Sync>(&mut self, keys: &[K], threads: Threads) {
        let seed = self.about.seed;
        self.about.count(keys.len() as u64);
        let hashes = |range: Range<usize>| hashes(&keys[range], &seed);
        bulk::insert(&self.pattern, self.bits.words_mut(), keys.len(), hashes, threads);
    }

    fn bits(&self) -> &Bits {
        &self.bits
    }
}

/// How [`Shared`](crate::Shared) reaches into a filter of any rule. Outside the crate the module
/// cannot be named, so nobody else implements [`PlainBits`].
pub(crate) mod plumbing {
    use super::{PlainFilter, Rule};

    #[expect(unnameable_types, reason = "sealed")]
    pub trait Sealed {}

    #[expect(unnameable_types, reason = "sealed")]
    pub trait Plain: Sized {
        type Rule: Rule;
        fn plain(&self) -> &PlainFilter<Self::Rule>;
        fn plain_mut(&mut self) -> &mut PlainFilter<Self::Rule>;
    }

    impl<R: Rule> Plain for PlainFilter<R> {
        type Rule = R;

        #[inline]
        fn plain(&self) -> &PlainFilter<R> {
            self
        }

        #[inline]
        fn plain_mut(&mut self) -> &mut PlainFilter<R> {
            self
        }
    }
}

#[cfg(test)]
mod tests;
