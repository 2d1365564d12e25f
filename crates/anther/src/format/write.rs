//! Writing: header, sections, footer, in one pass.

use super::cancel::Cancel;
use super::header::{Encoding, Entry};
use super::replace::{Existing, write_file};
use super::{ALIGN, Cells, Sheet, Stored, Tag, checksum, entropy, header, padding};
use crate::error::{OutOfMemory, SaveError};
use crate::profile::About;
use crate::traits::Filter;
use std::borrow::Cow;
use std::hash::Hasher;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;
use twox_hash::XxHash3_64;

/// Words turned to bytes at a time: 64 KiB.
const CHUNK: usize = 8192;

/// How to write a filter to a file: always whole or not at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Save<'a> {
    existing: Existing,
    cancel: Option<&'a Cancel>,
}

impl<'a> Save<'a> {
    /// In the place of what is there.
    pub fn new() -> Save<'a> {
        Save::default()
    }

    /// Only where no file is: one that is there, even if it appeared only just now, stays, and
    /// saving is an error.
    pub fn only_new(self) -> Save<'a> {
        Save { existing: Existing::Keep, ..self }
    }

    /// Until it is called off.
    pub fn cancel(self, cancel: &'a Cancel) -> Save<'a> {
        Save { cancel: Some(cancel), ..self }
    }
}

/// Writes a filter to a file, whole or not at all.
pub(crate) fn save<F: Stored + Filter>(
    filter: &F,
    path: &Path,
    how: Save<'_>,
) -> Result<(), SaveError> {
    save_sheet(Tag::Filter(F::KIND), filter.about(), sheet_of(filter), path, how)
}

/// Writes a filter to a stream.
pub(crate) fn write_to<F: Stored + Filter>(filter: &F, out: impl Write) -> Result<(), SaveError> {
    write_sheet(Tag::Filter(F::KIND), filter.about(), sheet_of(filter), out)
}

fn sheet_of<F: Stored>(filter: &F) -> Sheet<'_> {
    let mut sheet = Sheet::default();
    filter.describe(&mut sheet);
    sheet
}

/// Writes fields and sections to a file, whole or not at all.
pub(crate) fn save_sheet(
    tag: Tag,
    about: &About,
    sheet: Sheet<'_>,
    path: &Path,
    how: Save<'_>,
) -> Result<(), SaveError> {
    let nobody = Cancel::new();
    write_file(path, how.existing, how.cancel.unwrap_or(&nobody), |file| {
        write_sheet(tag, about, sheet, BufWriter::with_capacity(1 << 16, file))
    })
}

/// Writes fields and sections to a stream. Plain sections stream, and checksums follow in the
/// footer; coded ones are made first, since the header says how long they are.
pub(crate) fn write_sheet(
    tag: Tag,
    about: &About,
    sheet: Sheet<'_>,
    mut out: impl Write,
) -> Result<(), SaveError> {
    let (mut entries, mut sections) = (Vec::new(), Vec::new());
    for (name, cells) in sheet.sections {
        // As the system says it when it has no memory to write with.
        let (encoding, words) =
            cells.encode().map_err(|_| SaveError::Io(ErrorKind::OutOfMemory.into()))?;
        entries.push(Entry { name, encoding, len: words.len() as u64 * 8 });
        sections.push(words);
    }
    let header = header::encode(tag, about, &sheet.fields, &entries)?;
    out.write_all(&header)?;

    // The header's checksum, then one a section, then one of them all.
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
    // A buffered writer that is only dropped would keep the error of a full disk to itself.
    Ok(out.flush()?)
}

impl<'a> Cells<'a> {
    /// The words that are written, and what they are.
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
