//! A layer: a filter of one of three kinds, and the number of its keys.

use crate::error::{LoadError, Mismatch, OutOfMemory, RemoveError, SizeError};
use crate::filter::blocked::Blocked;
use crate::filter::classic::Classic;
use crate::filter::counting::Counting;
use crate::filter::plain::Pattern;
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::Options;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::view::{Row, Touch};
use crate::profile::{About, Profile};
use crate::sizing::estimate::Estimate;
use crate::sizing::{blocked, bound};
use crate::target::{Plan, Target};
use crate::traits::{Count, Filter, ForTarget, Inspect, Planned};

/// The kind of the layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    Classic,
    Blocked,
    Counting { counter_bits: u32 },
}

impl Over {
    /// The kind that the options choose. By default `blocked`, or `classic` for rates at which
    /// `blocked` takes a quarter more bits and soon, layer by layer, reaches its floor.
    pub fn chosen(options: &Options, fpr: f64) -> Result<Over, SizeError> {
        let unsaid = if fpr < 1e-5 { Kind::Classic } else { Kind::Blocked };
        let kind = options.over.unwrap_or(unsaid);
        match (kind, options.counter_bits) {
            (Kind::Counting, width) => {
                let counter_bits = width.unwrap_or(Counting::DEFAULT_COUNTER_BITS);
                Ok(Over::Counting { counter_bits })
            }
            (Kind::Classic | Kind::Blocked, Some(_)) => {
                Err(SizeError::LayerOption { over: kind, name: "counter-bits" })
            }
            (Kind::Classic, None) => Ok(Over::Classic),
            (Kind::Blocked, None) => Ok(Over::Blocked),
            (got, _) => Err(SizeError::Layers { got }),
        }
    }

    pub fn kind(self) -> Kind {
        match self {
            Over::Classic => Kind::Classic,
            Over::Blocked => Kind::Blocked,
            Over::Counting { .. } => Kind::Counting,
        }
    }

    /// The lowest rate of a layer for this many items: the kind's lowest, or twice the floor of the
    /// hash, where sizes are still meaningful.
    pub fn lowest(self, items: u64) -> f64 {
        let least = if self == Over::Blocked { blocked::MIN_FPR } else { Target::MIN_FPR };
        least.max(2.0 * bound::hash_floor(items))
    }

    pub fn plan(self, target: Target) -> Result<Plan, SizeError> {
        let options = self.options();
        match self {
            Over::Classic => Classic::plan(target, &options),
            Over::Blocked => Blocked::plan(target, &options),
            Over::Counting { .. } => Counting::plan(target, &options),
        }
    }

    fn options(self) -> Options {
        match self {
            Over::Counting { counter_bits } => Options::new().counter_bits(counter_bits),
            Over::Classic | Over::Blocked => Options::new(),
        }
    }
}

/// One filter of the series.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layer {
    filter: Inner,
    /// Keys inserted as new, minus those removed.
    held: u64,
}

#[derive(Clone, Debug, PartialEq)]
enum Inner {
    Classic(Classic),
    Blocked(Blocked),
    Counting(Counting),
}

macro_rules! on_inner {
    ($layer:expr, $filter:ident => $body:expr) => {
        match $layer {
            Inner::Classic($filter) => $body,
            Inner::Blocked($filter) => $body,
            Inner::Counting($filter) => $body,
        }
    };
}

impl Layer {
    pub fn empty(over: Over, target: Target, seed: Seed) -> Result<Layer, SizeError> {
        let options = over.options();
        let mut filter = match over {
            Over::Classic => {
                Inner::Classic(<Classic as ForTarget>::with_options(target, &options, seed)?)
            }
            Over::Blocked => {
                Inner::Blocked(<Blocked as ForTarget>::with_options(target, &options, seed)?)
            }
            Over::Counting { .. } => {
                Inner::Counting(<Counting as ForTarget>::with_options(target, &options, seed)?)
            }
        };
        // A layer's target follows from the series, so it is not stored again.
        on_inner!(&mut filter, filter => filter.about_mut().target = None);
        Ok(Layer { filter, held: 0 })
    }

    pub fn over(&self) -> Over {
        match &self.filter {
            Inner::Classic(_) => Over::Classic,
            Inner::Blocked(_) => Over::Blocked,
            Inner::Counting(filter) => Over::Counting { counter_bits: filter.counter_bits() },
        }
    }

    pub fn held(&self) -> u64 {
        self.held
    }

    #[cfg(test)]
    pub fn forget_held(&mut self) {
        self.held = 0;
    }

    #[inline]
    pub fn contains(&self, key: KeyHash) -> bool {
        on_inner!(&self.filter, filter => filter.contains_hash(key))
    }

    pub fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool]) {
        on_inner!(&self.filter, filter => filter.contains_hashes(keys, found));
    }

    /// Inserts a key that is absent; returns how many cells were 0.
    #[inline]
    pub fn insert(&mut self, key: KeyHash) -> u32 {
        self.held = self.held.saturating_add(1);
        match &mut self.filter {
            Inner::Classic(filter) => filter.set(key),
            Inner::Blocked(filter) => filter.set(key),
            Inner::Counting(filter) => filter.insert_counted(key),
        }
    }

    /// Counts another copy of a key that the layer reports. Only counters can.
    #[inline]
    pub fn insert_again(&mut self, key: KeyHash) {
        if let Inner::Counting(filter) = &mut self.filter {
            filter.insert_counted(key);
        }
    }

    /// How often a key was inserted; `None` if the layer has no counters.
    pub fn count(&self, key: KeyHash) -> Option<u64> {
        match &self.filter {
            Inner::Counting(filter) => Some(filter.count_hash(key)),
            Inner::Classic(_) | Inner::Blocked(_) => None,
        }
    }

    /// Removes a key that the layer reports. Returns how many cells are 0 now, or `None` when the
    /// key definitely was absent.
    pub fn remove(&mut self, key: KeyHash) -> Result<Option<u32>, RemoveError> {
        let Inner::Counting(filter) = &mut self.filter else {
            return Err(RemoveError::Layers { over: self.over().kind() });
        };
        let freed = filter.remove_counted(key)?;
        // A key inserted twice is still present once.
        if !filter.contains_hash(key) {
            self.held = self.held.saturating_sub(1);
        }
        Ok(freed)
    }

    /// Whether the other layer's cells can be added to these.
    pub fn has_shape_of(&self, other: &Layer) -> bool {
        match (&self.filter, &other.filter) {
            (Inner::Classic(ours), Inner::Classic(theirs)) => ours.pattern == theirs.pattern,
            (Inner::Blocked(ours), Inner::Blocked(theirs)) => ours.pattern == theirs.pattern,
            (Inner::Counting(ours), Inner::Counting(theirs)) => ours.has_shape_of(theirs),
            _ => false,
        }
    }

    /// Copies cells that are borrowed, so that adding cannot fail.
    pub fn own(&mut self) -> Result<(), OutOfMemory> {
        match &mut self.filter {
            Inner::Classic(filter) => filter.bits.storage_mut().try_own(),
            Inner::Blocked(filter) => filter.bits.storage_mut().try_own(),
            Inner::Counting(filter) => filter.try_own(),
        }
    }

    /// Adds the cells of a layer of the same shape.
    pub fn add(&mut self, other: &Layer) -> Result<(), Mismatch> {
        match (&mut self.filter, &other.filter) {
            (Inner::Classic(ours), Inner::Classic(theirs)) => ours.merge(theirs)?,
            (Inner::Blocked(ours), Inner::Blocked(theirs)) => ours.merge(theirs)?,
            (Inner::Counting(ours), Inner::Counting(theirs)) => ours.merge(theirs)?,
            _ => {}
        }
        self.held = self.held.saturating_add(other.held);
        Ok(())
    }

    pub fn bits(&self) -> u64 {
        match &self.filter {
            Inner::Classic(filter) => filter.bits.len(),
            Inner::Blocked(filter) => filter.bits.len(),
            Inner::Counting(filter) => filter.bits(),
        }
    }

    /// How many cells are not 0. Reads them all.
    pub fn occupied(&self) -> u64 {
        match &self.filter {
            Inner::Classic(filter) => filter.bits.ones(),
            Inner::Blocked(filter) => filter.bits.ones(),
            Inner::Counting(filter) => filter.occupied(),
        }
    }

    /// Estimates how many items occupy this many cells.
    pub fn estimate(&self, occupied: u64) -> Estimate {
        match &self.filter {
            Inner::Classic(filter) => filter.pattern.estimate(occupied),
            Inner::Blocked(filter) => filter.pattern.estimate(occupied),
            Inner::Counting(filter) => filter.estimate(occupied),
        }
    }

    pub fn rows(&self) -> Vec<Row<'_>> {
        on_inner!(&self.filter, filter => filter.rows())
    }

    pub fn touches(&self, key: KeyHash) -> Vec<Touch> {
        on_inner!(&self.filter, filter => filter.touches(key))
    }

    pub fn profile(&self) -> Profile {
        on_inner!(&self.filter, filter => filter.profile())
    }

    pub fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("held", self.held);
        on_inner!(&self.filter, filter => Stored::describe(filter, sheet));
    }

    /// A layer of the kind with this tag. The file may claim any number of keys: where it is wrong,
    /// the cells decide.
    pub fn restore(tag: u64, parts: &mut Parts, about: About) -> Result<Layer, LoadError> {
        let held = parts.number("held", 0..=u64::MAX)?;
        let filter = match u16::try_from(tag).ok().and_then(Kind::from_tag) {
            Some(Kind::Classic) => Inner::Classic(Classic::restore(parts, about)?),
            Some(Kind::Blocked) => Inner::Blocked(Blocked::restore(parts, about)?),
            Some(Kind::Counting) => Inner::Counting(Counting::restore(parts, about)?),
            _ => {
                let [one, two, four] =
                    [Kind::Classic, Kind::Blocked, Kind::Counting].map(Kind::tag);
                let allowed = format!("{one}, {two} or {four}");
                return Err(LoadError::Field { name: "over", got: tag.to_string(), allowed });
            }
        };
        Ok(Layer { filter, held })
    }
}
