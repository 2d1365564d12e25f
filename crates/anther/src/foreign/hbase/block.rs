//! Blocks of HFiles: compression in both versions, headers and checksums in version 3.
//!
//! ```text
//! 0   8  type, such as BLMFBLK2
//! 8   4  bytes on disk without this header
//! 12  4  bytes of the data when decompressed
//! 16  8  offset of the previous block of the type
//! 24  1  checksums: 0 none, 1 CRC-32, 2 CRC-32C
//! 25  4  bytes per checksum
//! 29  4  bytes of the header and the data, without the checksums
//! 33     data, then checksums of 4 bytes
//! ```
//!
//! Everything is big-endian.

use super::{natural, unsupported};
use crate::error::ForeignError;
use crate::foreign::cursor::Cursor;
use crate::foreign::gzip::read_at_most;
use crate::foreign::open::Source;
use flate2::read::GzDecoder;

const HEADER: usize = 33;

/// How the blocks of a file are compressed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Codec {
    Gzip,
    None,
}

impl Codec {
    pub(super) fn new(number: u64) -> Result<Codec, ForeignError> {
        const OTHERS: [(u64, &str); 7] = [
            (0, "LZO"),
            (3, "Snappy"),
            (4, "LZ4"),
            (5, "bzip2"),
            (6, "Zstandard"),
            (7, "LZMA"),
            (8, "Brotli"),
        ];
        match (number, OTHERS.iter().find(|(other, _)| *other == number)) {
            (1, _) => Ok(Codec::Gzip),
            (2, _) => Ok(Codec::None),
            (_, Some((_, name))) => Err(unsupported(format!("an HFile compressed with {name}"))),
            _ => Err(ForeignError::field("compression", number, "0 to 8")),
        }
    }

    /// The data of a block, which must have this length.
    pub(super) fn decompressed(
        self,
        mut data: Vec<u8>,
        len: u64,
        limit: u64,
    ) -> Result<Vec<u8>, ForeignError> {
        if len > limit {
            return Err(ForeignError::TooLarge { bytes: len, limit });
        }
        if let Codec::Gzip = self {
            let forged = |error| match error {
                ForeignError::TooLarge { .. } => ForeignError::Malformed("length of a block"),
                other => other,
            };
            data = read_at_most(GzDecoder::new(&data[..]), len).map_err(forged)?;
        }
        match data.len() as u64 {
            got if got == len => Ok(data),
            got if got < len => Err(ForeignError::Truncated),
            _ => Err(ForeignError::Malformed("length of a block")),
        }
    }
}

/// The header of a block of version 3.
pub(super) struct Block {
    pub(super) kind: [u8; 8],
    start: u64,
    /// Bytes on disk, with the header.
    pub(super) len: u64,
    data_end: u64,
    data_len: u64,
    checksum: u8,
    bytes_per_checksum: u64,
}

/// The type of checksum of blocks that have none: `NULL`.
const UNCHECKED: u8 = 0;

impl Block {
    pub(super) fn at(source: &mut Source<'_>, start: u64) -> Result<Block, ForeignError> {
        let header = source.bytes(start, HEADER as u64)?;
        let mut cursor = Cursor::new(&header);
        let kind = cursor.array()?;
        let len = HEADER as u64 + natural("bytes of a block on disk", cursor.big_endian_i32()?)?;
        let data_len = natural("bytes of a block", cursor.big_endian_i32()?)?;
        cursor.big_endian_i64()?;
        let checksum = cursor.u8()?;
        let bytes_per_checksum = natural("bytes per checksum", cursor.big_endian_i32()?)?;
        let data_end = natural("bytes of a block with its header", cursor.big_endian_i32()?)?;
        if !(HEADER as u64..=len).contains(&data_end) {
            let allowed = format!("{HEADER} to {len}");
            return Err(ForeignError::field("bytes of a block with its header", data_end, allowed));
        }
        Ok(Block { kind, start, len, data_end, data_len, checksum, bytes_per_checksum })
    }

    /// Its data, checked and decompressed.
    pub(super) fn data(
        &self,
        source: &mut Source<'_>,
        codec: Codec,
        limit: u64,
    ) -> Result<Vec<u8>, ForeignError> {
        // Data that is not compressed may be as long as the limit; what is longer is not read.
        let most = limit.saturating_add(limit / 8).saturating_add(4096);
        if self.len > most {
            return Err(ForeignError::TooLarge { bytes: self.len, limit });
        }
        let mut bytes = source.bytes(self.start, self.len)?;
        let data_end = usize::try_from(self.data_end).map_err(|_| ForeignError::Truncated)?;
        source.is_unchecked |= self.checksum == UNCHECKED;
        self.check(bytes.split_at_checked(data_end).ok_or(ForeignError::Truncated)?)?;
        bytes.truncate(data_end);
        bytes.drain(..HEADER);
        codec.decompressed(bytes, self.data_len, limit)
    }

    fn check(&self, (data, sums): (&[u8], &[u8])) -> Result<(), ForeignError> {
        let table = match self.checksum {
            UNCHECKED => return Ok(()),
            kind @ (1 | 2) => &TABLES[usize::from(kind) - 1],
            other => return Err(ForeignError::field("type of checksum", other, "0, 1 or 2")),
        };
        let bytes = usize::try_from(self.bytes_per_checksum).ok().filter(|bytes| *bytes > 0);
        let bytes =
            bytes.ok_or_else(|| ForeignError::field("bytes per checksum", 0, "1 or more"))?;
        let mut cursor = Cursor::new(sums);
        for part in data.chunks(bytes) {
            let expected = cursor.big_endian_i32()?.cast_unsigned();
            let got = crc32(part, table);
            if got != expected {
                let (expected, got) = (expected.into(), got.into());
                return Err(ForeignError::Checksum { expected, got });
            }
        }
        cursor.end()
    }
}

/// CRC-32 and CRC-32C, which differ in their polynomial.
static TABLES: [[u32; 256]; 2] = [table(0xedb8_8320), table(0x82f6_3b78)];

const fn table(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte: u32 = 0;
    while byte < 256 {
        let mut sum = byte;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ polynomial } else { sum >> 1 };
            bit += 1;
        }
        table[byte as usize] = sum;
        byte += 1;
    }
    table
}

fn crc32(bytes: &[u8], table: &[u32; 256]) -> u32 {
    !bytes
        .iter()
        .fold(u32::MAX, |sum, byte| sum >> 8 ^ table[usize::from(sum.to_le_bytes()[0] ^ byte)])
}

#[cfg(test)]
mod tests {
    use super::{TABLES, crc32};

    #[test]
    fn the_published_check_values_hold() {
        assert_eq!(crc32(b"123456789", &TABLES[0]), 0xcbf4_3926);
        assert_eq!(crc32(b"123456789", &TABLES[1]), 0xe306_9283);
    }
}
