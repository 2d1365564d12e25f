//! The cells that have been read so far, and the checksums that vouch for them.

use super::{Reads, merged, part};
use crate::error::{LoadError, RemoteError};
use crate::filter::sparse::FileWords;
use crate::format::{Outline, PAGE, PagesAt, Tree, checksum};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// Bytes of a line.
const LINE: u64 = 64;

/// The most pages of checksums that are kept from one lookup to the next: 64 MiB.
const KEPT: usize = 1 << 15;

/// Bytes that a unit takes in memory beyond its own: its entry in the map, and its allocation.
const ENTRY: usize = 64;

/// What has been read of a file's cells.
#[derive(Debug)]
pub(super) struct Cells {
    /// Where the cells are in the file.
    range: Range<u64>,
    /// How many bytes are read at a time.
    unit: u64,
    /// Where the checksums are, if they are compared.
    pages: Option<PagesAt>,
    /// The top level of checksums.
    top: Option<Box<[u8]>>,
    /// Pages of checksums, by level and number.
    sums: HashMap<(usize, u64), Box<[u8]>>,
    /// Units of cells, by number.
    units: HashMap<u64, Box<[u8]>>,
    /// The most bytes of units that are kept from one lookup to the next.
    kept: usize,
    /// Units that were needed and were not here.
    wanted: BTreeSet<u64>,
    /// Set by a position outside of the cells, which no valid filter has.
    is_beyond: bool,
    /// The first bytes of the file, which may have some of all this.
    first: Vec<u8>,
}

/// Something to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Top,
    /// A page of checksums, by level and number.
    Sums(usize, u64),
    /// A unit of cells.
    Unit(u64),
}

impl Cells {
    pub fn new(outline: &Outline, reads: Reads, first: Vec<u8>) -> Result<Cells, RemoteError> {
        let (unit, pages) = match reads {
            Reads::Pages => (PAGE, Some(outline.pages.clone().ok_or(RemoteError::NoPages)?)),
            Reads::Lines => (LINE, None),
        };
        let range = outline.cells.clone();
        let (sums, units, wanted) = (HashMap::new(), HashMap::new(), BTreeSet::new());
        let (top, kept, is_beyond) = (None, 0, false);
        Ok(Cells { range, unit, pages, top, sums, units, kept, wanted, is_beyond, first })
    }

    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// How many units lookups need.
    pub fn wanted(&self) -> usize {
        self.wanted.len()
    }

    /// Keeps up to `bytes` bytes of cells from one lookup to the next.
    pub fn keep(&mut self, bytes: usize) {
        self.kept = bytes;
    }

    /// Forgets the cells beyond those that are kept, and the checksums if there are many.
    pub fn clear(&mut self) {
        // Which ones stay is as good as random, and mostly they are the same ones each time. So keys
        // in random order find a part of a file that does not fit, and not nothing.
        let mut room = self.kept;
        self.units.retain(|_, bytes| match room.checked_sub(bytes.len() + ENTRY) {
            Some(rest) => {
                room = rest;
                true
            }
            None => false,
        });
        self.wanted.clear();
        if self.sums.len() > KEPT {
            self.sums.clear();
        }
    }

    /// What to read for the units that are needed, as ranges of the file. What the first bytes of
    /// the file have is taken from there.
    pub fn plan(&mut self) -> Result<Vec<Range<u64>>, RemoteError> {
        if self.is_beyond {
            return Err(LoadError::Header("section beyond the end of the file").into());
        }
        let first = std::mem::take(&mut self.first);
        let mut missing = Vec::new();
        for piece in self.pieces() {
            let range = self.range_of(piece);
            let is_vouched = self.pages.is_none() || self.checksum_of(piece).is_some();
            match first.get(index(range.start)..index(range.end)) {
                Some(bytes) if is_vouched => self.store(piece, bytes)?,
                _ => missing.push(range),
            }
        }
        self.first = first;
        Ok(merged(missing))
    }

    /// Takes the bytes of the ranges of [`plan`](Cells::plan), after verifying them from the top
    /// level of checksums down.
    pub fn take(&mut self, ranges: &[Range<u64>], bytes: &[Vec<u8>]) -> Result<(), RemoteError> {
        for piece in self.pieces() {
            self.store(piece, part(ranges, bytes, &self.range_of(piece))?)?;
        }
        self.wanted.clear();
        Ok(())
    }

    /// Verifies a piece and keeps it.
    fn store(&mut self, piece: Piece, bytes: &[u8]) -> Result<(), RemoteError> {
        if self.pages.is_some() && self.checksum_of(piece) != Some(checksum(bytes)) {
            return Err(RemoteError::Page { at: self.range_of(piece).start });
        }
        match piece {
            Piece::Top => self.top = Some(bytes.into()),
            Piece::Sums(level, page) => drop(self.sums.insert((level, page), bytes.into())),
            Piece::Unit(unit) => drop(self.units.insert(unit, bytes.into())),
        }
        Ok(())
    }

    /// What is missing, each after what vouches for it.
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if let (Some(pages), false) = (&self.pages, self.wanted.is_empty()) {
            if self.top.is_none() {
                pieces.push(Piece::Top);
            }
            for level in (0..pages.tree.levels() - 1).rev() {
                let page = |unit: &u64| (0..=level).fold(*unit, |page, _| Tree::place(page).0);
                let numbers: BTreeSet<u64> = self.wanted.iter().map(page).collect();
                let missing =
                    numbers.into_iter().filter(|it| !self.sums.contains_key(&(level, *it)));
                pieces.extend(missing.map(|page| Piece::Sums(level, page)));
            }
        }
        let missing = self.wanted.iter().filter(|unit| !self.units.contains_key(unit));
        pieces.extend(missing.map(|unit| Piece::Unit(*unit)));
        pieces
    }

    fn range_of(&self, piece: Piece) -> Range<u64> {
        let of_section = |range: Range<u64>| {
            let start = self.pages.as_ref().map_or(0, |pages| pages.start);
            start + range.start..start + range.end
        };
        match (piece, &self.pages) {
            (Piece::Top, Some(pages)) => of_section(pages.tree.top()),
            (Piece::Sums(level, page), Some(pages)) => of_section(pages.tree.page(level, page)),
            (Piece::Unit(unit), _) => {
                let start = self.range.start + unit * self.unit;
                start..(start + self.unit).min(self.range.end)
            }
            _ => 0..0,
        }
    }

    /// The checksum that a piece must have.
    fn checksum_of(&self, piece: Piece) -> Option<u64> {
        let pages = self.pages.as_ref()?;
        let (level, page) = match piece {
            Piece::Top => return Some(pages.root),
            Piece::Sums(level, page) => (level + 1, page),
            Piece::Unit(unit) => (0, unit),
        };
        let (page, at) = Tree::place(page);
        let sums = match level + 1 == pages.tree.levels() {
            true => self.top.as_deref(),
            false => self.sums.get(&(level, page)).map(|sums| &**sums),
        };
        word_in(sums?, 8 * at)
    }
}

impl FileWords for Cells {
    fn word(&mut self, at: u64) -> Option<u64> {
        let inside = self.range.start <= at && at.checked_add(8)? <= self.range.end;
        if !inside {
            self.is_beyond = true;
            return None;
        }
        let offset = at - self.range.start;
        let unit = offset / self.unit;
        match self.units.get(&unit) {
            Some(bytes) => word_in(bytes, index(offset % self.unit)),
            None => {
                self.wanted.insert(unit);
                None
            }
        }
    }

    /// Unit by unit. A table of shards has thousands of words, and is read again after each reply.
    fn row(&mut self, at: u64, count: u64) -> Option<Vec<u64>> {
        if count == 0 {
            return Some(Vec::new());
        }
        let end = count.checked_mul(8).and_then(|bytes| at.checked_add(bytes));
        let Some(end) = end.filter(|end| self.range.start <= at && *end <= self.range.end) else {
            self.is_beyond = true;
            return None;
        };
        let (start, end) = (at - self.range.start, end - self.range.start);
        let units = start / self.unit..end.div_ceil(self.unit);
        self.wanted.extend(units.clone().filter(|unit| !self.units.contains_key(unit)));
        let mut words = Vec::new();
        for unit in units {
            let first = unit * self.unit;
            let part = start.max(first) - first..end.min(first + self.unit) - first;
            let bytes = self.units.get(&unit)?.get(index(part.start)..index(part.end))?;
            words.extend(bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)));
        }
        (words.len() as u64 == count).then_some(words)
    }
}

fn word_in(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// An index into something in memory.
#[expect(clippy::cast_possible_truncation, reason = "what is in memory has a usize index")]
fn index(x: u64) -> usize {
    x as usize
}
