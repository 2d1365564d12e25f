//! The only vector instructions, and batches of questions.
//!
//! A key's unit, a line of 512 bits or a block of 256, is one cache line or half of one. Beyond
//! the caches that line is all that a question costs, if it was asked for early enough: the loops
//! here run [`AHEAD`] keys ahead with a prefetch, and test a key's bits when its line has come.
//!
//! Which instructions the machine has is asked once a batch. A kernel is a file with the same
//! functions as the others: `portable` for every machine, `avx2` for most that run Linux today.
//! NEON and AVX-512 would be two files more: four functions each, and a line in [`pick!`].

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;
mod spread;

pub(crate) use spread::{spread_has, spread_put};

use crate::parts::hash::KeyHash;
use crate::parts::probes::{Lanes, Line};

/// How many keys a prefetch runs ahead. On 2 MiB pages a line among 10⁸ keys costs 4.8 to 5.3 ns
/// with 64 to 128, with 32 more than 6: the memory is kept busy only if more lines are under way
/// than a core can wait for, and the second-level cache keeps those that came.
const AHEAD: usize = 128;

/// Asks for a cache line before it is needed: into the second-level cache. The first has too few
/// buffers for lines under way; asked for there, a line costs 9 to 11 ns instead of about 5.
#[inline(always)]
pub(crate) fn prefetch(word: &u64) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        let at: *const u64 = word;
        #[expect(unsafe_code, reason = "an intrinsic that takes a pointer")]
        // SAFETY: a prefetch changes nothing that a program can see, whatever the address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T1>(at.cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = word;
}

/// Visits so many keys, each [`AHEAD`] keys after its line was asked for: a ring holds those
/// between. The hash of a later key is made while lines of earlier ones are on their way.
#[inline(always)]
fn rolling<S>(
    cells: &mut S,
    count: usize,
    mut hash: impl Hashes,
    ask: impl Fn(&S, KeyHash),
    mut visit: impl FnMut(&mut S, usize, KeyHash),
) {
    let mut ring = [KeyHash(0); AHEAD];
    let first = count.min(AHEAD);
    for (at, slot) in ring.iter_mut().enumerate().take(first) {
        *slot = hash(at);
        ask(cells, *slot);
    }
    for at in first..count {
        let slot = &mut ring[at % AHEAD];
        let key = std::mem::replace(slot, hash(at));
        ask(cells, *slot);
        visit(cells, at - first, key);
    }
    for at in count - first..count {
        visit(cells, at, ring[at % AHEAD]);
    }
}

/// Tests keys while the units of later ones are on their way.
#[inline(always)]
fn ask<const W: usize>(
    words: &[u64],
    found: &mut [bool],
    hash: impl Hashes,
    unit: impl Fn(KeyHash) -> usize,
    has: impl Fn(&[u64; W], KeyHash) -> bool,
) {
    let mut units = words.as_chunks::<W>().0;
    let fetch = |units: &&[[u64; W]], key| prefetch(&units[unit(key)][0]);
    rolling(&mut units, found.len(), hash, fetch, |units, at, key| {
        found[at] = has(&units[unit(key)], key);
    });
}

/// Puts so many keys in, likewise; how many surely were not in before.
#[inline(always)]
fn put<const W: usize>(
    words: &mut [u64],
    count: usize,
    hash: impl Hashes,
    unit: impl Fn(KeyHash) -> usize,
    set: impl Fn(&mut [u64; W], KeyHash) -> bool,
) -> u64 {
    let mut units = words.as_chunks_mut::<W>().0;
    let fetch = |units: &&mut [[u64; W]], key| prefetch(&units[unit(key)][0]);
    let mut new = 0;
    rolling(&mut units, count, hash, fetch, |units, _, key| {
        new += u64::from(set(&mut units[unit(key)], key));
    });
    new
}

/// Calls a function of the best kernel that the machine can run.
macro_rules! pick {
    ($function:ident($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "the instructions are not in the compiler's baseline")]
            // SAFETY: the machine has AVX2, as was just found out.
            return unsafe { avx2::$function($($argument),*) };
        }
        portable::$function($($argument),*)
    }};
}

/// Where hashes come from: the number of a key, and its hash.
#[expect(unnameable_types, reason = "named by sealed traits only")]
pub trait Hashes: FnMut(usize) -> KeyHash {}
impl<H: FnMut(usize) -> KeyHash> Hashes for H {}

/// Whether each of the keys is in a row of lines.
pub(crate) fn line_has(line: Line, words: &[u64], found: &mut [bool], hash: impl Hashes) {
    pick!(line_has(line, words, found, hash))
}

/// Puts keys into a row of lines; how many surely were not in before.
pub(crate) fn line_put(line: Line, words: &mut [u64], count: usize, hash: impl Hashes) -> u64 {
    pick!(line_put(line, words, count, hash))
}

/// Whether each of the keys is in a row of blocks.
pub(crate) fn lanes_have(lanes: Lanes, words: &[u64], found: &mut [bool], hash: impl Hashes) {
    pick!(lanes_have(lanes, words, found, hash))
}

/// Puts keys into a row of blocks; how many surely were not in before.
pub(crate) fn lanes_put(lanes: Lanes, words: &mut [u64], count: usize, hash: impl Hashes) -> u64 {
    pick!(lanes_put(lanes, words, count, hash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::probes::{Spread, index};

    /// Around the length of the ring, and none.
    const COUNTS: [usize; 8] = [0, 1, 2, AHEAD - 1, AHEAD, AHEAD + 1, 3 * AHEAD, 1000];

    fn key(number: usize) -> KeyHash {
        KeyHash(number as u64).again(7)
    }

    /// What a kernel makes of some keys, and what it answers for those and as many others.
    type Run = (u64, Vec<u64>, Vec<bool>);

    fn run(
        words: usize,
        count: usize,
        put: impl Fn(&mut [u64], usize) -> u64,
        has: impl Fn(&[u64], &mut [bool]),
    ) -> Run {
        let mut row = vec![0; words];
        let new = put(&mut row, count);
        let mut found = vec![false; 2 * count];
        has(&row, &mut found);
        (new, row, found)
    }

    /// One key after the other, by the pattern itself.
    fn simple(
        words: usize,
        count: usize,
        set: impl Fn(&mut [u64], KeyHash) -> u32,
        has: impl Fn(&[u64], KeyHash) -> bool,
    ) -> Run {
        let mut row = vec![0; words];
        let new = (0..count).filter(|at| set(&mut row, key(*at)) > 0).count() as u64;
        let found = (0..2 * count).map(|at| has(&row, key(at))).collect();
        (new, row, found)
    }

    #[test]
    fn lines_in_batches_are_lines_one_by_one() {
        for probes in 1..=Line::MAX_PROBES {
            for (lines, count) in COUNTS.into_iter().enumerate() {
                let line = Line::new(1 + lines as u64 * 3, probes);
                let words = index(line.lines()) * Line::WORDS;
                let unit = |key| index(line.line(key));
                let expected = simple(
                    words,
                    count,
                    |row, key| line.mark(&mut row.as_chunks_mut().0[unit(key)], key),
                    |row, key| line.within(&row.as_chunks().0[unit(key)], key),
                );
                assert!(expected.2[..count].iter().all(|found| *found));
                let picked = run(
                    words,
                    count,
                    |row, count| line_put(line, row, count, key),
                    |row, found| line_has(line, row, found, key),
                );
                let portable = run(
                    words,
                    count,
                    |row, count| portable::line_put(line, row, count, key),
                    |row, found| portable::line_has(line, row, found, key),
                );
                assert_eq!(picked, expected, "{line:?}, {count} keys");
                assert_eq!(portable, expected, "{line:?}, {count} keys");
            }
        }
    }

    #[test]
    fn blocks_in_batches_are_blocks_one_by_one() {
        for (blocks, count) in COUNTS.into_iter().enumerate() {
            let lanes = Lanes::new(1 + blocks as u64 * 5);
            let words = index(lanes.blocks()) * Lanes::WORDS;
            let unit = |key| index(lanes.block(key));
            let expected = simple(
                words,
                count,
                |row, key| lanes.mark(&mut row.as_chunks_mut().0[unit(key)], key),
                |row, key| lanes.within(&row.as_chunks().0[unit(key)], key),
            );
            let picked = run(
                words,
                count,
                |row, count| lanes_put(lanes, row, count, key),
                |row, found| lanes_have(lanes, row, found, key),
            );
            let portable = run(
                words,
                count,
                |row, count| portable::lanes_put(lanes, row, count, key),
                |row, found| portable::lanes_have(lanes, row, found, key),
            );
            assert_eq!(picked, expected, "{lanes:?}, {count} keys");
            assert_eq!(portable, expected, "{lanes:?}, {count} keys");
        }
    }

    #[test]
    fn spread_probes_in_batches_are_those_one_by_one() {
        use crate::parts::bits::place;
        for probes in [1, 2, 7, 64] {
            for (cells, count) in COUNTS.into_iter().enumerate() {
                let spread = Spread::new(1 + cells as u64 * 700, probes);
                let words = index(spread.cells().div_ceil(64));
                let expected = simple(
                    words,
                    count,
                    |row, key| {
                        let mut new = 0;
                        spread.each(key, |cell| {
                            let (word, mask) = place(cell);
                            new += u32::from(row[word] & mask == 0);
                            row[word] |= mask;
                        });
                        new
                    },
                    |row, key| spread.all(key, |cell| row[place(cell).0] & place(cell).1 != 0),
                );
                let batched = run(
                    words,
                    count,
                    |row, count| spread_put(spread, row, count, key),
                    |row, found| spread_has(spread, row, found, key),
                );
                assert_eq!(batched, expected, "{spread:?}, {count} keys");
            }
        }
    }
}
