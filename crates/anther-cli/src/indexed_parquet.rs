//! The row groups of a Parquet file to index, with the keys of columns that have no filter there.
//!
//! A key is the value as text, integers in decimal, UUIDs with hyphens. Columns of other types, and row groups that have
//! a filter of their own, are left to the search.

use crate::parquet::position;
use crate::parquet_types::{is_unsigned, is_uuid, means_more, uuid_text};
use crate::parquet_values::Values;
use anther_index::{FoundKey, RowGroup, Source};
use parquet::basic::Type;
use std::fs::File;
use std::io;

/// The row groups of a file, one after another.
pub struct RowGroups {
    values: Values,
    len: u64,
    columns: Vec<Option<Wanted>>,
    /// The row group that was read, if one was.
    group: Option<usize>,
    failed: Option<io::Error>,
}

/// A column of the file.
struct Wanted {
    number: usize,
    form: Form,
}

/// How its values are written.
#[derive(Clone, Copy)]
enum Form {
    Bytes,
    Uuid,
    Signed,
    Unsigned,
    /// As nobody knows.
    Other,
}

impl RowGroups {
    /// The columns of a Parquet file; `None` if it has none of them.
    pub fn open(file: File, names: &[String]) -> io::Result<Option<RowGroups>> {
        let len = file.metadata()?.len();
        let values = Values::open(file)?;
        let all = values.names();
        let wanted = |name: &String| {
            let number = position(&all, name)?;
            let column = values.column(number);
            let form = match column.physical_type() {
                _ if means_more(&column) => Form::Other,
                _ if is_uuid(column.self_type()) => Form::Uuid,
                Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => Form::Bytes,
                Type::INT32 | Type::INT64 if is_unsigned(&column) => Form::Unsigned,
                Type::INT32 | Type::INT64 => Form::Signed,
                _ => Form::Other,
            };
            Some(Wanted { number, form })
        };
        let columns: Vec<_> = names.iter().map(wanted).collect();
        if columns.iter().all(Option::is_none) {
            return Ok(None);
        }
        Ok(Some(RowGroups { values, len, columns, group: None, failed: None }))
    }

    /// Which of the columns the file has.
    pub fn which(&self) -> impl Iterator<Item = bool> {
        self.columns.iter().map(Option::is_some)
    }
}

impl Source for RowGroups {
    fn read(&mut self) -> io::Result<bool> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let next = self.group.map_or(0, |group| group + 1);
        self.group = Some(next);
        Ok(next < self.values.row_groups())
    }

    fn piece(&self) -> &[u8] {
        &[]
    }

    fn row_group(&self) -> Option<RowGroup> {
        let (rows, bytes) = self.values.rows_and_bytes(self.group?);
        Some(RowGroup { rows, bytes })
    }

    fn keys(&mut self, found: &mut FoundKey<'_>) -> bool {
        let Some(group) = self.group else { return false };
        for (number, wanted) in self.columns.iter().enumerate() {
            let Some(Wanted { number: column, form }) = *wanted else { continue };
            if matches!(form, Form::Other) || self.values.has_filter(group, column) {
                continue;
            }
            let each = self.values.each(group, column, |value| {
                found(number, 0..1, &form.text(value));
            });
            if let Err(error) = each {
                self.failed = Some(error);
                return false;
            }
        }
        true
    }

    fn is_unknown(&self, column: usize) -> bool {
        let (Some(group), Some(Some(wanted))) = (self.group, self.columns.get(column)) else {
            return false;
        };
        matches!(wanted.form, Form::Other) || self.values.has_filter(group, wanted.number)
    }

    fn bytes_read(&self) -> u64 {
        // Of all columns only a few are read; the file counts as read with its last row group.
        let groups = self.values.row_groups().max(1) as u64;
        let done = self.group.map_or(0, |group| group as u64 + 1).min(groups);
        self.len / groups * done
    }
}

impl Form {
    /// A value of the plain encoding as text.
    fn text(self, value: &[u8]) -> std::borrow::Cow<'_, [u8]> {
        let text = match (self, value) {
            (Form::Uuid, _) => uuid_text(value),
            (Form::Signed, [a, b, c, d]) => i32::from_le_bytes([*a, *b, *c, *d]).to_string(),
            (Form::Unsigned, [a, b, c, d]) => u32::from_le_bytes([*a, *b, *c, *d]).to_string(),
            (Form::Signed | Form::Unsigned, _) => match (<[u8; 8]>::try_from(value), self) {
                (Ok(bytes), Form::Unsigned) => u64::from_le_bytes(bytes).to_string(),
                (Ok(bytes), _) => i64::from_le_bytes(bytes).to_string(),
                (Err(_), _) => return value.into(),
            },
            _ => return value.into(),
        };
        text.into_bytes().into()
    }
}
