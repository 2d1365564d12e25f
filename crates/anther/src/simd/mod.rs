//! The only vector instructions, and batches of questions.
//!
//! A key's unit, a line of 512 bits or a block of 256, is one cache line or half of one. Beyond
//! the caches that line is all that a question costs, if it was asked for early enough: the loops
//! here run [`AHEAD`] keys ahead with a prefetch, and test a key's bits when its line has come.
//!
//! Which instructions the machine has is asked once a batch, and looked up for a single key. A
//! kernel is a file with the same functions as the others: `portable` for every machine, `avx2` for
//! most that run Linux today. NEON and AVX-512 would be two files more: eight functions each, and a
//! line in [`pick!`] and [`pick_for_one!`].

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;
mod spread;

pub(crate) use spread::{spread_has, spread_put};

use crate::parts::hash::KeyHash;
use crate::parts::probes::{Lanes, Line};
use crate::parts::words::Words;
#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicBool, Ordering};

/// How many keys a prefetch runs ahead. On 2 MiB pages a line among 10⁸ keys costs 4.8 to 5.3 ns
/// with 64 to 128, with 32 more than 6: the memory is kept busy only if more lines are under way
/// than a core can wait for, and the second-level cache keeps those that came. Of these 64 is best
/// for batches of 1024, whose first lines nobody asked for before: 0.86 to 0.91 of what bare lines
/// cost, where 128 came to 0.80 to 0.88.
const AHEAD: usize = 64;

/// Keys whose lines are tested together, and then as many asked for: two short loops in turn take 44
/// instructions a key (`cargo xtask instructions`), one that does both took 53.
const TOGETHER: usize = 16;

/// Asks for a cache line before it is needed: into the second-level cache. The first has too few
/// buffers for lines under way; asked for there, a line costs 9 to 11 ns instead of about 5.
#[inline(always)]
pub(crate) fn prefetch<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        #[expect(unsafe_code, reason = "an intrinsic that takes a pointer")]
        // SAFETY: a prefetch changes nothing that a program can see, whatever the address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T1>(at.cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Visits so many keys, each about [`AHEAD`] keys after its lines were asked for: a ring holds those
/// between, or whatever was made of them. The hash of a later key is made while lines of earlier
/// ones are on their way.
#[inline(always)]
fn rolling<S, T: Copy + Default>(
    cells: &mut S,
    count: usize,
    mut keys: impl Iterator<Item = T>,
    ask: impl Fn(&S, T),
    mut visit: impl FnMut(&mut S, usize, &[T]),
) {
    const { assert!(AHEAD.is_multiple_of(TOGETHER)) };
    let mut ring = [T::default(); AHEAD];
    let mut fetch = |cells: &S, slots: &mut [T]| {
        for (slot, key) in slots.iter_mut().zip(&mut keys) {
            *slot = key;
            ask(cells, key);
        }
    };
    fetch(cells, &mut ring);
    for at in (0..count).step_by(TOGETHER) {
        let slots = &mut ring[at % AHEAD..][..TOGETHER];
        visit(cells, at, &slots[..TOGETHER.min(count - at)]);
        fetch(cells, slots);
    }
}

/// Tests keys while the units of later ones are on their way.
#[inline(always)]
fn ask<const W: usize>(
    words: &[u64],
    found: &mut [bool],
    hashes: impl Hashes,
    unit: impl Fn(KeyHash) -> usize,
    has: impl Fn(&[u64; W], KeyHash) -> bool,
) {
    let mut units = words.as_chunks::<W>().0;
    let fetch = |units: &&[[u64; W]], key| prefetch(units.as_ptr().wrapping_add(unit(key)));
    rolling(&mut units, found.len(), hashes, fetch, |units, at, keys| {
        for (found, key) in found[at..].iter_mut().zip(keys) {
            *found = has(&units[unit(*key)], *key);
        }
    });
}

/// Puts so many keys in, likewise; how many surely were not in before.
#[inline(always)]
fn put<const W: usize>(
    words: &mut [u64],
    count: usize,
    hashes: impl Hashes,
    unit: impl Fn(KeyHash) -> usize,
    set: impl Fn(&mut [u64; W], KeyHash) -> bool,
) -> u64 {
    let mut units = words.as_chunks_mut::<W>().0;
    let fetch = |units: &&mut [[u64; W]], key| prefetch(units.as_ptr().wrapping_add(unit(key)));
    let mut new = 0;
    rolling(&mut units, count, hashes, fetch, |units, _, keys| {
        for key in keys {
            new += u64::from(set(&mut units[unit(*key)], *key));
        }
    });
    new
}

/// Answers for keys of any filter, or for what was made of them, while the lines of later ones are
/// on their way: `fetch` asks for those of one.
pub(crate) fn ask_ahead<T: Copy + Default>(
    found: &mut [bool],
    keys: impl Iterator<Item = T>,
    fetch: impl Fn(T),
    has: impl Fn(T) -> bool,
) {
    rolling(
        &mut (),
        found.len(),
        keys,
        |(), key| fetch(key),
        |(), at, keys| {
            for (found, key) in found[at..].iter_mut().zip(keys) {
                *found = has(*key);
            }
        },
    );
}

/// Puts so many keys of any filter in, likewise; how many surely were not in before.
pub(crate) fn put_ahead(
    count: usize,
    hashes: impl Hashes,
    fetch: impl Fn(KeyHash),
    put: impl Fn(KeyHash) -> bool,
) -> u64 {
    let mut new = 0;
    rolling(
        &mut (),
        count,
        hashes,
        |(), key| fetch(key),
        |(), _, keys| {
            new += keys.iter().map(|key| u64::from(put(*key))).sum::<u64>();
        },
    );
    new
}

/// Calls a function of the best kernel that the machine can run.
macro_rules! pick {
    ($function:ident($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        if find_avx2() {
            #[expect(unsafe_code, reason = "the instructions are not in the compiler's baseline")]
            // SAFETY: the machine has these instructions, as was found out.
            return unsafe { avx2::$function($($argument),*) };
        }
        portable::$function($($argument),*)
    }};
}

/// The same for a single key, where choosing must cost next to nothing: whoever is not known to
/// have the instructions is asked apart.
macro_rules! pick_for_one {
    ($function:ident($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx2() {
                #[expect(unsafe_code, reason = "as for many")]
                // SAFETY: as for many.
                return unsafe { avx2::$function($($argument),*) };
            }
            return apart(move || portable::$function($($argument),*));
        }
        #[cfg(not(target_arch = "x86_64"))]
        portable::$function($($argument),*)
    }};
}

/// Whether the machine is known to run `avx2`. The standard library remembers what it found, too,
/// but its answer takes six instructions, of some fifty for a whole question.
#[cfg(target_arch = "x86_64")]
static AVX2: AtomicBool = AtomicBool::new(false);

#[cfg(target_arch = "x86_64")]
#[inline]
fn has_avx2() -> bool {
    cfg!(all(target_feature = "avx2", target_feature = "bmi2")) || AVX2.load(Ordering::Relaxed)
}

/// Whether the machine runs `avx2`, found out if need be.
#[cfg(target_arch = "x86_64")]
fn find_avx2() -> bool {
    if has_avx2() {
        return true;
    }
    let has = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2");
    // Only where it says something: a store takes the line away from all other cores.
    if has {
        AVX2.store(true, Ordering::Relaxed);
    }
    has
}

/// The first question, and all on a machine without AVX2. Kept out of the loops that ask, which are
/// a fifth slower with a second way inside.
#[cfg(target_arch = "x86_64")]
#[cold]
#[inline(never)]
fn apart<R>(ask: impl FnOnce() -> R) -> R {
    find_avx2();
    ask()
}

/// Where hashes come from: as many as there are keys.
#[expect(unnameable_types, reason = "named by sealed traits only")]
pub trait Hashes: Iterator<Item = KeyHash> {}
impl<H: Iterator<Item = KeyHash>> Hashes for H {}

/// Whether each of the keys is in a row of lines.
pub(crate) fn line_has(line: Line, words: &[u64], found: &mut [bool], hashes: impl Hashes) {
    pick!(line_has(line, words, found, hashes))
}

/// Puts keys into a row of lines of which the words begin with the line `first`; how many surely
/// were not in before.
pub(crate) fn line_put(
    line: Line,
    words: &mut [u64],
    first: u64,
    count: usize,
    hashes: impl Hashes,
) -> u64 {
    pick!(line_put(line, words, first, count, hashes))
}

/// Whether each of the keys is in a row of blocks.
pub(crate) fn lanes_have(lanes: Lanes, words: &[u64], found: &mut [bool], hashes: impl Hashes) {
    pick!(lanes_have(lanes, words, found, hashes))
}

/// Puts keys into a row of blocks of which the words begin with the block `first`; how many surely
/// were not in before.
pub(crate) fn lanes_put(
    lanes: Lanes,
    words: &mut [u64],
    first: u64,
    count: usize,
    hashes: impl Hashes,
) -> u64 {
    pick!(lanes_put(lanes, words, first, count, hashes))
}

/// Whether a key is in a row of lines. Pattern and row go by reference: a kernel is a call where the
/// compiler may not take AVX2 for granted, and five arguments instead of three made it take 1.4 times
/// as long.
#[inline]
pub(crate) fn line_has_one(line: &Line, words: &Words, key: KeyHash) -> bool {
    pick_for_one!(line_has_one(line, words, key))
}

/// Puts a key into a row of lines; whether it surely was not in before.
#[inline]
pub(crate) fn line_put_one(line: &Line, words: &mut Words, key: KeyHash) -> bool {
    pick_for_one!(line_put_one(line, words, key))
}

/// Whether a key is in a row of blocks.
#[inline]
pub(crate) fn lanes_have_one(lanes: &Lanes, words: &Words, key: KeyHash) -> bool {
    pick_for_one!(lanes_have_one(lanes, words, key))
}

/// Puts a key into a row of blocks; whether it surely was not in before.
#[inline]
pub(crate) fn lanes_put_one(lanes: &Lanes, words: &mut Words, key: KeyHash) -> bool {
    pick_for_one!(lanes_put_one(lanes, words, key))
}

#[cfg(test)]
mod tests;
