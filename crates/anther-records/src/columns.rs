//! The columns that a line seems to have, for messages that say what to type.

use crate::csv;
use anther::recipe::{Given, KeyForm, KeyRule};
use std::net::{IpAddr, Ipv4Addr};

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

/// A command that prints networks whose netmask is in a second column with the length of their prefix.
const WITH_LENGTH: &str = "awk -F '[ \\t,;|]+' '{ split($2, m, \".\"); n = 32; for (i in m) \
                               n -= log(256 - m[i]) / log(2); print $1 \"/\" n }' FILE";

/// The same for networks whose length of the prefix is in a second column.
const WITH_SLASH: &str = "awk -F '[ \\t,;|/]+' '{ print $1 \"/\" $2 }' FILE";

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
    let first = format!("if the key is the first column, add {}", columns.options);
    let advice = match second_of(line).filter(|_| rule.form == KeyForm::Ip) {
        // The first column alone would be the lowest address of each range or network.
        Some(Second::Last) => format!("if its columns are ranges, read what {JOINED} prints"),
        Some(Second::Netmask(network)) => {
            format!("if the second column is a netmask, write {network}, as {WITH_LENGTH} does")
        }
        Some(Second::Length(network, has_slash)) => {
            let advice = format!("write {network}, as {WITH_SLASH} does");
            match has_slash {
                true => advice,
                false => {
                    format!("if the second column is the length of a prefix, {advice}; {first}")
                }
            }
        }
        None => first,
    };
    Some(advice.into())
}

/// What the second column of a line is, if the first one is an IP address.
#[derive(Debug, PartialEq, Eq)]
pub enum Second {
    /// The last address of a range.
    Last,
    /// The netmask of this network.
    Netmask(String),
    /// The length of this network's prefix, and whether a slash is before it.
    Length(String, bool),
}

/// What the second column of a line is, if the first one is an IP address.
pub fn second_of(line: &[u8]) -> Option<Second> {
    let is_delimiter = |byte: &u8| b" \t,;|".contains(byte);
    let mut fields = line.split(is_delimiter).filter(|field| !field.is_empty());
    let mut next = || str::from_utf8(fields.next()?).ok();
    let (address, second) = (next()?, next()?);
    let first: IpAddr = address.parse().ok()?;
    if let Ok(last) = second.parse::<IpAddr>() {
        let mask = second.parse().map_or(0, |mask: Ipv4Addr| mask.to_bits());
        let len = mask.leading_ones();
        return match first.is_ipv4() && len > 0 && len + mask.trailing_zeros() == 32 {
            true => Some(Second::Netmask(format!("{address}/{len}"))),
            false => (first.is_ipv4() == last.is_ipv4() && first < last).then_some(Second::Last),
        };
    }
    let digits = second.strip_prefix('/');
    let len = digits.unwrap_or(second).parse::<u8>().ok()?;
    let is_len = len <= if first.is_ipv4() { 32 } else { 128 };
    is_len.then(|| Second::Length(format!("{address}/{len}"), digits.is_some()))
}
