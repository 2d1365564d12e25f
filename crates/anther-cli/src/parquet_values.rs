//! The values of a column of a Parquet file, as the bytes of their plain encoding: what the filters
//! of the file hash.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{AsBytes, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{FileReader, SerializedFileReader};
#[cfg(feature = "index")]
use parquet::schema::types::ColumnDescPtr;
use std::collections::HashSet;
use std::fs::File;
use std::io;

/// Records per batch.
const BATCH: usize = 4096;

/// Up to this length, hashing a value takes no longer than looking whether it was there.
const SHORT: usize = 32;

/// The most rows of a file, and the most bytes: 10^12 and 10^18. Nobody has a file of more.
const MOST_ROWS: u64 = 1 << 40;
const MOST_BYTES: u64 = 1 << 60;

/// An open Parquet file.
pub struct Values(SerializedFileReader<File>);

impl Values {
    /// Reads the file's metadata.
    pub fn open(file: File) -> io::Result<Values> {
        let file = SerializedFileReader::new(file).map_err(unread)?;
        check_sizes(file.metadata())?;
        Ok(Values(file))
    }

    /// The paths of all columns, with dots between the names.
    pub fn names(&self) -> Vec<String> {
        let schema = self.0.metadata().file_metadata().schema_descr();
        schema.columns().iter().map(|column| column.path().string()).collect()
    }

    /// How many row groups there are.
    #[cfg(feature = "index")]
    pub fn row_groups(&self) -> usize {
        self.0.num_row_groups()
    }

    /// How many rows and bytes a row group has.
    #[cfg(feature = "index")]
    pub fn rows_and_bytes(&self, row_group: usize) -> (u64, u64) {
        let group = self.0.metadata().row_group(row_group);
        let number = |number: i64| u64::try_from(number).unwrap_or_default();
        (number(group.num_rows()), number(group.total_byte_size()))
    }

    /// Whether a row group has a filter for a column.
    #[cfg(feature = "index")]
    pub fn has_filter(&self, row_group: usize, column: usize) -> bool {
        self.0.metadata().row_group(row_group).column(column).bloom_filter_offset().is_some()
    }

    /// The description of a column.
    #[cfg(feature = "index")]
    pub fn column(&self, column: usize) -> ColumnDescPtr {
        self.0.metadata().file_metadata().schema_descr().column(column)
    }

    /// Passes on the values of a column in a row group. Null has none; a list has all of its own. Of
    /// those that a dictionary holds once, a batch of rows has each once.
    pub fn each(&self, row_group: usize, column: usize, each: impl FnMut(&[u8])) -> io::Result<()> {
        let rows = self.0.get_row_group(row_group).map_err(unread)?;
        match rows.get_column_reader(column).map_err(unread)? {
            ColumnReader::Int32ColumnReader(reader) => all(reader, each),
            ColumnReader::Int64ColumnReader(reader) => all(reader, each),
            ColumnReader::FloatColumnReader(reader) => all(reader, each),
            ColumnReader::DoubleColumnReader(reader) => all(reader, each),
            ColumnReader::ByteArrayColumnReader(reader) => all(reader, each),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => all(reader, each),
            ColumnReader::BoolColumnReader(_) | ColumnReader::Int96ColumnReader(_) => {
                let cause = "Parquet has no filters for BOOLEAN and INT96; choose another column";
                Err(io::Error::other(cause))
            }
        }
    }
}

fn all<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    mut each: impl FnMut(&[u8]),
) -> io::Result<()> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    // The values of a batch all stay in memory until the next, so equal addresses are equal values.
    let mut seen = HashSet::new();
    loop {
        values.clear();
        defined.clear();
        repeated.clear();
        let read = reader.read_records(BATCH, Some(&mut defined), Some(&mut repeated), &mut values);
        let (records, ..) = read.map_err(unread)?;
        // The machine's order of bytes is Parquet's, little-endian, on all that the reader supports.
        seen.clear();
        for value in &values {
            let value = value.as_bytes();
            if value.len() <= SHORT || seen.insert((value.as_ptr(), value.len())) {
                each(value);
            }
        }
        if records == 0 {
            return Ok(());
        }
    }
}

/// Fails if a file says that it has more rows or bytes than a file can have. Both are added up later,
/// and a row that is skipped still is a line.
pub fn check_sizes(metadata: &ParquetMetaData) -> io::Result<()> {
    let sum = |size: fn(&RowGroupMetaData) -> i64, most: u64| {
        let sizes = metadata.row_groups().iter().map(|group| u64::try_from(size(group)).ok());
        let mut sizes = sizes.collect::<Option<Vec<_>>>()?.into_iter();
        sizes.try_fold(0u64, u64::checked_add).filter(|sum| *sum <= most)
    };
    let rows = sum(RowGroupMetaData::num_rows, MOST_ROWS);
    let bytes = sum(RowGroupMetaData::total_byte_size, MOST_BYTES);
    match rows.and(bytes) {
        Some(_) => Ok(()),
        None => Err(io::Error::other("corrupt Parquet file: its sizes cannot be true")),
    }
}

/// The error in plain words.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub fn unread(error: ParquetError) -> io::Error {
    let error = error.to_string();
    match error.split_once("Disabled feature at compile time: ") {
        Some((_, codec)) => io::Error::other(format!(
            "its pages are compressed with {codec}, which cannot be read here; write the file again \
             with zstd or snappy"
        )),
        None => io::Error::other(format!(
            "corrupt Parquet file, or one that cannot be read here: {error}"
        )),
    }
}
