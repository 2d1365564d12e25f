//! The text of a file, as the caller reads and decompresses it.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

/// Opens the text of files.
pub trait Sources: Sync {
    /// The text of a file, from the file's position on: its beginning, unless
    /// [`Source::is_whole`] was false when it was read before.
    fn open(&self, opened: Opened<'_>) -> io::Result<Box<dyn Source>>;

    /// Whether a file that begins with these bytes is plain text, so that threads may share it.
    fn is_plain(&self, start: &[u8]) -> bool;
}

/// A file to read.
#[derive(Debug)]
pub struct Opened<'a> {
    /// The file, at the position where reading begins.
    pub file: File,
    /// Its path.
    pub path: &'a Path,
    /// The position.
    pub offset: u64,
    /// How many bytes to read from there: what is appended meanwhile belongs to the next update.
    pub len: u64,
}

/// Takes a key: the number of its column, where its record is in the piece, and the key.
pub type FoundKey<'a> = dyn FnMut(usize, Range<usize>, &[u8]) + 'a;

/// A row group of a Parquet file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowGroup {
    /// How many rows it has.
    pub rows: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// The decompressed text of a file, piece by piece.
pub trait Source {
    /// Reads the next piece of the text; false at the end. Where keys are taken, a piece has whole
    /// records.
    fn read(&mut self) -> io::Result<bool>;

    /// The piece that was read last.
    fn piece(&self) -> &[u8];

    /// Calls a function for each key of the latest piece. False if keys may be missing, as after a malformed
    /// record, so that all blocks of the piece must be searched for any key.
    fn keys(&mut self, _found: &mut FoundKey<'_>) -> bool {
        true
    }

    /// Whether the latest piece may have keys of this column that [`keys`](Source::keys) does not
    /// give.
    fn is_unknown(&self, _column: usize) -> bool {
        false
    }

    /// The row group that was read last, if the file is a Parquet file: it is a block, and has keys
    /// but no text.
    fn row_group(&self) -> Option<RowGroup> {
        None
    }

    /// Whether the file is compressed.
    fn is_compressed(&self) -> bool {
        false
    }

    /// Whether a longer version of the file must be read from the beginning.
    fn is_whole(&self) -> bool {
        self.is_compressed()
    }

    /// How many bytes of the file were read so far.
    fn bytes_read(&self) -> u64;

    /// An error of reading it, as text.
    fn explain(&self, error: &io::Error) -> String {
        error.to_string()
    }
}
