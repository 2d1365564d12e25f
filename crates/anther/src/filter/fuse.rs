//! The binary fuse filter: a key's fingerprint is the xor of three or four cells, solved for all
//! keys at once (Graf and Lemire 2022).
//!
//! **For**: static sets where [`Classic`](crate::Classic)'s 44 % above the lower bound is too much:
//! 9.04 bits per key at 0.39 % for a million keys, where [`Blocked`](crate::Blocked) takes 12.08. A
//! query reads three cells at any false-positive rate. Among 10⁶ keys and with fingerprints of 8 bits
//! it takes half to five sixths of the time in classic at 1 %, and 1.9 times as long as in blocked;
//! with 10 bits, half as long again. In batches it takes 1.6 times as long as in blocked, 2.6 times
//! among 10⁸ keys.
//!
//! **Not for** sets that change: no key can be inserted after building. Nor for false-positive
//! rates between powers of two, which are rounded down to the next: 1 % becomes 0.78 %. Building
//! takes six times as long as inserting into classic, and 17 bytes per key.
//!
//! Alternatives: [`Ribbon`](crate::Ribbon) takes any rate and is a tenth smaller; its queries take
//! two to three times as long. [`Bloomier`](crate::Bloomier) stores a value with each key in the same
//! cells. Where keys are removed again, use [`Cuckoo`](crate::Cuckoo) or
//! [`Quotient`](crate::Quotient).
//!
//! A key is present when the xor of its cells equals its fingerprint. An absent key passes with
//! probability 2⁻ʷ for fingerprints of w bits
//! ([`sizing::fuse::fpr`](crate::sizing::fuse::fpr)), in
//! [`sizing::fuse::slots`](crate::sizing::fuse::slots) cells. `filter/solve/peel.rs` solves for the
//! cells.

use super::solve::peel::{self, Order};
use super::solve::slots::{self, Cells, Slots};
use super::{cells, solve};
use crate::batch::source::{KeySource, Work};
use crate::batch::{Hashes, ahead};
use crate::error::{BuildError, LoadError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::hash::{Key, KeyHash, Seed};
use crate::parts::packed::Packed;
use crate::parts::view::{Row, Touch};
use crate::parts::words::Words;
use crate::profile::{About, Profile};
use crate::sizing::estimate::Estimate;
use crate::sizing::fuse as sizing;
use crate::target::{Plan, Target};
use crate::traits::{Build, Filter, Inspect, Planned};
use std::ops::RangeInclusive;

pub(super) mod sparse;

/// The binary fuse filter.
///
/// ```
/// use anther::Fuse;
///
/// let words = Fuse::build((0..100_000u32).map(|i| format!("word {i}")), 0.004)?;
/// assert!((0..100_000).all(|i| words.contains(format!("word {i}"))));
/// let wrong = (100_000..200_000).filter(|i| words.contains(format!("word {i}"))).count();
/// assert!(wrong < 500, "0.39 % of 100,000, and chance");
/// // 9.5 bits per key, where the lower bound at this FPR is 7.97 and classic takes 11.5.
/// assert!(words.profile().bits_per_key() < Some(9.6));
/// # Ok::<(), anther::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Fuse {
    slots: Slots,
    cells: Packed,
    /// The number of distinct hashes it was built from.
    items: u64,
    about: About,
}

/// What a batch keeps of a key while its cells are fetched: these, and what their xor must be.
#[derive(Clone, Copy)]
struct Query<const ARITY: usize> {
    cells: [u64; ARITY],
    mask: u64,
}

impl<const ARITY: usize> Default for Query<ARITY> {
    /// A key that is not present: no fingerprint has 64 bits.
    fn default() -> Self {
        Query { cells: [0; ARITY], mask: u64::MAX }
    }
}

impl Fuse {
    /// Bits per fingerprint.
    const WIDTHS: RangeInclusive<u32> = 1..=sizing::MAX_WIDTH;

    /// Builds the filter of these keys, at this false-positive rate, with the fixed seed: the same
    /// keys make the same file on every machine, in any order. Holds all hashes in memory, 8 bytes
    /// each; [`Build`] takes sets that are too large for that.
    pub fn build<K: Key>(keys: impl IntoIterator<Item = K>, fpr: f64) -> Result<Fuse, BuildError> {
        solve::build_from_keys(keys, fpr)
    }

    /// Builds the filter of these hashes; `items` is roughly how many there are, `width` the bits
    /// per fingerprint and `arity` the cells per key.
    ///
    /// It takes 17 bytes per key, including the 8 of the hash, and less where the hashes are read
    /// in several passes.
    fn solve(
        keys: &mut dyn KeySource,
        items: u64,
        (arity, width): (u32, u32),
        mut about: About,
        work: Work<'_>,
    ) -> Result<Fuse, BuildError> {
        let fill = |keys: &[KeyHash], order: &Order| {
            Ok((order.fill(keys, width, |key, _| slots::mask(*key))?, None))
        };
        let solved = peel::solve(keys, items, arity, work, |_| Ok(()), fill)?;
        about.count(solved.items);
        Ok(Fuse { slots: solved.slots, cells: solved.first, items: solved.items, about })
    }

    /// From the parts of a file.
    fn from_parts(
        table: Words,
        words: Words,
        items: u64,
        (arity, width): (u32, u32),
        about: About,
    ) -> Result<Fuse, LoadError> {
        let no_filter = LoadError::Section { name: "fingerprints" };
        let slots = Slots::from_table(table, arity)?.filter(|slots| slots.can_hold(items));
        let Some(slots) = slots.filter(|_| Fuse::WIDTHS.contains(&width)) else {
            return Err(no_filter);
        };
        let cells = Packed::from_words(words, slots.cells(), width).ok_or(no_filter)?;
        Ok(Fuse { slots, cells, items, about })
    }

    /// Whether the key with this hash may be present, for any number and width of cells.
    #[inline(never)]
    fn contains_in_any(&self, key: KeyHash) -> bool {
        let xor = self.slots.xor_of_packed(&self.cells, key);
        xor.is_some_and(|xor| xor == slots::mask(key) & self.cells.max())
    }

    /// Whether each of the keys with these hashes may be present, one answer per hash.
    fn look_up(&self, mut keys: impl Hashes, found: &mut [bool]) {
        if self.slots.match_together(&self.cells, &mut keys, found).is_some() {
            return;
        }
        if slots::are_near(&self.cells) {
            for (found, key) in found.iter_mut().zip(keys) {
                *found = self.contains_hash(key);
            }
        } else {
            self.look_up_ahead(keys, found);
        }
    }

    /// The same with prefetches.
    fn look_up_ahead(&self, keys: impl Hashes, found: &mut [bool]) {
        match (self.slots.arity(), self.cells.as_bytes()) {
            (3, Some(bytes)) => self.look_up_in::<3>(keys, found, bytes),
            (3, None) => self.look_up_in::<3>(keys, found, &self.cells),
            _ => self.look_up_in::<4>(keys, found, &self.cells),
        }
    }

    fn look_up_in<const ARITY: usize>(
        &self,
        keys: impl Hashes,
        found: &mut [bool],
        cells: &(impl Cells + ?Sized),
    ) {
        let max = self.cells.max();
        let query = |key| match self.slots.of::<ARITY>(key) {
            Some(cells) => Query { cells, mask: slots::mask(key) & max },
            None => Query::default(),
        };
        ahead::contains_ahead(
            found,
            keys.map(query),
            |query| query.cells.into_iter().for_each(|cell| self.cells.fetch(cell)),
            |query| cells.xor(query.cells) == query.mask,
        );
    }

    /// Total bits: the cells, and one word per shard.
    fn bits(&self) -> u64 {
        self.cells.cells() * u64::from(self.cells.width()) + self.slots.shards() * 64
    }

    /// The share of absent keys that pass: 2⁻ʷ, and none in shards without keys.
    fn fpr(&self) -> f64 {
        let filled = self.slots.filled() as f64 / self.slots.shards() as f64;
        filled * sizing::fpr(self.items, self.cells.width())
    }
}

/// The size for a target: cells per key, and bits per fingerprint.
fn size(target: Target, options: &Options) -> Result<(u32, u32), SizeError> {
    let arity = options::within(Kind::Fuse, "arity", options.arity.unwrap_or(3), 3, 4)?;
    let (items, fpr) = (target.items(), target.fpr());
    let width = sizing::width(items, fpr).ok_or(SizeError::Fpr {
        kind: Kind::Fuse,
        got: fpr,
        least: sizing::fpr(items, sizing::MAX_WIDTH),
    })?;
    cells::check_bits(Kind::Fuse, sizing::bits(items, arity, width), 1)?;
    Ok((arity, width))
}

impl Filter for Fuse {
    fn about(&self) -> &About {
        &self.about
    }

    /// Inlined into loops, where what is the same for all keys is checked once.
    #[inline(always)]
    fn contains_hash(&self, key: KeyHash) -> bool {
        match self.slots.xor_of_bytes(&self.cells, key) {
            Some(xor) => u64::from(xor) == slots::mask(key) & u64::from(u8::MAX),
            None => self.contains_in_any(key),
        }
    }

    #[inline]
    fn prefetch_hash(&self, key: KeyHash) {
        self.slots.fetch(&self.cells, key);
    }

    super::asks_each!(|filter, keys, found| filter.look_up(keys, found));

    fn profile(&self) -> Profile {
        Profile {
            items: Some(Estimate::exactly(self.items)),
            target: self.about.target_of(self.items),
            fpr_now: self.fpr(),
            fill: self.items as f64 / self.cells.cells().max(1) as f64,
            ..self.about.profile(Kind::Fuse, self.bits(), self.slots.arity())
        }
    }
}

impl Inspect for Fuse {
    /// The cells, and the words of the shards.
    fn rows(&self) -> Vec<Row<'_>> {
        vec![self.slots.row("slots", &self.cells), self.slots.shard_row()]
    }

    /// The word of the key's shard, and the cells that a query xors.
    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let shard = Touch::new(1, self.slots.shard(key));
        [shard].into_iter().chain(self.slots.touches(0, key)).collect()
    }
}

impl Planned for Fuse {
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        let (arity, width) = size(target, options)?;
        let items = target.items();
        let bits = sizing::bits(items, arity, width) + 64 * sizing::shards(items, arity).get();
        Ok(Plan::new(bits, arity, sizing::fpr(items, width)))
    }
}

impl Build for Fuse {
    fn build(
        keys: &mut dyn KeySource,
        target: Target,
        options: &Options,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<Fuse, BuildError> {
        options.check(Kind::Fuse)?;
        let size = size(target, options)?;
        Fuse::solve(keys, target.items(), size, About::new(seed, Some(target)), work)
    }
}

impl Stored for Fuse {
    const KIND: Kind = Kind::Fuse;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("arity", u64::from(self.slots.arity()));
        sheet.field("fingerprint.bits", u64::from(self.cells.width()));
        sheet.field("items", self.items);
        sheet.field("shards", self.slots.shards());
        sheet.words("shards", self.slots.table());
        sheet.words("fingerprints", self.cells.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Fuse, LoadError> {
        let (arity, width, items) = fields(parts)?;
        let table = parts.table("shards")?;
        let cells = parts.words("fingerprints")?;
        Fuse::from_parts(table, cells, items, (arity, width), about)
    }
}

/// Cells per key, bits per fingerprint and the number of items, from the fields of a file.
fn fields(parts: &mut Parts) -> Result<(u32, u32, u64), LoadError> {
    let arity = parts.small("arity", 3..=4)?;
    let width = parts.small("fingerprint.bits", Fuse::WIDTHS)?;
    Ok((arity, width, parts.number("items", 0..=Target::MAX_ITEMS)?))
}

super::methods_by_key!(Fuse, about);

#[cfg(test)]
mod tests;
