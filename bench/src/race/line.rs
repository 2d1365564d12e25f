//! The limit: what a random cache line costs when it is prefetched early enough.
//!
//! No filter that reads a line per key can be faster than this where the lines are in memory. They are
//! prefetched into the second cache [`AHEAD`] keys before one word of each is read, from pages of
//! 2 MiB where the system gives them. The keys are read from the same slice as for the filters, and
//! are random bits already: an index is one multiplication.

use crate::random::scale;
use memmap2::{Advice, MmapMut};
use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
use std::io;

/// Between the 64 and 128 lines that measured alike.
const AHEAD: usize = 96;

/// Memory of the size of a filter.
pub struct Limit(Lines);

impl Limit {
    /// `bits` bits, with all pages in memory.
    pub fn new(bits: u64) -> io::Result<Limit> {
        let mut lines = Lines::zeroed(bits.div_ceil(512) as usize)?;
        lines.as_mut_slice().fill(Cells([1; 16]));
        Ok(Limit(lines))
    }

    /// Reads a line for each key; as many as there are keys.
    pub fn read(&self, keys: &[u64]) -> usize {
        let lines = self.0.as_slice();
        let mut read = 0;
        for (at, key) in keys.iter().enumerate() {
            if let Some(next) = keys.get(at + AHEAD) {
                prefetch_far(line(lines, *next));
            }
            read += line(lines, *key).0[0] as usize;
        }
        read
    }
}

/// 512 bits, on a cache line of their own.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Cells([u32; 16]);

/// The line of a hash.
#[inline]
fn line(lines: &[Cells], hash: u64) -> &Cells {
    &lines[scale(hash, lines.len() as u64) as usize]
}

/// Into the second cache only: the first has fewer buffers for lines under way.
#[inline]
fn prefetch_far(cells: &Cells) {
    let at: *const Cells = cells;
    // SAFETY: a prefetch reads nothing, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T1>(at.cast()) };
}

/// Lines in huge pages where the system grants them, so that the time is that of memory and not
/// of its page tables.
struct Lines(MmapMut);

impl Lines {
    /// A number of lines of zeros.
    fn zeroed(count: usize) -> io::Result<Lines> {
        let map = MmapMut::map_anon(count * size_of::<Cells>())?;
        map.advise(Advice::HugePage)?;
        Ok(Lines(map))
    }

    fn as_slice(&self) -> &[Cells] {
        // SAFETY: the map is page-aligned, and any bytes are cells.
        unsafe { self.0.align_to::<Cells>().1 }
    }

    fn as_mut_slice(&mut self) -> &mut [Cells] {
        // SAFETY: the map is page-aligned, and any bytes are cells.
        unsafe { self.0.align_to_mut::<Cells>().1 }
    }
}
