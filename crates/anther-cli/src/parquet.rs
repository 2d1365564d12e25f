//! Columns of a Parquet file, as a CSV file that has no other columns and no header row.
//!
//! Null values are empty fields. Integers are written in decimal. Binary values that are not text
//! are written in hexadecimal if that is what the filter's keys are.

use crate::parquet_types::{is_unsigned, means_more};
use crate::parquet_values::unread;
use anther::ForeignError;
use anther::recipe::{Column, KeyForm};
use anther_records::extract::Extraction;
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use std::fs::File;
use std::io::{self, Read};

/// Rows per batch.
const BATCH: usize = 4096;

/// The rows of some columns as CSV.
pub struct Rows {
    file: SerializedFileReader<File>,
    columns: Vec<Wanted>,
    /// The next row group, and the column readers of the current one.
    group: usize,
    readers: Vec<ColumnReader>,
    text: Vec<u8>,
    at: usize,
}

/// A column of the key.
struct Wanted {
    index: usize,
    /// Whether its bytes are written in hexadecimal.
    as_hex: bool,
    /// Whether its integers have no sign.
    is_unsigned: bool,
    /// The definition level of a value that is not null.
    defined: i16,
}

impl Rows {
    /// The columns of a Parquet file that make the key.
    pub fn open(file: File, how: &Extraction) -> io::Result<Rows> {
        let encrypted = encrypted(&file);
        let file = SerializedFileReader::new(file).map_err(unread)?;
        let schema = file.metadata().file_metadata().schema_descr_ptr();
        let names: Vec<String> =
            schema.columns().iter().map(|column| column.path().string()).collect();
        let listed = names.join(", ");
        if how.place.columns.is_empty() {
            let cause = format!(
                "is a Parquet file; name the column of the keys with --column; the columns are {listed}"
            );
            return Err(io::Error::other(cause));
        }
        let mut columns = Vec::new();
        let value = how.value.iter().flat_map(|value| &value.column);
        for column in how.place.columns.iter().chain(value) {
            let index = match column {
                Column::Name(name) => position(&names, name),
                Column::Number(number) => usize::try_from(number.get() - 1).ok(),
            };
            let Some(index) = index.filter(|index| *index < names.len()) else {
                let name = match column {
                    Column::Name(name) => format!("{name:?}"),
                    Column::Number(number) => number.to_string(),
                };
                let cause = format!("no column {name}; the columns are {listed}");
                return Err(io::Error::other(cause));
            };
            if encrypted {
                return Err(io::Error::other(
                    "a Parquet file with encrypted columns; write it without encryption",
                ));
            }
            // A value is a number, whatever the keys are.
            let is_key = columns.len() < how.place.columns.len();
            let form = if is_key { how.rule.form } else { KeyForm::Int };
            columns.push(Wanted::new(index, &schema.column(index), form)?);
        }
        let (group, readers, text, at) = (0, Vec::new(), Vec::new(), 0);
        Ok(Rows { file, columns, group, readers, text, at })
    }

    /// Reads more rows; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        (self.at, self.text) = (0, Vec::new());
        while self.text.is_empty() {
            if self.readers.is_empty() {
                if self.group == self.file.num_row_groups() {
                    return Ok(false);
                }
                let rows = self.file.get_row_group(self.group).map_err(unread)?;
                let reader = |wanted: &Wanted| rows.get_column_reader(wanted.index).map_err(unread);
                self.readers = self.columns.iter().map(reader).collect::<io::Result<_>>()?;
                self.group += 1;
            }
            let mut fields = Vec::new();
            for (reader, wanted) in self.readers.iter_mut().zip(&self.columns) {
                fields.push(wanted.read(reader)?);
            }
            let rows = fields.first().map_or(0, Vec::len);
            if fields.iter().any(|column| column.len() != rows) {
                return Err(io::Error::other("corrupt Parquet file: columns of different lengths"));
            }
            if rows == 0 {
                self.readers.clear();
            }
            for row in 0..rows {
                for (at, column) in fields.iter().enumerate() {
                    if at > 0 {
                        self.text.push(b',');
                    }
                    quote(&column[row], &mut self.text);
                }
                // A null alone in its row must be a field, not a blank line.
                if self.text.last().is_none_or(|byte| *byte == b'\n') {
                    self.text.extend(b"\"\"");
                }
                self.text.push(b'\n');
            }
        }
        Ok(true)
    }
}

/// Whether columns are encrypted. All else that is wrong with a file, its reader says.
fn encrypted(file: &File) -> bool {
    let refused = anther::foreign::parquet::layout(file);
    matches!(refused, Err(ForeignError::Refused(cause)) if cause.contains("encrypted"))
}

/// The position of a column. A dot within a name may be written as in a path, `\\.`.
pub fn position(names: &[String], name: &str) -> Option<usize> {
    let exact = names.iter().position(|known| known == name);
    exact.or_else(|| names.iter().position(|known| *known == name.replace("\\.", ".")))
}

impl Wanted {
    fn new(index: usize, column: &ColumnDescriptor, form: KeyForm) -> io::Result<Wanted> {
        let refuse = |cause: &str| {
            let name = column.path().string();
            Err(io::Error::other(format!("column {name} {cause}; choose another column")))
        };
        if column.max_rep_level() > 0 {
            return refuse("has lists");
        }
        let is_text = matches!(
            column.logical_type_ref(),
            Some(LogicalType::String | LogicalType::Enum | LogicalType::Json)
        ) || matches!(
            column.converted_type(),
            ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON
        );
        let is_bytes =
            matches!(column.physical_type(), Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY);
        let is_stored = match (column.physical_type(), form) {
            (Type::INT32, KeyForm::Int32) | (Type::INT64, KeyForm::Int64) => true,
            (Type::FLOAT, KeyForm::Float) | (Type::DOUBLE, KeyForm::Double) => true,
            (_, KeyForm::Hex | KeyForm::Uuid) => is_bytes && !is_text,
            _ => false,
        };
        match column.physical_type() {
            // The keys are what is stored, whatever that stands for.
            _ if is_stored => Ok(Wanted {
                index,
                as_hex: is_bytes,
                is_unsigned: is_unsigned(column),
                defined: column.max_def_level(),
            }),
            Type::FLOAT | Type::DOUBLE | Type::INT96 => {
                refuse("has floating-point numbers or timestamps, which cannot be keys")
            }
            _ if means_more(column) => {
                refuse("has decimals, dates or times; export it as text or as plain integers")
            }
            Type::INT32 | Type::INT64 if form == KeyForm::Hex => {
                refuse("has integers, and the filter's keys are bytes (--as hex)")
            }
            _ => Ok(Wanted {
                index,
                as_hex: false,
                is_unsigned: is_unsigned(column),
                defined: column.max_def_level(),
            }),
        }
    }

    /// A batch of fields.
    fn read(&self, reader: &mut ColumnReader) -> io::Result<Vec<Vec<u8>>> {
        match reader {
            ColumnReader::BoolColumnReader(reader) => {
                self.take(reader, |value| value.to_string().into_bytes())
            }
            ColumnReader::Int32ColumnReader(reader) => self.take(reader, |value| {
                self.decimal(i64::from(*value), u64::from(value.cast_unsigned()))
            }),
            ColumnReader::Int64ColumnReader(reader) => {
                self.take(reader, |value| self.decimal(*value, value.cast_unsigned()))
            }
            // The shortest text that is this number.
            ColumnReader::FloatColumnReader(reader) => {
                self.take(reader, |value| value.to_string().into_bytes())
            }
            ColumnReader::DoubleColumnReader(reader) => {
                self.take(reader, |value| value.to_string().into_bytes())
            }
            ColumnReader::ByteArrayColumnReader(reader) => {
                self.take(reader, |value: &ByteArray| self.bytes(value.data()))
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                self.take(reader, |value: &FixedLenByteArray| self.bytes(value.data()))
            }
            _ => Err(io::Error::other("a column type that cannot be a key; choose another column")),
        }
    }

    fn decimal(&self, signed: i64, unsigned: u64) -> Vec<u8> {
        let text = if self.is_unsigned { unsigned.to_string() } else { signed.to_string() };
        text.into_bytes()
    }

    fn bytes(&self, value: &[u8]) -> Vec<u8> {
        if !self.as_hex {
            return value.to_vec();
        }
        value.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()
    }

    fn take<T: DataType>(
        &self,
        reader: &mut ColumnReaderImpl<T>,
        bytes: impl Fn(&T::T) -> Vec<u8>,
    ) -> io::Result<Vec<Vec<u8>>> {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        let (rows, ..) =
            reader.read_records(BATCH, Some(&mut levels), None, &mut values).map_err(unread)?;
        let mut values = values.iter();
        let mut fields = Vec::with_capacity(rows);
        for row in 0..rows {
            let is_null = levels.get(row).is_some_and(|level| *level < self.defined);
            let value = if is_null { None } else { values.next() };
            fields.push(value.map(&bytes).unwrap_or_default());
        }
        Ok(fields)
    }
}

/// Appends a field, quoted if it must be.
fn quote(field: &[u8], text: &mut Vec<u8>) {
    if !field.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        text.extend_from_slice(field);
        return;
    }
    text.push(b'"');
    for byte in field {
        text.extend(std::iter::repeat_n(*byte, if *byte == b'"' { 2 } else { 1 }));
    }
    text.push(b'"');
}

impl Read for Rows {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() && !self.fill()? {
            return Ok(0);
        }
        let read = (&self.text[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}
