//! The other keys that pass the first layer, while they are read.

use super::super::ribbon::Ribbon;
use super::sizing::most_kept;
use crate::batch::sort::sort;
use crate::batch::threads::Threads;
use crate::error::OutOfMemory;
use crate::parts::hash::KeyHash;

/// The keys that pass the first columns of a filter. Adds a column when too many do.
///
/// Which columns these are at the end depends on the set of keys alone: a column is added only if
/// more than [`most_kept`] distinct keys pass the others, and then that is true of all keys, too.
pub(super) struct Kept<'a> {
    /// The members, with more columns than will be needed.
    filter: &'a Ribbon,
    /// How many of them a key must pass.
    columns: u32,
    most_columns: u32,
    /// More than these are too many for the number of columns.
    most: usize,
    /// May contain keys twice.
    keys: Vec<KeyHash>,
    /// How many keys are gathered before those that are repeated or too many are dropped.
    room: usize,
    /// How many keys were read.
    read: u64,
    refused: Option<OutOfMemory>,
    threads: Threads,
}

impl<'a> Kept<'a> {
    pub(super) fn new(
        filter: &'a Ribbon,
        columns: u32,
        most_columns: u32,
        threads: Threads,
    ) -> Kept<'a> {
        let most = usize::try_from(most_kept(filter.items())).unwrap_or(usize::MAX);
        let room = most.saturating_add(most / 4);
        let (keys, read, refused) = (Vec::new(), 0, None);
        Kept { filter, columns, most_columns, most, keys, room, read, refused, threads }
    }

    pub(super) fn extend(&mut self, keys: &[KeyHash]) {
        self.read = self.read.saturating_add(keys.len() as u64);
        if self.refused.is_some() {
            return;
        }
        for key in keys {
            // First, because it may add a column, which this key has to pass, too.
            if self.keys.len() >= self.room {
                self.reduce();
                if self.keys.len() > self.most {
                    // There are no more columns.
                    self.room = self.room.max(self.keys.len().saturating_mul(2));
                }
            }
            if !self.filter.contains_in(*key, self.columns) {
                continue;
            }
            if self.keys.len() == self.keys.capacity()
                && let Err(out_of_memory) = self.grow()
            {
                self.refused = Some(out_of_memory);
                return;
            }
            self.keys.push(*key);
        }
    }

    fn grow(&mut self) -> Result<(), OutOfMemory> {
        // Doubled, but not beyond the room: few other keys take little memory.
        let more = self.keys.len().max(4096).min(self.room - self.keys.len()).max(1);
        let bytes = ((self.keys.len() + more) as u64).saturating_mul(8);
        self.keys.try_reserve_exact(more).map_err(|_| OutOfMemory { bytes })
    }

    /// Drops repeated keys, then adds columns while the others are too many.
    fn reduce(&mut self) {
        sort(&mut self.keys, self.threads);
        self.keys.dedup();
        while self.keys.len() > self.most && self.columns < self.most_columns {
            self.columns += 1;
            let Kept { filter, columns, keys, .. } = self;
            keys.retain(|key| filter.contains_in(*key, *columns));
        }
    }

    /// The number of columns, the keys that pass them, sorted, and how many were read.
    pub(super) fn finish(mut self) -> Result<(u32, Vec<KeyHash>, u64), OutOfMemory> {
        if let Some(out_of_memory) = self.refused {
            return Err(out_of_memory);
        }
        self.reduce();
        self.keys.shrink_to_fit();
        Ok((self.columns, self.keys, self.read))
    }
}
