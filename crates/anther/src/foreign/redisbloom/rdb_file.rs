//! Whole RDB files, from which the values of RedisBloom are taken.

use super::Object;
use super::crc64::crc64;
use super::rdb_value::{MODULE_VALUE, RdbValue};
use super::{BLOOM_TYPE, CUCKOO_TYPE};
use crate::error::ForeignError;
use crate::foreign::cursor::Cursor;

/// What comes between values.
mod opcode {
    pub(super) const SLOT: u8 = 0xf4;
    pub(super) const FUNCTION: u8 = 0xf5;
    pub(super) const MODULE: u8 = 0xf7;
    pub(super) const IDLE: u8 = 0xf8;
    pub(super) const FREQUENCY: u8 = 0xf9;
    pub(super) const AUXILIARY: u8 = 0xfa;
    pub(super) const RESIZE: u8 = 0xfb;
    pub(super) const EXPIRY: u8 = 0xfc;
    pub(super) const EXPIRY_SECONDS: u8 = 0xfd;
    pub(super) const DATABASE: u8 = 0xfe;
    pub(super) const END: u8 = 0xff;
}

/// The longest key.
const MOST_KEY: u64 = 512 << 20;

/// A key of RedisBloom in an RDB file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RdbEntry {
    /// The number of the database.
    pub database: u64,
    /// The key.
    pub key: Vec<u8>,
    /// The filter.
    pub object: Object,
}

/// The filters of RedisBloom in an RDB file of Redis or Valkey, one after the other. Values of
/// other types are skipped; one that this release does not know ends it with an error.
#[derive(Debug)]
pub struct RdbFile<'a> {
    value: RdbValue<'a>,
    limit: u64,
    database: u64,
    ended: bool,
}

impl<'a> RdbFile<'a> {
    /// Begins to read a file. Checks its signature and its checksum. A filter that needs more than
    /// `limit` bytes is an error.
    pub fn open(file: &'a [u8], limit: u64) -> Result<RdbFile<'a>, ForeignError> {
        const NOT_RDB: ForeignError = ForeignError::NotFormat { expected: "an RDB file" };
        let (signature, after) = file.split_at_checked(9).ok_or(NOT_RDB)?;
        let redis = signature.strip_prefix(b"REDIS");
        let version = redis.or(signature.strip_prefix(b"VALKEY")).ok_or(NOT_RDB)?;
        if !version.iter().all(u8::is_ascii_digit) {
            return Err(NOT_RDB);
        }
        // Since version 5, of 2012, there is a checksum. It is 0 if the server writes none.
        let end = after.len().checked_sub(8).ok_or(ForeignError::Truncated)?;
        let expected = Cursor::new(&after[end..]).u64()?;
        let got = crc64(&file[..file.len() - 8]);
        if expected != 0 && got != expected {
            return Err(ForeignError::Checksum { expected, got });
        }
        let value = RdbValue::new(&after[..end]);
        Ok(RdbFile { value, limit, database: 0, ended: false })
    }

    fn find(&mut self) -> Result<Option<RdbEntry>, ForeignError> {
        loop {
            let value = &mut self.value;
            match value.cursor.u8()? {
                opcode::SLOT => value.skip_lengths(3)?,
                opcode::FUNCTION => value.skip_strings(1)?,
                opcode::MODULE => {
                    // The module, and a field that says when the data were saved.
                    value.skip_lengths(3)?;
                    value.skip_object()?;
                }
                opcode::IDLE => value.skip_lengths(1)?,
                opcode::FREQUENCY => drop(value.cursor.take(1)?),
                opcode::AUXILIARY => value.skip_strings(2)?,
                opcode::RESIZE => value.skip_lengths(2)?,
                opcode::EXPIRY => drop(value.cursor.take(8)?),
                opcode::EXPIRY_SECONDS => drop(value.cursor.take(4)?),
                opcode::DATABASE => self.database = value.length()?,
                opcode::END => return value.cursor.end().map(|()| None),
                MODULE_VALUE => {
                    let key = value.string(MOST_KEY)?;
                    let (name, version) = value.type_of_module()?;
                    if matches!(name.as_str(), BLOOM_TYPE | CUCKOO_TYPE) {
                        let object = value.object(&name, version, self.limit)?;
                        return Ok(Some(RdbEntry { database: self.database, key, object }));
                    }
                    value.skip_object()?;
                }
                other => {
                    value.skip_strings(1)?;
                    skip_value(value, other)?;
                }
            }
        }
    }
}

impl Iterator for RdbFile<'_> {
    type Item = Result<RdbEntry, ForeignError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let found = self.find().transpose();
        self.ended = !matches!(found, Some(Ok(_)));
        found
    }
}

/// Skips a value of one of Redis's own types.
fn skip_value(value: &mut RdbValue, kind: u8) -> Result<(), ForeignError> {
    match kind {
        // A string, and those types that are packed into one.
        0 | 9..=13 | 16 | 17 | 20 => value.skip_strings(1),
        // Lists and sets.
        1 | 2 | 14 => {
            let count = value.length()?;
            value.skip_strings(count)
        }
        // Sorted sets, with their scores in decimal or as binary numbers.
        3 | 5 => {
            let count = value.length()?;
            (0..count).try_for_each(|_| {
                value.skip_strings(1)?;
                let len = match (kind, if kind == 3 { value.cursor.u8()? } else { 8 }) {
                    // Not a number, and the infinities.
                    (3, 253..) => 0,
                    (_, len) => len.into(),
                };
                value.cursor.take(len).map(drop)
            })
        }
        // Hashes.
        4 => {
            let count = value.length()?;
            (0..count).try_for_each(|_| value.skip_strings(2))
        }
        // Lists of packed nodes.
        18 => {
            let count = value.length()?;
            (0..count).try_for_each(|_| {
                value.skip_lengths(1)?;
                value.skip_strings(1)
            })
        }
        15 | 19 | 21 => skip_stream(value, kind),
        _ => Err(ForeignError::Type { got: format!("{kind} of RDB, which cannot be skipped") }),
    }
}

/// Skips a stream, which has got more fields twice.
fn skip_stream(value: &mut RdbValue, kind: u8) -> Result<(), ForeignError> {
    let (second, third) = (kind >= 19, kind >= 21);
    let nodes = value.length()?;
    (0..nodes).try_for_each(|_| value.skip_strings(2))?;
    value.skip_lengths(if second { 8 } else { 3 })?;
    let groups = value.length()?;
    (0..groups).try_for_each(|_| {
        value.skip_strings(1)?;
        value.skip_lengths(if second { 3 } else { 2 })?;
        let pending = value.length()?;
        (0..pending).try_for_each(|_| {
            value.cursor.take(16 + 8)?;
            value.skip_lengths(1)
        })?;
        let consumers = value.length()?;
        (0..consumers).try_for_each(|_| {
            value.skip_strings(1)?;
            value.cursor.take(if third { 16 } else { 8 })?;
            let pending = value.length()?;
            value.cursor.take(pending.saturating_mul(16)).map(drop)
        })
    })
}
