//! The only vector instructions: a key's bits within its line of 512 bits, or its block of 256.
//!
//! Each kernel has a function for one key and one for many. The latter run the loops of
//! [`batch`](crate::batch), which prefetch a key's line some time before its bits are tested.
//!
//! The instructions of the machine are detected once per batch, and cached for single keys. A
//! kernel is a file with the same functions as the others: `portable` for every machine, `avx2` for
//! most that run Linux today. NEON and AVX-512 would be two more files: eight functions each, and a
//! line in [`pick!`] and [`pick_for_one!`].

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

use crate::batch::Hashes;
use crate::parts::hash::KeyHash;
use crate::parts::probes::{Lanes, Line};
use crate::parts::words::Words;
#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicBool, Ordering};

/// Calls a function of the best kernel that the machine can run.
macro_rules! pick {
    ($function:ident($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        if find_avx2() {
            #[expect(unsafe_code, reason = "the instructions are not in the compiler's baseline")]
            // SAFETY: the machine has these instructions: `find_avx2` has just checked.
            return unsafe { avx2::$function($($argument),*) };
        }
        portable::$function($($argument),*)
    }};
}

/// The same for a single key, where the choice must cost next to nothing: detection is out of line.
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

/// Whether each of the keys is in a row of lines.
pub(crate) fn line_contains_hashes(
    line: Line,
    words: &[u64],
    found: &mut [bool],
    hashes: impl Hashes,
) {
    pick!(line_contains_hashes(line, words, found, hashes))
}

/// Inserts keys into a row of lines whose words begin with line `first`. Returns how many of them
/// are certainly new.
pub(crate) fn line_insert_hashes(
    line: Line,
    words: &mut [u64],
    first: u64,
    count: usize,
    hashes: impl Hashes,
) -> u64 {
    pick!(line_insert_hashes(line, words, first, count, hashes))
}

/// Whether each of the keys is in a row of blocks.
pub(crate) fn lanes_contain_hashes(
    lanes: Lanes,
    words: &[u64],
    found: &mut [bool],
    hashes: impl Hashes,
) {
    pick!(lanes_contain_hashes(lanes, words, found, hashes))
}

/// Inserts keys into a row of blocks whose words begin with block `first`. Returns how many of them
/// are certainly new.
pub(crate) fn lanes_insert_hashes(
    lanes: Lanes,
    words: &mut [u64],
    first: u64,
    count: usize,
    hashes: impl Hashes,
) -> u64 {
    pick!(lanes_insert_hashes(lanes, words, first, count, hashes))
}

/// Whether a key is in a row of lines. Pattern and row are passed by reference: unless the
/// compiler may assume AVX2, a kernel is a call, and with five arguments instead of three it took 1.4
/// times as long.
#[inline]
pub(crate) fn line_contains(line: &Line, words: &Words, key: KeyHash) -> bool {
    pick_for_one!(line_contains(line, words, key))
}

/// Inserts a key into a row of lines. Returns true if it is certainly new.
#[inline]
pub(crate) fn line_insert(line: &Line, words: &mut Words, key: KeyHash) -> bool {
    pick_for_one!(line_insert(line, words, key))
}

/// Whether a key is in a row of blocks.
#[inline]
pub(crate) fn lanes_contain(lanes: &Lanes, words: &Words, key: KeyHash) -> bool {
    pick_for_one!(lanes_contain(lanes, words, key))
}

/// Inserts a key into a row of blocks. Returns true if it is certainly new.
#[inline]
pub(crate) fn lanes_insert(lanes: &Lanes, words: &mut Words, key: KeyHash) -> bool {
    pick_for_one!(lanes_insert(lanes, words, key))
}

#[cfg(test)]
mod tests;
