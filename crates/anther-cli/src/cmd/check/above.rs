//! What the keys of a batch are below.

use anther::KeyHash;
use std::ops::Range;

/// Entries that the keys of a batch are below, one after the other.
#[derive(Default)]
pub struct Above {
    bytes: Vec<u8>,
    /// Where each ends.
    pub ends: Vec<usize>,
    /// The level of each.
    pub levels: Vec<u8>,
    /// For each seed, a hash of each.
    pub hashes: Vec<Vec<KeyHash>>,
    /// Behind the last one of each key, in their number.
    pub key_ends: Vec<usize>,
}

impl Above {
    /// Empty, with room for the hashes of this many seeds.
    pub fn new(seeds: usize) -> Above {
        Above { hashes: vec![Vec::new(); seeds], ..Above::default() }
    }

    /// Adds one.
    pub fn push(&mut self, entry: &[u8], level: u8) {
        self.bytes.extend_from_slice(entry);
        self.ends.push(self.bytes.len());
        self.levels.push(level);
    }

    /// One of them.
    pub fn key(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[at]]
    }

    /// The positions of those of each key.
    pub fn spans(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.key_ends.iter().copied());
        starts.zip(self.key_ends.iter().copied()).map(|(start, end)| start..end)
    }
}
