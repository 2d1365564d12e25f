//! What the kinds of plain bits share: a row of bits, and the algebra of such rows.
//!
//! `classic`, `blocked`, `split` and `compressed` differ in where a key's bits are (`Pattern`), in
//! how they are sized and in how the rate follows from the fill. What follows from being a row of bits,
//! setting and asking, the union by OR, folding, estimating, is here, once.

use super::bulk;
use crate::batch::{Hashes, spread};
use crate::error::{FoldError, Mismatch, OutOfMemory};
use crate::kind::Kind;
use crate::parts::bits::{Bits, place};
use crate::parts::hash::{Key, KeyHash, Seed};
use crate::parts::probes::{Lanes, Line, Spread, index};
use crate::parts::view::{self, Touch, View};
use crate::parts::words::{Words, prefetch};
use crate::profile::{About, Profile};
use crate::simd;
use crate::sizing::estimate::{self, Estimate};
use crate::target::Target;
use crate::traits::Filter;
use plumbing::{Pattern, Row};
use std::num::NonZero;

/// A filter whose whole state is a row of bits.
///
/// The trait is implemented by [`Classic`](crate::Classic), [`Blocked`](crate::Blocked),
/// [`Split`](crate::Split) and [`Compressed`](crate::Compressed), and by nothing else.
pub trait PlainBits: Filter + Clone + Send + Sync + plumbing::Plain {
    /// How many distinct items went in, from the fill, with its error.
    fn estimate_items(&self) -> Estimate {
        let row = self.row();
        row.probes.estimate(row.bits.ones())
    }

    /// How many distinct items went into this filter or the other.
    fn estimate_union(&self, other: &Self) -> Result<Estimate, Mismatch> {
        let (ours, theirs) = (self.row(), other.row());
        ours.check_same(theirs)?;
        Ok(ours.probes.estimate(ours.bits.ones_in_either(&theirs.bits)))
    }

    /// How many distinct items went into both filters.
    fn estimate_intersection(&self, other: &Self) -> Result<f64, Mismatch> {
        let union = self.estimate_union(other)?;
        Ok(estimate::intersection(self.estimate_items(), other.estimate_items(), union))
    }

    /// Keeps the bits that both filters have.
    ///
    /// The result says yes to every key that is in both sets. It is not the filter that building
    /// from the intersection would give: bits remain that one set's keys left here and the other
    /// set's there, so its rate is higher, though never higher than either filter's own. The
    /// filters must be of one size.
    fn intersect(&mut self, other: &Self) -> Result<(), Mismatch> {
        let (ours, theirs) = (self.row_mut(), other.row());
        ours.check_same(theirs)?;
        ours.bits.storage_mut().try_own()?;
        ours.bits.intersect(&theirs.bits);
        ours.about.inserted = ours.about.inserted.min(theirs.about.inserted);
        Ok(())
    }

    /// Takes every key out.
    fn clear(&mut self) {
        let row = self.row_mut();
        row.bits.clear();
        row.about.inserted = 0;
    }

    /// The same filter in one `ratio`-th of the bits: bit for bit what inserting the same keys
    /// into a filter of that size would give. The size must be a multiple of `ratio`.
    fn fold(&self, ratio: u64) -> Result<Self, FoldError> {
        self.row().fold(ratio).map(Self::from_row)
    }

    /// Puts many keys in, on so many threads: bit for bit what inserting one after the other
    /// gives. Beyond the caches it is the fastest way, on one thread, too. Where it uses several
    /// threads, or the filter is large, it takes about as much memory again as the filter has, or
    /// some megabytes if that is less, and gives it back at the end; without, it goes on alone.
    ///
    /// ```
    /// use anther::{Blocked, PlainBits, Target};
    /// use std::num::NonZero;
    ///
    /// let keys: Vec<u64> = (0..100_000).collect();
    /// let mut seen = Blocked::new(Target::new(100_000, 0.01)?)?;
    /// seen.insert_keys(&keys, NonZero::new(2).unwrap());
    /// assert!(seen.contains_each(&keys).iter().all(|found| *found));
    /// # Ok::<(), anther::SizeError>(())
    /// ```
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    fn insert_keys<K: Key + Sync>(&mut self, keys: &[K], threads: NonZero<usize>) {
        bulk::insert(self.row_mut(), keys, threads);
    }

    /// The row of bits itself, for whoever wants to look.
    fn bits(&self) -> &Bits {
        &self.row().bits
    }
}

/// What a kind of plain bits gives to the shared code. Outside the crate the module cannot be
/// named, so nobody else implements it.
pub(crate) mod plumbing {
    use super::*;

    /// A filter that wraps a [`Row`].
    #[expect(unnameable_types, reason = "sealed")]
    pub trait Plain: Sized {
        type Probes: Pattern;
        fn row(&self) -> &Row<Self::Probes>;
        fn row_mut(&mut self) -> &mut Row<Self::Probes>;
        fn from_row(row: Row<Self::Probes>) -> Self;
    }

    /// Where the bits of a key are.
    #[expect(unnameable_types, reason = "sealed")]
    pub trait Pattern: Copy + Send + Sync {
        /// Bits of a unit: a bit, a line or a block.
        const UNIT: u64;
        fn units(&self) -> u64;
        fn probes(&self) -> u32;
        /// The same pattern over another number of units.
        fn over(&self, units: u64) -> Self;
        /// How many items made so many ones.
        fn estimate(&self, ones: u64) -> Estimate;
        /// Visits the words of a key and the bits that it has there.
        fn each_mask(&self, key: KeyHash, visit: impl FnMut(usize, u64));
        /// The same, but each word once, with all its bits, where words can meet: within a unit.
        fn each_word(&self, key: KeyHash, visit: impl FnMut(usize, u64));
        /// Whether the test holds for every word of a key and its bits there.
        fn all_masks(&self, key: KeyHash, test: impl FnMut(usize, u64) -> bool) -> bool;
        /// Whether all bits of a key are 1.
        fn has(&self, words: &Words, key: KeyHash) -> bool;
        /// Sets the bits of a key; how many of them were 0.
        fn set(&self, words: &mut [u64], key: KeyHash) -> u32;
        /// Sets the bits of a key; whether one of them was 0.
        fn put(&self, words: &mut Words, key: KeyHash) -> bool;
        /// Whether all bits are 1, for each of so many keys.
        fn has_each(&self, words: &[u64], found: &mut [bool], hashes: impl Hashes);
        /// What is to be done for a key: in which unit, and a number that says what.
        fn each_job(&self, key: KeyHash, give: impl FnMut(u64, u64));
        /// Does it, in a part of the words that begins with this unit.
        fn work_off(&self, words: &mut [u64], first: u64, jobs: &[u64]);
        /// Visits the words that a key's bits begin in, one for each line of memory.
        fn each_line(&self, key: KeyHash, visit: impl FnMut(usize));
        /// Sets the bits of so many keys; how many of these had a bit that was 0.
        fn set_each(&self, words: &mut [u64], count: usize, hashes: impl Hashes) -> u64;
    }

    /// The state of a filter of plain bits.
    #[derive(Clone, Debug, PartialEq)]
    #[expect(unnameable_types, reason = "sealed")]
    pub struct Row<P> {
        pub(crate) probes: P,
        pub(crate) bits: Bits,
        pub(crate) about: About,
    }
}

impl<P: Pattern> Row<P> {
    pub(crate) fn zeroed(
        probes: P,
        seed: Seed,
        target: Option<Target>,
    ) -> Result<Row<P>, OutOfMemory> {
        let bits = Bits::zeroed(probes.units() * P::UNIT)?;
        Ok(Row { probes, bits, about: About::new(seed, target) })
    }

    /// `None` when the words are not those of such a row.
    pub(crate) fn from_words(probes: P, words: Words, about: About) -> Option<Row<P>> {
        let bits = Bits::from_words(words, probes.units() * P::UNIT)?;
        Some(Row { probes, bits, about })
    }

    /// Sets the bits of a key, and counts the call; whether one of the bits was 0.
    #[inline]
    pub(crate) fn put(&mut self, key: KeyHash) -> bool {
        self.about.count(1);
        self.probes.put(self.bits.storage_mut(), key)
    }

    /// Sets the bits of a key; how many of them were 0.
    #[inline]
    pub(crate) fn set(&mut self, key: KeyHash) -> u32 {
        self.probes.set(self.bits.words_mut(), key)
    }

    /// Puts so many keys in; how many surely were not in before.
    pub(crate) fn put_each(&mut self, count: usize, hashes: impl Hashes) -> u64 {
        self.about.count(count as u64);
        self.probes.set_each(self.bits.words_mut(), count, hashes)
    }

    /// Whether all bits of a key are 1.
    #[inline]
    pub(crate) fn has(&self, key: KeyHash) -> bool {
        self.probes.has(self.bits.storage(), key)
    }

    /// Asks for the lines of a key.
    #[inline]
    pub(crate) fn prefetch(&self, key: KeyHash) {
        let words = self.bits.words().as_ptr();
        self.probes.each_line(key, |word| prefetch(words.wrapping_add(word)));
    }

    /// The same for each of many keys.
    pub(crate) fn has_each(&self, found: &mut [bool], hashes: impl Hashes) {
        self.probes.has_each(self.bits.words(), found, hashes);
    }

    /// The bits, in units where a unit is more than one.
    pub(crate) fn rows(&self) -> Vec<view::Row<'_>> {
        let group = if P::UNIT > 1 { P::UNIT } else { 0 };
        vec![view::Row::new("bits", View::of(&self.bits)).grouped(group)]
    }

    pub(crate) fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let mut touches = Vec::with_capacity(self.probes.probes() as usize);
        self.probes.each_mask(key, |word, mask| {
            touches.push(Touch::new(0, word as u64 * 64 + u64::from(mask.trailing_zeros())));
        });
        touches
    }

    pub(crate) fn profile(&self, kind: Kind, ones: u64, fpr_now: f64) -> Profile {
        let bits = self.bits.len();
        Profile {
            items: Some(self.probes.estimate(ones)),
            fpr_now,
            fill: ones as f64 / bits as f64,
            ..self.about.profile(kind, bits, self.probes.probes())
        }
    }

    fn fold(&self, ratio: u64) -> Result<Row<P>, FoldError> {
        let units = self.probes.units();
        if ratio == 0 || !units.is_multiple_of(ratio) {
            return Err(FoldError::Ratio { ratio, units });
        }
        let target = self.about.target.map(|target| target.folded(ratio));
        Ok(Row {
            probes: self.probes.over(units / ratio),
            bits: self.bits.fold(ratio, P::UNIT)?,
            about: About { target, ..self.about.clone() },
        })
    }

    /// Takes all keys of the other in; the larger is folded first.
    pub(crate) fn merge(&mut self, other: &Row<P>) -> Result<(), Mismatch> {
        self.check_alike(other)?;
        let (ours, theirs) = (self.probes.units(), other.probes.units());
        let folded = |row: &Row<P>, ratio| {
            row.fold(ratio).map_err(|error| match error {
                FoldError::OutOfMemory(error) => Mismatch::OutOfMemory(error),
                FoldError::Ratio { .. } => self.different_bits(other),
            })
        };
        if ours < theirs && theirs.is_multiple_of(ours) {
            return self.merge(&folded(other, theirs / ours)?);
        }
        if theirs < ours && ours.is_multiple_of(theirs) {
            *self = folded(self, ours / theirs)?;
        }
        self.check_same(other)?;
        self.bits.storage_mut().try_own()?;
        self.bits.union(&other.bits);
        self.about.count(other.about.inserted);
        Ok(())
    }

    /// Whether the other's keys were made and placed as ours, whatever its size.
    fn check_alike(&self, other: &Row<P>) -> Result<(), Mismatch> {
        self.about.check_alike(&other.about)?;
        let (ours, theirs) = (self.probes.probes(), other.probes.probes());
        if ours != theirs {
            return Err(Mismatch::Probes { ours, theirs });
        }
        Ok(())
    }

    fn check_same(&self, other: &Row<P>) -> Result<(), Mismatch> {
        self.check_alike(other)?;
        if self.bits.len() != other.bits.len() {
            return Err(self.different_bits(other));
        }
        Ok(())
    }

    fn different_bits(&self, other: &Row<P>) -> Mismatch {
        Mismatch::Bits { ours: self.bits.len(), theirs: other.bits.len() }
    }
}

impl Pattern for Spread {
    const UNIT: u64 = 1;

    fn units(&self) -> u64 {
        self.cells()
    }

    fn probes(&self) -> u32 {
        self.probes()
    }

    fn over(&self, cells: u64) -> Spread {
        Spread::new(cells, self.probes())
    }

    fn estimate(&self, ones: u64) -> Estimate {
        estimate::classic(self.cells(), self.probes(), ones)
    }

    #[inline]
    fn each_mask(&self, key: KeyHash, mut visit: impl FnMut(usize, u64)) {
        self.each(key, |cell| {
            let (word, mask) = place(cell);
            visit(word, mask);
        });
    }

    #[inline]
    fn each_word(&self, key: KeyHash, visit: impl FnMut(usize, u64)) {
        self.each_mask(key, visit);
    }

    #[inline]
    fn all_masks(&self, key: KeyHash, mut test: impl FnMut(usize, u64) -> bool) -> bool {
        self.all(key, |cell| {
            let (word, mask) = place(cell);
            test(word, mask)
        })
    }

    #[inline]
    fn has(&self, words: &Words, key: KeyHash) -> bool {
        let words = words.as_slice();
        self.all_masks(key, |word, mask| words[word] & mask != 0)
    }

    #[inline]
    fn set(&self, words: &mut [u64], key: KeyHash) -> u32 {
        let mut new = 0;
        self.each_mask(key, |word, mask| {
            new += u32::from(words[word] & mask == 0);
            words[word] |= mask;
        });
        new
    }

    #[inline]
    fn put(&self, words: &mut Words, key: KeyHash) -> bool {
        self.set(words.to_mut(), key) > 0
    }

    fn has_each(&self, words: &[u64], found: &mut [bool], hashes: impl Hashes) {
        spread::contains_hashes(*self, words, found, hashes);
    }

    #[inline]
    fn each_job(&self, key: KeyHash, mut give: impl FnMut(u64, u64)) {
        self.each(key, |cell| give(cell, cell));
    }

    fn work_off(&self, words: &mut [u64], first: u64, jobs: &[u64]) {
        for cell in jobs {
            let (word, mask) = place(cell - first);
            words[word] |= mask;
        }
    }

    #[inline]
    fn each_line(&self, key: KeyHash, mut visit: impl FnMut(usize)) {
        self.each(key, |cell| visit(place(cell).0));
    }

    fn set_each(&self, words: &mut [u64], count: usize, hashes: impl Hashes) -> u64 {
        spread::insert_hashes(*self, words, count, hashes)
    }
}

/// For patterns within a unit of several words: the key's unit, then its places there.
macro_rules! pattern_within {
    ($probes:ident, $unit:ident, $units:ident,
     one: $has:path, $put:path, many: $has_each:path, $set_each:path, over: $over:expr, estimate: $estimate:expr) => {
        impl Pattern for $probes {
            const UNIT: u64 = $probes::BITS;

            fn units(&self) -> u64 {
                self.$units()
            }

            fn probes(&self) -> u32 {
                self.probes()
            }

            fn over(&self, units: u64) -> $probes {
                $over(self, units)
            }

            fn estimate(&self, ones: u64) -> Estimate {
                $estimate(self, ones)
            }

            #[inline]
            fn each_mask(&self, key: KeyHash, mut visit: impl FnMut(usize, u64)) {
                let (first, _) = place(self.$unit(key) * $probes::BITS);
                self.each(key, |bit| visit(first + bit as usize / 64, 1 << (bit % 64)));
            }

            #[inline]
            fn each_word(&self, key: KeyHash, mut visit: impl FnMut(usize, u64)) {
                let (first, _) = place(self.$unit(key) * $probes::BITS);
                let (mut masks, mut words) = ([0; $probes::WORDS], 0u32);
                self.each(key, |bit| {
                    masks[bit as usize / 64] |= 1 << (bit % 64);
                    words |= 1 << (bit / 64);
                });
                while words != 0 {
                    let word = words.trailing_zeros() as usize;
                    visit(first + word, masks[word]);
                    words &= words - 1;
                }
            }

            #[inline]
            fn all_masks(&self, key: KeyHash, mut test: impl FnMut(usize, u64) -> bool) -> bool {
                let (first, _) = place(self.$unit(key) * $probes::BITS);
                self.all(key, |bit| test(first + bit as usize / 64, 1 << (bit % 64)))
            }

            #[inline]
            fn has(&self, words: &Words, key: KeyHash) -> bool {
                $has(self, words, key)
            }

            #[inline]
            fn set(&self, words: &mut [u64], key: KeyHash) -> u32 {
                self.mark(&mut words.as_chunks_mut().0[index(self.$unit(key))], key)
            }

            #[inline]
            fn put(&self, words: &mut Words, key: KeyHash) -> bool {
                $put(self, words, key)
            }

            fn has_each(&self, words: &[u64], found: &mut [bool], hashes: impl Hashes) {
                $has_each(*self, words, found, hashes);
            }

            #[inline]
            fn each_job(&self, key: KeyHash, mut give: impl FnMut(u64, u64)) {
                give(self.$unit(key), key.0);
            }

            fn work_off(&self, words: &mut [u64], first: u64, jobs: &[u64]) {
                let keys = jobs.iter().map(|job| KeyHash(*job));
                $set_each(*self, words, first, jobs.len(), keys);
            }

            #[inline]
            fn each_line(&self, key: KeyHash, mut visit: impl FnMut(usize)) {
                visit(place(self.$unit(key) * $probes::BITS).0);
            }

            fn set_each(&self, words: &mut [u64], count: usize, hashes: impl Hashes) -> u64 {
                $set_each(*self, words, 0, count, hashes)
            }
        }
    };
}

pattern_within!(Line, line, lines,
    one: simd::line_has_one, simd::line_put_one, many: simd::line_has, simd::line_put,
    over: |line: &Line, lines| Line::new(lines, line.probes()),
    estimate: |line: &Line, ones| estimate::line(line.lines(), line.probes(), ones));
pattern_within!(Lanes, block, blocks,
    one: simd::lanes_have_one, simd::lanes_put_one, many: simd::lanes_have, simd::lanes_put,
    over: |_, blocks| Lanes::new(blocks),
    estimate: |lanes: &Lanes, ones| estimate::lanes(lanes.blocks(), ones));

/// Questions of a kind that is a [`Row`], about keys to come and about many.
macro_rules! asks_many {
    () => {
        #[inline]
        fn prefetch_hash(&self, key: KeyHash) {
            self.row.prefetch(key);
        }

        $crate::filter::asks_each!(|filter, keys, found| filter.row.has_each(found, keys));
    };
}
pub(crate) use asks_many;

/// What follows for a kind from being nothing but a [`Row`] with a pattern.
macro_rules! wraps_a_row {
    ($kind:ident, $probes:ident) => {
        impl $kind {
            #[inline]
            fn put(&mut self, key: KeyHash) -> bool {
                self.row.put(key)
            }
        }

        impl $crate::Merge for $kind {
            fn merge(&mut self, other: &$kind) -> Result<(), $crate::Mismatch> {
                self.row.merge(&other.row)
            }
        }

        impl $crate::PlainBits for $kind {}

        impl $crate::filter::plain::plumbing::Plain for $kind {
            type Probes = $probes;

            fn row(&self) -> &Row<$probes> {
                &self.row
            }

            fn row_mut(&mut self) -> &mut Row<$probes> {
                &mut self.row
            }

            fn from_row(row: Row<$probes>) -> $kind {
                $kind { row }
            }
        }
    };
}
pub(crate) use wraps_a_row;
