//! The only vector instructions: a key's bits within its line of 512 bits, or its block of 256, and
//! plain loops that the compiler vectorises.
//!
//! A kernel is a file with six functions: whether a key's bits are all in a line or block
//! (`in_line`, `in_block`), setting them (`into_line`, `into_block`), those of a line by themselves
//! (`line_masks`), and `with_vectors` for plain loops. [`instantiate!`] makes of the first four the
//! functions for many keys. Those run the loops of [`batch`](crate::batch), which prefetch a key's
//! line some time before its bits are tested.
//!
//! | kernel | for |
//! |---|---|
//! | `portable` | every machine |
//! | `avx2` | x86-64 since 2013 |
//! | `avx512` | x86-64 with AVX-512 that does not lower its clock: Ice Lake, Zen 4 and later |
//! | `neon` | every aarch64 |
//!
//! The kernel is chosen once per batch. For single keys the choice is a function pointer, and costs
//! nothing beside the call that a kernel is anyway, unless the compiler may assume its
//! instructions; then it is inlined.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod portable;

use crate::batch::Hashes;
use crate::parts::hash::KeyHash;
use crate::parts::probes::{Lanes, Line, UnitMasks, index};

/// The functions of a kernel for many keys, out of its four functions for a line and a block. The
/// argument is the attribute that they all need.
macro_rules! instantiate {
    ($(#[$features:meta])?) => {
        $(#[$features])?
        pub(super) fn line_contains_hashes(
            line: $crate::parts::probes::Line,
            words: &[u64],
            found: &mut [bool],
            hashes: impl $crate::batch::Hashes,
        ) {
            let unit = |key| $crate::parts::probes::index(line.line(key));
            let has = |cells: &_, key| in_line(line.probes(), cells, key);
            $crate::batch::ahead::contains_in_units(words, found, hashes, unit, has);
        }

        $(#[$features])?
        pub(super) fn line_insert_hashes(
            line: $crate::parts::probes::Line,
            words: &mut [u64],
            first: u64,
            count: usize,
            hashes: impl $crate::batch::Hashes,
        ) -> u64 {
            let unit = |key| $crate::parts::probes::index(line.line(key) - first);
            let set = |cells: &mut _, key| into_line(line.probes(), cells, key);
            $crate::batch::ahead::insert_in_units(words, count, hashes, unit, set)
        }

        $(#[$features])?
        pub(super) fn lanes_contain_hashes(
            lanes: $crate::parts::probes::Lanes,
            words: &[u64],
            found: &mut [bool],
            hashes: impl $crate::batch::Hashes,
        ) {
            let unit = |key| $crate::parts::probes::index(lanes.block(key));
            let has = |cells: &_, key| in_block(cells, key);
            $crate::batch::ahead::contains_in_units(words, found, hashes, unit, has);
        }

        $(#[$features])?
        pub(super) fn lanes_insert_hashes(
            lanes: $crate::parts::probes::Lanes,
            words: &mut [u64],
            first: u64,
            count: usize,
            hashes: impl $crate::batch::Hashes,
        ) -> u64 {
            let unit = |key| $crate::parts::probes::index(lanes.block(key) - first);
            let set = |cells: &mut _, key| into_block(cells, key);
            $crate::batch::ahead::insert_in_units(words, count, hashes, unit, set)
        }
    };
}
use instantiate;

/// The kernels of x86-64.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernel {
    Portable,
    Avx2,
    Avx512,
}

/// The best kernel that the machine can run. The standard library remembers what it found.
#[cfg(target_arch = "x86_64")]
fn best_kernel() -> Kernel {
    if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2")) {
        return Kernel::Portable;
    }
    // VBMI2 is not used. It tells the processors that run vectors of 512 bits at full clock from
    // the first ones, which do not.
    match is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vbmi2") {
        true => Kernel::Avx512,
        false => Kernel::Avx2,
    }
}

/// Calls a function of the best kernel that the machine can run.
macro_rules! pick {
    ($function:ident($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        #[expect(unsafe_code, reason = "the instructions are not in the compiler's baseline")]
        match best_kernel() {
            // SAFETY: the machine has these instructions: `best_kernel` has just checked.
            Kernel::Avx512 => return unsafe { avx512::$function($($argument),*) },
            // SAFETY: as above.
            Kernel::Avx2 => return unsafe { avx2::$function($($argument),*) },
            Kernel::Portable => {}
        }
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        return neon::$function($($argument),*);
        #[cfg(not(all(target_arch = "aarch64", target_endian = "little")))]
        portable::$function($($argument),*)
    }};
}

/// A kernel's function for one key, by the best kernel.
///
/// On x86-64 it is called through a pointer. The first call finds the kernel, so that no later one
/// has to ask: a flag to test took two instructions more of some forty, and a kernel inlined by
/// `asm!`, without a call, gained nothing that could be measured.
macro_rules! for_one {
    ($function:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        #[inline]
        pub(crate) fn $function($($argument: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            {
                use std::sync::atomic::{AtomicPtr, Ordering};

                type Pointer = unsafe fn($($type),*) -> $result;
                static PICKED: AtomicPtr<()> = AtomicPtr::new(find as *mut ());

                #[cold]
                fn find($($argument: $type),*) -> $result {
                    let picked: Pointer = match best_kernel() {
                        Kernel::Avx512 => avx512::$function,
                        Kernel::Avx2 => avx2::$function,
                        Kernel::Portable => portable::$function,
                    };
                    PICKED.store(picked as *mut (), Ordering::Relaxed);
                    #[expect(unsafe_code, reason = "as for many")]
                    // SAFETY: the machine has the kernel's instructions: `best_kernel` checked.
                    unsafe { picked($($argument),*) }
                }

                if cfg!(all(target_feature = "avx2", target_feature = "bmi2")) {
                    #[expect(unsafe_code, reason = "as for many")]
                    // SAFETY: the compiler may assume these instructions everywhere.
                    return unsafe { avx2::$function($($argument),*) };
                }
                let picked = PICKED.load(Ordering::Relaxed);
                #[expect(unsafe_code, reason = "an atomic holds no function pointer")]
                // SAFETY: it holds `find` or what `find` has stored, all of them of this type, and
                // `find` stores only functions whose instructions the machine has.
                unsafe { std::mem::transmute::<*mut (), Pointer>(picked)($($argument),*) }
            }
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            return neon::$function($($argument),*);
            #[cfg(not(any(
                target_arch = "x86_64",
                all(target_arch = "aarch64", target_endian = "little")
            )))]
            portable::$function($($argument),*)
        }
    };
}

for_one!(in_line(probes: u32, cells: &[u64; Line::WORDS], key: KeyHash) -> bool);
for_one!(into_line(probes: u32, cells: &mut [u64; Line::WORDS], key: KeyHash) -> bool);
for_one!(line_masks(probes: u32, key: KeyHash) -> UnitMasks);
for_one!(in_block(cells: &[u64; Lanes::WORDS], key: KeyHash) -> bool);
for_one!(into_block(cells: &mut [u64; Lanes::WORDS], key: KeyHash) -> bool);

// A single key's unit is found here and not by the kernel, which is a call: it has two arguments
// less. And it is found by the length of the row, which is at hand, and not by that of the pattern.

/// Whether a key is in a row of lines.
#[inline]
pub(crate) fn line_contains(words: &[u64], probes: u32, key: KeyHash) -> bool {
    let lines = words.as_chunks().0;
    in_line(probes, &lines[index(Line::line_of(lines.len() as u64, key))], key)
}

/// Inserts a key into a row of lines. Returns true if it is certainly new.
#[inline]
pub(crate) fn line_insert(words: &mut [u64], probes: u32, key: KeyHash) -> bool {
    let lines = words.as_chunks_mut().0;
    into_line(probes, &mut lines[index(Line::line_of(lines.len() as u64, key))], key)
}

/// Whether a key is in a row of blocks.
#[inline]
pub(crate) fn lanes_contain(words: &[u64], key: KeyHash) -> bool {
    let blocks = words.as_chunks().0;
    in_block(&blocks[index(Lanes::block_of(blocks.len() as u64, key))], key)
}

/// Inserts a key into a row of blocks. Returns true if it is certainly new.
#[inline]
pub(crate) fn lanes_insert(words: &mut [u64], key: KeyHash) -> bool {
    let blocks = words.as_chunks_mut().0;
    into_block(&mut blocks[index(Lanes::block_of(blocks.len() as u64, key))], key)
}

/// A plain loop that the compiler can vectorise.
pub(crate) trait Work {
    /// Runs it. Must be `#[inline(always)]`, as all that it calls: what is not inlined is compiled
    /// without the vectors of the kernel. A closure cannot be marked so.
    fn run(self);
}

/// Runs a plain loop, compiled for the vectors of the machine.
pub(crate) fn with_vectors(work: impl Work) {
    pick!(with_vectors(work))
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

#[cfg(test)]
mod tests;
