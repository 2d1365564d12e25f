//! Keys of columns: exact values, each with several rows, as in a Bloom filter.
//!
//! A literal has a gram per byte, so one row per gram is enough. A key is looked up as a whole, so
//! it needs as many rows as its false-positive rate asks for; rows are half full then.

use twox_hash::XxHash3_64;

/// The share of bits that are set in a column: with half of them, each probe halves the rate.
pub const LOAD: f64 = 0.5;

/// Rows per key.
pub fn probes(fpr: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 32")]
    let probes = (-fpr.log2()).ceil().clamp(1.0, 32.0) as u32;
    probes
}

/// The hashes of a key: the lower half of its hash, and then steps of the upper half.
pub fn hashes(key: &[u8], probes: u32) -> impl Iterator<Item = u32> + Clone {
    let hash = XxHash3_64::oneshot(key);
    #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
    let (first, step) = (hash as u32, (hash >> 32) as u32 | 1);
    (0..probes).map(move |probe| first.wrapping_add(probe.wrapping_mul(step)))
}
