//! A number for each key, on a line of its own: what `count` and `get` share.

use crate::exit::{Exit, Outcome, Stop};
use crate::extract::{self, Extractor};
use crate::file;
use crate::input::{self, Source};
use crate::keys::{ON, Reading};
use crate::output::{Out, Subject};
use crate::recipe::RecipeArgs;
use crate::secret::KeyArgs;
use anther::{AnyFilter, Filter, KeyHash, Recipe};
use serde::Serialize;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// The filter to ask, and the keys to ask it for.
#[derive(clap::Args, Debug)]
pub struct AskArgs {
    /// The filter to ask
    filter: PathBuf,
    /// Keys; none: the lines of standard input
    #[arg(value_name = "KEY")]
    keys: Vec<OsString>,
    /// Print each answer as a line of JSON
    #[arg(long)]
    json: bool,
    /// Map the file instead of reading it: opens at once, skips the checksums of its cells
    ///
    /// The header and all lengths are still verified. Nobody may write to the file or truncate
    /// it while it is mapped: the answers would be undefined, or the program would crash.
    /// Replacing it is fine: anther add and anther build do that. A file that is open for
    /// anther add --shared is read, not mapped.
    #[arg(long)]
    map: bool,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
}

/// What there is to say of a key.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Number {
    /// How often it went in.
    Count(u64),
    /// Its value; nothing where it surely is not in.
    Value(Option<u64>),
}

impl Number {
    /// Whether the key may be in.
    fn is_some(self) -> bool {
        matches!(self, Number::Count(1..) | Number::Value(Some(_)))
    }

    /// What a column of such numbers is called, where columns have names.
    fn name(self) -> &'static str {
        match self {
            Number::Count(_) => "count",
            Number::Value(_) => "value",
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Count(number) | Number::Value(Some(number)) => number.fmt(f),
            Number::Value(None) => f.write_str("-"),
        }
    }
}

/// A line of `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    subject: Subject<'a>,
    #[serde(flatten)]
    number: Number,
}

impl AskArgs {
    /// The filter.
    pub fn open(&self) -> Result<AnyFilter, Stop> {
        let open = if self.map { file::map } else { file::open };
        open(&self.filter, self.key.open(&self.filter)?)
    }

    /// Where the filter is.
    pub fn path(&self) -> &Path {
        &self.filter
    }

    /// An error of the filter.
    pub fn stop(&self, cause: impl fmt::Display) -> Stop {
        Stop::about(self.filter.display(), cause)
    }

    /// Asks for every key, and prints what comes of it.
    pub fn answer(&self, filter: &AnyFilter, ask: impl Fn(KeyHash) -> Number + Sync) -> Outcome {
        let own = filter.about().recipe.as_ref();
        let recipe = self.recipe.recipe_for(self.filter.display(), own)?;
        let mut out = Out::stdout();
        let any = match self.keys[..] {
            [] => self.records(filter, &recipe, ask, &mut out)?,
            _ => self.arguments(filter, &recipe, ask, &mut out)?,
        };
        out.finish()?;
        Ok(if any { Exit::Success } else { Exit::Nothing })
    }

    fn arguments(
        &self,
        filter: &AnyFilter,
        recipe: &Recipe,
        ask: impl Fn(KeyHash) -> Number,
        out: &mut Out,
    ) -> Result<bool, Stop> {
        let mut keys = Extractor::new(recipe);
        let mut numbers = Vec::new();
        for argument in &self.keys {
            let key = keys
                .argument(argument.as_encoded_bytes())
                .map_err(|error| Stop::about(argument.to_string_lossy(), error))?;
            numbers.push(ask(filter.seed().hash_bytes(key)));
        }
        for (argument, number) in self.keys.iter().zip(&numbers) {
            let (key, number) = (argument.as_encoded_bytes(), *number);
            if self.json {
                out.json(&Answer { subject: Subject::key(key), number })?;
            } else {
                out.key(format!("{number}\t").as_bytes())?;
                out.key(key)?;
                out.key(b"\n")?;
            }
        }
        Ok(numbers.iter().any(|number| number.is_some()))
    }

    fn records(
        &self,
        filter: &AnyFilter,
        recipe: &Recipe,
        ask: impl Fn(KeyHash) -> Number + Sync,
        out: &mut Out,
    ) -> Result<bool, Stop> {
        let sources = [Source::Stdin];
        input::say_if_typed(&sources);
        let reading = Reading { sources: &sources, recipe, seed: *filter.seed() };
        let end = [recipe.separator.byte()];
        let name = ask(KeyHash(0)).name();
        let mut any = false;
        reading.each(
            |_, hashes| hashes.iter().map(|key| ask(*key)).collect::<Vec<_>>(),
            |keyed, numbers| {
                // A line without its end, the last one, gets it: each answer is a whole line.
                let line = |out: &mut Out, before: &str, record: &[u8]| {
                    out.key(format!("{before}\t").as_bytes())?;
                    out.record(record)?;
                    if record.ends_with(&end) { Ok(()) } else { out.record(&end) }
                };
                if let Some(head) = keyed.head
                    && !self.json
                {
                    line(out, name, head)?;
                }
                let numbered = (keyed.records.number()..).zip(keyed.records);
                for ((number_of_line, record), number) in numbered.zip(numbers) {
                    any |= number.is_some();
                    if self.json {
                        let record = extract::without_end(recipe, record);
                        let subject = Subject::record(number_of_line, record);
                        out.json(&Answer { subject, number })?;
                    } else {
                        line(out, &number.to_string(), record)?;
                    }
                }
                Ok(ON)
            },
        )?;
        Ok(any)
    }
}
