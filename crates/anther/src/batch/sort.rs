//! Sorting hashes in place.
//!
//! A radix sort in place. Hashes are uniform, so their first byte divides them into 256 parts of
//! about equal size, the second byte divides those, and so on, until a part is small. Its next bits
//! divide it into buckets of one or two hashes, copied to a scratch of its size, from where they are
//! inserted in order. Several threads can sort the parts. External hashes that are not uniform are
//! sorted, too, only not faster.

use super::source::Hashed;
use super::threads::{Threads, for_each};
use crate::parts::probes::index;

/// Below this many they are divided into buckets: these and their scratch are in the nearest caches.
const SMALL: usize = 8192;
/// Below this many, and where a bucket has more, the standard library's sort is faster.
const FEW: usize = 64;
const MOST_IN_BUCKET: usize = 24;
/// Below this many, one thread sorts all.
const FOR_THREADS: usize = 1 << 18;
/// What a byte can be.
const DIGITS: usize = 256;
/// How far the first byte is moved to be the lowest.
const FIRST: u32 = 56;

/// Sorts on several threads.
pub fn sort<T: Hashed>(keys: &mut [T], threads: Threads) {
    if keys.is_sorted() {
        return;
    }
    if threads == Threads::ONE || keys.len() < FOR_THREADS {
        return sort_from(keys, FIRST, &mut Vec::new());
    }
    let parts = parts(keys, FIRST);
    for_each(threads.at_most(DIGITS), parts.into_iter(), |part| {
        sort_from(part, FIRST - 8, &mut Vec::new());
    });
}

/// Sorts keys whose bytes above this one are the same.
fn sort_from<T: Hashed>(keys: &mut [T], shift: u32, scratch: &mut Vec<T>) {
    if keys.len() < SMALL || shift == 0 {
        return sort_small(keys, shift, scratch);
    }
    for part in parts(keys, shift) {
        sort_from(part, shift - 8, scratch);
    }
}

/// Sorts a few keys whose bytes above this one are the same.
fn sort_small<T: Hashed>(keys: &mut [T], shift: u32, scratch: &mut Vec<T>) {
    if !(FEW..SMALL).contains(&keys.len()) || shift < 8 {
        return keys.sort_unstable();
    }
    // One or two keys per bucket.
    let bits = keys.len().ilog2();
    let bucket = |key: &T| index(key.hash().0 << (FIRST - shift) >> (u64::BITS - bits));
    let mut ends = [0u16; SMALL];
    let ends = &mut ends[..1 << bits];
    for key in &*keys {
        ends[bucket(key)] += 1;
    }
    let (mut sum, mut most) = (0, 0);
    for end in &mut *ends {
        most = most.max(*end);
        sum += *end;
        *end = sum;
    }
    if usize::from(most) > MOST_IN_BUCKET {
        return keys.sort_unstable();
    }
    scratch.clear();
    scratch.extend_from_slice(keys);
    for key in &*scratch {
        let end = &mut ends[bucket(key)];
        *end -= 1;
        keys[usize::from(*end)] = *key;
    }
    // A key is only ever moved within its bucket.
    for at in 1..keys.len() {
        let key = keys[at];
        let mut to = at;
        while to > 0 && key < keys[to - 1] {
            keys[to] = keys[to - 1];
            to -= 1;
        }
        keys[to] = key;
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
        for count in [0, 1, 2, SMALL - 1, SMALL, 100_000, FOR_THREADS + 1] {
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
