//! One file for many processes, which add to it at once and lose nothing.

use super::AnyShared;
use crate::error::ShareError;
use crate::format::{InPlace, Open};
use crate::parts::hash::{Key, KeyHash};
use crate::profile::About;
use std::io;
use std::path::Path;

/// A filter in a file that many processes add to at once, in place, on the same memory.
///
/// For kinds of plain bits that a file holds as they are: [`Classic`](crate::Classic),
/// [`Blocked`](crate::Blocked), [`Split`](crate::Split). Bits are only ever set, each by an atomic
/// OR on the mapped file, so nothing is lost, and the file in the end is bit for bit that of one
/// process that inserted all keys. Within a process, any number of threads may use one of these.
///
/// While processes add to it, the file is *open*: its cells are under no checksum, since those
/// would be wrong after each key. The last to end closes it: new checksums, all on the disk.
/// Whoever reads it meanwhile, by [`Open::file`] or [`Open::map`], finds every key that was in
/// before it looked.
///
/// - A process that is killed loses nothing that it put in. The file stays open, and readable,
///   until the next process has added to it (or to nothing) and closes it.
/// - After a power cut the file reads as well. What was added since it was opened may be missing,
///   in part; what was in before is there.
/// - [`save`](crate::AnyFilter::save) puts another file in its place, and what others add to the
///   old one is lost with it. Hold a [`Lock`](crate::Lock) to replace it, which waits for them.
/// - As with a [map](Open::map), everyone who can write to the file is trusted: whoever cuts it
///   short ends all processes that use it.
///
/// ```
/// use anther::{Blocked, Open, SharedFile, Target};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.anther");
/// Blocked::new(Target::new(1000, 0.01)?)?.save(&path)?;
///
/// let seen = SharedFile::open(&path, Open::new())?; // as other processes do meanwhile
/// assert!(seen.insert("key"));
/// assert!(Open::new().map(&path)?.contains("key"), "others see it at once");
/// assert!(seen.close()?, "nobody else has it open");
/// assert!(Blocked::open(&path)?.contains("key"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SharedFile {
    filter: AnyShared,
    place: InPlace,
}

impl SharedFile {
    /// Opens a filter to add to it. Waits while somebody holds its [`Lock`](crate::Lock). The first
    /// to open it verifies every byte; those who join trust those who add.
    pub fn open(path: impl AsRef<Path>, how: Open) -> Result<SharedFile, ShareError> {
        let (place, filter, words) = InPlace::join(path.as_ref(), how)?;
        Ok(SharedFile { filter: AnyShared::over(filter, words)?, place })
    }

    /// Ends adding. True when nobody else adds to the file, so that it is closed now.
    ///
    /// Dropping it does the same and tells nobody what became of it. What fails stays open:
    /// nothing is lost, and the next one closes it.
    pub fn close(self) -> io::Result<bool> {
        self.place.leave()
    }

    /// What the filter was made for and with. The number of inserts is that of when it was opened.
    pub fn about(&self) -> &About {
        self.filter.0.about()
    }

    /// Puts a key in; true when it surely was not in before.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn insert(&self, key: impl Key) -> bool {
        self.insert_hashes(&[key.key_hash(&self.about().seed)]) > 0
    }

    /// Whether the key may be in the set. False is certain.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn contains(&self, key: impl Key) -> bool {
        self.contains_hash(key.key_hash(&self.about().seed))
    }

    /// Puts keys in by their hashes; how many of them surely were not in before.
    pub fn insert_hashes(&self, keys: &[KeyHash]) -> u64 {
        let new = self.filter.insert_hashes(keys);
        self.place.count(keys.len() as u64);
        new
    }

    /// Whether the key with this hash may be in the set.
    pub fn contains_hash(&self, key: KeyHash) -> bool {
        self.filter.contains_hash(key)
    }
}
