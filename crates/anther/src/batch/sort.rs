//! Sorting hashes in place.
//!
//! An in-place radix sort. Hashes are uniform, so their first byte divides them into 256 parts of
//! about equal size, the second byte divides those, and so on, until a part is small enough for the
//! standard library's sort to run in the first-level cache. That takes half as long for 10⁷ hashes,
//! and several threads can sort the parts. External hashes that are not uniform are sorted, too, only
//! not faster.

use super::source::Hashed;
use super::threads::{Threads, for_each};

/// Below this many the standard library's sort is faster.
const SMALL: usize = 4096;
/// What a byte can be.
const DIGITS: usize = 256;
/// How far the first byte is moved to be the lowest.
const FIRST: u32 = 56;

/// Sorts on several threads.
pub fn sort<T: Hashed>(keys: &mut [T], threads: Threads) {
    if keys.is_sorted() {
        return;
    }
    if threads == Threads::ONE || keys.len() < DIGITS * SMALL {
        return sort_from(keys, FIRST);
    }
    let parts = parts(keys, FIRST);
    for_each(threads.at_most(DIGITS), parts.into_iter(), |part| sort_from(part, FIRST - 8));
}

/// Sorts keys whose bytes above this one are the same.
fn sort_from<T: Hashed>(keys: &mut [T], shift: u32) {
    if keys.len() < SMALL || shift == 0 {
        return keys.sort_unstable();
    }
    for part in parts(keys, shift) {
        sort_from(part, shift - 8);
    }
}

/// Puts keys in the order of one of their bytes; those that agree in it, as parts.
fn parts<T: Hashed>(keys: &mut [T], shift: u32) -> Vec<&mut [T]> {
    #[expect(clippy::cast_possible_truncation, reason = "a byte")]
    let digit = |key: &T| usize::from((key.hash().0 >> shift) as u8);
    let mut lengths = [0; DIGITS];
    for key in &*keys {
        lengths[digit(key)] += 1;
    }
    let mut ends = lengths;
    for at in 1..DIGITS {
        ends[at] += ends[at - 1];
    }
    // Where the next key of a digit goes. A key is taken out, put where it belongs, what was there is
    // taken out in turn, and so on, until one comes that belongs where the first was.
    let mut heads: [usize; DIGITS] = std::array::from_fn(|at| ends[at] - lengths[at]);
    for own in 0..DIGITS {
        while heads[own] < ends[own] {
            let mut key = keys[heads[own]];
            loop {
                let digit = digit(&key);
                if digit == own {
                    break;
                }
                std::mem::swap(&mut key, &mut keys[heads[digit]]);
                heads[digit] += 1;
            }
            keys[heads[own]] = key;
            heads[own] += 1;
        }
    }
    let mut rest = keys;
    let cut = |length: usize| {
        let (part, others) = std::mem::take(&mut rest).split_at_mut(length);
        rest = others;
        part
    };
    lengths.into_iter().map(cut).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::hash::KeyHash;

    #[test]
    fn it_sorts_as_the_standard_library_does() {
        for count in [0, 1, 2, SMALL - 1, SMALL, 100_000, DIGITS * SMALL + 1] {
            // Spread evenly; few of them, many times; small numbers; all but one the same.
            let shapes: [fn(u64) -> u64; 4] = [
                |i| KeyHash(i).again(0).0,
                |i| KeyHash(i % 7).again(0).0,
                |i| i.wrapping_mul(77) % 1000,
                |i| u64::from(i == 5),
            ];
            for shape in shapes {
                let values = (0..count as u64).map(|i| (KeyHash(shape(i)), i % 3));
                let mut expected: Vec<_> = values.collect();
                let mut sorted = expected.clone();
                expected.sort_unstable();
                let threads = Threads::new(1 + count % 3);
                sort(&mut sorted, threads);
                assert!(sorted == expected, "{count} keys on {threads:?}");
            }
        }
    }
}
