//! Bytes compressed with gzip, which may be forged to grow without end.

use crate::error::{ForeignError, OutOfMemory};
use flate2::read::{GzDecoder, MultiGzDecoder};
use std::io::{ErrorKind, Read};

pub(super) fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(&[0x1f, 0x8b, 8])
}

/// A compressed file. Callers read no more of it than they have room for.
pub(super) struct Decompressed<R>(MultiGzDecoder<R>);

impl<R: Read> Decompressed<R> {
    pub(super) fn new(reader: R) -> Decompressed<R> {
        Decompressed(MultiGzDecoder::new(reader))
    }

    /// Appends up to `most` bytes; returns how many came. Memory is only used for those.
    pub(super) fn append(&mut self, bytes: &mut Vec<u8>, most: u64) -> Result<u64, ForeignError> {
        append(&mut self.0, bytes, most)
    }
}

fn append(reader: impl Read, bytes: &mut Vec<u8>, most: u64) -> Result<u64, ForeignError> {
    let before = bytes.len() as u64;
    reader.take(most).read_to_end(bytes).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => ForeignError::Truncated,
        ErrorKind::InvalidData | ErrorKind::InvalidInput => ForeignError::Malformed("gzip"),
        ErrorKind::OutOfMemory => OutOfMemory { bytes: before.saturating_mul(2) }.into(),
        _ => error.into(),
    })?;
    Ok(bytes.len() as u64 - before)
}

/// A stream that ends within the limit.
pub(super) fn read_at_most(reader: impl Read, limit: u64) -> Result<Vec<u8>, ForeignError> {
    let mut bytes = Vec::new();
    append(reader, &mut bytes, limit.saturating_add(1))?;
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
