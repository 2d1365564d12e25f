//! Dividing keys into shards.
//!
//! A shard is a range of hashes, so the shards of sorted hashes are contiguous. Their number
//! depends on the number of items alone, and each shard is solved separately. So threads, memory
//! and the order of keys change how a filter is built, but not the filter.

use crate::batch::sort::sort;
use crate::batch::source::{Hashed, KeySource, Work};
use crate::batch::threads::{Threads, try_each};
use crate::error::{BuildError, OutOfMemory};
use crate::parts::hash::KeyHash;
use crate::parts::probes::scale;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The shard of a key, out of `shards`.
#[inline]
pub(crate) fn shard_of(key: KeyHash, shards: u64) -> u64 {
    scale(key.0, shards)
}

/// Solves every shard: `solve` gets its number and its hashes, sorted and deduplicated (a hash with
/// two values stays twice), and may overwrite them. `items` is roughly how many there will be.
pub(crate) fn each_shard<T: Hashed, R: Send>(
    source: &mut dyn KeySource<T>,
    items: u64,
    shards: NonZero<u64>,
    work: Work<'_>,
    solve: impl Fn(u64, &mut [T]) -> Result<R, BuildError> + Sync,
) -> Result<Vec<R>, BuildError> {
    let shards = shards.get();
    let (mut results, mut first) = (Vec::new(), None);
    let (mut items, mut solved) = (items, 0);
    while solved < shards {
        let part = solved..shards.min(solved + at_once(items, size_of::<T>(), shards, work));
        solved = part.end;
        let (mut keys, tally) = collect(source, &part, shards, items, work)?;
        let first: Reading = *first.get_or_insert(tally);
        if tally != first {
            return Err(BuildError::Changed { first: first.keys, again: tally.keys });
        }
        // With fewer keys than announced, more shards fit in memory.
        items = items.min(first.keys);
        solve_all(&mut keys, part, shards, work, &solve, &mut results)?;
    }
    Ok(results)
}

/// How many shards are held in memory at once.
fn at_once(items: u64, size: usize, shards: u64, work: Work<'_>) -> u64 {
    let bytes = (items as f64 * size as f64 / shards as f64).max(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let fit = (work.most_memory() as f64 / bytes) as u64;
    fit.max(work.cores().get() as u64).min(shards)
}

/// What one pass over the keys yielded, independent of their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reading {
    keys: u64,
    sum: u64,
}

impl Reading {
    fn add<T: Hashed>(&mut self, keys: &[T]) {
        self.keys += keys.len() as u64;
        self.sum = keys.iter().fold(self.sum, |sum, key| sum.wrapping_add(key.digest()));
    }
}

/// The hashes of some shards, sorted and deduplicated; and the summary of the pass, unless these
/// are all shards.
fn collect<T: Hashed>(
    source: &mut dyn KeySource<T>,
    part: &Range<u64>,
    shards: u64,
    items: u64,
    work: Work<'_>,
) -> Result<(Vec<T>, Reading), BuildError> {
    let all = part.end - part.start == shards;
    let (mut keys, mut tally) = (Vec::<T>::new(), Reading::default());
    let share = items as f64 * (part.end - part.start) as f64 / shards as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let expected = (share * 1.01 + 1000.0) as usize;
    let mut refused = None;
    let mut take = |batch: &[T]| {
        if !all {
            tally.add(batch);
        }
        for key in batch {
            if refused.is_some() || !(all || part.contains(&shard_of(key.hash(), shards))) {
                continue;
            }
            if keys.len() == keys.capacity() {
                refused = make_room(&mut keys, expected).err();
            }
            if refused.is_none() {
                keys.push(*key);
            }
        }
    };
    let given = if all { source.give() } else { None };
    match given {
        Some(given) => keys = given,
        None => source.each(&mut take)?,
    }
    if let Some(out_of_memory) = refused {
        return Err(out_of_memory.into());
    }
    sort(&mut keys, work.cores());
    keys.dedup();
    // Solving needs the memory that repeated keys took. No less is freed: results would be
    // allocated there, and the next part would find no room as large.
    if keys.capacity() > expected {
        keys.shrink_to_fit();
    }
    Ok((keys, tally))
}

/// Bytes of hashes that are allocated at once. Vectors above 32 MiB grow in place, at least with
/// glibc's allocator: the system moves their pages. Smaller ones are copied, and for a million keys
/// doubling from 4096 on took a third more memory in a ribbon's build than all at once.
const AT_ONCE: usize = 64 << 20;

/// Makes room in a full vector: doubles it up to the expected number, so that a number far too
/// large costs nothing. Beyond that, repeated keys are dropped before more is allocated.
fn make_room<T: Hashed>(keys: &mut Vec<T>, expected: usize) -> Result<(), OutOfMemory> {
    let full = keys.len();
    let more = if full < expected {
        full.max(AT_ONCE / size_of::<T>()).min(expected - full)
    } else {
        sort(keys, Threads::ONE);
        keys.dedup();
        if keys.len() <= full / 8 * 7 {
            return Ok(());
        }
        full
    };
    let bytes = (keys.len() as u64 + more as u64).saturating_mul(size_of::<T>() as u64);
    keys.try_reserve_exact(more).map_err(|_| OutOfMemory { bytes })
}

/// Solves the shards of these keys, and appends the results.
fn solve_all<T: Hashed, R: Send>(
    keys: &mut [T],
    part: Range<u64>,
    shards: u64,
    work: Work<'_>,
    solve: &(impl Fn(u64, &mut [T]) -> Result<R, BuildError> + Sync),
    results: &mut Vec<R>,
) -> Result<(), BuildError> {
    let total = part.end - part.start;
    let bytes = total.saturating_mul(size_of::<Option<R>>() as u64);
    let out_of_memory = OutOfMemory { bytes };
    let total = usize::try_from(total).map_err(|_| out_of_memory)?;
    let mut solved: Vec<Option<R>> = Vec::new();
    solved.try_reserve_exact(total).map_err(|_| out_of_memory)?;
    solved.resize_with(total, || None);
    solve_each(keys, part, shards, work, solve, &mut solved)?;
    results.try_reserve(total).map_err(|_| out_of_memory)?;
    results.extend(solved.into_iter().flatten());
    Ok(())
}

/// Solves shards on all threads, each into its own result.
fn solve_each<T: Hashed, R: Send>(
    keys: &mut [T],
    part: Range<u64>,
    shards: u64,
    work: Work<'_>,
    solve: &(impl Fn(u64, &mut [T]) -> Result<R, BuildError> + Sync),
    solved: &mut [Option<R>],
) -> Result<(), BuildError> {
    let done = AtomicU64::new(part.start);
    let threads = work.cores().at_most(solved.len());
    // A job is a shard's number, its keys, and where its result goes. Jobs are split off as they
    // are handed out: a number of items far too large makes many, and all but a few of them
    // empty.
    let mut rest = keys;
    let jobs = part.zip(solved).map(|(shard, result)| {
        let len = rest.partition_point(|key| shard_of(key.hash(), shards) <= shard);
        let (own, others) = std::mem::take(&mut rest).split_at_mut(len);
        rest = others;
        (shard, own, result)
    });
    try_each(threads, jobs, |(shard, keys, result)| {
        *result = Some(solve(shard, keys)?);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(tell) = work.teller() {
            tell(done, shards);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests;
