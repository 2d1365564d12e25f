//! The objects that keys hold: pure Rust, testable without a server.

mod bloom;
mod bloom_numbers;
mod bloom_payload;
mod chunks;
mod cuckoo;
mod cuckoo_payload;
mod frames;
mod held;
mod merge;
mod numbers;
mod old;
mod request;
#[cfg(test)]
mod tests;

pub use bloom::{Bloom, Inserted};
pub use cuckoo::{Cuckoo, CuckooRequest};
pub use held::{Held, LoadFailure, Payload};
pub use request::{BloomRequest, Manner};

/// The most bytes that an object may take. `None`: any number.
pub type Limit = Option<u64>;

/// The first layer of ours is at most this many times as large as RedisBloom's last: its expansion may be
/// forged, and memory should follow from bytes that came.
const MAX_STEP: u32 = 64;

use crate::errors::{self, Failure};
use anther::{AnyFilter, Inspect};

/// Whether this many bytes are allowed.
fn within(limit: Limit, bytes: u64) -> Result<(), Failure> {
    match limit {
        Some(limit) if bytes > limit => Err(errors::LIMIT),
        _ => Ok(()),
    }
}

/// Bytes of a filter's cells. Unlike its profile, this does not read them.
fn cells_bytes(filter: &AnyFilter) -> u64 {
    let bits = match filter {
        AnyFilter::Scalable(filter) => filter.bits(),
        filter => {
            let rows = filter.rows();
            rows.iter().map(|row| row.cells.cells() * u64::from(row.cells.width())).sum()
        }
    };
    bits.div_ceil(8)
}
