//! One file for many processes, which add to it at once and lose nothing.

#[cfg(all(test, anther_shuttle))]
mod model;

use super::AnyShared;
use crate::any::AnyFilter;
use crate::batch::blocks::HashBlock;
use crate::batch::threads::Threads;
use crate::error::{KeyError, ShareError};
use crate::format::{InPlace, Open, Viewed};
use crate::parts::hash::{Key, KeyHash};
use crate::profile::About;
use crate::recipe::Entries;
use std::io;
use std::ops::Range;
use std::path::Path;

/// A filter in a file that many processes add to at once, in place, on the same memory.
///
/// For kinds of plain bits that a file holds as they are: [`Classic`](crate::Classic),
/// [`Blocked`](crate::Blocked), [`Split`](crate::Split). Bits are only ever set, each by an atomic
/// OR on the mapped file, so nothing is lost, and the file in the end is bit for bit that of one
/// process that inserted all keys. Within a process, any number of threads may use one of these.
///
/// While processes add to it, the file is *open*: its cells are under no checksum, since those
/// would be wrong after each key. The last process to end closes it, with new checksums, and syncs
/// it. Readers may come at any time, by [`Open::file`] or by a [`SharedView`], and find every key
/// that was inserted before they looked.
///
/// - A process that is killed loses nothing that it inserted. The file stays open, and readable,
///   until the next process opens it and closes it again.
/// - After a power cut the file is readable as well. Some of what was added since it was opened may
///   be missing; what was in before is there.
/// - [`save`](crate::AnyFilter::save) puts another file in its place, and what others add to the
///   old one is lost with it. Hold a [`Lock`](crate::Lock) to replace it, which waits for them.
/// - Everyone who can write to the file is trusted not to truncate it: that ends all processes
///   that have it mapped (SIGBUS).
///
/// ```
/// use anther::{Blocked, Open, SharedFile, SharedView, Target};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.anther");
/// Blocked::new(Target::new(1000, 0.01)?)?.save(&path)?;
///
/// let view = SharedView::open(&path, Open::new())?;
/// let seen = SharedFile::open(&path, Open::new())?; // as other processes do meanwhile
/// assert!(seen.insert("key")?);
/// assert!(view.contains("key")?, "others see it at once");
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
        let (place, filter, words) = InPlace::join::<AnyFilter>(path.as_ref(), how)?;
        Ok(SharedFile { filter: AnyShared::over(filter, words)?, place })
    }

    /// Ends adding. True when nobody else adds to the file, so that it is closed now.
    ///
    /// Dropping it does the same and drops the error, too. After an error the file stays open:
    /// nothing is lost, and the next process closes it.
    pub fn close(self) -> io::Result<bool> {
        self.place.leave()
    }

    /// What the filter was made for and with. The number of inserts is that of when it was opened.
    pub fn about(&self) -> &About {
        self.filter.about()
    }

    /// Inserts a key. Returns true if it is certainly new.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn insert(&self, key: impl Key) -> Result<bool, KeyError> {
        Ok(self.insert_keys(&[key])? > 0)
    }

    /// Checks that the file knows these levels; see [`AnyShared::check_levels`].
    pub fn check_levels(&self, levels: u128) -> Result<(), KeyError> {
        self.filter.check_levels(levels)
    }

    /// Whether the key may be in the set. False is certain.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn contains(&self, key: impl Key) -> Result<bool, KeyError> {
        self.filter.contains(key)
    }

    /// Inserts a key by its hash. Returns true if it is certainly new.
    pub fn insert_hash(&self, key: KeyHash) -> bool {
        self.insert_hashes(&[key]) > 0
    }

    /// Inserts keys. Returns how many of them are certainly new.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn insert_keys<K: Key>(&self, keys: &[K]) -> Result<u64, KeyError> {
        if self.about().reach().is_below() {
            return self.insert_entries(&self.about().entries(keys)?);
        }
        let new = self.filter.insert_keys(keys)?;
        self.place.count(keys.len() as u64);
        Ok(new)
    }

    /// Inserts the entries of a list; see [`AnyShared::insert_entries`].
    pub fn insert_entries(&self, entries: &Entries) -> Result<u64, KeyError> {
        let new = self.filter.insert_entries(entries)?;
        self.place.count((entries.hashes.len() + entries.more.len()) as u64);
        Ok(new)
    }

    /// Inserts keys by their hashes. Returns how many of them are certainly new.
    pub fn insert_hashes(&self, keys: &[KeyHash]) -> u64 {
        let new = self.filter.insert_hashes(keys);
        self.place.count(keys.len() as u64);
        new
    }

    /// Whether each of the keys may be in the set; as
    /// [`Filter::contains_keys`](crate::Filter::contains_keys).
    ///
    /// # Panics
    /// When `found` is not as long as `keys`, or the filter's seed
    /// [cannot hash](crate::Seed::can_hash).
    pub fn contains_keys<K: Key>(&self, keys: &[K], found: &mut [bool]) -> Result<(), KeyError> {
        self.filter.contains_keys(keys, found)
    }

    /// Whether each of the keys with these hashes may be in the set.
    ///
    /// # Panics
    /// When `found` is not as long as `keys`.
    pub fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool]) {
        self.filter.contains_hashes(keys, found);
    }

    /// Whether the key with this hash may be in the set.
    pub fn contains_hash(&self, key: KeyHash) -> bool {
        self.filter.contains_hash(key)
    }

    /// Inserts `count` keys on several threads where that pays; see [`AnyShared::insert_blocks`].
    pub fn insert_blocks(&self, count: usize, hashes: &HashBlock<'_>, threads: Threads) {
        self.filter.insert_blocks(count, hashes, threads);
        self.place.count(count as u64);
    }

    /// Whether each of many keys may be in the set; see [`AnyShared::contains_blocks`].
    pub fn contains_blocks<E: Send>(
        &self,
        found: &mut [bool],
        hashes: impl Fn(Range<usize>, &mut [KeyHash]) -> Result<(), E> + Sync,
        threads: Threads,
    ) -> Result<(), E> {
        self.filter.contains_blocks(found, hashes, threads)
    }
}

/// A filter in a file that other processes may be adding to, mapped to be queried only.
///
/// It needs no write access and no lock, opens at once however large the file is, and finds what
/// others insert by [`SharedFile`] as soon as they have. It is for the same kinds as that, and reads
/// the file by atomic loads; a [`FileMap`](crate::FileMap) is for files that do not change, and for
/// every kind.
///
/// The header and all lengths are verified, the cells are not. As with [`SharedFile`], a file that
/// is truncated ends the processes that have it mapped. A file that is replaced by
/// [`save`](crate::Save) stays as it was in this view: open it again.
#[derive(Debug)]
pub struct SharedView {
    filter: AnyShared,
}

impl SharedView {
    /// Maps a file.
    pub fn open(path: impl AsRef<Path>, how: Open) -> Result<SharedView, ShareError> {
        let Viewed { filter, words } = Viewed::<AnyFilter>::open(path.as_ref(), how)?;
        Ok(SharedView { filter: AnyShared::over(filter, words)? })
    }

    /// What the filter was made for and with. The number of inserts is that of when it was opened.
    pub fn about(&self) -> &About {
        self.filter.about()
    }

    /// Whether the key may be in the set. False is certain.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn contains(&self, key: impl Key) -> Result<bool, KeyError> {
        self.filter.contains(key)
    }

    /// Whether each of the keys may be in the set; as
    /// [`Filter::contains_keys`](crate::Filter::contains_keys).
    ///
    /// # Panics
    /// When `found` is not as long as `keys`, or the filter's seed
    /// [cannot hash](crate::Seed::can_hash).
    pub fn contains_keys<K: Key>(&self, keys: &[K], found: &mut [bool]) -> Result<(), KeyError> {
        self.filter.contains_keys(keys, found)
    }

    /// Whether each of the keys with these hashes may be in the set.
    ///
    /// # Panics
    /// When `found` is not as long as `keys`.
    pub fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool]) {
        self.filter.contains_hashes(keys, found);
    }

    /// Whether the key with this hash may be in the set.
    pub fn contains_hash(&self, key: KeyHash) -> bool {
        self.filter.contains_hash(key)
    }
}
