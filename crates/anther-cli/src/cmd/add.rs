//! `add`: more keys into a filter.

use crate::change::{ChangeArgs, keys};
use crate::exit::{Exit, Outcome};
use crate::units;
use serde::Serialize;

const ABOUT: &str = "\
Puts more keys into a filter. The file is replaced at once when all keys are in: where
anything goes wrong before, it stays as it was. Several processes may add to one file;
each waits for the one before.

Examples:
  anther add seen.anther today.txt
  tail -n +2 log | anther add seen.anther
  anther add seen.anther today.txt --json | jq .new

Keys are taken from the input as they were when the filter was built; the options that
say how need not be repeated. New are the keys to which the filter said no before they
went in; a few others are taken for known ones, as its rate says.

Filters that are made from all keys at once (fuse, ribbon, bloomier) take no more:
rebuild those.";

const EXIT_CODES: &str = "Exit codes: 0 added; 2 error, and then nothing was.";

/// Put more keys into a filter
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    #[command(flatten)]
    change: ChangeArgs,
}

/// What became of the keys.
#[derive(Serialize)]
struct Tally {
    /// Keys that surely were not in before.
    new: u64,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let args = &self.change;
        let mut change = args.begin()?;
        let kind = change.filter.kind();
        if !kind.capabilities().insert {
            return Err(args.stop(format_args!(
                "{kind} filters are made from all their keys at once and take no more; rebuild it \
                 from the old keys and the new: anther build --force --kind {kind}"
            )));
        }
        let mut new = 0;
        let read = change.each(|filter, keyed| {
            let Some(filter) = filter.as_insert() else { return Ok(()) };
            new += filter.insert_hashes(keyed.hashes).map_err(|full| args.stop(full))?;
            Ok(())
        })?;
        let words = format!("{} of {} read", keys(new, "new key"), units::count(read));
        change.finish(read, &words, Tally { new })?;
        Ok(Exit::Success)
    }
}
