//! Exact answers: what may be in the set is looked up in the list that the set was made from.

use crate::exit::Stop;
use crate::input::Source;
use crate::keys::{ON, Reading};
use crate::progress::Progress;
use anther::{Blocked, Filter, Insert, KeyHash, Seed, Target};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// The keys to which a filter said maybe, and which of them are in the list.
#[derive(Default)]
pub struct Hits {
    keys: HashMap<KeyHash, Vec<Hit>>,
}

struct Hit {
    key: Box<[u8]>,
    listed: AtomicBool,
}

impl Hits {
    /// One more key to look up.
    pub fn add(&mut self, hash: KeyHash, key: &[u8]) {
        let hits = self.keys.entry(hash).or_default();
        if hits.iter().all(|hit| *hit.key != *key) {
            hits.push(Hit { key: key.into(), listed: AtomicBool::new(false) });
        }
    }

    /// Looks all of them up in lists, which are read once; not at all when there is nothing to
    /// look up.
    pub fn look_up(&mut self, lists: Reading<'_>, quiet: bool) -> Result<(), Stop> {
        if self.keys.is_empty() {
            return Ok(());
        }
        let few = self.filter()?;
        let total = lists.sources.iter().map(Source::len).sum();
        let progress = Progress::reading(total, quiet);
        lists.each_part(
            &[lists.seed],
            |mut part| {
                let hashes = &part.hashes[0];
                let mut found = vec![false; hashes.len()];
                few.contains_hashes(hashes, &mut found);
                for (at, record) in part.records.enumerate().filter(|(at, _)| found[*at]) {
                    if let Some(hits) = self.keys.get(&hashes[at]) {
                        let key = part.key(at, record);
                        let same = hits.iter().filter(|hit| *hit.key == *key);
                        same.for_each(|hit| hit.listed.store(true, Ordering::Relaxed));
                    }
                }
            },
            |keyed, ()| {
                progress.advance(keyed.bytes);
                Ok(ON)
            },
        )?;
        Ok(())
    }

    /// Most of a long list is none of the few keys, and this says so in one look.
    fn filter(&self) -> Result<Blocked, Stop> {
        let stop = |error: &dyn std::fmt::Display| Stop::Error(error.to_string());
        let target = Target::new(self.keys.len() as u64, 0.01).map_err(|error| stop(&error))?;
        let mut few = Blocked::with_seed(target, Seed::EXTERNAL).map_err(|error| stop(&error))?;
        for hash in self.keys.keys() {
            few.insert_hash(*hash).map_err(|error| stop(&error))?;
        }
        Ok(few)
    }

    /// Whether a key is in the list.
    pub fn are_with(&self, hash: KeyHash, key: &[u8]) -> bool {
        let hits = self.keys.get(&hash).map_or(&[][..], Vec::as_slice);
        hits.iter().any(|hit| *hit.key == *key && hit.listed.load(Ordering::Relaxed))
    }
}
