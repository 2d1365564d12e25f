//! Exact answers: what may be in the set is looked up in the list that the set was made from.

use crate::exit::Stop;
use crate::input::Source;
use crate::keys::{ON, Reading};
use crate::progress::Progress;
use anther::{Blocked, Filter, Insert, KeyHash, Seed, Target};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};

/// The keys to which a filter said maybe, and which of them are in the list.
#[derive(Default)]
pub struct Hits {
    /// The keys, one after the other.
    bytes: Vec<u8>,
    hits: Vec<Hit>,
    /// The last hit with a hash.
    last: HashMap<KeyHash, u32, BuildHasherDefault<Itself>>,
}

/// A key: about 60 bytes with all that leads to it, and its own. One allocation for each, and a
/// hash of the hash, took 200 and four times as long.
struct Hit {
    start: usize,
    len: u32,
    listed: AtomicBool,
    /// The one before it with the same hash, which is another key.
    before: Option<u32>,
}

/// A hash is as good as its hash.
#[derive(Default)]
struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        // Nothing but whole words come here.
        for byte in bytes {
            self.0 = self.0 << 8 | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

impl Hits {
    /// One more key to look up.
    pub fn add(&mut self, hash: KeyHash, key: &[u8]) -> Result<(), Stop> {
        if self.find(hash, key).is_some() {
            return Ok(());
        }
        let (Ok(number), Ok(len)) = (u32::try_from(self.hits.len()), u32::try_from(key.len()))
        else {
            let cause = "more than 4 billion keys to look up; ask for fewer at once";
            return Err(Stop::about("--confirm", cause));
        };
        let before = self.last.insert(hash, number);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.hits.push(Hit { start, len, listed: AtomicBool::new(false), before });
        Ok(())
    }

    fn find(&self, hash: KeyHash, key: &[u8]) -> Option<&Hit> {
        let mut next = self.last.get(&hash).copied();
        while let Some(number) = next {
            let hit = &self.hits[number as usize];
            if self.bytes[hit.start..hit.start + hit.len as usize] == *key {
                return Some(hit);
            }
            next = hit.before;
        }
        None
    }

    /// Looks all of them up in lists, which are read once; not at all when there is nothing to
    /// look up.
    pub fn look_up(&mut self, lists: Reading<'_>, quiet: bool) -> Result<(), Stop> {
        if self.hits.is_empty() {
            return Ok(());
        }
        let few = self.filter()?;
        let total = lists.sources.iter().map(Source::len).sum();
        let progress = Progress::reading(total, quiet);
        lists.each_part(
            &[lists.seed],
            true,
            |part| {
                let hashes = &part.hashes[0];
                let mut found = vec![false; hashes.len()];
                few.contains_hashes(hashes, &mut found);
                for at in (0..hashes.len()).filter(|at| found[*at]) {
                    if let Some(hit) = self.find(hashes[at], part.key(at)) {
                        hit.listed.store(true, Ordering::Relaxed);
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
        let target = Target::new(self.last.len() as u64, 0.01).map_err(|error| stop(&error))?;
        let mut few = Blocked::with_seed(target, Seed::EXTERNAL).map_err(|error| stop(&error))?;
        for hash in self.last.keys() {
            few.insert_hash(*hash).map_err(|error| stop(&error))?;
        }
        Ok(few)
    }

    /// Whether a key is in the list.
    pub fn are_with(&self, hash: KeyHash, key: &[u8]) -> bool {
        self.find(hash, key).is_some_and(|hit| hit.listed.load(Ordering::Relaxed))
    }
}
