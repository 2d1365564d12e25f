//! A sorted table on disk.

use super::{Entries, Settings};
use anther::{AnyFilter, Filter, Key, Options, Target, Work};
use std::cell::Cell;
use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A sorted table on disk. Its filter, and the first key of each block, are in memory.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    file: File,
    /// The first key of each block and the block's offset, and the end of the file.
    blocks: Vec<(Vec<u8>, u64)>,
    end: u64,
    filter: Option<AnyFilter>,
    keys: u64,
    rate: f64,
    reads: Cell<u64>,
}

/// A block is full at 4 KiB, a page of the disk. It ends with a whole entry.
const BLOCK: usize = 4096;

impl Table {
    pub(super) fn write(
        path: PathBuf,
        entries: &Entries,
        settings: &Settings,
        rate: f64,
    ) -> Result<Table> {
        let mut out = File::create_new(&path)?;
        let (mut blocks, mut block, mut end) = (Vec::new(), Vec::new(), 0);
        for (key, value) in entries {
            if block.is_empty() {
                blocks.push((key.clone(), end));
            }
            encode(&mut block, key, value.as_deref())?;
            if block.len() >= BLOCK {
                out.write_all(&block)?;
                end += block.len() as u64;
                block.clear();
            }
        }
        out.write_all(&block)?;
        end += block.len() as u64;
        let keys = entries.len() as u64;
        let (mut filter, mut planned) = (None, 1.0);
        if rate < 1.0 && keys > 0 {
            let (kind, seed, options) = (settings.kind, settings.seed, Options::default());
            let target = Target::new(keys, rate).map_err(Error::other)?;
            planned = kind.plan(target, &options).map_err(Error::other)?.fpr;
            let mut hashes: Vec<_> = entries.keys().map(|key| key.key_hash(&seed)).collect();
            let built = AnyFilter::build(kind, &mut hashes, target, &options, seed, Work::new());
            filter = Some(built.map_err(Error::other)?);
        }
        let file = File::open(&path)?;
        Ok(Table { path, file, blocks, end, filter, keys, rate: planned, reads: Cell::new(0) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// How many keys it has, removed ones included.
    pub fn keys(&self) -> u64 {
        self.keys
    }

    /// The false-positive rate of its filter, by the formula of its kind; 1 without a filter.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Reads of its file by lookups, of one block each.
    pub fn reads(&self) -> u64 {
        self.reads.get()
    }

    /// Bits of its filter.
    pub fn filter_bits(&self) -> u64 {
        self.filter.as_ref().map_or(0, |filter| filter.profile().bits)
    }

    /// All entries, read from the file.
    pub fn entries(&self) -> Result<Entries> {
        let bytes = fs::read(&self.path)?;
        let mut rest = bytes.as_slice();
        let mut entries = Entries::new();
        while !rest.is_empty() {
            let (key, value) = decode(&mut rest)?;
            entries.insert(key.to_vec(), value.map(<[u8]>::to_vec));
        }
        Ok(entries)
    }

    /// What the table says of a key, with one read of its file, or none.
    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Option<Vec<u8>>>> {
        let filter = self.filter.as_ref();
        if filter.is_some_and(|filter| !filter.contains_hash(key.key_hash(filter.seed()))) {
            return Ok(None);
        }
        let next = self.blocks.partition_point(|(first, _)| first.as_slice() <= key);
        let Some((_, start)) = next.checked_sub(1).map(|at| &self.blocks[at]) else {
            return Ok(None);
        };
        let end = self.blocks.get(next).map_or(self.end, |(_, start)| *start);
        let mut block = vec![0; usize::try_from(end - start).map_err(Error::other)?];
        (&self.file).seek(SeekFrom::Start(*start))?;
        (&self.file).read_exact(&mut block)?;
        self.reads.set(self.reads.get() + 1);
        let mut rest = block.as_slice();
        while !rest.is_empty() {
            let (found, value) = decode(&mut rest)?;
            if found == key {
                return Ok(Some(value.map(<[u8]>::to_vec)));
            }
        }
        Ok(None)
    }
}

/// In place of the length of a value: the key was removed.
const REMOVED: u32 = u32::MAX;

/// An entry on disk: the lengths of key and value, and both.
fn encode(out: &mut Vec<u8>, key: &[u8], value: Option<&[u8]>) -> Result<()> {
    let length = |bytes: &[u8]| match u32::try_from(bytes.len()) {
        Ok(length) if length < REMOVED => Ok(length),
        _ => Err(Error::new(ErrorKind::InvalidInput, "a key or a value is longer than 4 GB")),
    };
    out.extend(length(key)?.to_le_bytes());
    out.extend(value.map_or(Ok(REMOVED), length)?.to_le_bytes());
    out.extend(key);
    out.extend(value.unwrap_or_default());
    Ok(())
}

fn decode<'a>(rest: &mut &'a [u8]) -> Result<(&'a [u8], Option<&'a [u8]>)> {
    let mut take = |length: u32| -> Option<&'a [u8]> {
        let (taken, after) = rest.split_at_checked(length.try_into().ok()?)?;
        *rest = after;
        Some(taken)
    };
    let mut entry = || {
        let [key, value] = [take(4)?, take(4)?].map(|length| length.try_into().ok());
        let value = u32::from_le_bytes(value?);
        let key = take(u32::from_le_bytes(key?))?;
        Some((key, if value == REMOVED { None } else { Some(take(value)?) }))
    };
    entry().ok_or_else(|| Error::new(ErrorKind::InvalidData, "a table is truncated; restore it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truncated_table_is_an_error() {
        let mut block = Vec::new();
        encode(&mut block, b"key", Some(b"value")).unwrap();
        for length in 1..block.len() {
            assert!(decode(&mut &block[..length]).is_err());
        }
        assert_eq!(decode(&mut &*block).unwrap(), (&b"key"[..], Some(&b"value"[..])));
    }
}
