//! Changing a filter in its file: what `add` and `remove` share.
//!
//! The filter is read, changed in memory, and replaces the old file by a rename, so an error before
//! that, such as a malformed record in the middle of the input, changes nothing. The file is locked
//! throughout, so that two processes change it one after the other. The locked file is the one that
//! is read and replaced, even if a symlink to it changes meanwhile.

use crate::description::{self, Description};
use crate::exit::Stop;
use crate::filter_file;
use crate::input::{self, Input};
use crate::input_args::InputArgs;
use crate::interrupt;
use crate::keys::{Counts, Keyed, ON, Reading};
use crate::output;
use crate::progress::Progress;
use crate::recipe_args::RecipeArgs;
use crate::secret_key::KeyArgs;
use crate::units;
use crate::warning::Warning;
use anther::{
    About, AnyFilter, Capabilities, Filter, Kind, Lock, Save, SaveError, Seed, SharedFile,
};
use anther_records::extract::Extraction;
use anther_records::hashed::Part;
use serde::Serialize;
use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

/// The filter to change, and the keys to insert or remove.
#[derive(clap::Args, Debug)]
pub struct ChangeArgs {
    /// The filter to change
    filter: PathBuf,
    /// Lists of keys; `-` is standard input [default: -]
    #[arg(value_name = "IN")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    named: InputArgs,
    /// Describe the result as one JSON object on standard output
    #[arg(long)]
    json: bool,
    /// Print only warnings and errors
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
    /// Keeps other processes from changing the file, and holds the file that is replaced.
    lock: Lock,
    input: ChangeInput<'a>,
    /// Whether a process that inserted in place was killed, and left the file marked as open.
    was_open: bool,
    /// Whether its pages have checksums, which it keeps.
    has_pages: bool,
    /// The filter.
    pub filter: AnyFilter,
}

/// The input, and how keys are read from it.
pub struct ChangeInput<'a> {
    args: &'a ChangeArgs,
    sources: Vec<Input>,
    how: Extraction,
    seed: Seed,
}

/// What `--json` prints.
#[derive(Serialize)]
struct ChangeJson<'a, T> {
    file: Cow<'a, str>,
    #[serde(flatten)]
    read: Counts,
    /// What was done with them.
    #[serde(flatten)]
    tally: T,
    #[serde(flatten)]
    description: Description,
}

impl ChangeArgs {
    /// Checks the arguments, locks the file (which may wait for another process), and reads the
    /// filter. The verb will do `what` with the keys.
    pub fn begin(&self, what: &str) -> Result<Change<'_>, Stop> {
        let sources = self.sources(what)?;
        let open = self.key.open(&self.filter)?;
        let lock = filter_file::lock(&self.filter)?;
        filter_file::check_folder(lock.path())?;
        let filter = filter_file::open_locked(&self.filter, &lock, open)?;
        let was_open = filter_file::is_shared(lock.path())?;
        let has_pages = filter_file::has_pages(lock.path())?;
        let input = self.input(sources, filter.about())?;
        Ok(Change { args: self, lock, input, was_open, has_pages, filter })
    }

    /// The same for a file that is changed in place, by other processes too.
    pub fn begin_shared(&self) -> Result<(SharedFile, ChangeInput<'_>), Stop> {
        let sources = self.sources("insert")?;
        let shared = filter_file::share(&self.filter, self.key.open(&self.filter)?)?;
        let input = self.input(sources, shared.about())?;
        Ok((shared, input))
    }

    fn sources(&self, what: &str) -> Result<Vec<Input>, Stop> {
        if filter_file::is_stdin(&self.filter) {
            let cause = "a filter from standard input cannot be changed in place; name its file";
            return Err(Stop::about("-", cause));
        }
        let sources = self.named.sources(&self.inputs, what)?;
        filter_file::check_stdin(&[], &sources)?;
        if sources.iter().all(|source| matches!(source, Input::Keys(_))) {
            self.recipe.refuse_input_options()?;
        }
        Ok(sources)
    }

    fn input(&self, sources: Vec<Input>, about: &About) -> Result<ChangeInput<'_>, Stop> {
        let how = self.recipe.extraction_for(self.filter.display(), about.recipe.as_ref())?;
        Ok(ChangeInput { args: self, sources, how, seed: about.seed })
    }

    /// The filter's file.
    pub fn path(&self) -> &Path {
        &self.filter
    }

    /// An error about the filter.
    pub fn stop(&self, cause: impl std::fmt::Display) -> Stop {
        Stop::about(self.filter.display(), cause)
    }

    /// Prints a warning about the filter.
    pub fn warn(&self, warning: &Warning<'_>) {
        warning.say(&self.filter);
    }

    /// Reports on the filter as it is now. `words` and `tally` say what was done with the keys, as
    /// text and as fields of the JSON. The file may still be open.
    pub fn tell(
        &self,
        filter: &AnyFilter,
        read: Counts,
        words: &str,
        tally: impl Serialize,
        is_open: bool,
    ) -> Result<(), Stop> {
        let profile = filter.profile();
        if let Some(warning) = Warning::of(filter, &profile) {
            self.warn(&warning);
        }
        if !self.quiet {
            let now = description::distinct_keys(&profile, filter.about().reach());
            let rate = description::rate_now(&profile);
            let others = if is_open { "; other processes are still adding to it" } else { "" };
            let report = format!("{words}{}; {now}, {rate}{others}", read.left_out());
            output::complain(&format!("{}: {report}", self.filter.display()));
        }
        if self.json {
            let bytes = fs::metadata(&self.filter).map(|meta| meta.len()).ok();
            let pages = anther::Open::has_pages(&self.filter).ok();
            let description = Description::new(filter, &profile, bytes).open(is_open).pages(pages);
            let file = self.filter.to_string_lossy();
            let done = format_args!("{} is changed: {words}", self.filter.display());
            output::report(&ChangeJson { file, read, tally, description }, done)?;
        }
        Ok(())
    }
}

impl ChangeInput<'_> {
    /// Reads all keys and returns how many there were. `work` runs on many threads, `take` gets the
    /// results in order.
    pub fn each<R: Send + 'static>(
        &self,
        work: impl Fn(Part<'_>) -> R + Sync,
        mut take: impl FnMut(&Keyed<'_>, R) -> Result<(), Stop>,
    ) -> Result<Counts, Stop> {
        input::say_if_typed(&self.sources);
        let total = self.sources.iter().map(Input::len).sum();
        let progress = Progress::reading(total, self.args.quiet);
        let reading = Reading { sources: &self.sources, how: &self.how, seed: self.seed };
        reading.each_part(&[self.seed], false, work, |keyed, result| {
            take(&keyed, result)?;
            progress.advance(keyed.bytes);
            Ok(ON)
        })
    }
}

impl Change<'_> {
    /// Reads all keys, passes them on with the filter to change, and returns how many there were.
    pub fn each(
        &mut self,
        mut change: impl FnMut(&mut AnyFilter, &Keyed<'_>) -> Result<(), Stop>,
    ) -> Result<Counts, Stop> {
        let filter = &mut self.filter;
        self.input.each(|_| (), |keyed, ()| change(filter, keyed))
    }

    /// Replaces the old filter by the changed one, and reports on it as
    /// [`tell`](ChangeArgs::tell) does.
    pub fn finish(self, read: Counts, words: &str, tally: impl Serialize) -> Result<(), Stop> {
        if read.keys > 0 || self.was_open {
            let save = Save::new().pages(self.has_pages).cancel(&interrupt::SAVES);
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

/// The names of the kinds that can do something, for messages about a kind that cannot.
pub fn kinds_that(can: impl Fn(Capabilities) -> bool) -> String {
    let kinds = Kind::ALL.iter().filter(|kind| can(kind.capabilities()));
    kinds.map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}
