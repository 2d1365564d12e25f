//! An input, taken apart from the front. What is missing at its end is 0.

use anther::KeyHash;

/// The rest of an input.
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// At most `len` bytes.
    pub fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        taken
    }

    pub fn byte(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or(0)
    }

    pub fn word(&mut self) -> u64 {
        let mut word = [0; 8];
        let taken = self.take(8);
        word[..taken.len()].copy_from_slice(taken);
        u64::from_le_bytes(word)
    }

    /// A number below this.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    /// One of these.
    pub fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// A hash: one of a few that are spread evenly, so that keys come again, or any.
    pub fn hash(&mut self) -> KeyHash {
        match self.byte() {
            few @ 0..0xF0 => KeyHash(u64::from(few % 48)).again(1),
            _ => KeyHash(self.word()),
        }
    }

    /// At most `most` hashes, and no more than the input has bytes.
    pub fn hashes(&mut self, most: usize) -> Vec<KeyHash> {
        let count = self.below(most + 1).min(self.0.len());
        (0..count).map(|_| self.hash()).collect()
    }

    /// A text that a NUL byte ends, or the input.
    pub fn line(&mut self) -> &'a [u8] {
        let len = self.0.iter().position(|byte| *byte == 0);
        let line = self.take(len.unwrap_or(self.0.len()));
        self.take(1);
        line
    }
}
