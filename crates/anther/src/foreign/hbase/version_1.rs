//! HFile version 1, of HBase up to 0.90.
//!
//! ```text
//! trailer, the last 60 bytes:    0   8  TRABLK"$
//!                                8   8  offset of the file info
//!                               16  12  offset of the index of data blocks, their number
//!                               28  12  offset of the index of meta blocks, their number
//!                               40   8  bytes of data
//!                               48   4  keys and values
//!                               52   4  compression
//!                               56   4  version: 1
//! index of meta blocks:  IDXBLK)+, then for each: 8 offset, 4 bytes, name
//! BLOOM_FILTER_META:     METABLKc, 4 version: 1, 4 bytes, 4 probes, 4 type of the hash, 4 keys
//! BLOOM_FILTER_DATA:     METABLKc, the bits
//! ```
//!
//! Everything is big-endian.

use super::block::Codec;
use super::file_info::Keys;
use super::{Chunk, HBase, byte_string, cells, natural, probes, unsupported};
use crate::error::ForeignError;
use crate::foreign::cursor::Cursor;
use crate::foreign::open::Source;

/// Where a meta block is, and how long it is when decompressed.
struct Meta<'a> {
    name: &'a [u8],
    start: u64,
    len: u64,
}

struct Trailer {
    file_info: u64,
    data_index: u64,
    meta_index: u64,
    meta_count: u64,
    codec: Codec,
    /// Where the trailer begins.
    start: u64,
}

impl Trailer {
    fn read(bytes: &[u8], file_len: u64) -> Result<Trailer, ForeignError> {
        let mut cursor = Cursor::new(bytes);
        cursor.take(8)?;
        let file_info = natural("offset of the file info", cursor.big_endian_i64()?)?;
        let data_index = natural("offset of the data index", cursor.big_endian_i64()?)?;
        cursor.take(4)?;
        let meta_index = natural("offset of the meta index", cursor.big_endian_i64()?)?;
        let meta_count = natural("meta blocks", cursor.big_endian_i32()?)?;
        cursor.take(12)?;
        let codec = Codec::new(natural("compression", cursor.big_endian_i32()?)?)?;
        let start = file_len.saturating_sub(bytes.len() as u64);
        Ok(Trailer { file_info, data_index, meta_index, meta_count, codec, start })
    }
}

pub(super) fn read(
    source: &mut Source<'_>,
    trailer: &[u8],
    limit: u64,
) -> Result<HBase, ForeignError> {
    let trailer = Trailer::read(trailer, source.len)?;
    let index = meta_index(source, &trailer, limit)?;
    let indexes = [trailer.data_index, trailer.meta_index, trailer.start];
    let end = indexes.into_iter().filter(|index| *index > trailer.file_info).min();
    let file_info = between(source, trailer.file_info, end.unwrap_or(0), limit)?;
    let format = match Keys::of_version_1(&file_info)? {
        Keys::Row => "HFile version 1, ROW",
        Keys::RowColumn => "HFile version 1, ROWCOL",
    };
    let meta = block(source, &trailer, &index, b"BLOOM_FILTER_META", limit)?;
    let mut cursor = Cursor::new(&meta);
    let version = cursor.big_endian_i32()?;
    if version != 1 {
        return Err(unsupported(format!("version {version} of the Bloom filter of an HFile")));
    }
    let bytes = natural("bytes of the Bloom filter", cursor.big_endian_i32()?)?;
    let probes = probes(&mut cursor)?;
    let keys = natural("keys", cursor.big_endian_i32()?)?;
    cursor.end()?;
    let data = block(source, &trailer, &index, b"BLOOM_FILTER_DATA", limit)?;
    if data.len() as u64 != bytes {
        return Err(ForeignError::field("bytes of the Bloom filter", bytes, data.len()));
    }
    let chunks = vec![Chunk { first: Vec::new(), cells: cells(data)? }];
    Ok(HBase { format, probes, keys, capacity: None, chunks })
}

/// The bytes between two offsets.
fn between(
    source: &mut Source<'_>,
    start: u64,
    end: u64,
    limit: u64,
) -> Result<Vec<u8>, ForeignError> {
    let len = end.checked_sub(start).ok_or(ForeignError::Truncated)?;
    if len > limit {
        return Err(ForeignError::TooLarge { bytes: len, limit });
    }
    source.bytes(start, len)
}

/// The bytes of the index of meta blocks.
fn meta_index(
    source: &mut Source<'_>,
    trailer: &Trailer,
    limit: u64,
) -> Result<Vec<u8>, ForeignError> {
    if trailer.meta_count == 0 {
        return Err(ForeignError::NoFilter);
    }
    between(source, trailer.meta_index, trailer.start, limit)
}

/// The entries of an index, which are not collected: a forged one may have very many.
fn each_meta<'a>(
    index: &'a [u8],
    trailer: &Trailer,
    mut visit: impl FnMut(Meta<'a>),
) -> Result<(), ForeignError> {
    let mut cursor = Cursor::new(index);
    if cursor.array()? != *b"IDXBLK)+" {
        return Err(ForeignError::Malformed("index of meta blocks"));
    }
    for _ in 0..trailer.meta_count {
        let start = natural("offset of a meta block", cursor.big_endian_i64()?)?;
        let len = natural("bytes of a meta block", cursor.big_endian_i32()?)?;
        visit(Meta { name: byte_string(&mut cursor)?, start, len });
    }
    Ok(())
}

/// The data of a meta block. On disk it ends where the next begins, or the file info.
fn block(
    source: &mut Source<'_>,
    trailer: &Trailer,
    index: &[u8],
    name: &[u8],
    limit: u64,
) -> Result<Vec<u8>, ForeignError> {
    let mut found = None;
    each_meta(index, trailer, |meta| {
        found = if meta.name == name { Some(meta) } else { found.take() }
    })?;
    let meta = found.ok_or(ForeignError::NoFilter)?;
    let mut end = trailer.start;
    let mut limit_to = |start: u64| end = if start > meta.start { end.min(start) } else { end };
    limit_to(trailer.file_info);
    each_meta(index, trailer, |other| limit_to(other.start))?;
    let bytes = between(source, meta.start, end, limit)?;
    let mut block = trailer.codec.decompressed(bytes, meta.len, limit)?;
    if !block.starts_with(b"METABLKc") {
        return Err(ForeignError::Malformed("meta block"));
    }
    block.drain(..8);
    Ok(block)
}
