//! The tables of a new index, from what was kept and what was read.

use crate::changes::Change;
use crate::container;
use crate::entry::{Block, FileEntry};
use crate::error::IndexError;
use crate::index::Index;
use crate::indexer::Summary;
use crate::pending::{BlockKey, Written};
use crate::read_file::{ReadBlock, ReadFile};
use crate::tables::{DEAD, Group, Tables};
use crate::walk::Found;

/// The tables so far.
pub struct Assembly<'a> {
    old: Option<&'a Index>,
    pub tables: Tables,
    pub summary: Summary,
    /// Of each file, where the blocks of its parts begin, and the last end; nothing if it is left
    /// out.
    starts: Vec<Vec<u32>>,
}

impl<'a> Assembly<'a> {
    /// Goes on from tables without files.
    pub fn new(tables: Tables, old: Option<&'a Index>) -> Assembly<'a> {
        Assembly { old, tables, summary: Summary::default(), starts: Vec::new() }
    }

    /// The number of the next block.
    fn next_block(&self) -> Result<u32, IndexError> {
        let number = u32::try_from(self.tables.blocks.len()).ok().filter(|number| *number < DEAD);
        number.ok_or(IndexError::TooMany("blocks"))
    }

    /// Adds the next file.
    pub fn add_file(
        &mut self,
        file: Found,
        change: &Change,
        read: ReadFile,
    ) -> Result<(), IndexError> {
        if read.failed {
            self.summary.skipped += 1;
            self.starts.push(Vec::new());
            return Ok(());
        }
        let first = self.next_block()?;
        let mut starts = vec![first];
        let (mut offset, mut first_line) = (0, 1);
        let mut push = |blocks: &mut Vec<Block>, ReadBlock { len, lines, tail }: ReadBlock| {
            blocks.push(Block { offset, len, first_line, lines, tail });
            (offset, first_line) = (offset + len, first_line + lines);
        };
        let entry = change.kept_entry(self.old);
        if let (Some(entry), Some((_, end)), Some(old)) = (entry, change.kept, self.old) {
            for block in (entry.blocks.start..end).filter_map(|block| old.block(block)) {
                let Block { len, lines, tail, .. } = block;
                push(&mut self.tables.blocks, ReadBlock { len, lines, tail });
            }
            starts.push(self.next_block()?);
        }
        // The first part of a file that grew is what was kept.
        for part in read.parts_of_text().iter().skip(starts.len() - 1) {
            part.blocks.iter().for_each(|block| push(&mut self.tables.blocks, *block));
            starts.push(self.next_block()?);
        }
        let blocks = first..self.next_block()?;
        self.starts.push(starts);
        self.summary.text += offset;
        self.summary.blocks += u64::from(blocks.end - blocks.start);
        match (read.traits, entry) {
            (Some(traits), _) => {
                let Summary { grown, read, .. } = &mut self.summary;
                *(if change.keeps() { grown } else { read }) += 1;
                self.tables.files.push(FileEntry {
                    root: file.root,
                    path: file.path,
                    stamp: traits.stamp,
                    is_compressed: traits.is_compressed,
                    is_binary: traits.is_binary,
                    is_parquet: traits.is_parquet,
                    is_fresh: traits.is_fresh,
                    is_whole: traits.is_whole,
                    ends: traits.ends,
                    blocks,
                });
            }
            (None, Some(entry)) => {
                self.summary.kept += 1;
                self.tables.files.push(FileEntry { blocks, ..entry.clone() });
            }
            // Each file is kept, read or left out.
            (None, None) => {}
        }
        self.summary.files = self.tables.files.len() as u64;
        Ok(())
    }

    /// Adds the groups, once all files are there.
    pub fn add_groups(&mut self, written: Vec<Written>) {
        let mut offset = container::HEADER;
        for group in written {
            let blocks = group.blocks.iter().map(|key| self.number_of(*key)).collect();
            let Written { matrix, shape, .. } = group;
            self.tables.groups.push(Group { matrix, shape, offset, blocks });
            offset += shape.len();
        }
    }

    /// The number of a block, if its file is in the index.
    fn number_of(&self, key: Option<BlockKey>) -> u32 {
        let starts = key.and_then(|key| Some((key, self.starts.get(key.file as usize)?)));
        let Some((key, starts)) = starts else { return DEAD };
        let part = key.part as usize;
        match (starts.get(part), starts.get(part + 1)) {
            (Some(start), Some(end)) if key.number < end - start => start + key.number,
            _ => DEAD,
        }
    }
}
