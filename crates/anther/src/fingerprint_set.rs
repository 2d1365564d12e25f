//! A growing set of fingerprints: the hashes of keys that were seen, in one table.
//!
//! **For** telling whether a key was seen before, when nobody knows how many will come: duplicate
//! lines of a stream, visited URLs. Keys are their hashes of 64 bits, so among n keys the chance
//! that any two are taken for one is n²/2⁶⁵: 7·10⁻⁵ for 5·10⁷. **Not for** files that others read,
//! or removal: the kinds of [`filter`](crate::filter) do that.
//!
//! It is linear probing in the order of the hashes (Cleary, *Compact Hash Tables Using
//! Bidirectional Linear Probing*, 1984, in one direction). The home slot of a hash is its share of
//! the table, and entries are sorted. So an entry is less than 100 slots behind its home, its
//! place tells the upper bits of its hash, and only the lower ones are stored: 6 bytes from 1.7·10⁷
//! slots on, 7 from 65,536 on.
//!
//! At a load of 9/10 the table grows to 19/16 of its slots, **in place**: the allocation is
//! extended, which on Linux moves pages and no bytes, the entries move to its end, and one pass from
//! there spreads them out. So there is never a second table. A key takes 6.7 to 8 bytes at any
//! time, 9.3 below 1.5·10⁷ keys, and all growing together moves an entry five times, 20 ns per key.
//! An [`ExactSet`](crate::ExactSet) takes 5.4 to 10.6 bytes, and 16 while it doubles.
//!
//! # Where it breaks
//!
//! Hashes must be evenly spread, or [`GrowError::Uneven`] ends it. If strangers choose the keys,
//! hash them with a [`Seed`](crate::Seed) that they do not know.

mod memory;
mod table;
#[cfg(test)]
mod tests;

use crate::error::GrowError;
use crate::parts::hash::KeyHash;
use crate::parts::words::prefetch;
use table::{Position, SortedTable};

/// How far an entry may be behind its home slot. At a load of 9/10 one in e^(0.2·100) entries would
/// be, so a table of 10⁹ grows early once in a while.
const REACH: u64 = 100;

/// How many keys a prefetch runs ahead: of 8, 16, 32 and 64 the fastest among 5·10⁷ keys.
const AHEAD: usize = 32;

/// A growing set of 64-bit hashes, or of their first bits.
///
/// ```
/// use anther::{FingerprintSet, Key, Seed};
///
/// let mut seen = FingerprintSet::new();
/// let seed = Seed::chosen(7); // a secret, if strangers choose the keys
/// assert!(seen.insert_hash("a line".key_hash(&seed))?);
/// assert!(!seen.insert_hash("a line".key_hash(&seed))?, "it was there");
///
/// let lines: Vec<_> = (0..100_000u32).map(|line| line.key_hash(&seed)).collect();
/// let mut is_new = vec![false; lines.len()];
/// seen.insert_hashes(&lines, &mut is_new)?;
/// assert!(is_new.iter().all(|is_new| *is_new));
/// assert_eq!(seen.len(), 100_001);
/// assert!(seen.bytes() < 10 * 100_001);
/// # Ok::<(), anther::GrowError>(())
/// ```
#[derive(Debug)]
pub struct FingerprintSet {
    table: SortedTable,
    len: u64,
}

impl Default for FingerprintSet {
    fn default() -> FingerprintSet {
        FingerprintSet::new()
    }
}

impl FingerprintSet {
    /// The fewest bits of a fingerprint, and the most.
    pub const BITS: (u32, u32) = (32, 64);

    /// An empty set of whole hashes.
    pub fn new() -> FingerprintSet {
        FingerprintSet::with_bits(64)
    }

    /// An empty set that keeps the first bits of hashes, 32 to 64. It is smaller, and takes an absent
    /// key for a present one with a chance of len/2^bits.
    pub fn with_bits(bits: u32) -> FingerprintSet {
        let (least, most) = FingerprintSet::BITS;
        FingerprintSet { table: SortedTable::empty(bits.clamp(least, most)), len: 0 }
    }

    /// A set of these fingerprints, as [`iter`](FingerprintSet::iter) gives them. `None` if they
    /// are not in ascending order, not of `bits` bits, not `len` in number, or not evenly spread.
    pub fn from_sorted(
        bits: u32,
        len: u64,
        sorted: impl IntoIterator<Item = KeyHash>,
    ) -> Result<Option<FingerprintSet>, GrowError> {
        let (least, most) = FingerprintSet::BITS;
        if !(least..=most).contains(&bits) {
            return Ok(None);
        }
        let table = SortedTable::of_sorted(bits, len, sorted)?;
        Ok(table.map(|table| FingerprintSet { table, len }))
    }

    /// Inserts a key by its hash; returns true if it was absent. If this fails, nothing changes.
    pub fn insert_hash(&mut self, key: KeyHash) -> Result<bool, GrowError> {
        let hash = self.table.canonical(key);
        loop {
            if self.len >= self.table.most() {
                match self.table.find(hash) {
                    Position::Here => return Ok(false),
                    Position::Before(_) => self.table.grow()?,
                }
            }
            match self.table.find(hash) {
                Position::Here => return Ok(false),
                Position::Before(slot) => {
                    if self.table.insert(slot, hash) {
                        self.len += 1;
                        return Ok(true);
                    }
                    // Evenly spread hashes do not come so close together in a table half full.
                    if self.len < self.table.most() / 2 {
                        return Err(GrowError::Uneven { keys: self.len });
                    }
                    self.table.grow()?;
                }
            }
        }
    }

    /// Inserts keys, and says of each whether it was absent, also among those before it. This is
    /// several times as fast as one by one, since the memory of later keys is fetched meanwhile. If
    /// this fails, the keys before the one that failed are in the set.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn insert_hashes(
        &mut self,
        keys: &[KeyHash],
        is_new: &mut [bool],
    ) -> Result<(), GrowError> {
        assert_eq!(keys.len(), is_new.len(), "an answer for each key");
        for key in &keys[..keys.len().min(AHEAD)] {
            self.prefetch(*key);
        }
        for (at, is_new) in is_new.iter_mut().enumerate() {
            if let Some(later) = keys.get(at + AHEAD) {
                self.prefetch(*later);
            }
            *is_new = self.insert_hash(keys[at])?;
        }
        Ok(())
    }

    #[inline]
    fn prefetch(&self, key: KeyHash) {
        let line = self.table.line(self.table.canonical(key));
        prefetch(line);
        prefetch(line.wrapping_add(64));
        prefetch(line.wrapping_add(128));
    }

    /// Whether a key is in the set, by its hash.
    pub fn contains_hash(&self, key: KeyHash) -> bool {
        matches!(self.table.find(self.table.canonical(key)), Position::Here)
    }

    /// The same for many keys, which is faster than one by one.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool]) {
        assert_eq!(keys.len(), found.len(), "an answer for each key");
        for (at, found) in found.iter_mut().enumerate() {
            if let Some(later) = keys.get(at + AHEAD) {
                self.prefetch(*later);
            }
            *found = self.contains_hash(keys[at]);
        }
    }

    /// The number of fingerprints.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bits of a fingerprint.
    pub fn bits(&self) -> u32 {
        self.table.bits()
    }

    /// The chance that an absent key is taken for a present one: len/2^bits.
    pub fn chance(&self) -> f64 {
        self.len as f64 / 2f64.powi(self.bits().cast_signed())
    }

    /// The bytes of its table.
    pub fn bytes(&self) -> u64 {
        self.table.len_bytes() as u64
    }

    /// The bytes of its table when this many keys more are in it.
    pub fn bytes_after(&self, keys: u64) -> u64 {
        self.table.bytes_for(self.len.saturating_add(keys))
    }

    /// The fingerprints in ascending order. Of a set with fewer bits, the others are 0.
    pub fn iter(&self) -> impl Iterator<Item = KeyHash> + '_ {
        self.table.hashes().map(KeyHash)
    }
}
