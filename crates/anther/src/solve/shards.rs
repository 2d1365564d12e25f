//! Keys in shards.
//!
//! A shard is a range of hashes, so sorting the hashes puts shards side by side, each key once.
//! How many there are depends on the number of items alone, and a shard is solved by itself. So
//! threads, memory and the order of keys change how a filter is built but not what is built.

use crate::error::{BuildError, OutOfMemory};
use crate::parts::hash::KeyHash;
use crate::parts::probes::scale;
use std::num::NonZero;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// What goes into shards: a hash, alone or with a value. It is sorted by the hash first.
pub trait Hashed: Copy + Ord + Send + Sync {
    /// The hash.
    fn hash(&self) -> KeyHash;
}

impl Hashed for KeyHash {
    #[inline]
    fn hash(&self) -> KeyHash {
        *self
    }
}

impl Hashed for (KeyHash, u64) {
    #[inline]
    fn hash(&self) -> KeyHash {
        self.0
    }
}

/// Hashes that can be read several times: where they do not all fit in memory at once, they are
/// read again for each part of them.
pub trait Source<T = KeyHash> {
    /// Hands on all hashes, in any order, some of them perhaps twice.
    fn each(&mut self, take: &mut dyn FnMut(&[T])) -> Result<(), BuildError>;
}

impl<T> Source<T> for &[T] {
    fn each(&mut self, take: &mut dyn FnMut(&[T])) -> Result<(), BuildError> {
        take(self);
        Ok(())
    }
}

/// A source from a function that gives an iterator, each time from the beginning.
#[derive(Clone, Copy, Debug)]
pub struct Again<F>(pub F);

impl<T, F: FnMut() -> I, I: IntoIterator<Item = T>> Source<T> for Again<F> {
    fn each(&mut self, take: &mut dyn FnMut(&[T])) -> Result<(), BuildError> {
        let mut buffer = Vec::with_capacity(BATCH);
        for key in (self.0)() {
            buffer.push(key);
            if buffer.len() == BATCH {
                take(&buffer);
                buffer.clear();
            }
        }
        take(&buffer);
        Ok(())
    }
}

const BATCH: usize = 4096;

/// How a build may use the machine. None of it changes what is built.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    threads: NonZero<usize>,
    memory: u64,
    progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
}

impl Default for Work<'_> {
    fn default() -> Self {
        Work::new()
    }
}

impl std::fmt::Debug for Work<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Work {{ threads: {}, memory: {} }}", self.threads, self.memory)
    }
}

impl<'a> Work<'a> {
    /// All cores, and as much memory as the hashes take.
    pub fn new() -> Work<'a> {
        let threads = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        Work { threads, memory: u64::MAX, progress: None }
    }

    /// On so many threads.
    pub fn threads(self, threads: NonZero<usize>) -> Work<'a> {
        Work { threads, ..self }
    }

    /// With at most so many bytes of hashes at once, but at least one shard a thread. Fewer bytes
    /// mean more passes over the keys.
    pub fn memory(self, bytes: u64) -> Work<'a> {
        Work { memory: bytes, ..self }
    }

    /// Tells how many shards of how many are done. It is called from many threads.
    pub fn progress(self, tell: &'a (dyn Fn(u64, u64) + Sync)) -> Work<'a> {
        Work { progress: Some(tell), ..self }
    }

    /// The same, but telling nobody: for what comes after the keys' own shards.
    pub(crate) fn quiet(self) -> Work<'a> {
        Work { progress: None, ..self }
    }
}

/// The shard of a key, of so many.
#[inline]
pub(crate) fn shard_of(key: KeyHash, shards: u64) -> u64 {
    scale(key.0, shards)
}

/// Solves every shard: `solve` gets its number and its hashes, sorted, each once (a hash with
/// two values twice), and may change them as it likes. `items` is about how many there will be.
pub(crate) fn each_shard<T: Hashed, R: Send>(
    source: &mut dyn Source<T>,
    items: u64,
    shards: NonZero<u64>,
    work: Work<'_>,
    solve: impl Fn(u64, &mut [T]) -> Result<R, BuildError> + Sync,
) -> Result<Vec<R>, BuildError> {
    let shards = shards.get();
    let mut results = Vec::new();
    for part in passes(items, size_of::<T>(), shards, work) {
        let mut keys = collect(source, &part, shards, items)?;
        results.extend(solve_all(&mut keys, part, shards, work, &solve)?);
    }
    Ok(results)
}

/// Which shards are held at once.
fn passes(
    items: u64,
    size: usize,
    shards: u64,
    work: Work<'_>,
) -> impl Iterator<Item = Range<u64>> {
    let bytes = (items as f64 * size as f64 / shards as f64).max(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let fit = (work.memory as f64 / bytes) as u64;
    let at_once = fit.max(work.threads.get() as u64).min(shards);
    (0..shards.div_ceil(at_once)).map(move |pass| {
        let first = pass * at_once;
        first..(first + at_once).min(shards)
    })
}

/// The hashes of some shards, sorted, each once.
fn collect<T: Hashed>(
    source: &mut dyn Source<T>,
    part: &Range<u64>,
    shards: u64,
    items: u64,
) -> Result<Vec<T>, BuildError> {
    let all = part.end - part.start == shards;
    let mut keys: Vec<T> = Vec::new();
    let share = items as f64 * (part.end - part.start) as f64 / shards as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let expected = (share * 1.01) as usize + 1000;
    let mut failed = keys.try_reserve_exact(expected).is_err();
    let mut take = |batch: &[T]| {
        for key in batch {
            if failed || !(all || part.contains(&shard_of(key.hash(), shards))) {
                continue;
            }
            if keys.len() == keys.capacity() {
                // Repetitions go before more memory is asked for.
                keys.sort_unstable();
                keys.dedup();
                failed = keys.len() > keys.capacity() / 8 * 7
                    && keys.try_reserve(keys.capacity() / 4).is_err();
            }
            if !failed {
                keys.push(*key);
            }
        }
    };
    source.each(&mut take)?;
    if failed {
        return Err(
            OutOfMemory { bytes: (expected as u64).saturating_mul(size_of::<T>() as u64) }.into()
        );
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(keys)
}

fn solve_all<T: Hashed, R: Send>(
    keys: &mut [T],
    part: Range<u64>,
    shards: u64,
    work: Work<'_>,
    solve: &(impl Fn(u64, &mut [T]) -> Result<R, BuildError> + Sync),
) -> Result<Vec<R>, BuildError> {
    // The jobs are handed out from the last on; each is a shard's number and its keys.
    let mut rest = keys;
    let mut jobs = Vec::new();
    let first = part.start;
    for shard in part.clone() {
        let len = rest.partition_point(|key| shard_of(key.hash(), shards) <= shard);
        let (own, others) = rest.split_at_mut(len);
        jobs.push((shard, own));
        rest = others;
    }
    jobs.reverse();
    let total = jobs.len();
    let jobs = std::sync::Mutex::new(jobs);
    let (done, stopped) = (AtomicU64::new(first), AtomicBool::new(false));
    let run = || {
        let mut results = Vec::new();
        while !stopped.load(Ordering::Relaxed) {
            let job = jobs.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).pop();
            let Some((shard, keys)) = job else { break };
            let result = solve(shard, keys);
            if result.is_err() {
                stopped.store(true, Ordering::Relaxed);
            }
            results.push((shard, result));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Some(tell) = work.progress {
                tell(done, shards);
            }
        }
        results
    };
    let threads = work.threads.get().min(total).max(1);
    let mut results = if threads == 1 {
        run()
    } else {
        thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
            let join = |worker: thread::ScopedJoinHandle<'_, Vec<_>>| {
                worker.join().unwrap_or_else(|panic| resume_unwind(panic))
            };
            workers.into_iter().flat_map(join).collect::<Vec<_>>()
        })
    };
    results.sort_unstable_by_key(|(shard, _)| *shard);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(n: u64) -> Vec<KeyHash> {
        (0..n).map(|i| KeyHash(i).again(0)).collect()
    }

    #[test]
    fn shards_are_the_same_however_they_are_made() {
        let mut all = keys(10_000);
        let shards = NonZero::new(7).unwrap();
        let list = |_, keys: &mut [KeyHash]| Ok(keys.to_vec());
        let once = each_shard(&mut &all[..], 10_000, shards, Work::new(), list).unwrap();
        assert_eq!(once.len(), 7);
        assert_eq!(once.concat().len(), 10_000);
        assert!(once.concat().is_sorted());
        for (shard, keys) in (0..).zip(&once) {
            assert!(keys.iter().all(|key| shard_of(*key, 7) == shard));
        }
        all.reverse();
        all.extend_from_within(..5000);
        for (threads, memory) in [(1, 1), (1, 20_000), (2, 30_000), (3, u64::MAX), (16, 1)] {
            let work = Work::new().threads(NonZero::new(threads).unwrap()).memory(memory);
            let again = each_shard(&mut &all[..], 10_000, shards, work, list).unwrap();
            assert_eq!(again, once, "{threads} threads, {memory} bytes");
            let mut source = Again(|| all.iter().copied());
            let again = each_shard(&mut source, 10_000, shards, work, list).unwrap();
            assert_eq!(again, once, "{threads} threads, {memory} bytes, by iterator");
        }
    }

    #[test]
    fn progress_counts_to_the_end_and_an_error_stops() {
        let all = keys(1000);
        let seen = std::sync::Mutex::new(Vec::new());
        let tell = |done, total| seen.lock().unwrap().push((done, total));
        let shards = NonZero::new(5).unwrap();
        let work = Work::new().memory(3000).progress(&tell);
        each_shard(&mut &all[..], 1000, shards, work, |_, _| Ok(())).unwrap();
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, (1..=5).map(|done| (done, 5)).collect::<Vec<_>>());

        let fail = |shard, _: &mut [KeyHash]| match shard {
            3 => Err(BuildError::from(OutOfMemory { bytes: 1 })),
            _ => Ok(()),
        };
        assert!(each_shard(&mut &all[..], 1000, shards, Work::new(), fail).is_err());
    }

    #[test]
    fn no_keys_are_empty_shards() {
        let shards = NonZero::new(3).unwrap();
        let none: &[KeyHash] = &[];
        let lens = each_shard(&mut { none }, 0, shards, Work::new(), |_, keys| Ok(keys.len()));
        assert_eq!(lens, Ok(vec![0, 0, 0]));
    }
}
