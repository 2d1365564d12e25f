//! `info`: what a filter is, and how it fares.

use crate::describe::Description;
use crate::exit::{Exit, Outcome, Stop};
use crate::output::Out;
use crate::warning::Warning;
use crate::{file, fill_picture, terminal};
use anther::{AnyFilter, Filter, Open};
use std::fs;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

const ABOUT: &str = "\
Describes a filter: kind, keys, size, the rate promised and the rate now, and how
keys are taken from text. Everything is computed anew from the file's bits, after all
of them were verified. Filters with a secret key are described without it.

Examples:
  anther info seen.anther
  anther info seen.anther --picture | less
  anther info seen.anther --json | jq .fpr_now

On a terminal, a picture shows the fill along the cells, from the first to the last: a
column of two rows is full. A filter at its best is about half full everywhere; scalable
shows its layers, the newest last. Kinds whose cells do not show what is taken, such as
ribbon, have no picture.";

const EXIT_CODES: &str = "Exit codes: 0 described; 2 error.";

/// Describe a filter
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// The filter
    file: PathBuf,
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// Draw the fill even where the output is no terminal
    #[arg(long, conflicts_with = "json")]
    picture: bool,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        // A pipe is read once.
        let is_open = self.file.is_file() && file::is_shared(&self.file)?;
        let filter = file::open(&self.file, Open::new().without_hashing())?;
        // A pipe has no size.
        let bytes = fs::metadata(&self.file).ok().filter(|meta| meta.is_file());
        let bytes = bytes.map(|meta| meta.len());
        let profile = filter.profile();
        let description = Description::new(&filter, &profile, bytes).open(is_open);
        let mut out = Out::stdout();
        if self.json {
            out.json(&description)?;
        } else {
            out.line(format_args!("{}", self.file.display()))?;
            for (name, words) in description.rows(filter.about().recipe.as_ref()) {
                out.line(format_args!("  {name:<8} {words}"))?;
                if name == "fill" && (self.picture || io::stdout().is_terminal()) {
                    draw(&filter, &mut out)?;
                }
            }
        }
        out.finish()?;
        if let Some(warning) = Warning::of(&profile) {
            warning.say(&self.file);
        }
        Ok(Exit::Success)
    }
}

/// The fill, where the cells show it.
fn draw(filter: &AnyFilter, out: &mut Out) -> Result<(), Stop> {
    let densities = filter.densities(fill_picture::COLUMNS);
    if densities.is_empty() {
        return Ok(());
    }
    for row in fill_picture::rows(&densities, terminal::shows_unicode()) {
        out.line(format_args!("  {:8} |{row}|", ""))?;
    }
    Ok(())
}
