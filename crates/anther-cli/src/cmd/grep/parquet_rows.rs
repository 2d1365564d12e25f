//! Rows of a Parquet file whose column is a key, each as a line of JSON.
//!
//! Rows that have another key are empty records, so the number of a line is that of its row. Row groups
//! that cannot have the key, by the index or by a filter of the file itself, are not read.

use super::record_end::RECORD_END;
use crate::parquet::{is_unsigned, position};
use crate::parquet_values::unread;
use parquet::basic::Type;
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use parquet::record::{Field, Row};
use std::fs::File;
use std::io::{self, Read};

/// The rows of a file.
pub struct KeyedRows<'a> {
    file: SerializedFileReader<File>,
    column: usize,
    /// The names that lead to the column.
    path: Vec<String>,
    key: &'a [u8],
    /// Which row groups can have the key; `None`: any.
    wanted: Option<Vec<bool>>,
    next: usize,
    given: Vec<u8>,
    taken: usize,
    /// How many row groups were read, and how many of them in vain.
    pub opened: u64,
    pub in_vain: u64,
}

impl<'a> KeyedRows<'a> {
    /// The rows of a file; none if it has no such column.
    pub fn open(
        file: File,
        column: &str,
        key: &'a [u8],
        wanted: Option<Vec<bool>>,
    ) -> io::Result<Option<KeyedRows<'a>>> {
        let properties = ReaderProperties::builder().set_read_bloom_filter(true).build();
        let options = ReadOptionsBuilder::new().with_reader_properties(properties).build();
        let file = SerializedFileReader::new_with_options(file, options).map_err(unread)?;
        let columns = file.metadata().file_metadata().schema_descr().columns();
        let names: Vec<String> = columns.iter().map(|column| column.path().string()).collect();
        let Some(column) = position(&names, column) else { return Ok(None) };
        let path = columns[column].path().parts().to_vec();
        let (given, opened) = (Vec::new(), 0);
        let rows = KeyedRows {
            file,
            column,
            path,
            key,
            wanted,
            next: 0,
            given,
            taken: 0,
            opened,
            in_vain: 0,
        };
        Ok(Some(rows))
    }

    /// Reads the next row group; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        self.given.clear();
        self.taken = 0;
        if self.next == self.file.num_row_groups() {
            return Ok(false);
        }
        let wanted = self.wanted.as_ref().and_then(|wanted| wanted.get(self.next).copied());
        let group = self.file.get_row_group(self.next).map_err(unread)?;
        self.next += 1;
        if wanted == Some(false) || !self.may_have(&*group) {
            let rows = usize::try_from(group.metadata().num_rows()).unwrap_or_default();
            self.given.resize(rows, RECORD_END);
            return Ok(true);
        }
        self.opened += 1;
        let mut has_match = false;
        for row in group.get_row_iter(None).map_err(unread)? {
            let row = row.map_err(unread)?;
            if has_key(&row, &self.path, self.key) {
                has_match = true;
                self.given.extend_from_slice(row.to_json_value().to_string().as_bytes());
            }
            self.given.push(RECORD_END);
        }
        self.in_vain += u64::from(!has_match);
        Ok(true)
    }

    /// Whether a row group can have the key, by its own filter.
    fn may_have(&self, group: &dyn RowGroupReader) -> bool {
        let Some(filter) = group.get_column_bloom_filter(self.column) else { return true };
        let schema = self.file.metadata().file_metadata().schema_descr();
        let column = schema.column(self.column);
        let text = str::from_utf8(self.key).unwrap_or_default();
        match column.physical_type() {
            Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => {
                // Values that are shown in another form are hashed as they are stored.
                crate::parquet::means_more(&column) || filter.check(self.key)
            }
            Type::INT32 | Type::INT64 if crate::parquet::means_more(&column) => true,
            Type::INT32 if is_unsigned(&column) => {
                text.parse().is_ok_and(|number: u32| filter.check(&number.cast_signed()))
            }
            Type::INT32 => text.parse().is_ok_and(|number: i32| filter.check(&number)),
            Type::INT64 if is_unsigned(&column) => {
                text.parse().is_ok_and(|number: u64| filter.check(&number.cast_signed()))
            }
            Type::INT64 => text.parse().is_ok_and(|number: i64| filter.check(&number)),
            _ => true,
        }
    }
}

/// Whether the value at the end of a path is the key, or one of the values, if it is a list.
fn has_key(row: &Row, path: &[String], key: &[u8]) -> bool {
    let Some((name, rest)) = path.split_first() else { return false };
    let mut columns = row.get_column_iter();
    columns.any(|(known, field)| known == name && is_key(field, rest, key))
}

fn is_key(field: &Field, path: &[String], key: &[u8]) -> bool {
    match field {
        Field::Null => false,
        Field::Str(text) => text.as_bytes() == key,
        Field::Bytes(bytes) => bytes.data() == key,
        Field::Group(row) => has_key(row, path, key),
        // The path names levels that are not in the value.
        Field::ListInternal(list) => {
            list.elements().iter().any(|element| is_key(element, last(path), key))
        }
        Field::MapInternal(map) => {
            let value = |(name, value): &(Field, Field)| match path.last().map(String::as_str) {
                Some("key") => is_key(name, &[], key),
                _ => is_key(value, last(path), key),
            };
            map.entries().iter().any(value)
        }
        other => other.to_string().as_bytes() == key,
    }
}

/// The last name of a path.
fn last(path: &[String]) -> &[String] {
    &path[path.len().saturating_sub(1)..]
}

impl Read for KeyedRows<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.given.len() {
            if !self.fill()? {
                return Ok(0);
            }
        }
        let left = &self.given[self.taken..];
        let len = left.len().min(buffer.len());
        buffer[..len].copy_from_slice(&left[..len]);
        self.taken += len;
        Ok(len)
    }
}
