//! `verify`: whether files are whole.

use crate::exit::{Exit, Outcome};
use crate::output::{self, Out};
use crate::units;
use anther::format::Tag;
use anther::{LoadError, Open, Verified};
use serde::Serialize;
use std::borrow::Cow;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

const ABOUT: &str = "\
Verifies filters: every byte against its checksum, every field and section against
what such a filter can have, and that nothing is missing or left over. Filters with a
secret key are verified without it, and so are iblts. A checksum finds accidents; it
is no signature, and says nothing of who wrote the file.

Examples:
  anther verify seen.anther
  anther verify -q backup/*.anther && echo all whole
  anther verify --json *.anther | jq -r 'select(.whole | not).file'

A file that is damaged, cut short, or no filter is named on standard error with what is
wrong. All files are looked at, whatever became of those before.";

const EXIT_CODES: &str = "\
Exit codes: 0 all are whole; 1 some are damaged or no filters; 2 error: some cannot be
read.";

/// Verify that filters are whole
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// The filters
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Say nothing of files that are whole
    #[arg(short, long)]
    quiet: bool,
    /// A line of JSON for each file
    #[arg(long)]
    json: bool,
}

/// A line of `--json`.
#[derive(Serialize)]
struct Line<'a> {
    file: Cow<'a, str>,
    /// Null where that could not be found out.
    whole: Option<bool>,
    kind: Option<&'static str>,
    sections: Option<usize>,
    /// Null where it is no ordinary file.
    bytes: Option<u64>,
    /// Whether `add --shared` has it open: then no checksum covers its cells.
    open: Option<bool>,
    /// What is wrong.
    error: Option<&'a str>,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let mut out = Out::stdout();
        let (mut damaged, mut unread) = (false, false);
        for path in &self.files {
            let bytes = fs::metadata(path).ok().filter(|meta| meta.is_file());
            let bytes = bytes.map(|meta| meta.len());
            let found = Open::new().without_hashing().file::<Verified>(path);
            let whole = match &found {
                Ok(_) => Some(true),
                Err(LoadError::Io(_) | LoadError::OutOfMemory(_)) => None,
                // Of another release, too: this one cannot say that it is whole.
                Err(_) => Some(false),
            };
            unread |= whole.is_none();
            damaged |= whole == Some(false);
            let open = Open::is_shared(path).ok();
            let (found, error) = match found {
                Ok(found) => (Some(found), None),
                Err(error) => (None, Some(explained(&error))),
            };
            let silent = self.quiet && whole == Some(true);
            if self.json && !silent {
                out.json(&Line {
                    file: path.to_string_lossy(),
                    whole,
                    kind: found.map(|found| name(found.tag)),
                    sections: found.map(|found| found.sections),
                    bytes,
                    open,
                    error: error.as_deref(),
                })?;
            } else if let Some(found) = found.filter(|_| !silent) {
                let state = match open {
                    Some(true) => "open for add --shared, so no checksum covers its cells",
                    _ => "whole",
                };
                let words = in_words(found, bytes);
                out.line(format_args!("{}: {state}: {words}", path.display()))?;
            }
            if let Some(error) = &error {
                // In the order of the files, where both streams go to one place.
                out.flush()?;
                output::complain(&format!("{}: {error}", path.display()));
            }
        }
        out.finish()?;
        Ok(match (unread, damaged) {
            (true, _) => Exit::Error,
            (false, true) => Exit::Nothing,
            (false, false) => Exit::Success,
        })
    }
}

fn explained(error: &LoadError) -> String {
    match error {
        LoadError::Io(cause) if cause.kind() == ErrorKind::NotFound => "no such file".to_string(),
        other => other.to_string(),
    }
}

fn name(tag: Tag) -> &'static str {
    match tag {
        Tag::Filter(kind) => kind.name(),
        Tag::Iblt => "iblt",
        _ => "unknown",
    }
}

/// `blocked, 1 section, 272 bytes`.
fn in_words(found: Verified, bytes: Option<u64>) -> String {
    let sections = if found.sections == 1 { "section" } else { "sections" };
    let mut words = format!("{}, {} {sections}", name(found.tag), found.sections);
    if let Some(bytes) = bytes {
        words += &format!(", {} bytes", units::count(bytes));
    }
    words
}
