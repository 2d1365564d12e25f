//! Rows of a Parquet file whose column is a key, each as a line of JSON.
//!
//! Rows that have another key are empty records, so the number of a line is that of its row. Row groups
//! that cannot have the key, by the index or by a filter of the file itself, are not read.

use super::record_end::RECORD_END;
use super::row_json::{push_row, value_text};
use crate::parquet::position;
use crate::parquet_types::{is_interval, is_unsigned, is_uuid, means_more, uuid_bytes, uuid_text};
use crate::parquet_values::{check_sizes, unread};
use parquet::basic::Type as Physical;
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use parquet::record::{Field, Row};
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor, Type};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::panic::{self, AssertUnwindSafe};

/// Empty lines that are given at once, for row groups that are not read.
const EMPTY_LINES: u64 = 1 << 16;

/// The rows of a file.
pub struct KeyedRows<'a> {
    file: SerializedFileReader<File>,
    /// The columns that are printed.
    printed: Type,
    column: SearchedColumn<'a>,
    /// Which row groups can have the key; `None`: any.
    wanted: Option<Vec<bool>>,
    next: usize,
    /// Rows of skipped row groups that are still to be given as empty lines.
    empty: u64,
    given: Cursor<Vec<u8>>,
    /// How many row groups were read, and how many of them in vain.
    pub opened: u64,
    pub in_vain: u64,
}

/// The column, and the key that it must have.
struct SearchedColumn<'a> {
    number: usize,
    description: ColumnDescPtr,
    is_uuid: bool,
    key: &'a [u8],
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
        check_sizes(file.metadata())?;
        let schema = file.metadata().file_metadata().schema_descr();
        let names: Vec<String> =
            schema.columns().iter().map(|column| column.path().string()).collect();
        let Some(number) = position(&names, column) else { return Ok(None) };
        let description = schema.column(number);
        if is_interval(&description) {
            let cause = format!("column {column} has intervals, which no text stands for");
            return Err(io::Error::other(cause));
        }
        let is_uuid = is_uuid(description.self_type());
        let column = SearchedColumn { number, description, is_uuid, key };
        let printed = printed(schema)?;
        Ok(Some(KeyedRows {
            file,
            printed,
            column,
            wanted,
            next: 0,
            empty: 0,
            given: Cursor::default(),
            opened: 0,
            in_vain: 0,
        }))
    }

    /// The columns that are not printed: intervals, which the reader does not know.
    pub fn not_printed(&self) -> Vec<&str> {
        let all = self.file.metadata().file_metadata().schema().get_fields().iter();
        let is_printed =
            |name: &str| self.printed.get_fields().iter().any(|field| field.name() == name);
        all.map(|field| field.name()).filter(|name| !is_printed(name)).collect()
    }

    /// Reads the next row group; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        self.given.set_position(0);
        let given = self.given.get_mut();
        given.clear();
        if self.empty > 0 {
            let lines = self.empty.min(EMPTY_LINES);
            given.resize(usize::try_from(lines).unwrap_or_default(), RECORD_END);
            self.empty -= lines;
            return Ok(true);
        }
        if self.next == self.file.num_row_groups() {
            return Ok(false);
        }
        let wanted = self.wanted.as_ref().and_then(|wanted| wanted.get(self.next).copied());
        let group = self.file.get_row_group(self.next).map_err(unread)?;
        self.next += 1;
        if wanted == Some(false) || !self.column.may_be_in(&*group) {
            self.empty = u64::try_from(group.metadata().num_rows()).unwrap_or_default();
            return Ok(true);
        }
        self.opened += 1;
        // The reader of rows asserts what crafted schemas and pages do not keep.
        let read = panic::catch_unwind(AssertUnwindSafe(|| {
            self.column.read(&*group, &self.printed, given)
        }));
        let has_match = read.unwrap_or_else(|_| {
            let cause = "corrupt Parquet file, or one that cannot be read here";
            Err(io::Error::other(cause))
        })?;
        self.in_vain += u64::from(!has_match);
        Ok(true)
    }
}

/// The columns without intervals, and without groups that have some.
fn printed(schema: &SchemaDescriptor) -> io::Result<Type> {
    let roots = schema.root_schema().get_fields();
    let has_interval = |name: &str| {
        let mut columns = schema.columns().iter();
        columns.any(|column| {
            let top = column.path().parts().first();
            top.is_some_and(|top| top == name) && is_interval(column)
        })
    };
    let fields = roots.iter().filter(|field| !has_interval(field.name())).cloned().collect();
    let printed = Type::group_type_builder(schema.name()).with_fields(fields).build();
    printed.map_err(unread)
}

impl SearchedColumn<'_> {
    /// Whether a row group can have the key, by its own filter.
    fn may_be_in(&self, group: &dyn RowGroupReader) -> bool {
        let Some(filter) = group.get_column_bloom_filter(self.number) else { return true };
        let column = &self.description;
        // Values that are shown in another form are hashed as they are stored.
        if means_more(column) {
            return true;
        }
        let text = str::from_utf8(self.key).unwrap_or_default();
        match column.physical_type() {
            _ if self.is_uuid => uuid_bytes(text).is_some_and(|bytes| filter.check(&bytes[..])),
            Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY => filter.check(self.key),
            Physical::INT32 if is_unsigned(column) => {
                text.parse().is_ok_and(|number: u32| filter.check(&number.cast_signed()))
            }
            Physical::INT32 => text.parse().is_ok_and(|number: i32| filter.check(&number)),
            Physical::INT64 if is_unsigned(column) => {
                text.parse().is_ok_and(|number: u64| filter.check(&number.cast_signed()))
            }
            Physical::INT64 => text.parse().is_ok_and(|number: i64| filter.check(&number)),
            _ => true,
        }
    }

    /// Appends a line per row. Tells whether one has the key.
    fn read(
        &self,
        group: &dyn RowGroupReader,
        printed: &Type,
        given: &mut Vec<u8>,
    ) -> io::Result<bool> {
        let mut has_match = false;
        for row in group.get_row_iter(Some(printed.clone())).map_err(unread)? {
            let row = row.map_err(unread)?;
            if self.is_in(&row, self.description.path().parts()) {
                has_match = true;
                push_row(&row, Some(printed), given);
            }
            given.push(RECORD_END);
        }
        Ok(has_match)
    }

    /// Whether the value at the end of a path is the key, or one of the values, if it is a list.
    fn is_in(&self, row: &Row, path: &[String]) -> bool {
        let Some((name, rest)) = path.split_first() else { return false };
        let mut columns = row.get_column_iter();
        columns.any(|(known, field)| known == name && self.is_key(field, rest))
    }

    fn is_key(&self, field: &Field, path: &[String]) -> bool {
        match field {
            Field::Null => false,
            Field::Str(text) => text.as_bytes() == self.key,
            Field::Bytes(bytes) if self.is_uuid => uuid_text(bytes.data()).as_bytes() == self.key,
            Field::Bytes(bytes) => bytes.data() == self.key,
            Field::Group(row) => self.is_in(row, path),
            Field::ListInternal(list) => {
                list.elements().iter().any(|element| self.is_in_element(element, path))
            }
            Field::MapInternal(map) => {
                let is_key = |(name, value): &(Field, Field)| match path.get(1) {
                    Some(level) if level == "key" => self.is_key(name, &[]),
                    _ => self.is_in_element(value, path),
                };
                map.entries().iter().any(is_key)
            }
            other => value_text(other).as_bytes() == self.key,
        }
    }

    /// The path also names levels between a list and its elements, which are not in the value.
    fn is_in_element(&self, element: &Field, path: &[String]) -> bool {
        let Field::Group(row) = element else {
            return self.is_key(element, path.get(1..).unwrap_or_default());
        };
        let has = |name: &String| row.get_column_iter().any(|(known, _)| known == name);
        let from = path.iter().position(has);
        from.is_some_and(|from| self.is_in(row, &path[from..]))
    }
}

impl Read for KeyedRows<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let len = self.given.read(buffer)?;
            if len > 0 || buffer.is_empty() || !self.fill()? {
                return Ok(len);
            }
        }
    }
}
