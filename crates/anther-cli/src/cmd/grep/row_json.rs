//! A row of a Parquet file as JSON, its columns in the order of the file.
//!
//! The crate's own JSON sorts the columns, writes UUIDs as base64, and panics on dates that no
//! calendar has.

use crate::parquet_types::{is_uuid, uuid_text};
use parquet::basic::Repetition;
use parquet::record::{Field, Row};
use parquet::schema::types::Type;
use serde_json::Value;

/// Days from 1970 within which the crate can write a date; it ends in the year 262,142.
const DAYS: i64 = 95_000_000;
const DAY_IN_MS: i64 = 86_400_000;

/// Appends a row of a group type, or of the whole schema.
pub fn push_row(row: &Row, group: Option<&Type>, out: &mut Vec<u8>) {
    out.push(b'{');
    for (at, (name, field)) in row.get_column_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        push_text(name, out);
        out.push(b':');
        push_field(field, group.and_then(|group| child(group, name)), out);
    }
    out.push(b'}');
}

fn push_field(field: &Field, own: Option<&Type>, out: &mut Vec<u8>) {
    match field {
        Field::Group(row) => push_row(row, own, out),
        Field::ListInternal(list) => {
            out.push(b'[');
            for (at, element) in list.elements().iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                push_field(element, own.map(element_type), out);
            }
            out.push(b']');
        }
        Field::MapInternal(map) => {
            out.push(b'{');
            for (at, (key, value)) in map.entries().iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                push_text(&value_text(key), out);
                out.push(b':');
                push_field(value, None, out);
            }
            out.push(b'}');
        }
        Field::Bytes(bytes) if own.is_some_and(is_uuid) => {
            push_text(&uuid_text(bytes.data()), out);
        }
        value => out.extend_from_slice(json(value).to_string().as_bytes()),
    }
}

/// A value that is no bytes and has no parts, as it is in the JSON, without quotes.
pub fn value_text(field: &Field) -> String {
    match json(field) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// A date that no calendar has is the number that is stored.
fn json(field: &Field) -> Value {
    let is_date = |value: i64, unit: i64| (-DAYS * unit..=DAYS * unit).contains(&value);
    match *field {
        Field::Date(days) if !is_date(days.into(), 1) => days.into(),
        Field::TimestampMillis(time) if !is_date(time, DAY_IN_MS) => time.into(),
        Field::TimestampMicros(time) if !is_date(time, DAY_IN_MS * 1000) => time.into(),
        _ => field.to_json_value(),
    }
}

fn push_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(Value::from(text).to_string().as_bytes());
}

fn child<'a>(group: &'a Type, name: &str) -> Option<&'a Type> {
    let fields = if group.is_group() { group.get_fields() } else { &[] };
    fields.iter().find(|field| field.name() == name).map(AsRef::as_ref)
}

/// The type of the elements of a list: between them there may be a repeated group.
fn element_type(list: &Type) -> &Type {
    let is_repeated = |kind: &Type| {
        let info = kind.get_basic_info();
        info.has_repetition() && info.repetition() == Repetition::REPEATED
    };
    let only = |kind: &'_ Type| kind.is_group() && kind.get_fields().len() == 1;
    if is_repeated(list) || !only(list) {
        return list;
    }
    let inner = &list.get_fields()[0];
    if is_repeated(inner) && only(inner) { &inner.get_fields()[0] } else { inner }
}
