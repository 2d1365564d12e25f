//! Columns that wait until their group is full.
//!
//! All columns of a group have the same number of rows, so a group takes columns of about the same
//! number of hashes: numbers of rows are powers of 2^(1/8). Columns of one number wait together,
//! first as lists of their rows, then, 64 at a time, as a lane of the group: a word per row.

use crate::error::IndexError;
use crate::matrix::{MOST_COLUMNS, PageWriter, Row, Rows, Shape};
use std::collections::BTreeMap;
use std::io::Write;

/// Columns of a lane.
const LANE: usize = 64;

/// Which block a column is of, before blocks have their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockKey {
    /// The number of the file.
    pub file: u32,
    /// The part of the file that was read by one thread.
    pub part: u32,
    /// The number of the block in that part.
    pub number: u32,
}

/// A group that was written.
#[derive(Debug)]
pub struct Written {
    pub matrix: u32,
    pub shape: Shape,
    /// The block of each column, if it is still there.
    pub blocks: Vec<Option<BlockKey>>,
}

/// A group that still takes columns.
#[derive(Default)]
struct Open {
    lanes: Vec<Vec<u64>>,
    /// The columns after those of the lanes.
    lists: Vec<Vec<u32>>,
    blocks: Vec<BlockKey>,
}

impl Open {
    fn bytes(&self) -> u64 {
        let lanes: usize = self.lanes.iter().map(|lane| lane.len() * 8).sum();
        let lists: usize = self.lists.iter().map(|list| list.capacity() * 4 + 24).sum();
        (lanes + lists) as u64
    }

    /// Drops all columns but those of some blocks.
    fn retain(self, rows: u32, is_kept: impl Fn(&BlockKey) -> bool) -> Open {
        if self.blocks.iter().all(&is_kept) {
            return self;
        }
        let mut kept = Open::default();
        let mut lists = self.lists.into_iter();
        for (column, block) in self.blocks.into_iter().enumerate() {
            let list = match self.lanes.get(column / LANE) {
                Some(lane) if is_kept(&block) => {
                    let has_bit = |(_, word): &(u32, &u64)| **word >> (column % LANE) & 1 == 1;
                    (0..rows).zip(lane).filter(has_bit).map(|(row, _)| row).collect()
                }
                Some(_) => continue,
                None => lists.next().unwrap_or_default(),
            };
            if is_kept(&block) {
                kept.push(rows, block, list);
            }
        }
        kept
    }

    /// Adds a column that has bits in these rows.
    fn push(&mut self, rows: u32, block: BlockKey, list: Vec<u32>) {
        self.lists.push(list);
        self.blocks.push(block);
        if self.lists.len() == LANE {
            self.close_lane(rows);
        }
    }

    /// Makes a lane of the lists.
    fn close_lane(&mut self, rows: u32) {
        let mut lane = vec![0; rows as usize];
        for (column, list) in self.lists.drain(..).enumerate() {
            for row in list {
                lane[row as usize] |= 1u64 << column;
            }
        }
        self.lanes.push(lane);
    }
}

/// All columns that wait, and what was written.
pub struct Pending<'a> {
    out: &'a mut (dyn Write + Send),
    offset: u64,
    open: BTreeMap<(u32, u32), Open>,
    bytes: u64,
    /// The most bytes that may wait.
    most: u64,
    written: Vec<Written>,
}

impl<'a> Pending<'a> {
    /// Groups are written from this offset of the file on.
    pub fn new(out: &'a mut (dyn Write + Send), offset: u64, most: u64) -> Pending<'a> {
        Pending { out, offset, open: BTreeMap::new(), bytes: 0, most, written: Vec::new() }
    }

    /// Adds a column of distinct hashes. About a share `load` of its bits will be set.
    pub fn insert(
        &mut self,
        matrix: u32,
        block: BlockKey,
        mut hashes: Vec<u32>,
        load: f64,
    ) -> Result<(), IndexError> {
        let shape = Shape { rows: rows_for(hashes.len(), load), columns: 1 };
        hashes.iter_mut().for_each(|hash| *hash = shape.row_of(*hash));
        self.insert_rows(matrix, shape.rows, block, hashes)
    }

    /// Adds a column that has bits in these rows.
    fn insert_rows(
        &mut self,
        matrix: u32,
        rows: u32,
        block: BlockKey,
        list: Vec<u32>,
    ) -> Result<(), IndexError> {
        let open = self.open.entry((matrix, rows)).or_default();
        self.bytes -= open.bytes();
        open.push(rows, block, list);
        self.bytes += open.bytes();
        if open.blocks.len() == MOST_COLUMNS {
            self.write((matrix, rows))?;
        }
        while self.bytes > self.most {
            let Some(largest) = self.open.iter().max_by_key(|(_, open)| open.bytes()) else {
                break;
            };
            let largest = *largest.0;
            self.write(largest)?;
        }
        Ok(())
    }

    /// Adds a group of another index, with the block of each column that is still there. A full
    /// group is copied. The columns of others, and of those with more than a quarter dead, wait as
    /// new ones do.
    pub fn adopt(
        &mut self,
        (matrix, shape): (u32, Shape),
        mut rows: Rows<'_>,
        blocks: &[Option<BlockKey>],
    ) -> Result<(), IndexError> {
        let live: Vec<(usize, BlockKey)> = blocks
            .iter()
            .enumerate()
            .filter_map(|(column, block)| Some((column, (*block)?)))
            .collect();
        if blocks.len() == MOST_COLUMNS && live.len() * 4 >= MOST_COLUMNS * 3 {
            let mut copy = PageWriter::new(shape, self.offset);
            rows.for_each(|_, row| copy.push(&row, self.out).map_err(anther::SaveError::Io))?;
            self.offset += shape.len();
            self.written.push(Written { matrix, shape, blocks: blocks.to_vec() });
            return Ok(());
        }
        // A lane at a time: all lists of a group could take gigabytes.
        for lane in live.chunks(LANE) {
            let mut lists = vec![Vec::new(); lane.len()];
            rows.for_each(|number, row| {
                for ((column, _), list) in lane.iter().zip(&mut lists) {
                    if row[column / 64] >> (column % 64) & 1 == 1 {
                        list.push(number);
                    }
                }
                Ok::<(), IndexError>(())
            })?;
            for ((_, block), list) in lane.iter().zip(lists) {
                self.insert_rows(matrix, shape.rows, *block, list)?;
            }
        }
        Ok(())
    }

    /// Writes a group.
    fn write(&mut self, which: (u32, u32)) -> Result<(), IndexError> {
        let Some(mut open) = self.open.remove(&which) else { return Ok(()) };
        self.bytes -= open.bytes();
        let (matrix, rows) = which;
        if !open.lists.is_empty() {
            open.close_lane(rows);
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most 512")]
        let shape = Shape { rows, columns: open.blocks.len() as u16 };
        let row = |number: u32| -> Row {
            std::array::from_fn(|lane| open.lanes.get(lane).map_or(0, |lane| lane[number as usize]))
        };
        let mut page = PageWriter::new(shape, self.offset);
        (0..rows)
            .try_for_each(|number| page.push(&row(number), self.out))
            .map_err(anther::SaveError::Io)?;
        self.offset += shape.len();
        self.written.push(Written {
            matrix,
            shape,
            blocks: open.blocks.into_iter().map(Some).collect(),
        });
        Ok(())
    }

    /// Drops what still waits of files that failed. What was written of them is dead, and the next
    /// update drops it.
    pub fn drop_files(&mut self, failed: impl Fn(u32) -> bool) {
        let open = std::mem::take(&mut self.open).into_iter();
        let keep = |((matrix, rows), open): ((u32, u32), Open)| {
            let open = open.retain(rows, |block| !failed(block.file));
            (!open.blocks.is_empty()).then_some(((matrix, rows), open))
        };
        self.open = open.filter_map(keep).collect();
        self.bytes = self.open.values().map(Open::bytes).sum();
    }

    /// Writes what still waits. Returns the groups, and where they end.
    pub fn finish(mut self) -> Result<(Vec<Written>, u64), IndexError> {
        while let Some(first) = self.open.keys().next().copied() {
            self.write(first)?;
        }
        Ok((self.written, self.offset))
    }
}

/// The fewest rows of a column that has hashes: the probes of a key would fall on each other in fewer.
const LEAST_ROWS: f64 = 64.0;

/// Rows of a column with this many hashes: a power of 2^(1/8), so that columns share groups.
fn rows_for(hashes: usize, load: f64) -> u32 {
    let rows = hashes as f64 / -(1.0 - load).ln();
    let least = if hashes == 0 { 1.0 } else { rows.max(LEAST_ROWS) };
    let eighths = (8.0 * least.log2()).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2^32")]
    let rows = (eighths / 8.0).exp2().ceil().min(f64::from(u32::MAX)) as u32;
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns in lanes and in lists: the others stay as they are.
    #[test]
    fn what_waits_of_a_failed_file_is_dropped() {
        let key = |number: u32| BlockKey { file: number % 3, part: 0, number };
        let written = |files: &[u32], fails: bool| {
            let mut out = Vec::new();
            let mut pending = Pending::new(&mut out, 0, u64::MAX);
            for number in (0..300).filter(|number| files.contains(&(number % 3))) {
                let hashes = (0..50).map(|at: u32| (number * 50 + at).wrapping_mul(0x9E37_79B9));
                pending.insert(0, key(number), hashes.collect(), 0.5).unwrap();
            }
            if fails {
                pending.drop_files(|file| file == 1);
            }
            let (groups, end) = pending.finish().unwrap();
            assert_eq!(end, out.len() as u64);
            let blocks: Vec<_> = groups.into_iter().flat_map(|group| group.blocks).collect();
            (out, blocks)
        };
        assert_eq!(written(&[0, 1, 2], true), written(&[0, 2], false));
        assert_eq!(written(&[1], true), (Vec::new(), Vec::new()));
    }
}
