//! Changing a filter in its file: what `add` and `remove` share.
//!
//! The filter is read, changed in memory, and put in the place of the old one at once. Whatever
//! goes wrong before, such as a bad record in the middle of the input, changes nothing. Meanwhile
//! the file is locked, so that two processes that change it do so one after the other.

use crate::describe::{self, Description};
use crate::exit::Stop;
use crate::file;
use crate::input::{self, Source};
use crate::keys::{Keyed, ON, Reading};
use crate::output::{self, Out};
use crate::progress::Progress;
use crate::recipe::RecipeArgs;
use crate::secret::KeyArgs;
use crate::units;
use crate::warning::Warning;
use anther::{AnyFilter, Capabilities, Filter, Kind, Lock, Profile, Recipe};
use serde::Serialize;
use std::borrow::Cow;
use std::fs;
use std::path::PathBuf;

/// The filter to change, and the keys to change it by.
#[derive(clap::Args, Debug)]
pub struct ChangeArgs {
    /// The filter to change
    filter: PathBuf,
    /// Lists of keys; `-` or none: standard input
    #[arg(value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// Describe the filter as one JSON object on standard output
    #[arg(long)]
    json: bool,
    /// Say nothing but warnings and errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
}

/// A filter that is being changed.
pub struct Change<'a> {
    args: &'a ChangeArgs,
    /// Nobody else changes the file while this lives.
    _lock: Lock,
    sources: Vec<Source>,
    recipe: Recipe,
    /// The filter.
    pub filter: AnyFilter,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Changed<'a, T> {
    file: Cow<'a, str>,
    /// Keys that came, with repetitions.
    read: u64,
    /// What became of them.
    #[serde(flatten)]
    tally: T,
    #[serde(flatten)]
    description: Description,
}

impl ChangeArgs {
    /// Finds what is wrong before anything is read, waits until nobody else changes the file, and
    /// reads the filter.
    pub fn begin(&self) -> Result<Change<'_>, Stop> {
        let sources = Source::all(&self.inputs);
        for source in &sources {
            source.check()?;
        }
        let open = self.key.open()?;
        let lock = file::lock(&self.filter, self.quiet)?;
        file::check_folder(&self.filter)?;
        let filter = file::open(&self.filter, open)?;
        let own = filter.about().recipe.as_ref();
        let recipe = self.recipe.recipe_for(self.filter.display(), own)?;
        Ok(Change { args: self, _lock: lock, sources, recipe, filter })
    }

    /// An error of the filter.
    pub fn stop(&self, cause: impl std::fmt::Display) -> Stop {
        Stop::about(self.filter.display(), cause)
    }

    /// Warns of the filter.
    pub fn warn(&self, warning: &Warning<'_>) {
        warning.say(&self.filter);
    }
}

impl Change<'_> {
    /// Hands on all keys, and the filter to change by them; how many there were.
    pub fn each(
        &mut self,
        mut change: impl FnMut(&mut AnyFilter, &Keyed<'_>) -> Result<(), Stop>,
    ) -> Result<u64, Stop> {
        if !self.args.quiet {
            input::say_if_typed(&self.sources);
        }
        let total = self.sources.iter().map(Source::len).sum();
        let progress = Progress::reading(total, self.args.quiet);
        let seed = *self.filter.seed();
        let reading = Reading { sources: &self.sources, recipe: &self.recipe, seed };
        let filter = &mut self.filter;
        reading.each(
            |_, _| (),
            |keyed, ()| {
                change(filter, &keyed)?;
                progress.advance(keyed.bytes);
                Ok(ON)
            },
        )
    }

    /// Puts the changed filter in the old one's place and tells about it. `words` are what became
    /// of the keys, and so is `tally`, whose fields stand in the JSON.
    pub fn finish(self, read: u64, words: &str, tally: impl Serialize) -> Result<(), Stop> {
        let (path, args) = (&self.args.filter, self.args);
        if read > 0 {
            self.filter.save(path).map_err(|error| args.stop(error))?;
        }
        let profile = self.filter.profile();
        if let Some(warning) = Warning::of(&profile) {
            args.warn(&warning);
        }
        if !args.quiet {
            let report = match read {
                0 => "no keys, so nothing changed".to_string(),
                _ => format!("{words}; {}", now(&profile)),
            };
            output::complain(&format!("{}: {report}", path.display()));
        }
        if args.json {
            let bytes = fs::metadata(path).map(|meta| meta.len()).ok();
            let description = Description::new(&self.filter, &profile, bytes);
            let mut out = Out::stdout();
            out.json(&Changed { file: path.to_string_lossy(), read, tally, description })?;
            out.finish()?;
        }
        Ok(())
    }
}

/// The filter as it is now.
fn now(profile: &Profile) -> String {
    format!("{} distinct keys, {}", describe::about_so_many(profile), describe::rate_now(profile))
}

/// `1 new key`, `2 new keys`.
pub fn keys(number: u64, key: &str) -> String {
    format!("{} {key}{}", units::count(number), if number == 1 { "" } else { "s" })
}

/// The kinds that can do something, for messages to those whose filter cannot.
pub fn kinds_that(can: impl Fn(Capabilities) -> bool) -> String {
    let kinds = Kind::ALL.iter().filter(|kind| can(kind.capabilities()));
    kinds.map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}
