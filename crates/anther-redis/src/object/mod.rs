//! The objects that keys hold: pure Rust, testable without a server.

mod bloom;
mod cuckoo;
mod frames;
mod held;
mod numbers;

pub use bloom::{Bloom, BloomRequest, Inserted};
pub use cuckoo::{Cuckoo, CuckooRequest};
pub use held::{ChunkError, Held, Payload, dump_chunk, dump_header};

/// The most bytes that an object may take. `None`: any number.
pub type Limit = Option<u64>;

use crate::errors::{self, Failure};

/// Whether so many bytes are allowed.
fn within(limit: Limit, bytes: u64) -> Result<(), Failure> {
    match limit {
        Some(limit) if bytes > limit => Err(errors::LIMIT),
        _ => Ok(()),
    }
}
