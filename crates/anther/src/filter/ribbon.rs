//! The ribbon filter: a system of linear equations over bits, solved for all keys at once
//! (Dillinger and Walzer 2021), with bumping so that hardly any slot is wasted (Dillinger,
//! Hübschle-Schneider, Sanders and Walzer 2022).
//!
//! **For**: the smallest filter there is, at any false-positive rate: 0.4 to 2.1 % above the lower
//! bound n·log2(1/ε) from ten thousand keys on, where [`Classic`](crate::Classic) takes 44 %: 6.75
//! bits per key at 1 % instead of 9.59. **Not for** sets that change: no key can be inserted after
//! building. Nor where query time matters most: for a present key a query reads a bit of every
//! column, two to six cache lines, and takes twice as long as in classic; for an absent key 1.7
//! times. [`Fuse`](crate::Fuse) takes two thirds of that, and an eighth more space, or a sixth at
//! rates between powers of two, such as 1 %.
//!
//! Building takes five times as long as inserting into classic, and 11 bytes per key, the least of
//! the static kinds. Where keys are removed again, [`Cuckoo`](crate::Cuckoo) and
//! [`Quotient`](crate::Quotient) take half as much again.
//!
//! The false-positive rate is a mixture of two powers of two, so that the target is met exactly
//! ([`sizing::ribbon::columns`](crate::sizing::ribbon::columns)). `filter/ribbon/build.rs`
//! describes the construction.

use super::solve::band::{self, Columns, Equation};
use super::{cells, solve};
use crate::batch::Hashes;
use crate::batch::source::{KeySource, Work};
use crate::batch::steps;
use crate::error::{BuildError, LoadError, OutOfMemory, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::Options;
use crate::parts::hash::{Key, KeyHash, Seed};
use crate::parts::probes::scale;
use crate::parts::words::{Words, prefetch};
use crate::profile::{About, Profile};
use crate::sizing::bound;
use crate::sizing::estimate::Estimate;
use crate::sizing::ribbon::{self as sizing, BUCKET, THRESHOLDS};
use crate::target::{Plan, Target};
use crate::traits::{Build, Filter, Planned};
use directory::{Directory, Shard};
use std::ops::ControlFlow;

pub(crate) use build::Width;

mod build;
mod directory;
mod inspect;
pub(super) mod sparse;

/// The ribbon filter.
///
/// ```
/// use anther::Ribbon;
///
/// let words = Ribbon::build((0..100_000u32).map(|i| format!("word {i}")), 0.001)?;
/// assert!((0..100_000).all(|i| words.contains(format!("word {i}"))));
/// let wrong = (100_000..300_000).filter(|i| words.contains(format!("word {i}"))).count();
/// assert!(wrong < 300, "0.1 % of 200,000, and chance");
/// assert!(words.profile().overhead() < Some(0.01), "1 % above the lower bound");
/// # Ok::<(), anther::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ribbon {
    directory: Directory,
    /// The directory, the thresholds, the blocks.
    words: Words,
    /// The number of distinct hashes it was built from.
    items: u64,
    about: About,
}

/// Where a key's equation is in a layer.
#[derive(Clone, Copy, Default)]
struct LayerRow {
    /// The key's hash in this layer.
    key: KeyHash,
    shard: Shard,
    start: u64,
    /// How many layers there are up to this one.
    layers: usize,
}

/// Words per cache line.
const LINE: usize = 8;

/// Draws of the hash, beyond those for the next layer.
const COEFFICIENTS: u64 = 1 << 10;
const VALUE: u64 = COEFFICIENTS + 1;

impl Ribbon {
    /// Builds the filter of these keys, at this false-positive rate, with the fixed seed: the same
    /// keys make the same file on every machine, in any order. Holds all hashes in memory, 8 bytes
    /// each; [`Build`] takes sets that are too large for that.
    pub fn build<K: Key>(
        keys: impl IntoIterator<Item = K>,
        fpr: f64,
    ) -> Result<Ribbon, BuildError> {
        solve::build_from_keys(keys, fpr)
    }

    /// A ribbon from its stored parts. `None` when they are inconsistent.
    fn from_words(
        columns: u32,
        shards: u64,
        words: Words,
        items: u64,
        about: About,
    ) -> Result<Option<Ribbon>, OutOfMemory> {
        let directory = Directory::read(columns, shards, words.as_slice())?;
        Ok(directory.map(|directory| Ribbon { directory, words, items, about }))
    }

    #[inline]
    fn words(&self) -> &[u64] {
        self.words.as_slice()
    }

    /// The row of a key in the next layer after this one's, or in the first after
    /// [the default](LayerRow::default).
    #[inline]
    fn next_layer(&self, row: LayerRow) -> Option<LayerRow> {
        let layer = self.directory.layers.get(row.layers)?;
        let key = if layer.draw > 0 { row.key.again(layer.draw) } else { row.key };
        let shard = self.directory.shard(self.words(), Directory::number(layer, key));
        let start = start(key, layer.shards, shard.starts);
        Some(LayerRow { key, shard, start, layers: row.layers + 1 })
    }

    /// Whether a key's equation holds; `None` if the key was bumped to the next layer.
    #[inline]
    fn holds(&self, row: LayerRow) -> Option<bool> {
        let LayerRow { key, shard, start, .. } = row;
        if shard.starts == 0 {
            return None;
        }
        let words = self.words();
        let level = self.directory.level(words, shard.buckets + index(start / BUCKET));
        (start % BUCKET >= THRESHOLDS[level]).then(|| {
            band::holds(&words[shard.words..], self.columns_of(shard), equation(key, start))
        })
    }

    #[inline]
    fn columns_of(&self, shard: Shard) -> Columns {
        Columns { few: self.directory.few, split: shard.split }
    }

    /// Prefetches what [`holds`](Ribbon::holds) reads.
    #[inline]
    fn fetch(&self, row: LayerRow) {
        let LayerRow { shard, start, .. } = row;
        let words = self.words().as_ptr();
        let bucket = shard.buckets + index(start / BUCKET);
        prefetch(words.wrapping_add(self.directory.threshold_word(bucket)));
        let reach = band::reach(self.columns_of(shard), index(start));
        let words = words.wrapping_add(shard.words);
        // A block may have no columns; then nothing is read.
        for word in reach.clone().step_by(LINE).chain(reach.last()) {
            prefetch(words.wrapping_add(word));
        }
    }

    /// Whether each of the keys may be present.
    fn look_up(&self, keys: impl Hashes, found: &mut [bool]) {
        let next = |row| {
            let next = self.next_layer(row);
            if let Some(row) = next {
                self.fetch(row);
            }
            next
        };
        steps::contains_in_steps(
            found,
            keys.map(|key| next(LayerRow { key, ..LayerRow::default() })),
            |row| match row.map(|row| self.holds(row)) {
                None => ControlFlow::Break(false),
                Some(Some(answer)) => ControlFlow::Break(answer),
                Some(None) => ControlFlow::Continue(row.and_then(next)),
            },
        );
    }

    /// The number of distinct hashes it was built from.
    pub(crate) fn items(&self) -> u64 {
        self.items
    }

    /// The fewest columns of a block.
    pub(crate) fn columns(&self) -> u32 {
        self.directory.few
    }

    /// Total bits: directory, thresholds and blocks.
    pub(crate) fn bits(&self) -> u64 {
        self.words().len() as u64 * 64
    }
}

/// Whether a target can be met.
fn check(target: Target) -> Result<(), SizeError> {
    let (items, fpr) = (target.items(), target.fpr());
    let floor = bound::hash_floor(items);
    // With 60 columns, more would be hidden by the hash's floor.
    if fpr <= floor || sizing::columns(sizing::rate_of_columns(items, fpr)).0 >= sizing::MAX_FEW {
        let least = floor.max(2f64.powi(-sizing::MAX_FEW.cast_signed()));
        return Err(SizeError::Fpr { kind: Kind::Ribbon, got: fpr, least });
    }
    cells::check_bits(Kind::Ribbon, sizing::bits(items, fpr), 1)
}

impl Filter for Ribbon {
    fn about(&self) -> &About {
        &self.about
    }

    /// In each layer the key has a shard, and in it the slot where its equation starts. If the
    /// start is below its bucket's threshold, the key was bumped to the next layer; otherwise the
    /// equation holds, or the key is absent.
    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        let mut row = LayerRow { key, ..LayerRow::default() };
        while let Some(next) = self.next_layer(row) {
            if let Some(answer) = self.holds(next) {
                return answer;
            }
            row = next;
        }
        false
    }

    super::asks_each_beyond_caches!(
        |filter, keys, found| filter.words(),
        filter.look_up(keys, found)
    );

    fn profile(&self) -> Profile {
        let rate = || self.fpr() + bound::hash_floor(self.items);
        Profile {
            items: Some(Estimate::exactly(self.items)),
            target: self.about.target_of(self.items),
            fpr_now: if self.items == 0 { 0.0 } else { rate() },
            // Every slot of a ribbon is used, except for one in a thousand.
            fill: if self.items == 0 { 0.0 } else { 1.0 },
            ..self.about.profile(Kind::Ribbon, self.bits(), self.directory.few + 1)
        }
    }
}

impl Planned for Ribbon {
    fn plan(target: Target, _: &Options) -> Result<Plan, SizeError> {
        check(target)?;
        let (items, fpr) = (target.items(), target.fpr());
        let (columns, _) = sizing::columns(sizing::rate_of_columns(items, fpr));
        Ok(Plan::new(sizing::bits(items, fpr), columns + 1, fpr))
    }
}

impl Build for Ribbon {
    fn build(
        keys: &mut dyn KeySource,
        target: Target,
        options: &Options,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<Ribbon, BuildError> {
        options.check(Kind::Ribbon)?;
        check(target)?;
        let about = About::new(seed, Some(target));
        let width = Width::of_rate(target.items(), target.fpr());
        Ribbon::solve(keys, target.items(), width, about, work)
    }
}

impl Stored for Ribbon {
    const KIND: Kind = Kind::Ribbon;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("columns", u64::from(self.directory.few));
        sheet.field("shards", self.directory.len as u64);
        sheet.field("items", self.items);
        sheet.words("ribbon", self.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Ribbon, LoadError> {
        let (columns, shards, items) = fields(parts)?;
        let words = parts.words("ribbon")?;
        Ribbon::from_words(columns, shards, words, items, about)?
            .ok_or(LoadError::Section { name: "ribbon" })
    }
}

/// The fewest columns of a block, the number of shards and that of items, from the fields of a file.
fn fields(parts: &mut Parts) -> Result<(u32, u64, u64), LoadError> {
    let columns = parts.small("columns", 0..=sizing::MAX_FEW)?;
    let shards = parts.number("shards", 0..=u64::MAX)?;
    Ok((columns, shards, parts.number("items", 0..=Target::MAX_ITEMS)?))
}

fn no_room(words: usize) -> OutOfMemory {
    OutOfMemory { bytes: (words as u64).saturating_mul(8) }
}

/// The shard took the product's bits above 64; the start comes from the rest. Both rise with the
/// hash, so keys sorted by hash are sorted by start.
#[inline]
fn start(key: KeyHash, shards: u64, starts: u64) -> u64 {
    scale(key.0.wrapping_mul(shards), starts)
}

#[inline]
fn equation(key: KeyHash, start: u64) -> Equation {
    let coefficients = key.again(COEFFICIENTS).0 | 1;
    Equation { start: index(start), coefficients, value: key.again(VALUE).0 }
}

/// An index into something in memory.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "what is in memory has a usize index")]
fn index(x: u64) -> usize {
    x as usize
}

super::methods_by_key!(Ribbon, about);

#[cfg(test)]
mod tests;
