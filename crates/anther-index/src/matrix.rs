//! Groups of the matrix: how rows lie in pages, and how they are written and read.
//!
//! A group has up to 512 columns, one per block, and any number of rows. Its rows lie one after
//! another, without gaps between them, in pages of up to 4 KiB, each with its checksum. So a query
//! reads and verifies one page per row, and a group of three columns takes three bits per row.

use crate::error::IndexError;
use crate::read_at::read_exact_at;
use std::fs::File;
use std::io::{self, Write};
use twox_hash::XxHash3_64;

/// The most columns of a group: a full row is one cache line.
pub const MOST_COLUMNS: usize = 512;

/// Words of a full row.
pub const ROW_WORDS: usize = MOST_COLUMNS / 64;

/// Bits of rows in a page.
const PAGE_BITS: u64 = 4096 * 8;

/// Bytes of a checksum.
const SUM: u64 = 8;

/// A row of a group: a bit per column.
pub type Row = [u64; ROW_WORDS];

/// The size of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub rows: u32,
    /// From 1 to 512.
    pub columns: u16,
}

impl Shape {
    fn rows_per_page(self) -> u64 {
        PAGE_BITS / u64::from(self.columns.max(1))
    }

    fn pages(self) -> u64 {
        u64::from(self.rows).div_ceil(self.rows_per_page())
    }

    /// Bytes of this many rows.
    fn bytes_of(self, rows: u64) -> u64 {
        (rows * u64::from(self.columns)).div_ceil(8)
    }

    /// Bytes in the file, with checksums. Below 2^32 · 65.
    pub fn len(self) -> u64 {
        let (rows, pages) = (u64::from(self.rows), self.pages());
        let Some(full) = pages.checked_sub(1) else { return 0 };
        let last = rows - full * self.rows_per_page();
        full * self.bytes_of(self.rows_per_page()) + self.bytes_of(last) + pages * SUM
    }

    /// The row of a hash.
    pub fn row_of(self, hash: u32) -> u32 {
        ((u64::from(hash) * u64::from(self.rows)) >> 32) as u32
    }

    /// Where a page begins within the group, and its bytes without the checksum.
    fn page(self, page: u64) -> (u64, usize) {
        let first = page * self.rows_per_page();
        let rows = (u64::from(self.rows) - first).min(self.rows_per_page());
        #[expect(clippy::cast_possible_truncation, reason = "at most 4 KiB")]
        let len = self.bytes_of(rows) as usize;
        (page * (self.bytes_of(self.rows_per_page()) + SUM), len)
    }
}

/// The checksum of a page, which begins at this offset of the file: a page that was moved fails.
fn checksum(offset: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(offset, bytes)
}

/// Writes the rows of a group, in order.
pub struct PageWriter {
    shape: Shape,
    /// Where the page begins in the file.
    offset: u64,
    page: Vec<u8>,
    /// Bits that do not make a byte yet, and how many.
    held: u128,
    bits: u32,
    /// Rows in this page, and rows in all.
    rows: u64,
    number: u32,
}

impl PageWriter {
    /// For the group that begins at this offset of the file.
    pub fn new(shape: Shape, offset: u64) -> PageWriter {
        let page = Vec::with_capacity(4096 + 64);
        PageWriter { shape, offset, page, held: 0, bits: 0, rows: 0, number: 0 }
    }

    /// Writes the next row. The last one of the group writes the last page.
    pub fn push(&mut self, row: &Row, out: &mut dyn Write) -> io::Result<()> {
        let mut left = u32::from(self.shape.columns);
        for word in row {
            let width = left.min(64);
            if width == 0 {
                break;
            }
            let word = if width < 64 { word & ((1 << width) - 1) } else { *word };
            self.held |= u128::from(word) << self.bits;
            self.bits += width;
            left -= width;
            let whole = (self.bits / 8) as usize;
            self.page.extend(&self.held.to_le_bytes()[..whole]);
            self.held >>= 8 * whole;
            self.bits %= 8;
        }
        (self.rows, self.number) = (self.rows + 1, self.number + 1);
        if self.rows == self.shape.rows_per_page() || self.number == self.shape.rows {
            if self.bits > 0 {
                self.page.push((self.held & 0xFF) as u8);
            }
            let sum = checksum(self.offset, &self.page);
            self.page.extend(sum.to_le_bytes());
            out.write_all(&self.page)?;
            self.offset += self.page.len() as u64;
            self.page.clear();
            (self.held, self.bits, self.rows) = (0, 0, 0);
        }
        Ok(())
    }
}

/// Reads rows of a group, and keeps the pages that it has read.
pub struct Rows<'a> {
    file: &'a File,
    shape: Shape,
    offset: u64,
    pages: Vec<(u64, Vec<u8>)>,
}

impl<'a> Rows<'a> {
    /// Of the group that begins at this offset.
    pub fn new(file: &'a File, shape: Shape, offset: u64) -> Rows<'a> {
        Rows { file, shape, offset, pages: Vec::new() }
    }

    /// The row of a hash.
    pub fn row_of(&mut self, hash: u32) -> Result<Row, IndexError> {
        self.row(self.shape.row_of(hash))
    }

    /// A row by its number.
    pub fn row(&mut self, number: u32) -> Result<Row, IndexError> {
        let per_page = self.shape.rows_per_page();
        let (page, within) = (u64::from(number) / per_page, u64::from(number) % per_page);
        let at = match self.pages.iter().position(|(known, _)| *known == page) {
            Some(at) => at,
            None => {
                let bytes = self.read_page(page)?;
                self.pages.push((page, bytes));
                self.pages.len() - 1
            }
        };
        let bytes = &self.pages[at].1;
        Ok(bits_of(bytes, within * u64::from(self.shape.columns), self.shape.columns))
    }

    /// Reads every row, in order, and forgets the pages.
    pub fn for_each<E>(
        &mut self,
        mut found: impl FnMut(u32, Row) -> Result<(), E>,
    ) -> Result<(), IndexError>
    where
        IndexError: From<E>,
    {
        let mut number = 0;
        for page in 0..self.shape.pages() {
            let bytes = self.read_page(page)?;
            let (columns, mut at) = (self.shape.columns, 0);
            for _ in 0..self.shape.rows_per_page() {
                if number == self.shape.rows {
                    break;
                }
                found(number, bits_of(&bytes, at, columns))?;
                at += u64::from(columns);
                number += 1;
            }
        }
        Ok(())
    }

    fn read_page(&self, page: u64) -> Result<Vec<u8>, IndexError> {
        let (start, len) = self.shape.page(page);
        let offset = self.offset + start;
        let mut bytes = vec![0; len + 8];
        read_exact_at(self.file, &mut bytes, offset)?;
        let sum = bytes.split_off(len);
        if sum != checksum(offset, &bytes).to_le_bytes() {
            return Err(IndexError::Checksum { what: "a page of rows" });
        }
        Ok(bytes)
    }
}

/// `columns` bits, from a bit of a page on.
fn bits_of(bytes: &[u8], start: u64, columns: u16) -> Row {
    let mut row = [0; ROW_WORDS];
    let mut left = u32::from(columns);
    for (number, word) in row.iter_mut().enumerate() {
        let width = left.min(64);
        if width == 0 {
            break;
        }
        let bit = start + 64 * number as u64;
        let (byte, shift) = ((bit / 8) as usize, (bit % 8) as u32);
        let mut long = [0; 16];
        let end = (byte + 9).min(bytes.len());
        long[..end - byte].copy_from_slice(&bytes[byte..end]);
        #[expect(clippy::cast_possible_truncation, reason = "the lower 64 bits are wanted")]
        let found = (u128::from_le_bytes(long) >> shift) as u64;
        *word = if width < 64 { found & ((1 << width) - 1) } else { found };
        left -= width;
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were_written() {
        for columns in [1, 2, 3, 7, 8, 63, 64, 65, 127, 300, 511, 512] {
            for rows in [1, 2, 63, 64, 65, 5000] {
                let shape = Shape { rows, columns };
                let row = |number: u32| -> Row {
                    std::array::from_fn(|word| {
                        let seed = (u64::from(number) << 8 | word as u64) + 1;
                        let random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
                        match usize::from(columns).saturating_sub(64 * word) {
                            0 => 0,
                            width @ 1..64 => random & ((1 << width) - 1),
                            _ => random,
                        }
                    })
                };
                let mut bytes = vec![b'x'; 100];
                let mut writer = PageWriter::new(shape, 100);
                for number in 0..rows {
                    writer.push(&row(number), &mut bytes).unwrap();
                }
                assert_eq!(bytes.len() as u64, 100 + shape.len());
                let mut file = tempfile::tempfile().unwrap();
                file.write_all(&bytes).unwrap();
                let mut read = Rows::new(&file, shape, 100);
                for number in (0..rows).rev() {
                    assert_eq!(read.row(number).unwrap(), row(number), "{shape:?} {number}");
                }
                let mut all = 0;
                read.for_each(|number, found| {
                    assert_eq!((number, found), (all, row(number)));
                    all += 1;
                    Ok::<(), IndexError>(())
                })
                .unwrap();
                assert_eq!(all, rows);
            }
        }
    }
}
