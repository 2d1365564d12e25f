//! Memory that could not be allocated.

use thiserror::Error;

/// The allocator had no such memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{bytes} bytes of memory cannot be had; ask for fewer items, a higher rate or less memory")]
pub struct OutOfMemory {
    /// How much was asked for.
    pub bytes: u64,
}
