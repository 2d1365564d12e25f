//! The index file around its groups and tables: header and trailer.
//!
//! Groups are written first, while files are still being read; the tables, which name them, follow,
//! and the trailer with their length comes last. So a file is written in one pass.

use crate::error::IndexError;
use crate::read_at::read_exact_at;
use crate::tables::Tables;
use std::fs::File;
use std::io::{self, Write};
use twox_hash::XxHash3_64;

/// As PNG's: it shows when a transfer changed line ends or the eighth bit.
pub const SIGNATURE: [u8; 8] = *b"\x89ANX\r\n\x1a\n";

/// The version that this release writes and reads.
pub const VERSION: u16 = 1;

/// Bytes of the header: the signature, the version, six zeros.
pub const HEADER: u64 = HEADER_LEN as u64;

const HEADER_LEN: usize = 16;

/// Bytes of the trailer: length and checksum of the tables, length of the file, and the checksum of
/// these and the header.
const TRAILER: usize = 32;

/// The header.
pub fn header() -> [u8; HEADER_LEN] {
    let mut header = [0; HEADER_LEN];
    header[..8].copy_from_slice(&SIGNATURE);
    header[8..10].copy_from_slice(&VERSION.to_le_bytes());
    header
}

/// Writes tables and trailer. The groups end at this offset.
pub fn finish(tables: &Tables, offset: u64, out: &mut dyn Write) -> io::Result<u64> {
    let tables = tables.encode();
    let len = offset + tables.len() as u64 + TRAILER as u64;
    let sum = XxHash3_64::oneshot(&tables);
    let mut trailer = Vec::with_capacity(TRAILER);
    for field in [tables.len() as u64, sum, len] {
        trailer.extend(field.to_le_bytes());
    }
    trailer.extend(trailer_sum(&header(), &trailer).to_le_bytes());
    out.write_all(&tables)?;
    out.write_all(&trailer)?;
    Ok(len)
}

fn trailer_sum(header: &[u8], trailer: &[u8]) -> u64 {
    XxHash3_64::oneshot(&[header, trailer].concat())
}

/// Reads header, trailer and tables of a file of this length.
pub fn read(file: &File, len: u64) -> Result<Tables, IndexError> {
    let mut start = [0; HEADER_LEN];
    let known = usize::try_from(len).unwrap_or(usize::MAX).min(start.len());
    read_exact_at(file, &mut start[..known], 0)?;
    if known < 8 || start[..8] != SIGNATURE {
        return Err(IndexError::NotAnIndex);
    }
    let version = u16::from_le_bytes([start[8], start[9]]);
    if known >= 10 && version != VERSION {
        return Err(IndexError::Version { got: version, ours: VERSION });
    }
    let Some(before) = len.checked_sub(HEADER + TRAILER as u64) else {
        return Err(IndexError::Corrupt("a file that ends early"));
    };
    let mut trailer = [0; TRAILER];
    read_exact_at(file, &mut trailer, len - TRAILER as u64)?;
    let field = |number: usize| {
        let mut field = [0; 8];
        field.copy_from_slice(&trailer[8 * number..8 * number + 8]);
        u64::from_le_bytes(field)
    };
    if field(3) != trailer_sum(&start, &trailer[..24]) {
        return Err(IndexError::Checksum { what: "header or end of the file" });
    }
    if start != header() {
        return Err(IndexError::Corrupt("a header with unknown fields"));
    }
    if field(2) != len {
        return Err(IndexError::Length { expected: field(2), got: len });
    }
    let (tables, sum) = (field(0), field(1));
    let Some(groups) = before.checked_sub(tables) else {
        return Err(IndexError::Corrupt("tables longer than the file"));
    };
    let too_long = |_| IndexError::Corrupt("tables longer than memory");
    let mut bytes = Vec::new();
    let room = usize::try_from(tables).map_err(too_long)?;
    bytes.try_reserve_exact(room).map_err(|_| IndexError::Corrupt("tables longer than memory"))?;
    bytes.resize(room, 0);
    read_exact_at(file, &mut bytes, HEADER + groups)?;
    if XxHash3_64::oneshot(&bytes) != sum {
        return Err(IndexError::Checksum { what: "the tables" });
    }
    Tables::decode(&bytes, HEADER, HEADER + groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The frozen file's tables, written again, are the same bytes.
    #[test]
    fn the_golden_tables_are_written_as_they_were() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/small.idx");
        let bytes = std::fs::read(&path).unwrap();
        let tables = read(&File::open(&path).unwrap(), bytes.len() as u64).unwrap();
        let groups: u64 = tables.groups.iter().map(|group| group.shape.len()).sum();
        let mut written = bytes[..usize::try_from(HEADER + groups).unwrap()].to_vec();
        finish(&tables, HEADER + groups, &mut written).unwrap();
        assert!(written == bytes && bytes.starts_with(&header()));
    }
}
