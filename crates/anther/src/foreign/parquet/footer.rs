//! The footer of a Parquet file: its row groups and columns, and where their filters are.
//!
//! ```text
//! PAR1  pages, indexes, filters  FileMetaData  u32 its length, little-endian  PAR1
//! ```
//!
//! Only the footer is read, whatever the size of the file.

use super::thrift::{List, Struct};
use crate::error::ForeignError;
use crate::foreign::open::Source;
use crate::recipe::KeyForm;

pub(super) const MAGIC: &[u8; 4] = b"PAR1";
const ENCRYPTED: &[u8; 4] = b"PARE";

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

    fn form(self, is_uuid: bool) -> KeyForm {
        match self {
            Physical::Int32 => KeyForm::Int32,
            Physical::Int64 => KeyForm::Int64,
            Physical::Float => KeyForm::Float,
            Physical::Double => KeyForm::Double,
            Physical::FixedLenByteArray if is_uuid => KeyForm::Uuid,
            Physical::ByteArray | Physical::FixedLenByteArray => KeyForm::Text,
            Physical::Boolean | Physical::Int96 => KeyForm::Hex,
        }
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
    /// What a text is to become a value of this column, unless the user says otherwise.
    pub form: KeyForm,
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
        if magic == ENCRYPTED {
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

    pub(super) fn column(&self, is_uuid: bool) -> Column {
        let form = self.physical.form(is_uuid);
        Column { name: self.name.clone(), physical: self.physical, form }
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

/// Which columns are UUIDs, by their number: a text of one is other bytes than its characters.
pub(super) fn uuids(metadata: &Struct<'_>) -> Result<Vec<usize>, ForeignError> {
    let (mut found, mut column) = (Vec::new(), 0);
    let Some(mut schema) = metadata.list(2)? else { return Ok(found) };
    while let Some(element) = schema.next_struct()? {
        // A group has children.
        if element.i32(5)?.is_some_and(|children| children > 0) {
            continue;
        }
        if element.child(10)?.is_some_and(|logical| logical.has(14)) {
            found.push(column);
        }
        column += 1;
    }
    Ok(found)
}
