//! The grams of a text: four consecutive bytes of a line, in lowercase.
//!
//! Only ASCII letters have a lowercase here, on both sides: a pattern that ignores the case of
//! other letters is planned as their alternatives. No gram has a line end in it, since no match of
//! a line has.

use crate::query::GRAM;

/// A block with more distinct grams than this is always a candidate: its column would be nearly as
/// large as its text.
pub const MOST: usize = 1 << 20;

/// Distinct grams before the table grows the first time; most small files have fewer.
const FIRST: usize = 1 << 12;

/// Spreads grams over 32 bits; the last step of MurmurHash3. Rows are its upper bits.
pub fn hash(gram: u32) -> u32 {
    let mut h = gram;
    h = (h ^ (h >> 16)).wrapping_mul(0x85EB_CA6B);
    h = (h ^ (h >> 13)).wrapping_mul(0xC2B2_AE35);
    h ^ (h >> 16)
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

fn shifted(gram: u32, byte: u8) -> u32 {
    gram << 8 | u32::from(LOWER[byte as usize])
}

/// Calls a function with the hash of each gram of a literal, and with repeated ones more than once.
pub fn of_literal(literal: &[u8], mut found: impl FnMut(u32)) {
    for line in literal.split(|byte| *byte == b'\n') {
        for gram in line.windows(GRAM) {
            found(hash(gram.iter().fold(0, |gram, byte| shifted(gram, *byte))));
        }
    }
}

/// The distinct grams of a block, collected while its text passes.
///
/// An open-addressed table of the grams: nearly every byte of a text ends a gram that was seen
/// before, so the common case is one multiplication and one comparison.
#[derive(Debug)]
pub struct GramSet {
    /// Grams; 0 is an empty place. A power of two, at least twice as many as there are grams.
    table: Vec<u32>,
    /// 32 minus the bits of a place in the table.
    shift: u32,
    /// The hashes of the grams.
    hashes: Vec<u32>,
    has_zero: bool,
    /// The latest bytes, and how many of them are of this line, up to three.
    gram: u32,
    within: usize,
}

impl GramSet {
    pub fn new() -> GramSet {
        let mut set = GramSet {
            table: Vec::new(),
            shift: 0,
            hashes: Vec::new(),
            has_zero: false,
            gram: 0,
            within: 0,
        };
        set.clear();
        set
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.resize(2 * FIRST);
        self.hashes.clear();
        (self.has_zero, self.gram, self.within) = (false, 0, 0);
    }

    /// The hashes of the distinct grams; none if there are too many.
    pub fn hashes(&self) -> Option<&[u32]> {
        Some(&self.hashes[..]).filter(|hashes| hashes.len() <= MOST)
    }

    /// Adds the next part of the text. Returns how many line ends it has.
    pub fn push(&mut self, text: &[u8]) -> u64 {
        let (mut lines, mut start) = (0, 0);
        for end in memchr::memchr_iter(b'\n', text) {
            self.push_line(&text[start..end]);
            (lines, start) = (lines + 1, end + 1);
            (self.gram, self.within) = (0, 0);
        }
        self.push_line(&text[start..]);
        lines
    }

    #[inline]
    fn push_line(&mut self, part: &[u8]) {
        let missing = (GRAM - 1 - self.within).min(part.len());
        let (first, rest) = part.split_at(missing);
        let mut gram = first.iter().fold(self.gram, |gram, byte| shifted(gram, *byte));
        self.within += first.len();
        for byte in rest {
            gram = shifted(gram, *byte);
            let place = (place(gram) >> self.shift) as usize;
            // Zero is an empty place, and the one gram that is rare enough to be slow.
            if self.table[place] != gram || gram == 0 {
                self.insert(gram, place);
            }
        }
        self.gram = gram;
    }

    #[cold]
    fn insert(&mut self, gram: u32, mut place: usize) {
        if gram == 0 {
            if !self.has_zero {
                self.has_zero = true;
                self.hashes.push(hash(0));
            }
            return;
        }
        let mask = self.table.len() - 1;
        while self.table[place] != 0 {
            if self.table[place] == gram {
                return;
            }
            place = (place + 1) & mask;
        }
        if self.hashes.len() > MOST {
            return;
        }
        self.table[place] = gram;
        self.hashes.push(hash(gram));
        if self.hashes.len() * 2 > self.table.len() {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let old: Vec<u32> = self.table.iter().copied().filter(|gram| *gram != 0).collect();
        self.resize(self.table.len() * 2);
        let mask = self.table.len() - 1;
        for gram in old {
            let mut place = (place(gram) >> self.shift) as usize;
            while self.table[place] != 0 {
                place = (place + 1) & mask;
            }
            self.table[place] = gram;
        }
    }

    fn resize(&mut self, places: usize) {
        self.table.clear();
        self.table.resize(places, 0);
        self.shift = 32 - places.trailing_zeros();
    }
}

/// Where a gram's search in the table begins, in the upper bits.
#[inline]
fn place(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1)
}
