//! Reads keys, looks them up, and compares the answers with the truth.

use crate::distinct::Distinct;
use crate::exit::Stop;
use crate::extract::Extraction;
use crate::input::Input;
use crate::keys::{ON, Reading};
use crate::progress::Progress;
use crate::units;
use anther::{AnyFilter, Filter, KeyHash, Seed};
use serde::Serialize;
use std::num::NonZero;
use std::ops::Range;
use std::thread;

/// How keys are read.
#[derive(Clone, Copy)]
pub struct Lists<'a> {
    /// How keys are read from records.
    pub how: &'a Extraction,
    /// How they are hashed.
    pub seed: Seed,
    /// The most bytes for their hashes.
    pub memory: u64,
    /// Without a progress bar.
    pub quiet: bool,
}

impl<'a> Lists<'a> {
    /// Reads some inputs.
    pub fn reading(&self, sources: &'a [Input]) -> Reading<'a> {
        Reading { sources, how: self.how, seed: self.seed }
    }

    /// The distinct hashes of all keys of some inputs, sorted. `held` hashes of other lists are in
    /// memory already.
    pub fn read(&self, sources: &[Input], held: usize) -> Result<Vec<KeyHash>, Stop> {
        let left = self.memory.saturating_sub((held * size_of::<KeyHash>()) as u64);
        let mut kept = Distinct::within(left);
        let progress = Progress::reading(sources.iter().map(Input::len).sum(), self.quiet);
        let reading = self.reading(sources);
        reading.each(
            |_, _| (),
            |keyed, ()| {
                kept.extend(keyed.hashes).map_err(|_| {
                    let memory = units::size(self.memory);
                    let cause =
                        format!("the keys need more than {memory} of memory; raise --memory");
                    Stop::about(keyed.source.name(), cause)
                })?;
                progress.advance(keyed.bytes);
                Ok(ON)
            },
        )?;
        Ok(kept.finish().0)
    }
}

/// How many answers of each sort there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outcomes {
    /// Members that were answered maybe.
    pub true_positives: u64,
    /// Members that were answered no.
    pub false_negatives: u64,
    /// Absent keys that were answered maybe.
    pub false_positives: u64,
    /// Absent keys that were answered no.
    pub true_negatives: u64,
}

impl Outcomes {
    /// Members.
    pub fn present(&self) -> u64 {
        self.true_positives + self.false_negatives
    }

    /// Absent keys.
    pub fn absent(&self) -> u64 {
        self.false_positives + self.true_negatives
    }

    /// Keys that were answered maybe.
    pub fn positives(&self) -> u64 {
        self.true_positives + self.false_positives
    }

    /// The share of members among them.
    pub fn precision(&self) -> Option<f64> {
        let all = self.positives();
        (all > 0).then(|| self.true_positives as f64 / all as f64)
    }

    fn count(&mut self, member: bool, maybe: bool) {
        *match (member, maybe) {
            (true, true) => &mut self.true_positives,
            (true, false) => &mut self.false_negatives,
            (false, true) => &mut self.false_positives,
            (false, false) => &mut self.true_negatives,
        } += 1;
    }

    fn add(&mut self, other: Outcomes) {
        self.true_positives += other.true_positives;
        self.false_negatives += other.false_negatives;
        self.false_positives += other.false_positives;
        self.true_negatives += other.true_negatives;
    }
}

/// A filter, and the sorted hashes of its known members. Two keys with the same 64-bit hash count
/// as one. No filter can tell them apart either, and with 10⁸ members an absent key has the hash of
/// one of them once in 2·10¹¹ times.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    /// The filter.
    pub filter: &'a AnyFilter,
    /// The members.
    pub members: &'a [KeyHash],
}

/// Keys per batch lookup.
const BATCH: u64 = 1 << 14;

impl Judge<'_> {
    /// Looks up these keys.
    pub fn list(&self, keys: &[KeyHash]) -> Outcomes {
        self.all(keys.len() as u64, |range, batch| {
            #[expect(clippy::cast_possible_truncation, reason = "within a slice")]
            batch.extend_from_slice(&keys[range.start as usize..range.end as usize]);
        })
    }

    /// Looks up this many random keys.
    pub fn random(&self, count: u64, start: u64) -> Outcomes {
        let seed = self.filter.seed();
        self.all(count, |range, batch| {
            batch.extend(range.map(|number| seed.hash_bytes(&random_key(start, number))));
        })
    }

    /// Looks up keys on all cores; `fill` makes a batch from a range of their numbers.
    fn all(&self, count: u64, fill: impl Fn(Range<u64>, &mut Vec<KeyHash>) + Sync) -> Outcomes {
        let threads = thread::available_parallelism().map_or(1, NonZero::get) as u64;
        let share = count.div_ceil(threads).next_multiple_of(BATCH);
        let fill = &fill;
        thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|worker| {
                    let start = worker.saturating_mul(share).min(count);
                    let range = start..start.saturating_add(share).min(count);
                    let work = {
                        let range = range.clone();
                        move || self.some(range, fill)
                    };
                    // Without a thread, this one does the work.
                    thread::Builder::new().spawn_scoped(scope, work).map_err(|_| range)
                })
                .collect();
            let mut all = Outcomes::default();
            for worker in workers {
                match worker.map(thread::ScopedJoinHandle::join) {
                    Ok(Ok(outcomes)) => all.add(outcomes),
                    Ok(Err(panic)) => std::panic::resume_unwind(panic),
                    Err(range) => all.add(self.some(range, fill)),
                }
            }
            all
        })
    }

    fn some(
        &self,
        range: Range<u64>,
        fill: &(impl Fn(Range<u64>, &mut Vec<KeyHash>) + Sync),
    ) -> Outcomes {
        let mut outcomes = Outcomes::default();
        let (mut keys, mut found) = (Vec::new(), Vec::new());
        let mut start = range.start;
        while start < range.end {
            let end = start.saturating_add(BATCH).min(range.end);
            keys.clear();
            fill(start..end, &mut keys);
            found.clear();
            found.resize(keys.len(), false);
            self.filter.contains_hashes(&keys, &mut found);
            for (key, maybe) in keys.iter().zip(&found) {
                outcomes.count(self.members.binary_search(key).is_ok(), *maybe);
            }
            start = end;
        }
        outcomes
    }
}

/// A key of 16 bytes: two numbers of SplitMix64 seeded with `start`, little-endian. The numbers of
/// one seed are all different, so the keys are, too.
fn random_key(start: u64, number: u64) -> [u8; 16] {
    let draw = |number: u64| {
        let step = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut x = start.wrapping_add(step);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        u128::from(x ^ (x >> 31))
    };
    let first = number.wrapping_mul(2);
    (draw(first) | draw(first.wrapping_add(1)) << 64).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anther::{Kind, Target};

    /// The first draws of SplitMix64 from 0 and from 1234567, as its author's program prints them.
    #[test]
    fn random_keys_are_splitmix64() {
        let words = |start, number| {
            let key = u128::from_le_bytes(random_key(start, number));
            #[expect(clippy::cast_possible_truncation, reason = "its halves")]
            [key as u64, (key >> 64) as u64]
        };
        assert_eq!(words(0, 0), [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4]);
        assert_eq!(words(0, 1), [0x06C4_5D18_8009_454F, 0xF88B_B8A8_724C_81EC]);
        assert_eq!(words(1_234_567, 0), [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn every_key_is_judged_once_however_many_there_are() {
        let target = Target::new(1000, 0.01).unwrap();
        let mut filter = AnyFilter::new(Kind::Blocked, target, Seed::FIXED).unwrap();
        let mut members: Vec<_> = (0..1000u64).map(|key| Seed::FIXED.hash_integer(key)).collect();
        filter.as_insert().unwrap().insert_hashes(&members).unwrap();
        members.sort_unstable();
        let judge = Judge { filter: &filter, members: &members };
        let own = judge.list(&members);
        assert_eq!((own.true_positives, own.false_negatives, own.absent()), (1000, 0, 0));
        for count in [0, 1, 2, 3, BATCH - 1, BATCH, 3 * BATCH + 7, 10 * BATCH] {
            let found = judge.random(count, 9);
            assert_eq!((found.present(), found.absent()), (0, count));
            // By hand, one by one.
            let keys = (0..count).map(|number| Seed::FIXED.hash_bytes(&random_key(9, number)));
            let maybe = keys.filter(|key| filter.contains_hash(*key)).count() as u64;
            assert_eq!(found.false_positives, maybe, "{count}");
        }
        let empty = AnyFilter::new(Kind::Blocked, target, Seed::FIXED).unwrap();
        let missed = Judge { filter: &empty, members: &members }.list(&members);
        assert_eq!(missed.false_negatives, 1000);
    }
}
