//! The exact form: a filter that also stores its keys.

use super::{Quotient, check_bits};
use crate::error::{Full, LoadError, Mismatch, RemoveError, SaveError, SizeError};
use crate::filter::cells;
use crate::format::Open;
use crate::kind::Kind;
use crate::parts::hash::{KeyHash, Seed, mix, unmix};
use crate::profile::{About, Profile};
use crate::sizing::quotient::{MAX_REMAINDER_BITS, Size, exact_size};
use crate::traits::{Count, Filter, Insert, Remove};
use std::path::Path;

/// A multiset of 64-bit keys without false positives, as a [`Quotient`] filter: home slot and
/// remainder together are all 64 bits of an invertible hash.
///
/// It takes (64-q+2.125)/α bits per key with 2^q slots at load α: 44.6 for 6·10⁷ keys
/// ([`sizing::quotient::bits_per_item`](crate::sizing::quotient::bits_per_item)). Its file is that
/// of a quotient filter, which is queried by hash: that of x is [`ExactSet::hash`].
///
/// The hash is public and fixed, so keys can be crafted to cluster, and then each insert takes time
/// in proportion to the cluster: 32,000 such keys took 17 s. Use a `BTreeMap` for untrusted keys.
///
/// ```
/// use anther::ExactSet;
///
/// let mut seen = ExactSet::new(1000)?;
/// for x in (0..2000u64).chain([7]) {
///     seen.insert(x * x)?;
/// }
/// assert!(seen.contains(1_000_000) && !seen.contains(1_000_001), "no error either way");
/// assert_eq!((seen.count(49), seen.len()), (2, 2001));
/// seen.remove(49)?;
///
/// let mut listed: Vec<u64> = seen.iter().collect();
/// listed.sort();
/// assert!(listed.into_iter().eq((0..2000).map(|x| x * x)), "exactly what was inserted");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ExactSet(Quotient);

/// Whether quotient and remainder together are all 64 bits of a hash.
pub(super) fn is_whole(size: Size) -> bool {
    let bits = size.blocks.ilog2() + size.remainder_bits;
    size.blocks.is_power_of_two() && bits == MAX_REMAINDER_BITS
}

impl ExactSet {
    /// Makes an empty set with room for `items` keys. It doubles when it is full, so this only
    /// saves the time for that.
    pub fn new(items: u64) -> Result<ExactSet, SizeError> {
        let too_large =
            SizeError::TooLarge { kind: Kind::Quotient, got: u64::MAX, most: cells::MAX_BITS };
        let size = check_bits(exact_size(items).ok_or(too_large)?)?;
        Ok(ExactSet(Quotient::sized(size, About::new(Seed::EXTERNAL, None), true)?))
    }

    /// The hash of a key in the filter: a bijection, so no two keys share one.
    pub fn hash(x: u64) -> KeyHash {
        KeyHash(mix(x))
    }

    /// A text of up to eight bytes as a key: its bytes from the highest down, so that keys sort as
    /// texts do. `None` if it is longer or has a NUL byte, which fills shorter ones up.
    ///
    /// ```
    /// use anther::ExactSet;
    ///
    /// let mut airports = ExactSet::new(3)?;
    /// for code in ["ZRH", "LHR", "AMS"] {
    ///     airports.insert(ExactSet::of_text(code.as_bytes()).unwrap())?;
    /// }
    /// let mut codes: Vec<_> = airports.iter().map(ExactSet::text_of).collect();
    /// codes.sort();
    /// assert_eq!(codes, [b"AMS", b"LHR", b"ZRH"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_text(text: &[u8]) -> Option<u64> {
        if text.len() > 8 || text.contains(&0) {
            return None;
        }
        let bytes = text.iter().chain(std::iter::repeat(&0)).take(8);
        Some(bytes.fold(0, |key, byte| key << 8 | u64::from(*byte)))
    }

    /// The text of such a key.
    pub fn text_of(key: u64) -> Vec<u8> {
        let bytes = key.swap_bytes().to_le_bytes();
        let len = bytes.iter().position(|byte| *byte == 0).unwrap_or(8);
        bytes[..len].to_vec()
    }

    /// Inserts a key; returns true when it was absent. Fails when out of memory to grow; then
    /// nothing changes.
    pub fn insert(&mut self, x: u64) -> Result<bool, Full> {
        self.0.insert_hash(ExactSet::hash(x))
    }

    /// Removes one copy of a key; returns false when it is absent.
    pub fn remove(&mut self, x: u64) -> Result<bool, RemoveError> {
        self.0.remove_hash(ExactSet::hash(x))
    }

    /// Whether a key is present.
    pub fn contains(&self, x: u64) -> bool {
        self.0.contains_hash(ExactSet::hash(x))
    }

    /// The number of copies of a key.
    pub fn count(&self, x: u64) -> u64 {
        self.0.count_hash(ExactSet::hash(x))
    }

    /// The number of keys, counting every copy.
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All keys, every copy of them, in the order of their hashes.
    pub fn iter(&self) -> Iter<'_> {
        let Size { remainder_bits, .. } = self.0.table.size();
        Iter { pairs: self.0.table.pairs(), remainder_bits, element: 0, left: 0 }
    }

    /// Inserts all keys of the other set.
    pub fn merge(&mut self, other: &ExactSet) -> Result<(), Mismatch> {
        self.0.merge(&other.0)
    }

    /// The set described in numbers. Reads all slots.
    pub fn profile(&self) -> Profile {
        self.0.profile()
    }

    /// The set as a filter of hashes.
    pub fn as_filter(&self) -> &Quotient {
        &self.0
    }

    /// Writes the set to a file atomically.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        self.0.save(path)
    }

    /// Reads a set from a file and verifies every byte.
    pub fn open(path: impl AsRef<Path>) -> Result<ExactSet, LoadError> {
        let filter: Quotient = Open::new().without_hashing().file(path)?;
        ExactSet::try_from(filter).map_err(|_| LoadError::Field {
            name: "exact",
            got: "0".to_string(),
            allowed: "1 for a set that lists its keys".to_string(),
        })
    }
}

impl From<ExactSet> for Quotient {
    fn from(elements: ExactSet) -> Quotient {
        elements.0
    }
}

impl TryFrom<Quotient> for ExactSet {
    /// Returns the filter unchanged if it lacks bits of its keys.
    type Error = Quotient;

    fn try_from(filter: Quotient) -> Result<ExactSet, Quotient> {
        if filter.exact { Ok(ExactSet(filter)) } else { Err(filter) }
    }
}

impl<'a> IntoIterator for &'a ExactSet {
    type Item = u64;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// The keys of a set; see [`ExactSet::iter`].
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    pairs: super::table::Pairs<'a>,
    remainder_bits: u32,
    /// The last key listed, and how many copies are left.
    element: u64,
    left: u64,
}

impl Iterator for Iter<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.left == 0 {
            let (pair, count) = self.pairs.next()?;
            self.element = unmix(pair.quotient << self.remainder_bits | pair.remainder);
            self.left = count;
        }
        self.left -= 1;
        Some(self.element)
    }
}
