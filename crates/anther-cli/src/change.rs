//! Changing a filter in its file: what `add` and `remove` share.
//!
//! The filter is read, changed in memory, and replaces the old one by a rename. Whatever goes wrong
//! before, such as a malformed record in the middle of the input, changes nothing. Meanwhile the
//! file is locked, so that two processes that change it do so one after the other; and it is the
//! locked file that is read and replaced, even if a link to it is changed meanwhile.

use crate::describe::{self, Description};
use crate::exit::Stop;
use crate::file;
use crate::input::{self, Source};
use crate::interrupt;
use crate::keys::{ON, Reading};
use crate::output::{self, Out};
use crate::progress::Progress;
use crate::recipe::RecipeArgs;
use crate::secret::KeyArgs;
use crate::units;
use crate::warning::Warning;
use anther::{
    About, AnyFilter, Capabilities, Filter, KeyHash, Kind, Lock, Recipe, Save, SaveError, Seed,
    SharedFile,
};
use serde::Serialize;
use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

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
    /// Nobody else changes the file while this lives, and it is this very file that is replaced.
    lock: Lock,
    input: Input<'a>,
    /// Whether somebody who added to the file in place was killed.
    was_open: bool,
    /// The filter.
    pub filter: AnyFilter,
}

/// What is to be read.
pub struct Input<'a> {
    args: &'a ChangeArgs,
    sources: Vec<Source>,
    recipe: Recipe,
    seed: Seed,
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
        let sources = self.sources()?;
        let open = self.key.open(&self.filter)?;
        let lock = file::lock(&self.filter, self.quiet)?;
        file::check_folder(lock.path())?;
        let filter = file::open_locked(&self.filter, &lock, open)?;
        let was_open = file::is_shared(lock.path())?;
        let input = self.input(sources, filter.about())?;
        Ok(Change { args: self, lock, input, was_open, filter })
    }

    /// The same for a file that is changed in place, by others too.
    pub fn begin_shared(&self) -> Result<(SharedFile, Input<'_>), Stop> {
        let sources = self.sources()?;
        let shared = file::share(&self.filter, self.key.open(&self.filter)?)?;
        let input = self.input(sources, shared.about())?;
        Ok((shared, input))
    }

    fn sources(&self) -> Result<Vec<Source>, Stop> {
        let sources = Source::all(&self.inputs);
        sources.iter().try_for_each(Source::check)?;
        Ok(sources)
    }

    fn input(&self, sources: Vec<Source>, about: &About) -> Result<Input<'_>, Stop> {
        let recipe = self.recipe.recipe_for(self.filter.display(), about.recipe.as_ref())?;
        Ok(Input { args: self, sources, recipe, seed: about.seed })
    }

    /// The filter's file.
    pub fn path(&self) -> &Path {
        &self.filter
    }

    /// An error of the filter.
    pub fn stop(&self, cause: impl std::fmt::Display) -> Stop {
        Stop::about(self.filter.display(), cause)
    }

    /// Warns of the filter.
    pub fn warn(&self, warning: &Warning<'_>) {
        warning.say(&self.filter);
    }

    /// Tells about the filter as it is now. `words` are what became of the keys, and so is
    /// `tally`, whose fields stand in the JSON. The file may still be open.
    pub fn tell(
        &self,
        filter: &AnyFilter,
        read: u64,
        words: &str,
        tally: impl Serialize,
        is_open: bool,
    ) -> Result<(), Stop> {
        let profile = filter.profile();
        if let Some(warning) = Warning::of(&profile) {
            self.warn(&warning);
        }
        if !self.quiet {
            let now = describe::about_so_many(&profile);
            let rate = describe::rate_now(&profile);
            let others = if is_open { "; others add to it still" } else { "" };
            let report = format!("{words}; {now} distinct keys, {rate}{others}");
            output::complain(&format!("{}: {report}", self.filter.display()));
        }
        if self.json {
            let bytes = fs::metadata(&self.filter).map(|meta| meta.len()).ok();
            let description = Description::new(filter, &profile, bytes).open(is_open);
            let mut out = Out::stdout();
            out.json(&Changed { file: self.filter.to_string_lossy(), read, tally, description })?;
            out.finish()?;
        }
        Ok(())
    }
}

impl Input<'_> {
    /// Hands on all keys; how many there were. `work` is done by many at once, `take` gets what
    /// comes of that in order.
    pub fn each<R: Send>(
        &self,
        work: impl Fn(&[KeyHash]) -> R + Sync,
        mut take: impl FnMut(&[KeyHash], R) -> Result<(), Stop>,
    ) -> Result<u64, Stop> {
        if !self.args.quiet {
            input::say_if_typed(&self.sources);
        }
        let total = self.sources.iter().map(Source::len).sum();
        let progress = Progress::reading(total, self.args.quiet);
        let reading = Reading { sources: &self.sources, recipe: &self.recipe, seed: self.seed };
        reading.each(
            |_, hashes| work(hashes),
            |keyed, result| {
                take(keyed.hashes, result)?;
                progress.advance(keyed.bytes);
                Ok(ON)
            },
        )
    }
}

impl Change<'_> {
    /// Hands on all keys, and the filter to change by them; how many there were.
    pub fn each(
        &mut self,
        mut change: impl FnMut(&mut AnyFilter, &[KeyHash]) -> Result<(), Stop>,
    ) -> Result<u64, Stop> {
        let filter = &mut self.filter;
        self.input.each(|_| (), |hashes, ()| change(filter, hashes))
    }

    /// Puts the changed filter in the old one's place and tells about it, as
    /// [`tell`](ChangeArgs::tell) does.
    pub fn finish(self, read: u64, words: &str, tally: impl Serialize) -> Result<(), Stop> {
        if read > 0 || self.was_open {
            let save = Save::new().cancel(&interrupt::SAVES);
            save.locked(&self.filter, &self.lock).map_err(|error| match error {
                SaveError::Cancelled => interrupt::wait(),
                other => self.args.stop(other),
            })?;
        }
        self.args.tell(&self.filter, read, words, tally, false)
    }
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
