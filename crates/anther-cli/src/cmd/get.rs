//! `get`: looks up the values of keys.

use crate::change::kinds_that;
use crate::exit::Outcome;
use crate::lookup::{LookupArgs, Number};
use anther::AnyFilter;

const ABOUT: &str = "\
Prints the values of keys, from a bloomier filter, which is built from lines of
key<TAB>value.

Examples:
  anther build shard.anther --kind bloomier keys-and-values.tsv
  anther get shard.anther alice bob
  anther get shard.anther < keys.txt
  anther build pw.anther --kind bloomier pw.csv --column sha1 --values count --bands

Each key gets a line: the value, a tab, and the key. Without keys on the command line,
the lines of standard input are looked up, or of the files of -f; each is answered when it
arrives. An absent key has the value - (null in JSON). Counts that were stored as bands
(anther build --bands) are ranges such as 8-15, the last one 128+; in JSON an object with
from and to.

A key of the filter always has its own value. An absent key that is a false positive has
an arbitrary value; anther info prints how often that happens. The filter remembers how
keys are read from the input; a line may have the key alone, or the key and its value.";

const EXIT_CODES: &str = "Exit codes: 0 some key has a value; 1 none; 2 error.";

/// Print the values of keys
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    #[command(flatten)]
    lookup: LookupArgs,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let filter = self.lookup.open()?;
        let Some(values) = filter.as_lookup() else {
            return Err(self.lookup.stop(format_args!(
                "{} {} filter stores no values; build one that does from lines of key<TAB>value, with \
                 --kind {}",
                filter.kind().article(),
                filter.kind(),
                kinds_that(|can| can.values)
            )));
        };
        let has_bands = matches!(&filter, AnyFilter::Bloomier(map) if map.bands().is_some());
        self.lookup.answer(&filter, |key| match values.get_hash(key) {
            Some(band) if has_bands => {
                let (from, to) = values.counts(band).into_inner();
                Number::Band { from, to: Some(to).filter(|to| *to < u64::MAX) }
            }
            value => Number::Value(value),
        })
    }
}
