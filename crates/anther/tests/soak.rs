//! Threads that insert into one filter and look up what others have inserted, billions of times.
//! `cargo xtask threads soak` runs it with 10¹⁰ lookups; `ANTHER_SOAK_CHECKS` sets another number.
#![cfg(feature = "long")]

use anther::{AnyFilter, AnyShared, Filter, KeyHash, Kind, Seed, Target};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Keys of a filter. With their hashes it fits in a cache, so that most of the time is spent where
/// threads meet; each round begins with an empty filter, since only new bits can be lost.
const KEYS: usize = 1 << 15;

/// Keys that are inserted, and then acknowledged, at once.
const BLOCK: usize = 128;

/// Blocks that a thread looks up for each that it inserts.
const LOOKUPS: usize = 256;

/// Lookups of one of the four kinds.
fn checks_per_kind() -> u64 {
    let checks =
        std::env::var("ANTHER_SOAK_CHECKS").map_or(100_000_000, |checks| checks.parse().unwrap());
    checks / 4
}

/// How many blocks of each thread are acknowledged, on lines of their own.
#[derive(Default)]
#[repr(align(128))]
struct Acknowledged(AtomicUsize);

/// A small generator: which block is looked up next.
struct Choice(u64);

impl Choice {
    fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

/// What one thread does in a round: inserts its blocks, and after each looks up blocks that any
/// thread has acknowledged. Returns how many keys it looked up.
fn work(
    filter: &AnyShared,
    keys: &[Vec<&[KeyHash]>],
    acknowledged: &[Acknowledged],
    own: usize,
    choice: &mut Choice,
) -> u64 {
    let mut found = [false; BLOCK];
    let mut checks = 0;
    for (number, block) in keys[own].iter().enumerate() {
        // By both ways to insert.
        if number % 2 == 0 {
            filter.insert_hashes(block);
        } else {
            block.iter().for_each(|key| {
                filter.insert_hash(*key);
            });
        }
        acknowledged[own].0.store(number + 1, Ordering::Release);
        for _ in 0..LOOKUPS {
            let other = choice.below(keys.len());
            let known = acknowledged[other].0.load(Ordering::Acquire);
            if known == 0 {
                continue;
            }
            // The last one most often: it is the one that was just inserted.
            let at = if choice.below(2) == 0 { known - 1 } else { choice.below(known) };
            let block = keys[other][at];
            filter.contains_hashes(block, &mut found);
            checks += block.len() as u64;
            let lost = found.iter().filter(|found| !**found).count();
            assert_eq!(lost, 0, "false negatives: block {at} of thread {other}, seen by {own}");
        }
    }
    checks
}

fn soak(kind: Kind) {
    let goal = checks_per_kind();
    let threads = thread::available_parallelism().map_or(2, |threads| threads.get().max(2));
    let target = Target::new(KEYS as u64, 0.01).unwrap();
    let empty = || AnyFilter::new(kind, target, Seed::FIXED).unwrap();
    let (mut checks, mut inserts, mut first) = (0, 0, 0);
    while checks < goal {
        let hashes: Vec<_> =
            (first..first + KEYS as u64).map(|key| Seed::FIXED.hash_integer(key)).collect();
        first += KEYS as u64;
        let mut keys = vec![Vec::new(); threads];
        hashes.chunks(BLOCK).enumerate().for_each(|(at, block)| keys[at % threads].push(block));
        let filter = AnyShared::try_from(empty()).unwrap();
        let acknowledged: Vec<_> = (0..threads).map(|_| Acknowledged::default()).collect();
        let together = Barrier::new(threads);
        checks += thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|own| {
                    let (filter, keys, acknowledged, together) =
                        (&filter, &keys, &acknowledged, &together);
                    scope.spawn(move || {
                        let mut choice = Choice(first + own as u64);
                        together.wait();
                        work(filter, keys, acknowledged, own, &mut choice)
                    })
                })
                .collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).sum::<u64>()
        });
        inserts += KEYS as u64;
        let filter = AnyFilter::from(filter);
        let mut expected = empty();
        expected.as_insert().unwrap().insert_hashes(&hashes).unwrap();
        assert_eq!(filter.about().inserted, KEYS as u64, "{kind}");
        assert!(filter == expected, "{kind}: the filter of one thread");
    }
    println!("{kind}: {inserts} inserts, {threads} threads, no false negative");
    println!("checks: {checks}");
}

#[test]
fn classic() {
    soak(Kind::Classic);
}

#[test]
fn blocked() {
    soak(Kind::Blocked);
}

#[test]
fn split() {
    soak(Kind::Split);
}

#[test]
fn compressed() {
    soak(Kind::Compressed);
}
