//! `get`: the values of keys.

use crate::answers::{AskArgs, Number};
use crate::change::kinds_that;
use crate::exit::Outcome;

const ABOUT: &str = "\
Gets the values of keys from a filter that keeps some: bloomier, which is built from
lines of key<TAB>value. Keys as arguments get a line each: the value, a tab, and the
key. Without keys, the lines of standard input do. The value of a key that is not in
is - (in JSON null).

Examples:
  anther build shard.anther --kind bloomier keys-and-values.tsv
  anther get shard.anther alice bob
  anther get shard.anther < keys.txt

A key that is in has its value, always. A key that is not has none, but for as many as
the filter's rate says: those get any value. Keys are taken from the input as they were
when the filter was built; a line of just the key will do, or one with its value.";

const EXIT_CODES: &str = "Exit codes: 0 some key has a value; 1 none; 2 error.";

/// Get the values of keys
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    #[command(flatten)]
    ask: AskArgs,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let filter = self.ask.open()?;
        let Some(values) = filter.as_lookup() else {
            return Err(self.ask.stop(format_args!(
                "{} filters keep no values; build one of a kind that does from lines of \
                 key<TAB>value: {}",
                filter.kind(),
                kinds_that(|can| can.values)
            )));
        };
        self.ask.answer(&filter, |key| Number::Value(values.get_hash(key)))
    }
}
