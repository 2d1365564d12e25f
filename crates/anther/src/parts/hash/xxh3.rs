//! XXH3-64 of keys, by its specification.
//!
//! Up to 128 bytes it is a few folded products with the words of a fixed secret: safe Rust, in which
//! no bounds check is left. Longer keys go to `twox-hash`, whose loop has vector instructions. For
//! 129 to 240 bytes our own loop took 1.3 times as long as that crate.
//!
//! Lengths are told apart by branches. Products that are computed for every length up to 64 and then
//! masked cost more than mispredicted branches: a tenth of a lookup of keys of 16 to 64 bytes.

use super::fold;
use twox_hash::XxHash3_64;

/// The first bytes of the secret of XXH3: those that short keys use.
const SECRET: [u8; 128] = *b"\
    \xB8\xFE\x6C\x39\x23\xA4\x4B\xBE\x7C\x01\x81\x2C\xF7\x21\xAD\x1C\
    \xDE\xD4\x6D\xE9\x83\x90\x97\xDB\x72\x40\xA4\xA4\xB7\xB3\x67\x1F\
    \xCB\x79\xE6\x4E\xCC\xC0\xE5\x78\x82\x5A\xD0\x7D\xCC\xFF\x72\x21\
    \xB8\x08\x46\x74\xF7\x43\x24\x8E\xE0\x35\x90\xE6\x81\x3A\x26\x4C\
    \x3C\x28\x52\xBB\x91\xC3\x00\xCB\x88\xD0\x65\x8B\x1B\x53\x2E\xA3\
    \x71\x64\x48\x97\xA2\x0D\xF9\x4E\x38\x19\xEF\x46\xA9\xDE\xAC\xD8\
    \xA8\xFA\x76\x3F\xE3\x9C\x34\x3F\xF9\xDC\xBB\xC7\xC7\x0B\x4F\x1D\
    \x8A\x51\xE0\x4B\xCD\xB4\x59\x31\xC8\x9F\x7E\xC9\xD9\x78\x73\x64";

const PRIME_1: u64 = 0x9E37_79B1_85EB_CA87;
const PRIME_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const PRIME_3: u64 = 0x1656_67B1_9E37_79F9;
const MIX_1: u64 = 0x1656_6791_9E37_79F9;
const MIX_2: u64 = 0x9FB2_1C65_1E98_DF25;

/// With seed 0, so that the words of the secret are constants: 3.3 ns instead of 4.0 for 16 to 64
/// bytes. Inlining is left to the compiler, which makes one call of it in a lookup of text.
#[inline]
pub(super) fn fixed(bytes: &[u8]) -> u64 {
    hash(bytes, 0)
}

/// With any seed.
#[inline(never)]
pub(super) fn seeded(bytes: &[u8], seed: u64) -> u64 {
    hash(bytes, seed)
}

#[inline(always)]
fn hash(bytes: &[u8], seed: u64) -> u64 {
    let length = bytes.len();
    match length {
        129.. => long(bytes, seed),
        17.. => {
            let mut sum = (length as u64).wrapping_mul(PRIME_1);
            for round in 0..4 {
                if length > 32 * round {
                    let secret = &SECRET[32 * round..];
                    let (front, back) = (&bytes[16 * round..], &bytes[length - 16 * (round + 1)..]);
                    sum = sum.wrapping_add(product(front, secret, seed));
                    sum = sum.wrapping_add(product(back, &secret[16..], seed));
                }
            }
            finish(sum)
        }
        9.. => {
            let secret = |at| word(&SECRET, at) ^ word(&SECRET, at + 8);
            let low = word(bytes, 0) ^ secret(24).wrapping_add(seed);
            let high = word(bytes, length - 8) ^ secret(40).wrapping_sub(seed);
            let sum = (length as u64).wrapping_add(low.swap_bytes()).wrapping_add(high);
            finish(sum.wrapping_add(fold(low, high)))
        }
        4.. => {
            let secret = word(&SECRET, 8) ^ word(&SECRET, 16);
            let seed = seed ^ (seed << 32).swap_bytes() << 32;
            let x = half(bytes, 0) << 32 | half(bytes, length - 4);
            let x = x ^ secret.wrapping_sub(seed);
            let x = (x ^ x.rotate_left(49) ^ x.rotate_left(24)).wrapping_mul(MIX_2);
            let x = (x ^ (x >> 35).wrapping_add(length as u64)).wrapping_mul(MIX_2);
            x ^ x >> 28
        }
        1.. => {
            let secret = half(&SECRET, 0) ^ half(&SECRET, 4);
            let [first, middle, last] = [0, length / 2, length - 1].map(|at| u64::from(bytes[at]));
            let x = last | (length as u64) << 8 | first << 16 | middle << 24;
            finish_64(x ^ secret.wrapping_add(seed))
        }
        0 => finish_64(seed ^ word(&SECRET, 56) ^ word(&SECRET, 64)),
    }
}

/// More than 128 bytes. A function of its own, so that shorter keys need not save registers for it.
#[inline(never)]
fn long(bytes: &[u8], seed: u64) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, bytes)
}

/// The first 16 bytes of a key with those of the secret.
#[inline(always)]
fn product(bytes: &[u8], secret: &[u8], seed: u64) -> u64 {
    fold(
        word(bytes, 0) ^ word(secret, 0).wrapping_add(seed),
        word(bytes, 8) ^ word(secret, 8).wrapping_sub(seed),
    )
}

/// The last step of most lengths.
#[inline(always)]
fn finish(x: u64) -> u64 {
    let x = (x ^ x >> 37).wrapping_mul(MIX_1);
    x ^ x >> 32
}

/// The last step of XXH64, which the shortest keys have.
#[inline(always)]
fn finish_64(x: u64) -> u64 {
    let x = (x ^ x >> 33).wrapping_mul(PRIME_2);
    let x = (x ^ x >> 29).wrapping_mul(PRIME_3);
    x ^ x >> 32
}

/// The 8 bytes at a place, which the lengths above put within the slice: no check is left.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}

/// The 4 bytes at a place.
#[inline(always)]
fn half(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |half| u32::from_le_bytes(*half).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::hash::mix;

    /// All lengths of the branches above, and some that go on to `twox-hash`.
    #[test]
    fn every_length_hashes_as_the_crate_does() {
        let bytes: Vec<u8> = (0..40).flat_map(|at| mix(at + 1).to_le_bytes()).collect();
        for length in 0..=300 {
            for from in [0, 1, 7, 20] {
                let bytes = &bytes[from..][..length];
                assert_eq!(fixed(bytes), XxHash3_64::oneshot(bytes), "{length} bytes");
                for seed in [0, 1, 0x8000_0000, 1 << 32, mix(5), u64::MAX] {
                    let expected = XxHash3_64::oneshot_with_seed(seed, bytes);
                    assert_eq!(seeded(bytes, seed), expected, "{length} bytes, seed {seed}");
                }
            }
        }
    }
}
