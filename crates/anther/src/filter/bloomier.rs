//! The Bloomier filter: a map from keys to values that does not store the keys (Chazelle, Kilian,
//! Rubinfeld and Tal 2004; Charles and Chellapilla 2008).
//!
//! **For**: a value of 1 to 64 bits for each of many keys that are known in advance: a shard, a
//! category, an offset. A present key always gets its own value. An absent key gets none, except
//! for false positives. **Not for** sets of keys that change. The mutable form
//! ([`Bloomier::mutable`]) can change values, for two more bits per cell.
//!
//! Alternatives: for sets without values, [`Fuse`](crate::Fuse) is the same without the value's
//! bits, and [`Ribbon`](crate::Ribbon) is smaller. To count keys in a set that grows, use
//! [`Spectral`](crate::Spectral).
//!
//! It takes 1.13 bits for each bit of value and check: 9.04 bits per key at 1 % with values of one
//! bit, 17 with values of a byte. A hash table that stores 8-byte keys takes 72 or more. A query
//! takes as long as in [`Classic`](crate::Classic), up to a fifth longer. Building takes seven
//! times as long as inserting into a classic filter, and 26 bytes per key.
//!
//! The false-positive rate, the probability that an absent key has a value, is 2⁻ᶠ for f check bits
//! ([`sizing::fuse::fpr`](crate::sizing::fuse::fpr)). A cell takes f bits plus the value's.
//! `filter/solve/peel.rs` solves for the cells; `filter/bloomier/shape.rs` lists the tables.

use super::cells;
use super::solve::peel::{self, Order, Solved};
use super::solve::slots::{self, Slots};
use crate::batch::source::{KeySource, Work};
use crate::batch::{Hashes, ahead};
use crate::error::{BuildError, LoadError, OutOfMemory, SizeError};
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
use crate::traits::{Build, Filter, Inspect, Lookup, Planned};
use bands::InBands;
use shape::{Form, MapShape};
use std::ops::RangeInclusive;

mod bands;
mod shape;

pub use bands::Bands;

/// The Bloomier filter.
///
/// ```
/// use anther::{Bloomier, Options, Seed};
///
/// let ports = [("http", 80), ("https", 443), ("ssh", 22)];
/// let mut map = Bloomier::mutable(ports, 1e-6, 16)?;
/// assert_eq!(map.get("https"), Some(443));
/// assert_eq!(map.get("gopher"), None);
/// assert!(map.set("ssh", 2222)?);
/// assert_eq!((map.get("ssh"), map.get("http")), (Some(2222), Some(80)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bloomier {
    shape: MapShape,
    slots: Slots,
    checks: Packed,
    values: Option<Packed>,
    /// The number of distinct hashes it was built from.
    items: u64,
    about: About,
}

/// The layout for a target.
fn shape(target: Target, options: &Options, mutable: bool) -> Result<MapShape, SizeError> {
    const KIND: Kind = Kind::Bloomier;
    let arity = options::within(KIND, "arity", options.arity.unwrap_or(3), 3, 4)?;
    let value_bits = options.value_bits.unwrap_or(Bloomier::DEFAULT_VALUE_BITS);
    let value_bits = options::within(KIND, "value-bits", value_bits, 1, 64)?;
    let (items, fpr) = (target.items(), target.fpr());
    let check_bits = sizing::width(items, fpr).ok_or(SizeError::Fpr {
        kind: KIND,
        got: fpr,
        least: sizing::fpr(items, sizing::MAX_WIDTH),
    })?;
    let shape = MapShape { value_bits, check_bits, arity, mutable, banded: false };
    cells::check_bits(KIND, sizing::bits(items, arity, shape.cell_bits()), 1)?;
    Ok(shape)
}

impl Bloomier {
    /// A set is a map to nothing, and a value takes at least one bit.
    pub const DEFAULT_VALUE_BITS: u32 = 1;

    /// Builds the map of these keys and values, of `value_bits` bits each, with the fixed seed. A
    /// key may be repeated with the same value; with two values it is [`BuildError::Conflict`],
    /// which carries the key's hash.
    pub fn of<K: Key>(
        pairs: impl IntoIterator<Item = (K, u64)>,
        fpr: f64,
        value_bits: u32,
    ) -> Result<Bloomier, BuildError> {
        let options = Options::new().value_bits(value_bits);
        Bloomier::of_pairs(pairs, fpr, &options, false)
    }

    /// The same, but the values can be changed later.
    pub fn mutable<K: Key>(
        pairs: impl IntoIterator<Item = (K, u64)>,
        fpr: f64,
        value_bits: u32,
    ) -> Result<Bloomier, BuildError> {
        let options = Options::new().value_bits(value_bits);
        Bloomier::of_pairs(pairs, fpr, &options, true)
    }

    fn of_pairs<K: Key>(
        pairs: impl IntoIterator<Item = (K, u64)>,
        fpr: f64,
        options: &Options,
        mutable: bool,
    ) -> Result<Bloomier, BuildError> {
        let seed = Seed::FIXED;
        let hash = |(key, value): (K, u64)| (key.key_hash(&seed), value);
        let mut pairs: Vec<_> = pairs.into_iter().map(hash).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let items = (pairs.len() as u64).max(1);
        let target = Target::new(items, fpr).map_err(SizeError::from)?;
        Bloomier::build_pairs(&mut pairs, target, options, mutable, seed, Work::new())
    }

    /// Builds the map of these hashes and values; see [`Build`].
    pub fn build_pairs(
        pairs: &mut dyn KeySource<(KeyHash, u64)>,
        target: Target,
        options: &Options,
        mutable: bool,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<Bloomier, BuildError> {
        options.check(Kind::Bloomier)?;
        let shape = shape(target, options, mutable)?;
        Bloomier::solve(pairs, target.items(), shape, About::new(seed, Some(target)), work)
    }

    /// Builds the map of these hashes to the [`Bands`] of their counts, of 3 bits unless the options
    /// say otherwise. A key may be repeated with counts of one band; with counts of two it is
    /// [`BuildError::Conflict`]. A count of 0 is [`BuildError::NoBand`].
    ///
    /// ```
    /// use anther::{Bloomier, Key, Lookup, Options, Seed, Target, Work};
    ///
    /// let seed = Seed::FIXED;
    /// let mut counts = vec![("123456".key_hash(&seed), 37_359_195), ("hunter2".key_hash(&seed), 17)];
    /// let (target, options) = (Target::new(2, 0.001)?, Options::new());
    /// let map = Bloomier::build_bands(&mut counts, target, &options, false, seed, Work::new())?;
    /// let band = map.get("hunter2").unwrap();
    /// assert_eq!(map.counts(band), 16..=31);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_bands(
        pairs: &mut dyn KeySource<(KeyHash, u64)>,
        target: Target,
        options: &Options,
        mutable: bool,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<Bloomier, BuildError> {
        options.check(Kind::Bloomier)?;
        let bits = options.value_bits.unwrap_or(Bands::DEFAULT_BITS);
        let (least, most) = (*Bands::BITS.start(), *Bands::BITS.end());
        let bits = options::within(Kind::Bloomier, "value-bits", bits, least, most)?;
        let mut shape = shape(target, &options.value_bits(bits), mutable)?;
        shape.banded = true;
        let Some(bands) = shape.bands() else { unreachable!("the bits were checked") };
        let mut pairs = InBands { pairs, bands };
        let about = About::new(seed, Some(target));
        let built = Bloomier::solve(&mut pairs, target.items(), shape, about, work);
        built.map_err(|error| match error {
            BuildError::Conflict { key, values } => {
                BuildError::Conflict { key, values: pairs.counts(key, values) }
            }
            other => other,
        })
    }

    /// Builds the map of these pairs; `items` is roughly how many there are. A pair may be
    /// repeated. A key with two values is [`BuildError::Conflict`], a value that does not fit is
    /// [`BuildError::Value`]. Both carry the key's hash.
    ///
    /// Building takes 26 bytes per key, including the 16 of the pair. Where cells have more than 40
    /// bits, it takes 20 bytes plus the cells: 34 with values of 64 bits and checks of 32. Both
    /// figures are for one shard. With many shards, only those being solved take more than the
    /// 16 bytes and the cells.
    fn solve(
        pairs: &mut dyn KeySource<(KeyHash, u64)>,
        items: u64,
        shape: MapShape,
        mut about: About,
        work: Work<'_>,
    ) -> Result<Bloomier, BuildError> {
        let (check_width, value_width) = shape.widths();
        let fill = |pairs: &[(KeyHash, u64)], order: &Order| {
            let checks = order.fill(pairs, check_width, |(key, value), own| {
                let beyond = match shape.form() {
                    Form::Together => *value,
                    Form::Apart => 0,
                    Form::Mutable => u64::from(own),
                };
                slots::mask(*key) ^ beyond << shape.check_bits
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
        let Solved { slots, first: checks, second: values, items } = solved;
        about.count(items);
        Ok(Bloomier { shape, slots, checks, values, items, about })
    }

    /// From the parts of a file. `None` when they are inconsistent.
    fn from_parts(
        table: Words,
        checks: Words,
        values: Option<Words>,
        items: u64,
        shape: MapShape,
        about: About,
    ) -> Result<Option<Bloomier>, OutOfMemory> {
        if !shape.is_valid() {
            return Ok(None);
        }
        let slots = Slots::from_table(table, shape.arity)?.filter(|slots| slots.can_hold(items));
        let Some(slots) = slots else { return Ok(None) };
        let (check_width, value_width) = shape.widths();
        let checks = Packed::from_words(checks, slots.cells(), check_width);
        let values = match (values, value_width) {
            (Some(words), Some(width)) => Packed::from_words(words, slots.cells(), width).map(Some),
            (None, None) => Some(None),
            _ => None,
        };
        let (Some(checks), Some(values)) = (checks, values) else { return Ok(None) };
        Ok(Some(Bloomier { shape, slots, checks, values, items, about }))
    }

    /// The bits above the check, if the check matches.
    #[inline]
    fn unmask(&self, key: KeyHash) -> Option<u64> {
        let xor = (self.slots.xor(&self.checks, key)? ^ slots::mask(key)) & self.checks.max();
        let check = u64::MAX >> (64 - self.shape.check_bits);
        (xor & check == 0).then_some(xor >> self.shape.check_bits)
    }

    /// Whether each of the keys may be present.
    fn look_up(&self, keys: impl Hashes, found: &mut [bool]) {
        let has = |key| self.contains_hash(key);
        if slots::are_near(&self.checks) {
            found.iter_mut().zip(keys).for_each(|(found, key)| *found = has(key));
        } else {
            ahead::contains_ahead(found, keys, |key| self.prefetch_hash(key), has);
        }
    }

    /// The cell that belongs to this key alone.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "it has two bits")]
    fn own_cell(&self, key: KeyHash, own: u64) -> Option<u64> {
        match self.shape.arity {
            3 => self.slots.of::<3>(key)?.get(own as usize).copied(),
            _ => self.slots.of::<4>(key)?.get(own as usize).copied(),
        }
    }

    /// Total bits: the cells, and one word per shard.
    fn bits(&self) -> u64 {
        self.slots.cells() * u64::from(self.shape.cell_bits()) + self.slots.shards() * 64
    }

    /// The share of absent keys that have a value.
    fn fpr(&self) -> f64 {
        let filled = self.slots.filled() as f64 / self.slots.shards() as f64;
        let owns = if self.shape.mutable { f64::from(self.shape.arity) / 4.0 } else { 1.0 };
        filled * owns * sizing::fpr(self.items, self.shape.check_bits)
    }

    /// Bits of a value.
    pub fn value_bits(&self) -> u32 {
        self.shape.value_bits
    }

    /// The bands that its values are, if they are.
    pub fn bands(&self) -> Option<Bands> {
        self.shape.bands()
    }

    /// Returns the key's value; see [`Lookup`]. Of a map of [`Bands`] it is the number of the band.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn get(&self, key: impl Key) -> Option<u64> {
        self.get_hash(key.key_hash(&self.about.seed))
    }

    /// Changes the key's value. Returns false and changes nothing when the key is definitely
    /// absent, the value has too many bits, or the map is not mutable. Change only keys that are
    /// present: an absent key that looks present, as one in 2ᶠ does, overwrites another key's
    /// value. To a map of [`Bands`] the value is a count.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn set(&mut self, key: impl Key, value: u64) -> Result<bool, OutOfMemory> {
        self.values.as_mut().map_or(Ok(()), Packed::try_own)?;
        Ok(self.set_hash(key.key_hash(&self.about.seed), value))
    }

    fn set_hash(&mut self, key: KeyHash, value: u64) -> bool {
        let value = match self.shape.bands() {
            Some(bands) => bands.of(value),
            None => Some(value),
        };
        let Some(value) = value else { return false };
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
}

/// Keys, each with the value 0.
struct WithoutValues<'a>(&'a mut dyn KeySource);

impl KeySource<(KeyHash, u64)> for WithoutValues<'_> {
    fn each(&mut self, take: &mut dyn FnMut(&[(KeyHash, u64)])) -> Result<(), BuildError> {
        let mut pairs = [(KeyHash(0), 0); 256];
        self.0.each(&mut |keys| {
            for keys in keys.chunks(pairs.len()) {
                for (pair, key) in pairs.iter_mut().zip(keys) {
                    pair.0 = *key;
                }
                take(&pairs[..keys.len()]);
            }
        })
    }
}

impl Filter for Bloomier {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.get_hash(key).is_some()
    }

    /// The checks. Values in a table of their own are read for keys that are present only.
    #[inline]
    fn prefetch_hash(&self, key: KeyHash) {
        self.slots.fetch(&self.checks, key);
    }

    super::asks_each!(|filter, keys, found| filter.look_up(keys, found));

    fn profile(&self) -> Profile {
        Profile {
            items: Some(Estimate::exactly(self.items)),
            target: self.about.target_of(self.items),
            fpr_now: self.fpr(),
            fill: self.items as f64 / self.slots.cells().max(1) as f64,
            ..self.about.profile(Kind::Bloomier, self.bits(), self.shape.arity)
        }
    }
}

impl Inspect for Bloomier {
    /// The tables, and the words of the shards. "slots" hold check and value together. "checks",
    /// "owners" (a check and, above it, the number of the key's own cell) and "values" are separate
    /// tables.
    fn rows(&self) -> Vec<Row<'_>> {
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

    /// The word of the key's shard and the cells that a query xors. Where values have a separate
    /// table, also the cells that a query would read there if the key is present.
    fn touches(&self, key: KeyHash) -> Vec<Touch> {
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
}

impl Lookup for Bloomier {
    #[inline]
    fn get_hash(&self, key: KeyHash) -> Option<u64> {
        let beyond = self.unmask(key)?;
        match &self.values {
            None => Some(beyond),
            Some(values) if !self.shape.mutable => self.slots.xor(values, key),
            Some(values) => Some(values.get(self.own_cell(key, beyond)?)),
        }
    }

    fn counts(&self, value: u64) -> RangeInclusive<u64> {
        self.shape.bands().map_or(value..=value, |bands| bands.range(value))
    }
}

impl Planned for Bloomier {
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        let shape = shape(target, options, false)?;
        let (items, arity) = (target.items(), shape.arity);
        let bits = sizing::bits(items, arity, shape.cell_bits());
        let directory = 64 * sizing::shards(items, arity).get();
        Ok(Plan::new(bits + directory, arity, sizing::fpr(items, shape.check_bits)))
    }
}

impl Build for Bloomier {
    /// Maps these keys to 0; [`Bloomier::build_pairs`] takes values.
    fn build(
        keys: &mut dyn KeySource,
        target: Target,
        options: &Options,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<Bloomier, BuildError> {
        Bloomier::build_pairs(&mut WithoutValues(keys), target, options, false, seed, work)
    }
}

impl Stored for Bloomier {
    const KIND: Kind = Kind::Bloomier;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("value.bits", u64::from(self.shape.value_bits));
        sheet.field("check.bits", u64::from(self.shape.check_bits));
        sheet.field("arity", u64::from(self.shape.arity));
        sheet.field("mutable", u64::from(self.shape.mutable));
        sheet.field("items", self.items);
        sheet.field("shards", self.slots.shards());
        // Files without bands are as they always were.
        if self.shape.banded {
            sheet.field("bands", 1);
        }
        sheet.words("shards", self.slots.table());
        sheet.words("checks", self.checks.words());
        sheet.words("values", self.values.as_ref().map_or(&[], Packed::words));
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Bloomier, LoadError> {
        let shape = MapShape {
            value_bits: parts.small("value.bits", MapShape::VALUE_BITS)?,
            check_bits: parts.small("check.bits", MapShape::CHECK_BITS)?,
            arity: parts.small("arity", 3..=4)?,
            mutable: parts.small("mutable", 0..=1)? == 1,
            banded: parts.peek("bands").is_some() && parts.small("bands", 1..=1)? == 1,
        };
        let items = parts.number("items", 0..=Target::MAX_ITEMS)?;
        let (table, checks) = (parts.table("shards")?, parts.words("checks")?);
        // An empty section is a table that this shape does not have.
        let values = Some(parts.words("values")?).filter(|_| shape.has_value_table());
        Bloomier::from_parts(table, checks, values, items, shape, about)?
            .ok_or(LoadError::Section { name: "checks" })
    }
}

super::methods_by_key!(Bloomier, about);

#[cfg(test)]
mod tests;
