//! The scalable Bloom filter: when one filter is full, the next, larger one is added (Almeida,
//! Baquero, Preguiça and Hutchison 2007).
//!
//! **For**: sets whose size is not known in advance. The false-positive rate holds for any number
//! of keys. The first layer is made for the target's items, and each further one for twice as many.
//! **Not for** sets of known size: a key takes 1.5 to 1.8 times the bits of a single filter, and
//! twice that while the newest layer is nearly empty; a query for an absent key searches all
//! layers; and two scalable filters cannot be merged.
//!
//! The rates are those of [`sizing::scalable::Series`](crate::sizing::scalable::Series): each
//! layer's is below the one before, so that the sum stays below the target's. Each layer is sized
//! by the exact formula of its kind, not by the paper's slices, which waste bits by rounding the
//! number of probes: 20.1 bits per key over `classic` instead of 21.0, for 200,000 keys that begin
//! with 1000 at 1 %, each layer with 0.8 times the rate.
//!
//! Layers are [`Blocked`](crate::Blocked), [`Classic`](crate::Classic) (for rates below 10⁻⁵, or by
//! option) or [`Counting`](crate::Counting), which supports removal: see [`Scalable::remove`].

mod layer;
#[cfg(test)]
mod tests;
mod unite;

use crate::batch::Hashes;
use crate::error::{Full, LoadError, OutOfMemory, RemoveError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::hash::{Key, KeyHash, Seed};
use crate::parts::view::{Row, Touch};
use crate::profile::{About, Profile};
use crate::sizing::first;
use crate::sizing::scalable::{self as sizing, Series};
use crate::target::{Plan, Target};
use crate::traits::{Filter, ForTarget, Insert, Inspect, Planned, Remove};
use layer::{Layer, Over};

/// The scalable Bloom filter.
///
/// ```
/// use anther::{Scalable, Target};
///
/// let mut seen = Scalable::new(Target::new(1000, 0.01)?)?;
/// for key in 0..100_000u32 {
///     seen.insert(key)?;
/// }
/// assert_eq!(seen.profile().layers, 7);
/// assert!((0..100_000u32).all(|key| seen.contains(key)));
/// let mistaken = (100_000..200_000u32).filter(|key| seen.contains(key)).count();
/// assert!(mistaken < 1000, "still at most 1 %, with a hundred times the keys");
/// assert!(!seen.profile().is_overfull());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scalable {
    series: Series,
    over: Over,
    /// The oldest first. No new keys are inserted into them.
    older: Vec<Layer>,
    newest: Layer,
    gauge: Gauge,
    about: About,
}

/// How full the newest layer is. Counted at the first insert, since a filter that is only queried,
/// such as a mapped one, should not be read from end to end.
#[derive(Clone, Copy, Debug, Default)]
struct Gauge(Option<Level>);

/// It follows from the cells, so equality ignores it.
impl PartialEq for Gauge {
    fn eq(&self, _: &Gauge) -> bool {
        true
    }
}

#[derive(Clone, Copy, Debug)]
struct Level {
    /// The layer's capacity.
    capacity: u64,
    /// Cells that are not 0.
    occupied: u64,
    /// With this many there are certainly more keys than the capacity: six deviations.
    too_many: u64,
}

impl Level {
    fn new(layer: &Layer, capacity: u64, occupied: u64) -> Level {
        let surely_more = |cells| {
            let estimate = layer.estimate(cells);
            estimate.saturated || estimate.items - 6.0 * estimate.deviation > capacity as f64
        };
        // Counters are fewer than their bits; all of them occupied is saturated, and so is more.
        let too_many = first(0, layer.bits(), surely_more).unwrap_or(u64::MAX);
        Level { capacity, occupied, too_many }
    }
}

impl Scalable {
    /// Each layer holds twice as many keys: after 2ⁿ times the first keys a query searches n
    /// layers. With 4 it searches half as many, and up to three quarters of the bits are empty
    /// instead of half.
    pub const DEFAULT_GROWTH: u32 = 2;
    /// The best value depends on how far a filter grows; this one is right for a hundredfold.
    /// Bits per key over `blocked` at 1 % when 1, 4, 7 and 10 layers of 1000, 2000, … are full:
    /// with 0.8 13.8, 15.1, 16.7, 18.5; with 0.85 14.8, 15.5, 16.7, 18.0; with 0.9 15.9, 16.2,
    /// 17.0, 17.8. One filter of that size takes 9.9.
    pub const DEFAULT_TIGHTENING: f64 = 0.85;
    /// With 1, sixteen layers have the same size before it doubles; see
    /// [`Series::capacity`](crate::sizing::scalable::Series::capacity).
    const GROWTHS: (u32, u32) = (1, 32_768);
    const TIGHTENINGS: (f64, f64) = (0.1, 0.95);
    /// Layers that double reach [`Target::MAX_ITEMS`] earlier. With growth 1, this many hold a
    /// million times the first one's keys, and their fields still fit in a file's header.
    const MAX_LAYERS: u32 = 256;

    /// Inserts a key; returns true when it definitely was absent. A key that finds the newest layer
    /// full adds a new one. When that runs out of memory, the key is not inserted and nothing
    /// changes.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](Seed::can_hash).
    pub fn insert(&mut self, key: impl Key) -> Result<bool, Full> {
        self.insert_hash(key.key_hash(&self.about.seed))
    }

    /// How a filter for this target grows with these options, and the kind of its layers.
    fn chosen(target: Target, options: &Options) -> Result<(Series, Over), SizeError> {
        let growth = options.growth.unwrap_or(Scalable::DEFAULT_GROWTH);
        let tightening = options.tightening.unwrap_or(Scalable::DEFAULT_TIGHTENING);
        let (least, most) = Scalable::GROWTHS;
        let growth = options::within(Kind::Scalable, "growth", growth, least, most)?;
        let (least, most) = Scalable::TIGHTENINGS;
        let tightening = options::within(Kind::Scalable, "tightening", tightening, least, most)?;
        let (items, fpr) = (target.items(), target.fpr());
        let over = Over::chosen(options, fpr)?;
        let series = Series { items, fpr, growth, tightening };
        if series.rate(0) < over.lowest(items) {
            let least = over.lowest(items) / (1.0 - tightening);
            return Err(SizeError::Fpr { kind: Kind::Scalable, got: fpr, least });
        }
        Ok((series, over))
    }

    /// Adds a layer.
    fn grow(&mut self) -> Result<(), SizeError> {
        let number = self.layers();
        let target = layer_target(self.series, self.over, number)?;
        let layer = Layer::empty(self.over, target, self.about.seed)?;
        let bytes = size_of::<Layer>() as u64;
        self.older.try_reserve(1).map_err(|_| OutOfMemory { bytes })?;
        self.gauge = Gauge(Some(Level::new(&layer, target.items(), 0)));
        self.older.push(std::mem::replace(&mut self.newest, layer));
        Ok(())
    }

    fn level(&mut self) -> &mut Level {
        let number = self.layers() - 1;
        self.gauge.0.get_or_insert_with(|| {
            let capacity = self.series.capacity(number).unwrap_or(Target::MAX_ITEMS);
            Level::new(&self.newest, capacity, self.newest.occupied())
        })
    }

    /// Whether each of the keys may be present: many at once in each layer, the newest first, and
    /// in the next one those that are left.
    fn look_up(&self, mut keys: impl Hashes, found: &mut [bool]) {
        const BLOCK: usize = 512;
        let (mut hashes, mut answers) = ([KeyHash(0); BLOCK], [false; BLOCK]);
        let mut numbers = [0; BLOCK];
        for found in found.chunks_mut(BLOCK) {
            let mut left = found.len();
            let slots = hashes[..left].iter_mut().zip(&mut numbers).enumerate();
            for ((at, (hash, number)), key) in slots.zip(&mut keys) {
                (*hash, *number) = (key, at);
            }
            for layer in [&self.newest].into_iter().chain(self.older.iter().rev()) {
                layer.contains_hashes(&hashes[..left], &mut answers[..left]);
                let mut kept = 0;
                for at in 0..left {
                    found[numbers[at]] = answers[at];
                    (hashes[kept], numbers[kept]) = (hashes[at], numbers[at]);
                    kept += usize::from(!answers[at]);
                }
                left = kept;
            }
        }
    }

    /// Number of layers.
    #[expect(clippy::cast_possible_truncation, reason = "at most MAX_LAYERS")]
    pub fn layers(&self) -> u32 {
        self.older.len() as u32 + 1
    }

    /// The number of keys that its layers are made for. Inserting more adds a layer.
    pub fn capacity(&self) -> u64 {
        let capacity = |layer| self.series.capacity(layer).unwrap_or(Target::MAX_ITEMS);
        (0..self.layers()).map(capacity).fold(0, u64::saturating_add)
    }

    /// Bits of all layers. [`Profile::bits`] says the same, but reads all cells.
    pub fn bits(&self) -> u64 {
        self.older.iter().chain([&self.newest]).map(Layer::bits).sum()
    }

    /// Bits of the layer that the next new key adds: 0 while the newest has room. For callers that
    /// limit memory.
    ///
    /// ```
    /// use anther::{Scalable, Target};
    ///
    /// let mut seen = Scalable::new(Target::new(100, 0.01)?)?;
    /// (0..100u32).try_for_each(|key| seen.insert(key).map(drop))?;
    /// let (before, next) = (seen.bits(), seen.next_layer_bits()?);
    /// seen.insert("one more")?;
    /// assert_eq!(seen.bits(), before + next);
    /// assert_eq!(seen.next_layer_bits()?, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn next_layer_bits(&mut self) -> Result<u64, SizeError> {
        if !self.is_full() {
            return Ok(0);
        }
        let target = layer_target(self.series, self.over, self.layers())?;
        Ok(self.over.plan(target).map_err(for_whole_filter)?.bits)
    }

    /// How often a key was inserted, by its hash, as [`Counting`](crate::Counting) counts; `None` if
    /// the layers have no counters.
    pub fn count_hash(&self, key: KeyHash) -> Option<u64> {
        let layers = self.older.iter().chain([&self.newest]);
        let mut holding = layers.filter(|layer| layer.contains(key));
        match self.over {
            Over::Counting { .. } => holding.next().map_or(Some(0), |layer| layer.count(key)),
            Over::Classic | Over::Blocked => None,
        }
    }

    /// Whether the next new key adds a layer. The number of keys decides; where it is wrong, as in a
    /// forged file, the cells do.
    fn is_full(&mut self) -> bool {
        let held = self.newest.held();
        let level = self.level();
        held >= level.capacity || level.occupied >= level.too_many
    }

    /// The oldest layer that reports the key, which is the one that holds it if any does.
    ///
    /// A key is inserted into the newest layer when no layer reports it, and in older layers no
    /// cell leaves 0 any more: their counters are incremented only for keys that they already
    /// report. So layers older than the key's own never report it, while newer ones may by mistake.
    fn holder(&mut self, key: KeyHash) -> Option<&mut Layer> {
        self.older.iter_mut().chain([&mut self.newest]).find(|layer| layer.contains(key))
    }
}

/// The target of a layer. Where its rate falls below the lowest that the kind reaches, it stays
/// there: the filter keeps growing, and [`Profile::is_overfull`] reports when all layers together
/// exceed the target.
fn layer_target(series: Series, over: Over, layer: u32) -> Result<Target, SizeError> {
    let most = Target::MAX_ITEMS;
    let allowed = series.capacity(layer).filter(|_| layer < Scalable::MAX_LAYERS);
    let items = allowed.unwrap_or(most + 1);
    Ok(Target::new(items, series.rate(layer).max(over.lowest(items.min(most))))?)
}

/// A layer's size error, reported as the whole filter's.
fn for_whole_filter(error: SizeError) -> SizeError {
    match error {
        SizeError::TooLarge { got, most, .. } => {
            SizeError::TooLarge { kind: Kind::Scalable, got, most }
        }
        other => other,
    }
}

impl Filter for Scalable {
    fn about(&self) -> &About {
        &self.about
    }

    /// The newest first: it is the largest, and where layers double, the last two hold three
    /// quarters of the keys.
    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.newest.contains(key) || self.older.iter().rev().any(|layer| layer.contains(key))
    }

    super::asks_each!(|filter, keys, found| filter.look_up(keys, found));

    fn profile(&self) -> Profile {
        let layers: Vec<Profile> =
            self.older.iter().chain([&self.newest]).map(Layer::profile).collect();
        let bits = layers.iter().map(|layer| layer.bits).sum();
        let occupied: f64 = layers.iter().map(|layer| layer.fill * layer.bits as f64).sum();
        let probes = layers.last().map_or(0, |newest| newest.probes);
        let estimates = layers.iter().filter_map(|layer| Some((layer.items?, layer.fpr_now)));
        Profile {
            items: Some(sizing::estimate(estimates)),
            fpr_now: sizing::compound(layers.iter().map(|layer| layer.fpr_now)),
            fill: occupied / bits as f64,
            stuck: layers.iter().map(|layer| layer.stuck).sum(),
            layers: self.layers(),
            // Keys can be removed from layers of counters.
            remaining: (self.over.kind() != Kind::Counting).then_some(self.about.inserted),
            ..self.about.profile(Kind::Scalable, bits, probes)
        }
    }
}

impl Inspect for Scalable {
    /// Those of all layers, the newest last.
    fn rows(&self) -> Vec<Row<'_>> {
        let layers = (0..).zip(self.older.iter().chain([&self.newest]));
        layers
            .flat_map(|(number, layer)| {
                layer.rows().into_iter().map(move |row| row.of_layer(number))
            })
            .collect()
    }

    /// In every layer, the oldest first.
    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let mut before = 0;
        let mut touches = Vec::new();
        for layer in self.older.iter().chain([&self.newest]) {
            let of_layer = layer.touches(key).into_iter();
            touches.extend(of_layer.map(|touch| Touch::new(before + touch.row, touch.cell)));
            before += layer.rows().len();
        }
        touches
    }
}

impl Insert for Scalable {
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        if let Some(layer) = self.holder(key) {
            layer.insert_again(key);
            self.about.count(1);
            return Ok(false);
        }
        if self.is_full() {
            self.grow().map_err(|_| Full::of(Kind::Scalable))?;
        }
        let new = self.newest.insert(key);
        self.level().occupied += u64::from(new);
        self.about.count(1);
        Ok(true)
    }
}

impl Remove for Scalable {
    fn remove_hash(&mut self, key: KeyHash) -> Result<bool, RemoveError> {
        if let Some(layer) = self.older.iter_mut().find(|layer| layer.contains(key)) {
            return Ok(layer.remove(key)?.is_some());
        }
        if !self.newest.contains(key) {
            return Ok(false);
        }
        let freed = self.newest.remove(key)?;
        if let (Some(level), Some(freed)) = (&mut self.gauge.0, freed) {
            level.occupied = level.occupied.saturating_sub(freed.into());
        }
        Ok(freed.is_some())
    }
}

impl Planned for Scalable {
    /// The first layer, which is the whole filter until the target's items are inserted.
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        let (series, over) = Scalable::chosen(target, options)?;
        over.plan(layer_target(series, over, 0)?).map_err(for_whole_filter)
    }
}

impl ForTarget for Scalable {
    fn with_options(target: Target, options: &Options, seed: Seed) -> Result<Scalable, SizeError> {
        let (series, over) = Scalable::chosen(target, options)?;
        let first = layer_target(series, over, 0)?;
        let newest = Layer::empty(over, first, seed).map_err(for_whole_filter)?;
        let about = About::new(seed, Some(target));
        Ok(Scalable { series, over, older: Vec::new(), newest, gauge: Gauge::default(), about })
    }
}

impl Stored for Scalable {
    const KIND: Kind = Kind::Scalable;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("over", self.over.kind().tag().into());
        sheet.field("items", self.series.items);
        sheet.real("fpr", self.series.fpr);
        sheet.field("growth", self.series.growth.into());
        sheet.real("tightening", self.series.tightening);
        sheet.field("layers", self.layers().into());
        for (number, layer) in self.older.iter().chain([&self.newest]).enumerate() {
            sheet.part(number, |sheet| layer.describe(sheet));
        }
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Scalable, LoadError> {
        let over = parts.number("over", 0..=u64::MAX)?;
        let series = Series {
            items: parts.number("items", 1..=Target::MAX_ITEMS)?,
            fpr: parts.real("fpr", Target::MIN_FPR..=1f64.next_down())?,
            growth: parts.small("growth", Scalable::GROWTHS.0..=Scalable::GROWTHS.1)?,
            tightening: parts
                .real("tightening", Scalable::TIGHTENINGS.0..=Scalable::TIGHTENINGS.1)?,
        };
        let layers = parts.small("layers", 1..=Scalable::MAX_LAYERS)?;
        let mut older = Vec::new();
        let mut newest = restore_layer(parts, 0, over, series, &about)?;
        for number in 1..layers {
            let next = restore_layer(parts, number, over, series, &about)?;
            if next.over() != newest.over() {
                let (name, got) = ("counter.bits", "another".to_string());
                let allowed = "the same in all layers".to_string();
                return Err(LoadError::Field { name, got, allowed });
            }
            older.push(std::mem::replace(&mut newest, next));
        }
        let over = newest.over();
        Ok(Scalable { series, over, older, newest, gauge: Gauge::default(), about })
    }
}

/// A layer as it was written, about as large as the series says.
///
/// Not to the bit: sizes come from logarithms, which may differ in the last digit between machines,
/// and another release may size a little better. But a layer's capacity decides how much memory the
/// next one takes, so a file must not claim more than its bytes support.
fn restore_layer(
    parts: &mut Parts,
    number: u32,
    over: u64,
    series: Series,
    about: &About,
) -> Result<Layer, LoadError> {
    let mut part = parts.part(number as usize);
    let wrong = |name, got: u64, allowed: &str| {
        Err(LoadError::Field { name, got: got.to_string(), allowed: allowed.to_string() })
    };
    if part.is_empty() {
        return wrong("layers", u64::from(number) + 1, "the number of layers in the file");
    }
    let layer = Layer::restore(over, &mut part, About::new(about.seed, None))?;
    part.finish()?;
    let plan = layer_target(series, layer.over(), number)
        .and_then(|target| layer.over().plan(target))
        .map_or(0, |plan| plan.bits);
    if !(plan / 2..=plan.saturating_mul(2)).contains(&layer.bits()) {
        return wrong("items", series.items, "what its layers are sized for");
    }
    Ok(layer)
}

super::methods_by_key!(Scalable, about);
super::made_for_target!(Scalable);
super::removes!(Scalable);
