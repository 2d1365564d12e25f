//! Bytes compressed with gzip, which may be forged to grow without end.

use crate::error::ForeignError;
use flate2::read::{GzDecoder, MultiGzDecoder};
use std::io::{ErrorKind, Read};

pub(super) fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(&[0x1f, 0x8b, 8])
}

/// All bytes, if they are within the limit. Memory is used for bytes that have come.
pub(super) fn decompressed(reader: impl Read, limit: u64) -> Result<Vec<u8>, ForeignError> {
    read_at_most(MultiGzDecoder::new(reader), limit)
}

/// A stream that ends within the limit.
pub(super) fn read_at_most(reader: impl Read, limit: u64) -> Result<Vec<u8>, ForeignError> {
    let mut bytes = Vec::new();
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| {
        match error.kind() {
            ErrorKind::UnexpectedEof => ForeignError::Truncated,
            ErrorKind::InvalidData | ErrorKind::InvalidInput => ForeignError::Malformed("gzip"),
            _ => error.into(),
        }
    })?;
    match bytes.len() as u64 {
        len if len > limit => Err(ForeignError::TooLarge { bytes: len, limit }),
        _ => Ok(bytes),
    }
}

/// The first bytes, of a start that may end anywhere; fewer if it has no more.
pub(super) fn first_bytes(start: &[u8], len: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What comes after them is cut off, and an error there says nothing.
    let _ = GzDecoder::new(start).take(len as u64).read_to_end(&mut bytes);
    bytes
}
