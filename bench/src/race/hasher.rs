//! Our hash as the standard library's `Hasher`, for peers that take one.

use super::ours;
use std::hash::{BuildHasherDefault, Hasher};

/// Makes [`OurHasher`]s.
pub type OurHash = BuildHasherDefault<OurHasher>;

/// The hash of one integer or one byte string. Neither the byte that ends a `str` nor the length
/// of a slice is hashed, so this is not for keys of several parts.
#[derive(Default)]
pub struct OurHasher(u64);

impl Hasher for OurHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0 = ours::hash(bytes);
    }

    #[inline]
    fn write_u64(&mut self, integer: u64) {
        self.0 = ours::hash(integer);
    }

    #[inline]
    fn write_u8(&mut self, _: u8) {}

    #[inline]
    fn write_usize(&mut self, _: usize) {}

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::BuildHasher;

    #[test]
    fn keys_have_our_hash() {
        let by = OurHash::default();
        assert_eq!(by.hash_one(7u64), ours::hash(7u64));
        assert_eq!(by.hash_one("seven"), ours::hash("seven"));
        // What cuckoofilter hashes a second time: its fingerprint.
        assert_eq!(by.hash_one([7u8]), ours::hash([7u8]));
    }
}
