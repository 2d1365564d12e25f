//! The payload of `DUMP`: a value as in an RDB file, a version and a checksum.

use super::Object;
use super::crc64::crc64;
use super::rdb_value::{MODULE_VALUE, RdbValue};
use crate::error::ForeignError;
use crate::foreign::cursor::Cursor;

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
