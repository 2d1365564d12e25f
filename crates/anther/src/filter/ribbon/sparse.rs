//! A ribbon whose thresholds and blocks are somewhere else.

use super::super::solve::band::{self, Columns};
use super::super::sparse::FileWords;
use super::directory::{Directory, threshold_place};
use super::{BUCKET, THRESHOLDS, equation, index, start};
use crate::error::LoadError;
use crate::format::Outline;
use crate::parts::hash::KeyHash;
use std::ops::Range;

/// What the header says.
#[derive(Debug)]
pub(crate) struct RibbonShape {
    columns: u32,
    /// The words of the directory.
    table: Range<u64>,
    /// Words of directory, thresholds and blocks.
    count: usize,
}

/// A ribbon with its directory, but without the rest.
#[derive(Debug)]
pub(crate) struct SparseRibbon {
    directory: Directory,
    entries: Vec<u64>,
    /// The first byte of the directory.
    at: u64,
}

impl RibbonShape {
    pub fn read(outline: &mut Outline) -> Result<RibbonShape, LoadError> {
        let (columns, shards, _) = super::fields(&mut outline.fields)?;
        let section = outline.section("ribbon")?;
        let none = LoadError::Section { name: "ribbon" };
        let end = shards.checked_mul(8).and_then(|len| section.start.checked_add(len));
        let Some(end) = end.filter(|end| *end <= section.end) else { return Err(none) };
        let count = usize::try_from((section.end - section.start) / 8).map_err(|_| none)?;
        Ok(RibbonShape { columns, table: section.start..end, count })
    }

    pub fn table(&self) -> Range<u64> {
        self.table.clone()
    }

    pub fn with_table(self, entries: &[u64]) -> Result<SparseRibbon, LoadError> {
        let directory = Directory::of(self.columns, entries, self.count)?;
        let (directory, _) = directory.ok_or(LoadError::Section { name: "ribbon" })?;
        Ok(SparseRibbon { directory, entries: entries.to_vec(), at: self.table.start })
    }
}

impl SparseRibbon {
    fn byte(&self, word: usize) -> u64 {
        self.at + 8 * word as u64
    }

    /// As `contains_hash` of a ribbon. The threshold and the blocks are noted together: of twenty
    /// keys, one is bumped and has no use for the blocks, and the others need one round less.
    pub fn contains(&self, words: &mut impl FileWords, key: KeyHash) -> Option<bool> {
        let mut key = key;
        for layer in &self.directory.layers {
            if layer.draw > 0 {
                key = key.again(layer.draw);
            }
            let shard = self.directory.shard(&self.entries, Directory::number(layer, key));
            if shard.starts == 0 {
                continue;
            }
            let start = start(key, layer.shards, shard.starts);
            let (word, shift) = threshold_place(shard.buckets + index(start / BUCKET));
            let thresholds = words.word(self.byte(self.directory.len + word));
            let columns = Columns { few: self.directory.few, split: shard.split };
            let reach = band::reach(columns, index(start));
            let blocks = words.row(self.byte(shard.words + reach.start), reach.len() as u64);
            let level = index(thresholds? >> shift & (THRESHOLDS.len() as u64 - 1));
            if start % BUCKET >= THRESHOLDS[level] {
                let equation = equation(key, start);
                return Some(band::holds_from(&blocks?, reach.start, columns, equation));
            }
        }
        Some(false)
    }
}
