//! The counting Bloom filter: a small counter instead of each bit (Fan, Cao, Almeida and Broder,
//! Summary Cache, 1998).
//!
//! **For**: sets whose keys are removed again, such as the contents of a cache.
//! [`Counting::to_classic`] makes the plain bits to send to peers. **Not for** sets that only grow:
//! with four bits per counter it is four times as large as [`Classic`].
//! [`DLeft`](crate::DLeft) does the same in half the space.
//!
//! The false-positive rate is that of [`Classic`],
//! [`sizing::bloom::rate`](crate::sizing::bloom::rate). A counter that reaches its largest value
//! stays there. With four bits that happens to one counter in 10¹⁵, as long as no key is inserted
//! many times ([`sizing::counters::overflow_bound`](crate::sizing::counters::overflow_bound)).

use super::cells;
use super::classic::Classic;
use crate::error::{Full, LoadError, Mismatch, OutOfMemory, PositionError, RemoveError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::counters::Counters;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::probes::Spread;
use crate::parts::view::{self, Row, Touch, View};
use crate::profile::{About, Profile};
use crate::sizing::bloom;
use crate::sizing::estimate::{self, Estimate};
use crate::target::{Plan, Target};
use crate::traits::{Count, Filter, ForTarget, Insert, Inspect, Merge, Planned, Remove};

/// The counting Bloom filter.
///
/// ```
/// use anther::{Counting, Target};
///
/// let mut cached = Counting::new(Target::new(10_000, 0.01)?)?;
/// cached.insert("/index.html");
/// cached.insert("/logo.png");
/// assert!(cached.remove("/logo.png")?);
/// assert!(!cached.contains("/logo.png"), "gone");
/// assert!(cached.contains("/index.html"), "the others stay");
/// assert!(!cached.remove("/never.html")?, "definitely absent: nothing changes");
///
/// let summary = cached.to_classic()?;
/// assert!(summary.contains("/index.html"));
/// assert_eq!(4 * summary.profile().bits, cached.profile().bits);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Counting {
    probes: Spread,
    counters: Counters,
    about: About,
}

impl Counting {
    /// With four bits, a counter reaches 16 with probability below 10⁻¹⁶.
    pub const DEFAULT_COUNTER_BITS: u32 = 4;
    const MIN_COUNTER_BITS: u32 = 2;
    const MAX_COUNTER_BITS: u32 = 32;

    /// Makes an empty filter of `cells` counters of `counter_bits` bits, with `probes` probes per
    /// key.
    pub fn with_cells(
        cells: u64,
        probes: u32,
        counter_bits: u32,
        seed: Seed,
    ) -> Result<Counting, SizeError> {
        Counting::sized(cells, probes, counter_bits, seed, None)
    }

    fn sized(
        cells: u64,
        probes: u32,
        counter_bits: u32,
        seed: Seed,
        target: Option<Target>,
    ) -> Result<Counting, SizeError> {
        let width = check_width(counter_bits)?;
        let probes = cells::spread(Kind::Counting, cells, probes, width)?;
        let counters = Counters::zeroed(cells, width)?;
        Ok(Counting { probes, counters, about: About::new(seed, target) })
    }

    /// The plain bits, a 1 for every counter above 0: the classic filter of the same keys, to send
    /// or to query where no keys are removed.
    pub fn to_classic(&self) -> Result<Classic, OutOfMemory> {
        let occupied = |cell| self.counters.get(cell) > 0;
        Classic::from_cells(self.probes, occupied, self.about.clone())
    }

    /// Inserts a key given as positions from the caller's own hash functions, one per probe of the
    /// filter. Returns true when the key definitely was absent. Make such a filter with
    /// [`Seed::EXTERNAL`], so that its keys are never mixed with others. A repeated position
    /// increments its counter twice.
    ///
    /// ```
    /// use anther::{Counting, Seed};
    ///
    /// let mut filter = Counting::with_cells(10, 3, 4, Seed::EXTERNAL)?;
    /// let functions = |x: u64| [x % 10, (2 * x + 3) % 10, (3 * x + 7) % 10];
    /// for x in [2, 4, 9] {
    ///     filter.insert_positions(&functions(x))?;
    /// }
    /// assert!(filter.remove_positions(&functions(9))?);
    /// assert!(filter.contains_positions(&functions(4))?, "it has the same positions, and stays");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert_positions(&mut self, positions: &[u64]) -> Result<bool, PositionError> {
        cells::check_positions(self.probes, positions)?;
        self.about.count(1);
        let raise = |new, &cell| new | (self.counters.raise(cell, 1) == 0);
        Ok(positions.iter().fold(false, raise))
    }

    /// Whether a key may be present, given its positions.
    pub fn contains_positions(&self, positions: &[u64]) -> Result<bool, PositionError> {
        cells::check_positions(self.probes, positions)?;
        Ok(positions.iter().all(|&cell| self.counters.get(cell) > 0))
    }

    /// Removes a key given its positions. Returns false and changes nothing when the key definitely
    /// was absent. Counters at their largest value stay there.
    pub fn remove_positions(&mut self, positions: &[u64]) -> Result<bool, PositionError> {
        cells::check_positions(self.probes, positions)?;
        let is_in = self.could_hold(positions);
        if is_in {
            positions.iter().for_each(|&cell| self.counters.lower(cell, 1));
        }
        Ok(is_in)
    }

    /// Increments a key's counters; returns how many of them were 0.
    pub(crate) fn insert_counted(&mut self, key: KeyHash) -> u32 {
        let mut new = 0;
        self.probes.each(key, |cell| new += u32::from(self.counters.raise(cell, 1) == 0));
        new
    }

    /// Decrements a key's counters. Returns how many of them are 0 now, or `None` when the key
    /// definitely was absent.
    pub(crate) fn remove_counted(&mut self, key: KeyHash) -> Result<Option<u32>, RemoveError> {
        let mut buffer = [0; 64];
        let cells = self.probes.gather(key, &mut buffer);
        if !self.could_hold(cells) {
            return Ok(None);
        }
        let most = self.counters.max();
        if cells.iter().all(|cell| self.counters.get(*cell) == most) {
            return Err(RemoveError::Stuck { kind: Kind::Counting, most });
        }
        let mut freed = 0;
        for cell in cells {
            self.counters.lower(*cell, 1);
            freed += u32::from(self.counters.get(*cell) == 0);
        }
        Ok(Some(freed))
    }

    /// Whether the other filter's counters can be added to these.
    pub(crate) fn has_shape_of(&self, other: &Counting) -> bool {
        self.probes == other.probes && self.counter_bits() == other.counter_bits()
    }

    /// Copies counters that are borrowed.
    pub(crate) fn try_own(&mut self) -> Result<(), OutOfMemory> {
        self.counters.try_own()
    }

    /// Total bits of all counters.
    pub(crate) fn bits(&self) -> u64 {
        self.probes.cells() * u64::from(self.counter_bits())
    }

    /// Bits per counter.
    pub(crate) fn counter_bits(&self) -> u32 {
        self.counters.cells().width()
    }

    /// How many counters are above 0. Reads them all.
    pub(crate) fn occupied(&self) -> u64 {
        self.counters.census().occupied
    }

    /// Estimates how many items leave this many counters above 0.
    pub(crate) fn estimate(&self, occupied: u64) -> Estimate {
        estimate::classic(self.probes.cells(), self.probes.probes(), occupied)
    }

    /// Whether the counters are as high as a present key leaves them: at least 2 where two probes
    /// share a cell.
    fn could_hold(&self, cells: &[u64]) -> bool {
        cells.iter().all(|cell| {
            let probes = cells.iter().filter(|other| *other == cell).count() as u64;
            self.counters.get(*cell) >= probes.min(self.counters.max())
        })
    }
}

fn check_width(counter_bits: u32) -> Result<u32, SizeError> {
    let (least, most) = (Counting::MIN_COUNTER_BITS, Counting::MAX_COUNTER_BITS);
    options::within(Kind::Counting, "counter-bits", counter_bits, least, most)
}

impl Filter for Counting {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.probes.all(key, |cell| self.counters.get(cell) > 0)
    }

    super::asks_each_beyond_caches!(|filter, keys, found| filter.counters.cells().words(), {
        cells::contains_above_zero(filter.counters.cells(), filter.probes, keys, found);
    });

    fn profile(&self) -> Profile {
        let (cells, probes) = (self.probes.cells(), self.probes.probes());
        let census = self.counters.census();
        let fill = census.occupied as f64 / cells as f64;
        Profile {
            items: Some(self.estimate(census.occupied)),
            // Every insert increments a counter per probe.
            remaining: (census.stuck == 0).then_some(census.sum / u64::from(probes)),
            fpr_now: fill.powi(probes.cast_signed()),
            fill,
            stuck: census.stuck,
            ..self.about.profile(Kind::Counting, self.bits(), probes)
        }
    }
}

impl Insert for Counting {
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        self.about.count(1);
        Ok(self.insert_counted(key) > 0)
    }
}

impl Inspect for Counting {
    fn rows(&self) -> Vec<Row<'_>> {
        vec![Row::new("counters", View::packed(self.counters.cells()))]
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        view::spread(0, self.probes, key)
    }
}

impl Remove for Counting {
    fn remove_hash(&mut self, key: KeyHash) -> Result<bool, RemoveError> {
        Ok(self.remove_counted(key)?.is_some())
    }
}

impl Count for Counting {
    fn count_hash(&self, key: KeyHash) -> u64 {
        let mut least = u64::MAX;
        self.probes.each(key, |cell| least = least.min(self.counters.get(cell)));
        least
    }
}

impl Merge for Counting {
    fn merge(&mut self, other: &Counting) -> Result<(), Mismatch> {
        self.about.check_alike(&other.about)?;
        cells::check_same(self.probes, other.probes)?;
        if self.counter_bits() != other.counter_bits() {
            return Err(Mismatch::Option { name: "counter-bits" });
        }
        self.counters.try_own()?;
        self.counters.add(&other.counters);
        self.about.take_in(&other.about);
        Ok(())
    }
}

impl Planned for Counting {
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        let width = check_width(options.counter_bits.unwrap_or(Counting::DEFAULT_COUNTER_BITS))?;
        let size = cells::size(Kind::Counting, target, width)?;
        let fpr = bloom::rate(size.bits, target.items(), size.probes);
        Ok(Plan::new(size.bits * u64::from(width), size.probes, fpr))
    }
}

impl ForTarget for Counting {
    fn with_options(target: Target, options: &Options, seed: Seed) -> Result<Counting, SizeError> {
        let width = check_width(options.counter_bits.unwrap_or(Counting::DEFAULT_COUNTER_BITS))?;
        let size = cells::size(Kind::Counting, target, width)?;
        Counting::sized(size.bits, size.probes, width, seed, Some(target))
    }
}

impl Stored for Counting {
    const KIND: Kind = Kind::Counting;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        cells::describe(self.probes, sheet);
        sheet.field("counter.bits", u64::from(self.counter_bits()));
        sheet.words("counters", self.counters.cells().words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Counting, LoadError> {
        let widths = Counting::MIN_COUNTER_BITS..=Counting::MAX_COUNTER_BITS;
        let width = parts.small("counter.bits", widths)?;
        let probes = cells::restore(parts, width)?;
        let counters = Counters::from_words(parts.words("counters")?, probes.cells(), width)
            .ok_or(LoadError::Section { name: "counters" })?;
        Ok(Counting { probes, counters, about })
    }
}

super::methods_by_key!(Counting, about);
super::inserts_by_key!(Counting);
super::removes!(Counting);
super::counts!(Counting);
super::merges!(Counting);
