//! Probes that spread over all bits: one cache line per probe, all fetched at once.
//!
//! Vector instructions do not help, because the cost is in the cache misses. The lookup of an absent
//! key needs two lines on average, that of a present key all of them, so the first lines are
//! prefetched probe by probe: while the lines of some keys are fetched, those of others are tested.

use super::Hashes;
use crate::parts::bits::{bit_of, place};
use crate::parts::hash::KeyHash;
use crate::parts::probes::{Spread, scale};
use crate::parts::words::prefetch;

/// How many keys are under way: as many lines as memory delivers at once.
const BLOCK: usize = 64;

/// Whether a row is in a cache, so that its lines come soon enough without prefetches: among 10⁶ keys,
/// lookups of present keys took a quarter longer with them.
#[inline]
fn is_near(words: usize) -> bool {
    words * size_of::<u64>() <= 2 << 20
}

/// Whether all bits of a key are 1, in a row of as many words; `bit` reads one of them.
///
/// In a cache, three are read without a branch between them, and then the others: which probe fails
/// first is unpredictable, and a misprediction takes as long as all probes together. Absent keys
/// took 14 ns when each probe had its branch, and take 8; present ones take 10 instead of 9. Beyond
/// the caches a line takes longer than that, so the first probe that fails is the last.
#[inline]
pub fn contains(spread: &Spread, words: usize, key: KeyHash, bit: impl Fn(u64) -> u64) -> bool {
    if !is_near(words) {
        return spread.all(key, |cell| bit(cell) & 1 == 1);
    }
    let mut at = spread.walk(key);
    let first = spread.probes().min(3);
    spread.next_are_ones(&mut at, first, &bit)
        && spread.next_are_ones(&mut at, spread.probes() - first, &bit)
}

/// How many probes are fetched one by one. Of the absent keys an eighth is left after three; their
/// other lines are fetched all at once, as those of present keys are, which saves a quarter of the
/// time of those.
const SINGLE: u32 = 3;

/// A key on its way through its probes.
#[derive(Clone, Copy)]
struct Walk {
    at: (u64, u64),
    number: usize,
}

/// Whether all bits of each of the keys are 1.
pub fn contains_hashes(spread: Spread, words: &[u64], found: &mut [bool], mut hashes: impl Hashes) {
    if is_near(words.len()) {
        for (found, key) in found.iter_mut().zip(hashes) {
            *found = contains(&spread, words.len(), key, bit_of(words));
        }
        return;
    }
    let mut walks = [Walk { at: (0, 0), number: 0 }; BLOCK];
    let bit_of = bit_of(words);
    let fetch = |at: (u64, u64)| {
        prefetch(words.as_ptr().wrapping_add(place(scale(at.0, spread.cells())).0));
    };
    for found in found.chunks_mut(BLOCK) {
        let mut left = found.len();
        for ((number, walk), key) in walks[..left].iter_mut().enumerate().zip(&mut hashes) {
            let at = spread.walk(key);
            fetch(at);
            *walk = Walk { at, number };
        }
        found.fill(false);
        let single = SINGLE.min(spread.probes() - 1);
        let rest = spread.probes() - single;
        for _ in 0..single {
            // A key that is out is overwritten by the next: whether it is depends on its bit, and
            // a branch would be mispredicted for every second key.
            let mut kept = 0;
            for at in 0..left {
                let Walk { at, number } = walks[at];
                let next = Spread::step(at);
                fetch(next);
                walks[kept] = Walk { at: next, number };
                kept += (bit_of(scale(at.0, spread.cells())) & 1) as usize;
            }
            left = kept;
        }
        for walk in &walks[..left] {
            (1..rest).fold(walk.at, |at, _| {
                let next = Spread::step(at);
                fetch(next);
                next
            });
        }
        for walk in &mut walks[..left] {
            found[walk.number] = spread.next_are_ones(&mut walk.at, rest, &bit_of);
        }
    }
}

/// Sets the bits of `count` keys. Returns how many of them had a bit that was 0.
pub fn insert_hashes(
    spread: Spread,
    words: &mut [u64],
    count: usize,
    mut hashes: impl Hashes,
) -> u64 {
    // Fewer than for lookups: each has all its lines under way.
    const KEYS: usize = 16;
    let mut keys = [KeyHash(0); KEYS];
    let mut new = 0;
    let mut insert = |words: &mut [u64], key| {
        let mut missing = 0;
        spread.each(key, |cell| {
            let (word, mask) = place(cell);
            missing |= !words[word] & mask;
            words[word] |= mask;
        });
        new += u64::from(missing != 0);
    };
    if is_near(words.len()) {
        hashes.take(count).for_each(|key| insert(words, key));
        return new;
    }
    for from in (0..count).step_by(KEYS) {
        let keys = &mut keys[..KEYS.min(count - from)];
        for (slot, key) in keys.iter_mut().zip(&mut hashes) {
            *slot = key;
            spread.each(key, |cell| prefetch(words.as_ptr().wrapping_add(place(cell).0)));
        }
        keys.iter().for_each(|key| insert(words, *key));
    }
    new
}
