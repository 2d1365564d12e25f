//! Writing: header, sections, footer, in one pass.

use super::cancel::Cancel;
use super::describe::{Cells, Contents, Encoding, Tag, Writable};
use super::header::{self, Entry};
use super::lock::Lock;
use super::pages::{self, Tree};
use super::replace::{Destination, Existing, write_file};
use super::{ALIGN, checksum, entropy, padding, recipe};
use crate::error::{OutOfMemory, SaveError};
use std::borrow::Cow;
use std::hash::Hasher;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;
use twox_hash::XxHash3_64;

/// Words converted to bytes at a time: 64 KiB.
const CHUNK: usize = 8192;

/// How to save a filter: to a file, atomically, or to a stream or bytes.
///
/// It writes what [`Open`](super::Open) reads: a named kind, [`AnyFilter`](crate::AnyFilter), or an
/// [`Iblt`](crate::Iblt). A file is written under a temporary name, synced, and renamed: after a
/// crash either the old file or the new one exists.
///
/// ```
/// use anther::{AnyFilter, Blocked, Open, Save, Target};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.anther");
/// let mut seen = Blocked::new(Target::new(100, 0.01)?)?;
/// seen.insert("key");
/// Save::new().only_new().file(&seen, &path)?;
/// assert!(Save::new().only_new().file(&seen, &path).is_err(), "there is one already");
///
/// let any: AnyFilter = Open::new().file(&path)?;
/// assert_eq!(Save::new().bytes(&any)?, Save::new().bytes(&seen)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Save<'a> {
    existing: Existing,
    cancel: Option<&'a Cancel>,
    pages: bool,
}

impl<'a> Save<'a> {
    /// Replaces an existing file.
    pub fn new() -> Save<'a> {
        Save::default()
    }

    /// Creates a new file only: an existing file, even one that has just been created, is left
    /// alone, and saving is an error.
    pub fn only_new(self) -> Save<'a> {
        Save { existing: Existing::Keep, ..self }
    }

    /// Adds a checksum of each page of 2 KiB, so that [`Remote`](crate::Remote) can verify what it
    /// reads: 0.4 % more. Such a file cannot be [inserted into in place](crate::SharedFile), and
    /// releases before this one refuse it. [`Open::has_pages`](super::Open::has_pages) tells.
    pub fn pages(self, pages: bool) -> Save<'a> {
        Save { pages, ..self }
    }

    /// Lets another thread cancel saving to a file.
    pub fn cancel(self, cancel: &'a Cancel) -> Save<'a> {
        Save { cancel: Some(cancel), ..self }
    }

    /// Saves to a file.
    pub fn file(self, what: &impl Writable, path: impl AsRef<Path>) -> Result<(), SaveError> {
        self.write_file(what, Destination::of(path.as_ref(), self.existing)?)
    }

    /// Replaces a locked file: exactly that file, at its path when it was locked, wherever the path
    /// it was opened by leads now. If another file is at that path by now, it is left alone, and
    /// saving is an error.
    pub fn locked(self, what: &impl Writable, lock: &Lock) -> Result<(), SaveError> {
        self.write_file(what, Destination::of_locked(lock)?)
    }

    fn write_file(
        self,
        what: &impl Writable,
        destination: Destination<'_>,
    ) -> Result<(), SaveError> {
        let nobody = Cancel::new();
        write_file(&destination, self.cancel.unwrap_or(&nobody), |file| {
            write(what.contents(), self.pages, &mut BufWriter::with_capacity(1 << 16, file))
        })
    }

    /// Writes to a stream.
    pub fn writer(self, what: &impl Writable, mut out: impl Write) -> Result<(), SaveError> {
        write(what.contents(), self.pages, &mut out)
    }

    /// The bytes of its file.
    pub fn bytes(self, what: &impl Writable) -> Result<Vec<u8>, SaveError> {
        let mut bytes = Vec::new();
        write(what.contents(), self.pages, &mut bytes)?;
        Ok(bytes)
    }
}

/// Writes contents to a stream. Plain sections are streamed, and checksums follow in the footer;
/// compressed ones are made first, since the header has their lengths.
fn write(contents: Contents<'_>, pages: bool, out: &mut dyn Write) -> Result<(), SaveError> {
    let Contents { tag, about, sheet } = contents;
    let (mut entries, mut sections) = (Vec::new(), Vec::new());
    for (name, cells) in sheet.sections {
        let (encoding, words) = cells.encode().map_err(out_of_memory)?;
        entries.push(Entry { name, encoding, len: words.len() as u64 * 8 });
        sections.push(words);
    }
    if let Some(recipe) = about.recipe.as_ref().filter(|it| recipe::encode_header(it).is_none()) {
        if tag == Tag::Iblt {
            return Err(SaveError::InvalidRecipe("an iblt has only recipes of the header"));
        }
        recipe::check(recipe).map_err(SaveError::InvalidRecipe)?;
        let words = recipe::encode_section(recipe);
        let len = words.len() * 8;
        if len > recipe::MAX_LEN {
            return Err(SaveError::Recipe);
        }
        let (name, encoding) = (recipe::SECTION.to_string(), Encoding::Plain);
        entries.push(Entry { name, encoding, len: len as u64 });
        sections.push(words.into());
    }
    let mut root = None;
    if pages {
        let covered = header::covered(entries.iter().map(|entry| entry.len));
        let tree = Tree::over(covered.ok_or(SaveError::Io(ErrorKind::FileTooLarge.into()))?);
        let words: Vec<&[u64]> = sections.iter().map(|words| &words[..]).collect();
        let sums = tree.sums(&words).map_err(out_of_memory)?;
        root = Some(tree.root(&sums));
        let (name, encoding) = (pages::NAME.to_string(), Encoding::Plain);
        entries.insert(0, Entry { name, encoding, len: tree.len() * 8 });
        sections.insert(0, sums.into());
    }
    let header = header::encode(tag, about, &sheet.fields, &entries, root)?;
    out.write_all(&header)?;

    // The header's checksum, then one per section, then one of them all.
    let mut sums = header[header.len() - 8..].to_vec();
    let mut bytes = Vec::with_capacity(CHUNK * 8);
    for words in &sections {
        let mut sum = XxHash3_64::new();
        for chunk in words.chunks(CHUNK) {
            bytes.clear();
            bytes.extend(chunk.iter().flat_map(|word| word.to_le_bytes()));
            sum.write(&bytes);
            out.write_all(&bytes)?;
        }
        let zeros = [0; ALIGN];
        out.write_all(&zeros[..padding(words.len() as u64 * 8)])?;
        sums.extend(sum.finish().to_le_bytes());
    }
    let whole = checksum(&sums);
    out.write_all(&sums[8..])?;
    out.write_all(&whole.to_le_bytes())?;
    // Dropping a buffered writer would swallow the error of a full disk.
    Ok(out.flush()?)
}

/// The error that the system gives when it is out of memory for a write.
fn out_of_memory(_: OutOfMemory) -> SaveError {
    SaveError::Io(ErrorKind::OutOfMemory.into())
}

impl<'a> Cells<'a> {
    /// The words to write, and their encoding.
    fn encode(self) -> Result<(Encoding, Cow<'a, [u64]>), OutOfMemory> {
        match self {
            Cells::Words(words) => Ok((Encoding::Plain, words.into())),
            Cells::Row(row) => Ok(match entropy::encode(row)? {
                Some(coded) => (Encoding::Coded, coded.into()),
                None => (Encoding::Plain, row.words().into()),
            }),
        }
    }
}
