//! `remove`: keys out of a filter.

use crate::change::{ChangeArgs, keys, kinds_that};
use crate::exit::{Exit, Outcome};
use crate::units;
use crate::warning::Warning;
use anther::{Filter, KeyHash, Remove, RemoveError};
use serde::Serialize;

const ABOUT: &str = "\
Takes keys out of a filter of a kind that gives them back: counting, cuckoo, quotient
and others (anther build --help tells which). The file is replaced at once when all
keys are out: where anything goes wrong before, it stays as it was.

Examples:
  anther remove seen.anther gone.txt
  echo https://example.org/ | anther remove seen.anther

Remove only what was put in. A filter keeps no keys, only traces of them. To a key that
it surely does not have it says so, and nothing changes; but a key that was never put
in and that it takes for one that was, as happens at its rate, takes the traces of
others with it: those may then be missing. A key that went in twice goes out twice.";

const EXIT_CODES: &str = "Exit codes: 0 done; 2 error, and then nothing was removed.";

/// Take keys out of a filter
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    #[command(flatten)]
    change: ChangeArgs,
}

/// What became of the keys.
#[derive(Default, Serialize)]
struct Tally {
    removed: u64,
    /// Keys that surely were not in.
    absent: u64,
    /// Keys that are in and cannot be taken out.
    kept: u64,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let args = &self.change;
        let mut change = args.begin()?;
        let kind = change.filter.kind();
        if !kind.capabilities().remove {
            return Err(args.stop(format_args!(
                "{kind} filters give no keys back; rebuild it without them, or as one of a kind \
                 that does: {}",
                kinds_that(|can| can.remove)
            )));
        }
        let rate = change.filter.profile().fpr_now;
        let (mut tally, mut why_kept) = (Tally::default(), None);
        let read = change.each(|filter, hashes| {
            let Some(filter) = filter.as_remove() else { return Ok(()) };
            for key in hashes {
                if let Some(why) = tally.remove(filter, *key).map_err(|stop| args.stop(stop))? {
                    why_kept.get_or_insert(why);
                }
            }
            Ok(())
        })?;
        let words = tally.in_words(read);
        if tally.absent > 0 {
            args.warn(&Warning::NotIn { absent: tally.absent, rate });
        }
        if let Some(why) = why_kept {
            args.warn(&Warning::Kept { keys: tally.kept, why });
        }
        change.finish(read, &words, tally)?;
        Ok(Exit::Success)
    }
}

impl Tally {
    /// Takes a key out; why it stays, where it does. An error where none can be taken out.
    fn remove(
        &mut self,
        filter: &mut dyn Remove,
        key: KeyHash,
    ) -> Result<Option<RemoveError>, RemoveError> {
        match filter.remove_hash(key) {
            Ok(true) => self.removed += 1,
            Ok(false) => self.absent += 1,
            Err(why @ (RemoveError::Stuck { .. } | RemoveError::Shared { .. })) => {
                self.kept += 1;
                return Ok(Some(why));
            }
            Err(error) => return Err(error),
        }
        Ok(None)
    }

    fn in_words(&self, read: u64) -> String {
        if read == 0 {
            return "no keys".to_string();
        }
        let (removed, read) = (keys(self.removed, "key"), units::count(read));
        let mut words = format!("{removed} removed of {read} read");
        if self.absent > 0 {
            let were = if self.absent == 1 { "was" } else { "were" };
            words += &format!(", {} {were} not in", units::count(self.absent));
        }
        if self.kept > 0 {
            let stay = if self.kept == 1 { "stays" } else { "stay" };
            words += &format!(", {} {stay}", units::count(self.kept));
        }
        words
    }
}
