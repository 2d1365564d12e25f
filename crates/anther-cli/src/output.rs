//! What the program says: data on standard output, everything else on standard error.

use crate::exit::Stop;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write};

/// Standard output: by lines to a terminal, by blocks to anything else.
pub struct Out {
    writer: Box<dyn Write>,
    terminal: bool,
}

impl Out {
    /// Standard output, locked for as long as this lives.
    pub fn stdout() -> Out {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        // The standard library's own buffer ends with each line.
        let writer: Box<dyn Write> = if terminal {
            Box::new(stdout.lock())
        } else {
            Box::new(BufWriter::with_capacity(1 << 16, stdout.lock()))
        };
        Out { writer, terminal }
    }

    /// Whole lines, in words.
    pub fn line(&mut self, line: fmt::Arguments<'_>) -> Result<(), Stop> {
        done(writeln!(self.writer, "{line}"))
    }

    /// Text that has its own line ends.
    pub fn text(&mut self, text: &str) -> Result<(), Stop> {
        done(self.writer.write_all(text.as_bytes()))
    }

    /// The same with colours, which go where nobody wants them.
    #[cfg(feature = "lab")]
    pub fn styled(&mut self, text: &str) -> Result<(), Stop> {
        match anstream::AutoStream::choice(&io::stdout()) {
            anstream::ColorChoice::Never => {
                self.text(&anstream::adapter::strip_str(text).to_string())
            }
            _ => self.text(text),
        }
    }

    /// A record as it came, with its separator. A terminal is spared control characters, which
    /// might do anything to it.
    pub fn record(&mut self, record: &[u8]) -> Result<(), Stop> {
        if !self.terminal {
            return done(self.writer.write_all(record));
        }
        let end = record.strip_suffix(b"\n").or(record.strip_suffix(b"\0")).unwrap_or(record);
        let text = end.strip_suffix(b"\r").unwrap_or(end);
        self.key(text)?;
        done(self.writer.write_all(&record[text.len()..]))
    }

    /// A key alone.
    pub fn key(&mut self, key: &[u8]) -> Result<(), Stop> {
        let key = if self.terminal { escaped(key) } else { Cow::Borrowed(key) };
        done(self.writer.write_all(&key))
    }

    /// A value as one line of JSON.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Stop> {
        done(serde_json::to_writer(&mut self.writer, value).map_err(io::Error::from))?;
        done(self.writer.write_all(b"\n"))
    }

    /// Brings out what there is so far.
    pub fn flush(&mut self) -> Result<(), Stop> {
        done(self.writer.flush())
    }

    /// Brings everything out. Without it an error at the end would go unnoticed.
    pub fn finish(mut self) -> Result<(), Stop> {
        done(self.writer.flush())
    }
}

/// What became of writing to standard output.
pub fn done(result: io::Result<()>) -> Result<(), Stop> {
    result.map_err(|error| Stop::output(&error))
}

/// Says something on standard error, under the program's name. Where standard error is gone,
/// nobody is left to be told.
pub fn complain(message: &str) {
    let escaped = escaped(message.as_bytes());
    let _ = writeln!(io::stderr(), "anther: {}", String::from_utf8_lossy(&escaped));
}

/// Control characters and what is no UTF-8, made visible. Tabs and line ends stay.
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

/// Bytes as they are shown in a message or a drawing: on one line, and harmless.
#[cfg(feature = "lab")]
pub fn on_one_line(text: &[u8]) -> String {
    if text.is_empty() {
        return "\"\"".to_string();
    }
    let safe = escaped(text);
    String::from_utf8_lossy(&safe).replace('\n', "\\n").replace('\t', "\\t")
}

/// Words in lines of at most so many characters, but for words that are longer.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// What an answer in JSON is the answer to.
#[derive(Serialize)]
pub struct Subject<'a> {
    /// The record's number, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<Cow<'a, str>>,
    /// The same in hexadecimal, where it is no UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_hex: Option<String>,
}

impl<'a> Subject<'a> {
    /// A key of the command line.
    pub fn key(key: &'a [u8]) -> Subject<'a> {
        let bytes_hex = hex_unless_text(key);
        Subject { line: None, key: Some(String::from_utf8_lossy(key)), record: None, bytes_hex }
    }

    /// A record, without its end, and its number.
    pub fn record(number: u64, record: &'a [u8]) -> Subject<'a> {
        let bytes_hex = hex_unless_text(record);
        let record = Some(String::from_utf8_lossy(record));
        Subject { line: Some(number), key: None, record, bytes_hex }
    }
}

/// Where text would lose bytes, the bytes too.
fn hex_unless_text(bytes: &[u8]) -> Option<String> {
    match str::from_utf8(bytes) {
        Ok(_) => None,
        Err(_) => Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::{escaped, wrapped};

    #[test]
    fn only_what_moves_a_terminal_is_escaped() {
        for plain in ["", "word", "naïve Ω", "a\tb"] {
            assert_eq!(*escaped(plain.as_bytes()), *plain.as_bytes());
        }
        assert_eq!(*escaped(b"\x1b[2Jx\r"), *b"\\x1b[2Jx\\x0d");
        assert_eq!(*escaped(b"\xff\xc3\xa4"), *b"\\xff\xc3\xa4");
        assert_eq!(*escaped("\u{9b}1m".as_bytes()), *b"\\u{9b}1m");
    }

    #[test]
    fn lines_end_where_they_must() {
        assert_eq!(wrapped("aa bb cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrapped("aa bbbbbbb c", 4), ["aa", "bbbbbbb", "c"]);
        assert!(wrapped(" ", 4).is_empty());
    }
}
