//! The payload of `DUMP`: a value as in an RDB file, a version and a checksum.

use super::crc64::crc64;
use super::{BLOOM_TYPE, Bloom, CUCKOO_TYPE, Cuckoo, RdbSource, lzf};
use crate::error::ForeignError;
use crate::foreign::cursor::Cursor;

/// A value of one of RedisBloom's types.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Object {
    /// Of the type [`BLOOM_TYPE`].
    Bloom(Bloom),
    /// Of the type [`CUCKOO_TYPE`].
    Cuckoo(Cuckoo),
}

/// The footer: the version of RDB and a checksum of everything before it.
const FOOTER: usize = 2 + 8;

/// A module's value that says of each field what it is, and where it ends.
const MODULE_VALUE: u8 = 7;

/// What a field is.
mod opcode {
    pub(super) const END: u64 = 0;
    pub(super) const UNSIGNED: u64 = 2;
    pub(super) const DOUBLE: u64 = 4;
    pub(super) const STRING: u64 = 5;
}

/// Reads the payload that `DUMP` returned for a key of RedisBloom. Fails if the filter needs more
/// than `limit` bytes.
pub fn read_dump(payload: &[u8], limit: u64) -> Result<Object, ForeignError> {
    let end = payload.len().checked_sub(FOOTER).ok_or(ForeignError::Truncated)?;
    let mut footer = Cursor::new(&payload[end..]);
    let _rdb_version = footer.u16()?;
    let expected = footer.u64()?;
    let got = crc64(&payload[..end + 2]);
    if got != expected {
        return Err(ForeignError::Checksum { expected, got });
    }
    let mut fields = Fields { cursor: Cursor::new(&payload[..end]) };
    if fields.cursor.u8()? != MODULE_VALUE {
        return Err(ForeignError::NotFormat { expected: "a dump of a module's value" });
    }
    let object = fields.object(limit)?;
    fields.cursor.end()?;
    Ok(object)
}

/// The fields of a module's value.
pub(super) struct Fields<'a> {
    pub(super) cursor: Cursor<'a>,
}

impl Fields<'_> {
    /// The type's name and version, and the value up to its end.
    pub(super) fn object(&mut self, limit: u64) -> Result<Object, ForeignError> {
        let (name, version) = type_of(self.length()?);
        let object = match name.as_str() {
            BLOOM_TYPE => Object::Bloom(Bloom::from_rdb(self, version, limit)?),
            CUCKOO_TYPE => Object::Cuckoo(Cuckoo::from_rdb(self, version, limit)?),
            _ => return Err(ForeignError::Type { got: name }),
        };
        self.opcode(opcode::END)?;
        Ok(object)
    }

    fn opcode(&mut self, expected: u64) -> Result<(), ForeignError> {
        if self.length()? == expected { Ok(()) } else { Err(ForeignError::Malformed("field type")) }
    }

    /// An integer in Redis's variable length.
    fn length(&mut self) -> Result<u64, ForeignError> {
        let first = self.cursor.u8()?;
        match first {
            0..0x40 => Ok(first.into()),
            0x40..0x80 => Ok(u64::from(first & 0x3f) << 8 | u64::from(self.cursor.u8()?)),
            // Big-endian, unlike everything else.
            0x80 => Ok(self.cursor.u32()?.swap_bytes().into()),
            0x81 => Ok(self.cursor.u64()?.swap_bytes()),
            _ => Err(ForeignError::Malformed("length")),
        }
    }
}

impl RdbSource for Fields<'_> {
    fn unsigned(&mut self) -> Result<u64, ForeignError> {
        self.opcode(opcode::UNSIGNED)?;
        self.length()
    }

    fn double(&mut self) -> Result<f64, ForeignError> {
        self.opcode(opcode::DOUBLE)?;
        self.cursor.f64()
    }

    fn string(&mut self, len: u64) -> Result<Vec<u8>, ForeignError> {
        self.opcode(opcode::STRING)?;
        // A string of up to 11 digits is stored as a number, whatever it meant.
        let mut after = self.cursor;
        let number = match after.u8()? {
            0xc0 => i32::from(after.array().map(i8::from_le_bytes)?),
            0xc1 => i32::from(after.array().map(i16::from_le_bytes)?),
            0xc2 => after.array().map(i32::from_le_bytes)?,
            0xc3 => {
                self.cursor = after;
                let compressed = self.length()?;
                let stored = self.length()?;
                if stored != len {
                    return Err(ForeignError::field("length of the cells", stored, len));
                }
                return lzf::decompress(self.cursor.take(compressed)?, len);
            }
            _ => {
                let stored = self.length()?;
                return Ok(self.cursor.take(stored)?.to_vec());
            }
        };
        self.cursor = after;
        Ok(number.to_string().into_bytes())
    }
}

/// The name and the version that the identifier of a module's type holds: nine characters of six
/// bits each, and ten bits.
fn type_of(identifier: u64) -> (String, u16) {
    const CHARACTERS: &[u8; 64] =
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let character = |place: u64| identifier >> (10 + 6 * (8 - place)) & 63;
    let name = (0..9).map(|place| char::from(CHARACTERS[character(place) as usize])).collect();
    (name, (identifier & 0x3ff) as u16)
}
