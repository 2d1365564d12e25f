//! `remove`: removes keys from a filter.

use crate::change::{ChangeArgs, keys, kinds_that};
use crate::exit::{Exit, Outcome};
use crate::units;
use crate::warning::Warning;
use anther::{Filter, RemoveError};
use serde::Serialize;

const ABOUT: &str = "\
Removes keys from a filter, for kinds that can: counting, cuckoo, quotient, dleft,
variable-increment, spectral, and most keys of deletable.

Examples:
  anther remove seen.anther gone.txt
  anther remove seen.anther -k https://example.org/

Remove only keys that were inserted. A filter does not store the keys. If a key is
certainly absent, nothing changes, and a warning counts it. But if a key that was never
inserted is a false positive, removing it damages other keys, which may then be missing.
A key that was inserted twice must be removed twice; anther build inserts every copy of a
repeated key into these kinds, unless --distinct is given.

The file is replaced atomically once all keys are removed. On an error it stays as it
was.";

const EXIT_CODES: &str = "Exit codes: 0 done; 2 error, and no key was removed, unless the message
says so.";

/// Remove keys from a filter
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    #[command(flatten)]
    change: ChangeArgs,
}

/// What was done with the keys.
#[derive(Default, Serialize)]
struct Removed {
    removed: u64,
    /// Keys that were certainly not in the filter.
    absent: u64,
    /// Keys that cannot be removed.
    kept: u64,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let args = &self.change;
        let mut change = args.begin("remove")?;
        let kind = change.filter.kind();
        if !kind.capabilities().remove {
            return Err(args.stop(format_args!(
                "{} {kind} filter cannot remove keys; rebuild it without them, or as one of the kinds \
                 that can: {}",
                kind.article(),
                kinds_that(|can| can.remove)
            )));
        }
        let before = change.filter.profile();
        let (rate, repeats) = (before.fpr_now, before.repeats());
        let (mut tally, mut why_kept) = (Removed::default(), None);
        let read = change.each(|filter, keyed| {
            let mut more = keyed.more.hashes.iter().peekable();
            for (at, key) in keyed.hashes.iter().enumerate() {
                let of_this = std::iter::from_fn(|| more.next_if(|(of, _)| *of == at));
                let more: Vec<_> = of_this.map(|(_, hash)| *hash).collect();
                let removed = filter.remove_entry(*key, &more);
                if let Some(why) = tally.take(removed).map_err(|stop| args.stop(stop))? {
                    why_kept.get_or_insert(why);
                }
            }
            Ok(())
        })?;
        let words = tally.in_words(read.keys);
        if tally.absent > 0 {
            let Removed { absent, removed, .. } = tally;
            args.warn(&Warning::NotIn { absent, removed, rate });
        }
        if let Some(why) = why_kept {
            args.warn(&Warning::Kept { keys: tally.kept, why, repeats });
        }
        change.finish(read, &words, tally)?;
        Ok(Exit::Success)
    }
}

impl Removed {
    /// Counts a key, or says why this key cannot be removed. An error if no key can.
    fn take(
        &mut self,
        removed: Result<bool, RemoveError>,
    ) -> Result<Option<RemoveError>, RemoveError> {
        match removed {
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
            words += &format!(", {} {were} not in the filter", units::count(self.absent));
        }
        if self.kept > 0 {
            words += &format!(", {} could not be removed", units::count(self.kept));
        }
        words
    }
}
