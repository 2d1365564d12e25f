//! The payload of `DUMP`: a value as in an RDB file, a version and a checksum.

use super::crc64::crc64;
use super::rdb_value::{MODULE_VALUE, RdbValue, RdbWriter};
use super::{BLOOM_TYPE, Bloom, ENCODING_VERSION, Object};
use crate::error::ForeignError;
use crate::foreign::cursor::Cursor;
use crate::foreign::write::bytes_of;
use std::io::{self, Write};

/// The footer: the version of RDB and a checksum of everything before it.
const FOOTER: usize = 2 + 8;

/// Reads the payload that `DUMP` returned for a key of RedisBloom. Fails if the filter needs more
/// than `limit` bytes.
///
/// The version of RDB in the payload is ignored: that of modules' values has not changed since they
/// have a version, and Redis and Valkey count differently.
pub fn read_dump(payload: &[u8], limit: u64) -> Result<Object, ForeignError> {
    let end = payload.len().checked_sub(FOOTER).ok_or(ForeignError::Truncated)?;
    let expected = Cursor::new(&payload[end + 2..]).u64()?;
    let got = crc64(&payload[..end + 2]);
    if got != expected {
        return Err(ForeignError::Checksum { expected, got });
    }
    let mut value = RdbValue::new(&payload[..end]);
    if value.cursor.u8()? != MODULE_VALUE {
        return Err(ForeignError::NotFormat { expected: "a dump of a module's value" });
    }
    let (name, version) = value.type_of_module()?;
    let object = value.object(&name, version, limit)?;
    value.cursor.end()?;
    Ok(object)
}

/// The version of RDB in what is written: that of Redis 7.0. Servers refuse newer ones than their own.
const RDB_VERSION: u16 = 10;

impl Bloom {
    /// The payload that `DUMP` returns, for `RESTORE`. Redis may compress the bits, which are plain
    /// here.
    pub fn to_dump(&self) -> Vec<u8> {
        bytes_of(|out| self.write_dump(out))
    }

    /// Writes this payload, without a copy of it in memory.
    pub fn write_dump(&self, out: &mut dyn Write) -> io::Result<()> {
        let (header, layers) = self.parts();
        let mut value = RdbWriter::new(out, BLOOM_TYPE, ENCODING_VERSION);
        value.unsigned(header.items);
        value.unsigned(layers.len() as u64);
        value.unsigned(header.options.into());
        value.unsigned(header.expansion.into());
        for (layer, bits) in header.layers.iter().zip(layers) {
            value.unsigned(layer.capacity);
            value.double(layer.error);
            value.unsigned(layer.probes.into());
            value.double(layer.bits_per_entry);
            value.unsigned(layer.bits);
            value.unsigned(layer.log2_bits.into());
            value.string(bits)?;
            value.unsigned(layer.items);
        }
        value.finish(RDB_VERSION)
    }
}
