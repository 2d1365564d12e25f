//! Bulk insert into plain bits, on threads that own parts of the memory.
//!
//! Beyond the caches an insert reads a random cache line and later writes it back, and threads that
//! share lines wait for each other. So keys are first scattered into buckets, one for each part of
//! the memory. Then one thread empties the bucket of a part while that part is in its cache.
//! Buckets are written in order, so nearly all memory accesses are sequential. Bits are only ever
//! set, so the order of keys does not matter: the result is bit for bit that of single inserts.

use super::Hashes;
use super::threads::{Threads, for_each};
use crate::parts::hash::KeyHash;
use crate::parts::memory::OutOfMemory;
use crate::parts::probes::index;
use crate::parts::words::Words;
use std::ops::Range;

/// Where the bits of a key go, and how they get there later: a job for each unit that a key touches.
#[expect(unnameable_types, reason = "sealed")]
pub trait Scatter: Copy + Send + Sync {
    /// Bits of a unit: a bit, a line or a block.
    const UNIT: u64;
    /// How many jobs a key has.
    fn jobs_per_key(&self) -> usize;
    /// The jobs of a key: of each its unit, and a number that says what to do there.
    fn each_job(&self, key: KeyHash, give: impl FnMut(u64, u64));
    /// Does jobs in a part of the words that begins with this unit.
    fn do_jobs(&self, words: &mut [u64], first: u64, jobs: &[u64]);
    /// Inserts `count` keys in order. Returns how many of them had a bit that was 0.
    fn insert_hashes(&self, words: &mut [u64], count: usize, hashes: impl Hashes) -> u64;
}

/// Words of a part: 256 KiB, half of a core's second-level cache.
const PART: usize = 1 << 15;
/// The most parts. Each has a bucket with one cache line being written: 2048 lines are 128 KiB, a
/// quarter of a second-level cache of 512 KiB.
const MOST_PARTS: usize = 2048;
/// The words from which one thread gains by this where probes spread over all bits: 16 MiB, half of
/// the last-level cache of the machine where it was measured. Among 10⁸ keys `classic` took 46 to 70
/// ns per key instead of 112 to 136.
pub(crate) const WORTH_IT: usize = 1 << 21;
/// At most this many words per key: with fewer keys only a little of each part is touched, and
/// buckets cost more than they save.
pub(crate) const WORDS_PER_KEY: usize = 4;

/// Words of all buckets at most: 32 MiB. More would save passes over the filter, which are in order
/// and cost little beside the scattering.
const MOST_ROOM: usize = 1 << 22;
/// Keys for which a thread is worth starting.
pub(crate) const SHARE: usize = 4096;

/// Inserts `count` keys on at most `threads` threads. `hashes` returns the hashes of a range of
/// keys.
pub fn insert<P: Scatter, H: Hashes + ExactSizeIterator + Send>(
    pattern: &P,
    words: &mut [u64],
    count: usize,
    hashes: impl Fn(Range<usize>) -> H,
    threads: Threads,
) {
    let threads = threads.at_most(count / SHARE).get();
    let worth_it = words.len() >= WORTH_IT && count >= words.len() / WORDS_PER_KEY;
    // One thread that prefetches lines is faster than one that fills buckets: 10⁸ keys into `blocked`
    // took 15.8 ns each, and 26.4 with buckets (a Zen 4).
    let alone = threads == 1 && (P::UNIT >= 64 || !worth_it);
    let shares = if alone { 0 } else { threads };
    let parts = Parts::of(pattern, words.len(), threads);
    let share = count.div_ceil(shares.max(1));
    let room = words.len().min(MOST_ROOM) / shares.max(1);
    let buckets = (0..shares).map(|_| Buckets::new(&parts, room, share));
    match buckets.collect::<Result<Vec<_>, OutOfMemory>>() {
        Ok(mut buckets) if !buckets.is_empty() => {
            let ranges =
                (0..shares).map(|at| (at * share).min(count)..((at + 1) * share).min(count));
            let mut work: Vec<_> = ranges.map(hashes).zip(&mut buckets).collect();
            fill(pattern, words, &parts, &mut work);
        }
        // Without memory for buckets it takes longer, and that is all.
        _ => {
            pattern.insert_hashes(words, count, hashes(0..count));
        }
    }
}

/// Inserts sorted keys, and returns true; does nothing where they are not sorted, or units are single
/// bits. Units grow with the hash, so each thread owns the memory from its first key to the next
/// thread's. With buckets, one would be full at a time and all threads be started anew for each:
/// 10⁸ sorted keys took 3.5 s on two threads, and 1.0 s on one without.
pub fn insert_sorted<P: Scatter>(
    pattern: &P,
    words: &mut [u64],
    keys: &[KeyHash],
    threads: Threads,
) -> bool {
    const BATCH: usize = 512;
    if P::UNIT < 64 || !keys.is_sorted() {
        return false;
    }
    let threads = threads.at_most(keys.len() / SHARE);
    let unit_of = |key: &KeyHash| {
        let mut unit = 0;
        pattern.each_job(*key, |own, _| unit = own);
        unit
    };
    let mut shares = Vec::with_capacity(threads.get());
    let (mut words, mut rest, mut first) = (words, keys, 0);
    for share in 1..threads.get() {
        // A share ends with a unit.
        let next = unit_of(&keys[keys.len() / threads.get() * share]);
        let (own, others) = rest.split_at(rest.partition_point(|key| unit_of(key) < next));
        let (cells, behind) = words.split_at_mut(index((next - first) * (P::UNIT / 64)));
        shares.push((first, cells, own));
        (words, rest, first) = (behind, others, next);
    }
    shares.push((first, words, rest));
    for_each(threads, shares.into_iter(), |(first, words, keys)| {
        let mut jobs = [0; BATCH];
        for keys in keys.chunks(BATCH) {
            for (job, key) in jobs.iter_mut().zip(keys) {
                pattern.each_job(*key, |_, own| *job = own);
            }
            pattern.do_jobs(words, first, &jobs[..keys.len()]);
        }
    });
    true
}

/// How the memory is cut.
struct Parts {
    /// log2 of a part's units.
    units_log2: u32,
    /// Words of a part.
    words: usize,
    count: usize,
    /// What a key brings at most.
    jobs: usize,
}

impl Parts {
    fn of<P: Scatter>(pattern: &P, words: usize, threads: usize) -> Parts {
        // Parts are whole words, whatever a unit is. Small rows are cut smaller: into some parts
        // for each thread, lest one waits for the other.
        let mut part = PART;
        while part > 64 && words / part < 4 * threads {
            part /= 2;
        }
        while words / part >= MOST_PARTS {
            part *= 2;
        }
        let units = part as u64 * 64 / P::UNIT;
        let jobs = pattern.jobs_per_key();
        Parts { units_log2: units.ilog2(), words: part, count: words.div_ceil(part), jobs }
    }
}

/// What is to be done in each part, in a row of equal pieces.
struct Buckets {
    room: Words,
    filled: Vec<u32>,
    size: usize,
}

impl Buckets {
    /// Buckets of about `words` words in total, or fewer if `keys` keys need fewer.
    fn new(parts: &Parts, words: usize, keys: usize) -> Result<Buckets, OutOfMemory> {
        let needed = keys.saturating_mul(parts.jobs).saturating_mul(2);
        let size = words.min(needed) / parts.count;
        let size = size.clamp(64 + 2 * parts.jobs, 1 << 30);
        let room = Words::zeroed(parts.count.saturating_mul(size))?;
        Ok(Buckets { room, filled: vec![0; parts.count], size })
    }

    /// Throws keys in until one bucket is nearly full.
    fn throw<P: Scatter>(&mut self, pattern: &P, parts: &Parts, keys: &mut impl Hashes) {
        let (room, size) = (self.room.to_mut(), self.size);
        let last = size - parts.jobs;
        let mut full = false;
        for key in keys {
            pattern.each_job(key, |unit, job| {
                let part = index(unit >> parts.units_log2);
                let filled = &mut self.filled[part];
                room[part * size + *filled as usize] = job;
                *filled += 1;
                full |= *filled as usize > last;
            });
            if full {
                break;
            }
        }
    }

    fn jobs(&self, part: usize) -> &[u64] {
        &self.room.as_slice()[part * self.size..][..self.filled[part] as usize]
    }
}

/// Fills buckets and empties them in turn, until all keys are in.
fn fill<P: Scatter, H: Hashes + ExactSizeIterator + Send>(
    pattern: &P,
    words: &mut [u64],
    parts: &Parts,
    work: &mut [(H, &mut Buckets)],
) {
    let threads = Threads::new(work.len());
    while work.iter().any(|(keys, _)| keys.len() > 0) {
        for_each(threads, work.iter_mut(), |(keys, buckets)| buckets.throw(pattern, parts, keys));
        let buckets: Vec<&Buckets> = work.iter().map(|(_, buckets)| &**buckets).collect();
        for_each(threads, words.chunks_mut(parts.words).enumerate(), |(part, words)| {
            let first = (part as u64) << parts.units_log2;
            buckets.iter().for_each(|own| pattern.do_jobs(words, first, own.jobs(part)));
        });
        work.iter_mut().for_each(|(_, buckets)| buckets.filled.fill(0));
    }
}
