//! `times`: how often keys went in.

use crate::answers::{AskArgs, Number};
use crate::change::kinds_that;
use crate::exit::Outcome;
use crate::warning::Warning;
use anther::Filter;

const ABOUT: &str = "\
Says how often keys went into a filter of a kind that counts: counting, spectral,
cuckoo, quotient, dleft. Keys as arguments get a line each: the count, a tab, and the
key. Without keys, the lines of standard input do.

Examples:
  anther build words.anther --kind spectral words.txt
  anther times words.anther the of zebra
  anther times words.anther < list.txt | sort -rn | head

0 is certain. Other counts are too high for as many keys as the filter's rate says
(anther info). They are too low where keys were removed that never went in, and where a
counter has reached its end: 15 of counting, 255 of spectral, unless --counter-bits of
anther build says otherwise; a warning tells of those. quotient counts without end.
Keys are taken from the input as they were when the filter was built.";

const EXIT_CODES: &str = "Exit codes: 0 some key is in; 1 none; 2 error.";

/// Say how often keys went in
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
