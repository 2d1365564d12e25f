//! The footer of a Parquet file: its row groups and columns, and where their filters are.
//!
//! ```text
//! PAR1  pages, indexes, filters  FileMetaData  u32 its length, little-endian  PAR1
//! ```
//!
//! Only the footer is read, whatever the size of the file.

use super::logical::{self, Leaf, Logical};
use super::thrift::{List, Struct};
use crate::error::ForeignError;
use crate::foreign::open::Source;
use crate::recipe::KeyForm;

pub(super) const MAGIC: &[u8; 4] = b"PAR1";
pub(super) const ENCRYPTED: &[u8; 4] = b"PARE";

/// The type in which a column's values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Physical {
    /// A bit.
    Boolean,
    /// A 32-bit integer.
    Int32,
    /// A 64-bit integer.
    Int64,
    /// A time of 12 bytes, deprecated.
    Int96,
    /// A 32-bit float.
    Float,
    /// A 64-bit float.
    Double,
    /// Bytes.
    ByteArray,
    /// Bytes, equally many in each value.
    FixedLenByteArray,
}

impl Physical {
    const ALL: [(Physical, &str); 8] = [
        (Physical::Boolean, "BOOLEAN"),
        (Physical::Int32, "INT32"),
        (Physical::Int64, "INT64"),
        (Physical::Int96, "INT96"),
        (Physical::Float, "FLOAT"),
        (Physical::Double, "DOUBLE"),
        (Physical::ByteArray, "BYTE_ARRAY"),
        (Physical::FixedLenByteArray, "FIXED_LEN_BYTE_ARRAY"),
    ];

    /// Its name in the format: `INT64`.
    pub fn name(self) -> &'static str {
        Physical::ALL[self as usize].1
    }
}

/// A column of a Parquet file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// Its path in the schema, with dots between the names.
    pub name: String,
    /// How its values are stored, and so hashed.
    pub physical: Physical,
    /// What its values stand for.
    pub logical: Logical,
    /// What a text is to become a value of this column, unless the user says otherwise.
    pub form: KeyForm,
    /// Bytes of each value of a [`Physical::FixedLenByteArray`].
    pub len: Option<u32>,
}

impl Column {
    /// Whether keys of this form can be values of the column: all others are surely not in it, whatever
    /// the user means. Bytes in hexadecimal can be values of any.
    pub fn takes(&self, form: KeyForm) -> bool {
        let is_number =
            matches!(form, KeyForm::Int32 | KeyForm::Int64 | KeyForm::Float | KeyForm::Double);
        let fits =
            form.width().is_none_or(|width| self.len.is_none_or(|len| width == len as usize));
        match (self.physical, self.form) {
            _ if form == KeyForm::Hex || form == self.form => true,
            (Physical::ByteArray, KeyForm::Text) => !is_number,
            (Physical::FixedLenByteArray, KeyForm::Text) => !is_number && fits,
            _ => false,
        }
    }

    /// Whether its values can be looked up as text of some kind, and not only as bytes.
    pub fn takes_text(&self) -> bool {
        self.form != KeyForm::Hex
    }

    /// Whether all readers can use a filter of it. Parquet has none of BOOLEAN, and readers disagree on
    /// what is hashed of others: DuckDB looks up floats of 16 bits by 4 bytes, so it would skip rows.
    pub fn can_have_filter(&self) -> Result<(), ForeignError> {
        match (self.physical, self.logical) {
            (Physical::Boolean | Physical::Int96, _) => Err(ForeignError::Refused(
                "Parquet has no filters for BOOLEAN and INT96; choose another column",
            )),
            (_, Logical::Float16) => Err(ForeignError::Refused(
                "readers hash FLOAT16 in different ways, so with a filter DuckDB would miss rows; \
                 choose another column",
            )),
            _ => Ok(()),
        }
    }

    /// Whether its values are floats, of which two zeros are equal and a NaN has many spellings.
    pub(super) fn has_floats(&self) -> bool {
        matches!(self.physical, Physical::Float | Physical::Double)
    }
}

/// A footer's bytes, and where they begin in the file.
#[derive(Debug)]
pub(super) struct Footer {
    pub bytes: Vec<u8>,
    pub start: u64,
}

impl Footer {
    pub(super) fn read(source: &mut Source<'_>, limit: u64) -> Result<Footer, ForeignError> {
        let Some(([a, b, c, d], magic)) = source
            .end
            .split_last_chunk::<4>()
            .and_then(|(rest, magic)| Some((rest.last_chunk::<4>()?, magic)))
        else {
            return Err(ForeignError::Truncated);
        };
        if magic == ENCRYPTED || source.start.starts_with(ENCRYPTED) {
            return Err(ForeignError::Refused(
                "a Parquet file with an encrypted footer, which cannot be read without its key; \
                 write it with a plain footer",
            ));
        }
        if magic != MAGIC || !source.start.starts_with(MAGIC) {
            return Err(ForeignError::NotFormat { expected: "a Parquet file" });
        }
        let len = u64::from(u32::from_le_bytes([*a, *b, *c, *d]));
        let start = source.len.checked_sub(8).and_then(|end| end.checked_sub(len));
        let start = start.filter(|start| *start >= 4).ok_or(ForeignError::Truncated)?;
        if len > limit {
            return Err(ForeignError::TooLarge { bytes: len, limit });
        }
        Ok(Footer { bytes: source.bytes(start, len)?, start })
    }

    /// The metadata. Nothing follows it but the signature of a file with encrypted columns.
    pub(super) fn metadata(&self) -> Result<Struct<'_>, ForeignError> {
        match Struct::read(&self.bytes)? {
            (metadata, rest) if rest.is_empty() || metadata.has(8) => Ok(metadata),
            _ => Err(ForeignError::Trailing),
        }
    }
}

/// A column's part of a row group.
#[derive(Debug)]
pub(super) struct Chunk<'a> {
    pub metadata: Struct<'a>,
    /// Its path in the schema, as it is encoded: equal for equal paths.
    pub path: &'a [u8],
    pub name: String,
    pub physical: Physical,
    /// Where its filter begins, and how long it is if the file says it.
    pub filter: Option<(u64, Option<u64>)>,
}

impl<'a> Chunk<'a> {
    /// From a column of a row group.
    pub(super) fn read(chunk: &Struct<'a>) -> Result<Chunk<'a>, ForeignError> {
        if chunk.has(1) {
            return Err(ForeignError::Refused(
                "a summary of other Parquet files, in which the filters are; open those",
            ));
        }
        if chunk.has(8) || chunk.has(9) {
            return Err(ForeignError::Refused(
                "a Parquet file with encrypted columns, whose filters are encrypted, too; write it \
                 without encryption",
            ));
        }
        let missing = |what| ForeignError::Malformed(what);
        let metadata = chunk.child(3)?.ok_or(missing("a column without metadata"))?;
        let physical = metadata.i32(1)?.ok_or(missing("a column without a type"))?;
        let physical = usize::try_from(physical).ok().and_then(|at| Physical::ALL.get(at));
        let (physical, _) = *physical.ok_or(missing("a column of an unknown type"))?;
        let path = metadata.raw_list(3)?.ok_or(missing("a column without a path"))?;
        let name = metadata.list(3)?.map(joined).transpose()?.unwrap_or_default();
        let position = |number: i64| {
            let outside = || ForeignError::field("bloom_filter_offset", number, "within the file");
            u64::try_from(number).map_err(|_| outside())
        };
        let filter = match (metadata.i64(14)?, metadata.i32(15)?) {
            (None, _) => None,
            (Some(offset), None) => Some((position(offset)?, None)),
            (Some(offset), Some(len)) => Some((position(offset)?, Some(position(len.into())?))),
        };
        Ok(Chunk { metadata, path, name, physical, filter })
    }

    pub(super) fn column(&self, leaf: Option<&Leaf>) -> Column {
        let Leaf { logical, len } = *leaf.unwrap_or(&Leaf::UNKNOWN);
        let (physical, form) = (self.physical, logical::form(self.physical, logical));
        let len = len.filter(|_| physical == Physical::FixedLenByteArray);
        Column { name: self.name.clone(), physical, logical, form, len }
    }
}

fn joined(mut path: List<'_>) -> Result<String, ForeignError> {
    let mut name = String::new();
    while let Some(part) = path.next_text()? {
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(part);
    }
    Ok(name)
}
