//! `verify`: checks files for damage.

use super::kept::{Broken, Kept};
use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file::{self, Sized};
use crate::foreign_file::{self, Contents, FromArgs, OpenError};
#[cfg(feature = "index")]
use crate::index_file;
use crate::output::{self, Out};
use crate::signature;
use crate::units;
use anther::foreign::{Checksum, ForeignFile, System};
use anther::format::Tag;
use anther::{ForeignError, LoadError, Open, Verified};
#[cfg(feature = "index")]
use anther_index::{Index, IndexError};
use serde::Serialize;
use std::borrow::Cow;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const ABOUT: &str = "\
Checks files for damage.

Examples:
  anther verify seen.anther
  anther verify -q backup/*.anther && echo all intact
  anther verify --json *.anther | jq -r 'select(.intact | not).file'

verify checks every byte against its checksum, and every field and section against the
values that it can have. A file that is corrupt, truncated or not a filter is reported on
standard error, and the next file is checked all the same. Keyed filters need no key for
this. Invertible Bloom lookup tables (iblt), range filters, search indexes, states of anther
uniq and sketches are checked, too, and files of other systems: most of their formats have no
checksum, which verify says then.

A checksum finds accidents. It is not a signature: it does not say who wrote the file.";

const EXIT_CODES: &str = "\
Exit codes: 0 all are intact; 1 some are damaged or not filters; 2 error: some cannot be
read.";

/// Check files for damage
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// The filters; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Do not list intact files
    #[arg(short, long)]
    quiet: bool,
    /// Print a line of JSON for each file
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    from: FromArgs,
}

/// A line of `--json`.
#[derive(Serialize)]
struct VerifyJson<'a> {
    file: Cow<'a, str>,
    /// Null if the file could not be read.
    intact: Option<bool>,
    kind: Option<&'static str>,
    sections: Option<usize>,
    /// Null if it is not a regular file.
    bytes: Option<u64>,
    /// Whether `add --shared` has it open: then no checksum covers its cells.
    open: Option<bool>,
    /// What is wrong.
    error: Option<&'a str>,
    #[serde(flatten)]
    foreign: Option<ForeignJson>,
}

/// More about a file of another system.
#[derive(Serialize)]
struct ForeignJson {
    system: &'static str,
    /// How many filters it has.
    filters: usize,
    /// Whether a checksum covers their cells.
    checksum: bool,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let mut out = Out::stdout();
        let (mut damaged, mut unread) = (false, false);
        for (at, path) in self.files.iter().enumerate() {
            let found = match filter_file::stdin_again(path, &self.files[..at]) {
                Some(cause) => Err((None, cause.to_string())),
                #[cfg(feature = "index")]
                None if index_file::is_index(path) => {
                    let state = self.verify_index(path, &mut out)?;
                    unread |= state.is_none();
                    damaged |= state == Some(false);
                    continue;
                }
                None => match Kept::of(path) {
                    Some(kept) => {
                        let state = self.verify_kept(path, &kept, &mut out)?;
                        unread |= state.is_none();
                        damaged |= state == Some(false);
                        continue;
                    }
                    None => self.verified(path),
                },
            };
            let intact = found.as_ref().map_or_else(|(intact, _)| *intact, |_| Some(true));
            unread |= intact.is_none();
            damaged |= intact == Some(false);
            let open = Some(path).filter(|path| path.is_file());
            let open = open.and_then(|path| Open::is_shared(path).ok());
            let (found, bytes, error) = match found {
                Ok(found) => (Some(found.contents), found.bytes, None),
                Err((_, error)) => {
                    let bytes = fs::metadata(path).ok().filter(|meta| meta.is_file());
                    (None, bytes.map(|meta| meta.len()), Some(error))
                }
            };
            let silent = self.quiet && intact == Some(true);
            let (own, other) = match &found {
                Some(Contents::Own(own)) => (Some(*own), None),
                Some(Contents::Foreign(other)) => (None, Some(other)),
                None => (None, None),
            };
            if self.json && !silent {
                out.json(&VerifyJson {
                    file: path.to_string_lossy(),
                    intact,
                    kind: own.map(|own| name(own.tag)),
                    sections: own.map(|own| own.sections),
                    bytes,
                    open,
                    error: error.as_deref(),
                    foreign: other.map(|other| ForeignJson {
                        system: other.system().name(),
                        filters: other.entries().len(),
                        checksum: other.checksum() == Checksum::Verified,
                    }),
                })?;
            } else if let Some(other) = other.filter(|_| !silent) {
                let state = match other.checksum() {
                    Checksum::Verified => "intact",
                    _ => "well-formed",
                };
                out.text(&format!("{}: ", output::shown(path)))?;
                out.word(state, output::YES)?;
                out.line(format_args!(": {}", foreign_in_words(other, bytes)))?;
            } else if let Some(found) = own.filter(|_| !silent) {
                let state = match open {
                    Some(true) => "open for add --shared, so no checksum covers its cells",
                    _ => "intact",
                };
                let words = in_words(found, bytes);
                out.text(&format!("{}: ", output::shown(path)))?;
                out.word(state, if open == Some(true) { output::MAYBE } else { output::YES })?;
                out.line(format_args!(": {words}"))?;
            }
            if let Some(error) = &error {
                // Keeps the order of the files if both streams go to the same place.
                out.flush()?;
                output::complain(&format!("{}: {error}", output::shown(path)));
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

impl Args {
    /// Reads a file; if that fails, says whether it could be read at all, and what is wrong.
    fn verified(&self, path: &Path) -> Result<Sized<Contents<Verified>>, (Option<bool>, String)> {
        self.from.open(path, Open::new().without_hashing()).map_err(|error| match error {
            OpenError::Own(error) => {
                let intact = match &error {
                    LoadError::Io(_) | LoadError::OutOfMemory(_) => None,
                    // This includes files of later releases, which this one cannot verify.
                    _ => Some(false),
                };
                (intact, explained(path, &error))
            }
            OpenError::Foreign(error) => {
                let intact = match &error {
                    ForeignError::Io { .. }
                    | ForeignError::OutOfMemory(_)
                    | ForeignError::TooLarge { .. }
                    | ForeignError::Ambiguous { .. } => None,
                    _ => Some(false),
                };
                (intact, foreign_file::in_words(&error))
            }
            OpenError::Named(what) => (Some(false), signature::refusal(what)),
            OpenError::Unknown(packing) => (Some(false), foreign_file::unknown_in_words(packing)),
            OpenError::Long => (None, foreign_file::long_in_words()),
        })
    }
}

impl Args {
    /// Reports on a state of `uniq` or a sketch, and says whether it is intact; `None` if it cannot be
    /// read.
    fn verify_kept(
        &self,
        path: &Path,
        found: &Result<Kept, Broken>,
        out: &mut Out,
    ) -> Result<Option<bool>, Stop> {
        let (intact, error) = match found {
            Ok(_) => (Some(true), None),
            Err(error @ Broken::Damaged(_)) => (Some(false), Some(error.cause())),
            Err(error @ Broken::Unread(_)) => (None, Some(error.cause())),
        };
        if self.json && !(self.quiet && error.is_none()) {
            out.json(&VerifyJson {
                file: path.to_string_lossy(),
                intact,
                kind: found.as_ref().ok().map(|kept| kept.kind),
                sections: None,
                bytes: fs::metadata(path).ok().map(|meta| meta.len()),
                open: None,
                error,
                foreign: None,
            })?;
        } else if let (Ok(kept), false) = (found, self.quiet) {
            out.text(&format!("{}: ", output::shown(path)))?;
            out.word("intact", output::YES)?;
            out.line(format_args!(": {}", kept.in_words()))?;
        }
        if let Some(error) = error {
            out.flush()?;
            output::complain(&format!("{}: {error}", output::shown(path)));
        }
        Ok(intact)
    }
}

#[cfg(feature = "index")]
impl Args {
    /// Verifies a search index, and says whether it is intact; `None` if it cannot be read.
    fn verify_index(&self, path: &Path, out: &mut Out) -> Result<Option<bool>, Stop> {
        let verified = Index::open(path).and_then(|index| index.verify().map(|()| index));
        let intact = match &verified {
            Ok(_) => Some(true),
            Err(IndexError::Io(_)) => None,
            Err(_) => Some(false),
        };
        let error = verified.as_ref().err().map(ToString::to_string);
        if self.json && !(self.quiet && error.is_none()) {
            out.json(&VerifyJson {
                file: path.to_string_lossy(),
                intact,
                kind: Some("index"),
                sections: None,
                bytes: fs::metadata(path).ok().map(|meta| meta.len()),
                open: None,
                error: error.as_deref(),
                foreign: None,
            })?;
        } else if let (Ok(index), false) = (&verified, self.quiet) {
            out.text(&format!("{}: ", output::shown(path)))?;
            out.word("intact", output::YES)?;
            let (files, bytes) = (index.files().len() as u64, index.file_len());
            let plural = if files == 1 { "" } else { "s" };
            out.line(format_args!(
                ": search index of {} file{plural}, {} bytes",
                units::count(files),
                units::count(bytes)
            ))?;
        }
        if let Some(error) = error {
            out.flush()?;
            output::complain(&format!("{}: {error}", output::shown(path)));
        }
        Ok(intact)
    }
}

fn explained(path: &Path, error: &LoadError) -> String {
    match error {
        LoadError::Io(cause) if cause.kind() == ErrorKind::NotFound => {
            match filter_file::is_web(path) {
                true => filter_file::no_such_file(path).to_string(),
                false => "no such file".to_string(),
            }
        }
        LoadError::Io(cause) if cause.kind() == ErrorKind::IsADirectory => {
            "is a folder; name the filters in it".to_string()
        }
        // What it is, as info says.
        LoadError::NotAnther => match filter_file::explained(path, LoadError::NotAnther) {
            Stop::Error(message) => {
                let name = format!("{}: ", output::shown(path));
                message.strip_prefix(&name).unwrap_or(&message).to_string()
            }
            Stop::BrokenPipe => error.to_string(),
        },
        other => other.to_string(),
    }
}

fn name(tag: Tag) -> &'static str {
    match tag {
        Tag::Filter(kind) => kind.name(),
        Tag::Iblt => "iblt",
        Tag::Range => "range",
        _ => "unknown",
    }
}

/// `Guava, 1 filter, 966 bytes; no checksum covers it`.
fn foreign_in_words(found: &ForeignFile, bytes: Option<u64>) -> String {
    let number = found.entries().len();
    let filters = if number == 1 { "filter" } else { "filters" };
    let mut words = format!("{}, {number} {filters}", found.system());
    if let Some(bytes) = bytes {
        words += &format!(", {} bytes", units::count(bytes));
    }
    words += match found.checksum() {
        Checksum::Verified => "",
        Checksum::TurnedOff if found.system() == System::HBase => {
            "; written without checksums (type NULL), so changed cells go unnoticed"
        }
        Checksum::TurnedOff => {
            "; written without its checksum (rdbchecksum no), so changed cells go unnoticed"
        }
        _ => "; this format has no checksum, so changed cells go unnoticed",
    };
    words
}

/// `blocked, 1 section, 272 bytes`.
fn in_words(found: Verified, bytes: Option<u64>) -> String {
    let sections = if found.sections == 1 { "section" } else { "sections" };
    let mut words = format!("{}, {} {sections}", name(found.tag), found.sections);
    if let Some(bytes) = bytes {
        words +=
            &format!(", {} {}", units::count(bytes), if bytes == 1 { "byte" } else { "bytes" });
    }
    words
}
