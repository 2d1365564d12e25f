//! Keys of any type that implements [`std::hash::Hash`].
//!
//! A separate file, because these keys are outside the guarantee of [`hash`](super::hash): the
//! bytes that `Hash` feeds to a hasher are defined by the standard library and `derive`, not by our
//! format.

use super::hash::{FRAME_HASHED, Key, KeyHash, Seed};
use std::hash::{Hash, Hasher};

/// Makes a key of any value whose type implements [`std::hash::Hash`], such as a struct with
/// `#[derive(Hash)]`.
///
/// **Not portable.** `Hash` may feed other bytes in another Rust release, on another platform, or
/// after a field was added or reordered. Use these keys in memory, or in files that the same build
/// of a program writes and reads. For files that travel, use a tuple or a byte string as the key.
///
/// `Hashed("a")` and `"a"` are different keys.
///
/// ```
/// use anther::{Blocked, Hashed, Target};
///
/// #[derive(Hash)]
/// struct Visit { user: u64, page: String }
///
/// let mut seen = Blocked::new(Target::new(1000, 0.01)?)?;
/// let visit = Visit { user: 7, page: "/".into() };
/// seen.insert(Hashed(&visit));
/// assert!(seen.contains(Hashed(&visit)));
/// assert!(!seen.contains(Hashed(Visit { user: 8, page: "/".into() })));
/// # Ok::<(), anther::SizeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hashed<T>(pub T);

impl<T: Hash> Key for Hashed<T> {
    fn key_hash(&self, seed: &Seed) -> KeyHash {
        let mut frame = Vec::with_capacity(64);
        self.frame(&mut frame);
        seed.hash_frame(&frame)
    }

    fn frame(&self, out: &mut Vec<u8>) {
        out.push(FRAME_HASHED);
        let start = out.len();
        out.extend_from_slice(&[0; 8]);
        self.0.hash(&mut Bytes(out));
        let len = (out.len() - start - 8) as u64;
        out[start..start + 8].copy_from_slice(&len.to_le_bytes());
    }
}

/// Collects what a value feeds to its hasher. Integers arrive through `write`, in the machine's
/// byte order, which the type documents as not portable.
struct Bytes<'a>(&'a mut Vec<u8>);

impl Hasher for Bytes<'_> {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Never called: the bytes are hashed in one go, with the filter's seed.
    fn finish(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Hash)]
    struct Pair {
        name: &'static str,
        number: u32,
    }

    #[test]
    fn equal_values_are_one_key_and_others_are_not() {
        for seed in [Seed::FIXED, Seed::chosen(9), Seed::keyed([3; 16])] {
            let hash = |name, number| Hashed(Pair { name, number }).key_hash(&seed);
            assert_eq!(hash("a", 1), hash("a", 1));
            assert_eq!(hash("a", 1), Hashed(&Pair { name: "a", number: 1 }).key_hash(&seed));
            assert_ne!(hash("a", 1), hash("a", 2));
            assert_ne!(hash("a", 1), hash("b", 1));
            assert_ne!(Hashed("a").key_hash(&seed), "a".key_hash(&seed));
            assert_ne!(Hashed(5u64).key_hash(&seed), 5u64.key_hash(&seed));
        }
        assert_ne!(
            Hashed("a").key_hash(&Seed::FIXED),
            Hashed("a").key_hash(&Seed::chosen(1)),
            "the seed counts"
        );
    }

    /// Without its length, the bytes of one part could be taken for the beginning of the next.
    #[test]
    fn they_are_framed_in_tuples() {
        let seed = Seed::FIXED;
        let (one, other) = ((Hashed(1u8), Hashed(2u16)), (Hashed(1u16), Hashed(2u8)));
        assert_ne!(one.key_hash(&seed), other.key_hash(&seed));
    }

    /// Filters in files have these hashes.
    #[test]
    fn a_frame_is_a_tag_the_length_and_the_bytes() {
        let mut frame = vec![99];
        Hashed([7u8, 8]).frame(&mut frame);
        let mut bytes = Vec::new();
        [7u8, 8].hash(&mut Bytes(&mut bytes));
        let len = bytes.len() as u64;
        assert_eq!(frame, [&[99, FRAME_HASHED], &len.to_le_bytes()[..], &bytes].concat());
    }
}
