//! What an index knows about files: roots, files, blocks.

use std::cmp::Ordering;
use std::fs::Metadata;
use std::ops::Range;
use std::path::{Path, PathBuf, is_separator};
use std::time::UNIX_EPOCH;

/// A folder or file that was given to index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Its absolute path; symbolic links are not resolved.
    pub path: PathBuf,
    /// As it was given, for paths in the output.
    pub given: PathBuf,
}

/// What the index knows about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// The number of its root.
    pub root: u32,
    /// Its path below the root; empty if the root is the file itself.
    pub path: PathBuf,
    /// What tells whether it has changed.
    pub stamp: Stamp,
    /// Whether it is compressed. Blocks are parts of the decompressed text.
    pub is_compressed: bool,
    /// Whether it has a byte-order mark or a NUL byte, so that a search must see all of it. The
    /// blocks of a file below a folder end at the first NUL byte: a search ends there, too.
    pub is_binary: bool,
    /// Whether it is a Parquet file: each block is a row group, and only columns are indexed.
    pub is_parquet: bool,
    /// Whether it was modified less than two seconds before it was read, or meanwhile. Its time
    /// cannot show another change within the clock's resolution, so it counts as changed.
    pub is_fresh: bool,
    /// Whether a longer version of it must be read from its beginning.
    pub(crate) is_whole: bool,
    /// Checksum of its first and last bytes, as far as they were indexed.
    pub(crate) ends: u64,
    /// The numbers of its blocks, which lie one after another.
    pub blocks: Range<u32>,
}

impl FileEntry {
    /// Its path, with the root's path before it.
    pub fn below(&self, root: &Path) -> PathBuf {
        below(root, &self.path)
    }

    /// Whether each line of its text is a record of its own: no record of CSV goes on in the next
    /// line. Not known of compressed files.
    pub fn has_records_by_line(&self) -> bool {
        !self.is_whole
    }

    /// Whether its blocks can stay when it grows. Only then their tails are known.
    pub(crate) fn is_plain(&self) -> bool {
        !(self.is_compressed || self.is_binary || self.is_whole || self.is_parquet)
    }

    /// Whether the file is still the one that was indexed.
    pub fn is_unchanged(&self, metadata: &Metadata) -> bool {
        !self.is_fresh && self.stamp == Stamp::of(metadata)
    }
}

/// A path below a root, or the root itself.
pub fn below(root: &Path, path: &Path) -> PathBuf {
    if path.as_os_str().is_empty() { root.to_path_buf() } else { root.join(path) }
}

/// The order of `Path`, for paths as walks give them: by bytes, a separator before all others. To
/// sort 10,000 paths by their components took 21 ms; this takes 1.1 ms.
pub fn path_order(one: &Path, two: &Path) -> Ordering {
    fn keys(path: &Path) -> impl Iterator<Item = u8> {
        let bytes = path.as_os_str().as_encoded_bytes().iter();
        bytes.map(|byte| if is_separator(char::from(*byte)) { 0 } else { *byte })
    }
    keys(one).cmp(keys(two))
}

/// Size, times and inode of a file. If one of them differs, the file has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Its size on disk.
    pub size: u64,
    /// When it was modified, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// When its content or its inode was changed (ctime), which no program can set back; 0 on
    /// systems without.
    pub changed_ns: i64,
    /// Its inode; 0 on systems without.
    pub inode: u64,
}

impl Stamp {
    /// The stamp of a file.
    pub fn of(metadata: &Metadata) -> Stamp {
        let modified_ns = match metadata.modified().map(|time| time.duration_since(UNIX_EPOCH)) {
            Ok(Ok(after)) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
            Ok(Err(before)) => {
                i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |ns| -ns)
            }
            Err(_) => 0,
        };
        let (changed_ns, inode) = (changed_ns(metadata), inode(metadata));
        Stamp { size: metadata.len(), modified_ns, changed_ns, inode }
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(unix)]
fn changed_ns(metadata: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed_ns(_: &Metadata) -> i64 {
    0
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

/// A part of a file's decompressed text. It ends at a line end, or where the text does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where it begins.
    pub offset: u64,
    /// Its length in bytes.
    pub len: u64,
    /// The number of its first line, from 1.
    pub first_line: u64,
    /// How many line ends it has.
    pub lines: u64,
    /// Checksum of its last bytes, up to 1 KiB; 0 in files that are read whole if they grow.
    pub tail: u64,
}

#[cfg(test)]
mod tests {
    use super::path_order;
    use std::path::Path;

    #[test]
    fn paths_are_ordered_by_their_components() {
        let paths =
            ["", "a", "a/b", "a/b/c", "a b", "a.b", "a-b/c", "a0", "b", "Ä/x", "ä", "aa/", "a/c"];
        let paths = paths.map(Path::new);
        for one in paths {
            for two in paths {
                assert_eq!(path_order(one, two), one.cmp(two), "{one:?} {two:?}");
            }
        }
    }
}
