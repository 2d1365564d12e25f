//! Keys that are hashed block by block, on the thread that needs them: columns of other programs,
//! which are not slices of [`Key`](crate::Key)s.

use super::threads::{Threads, try_each};
use crate::parts::hash::KeyHash;
use std::ops::Range;

/// Writes the hashes of a range of keys. Called from many threads.
pub type HashBlock<'a> = dyn Fn(Range<usize>, &mut [KeyHash]) + Sync + 'a;

/// Keys per block: 16 KiB of hashes, half of a first-level cache.
const BLOCK: usize = 2048;
/// Keys of one job of a thread.
const JOB: usize = 16 * BLOCK;
/// Lookups for which a thread is worth starting: it takes some 30 µs, and a lookup 3 ns or more.
const SHARE: usize = 1 << 15;

/// Looks up keys on at most `threads` threads. `hashes` may fail; then what is in `found` means
/// nothing.
pub(crate) fn contains<E: Send>(
    found: &mut [bool],
    hashes: impl Fn(Range<usize>, &mut [KeyHash]) -> Result<(), E> + Sync,
    contains: impl Fn(&[KeyHash], &mut [bool]) + Sync,
    threads: Threads,
) -> Result<(), E> {
    let threads = threads.at_most(found.len() / SHARE);
    try_each(threads, found.chunks_mut(JOB).enumerate(), |(number, found)| {
        let mut block = [KeyHash(0); BLOCK];
        let mut at = number * JOB;
        for found in found.chunks_mut(BLOCK) {
            let block = &mut block[..found.len()];
            hashes(at..at + found.len(), block)?;
            contains(block, found);
            at += found.len();
        }
        Ok(())
    })
}

/// Passes on the hashes of `count` keys, block by block.
pub(crate) fn each<E>(
    count: usize,
    hashes: &HashBlock<'_>,
    mut take: impl FnMut(&[KeyHash]) -> Result<(), E>,
) -> Result<(), E> {
    let mut block = [KeyHash(0); BLOCK];
    for start in (0..count).step_by(BLOCK) {
        let block = &mut block[..BLOCK.min(count - start)];
        hashes(start..start + block.len(), block);
        take(block)?;
    }
    Ok(())
}

/// Hashes of a range of keys, made a block at a time.
pub(crate) struct Rolling<'a> {
    hashes: &'a HashBlock<'a>,
    rest: Range<usize>,
    block: Box<[KeyHash]>,
    at: usize,
}

/// Shorter than [`BLOCK`]: beside this, buckets want the cache.
const ROLLING: usize = 512;

impl<'a> Rolling<'a> {
    pub(crate) fn new(hashes: &'a HashBlock<'a>, keys: Range<usize>) -> Rolling<'a> {
        let block = vec![KeyHash(0); ROLLING.min(keys.len())].into();
        let mut rolling = Rolling { hashes, rest: keys, block, at: 0 };
        rolling.refill();
        rolling
    }

    /// Makes the next block; none at the end.
    #[inline(never)]
    fn refill(&mut self) {
        let start = self.rest.start;
        let end = self.rest.end.min(start + ROLLING);
        self.rest.start = end;
        // The last block lies at the end, so that `block.len() - at` hashes are left.
        self.at = self.block.len() - (end - start);
        (self.hashes)(start..end, &mut self.block[self.at..]);
    }
}

impl Iterator for Rolling<'_> {
    type Item = KeyHash;

    #[inline]
    fn next(&mut self) -> Option<KeyHash> {
        if self.at == self.block.len() {
            if self.rest.is_empty() {
                return None;
            }
            self.refill();
        }
        let hash = self.block[self.at];
        self.at += 1;
        Some(hash)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.block.len() - self.at + self.rest.len();
        (left, Some(left))
    }
}

impl ExactSizeIterator for Rolling<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_hashed_once_and_in_order() {
        let hashes = |keys: Range<usize>, block: &mut [KeyHash]| {
            assert_eq!(keys.len(), block.len());
            block.iter_mut().zip(keys).for_each(|(slot, key)| *slot = KeyHash(key as u64));
        };
        for count in [0, 1, 511, 512, 513, 1024, 5000] {
            let rolling = Rolling::new(&hashes, 7..7 + count);
            assert_eq!(rolling.len(), count);
            let all: Vec<_> = rolling.map(|hash| hash.0).collect();
            assert_eq!(all, (7..7 + count as u64).collect::<Vec<_>>());
            let mut all = Vec::new();
            let done: Result<(), ()> = each(count, &hashes, |block| {
                all.extend(block.iter().map(|hash| hash.0));
                Ok(())
            });
            assert_eq!((done, all), (Ok(()), (0..count as u64).collect::<Vec<_>>()));
        }
    }

    #[test]
    fn lookups_on_threads_are_those_on_one() {
        let hashes = |keys: Range<usize>, block: &mut [KeyHash]| {
            block.iter_mut().zip(keys).for_each(|(slot, key)| *slot = KeyHash(key as u64));
            Ok::<(), usize>(())
        };
        let odd = |keys: &[KeyHash], found: &mut [bool]| {
            found.iter_mut().zip(keys).for_each(|(found, key)| *found = key.0 % 2 == 1);
        };
        for threads in 1..4 {
            let mut found = vec![false; 5 * SHARE + 3];
            contains(&mut found, hashes, odd, Threads::new(threads)).unwrap();
            assert!(found.iter().enumerate().all(|(at, found)| *found == (at % 2 == 1)));
            let fails = |keys: Range<usize>, _: &mut [KeyHash]| match keys.start >= 2 * JOB {
                true => Err(keys.start),
                false => Ok(()),
            };
            let failed = contains(&mut found, fails, odd, Threads::new(threads));
            assert_eq!(failed, Err(2 * JOB), "the first in order");
        }
    }
}
