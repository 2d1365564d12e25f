//! What making an index takes, and what it reports.

use crate::source::Sources;
use anther::{Cancel, Threads};
use std::path::Path;

/// The least memory for columns that wait.
pub const LEAST_MEMORY: u64 = 16 << 20;

/// Is told about progress, from any thread.
pub trait Watch: Sync {
    /// This many bytes of files will be read.
    fn begin(&self, _bytes: u64) {}
    /// This many more were read.
    fn advance(&self, _bytes: u64) {}
    /// A file is left out, and why.
    fn warn(&self, _path: &Path, _cause: &str) {}
}

/// Makes and updates indexes.
#[derive(Clone, Copy)]
pub struct Indexer<'a> {
    /// Reads and decompresses files.
    pub sources: &'a dyn Sources,
    /// Is told about progress.
    pub watch: &'a dyn Watch,
    /// How many threads work.
    pub threads: Threads,
    /// Bytes for columns that wait for their group. Each thread needs a few MiB more.
    pub memory: u64,
    /// The length of a block, up to the end of its last line: [`BLOCK`](crate::BLOCK), except in tests.
    pub block: u64,
    /// Cancels it from another thread.
    pub cancel: &'a Cancel,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files in the index.
    pub files: u64,
    /// Files that were read whole.
    pub read: u64,
    /// Files that grew and were read from their last block on.
    pub grown: u64,
    /// Files that are unchanged and were not read.
    pub kept: u64,
    /// Files of the old index that are gone.
    pub dropped: u64,
    /// Files that could not be read, and are not in the index.
    pub skipped: u64,
    /// Blocks in the index.
    pub blocks: u64,
    /// Bytes of decompressed text in the index.
    pub text: u64,
    /// Bytes of the index file.
    pub bytes: u64,
}
