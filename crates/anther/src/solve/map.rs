//! The Bloomier filter: a value as the xor of three or four cells.
//!
//! Chazelle, Kilian, Rubinfeld and Tal (2004); Charles and Chellapilla (2008) made it smaller. A
//! map from keys to values of 1 to 64 bits that does not hold the keys. For a key that is in, the
//! value is exact. For any other key the answer is `None`, but with probability 2⁻ᶠ some value,
//! for f bits of check.
//!
//! | form | cells | what can change |
//! |---|---|---|
//! | fixed | one of value and check together, 1.13·(r+f) bits a key | nothing |
//! | fixed, r+f > 64 | one of each | nothing |
//! | mutable | check and the number of the own cell, 1.13·(2+f) bits; values, 1.13·r bits | values |
//!
//! In the mutable form a value stands alone in the cell that only its key owns, so it can be
//! overwritten; the first table says which of the key's three or four cells that is. Of three,
//! the number is never 3, so absent keys err in ¾·2⁻ᶠ only. Keys can never be added.
//!
//! Values and checks together in cells of up to 96 bits were not worth it: that takes a second
//! kind of packed row, for maps with values of more than 32 bits only. With a table of each an
//! absent key reads the checks alone.

use super::peel::{self, Order, Slots};
use crate::batch::source::{Source, Work};
use crate::error::{BuildError, OutOfMemory};
use crate::parts::hash::KeyHash;
use crate::parts::packed::Packed;
use crate::parts::view::{Row, Touch};
use crate::parts::words::Words;
use crate::sizing;
use std::ops::RangeInclusive;

/// How a [`Map`] is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapShape {
    /// Bits of a value, 1 to 64.
    pub value_bits: u32,
    /// Bits of check, 1 to 32: an absent key has a value with probability 2 to the minus that.
    pub check_bits: u32,
    /// Cells a key, 3 or 4.
    pub arity: u32,
    /// Whether values can be changed.
    pub mutable: bool,
}

impl MapShape {
    /// Bits of a value.
    pub const VALUE_BITS: RangeInclusive<u32> = 1..=64;
    /// Bits of check.
    pub const CHECK_BITS: RangeInclusive<u32> = 1..=sizing::fuse::MAX_WIDTH;

    fn is_valid(&self) -> bool {
        MapShape::VALUE_BITS.contains(&self.value_bits)
            && MapShape::CHECK_BITS.contains(&self.check_bits)
            && peel::ARITIES.contains(&self.arity)
    }

    fn form(&self) -> Form {
        match self.mutable {
            true => Form::Mutable,
            false if self.value_bits + self.check_bits <= 64 => Form::Together,
            false => Form::Apart,
        }
    }

    /// The bits of a cell of each table: that of the checks, with the values or not, and that of
    /// the values, where there is one.
    fn widths(&self) -> (u32, Option<u32>) {
        match self.form() {
            Form::Together => (self.check_bits + self.value_bits, None),
            Form::Apart => (self.check_bits, Some(self.value_bits)),
            Form::Mutable => (self.check_bits + OWN_BITS, Some(self.value_bits)),
        }
    }

    /// The bits of a cell in all tables.
    pub fn cell_bits(&self) -> u32 {
        let (checks, values) = self.widths();
        checks + values.unwrap_or(0)
    }

    /// Whether the values have a table of their own.
    pub fn has_value_table(&self) -> bool {
        self.widths().1.is_some()
    }

    fn value_max(&self) -> u64 {
        u64::MAX >> (64 - self.value_bits)
    }

    /// Whether sorted pairs, each there once, are a map that can be made.
    fn check(&self, pairs: &[(KeyHash, u64)]) -> Result<(), BuildError> {
        if let Some(clash) = pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let values = [clash[0].1, clash[1].1];
            return Err(BuildError::Conflict { key: clash[0].0, values });
        }
        match pairs.iter().find(|(_, value)| *value > self.value_max()) {
            Some(&(key, got)) => Err(BuildError::Value { key, got, bits: self.value_bits }),
            None => Ok(()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Together,
    Apart,
    Mutable,
}

/// Bits for which of three or four cells is the key's own.
const OWN_BITS: u32 = 2;

/// Values of a set of keys, without the keys.
///
/// ```
/// use anther::solve::map::{Map, MapShape};
/// use anther::{Key, KeyHash, Seed, Work};
///
/// let hash = |key: u64| key.key_hash(&Seed::FIXED);
/// let squares: Vec<(KeyHash, u64)> = (0..1000).map(|key| (hash(key), key * key)).collect();
/// let shape = MapShape { value_bits: 20, check_bits: 16, arity: 3, mutable: true };
/// let mut map = Map::build(&mut &squares[..], 1000, shape, Work::new())?;
/// assert_eq!(map.get(hash(999)), Some(998_001));
/// assert!(map.set(hash(999), 7));
/// assert_eq!(map.get(hash(999)), Some(7));
/// assert_eq!(map.get(hash(998)), Some(996_004));
/// assert_eq!(map.get(hash(1000)), None, "for all but one absent key in 87,000");
/// # Ok::<(), anther::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    shape: MapShape,
    slots: Slots,
    checks: Packed,
    values: Option<Packed>,
    items: u64,
}

impl Map {
    /// The map of these pairs: `items` is about how many there are. A pair may come more than
    /// once; a key with two values is [`BuildError::Conflict`], a value that does not fit is
    /// [`BuildError::Value`]. Both carry the key's hash.
    ///
    /// It takes 26 bytes a key, the 16 of the pairs among them. Where the cells have more than 40
    /// bits, it takes 20 and the cells: 34 with values of 64 bits and checks of 32. Both are for
    /// one shard; of many, only those that are being solved take more than the 16 and the cells.
    ///
    /// # Panics
    /// When the shape is out of its ranges.
    pub fn build(
        pairs: &mut dyn Source<(KeyHash, u64)>,
        items: u64,
        shape: MapShape,
        work: Work<'_>,
    ) -> Result<Map, BuildError> {
        assert!(shape.is_valid(), "{shape:?}");
        let (check_width, value_width) = shape.widths();
        let fill = |pairs: &[(KeyHash, u64)], order: &Order| {
            let checks = order.fill(pairs, check_width, |(key, value), own| {
                let beyond = match shape.form() {
                    Form::Together => *value,
                    Form::Apart => 0,
                    Form::Mutable => u64::from(own),
                };
                peel::mask(*key) ^ beyond << shape.check_bits
            })?;
            let values = match value_width {
                Some(width) if shape.mutable => order.store(pairs, width, |(_, value)| *value),
                Some(width) => order.fill(pairs, width, |(_, value), _| *value),
                None => return Ok((checks, None)),
            };
            Ok((checks, Some(values?)))
        };
        let solved =
            peel::solve(pairs, items, shape.arity, work, |pairs| shape.check(pairs), fill)?;
        Ok(Map {
            shape,
            slots: solved.slots,
            checks: solved.first,
            values: solved.second,
            items: solved.items,
        })
    }

    /// From the parts of a file: [`table`](Map::table), [`words`](Map::words),
    /// [`value_words`](Map::value_words) and the numbers. `None` when they do not fit each other.
    pub fn from_parts(
        table: &[u64],
        checks: Words,
        values: Option<Words>,
        items: u64,
        shape: MapShape,
    ) -> Option<Map> {
        if !shape.is_valid() {
            return None;
        }
        let slots = Slots::from_table(table, shape.arity).filter(|slots| slots.can_hold(items))?;
        let widths = shape.widths();
        let checks = Packed::from_words(checks, slots.cells(), widths.0)?;
        let values = match (values, widths.1) {
            (Some(words), Some(width)) => Some(Packed::from_words(words, slots.cells(), width)?),
            (None, None) => None,
            _ => return None,
        };
        Some(Map { shape, slots, checks, values, items })
    }

    /// The key's value. `None` is certain: the key is not in.
    #[inline]
    pub fn get(&self, key: KeyHash) -> Option<u64> {
        let beyond = self.unmask(key)?;
        match &self.values {
            None => Some(beyond),
            Some(values) if !self.shape.mutable => self.slots.xor(values, key),
            Some(values) => Some(values.get(self.own_cell(key, beyond)?)),
        }
    }

    /// Changes the key's value. False, and nothing is changed, when the key is surely not in, the
    /// value does not fit, or the map is not mutable.
    ///
    /// Change only keys that are in: an absent key that looks present, as one in 2ᶠ does,
    /// overwrites the value of another.
    pub fn set(&mut self, key: KeyHash, value: u64) -> bool {
        if !self.shape.mutable || value > self.shape.value_max() {
            return false;
        }
        let cell = self.unmask(key).and_then(|own| self.own_cell(key, own));
        match (cell, &mut self.values) {
            (Some(cell), Some(values)) => {
                values.set(cell, value);
                true
            }
            _ => false,
        }
    }

    /// What stands beyond the check, when that matches.
    #[inline]
    fn unmask(&self, key: KeyHash) -> Option<u64> {
        let xor = (self.slots.xor(&self.checks, key)? ^ peel::mask(key)) & self.checks.max();
        let check = u64::MAX >> (64 - self.shape.check_bits);
        (xor & check == 0).then_some(xor >> self.shape.check_bits)
    }

    /// The cell that only this key owns.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "it has two bits")]
    fn own_cell(&self, key: KeyHash, own: u64) -> Option<u64> {
        match self.shape.arity {
            3 => self.slots.of::<3>(key)?.get(own as usize).copied(),
            _ => self.slots.of::<4>(key)?.get(own as usize).copied(),
        }
    }

    /// How the map was made.
    pub fn shape(&self) -> MapShape {
        self.shape
    }

    /// How many distinct hashes it was made from.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// How many cells there are, in each table.
    pub fn cells(&self) -> u64 {
        self.slots.cells()
    }

    /// Bits in all: the cells, and a word a shard.
    pub fn bits(&self) -> u64 {
        self.cells() * u64::from(self.shape.cell_bits()) + self.slots.shards() * 64
    }

    /// The rate of absent keys that have a value.
    pub fn fpr(&self) -> f64 {
        let filled = self.slots.filled() as f64 / self.slots.shards() as f64;
        let owns = if self.shape.mutable { f64::from(self.shape.arity) / 4.0 } else { 1.0 };
        filled * owns * sizing::fuse::fpr(self.items, self.shape.check_bits)
    }

    /// Makes the map the owner of its values, so that changing them cannot fail.
    pub fn try_own(&mut self) -> Result<(), OutOfMemory> {
        self.values.as_mut().map_or(Ok(()), Packed::try_own)
    }

    /// The tables and the words of the shards, to look at. "slots" hold check and value together;
    /// "checks", "owners" (a check, and above it which cell is the key's own) and "values" are
    /// tables of their own.
    pub fn rows(&self) -> Vec<Row<'_>> {
        let first = match self.shape.form() {
            Form::Together => "slots",
            Form::Apart => "checks",
            Form::Mutable => "owners",
        };
        let mut rows = vec![self.slots.row(first, &self.checks)];
        rows.extend(self.values.as_ref().map(|values| self.slots.row("values", values)));
        rows.push(self.slots.shard_row());
        rows
    }

    /// What a query for the key reads: the word of its shard, the cells whose xor it takes, and
    /// where values have a table of their own, those of them that it would read if the key is in.
    pub fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let shards = 1 + usize::from(self.values.is_some());
        let mut touches = vec![Touch::new(shards, self.slots.shard(key))];
        touches.extend(self.slots.touches(0, key));
        match self.shape.form() {
            Form::Together => {}
            Form::Apart => touches.extend(self.slots.touches(1, key)),
            Form::Mutable => {
                let own = self.unmask(key).and_then(|own| self.own_cell(key, own));
                touches.extend(own.map(|cell| Touch::new(1, cell)));
            }
        }
        touches
    }

    /// A word a shard, for a file; see [`Slots::table`].
    pub fn table(&self) -> &[u64] {
        self.slots.table()
    }

    /// The words of the checks, with the values or not, for a file.
    pub fn words(&self) -> &[u64] {
        self.checks.words()
    }

    /// The words of the values, where they have a table of their own, for a file.
    pub fn value_words(&self) -> Option<&[u64]> {
        self.values.as_ref().map(Packed::words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZero;

    fn pairs(n: u64, value_bits: u32) -> Vec<(KeyHash, u64)> {
        let value = |i| KeyHash(i).again(1).0 >> (64 - value_bits);
        (0..n).map(|i| (KeyHash(i).again(0), value(i))).collect()
    }

    fn shape(value_bits: u32, check_bits: u32, arity: u32, mutable: bool) -> MapShape {
        MapShape { value_bits, check_bits, arity, mutable }
    }

    fn build(pairs: &[(KeyHash, u64)], shape: MapShape) -> Map {
        Map::build(&mut { pairs }, pairs.len() as u64, shape, Work::new()).unwrap()
    }

    const FORMS: [(u32, u32); 6] = [(1, 1), (8, 8), (20, 10), (32, 32), (64, 1), (64, 12)];

    #[test]
    fn members_are_exact_and_others_err_as_often_as_said() {
        let (items, absent) = (2000, 200_000);
        for (value_bits, check_bits) in FORMS {
            for (arity, mutable) in [(3, false), (3, true), (4, false), (4, true)] {
                let pairs = pairs(items, value_bits);
                let shape = shape(value_bits, check_bits, arity, mutable);
                let map = build(&pairs, shape);
                assert!(
                    pairs.iter().all(|(key, value)| map.get(*key) == Some(*value)),
                    "{shape:?}"
                );
                let wrong =
                    (items..items + absent).filter(|i| map.get(KeyHash(*i).again(0)).is_some());
                let expected = absent as f64 * map.fpr();
                let off = (wrong.count() as f64 - expected).abs();
                assert!(off <= 6.0 * expected.sqrt() + 1.0, "{shape:?}: {off} off {expected}");
                let bits = u64::from(value_bits + check_bits + if mutable { 2 } else { 0 });
                assert_eq!(map.bits(), map.cells() * bits + 64);
            }
        }
    }

    #[test]
    fn values_change_in_place_and_alone() {
        for arity in [3, 4] {
            let mut pairs = pairs(1500, 40);
            let mut map = build(&pairs, shape(40, 16, arity, true));
            for i in (0..1500).step_by(7) {
                pairs[i].1 ^= 0xFF_FFFF_FFFF;
                assert!(map.set(pairs[i].0, pairs[i].1));
            }
            assert!(pairs.iter().all(|(key, value)| map.get(*key) == Some(*value)));
            assert_eq!(map, build(&pairs, map.shape()), "as if built so");
            let before = map.clone();
            assert!(!map.set(pairs[0].0, 1 << 40), "it does not fit");
            let absent = (0..).map(|i| KeyHash(i).again(7)).find(|key| map.get(*key).is_none());
            assert!(!map.set(absent.unwrap(), 1));
            assert_eq!(map, before);
            let mut fixed = build(&pairs, shape(40, 16, arity, false));
            assert!(!fixed.set(pairs[0].0, 1), "not mutable");
        }
    }

    #[test]
    fn every_small_size_builds() {
        for n in 0..=60 {
            for (value_bits, check_bits) in [(8, 8), (64, 32)] {
                for (arity, mutable) in [(3, false), (3, true), (4, false), (4, true)] {
                    let pairs = pairs(n, value_bits);
                    let map = build(&pairs, shape(value_bits, check_bits, arity, mutable));
                    assert!(pairs.iter().all(|(key, value)| map.get(*key) == Some(*value)));
                    assert_eq!(map.items(), n);
                }
            }
        }
        assert_eq!(build(&[], shape(8, 8, 3, true)).get(KeyHash(3)), None);
    }

    #[test]
    fn repeated_pairs_are_one_and_two_values_are_refused() {
        let once = pairs(3000, 10);
        let shape = shape(10, 8, 3, true);
        let mut twice = once.clone();
        twice.reverse();
        twice.extend_from_slice(&once[..1000]);
        let one = Work::new().threads(NonZero::<usize>::MIN).memory(1);
        let again = Map::build(&mut &twice[..], 3000, shape, one).unwrap();
        assert_eq!(again, build(&once, shape));

        // Whoever has the keys can find the one that is wrong.
        let (key, value) = twice[3500];
        twice[3500].1 ^= 1;
        let clash = Map::build(&mut &twice[..], 3000, shape, one).unwrap_err();
        let values = [value & !1, value | 1];
        assert_eq!(clash, BuildError::Conflict { key, values });
        twice[3500].1 = 1 << 10;
        let wide = Map::build(&mut &twice[3500..3501], 1, shape, one).unwrap_err();
        assert_eq!(wide, BuildError::Value { key, got: 1 << 10, bits: 10 });
        assert!(wide.to_string().starts_with("the value 1024 does not fit in 10 bits"));
    }

    #[test]
    fn parts_make_the_same_map_and_forged_ones_none() {
        for (value_bits, mutable) in [(20, false), (50, false), (20, true)] {
            let shape = shape(value_bits, 16, 3, mutable);
            let map = build(&pairs(500, value_bits), shape);
            let words = |row: &[u64]| {
                let mut words = Words::zeroed(row.len()).unwrap();
                words.to_mut().copy_from_slice(row);
                words
            };
            let read = |items, shape| {
                let values = map.value_words().map(words);
                Map::from_parts(map.table(), words(map.words()), values, items, shape)
            };
            assert_eq!(read(500, shape).as_ref(), Some(&map));
            assert_eq!(read(0, shape), None);
            for (values, checks) in [(0, 16), (65, 16), (20, 0), (20, 33), (u32::MAX, u32::MAX)] {
                let forged = MapShape { value_bits: values, check_bits: checks, ..shape };
                assert_eq!(read(500, forged), None);
            }
            assert_eq!(read(500, MapShape { arity: 4, ..shape }), None);
            assert_eq!(read(500, MapShape { mutable: !mutable, ..shape }), None);
            let none =
                Map::from_parts(map.table(), words(map.words()), Some(words(&[])), 500, shape);
            assert_eq!(none, None);
        }
    }
}
