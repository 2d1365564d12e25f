//! `tour`: the first minute.

use crate::exit::{Exit, Outcome, Stop};
use crate::output::Out;
use crate::{interrupt, terminal};
use anstream::AutoStream;
use anther_lab::tour::{self, Ledger};
use serde::Serialize;
use std::env;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

const ABOUT: &str = "\
Shows in a few seconds what filters do, with real commands on made-up data: the
worked example of a textbook, 58,110 words, a million URLs, figures of five texts,
damaged files, and a filter that was filled too much. It ends with a ledger of claims and measurements.
Its files stay in a folder that it names, so that you can go on from there; those of a
tour that is interrupted go, unless you named the folder.

Examples:
  anther tour
  anther tour --dir tour                            in a new folder of that name";

const EXIT_CODES: &str = "Exit codes: 0 every claim held; 1 some did not; 2 error.";

/// See it work, in a few seconds
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// Folder for its files; it must be new or empty [default: one among the temporary files]
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Print only the ledger, as one JSON object
    #[arg(long)]
    json: bool,
    /// Measure the memory that a structure takes with the keys of some files
    #[arg(long, value_names = ["STRUCTURE", "FILE"], num_args = 2.., hide = true)]
    weigh: Vec<PathBuf>,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    dir: String,
    passed: bool,
    ledger: &'a Ledger,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        if let Some((structure, files)) = self.weigh.split_first() {
            let weight = tour::weigh(structure, files)?;
            let mut out = Out::stdout();
            out.json(&weight)?;
            out.finish()?;
            return Ok(Exit::Success);
        }
        let folder = match &self.dir {
            Some(folder) => empty_folder(folder)?,
            None => fresh_folder()?,
        };
        let out: Box<dyn Write> = match self.json {
            true => Box::new(io::sink()),
            false => Box::new(AutoStream::auto(io::stdout())),
        };
        let ledger = tour::run(&folder, terminal::page(), out)?;
        if self.json {
            let dir = folder.display().to_string();
            let mut out = Out::stdout();
            out.json(&Report { dir, passed: ledger.passed(), ledger: &ledger })?;
            out.finish()?;
        }
        Ok(if ledger.passed() { Exit::Success } else { Exit::Nothing })
    }
}

/// A folder of the user's choice, in which nothing can be lost.
fn empty_folder(folder: &Path) -> Result<PathBuf, Stop> {
    let trouble = |error| Stop::about(folder.display(), error);
    fs::create_dir_all(folder).map_err(trouble)?;
    if fs::read_dir(folder).map_err(trouble)?.next().is_some() {
        return Err(Stop::about(folder.display(), "is not empty; name a new folder"));
    }
    fs::canonicalize(folder).map_err(trouble)
}

/// A folder among the system's temporary files that was not there before.
fn fresh_folder() -> Result<PathBuf, Stop> {
    let parent = env::temp_dir();
    for number in 1..10_000 {
        let folder = parent.join(format!("anther-tour-{number}"));
        let mut unfinished = interrupt::not_now();
        match fs::create_dir(&folder) {
            Ok(()) => {
                *unfinished = Some(folder.clone());
                return Ok(folder);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Stop::about(folder.display(), error)),
        }
    }
    Err(Stop::about(parent.display(), "full of tours; name a folder with --dir"))
}
