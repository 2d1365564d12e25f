//! Counting distinct keys exactly, within a memory limit.
//!
//! Keys are kept as their 8-byte hashes. Two keys with the same hash count once, which is right: no
//! filter can tell them apart either. For kinds to which repetitions and order matter, all hashes
//! are kept, in order.

use anther::batch::sort::sort;
use anther::batch::source::Hashed;
use anther::{KeyHash, Threads};

/// What can be counted. Sorting is written out for both sorts of keys, so that it is compiled here: a generic one would
/// be compiled where it is called, without the optimisation that this crate gets.
pub trait Countable: Hashed {
    /// Sorts, and keeps one of each.
    fn sort_and_dedup(hashes: &mut Vec<Self>);
}

impl Countable for KeyHash {
    fn sort_and_dedup(hashes: &mut Vec<KeyHash>) {
        sort(hashes, Threads::all());
        hashes.dedup();
    }
}

impl Countable for (KeyHash, u64) {
    fn sort_and_dedup(hashes: &mut Vec<(KeyHash, u64)>) {
        sort(hashes, Threads::all());
        hashes.dedup();
    }
}

/// The hashes so far, with or without a value each.
pub struct Distinct<T = KeyHash> {
    hashes: Vec<T>,
    /// How many fit into memory.
    most: usize,
    /// Whether repetitions are kept.
    all: bool,
}

/// More distinct keys than fit into memory.
#[derive(Debug)]
pub struct TooMany;

/// The first allocation: 512 KiB.
const FIRST: usize = 1 << 16;

impl<T: Countable> Distinct<T> {
    /// Keeps distinct hashes, in at most this many bytes.
    pub fn within(bytes: u64) -> Distinct<T> {
        let most = bytes / size_of::<T>() as u64;
        let most = usize::try_from(most).unwrap_or(usize::MAX).max(1);
        Distinct { hashes: Vec::new(), most, all: false }
    }

    /// Keeps all hashes in order, in at most this many bytes. Half of them are for counting the
    /// distinct ones.
    pub fn keeping_all(bytes: u64) -> Distinct<T> {
        Distinct { all: true, ..Distinct::within(bytes / 2) }
    }

    /// Adds hashes.
    pub fn extend(&mut self, mut more: &[T]) -> Result<(), TooMany> {
        while !more.is_empty() {
            if self.hashes.len() == self.most {
                self.compact();
                // If sorting gains less room than this, the next sort would come too soon.
                if self.most - self.hashes.len() < (self.most / 8).max(1) {
                    return Err(TooMany);
                }
            }
            self.grow()?;
            let room = self.hashes.capacity().min(self.most) - self.hashes.len();
            let (now, later) = more.split_at(room.min(more.len()));
            self.hashes.extend_from_slice(now);
            more = later;
        }
        Ok(())
    }

    /// Doubles the capacity when it is used up, but stops at the limit, which `Vec` would not.
    fn grow(&mut self) -> Result<(), TooMany> {
        let len = self.hashes.len();
        if len < self.hashes.capacity() {
            return Ok(());
        }
        let wanted = (len * 2).clamp(FIRST, self.most.max(FIRST)).min(self.most);
        self.hashes.try_reserve_exact(wanted - len).map_err(|_| TooMany)
    }

    fn compact(&mut self) {
        if !self.all {
            T::sort_and_dedup(&mut self.hashes);
        }
    }

    /// The hashes, each once or all in order, and how many distinct ones there are.
    pub fn finish(mut self) -> (Vec<T>, u64) {
        self.compact();
        if !self.all {
            let distinct = self.hashes.len() as u64;
            return (self.hashes, distinct);
        }
        let mut distinct = Distinct { all: false, ..Distinct::<T>::within(u64::MAX) };
        distinct.hashes.clone_from(&self.hashes);
        let distinct = distinct.finish().1;
        (self.hashes, distinct)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(range: std::ops::Range<u64>) -> Vec<KeyHash> {
        range.map(KeyHash).collect()
    }

    #[test]
    fn each_counts_once() {
        let mut distinct = Distinct::within(1 << 20);
        distinct.extend(&hashes(0..70_000)).unwrap();
        distinct.extend(&hashes(10..20)).unwrap();
        assert_eq!(distinct.finish(), (hashes(0..70_000), 70_000));
        assert_eq!(Distinct::<KeyHash>::within(8).finish(), (vec![], 0));
    }

    #[test]
    fn repetitions_need_no_memory_and_distinct_keys_do() {
        let mut distinct = Distinct::within(16 * 8);
        for _ in 0..100 {
            distinct.extend(&hashes(0..10)).unwrap();
        }
        assert!(distinct.hashes.capacity() <= 16);
        assert!(distinct.extend(&hashes(100..200)).is_err());
        let mut full = Distinct::within(16 * 8);
        full.extend(&hashes(0..16)).unwrap();
        assert_eq!(full.finish().1, 16);

        let mut all = Distinct::keeping_all(32 * 8);
        for _ in 0..2 {
            all.extend(&hashes(0..8)).unwrap();
        }
        assert!(all.extend(&hashes(0..1)).is_err());
        assert_eq!(all.finish(), ([hashes(0..8), hashes(0..8)].concat(), 8));
    }
}
