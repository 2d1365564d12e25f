//! Reads keys, looks them up, and compares the answers with the truth.

use crate::either_filter::EitherFilter;
use crate::exit::Stop;
use crate::input::Input;
use crate::keys::{ON, Reading};
use crate::progress::Progress;
use crate::units;
use anther::recipe::Reach;
use anther::{AnyFilter, Filter, Key, KeyHash};
use anther_records::distinct::Distinct;
use anther_records::extract::{self, Extraction};
use anther_records::hashed::Part;
use serde::Serialize;
use std::convert::Infallible;
use std::num::NonZero;
use std::ops::Range;
use std::thread;

/// How keys are read.
#[derive(Clone, Copy)]
pub struct Lists<'a> {
    /// How keys are read from records.
    pub how: &'a Extraction,
    /// The filter that they are looked up in.
    pub filter: &'a EitherFilter,
    /// The most bytes for their hashes.
    pub memory: u64,
    /// Without a progress bar.
    pub quiet: bool,
}

impl<'a> Lists<'a> {
    /// Reads some inputs.
    pub fn reading(&self, sources: &'a [Input]) -> Reading<'a> {
        Reading { sources, how: self.how, seed: self.filter.seed() }
    }

    /// The distinct keys of the members, or, with these, those of a list of test keys.
    pub fn read(&self, sources: &[Input], members: Option<&[KeyHash]>) -> Result<KeyList, Stop> {
        let held = members.map_or(0, |members| size_of_val(members) as u64);
        let left = self.memory.saturating_sub(held);
        let is_foreign = self.filter.is_foreign();
        let has_levels = self.reach().levels() != 0;
        let has_below = has_levels && members.is_some();
        let members = members.unwrap_or_default();
        // Another system's filter needs the keys themselves, and so do entries that stand for many.
        // They are gone later. A positive is held twice, and one below a member three times.
        let needs_keys = is_foreign || has_levels;
        let share = left / (1 + u64::from(needs_keys) + u64::from(has_below));
        let [mut kept, mut found, mut below] = [(); 3].map(|()| Distinct::within(share));
        let progress = Progress::reading(sources.iter().map(Input::len).sum(), self.quiet);
        let reading = self.reading(sources);
        reading.each_part(
            &[reading.seed],
            needs_keys,
            |part| {
                if !needs_keys {
                    return (Vec::new(), Vec::new());
                }
                let (rule, hashes) = (&self.how.rule, &part.hashes[0]);
                let mut maybe = self.filter.contains_keys(rule, hashes, |at| part.key(at));
                let below = match has_levels {
                    true => self.look_above(part, &mut maybe, members),
                    false => Vec::new(),
                };
                let maybe = hashes.iter().zip(maybe).filter(|(_, maybe)| *maybe);
                (maybe.map(|(hash, _)| *hash).collect(), below)
            },
            |keyed, (maybe, is_below): (Vec<_>, Vec<_>)| {
                let added = kept.extend(keyed.hashes).and_then(|()| found.extend(&maybe));
                let added = added.and_then(|()| below.extend(&is_below));
                added.map_err(|_| {
                    let memory = units::size(self.memory);
                    let cause =
                        format!("the keys need more than {memory} of memory; raise --memory");
                    Stop::about(keyed.source.name(), cause)
                })?;
                progress.advance(keyed.bytes);
                Ok(ON)
            },
        )?;
        let maybe = needs_keys.then(|| found.finish().0);
        Ok(KeyList { keys: kept.finish().0, maybe, below: below.finish().0 })
    }

    /// What entries of the filter stand for.
    fn reach(&self) -> Reach {
        self.filter.recipe().and_then(|recipe| recipe.reach).unwrap_or(Reach::EXACT)
    }

    /// Finds keys that are below an entry, too, and returns those that are below a member.
    fn look_above(&self, part: Part<'_>, found: &mut [bool], members: &[KeyHash]) -> Vec<KeyHash> {
        let (reach, form, seed) = (self.reach(), self.how.rule.form, self.filter.seed());
        let (mut entries, mut of) = (Vec::new(), Vec::new());
        for (at, key) in part.keys().enumerate() {
            reach.each_above(form, extract::key_of(form, key), |_, entry| {
                entries.push(entry.key_hash(&seed));
                of.push(at);
            });
        }
        let Ok(answers) = reach.all_found(&entries, |hashes, found| {
            found.copy_from_slice(&self.filter.contains_keys(&self.how.rule, hashes, |_| &[]));
            Ok::<(), Infallible>(())
        });
        let mut below = Vec::new();
        for ((at, entry), is_found) in of.into_iter().zip(&entries).zip(answers) {
            found[at] |= is_found;
            if members.binary_search(entry).is_ok() {
                below.push(part.hashes[0][at]);
            }
        }
        below
    }
}

/// The distinct keys of a list, by their hashes.
#[derive(Default)]
pub struct KeyList {
    /// All of them, sorted.
    pub keys: Vec<KeyHash>,
    /// Those to which the filter said maybe, sorted, if it was asked as they were read.
    maybe: Option<Vec<KeyHash>>,
    /// Those that are below a member, sorted.
    below: Vec<KeyHash>,
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
    pub filter: &'a EitherFilter,
    /// The members.
    pub members: &'a [KeyHash],
}

/// Keys per batch lookup.
const BATCH: u64 = 1 << 14;

impl Judge<'_> {
    /// Looks up these keys.
    pub fn list(&self, list: &KeyList) -> Outcomes {
        self.all(list.keys.len() as u64, &list.below, |range, batch| {
            #[expect(clippy::cast_possible_truncation, reason = "within a slice")]
            let some = &list.keys[range.start as usize..range.end as usize];
            match (self.filter, &list.maybe) {
                (EitherFilter::Own(filter), None) => batch.look_up(filter, some),
                (_, maybe) => {
                    let maybe = maybe.as_deref().unwrap_or_default();
                    batch.keys.extend_from_slice(some);
                    batch.found.extend(some.iter().map(|key| maybe.binary_search(key).is_ok()));
                }
            }
        })
    }

    /// Looks up this many random keys.
    pub fn random(&self, count: u64, start: u64) -> Outcomes {
        let seed = self.filter.seed();
        self.all(count, &[], |range, batch| {
            let keys = range.map(|number| random_key(start, number));
            match self.filter {
                EitherFilter::Own(filter) => {
                    let hashes: Vec<_> = keys.map(|key| seed.hash_bytes(&key)).collect();
                    batch.look_up(filter, &hashes);
                }
                EitherFilter::Foreign(filter) => {
                    for key in keys {
                        batch.keys.push(seed.hash_bytes(&key));
                        batch.found.push(filter.contains(&key));
                    }
                }
            }
        })
    }

    /// Looks up keys on all cores; `fill` makes a batch from a range of their numbers. Those that are
    /// below a member are members.
    fn all(
        &self,
        count: u64,
        below: &[KeyHash],
        fill: impl Fn(Range<u64>, &mut LookedUp) + Sync,
    ) -> Outcomes {
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
                        move || self.some(range, below, fill)
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
                    Err(range) => all.add(self.some(range, below, fill)),
                }
            }
            all
        })
    }

    fn some(
        &self,
        range: Range<u64>,
        below: &[KeyHash],
        fill: &(impl Fn(Range<u64>, &mut LookedUp) + Sync),
    ) -> Outcomes {
        let is_member = |key: &KeyHash| {
            [self.members, below].iter().any(|known| known.binary_search(key).is_ok())
        };
        let (mut outcomes, mut batch) = (Outcomes::default(), LookedUp::default());
        let mut start = range.start;
        while start < range.end {
            let end = start.saturating_add(BATCH).min(range.end);
            batch.keys.clear();
            batch.found.clear();
            fill(start..end, &mut batch);
            for (key, maybe) in batch.keys.iter().zip(&batch.found) {
                outcomes.count(is_member(key), *maybe);
            }
            start = end;
        }
        outcomes
    }
}

/// A batch of keys, and the filter's answers.
#[derive(Default)]
struct LookedUp {
    keys: Vec<KeyHash>,
    found: Vec<bool>,
}

impl LookedUp {
    fn look_up(&mut self, filter: &AnyFilter, keys: &[KeyHash]) {
        self.keys.extend_from_slice(keys);
        self.found.resize(keys.len(), false);
        filter.contains_hashes(keys, &mut self.found);
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
    use anther::{Kind, Seed, Target};

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
        let by_hand = filter.clone();
        let (filter, list) =
            (EitherFilter::Own(Box::new(filter)), KeyList { keys: members, ..KeyList::default() });
        let judge = Judge { filter: &filter, members: &list.keys };
        let own = judge.list(&list);
        assert_eq!((own.true_positives, own.false_negatives, own.absent()), (1000, 0, 0));
        for count in [0, 1, 2, 3, BATCH - 1, BATCH, 3 * BATCH + 7, 10 * BATCH] {
            let found = judge.random(count, 9);
            assert_eq!((found.present(), found.absent()), (0, count));
            // By hand, one by one.
            let keys = (0..count).map(|number| Seed::FIXED.hash_bytes(&random_key(9, number)));
            let maybe = keys.filter(|key| by_hand.contains_hash(*key)).count() as u64;
            assert_eq!(found.false_positives, maybe, "{count}");
        }
        let empty = AnyFilter::new(Kind::Blocked, target, Seed::FIXED).unwrap();
        let empty = EitherFilter::Own(Box::new(empty));
        let missed = Judge { filter: &empty, members: &list.keys }.list(&list);
        assert_eq!(missed.false_negatives, 1000);
    }
}
