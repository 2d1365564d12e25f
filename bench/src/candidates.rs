//! The integer hash of the library and those it was chosen from.

use crate::random::{GOLDEN, mix};
use anther::Seed;
use twox_hash::XxHash3_64;

/// A hash of one 64-bit integer.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// For the table.
    pub name: &'static str,
    /// The function.
    pub hash: fn(u64) -> u64,
}

/// The library's constants, which the test of paired keys has to know.
pub const FOLD_A: u64 = 0x243F_6A88_85A3_08D3;
/// See [`FOLD_A`].
pub const FOLD_B: u64 = 0x1319_8A2E_0370_7344;

const SEEDED: Seed = Seed::chosen(1);
const SEEDED_TOO: Seed = Seed::chosen(0x0123_4567_89AB_CDEF);

/// In the order of the tables: the library's hash under three seeds, then the others.
pub const CANDIDATES: [Candidate; 6] = [
    Candidate { name: "library", hash: |x| Seed::FIXED.hash_integer(x).0 },
    Candidate { name: "seed 1", hash: |x| SEEDED.hash_integer(x).0 },
    Candidate { name: "seed 0123…", hash: |x| SEEDED_TOO.hash_integer(x).0 },
    Candidate { name: "fold x·φ", hash: |x| fold(x, GOLDEN) },
    Candidate { name: "XXH3", hash: xxh3 },
    Candidate { name: "mix", hash: mix },
];

/// The two halves of a product, xored.
#[inline]
pub const fn fold(x: u64, y: u64) -> u64 {
    let product = x as u128 * y as u128;
    product as u64 ^ (product >> 64) as u64
}

/// XXH3 of the eight bytes: sound, and slower in the loop that counts.
#[inline]
pub fn xxh3(x: u64) -> u64 {
    XxHash3_64::oneshot(&x.to_le_bytes())
}

/// The library's integer hash under the fixed seed, written out.
#[inline]
pub const fn library(x: u64) -> u64 {
    fold(x ^ FOLD_A, x.rotate_left(32) ^ FOLD_B)
}
