//! Output: data goes to standard output, everything else to standard error.

use crate::descriptors;
use crate::escaped::escaped;
use crate::exit::Stop;
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;
#[cfg(unix)]
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Display, Path};
use std::sync::atomic::{AtomicBool, Ordering};

/// Standard output: line-buffered to a terminal, block-buffered otherwise.
pub struct Out {
    writer: Box<dyn Write>,
    terminal: bool,
    colour: bool,
    /// Whether to flush after each answer.
    by_answer: bool,
}

impl Out {
    /// Locks standard output.
    pub fn stdout() -> Out {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        let colour = is_coloured(&stdout);
        // The standard library flushes after each line.
        let writer: Box<dyn Write> = match descriptors::unusable_stdout() {
            Some(unusable) => Box::new(unusable),
            None if terminal => Box::new(stdout.lock()),
            None => Box::new(BufWriter::with_capacity(1 << 16, stdout.lock())),
        };
        Out { writer, terminal, colour, by_answer: false }
    }

    /// Flushes after each answer, for `--line-buffered`.
    pub fn line_buffered(self, yes: bool) -> Out {
        Out { by_answer: yes, ..self }
    }

    /// Whether each record is written for itself: escaped for a terminal, or flushed.
    pub fn is_by_record(&self) -> bool {
        self.terminal || self.by_answer
    }

    /// An answer is complete.
    pub fn end_answer(&mut self) -> Result<(), Stop> {
        if self.by_answer { self.flush() } else { Ok(()) }
    }

    /// The answers to all lines that have arrived are complete, and they may be the last for a long
    /// time unless the next block is ready. A flush per block costs bulk input nothing.
    pub fn end_block(&mut self, next_is_ready: bool) -> Result<(), Stop> {
        if next_is_ready { Ok(()) } else { self.flush() }
    }

    /// Writes a line.
    pub fn line(&mut self, line: fmt::Arguments<'_>) -> Result<(), Stop> {
        done(writeln!(self.writer, "{line}"))
    }

    /// Writes text that has its own line endings.
    pub fn text(&mut self, text: &str) -> Result<(), Stop> {
        done(self.writer.write_all(text.as_bytes()))
    }

    /// The same with colours, which are stripped if the stream shows none.
    #[cfg(feature = "lab")]
    pub fn styled(&mut self, text: &str) -> Result<(), Stop> {
        match self.colour {
            false => self.text(&anstream::adapter::strip_str(text).to_string()),
            true => self.text(text),
        }
    }

    /// Writes a word of our own in a colour.
    pub fn word(&mut self, word: impl fmt::Display, style: Style) -> Result<(), Stop> {
        let style = if self.colour { style } else { Style::new() };
        done(write!(self.writer, "{style}{word}{style:#}"))
    }

    /// Writes the heading of a table.
    pub fn heading(&mut self, heading: fmt::Arguments<'_>) -> Result<(), Stop> {
        self.word(heading, NAME)?;
        self.line(format_args!(""))
    }

    /// Writes a row of a table: a name of this width, and text.
    pub fn row(&mut self, name: &str, width: usize, text: &str) -> Result<(), Stop> {
        self.text("  ")?;
        self.word(name, NAME)?;
        let space = width.saturating_sub(name.len());
        self.line(format_args!("{:space$} {text}", ""))
    }

    /// Writes a record unchanged, with its separator. On a terminal, control characters are escaped.
    pub fn record(&mut self, record: &[u8]) -> Result<(), Stop> {
        if !self.terminal {
            return done(self.writer.write_all(record));
        }
        let end = record.strip_suffix(b"\n").or(record.strip_suffix(b"\0")).unwrap_or(record);
        let text = end.strip_suffix(b"\r").unwrap_or(end);
        self.key(text)?;
        done(self.writer.write_all(&record[text.len()..]))
    }

    /// Writes a key, without a line ending.
    pub fn key(&mut self, key: &[u8]) -> Result<(), Stop> {
        let key = if self.terminal { escaped(key) } else { Cow::Borrowed(key) };
        done(self.writer.write_all(&key))
    }

    /// Writes a value as one line of JSON.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Stop> {
        done(serde_json::to_writer(&mut self.writer, value).map_err(io::Error::from))?;
        done(self.writer.write_all(b"\n"))
    }

    /// Flushes.
    pub fn flush(&mut self) -> Result<(), Stop> {
        done(self.writer.flush())
    }

    /// Flushes at the end. Without this, the last error would go unnoticed.
    pub fn finish(mut self) -> Result<(), Stop> {
        done(self.writer.flush())
    }
}

/// A key that was found, perhaps.
pub const MAYBE: Style = AnsiColor::Yellow.on_default();

/// A key that was found certainly, or a file that is intact.
pub const YES: Style = AnsiColor::Green.on_default();

/// A key that was not found.
pub const NO: Style = AnsiColor::Red.on_default();

/// The name of a row.
const NAME: Style = Style::new().bold();

/// Whether output to a stream is coloured.
pub fn is_coloured(stream: &impl anstream::stream::RawStream) -> bool {
    anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never
}

/// Whether only warnings and errors are printed to standard error.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on, prints only warnings and errors to standard error.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Prints the report of a change as one JSON object. If that fails, the error says what was `done`:
/// the exit code alone would say that nothing was.
pub fn report(value: &impl Serialize, done: impl fmt::Display) -> Result<(), Stop> {
    let mut out = Out::stdout();
    out.json(value).and_then(|()| out.finish()).map_err(|stop| match stop {
        Stop::Error(message) => Stop::Error(format!("{message}; {done}")),
        other => other,
    })
}

/// Syncs standard output, if it is a file.
#[cfg(unix)]
pub fn sync() -> Result<(), Stop> {
    use std::os::fd::AsFd;
    let file = io::stdout().as_fd().try_clone_to_owned().map(File::from);
    done(file.and_then(|file| match file.metadata()?.is_file() {
        true => file.sync_data(),
        false => Ok(()),
    }))
}

/// The standard library cannot do it on this platform.
#[cfg(not(unix))]
pub fn sync() -> Result<(), Stop> {
    Ok(())
}

/// The result of writing to standard output.
pub fn done(result: io::Result<()>) -> Result<(), Stop> {
    result.map_err(|error| Stop::output(&error))
}

/// The name of a file in messages.
pub fn shown(path: &Path) -> Display<'_> {
    if path.as_os_str() == "-" { Path::new("standard input") } else { path }.display()
}

/// Prints a message to standard error, as `anther: …`. Errors of that are ignored.
pub fn complain(message: &str) {
    let (style, rest) = match message.strip_prefix("warning: ") {
        Some(rest) => (AnsiColor::Yellow.on_default().bold(), rest),
        None => (NAME, message),
    };
    print_message(&message[..message.len() - rest.len()], rest, style);
}

/// Prints a message that is no warning, unless `--quiet` says not to.
pub fn note(message: &str) {
    if !QUIET.load(Ordering::Relaxed) {
        complain(message);
    }
}

/// Prints a line of JSON to standard error, unless `--quiet` says not to.
pub fn note_json(json: &str) {
    if !QUIET.load(Ordering::Relaxed) {
        let _ = io::stderr().lock().write_all(format!("{json}\n").as_bytes());
    }
}

/// Prints the error that ends the program.
pub fn error(message: &str) {
    print_message("", message, AnsiColor::Red.on_default().bold());
}

fn print_message(label: &str, message: &str, style: Style) {
    let stderr = io::stderr();
    let style = if is_coloured(&stderr) { style } else { Style::new() };
    let escaped = escaped(message.as_bytes());
    let message = String::from_utf8_lossy(&escaped);
    let label = format!("anther: {label}");
    let label = label.trim_end();
    // In one write, so that messages of several processes do not mix.
    let line = format!("{style}{label}{style:#} {message}\n");
    let _ = stderr.lock().write_all(line.as_bytes());
}

/// Wraps text at this width. Longer words get their own line.
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

/// The key or record of an answer, in JSON.
#[derive(Serialize)]
pub struct Subject<'a> {
    /// The record's number, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<Cow<'a, str>>,
    /// The bytes in hexadecimal, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_hex: Option<String>,
}

impl<'a> Subject<'a> {
    /// A key from the command line.
    pub fn key(key: &'a [u8]) -> Subject<'a> {
        let bytes_hex = hex_unless_text(key);
        Subject { line: None, key: Some(String::from_utf8_lossy(key)), record: None, bytes_hex }
    }

    /// A record without its separator, and its number.
    pub fn record(number: u64, record: &'a [u8]) -> Subject<'a> {
        let bytes_hex = hex_unless_text(record);
        let record = Some(String::from_utf8_lossy(record));
        Subject { line: Some(number), key: None, record, bytes_hex }
    }
}

/// The bytes in hexadecimal, unless they are UTF-8.
fn hex_unless_text(bytes: &[u8]) -> Option<String> {
    match str::from_utf8(bytes) {
        Ok(_) => None,
        Err(_) => Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_end_where_they_must() {
        assert_eq!(wrapped("aa bb cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrapped("aa bbbbbbb c", 4), ["aa", "bbbbbbb", "c"]);
        assert!(wrapped(" ", 4).is_empty());
    }
}
