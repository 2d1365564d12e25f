//! Reading: from bytes, from a reader, from a file, and mapped.
//!
//! All ways meet in [`Open::restore`]. They differ in how the bytes of a section become words,
//! which is what [`Source`] says.

use super::header::{self, Encoding, Entry, Header};
use super::{ALIGN, Contents, Parts, Section, checksum, in_place, padding};
use crate::error::LoadError;
use crate::parts::hash::{Seed, SeedKind};
use crate::parts::words::{Words, map_file};
use memmap2::Mmap;
use std::fs::File;
use std::hash::Hasher;
use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use twox_hash::XxHash3_64;

/// How to open a filter.
///
/// | | copies | verifies |
/// |---|---|---|
/// | [`file`](Open::file), [`reader`](Open::reader), [`bytes`](Open::bytes) | yes | every byte |
/// | [`shared`](Open::shared), [`from_static`](Open::from_static) | unless 64-byte aligned | every byte |
/// | [`map`](Open::map) | no | the header and all lengths |
///
/// The slots of a [`Quotient`](crate::Quotient) filter lead to each other, so they are checked in every
/// way, which reads them all.
///
/// A row that is coded in the file, as [`Compressed`](crate::Compressed) has it, is verified and
/// decoded to memory in every way. There it may be larger than the file: up to 64 MiB, or 1024
/// times as large.
///
/// ```
/// use anther::{AnyFilter, Blocked, Open, Seed, Target};
///
/// let mut seen = Blocked::with_seed(Target::new(100, 0.01)?, Seed::keyed([1; 16]))?;
/// seen.insert("key");
/// let mut bytes = Vec::new();
/// AnyFilter::from(seen).write_to(&mut bytes)?;
///
/// assert!(Open::new().bytes(&bytes).is_err(), "it needs its secret key");
/// assert!(Open::new().key([2; 16]).bytes(&bytes).is_err(), "not this one");
/// assert!(Open::new().key([1; 16]).bytes(&bytes)?.contains("key"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Open {
    key: Option<Seed>,
    without_hashing: bool,
}

impl Open {
    /// For filters whose keys can be hashed without a secret.
    pub fn new() -> Open {
        Open::default()
    }

    /// For a filter made with this secret key. Any other filter is an error.
    pub fn key(self, key: [u8; 16]) -> Open {
        Open { key: Some(Seed::keyed(key)), ..self }
    }

    /// For any filter, to be described, merged or asked by hash, but not by key: keyed filters
    /// open without their key, and so do filters of hashes that were made elsewhere. Asking such
    /// a filter by key panics.
    pub fn without_hashing(self) -> Open {
        Open { without_hashing: true, ..self }
    }

    /// From a file, as a filter of one kind, or as what is no filter. Takes no more memory than the
    /// file has bytes.
    pub fn file_as<C: Contents>(self, path: impl AsRef<Path>) -> Result<C, LoadError> {
        let path = path.as_ref();
        let mut tries = 0;
        loop {
            tries += 1;
            let file = File::open(path)?;
            let len = file.metadata().ok().filter(|meta| meta.is_file()).map(|meta| meta.len());
            let mut stream = Stream::new(BufReader::new(file), len);
            match self.restore(&mut stream) {
                // Somebody began or ended to add to it in place while it was read, and changed
                // its header for that. Each try fails by another such change, so this many are
                // no accident.
                Err(LoadError::Checksum { .. })
                    if tries < TRIES && len.is_some() && !stream.header_stands(path) => {}
                other => return other,
            }
        }
    }

    /// From a stream, as [`file_as`](Open::file_as).
    pub fn reader_as<C: Contents>(self, reader: impl Read) -> Result<C, LoadError> {
        self.restore(&mut Stream::new(reader, None))
    }

    /// From bytes, as [`file_as`](Open::file_as).
    pub fn bytes_as<C: Contents>(self, bytes: &[u8]) -> Result<C, LoadError> {
        self.restore(&mut Stream::new(bytes, Some(bytes.len() as u64)))
    }

    /// From shared bytes, which the filter borrows for as long as it lives, as
    /// [`file_as`](Open::file_as).
    pub fn shared_as<C: Contents>(self, bytes: Arc<[u8]>) -> Result<C, LoadError> {
        let words = |at, len| Words::shared(&bytes, at, len);
        self.restore(&mut Memory { bytes: &bytes, words, verify: true })
    }

    /// From bytes that live for ever, such as those of `include_bytes!`, as
    /// [`file_as`](Open::file_as).
    pub fn from_static_as<C: Contents>(self, bytes: &'static [u8]) -> Result<C, LoadError> {
        let words = |at, len| Words::from_static(bytes, at, len);
        self.restore(&mut Memory { bytes, words, verify: true })
    }

    /// From a file that is mapped into memory, as [`file_as`](Open::file_as); see [`map`](Open::map).
    pub fn map_as<C: Contents>(self, path: impl AsRef<Path>) -> Result<C, LoadError> {
        let map = map_file(&File::open(path)?)?;
        again_if_changed(|| self.of_map(&map, false))
    }

    /// Whether processes add to a file in place, or one that did was killed: see
    /// [`SharedFile`](crate::SharedFile). Then its cells are under no checksum, and no way of
    /// opening it verifies them.
    pub fn is_shared(path: impl AsRef<Path>) -> Result<bool, LoadError> {
        let map = map_file(&File::open(path)?)?;
        let header = again_if_changed(|| header_of(&map))?;
        Ok(header.is_open)
    }

    /// Whether a file needs its secret key to be asked. Reads the header alone.
    pub fn is_keyed(path: impl AsRef<Path>) -> Result<bool, LoadError> {
        let map = map_file(&File::open(path)?)?;
        let header = again_if_changed(|| header_of(&map))?;
        Ok(matches!(header.about.seed.kind(), SeedKind::Keyed { .. }))
    }

    /// From a map, of which every byte is verified or the header alone.
    pub(super) fn of_map<C: Contents>(self, map: &Arc<Mmap>, verify: bool) -> Result<C, LoadError> {
        let words = |at, len| Words::mapped(map, at, len);
        self.restore(&mut Memory { bytes: map, words, verify })
    }

    fn restore<C: Contents>(self, source: &mut impl Source) -> Result<C, LoadError> {
        let header = source.header()?;
        let (starts, total) =
            header.layout().ok_or(LoadError::Header("sections beyond any size"))?;
        source.check_total(total)?;
        let seed = self.unlock(header.about.seed)?;

        let mut sums = Vec::with_capacity(header.sections.len());
        let mut sections = Vec::with_capacity(header.sections.len());
        for (entry, start) in header.sections.iter().zip(&starts) {
            let (words, sum) = source.section(entry, *start, total)?;
            sections.push((entry.name.clone(), Section { encoding: entry.encoding, words }));
            sums.push(sum);
        }
        let inserted = source.footer(&header, &sums, total)?;

        let mut parts = Parts { fields: header.fields, sections };
        let mut about = header.about;
        about.seed = seed;
        about.count(inserted);
        let contents = C::read(header.tag, &mut parts, about)?;
        parts.finish()?;
        Ok(contents)
    }

    fn unlock(&self, stored: Seed) -> Result<Seed, LoadError> {
        match (stored.kind(), self.key) {
            (SeedKind::Keyed { .. }, Some(key)) if key.kind() == stored.kind() => Ok(key),
            (SeedKind::Keyed { .. }, Some(_)) => Err(LoadError::WrongKey),
            (_, Some(_)) => Err(LoadError::NotKeyed),
            (_, None) if stored.can_hash() || self.without_hashing => Ok(stored),
            (SeedKind::Keyed { .. }, None) => Err(LoadError::KeyNeeded),
            (_, None) => Err(LoadError::ExternalHashes),
        }
    }
}

/// Where bytes come from.
trait Source {
    fn header(&mut self) -> Result<Header, LoadError>;
    /// Whether the whole file can be there, as far as that is known before reading it.
    fn check_total(&mut self, total: u64) -> Result<(), LoadError>;
    /// The words of a section, and their checksum unless it is left for later.
    fn section(
        &mut self,
        entry: &Entry,
        start: u64,
        total: u64,
    ) -> Result<(Words, Option<u64>), LoadError>;
    /// Checks the footer against the sections' checksums; see [`check_footer`].
    fn footer(
        &mut self,
        header: &Header,
        sums: &[Option<u64>],
        total: u64,
    ) -> Result<u64, LoadError>;
}

/// How often a file is read again that changes while it is read.
const TRIES: u32 = 100;

/// The footer says the checksum of each section and of all of them with the header's. `sums` is
/// what the bytes gave, where they were read. While a file is open, it has the number of inserts
/// since in its place, and that is what comes back.
fn check_footer(header: &Header, sums: &[Option<u64>], footer: &[u8]) -> Result<u64, LoadError> {
    if header.is_open {
        return Ok(in_place::inserted(footer));
    }
    let Some((stored, whole)) = footer.split_last_chunk::<8>() else {
        return Err(LoadError::Header("no footer"));
    };
    let expected = u64::from_le_bytes(*whole);
    let got = checksum(&[&header.checksum.to_le_bytes(), stored].concat());
    if expected != got {
        return Err(LoadError::Checksum { part: "footer".to_string(), expected, got });
    }
    let (stored, _) = stored.as_chunks::<8>();
    for (section, (stored, sum)) in header.sections.iter().zip(stored.iter().zip(sums)) {
        let expected = u64::from_le_bytes(*stored);
        if let Some(got) = sum.filter(|got| *got != expected) {
            let part = format!("section {}", section.name);
            return Err(LoadError::Checksum { part, expected, got });
        }
    }
    Ok(0)
}

/// Bytes that come one after the other and are copied.
struct Stream<R> {
    reader: R,
    /// How many have come.
    at: u64,
    /// How many there are, where that is known.
    len: Option<u64>,
    /// The header, as it was read.
    header: Vec<u8>,
}

/// A stream of unknown length is read in steps, so that a header that promises terabytes costs
/// no more than the bytes that really come.
const STEP: usize = 1 << 20;

impl<R: Read> Stream<R> {
    fn new(reader: R, len: Option<u64>) -> Stream<R> {
        Stream { reader, at: 0, len, header: Vec::new() }
    }

    /// Whether the file at a path still has the header that was read.
    fn header_stands(&self, path: &Path) -> bool {
        let mut now = Vec::new();
        let read = File::open(path).map(|file| file.take(self.header.len() as u64));
        let read = read.and_then(|mut start| start.read_to_end(&mut now));
        read.is_ok() && now == self.header
    }

    /// Fills the buffer, or says how many bytes were there of how many.
    fn fill(&mut self, buffer: &mut [u8], total: u64) -> Result<(), LoadError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.reader.read(&mut buffer[filled..]) {
                Ok(0) => {
                    return Err(LoadError::Truncated {
                        expected: total,
                        got: self.at + filled as u64,
                    });
                }
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.at += filled as u64;
        Ok(())
    }
}

impl<R: Read> Source for Stream<R> {
    fn header(&mut self) -> Result<Header, LoadError> {
        let mut prefix = [0; header::PREFIX];
        match self.fill(&mut prefix, header::PREFIX as u64) {
            Err(LoadError::Truncated { got, .. }) if !header::begins_right(&prefix, got) => {
                return Err(LoadError::NotAnther);
            }
            other => other?,
        }
        let mut bytes = vec![0; header::len(&prefix)?];
        bytes[..header::PREFIX].copy_from_slice(&prefix);
        let len = bytes.len() as u64;
        self.fill(&mut bytes[header::PREFIX..], len)?;
        self.header = bytes;
        header::decode(&self.header)
    }

    fn check_total(&mut self, total: u64) -> Result<(), LoadError> {
        match self.len {
            Some(got) if got < total => Err(LoadError::Truncated { expected: total, got }),
            Some(got) if got > total => Err(LoadError::Trailing { expected: total }),
            _ => Ok(()),
        }
    }

    fn section(
        &mut self,
        &Entry { len, .. }: &Entry,
        _start: u64,
        total: u64,
    ) -> Result<(Words, Option<u64>), LoadError> {
        let count =
            usize::try_from(len / 8).map_err(|_| crate::error::OutOfMemory { bytes: len })?;
        let known = if self.len.is_some() { count } else { count.min(STEP / 8) };
        let mut words = Words::zeroed(known)?;
        let mut sum = XxHash3_64::new();
        let mut done = 0;
        while done < count * 8 {
            if done == words.as_slice().len() * 8 {
                // An eighth more each time: no more than that can be in vain.
                let more = (done / 8 / 8).max(STEP / 8);
                words.grow((done / 8).saturating_add(more).min(count))?;
            }
            let end = (done + STEP).min(words.as_slice().len() * 8);
            let part = &mut words.bytes_mut()[done..end];
            self.fill(part, total)?;
            sum.write(part);
            done = end;
        }
        words.fix_byte_order();
        if known < count {
            words.prefer_huge_pages();
        }
        let mut zeros = [0; ALIGN];
        let zeros = &mut zeros[..padding(len)];
        self.fill(zeros, total)?;
        check_zeros(zeros)?;
        Ok((words, Some(sum.finish())))
    }

    fn footer(
        &mut self,
        header: &Header,
        sums: &[Option<u64>],
        total: u64,
    ) -> Result<u64, LoadError> {
        let mut footer = vec![0; 8 * (sums.len() + 1)];
        self.fill(&mut footer, total)?;
        let inserted = check_footer(header, sums, &footer)?;
        match self.fill(&mut [0], total) {
            Err(LoadError::Truncated { .. }) => Ok(inserted),
            Ok(()) => Err(LoadError::Trailing { expected: total }),
            Err(error) => Err(error),
        }
    }
}

/// Bytes that are there and stay, and words that borrow them.
struct Memory<'a, W> {
    bytes: &'a [u8],
    words: W,
    verify: bool,
}

impl<W> Memory<'_, W> {
    /// A range that `check_total` has shown to be there.
    fn range(&self, start: u64, len: u64) -> Result<&[u8], LoadError> {
        let start = usize::try_from(start).ok();
        let range = start.zip(usize::try_from(len).ok());
        range
            .and_then(|(start, len)| self.bytes.get(start..start.checked_add(len)?))
            .ok_or(LoadError::Header("a section beyond the end"))
    }
}

impl<W> Source for Memory<'_, W>
where
    W: Fn(usize, usize) -> Option<Result<Words, crate::error::OutOfMemory>>,
{
    fn header(&mut self) -> Result<Header, LoadError> {
        Stream::new(self.bytes, None).header()
    }

    fn check_total(&mut self, total: u64) -> Result<(), LoadError> {
        Stream::new(self.bytes, Some(self.bytes.len() as u64)).check_total(total)
    }

    fn section(
        &mut self,
        &Entry { encoding, len, .. }: &Entry,
        start: u64,
        _total: u64,
    ) -> Result<(Words, Option<u64>), LoadError> {
        let bytes = self.range(start, len)?;
        // What is coded is read at once, even of a map.
        let read = self.verify || encoding == Encoding::Coded;
        let sum = read.then(|| checksum(bytes));
        check_zeros(self.range(start + len, padding(len) as u64)?)?;
        let beyond = LoadError::Header("a section beyond the end");
        let (Ok(at), Ok(count)) = (usize::try_from(start), usize::try_from(len / 8)) else {
            return Err(beyond);
        };
        let words = (self.words)(at, count).ok_or(beyond)??;
        Ok((words, sum))
    }

    fn footer(
        &mut self,
        header: &Header,
        sums: &[Option<u64>],
        total: u64,
    ) -> Result<u64, LoadError> {
        let len = 8 * (sums.len() as u64 + 1);
        check_footer(header, sums, self.range(total - len, len)?)
    }
}

/// Reads a header and little else once more where it does not add up: as in [`Open::file_as`], but
/// so little is read that there is no need to ask why.
fn again_if_changed<T>(read: impl Fn() -> Result<T, LoadError>) -> Result<T, LoadError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match read() {
            Err(LoadError::Checksum { .. }) if tries < TRIES => {}
            other => return other,
        }
    }
}

/// The header at the beginning of bytes.
pub(super) fn header_of(bytes: &[u8]) -> Result<Header, LoadError> {
    Stream::new(bytes, None).header()
}

fn check_zeros(bytes: &[u8]) -> Result<(), LoadError> {
    if bytes.iter().any(|byte| *byte != 0) {
        return Err(LoadError::Header("bytes between sections"));
    }
    Ok(())
}
