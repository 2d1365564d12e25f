//! `tour`: the first minute. It runs the real verbs, shows each command before its output, and
//! ends with a ledger of what was claimed and what was measured.
//!
//! A new part is a file beside this one with a `run`, and a line in [`PARTS`].

mod control;
mod damage;
pub mod data;
mod example;
mod family;
mod figures;
mod ledger;
mod stage;
mod urls;
mod weigh;
pub mod words;

use crate::exit::{Exit, Outcome, Stop};
use crate::interrupt;
use crate::output::Out;
use ledger::Ledger;
use serde::Serialize;
use stage::Stage;
use std::env;
use std::fs;
use std::io::ErrorKind;
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

/// A part of the tour: its title, and what happens in it.
type Part = (&'static str, fn(&mut Stage, &mut Ledger) -> Result<(), Stop>);

const PARTS: [Part; 7] = [
    ("A worked example, bit by bit", example::run),
    ("58,110 words at 1 %", words::run),
    ("A million URLs", urls::run),
    ("Other kinds: the smallest, one that removes, one that lists", family::run),
    ("Figures of the textbooks, measured", figures::run),
    ("Damaged files", damage::run),
    ("A control: a filter that must fail", control::run),
];

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
            return weigh::run(structure, files);
        }
        let folder = match &self.dir {
            Some(folder) => empty_folder(folder)?,
            None => fresh_folder()?,
        };
        let mut stage = Stage::new(folder, self.json)?;
        let mut ledger = Ledger::default();
        stage.say(&format!("The files of this tour are in {}", stage.folder().display()))?;
        for (number, (title, run)) in (1..).zip(PARTS) {
            stage.title(&format!("{number}. {title}"))?;
            run(&mut stage, &mut ledger)?;
        }
        if self.json {
            let dir = stage.folder().display().to_string();
            let mut out = Out::stdout();
            out.json(&Report { dir, passed: ledger.passed(), ledger: &ledger })?;
            out.finish()?;
        } else {
            stage.title("Ledger")?;
            ledger.show(&mut stage)?;
            what_next(&mut stage)?;
        }
        Ok(if ledger.passed() { Exit::Success } else { Exit::Nothing })
    }
}

fn what_next(stage: &mut Stage) -> Result<(), Stop> {
    stage.title("What to try next")?;
    let (folder, program) = (quoted(stage.folder()), quoted(stage.program()));
    stage.say(&format!("cd {folder}"))?;
    if !is_on_path(stage.program()) {
        stage.say(&format!("alias anther={program}"))?;
    }
    stage.say(&format!("anther check words.anther {} stamen", data::word(0)))?;
    stage.say("anther check -v urls.anther < absent-urls.txt | head")?;
    stage.say("anther info urls.anther --json")?;
    stage.say("anther figure --all --out all-figures")?;
    stage.say("anther build mine.anther /path/to/your/list.txt --fpr 0.1%")?;
    stage.say("")?;
    stage.say(&format!("When you are done: rm -r {folder}"))
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Whether typing `anther` would run this very program.
fn is_on_path(program: &Path) -> bool {
    let Some(folders) = env::var_os("PATH") else { return false };
    let same = |folder: PathBuf| {
        fs::canonicalize(folder.join("anther")).is_ok_and(|found| found == program)
    };
    env::split_paths(&folders).any(same)
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
