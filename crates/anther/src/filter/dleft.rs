//! The d-left counting filter: fingerprints with small counters in d-left hash tables (Bonomi,
//! Mitzenmacher, Panigrahy, Singh and Varghese, ESA 2006).
//!
//! **For**: sets whose keys are removed again, in half the space of [`Counting`](crate::Counting):
//! 18.67 bits per key at 1 % instead of 38.37, and smaller at any false-positive rate below 25 %.
//! Also for inserts with a bounded time: an insert looks at four buckets and moves nothing.
//! Otherwise there are better kinds today: [`Cuckoo`](crate::Cuckoo) takes 10.53 bits and
//! [`Quotient`](crate::Quotient) 9.61, and both query and insert faster, cuckoo by three times or
//! more. A query takes 5 times as long as in [`Classic`](crate::Classic), and 7 times for absent
//! keys, since it compares 32 cells.
//!
//! **Not for** more keys than its capacity: it rejects inserts when full. Not for keys that are
//! inserted many times: a second copy takes no room, but a counter has two bits, so the third copy
//! saturates it and the key can never be removed. Two d-left filters cannot be merged.
//!
//! A key is a fingerprint: a bucket and a remainder. Each of four subtables permutes all
//! fingerprints, so that a key has another bucket and another remainder in each. It is stored in
//! the subtable whose bucket is least loaded. Since these are permutations, a cell that matches was
//! written by a key of the same fingerprint, and removal is unambiguous. With four independent
//! pairs, two keys that match in one subtable only could remove each other's cell.
//!
//! The false-positive rate is [`sizing::dleft::rate`](crate::sizing::dleft::rate).

use super::cells;
use crate::batch::Hashes;
use crate::batch::steps;
use crate::error::{Full, LoadError, RemoveError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::packed::Packed;
use crate::parts::probes::scale;
use crate::parts::view::{Row, Touch, View};
use crate::profile::{About, Profile};
use crate::sizing::{bound, dleft, estimate};
use crate::target::{Plan, Target};
use crate::traits::{Count, Filter, ForTarget, Insert, Inspect, Planned, Remove};
use std::ops::ControlFlow;

/// The d-left counting filter.
///
/// ```
/// use anther::{Counting, DLeft, Target};
///
/// let target = Target::new(10_000, 0.01)?;
/// let mut cached = DLeft::new(target)?;
/// cached.insert("/index.html")?;
/// cached.insert("/logo.png")?;
/// assert!(cached.remove("/logo.png")?);
/// assert!(!cached.contains("/logo.png"), "gone");
/// assert!(cached.contains("/index.html"), "the others stay");
/// assert!(2 * cached.profile().bits < Counting::new(target)?.profile().bits, "half the space");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DLeft {
    /// Per subtable.
    buckets: u64,
    /// A remainder and, above it, the count: 0 is empty, 3 means three or more. The paper's
    /// simulation saw a 4 with 8-bit remainders; two bits that also encode "empty" cannot hold it,
    /// so the counter saturates at 3.
    cells: Packed,
    about: About,
}

/// A key's bucket and remainder.
#[derive(Clone, Copy)]
struct Fingerprint {
    bucket: u64,
    remainder: u64,
}

impl DLeft {
    const COUNTER_BITS: u32 = 2;
    const MOST: u64 = 3;

    /// Makes an empty filter of `buckets` buckets in each of its four subtables, with remainders of
    /// `remainder_bits` bits. A bucket has eight cells.
    pub fn with_buckets(buckets: u64, remainder_bits: u32, seed: Seed) -> Result<DLeft, SizeError> {
        let most = dleft::MAX_REMAINDER_BITS;
        options::within(Kind::DLeft, "remainder-bits", remainder_bits, 1, most)?;
        DLeft::sized(dleft::Size { buckets, remainder_bits }, seed, None)
    }

    fn sized(size: dleft::Size, seed: Seed, target: Option<Target>) -> Result<DLeft, SizeError> {
        let size = check_bits(size)?;
        let cells = dleft::SUBTABLES * dleft::CELLS * size.buckets;
        let cells = Packed::zeroed(cells, size.remainder_bits + DLeft::COUNTER_BITS)?;
        Ok(DLeft { buckets: size.buckets, cells, about: About::new(seed, target) })
    }

    /// How many buckets hold 0, 1, … 8 different fingerprints. Those with 8 are full; a key is
    /// rejected when all four of its buckets are.
    pub fn loads(&self) -> [u64; 9] {
        let mut loads = [0; 9];
        for bucket in 0..dleft::SUBTABLES * self.buckets {
            let taken = self.cells_of(bucket).filter(|cell| self.count_in(*cell) > 0);
            loads[taken.count()] += 1;
        }
        loads
    }

    fn remainder_bits(&self) -> u32 {
        self.cells.width() - DLeft::COUNTER_BITS
    }

    fn count_in(&self, cell: u64) -> u64 {
        self.cells.get(cell) >> self.remainder_bits()
    }

    fn remainder_in(&self, cell: u64) -> u64 {
        self.cells.get(cell) & !(DLeft::MOST << self.remainder_bits())
    }

    /// Writes a cell; a cell whose count is 0 is all zeros.
    fn set(&mut self, cell: u64, remainder: u64, count: u64) {
        let value = if count == 0 { 0 } else { remainder | count << self.remainder_bits() };
        self.cells.set(cell, value);
    }

    /// The cells of a bucket, numbered over all subtables.
    fn cells_of(&self, bucket: u64) -> std::ops::Range<u64> {
        bucket * dleft::CELLS..(bucket + 1) * dleft::CELLS
    }

    #[inline]
    fn fingerprint(&self, key: KeyHash) -> Fingerprint {
        let product = u128::from(key.0) * u128::from(self.buckets);
        #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
        let (bucket, rest) = ((product >> 64) as u64, product as u64);
        Fingerprint { bucket, remainder: rest >> (64 - self.remainder_bits()) }
    }

    /// A fingerprint's bucket and remainder in one subtable. Two rounds of a Feistel network: each
    /// can be inverted, so this is a permutation for any number of buckets, without a division. A
    /// key's buckets are distributed like those of four independent hashes. One round, which
    /// changes the bucket alone, would preserve differences.
    #[inline]
    fn permuted(&self, whole: Fingerprint, subtable: u64) -> Fingerprint {
        let Fingerprint { mut bucket, mut remainder } = whole;
        if subtable > 0 {
            remainder ^= KeyHash(bucket).again(2 * subtable).0 >> (64 - self.remainder_bits());
            bucket += scale(KeyHash(remainder).again(2 * subtable + 1).0, self.buckets);
            bucket -= if bucket >= self.buckets { self.buckets } else { 0 };
        }
        Fingerprint { bucket: bucket + subtable * self.buckets, remainder }
    }

    /// The cell that holds the fingerprint; there is at most one.
    #[inline]
    fn find(&self, whole: Fingerprint) -> Option<u64> {
        (0..dleft::SUBTABLES).find_map(|subtable| self.find_in(self.permuted(whole, subtable)))
    }

    /// The cell of its bucket that holds a permuted fingerprint.
    ///
    /// Compares as many cells at once as fit in a word: four at 1 %. That takes 0.66 of the time of
    /// one by one for present keys, and 0.52 for absent ones.
    #[inline]
    fn find_in(&self, permuted: Fingerprint) -> Option<u64> {
        let (width, bits) = (self.cells.width(), self.remainder_bits());
        let at_once = (1 << (u64::BITS / width).ilog2()).min(dleft::CELLS);
        let ones = (0..at_once).fold(0, |ones, cell| ones | 1u64 << (cell * u64::from(width)));
        let remainders = ones * !(u64::MAX << bits);
        self.cells_of(permuted.bucket).step_by(at_once as usize).find_map(|first| {
            let cells = self.cells.run(first) ^ (ones * permuted.remainder);
            // The bit above each remainder: where it differs, and where the count is not 0. A
            // remainder may be 0, so only the count says that a cell is empty.
            let differs = (cells & remainders) + remainders;
            let found = (cells | cells >> 1) & !differs & (ones << bits);
            (found != 0).then(|| first + u64::from(found.trailing_zeros() / width))
        })
    }

    /// Prefetches the bucket of a permuted fingerprint.
    #[inline]
    fn fetch(&self, permuted: Fingerprint) {
        let bytes = self.cells.bytes_of(dleft::CELLS);
        self.cells.fetch_bytes(self.cells_of(permuted.bucket).start, bytes);
    }

    /// Whether each of the keys may be present: a step for each subtable.
    fn look_up(&self, keys: impl Hashes, found: &mut [bool]) {
        let at = |whole, subtable| {
            let permuted = self.permuted(whole, subtable);
            self.fetch(permuted);
            (whole, permuted, subtable)
        };
        let starts = keys.map(|key| at(self.fingerprint(key), 0));
        steps::contains_in_steps(found, starts, |(whole, permuted, subtable)| {
            match self.find_in(permuted) {
                Some(_) => ControlFlow::Break(true),
                None if subtable + 1 == dleft::SUBTABLES => ControlFlow::Break(false),
                None => ControlFlow::Continue(at(whole, subtable + 1)),
            }
        });
    }

    /// The first empty cell of the least loaded bucket (ties go left), and the remainder to store
    /// there.
    fn room(&self, whole: Fingerprint) -> Option<(u64, u64)> {
        let mut best = None;
        let mut most_empty = 0;
        for subtable in 0..dleft::SUBTABLES {
            let Fingerprint { bucket, remainder } = self.permuted(whole, subtable);
            let mut empty = self.cells_of(bucket).filter(|cell| self.count_in(*cell) == 0);
            let first = empty.next();
            let number = first.map_or(0, |_| 1 + empty.count());
            if number > most_empty {
                (best, most_empty) = (first.map(|cell| (cell, remainder)), number);
            }
        }
        best
    }
}

/// A key has a bucket in each subtable.
#[expect(clippy::cast_possible_truncation, reason = "4")]
const PROBES: u32 = dleft::SUBTABLES as u32;

impl Filter for DLeft {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.find(self.fingerprint(key)).is_some()
    }

    super::asks_each_beyond_caches!(
        |filter, keys, found| filter.cells.words(),
        filter.look_up(keys, found)
    );

    fn profile(&self) -> Profile {
        let (mut taken, mut stuck, mut copies) = (0, 0, 0);
        for cell in 0..self.cells.cells() {
            let count = self.count_in(cell);
            taken += u64::from(count > 0);
            stuck += u64::from(count == DLeft::MOST);
            copies += count;
        }
        let fingerprints = dleft::fingerprints(self.buckets, self.remainder_bits());
        let bits = self.cells.cells() * u64::from(self.cells.width());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most 2⁶⁴, where the cast stops at the largest number"
        )]
        let as_bits = fingerprints as u64;
        Profile {
            // Occupied fingerprints are like the bits of a classic filter with one probe.
            items: Some(estimate::classic(as_bits, 1, taken)),
            remaining: (stuck == 0).then_some(copies),
            // A forged file may repeat fingerprints, and so hold more than exist.
            fpr_now: (taken as f64 / fingerprints).min(1.0),
            fill: taken as f64 / self.cells.cells() as f64,
            stuck,
            ..self.about.profile(Kind::DLeft, bits, PROBES)
        }
    }
}

impl Insert for DLeft {
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        let whole = self.fingerprint(key);
        if let Some(cell) = self.find(whole) {
            let count = (self.count_in(cell) + 1).min(DLeft::MOST);
            self.set(cell, self.remainder_in(cell), count);
            self.about.count(1);
            return Ok(false);
        }
        let (cell, remainder) = self.room(whole).ok_or(Full::of(Kind::DLeft))?;
        self.set(cell, remainder, 1);
        self.about.count(1);
        Ok(true)
    }
}

impl Inspect for DLeft {
    /// Cells: a remainder and, above it, its count.
    fn rows(&self) -> Vec<Row<'_>> {
        vec![Row::new("tags", View::packed(&self.cells)).grouped(dleft::CELLS)]
    }

    /// All cells of the four buckets.
    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let whole = self.fingerprint(key);
        let buckets = (0..dleft::SUBTABLES).map(|subtable| self.permuted(whole, subtable).bucket);
        buckets.flat_map(|bucket| self.cells_of(bucket)).map(|cell| Touch::new(0, cell)).collect()
    }
}

impl Remove for DLeft {
    fn remove_hash(&mut self, key: KeyHash) -> Result<bool, RemoveError> {
        let Some(cell) = self.find(self.fingerprint(key)) else { return Ok(false) };
        let count = self.count_in(cell);
        if count == DLeft::MOST {
            return Err(RemoveError::Stuck { kind: Kind::DLeft, most: DLeft::MOST });
        }
        self.set(cell, self.remainder_in(cell), count - 1);
        Ok(true)
    }
}

impl Count for DLeft {
    /// 3 means three or more.
    fn count_hash(&self, key: KeyHash) -> u64 {
        self.find(self.fingerprint(key)).map_or(0, |cell| self.count_in(cell))
    }
}

fn check_bits(size: dleft::Size) -> Result<dleft::Size, SizeError> {
    let least = dleft::Size { buckets: 1, ..size }.bits();
    cells::check_table(Kind::DLeft, size.bits(), least).map(|()| size)
}

fn size(target: Target) -> Result<dleft::Size, SizeError> {
    let (items, got) = (target.items(), target.fpr());
    let least = bound::hash_floor(items);
    let size = dleft::size(items, got).ok_or(SizeError::Fpr { kind: Kind::DLeft, got, least })?;
    check_bits(size)
}

impl Planned for DLeft {
    fn plan(target: Target, _: &Options) -> Result<Plan, SizeError> {
        let size = size(target)?;
        let fpr = dleft::rate(size.buckets, size.remainder_bits, target.items());
        Ok(Plan::new(size.bits(), PROBES, fpr))
    }
}

impl ForTarget for DLeft {
    fn with_options(target: Target, _: &Options, seed: Seed) -> Result<DLeft, SizeError> {
        DLeft::sized(size(target)?, seed, Some(target))
    }
}

impl Stored for DLeft {
    const KIND: Kind = Kind::DLeft;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("buckets", self.buckets);
        sheet.field("remainder.bits", u64::from(self.remainder_bits()));
        sheet.words("cells", self.cells.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<DLeft, LoadError> {
        let remainder_bits = parts.small("remainder.bits", 1..=dleft::MAX_REMAINDER_BITS)?;
        let bucket = dleft::Size { buckets: 1, remainder_bits }.bits();
        let buckets = parts.number("buckets", 1..=cells::MAX_BITS / bucket)?;
        let cells = dleft::SUBTABLES * dleft::CELLS * buckets;
        let width = remainder_bits + DLeft::COUNTER_BITS;
        let cells = Packed::from_words(parts.words("cells")?, cells, width)
            .ok_or(LoadError::Section { name: "cells" })?;
        Ok(DLeft { buckets, cells, about })
    }
}

super::methods_by_key!(DLeft, about);
super::inserts_by_key_while_room!(DLeft);
super::removes!(DLeft);
super::counts!(DLeft);

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn of(buckets: u64, remainder_bits: u32) -> DLeft {
        DLeft::with_buckets(buckets, remainder_bits, Seed::FIXED).unwrap()
    }

    /// This makes removal unambiguous: no two fingerprints share a position in any subtable.
    #[test]
    fn subtables_permute_the_fingerprints() {
        for (buckets, bits) in [(1, 1), (1, 6), (2, 3), (7, 4), (100, 5), (64, 1), (1000, 3)] {
            let filter = of(buckets, bits);
            for subtable in 0..dleft::SUBTABLES {
                let mut seen = HashSet::new();
                for bucket in 0..buckets {
                    for remainder in 0..1 << bits {
                        let there = filter.permuted(Fingerprint { bucket, remainder }, subtable);
                        assert_eq!(there.bucket / buckets, subtable);
                        assert!(there.remainder < 1 << bits);
                        assert!(seen.insert((there.bucket, there.remainder)));
                    }
                }
            }
        }
    }

    /// Inserts until a key is rejected: near 7.5 cells per bucket at any size, and no key is lost.
    #[test]
    fn keys_without_room_are_rejected() {
        for (buckets, bits) in [(1, 20), (2, 20), (7, 16), (100, 16), (4096, 12)] {
            let mut filter = of(buckets, bits);
            let mut keys = (0u64..).map(|i| KeyHash(i).again(7));
            let mut held = Vec::new();
            let refused = loop {
                let key = keys.next().unwrap();
                match filter.insert_hash(key) {
                    Ok(_) => held.push(key),
                    Err(error) => {
                        assert_eq!(error, Full::of(Kind::DLeft));
                        break key;
                    }
                }
            };
            let load = held.len() as f64 / (4 * buckets) as f64;
            assert!((7.1..=8.1).contains(&load), "{buckets}: {load}");
            let before = filter.clone();
            assert!(filter.insert_hash(refused).is_err() && filter == before, "nothing changed");
            assert!(!filter.contains_hash(refused));
            assert!(held.iter().all(|key| filter.contains_hash(*key)), "{buckets}");
            assert_eq!(filter.insert_hash(held[0]), Ok(false), "a repeated key needs no room");
            assert!(filter.loads()[8] > 0 && filter.loads().iter().sum::<u64>() == 4 * buckets);
        }
    }

    #[test]
    fn the_third_copy_saturates_the_counter() {
        let mut filter = of(10, 12);
        for count in [1, 2, 3, 3, 3] {
            assert_eq!(filter.insert("often"), Ok(count == 1 && filter.about.inserted == 1));
            assert_eq!(filter.count("often"), count);
        }
        let stuck = RemoveError::Stuck { kind: Kind::DLeft, most: 3 };
        assert_eq!(filter.remove("often"), Err(stuck));
        assert!(stuck.to_string().contains("use counting"), "{stuck}");
        assert_eq!((filter.count("often"), filter.profile().stuck), (3, 1));
        for _ in 0..2 {
            filter.insert("twice").unwrap();
        }
        assert_eq!([0, 1, 2].map(|_| filter.remove("twice")), [Ok(true), Ok(true), Ok(false)]);
    }

    #[test]
    fn sizes_out_of_range_are_named() {
        for (buckets, bits, text) in [
            (0, 12, "dleft cannot have 0 bits; it needs at least 448"),
            (1, 0, "remainder-bits of a dleft filter cannot be 0; it can be 1 to 62"),
            (1, 63, "remainder-bits of a dleft filter cannot be 63; it can be 1 to 62"),
        ] {
            let error = DLeft::with_buckets(buckets, bits, Seed::FIXED).unwrap_err();
            assert_eq!(error.to_string(), text);
        }
        for buckets in [1 << 41, u64::MAX] {
            let error = DLeft::with_buckets(buckets, 14, Seed::FIXED).unwrap_err();
            assert!(matches!(error, SizeError::TooLarge { .. }), "{error}");
        }
    }

    /// Every valid target works, from one item on, and holds its capacity.
    #[test]
    fn extreme_targets_hold_their_capacity() {
        for (items, fpr) in [(1, 0.999_999), (1, 1e-18), (24, 1.4e-18), (33, 0.9), (5000, 0.95)] {
            let target = Target::new(items, fpr).unwrap();
            let mut filter = DLeft::new(target).unwrap();
            let plan = DLeft::plan(target, &Options::new()).unwrap();
            assert_eq!(plan.bits, filter.profile().bits);
            for i in 0..items {
                assert!(filter.insert(i).is_ok(), "{items} {fpr}");
            }
            assert!(filter.profile().fpr_now <= 1.05 * plan.fpr, "{items} {fpr}: {plan:?}");
        }
    }
}
