//! One number per key, each on its own line: what `count` and `get` share.

use crate::exit::{Exit, Outcome, Stop};
use crate::extract::{self, Extractor};
use crate::filter_file;
use crate::input::{self, Input};
use crate::keys::{ON, Reading};
use crate::output::{Out, Subject};
use crate::recipe_args::RecipeArgs;
use crate::secret_key::KeyArgs;
use anther::{AnyFilter, Filter, KeyHash, Recipe};
use serde::Serialize;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// The filter, and the keys to look up in it.
#[derive(clap::Args, Debug)]
pub struct LookupArgs {
    /// The filter
    filter: PathBuf,
    /// Keys to look up [default: the lines of standard input]
    #[arg(value_name = "KEY")]
    keys: Vec<OsString>,
    /// Print each answer as a line of JSON
    #[arg(long)]
    json: bool,
    /// Map the file into memory instead of reading it: opens at once, but skips most checksums
    ///
    /// The header and all lengths are still verified, the cells are not. Nobody may write to the
    /// file or truncate it while it is mapped: answers would be undefined, or the program would
    /// crash. Replacing the file is safe, and anther add and anther build do just that. A file
    /// that is open for anther add --shared is read instead.
    #[arg(long)]
    map: bool,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
}

/// The answer for one key.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Number {
    /// How often it was inserted.
    Count(u64),
    /// Its value; none if it is certainly absent.
    Value(Option<u64>),
}

impl Number {
    /// Whether the key may be in the set.
    fn is_some(self) -> bool {
        matches!(self, Number::Count(1..) | Number::Value(Some(_)))
    }

    /// The name of the column, if the input has a header row.
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
struct AnswerJson<'a> {
    #[serde(flatten)]
    subject: Subject<'a>,
    #[serde(flatten)]
    number: Number,
}

impl LookupArgs {
    /// Opens the filter.
    pub fn open(&self) -> Result<AnyFilter, Stop> {
        let open = if self.map { filter_file::map } else { filter_file::open };
        open(&self.filter, self.key.open(&self.filter)?)
    }

    /// The path of the filter.
    pub fn path(&self) -> &Path {
        &self.filter
    }

    /// An error about the filter.
    pub fn stop(&self, cause: impl fmt::Display) -> Stop {
        Stop::about(self.filter.display(), cause)
    }

    /// Looks up every key and prints the answers.
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
                out.json(&AnswerJson { subject: Subject::key(key), number })?;
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
        let sources = [Input::Stdin];
        input::say_if_typed(&sources);
        let (seed, binary) = (*filter.seed(), self.recipe.binary);
        let reading = Reading { sources: &sources, recipe, seed, binary };
        let end = [recipe.separator.byte()];
        let name = ask(KeyHash(0)).name();
        let mut any = false;
        reading.each(
            |_, hashes| hashes.iter().map(|key| ask(*key)).collect::<Vec<_>>(),
            |keyed, numbers| {
                // A last line without a line ending gets one, so that each answer is a whole line.
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
                        out.json(&AnswerJson { subject, number })?;
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
