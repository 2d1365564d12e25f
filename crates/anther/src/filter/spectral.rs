//! The spectral Bloom filter: how often a key was inserted (Cohen and Matias 2003).
//!
//! **For**: counting repeated keys in little memory: page hits, words of a text, keys worth
//! caching.
//! **Not for** sets without counts ([`Classic`] takes an eighth of the space), nor for sets whose
//! keys are merely removed again ([`Counting`] has counters of half the width). A count ends at the
//! counter's largest value, 255 with the default of eight bits, and means "at least" from there.
//!
//! A key's count is the smallest of its counters. It is too high where all of them are shared with
//! other keys. The share of such keys is [`sizing::bloom::rate`](crate::sizing::bloom::rate), the
//! false-positive rate of [`Classic`]. The [`Method`] says which counters an insert increments:
//!
//! | method | wrong counts | their sum | removes | merges | counters |
//! |---|---|---|---|---|---|
//! | minimum | 3.2 % | 1 | yes | yes | 1 |
//! | increase | 1.5 % | 1/7 | – | – | 1 |
//! | recurring | 1.9 % | 1/3 | yes | – | 1½ |
//!
//! The figures are for five probes, 0.7 of them per counter, as in a filter at its capacity, and
//! keys that are inserted ten times each.
//!
//! - *minimum* increments all counters of a key. It supports every operation and is the default.
//! - *increase* increments only the lowest, since the others are already too high. Its counts are
//!   never above those of minimum. Which counters it incremented depends on the order of the keys,
//!   so no key can be removed.
//! - *recurring* increments all, and keeps a second filter of half as many counters for keys whose
//!   lowest counter is the only one that low: those are likely wrong. **Its counts can be too
//!   low**: a key that is not in the second filter may look as if it were, once other keys have
//!   incremented its counters there. With inserts only, that happened to 1 in 10,000 keys, in a
//!   filter half as full again as it should be. With inserts and removals it happened to none of
//!   38,000, and to 7 in 1000 in a filter that held half as many keys again as its capacity.
//!   Lookups use the first filter alone, so there is no false negative.
//!
//! As the paper is quoted, the second filter counts an insert only while the key's lowest counter
//! is single, and 1 % of the counts end too low. Here it counts every insert of a key that is in
//! it, and its answer is used only where it is the lower one.
//!
//! [`Classic`]: crate::Classic
//! [`Counting`]: crate::Counting

use super::cells;
use crate::error::{Full, LoadError, Mismatch, RemoveError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::{Kind, Method};
use crate::options::{self, Options};
use crate::parts::counters::Counters;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::probes::Spread;
use crate::parts::view::{self, Row, Touch, View};
use crate::parts::words::Words;
use crate::profile::{About, Profile};
use crate::sizing::{bloom, estimate};
use crate::target::{Plan, Target};
use crate::traits::{Count, Filter, ForTarget, Insert, Inspect, Merge, Planned, Remove};

/// The spectral Bloom filter.
///
/// ```
/// use anther::{Method, Options, Seed, Spectral, Target};
///
/// let text = "the cat and the dog and the bird";
/// let mut words = Spectral::new(Target::new(1000, 0.01)?)?;
/// words.extend(text.split(' '));
/// assert_eq!((words.count("the"), words.count("and"), words.count("fish")), (3, 2, 0));
/// assert!(words.remove("the")?);
/// assert_eq!(words.count("the"), 2);
///
/// // Fewer errors, where keys are never removed: in filters that are twice too full, to see some.
/// let wrong = |method| -> Result<usize, anther::SizeError> {
///     let options = Options::new().method(method);
///     let target = Target::new(1000, 0.05)?;
///     let mut seen = Spectral::with_options(target, &options, Seed::FIXED)?;
///     (0..3).for_each(|_| seen.extend(0..2000));
///     Ok((0..2000).filter(|key| seen.count(*key) != 3).count())
/// };
/// assert!(2 * wrong(Method::Increase)? < wrong(Method::Minimum)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Spectral {
    method: Method,
    first: Layer,
    /// Only for [`Method::Recurring`].
    second: Option<Layer>,
    about: About,
}

/// Counters, and the probes that map keys to them.
#[derive(Clone, Debug, PartialEq)]
struct Layer {
    probes: Spread,
    counters: Counters,
}

impl Layer {
    fn zeroed(probes: Spread, width: u32) -> Result<Layer, SizeError> {
        Ok(Layer { probes, counters: Counters::zeroed(probes.cells(), width)? })
    }

    fn from_words(words: Words, probes: Spread, width: u32) -> Option<Layer> {
        let counters = Counters::from_words(words, probes.cells(), width)?;
        Some(Layer { probes, counters })
    }

    /// The key's cells, each once: a minimum that two probes of the key find in one cell does not
    /// recur, and a cell incremented once per insert can be decremented once per removal.
    fn cells<'a>(&self, key: KeyHash, buffer: &'a mut [u64; 64]) -> &'a [u64] {
        let mut count = 0;
        self.probes.each(key, |cell| {
            if !buffer[..count].contains(&cell) {
                buffer[count] = cell;
                count += 1;
            }
        });
        &buffer[..count]
    }

    fn least(&self, cells: &[u64]) -> u64 {
        cells.iter().map(|cell| self.counters.get(*cell)).min().unwrap_or(0)
    }

    fn increment(&mut self, cells: &[u64], by: u64) {
        for cell in cells {
            self.counters.raise(*cell, by);
        }
    }

    /// Increments those counters that are at this minimum.
    fn increment_lowest(&mut self, cells: &[u64], least: u64) {
        for cell in cells {
            if self.counters.get(*cell) == least {
                self.counters.raise(*cell, 1);
            }
        }
    }

    fn decrement(&mut self, cells: &[u64]) {
        cells.iter().for_each(|cell| self.counters.lower(*cell, 1));
    }

    /// Whether exactly one of the counters is this low.
    fn has_single_minimum(&self, cells: &[u64], least: u64) -> bool {
        cells.iter().filter(|cell| self.counters.get(**cell) == least).count() == 1
    }
}

impl Spectral {
    /// Eight bits count to 255.
    pub const DEFAULT_COUNTER_BITS: u32 = 8;
    /// The one method that supports every operation of the kind.
    pub const DEFAULT_METHOD: Method = Method::Minimum;
    const MIN_COUNTER_BITS: u32 = 2;
    const MAX_COUNTER_BITS: u32 = 32;

    /// Makes an empty filter of `cells` counters of `counter_bits` bits, with `probes` probes per
    /// key. The method `recurring` takes half as many counters more.
    pub fn with_cells(
        cells: u64,
        probes: u32,
        counter_bits: u32,
        method: Method,
        seed: Seed,
    ) -> Result<Spectral, SizeError> {
        Spectral::sized(cells, probes, counter_bits, method, About::new(seed, None))
    }

    fn sized(
        cells: u64,
        probes: u32,
        counter_bits: u32,
        method: Method,
        about: About,
    ) -> Result<Spectral, SizeError> {
        let width = check_width(counter_bits)?;
        cells::spread(Kind::Spectral, all_cells(cells, method), probes, width)?;
        let probes = cells::spread(Kind::Spectral, cells, probes, width)?;
        let second = match method {
            Method::Recurring => Some(Layer::zeroed(half(probes), width)?),
            Method::Minimum | Method::Increase => None,
        };
        Ok(Spectral { method, first: Layer::zeroed(probes, width)?, second, about })
    }

    /// How the filter increments its counters.
    pub fn method(&self) -> Method {
        self.method
    }
}

/// The second filter's probes come from another hash of the key. With the same one its cells would
/// be those of the first, halved, and two keys that share cells there would share them here.
fn second_hash(key: KeyHash) -> KeyHash {
    key.again(0)
}

/// The probes of the second filter.
fn half(probes: Spread) -> Spread {
    Spread::new((probes.cells() / 2).max(1), probes.probes())
}

/// The number of cells of both filters.
fn all_cells(cells: u64, method: Method) -> u64 {
    match method {
        Method::Recurring => cells.saturating_add((cells / 2).max(1)),
        Method::Minimum | Method::Increase => cells,
    }
}

fn check_width(counter_bits: u32) -> Result<u32, SizeError> {
    let (least, most) = (Spectral::MIN_COUNTER_BITS, Spectral::MAX_COUNTER_BITS);
    options::within(Kind::Spectral, "counter-bits", counter_bits, least, most)
}

impl Filter for Spectral {
    fn about(&self) -> &About {
        &self.about
    }

    /// A count above 0: the first filter alone decides, with every method.
    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.first.probes.all(key, |cell| self.first.counters.get(cell) > 0)
    }

    super::asks_each_beyond_caches!(|filter, keys, found| filter.first.counters.cells().words(), {
        let first = &filter.first;
        cells::contains_above_zero(first.counters.cells(), first.probes, keys, found);
    });

    fn profile(&self) -> Profile {
        let (cells, probes) = (self.first.probes.cells(), self.first.probes.probes());
        let width = self.first.counters.cells().width();
        let census = self.first.counters.census();
        let second = self.second.as_ref().map_or(0, |second| second.counters.census().stuck);
        let fill = census.occupied as f64 / cells as f64;
        let bits = all_cells(cells, self.method) * u64::from(width);
        Profile {
            items: Some(estimate::classic(cells, probes, census.occupied)),
            fpr_now: fill.powi(probes.cast_signed()),
            fill,
            stuck: census.stuck + second,
            ..self.about.profile(Kind::Spectral, bits, probes)
        }
    }
}

impl Insert for Spectral {
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        self.about.count(1);
        let mut buffer = [0; 64];
        let cells = self.first.cells(key, &mut buffer);
        let before = self.first.least(cells);
        if self.method == Method::Increase {
            self.first.increment_lowest(cells, before);
        } else {
            self.first.increment(cells, 1);
        }
        if let Some(second) = &mut self.second {
            let least = self.first.least(cells);
            let alone = self.first.has_single_minimum(cells, least);
            let cells = second.cells(second_hash(key), &mut buffer);
            // A key in the second filter is counted there even while its minimum recurs. The
            // paper's rule skips it then, and its count falls behind.
            if second.least(cells) > 0 {
                second.increment(cells, 1);
            } else if alone {
                second.increment(cells, least);
            }
        }
        Ok(before == 0)
    }
}

impl Inspect for Spectral {
    fn rows(&self) -> Vec<Row<'_>> {
        let second = self.second.as_ref().map(|second| ("secondary", second));
        let layers = [("counters", &self.first)].into_iter().chain(second);
        layers.map(|(name, layer)| Row::new(name, View::packed(layer.counters.cells()))).collect()
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let mut touches = view::spread(0, self.first.probes, key);
        if let Some(second) = &self.second {
            touches.extend(view::spread(1, second.probes, second_hash(key)));
        }
        touches
    }
}

impl Remove for Spectral {
    fn remove_hash(&mut self, key: KeyHash) -> Result<bool, RemoveError> {
        let mut buffer = [0; 64];
        let cells = self.first.cells(key, &mut buffer);
        let least = self.first.least(cells);
        if least == 0 {
            return Ok(false);
        }
        if self.method == Method::Increase {
            return Err(RemoveError::Unrecorded { kind: Kind::Spectral });
        }
        let most = self.first.counters.max();
        if least == most {
            return Err(RemoveError::Stuck { kind: Kind::Spectral, most });
        }
        self.first.decrement(cells);
        if let Some(second) = &mut self.second {
            let cells = second.cells(second_hash(key), &mut buffer);
            if second.least(cells) > 0 {
                second.decrement(cells);
            }
        }
        Ok(true)
    }
}

impl Count for Spectral {
    fn count_hash(&self, key: KeyHash) -> u64 {
        let mut buffer = [0; 64];
        let cells = self.first.cells(key, &mut buffer);
        let least = self.first.least(cells);
        let Some(second) = &self.second else { return least };
        if !self.first.has_single_minimum(cells, least) {
            return least;
        }
        match second.least(second.cells(second_hash(key), &mut buffer)) {
            0 => least,
            other => least.min(other),
        }
    }
}

impl Merge for Spectral {
    /// By addition, with the method `minimum` only: what the others increment depends on the order
    /// of the keys.
    fn merge(&mut self, other: &Spectral) -> Result<(), Mismatch> {
        self.about.check_alike(&other.about)?;
        if self.method != other.method {
            return Err(Mismatch::Option { name: "method" });
        }
        if self.method != Method::Minimum {
            return Err(Mismatch::Method { method: self.method });
        }
        cells::check_same(self.first.probes, other.first.probes)?;
        let width = |filter: &Spectral| filter.first.counters.cells().width();
        if width(self) != width(other) {
            return Err(Mismatch::Option { name: "counter-bits" });
        }
        self.first.counters.try_own()?;
        self.first.counters.add(&other.first.counters);
        self.about.take_in(&other.about);
        Ok(())
    }
}

/// The options, and the size for the target with them.
fn planned(target: Target, options: &Options) -> Result<(u32, Method, bloom::Size), SizeError> {
    let width = check_width(options.counter_bits.unwrap_or(Spectral::DEFAULT_COUNTER_BITS))?;
    let method = options.method.unwrap_or(Spectral::DEFAULT_METHOD);
    let size = cells::size(Kind::Spectral, target, width)?;
    cells::spread(Kind::Spectral, all_cells(size.bits, method), size.probes, width)?;
    Ok((width, method, size))
}

impl Planned for Spectral {
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        let (width, method, size) = planned(target, options)?;
        let fpr = bloom::rate(size.bits, target.items(), size.probes);
        Ok(Plan::new(all_cells(size.bits, method) * u64::from(width), size.probes, fpr))
    }
}

impl ForTarget for Spectral {
    fn with_options(target: Target, options: &Options, seed: Seed) -> Result<Spectral, SizeError> {
        let (width, method, size) = planned(target, options)?;
        Spectral::sized(size.bits, size.probes, width, method, About::new(seed, Some(target)))
    }
}

impl Stored for Spectral {
    const KIND: Kind = Kind::Spectral;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("method", self.method as u64);
        cells::describe(self.first.probes, sheet);
        sheet.field("counter.bits", u64::from(self.first.counters.cells().width()));
        sheet.words("counters", self.first.counters.cells().words());
        let second = self.second.as_ref().map_or(&[][..], |second| second.counters.cells().words());
        sheet.words("secondary", second);
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Spectral, LoadError> {
        let method = Method::ALL[parts.small("method", 0..=2)? as usize];
        let widths = Spectral::MIN_COUNTER_BITS..=Spectral::MAX_COUNTER_BITS;
        let width = parts.small("counter.bits", widths)?;
        let probes = cells::restore(parts, width)?;
        let first = Layer::from_words(parts.words("counters")?, probes, width)
            .ok_or(LoadError::Section { name: "counters" })?;
        let words = parts.words("secondary")?;
        let second = match method {
            Method::Recurring => Layer::from_words(words, half(probes), width).map(Some),
            Method::Minimum | Method::Increase => words.as_slice().is_empty().then_some(None),
        };
        let second = second.ok_or(LoadError::Section { name: "secondary" })?;
        Ok(Spectral { method, first, second, about })
    }
}

super::methods_by_key!(Spectral, about);
super::inserts_by_key!(Spectral);
super::removes!(Spectral);
super::counts!(Spectral);
super::merges!(Spectral);

#[cfg(test)]
mod tests;
