//! `count`: how often keys were inserted.

use crate::change::kinds_that;
use crate::exit::Outcome;
use crate::lookup::{LookupArgs, Number};
use crate::warning::Warning;
use anther::Filter;

const ABOUT: &str = "\
Prints how often keys were inserted, for kinds that count: counting, spectral, cuckoo,
quotient and dleft.

Examples:
  anther build words.anther --kind spectral words.txt
  anther count words.anther the of zebra
  anther count words.anther < list.txt | sort -rn | head
  anther count words.anther -f a.txt b.txt

Each key gets a line: the count, a tab, and the key. Without keys on the command line,
the lines of standard input are looked up, or of the files of -f. A line that has arrived
is answered at once.

0 is certain. A count can be too high; how often, the false-positive rate says (anther
info). It is too low if a key was removed that was never inserted, or if a counter has
reached its maximum; then you get a warning. The maximum is 15 in counting and 255 in
spectral (anther build --counter-bits changes it), 8 in cuckoo and 3 in dleft. quotient
has none.

The filter remembers how keys are read from the input.";

const EXIT_CODES: &str = "Exit codes: 0 some key was found; 1 none; 2 error.";

/// Print how often keys were inserted
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
        let Some(counts) = filter.as_count() else {
            return Err(self.lookup.stop(format_args!(
                "{} {} filter cannot count; rebuild it as one of the kinds that can: {}",
                filter.kind().article(),
                filter.kind(),
                kinds_that(|can| can.count)
            )));
        };
        let counters = filter.profile().stuck;
        if counters > 0 {
            Warning::Stuck { kind: filter.kind(), counters }.say(self.lookup.path());
        }
        self.lookup.answer(&filter, |key| Number::Count(counts.count_hash(key)))
    }
}
