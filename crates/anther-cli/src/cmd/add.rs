//! `add`: inserts keys into a filter.

use crate::change::{ChangeArgs, keys};
use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file;
use crate::units;
use anther::{Open, ShareError};
use serde::Serialize;

const ABOUT: &str = "\
Inserts more keys into a filter.

Examples:
  anther add seen.anther today.txt
  anther add seen.anther -k user@example.com
  tail -n +2 log | anther add seen.anther
  anther add seen.anther today.txt --json | jq .new
  anther add seen.anther --shared < queue           while other processes add, too

The file is replaced atomically once all keys are inserted. On an error it stays as it
was. If several processes add to the same file, each waits for the one before it; with
--shared they insert at the same time.

The filter remembers how keys are read from the input, so you need not repeat those
options. The report counts the new keys: those that were certainly not in the filter
before. A few new keys are not counted, because they were false positives.

Static kinds (fuse, ribbon, bloomier) cannot insert keys. Rebuild those.";

const EXIT_CODES: &str = "\
Exit codes: 0 inserted; 2 error, and no key was inserted, unless the message says so.";

/// Insert more keys into a filter
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// Insert in place, at the same time as other processes
    ///
    /// For blocked, classic and split. All processes that use this option map the same file, and
    /// none waits for another. Keys are inserted as they are read: an error in the input leaves
    /// the keys before it in the filter, and if a process is killed, the keys that it has inserted
    /// stay. Until the last of these processes ends, no checksum covers the file's cells, and
    /// anther info says so.
    #[arg(long)]
    shared: bool,
    #[command(flatten)]
    change: ChangeArgs,
}

/// What was done with the keys.
#[derive(Serialize)]
struct Added {
    /// Keys that were certainly not in the filter before.
    new: u64,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        if self.shared {
            return self.run_shared();
        }
        let args = &self.change;
        let mut change = args.begin("insert")?;
        let kind = change.filter.kind();
        if !kind.capabilities().insert {
            return Err(args.stop(format_args!(
                "a {kind} filter is static, so it cannot insert keys; rebuild it from the old keys and \
                 the new ones: anther build --force --kind {kind} {} OLD NEW",
                args.path().display()
            )));
        }
        let mut new = 0;
        let read = change.each(|filter, hashes| {
            let Some(filter) = filter.as_insert() else { return Ok(()) };
            new += filter.insert_hashes(hashes).map_err(|full| args.stop(full))?;
            Ok(())
        })?;
        change.finish(read, &Added { new }.in_words(read), Added { new })?;
        Ok(Exit::Success)
    }

    /// Inserts into the file in place.
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
        // Close it even after an error, so that other processes do not find it open.
        let is_closed = shared.close().map_err(|error| args.stop(ShareError::from(error)));
        let read = read.map_err(|stop| match stop {
            Stop::Error(message) => {
                Stop::Error(format!("{message}; the keys before that were inserted"))
            }
            other => other,
        })?;
        let is_open = !is_closed?;
        let filter = filter_file::open(args.path(), Open::new().without_hashing())?;
        args.tell(&filter, read, &Added { new }.in_words(read), Added { new }, is_open)?;
        Ok(Exit::Success)
    }
}

impl Added {
    fn in_words(&self, read: u64) -> String {
        match read {
            0 => "no keys".to_string(),
            _ => format!("{} of {} read", keys(self.new, "new key"), units::count(read)),
        }
    }
}
