//! A filter that many threads or processes insert into at once.

use crate::failure::{Failure, Status};
use crate::filter::{Keys, Opening, in_chunks, of_key};
use anther::{About, AnyShared, Key, KeyHash, SharedFile, SharedView, Threads};
use std::ops::Range;
use std::path::Path;

/// `anther_shared`.
#[derive(Debug)]
pub struct Shared {
    pub(crate) place: Place,
    /// How its keys become hashes: see [`Filter`](crate::Filter).
    keys: Keys,
}

/// Where its cells are.
#[derive(Debug)]
pub(crate) enum Place {
    /// In the memory of this process.
    Memory(AnyShared),
    /// In a file, to insert into.
    File(SharedFile),
    /// In a file, to look up only.
    View(SharedView),
}

impl Place {
    fn about(&self) -> &About {
        match self {
            Place::Memory(filter) => filter.about(),
            Place::File(filter) => filter.about(),
            Place::View(filter) => filter.about(),
        }
    }
}

impl Shared {
    pub(crate) fn of(place: Place) -> Shared {
        Shared { keys: Keys::of(place.about()), place }
    }

    pub(crate) fn open(path: &Path, how: &Opening, insert: bool) -> Result<Shared, Failure> {
        let opened = match insert {
            true => SharedFile::open(path, how.how()).map(Place::File),
            false => SharedView::open(path, how.how()).map(Place::View),
        };
        opened.map(Shared::of).map_err(|error| Failure::from(error).about(path.display()))
    }

    /// The hash of a key, by the rule if there is one.
    #[inline]
    pub(crate) fn hash(&self, key: impl Key) -> Result<KeyHash, Failure> {
        match &self.keys {
            Keys::Plain(seed) => Ok(key.key_hash(seed)),
            _ => self.hash_slowly(key),
        }
    }

    #[cold]
    #[inline(never)]
    fn hash_slowly(&self, key: impl Key) -> Result<KeyHash, Failure> {
        self.keys.check()?;
        Ok(self.place.about().key_hash(key)?)
    }

    /// Whether the key may be in the set.
    #[inline]
    pub(crate) fn contains(&self, key: impl Key) -> Result<bool, Failure> {
        if self.place.about().reach().is_below() {
            return self.contains_below(key);
        }
        let key = self.hash(key)?;
        Ok(match &self.place {
            Place::Memory(filter) => filter.contains_hash(key),
            Place::File(filter) => filter.contains_hash(key),
            Place::View(filter) => filter.contains_hash(key),
        })
    }

    #[cold]
    #[inline(never)]
    fn contains_below(&self, key: impl Key) -> Result<bool, Failure> {
        self.keys.check()?;
        Ok(match &self.place {
            Place::Memory(filter) => filter.contains(key)?,
            Place::File(filter) => filter.contains(key)?,
            Place::View(filter) => filter.contains(key)?,
        })
    }

    fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool]) {
        match &self.place {
            Place::Memory(filter) => filter.contains_hashes(keys, found),
            Place::File(filter) => filter.contains_hashes(keys, found),
            Place::View(filter) => filter.contains_hashes(keys, found),
        }
    }

    /// Returns how many of the keys are certainly new.
    pub(crate) fn insert_hashes(&self, keys: &[KeyHash]) -> Result<u64, Failure> {
        match &self.place {
            Place::Memory(filter) => Ok(filter.insert_hashes(keys)),
            Place::File(filter) => Ok(filter.insert_hashes(keys)),
            Place::View(_) => {
                let text = "the file was opened for lookups; open it with ANTHER_SHARED_INSERT";
                Err(Failure::new(Status::Unsupported, text))
            }
        }
    }

    /// Hashes the keys of these rows into a buffer, instead of what was there.
    fn hash_rows<K: Key>(
        &self,
        keys: &[K],
        rows: Range<usize>,
        hashes: &mut Vec<KeyHash>,
    ) -> Result<(), Failure> {
        hashes.clear();
        for row in rows {
            hashes.push(self.hash(&keys[row]).map_err(|failure| of_key(failure, row))?);
        }
        Ok(())
    }

    /// Whether each of the keys may be in the set. If a key is refused, the answers mean nothing.
    pub(crate) fn contains_many<K: Key + Sync>(
        &self,
        keys: &[K],
        found: &mut [bool],
        threads: Threads,
    ) -> Result<(), Failure> {
        self.keys.check()?;
        let is_below = self.place.about().reach().is_below();
        in_chunks(found, threads, |rows, found| {
            if is_below {
                for (row, found) in rows.zip(found) {
                    *found = self.contains(&keys[row]).map_err(|failure| of_key(failure, row))?;
                }
                return Ok(());
            }
            let mut hashes = Vec::with_capacity(BLOCK.min(found.len()));
            for (start, found) in rows.step_by(BLOCK).zip(found.chunks_mut(BLOCK)) {
                self.hash_rows(keys, start..start + found.len(), &mut hashes)?;
                self.contains_hashes(&hashes, found);
            }
            Ok(())
        })
    }

    /// Inserts on this thread: callers have threads of their own.
    pub(crate) fn insert_many<K: Key + Sync>(&self, keys: &[K]) -> Result<u64, Failure> {
        self.keys.check()?;
        if self.place.about().reach().is_below() {
            return match &self.place {
                Place::Memory(filter) => Ok(filter.insert_keys(keys)?),
                Place::File(filter) => Ok(filter.insert_keys(keys)?),
                Place::View(_) => self.insert_hashes(&[]),
            };
        }
        // A key that the rule refuses changes nothing, so all of them are hashed first.
        let block = if matches!(self.keys, Keys::Ruled) { keys.len().max(1) } else { BLOCK };
        let (mut new, mut hashes) = (0, Vec::new());
        for start in (0..keys.len()).step_by(block) {
            self.hash_rows(keys, start..keys.len().min(start + block), &mut hashes)?;
            new += self.insert_hashes(&hashes)?;
        }
        Ok(new)
    }
}

/// Keys that are hashed at a time: as many hashes as half of a first-level cache holds.
const BLOCK: usize = 2048;
