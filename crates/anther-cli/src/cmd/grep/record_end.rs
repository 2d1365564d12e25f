//! What ends a record for the searcher, if it looks for records of a column, and how it is printed.
//!
//! A record of CSV may have several lines, and counts once. So its end is a byte that is no line
//! ending. Where a record has that byte itself, it is escaped until it is printed.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The record separator of ASCII, which hardly any text has.
pub const RECORD_END: u8 = 0x1e;

/// Stands before a letter: `E` for the record's end, `D` for itself.
const ESCAPE: u8 = 0x10;

/// How ends of records come from the printer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordEnds {
    /// As line endings: lines are searched.
    Lines,
    /// As they are.
    Bytes,
    /// In a message of JSON.
    Json,
}

/// Appends a record for the searcher, without its end.
pub fn push_record(record: &[u8], into: &mut Vec<u8>) {
    let mut rest = record;
    while let Some(at) = memchr::memchr2(RECORD_END, ESCAPE, rest) {
        into.extend_from_slice(&rest[..at]);
        into.extend([ESCAPE, if rest[at] == RECORD_END { b'E' } else { b'D' }]);
        rest = &rest[at + 1..];
    }
    into.extend_from_slice(rest);
}

/// Printed text as it was in the file, with line endings.
pub fn with_line_ends(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr2(RECORD_END, ESCAPE, text) else {
        return Cow::Borrowed(text);
    };
    let (mut out, mut rest) = (text[..first].to_vec(), &text[first..]);
    while let [byte, after @ ..] = rest {
        let (printed, next) = match (*byte, after) {
            (RECORD_END, _) => (b'\n', after),
            (ESCAPE, [b'E', after @ ..]) => (RECORD_END, after),
            (ESCAPE, [b'D', after @ ..]) => (ESCAPE, after),
            (other, _) => (other, after),
        };
        out.push(printed);
        rest = next;
    }
    Cow::Owned(out)
}

/// A match in ripgrep's JSON, whose fields keep their order.
#[derive(Serialize, Deserialize)]
struct Message {
    r#type: String,
    data: Match,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Match {
    path: Option<Data>,
    lines: Data,
    line_number: Option<u64>,
    absolute_offset: u64,
    submatches: Vec<SubMatch>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SubMatch {
    r#match: Data,
    start: u64,
    end: u64,
}

/// Text, or base64 of bytes that are none.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Data {
    Text(String),
    Bytes(String),
}

/// The same for a message of JSON; others than matches have no records.
pub fn end_line_in_json(message: &mut Vec<u8>) {
    let Ok(mut found) = serde_json::from_slice::<Message>(message) else { return };
    found.data.lines = found.data.lines.with_line_ends();
    for part in &mut found.data.submatches {
        let before = std::mem::replace(&mut part.r#match, Data::Text(String::new()));
        part.r#match = before.with_line_ends();
        // The match is all of the record.
        part.end = part.start + part.r#match.bytes().len() as u64;
    }
    if let Ok(mut text) = serde_json::to_vec(&found) {
        text.push(b'\n');
        *message = text;
    }
}

impl Data {
    fn with_line_ends(self) -> Data {
        let bytes = self.bytes();
        match String::from_utf8(with_line_ends(&bytes).into_owned()) {
            Ok(text) => Data::Text(text),
            Err(error) => Data::Bytes(base64(error.as_bytes())),
        }
    }

    fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Data::Text(text) => Cow::Borrowed(text.as_bytes()),
            Data::Bytes(digits) => Cow::Owned(from_base64(digits)),
        }
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let group = |group: &[u8]| {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let digit = move |at: u32| char::from(DIGITS[(bits >> (18 - 6 * at) & 0x3f) as usize]);
        let digits = 1 + group.len();
        (0..4u32).map(move |at| if (at as usize) < digits { digit(at) } else { '=' })
    };
    bytes.chunks(3).flat_map(group).collect()
}

fn from_base64(digits: &str) -> Vec<u8> {
    let value = |digit: &u8| DIGITS.iter().position(|known| known == digit);
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3);
    for group in digits.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = group.iter().filter_map(value).fold(0usize, |bits, digit| bits << 6 | digit);
        let bits = bits << (6 * (4 - group.len()));
        let [low, middle, high, ..] = bits.to_le_bytes();
        bytes.extend_from_slice(&[high, middle, low][..group.len() - 1]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(lines: &str, end: usize) -> String {
        format!(
            r#"{{"type":"match","data":{{"path":{{"text":"a"}},"lines":{{{lines}}},"line_number":7,"absolute_offset":9,"submatches":[{{"match":{{{lines}}},"start":0,"end":{end}}}]}}}}"#
        ) + "\n"
    }

    #[test]
    fn records_come_back_as_they_were() {
        assert_eq!(*with_line_ends(b"a:1\nb\x1e"), *b"a:1\nb\n");
        assert_eq!(*with_line_ends(b"a\n"), *b"a\n");
        for record in [&b"a\x1eb"[..], b"\x10", b"\x10E\x1e\x10D\x10\x10", b"\xff\x1e\xff"] {
            let mut pushed = Vec::new();
            push_record(record, &mut pushed);
            assert!(!pushed.contains(&RECORD_END));
            assert_eq!(*with_line_ends(&pushed), *record);
            assert_eq!(from_base64(&base64(record)), record);
        }
    }

    #[test]
    fn records_in_json_come_back_as_they_were() {
        for (given, expected, end) in [
            (r#""text":"a\nb\u001e""#, r#""text":"a\nb\n""#, 4),
            (r#""text":"a\\u001e\u0010E\u0010D""#, r#""text":"a\\u001e\u001e\u0010""#, 9),
            // \xff\x1e, and \xff\x10E\x1e.
            (r#""bytes":"/x4=""#, r#""bytes":"/wo=""#, 2),
            (r#""bytes":"/xBFHg==""#, r#""bytes":"/x4K""#, 3),
        ] {
            let mut bytes = message(given, 99).into_bytes();
            end_line_in_json(&mut bytes);
            assert_eq!(String::from_utf8(bytes).expect("UTF-8"), message(expected, end));
        }
        let mut other = b"{\"type\":\"begin\",\"data\":{\"path\":{\"text\":\"a\"}}}\n".to_vec();
        let before = other.clone();
        end_line_in_json(&mut other);
        assert_eq!(other, before);
    }
}
