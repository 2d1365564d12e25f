//! Reading: from a file, a stream, bytes or a map.
//!
//! All of them end in [`Open::restore`]. They differ in how the bytes of a section become words,
//! which is what [`Source`] abstracts.

use super::describe::{Encoding, Parts, Readable, Section, Tag};
use super::header::{self, Entry, Header};
use super::lock::Lock;
use super::pages::{self, Tree};
use super::{ALIGN, checksum, in_place, padding, recipe};
use crate::error::LoadError;
use crate::parts::hash::{Seed, SeedKind};
use crate::parts::words::{FileMap, Words};
use crate::profile::About;
use std::fs::File;
use std::hash::Hasher;
use std::io::{BufReader, ErrorKind, Read, Seek};
use std::path::Path;
use std::sync::Arc;
use twox_hash::XxHash3_64;

/// How to open a filter.
///
/// | | copies | verifies |
/// |---|---|---|
/// | [`file`](Open::file), [`reader`](Open::reader), [`bytes`](Open::bytes) | yes | every byte |
/// | [`shared_bytes`](Open::shared_bytes), [`static_bytes`](Open::static_bytes) | unless 64-byte aligned | every byte |
/// | [`map`](Open::map) | no | the header and all lengths |
///
/// All of them return the type that the caller names: a kind such as [`Blocked`](crate::Blocked),
/// where any other kind is an error; [`AnyFilter`](crate::AnyFilter); an [`Iblt`](crate::Iblt); a
/// [`Range`](crate::Range); or [`Verified`](crate::Verified), which only checks.
///
/// The slots of a [`Quotient`](crate::Quotient) filter refer to each other, and the codes of a
/// [`Range`](crate::Range) are searched in order, so all of them are always read and checked. A row that is compressed in the file, as in
/// [`Compressed`](crate::Compressed), is always verified and decompressed into memory, where it may
/// be larger than the file: up to 64 MiB, or 1024 times as large.
///
/// ```
/// use anther::{AnyFilter, Blocked, Open, Save, Seed, Target};
///
/// let mut seen = Blocked::with_seed(Target::new(100, 0.01)?, Seed::keyed([1; 16]))?;
/// seen.insert("key");
/// let bytes = Save::new().bytes(&seen)?;
///
/// let seen: Blocked = Open::new().key([1; 16]).bytes(&bytes)?;
/// assert!(seen.contains("key"));
/// assert!(Open::new().bytes::<AnyFilter>(&bytes).is_err(), "it needs its secret key");
/// assert!(Open::new().key([2; 16]).bytes::<AnyFilter>(&bytes).is_err(), "not this one");
/// assert!(Open::new().key_if_keyed([2; 16]).bytes::<AnyFilter>(&bytes).is_err());
///
/// let plain = Save::new().bytes(&Blocked::new(Target::new(100, 0.01)?)?)?;
/// assert!(Open::new().key([1; 16]).bytes::<AnyFilter>(&plain).is_err(), "it is not keyed");
/// assert!(Open::new().key_if_keyed([1; 16]).bytes::<AnyFilter>(&plain).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Open {
    key: Option<Seed>,
    key_is_optional: bool,
    without_hashing: bool,
    ignore_rule: bool,
}

impl Open {
    /// For filters without a secret key.
    pub fn new() -> Open {
        Open::default()
    }

    /// For a filter made with this secret key. Any other filter is an error.
    pub fn key(self, key: [u8; 16]) -> Open {
        Open { key: Some(Seed::keyed(key)), key_is_optional: false, ..self }
    }

    /// The same, but a filter that is not keyed opens, too. For streams: of a file,
    /// [`is_keyed`](Open::is_keyed) tells beforehand.
    pub fn key_if_keyed(self, key: [u8; 16]) -> Open {
        Open { key_is_optional: true, ..self.key(key) }
    }

    /// For any filter, to be described, merged or queried by hash, but not by key: keyed filters
    /// open without their key, and so do filters built from external hashes. Looking up a key in
    /// such a filter panics.
    pub fn without_hashing(self) -> Open {
        Open { without_hashing: true, ..self }
    }

    /// For a filter whose keys have a [rule](crate::recipe::KeyRule), in a type that does not apply
    /// it: the caller applies the rule, or wants the keys as they are. [`AnyFilter`](crate::AnyFilter)
    /// applies the rule itself.
    pub fn ignore_rule(self) -> Open {
        Open { ignore_rule: true, ..self }
    }

    /// From a file. Takes no more memory than the file has bytes.
    pub fn file<C: Readable>(self, path: impl AsRef<Path>) -> Result<C, LoadError> {
        let path = path.as_ref();
        self.until_unchanged(|| File::open(path))
    }

    /// From a file that a [`Lock`] holds: exactly that file, even if its path now leads elsewhere.
    pub fn locked<C: Readable>(self, lock: &Lock) -> Result<C, LoadError> {
        self.until_unchanged(|| {
            let mut file = lock.file().try_clone()?;
            file.rewind()?;
            Ok(file)
        })
    }

    fn until_unchanged<C: Readable>(
        self,
        open: impl Fn() -> std::io::Result<File>,
    ) -> Result<C, LoadError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let file = open()?;
            let len = file.metadata().ok().filter(|meta| meta.is_file()).map(|meta| meta.len());
            let mut stream = Stream::new(BufReader::new(file), len);
            match self.restore(&mut stream) {
                // Another process started or stopped inserting into it in place while it was read,
                // which changes the header. Each try fails through another such change, so this
                // many are no accident.
                Err(LoadError::Checksum { .. })
                    if tries < TRIES && len.is_some() && !stream.header_stands(&open) => {}
                other => return other,
            }
        }
    }

    /// From a stream, to its end. Takes no more memory than the bytes received.
    pub fn reader<C: Readable>(self, reader: impl Read) -> Result<C, LoadError> {
        self.restore(&mut Stream::new(reader, None))
    }

    /// From bytes, copied.
    pub fn bytes<C: Readable>(self, bytes: &[u8]) -> Result<C, LoadError> {
        self.restore(&mut Stream::new(bytes, Some(bytes.len() as u64)))
    }

    /// From shared bytes, which the filter borrows for as long as it lives.
    pub fn shared_bytes<C: Readable>(self, bytes: Arc<[u8]>) -> Result<C, LoadError> {
        let words = |at, len| Words::shared(&bytes, at, len);
        self.restore(&mut Memory { bytes: &bytes, words, verify: true })
    }

    /// From bytes with static lifetime, such as those of `include_bytes!`.
    pub fn static_bytes<C: Readable>(self, bytes: &'static [u8]) -> Result<C, LoadError> {
        let words = |at, len| Words::from_static(bytes, at, len);
        self.restore(&mut Memory { bytes, words, verify: true })
    }

    /// From a file mapped into memory: at once, whatever its size. All processes that map it share
    /// its pages.
    ///
    /// The header and all lengths are verified; the cells are not (except for `quotient` and `range`), since
    /// that would read them all. A file that processes insert into in place is an error; use
    /// [`SharedView`](crate::SharedView) for those.
    ///
    /// [`FileMap::open`] says what mapping requires of everyone who can write to the file. When in
    /// doubt, use [`file`](Open::file).
    pub fn map<C: Readable>(self, map: &FileMap) -> Result<C, LoadError> {
        if header_of(map.bytes())?.is_open {
            return Err(LoadError::Shared);
        }
        let words = |at, len| Words::mapped(map, at, len);
        self.restore(&mut Memory { bytes: map.bytes(), words, verify: false })
    }

    /// Whether processes insert into a file in place, or a process that did was killed: see
    /// [`SharedFile`](crate::SharedFile). Then its cells have no checksum, and opening it does not
    /// verify them. Reads only the header.
    pub fn is_shared(path: impl AsRef<Path>) -> Result<bool, LoadError> {
        Ok(header_at(path.as_ref())?.is_open)
    }

    /// Whether a file needs its secret key to be queried. Reads only the header.
    pub fn is_keyed(path: impl AsRef<Path>) -> Result<bool, LoadError> {
        let header = header_at(path.as_ref())?;
        Ok(matches!(header.about.seed.kind(), SeedKind::Keyed { .. }))
    }

    /// Whether a file has a checksum of each page, as [`Save::pages`](super::Save::pages) writes
    /// them. Reads only the header.
    pub fn has_pages(path: impl AsRef<Path>) -> Result<bool, LoadError> {
        Ok(header_at(path.as_ref())?.pages.is_some())
    }

    pub(super) fn restore<C: Readable>(self, source: &mut dyn Source) -> Result<C, LoadError> {
        let (tag, mut parts, about) = self.parts(source)?;
        let rule = about.rule().unwrap_or_default();
        let contents = C::read(tag, &mut parts, about)?;
        parts.finish()?;
        // Last: that a file is of another kind, or corrupt, says more.
        if !(C::APPLIES_RULE || self.ignore_rule || self.without_hashing || rule.is_plain()) {
            return Err(LoadError::Rule { rule: rule.to_string() });
        }
        Ok(contents)
    }

    /// Everything that does not depend on the kind.
    fn parts(self, source: &mut dyn Source) -> Result<(Tag, Parts, About), LoadError> {
        let header = source.header()?;
        let (starts, total) = header.layout().ok_or(LoadError::Header("section sizes overflow"))?;
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
        // A map does not read the cells.
        if header.pages.is_some() && sums.iter().all(Option::is_some) {
            check_pages(header.pages, &sections)?;
        }
        sections.retain(|(name, _)| name != pages::NAME);

        let mut about = header.about;
        if let Some((_, section)) =
            sections.extract_if(.., |(name, _)| name == recipe::SECTION).next()
        {
            about.recipe = Some(recipe::decode_section(section.words.as_slice())?);
        }
        let parts = Parts { fields: header.fields, sections };
        about.seed = seed;
        about.count(inserted);
        Ok((header.tag, parts, about))
    }

    pub(super) fn unlock(&self, stored: Seed) -> Result<Seed, LoadError> {
        match (stored.kind(), self.key) {
            (SeedKind::Keyed { .. }, Some(key)) if key.kind() == stored.kind() => Ok(key),
            (SeedKind::Keyed { .. }, Some(_)) => Err(LoadError::WrongKey),
            (_, Some(_)) if !self.key_is_optional => Err(LoadError::NotKeyed),
            (_, _) if stored.can_hash() || self.without_hashing => Ok(stored),
            (SeedKind::Keyed { .. }, _) => Err(LoadError::KeyNeeded),
            _ => Err(LoadError::ExternalHashes),
        }
    }
}

/// A source of bytes.
pub(super) trait Source {
    fn header(&mut self) -> Result<Header, LoadError>;
    /// Whether the whole file can be present, as far as that is known before reading it.
    fn check_total(&mut self, total: u64) -> Result<(), LoadError>;
    /// The words of a section, and their checksum unless verification is skipped.
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

/// How often to retry a file that changes while it is read.
pub(super) const TRIES: u32 = 100;

/// Checks the footer, which has the checksum of each section and one of all of them with the
/// header's. `sums` are the computed ones, where the bytes were read. The footer of an open file
/// has the number of inserts since it was opened instead, which is returned.
pub(super) fn check_footer(
    header: &Header,
    sums: &[Option<u64>],
    footer: &[u8],
) -> Result<u64, LoadError> {
    if header.is_open {
        // Only the cells change; a recipe after them still has its checksum.
        let (stored, _) = footer.as_chunks::<8>();
        let others = header.sections.iter().zip(stored.iter().zip(sums)).skip(1);
        for (section, (stored, sum)) in others {
            check_sum(section, *stored, *sum)?;
        }
        return Ok(in_place::inserted(footer));
    }
    let Some((stored, whole)) = footer.split_last_chunk::<8>() else {
        return Err(LoadError::Header("missing footer"));
    };
    let expected = u64::from_le_bytes(*whole);
    let got = checksum(&[&header.checksum.to_le_bytes(), stored].concat());
    if expected != got {
        return Err(LoadError::Checksum { part: "footer".to_string(), expected, got });
    }
    let (stored, _) = stored.as_chunks::<8>();
    for (section, (stored, sum)) in header.sections.iter().zip(stored.iter().zip(sums)) {
        check_sum(section, *stored, *sum)?;
    }
    Ok(0)
}

/// Checks the checksums of pages, whose section is the first.
fn check_pages(root: Option<u64>, sections: &[(String, Section)]) -> Result<(), LoadError> {
    let mut words = sections.iter().map(|(_, section)| section.words.as_slice());
    let stored = words.next().unwrap_or_default();
    let others: Vec<&[u64]> = words.collect();
    let covered = header::covered(others.iter().map(|words| words.len() as u64 * 8));
    let tree = Tree::over(covered.ok_or(LoadError::Header("section sizes overflow"))?);
    let sums = tree.sums(&others)?;
    match sums == stored && Some(tree.root(&sums)) == root {
        true => Ok(()),
        false => Err(LoadError::Section { name: pages::NAME }),
    }
}

/// Checks a section's checksum, if it was computed.
fn check_sum(section: &Entry, stored: [u8; 8], sum: Option<u64>) -> Result<(), LoadError> {
    let expected = u64::from_le_bytes(stored);
    match sum.filter(|got| *got != expected) {
        Some(got) => {
            let part = format!("section {}", section.name);
            Err(LoadError::Checksum { part, expected, got })
        }
        None => Ok(()),
    }
}

/// Bytes that arrive one after the other and are copied.
struct Stream<R> {
    reader: R,
    /// Bytes received.
    at: u64,
    /// Total length, if known.
    len: Option<u64>,
    /// The header, as it was read.
    header: Vec<u8>,
}

/// A stream of unknown length is read in steps, so that a header that claims terabytes costs no
/// more memory than the bytes received.
const STEP: usize = 1 << 20;

impl<R: Read> Stream<R> {
    fn new(reader: R, len: Option<u64>) -> Stream<R> {
        Stream { reader, at: 0, len, header: Vec::new() }
    }

    /// Whether the file still has the header that was read.
    fn header_stands(&self, open: &impl Fn() -> std::io::Result<File>) -> bool {
        let mut now = Vec::new();
        let read = open().map(|file| file.take(self.header.len() as u64));
        let read = read.and_then(|mut start| start.read_to_end(&mut now));
        read.is_ok() && now == self.header
    }

    /// Fills the buffer, or reports how many of the bytes are present.
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
        self.len.map_or(Ok(()), |got| check_len(got, total))
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
                // Grows by an eighth each time, so at most that much is wasted.
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

/// Bytes that stay in memory, and words that borrow them.
struct Memory<'a, W> {
    bytes: &'a [u8],
    words: W,
    verify: bool,
}

impl<W> Memory<'_, W> {
    /// A range; `check_total` has shown that it exists.
    fn range(&self, start: u64, len: u64) -> Result<&[u8], LoadError> {
        let start = usize::try_from(start).ok();
        let range = start.zip(usize::try_from(len).ok());
        range
            .and_then(|(start, len)| self.bytes.get(start..start.checked_add(len)?))
            .ok_or(LoadError::Header("section beyond the end of the file"))
    }
}

impl<W> Source for Memory<'_, W>
where
    W: Fn(usize, usize) -> Option<Result<Words, crate::error::OutOfMemory>>,
{
    fn header(&mut self) -> Result<Header, LoadError> {
        header_of(self.bytes)
    }

    fn check_total(&mut self, total: u64) -> Result<(), LoadError> {
        check_len(self.bytes.len() as u64, total)
    }

    fn section(
        &mut self,
        &Entry { encoding, len, ref name }: &Entry,
        start: u64,
        _total: u64,
    ) -> Result<(Words, Option<u64>), LoadError> {
        let bytes = self.range(start, len)?;
        // Compressed sections and recipes are read at once, even from a map.
        let read = self.verify || encoding == Encoding::Coded || name == recipe::SECTION;
        let sum = read.then(|| checksum(bytes));
        check_zeros(self.range(start + len, padding(len) as u64)?)?;
        let beyond = LoadError::Header("section beyond the end of the file");
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

/// Reads something short again if it is inconsistent, as [`Open::file`] does: without a lock, another
/// process may open or close the file between two reads.
pub(super) fn consistent<T>(
    mut read: impl FnMut() -> Result<T, LoadError>,
) -> Result<T, LoadError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match read() {
            Err(LoadError::Checksum { .. }) if tries < TRIES => {}
            other => return other,
        }
    }
}

/// The header of the file at a path.
pub(super) fn header_at(path: &Path) -> Result<Header, LoadError> {
    consistent(|| header_of(File::open(path)?))
}

/// The header at the beginning of a stream.
pub(super) fn header_of(reader: impl Read) -> Result<Header, LoadError> {
    Stream::new(reader, None).header()
}

/// Checks that a file is as long as its header says.
pub(super) fn check_len(got: u64, expected: u64) -> Result<(), LoadError> {
    match got {
        got if got < expected => Err(LoadError::Truncated { expected, got }),
        got if got > expected => Err(LoadError::Trailing { expected }),
        _ => Ok(()),
    }
}

pub(super) fn check_zeros(bytes: &[u8]) -> Result<(), LoadError> {
    if bytes.iter().any(|byte| *byte != 0) {
        return Err(LoadError::Header("invalid padding between sections"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `consistent` returns where the first reads are inconsistent, and how often it read.
    fn after(inconsistent: u32) -> (Result<u32, LoadError>, u32) {
        let mut reads = 0;
        let result = consistent(|| {
            reads += 1;
            match reads {
                _ if reads > inconsistent => Ok(reads),
                _ => Err(LoadError::Checksum { part: "header".to_owned(), expected: 0, got: 1 }),
            }
        });
        (result, reads)
    }

    #[test]
    fn an_inconsistent_header_is_read_again_but_not_forever() {
        assert!(matches!(after(0), (Ok(1), 1)));
        assert!(matches!(after(1), (Ok(2), 2)));
        assert!(matches!(after(TRIES - 1), (Ok(TRIES), TRIES)));
        assert!(matches!(after(TRIES), (Err(LoadError::Checksum { .. }), TRIES)));
    }

    #[test]
    fn another_error_is_reported_at_once() {
        let mut reads = 0;
        let result: Result<(), _> = consistent(|| {
            reads += 1;
            Err(LoadError::NotAnther)
        });
        assert!(matches!(result, Err(LoadError::NotAnther)));
        assert_eq!(reads, 1);
    }
}
