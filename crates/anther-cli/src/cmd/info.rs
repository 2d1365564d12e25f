//! `info`: describes a filter.

use crate::description::Description;
use crate::exit::{Exit, Outcome, Stop};
use crate::output::{self, Out};
use crate::warning::Warning;
use crate::{fill_picture, filter_file, terminal};
use anther::{AnyFilter, Filter, Open};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

const ABOUT: &str = "\
Describes a filter: its kind, keys, size, false-positive rate, and how it reads keys from
text.

Examples:
  anther info seen.anther
  anther info seen.anther --picture | less
  anther info seen.anther --json | jq .fpr_now

The file's checksums are verified first. The number of keys and the false-positive rate
are computed from the cells as they are now. A keyed filter needs no key for this.

On a terminal, a picture shows the fill from the first cell to the last; a column of two
whole rows is full. Most kinds are about half full when they hold the keys that they were
made for. scalable shows its layers, the newest last. Static kinds have no picture.";

const EXIT_CODES: &str = "Exit codes: 0 described; 2 error.";

/// Describe a filter
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// The filter; `-` is standard input
    file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Draw the fill even if the output is not a terminal
    #[arg(long, conflicts_with = "json")]
    picture: bool,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        // A pipe can be read only once.
        let is_open = self.file.is_file() && filter_file::is_shared(&self.file)?;
        let sized = filter_file::open_sized(&self.file, Open::new().without_hashing())?;
        let (filter, bytes) = (sized.contents, sized.bytes);
        let profile = filter.profile();
        let description = Description::new(&filter, &profile, bytes).open(is_open);
        let mut out = Out::stdout();
        if self.json {
            out.json(&description)?;
        } else {
            out.line(format_args!("{}", output::shown(&self.file)))?;
            for (name, words) in description.rows(filter.about().recipe.as_ref()) {
                out.row(name, 8, &words)?;
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

/// Draws the fill, for kinds whose cells show it.
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
