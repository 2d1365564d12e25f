//! A fuse filter whose cells are somewhere else.

use super::super::solve::slots::{self, Slots};
use super::super::sparse::FileWords;
use crate::error::LoadError;
use crate::format::Outline;
use crate::parts::hash::KeyHash;
use crate::parts::words::Words;
use std::ops::Range;

/// What the header says.
#[derive(Debug)]
pub(crate) struct FuseShape {
    arity: u32,
    width: u32,
    items: u64,
    table: Range<u64>,
    cells: Range<u64>,
}

/// A filter with its shards, but without its cells.
#[derive(Debug)]
pub(crate) struct SparseFuse {
    slots: Slots,
    width: u32,
    /// The first byte of the cells.
    at: u64,
}

impl FuseShape {
    pub fn read(outline: &mut Outline) -> Result<FuseShape, LoadError> {
        let (arity, width, items) = super::fields(&mut outline.fields)?;
        let shards = outline.fields.number("shards", 0..=u64::MAX)?;
        let table = outline.section("shards")?;
        if shards.checked_mul(8) != Some(table.end - table.start) {
            return Err(LoadError::Section { name: "shards" });
        }
        let cells = outline.section("fingerprints")?;
        Ok(FuseShape { arity, width, items, table, cells })
    }

    pub fn table(&self) -> Range<u64> {
        self.table.clone()
    }

    pub fn with_table(self, table: &[u64]) -> Result<SparseFuse, LoadError> {
        let FuseShape { arity, width, items, cells, .. } = self;
        let mut words = Words::zeroed(table.len())?;
        words.to_mut().copy_from_slice(table);
        let slots = Slots::from_table(words, arity)?.filter(|slots| slots.can_hold(items));
        let slots = slots.ok_or(LoadError::Section { name: "shards" })?;
        let bits = slots.cells().checked_mul(u64::from(width));
        match bits.map(|bits| bits.div_ceil(64) * 8) == Some(cells.end - cells.start) {
            true => Ok(SparseFuse { slots, width, at: cells.start }),
            false => Err(LoadError::Section { name: "fingerprints" }),
        }
    }
}

impl SparseFuse {
    pub fn contains(&self, words: &mut impl FileWords, key: KeyHash) -> Option<bool> {
        match self.slots.arity() {
            3 => self.contains_of::<3>(words, key),
            _ => self.contains_of::<4>(words, key),
        }
    }

    fn contains_of<const ARITY: usize>(
        &self,
        words: &mut impl FileWords,
        key: KeyHash,
    ) -> Option<bool> {
        let Some(cells) = self.slots.of::<ARITY>(key) else { return Some(false) };
        // All of them, so that all that are not here are noted at once.
        let cells = cells.map(|cell| self.cell(words, cell));
        let xor = cells.into_iter().try_fold(0, |xor, cell| Some(xor ^ cell?))?;
        Some(xor == slots::mask(key) & self.max())
    }

    fn max(&self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    fn cell(&self, words: &mut impl FileWords, cell: u64) -> Option<u64> {
        let bit = cell * u64::from(self.width);
        let (at, shift) = (self.at + bit / 64 * 8, bit % 64);
        let here = words.word(at);
        if shift + u64::from(self.width) <= 64 {
            return Some(here? >> shift & self.max());
        }
        let next = words.word(at + 8);
        Some((here? >> shift | next? << (64 - shift)) & self.max())
    }
}
