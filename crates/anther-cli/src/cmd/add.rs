//! `add`: more keys into a filter.

use crate::change::{ChangeArgs, keys};
use crate::exit::{Exit, Outcome, Stop};
use crate::file;
use crate::units;
use anther::{Open, ShareError};
use serde::Serialize;

const ABOUT: &str = "\
Puts more keys into a filter. The file is replaced at once when all keys are in: where
anything goes wrong before, it stays as it was. Several processes may add to one file:
each waits for the one before, or all do so at once with --shared.

Examples:
  anther add seen.anther today.txt
  tail -n +2 log | anther add seen.anther
  anther add seen.anther today.txt --json | jq .new
  anther add seen.anther --shared < queue           as other processes do meanwhile

Keys are taken from the input as they were when the filter was built; the options that
say how need not be repeated. New are the keys to which the filter said no before they
went in; a few others are taken for known ones, as its rate says.

Filters that are made from all keys at once (fuse, ribbon, bloomier) take no more:
rebuild those.";

const EXIT_CODES: &str = "Exit codes: 0 added; 2 error, and then nothing was (but see --shared).";

/// Put more keys into a filter
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// Add in place, as other processes may do at the same time
    ///
    /// For blocked, classic and split. All processes that say this share the file's memory, and
    /// none waits for another. Keys go in as they are read: an error in the input leaves those
    /// before it in, and a process that is killed loses none that are in. Until the last of
    /// them has ended, the file's cells are under no checksum, and anther info says so.
    #[arg(long)]
    shared: bool,
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
        if self.shared {
            return self.run_shared();
        }
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
        let read = change.each(|filter, hashes| {
            let Some(filter) = filter.as_insert() else { return Ok(()) };
            new += filter.insert_hashes(hashes).map_err(|full| args.stop(full))?;
            Ok(())
        })?;
        change.finish(read, &Tally { new }.in_words(read), Tally { new })?;
        Ok(Exit::Success)
    }

    /// Adds to the file in place.
    fn run_shared(&self) -> Outcome {
        let args = &self.change;
        let (shared, input) = args.begin_shared()?;
        let mut new = 0;
        let read = input.each(
            |hashes| shared.insert_hashes(hashes),
            |_, more| {
                new += more;
                Ok(())
            },
        );
        // Whatever became of the keys: others must not find it open.
        let is_closed = shared.close().map_err(|error| args.stop(ShareError::from(error)));
        let read = read.map_err(|stop| match stop {
            Stop::Error(message) => {
                Stop::Error(format!("{message}; keys before that are in the filter"))
            }
            other => other,
        })?;
        let is_open = !is_closed?;
        let filter = file::open(args.path(), Open::new().without_hashing())?;
        args.tell(&filter, read, &Tally { new }.in_words(read), Tally { new }, is_open)?;
        Ok(Exit::Success)
    }
}

impl Tally {
    fn in_words(&self, read: u64) -> String {
        match read {
            0 => "no keys".to_string(),
            _ => format!("{} of {} read", keys(self.new, "new key"), units::count(read)),
        }
    }
}
