//! MurmurHash2 by Austin Appleby, in its 64-bit form (64A) and its 32-bit form.
//!
//! The crates that have them are unmaintained, and longer than this.

const MULTIPLIER_64: u64 = 0xc6a4_a793_5bd1_e995;
const MULTIPLIER_32: u32 = 0x5bd1_e995;

pub(super) fn murmur_64(key: &[u8], seed: u64) -> u64 {
    let mut hash = seed ^ (key.len() as u64).wrapping_mul(MULTIPLIER_64);
    let (words, tail) = key.as_chunks::<8>();
    for word in words {
        let mut word = u64::from_le_bytes(*word).wrapping_mul(MULTIPLIER_64);
        word ^= word >> 47;
        hash = (hash ^ word.wrapping_mul(MULTIPLIER_64)).wrapping_mul(MULTIPLIER_64);
    }
    if !tail.is_empty() {
        let mut last = [0; 8];
        last[..tail.len()].copy_from_slice(tail);
        hash = (hash ^ u64::from_le_bytes(last)).wrapping_mul(MULTIPLIER_64);
    }
    hash = (hash ^ hash >> 47).wrapping_mul(MULTIPLIER_64);
    hash ^ hash >> 47
}

/// `byte` gives a byte of the tail its 32 bits: HBase extends its sign, RedisBloom does not.
pub(super) fn murmur_32(key: &[u8], seed: u32, byte: impl Fn(u8) -> u32) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the length enters modulo 2^32")]
    let mut hash = seed ^ key.len() as u32;
    let (words, tail) = key.as_chunks::<4>();
    for word in words {
        let mut word = u32::from_le_bytes(*word).wrapping_mul(MULTIPLIER_32);
        word ^= word >> 24;
        hash = hash.wrapping_mul(MULTIPLIER_32) ^ word.wrapping_mul(MULTIPLIER_32);
    }
    if !tail.is_empty() {
        // A byte with a sign reaches beyond its place, so they are xored and not joined.
        let shifted = tail.iter().zip([0, 8, 16]).map(|(tail, shift)| byte(*tail) << shift);
        hash = shifted.fold(hash, |hash, bits| hash ^ bits).wrapping_mul(MULTIPLIER_32);
    }
    hash = (hash ^ hash >> 13).wrapping_mul(MULTIPLIER_32);
    hash ^ hash >> 15
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SMHasher's verification value: the hash of the hashes of 0, 0 1, 0 1 2, …, each with a seed
    /// of its own.
    fn verification<const LEN: usize>(hash: impl Fn(&[u8], u32) -> [u8; LEN]) -> u32 {
        let keys: Vec<u8> = (0..=255).collect();
        let hashes: Vec<u8> =
            (0..256).flat_map(|len| hash(&keys[..len], 256 - len as u32)).collect();
        u32::from_le_bytes(*hash(&hashes, 0).first_chunk().unwrap())
    }

    #[test]
    fn the_published_verification_values_hold() {
        let long = |key: &[u8], seed: u32| murmur_64(key, seed.into()).to_le_bytes();
        assert_eq!(verification(long), 0x1f0d_3804);
        let short = |key: &[u8], seed: u32| murmur_32(key, seed, u32::from).to_le_bytes();
        assert_eq!(verification(short), 0x2786_4c1e);
    }
}
