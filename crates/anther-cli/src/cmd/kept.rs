//! Files that are no filters, but that other verbs keep: states of `uniq`, and sketches. For `info` and
//! `verify`.

use super::uniq::seen::Horizon;
use super::uniq::state::{self, StateHeader, StatePart, Unread};
use crate::units;
use anther::SketchError;
use anther::iblt::sketch::SketchReader;
use serde::Serialize;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What is known of such a file.
#[derive(Serialize)]
pub struct Kept {
    /// `uniq state` or `sketch`.
    pub kind: &'static str,
    /// The distinct lines; null if the state cannot count them.
    lines: Option<u64>,
    /// Of a sketch: its symbols, and so how many differences it can find.
    symbols: Option<u64>,
    /// How lines become keys, in words.
    keys: String,
    keyed: bool,
    /// What a state remembers, in words.
    remembers: Option<String>,
    pub bytes: u64,
}

/// Why such a file cannot be described.
pub enum Broken {
    /// It cannot be read.
    Unread(String),
    /// It is damaged.
    Damaged(String),
}

impl Broken {
    /// The cause in words.
    pub fn cause(&self) -> &str {
        match self {
            Broken::Unread(cause) | Broken::Damaged(cause) => cause,
        }
    }
}

/// How sketches begin; see FORMAT.md.
const SKETCH: &[u8] = b"\x89ANS\r\n\x1A\n";

impl Kept {
    /// Reads a regular file and verifies every byte of it; `None` if it is neither.
    pub fn of(path: &Path) -> Option<Result<Kept, Broken>> {
        if !path.is_file() {
            return None;
        }
        let mut start = Vec::new();
        File::open(path).ok()?.take(8).read_to_end(&mut start).ok()?;
        match &start[..] {
            start if state::begins(start) => Some(Kept::of_state(path)),
            SKETCH => Some(Kept::of_sketch(path)),
            _ => None,
        }
    }

    fn of_state(path: &Path) -> Result<Kept, Broken> {
        let (header, horizon) = state::described(path).map_err(|error| match error {
            Unread::Io(error) => Broken::Unread(format!("cannot read: {error}")),
            Unread::Cause(cause) => Broken::Damaged(cause),
            _ => Broken::Damaged("the state of anther uniq is corrupt or truncated".to_string()),
        })?;
        Ok(Kept {
            kind: "uniq state",
            lines: lines(&header),
            symbols: None,
            keys: header.key_in_words(),
            keyed: header.is_keyed(),
            remembers: Some(remembers(horizon)),
            bytes: len(path),
        })
    }

    fn of_sketch(path: &Path) -> Result<Kept, Broken> {
        let broken = |error: SketchError| match error {
            SketchError::Io(error) => Broken::Unread(format!("cannot read: {error}")),
            other => Broken::Damaged(other.to_string()),
        };
        let file = File::open(path).map_err(|error| broken(error.into()))?;
        let mut reader = SketchReader::open_locked(file).map_err(broken)?;
        let (set, symbols) = reader.verify().map_err(broken)?;
        let (whole, bytes) = (reader.bytes(), len(path));
        if whole != bytes {
            let rest = units::count(bytes.saturating_sub(whole));
            let cause =
                format!("the sketch is truncated: {rest} bytes at its end are no whole frame");
            return Err(Broken::Damaged(cause));
        }
        Ok(Kept {
            kind: "sketch",
            lines: Some(set.lines),
            symbols: Some(symbols),
            keys: reader.header().recipe.rule.to_string(),
            keyed: reader.is_keyed(),
            remembers: None,
            bytes,
        })
    }

    /// Names and words, in the order in which they are printed.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let kind = match self.symbols {
            None => "state of anther uniq, which goes on from it: --state",
            Some(_) => "sketch of a list, which anther diff LIST SKETCH compares with another",
        };
        let keyed = if self.keyed { ", with a secret key" } else { "" };
        let mut rows = vec![("kind", kind.to_string())];
        rows.extend(self.lines.map(|lines| ("lines", units::count(lines))));
        rows.extend(self.symbols.map(|symbols| ("symbols", units::count(symbols))));
        rows.extend(self.remembers.clone().map(|words| ("has", words)));
        rows.push(("keys", format!("{}{keyed}", self.keys)));
        rows.push(("size", units::size(self.bytes)));
        rows
    }

    /// `sketch of 12 lines, 1,234 bytes`.
    pub fn in_words(&self) -> String {
        let what = if self.symbols.is_some() { "sketch" } else { "state of anther uniq" };
        let of = self.lines.map_or(String::new(), |lines| {
            format!(" of {} line{}", units::count(lines), if lines == 1 { "" } else { "s" })
        });
        format!("{what}{of}, {} bytes", units::count(self.bytes))
    }
}

/// The lines of a state; a filter that forgets does not count them.
fn lines(header: &StateHeader) -> Option<u64> {
    let each = header.parts().iter().map(|part| match part {
        StatePart::Fingerprints { len, .. } => Some(*len),
        StatePart::Window { .. } | StatePart::Timed { .. } => None,
    });
    each.sum()
}

fn remembers(horizon: Horizon) -> String {
    match horizon {
        Horizon::All => "all lines".to_string(),
        Horizon::Share { rate } => format!("all lines, --fpr {}", units::rate_option(rate)),
        Horizon::Window { lines, rate } => {
            let (lines, rate) = (units::count(lines), units::rate_option(rate));
            format!("the latest {lines} lines (--window), --fpr {rate}")
        }
        Horizon::Timed { time, rate } => {
            let rate = units::rate_option(rate);
            format!("the lines of the latest {} s (--ttl), --fpr {rate}", time.as_secs_f64())
        }
    }
}

fn len(path: &Path) -> u64 {
    path.metadata().map_or(0, |meta| meta.len())
}
