//! Memory that could not be allocated.

use thiserror::Error;

/// The allocation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "out of memory: needs {}; choose fewer items, a higher false-positive rate or a smaller budget",
    crate::units::size(*bytes)
)]
pub struct OutOfMemory {
    /// Size of the failed allocation.
    pub bytes: u64,
}
