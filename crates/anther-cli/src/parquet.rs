//! A column of a Parquet file, as a CSV file with no other column.
//!
//! So a recipe, which has columns by name and by number, means the same for both. Null values are
//! skipped.

use anther::Recipe;
use anther::recipe::{Column, Which};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::io::{self, Read};

/// Values per batch.
const BATCH: usize = 4096;

/// One column as text.
pub struct ColumnText {
    file: SerializedFileReader<File>,
    column: usize,
    /// The next row group, and the column reader of the current one.
    group: usize,
    reader: Option<ColumnReader>,
    /// The prefix of each value: the delimiters of the columns before it.
    before: Vec<u8>,
    delimiter: u8,
    separator: u8,
    text: Vec<u8>,
    at: usize,
}

impl ColumnText {
    /// The column of a Parquet file that a recipe names.
    pub fn open(file: File, recipe: &Recipe) -> io::Result<ColumnText> {
        let Some(Column { which, delimiter }) = &recipe.column else {
            let cause = "is a Parquet file; name the column of the keys with --column NAME";
            return Err(io::Error::other(cause));
        };
        let file = SerializedFileReader::new(file).map_err(unread)?;
        let schema = file.metadata().file_metadata().schema_descr_ptr();
        let names: Vec<String> =
            schema.columns().iter().map(|column| column.path().string()).collect();
        let place = match which {
            Which::Name(name) => names.iter().position(|known| known == name),
            Which::Number(number) => {
                usize::try_from(number.get() - 1).ok().filter(|place| *place < names.len())
            }
        };
        let Some(column) = place else {
            let cause = format!("no such column; the columns are {}", names.join(", "));
            return Err(io::Error::other(cause));
        };
        if schema.column(column).max_rep_level() > 0 {
            let cause =
                format!("column {} has lists; choose a column with single values", names[column]);
            return Err(io::Error::other(cause));
        }
        let separator = recipe.separator.byte();
        let (mut before, mut text) = (Vec::new(), Vec::new());
        match which {
            Which::Name(name) => text.extend([name.as_bytes(), &[separator]].concat()),
            Which::Number(_) => before = vec![*delimiter; column],
        }
        let (group, reader, delimiter, at) = (0, None, *delimiter, 0);
        Ok(ColumnText { file, column, group, reader, before, delimiter, separator, text, at })
    }

    /// Reads more text; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        (self.at, self.text) = (0, Vec::new());
        loop {
            if self.reader.is_none() {
                if self.group == self.file.num_row_groups() {
                    return Ok(false);
                }
                let rows = self.file.get_row_group(self.group).map_err(unread)?;
                self.reader = Some(rows.get_column_reader(self.column).map_err(unread)?);
                self.group += 1;
            }
            let Some(mut reader) = self.reader.take() else { return Ok(false) };
            let more = match &mut reader {
                ColumnReader::BoolColumnReader(reader) => self.take(reader, bool::to_string)?,
                ColumnReader::Int32ColumnReader(reader) => self.take(reader, i32::to_string)?,
                ColumnReader::Int64ColumnReader(reader) => self.take(reader, i64::to_string)?,
                ColumnReader::ByteArrayColumnReader(reader) => {
                    self.take(reader, |value: &ByteArray| value.data().to_vec())?
                }
                ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                    self.take(reader, |value: &FixedLenByteArray| value.data().to_vec())?
                }
                _ => {
                    return Err(io::Error::other(
                        "columns of floating-point numbers or timestamps cannot be keys; choose another column",
                    ));
                }
            };
            if more {
                self.reader = Some(reader);
            }
            if !self.text.is_empty() {
                return Ok(true);
            }
        }
    }

    /// Converts a batch of values to text; false if there are no more.
    fn take<T: DataType, B: AsRef<[u8]>>(
        &mut self,
        reader: &mut ColumnReaderImpl<T>,
        bytes: impl Fn(&T::T) -> B,
    ) -> io::Result<bool> {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        let (rows, ..) =
            reader.read_records(BATCH, Some(&mut levels), None, &mut values).map_err(unread)?;
        for value in &values {
            self.push(bytes(value).as_ref())?;
        }
        Ok(rows > 0)
    }

    fn push(&mut self, value: &[u8]) -> io::Result<()> {
        let quotes = self.delimiter == b',';
        let special = |byte: &u8| [self.delimiter, self.separator, b'"', b'\r'].contains(byte);
        self.text.extend_from_slice(&self.before);
        if !value.iter().any(special) {
            self.text.extend_from_slice(value);
        } else if quotes && !value.contains(&self.separator) {
            self.text.push(b'"');
            for byte in value {
                self.text.extend(std::iter::repeat_n(*byte, if *byte == b'"' { 2 } else { 1 }));
            }
            self.text.push(b'"');
        } else {
            let value = String::from_utf8_lossy(value);
            let cause =
                format!("the value {value:?} has a delimiter or a line ending; -0 may help");
            return Err(io::Error::other(cause));
        }
        self.text.push(self.separator);
        Ok(())
    }
}

fn unread(error: ParquetError) -> io::Error {
    io::Error::other(format!("corrupt Parquet file: {error}"))
}

impl Read for ColumnText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() && !self.fill()? {
            return Ok(0);
        }
        let read = (&self.text[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}
