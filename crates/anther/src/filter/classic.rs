//! The classic Bloom filter: k probes spread over all bits (Bloom 1970).
//!
//! **For**: the fewest bits of all plain-bit kinds, 9.59 per key at 1 % and 14.38 at 0.1 %; any
//! false-positive rate down to the limit of the hash; small filters; teaching. **Not for** large filters that
//! must be fast: the lookup of a present key touches k cache lines. [`Blocked`](crate::Blocked)
//! touches one, for 3 % more bits at 1 %.
//!
//! The false-positive rate is [`sizing::bloom::rate`](crate::sizing::bloom::rate).

use super::cells;
use super::plain::plumbing::Sealed;
use super::plain::{Pattern, PlainFilter, Rule};
use crate::batch::spread;
use crate::error::{LoadError, OutOfMemory, PositionError, SizeError};
use crate::format::{Parts, Sheet};
use crate::kind::Kind;
use crate::options::Options;
use crate::parts::bits::{Bits, bit_of};
use crate::parts::hash::KeyHash;
use crate::parts::probes::Spread;
use crate::parts::words::Words;
use crate::profile::About;
use crate::sizing::bloom;
use crate::target::{Plan, Shape, Target};

/// The classic Bloom filter.
///
/// ```
/// use anther::{Classic, Target};
///
/// let mut words = Classic::new(Target::new(58_110, 0.01)?)?;
/// assert_eq!((words.profile().bits, words.profile().probes), (557_449, 7));
/// assert!(words.insert("anther"), "certainly new");
/// assert!(words.contains("anther"));
/// assert!(!words.contains("stamen"), "certainly absent");
/// # Ok::<(), anther::SizeError>(())
/// ```
pub type Classic = PlainFilter<OverAllBits>;

/// The rule of [`Classic`]: the bits of a key lie anywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverAllBits;

impl Sealed for OverAllBits {}

impl Rule for OverAllBits {
    type Pattern = Spread;
    const KIND: Kind = Kind::Classic;

    #[inline]
    fn insert(spread: &Spread, words: &mut Words, key: KeyHash) -> bool {
        spread.set(words.to_mut(), key) > 0
    }

    #[inline]
    fn contains(spread: &Spread, words: &Words, key: KeyHash) -> bool {
        all_ones(spread, words, key)
    }

    fn sized(target: Target, _: &Options) -> Result<Spread, SizeError> {
        let size = cells::size(Kind::Classic, target, 1)?;
        cells::spread(Kind::Classic, size.bits, size.probes, 1)
    }

    fn shaped(shape: Shape) -> Result<Spread, SizeError> {
        cells::shaped(Kind::Classic, shape)
    }

    fn plan(spread: &Spread, items: u64) -> Plan {
        let (bits, probes) = (spread.cells(), spread.probes());
        Plan::new(bits, probes, bloom::rate(bits, items, probes))
    }

    fn fill(spread: &Spread, bits: &Bits) -> (u64, f64) {
        ones_and_rate(spread, bits)
    }

    fn describe<'a>(spread: &Spread, bits: &'a Bits, sheet: &mut Sheet<'a>) {
        sheet.field("bits", spread.cells());
        sheet.field("probes", u64::from(spread.probes()));
        sheet.words("bits", bits.words());
    }

    fn restore(parts: &mut Parts) -> Result<(Spread, Words, &'static str), LoadError> {
        let bits = parts.number("bits", 1..=cells::MAX_BITS)?;
        let probes = parts.small("probes", 1..=Spread::MAX_PROBES)?;
        Ok((Spread::new(bits, probes), parts.words("bits")?, "bits"))
    }
}

/// Whether all bits of a key are 1.
#[inline]
pub(super) fn all_ones(spread: &Spread, words: &Words, key: KeyHash) -> bool {
    let words = words.as_slice();
    spread::contains(spread, words.len(), key, bit_of(words))
}

/// How many bits are 1, and the rate: that all bits of an absent key are.
pub(super) fn ones_and_rate(spread: &Spread, bits: &Bits) -> (u64, f64) {
    let ones = bits.ones();
    let fill = ones as f64 / bits.len() as f64;
    (ones, fill.powi(spread.probes().cast_signed()))
}

impl Classic {
    /// A 1 for every cell that the test names, for probes over cells of another kind.
    pub(crate) fn from_cells(
        probes: Spread,
        is_one: impl Fn(u64) -> bool,
        about: About,
    ) -> Result<Classic, OutOfMemory> {
        let mut filter = Classic::zeroed(probes, about.seed, about.target)?;
        (0..probes.cells()).filter(|cell| is_one(*cell)).for_each(|cell| {
            filter.bits.set(cell);
        });
        filter.about = about;
        Ok(filter)
    }

    /// Inserts a key by the positions that the caller's own hash functions gave it, as many as the
    /// filter has probes. Returns true if the key is certainly new. Make such a filter with
    /// [`Seed::EXTERNAL`](crate::Seed::EXTERNAL), so that nobody mixes these keys with others.
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
        cells::check_positions(self.pattern, positions)?;
        self.about.count(1);
        let set = |new, &position| new | self.bits.set(position);
        Ok(positions.iter().fold(false, set))
    }

    /// Whether a key may be in, by its positions.
    pub fn contains_positions(&self, positions: &[u64]) -> Result<bool, PositionError> {
        cells::check_positions(self.pattern, positions)?;
        Ok(positions.iter().all(|&position| self.bits.get(position)))
    }

    /// Sets the bits of a key to 0, by its positions. This is not deletion: every key that shares
    /// one of the bits is gone with it, and looks absent from now on. It is here to show just
    /// that.
    pub fn clear_positions(&mut self, positions: &[u64]) -> Result<(), PositionError> {
        cells::check_positions(self.pattern, positions)?;
        positions.iter().for_each(|&position| self.bits.unset(position));
        Ok(())
    }
}
