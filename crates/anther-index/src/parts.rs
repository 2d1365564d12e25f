//! Long files in parts, so that all threads read them.
//!
//! A part begins at the first line end from a multiple of its length on, and ends where the next
//! one begins, so the blocks are the same on any number of threads.

use crate::source::Sources;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

/// The length of a part.
const PART: u64 = 64 << 20;

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its number in the file.
    pub number: u32,
    /// Its bytes, up to line ends; none for the whole rest of the file.
    range: Range<u64>,
    is_first: bool,
    is_last: bool,
}

/// Whether a file of this length is worth it.
pub fn is_long(len: u64) -> bool {
    len > 2 * PART
}

/// Whether it is plain text, by its first bytes.
pub fn is_plain(path: &Path, sources: &dyn Sources) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(16).read_to_end(&mut start));
    read.is_ok() && sources.is_plain(&start)
}

/// The parts of some bytes of a file, numbered from `first` on; one, unless it is to be split.
pub fn of(bytes: Range<u64>, split: bool, first: u32) -> impl Iterator<Item = Part> + Send {
    let len = if split { PART } else { u64::MAX };
    let parts = bytes.end.saturating_sub(bytes.start).div_ceil(len).max(1);
    (0..parts).zip(first..).map(move |(at, number)| {
        let start = bytes.start.saturating_add(at.saturating_mul(len));
        let range = start..start.saturating_add(len).min(bytes.end);
        Part { number, range, is_first: at == 0, is_last: at + 1 == parts }
    })
}

impl Part {
    /// Whether it is the first that is read of its file.
    pub fn is_first(&self) -> bool {
        self.is_first
    }

    /// The bytes to read of a file of this size. Others may belong to the next part.
    pub fn bytes(&self, size: u64) -> (u64, u64) {
        // One byte earlier, to see whether the line before ends there.
        let begin = if self.is_first { self.range.start } else { self.range.start - 1 };
        (begin, size)
    }

    /// Tells which of the bytes that are read belong to this part.
    pub fn window(&self) -> Window {
        Window {
            is_inside: self.is_first,
            // From the byte on that was read first.
            left: match self.is_last {
                true => None,
                false => Some(self.range.end - self.range.start - u64::from(self.is_first)),
            },
        }
    }
}

/// Which bytes of the pieces that are read belong to a part.
pub struct Window {
    is_inside: bool,
    /// Bytes before the one from which on a line end ends the part; none in the last part.
    left: Option<u64>,
}

impl Window {
    /// The bytes of the next piece that belong to the part, and whether it ends there.
    pub fn of(&mut self, piece: &[u8]) -> (Range<usize>, bool) {
        let mut start = 0;
        if !self.is_inside {
            match memchr::memchr(b'\n', piece) {
                Some(at) => (start, self.is_inside) = (at + 1, true),
                None => start = piece.len(),
            }
        }
        let Some(left) = &mut self.left else { return (start..piece.len(), false) };
        let skipped = usize::try_from(*left).unwrap_or(usize::MAX);
        let Some(rest) = piece.get(skipped..) else {
            *left -= piece.len() as u64;
            return (start..piece.len(), false);
        };
        *left = 0;
        match memchr::memchr(b'\n', rest) {
            // A line that began before this part and ends after it: nothing is of this part.
            Some(at) => (start.min(skipped + at + 1)..skipped + at + 1, true),
            None => (start..piece.len(), false),
        }
    }
}
