//! A differential file: changes beside a large base that nobody writes, and a filter that says
//! which records have changed.
//!
//! An errata list beside a book: the book is not printed again for every slip, but a reader must
//! look into the list first. Severance and Lohman (1976, "Differential files: their application to
//! the maintenance of large databases") keep changes in a file of their own. The base stays as it
//! was backed up, and a crash loses at most the small file. A filter of the changed keys in memory
//! answers whether the list is worth a look (Gremillion 1982 designs it).
//!
//! A lookup takes one read, of the base or of the changes, and one more for a false positive. With
//! the rate f, and a share u of lookups that want changed records, that is 1 + f·(1−u). Without the
//! filter every lookup searches the changes first: 2−u.
//!
//! ```
//! use anther_uses::differential_file::{reads, reads_without_filter};
//!
//! // One lookup of ten wants a changed record; the filter has 1 % false positives.
//! assert_eq!(reads(0.01, 0.1), 1.009);
//! assert_eq!(reads_without_filter(0.1), 1.9);
//! ```
//!
//! **When it breaks.** More changes than the filter was made for raise f: [merge] in time. The filter
//! is in memory and must be rebuilt from the file after a crash. If strangers see which records
//! changed, a fixed seed lets them read just those that cost an extra read; take [`Seed::keyed`].
//!
//! [merge]: DifferentialFile::merge

use anther::{Classic, Key, KeyHash, Seed, SizeError, Target};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Error, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Reads of a lookup: f·(1−u) more than one.
pub fn reads(fpr: f64, updated: f64) -> f64 {
    1.0 + fpr * (1.0 - updated)
}

/// Reads of a lookup that searches the changes first.
pub fn reads_without_filter(updated: f64) -> f64 {
    2.0 - updated
}

/// The large file that is rarely written.
pub trait Base {
    /// A record's value.
    fn read(&mut self, key: &str) -> io::Result<Option<String>>;
    /// Sets records, or removes those whose value is `None`: all of them or none.
    fn apply(&mut self, changes: &Changes) -> io::Result<()>;
}

/// Records that changed, with their latest value, or `None` if they were removed.
pub type Changes = BTreeMap<String, Option<String>>;

/// How often the files were read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reads {
    /// Searches of the changes.
    pub changes: u64,
    /// Those of them that found nothing: false positives of the filter.
    pub wasted: u64,
    /// Reads of the base.
    pub base: u64,
}

/// A base and the changes to it.
///
/// The file of changes is a hash table on disk. First come the buckets, 8 bytes each: where the
/// latest change of a key in this bucket is, or 0. Each change says where the one before it is.
#[derive(Debug)]
pub struct DifferentialFile<B> {
    base: B,
    file: File,
    end: u64,
    buckets: u64,
    filter: Classic,
    target: Target,
    seed: Seed,
    reads: Reads,
}

/// The length of a change without its key and value: where the previous change of the bucket is,
/// and the lengths of key and value.
const HEADER: u64 = 16;
/// In place of the length of a value: the record was removed.
const REMOVED: u32 = u32::MAX;

impl<B: Base> DifferentialFile<B> {
    /// No changes yet, and room for as many as the target says. Creates the file.
    pub fn new(path: impl AsRef<Path>, base: B, target: Target, seed: Seed) -> io::Result<Self> {
        let file = File::options().read(true).write(true).create_new(true).open(path)?;
        let filter = filter(target, seed)?;
        let (buckets, reads) = (target.items(), Reads::default());
        let mut made = Self { base, file, end: 0, buckets, filter, target, seed, reads };
        made.clear()?;
        Ok(made)
    }

    /// A record's value: from the changes if it has changed, and from the base otherwise.
    pub fn read(&mut self, key: &str) -> io::Result<Option<String>> {
        if self.filter.contains(key) {
            self.reads.changes += 1;
            if let Some(value) = self.find(key)? {
                return Ok(value);
            }
            self.reads.wasted += 1;
        }
        self.reads.base += 1;
        self.base.read(key)
    }

    /// Changes a record, or removes it (`None`).
    pub fn change(&mut self, key: &str, value: Option<&str>) -> io::Result<()> {
        let length = |text: &str| match u32::try_from(text.len()) {
            Ok(length) if length < REMOVED => Ok(length),
            _ => Err(Error::new(ErrorKind::InvalidInput, "a key or a value is longer than 4 GB")),
        };
        let mut record = Vec::new();
        let bucket = self.bucket(key);
        let [previous] = self.words(bucket)?;
        record.extend(previous.to_le_bytes());
        record.extend(length(key)?.to_le_bytes());
        record.extend(value.map_or(Ok(REMOVED), length)?.to_le_bytes());
        record.extend(key.as_bytes());
        record.extend(value.unwrap_or_default().as_bytes());
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&record)?;
        // The bucket last: a change that was cut off is not found.
        self.file.seek(SeekFrom::Start(bucket))?;
        self.file.write_all(&self.end.to_le_bytes())?;
        self.end += record.len() as u64;
        self.filter.insert(key);
        Ok(())
    }

    /// Brings all changes into the base, and empties the file and the filter.
    pub fn merge(&mut self) -> io::Result<()> {
        let mut changes = Changes::new();
        let mut at = 8 * self.buckets;
        while at < self.end {
            let (_, key, value) = self.record(at)?;
            at += HEADER + key.len() as u64 + value.as_ref().map_or(0, String::len) as u64;
            changes.insert(key, value);
        }
        self.base.apply(&changes)?;
        self.filter = filter(self.target, self.seed)?;
        self.clear()
    }

    /// How often the files were read.
    pub fn reads(&self) -> Reads {
        self.reads
    }

    /// The filter of the changed keys.
    pub fn filter(&self) -> &Classic {
        &self.filter
    }

    fn clear(&mut self) -> io::Result<()> {
        self.end = 8 * self.buckets;
        self.file.set_len(0)?;
        self.file.set_len(self.end)
    }

    fn bucket(&self, key: &str) -> u64 {
        let KeyHash(hash) = key.key_hash(&self.seed);
        hash % self.buckets * 8
    }

    /// The latest change of a key.
    fn find(&mut self, key: &str) -> io::Result<Option<Option<String>>> {
        let [mut at] = self.words(self.bucket(key))?;
        while at != 0 {
            let (previous, found, value) = self.record(at)?;
            if found == key {
                return Ok(Some(value));
            }
            if previous >= at {
                return Err(corrupt());
            }
            at = previous;
        }
        Ok(None)
    }

    /// The change that begins here, after the position of the previous one in its bucket.
    fn record(&mut self, at: u64) -> io::Result<(u64, String, Option<String>)> {
        let [previous, lengths] = self.words(at)?;
        let value = (lengths >> 32 != u64::from(REMOVED)).then_some(lengths >> 32);
        let key = lengths & u64::from(u32::MAX);
        if at + HEADER + key + value.unwrap_or(0) > self.end {
            return Err(corrupt());
        }
        let mut text = |length: u64| {
            let mut bytes = vec![0; usize::try_from(length).map_err(Error::other)?];
            self.file.read_exact(&mut bytes)?;
            String::from_utf8(bytes).map_err(|_| corrupt())
        };
        Ok((previous, text(key)?, value.map(text).transpose()?))
    }

    fn words<const N: usize>(&mut self, at: u64) -> io::Result<[u64; N]> {
        self.file.seek(SeekFrom::Start(at))?;
        let mut words = [0; N];
        for word in &mut words {
            let mut bytes = [0; 8];
            self.file.read_exact(&mut bytes)?;
            *word = u64::from_le_bytes(bytes);
        }
        Ok(words)
    }
}

fn filter(target: Target, seed: Seed) -> io::Result<Classic> {
    Classic::with_seed(target, seed).map_err(|error: SizeError| Error::other(error))
}

fn corrupt() -> Error {
    Error::new(ErrorKind::InvalidData, "the file of changes is corrupt; restore it")
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Base for Changes {
        fn read(&mut self, key: &str) -> io::Result<Option<String>> {
            Ok(self.get(key).cloned().flatten())
        }
        fn apply(&mut self, changes: &Changes) -> io::Result<()> {
            self.extend(changes.clone());
            Ok(())
        }
    }

    #[test]
    fn it_reads_what_was_written_last() {
        let folder = tempfile::tempdir().unwrap();
        let base: Changes = (0..500).map(|key| (key.to_string(), Some("old".into()))).collect();
        let mut model = base.clone();
        let path = folder.path().join("changes");
        let target = Target::new(100, 0.1).unwrap();
        let mut file = DifferentialFile::new(&path, base, target, Seed::keyed([1; 16])).unwrap();
        for step in 0..2000u64 {
            let draw = KeyHash(step).again(0).0;
            let key = (draw % 600).to_string();
            let value = (draw >> 32 & 3 != 0).then(|| step.to_string());
            file.change(&key, value.as_deref()).unwrap();
            model.insert(key, value);
            if step == 1500 {
                file.merge().unwrap();
            }
        }
        for key in (0..700).map(|key: u64| key.to_string()) {
            assert_eq!(file.read(&key).unwrap(), model.get(&key).cloned().flatten());
        }
        assert!(DifferentialFile::new(&path, model, target, Seed::FIXED).is_err(), "it exists");
        // The first change is said to be far longer than the file.
        let first = 8 * 100 + 8;
        file.file.seek(SeekFrom::Start(first)).unwrap();
        file.file.write_all(&[0xFE; 4]).unwrap();
        assert_eq!(file.merge().unwrap_err().kind(), ErrorKind::InvalidData);
    }
}
