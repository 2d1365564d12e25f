//! One number per key, each on its own line: what `count` and `get` share.

use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file;
use crate::input::{self, Input};
use crate::input_args::InputArgs;
use crate::keys::{ON, Reading};
use crate::output::{self, Out, Subject};
use crate::recipe_args::RecipeArgs;
use crate::secret_key::KeyArgs;
use anther::{AnyFilter, Filter, Key, KeyHash};
use anther_records::extract::{Extraction, Extractor};
use serde::Serialize;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// The filter, and the keys to look up in it.
#[derive(clap::Args, Debug)]
pub struct LookupArgs {
    /// The filter; `-` is standard input
    filter: PathBuf,
    /// Keys to look up [default: the lines of standard input]
    #[arg(value_name = "KEY")]
    keys: Vec<OsString>,
    #[command(flatten)]
    inputs: InputArgs,
    /// Print each answer as a line of JSON
    #[arg(long)]
    json: bool,
    /// Flush after each line; lines that have arrived are answered at once anyway
    #[arg(long, conflicts_with_all = ["keys", "named_keys"], hide_short_help = true)]
    line_buffered: bool,
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
    /// The band of its count.
    #[serde(rename = "value")]
    Band {
        /// The least count.
        from: u64,
        /// The largest; none of the last band.
        to: Option<u64>,
    },
}

impl Number {
    /// Whether the key may be in the set.
    fn is_some(self) -> bool {
        matches!(self, Number::Count(1..) | Number::Value(Some(_)) | Number::Band { .. })
    }

    /// The name of the column, if the input has a header row.
    fn name(self) -> &'static str {
        match self {
            Number::Count(_) => "count",
            Number::Value(_) | Number::Band { .. } => "value",
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Count(number) | Number::Value(Some(number)) => number.fmt(f),
            Number::Value(None) => f.write_str("-"),
            Number::Band { from, to: None } => write!(f, "{from}+"),
            Number::Band { from, to: Some(to) } if from == to => from.fmt(f),
            Number::Band { from, to: Some(to) } => write!(f, "{from}-{to}"),
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
        filter_file::check_stdin(&[&self.filter], &self.inputs.files(&self.keys)?)?;
        let open = if self.map { filter_file::map } else { filter_file::open };
        open(&self.filter, self.key.open(&self.filter)?)
            .map_err(|error| filter_file::or_swapped(error, &self.filter, &self.keys))
    }

    /// The path of the filter.
    pub fn path(&self) -> &Path {
        &self.filter
    }

    /// An error about the filter.
    pub fn stop(&self, cause: impl fmt::Display) -> Stop {
        Stop::about(output::shown(&self.filter), cause)
    }

    /// Looks up every key and prints the answers.
    pub fn answer(&self, filter: &AnyFilter, ask: impl Fn(KeyHash) -> Number + Sync) -> Outcome {
        let own = filter.about().recipe.as_ref();
        let mut how = self.recipe.extraction_for(output::shown(&self.filter), own)?;
        // What is looked up is no such list.
        how.block_list = None;
        let files = self.inputs.files(&self.keys)?;
        if files.is_empty() {
            self.recipe.refuse_input_options()?;
        }
        let mut out = Out::stdout().line_buffered(self.line_buffered);
        let mut any = self.arguments(filter, &how, &ask, &mut out)?;
        if !any {
            self.inputs.hint(&self.keys);
        }
        if !files.is_empty() {
            any |= self.records(&files, filter, &how, ask, &mut out)?;
        }
        out.finish()?;
        Ok(if any { Exit::Success } else { Exit::Nothing })
    }

    fn arguments(
        &self,
        filter: &AnyFilter,
        how: &Extraction,
        ask: impl Fn(KeyHash) -> Number,
        out: &mut Out,
    ) -> Result<bool, Stop> {
        let mut keys = Extractor::new(how);
        let mut numbers = Vec::new();
        let arguments = self.inputs.keys(&self.keys);
        for argument in &arguments {
            let key = keys
                .argument(argument.as_encoded_bytes())
                .map_err(|error| Stop::about(argument.to_string_lossy(), error))?;
            numbers.push(ask(key.key_hash(filter.seed())));
        }
        for (argument, number) in arguments.iter().zip(&numbers) {
            let (key, number) = (argument.as_encoded_bytes(), *number);
            if self.json {
                out.json(&AnswerJson { subject: Subject::key(key), number })?;
            } else {
                out.word(number, if number.is_some() { output::MAYBE } else { output::NO })?;
                out.key(b"\t")?;
                out.key(key)?;
                out.key(b"\n")?;
            }
            out.end_answer()?;
        }
        Ok(numbers.iter().any(|number| number.is_some()))
    }

    fn records(
        &self,
        sources: &[Input],
        filter: &AnyFilter,
        how: &Extraction,
        ask: impl Fn(KeyHash) -> Number + Sync,
        out: &mut Out,
    ) -> Result<bool, Stop> {
        input::say_if_typed(sources);
        let reading = Reading { sources, how, seed: *filter.seed() };
        // Binary records have no end.
        let end: Vec<u8> = how.separator().into_iter().collect();
        let name = ask(KeyHash(0)).name();
        let (mut any, mut last_head) = (false, None);
        let read = reading.each(
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
                    && last_head.as_deref() != Some(head)
                {
                    last_head = Some(head.to_vec());
                    line(out, name, head)?;
                }
                let numbered = keyed.records.numbered();
                for ((number_of_line, record), number) in numbered.zip(numbers) {
                    any |= number.is_some();
                    if self.json {
                        let record = how.without_end(record);
                        let subject = Subject::record(number_of_line, record);
                        out.json(&AnswerJson { subject, number })?;
                    } else {
                        line(out, &number.to_string(), record)?;
                    }
                    out.end_answer()?;
                }
                out.end_block(keyed.next_is_ready)?;
                Ok(ON)
            },
        )?;
        read.say_left_out();
        Ok(any)
    }
}
