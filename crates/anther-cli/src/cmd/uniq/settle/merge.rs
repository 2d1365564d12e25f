//! Merges sorted files of numbers.

use super::super::spill::{Spill, SpillReader, words};
use crate::exit::Stop;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Numbers of several files in ascending order, with their counts.
pub struct Merged {
    readers: Vec<SpillReader>,
    /// The next pair of each file.
    next: BinaryHeap<Reverse<(u64, u64, usize)>>,
}

impl Merged {
    /// Each file must be sorted. The buffers take at most this many bytes.
    pub fn new(files: Vec<Spill<'_>>, limit: u64) -> Result<Merged, Stop> {
        let buffer = limit / (files.len() as u64).max(1);
        let buffer = usize::try_from(buffer).unwrap_or(usize::MAX).clamp(512, 1 << 16);
        let readers = files.into_iter().map(|file| file.read(buffer)).collect::<Result<_, _>>()?;
        let mut merged = Merged { readers, next: BinaryHeap::new() };
        (0..merged.readers.len()).try_for_each(|at| merged.fetch(at))?;
        Ok(merged)
    }

    fn fetch(&mut self, at: usize) -> Result<(), Stop> {
        if let Some([number, count]) = words(&mut self.readers[at])? {
            self.next.push(Reverse((number, count, at)));
        }
        Ok(())
    }
}

impl Iterator for Merged {
    type Item = Result<(u64, u64), Stop>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((number, count, at)) = self.next.pop()?;
        Some(self.fetch(at).map(|()| (number, count)))
    }
}
