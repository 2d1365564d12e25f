//! A filter that many threads or processes insert into at once.

use crate::failure::{Failure, Status};
use crate::filter::{Opening, in_chunks};
use anther::{About, AnyShared, Key, KeyHash, SharedFile, SharedView, Threads};
use std::path::Path;

/// `anther_shared`.
#[derive(Debug)]
pub enum Shared {
    /// In the memory of this process.
    Memory(AnyShared),
    /// In a file, to insert into.
    File(SharedFile),
    /// In a file, to look up only.
    View(SharedView),
}

impl Shared {
    pub(crate) fn open(path: &Path, how: &Opening, insert: bool) -> Result<Shared, Failure> {
        let opened = match insert {
            true => SharedFile::open(path, how.how()).map(Shared::File),
            false => SharedView::open(path, how.how()).map(Shared::View),
        };
        opened.map_err(|error| Failure::from(error).about(path.display()))
    }

    fn about(&self) -> &About {
        match self {
            Shared::Memory(filter) => filter.about(),
            Shared::File(filter) => filter.about(),
            Shared::View(filter) => filter.about(),
        }
    }

    #[inline]
    pub(crate) fn hash(&self, key: impl Key) -> Result<KeyHash, Failure> {
        if !self.about().seed.can_hash() {
            let text = "the filter cannot hash keys: it was opened without its secret key, or \
                        built from external hashes";
            return Err(Failure::new(Status::Secret, text));
        }
        Ok(self.about().key_hash(key)?)
    }

    pub(crate) fn contains(&self, key: KeyHash) -> bool {
        match self {
            Shared::Memory(filter) => filter.contains_hash(key),
            Shared::File(filter) => filter.contains_hash(key),
            Shared::View(filter) => filter.contains_hash(key),
        }
    }

    fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool]) {
        match self {
            Shared::Memory(filter) => filter.contains_hashes(keys, found),
            Shared::File(filter) => filter.contains_hashes(keys, found),
            Shared::View(filter) => filter.contains_hashes(keys, found),
        }
    }

    /// Returns how many of the keys are certainly new.
    pub(crate) fn insert_hashes(&self, keys: &[KeyHash]) -> Result<u64, Failure> {
        match self {
            Shared::Memory(filter) => Ok(filter.insert_hashes(keys)),
            Shared::File(filter) => Ok(filter.insert_hashes(keys)),
            Shared::View(_) => {
                let text = "the file was opened for lookups; open it with ANTHER_SHARED_INSERT";
                Err(Failure::new(Status::Unsupported, text))
            }
        }
    }

    fn hashes<K: Key>(&self, keys: &[K]) -> Result<Vec<KeyHash>, Failure> {
        keys.iter().map(|key| self.hash(key)).collect()
    }

    pub(crate) fn contains_many<K: Key + Sync>(
        &self,
        keys: &[K],
        found: &mut [bool],
        threads: Threads,
    ) -> Result<(), Failure> {
        let look = |keys: &[K], found: &mut [bool]| {
            for (keys, found) in keys.chunks(BLOCK).zip(found.chunks_mut(BLOCK)) {
                self.contains_hashes(&self.hashes(keys)?, found);
            }
            Ok(())
        };
        in_chunks(keys, found, threads, look).inspect_err(|_| found.fill(true))
    }

    /// Inserts on this thread: callers have threads of their own.
    pub(crate) fn insert_many<K: Key + Sync>(&self, keys: &[K]) -> Result<u64, Failure> {
        let mut new = 0;
        // A key that the rule refuses changes nothing, so all of them are hashed first.
        let block = if self.about().rule().is_some() { keys.len().max(1) } else { BLOCK };
        for keys in keys.chunks(block) {
            new += self.insert_hashes(&self.hashes(keys)?)?;
        }
        Ok(new)
    }
}

/// Keys that are hashed at a time.
const BLOCK: usize = 4096;
