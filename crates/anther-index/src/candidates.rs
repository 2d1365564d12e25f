//! A set of blocks.

/// The blocks of an index that a search must open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidates {
    words: Vec<u64>,
    blocks: u32,
}

impl Candidates {
    /// No block.
    pub fn none(blocks: u32) -> Candidates {
        Candidates { words: vec![0; (blocks as usize).div_ceil(64)], blocks }
    }

    /// Every block.
    pub fn all(blocks: u32) -> Candidates {
        let mut all = Candidates { words: vec![u64::MAX; (blocks as usize).div_ceil(64)], blocks };
        if let (Some(last), 1..) = (all.words.last_mut(), blocks % 64) {
            *last >>= 64 - blocks % 64;
        }
        all
    }

    /// Whether a block is one of them.
    pub fn contains(&self, block: u32) -> bool {
        let word = self.words.get(block as usize / 64).copied().unwrap_or_default();
        word >> (block % 64) & 1 == 1
    }

    /// Inserts a block of the index.
    pub fn insert(&mut self, block: u32) {
        if let Some(word) = self.words.get_mut(block as usize / 64)
            && block < self.blocks
        {
            *word |= 1 << (block % 64);
        }
    }

    /// Removes a block.
    pub(crate) fn remove(&mut self, block: u32) {
        if let Some(word) = self.words.get_mut(block as usize / 64) {
            *word &= !(1 << (block % 64));
        }
    }

    /// Keeps those that are in both.
    pub fn intersect(&mut self, other: &Candidates) {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        self.words.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// How many blocks the index has.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Their numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.blocks).filter(|block| self.contains(*block))
    }
}
