//! The columns that a line seems to have, for messages that say what to type.

use anther::recipe::{Given, KeyForm, KeyRule};

/// What separates columns, and the options that read the first of them.
pub const COLUMNS: [(u8, &str); 6] = [
    (b'\t', "--format tsv --column 1"),
    (b',', "--format csv --column 1"),
    (b';', "--delimiter ';' --column 1"),
    (b'|', "--delimiter '|' --column 1"),
    (b':', "--delimiter : --column 1"),
    (b' ', "--format fields --column 1"),
];

/// The options that read the first column of a line, if the rule takes that, and refused the line.
pub fn options_for(rule: &KeyRule, line: &[u8]) -> Option<&'static str> {
    let is_first = |&&(delimiter, _): &&(u8, &str)| {
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
    COLUMNS.iter().find(is_first).map(|(_, options)| *options)
}
