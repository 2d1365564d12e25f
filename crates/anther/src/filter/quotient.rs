//! The quotient filter: sorted runs of remainders, found by rank and select (Bender, Farach-Colton,
//! Johnson, Kraner, Kuszmaul, Medjedovic, Montes, Shetty, Spillane and Zadok 2012; in this form
//! Pandey, Bender, Johnson and Patro 2017).
//!
//! **For**: sets whose keys are removed again, in the space of [`Classic`](crate::Classic): 9.61
//! bits per key at 1 %. Keys can be inserted any number of times. Two filters can be merged, and
//! the set may grow beyond its plan: a full filter doubles, without needing the keys. [`ExactSet`]
//! also lists its members. **Not for** speed: an insert moves ten others on average, and 200 in a
//! filter that is nearly full. Keys crafted to cluster make it slow; [`Seed::keyed`] protects
//! against them.
//!
//! Each copy of a key takes a slot, or a count where that is shorter. At 1 %, up to four copies
//! take a slot each, 5 to 15 copies take four slots, a million nine, and 2⁶⁴-1, the largest count,
//! 22. So a filter has room for at least its capacity, and for more where keys are repeated. The
//! millionth copy takes no longer to insert than the tenth.
//!
//! A key is a fingerprint: a home slot and a remainder, which is stored. The false-positive rate is
//! the share of fingerprints that are present
//! ([`sizing::quotient::rate`](crate::sizing::quotient::rate)). Doubling moves one bit from the
//! remainder to the slot, so it keeps the fingerprints and the rate. Beyond the capacity the rate
//! rises in proportion, however large the filter has become: twice the keys, twice the rate;
//! [`Scalable`](crate::Scalable) keeps it. When remainders are down to one bit, inserts are
//! rejected: at 1 %, with 64 times the capacity.

mod copies;
mod exact_set;
mod slots;
mod table;
#[cfg(test)]
mod tests;

pub use exact_set::{ExactSet, Iter};

use super::cells;
use crate::error::{Full, LoadError, Mismatch, RemoveError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::hash::{KeyHash, Seed, SeedKind};
use crate::parts::view::{Row, Touch};
use crate::profile::{About, Profile};
use crate::sizing::quotient::Size;
use crate::sizing::{bound, estimate, quotient};
use crate::target::{Plan, Target};
use crate::traits::{Count, Filter, ForTarget, Insert, Inspect, Merge, Planned, Remove};
use slots::Rows;
use table::{NoRoom, Pair, Table};

/// The quotient filter.
///
/// ```
/// use anther::{Quotient, Target};
///
/// let mut seen = Quotient::new(Target::new(1000, 0.01)?)?;
/// for key in 0..3000u64 {
///     seen.insert(key)?;
/// }
/// assert!((0..3000u64).all(|key| seen.contains(key)), "it doubled, twice, without the keys");
/// assert!(seen.profile().fpr_now < 0.03, "three times the keys, three times the FPR");
///
/// seen.insert(7u64)?;
/// assert_eq!(seen.count(7u64), 2);
/// for key in 0..3000u64 {
///     assert!(seen.remove(key)?);
/// }
/// assert_eq!(seen.count(7u64), 1, "inserted twice, removed once");
///
/// let bits = seen.profile().bits;
/// for _ in 0..1_000_000 {
///     seen.insert(7u64)?;
/// }
/// assert_eq!((seen.count(7u64), seen.profile().bits), (1_000_001, bits), "counted, in nine
/// slots");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Quotient {
    table: Table,
    /// The hashes are those that [`ExactSet`] makes, so the keys can be recovered from them.
    exact: bool,
    about: About,
}

impl Quotient {
    /// Makes an empty filter of `blocks` blocks of 64 slots, with remainders of `remainder_bits`
    /// bits. It holds 95 keys in 100 slots, or more where keys are repeated, before it doubles.
    pub fn with_blocks(
        blocks: u64,
        remainder_bits: u32,
        seed: Seed,
    ) -> Result<Quotient, SizeError> {
        let most = quotient::MAX_REMAINDER_BITS;
        options::within(Kind::Quotient, "remainder-bits", remainder_bits, 1, most)?;
        let size = check_bits(Size { blocks, remainder_bits })?;
        Quotient::sized(size, About::new(seed, None), false)
    }

    fn sized(size: Size, about: About, exact: bool) -> Result<Quotient, SizeError> {
        Ok(Quotient { table: Table::new(size)?, exact, about })
    }

    /// Doubles the number of slots, with remainders of one bit less. Nothing is lost and the
    /// false-positive rate stays; a full filter does this by itself. Fails when remainders have one
    /// bit, or out of memory; then nothing changes.
    pub fn double(&mut self) -> Result<(), Full> {
        let size = self.table.size().doubled().ok_or(FULL)?;
        self.table = with_room(size, |size| Table::of(size, self.table.moved(size)))?;
        Ok(())
    }

    /// The number of keys, counting every copy.
    pub fn len(&self) -> u64 {
        self.table.len()
    }

    /// Whether the filter is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[cold]
    fn insert_doubled(&mut self, pair: Pair) -> Result<bool, Full> {
        let from = self.table.size();
        let (table, new) = with_room(from.doubled().ok_or(FULL)?, |size| {
            let mut table = Table::of(size, self.table.moved(size))?;
            let new = table.insert(pair.moved(from, size))?;
            Ok((table, new))
        })?;
        self.table = table;
        Ok(new)
    }

    /// The home slot of a key, and the bits of its hash after those that determined the slot. With
    /// twice the slots, the first of these bits belongs to the slot, for any number of slots.
    #[inline]
    fn pair(&self, key: KeyHash) -> Pair {
        let Size { remainder_bits, .. } = self.table.size();
        let product = u128::from(key.0) * u128::from(self.table.size().slots());
        #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
        let (quotient, rest) = ((product >> 64) as u64, product as u64);
        Pair { quotient, remainder: rest >> (64 - remainder_bits) }
    }
}

const FULL: Full = Full::of(Kind::Quotient);

/// A key has one home slot, and its run is near it.
const PROBES: u32 = 1;

/// Makes something at a size, doubling while there is no room. The previous content always fits
/// in twice the slots: with one bit less per slot, a count takes at most twice as many, and a run
/// becomes two, so its mark is stored at most twice. A key inserted on top may not fit, hence the
/// loop.
fn with_room<T>(
    mut size: Size,
    mut made: impl FnMut(Size) -> Result<T, NoRoom>,
) -> Result<T, Full> {
    loop {
        match made(check_bits(size).map_err(|_| FULL)?) {
            Ok(made) => return Ok(made),
            Err(NoRoom::Slots) => size = size.doubled().ok_or(FULL)?,
            Err(NoRoom::Ever) => return Err(FULL),
        }
    }
}

/// Merges two sorted sequences.
fn in_order<T: PartialOrd + Clone>(
    ours: impl Iterator<Item = T> + Clone,
    theirs: impl Iterator<Item = T> + Clone,
) -> impl Iterator<Item = T> + Clone {
    let (mut ours, mut theirs) = (ours.peekable(), theirs.peekable());
    std::iter::from_fn(move || match (ours.peek(), theirs.peek()) {
        (Some(our), Some(their)) if their < our => theirs.next(),
        (Some(_), _) => ours.next(),
        (None, _) => theirs.next(),
    })
}

fn check_bits(size: Size) -> Result<Size, SizeError> {
    let least = Size { blocks: 1, ..size }.bits();
    cells::check_table(Kind::Quotient, size.bits(), least).map(|()| size)
}

fn size(target: Target) -> Result<Size, SizeError> {
    let (items, got) = (target.items(), target.fpr());
    let least = bound::hash_floor(items);
    let size = quotient::size(items, got);
    check_bits(size.ok_or(SizeError::Fpr { kind: Kind::Quotient, got, least })?)
}

impl Filter for Quotient {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.table.contains(self.pair(key))
    }

    super::asks_each_beyond_caches!(|filter, keys, found| filter.table.slots.remainders.words(), {
        filter.table.look_up(keys.map(|key| filter.pair(key)), found);
    });

    fn profile(&self) -> Profile {
        let distinct = self.table.pairs().count() as u64;
        let size = self.table.size();
        let fingerprints = size.fingerprints();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most 2⁶⁴, where the cast stops at the largest number"
        )]
        let as_bits = fingerprints as u64;
        Profile {
            // Occupied fingerprints are like the bits of a classic filter with one probe.
            items: Some(estimate::classic(as_bits, 1, distinct)),
            remaining: Some(self.table.len()),
            // Where the fingerprint is the key itself, there are no false positives.
            fpr_now: if self.exact { 0.0 } else { (distinct as f64 / fingerprints).min(1.0) },
            fill: self.table.slots.held() as f64 / size.slots() as f64,
            ..self.about.profile(Kind::Quotient, size.bits(), PROBES)
        }
    }
}

impl Insert for Quotient {
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        let pair = self.pair(key);
        let new = match self.table.insert(pair) {
            Ok(new) => new,
            Err(NoRoom::Ever) => return Err(FULL),
            Err(NoRoom::Slots) => self.insert_doubled(pair)?,
        };
        self.about.count(1);
        Ok(new)
    }
}

impl Inspect for Quotient {
    fn rows(&self) -> Vec<Row<'_>> {
        self.table.slots.rows()
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        self.table.slots.touches(self.pair(key).quotient)
    }
}

impl Remove for Quotient {
    fn remove_hash(&mut self, key: KeyHash) -> Result<bool, RemoveError> {
        Ok(self.table.remove(self.pair(key)))
    }
}

impl Count for Quotient {
    fn count_hash(&self, key: KeyHash) -> u64 {
        self.table.count(self.pair(key))
    }
}

/// A key in both is present twice. Filters that differ only in how often they doubled can be
/// merged, in either direction.
impl Merge for Quotient {
    fn merge(&mut self, other: &Quotient) -> Result<(), Mismatch> {
        self.about.check_alike(&other.about)?;
        if self.exact != other.exact {
            return Err(Mismatch::Option { name: "exact" });
        }
        let (ours, theirs) = (self.table.size(), other.table.size());
        let (larger, smaller) =
            if ours.blocks < theirs.blocks { (theirs, ours) } else { (ours, theirs) };
        // Doubled from one to the other: the slots' additional bits came from the remainders.
        let bits = smaller.remainder_bits.checked_sub(larger.remainder_bits);
        if bits.and_then(|bits| smaller.blocks.checked_shl(bits)) != Some(larger.blocks) {
            return Err(Mismatch::Cells { ours: ours.slots(), theirs: theirs.slots() });
        }
        self.table = with_room(larger, |size| {
            Table::of(size, in_order(self.table.moved(size), other.table.moved(size)))
        })?;
        self.about.take_in(&other.about);
        Ok(())
    }
}

impl Planned for Quotient {
    fn plan(target: Target, _: &Options) -> Result<Plan, SizeError> {
        let size = size(target)?;
        let fpr = quotient::rate(size.slots(), size.remainder_bits, target.items());
        Ok(Plan::new(size.bits(), PROBES, fpr))
    }
}

impl ForTarget for Quotient {
    fn with_options(target: Target, _: &Options, seed: Seed) -> Result<Quotient, SizeError> {
        Quotient::sized(size(target)?, About::new(seed, Some(target)), false)
    }
}

impl Stored for Quotient {
    const KIND: Kind = Kind::Quotient;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        let Size { blocks, remainder_bits } = self.table.size();
        sheet.field("blocks", blocks);
        sheet.field("remainder.bits", u64::from(remainder_bits));
        sheet.field("exact", u64::from(self.exact));
        sheet.words("remainders", self.table.slots.remainders.words());
        sheet.words("occupied", self.table.slots.occupied.words());
        sheet.words("run.ends", self.table.slots.run_ends.words());
        sheet.words("offsets", self.table.slots.offsets.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Quotient, LoadError> {
        let remainder_bits = parts.small("remainder.bits", 1..=quotient::MAX_REMAINDER_BITS)?;
        let block = Size { blocks: 1, remainder_bits }.bits();
        let blocks = parts.number("blocks", 1..=cells::MAX_BITS / block)?;
        let size = Size { blocks, remainder_bits };
        let exact = parts.small("exact", 0..=1)? == 1;
        if exact && !(exact_set::is_whole(size) && about.seed.kind() == SeedKind::External) {
            return Err(LoadError::Field {
                name: "exact",
                got: "1".to_string(),
                allowed: "0 with this seed and these remainders".to_string(),
            });
        }
        let rows = Rows {
            remainders: parts.words("remainders")?,
            occupied: parts.words("occupied")?,
            run_ends: parts.words("run.ends")?,
            offsets: parts.words("offsets")?,
        };
        let table = Table::from_rows(rows, size).map_err(|name| LoadError::Section { name })?;
        Ok(Quotient { table, exact, about })
    }
}

super::methods_by_key!(Quotient, about);
super::inserts_by_key_while_room!(Quotient);
super::removes!(Quotient);
super::counts!(Quotient);
super::merges!(Quotient);
