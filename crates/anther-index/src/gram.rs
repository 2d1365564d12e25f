//! The grams of a text: four and five consecutive bytes of a line, in lowercase.
//!
//! Only ASCII letters have a lowercase here, on both sides: a pattern that ignores the case of
//! other letters is planned as their alternatives. No gram has a line end in it, since no match of
//! a line has.
//!
//! Two lengths, each with one row, are better than one length with two rows: at 4 % of log text,
//! 1.4 % of blocks are opened in vain for a literal of eight bytes instead of 2 %.

use crate::query::GRAM;

/// Bits of a gram's hash. A map of all hashes takes 128 KiB then, which stays in the cache of a core,
/// and no column has more rows than that.
const BITS: u32 = 20;

/// A block with more distinct hashes than this is always a candidate: half of all rows would be set
/// in its column, however many there are.
pub const MOST: usize = 1 << (BITS - 1);

/// Multipliers of the two lengths: the golden ratio and the root of 3, as odd fractions of 2^64. With
/// one multiplier for both, the rows of a gram and of its longer one would lie apart by its first
/// byte alone.
const MULTIPLIERS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B];

/// The hash of a gram of four bytes, the lower ones of these.
#[inline]
fn short_hash(bytes: u64) -> u32 {
    hash(bytes & 0xFFFF_FFFF, MULTIPLIERS[0])
}

/// The hash of a gram of five bytes.
#[inline]
fn long_hash(bytes: u64) -> u32 {
    hash(bytes & 0xFF_FFFF_FFFF, MULTIPLIERS[1])
}

/// The upper bits of the product.
#[inline]
fn hash(gram: u64, multiplier: u64) -> u32 {
    (gram.wrapping_mul(multiplier) >> (64 - BITS)) as u32
}

/// A hash as one of 32 bits, as rows are found by.
fn widened(hash: u32) -> u32 {
    hash << (32 - BITS)
}

/// Every byte in lowercase, if it is an ASCII letter.
const LOWER: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0u8;
    loop {
        table[byte as usize] = byte.to_ascii_lowercase();
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};

#[inline]
fn shifted(bytes: u64, byte: u8) -> u64 {
    bytes << 8 | u64::from(LOWER[byte as usize])
}

/// Calls a function with the hash of each gram of a literal, and with repeated ones more than once.
pub fn of_literal(literal: &[u8], mut found: impl FnMut(u32)) {
    let joined = |gram: &[u8]| gram.iter().fold(0, |bytes, byte| shifted(bytes, *byte));
    for line in literal.split(|byte| *byte == b'\n') {
        // Long ones first: they are in fewer blocks.
        line.windows(GRAM + 1).for_each(|gram| found(widened(long_hash(joined(gram)))));
        line.windows(GRAM).for_each(|gram| found(widened(short_hash(joined(gram)))));
    }
}

/// The hashes of the distinct grams of a block, collected while its text passes.
///
/// A bit per hash says whether it was seen; those that are new are listed, without a branch that
/// nobody could predict. A table of hashes took four times as long, and so did collecting the bits
/// of small files afterwards.
#[derive(Debug)]
pub struct GramSet {
    words: Vec<u64>,
    /// The first `count` are the distinct hashes; there is room for one more than may be stored.
    list: Vec<u32>,
    count: usize,
    /// The latest bytes, and how many of them are of this line, up to four.
    bytes: u64,
    within: usize,
}

impl GramSet {
    pub fn new() -> GramSet {
        let (words, list) = (vec![0; 1 << (BITS - 6)], vec![0; MOST + 1]);
        GramSet { words, list, count: 0, bytes: 0, within: 0 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        match self.list.get(..self.count).filter(|list| list.len() < self.words.len() / 4) {
            Some(few) => few.iter().for_each(|hash| self.words[*hash as usize / 64] = 0),
            None => self.words.fill(0),
        }
        (self.count, self.bytes, self.within) = (0, 0, 0);
    }

    /// The hashes of the distinct grams; none if there are too many.
    pub fn hashes(&self) -> Option<Vec<u32>> {
        let list = self.list.get(..self.count).filter(|list| list.len() <= MOST)?;
        Some(list.iter().map(|hash| widened(*hash)).collect())
    }

    /// Adds the next part of the text. Returns how many line ends it has.
    pub fn push(&mut self, text: &[u8]) -> u64 {
        let (mut lines, mut start) = (0, 0);
        for end in memchr::memchr_iter(b'\n', text) {
            self.push_line(&text[start..end]);
            (lines, start) = (lines + 1, end + 1);
            (self.bytes, self.within) = (0, 0);
        }
        self.push_line(&text[start..]);
        lines
    }

    #[inline]
    fn push_line(&mut self, part: &[u8]) {
        let mut bytes = self.bytes;
        let mut rest = part.iter();
        while self.within < GRAM {
            let Some(byte) = rest.next() else { break };
            bytes = shifted(bytes, *byte);
            self.within += 1;
            if self.within == GRAM {
                self.insert(short_hash(bytes));
            }
        }
        for byte in rest {
            bytes = shifted(bytes, *byte);
            self.insert(short_hash(bytes));
            self.insert(long_hash(bytes));
        }
        self.bytes = bytes;
    }

    #[inline]
    fn insert(&mut self, hash: u32) {
        let word = &mut self.words[hash as usize / 64];
        let bit = 1 << (hash % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        if let Some(next) = self.list.get_mut(self.count) {
            *next = hash;
            self.count += usize::from(is_new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_set_has_the_grams_of_its_lines_however_the_text_is_split() {
        let text = b"Hello, World\nabc\nabcd\n\xFF\xFE\0\0\0\0\0 hello, WORLD\r\nend without end";
        let mut expected = BTreeSet::new();
        text.split(|byte| *byte == b'\n').for_each(|line| {
            of_literal(line, |hash| {
                expected.insert(hash);
            });
        });
        let mut lower = BTreeSet::new();
        of_literal(&text.to_ascii_lowercase(), |hash| {
            lower.insert(hash);
        });
        assert_eq!(expected, lower);
        for split in 0..=text.len() {
            let (first, second) = text.split_at(split);
            let mut set = GramSet::new();
            assert_eq!(set.push(first) + set.push(second), 4);
            assert_eq!(set.hashes().unwrap().into_iter().collect::<BTreeSet<_>>(), expected);
            set.clear();
            assert_eq!(set.hashes(), Some(vec![]));
        }
    }

    #[test]
    fn too_many_grams_are_none() {
        let mut set = GramSet::new();
        let mut word = 1u64;
        for _ in 0..MOST {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            set.push(&word.to_le_bytes());
            set.push(b"\n");
        }
        assert_eq!(set.hashes(), None);
    }
}
