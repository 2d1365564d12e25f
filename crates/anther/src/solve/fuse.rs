//! The binary fuse filter: a fingerprint as the xor of three or four cells.
//!
//! Graf and Lemire (2022). A key is in the set when the xor of its cells is its fingerprint, so an
//! absent key is found with probability 2⁻ʷ for cells of w bits, and the filter takes 1.13·w bits
//! a key with three cells, 1.08·w with four, against 1.44·w of a Bloom filter at its best. It is
//! made from all keys at once ([`peel`]) and does not change afterwards.

use super::peel::{self, Slots};
use crate::batch::source::{Source, Work};
use crate::batch::{Hashes, ahead};
use crate::error::BuildError;
use crate::parts::hash::KeyHash;
use crate::parts::packed::Packed;
use crate::parts::view::{Row, Touch};
use crate::parts::words::Words;
use crate::sizing;

/// Fingerprints of a set of keys.
///
/// ```
/// use anther::solve::fuse::Fuse;
/// use anther::{Key, KeyHash, Seed, Work};
///
/// let keys: Vec<KeyHash> = (0..10_000u64).map(|key| key.key_hash(&Seed::FIXED)).collect();
/// let filter = Fuse::build(&mut &keys[..], 10_000, 8, 3, Work::new())?;
/// assert!(keys.iter().all(|key| filter.contains(*key)));
/// assert_eq!(filter.bits(), 12_800 * 8 + 64);
/// # Ok::<(), anther::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fuse {
    slots: Slots,
    cells: Packed,
    items: u64,
}

impl Fuse {
    /// Bits of a fingerprint.
    pub const WIDTHS: std::ops::RangeInclusive<u32> = 1..=sizing::fuse::MAX_WIDTH;

    /// The filter of these keys: `items` is about how many there are, `width` the bits of a
    /// fingerprint and `arity` the cells a key, 3 or 4.
    ///
    /// It takes 18 bytes a key, the 8 of the hashes among them, and less where the hashes are read
    /// in several passes.
    ///
    /// # Panics
    /// When the width is not 1 to 32, or the arity not 3 or 4.
    pub fn build(
        keys: &mut dyn Source,
        items: u64,
        width: u32,
        arity: u32,
        work: Work<'_>,
    ) -> Result<Fuse, BuildError> {
        assert!(Fuse::WIDTHS.contains(&width) && peel::ARITIES.contains(&arity));
        let fill = |keys: &[KeyHash], order: &peel::Order| {
            Ok((order.fill(keys, width, |key, _| peel::mask(*key))?, None))
        };
        let solved = peel::solve(keys, items, arity, work, |_| Ok(()), fill)?;
        Ok(Fuse { slots: solved.slots, cells: solved.first, items: solved.items })
    }

    /// From the parts of a file: [`table`](Fuse::table), [`words`](Fuse::words) and the numbers.
    /// `None` when they do not fit each other.
    pub fn from_parts(
        table: &[u64],
        words: Words,
        items: u64,
        width: u32,
        arity: u32,
    ) -> Option<Fuse> {
        if !Fuse::WIDTHS.contains(&width) {
            return None;
        }
        let slots = Slots::from_table(table, arity).filter(|slots| slots.can_hold(items))?;
        let cells = Packed::from_words(words, slots.cells(), width)?;
        Some(Fuse { slots, cells, items })
    }

    /// Whether the key may be in the set. False is certain.
    #[inline]
    pub fn contains(&self, key: KeyHash) -> bool {
        let xor = self.slots.xor(&self.cells, key);
        xor.is_some_and(|xor| xor == peel::mask(key) & self.cells.max())
    }

    /// Whether each of the keys with these hashes may be in the set; there are as many as answers.
    pub(crate) fn contains_each(&self, keys: impl Hashes, found: &mut [bool]) {
        match self.slots.arity() {
            3 => self.ask_each::<3>(keys, found),
            _ => self.ask_each::<4>(keys, found),
        }
    }

    fn ask_each<const ARITY: usize>(&self, keys: impl Hashes, found: &mut [bool]) {
        let max = self.cells.max();
        let question = |key| (self.slots.of::<ARITY>(key), peel::mask(key) & max);
        ahead::contains_ahead(
            found,
            keys.map(question),
            |(cells, _)| cells.into_iter().flatten().for_each(|cell| self.cells.fetch(cell)),
            |(cells, mask)| cells.is_some_and(|cells| peel::xor(&self.cells, cells) == mask),
        );
    }

    /// Asks memory for what a question about this key reads.
    #[inline]
    pub fn prefetch(&self, key: KeyHash) {
        match self.slots.arity() {
            3 => self.slots.of::<3>(key).iter().flatten().for_each(|cell| self.cells.fetch(*cell)),
            _ => self.slots.of::<4>(key).iter().flatten().for_each(|cell| self.cells.fetch(*cell)),
        }
    }

    /// How many distinct hashes it was made from.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Bits of a fingerprint.
    pub fn width(&self) -> u32 {
        self.cells.width()
    }

    /// Cells a key.
    pub fn arity(&self) -> u32 {
        self.slots.arity()
    }

    /// How many cells there are.
    pub fn cells(&self) -> u64 {
        self.cells.cells()
    }

    /// Bits in all: the cells, and a word a shard.
    pub fn bits(&self) -> u64 {
        self.cells() * u64::from(self.width()) + self.slots.shards() * 64
    }

    /// The rate of absent keys that are found: 2⁻ʷ, and nothing in shards without keys.
    pub fn fpr(&self) -> f64 {
        let filled = self.slots.filled() as f64 / self.slots.shards() as f64;
        filled * sizing::fuse::fpr(self.items, self.width())
    }

    /// The cells and the words of the shards, to look at.
    pub fn rows(&self) -> Vec<Row<'_>> {
        vec![self.slots.row("slots", &self.cells), self.slots.shard_row()]
    }

    /// What a query for the key reads: the word of its shard, and the cells whose xor it takes.
    pub fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let shard = Touch::new(1, self.slots.shard(key));
        [shard].into_iter().chain(self.slots.touches(0, key)).collect()
    }

    /// A word a shard, for a file; see [`Slots::table`].
    pub fn table(&self) -> &[u64] {
        self.slots.table()
    }

    /// The words of the cells, for a file.
    pub fn words(&self) -> &[u64] {
        self.cells.words()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZero;

    fn keys(n: u64) -> Vec<KeyHash> {
        (0..n).map(|i| KeyHash(i).again(0)).collect()
    }

    fn build(keys: &[KeyHash], width: u32, arity: u32) -> Fuse {
        Fuse::build(&mut { keys }, keys.len() as u64, width, arity, Work::new()).unwrap()
    }

    fn assert_holds(filter: &Fuse, keys: &[KeyHash]) {
        assert!(keys.iter().all(|key| filter.contains(*key)), "{} keys", keys.len());
        assert_eq!(filter.items(), keys.len() as u64);
    }

    #[test]
    fn every_size_builds_and_no_key_is_lost() {
        // From 11,193 on segments are twice as long, and hardly a first try succeeds.
        let sizes = (0..=300).chain((3330..=3530).step_by(20)).chain((11_150..=11_650).step_by(25));
        let sizes = sizes.chain((13_000..=13_300).step_by(60)).chain([30_000, 100_000]);
        let all = keys(100_000);
        for n in sizes {
            for arity in peel::ARITIES {
                let keys = &all[..n];
                let filter = build(keys, 8, arity);
                assert_holds(&filter, keys);
                let slots = sizing::fuse::slots(n as u64, arity);
                let most = if n < 1000 { 3 * slots } else { slots };
                assert!((slots..=most).contains(&filter.cells()), "{n}: {}", filter.cells());
            }
        }
    }

    #[test]
    fn no_keys_find_nothing() {
        let filter = build(&[], 1, 3);
        assert!(keys(1000).iter().all(|key| !filter.contains(*key)));
        assert_eq!((filter.cells(), filter.fpr()), (0, 0.0));
    }

    #[test]
    fn the_rate_is_that_of_the_width() {
        let present = keys(5000);
        let absent = 400_000;
        for width in [1, 2, 4, 5, 7, 8, 9, 12, 13, 16, 24, 31, 32] {
            for arity in peel::ARITIES {
                let filter = build(&present, width, arity);
                assert_holds(&filter, &present);
                let found = (5000..5000 + absent).filter(|i| filter.contains(KeyHash(*i).again(0)));
                let expected = absent as f64 * filter.fpr();
                let off = (found.count() as f64 - expected).abs();
                assert!(off <= 6.0 * expected.sqrt(), "{width} bits: {off} off {expected}");
            }
        }
    }

    /// Not one hash spread evenly: all are small numbers, or multiples, or lie in one shard.
    #[test]
    fn hashes_from_elsewhere_build_too() {
        for shift in [0, 3, 20, 40, 51] {
            for n in [2, 3, 100, 5000] {
                let keys: Vec<KeyHash> = (0..n).map(|i| KeyHash(i << shift)).collect();
                for arity in peel::ARITIES {
                    assert_holds(&build(&keys, 16, arity), &keys);
                }
            }
        }
    }

    #[test]
    fn nothing_but_keys_and_items_matters() {
        let mut all = keys(30_000);
        // Many more items than come: three shards, of 10,000 keys each.
        let items = 7_000_000;
        for arity in peel::ARITIES {
            let once = Fuse::build(&mut &all[..], items, 9, arity, Work::new()).unwrap();
            assert!(once.table().len() > 2, "several shards");
            assert_holds(&once, &all);
            let distinct = all.clone();
            all.reverse();
            all.extend_from_within(..20_000);
            for (threads, memory) in [(1, 1), (1, 100_000), (3, u64::MAX), (8, 1)] {
                let work = Work::new().threads(NonZero::new(threads).unwrap()).memory(memory);
                let again = Fuse::build(&mut &all[..], items, 9, arity, work).unwrap();
                assert_eq!(again, once, "{threads} threads, {memory} bytes");
            }
            all = distinct;
        }
    }

    #[test]
    fn shards_without_keys_find_nothing() {
        let few = keys(3);
        let filter = Fuse::build(&mut &few[..], 1 << 26, 2, 3, Work::new()).unwrap();
        assert_holds(&filter, &few);
        assert!(filter.table().len() > 20 && filter.cells() <= 64 * 27);
        let found = keys(100_000).iter().skip(3).filter(|key| filter.contains(**key)).count();
        let expected = 99_997.0 * filter.fpr();
        assert!((found as f64 - expected).abs() < 6.0 * expected.sqrt(), "{found}, {expected}");
    }

    #[test]
    fn parts_make_the_same_filter_and_forged_ones_none() {
        let all = keys(2000);
        let words = |filter: &Fuse, less: usize| {
            let row = filter.words();
            let mut words = Words::zeroed(row.len() - less).unwrap();
            words.to_mut().copy_from_slice(&row[less..]);
            words
        };
        for items in [2000, 7_000_000] {
            let filter = Fuse::build(&mut &all[..], items, 11, 3, Work::new()).unwrap();
            let read = |table: &[u64], items, width, arity| {
                Fuse::from_parts(table, words(&filter, 0), items, width, arity)
            };
            let table = filter.table();
            assert_eq!(read(table, 2000, 11, 3).as_ref(), Some(&filter));
            assert_eq!(Fuse::from_parts(table, words(&filter, 1), 2000, 11, 3), None);
            for width in [0, 10, 12, 33, 64, u32::MAX] {
                assert_eq!(read(table, 2000, width, 3), None, "{width}");
            }
            for arity in [0, 1, 2, 4, 5, u32::MAX] {
                assert_eq!(read(table, 2000, 11, arity), None, "{arity}");
            }
            for count in [0, filter.cells() + 1, u64::MAX] {
                assert_eq!(read(table, count, 11, 3), None, "{count} keys");
            }
            assert_eq!(read(&[], 2000, 11, 3), None);
            // Whatever the words of the shards are, a key is looked for within the cells.
            for bit in 0..64 {
                for base in [0, table[0], u64::MAX] {
                    let mut forged = table.to_vec();
                    forged[0] = base ^ 1 << bit;
                    if let Some(filter) = read(&forged, 2000, 11, 3) {
                        let ends = [KeyHash(0), KeyHash(u64::MAX)];
                        for key in all.iter().chain(&ends) {
                            std::hint::black_box(filter.contains(*key));
                        }
                    }
                }
            }
        }
    }
}
