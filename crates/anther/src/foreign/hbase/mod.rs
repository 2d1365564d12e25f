//! HBase's Bloom filters, which are in its HFiles together with the data.
//!
//! An HFile is read from its end: the trailer says where the rest is. Version 1 has one filter in two
//! meta blocks; version 3 has it in chunks, each for a range of keys. Files with gzip and without
//! compression are read. Only the blocks of the filter are read, whatever the size of the file.
//!
//! The key of a `ROW` filter is the row, that of a `ROWCOL` filter the row and behind it the
//! qualifier. HBase itself first compares a key with the first and the last one of a file, which is
//! not done here.

mod block;
mod file_info;
mod version_1;
mod version_3;

use super::bits::{Bits, checked_probes};
use super::cursor::Cursor;
use super::info::Info;
use super::murmur2::murmur_32;
use super::open::Source;
use super::{Checksum, Entry, ForeignFilter, System};
use crate::error::ForeignError;

const TRAILER_MAGIC: &[u8; 8] = b"TRABLK\"$";
const MURMUR2: i32 = 1;

/// A Bloom filter of HBase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HBase {
    format: &'static str,
    probes: u32,
    keys: u64,
    capacity: Option<u64>,
    /// At least one; in the order of their first keys.
    chunks: Vec<Chunk>,
}

/// The bits for all keys from the first on, up to that of the next chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chunk {
    first: Vec<u8>,
    cells: Bits,
}

impl HBase {
    /// Whether a key is in the filter, or looks as if it were.
    pub fn contains(&self, key: &[u8]) -> bool {
        // Keys before the first of all are looked up in its chunk.
        let chunk = self.chunks.partition_point(|chunk| chunk.first.as_slice() <= key);
        let Some(Chunk { cells, .. }) = self.chunks.get(chunk.saturating_sub(1)) else {
            return false;
        };
        let byte = |byte: u8| i32::from(byte.cast_signed()).cast_unsigned();
        let first = murmur_32(key, 0, byte);
        let step = murmur_32(key, first, byte);
        (0..self.probes).all(|probe| {
            let sum = first.wrapping_add(probe.wrapping_mul(step)).cast_signed();
            // As in Java, the sign is that of the sum.
            cells.get((i64::from(sum) % cells.len().cast_signed()).unsigned_abs())
        })
    }

    pub(super) fn info(&self) -> Info {
        let of_chunk =
            |chunk: &Chunk| Info::of_bits(System::HBase, self.format, &chunk.cells, self.probes);
        let chunks: Vec<Info> = self.chunks.iter().map(of_chunk).collect();
        let bits: u64 = chunks.iter().map(|chunk| chunk.bits).sum();
        // A key is looked up in one chunk; each has its share of the keys.
        let mean = |number: fn(&Info) -> f64| {
            chunks.iter().map(|chunk| number(chunk) * chunk.bits as f64).sum::<f64>() / bits as f64
        };
        Info {
            system: System::HBase,
            format: self.format,
            bits,
            probes: self.probes,
            fill: mean(|chunk| chunk.fill),
            fpr: mean(|chunk| chunk.fpr),
            items: if let [only] = &chunks[..] { only.items } else { None },
            inserted: Some(self.keys),
            capacity: self.capacity,
            target_fpr: None,
            layers: u32::try_from(chunks.len()).unwrap_or(u32::MAX),
            fields: Vec::new(),
        }
    }
}

/// The bits of a chunk. HBase counts them in 31 bits.
fn cells(bytes: Vec<u8>) -> Result<Bits, ForeignError> {
    let bits = bytes.len() as u64 * 8;
    match bits {
        1..=0x7fff_ffff => Bits::new(bytes, bits),
        _ => Err(ForeignError::field("bits of a Bloom filter", bits, "1 to 2^31 - 1")),
    }
}

/// The number of probes and the type of the hash, which follow each other in both versions.
fn probes(cursor: &mut Cursor<'_>) -> Result<u32, ForeignError> {
    let probes = checked_probes(cursor.big_endian_i32()?)?;
    match cursor.big_endian_i32()? {
        MURMUR2 => Ok(probes),
        0 => Err(unsupported("a Bloom filter of HBase with the hash jenkins")),
        2 => Err(unsupported("a Bloom filter of HBase with the hash murmur3")),
        other => Err(ForeignError::field("type of the hash", other, MURMUR2)),
    }
}

fn unsupported(what: impl ToString) -> ForeignError {
    ForeignError::Unsupported { what: what.to_string() }
}

/// A number that is not negative.
fn natural(
    name: &'static str,
    number: impl TryInto<u64> + ToString + Copy,
) -> Result<u64, ForeignError> {
    number.try_into().map_err(|_| ForeignError::field(name, number, "0 or more"))
}

/// A string of bytes behind its length in Hadoop's variable length.
fn byte_string<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8], ForeignError> {
    let first = cursor.u8()?.cast_signed();
    let len = match first {
        0.. => first.unsigned_abs().into(),
        // The number of bytes that follow, the highest first.
        -120..=-113 => {
            let bytes = cursor.take(u64::from(first.unsigned_abs() - 112))?;
            bytes.iter().fold(0, |len, byte| len << 8 | u64::from(*byte))
        }
        _ => return Err(ForeignError::Malformed("length")),
    };
    cursor.take(len)
}

/// The version in the last four bytes, and the bytes of its trailer, if it has the trailer's magic.
fn trailer<'a>(source: &'a Source<'_>) -> Option<(u32, &'a [u8])> {
    let version = u32::from_be_bytes(*source.end.last_chunk()?) & 0x00ff_ffff;
    let len = match version {
        1 => 60,
        2 => 212,
        3 => 4096,
        _ => return None,
    };
    let trailer = source.end.get(source.end.len().checked_sub(len)?..)?;
    trailer.starts_with(TRAILER_MAGIC).then_some((version, trailer))
}

/// Whether a file looks like an HFile: it ends in the trailer of one.
pub(super) fn looks_like(source: &Source<'_>) -> bool {
    trailer(source).is_some()
}

/// Of a file that was opened: every block of version 3 has a checksum, and those of the filter were
/// compared, unless their type of checksum is none.
pub(super) fn checksum(source: &Source<'_>) -> Checksum {
    match trailer(source) {
        Some((3, _)) if source.is_unchecked => Checksum::TurnedOff,
        Some((3, _)) => Checksum::Verified,
        _ => Checksum::Absent,
    }
}

pub(super) fn open(source: &mut Source<'_>, limit: u64) -> Result<Vec<Entry>, ForeignError> {
    let Some((version, trailer)) = trailer(source) else {
        return Err(ForeignError::NotFormat { expected: "an HFile" });
    };
    let trailer = trailer.to_vec();
    let filter = match version {
        1 => version_1::read(source, &trailer, limit)?,
        3 => version_3::read(source, &trailer, limit)?,
        other => return Err(unsupported(format!("an HFile of version {other}"))),
    };
    Ok(vec![Entry { name: String::new(), filter: ForeignFilter::HBase(filter) }])
}
