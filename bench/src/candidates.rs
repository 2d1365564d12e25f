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

const SEEDED: Seed = Seed::chosen(1);

/// In the order of the tables: the library's hash under two seeds, then the others.
pub const CANDIDATES: [Candidate; 7] = [
    Candidate { name: "library", hash: library },
    Candidate { name: "library, seed 1", hash: |x| SEEDED.hash_integer(x).0 },
    Candidate { name: "fold x·φ", hash: |x| fold(x, GOLDEN) },
    Candidate { name: "fold x·rotl(x)", hash: fold_rotated },
    Candidate { name: "fold twice", hash: fold_twice },
    Candidate { name: "XXH3", hash: xxh3 },
    Candidate { name: "mix", hash: mix },
];

/// The library's own, under the fixed seed.
#[inline]
pub fn library(x: u64) -> u64 {
    Seed::FIXED.hash_integer(x).0
}

/// The constants of the folds: fractional bits of pi. The test of paired keys has to know them.
pub const FOLD_A: u64 = 0x243F_6A88_85A3_08D3;
/// See [`FOLD_A`].
pub const FOLD_B: u64 = 0x1319_8A2E_0370_7344;

/// The two halves of a product, xored.
#[inline]
pub const fn fold(x: u64, y: u64) -> u64 {
    let product = x as u128 * y as u128;
    product as u64 ^ (product >> 64) as u64
}

/// One product of the key and its rotation.
#[inline]
pub const fn fold_rotated(x: u64) -> u64 {
    fold(x ^ FOLD_A, x.rotate_left(32) ^ FOLD_B)
}

/// A second product of the first one's halves, in the manner of wyhash.
#[inline]
pub const fn fold_twice(x: u64) -> u64 {
    let product = (x ^ FOLD_A) as u128 * (x.rotate_left(32) ^ FOLD_B) as u128;
    fold(product as u64 ^ FOLD_A, (product >> 64) as u64 ^ FOLD_B)
}

/// XXH3 of the eight bytes.
#[inline]
pub fn xxh3(x: u64) -> u64 {
    XxHash3_64::oneshot(&x.to_le_bytes())
}
