//! Lookups in a file of which only ranges are read: on a web server, in an object store.
//!
//! A lookup in a [`Blocked`](crate::Blocked) filter reads one line of 64 bytes, so nobody has to
//! download a filter of gigabytes to look up a few keys. [`Remote`] knows the header of such a file
//! and which ranges each lookup needs. It reads nothing itself: [`ReadRanges`] does, for anything that can
//! read ranges of bytes, or the caller does, step by step, which suits async code.
//!
//! | kind | reads per lookup | before the first |
//! |---|---|---|
//! | [`Blocked`](crate::Blocked), [`Split`](crate::Split) | 1 | |
//! | [`Fuse`](crate::Fuse) | 3, or 4 with arity 4 | 8 bytes per 2.5 million keys |
//! | [`Ribbon`](crate::Ribbon) | 2 to 3; one key in twenty twice that | 8 bytes per 30,000 keys |
//!
//! What is read is verified: a file that was saved with [`Save::pages`](crate::Save::pages) has a
//! checksum of each page of 2 KiB, and a lookup reads whole pages and their checksums.
//! [`Reads::Lines`] reads 64 bytes at a time, from any file, and verifies nothing but the header.
//! Checksums find accidents. Whoever can replace the file, or answers in its place, decides what
//! the filter says.
//!
//! ```
//! use anther::remote::{Reads, Remote};
//! use anther::{Blocked, Open, Save, Target};
//! use std::io::Cursor;
//!
//! let mut list = Blocked::new(Target::new(1_000_000, 0.01)?)?;
//! list.insert("https://example.org/");
//! let mut file = Cursor::new(Save::new().pages(true).bytes(&list)?); // or a `File`
//!
//! let mut remote = Remote::open(&mut file, Open::new(), Reads::Pages)?;
//! assert!(remote.contains(&mut file, "https://example.org/")?);
//! assert!(!remote.contains(&mut file, "https://example.net/")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same step by step. `fetch` may be async, and an object store:
//!
//! ```
//! # use anther::{Blocked, Open, Save, Seed, Target};
//! # use std::ops::Range;
//! use anther::remote::{Opening, Reads};
//! # let mut list = Blocked::new(Target::new(1_000_000, 0.01)?)?;
//! # list.insert("https://example.org/");
//! # let bytes = Save::new().pages(true).bytes(&list)?;
//! # let fetch = |ranges: &[Range<u64>]| -> Vec<Vec<u8>> {
//! #     let end = bytes.len() as u64;
//! #     ranges.iter().map(|it| bytes[it.start as usize..it.end.min(end) as usize].to_vec()).collect()
//! # };
//!
//! let mut opening = Opening::new(Open::new(), Reads::Pages);
//! let mut remote = loop {
//!     let bytes = fetch(opening.ranges()); // .await
//!     if let Some(remote) = opening.supply(&bytes)? {
//!         break remote;
//!     }
//! };
//!
//! let keys = ["https://example.org/", "https://example.net/"];
//! let hashes: Vec<_> = keys.iter().map(|key| remote.key_hash(key)).collect::<Result<_, _>>()?;
//! let mut lookup = remote.lookup(&hashes)?;
//! while !lookup.ranges().is_empty() {
//!     let bytes = fetch(lookup.ranges()); // .await
//!     lookup.supply(&bytes)?;
//! }
//! assert_eq!(lookup.found(), [true, false]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cells;
mod lookup;
mod opening;

pub use lookup::Lookup;
pub use opening::Opening;

use crate::error::{KeyError, LoadError, RemoteError};
use crate::filter::sparse::SparseFilter;
use crate::kind::Kind;
use crate::parts::hash::{Key, KeyHash};
use crate::profile::About;
use crate::{Open, filter};
use cells::Cells;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

/// How much is read for a lookup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reads {
    /// Pages of 2 KiB, each verified by its checksum. The file must have been saved with
    /// [`Save::pages`](crate::Save::pages).
    #[default]
    Pages,
    /// Lines of 64 bytes, of any file, unverified.
    Lines,
}

/// Something that ranges of bytes can be read from. Everything that can [`Read`] and [`Seek`] is.
pub trait ReadRanges {
    /// The bytes of each range, in the order of the ranges, which are in increasing order and do not
    /// overlap. A range may end beyond the end of the file, and then gets fewer bytes.
    fn read_ranges(&mut self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>>;
}

impl<R: Read + Seek> ReadRanges for R {
    fn read_ranges(&mut self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let read = |range: &Range<u64>| {
            let mut bytes = Vec::new();
            self.seek(SeekFrom::Start(range.start))?;
            self.take(range.end - range.start).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        ranges.iter().map(read).collect()
    }
}

/// A filter in a file of which only ranges are read. See the [module](self).
#[derive(Debug)]
pub struct Remote {
    filter: SparseFilter,
    about: About,
    /// Length of the file.
    len: u64,
    cells: Cells,
}

impl Remote {
    /// Reads what has to be known before the first lookup: 16 KiB in most cases, and the directory
    /// of a static kind.
    pub fn open(
        file: &mut impl ReadRanges,
        how: Open,
        reads: Reads,
    ) -> Result<Remote, RemoteError> {
        let mut opening = Opening::new(how, reads);
        loop {
            let bytes = file.read_ranges(opening.ranges())?;
            if let Some(remote) = opening.supply(&bytes)? {
                return Ok(remote);
            }
        }
    }

    /// Whether the key may be in the set, by the filter's [rule](crate::recipe::KeyRule).
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn contains(
        &mut self,
        file: &mut impl ReadRanges,
        key: impl Key,
    ) -> Result<bool, RemoteError> {
        let (about, mut found) = (self.about.clone(), [false]);
        about.contains_keys(&[key], &mut found, |hashes, found| {
            found.copy_from_slice(&self.contains_hashes(file, hashes)?);
            Ok::<(), RemoteError>(())
        })?;
        Ok(found[0])
    }

    /// Whether each of the keys with these hashes may be in the set. What they need is read
    /// together, in one round for most kinds, and kept until all are answered: 2 KiB per read and
    /// key at most. [`keep`](Remote::keep) keeps it for further lookups.
    pub fn contains_hashes(
        &mut self,
        file: &mut impl ReadRanges,
        keys: &[KeyHash],
    ) -> Result<Vec<bool>, RemoteError> {
        let mut lookup = self.lookup(keys)?;
        while !lookup.ranges().is_empty() {
            let bytes = file.read_ranges(lookup.ranges())?;
            lookup.supply(&bytes)?;
        }
        Ok(lookup.found())
    }

    /// Keeps up to `bytes` bytes of what lookups read, so that later ones need not read it again.
    /// Nothing is kept unless this is called. If you keep pages for long, check now and then that
    /// the file is still the same.
    pub fn keep(&mut self, bytes: usize) {
        self.cells.keep(bytes);
    }

    /// Begins to look up keys by their hashes.
    pub fn lookup(&mut self, keys: &[KeyHash]) -> Result<Lookup<'_>, RemoteError> {
        Lookup::begin(self, keys)
    }

    /// The hash of a key, by the filter's [rule](crate::recipe::KeyRule).
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn key_hash(&self, key: impl Key) -> Result<KeyHash, KeyError> {
        self.about.key_hash(key)
    }

    /// What the filter was made for and with.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The kind.
    pub fn kind(&self) -> Kind {
        self.filter.kind()
    }

    /// The kinds that can be looked up in this way, those with the fewest reads first.
    pub fn kinds() -> &'static [Kind] {
        &filter::sparse::KINDS
    }

    /// The bytes of the file that are cells, directories and thresholds. Before them are the header
    /// and the checksums of pages.
    pub fn cells(&self) -> Range<u64> {
        self.cells.range()
    }

    /// Checks that the file has the length that its header says.
    pub fn check_len(&self, got: u64) -> Result<(), LoadError> {
        match self.len {
            expected if got < expected => Err(LoadError::Truncated { expected, got }),
            expected if got > expected => Err(LoadError::Trailing { expected }),
            _ => Ok(()),
        }
    }
}

/// Neighbouring ranges as one.
fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut all: Vec<Range<u64>> = Vec::new();
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        match all.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

/// A part of the bytes that came for some ranges.
fn part<'b>(
    ranges: &[Range<u64>],
    bytes: &'b [Vec<u8>],
    wanted: &Range<u64>,
) -> Result<&'b [u8], RemoteError> {
    let at = ranges.partition_point(|range| range.end < wanted.end);
    let (range, bytes) = match (ranges.get(at), bytes.get(at)) {
        (Some(range), Some(bytes)) => (range, bytes.as_slice()),
        _ => (wanted, &[][..]),
    };
    let (expected, got) = (range.end - range.start, bytes.len() as u64);
    let start = wanted.start.checked_sub(range.start).and_then(|it| usize::try_from(it).ok());
    let len = usize::try_from(wanted.end - wanted.start).ok();
    let found = start.zip(len).filter(|_| expected == got);
    let found = found.and_then(|(start, len)| bytes.get(start..start.checked_add(len)?));
    found.ok_or(RemoteError::Length { at: range.start, expected, got })
}
