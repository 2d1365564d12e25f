//! `count`: how often keys were inserted.

use crate::answers::{AskArgs, Number};
use crate::change::kinds_that;
use crate::exit::Outcome;
use crate::warning::Warning;
use anther::Filter;

const ABOUT: &str = "\
Says how often keys were inserted, for kinds that count: counting, spectral, cuckoo,
quotient, dleft. Each key of the command line gets one line: the count, a tab, and the
key. Without keys, the lines of standard input are looked up.

Examples:
  anther build words.anther --kind spectral words.txt
  anther count words.anther the of zebra
  anther count words.anther < list.txt | sort -rn | head

0 is certain. Other counts may be too high, as often as the false-positive rate says
(anther info). They are too low if keys were removed that were never inserted, and if a
counter has reached its maximum: 15 in counting, 255 in spectral, unless anther build
--counter-bits says otherwise; a warning tells you. quotient counts without limit.
Keys are taken from the input as they were when the filter was built.";

const EXIT_CODES: &str = "Exit codes: 0 some key was found; 1 none; 2 error.";

/// Count how often keys were inserted
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
        let Some(counts) = filter.as_count() else {
            return Err(self.ask.stop(format_args!(
                "{} filters do not count; rebuild it as one of a kind that does: {}",
                filter.kind(),
                kinds_that(|can| can.count)
            )));
        };
        let stuck = filter.profile().stuck;
        if stuck > 0 {
            Warning::Stuck(stuck).say(self.ask.path());
        }
        self.ask.answer(&filter, |key| Number::Count(counts.count_hash(key)))
    }
}
