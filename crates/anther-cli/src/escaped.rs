//! Bytes for terminals: without what controls them.

use std::borrow::Cow;

/// Escapes control characters and invalid UTF-8. Tabs and line feeds stay.
pub fn escaped(text: &[u8]) -> Cow<'_, [u8]> {
    let dangerous = |c: char| c.is_control() && !matches!(c, '\t' | '\n');
    if let Ok(text) = str::from_utf8(text)
        && !text.contains(dangerous)
    {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut safe = String::new();
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                c if !dangerous(c) => safe.push(c),
                c if c.is_ascii() => safe.push_str(&format!("\\x{:02x}", u32::from(c))),
                c => safe.extend(c.escape_unicode()),
            }
        }
        for byte in chunk.invalid() {
            safe.push_str(&format!("\\x{byte:02x}"));
        }
    }
    Cow::Owned(safe.into_bytes())
}

/// Bytes for a message or a drawing: on one line, without control characters.
pub fn on_one_line(text: &[u8]) -> String {
    if text.is_empty() {
        return "\"\"".to_string();
    }
    let safe = escaped(text);
    String::from_utf8_lossy(&safe).replace('\n', "\\n").replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn only_what_moves_a_terminal_is_escaped() {
        for plain in ["", "word", "naïve Ω", "a\tb"] {
            assert_eq!(*escaped(plain.as_bytes()), *plain.as_bytes());
        }
        assert_eq!(*escaped(b"\x1b[2Jx\r"), *b"\\x1b[2Jx\\x0d");
        assert_eq!(*escaped(b"\xff\xc3\xa4"), *b"\\xff\xc3\xa4");
        assert_eq!(*escaped("\u{9b}1m".as_bytes()), *b"\\u{9b}1m");
    }
}
