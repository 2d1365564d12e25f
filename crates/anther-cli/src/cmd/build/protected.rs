//! What a cascade must never report: the keys of its second list, and what they are looked up as.
//!
//! A name of that list is looked up as itself and as its parents. A parent that is no entry of the
//! first list must not be found, so one of its keys is given to the cascade, too. A parent that is an
//! entry is found, and with it the name: the lists contradict each other, and a line says so.

use super::make::BuildInput;
use crate::exit::Stop;
use crate::keys::{Counts, ON};
use crate::output;
use crate::units;
use anther::recipe::Reach;
use anther::{Key, KeyHash};
use anther_records::extract;
use std::cell::Cell;

/// The keys that a cascade must never report.
pub struct Protected {
    reach: Reach,
    /// One more hash of every entry of the first list that stands for many keys; sorted.
    entries: Vec<KeyHash>,
    /// How many names are below an entry of the first list.
    listed: Cell<u64>,
}

impl Protected {
    /// For the list that these hashes are of, each once.
    pub fn new(list: &BuildInput<'_>, hashes: &[KeyHash]) -> Protected {
        let mut reach = list.how.reach.unwrap_or(Reach::EXACT);
        reach.add(list.wide.levels());
        let entries = if reach.is_below() { hashes.to_vec() } else { Vec::new() };
        Protected { reach, entries, listed: Cell::new(0) }
    }

    /// Reads the second list once, and passes on the hashes that must be absent.
    pub fn each(
        &self,
        others: &BuildInput<'_>,
        take: &mut dyn FnMut(&[KeyHash]),
    ) -> Result<Counts, Stop> {
        self.listed.set(0);
        let progress = others.progress();
        let (seed, form) = (others.seed, others.how.rule.form);
        // What is not shared between threads stays outside.
        let (reach, entries) = (self.reach, &self.entries);
        let is_below = reach.levels() != 0;
        others.reading().each_part(
            &[others.seed],
            is_below,
            |part| {
                let (mut absent, mut listed) = (part.hashes[0].clone(), 0);
                for key in part.keys().filter(|_| is_below) {
                    let mut is_listed = false;
                    reach.each_above(form, extract::key_of(form, key), |_, above| {
                        let one = reach.more_hashes(above.key_hash(&seed)).next();
                        match one.filter(|one| entries.binary_search(one).is_err()) {
                            Some(one) => absent.push(one),
                            None => is_listed = true,
                        }
                    });
                    listed += u64::from(is_listed);
                }
                (absent, listed)
            },
            |keyed, (absent, listed)| {
                progress.advance(keyed.bytes);
                self.listed.set(self.listed.get() + listed);
                take(&absent);
                Ok(ON)
            },
        )
    }

    /// Says how many names of the second list are found all the same.
    pub fn say_listed(&self, quiet: bool) {
        let listed = self.listed.get();
        if listed > 0 && !quiet {
            let keys = if listed == 1 { "key of its list is" } else { "keys of its list are" };
            output::complain(&format!(
                "warning: --never-wrong-on: {} {keys} below an entry of the other list, and so found; \
                 check --match exact looks up keys alone",
                units::count(listed)
            ));
        }
    }
}
