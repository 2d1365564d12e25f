//! Cuts a text into blocks at line ends, and collects what is in each of them.

use crate::gram::GramSet;
use crate::key;
use crate::source::{RowGroup, Source};
use std::ops::Range;
use twox_hash::XxHash3_64;

/// The length of a block, up to the end of its last line. In shorter ones fewer are opened in vain,
/// but logs take more bits: 64 KiB takes a sixth more.
pub const BLOCK: u64 = 128 << 10;

/// Bytes at the end of a block whose checksum tells whether it is still there. A small read per
/// block, less than a hundredth of the text.
pub const TAIL: usize = 1024;

/// A block, and the hashes of what it has.
#[derive(Debug, PartialEq, Eq)]
pub struct CutBlock {
    pub len: u64,
    pub lines: u64,
    /// Checksum of its last bytes, up to [`TAIL`].
    pub tail: u64,
    /// For each matrix the distinct hashes; none if there are too many, or not all are known.
    pub hashes: Vec<Option<Vec<u32>>>,
}

/// Cuts one text, or one part of it.
pub struct Cutter {
    grams: GramSet,
    len: u64,
    lines: u64,
    probes: u32,
    keys: Vec<BlockKeys>,
    /// The last bytes of the block so far.
    tail: Vec<u8>,
    /// The length of a block.
    block: u64,
}

/// The keys of one column in the block that is being read.
#[derive(Clone, Default)]
struct BlockKeys {
    hashes: Vec<u32>,
    /// Whether all of them are known.
    is_unknown: bool,
}

impl BlockKeys {
    /// Adds hashes. Drops those that are there twice before it takes more memory: a row group may
    /// have millions of rows with few values.
    fn extend(&mut self, hashes: impl Iterator<Item = u32>, count: u32) {
        if self.hashes.capacity() - self.hashes.len() < count as usize {
            self.drop_doubles();
            if self.hashes.len() > self.hashes.capacity() / 2 {
                self.hashes.reserve(self.hashes.capacity());
            }
        }
        self.hashes.extend(hashes);
    }

    fn drop_doubles(&mut self) {
        self.hashes.sort_unstable();
        self.hashes.dedup();
    }
}

/// Where a key is in a piece: its column and its record.
struct PlacedKey {
    column: usize,
    record: Range<usize>,
}

/// The keys of a piece, with the hashes of each.
#[derive(Default)]
pub struct PieceKeys {
    keys: Vec<PlacedKey>,
    hashes: Vec<u32>,
    /// The columns of which not all keys are known.
    unknown: Vec<usize>,
}

impl PieceKeys {
    /// Takes them from a source.
    pub fn of(source: &mut dyn Source, columns: usize, probes: u32) -> PieceKeys {
        let (mut keys, mut hashes) = (Vec::new(), Vec::new());
        let known = source.keys(&mut |column, record, bytes| {
            if column < columns {
                keys.push(PlacedKey { column, record });
                hashes.extend(key::hashes(bytes, probes));
            }
        });
        let is_unknown = |column: &usize| !known || source.is_unknown(*column);
        PieceKeys { keys, hashes, unknown: (0..columns).filter(is_unknown).collect() }
    }
}

impl Cutter {
    pub fn new(columns: usize, probes: u32, block: u64) -> Cutter {
        let keys = vec![BlockKeys::default(); columns];
        Cutter { grams: GramSet::new(), len: 0, lines: 0, probes, keys, tail: Vec::new(), block }
    }

    /// Adds the next piece of the text, and calls a function with each block that ends in it.
    pub fn push<E>(
        &mut self,
        piece: &[u8],
        keys: &PieceKeys,
        mut cut: impl FnMut(CutBlock) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut start = 0;
        while start < piece.len() {
            let end = self.end_of_block(&piece[start..]).map(|len| start + len);
            let part = start..end.unwrap_or(piece.len());
            self.lines += self.grams.push(&piece[part.clone()]);
            self.len += part.len() as u64;
            self.take_tail(&piece[part.clone()]);
            self.take_keys(keys, &part);
            if end.is_some() {
                cut(self.block())?;
            }
            start = part.end;
        }
        Ok(())
    }

    /// The last block, which may lack its line end.
    pub fn finish(&mut self) -> Option<CutBlock> {
        (self.len > 0).then(|| self.block())
    }

    /// A block of its own for the row group that was read last, whose text nobody knows.
    pub fn row_group(&mut self, group: RowGroup, source: &mut dyn Source) -> CutBlock {
        let (columns, probes) = (&mut self.keys, self.probes);
        let known = source.keys(&mut |column, _, bytes| {
            if let Some(column) = columns.get_mut(column) {
                column.extend(key::hashes(bytes, probes), probes);
            }
        });
        for (number, column) in columns.iter_mut().enumerate() {
            column.is_unknown = !known || source.is_unknown(number);
        }
        (self.len, self.lines) = (group.bytes.max(group.rows), group.rows);
        let mut block = self.block();
        block.hashes[0] = None;
        block
    }

    /// How many bytes of the rest belong to this block, if it ends there: at the first line end
    /// from its length on.
    fn end_of_block(&self, rest: &[u8]) -> Option<usize> {
        let least = usize::try_from(self.block.saturating_sub(self.len + 1)).ok()?;
        let from = rest.get(least..)?;
        memchr::memchr(b'\n', from).map(|at| least + at + 1)
    }

    fn take_tail(&mut self, text: &[u8]) {
        let text = &text[text.len().saturating_sub(TAIL)..];
        let surplus = (self.tail.len() + text.len()).saturating_sub(TAIL);
        self.tail.drain(..surplus);
        self.tail.extend(text);
    }

    fn take_keys(&mut self, keys: &PieceKeys, part: &Range<usize>) {
        for (found, hashes) in keys.keys.iter().zip(keys.hashes.chunks(self.probes as usize)) {
            if found.record.start < part.end && part.start < found.record.end {
                self.keys[found.column].extend(hashes.iter().copied(), self.probes);
            }
        }
        keys.unknown.iter().for_each(|column| self.keys[*column].is_unknown = true);
    }

    fn block(&mut self) -> CutBlock {
        let grams = self.grams.hashes();
        let of_column = |column: &mut BlockKeys| {
            column.drop_doubles();
            let BlockKeys { hashes, is_unknown } = std::mem::take(column);
            (!is_unknown).then_some(hashes)
        };
        let hashes = std::iter::once(grams).chain(self.keys.iter_mut().map(of_column)).collect();
        let tail = XxHash3_64::oneshot(&self.tail);
        let block = CutBlock { len: self.len, lines: self.lines, tail, hashes };
        self.tail.clear();
        self.grams.clear();
        (self.len, self.lines) = (0, 0);
        block
    }
}
