//! What ends a record for the searcher, if it looks for records of a column, and how it is printed.
//!
//! A record of CSV may have several lines, and counts once. So its end is a byte that is no line
//! ending.

use std::borrow::Cow;

/// The record separator of ASCII, which text does not have.
pub const RECORD_END: u8 = 0x1e;

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

/// Printed text with line endings again.
pub fn with_line_ends(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(RECORD_END, text).is_none() {
        return Cow::Borrowed(text);
    }
    let line_end = |byte: &u8| if *byte == RECORD_END { b'\n' } else { *byte };
    Cow::Owned(text.iter().map(line_end).collect())
}

/// Changes the end of the record in a message of JSON to a line ending. Nothing within a string can
/// look like what follows it: its quotes would be escaped.
pub fn end_line_in_json(message: &mut Vec<u8>) {
    const ESCAPED: &[u8] = br"\u001e";
    let Some(end) = memchr::memmem::find(message, br#""},"line_number":"#) else { return };
    let start = memchr::memmem::find(message, br#""lines":{""#).unwrap_or_default();
    if message[start..end].starts_with(br#""lines":{"bytes""#) {
        if let Some(Ok(group)) =
            end.checked_sub(4).map(|at| <&mut [u8; 4]>::try_from(&mut message[at..end]))
        {
            end_line_in_base64(group);
        }
    } else if let Some(text) = message[..end].strip_suffix(ESCAPED) {
        // After an odd number of others, its backslash is one of the text.
        let before = text.iter().rev().take_while(|byte| **byte == b'\\').count();
        if before % 2 == 0 {
            message.splice(end - ESCAPED.len()..end, *br"\n");
        }
    }
}

/// The same in the last group of base64, for text that is not UTF-8.
fn end_line_in_base64(group: &mut [u8; 4]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let padding = group.iter().filter(|digit| **digit == b'=').count();
    let value = |digit: &u8| DIGITS.iter().position(|known| known == digit).unwrap_or_default();
    let bits = group.iter().fold(0, |bits, digit| bits << 6 | value(digit));
    let shift = 8 * padding;
    if bits >> shift & 0xff != usize::from(RECORD_END) {
        return;
    }
    let bits = bits ^ usize::from(RECORD_END ^ b'\n') << shift;
    for (at, digit) in group.iter_mut().enumerate().take(4 - padding) {
        *digit = DIGITS[bits >> (18 - 6 * at) & 0x3f];
    }
}

#[cfg(test)]
mod tests {
    use super::{end_line_in_json, with_line_ends};

    fn ended(lines: &str) -> String {
        let mut message = format!(r#"{{"lines":{{{lines}"}},"line_number":7}}"#).into_bytes();
        end_line_in_json(&mut message);
        let message = String::from_utf8(message).expect("UTF-8");
        message[10..message.len() - 19].to_string()
    }

    #[test]
    fn ends_of_records_become_line_endings() {
        assert_eq!(*with_line_ends(b"a:1\nb\x1e"), *b"a:1\nb\n");
        assert_eq!(*with_line_ends(b"a\n"), *b"a\n");
        assert_eq!(ended(r#""text":"a\nb\u001e"#), r#""text":"a\nb\n"#);
        assert_eq!(ended(r#""text":"a\\\u001e"#), r#""text":"a\\\n"#);
        assert_eq!(ended(r#""text":"a\\u001e"#), r#""text":"a\\u001e"#);
        assert_eq!(ended(r#""text":"a"#), r#""text":"a"#);
        // \xff\x1e, \xff\xff\x1e, \xff\xff\xff\x1e and one without an end.
        assert_eq!(ended(r#""bytes":"/x4="#), r#""bytes":"/wo="#);
        assert_eq!(ended(r#""bytes":"//8e"#), r#""bytes":"//8K"#);
        assert_eq!(ended(r#""bytes":"////Hg=="#), r#""bytes":"////Cg=="#);
        assert_eq!(ended(r#""bytes":"//8="#), r#""bytes":"//8="#);
    }
}
