//! A row of bits.

use super::memory::OutOfMemory;
use super::words::{Words, prefetch};
use std::ops::Range;

/// Bits on [`Words`]; those of the last word beyond the length are always 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    words: Words,
    len: u64,
}

/// The word that a bit is in, and the bit's mask there.
#[inline]
pub(crate) const fn place(bit: u64) -> (usize, u64) {
    ((bit / 64) as usize, 1 << (bit % 64))
}

/// The bit at a position of some words, lowest; the higher bits are those above it.
#[inline]
pub(crate) fn bit_of(words: &[u64]) -> impl Fn(u64) -> u64 {
    move |bit| words[(bit / 64) as usize] >> (bit % 64)
}

impl Bits {
    /// `len` zero bits.
    pub fn zeroed(len: u64) -> Result<Bits, OutOfMemory> {
        Ok(Bits { words: Words::zeroed(words_for(len)?)?, len })
    }

    /// Wraps words. `None` if they are not the words of `len` bits: too many, too few, or with ones
    /// beyond the end.
    pub fn from_words(words: Words, len: u64) -> Option<Bits> {
        let fits = words_for(len) == Ok(words.as_slice().len());
        let beyond = match (len % 64, words.as_slice().last()) {
            (0, _) | (_, None) => 0,
            (used, Some(last)) => last >> used,
        };
        (fits && beyond == 0).then_some(Bits { words, len })
    }

    /// Number of bits.
    #[inline]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no bits at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The words that hold the bits.
    #[inline]
    pub fn words(&self) -> &[u64] {
        self.words.as_slice()
    }

    /// The words, mutably; the caller must not set bits beyond the end.
    #[inline]
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        self.words.to_mut()
    }

    /// The owner of the words, mutably.
    #[inline]
    pub(crate) fn storage_mut(&mut self) -> &mut Words {
        &mut self.words
    }

    /// The owner of the words.
    #[inline]
    pub(crate) fn storage(&self) -> &Words {
        &self.words
    }

    /// Whether a bit is 1.
    ///
    /// # Panics
    /// If the bit is beyond the last word.
    #[inline]
    pub fn get(&self, bit: u64) -> bool {
        let (word, mask) = place(bit);
        self.words()[word] & mask != 0
    }

    /// Prefetches the cache line of a bit.
    #[inline]
    pub(crate) fn fetch(&self, bit: u64) {
        prefetch(self.words().as_ptr().wrapping_add(place(bit).0));
    }

    /// Sets a bit. Returns true if it was 0.
    ///
    /// # Panics
    /// If the bit is beyond the last word.
    #[inline]
    pub fn set(&mut self, bit: u64) -> bool {
        debug_assert!(bit < self.len);
        let (word, mask) = place(bit);
        let word = &mut self.words_mut()[word];
        let new = *word & mask == 0;
        *word |= mask;
        new
    }

    /// Clears a bit.
    ///
    /// # Panics
    /// If the bit is beyond the last word.
    pub fn unset(&mut self, bit: u64) {
        let (word, mask) = place(bit);
        self.words_mut()[word] &= !mask;
    }

    /// Number of ones.
    pub fn ones(&self) -> u64 {
        ones(self.words().iter().copied())
    }

    /// Number of ones in a range.
    ///
    /// # Panics
    /// If the range reaches beyond the last word.
    pub fn ones_within(&self, range: Range<u64>) -> u64 {
        if range.is_empty() {
            return 0;
        }
        let ((first, low), (last, high)) = (place(range.start), place(range.end - 1));
        // The first and last words are masked.
        let (from, upto) = (!(low - 1), high | (high - 1));
        let words = &self.words()[first..=last];
        match words {
            [one] => ones([one & from & upto].into_iter()),
            [head, middle @ .., tail] => {
                ones([head & from, tail & upto].into_iter()) + ones(middle.iter().copied())
            }
            [] => 0,
        }
    }

    /// Clears the bits of a range.
    ///
    /// # Panics
    /// If the range reaches beyond the last word.
    pub fn clear_within(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let ((first, low), (last, high)) = (place(range.start), place(range.end - 1));
        let (before, after) = (low - 1, !(high | (high - 1)));
        match &mut self.words_mut()[first..=last] {
            [one] => *one &= before | after,
            [head, middle @ .., tail] => {
                *head &= before;
                middle.fill(0);
                *tail &= after;
            }
            [] => {}
        }
    }

    /// Number of ones in the OR of both rows, which must have the same length.
    pub fn ones_in_either(&self, other: &Bits) -> u64 {
        ones(self.words().iter().zip(other.words()).map(|(a, b)| a | b))
    }

    /// Clears all bits.
    pub fn clear(&mut self) {
        self.words_mut().fill(0);
    }

    /// ORs another row of the same length into this one.
    pub fn union(&mut self, other: &Bits) {
        self.combine(other, |a, b| a | b);
    }

    /// ANDs another row of the same length into this one.
    pub fn intersect(&mut self, other: &Bits) {
        self.combine(other, |a, b| a & b);
    }

    fn combine(&mut self, other: &Bits, both: impl Fn(u64, u64) -> u64) {
        debug_assert_eq!(self.len, other.len);
        for (a, b) in self.words_mut().iter_mut().zip(other.words()) {
            *a = both(*a, *b);
        }
    }

    /// ORs every `ratio` neighbouring groups of `group` bits into one: the row of a filter made
    /// `ratio` times smaller. `group` is 1 or a multiple of 64, and the length a multiple of
    /// `ratio` groups.
    pub fn fold(&self, ratio: u64, group: u64) -> Result<Bits, OutOfMemory> {
        debug_assert!(self.len.is_multiple_of(ratio * group));
        let mut folded = Bits::zeroed(self.len / ratio)?;
        if group == 1 {
            self.each_one(|bit| {
                folded.set(bit / ratio);
            });
            return Ok(folded);
        }
        #[expect(clippy::cast_possible_truncation, reason = "both divide a length in memory")]
        let (words, ratio) = ((group / 64) as usize, ratio as usize);
        let targets = folded.words_mut().chunks_exact_mut(words);
        for (target, groups) in targets.zip(self.words().chunks_exact(words * ratio)) {
            for source in groups.chunks_exact(words) {
                for (t, s) in target.iter_mut().zip(source) {
                    *t |= s;
                }
            }
        }
        Ok(folded)
    }

    /// Visits the ones in order.
    pub fn each_one(&self, mut visit: impl FnMut(u64)) {
        for (index, &word) in (0u64..).zip(self.words()) {
            let mut rest = word;
            while rest != 0 {
                visit(index * 64 + u64::from(rest.trailing_zeros()));
                rest &= rest - 1;
            }
        }
    }
}

fn ones(words: impl Iterator<Item = u64>) -> u64 {
    words.map(|word| u64::from(word.count_ones())).sum()
}

fn words_for(bits: u64) -> Result<usize, OutOfMemory> {
    usize::try_from(bits.div_ceil(64)).map_err(|_| OutOfMemory { bytes: bits / 8 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every(step: u64, len: u64) -> Bits {
        let mut bits = Bits::zeroed(len).unwrap();
        for bit in (0..len).step_by(step as usize) {
            assert!(bits.set(bit));
            assert!(!bits.set(bit));
        }
        bits
    }

    #[test]
    fn bits_are_set_counted_and_combined() {
        let (two, three) = (every(2, 1001), every(3, 1001));
        assert_eq!((two.ones(), three.ones()), (501, 334));
        for (start, end) in [(0, 0), (5, 5), (0, 1), (3, 64), (63, 65), (64, 128), (7, 1001)] {
            let expected = (start..end).filter(|bit| three.get(*bit)).count() as u64;
            assert_eq!(three.ones_within(start..end), expected, "{start}..{end}");
        }
        assert_eq!(two.ones_in_either(&three), 501 + 334 - 167);
        let mut union = two.clone();
        union.union(&three);
        assert_eq!(union.ones(), 668);
        let mut both = two.clone();
        both.intersect(&three);
        assert_eq!(both, every(6, 1001));
        assert!((0..1001).all(|bit| union.get(bit) == (two.get(bit) || three.get(bit))));
        both.clear();
        assert_eq!(both.ones(), 0);
        let mut listed = Vec::new();
        three.each_one(|bit| listed.push(bit));
        assert_eq!(listed, (0..1001).step_by(3).collect::<Vec<_>>());
    }

    #[test]
    fn a_range_is_cleared_and_nothing_else() {
        for (start, end) in
            [(0, 0), (9, 9), (0, 1), (3, 64), (63, 65), (64, 128), (70, 71), (7, 1001), (0, 1001)]
        {
            let mut bits = every(1, 1001);
            bits.clear_within(start..end);
            assert!((0..1001).all(|bit| bits.get(bit) != (start..end).contains(&bit)));
        }
    }

    #[test]
    fn folding_ors_neighbours() {
        let bits = every(7, 6 * 640);
        let by_bit = bits.fold(6, 1).unwrap();
        assert!((0..640).all(|bit| by_bit.get(bit) == (bit * 6..bit * 6 + 6).any(|b| b % 7 == 0)));
        let by_group = bits.fold(6, 128).unwrap();
        for bit in 0..640 {
            let (group, within) = (bit / 128, bit % 128);
            let any = (0..6).any(|part| bits.get((group * 6 + part) * 128 + within));
            assert_eq!(by_group.get(bit), any);
        }
    }

    #[test]
    fn words_that_do_not_fit_are_refused() {
        let words = |word| Words::copied(&[word; 8]).unwrap();
        assert!(Bits::from_words(words(0xFF), 64).is_some());
        assert!(Bits::from_words(words(0xFF), 63).is_none(), "a one beyond the end");
        assert!(Bits::from_words(words(0x00), 63).is_some());
        assert!(Bits::from_words(words(0x00), 65).is_none(), "too few words");
        assert!(Bits::from_words(words(0x00), 0).is_none(), "too many words");
    }

    #[test]
    fn only_a_row_without_bits_is_empty() {
        let is_empty = |len| Bits::zeroed(len).unwrap().is_empty();
        assert_eq!([0, 1, 64, 65].map(is_empty), [true, false, false, false]);
    }
}
