//! Probes that spread over all bits: one cache line per probe, all fetched at once.
//!
//! Vector instructions do not help, because the cost is in the cache misses. The lookup of an absent
//! key needs two lines on average, that of a present key all of them, so lines are prefetched probe
//! by probe: while the lines of some keys are fetched, those of others are tested.

use super::Hashes;
use crate::parts::bits::place;
use crate::parts::hash::KeyHash;
use crate::parts::probes::{Spread, scale};
use crate::parts::words::prefetch;

/// How many keys are under way: as many lines as memory delivers at once.
const BLOCK: usize = 64;

/// A key on its way through its probes.
#[derive(Clone, Copy)]
struct Walk {
    at: (u64, u64),
    number: usize,
}

/// Whether all bits of each of the keys are 1.
pub fn contains_hashes(spread: Spread, words: &[u64], found: &mut [bool], mut hashes: impl Hashes) {
    let mut walks = [Walk { at: (0, 0), number: 0 }; BLOCK];
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
        for probe in 1..=spread.probes() {
            let mut kept = 0;
            for at in 0..left {
                let walk = walks[at];
                let (word, mask) = place(scale(walk.at.0, spread.cells()));
                if words[word] & mask == 0 {
                    continue;
                }
                if probe == spread.probes() {
                    found[walk.number] = true;
                    continue;
                }
                let next = Spread::step(walk.at);
                fetch(next);
                walks[kept] = Walk { at: next, number: walk.number };
                kept += 1;
            }
            left = kept;
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
    // Fewer than for questions: each has all its lines under way.
    const KEYS: usize = 16;
    let mut keys = [KeyHash(0); KEYS];
    let mut new = 0;
    for from in (0..count).step_by(KEYS) {
        let keys = &mut keys[..KEYS.min(count - from)];
        for (slot, key) in keys.iter_mut().zip(&mut hashes) {
            *slot = key;
            spread.each(key, |cell| prefetch(words.as_ptr().wrapping_add(place(cell).0)));
        }
        for key in keys {
            let mut fresh = false;
            spread.each(*key, |cell| {
                let (word, mask) = place(cell);
                fresh |= words[word] & mask == 0;
                words[word] |= mask;
            });
            new += u64::from(fresh);
        }
    }
    new
}
