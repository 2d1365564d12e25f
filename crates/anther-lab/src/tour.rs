//! The tour. It runs the program's real verbs, shows each command before its output, and ends with a
//! ledger of claims and measurements.
//!
//! A new part is a file beside this one with a `run`, and a line in `PARTS`.

mod control;
mod damage;
pub(crate) mod data;
mod example;
mod family;
mod five_texts;
mod ledger;
mod line_sets;
mod stage;
mod urls;
mod uses;
pub(crate) mod words;

use crate::draw::Page;
use crate::error::Error;
pub use ledger::Ledger;
pub use line_sets::weigh;
use stage::Stage;
use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A part of the tour: its title, and what happens in it.
type Part = (&'static str, fn(&mut Stage, &mut Ledger) -> Result<(), Error>);

const PARTS: [Part; 8] = [
    ("A worked example, bit by bit", example::run),
    ("58,110 words at 1 %", words::run),
    ("A million URLs", urls::run),
    ("Other kinds: the smallest, one that removes, one that lists", family::run),
    ("Figures of five texts, measured", five_texts::run),
    ("What filters are used for", uses::run),
    ("Damaged files", damage::run),
    ("A control: a filter that must fail", control::run),
];

/// Runs the tour in a folder and prints it. Drawings are laid out for a page.
pub fn run(folder: &Path, page: Page, out: Box<dyn Write>) -> Result<Ledger, Error> {
    let mut stage = Stage::new(folder.to_path_buf(), page, out)?;
    let mut ledger = Ledger::default();
    stage.say(&format!("The files of this tour are in {}", stage.folder().display()))?;
    for (number, (title, run)) in (1..).zip(PARTS) {
        stage.title(&format!("{number}. {title}"))?;
        run(&mut stage, &mut ledger)?;
    }
    stage.title("Ledger")?;
    ledger.show(&mut stage)?;
    what_next(&mut stage)?;
    Ok(ledger)
}

fn what_next(stage: &mut Stage) -> Result<(), Error> {
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

/// A path, quoted for a shell.
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
