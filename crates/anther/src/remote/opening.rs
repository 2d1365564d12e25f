//! Opening a remote filter, step by step.

use super::cells::Cells;
use super::{Reads, Remote, part};
use crate::error::{LoadError, RemoteError};
use crate::filter::sparse::{FileWords, Shape};
use crate::format::{Open, Outline, Tag};
use std::ops::Range;

/// Bytes that are read first. They have the header of all but a few files with a long recipe, and
/// the top level of checksums.
const FIRST: u64 = 16 << 10;

/// The largest directory that is fetched: enough for 6·10¹⁰ keys in a ribbon.
const MAX_TABLE: u64 = 16 << 20;

/// A remote filter that is being opened: [`ranges`](Opening::ranges) to read, and
/// [`supply`](Opening::supply) for their bytes, until there is a [`Remote`]. It takes one round, or
/// two for static kinds and for files with a long recipe.
#[derive(Debug)]
pub struct Opening {
    how: Open,
    reads: Reads,
    ranges: Vec<Range<u64>>,
    /// The header, once it is known.
    rest: Option<Rest>,
}

/// What remains to be read after the header.
#[derive(Debug)]
struct Rest {
    outline: Outline,
    shape: Shape,
    cells: Cells,
}

impl Opening {
    /// With the secret key of a keyed filter, if it is one.
    pub fn new(how: Open, reads: Reads) -> Opening {
        #[expect(clippy::single_range_in_vec_init, reason = "there is one range")]
        let ranges = vec![0..FIRST];
        Opening { how, reads, ranges, rest: None }
    }

    /// The ranges of bytes to read next, in increasing order and apart from each other. The first of
    /// all may end beyond the end of the file.
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    /// Takes the bytes of each range. Without a result, there are further ranges to read. After an
    /// error, begin again.
    pub fn supply(&mut self, bytes: &[Vec<u8>]) -> Result<Option<Remote>, RemoteError> {
        if self.rest.is_none() {
            let [bytes, ..] = bytes else { return Err(LoadError::NotAnther.into()) };
            let len = Outline::header_len(bytes)?;
            let Some(header) = bytes.get(..len) else {
                let (expected, got) = (len as u64, bytes.len() as u64);
                let asked = self.ranges.first().map_or(0, |range| range.end);
                if got < asked.min(expected) {
                    return Err(LoadError::Truncated { expected, got }.into());
                }
                self.ranges[0].end = expected;
                return Ok(None);
            };
            self.begin(header, bytes)?;
        } else {
            self.take(bytes)?;
        }
        self.advance()
    }

    fn begin(&mut self, header: &[u8], first: &[u8]) -> Result<(), RemoteError> {
        let mut outline = Outline::read(header, self.how)?;
        let (tag, pages) = (outline.tag(), outline.pages.is_some());
        let Some(shape) = Shape::read(&mut outline)? else {
            return match tag {
                Tag::Filter(kind) => Err(RemoteError::Kind { kind }),
                _ => Err(LoadError::NotAnther.into()),
            };
        };
        if self.reads == Reads::Pages && !pages {
            return Err(RemoteError::NoPages);
        }
        let table = shape.table();
        let bytes = table.end - table.start;
        if bytes > MAX_TABLE {
            return Err(RemoteError::Directory { bytes, most: MAX_TABLE });
        }
        let cells = Cells::new(&outline, self.reads, first.to_vec())?;
        // The first bytes may have the tail, too.
        let here = outline.tail.as_ref().and_then(|tail| {
            let start = usize::try_from(tail.start).ok()?;
            first.get(start..usize::try_from(tail.end).ok()?)
        });
        if let Some(tail) = here {
            outline.read_tail(tail)?;
            outline.tail = None;
        }
        self.rest = Some(Rest { outline, shape, cells });
        Ok(())
    }

    fn take(&mut self, bytes: &[Vec<u8>]) -> Result<(), RemoteError> {
        let Some(Rest { outline, cells, .. }) = &mut self.rest else { return Ok(()) };
        if let Some(tail) = outline.tail.clone() {
            outline.read_tail(part(&self.ranges, bytes, &tail)?)?;
            outline.tail = None;
        }
        cells.take(&self.ranges, bytes)
    }

    /// The filter, if everything is here; else plans what to read.
    fn advance(&mut self) -> Result<Option<Remote>, RemoteError> {
        let Some(mut rest) = self.rest.take() else { return Ok(None) };
        let table = rest.shape.table();
        let count = (table.end - table.start) / 8;
        let mut words = rest.cells.row(table.start, count);
        let mut ranges: Vec<Range<u64>> = rest.outline.tail.iter().cloned().collect();
        if words.is_none() {
            ranges.extend(rest.cells.plan()?);
            // The first bytes may have had all of it.
            words = rest.cells.row(table.start, count);
        }
        match words {
            Some(table) if ranges.is_empty() => {
                let Rest { outline, shape, cells } = rest;
                let filter = shape.with_table(&table)?;
                Ok(Some(Remote { filter, about: outline.about, len: outline.len, cells }))
            }
            None if ranges.is_empty() => Err(LoadError::Section { name: "shards" }.into()),
            _ => {
                self.ranges = super::merged(ranges);
                self.rest = Some(rest);
                Ok(None)
            }
        }
    }
}
