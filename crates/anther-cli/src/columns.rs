//! The columns that a line seems to have, for messages that say what to type.

use crate::csv;
use anther::recipe::{Given, KeyForm, KeyRule};

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

/// The options that read the first column of a line, if the rule takes that, and refused the line.
pub fn options_for(rule: &KeyRule, line: &[u8]) -> Option<&'static str> {
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
    COLUMNS.iter().find(is_first).map(|columns| columns.options)
}
