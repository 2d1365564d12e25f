//! The columns that a line seems to have, for messages that say what to type.

use crate::csv;
use anther::recipe::{Given, KeyForm, KeyRule};
use std::net::IpAddr;

/// Columns of a line.
#[derive(Debug, PartialEq, Eq)]
pub struct Columns {
    /// What separates them.
    pub delimiter: u8,
    /// Its name, of several.
    pub name: &'static str,
    /// The options that read the first of them.
    pub options: &'static str,
}

/// All that are known.
pub const COLUMNS: &[Columns; 6] = &[
    Columns { delimiter: b'\t', name: "tabs", options: "--format tsv --column 1" },
    Columns { delimiter: b',', name: "commas", options: "--format csv --column 1" },
    Columns { delimiter: b';', name: "semicolons", options: "--delimiter ';' --column 1" },
    Columns { delimiter: b'|', name: "bars", options: "--delimiter '|' --column 1" },
    Columns { delimiter: b':', name: "colons", options: "--delimiter : --column 1" },
    Columns { delimiter: b' ', name: "blanks", options: "--format fields --column 1" },
];

/// A command that prints ranges in two columns as ranges of one.
pub const JOINED: &str = "awk -F '[ \\t,;|]+' '{ print $1 \"-\" $2 }' FILE";

/// Whether the first field of CSV is a line of a log up to the comma of its time:
/// `2026-11-17 08:30:00,123 INFO`.
pub fn is_time(field: &[u8], record: &[u8]) -> bool {
    let Some([b',', rest @ ..]) = record.strip_prefix(field) else { return false };
    let is_second =
        matches!(field, [.., b':', tens, ones] if tens.is_ascii_digit() && ones.is_ascii_digit());
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    is_second && matches!(digits, 3 | 6) && rest.get(digits) == Some(&b' ')
}

/// How many columns a line has between these, if there are several and it looks like a record: a
/// blank behind a delimiter is of a sentence.
pub fn number_of(columns: &Columns, line: &[u8]) -> Option<usize> {
    let delimiter = columns.delimiter;
    if !line.contains(&delimiter) || line.starts_with(&[delimiter]) {
        return None;
    }
    let fields = csv::fields(line, delimiter, true).ok()?;
    (fields.len() > 1 && !fields.iter().any(|field| field.starts_with(b" ")))
        .then_some(fields.len())
}

/// What to do about a line that the rule refused, if it takes the first column.
pub fn advice_for(rule: &KeyRule, line: &[u8]) -> Option<Box<str>> {
    let is_first = |&&Columns { delimiter, .. }: &&Columns| {
        let mut columns = line.splitn(2, |byte| *byte == delimiter);
        let (Some(first), Some(rest)) = (columns.next(), columns.next()) else { return false };
        // Colons and blanks are in the keys themselves.
        let is_inside = match delimiter {
            b':' => matches!(rule.form, KeyForm::Time | KeyForm::Ip) || rest.starts_with(b"//"),
            b' ' => rule.form == KeyForm::Time,
            _ => false,
        };
        !is_inside && rule.apply(Given::Text(first), &mut Vec::new()).is_ok()
    };
    let columns = COLUMNS.iter().find(is_first)?;
    let advice = match rule.form {
        // The first column alone would be the lowest address of each range.
        KeyForm::Ip if has_range(line) => {
            format!("if its columns are ranges, read what {JOINED} prints")
        }
        _ => format!("if the key is the first column, add {}", columns.options),
    };
    Some(advice.into())
}

/// Whether the first two columns of a line are the first and the last address of a range.
pub fn has_range(line: &[u8]) -> bool {
    let is_delimiter = |byte: &u8| b" \t,;|".contains(byte);
    let fields = line.split(is_delimiter).filter(|field| !field.is_empty());
    let mut addresses = fields.map(|field| str::from_utf8(field).ok()?.parse::<IpAddr>().ok());
    match (addresses.next().flatten(), addresses.next().flatten()) {
        (Some(first), Some(last)) => first.is_ipv4() == last.is_ipv4() && first < last,
        _ => false,
    }
}
