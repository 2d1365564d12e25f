//! Looking up keys, step by step.

use super::Remote;
use crate::error::{LoadError, RemoteError};
use crate::parts::hash::KeyHash;
use std::ops::Range;

/// A lookup of some keys: [`ranges`](Lookup::ranges) to read, and [`supply`](Lookup::supply) for
/// their bytes, until no range is left. Most kinds take one such round.
#[derive(Debug)]
pub struct Lookup<'r> {
    remote: &'r mut Remote,
    keys: Vec<KeyHash>,
    answers: Vec<Option<bool>>,
    ranges: Vec<Range<u64>>,
}

impl<'r> Lookup<'r> {
    pub(super) fn begin(remote: &'r mut Remote, keys: &[KeyHash]) -> Result<Self, RemoteError> {
        remote.cells.clear();
        let (keys, answers) = (keys.to_vec(), vec![None; keys.len()]);
        let mut lookup = Lookup { remote, keys, answers, ranges: Vec::new() };
        lookup.advance()?;
        Ok(lookup)
    }

    /// The ranges of bytes to read next, in increasing order and apart from each other. Empty when
    /// all keys are answered.
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    /// Takes the bytes of each range. After an error, the lookup can be repeated with other bytes.
    pub fn supply(&mut self, bytes: &[Vec<u8>]) -> Result<(), RemoteError> {
        self.remote.cells.take(&self.ranges, bytes)?;
        self.advance()
    }

    /// Whether each key may be in the set.
    ///
    /// # Panics
    /// While there are [ranges](Lookup::ranges) to read.
    pub fn found(self) -> Vec<bool> {
        assert!(self.ranges.is_empty(), "there are ranges to read");
        self.answers.iter().map(|answer| *answer == Some(true)).collect()
    }

    /// Answers what can be answered, and plans what to read for the rest.
    fn advance(&mut self) -> Result<(), RemoteError> {
        loop {
            let Remote { filter, cells, .. } = &mut *self.remote;
            for (key, answer) in self.keys.iter().zip(&mut self.answers) {
                if answer.is_none() {
                    *answer = filter.contains(cells, *key);
                }
            }
            self.ranges = Vec::new();
            if self.answers.iter().all(Option::is_some) {
                return Ok(());
            }
            let before = cells.wanted();
            self.ranges = cells.plan()?;
            if !self.ranges.is_empty() {
                return Ok(());
            }
            if before == 0 {
                return Err(LoadError::Header("section beyond the end of the file").into());
            }
        }
    }
}
