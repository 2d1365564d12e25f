//! Many keys at once into plain bits, by threads that own parts of the memory.
//!
//! Beyond the caches an insert brings a random line in and later writes it back, and threads that
//! share the lines wait for each other. So keys are first thrown into buckets, one for each part of
//! the memory; then each part's bucket is worked off by one thread, while the part is in its cache.
//! Buckets fill one after the other without gaps, so what was random is nearly all in order. Bits
//! are only ever set, so the order of keys does not matter and the result is bit for bit that of
//! one insert after the other.

use super::plain::plumbing::{Pattern, Row};
use crate::batch::{Hashes, hashes};
use crate::error::OutOfMemory;
use crate::parts::hash::Key;
use crate::parts::probes::index;
use crate::parts::words::Words;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::thread;

/// Words of a part: 256 KiB, half of a core's second-level cache.
const PART: usize = 1 << 15;
/// The most parts. Each has a bucket that is being written to, and so a line in the first-level
/// cache: 64 bytes each, a quarter of the second-level cache at most.
const MOST_PARTS: usize = 2048;
/// Words from which on one thread gains by this: 16 MiB, half of the last-level cache of the
/// machine where it was measured. Among 10⁸ keys `classic` took 46 to 70 ns a key instead of 112 to
/// 136, `split` 8 to 20 instead of 20; `blocked` gains nothing by it.
const WORTH_IT: usize = 1 << 21;
/// And so many words a key at most: with fewer keys a part is touched here and there only, and
/// buckets cost more than they save.
const WORDS_A_KEY: usize = 4;

/// Keys for which a thread is worth starting.
const SHARE: usize = 4096;

/// Puts keys in, on at most so many threads.
pub fn insert<P: Pattern, K: Key + Sync>(row: &mut Row<P>, keys: &[K], threads: NonZero<usize>) {
    let seed = row.about.seed;
    let words = row.bits.words().len();
    let threads = threads.get().min(keys.len() / SHARE).max(1);
    let worth_it = words >= WORTH_IT && keys.len() >= words / WORDS_A_KEY;
    let shares = if threads == 1 && !worth_it { 0 } else { threads };
    let parts = Parts::of(&row.probes, words, threads);
    let buckets = (0..shares).map(|_| Buckets::new(&parts, words / shares, keys.len()));
    match buckets.collect::<Result<Vec<_>, OutOfMemory>>() {
        Ok(mut buckets) if !buckets.is_empty() => {
            row.about.count(keys.len() as u64);
            let shares = keys.chunks(keys.len().div_ceil(shares).max(1));
            let hashes = shares.map(|share| hashes(share, &seed));
            let mut work: Vec<_> = hashes.zip(&mut buckets).collect();
            fill(&row.probes, row.bits.words_mut(), &parts, &mut work);
        }
        // Without memory for buckets it takes longer, and that is all.
        _ => {
            row.put_each(keys.len(), hashes(keys, &seed));
        }
    }
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
    fn of<P: Pattern>(probes: &P, words: usize, threads: usize) -> Parts {
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
        let jobs = if P::UNIT == 1 { probes.probes() as usize } else { 1 };
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
    /// With about so many words in all, or as many as so many keys take.
    fn new(parts: &Parts, words: usize, keys: usize) -> Result<Buckets, OutOfMemory> {
        let needed = keys.saturating_mul(parts.jobs).saturating_mul(2);
        let size = words.min(needed) / parts.count;
        let size = size.clamp(64 + 2 * parts.jobs, 1 << 30);
        let room = Words::zeroed(parts.count.saturating_mul(size))?;
        Ok(Buckets { room, filled: vec![0; parts.count], size })
    }

    /// Throws keys in until one bucket is nearly full.
    fn throw<P: Pattern>(&mut self, probes: &P, parts: &Parts, keys: &mut impl Hashes) {
        let (room, size) = (self.room.to_mut(), self.size);
        let last = size - parts.jobs;
        let mut full = false;
        for key in keys {
            probes.each_job(key, |unit, job| {
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

/// Fills buckets and works them off in turn, until all keys are in.
fn fill<P: Pattern, H: Hashes + ExactSizeIterator + Send>(
    probes: &P,
    words: &mut [u64],
    parts: &Parts,
    work: &mut [(H, &mut Buckets)],
) {
    while work.iter().any(|(keys, _)| keys.len() > 0) {
        let throw = |(keys, buckets): &mut (H, &mut Buckets)| buckets.throw(probes, parts, keys);
        together(work.iter_mut().map(|share| move || throw(share)));
        let buckets: Vec<&Buckets> = work.iter().map(|(_, buckets)| &**buckets).collect();
        let left = Mutex::new(words.chunks_mut(parts.words).enumerate());
        // By itself, so that the lock is given back before the work begins.
        let next = || left.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
        let work_off = || {
            while let Some((part, words)) = next() {
                let first = (part as u64) << parts.units_log2;
                buckets.iter().for_each(|own| probes.work_off(words, first, own.jobs(part)));
            }
        };
        together(buckets.iter().map(|_| work_off));
        work.iter_mut().for_each(|(_, buckets)| buckets.filled.fill(0));
    }
}

/// Runs jobs at once, each on its thread; one alone on this.
fn together<F: FnOnce() + Send>(jobs: impl ExactSizeIterator<Item = F>) {
    if jobs.len() == 1 {
        return jobs.for_each(|job| job());
    }
    thread::scope(|scope| {
        let workers: Vec<_> = jobs.map(|job| scope.spawn(job)).collect();
        for worker in workers {
            worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::plain::PlainBits;
    use crate::parts::hash::Seed;
    use crate::target::Shape;
    use crate::{Blocked, Classic, Compressed, ForTarget, Insert, Split, Target};

    fn assert_same<F: PlainBits + Insert + PartialEq + std::fmt::Debug>(empty: &F, keys: &[u64]) {
        let mut one_by_one = empty.clone();
        for key in keys {
            one_by_one.insert_hash(key.key_hash(empty.seed())).unwrap();
        }
        for threads in 1..=5 {
            let mut bulk = empty.clone();
            bulk.insert_keys(keys, NonZero::new(threads).unwrap());
            assert_eq!(bulk, one_by_one, "{} keys, {threads} threads", keys.len());
        }
    }

    /// Few keys and many, in small filters: many rounds, since the buckets are small, too.
    #[test]
    fn threads_make_the_filter_of_one() {
        fn of<F: PlainBits + ForTarget + PartialEq + std::fmt::Debug>(keys: &[u64]) {
            for items in [1, 100, 30_000] {
                let target = Target::new(items, 0.01).unwrap();
                assert_same(&F::with_seed(target, Seed::chosen(7)).unwrap(), keys);
            }
        }
        // One key 20,000 times: one bucket is full again and again.
        of::<Classic>(&[7; 20_000]);
        of::<Blocked>(&[7; 20_000]);
        let keys: Vec<u64> = (0..20_000).collect();
        for count in [0, 1, 3, 1000, keys.len()] {
            of::<Classic>(&keys[..count]);
            of::<Blocked>(&keys[..count]);
            of::<Split>(&keys[..count]);
            of::<Compressed>(&keys[..count]);
        }
    }

    /// From here on one thread uses buckets, too.
    #[test]
    fn one_thread_beyond_the_caches_is_the_same() {
        let shape = Shape::bits(WORTH_IT as u64 * 64 + 4096).probes(8);
        let keys: Vec<u64> = (0..(WORTH_IT / WORDS_A_KEY) as u64 + 100).collect();
        let mut bulk = Split::with_shape(shape, Seed::FIXED).unwrap();
        let mut one_by_one = bulk.clone();
        bulk.insert_keys(&keys, NonZero::<usize>::MIN);
        one_by_one.extend(&keys);
        assert_eq!(bulk, one_by_one);
    }

    #[test]
    #[should_panic(expected = "external hashes")]
    fn a_thread_that_panics_says_why() {
        let mut filter = Blocked::with_seed(Target::new(10, 0.1).unwrap(), Seed::EXTERNAL).unwrap();
        filter.insert_keys(&[1; 2 * SHARE], NonZero::new(2).unwrap());
    }
}
