//! Where the bits of a key are, in a row of bits: over all of them, or within one unit.

use crate::batch::bulk::Scatter;
use crate::batch::{Hashes, spread};
use crate::parts::bits::place;
use crate::parts::hash::KeyHash;
use crate::parts::probes::{Lanes, Line, Spread, UnitMasks, index};
use crate::parts::sync::AtomicU64;
use crate::simd;
use crate::sizing::estimate::{self, Estimate};
use std::fmt::Debug;
use std::sync::atomic::Ordering;

/// Where the bits of a key are.
#[expect(unnameable_types, reason = "sealed")]
pub trait Pattern: Scatter + Debug + PartialEq {
    /// How many units there are: bits, lines or blocks.
    fn units(&self) -> u64;
    /// Probes per key.
    fn probes(&self) -> u32;
    /// The same pattern over another number of units.
    fn over(&self, units: u64) -> Self;
    /// The number of items, estimated from the number of ones.
    fn estimate(&self, ones: u64) -> Estimate;
    /// Visits the words of a key and the bits that it has there.
    fn each_mask(&self, key: KeyHash, visit: impl FnMut(usize, u64));
    /// Whether all bits of a key are 1, in words that others may change.
    fn contains_atomic(&self, words: &[AtomicU64], key: KeyHash) -> bool;
    /// Sets the bits of a key in words that others may change; true when one of them was 0. A key
    /// that is there already is only read: a store takes the line away from all other cores.
    fn insert_atomic(&self, words: &[AtomicU64], key: KeyHash) -> bool;
    /// Visits the words that a key's bits begin in, one for each line of memory.
    fn each_line(&self, key: KeyHash, visit: impl FnMut(usize));
    /// Sets the bits of a key; how many of them were 0.
    fn set(&self, words: &mut [u64], key: KeyHash) -> u32;
    /// Whether all bits are 1, for each key.
    fn contains_hashes(&self, words: &[u64], found: &mut [bool], hashes: impl Hashes);
}

impl Scatter for Spread {
    const UNIT: u64 = 1;

    fn jobs_per_key(&self) -> usize {
        self.probes() as usize
    }

    #[inline]
    fn each_job(&self, key: KeyHash, mut give: impl FnMut(u64, u64)) {
        self.each(key, |cell| give(cell, cell));
    }

    fn do_jobs(&self, words: &mut [u64], first: u64, jobs: &[u64]) {
        for cell in jobs {
            let (word, mask) = place(cell - first);
            words[word] |= mask;
        }
    }

    fn insert_hashes(&self, words: &mut [u64], count: usize, hashes: impl Hashes) -> u64 {
        spread::insert_hashes(*self, words, count, hashes)
    }
}

impl Pattern for Spread {
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
    fn contains_atomic(&self, words: &[AtomicU64], key: KeyHash) -> bool {
        let bit = |cell| words[place(cell).0].load(Ordering::Relaxed) >> (cell % 64);
        spread::contains(self, words.len(), key, bit)
    }

    #[inline]
    fn insert_atomic(&self, words: &[AtomicU64], key: KeyHash) -> bool {
        let mut new = false;
        self.each_mask(key, |word, mask| {
            // The old value is not taken from the OR itself, which would compile to a
            // compare-and-swap loop.
            if words[word].load(Ordering::Relaxed) & mask == 0 {
                words[word].fetch_or(mask, Ordering::Relaxed);
                new = true;
            }
        });
        new
    }

    #[inline]
    fn each_line(&self, key: KeyHash, mut visit: impl FnMut(usize)) {
        self.each(key, |cell| visit(place(cell).0));
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

    fn contains_hashes(&self, words: &[u64], found: &mut [bool], hashes: impl Hashes) {
        spread::contains_hashes(*self, words, found, hashes);
    }
}

/// A pattern within one unit of several words: the key's unit, then its places there.
#[expect(unnameable_types, reason = "sealed")]
pub trait WithinUnit: Copy + Send + Sync + Debug + PartialEq {
    /// Bits of a unit: at most 512.
    const BITS: u64;
    /// How many units there are.
    fn units(&self) -> u64;
    /// Probes per key.
    fn probes(&self) -> u32;
    /// The same pattern over another number of units.
    fn over(&self, units: u64) -> Self;
    /// The number of items, estimated from the number of ones.
    fn estimate(&self, ones: u64) -> Estimate;
    /// The key's unit.
    fn unit(&self, key: KeyHash) -> u64;
    /// Visits the key's places in its unit.
    fn each(&self, key: KeyHash, visit: impl FnMut(u32));
    /// The bits of the key in its unit, word by word.
    fn masks(&self, key: KeyHash) -> UnitMasks;
    /// Sets the bits of a key; how many of them were 0.
    fn set(&self, words: &mut [u64], key: KeyHash) -> u32;
    /// Whether all bits are 1, for each key.
    fn contains_hashes(&self, words: &[u64], found: &mut [bool], hashes: impl Hashes);
    /// Inserts keys into words that begin with this unit. Returns how many had a bit that was 0.
    fn insert_from(&self, words: &mut [u64], first: u64, count: usize, hashes: impl Hashes) -> u64;
}

/// The words of a key's unit.
#[inline]
fn unit_of<'a, U: WithinUnit>(
    pattern: &U,
    words: &'a [AtomicU64],
    key: KeyHash,
) -> &'a [AtomicU64] {
    let (first, _) = place(pattern.unit(key) * U::BITS);
    &words[first..first + place(U::BITS).0]
}

impl<U: WithinUnit> Scatter for U {
    const UNIT: u64 = U::BITS;

    fn jobs_per_key(&self) -> usize {
        1
    }

    #[inline]
    fn each_job(&self, key: KeyHash, mut give: impl FnMut(u64, u64)) {
        give(self.unit(key), key.0);
    }

    fn do_jobs(&self, words: &mut [u64], first: u64, jobs: &[u64]) {
        let keys = jobs.iter().map(|job| KeyHash(*job));
        self.insert_from(words, first, jobs.len(), keys);
    }

    fn insert_hashes(&self, words: &mut [u64], count: usize, hashes: impl Hashes) -> u64 {
        self.insert_from(words, 0, count, hashes)
    }
}

impl<U: WithinUnit> Pattern for U {
    fn units(&self) -> u64 {
        self.units()
    }

    fn probes(&self) -> u32 {
        self.probes()
    }

    fn over(&self, units: u64) -> U {
        self.over(units)
    }

    fn estimate(&self, ones: u64) -> Estimate {
        self.estimate(ones)
    }

    #[inline]
    fn each_mask(&self, key: KeyHash, mut visit: impl FnMut(usize, u64)) {
        let (first, _) = place(self.unit(key) * U::BITS);
        self.each(key, |bit| visit(first + bit as usize / 64, 1 << (bit % 64)));
    }

    /// Without a branch that a key decides, as for words that nobody else changes.
    #[inline]
    fn contains_atomic(&self, words: &[AtomicU64], key: KeyHash) -> bool {
        let words = unit_of(self, words, key);
        let mut all = 1;
        self.each(key, |bit| {
            all &= words[bit as usize / 64].load(Ordering::Relaxed) >> (bit % 64);
        });
        all & 1 == 1
    }

    /// Each word of the unit is changed once, with all its bits: an atomic OR takes as long as all
    /// that comes before it. Whether a word has its bits already is not asked, since that is as
    /// unpredictable as an OR is expensive.
    #[inline]
    fn insert_atomic(&self, words: &[AtomicU64], key: KeyHash) -> bool {
        if self.contains_atomic(words, key) {
            return false;
        }
        let words = unit_of(self, words, key);
        let UnitMasks { masks, mut used } = self.masks(key);
        while used != 0 {
            let word = used.trailing_zeros() as usize;
            words[word].fetch_or(masks[word], Ordering::Relaxed);
            used &= used - 1;
        }
        true
    }

    #[inline]
    fn each_line(&self, key: KeyHash, mut visit: impl FnMut(usize)) {
        visit(place(self.unit(key) * U::BITS).0);
    }

    #[inline]
    fn set(&self, words: &mut [u64], key: KeyHash) -> u32 {
        WithinUnit::set(self, words, key)
    }

    fn contains_hashes(&self, words: &[u64], found: &mut [bool], hashes: impl Hashes) {
        WithinUnit::contains_hashes(self, words, found, hashes);
    }
}

impl WithinUnit for Line {
    const BITS: u64 = Line::BITS;

    fn units(&self) -> u64 {
        self.lines()
    }

    fn probes(&self) -> u32 {
        self.probes()
    }

    fn over(&self, lines: u64) -> Line {
        Line::new(lines, self.probes())
    }

    fn estimate(&self, ones: u64) -> Estimate {
        estimate::line(self.lines(), self.probes(), ones)
    }

    #[inline]
    fn unit(&self, key: KeyHash) -> u64 {
        self.line(key)
    }

    #[inline]
    fn each(&self, key: KeyHash, visit: impl FnMut(u32)) {
        self.each(key, visit);
    }

    #[inline]
    fn masks(&self, key: KeyHash) -> UnitMasks {
        simd::line_masks(self.probes(), key)
    }

    #[inline]
    fn set(&self, words: &mut [u64], key: KeyHash) -> u32 {
        Line::insert(self.probes(), &mut words.as_chunks_mut().0[index(self.line(key))], key)
    }

    fn contains_hashes(&self, words: &[u64], found: &mut [bool], hashes: impl Hashes) {
        simd::line_contains_hashes(*self, words, found, hashes);
    }

    fn insert_from(&self, words: &mut [u64], first: u64, count: usize, hashes: impl Hashes) -> u64 {
        simd::line_insert_hashes(*self, words, first, count, hashes)
    }
}

impl WithinUnit for Lanes {
    const BITS: u64 = Lanes::BITS;

    fn units(&self) -> u64 {
        self.blocks()
    }

    fn probes(&self) -> u32 {
        self.probes()
    }

    fn over(&self, blocks: u64) -> Lanes {
        Lanes::new(blocks)
    }

    fn estimate(&self, ones: u64) -> Estimate {
        estimate::lanes(self.blocks(), ones)
    }

    #[inline]
    fn unit(&self, key: KeyHash) -> u64 {
        self.block(key)
    }

    #[inline]
    fn each(&self, key: KeyHash, visit: impl FnMut(u32)) {
        self.each(key, visit);
    }

    #[inline]
    fn masks(&self, key: KeyHash) -> UnitMasks {
        let mut masks = UnitMasks::NONE;
        self.each(key, |position| masks.set(position));
        masks
    }

    #[inline]
    fn set(&self, words: &mut [u64], key: KeyHash) -> u32 {
        Lanes::insert(&mut words.as_chunks_mut().0[index(self.block(key))], key)
    }

    fn contains_hashes(&self, words: &[u64], found: &mut [bool], hashes: impl Hashes) {
        simd::lanes_contain_hashes(*self, words, found, hashes);
    }

    fn insert_from(&self, words: &mut [u64], first: u64, count: usize, hashes: impl Hashes) -> u64 {
        simd::lanes_insert_hashes(*self, words, first, count, hashes)
    }
}
