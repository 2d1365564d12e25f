//! Files that several processes add to in place.
//!
//! A file is *open* while processes add to it, and then its cells are under no checksum. One word
//! says so, the header's checksum: that of an open file is another one, which leaves out the
//! number of inserts. So a file is opened and closed by one store of one aligned word, and before
//! and after it is whole: a process that is killed at any instruction leaves a file that reads.
//!
//! | who | holds | does |
//! |---|---|---|
//! | the first | the lock, alone | verifies every byte; stores the open checksum, brings it to the disk; begins to count |
//! | each | the lock, shared | sets bits by atomic OR, adds to the count |
//! | the last | the lock, alone | writes the number of inserts and the footer, brings all to the disk; stores the closed checksum |
//!
//! Nobody waits to be the last: whoever ends tries to get the lock alone, and whoever gets it is.
//! A flag in the header beside a checksum over it would take two stores, and between them the file
//! would be damaged.

use super::header;
use super::lock::is_at;
use super::read::header_of;
use super::{Contents, Open, checksum};
use crate::error::{LoadError, ShareError};
use crate::parts::words::{AtomicWords, FileWords, map_file};
use std::fs::{File, OpenOptions, TryLockError};
use std::hash::Hasher;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use twox_hash::XxHash3_64;

/// What stands in the footer's last word while its first one counts.
const COUNTS: u64 = u64::from_le_bytes(*b"inserted");

/// The number of inserts since a file was opened, from its footer: none where it was not begun to
/// count them.
pub(super) fn inserted(footer: &[u8]) -> u64 {
    let (words, _) = footer.as_chunks::<8>();
    match words.iter().map(|word| u64::from_le_bytes(*word)).collect::<Vec<_>>()[..] {
        [inserted, COUNTS] => inserted,
        _ => 0,
    }
}

/// A file that is open, and stays so while this lives.
#[derive(Debug)]
pub(crate) struct InPlace {
    /// Locked, shared.
    file: File,
    path: PathBuf,
    layout: Layout,
    has_left: bool,
}

/// A mapped file, and where everything is in it.
#[derive(Debug)]
struct Layout {
    words: Arc<FileWords>,
    /// How many words the header has; the last is its checksum.
    header: usize,
    /// At which byte the number of inserts is.
    inserted_at: usize,
    cells: Range<usize>,
    /// The first of the footer's two words.
    footer: usize,
}

impl InPlace {
    /// Opens a file for adding, or joins those who add to it. Waits for those who replace it.
    pub fn join<C: Contents>(
        path: &Path,
        how: Open,
    ) -> Result<(InPlace, C, AtomicWords), ShareError> {
        loop {
            let file = OpenOptions::new().read(true).write(true).open(path)?;
            file.lock_shared()?;
            if !is_at(&file, path)? {
                continue;
            }
            let layout = Layout::of(&file)?;
            if layout.is_open() && layout.counts() {
                // Nobody closes it while we hold the lock.
                let filter = how.of_map(&map_file(&file)?, false)?;
                let words = AtomicWords::within(&layout.words, layout.cells.clone())
                    .ok_or(LoadError::Header("a section beyond the end"))?;
                let place = InPlace { file, path: path.to_path_buf(), layout, has_left: false };
                return Ok((place, filter, words));
            }
            // Before, so that a key that is missing or wrong changes nothing.
            how.of_map::<C>(&map_file(&file)?, false)?;
            // A lock that is turned into another is let go in between, so this is no shorter.
            file.unlock()?;
            match file.try_lock() {
                Ok(()) if is_at(&file, path)? => layout.open::<C>(&file)?,
                Ok(()) => {}
                // Not to be waited for: another one may open it and then add for days.
                Err(TryLockError::WouldBlock) => thread::yield_now(),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            // In the meantime it may be closed again, or replaced: once more from the beginning.
        }
    }

    /// Counts inserts.
    pub fn count(&self, inserts: u64) {
        self.layout.words.as_slice()[self.layout.footer].fetch_add(inserts, Ordering::Relaxed);
    }

    /// Ends adding; the last one closes the file. Whether it is closed now.
    pub fn leave(mut self) -> io::Result<bool> {
        self.end()
    }

    fn end(&mut self) -> io::Result<bool> {
        self.has_left = true;
        self.file.unlock()?;
        match self.file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // Others may have been faster, to close it or to put another in its place.
        if is_at(&self.file, &self.path)? && self.layout.is_open() {
            self.layout.close()?;
        }
        Ok(true)
    }
}

impl Drop for InPlace {
    fn drop(&mut self) {
        if !self.has_left {
            // What fails here stays open, and the next one closes it.
            let _ = self.end();
        }
    }
}

impl Layout {
    fn of(file: &File) -> Result<Layout, ShareError> {
        let map = map_file(file)?;
        let header = header_of(&map)?;
        if !header.can_be_open() {
            return match header.tag {
                super::Tag::Filter(kind) => Err(ShareError::Kind { kind }),
                super::Tag::Iblt => Err(LoadError::Iblt.into()),
            };
        }
        let beyond = LoadError::Header("a section beyond the end");
        let (starts, total) =
            header.layout().ok_or(LoadError::Header("sections beyond any size"))?;
        match map.len() as u64 {
            got if got < total => return Err(LoadError::Truncated { expected: total, got }.into()),
            got if got > total => return Err(LoadError::Trailing { expected: total }.into()),
            _ => {}
        }
        let word = |byte: u64| usize::try_from(byte / 8).map_err(|_| LoadError::Header("too long"));
        let (Some(start), Some(section)) = (starts.first(), header.sections.first()) else {
            return Err(beyond.into());
        };
        let header_len = word(header.len)?;
        let inserted_at = header::inserted_at(&map[..8 * header_len - 8])
            .ok_or(LoadError::Header("inserts are not the first field"))?;
        Ok(Layout {
            words: Arc::new(FileWords::map(file)?),
            header: header_len,
            inserted_at,
            cells: word(*start)?..word(start + section.len)?,
            footer: word(total)? - 2,
        })
    }

    fn word(&self, at: usize) -> &AtomicU64 {
        &self.words.as_slice()[at]
    }

    /// The header's bytes before its checksum.
    fn header(&self) -> Vec<u8> {
        bytes_of(&self.words.as_slice()[..self.header - 1])
    }

    fn is_open(&self) -> bool {
        let sum = self.word(self.header - 1).load(Ordering::Acquire);
        header::open_checksum(&self.header()) == Some(sum)
    }

    fn counts(&self) -> bool {
        self.word(self.footer + 1).load(Ordering::Acquire) == COUNTS
    }

    /// Opens the file; the caller holds the lock alone.
    fn open<C: Contents>(&self, file: &File) -> Result<(), ShareError> {
        if !self.is_open() {
            // Whoever closes it makes new checksums, and damage must not get one.
            Open::new().without_hashing().of_map::<C>(&map_file(file)?, true)?;
            let sum = header::open_checksum(&self.header());
            let sum = sum.ok_or(LoadError::Header("inserts are not the first field"))?;
            self.word(self.header - 1).store(sum, Ordering::Release);
            // Before any bit changes: after a power cut it is either as it was, or open.
            self.words.flush(0..self.header)?;
        }
        if !self.counts() {
            self.word(self.footer).store(0, Ordering::Release);
            self.word(self.footer + 1).store(COUNTS, Ordering::Release);
        }
        Ok(())
    }

    /// Closes the file; the caller holds the lock alone.
    fn close(&self) -> io::Result<()> {
        let words = self.words.as_slice();
        let mut cells = XxHash3_64::new();
        for chunk in words[self.cells.clone()].chunks(8192) {
            cells.write(&bytes_of(chunk));
        }
        let mut header = self.header();
        let since = if self.counts() { self.word(self.footer).load(Ordering::Acquire) } else { 0 };
        let place = self.inserted_at..self.inserted_at + 8;
        let mut number = [0; 8];
        number.copy_from_slice(&header[place.clone()]);
        let number = u64::from_le_bytes(number).saturating_add(since);
        header[place.clone()].copy_from_slice(&number.to_le_bytes());
        let sum = checksum(&header);
        let cells = cells.finish();
        let whole = checksum(&[sum.to_le_bytes(), cells.to_le_bytes()].concat());

        // The number first, then the footer, which ends the count: whoever is killed between these
        // two stores leaves a number that counts twice, and it is only for people to read.
        let (header, _) = header.as_chunks::<8>();
        let (first, end) = (place.start / 8, place.end.div_ceil(8));
        for (word, bytes) in words[first..end].iter().zip(&header[first..end]) {
            word.store(u64::from_le_bytes(*bytes), Ordering::Release);
        }
        self.word(self.footer).store(cells, Ordering::Release);
        self.word(self.footer + 1).store(whole, Ordering::Release);
        self.words.flush(0..words.len())?;
        self.word(self.header - 1).store(sum, Ordering::Release);
        self.words.flush(0..self.header)
    }
}

fn bytes_of(words: &[AtomicU64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.load(Ordering::Acquire).to_le_bytes()).collect()
}
