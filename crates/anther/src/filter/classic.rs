//! The classic Bloom filter: k probes spread over all bits (Bloom 1970).
//!
//! **For**: the fewest bits of all plain-bit kinds, 9.59 a key at 1 % and 14.38 at 0.1 %; any
//! rate down to the floor of the hash; small filters; teaching. **Not for** large filters that
//! must be fast: a query for a present key touches k cache lines. [`Blocked`](crate::Blocked)
//! touches one, for 3 % more bits at 1 %.
//!
//! The rate is [`sizing::bloom::rate`](crate::sizing::bloom::rate).

use super::cells;
use super::plain::plumbing::Row;
use crate::error::{LoadError, OutOfMemory, PositionError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::Options;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::probes::Spread;
use crate::parts::view::{self, Touch};
use crate::profile::{About, Profile};
use crate::sizing::bloom;
use crate::target::{Plan, Shape, Target};
use crate::traits::{Filter, ForTarget, Planned, Shaped};

/// The classic Bloom filter.
///
/// ```
/// use anther::{Classic, Target};
///
/// let mut words = Classic::new(Target::new(58_110, 0.01)?)?;
/// assert_eq!((words.profile().bits, words.profile().probes), (557_449, 7));
/// assert!(words.insert("anther"), "surely new");
/// assert!(words.contains("anther"));
/// assert!(!words.contains("stamen"), "surely not in");
/// # Ok::<(), anther::SizeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Classic {
    row: Row<Spread>,
}

impl Classic {
    /// An empty filter of a given size.
    pub fn with_shape(shape: Shape, seed: Seed) -> Result<Classic, SizeError> {
        let probes = cells::shaped(Kind::Classic, shape)?;
        Ok(Classic { row: Row::zeroed(probes, seed, None)? })
    }

    fn sized(
        bits: u64,
        probes: u32,
        seed: Seed,
        target: Option<Target>,
    ) -> Result<Classic, SizeError> {
        let probes = cells::spread(Kind::Classic, bits, probes, 1)?;
        Ok(Classic { row: Row::zeroed(probes, seed, target)? })
    }

    /// A 1 for every cell that the test names, for probes over cells of another kind.
    pub(crate) fn from_cells(
        probes: Spread,
        is_one: impl Fn(u64) -> bool,
        about: About,
    ) -> Result<Classic, OutOfMemory> {
        let mut row = Row::zeroed(probes, about.seed, about.target)?;
        (0..probes.cells()).filter(|cell| is_one(*cell)).for_each(|cell| {
            row.bits.set(cell);
        });
        row.about = about;
        Ok(Classic { row })
    }

    /// Inserts a key by the positions that the caller's own hash functions gave it, as many as the
    /// filter has probes; true when it surely was not in before. Make such a filter with
    /// [`Seed::EXTERNAL`], so that nobody mixes these keys with others.
    ///
    /// ```
    /// use anther::{Classic, Seed, Shape};
    ///
    /// let mut filter = Classic::with_shape(Shape::bits(10).probes(3), Seed::EXTERNAL)?;
    /// let functions = |x: u64| [x % 10, (2 * x + 3) % 10, (3 * x + 7) % 10];
    /// for x in [2, 4, 9] {
    ///     filter.insert_positions(&functions(x))?;
    /// }
    /// assert!(!filter.contains_positions(&functions(5))?);
    /// assert!(filter.contains_positions(&functions(12))?, "a false positive");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert_positions(&mut self, positions: &[u64]) -> Result<bool, PositionError> {
        cells::check_positions(self.row.probes, positions)?;
        self.row.about.count(1);
        let set = |new, &position| new | self.row.bits.set(position);
        Ok(positions.iter().fold(false, set))
    }

    /// Whether a key may be in, by its positions.
    pub fn contains_positions(&self, positions: &[u64]) -> Result<bool, PositionError> {
        cells::check_positions(self.row.probes, positions)?;
        Ok(positions.iter().all(|&position| self.row.bits.get(position)))
    }

    /// Sets the bits of a key to 0, by its positions. This is not deletion: every key that shares
    /// one of the bits is gone with it, and looks absent from now on. It is here to show just
    /// that.
    pub fn clear_positions(&mut self, positions: &[u64]) -> Result<(), PositionError> {
        cells::check_positions(self.row.probes, positions)?;
        positions.iter().for_each(|&position| self.row.bits.unset(position));
        Ok(())
    }
}

impl Filter for Classic {
    fn about(&self) -> &About {
        &self.row.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.row.has(key)
    }

    super::plain::asks_many!();

    fn profile(&self) -> Profile {
        let ones = self.row.bits.ones();
        let fill = ones as f64 / self.row.bits.len() as f64;
        let fpr_now = fill.powi(self.row.probes.probes().cast_signed());
        self.row.profile(Kind::Classic, ones, fpr_now)
    }

    fn rows(&self) -> Vec<view::Row<'_>> {
        self.row.rows()
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        self.row.touches(key)
    }
}

impl Planned for Classic {
    fn plan(target: Target, _: &Options) -> Result<Plan, SizeError> {
        let size = cells::size(Kind::Classic, target, 1)?;
        let fpr = bloom::rate(size.bits, target.items(), size.probes);
        Ok(Plan::new(size.bits, size.probes, fpr))
    }
}

impl Shaped for Classic {
    fn plan_shape(shape: Shape, items: u64) -> Result<Plan, SizeError> {
        let spread = cells::shaped(Kind::Classic, shape)?;
        let (bits, probes) = (spread.cells(), spread.probes());
        Ok(Plan::new(bits, probes, bloom::rate(bits, items, probes)))
    }
}

impl ForTarget for Classic {
    fn with_options(target: Target, _: &Options, seed: Seed) -> Result<Classic, SizeError> {
        let size = cells::size(Kind::Classic, target, 1)?;
        Classic::sized(size.bits, size.probes, seed, Some(target))
    }
}

impl Stored for Classic {
    const KIND: Kind = Kind::Classic;

    fn about_mut(&mut self) -> &mut About {
        &mut self.row.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("bits", self.row.probes.cells());
        sheet.field("probes", u64::from(self.row.probes.probes()));
        sheet.words("bits", self.row.bits.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Classic, LoadError> {
        let bits = parts.number("bits", 1..=cells::MAX_BITS)?;
        let probes = parts.small("probes", 1..=Spread::MAX_PROBES)?;
        let row = Row::from_words(Spread::new(bits, probes), parts.words("bits")?, about)
            .ok_or(LoadError::Section { name: "bits" })?;
        Ok(Classic { row })
    }
}

super::plain::wraps_a_row!(Classic, Spread);
super::methods_by_key!(Classic, row.about);
super::inserts!(Classic, many: |filter, keys| filter.row.put_each(keys.len(), keys.iter().copied()));
super::merges!(Classic);
