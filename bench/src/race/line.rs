//! The limit: what a random cache line costs when it is asked for early enough.
//!
//! No filter that reads a line a key can be faster than this where the lines are in memory. They are
//! prefetched into the second cache [`AHEAD`] keys before one word of each is read, from pages of
//! 2 MiB where the system gives them. The keys are read from the same slice as for the filters, and
//! are random bits already: an index is one multiplication.

use crate::kernels::{Cells, Lines, line, prefetch_far};
use std::io;

/// Between the 64 and 128 lines that measured alike.
const AHEAD: usize = 96;

/// Memory of the size of a filter.
pub struct Limit(Lines);

impl Limit {
    /// So many bits, all of whose pages are there.
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
