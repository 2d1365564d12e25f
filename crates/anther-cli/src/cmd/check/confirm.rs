//! Exact answers: hits are looked up in the list that the filter was built from.

use crate::exit::Stop;
use crate::input::Input;
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

/// A key takes about 60 bytes plus its own. An allocation per key and a second hash took 200 bytes
/// and four times as long.
struct Hit {
    start: usize,
    len: u32,
    listed: AtomicBool,
    /// The previous hit with the same hash, which is another key.
    before: Option<u32>,
}

/// Keys are hashes already, so they are not hashed again.
#[derive(Default)]
struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        // Not used: `KeyHash` hashes as one u64.
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
            let cause = "more than 4 billion hits to look up; split the input";
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

    /// Looks all of them up in the lists, which are read once, or not at all if there are no hits.
    pub fn look_up(&mut self, lists: Reading<'_>, quiet: bool) -> Result<(), Stop> {
        if self.hits.is_empty() {
            return Ok(());
        }
        let few = self.filter()?;
        let total = lists.sources.iter().map(Input::len).sum();
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

    /// A filter of the hits, which skips most keys of a long list after one lookup.
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
    pub fn is_listed(&self, hash: KeyHash, key: &[u8]) -> bool {
        self.find(hash, key).is_some_and(|hit| hit.listed.load(Ordering::Relaxed))
    }
}
