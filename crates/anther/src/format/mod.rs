//! Files and streams: the only code that knows bytes. FORMAT.md is its specification.
//!
//! One container serves every kind. A kind names its fields and its sections of words and checks
//! them when they come back (`describe`); it never sees an offset, a checksum or a byte order.
//! [`Open`] reads and [`Save`] writes; both take a named kind as well as
//! [`AnyFilter`](crate::AnyFilter).
//!
//! Nothing read from a file is trusted: every number is checked against its range, every size
//! against the bytes present, and counts are recomputed from the cells.

mod cancel;
mod describe;
mod entropy;
mod header;
mod in_place;
mod lock;
mod outline;
mod pages;
mod read;
mod recipe;
mod replace;
#[cfg(feature = "serde")]
pub(crate) mod serde;
pub(crate) mod sketch;
mod write;

pub use cancel::Cancel;
pub(crate) use describe::{Contents, Parts, Sealed, Sheet, Stored};
pub use describe::{Readable, Tag, Value, Writable};
pub(crate) use in_place::{InPlace, Viewed};
pub use lock::Lock;
pub(crate) use outline::{Outline, PagesAt};
pub(crate) use pages::{PAGE, Tree};
pub use read::Open;
pub use replace::Replace;
pub use write::Save;

/// The version that this release writes and reads. Every later release reads it too, with the same
/// answers. FORMAT.md says what that covers, and `tests/golden.rs` checks it.
pub const VERSION: u16 = 1;
/// Files from before the format was stable. No release wrote them.
const UNSETTLED: u16 = 0;

/// Checksums are XXH3-64 with seed 0.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    twox_hash::XxHash3_64::oneshot(bytes)
}

/// Sections begin at multiples of a cache line.
const ALIGN: usize = 64;

/// Number of zero bytes after a section of `len` bytes, up to the next multiple of [`ALIGN`].
fn padding(len: u64) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "below ALIGN")]
    let beyond = (len % ALIGN as u64) as usize;
    (ALIGN - beyond) % ALIGN
}
