//! The Bloomier filter: a map from keys to values that does not keep the keys (Chazelle, Kilian,
//! Rubinfeld and Tal 2004; Charles and Chellapilla 2008).
//!
//! **For**: a value of 1 to 64 bits with each of many keys, known before: which shard, which
//! category, which offset. Present keys get their value, always; an absent key gets none, but for
//! the rate. **Not for** sets of keys that change. Values can change, in the mutable form
//! ([`Bloomier::mutable`]), which takes two bits a cell more. Nor for sets without values:
//! [`Fuse`](crate::Fuse) is the same with no bit for them, and [`Ribbon`](crate::Ribbon) smaller. How
//! often a key was seen, of a set that grows, is [`Spectral`](crate::Spectral)'s to say.
//!
//! It takes 1.13 bits for each bit of value and check: 9.04 a key at 1 % with values of one bit, 17
//! with bytes, where a hash table that keeps 8-byte keys takes 72 and more. A query takes as long as
//! in [`Classic`](crate::Classic), up to a fifth longer. Building takes seven times as long as
//! inserting into that, and 26 bytes a key.
//!
//! An absent key has some value with probability 2⁻ᶠ, f being the bits of check
//! ([`sizing::fuse::fpr`](crate::sizing::fuse::fpr)); a cell takes f bits and the value's. How it is
//! solved stands in [`solve::map`](crate::solve::map).

use super::cells;
use crate::batch::source::{Source, Work};
use crate::error::{BuildError, LoadError, OutOfMemory, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::hash::{Key, KeyHash, Seed};
use crate::parts::view::{Row, Touch};
use crate::profile::{About, Profile};
use crate::sizing::estimate::Estimate;
use crate::sizing::fuse as sizing;
use crate::solve::map::{Map, MapShape};
use crate::target::{Plan, Target};
use crate::traits::{Build, Filter, Lookup, Planned};

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
    map: Map,
    about: About,
}

/// What a target comes to.
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
    let shape = MapShape { value_bits, check_bits, arity, mutable };
    cells::check_bits(KIND, sizing::bits(items, arity, shape.cell_bits()), 1)?;
    Ok(shape)
}

impl Bloomier {
    /// A set is a map to nothing, and one bit is the least that a value takes.
    pub const DEFAULT_VALUE_BITS: u32 = 1;

    /// The map of these keys and values, of so many bits each, with the fixed seed. A key may come
    /// twice with one value; with two it is [`BuildError::Conflict`], which carries its hash.
    pub fn of<K: Key>(
        pairs: impl IntoIterator<Item = (K, u64)>,
        fpr: f64,
        value_bits: u32,
    ) -> Result<Bloomier, BuildError> {
        let options = Options::new().value_bits(value_bits);
        Bloomier::of_pairs(pairs, fpr, &options, false)
    }

    /// The same, with values that can be changed.
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

    /// The map of these hashes and values; see [`Build`].
    pub fn build_pairs(
        pairs: &mut dyn Source<(KeyHash, u64)>,
        target: Target,
        options: &Options,
        mutable: bool,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<Bloomier, BuildError> {
        options.check(Kind::Bloomier)?;
        let shape = shape(target, options, mutable)?;
        let map = Map::build(pairs, target.items(), shape, work)?;
        let mut about = About::new(seed, Some(target));
        about.count(map.items());
        Ok(Bloomier { map, about })
    }

    /// Bits of a value.
    pub fn value_bits(&self) -> u32 {
        self.map.shape().value_bits
    }

    /// The key's value; see [`Lookup`].
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn get(&self, key: impl Key) -> Option<u64> {
        self.map.get(key.key_hash(&self.about.seed))
    }

    /// Changes the key's value. False, and nothing is changed, when the key is surely not in, the
    /// value has too many bits, or the map is not mutable. Change only keys that are in: an absent
    /// key that looks present overwrites the value of another.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn set(&mut self, key: impl Key, value: u64) -> Result<bool, OutOfMemory> {
        self.map.try_own()?;
        Ok(self.map.set(key.key_hash(&self.about.seed), value))
    }
}

/// Keys, each with the value 0.
struct WithoutValues<'a>(&'a mut dyn Source);

impl Source<(KeyHash, u64)> for WithoutValues<'_> {
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
        self.map.get(key).is_some()
    }

    fn profile(&self) -> Profile {
        let arity = self.map.shape().arity;
        Profile {
            items: Some(Estimate::exactly(self.map.items())),
            fpr_now: self.map.fpr(),
            fill: self.map.items() as f64 / self.map.cells().max(1) as f64,
            ..self.about.profile(Kind::Bloomier, self.map.bits(), arity)
        }
    }

    fn rows(&self) -> Vec<Row<'_>> {
        self.map.rows()
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        self.map.touches(key)
    }
}

impl Lookup for Bloomier {
    fn get_hash(&self, key: KeyHash) -> Option<u64> {
        self.map.get(key)
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
    /// The map of these keys to 0; [`Bloomier::build_pairs`] takes values.
    fn build(
        keys: &mut dyn Source,
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
        let shape = self.map.shape();
        sheet.field("value.bits", u64::from(shape.value_bits));
        sheet.field("check.bits", u64::from(shape.check_bits));
        sheet.field("arity", u64::from(shape.arity));
        sheet.field("mutable", u64::from(shape.mutable));
        sheet.field("items", self.map.items());
        sheet.field("shards", self.map.table().len() as u64);
        sheet.words("shards", self.map.table());
        sheet.words("checks", self.map.words());
        sheet.words("values", self.map.value_words().unwrap_or(&[]));
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Bloomier, LoadError> {
        let shape = MapShape {
            value_bits: parts.small("value.bits", MapShape::VALUE_BITS)?,
            check_bits: parts.small("check.bits", MapShape::CHECK_BITS)?,
            arity: parts.small("arity", 3..=4)?,
            mutable: parts.small("mutable", 0..=1)? == 1,
        };
        let items = parts.number("items", 0..=Target::MAX_ITEMS)?;
        let (table, checks) = (parts.table("shards")?, parts.words("checks")?);
        // An empty section stands for a table that the shape does not have.
        let values = Some(parts.words("values")?).filter(|_| shape.has_value_table());
        let map = Map::from_parts(table.as_slice(), checks, values, items, shape)
            .ok_or(LoadError::Section { name: "checks" })?;
        Ok(Bloomier { map, about })
    }
}

super::methods_by_key!(Bloomier, about);
