//! `build --exact`: a set that stores its keys.

use super::Args;
use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file::Destination;
use crate::input::Input;
use crate::keys::{Counts, ON, Reading};
use crate::progress::Progress;
use crate::{output, units};
use anther::recipe::KeyForm;
use anther::{AnyFilter, ExactSet, Quotient, Seed};
use anther_records::extract::Extraction;

impl Args {
    /// Makes an exact set.
    pub(super) fn run_exact(
        &self,
        destination: &Destination,
        sources: &[Input],
        how: &Extraction,
    ) -> Outcome {
        if !matches!(how.rule.form, KeyForm::Int | KeyForm::Text) || how.rule.parts != 1 {
            let cause = format!(
                "keys of an exact set are integers (--as int) or texts of up to eight bytes, not {}",
                how.rule
            );
            return Err(Stop::about("--exact", cause));
        }
        let mut set = ExactSet::new(self.items.unwrap_or(0)).map_err(about_exact)?;
        let read = self.insert_exact(&mut set, sources, how)?;
        read.refuse_if_all_malformed()?;
        self.say_looks(sources, &read);
        let mut keys: Vec<u64> = set.iter().collect();
        keys.dedup();
        let distinct = keys.len() as u64;
        let mut filter = AnyFilter::from(Quotient::from(set));
        filter.set_recipe(Some(how.recipe()));
        let bytes = destination.save(&filter)?;
        if !self.quiet {
            let (name, size) = (destination.path().display(), units::size(bytes));
            let bits = 8.0 * bytes as f64 / distinct.max(1) as f64;
            output::complain(&format!(
                "{name}: {} distinct keys of {} read{}; exact set, {size}, {bits:.2} bits per key, no \
                 false positives; anther list prints them",
                units::count(distinct),
                units::count(read.keys),
                read.left_out()
            ));
        }
        if self.json {
            self.report_json(destination, &filter, (read, None), bytes)?;
        }
        Ok(Exit::Success)
    }

    fn insert_exact(
        &self,
        set: &mut ExactSet,
        sources: &[Input],
        how: &Extraction,
    ) -> Result<Counts, Stop> {
        let progress = Progress::reading(sources.iter().map(Input::len).sum(), self.quiet);
        // Only the keys are used, not their hashes.
        let reading = Reading { sources, how, seed: Seed::FIXED };
        reading.each_part(
            &[Seed::FIXED],
            true,
            |part| {
                let key = |(at, key): (usize, &[u8])| number(how, key).map_err(|cause| (at, cause));
                part.keys().enumerate().map(key).collect::<Result<Vec<u64>, _>>()
            },
            |keyed, keys| {
                let keys = keys.map_err(|(at, cause)| {
                    let (name, number) = (keyed.source.name(), keyed.records.line(at));
                    Stop::about(name, format_args!("{} {number}: {cause}", how.record_name()))
                })?;
                for key in keys {
                    set.insert(key).map_err(about_exact)?;
                }
                progress.advance(keyed.bytes);
                Ok(ON)
            },
        )
    }
}

fn about_exact(cause: impl std::fmt::Display) -> Stop {
    Stop::about("--exact", cause)
}

/// A key as the 64-bit number that the set stores.
fn number(how: &Extraction, key: &[u8]) -> Result<u64, String> {
    match how.rule.form {
        KeyForm::Int => match key.try_into() {
            Ok(word) => Ok(u64::from_le_bytes(word)),
            Err(_) => Err("the integer has more than 64 bits".to_string()),
        },
        _ => ExactSet::of_text(key).ok_or_else(|| {
            let shown = String::from_utf8_lossy(key);
            format!(
                "{shown:?}: texts of an exact set have at most eight bytes, and no NUL byte; for \
                 numbers use --as int"
            )
        }),
    }
}
