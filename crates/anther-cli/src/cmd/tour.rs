//! `tour`: shows the program at work.

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
Shows in a few seconds what filters do, with real commands on generated data.

Examples:
  anther tour
  anther tour --dir tour                            keep its files in ./tour

The tour has a worked example, 58,110 words, a million URLs, other kinds, figures of five
texts, uses that they name, damaged files, and a filter with too many keys. It ends with a
ledger of claims and measurements. It prints where its files are, so that you can try more
commands on them. If you interrupt it, it removes them, unless you chose the folder with --dir.";

const EXIT_CODES: &str = "Exit codes: 0 every claim held; 1 some did not; 2 error.";

/// See filters at work, in a few seconds
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// Folder for its files, new or empty [default: a temporary folder]
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
struct TourJson<'a> {
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
            out.json(&TourJson { dir, passed: ledger.passed(), ledger: &ledger })?;
            out.finish()?;
        }
        Ok(if ledger.passed() { Exit::Success } else { Exit::Nothing })
    }
}

/// A folder that the user chose. It must be empty, so that nothing is overwritten.
fn empty_folder(folder: &Path) -> Result<PathBuf, Stop> {
    let trouble = |error| Stop::about(folder.display(), error);
    fs::create_dir_all(folder).map_err(trouble)?;
    if fs::read_dir(folder).map_err(trouble)?.next().is_some() {
        return Err(Stop::about(folder.display(), "not empty; name a new folder"));
    }
    fs::canonicalize(folder).map_err(trouble)
}

/// A new folder among the system's temporary files.
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
    Err(Stop::about(
        parent.display(),
        "has 9,999 folders of earlier tours; name a folder with --dir",
    ))
}
