//! HFile version 3, of HBase since 0.98.
//!
//! ```text
//! trailer, the last 4096 bytes: TRABLK"$, a message of Protocol Buffers behind its length (2: offset
//!                               of the blocks below, 12: compression, 13: key of an encrypted file),
//!                               and in the last four bytes the version: 3
//! FILEINF2: the file info
//! BLMFMET2: 4 version: 3, 8 bytes of all chunks, 4 probes, 4 type of the hash, 8 keys,
//!           8 capacity, 4 chunks, name of the comparator, then for each chunk:
//!           8 offset, 4 bytes on disk, first key
//! BLMFBLK2: the bits of a chunk
//! ```
//!
//! Everything is big-endian.

use super::block::{Block, Codec};
use super::file_info::{Keys, Value, each_field, message};
use super::{Chunk, HBase, TRAILER_MAGIC, byte_string, cells, natural, probes, unsupported};
use crate::error::ForeignError;
use crate::foreign::cursor::Cursor;
use crate::foreign::open::Source;

pub(super) fn read(
    source: &mut Source<'_>,
    trailer: &[u8],
    limit: u64,
) -> Result<HBase, ForeignError> {
    let end = source.len.saturating_sub(trailer.len() as u64);
    let mut cursor = Cursor::new(trailer);
    cursor.take(TRAILER_MAGIC.len() as u64)?;
    let (mut start, mut codec) = (end, Codec::None);
    each_field(message(&mut cursor)?, |number, value| {
        match (number, value) {
            (2, Value::Number(offset)) => start = offset,
            (12, Value::Number(number)) => codec = Codec::new(number)?,
            (13, _) => return Err(unsupported("an encrypted HFile")),
            _ => {}
        }
        Ok(())
    })?;
    let (mut keys, mut meta) = (None, None);
    while start < end {
        let block = Block::at(source, start)?;
        match &block.kind {
            b"FILEINF2" => keys = Some(Keys::of_version_3(&block.data(source, codec, limit)?)?),
            b"BLMFMET2" => meta = Some(block.data(source, codec, limit)?),
            _ => {}
        }
        start += block.len;
    }
    let (Some(keys), Some(meta)) = (keys, meta) else { return Err(ForeignError::NoFilter) };
    if keys == Keys::RowColumn {
        return Err(unsupported("a Bloom filter of the type ROWCOL in an HFile of version 3"));
    }
    filter(source, &meta, codec, limit)
}

fn filter(
    source: &mut Source<'_>,
    meta: &[u8],
    codec: Codec,
    limit: u64,
) -> Result<HBase, ForeignError> {
    let mut cursor = Cursor::new(meta);
    let version = cursor.big_endian_i32()?;
    if version != 3 {
        return Err(unsupported(format!("version {version} of the Bloom filter of an HFile")));
    }
    let bytes = natural("bytes of the Bloom filter", cursor.big_endian_i64()?)?;
    if bytes > limit {
        return Err(ForeignError::TooLarge { bytes, limit });
    }
    let probes = probes(&mut cursor)?;
    let keys = natural("keys", cursor.big_endian_i64()?)?;
    let capacity = Some(natural("capacity", cursor.big_endian_i64()?)?);
    let count = natural("chunks", cursor.big_endian_i32()?)?;
    byte_string(&mut cursor)?;
    let mut chunks: Vec<Chunk> = Vec::new();
    let (mut rest, mut last_end) = (bytes, 0);
    for _ in 0..count {
        let start = natural("offset of a chunk", cursor.big_endian_i64()?)?;
        let len = natural("bytes of a chunk", cursor.big_endian_i32()?)?;
        let first = byte_string(&mut cursor)?.to_vec();
        // Chunks that overlap would take more memory than the file has bytes.
        if start < last_end || chunks.last().is_some_and(|last| last.first >= first) {
            return Err(ForeignError::Malformed("order of chunks"));
        }
        let block = Block::at(source, start)?;
        if block.kind != *b"BLMFBLK2" || block.len != len {
            return Err(ForeignError::Malformed("chunk of a Bloom filter"));
        }
        last_end = start.saturating_add(block.len);
        let cells = cells(block.data(source, codec, rest)?)?;
        rest -= cells.bytes().len() as u64;
        chunks.push(Chunk { first, cells });
    }
    cursor.end()?;
    if chunks.is_empty() {
        return Err(ForeignError::NoFilter);
    }
    if rest != 0 {
        return Err(ForeignError::field("bytes of the Bloom filter", bytes, bytes - rest));
    }
    Ok(HBase { format: "HFile version 3, ROW", probes, keys, capacity, chunks })
}
