//! Values in Redis's own encoding, as in RDB files and in the payload of `DUMP`.

use super::crc64::continued;
use super::{BLOOM_TYPE, Bloom, CUCKOO_TYPE, Cuckoo, RdbSource, lzf};
use crate::error::ForeignError;
use crate::foreign::cursor::Cursor;
use std::io::{self, Write};

/// A value of one of RedisBloom's types.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// Of the type [`BLOOM_TYPE`].
    Bloom(Bloom),
    /// Of the type [`CUCKOO_TYPE`].
    Cuckoo(Cuckoo),
}

/// The type of a module's value that says of each field what it is, and where it ends.
pub(super) const MODULE_VALUE: u8 = 7;

/// What a field of a module's value is.
mod field {
    pub(super) const END: u64 = 0;
    pub(super) const SIGNED: u64 = 1;
    pub(super) const UNSIGNED: u64 = 2;
    pub(super) const FLOAT: u64 = 3;
    pub(super) const DOUBLE: u64 = 4;
    pub(super) const STRING: u64 = 5;
}

const MALFORMED_FIELD: ForeignError = ForeignError::Malformed("field of a module's value");

/// The characters of types' names, six bits each.
const CHARACTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A string as it is stored.
enum Stored<'a> {
    Plain(&'a [u8]),
    /// Up to 11 digits are stored as a number, whatever the string means.
    Number(i32),
    Compressed(&'a [u8], u64),
}

/// A position in encoded values.
#[derive(Clone, Copy, Debug)]
pub(super) struct RdbValue<'a> {
    pub(super) cursor: Cursor<'a>,
}

impl<'a> RdbValue<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> RdbValue<'a> {
        RdbValue { cursor: Cursor::new(bytes) }
    }

    /// An integer in Redis's variable length.
    pub(super) fn length(&mut self) -> Result<u64, ForeignError> {
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

    fn stored(&mut self) -> Result<Stored<'a>, ForeignError> {
        let mut after = self.cursor;
        let number = match after.u8()? {
            0xc0 => after.array().map(i8::from_le_bytes)?.into(),
            0xc1 => after.array().map(i16::from_le_bytes)?.into(),
            0xc2 => after.array().map(i32::from_le_bytes)?,
            0xc3 => {
                self.cursor = after;
                let compressed = self.length()?;
                let len = self.length()?;
                return Ok(Stored::Compressed(self.cursor.take(compressed)?, len));
            }
            _ => {
                let len = self.length()?;
                return self.cursor.take(len).map(Stored::Plain);
            }
        };
        self.cursor = after;
        Ok(Stored::Number(number))
    }

    /// A string of at most `most` bytes.
    pub(super) fn string(&mut self, most: u64) -> Result<Vec<u8>, ForeignError> {
        let too_long = |len| Err(ForeignError::field("length of a string", len, most));
        match self.stored()? {
            Stored::Plain(bytes) if bytes.len() as u64 > most => too_long(bytes.len() as u64),
            Stored::Compressed(_, len) if len > most => too_long(len),
            Stored::Plain(bytes) => Ok(bytes.to_vec()),
            Stored::Compressed(bytes, len) => lzf::decompress(bytes, len),
            Stored::Number(number) => Ok(number.to_string().into_bytes()),
        }
    }

    pub(super) fn skip_strings(&mut self, count: u64) -> Result<(), ForeignError> {
        (0..count).try_for_each(|_| self.stored().map(drop))
    }

    pub(super) fn skip_lengths(&mut self, count: u64) -> Result<(), ForeignError> {
        (0..count).try_for_each(|_| self.length().map(drop))
    }

    /// The name and the version of a module's type: nine characters of six bits each, and ten bits.
    pub(super) fn type_of_module(&mut self) -> Result<(String, u16), ForeignError> {
        let identifier = self.length()?;
        let character = |place: u64| CHARACTERS[(identifier >> (64 - 6 * place) & 63) as usize];
        let name = (1..=9).map(|place| char::from(character(place))).collect();
        Ok((name, (identifier & 0x3ff) as u16))
    }

    /// The fields of a module's value, up to its end.
    pub(super) fn object(
        &mut self,
        name: &str,
        version: u16,
        limit: u64,
    ) -> Result<Object, ForeignError> {
        let object = match name {
            BLOOM_TYPE => Object::Bloom(Bloom::from_rdb(self, version, limit)?),
            CUCKOO_TYPE => Object::Cuckoo(Cuckoo::from_rdb(self, version, limit)?),
            _ => return Err(ForeignError::Type { got: name.to_string() }),
        };
        self.expect(field::END)?;
        Ok(object)
    }

    pub(super) fn skip_object(&mut self) -> Result<(), ForeignError> {
        loop {
            match self.length()? {
                field::END => return Ok(()),
                field::SIGNED | field::UNSIGNED => self.skip_lengths(1)?,
                field::FLOAT => drop(self.cursor.take(4)?),
                field::DOUBLE => drop(self.cursor.take(8)?),
                field::STRING => self.skip_strings(1)?,
                _ => return Err(MALFORMED_FIELD),
            }
        }
    }

    fn expect(&mut self, field: u64) -> Result<(), ForeignError> {
        if self.length()? == field { Ok(()) } else { Err(MALFORMED_FIELD) }
    }
}

impl RdbSource for RdbValue<'_> {
    fn unsigned(&mut self) -> Result<u64, ForeignError> {
        self.expect(field::UNSIGNED)?;
        self.length()
    }

    fn double(&mut self) -> Result<f64, ForeignError> {
        self.expect(field::DOUBLE)?;
        self.cursor.f64()
    }

    fn string(&mut self, len: u64) -> Result<Vec<u8>, ForeignError> {
        self.expect(field::STRING)?;
        RdbValue::string(self, len)
    }
}

/// A module's value that is being written, with the checksum of what has been.
pub(super) struct RdbWriter<'w> {
    out: &'w mut dyn Write,
    sum: u64,
    /// Fields that are not written yet. Strings go past it: they are the filter.
    bytes: Vec<u8>,
}

impl<'w> RdbWriter<'w> {
    /// Begins a value of this type, in a version of its encoding.
    pub(super) fn new(out: &'w mut dyn Write, name: &str, version: u16) -> RdbWriter<'w> {
        let place = |letter| CHARACTERS.iter().position(|other| *other == letter).unwrap_or(0);
        let name = name.bytes().fold(0, |name, letter| name << 6 | place(letter) as u64);
        let mut writer = RdbWriter { out, sum: 0, bytes: vec![MODULE_VALUE] };
        writer.length(name << 10 | u64::from(version));
        writer
    }

    /// An integer in Redis's variable length: big-endian, unlike everything else.
    fn length(&mut self, length: u64) {
        match (u16::try_from(length), u32::try_from(length)) {
            (Ok(short @ 0..0x40), _) => self.bytes.extend(&short.to_be_bytes()[1..]),
            (Ok(short @ 0..0x4000), _) => self.bytes.extend((short | 0x4000).to_be_bytes()),
            (_, Ok(word)) => {
                self.bytes.push(0x80);
                self.bytes.extend(word.to_be_bytes());
            }
            _ => {
                self.bytes.push(0x81);
                self.bytes.extend(length.to_be_bytes());
            }
        }
    }

    pub(super) fn unsigned(&mut self, number: u64) {
        self.length(field::UNSIGNED);
        self.length(number);
    }

    pub(super) fn double(&mut self, number: f64) {
        self.length(field::DOUBLE);
        self.bytes.extend(number.to_le_bytes());
    }

    pub(super) fn string(&mut self, string: &[u8]) -> io::Result<()> {
        self.length(field::STRING);
        self.length(string.len() as u64);
        self.write_fields()?;
        self.sum = continued(self.sum, string);
        self.out.write_all(string)
    }

    fn write_fields(&mut self) -> io::Result<()> {
        self.sum = continued(self.sum, &self.bytes);
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    /// Ends the value, and writes the footer of a `DUMP`: the version of RDB and the checksum.
    pub(super) fn finish(mut self, rdb_version: u16) -> io::Result<()> {
        self.length(field::END);
        self.bytes.extend(rdb_version.to_le_bytes());
        self.write_fields()?;
        self.out.write_all(&self.sum.to_le_bytes())
    }
}
