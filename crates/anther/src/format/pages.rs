//! Checksums of pages, so that a part of a file can be verified without reading the rest.
//!
//! The footer has one checksum per section, which only a reader of the whole section can compare.
//! A reader of one page of a file on a web server needs the checksum of that page, and a
//! reason to trust it. So a file may begin with the section `pages`: a tree of checksums, whose root
//! is a field of the header, which has a checksum of its own.
//!
//! ```text
//! header ──► top level ──► … ──► lowest level ──► pages of 2 KiB: all sections that follow
//! ```
//!
//! A level has a checksum for each page of the level below, 256 in a page. Levels are added until
//! the top fits in one page. The top comes first in the file, so the first 16 KiB have it, and a
//! lookup reads one page of each other level: one for files of up to 128 MiB, two up to 32 GiB.

use super::{checksum, padding};
use crate::error::OutOfMemory;
use std::ops::Range;

/// The name of the section, and of the field with the checksum of its top level.
pub(super) const NAME: &str = "pages";

/// Bytes of a page. Of a filter of 2 GB, a page reveals 20 bits of the hash of the key that is
/// looked up, and a line of 64 bytes 25.
pub(crate) const PAGE: u64 = 2048;

/// Checksums in a page of them.
const SUMS: u64 = PAGE / 8;

/// The tree of checksums over a number of bytes: where each checksum is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    /// The checksums of each level, from the lowest, which has one for each page of the bytes.
    counts: Vec<u64>,
}

impl Tree {
    pub fn over(bytes: u64) -> Tree {
        let mut counts = vec![bytes.div_ceil(PAGE)];
        while let Some(last) = counts.last().copied().filter(|last| *last > SUMS) {
            counts.push(last.div_ceil(SUMS));
        }
        Tree { counts }
    }

    /// Number of levels, at least 1.
    pub fn levels(&self) -> usize {
        self.counts.len()
    }

    /// Checksums of all levels.
    pub fn len(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The checksums of the top level, as bytes of the section.
    pub fn top(&self) -> Range<u64> {
        0..8 * self.counts.last().copied().unwrap_or_default()
    }

    /// A page of checksums of a level, as bytes of the section.
    pub fn page(&self, level: usize, page: u64) -> Range<u64> {
        let above: u64 = self.counts[level + 1..].iter().sum();
        let end = (SUMS * (page + 1)).min(self.counts[level]);
        8 * (above + SUMS * page)..8 * (above + end)
    }

    /// The page of a level that has the checksum of this page of the level below, and its place
    /// there. Below level 0 are the bytes themselves.
    pub fn place(page: u64) -> (u64, usize) {
        (page / SUMS, index(page % SUMS))
    }

    /// The words of the section, for sections of these words. Each is followed by zeros, as in the
    /// file.
    pub fn sums(&self, sections: &[&[u64]]) -> Result<Vec<u64>, OutOfMemory> {
        let mut sums = Vec::new();
        let bytes = self.len().saturating_mul(8);
        let count = usize::try_from(self.len()).map_err(|_| OutOfMemory { bytes })?;
        sums.try_reserve_exact(count).map_err(|_| OutOfMemory { bytes })?;
        // The lowest level first, and each further one before what there is.
        let mut level = of_sections(sections);
        for _ in 1..self.levels() {
            let above = level.chunks(index(SUMS)).map(|page| checksum(&bytes_of(page))).collect();
            sums.splice(0..0, std::mem::replace(&mut level, above));
        }
        sums.splice(0..0, level);
        Ok(sums)
    }

    /// The checksum of the top level: the field of the header.
    pub fn root(&self, sums: &[u64]) -> u64 {
        let top = self.counts.last().copied().unwrap_or_default();
        checksum(&bytes_of(&sums[..index(top).min(sums.len())]))
    }
}

/// The checksum of each page of these sections.
fn of_sections(sections: &[&[u64]]) -> Vec<u64> {
    let (mut sums, mut page) = (Vec::new(), Vec::with_capacity(index(PAGE)));
    for words in sections {
        let zeros = padding(words.len() as u64 * 8) / 8;
        for word in words.iter().chain(&[0; 8][..zeros]) {
            page.extend(word.to_le_bytes());
            if page.len() as u64 == PAGE {
                sums.push(checksum(&page));
                page.clear();
            }
        }
    }
    if !page.is_empty() {
        sums.push(checksum(&page));
    }
    sums
}

fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "what is in memory has a usize index")]
fn index(x: u64) -> usize {
    x as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_added_until_the_top_is_one_page() {
        assert_eq!(Tree::over(0).counts, [0]);
        assert_eq!(Tree::over(1).counts, [1]);
        assert_eq!(Tree::over(256 * PAGE).counts, [256]);
        assert_eq!(Tree::over(256 * PAGE + 1).counts, [257, 2]);
        assert_eq!(Tree::over(120_000_000).counts, [58_594, 229]);
        assert_eq!(Tree::over(1_940_000_000).counts, [947_266, 3701, 15]);
        // No number of bytes overflows.
        assert_eq!(Tree::over(u64::MAX).levels(), 7);
    }

    #[test]
    fn each_page_has_its_checksum_in_the_level_above() {
        let first: Vec<u64> = (0..70_001).collect();
        let second: Vec<u64> = (0..130_003).map(|i| i * i).collect();
        let mut bytes = bytes_of(&first);
        bytes.resize(bytes.len().next_multiple_of(64), 0);
        bytes.extend(bytes_of(&second));
        bytes.resize(bytes.len().next_multiple_of(64), 0);
        let tree = Tree::over(bytes.len() as u64);
        assert_eq!(tree.counts, [782, 4]);
        let sums = tree.sums(&[&first, &second]).unwrap();
        let section = bytes_of(&sums);
        assert_eq!(sums.len() as u64, tree.len());
        let within = |range: Range<u64>| &section[range.start as usize..range.end as usize];
        for (page, bytes) in (0..).zip(bytes.chunks(PAGE as usize)) {
            let (above, at) = Tree::place(page);
            let sums = within(tree.page(0, above));
            assert_eq!(sums[8 * at..8 * at + 8], checksum(bytes).to_le_bytes());
            let (top, at) = Tree::place(above);
            assert_eq!((top, tree.page(1, 0)), (0, tree.top()));
            assert_eq!(within(tree.top())[8 * at..8 * at + 8], checksum(sums).to_le_bytes());
        }
        assert_eq!(tree.root(&sums), checksum(within(tree.top())));
    }
}
