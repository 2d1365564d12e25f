//! The exact form: a filter that also stores its elements.

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

/// A multiset of 64-bit keys without error, as a [`Quotient`] filter: home slot and remainder
/// together are all 64 bits of a hash that can be undone.
///
/// It takes (64-q+2.125)/α bits an element with 2^q slots at load α: 44.6 for 6·10⁷ elements
/// ([`sizing::quotient::bits_per_item`](crate::sizing::quotient::bits_per_item)). Its file is that
/// of a quotient filter, which answers by hash: that of x is [`ExactSet::hash`].
///
/// The hash is open and always the same, so elements can be chosen to crowd together, and then
/// each insert takes as long as the crowd: 32,000 such took 17 s. For those, a `BTreeMap`.
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
    /// An empty set with room for so many elements. It doubles when more come, so this only saves
    /// the time for that.
    pub fn new(items: u64) -> Result<ExactSet, SizeError> {
        let too_large =
            SizeError::TooLarge { kind: Kind::Quotient, got: u64::MAX, most: cells::MAX_BITS };
        let size = check_bits(exact_size(items).ok_or(too_large)?)?;
        Ok(ExactSet(Quotient::sized(size, About::new(Seed::EXTERNAL, None), true)?))
    }

    /// What stands for an element in the filter: a bijection, so no two have one hash.
    pub fn hash(x: u64) -> KeyHash {
        KeyHash(mix(x))
    }

    /// Inserts an element; true when it was not in before. An error without the memory to grow,
    /// and then nothing changed.
    pub fn insert(&mut self, x: u64) -> Result<bool, Full> {
        self.0.insert_hash(ExactSet::hash(x))
    }

    /// Removes an element, once; false when it is not in.
    pub fn remove(&mut self, x: u64) -> Result<bool, RemoveError> {
        self.0.remove_hash(ExactSet::hash(x))
    }

    /// Whether an element is in.
    pub fn contains(&self, x: u64) -> bool {
        self.0.contains_hash(ExactSet::hash(x))
    }

    /// How often an element is in.
    pub fn count(&self, x: u64) -> u64 {
        self.0.count_hash(ExactSet::hash(x))
    }

    /// How many elements are in, each as often as it came.
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// Whether nothing is in.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All elements, each as often as it is in, in the order of their hashes.
    pub fn iter(&self) -> Iter<'_> {
        let Size { remainder_bits, .. } = self.0.table.size();
        Iter { pairs: self.0.table.pairs(), remainder_bits, element: 0, left: 0 }
    }

    /// Inserts all elements of the other.
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

    /// Writes the set to a file, which it replaces whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        self.0.save(path)
    }

    /// Reads a set from a file and verifies every byte.
    pub fn open(path: impl AsRef<Path>) -> Result<ExactSet, LoadError> {
        let filter: Quotient = Open::new().without_hashing().file(path)?;
        ExactSet::try_from(filter).map_err(|_| LoadError::Field {
            name: "exact",
            got: "0".to_string(),
            allowed: "1 where elements are to be listed".to_string(),
        })
    }
}

impl From<ExactSet> for Quotient {
    fn from(elements: ExactSet) -> Quotient {
        elements.0
    }
}

impl TryFrom<Quotient> for ExactSet {
    /// A filter that has lost bits of its keys, given back.
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

/// The elements of a set; see [`ExactSet::iter`].
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    pairs: super::table::Pairs<'a>,
    remainder_bits: u32,
    /// The last element listed, and how often it still comes.
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
