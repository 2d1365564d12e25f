//! What an HFile says of itself by name: of which type its Bloom filter is.

use super::{byte_string, natural, unsupported};
use crate::error::ForeignError;
use crate::foreign::cursor::Cursor;

const BLOOM_TYPE: &[u8] = b"BLOOM_FILTER_TYPE";

/// What the keys of a filter are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Keys {
    Row,
    RowColumn,
}

impl Keys {
    fn new(name: Option<&[u8]>) -> Result<Keys, ForeignError> {
        match name {
            Some(b"ROW") => Ok(Keys::Row),
            Some(b"ROWCOL") => Ok(Keys::RowColumn),
            Some(b"NONE") | None => Err(ForeignError::NoFilter),
            Some(other) => {
                let name = String::from_utf8_lossy(&other[..other.len().min(64)]);
                Err(unsupported(format!("a Bloom filter of HBase of the type {name}")))
            }
        }
    }

    /// Of version 1: names and values behind their number, each with the number of its class.
    pub(super) fn of_version_1(bytes: &[u8]) -> Result<Keys, ForeignError> {
        let mut cursor = Cursor::new(bytes);
        let count = natural("entries of the file info", cursor.big_endian_i32()?)?;
        let mut found = None;
        for _ in 0..count {
            let name = byte_string(&mut cursor)?;
            cursor.u8()?;
            let value = byte_string(&mut cursor)?;
            found = if name == BLOOM_TYPE { Some(value) } else { found };
        }
        Keys::new(found)
    }

    /// Of version 3: names and values in a message of Protocol Buffers.
    pub(super) fn of_version_3(bytes: &[u8]) -> Result<Keys, ForeignError> {
        let mut cursor = Cursor::new(bytes);
        if cursor.array()? != *b"PBUF" {
            return Err(ForeignError::Malformed("file info"));
        }
        let mut found = None;
        each_field(message(&mut cursor)?, |_, pair| {
            let (mut name, mut value) = (None, None);
            if let Value::Bytes(pair) = pair {
                each_field(pair, |number, part| {
                    match (number, part) {
                        (1, Value::Bytes(bytes)) => name = Some(bytes),
                        (2, Value::Bytes(bytes)) => value = Some(bytes),
                        _ => {}
                    }
                    Ok(())
                })?;
            }
            found = if name == Some(BLOOM_TYPE) { value } else { found };
            Ok(())
        })?;
        Keys::new(found)
    }
}

/// The value of a field of Protocol Buffers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// A message behind its length.
pub(super) fn message<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8], ForeignError> {
    let len = varint(cursor)?;
    cursor.take(len)
}

/// Visits the fields of a message. They are not collected: a forged one may have very many.
pub(super) fn each_field<'a>(
    message: &'a [u8],
    mut visit: impl FnMut(u64, Value<'a>) -> Result<(), ForeignError>,
) -> Result<(), ForeignError> {
    let mut cursor = Cursor::new(message);
    while cursor.end().is_err() {
        let tag = varint(&mut cursor)?;
        let value = match tag & 7 {
            0 => Value::Number(varint(&mut cursor)?),
            2 => Value::Bytes(self::message(&mut cursor)?),
            _ => return Err(ForeignError::Malformed("field of a message")),
        };
        visit(tag >> 3, value)?;
    }
    Ok(())
}

/// Seven bits per byte, the lowest first.
fn varint(cursor: &mut Cursor<'_>) -> Result<u64, ForeignError> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = cursor.u8()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(ForeignError::Malformed("number of a message"))
}
