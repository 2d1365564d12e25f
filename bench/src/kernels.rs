//! Batches of lookups in a large filter of 512-bit lines: hash, prefetch, and test a little later.

use crate::lines::{bits_as_signs, halves, mask};
use crate::random::{GOLDEN, scale};
use anther::KeyHash;
use anther::parts::probes::Line;
use memmap2::{Advice, MmapMut};
use std::arch::x86_64::*;
use std::io;

/// 512 bits, on a cache line of their own.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Cells(pub [u32; 16]);

/// How far the prefetch runs ahead: enough lines under way to fill the core's miss buffers.
const AHEAD: usize = 32;

/// How the places of a key in its line are tested.
pub trait Kernel: Copy {
    /// Whether all places of the key are set.
    ///
    /// # Safety
    /// The machine must have AVX2, unless the kernel is [`Portable`].
    unsafe fn test(self, cells: &Cells, hash: u64) -> bool;
}

/// The library's own loop.
#[derive(Clone, Copy)]
pub struct Portable(pub u32);

impl Kernel for Portable {
    #[inline]
    unsafe fn test(self, cells: &Cells, hash: u64) -> bool {
        let bit = |place: u32| cells.0[place as usize / 32] >> (place % 32) & 1 == 1;
        Line::new(1, self.0).all(KeyHash(hash), bit)
    }
}

/// Up to eight unsplit probes in one vector.
#[derive(Clone, Copy)]
pub struct Eight(pub u32);

impl Kernel for Eight {
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn test(self, cells: &Cells, hash: u64) -> bool {
        let wanted = (1 << self.0) - 1;
        unsplit(cells, hash, 0) & wanted == wanted
    }
}

/// Up to sixteen unsplit probes in two vectors.
#[derive(Clone, Copy)]
pub struct Sixteen(pub u32);

impl Kernel for Sixteen {
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn test(self, cells: &Cells, hash: u64) -> bool {
        let wanted = (1 << self.0) - 1;
        (unsplit(cells, hash, 0) | unsplit(cells, hash, 8) << 8) & wanted == wanted
    }
}

/// One probe in each of eight lanes of 64 bits.
#[derive(Clone, Copy)]
pub struct EightLanes;

impl Kernel for EightLanes {
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn test(self, cells: &Cells, hash: u64) -> bool {
        let [low, high] = halves(&cells.0);
        let at = _mm256_srli_epi32::<26>(products(hash, 0));
        let one = _mm256_set1_epi64x(1);
        let bits = |at| _mm256_sllv_epi64(one, _mm256_cvtepu32_epi64(at));
        let low_bits = bits(_mm256_castsi256_si128(at));
        let high_bits = bits(_mm256_extracti128_si256::<1>(at));
        _mm256_testc_si256(low, low_bits) & _mm256_testc_si256(high, high_bits) == 1
    }
}

/// Pattern · odd for eight odds.
#[inline]
#[target_feature(enable = "avx2")]
fn products(hash: u64, from: usize) -> __m256i {
    let odds = halves(&Line::ODDS)[from / 8];
    let pattern = (hash.wrapping_mul(GOLDEN) >> 32) as i32;
    _mm256_mullo_epi32(_mm256_set1_epi32(pattern), odds)
}

/// One bit for each of eight probes.
#[inline]
#[target_feature(enable = "avx2")]
fn unsplit(cells: &Cells, hash: u64, from: usize) -> u32 {
    let [low, high] = halves(&cells.0);
    mask(bits_as_signs(low, high, _mm256_srli_epi32::<23>(products(hash, from))))
}

/// How many of the keys are found, compiled for any x86-64.
pub fn portable(lines: &[Cells], keys: &[u64], hash: impl Fn(u64) -> u64, probes: u32) -> u64 {
    // SAFETY: the portable kernel needs no vector instructions.
    unsafe { rolling(lines, keys, hash, Portable(probes)) }
}

/// How many of the keys are found, compiled for AVX2.
///
/// # Safety
/// The machine must have AVX2.
#[target_feature(enable = "avx2")]
pub unsafe fn avx2(
    lines: &[Cells],
    keys: &[u64],
    hash: impl Fn(u64) -> u64,
    kernel: impl Kernel,
) -> u64 {
    // SAFETY: AVX2 is there, by this function's own condition.
    unsafe { rolling(lines, keys, hash, kernel) }
}

/// # Safety
/// As [`Kernel::test`].
#[inline(always)]
unsafe fn rolling(
    lines: &[Cells],
    keys: &[u64],
    hash: impl Fn(u64) -> u64,
    kernel: impl Kernel,
) -> u64 {
    let mut ring = [0; AHEAD];
    let mut found = 0;
    for i in 0..keys.len() + AHEAD {
        let slot = &mut ring[i % AHEAD];
        if i >= AHEAD {
            // SAFETY: by this function's own condition.
            found += u64::from(unsafe { kernel.test(line(lines, *slot), *slot) });
        }
        if let Some(&key) = keys.get(i) {
            *slot = hash(key);
            prefetch(line(lines, *slot));
        }
    }
    found
}

/// The line of a hash.
#[inline]
pub fn line(lines: &[Cells], hash: u64) -> &Cells {
    &lines[scale(hash, lines.len() as u64) as usize]
}

/// Asks for a line before it is needed.
#[inline]
pub fn prefetch(cells: &Cells) {
    let at: *const Cells = cells;
    // SAFETY: a prefetch reads nothing, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
}

/// The same, into the second cache only: the first has fewer buffers for lines under way.
#[inline]
pub fn prefetch_far(cells: &Cells) {
    let at: *const Cells = cells;
    // SAFETY: a prefetch reads nothing, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T1>(at.cast()) };
}

/// Lines in huge pages where the system grants them, so that the time is that of memory and not
/// of its page tables.
pub struct Lines(MmapMut);

impl Lines {
    /// So many lines of zeros.
    pub fn zeroed(count: usize) -> io::Result<Lines> {
        let map = MmapMut::map_anon(count * size_of::<Cells>())?;
        map.advise(Advice::HugePage)?;
        Ok(Lines(map))
    }

    /// The lines.
    pub fn as_slice(&self) -> &[Cells] {
        // SAFETY: the map is page-aligned, and any bytes are cells.
        unsafe { self.0.align_to::<Cells>().1 }
    }

    /// The lines, to be written.
    pub fn as_mut_slice(&mut self) -> &mut [Cells] {
        // SAFETY: the map is page-aligned, and any bytes are cells.
        unsafe { self.0.align_to_mut::<Cells>().1 }
    }
}
