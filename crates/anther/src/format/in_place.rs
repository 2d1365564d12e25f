//! Files that several processes insert into in place.
//!
//! A file is *open* while processes insert into it, and then its cells have no checksum. One word
//! tells: the header's checksum. That of an open file is computed differently and leaves out the
//! number of inserts. So a file is opened and closed by one store of one aligned word, and is valid
//! before and after it: a process that is killed at any instruction leaves a readable file.
//!
//! | process | lock | does |
//! |---|---|---|
//! | the first | exclusive | verifies every byte; stores the open checksum and syncs it; starts the count |
//! | each | shared | sets bits by atomic OR, adds to the count |
//! | the last | exclusive | writes the number of inserts and the footer, syncs all; stores the closed checksum |
//!
//! Nobody waits to be the last: each process that ends tries to get the exclusive lock, and the one
//! that gets it is the last. A flag in the header next to a checksum over it would take two stores,
//! and between them the file would be corrupt.
//!
//! The mapped file is accessed only through atomics, by processes that insert and by those that
//! [only read](Viewed). So the filter made from it has no cells: zeros stand in for them
//! ([`Frame`]).

use super::header::{self, Entry, Header};
use super::lock::is_at;
use super::read::{Source, check_footer, check_len, check_zeros, consistent, header_of};
use super::{Open, Readable, Tag, checksum, padding, recipe};
use crate::error::{LoadError, ShareError};
use crate::parts::sync::{AtomicU64, file_lock, thread};
use crate::parts::words::{AtomicWords, FileWords, Words};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::Hasher;
use std::io::{self, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use twox_hash::XxHash3_64;

/// The footer's last word while its first one counts inserts.
const COUNTS: u64 = u64::from_le_bytes(*b"inserted");

/// The number of inserts since a file was opened, from its footer: 0 if counting has not started.
pub(super) fn inserted(footer: &[u8]) -> u64 {
    let (words, _) = footer.as_chunks::<8>();
    match words {
        [inserted, .., last] if u64::from_le_bytes(*last) == COUNTS => {
            u64::from_le_bytes(*inserted)
        }
        _ => 0,
    }
}

/// A file that is open, and stays open while this lives.
#[derive(Debug)]
pub(crate) struct InPlace {
    /// Locked, shared.
    file: File,
    path: PathBuf,
    layout: Layout,
    has_left: bool,
}

/// A mapped file and its layout.
#[derive(Debug)]
struct Layout {
    words: Arc<FileWords>,
    /// Length of the header in words; the last is its checksum.
    header: usize,
    /// Byte offset of the number of inserts.
    inserted_at: usize,
    cells: Range<usize>,
    /// The footer's words: the checksum of the cells, that of the recipe if it is a section, and
    /// one of all.
    footer: Range<usize>,
}

impl InPlace {
    /// Opens a file for inserting, or joins the processes that insert into it. Waits for those that
    /// replace it. The filter has no cells of its own; the cells are the atomic words.
    pub fn join<F: Readable>(
        path: &Path,
        how: Open,
    ) -> Result<(InPlace, F, AtomicWords), ShareError> {
        loop {
            let path = fs::canonicalize(path)?;
            let file = OpenOptions::new().read(true).write(true).open(&path)?;
            file_lock::shared(&file)?;
            if !is_at(&file, &path)? {
                continue;
            }
            let layout = Layout::of(&file, &header_of(from_start(&file)?)?, FileWords::map)?;
            // First, so that a missing or wrong secret key changes nothing.
            let filter =
                how.restore(&mut Frame { file: &file, words: &layout.words, verify: false })?;
            if layout.is_open() && layout.counts() {
                // Nobody closes it while we hold the lock.
                let words = layout.atomic_cells()?;
                return Ok((InPlace { file, path, layout, has_left: false }, filter, words));
            }
            // Converting a lock releases it in between, so that would be no shorter.
            file_lock::release(&file)?;
            match file_lock::try_exclusive(&file) {
                Ok(()) if is_at(&file, &path)? => layout.open::<F>(&file)?,
                Ok(()) => {}
                // Do not wait: another process may open it and then insert for days.
                Err(TryLockError::WouldBlock) => thread::yield_now(),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            // Meanwhile it may have been closed or replaced: start again.
        }
    }

    /// Counts inserts.
    pub fn count(&self, inserts: u64) {
        self.layout.word(self.layout.footer.start).fetch_add(inserts, Ordering::Relaxed);
    }

    /// Stops inserting; the last process closes the file. Returns whether it is closed now.
    pub fn leave(mut self) -> io::Result<bool> {
        self.end()
    }

    fn end(&mut self) -> io::Result<bool> {
        self.has_left = true;
        file_lock::release(&self.file)?;
        match file_lock::try_exclusive(&self.file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // Another process may already have closed or replaced it.
        if is_at(&self.file, &self.path)? && self.layout.is_open() {
            self.layout.close()?;
        }
        Ok(true)
    }
}

impl Drop for InPlace {
    fn drop(&mut self) {
        if !self.has_left {
            // If this fails the file stays open, and the next process closes it.
            let _ = self.end();
        }
    }
}

/// A file that others may insert into, mapped read-only.
pub(crate) struct Viewed<F> {
    /// Without cells of its own.
    pub filter: F,
    /// The cells.
    pub words: AtomicWords,
}

impl<F: Readable> Viewed<F> {
    /// Maps a file of a kind that can be inserted into in place, whether or not a process does so.
    /// Its header and lengths are verified, its cells are not.
    pub fn open(path: &Path, how: Open) -> Result<Viewed<F>, ShareError> {
        let file = File::open(path)?;
        let header = consistent(|| header_of(from_start(&file)?))?;
        let layout = Layout::of(&file, &header, FileWords::map_read_only)?;
        let mut frame = Frame { file: &file, words: &layout.words, verify: false };
        let filter = consistent(|| how.restore(&mut frame))?;
        Ok(Viewed { filter, words: layout.atomic_cells()? })
    }
}

/// The file, to be read from its beginning. With `read`, not through a map: the header must not
/// change between two accesses.
fn from_start(mut file: &File) -> io::Result<&File> {
    file.rewind()?;
    Ok(file)
}

/// A file of atomics, to be restored as a filter with zeros instead of cells. Only the last word of
/// a section is the file's, so that the kind can check the bits beyond its last cell. The zeros are
/// untouched pages and take no memory.
struct Frame<'a> {
    file: &'a File,
    words: &'a FileWords,
    /// Whether to verify every byte, or only the header and all lengths.
    verify: bool,
}

impl Frame<'_> {
    fn range(&self, start: u64, len: u64) -> Result<&[AtomicU64], LoadError> {
        let range = usize::try_from(start / 8).ok().zip(usize::try_from(len / 8).ok());
        range
            .and_then(|(start, len)| self.words.as_slice().get(start..start.checked_add(len)?))
            .ok_or(LoadError::Header(BEYOND))
    }
}

impl Source for Frame<'_> {
    fn header(&mut self) -> Result<Header, LoadError> {
        header_of(from_start(self.file)?)
    }

    fn check_total(&mut self, total: u64) -> Result<(), LoadError> {
        check_len(self.file.metadata()?.len(), total)
    }

    fn section(
        &mut self,
        &Entry { len, ref name, .. }: &Entry,
        start: u64,
        _total: u64,
    ) -> Result<(Words, Option<u64>), LoadError> {
        let cells = self.range(start, len)?;
        check_zeros(&bytes_of(self.range(start + len, padding(len) as u64)?))?;
        let mut words = Words::zeroed(cells.len())?;
        if name == recipe::SECTION {
            // Nobody changes it.
            for (word, cell) in words.to_mut().iter_mut().zip(cells) {
                *word = cell.load(Ordering::Relaxed);
            }
            return Ok((words, Some(checksum_of(cells))));
        }
        if let (Some(last), Some(cell)) = (words.to_mut().last_mut(), cells.last()) {
            *last = cell.load(Ordering::Relaxed);
        }
        Ok((words, self.verify.then(|| checksum_of(cells))))
    }

    fn footer(
        &mut self,
        header: &Header,
        sums: &[Option<u64>],
        total: u64,
    ) -> Result<u64, LoadError> {
        let len = 8 * (sums.len() as u64 + 1);
        check_footer(header, sums, &bytes_of(self.range(total - len, len)?))
    }
}

const BEYOND: &str = "section beyond the end of the file";

impl Layout {
    /// The layout of a file with this header.
    fn of(
        file: &File,
        header: &Header,
        map: impl FnOnce(&File) -> io::Result<FileWords>,
    ) -> Result<Layout, ShareError> {
        if header.pages.is_some() {
            return Err(ShareError::Pages);
        }
        if !header.can_be_open() {
            return match header.tag {
                Tag::Filter(kind) => Err(ShareError::Kind { kind }),
                Tag::Iblt => Err(LoadError::Iblt.into()),
                Tag::Range => Err(LoadError::Range.into()),
            };
        }
        let (starts, total) = header.layout().ok_or(LoadError::Header("section sizes overflow"))?;
        check_len(file.metadata()?.len(), total)?;
        let word = |byte: u64| usize::try_from(byte / 8).map_err(|_| LoadError::Header("too long"));
        let (Some(start), Some(section)) = (starts.first(), header.sections.first()) else {
            return Err(LoadError::Header(BEYOND).into());
        };
        let header_len = word(header.len)?;
        let words = map(file)?;
        let bytes = words.as_slice().get(..header_len - 1).map(bytes_of);
        let inserted_at = bytes
            .and_then(|bytes| header::inserted_at(&bytes))
            .ok_or(LoadError::Header("inserts are not the first field"))?;
        Ok(Layout {
            words: Arc::new(words),
            header: header_len,
            inserted_at,
            cells: word(*start)?..word(start + section.len)?,
            footer: word(total)? - header.sections.len() - 1..word(total)?,
        })
    }

    fn atomic_cells(&self) -> Result<AtomicWords, LoadError> {
        let words = AtomicWords::within(&self.words, self.cells.clone());
        words.ok_or(LoadError::Header(BEYOND))
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
        self.word(self.footer.end - 1).load(Ordering::Acquire) == COUNTS
    }

    /// Opens the file; the caller holds the exclusive lock.
    fn open<F: Readable>(&self, file: &File) -> Result<(), ShareError> {
        if !self.is_open() {
            // Closing computes new checksums, and a corrupt file must not get any.
            let mut frame = Frame { file, words: &self.words, verify: true };
            Open::new().without_hashing().restore::<F>(&mut frame)?;
            let sum = header::open_checksum(&self.header());
            let sum = sum.ok_or(LoadError::Header("inserts are not the first field"))?;
            self.word(self.header - 1).store(sum, Ordering::Release);
        }
        // Before any bit changes: after a power failure it is either as it was, or open. Also if it
        // is open already: the process that opened it may have been killed before it synced.
        self.words.flush(0..self.header)?;
        if !self.counts() {
            self.word(self.footer.start).store(0, Ordering::Release);
            self.word(self.footer.end - 1).store(COUNTS, Ordering::Release);
        }
        Ok(())
    }

    /// Closes the file; the caller holds the exclusive lock.
    fn close(&self) -> io::Result<()> {
        let words = self.words.as_slice();
        let cells = checksum_of(&words[self.cells.clone()]);
        let mut header = self.header();
        let since =
            if self.counts() { self.word(self.footer.start).load(Ordering::Acquire) } else { 0 };
        let place = self.inserted_at..self.inserted_at + 8;
        let mut number = [0; 8];
        number.copy_from_slice(&header[place.clone()]);
        let number = u64::from_le_bytes(number).saturating_add(since);
        header[place.clone()].copy_from_slice(&number.to_le_bytes());
        let sum = checksum(&header);
        let others = bytes_of(&words[self.footer.start + 1..self.footer.end - 1]);
        let whole = [&sum.to_le_bytes()[..], &cells.to_le_bytes(), &others].concat();
        let whole = checksum(&whole);

        // The number first, then the footer's last word, which ends the count: a process killed
        // between these two leaves inserts counted twice, and that number is only informative. Only
        // then the footer's first word: it is the count until that has ended.
        let (header, _) = header.as_chunks::<8>();
        let (first, end) = (place.start / 8, place.end.div_ceil(8));
        for (word, bytes) in words[first..end].iter().zip(&header[first..end]) {
            word.store(u64::from_le_bytes(*bytes), Ordering::Release);
        }
        self.word(self.footer.end - 1).store(whole, Ordering::Release);
        self.word(self.footer.start).store(cells, Ordering::Release);
        self.words.flush(0..words.len())?;
        self.word(self.header - 1).store(sum, Ordering::Release);
        self.words.flush(0..self.header)
    }
}

/// Relaxed, as a read-only map requires; the locks order the accesses.
fn bytes_of(words: &[AtomicU64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes()).collect()
}

fn checksum_of(words: &[AtomicU64]) -> u64 {
    let mut sum = XxHash3_64::new();
    for chunk in words.chunks(8192) {
        sum.write(&bytes_of(chunk));
    }
    sum.finish()
}
