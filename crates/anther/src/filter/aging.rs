//! The age-partitioned Bloom filter: the latest keys of an endless stream, in fixed memory (Shtul,
//! Baquero and Almeida, 2020). **It forgets** older keys; the latest it surely finds.
//!
//! **For** sliding windows: duplicates among the latest million requests, tokens of the last hour.
//! Of the latest `window` inserts (an option; by default the target's items) there are no false
//! negatives. **Not for** sets: [`Blocked`](crate::Blocked) forgets nothing and takes half of the
//! bits. [`Stable`](crate::Stable) forgets at random, even some of the latest keys, and takes three
//! times the bits.
//!
//! The bits are slices in a ring, each with a hash of its own. An insert sets one bit in each of the
//! k newest; a key may be in where k slices in a row have its bit. After a generation of inserts the
//! oldest slice is emptied and becomes the newest, so the bits of a key grow old together, and those
//! of l generations and the newest are all there. A key of the window is found; during the k
//! generations after it, a key is found less and less often; then nothing of it is left. The
//! false-positive rate stays below the target's for any number of inserts ([`Ring::full_rate`]).
//!
//! Every insert counts, of a key that is in already, too: the window is a number of inserts, and
//! after as many inserts the same is forgotten, whatever was inserted. To keep a window of distinct
//! keys, insert those that are not found.
//!
//! **By time** instead of by number: [`Aging::timed`].
//!
//! Filters do not merge. Two of them stand at different points of their streams, so the union of
//! their slices would have keys of different age in a slice, twice as many as it is made for.

use super::cells;
use crate::batch::Hashes;
use crate::batch::steps;
use crate::error::{Full, LoadError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::bits::Bits;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::probes::{Spread, scale};
use crate::parts::view::{Row, Touch, View};
use crate::profile::{About, Profile};
use crate::sizing::aging::{self, Ring};
use crate::sizing::bound::hash_floor;
use crate::target::{Plan, Target};
use crate::traits::{Filter, ForTarget, Insert, Inspect, Planned};
use std::ops::ControlFlow;

/// The age-partitioned Bloom filter. **It forgets** keys that are older than its window: for them
/// [`contains`](Aging::contains) may be false and [`insert`](Aging::insert) true.
///
/// ```
/// use anther::{Aging, Target};
///
/// // The latest 1000 clicks are found, all of them, at any time.
/// let mut clicks = Aging::new(Target::new(1000, 0.01)?)?;
/// let bits = clicks.profile().bits;
/// for click in 0..100_000u32 {
///     clicks.insert(click);
///     assert!(click < 999 || clicks.contains(click - 999));
/// }
/// assert!(clicks.profile().fpr_now < 0.015, "as at the start of the day");
/// assert_eq!(clicks.profile().bits, bits);
///
/// // Of older ones there are false positives only.
/// let old = (0..90_000u32).filter(|click| clicks.contains(click)).count();
/// assert!(old < 90_000 / 50, "{old}");
/// assert!(clicks.profile().may_forget());
/// # Ok::<(), anther::SizeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Aging {
    ring: Ring,
    /// All slices, in the order of their numbers.
    bits: Bits,
    /// The number of the newest slice. The next older one is the slice after it, in the ring.
    newest: u32,
    /// Inserts of the newest generation.
    arrivals: u64,
    about: About,
}

/// A search for a row of k slices that have a key's bit.
#[derive(Clone, Copy)]
struct RowSearch {
    key: KeyHash,
    /// Where the row begins.
    start: u32,
    /// Its slices below this one are known to have the bit.
    known: u32,
    /// The slice that is read next.
    age: u32,
}

/// How many generations an [`Aging`] filter holds, and how large they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Generations {
    /// The generations that are surely found, besides the newest: l.
    pub window: u32,
    /// After as many generations nothing is left of a key: k+l.
    pub all: u32,
    /// The most inserts of a generation: g.
    pub inserts: u64,
}

impl Aging {
    /// The most generations of a window.
    pub const MAX_GENERATIONS: u32 = 1024;

    /// Makes an empty filter with these parameters. One for a target has those of
    /// [`sizing::aging::size`](crate::sizing::aging::size).
    pub fn with_ring(ring: Ring, seed: Seed) -> Result<Aging, SizeError> {
        let kind = Kind::Aging;
        let most = Aging::MAX_GENERATIONS;
        options::within(kind, "generations", ring.generations, 1, most)?;
        cells::spread(kind, ring.slice_bits, ring.probes, 1)?;
        cells::check_bits(kind, ring.slice_bits, ring.slices())?;
        let (inserts, most) = (ring.inserts as f64, Target::MAX_ITEMS as f64);
        options::within(kind, "inserts", inserts, 1.0, most)?;
        Aging::sized(ring, seed, None)
    }

    /// Makes an empty filter for a window of time, in which at most the target's items come. Its
    /// generations end by [`advance`](Aging::advance) alone. Let
    /// [`generations`](Aging::generations)`().window` of them begin within the time that keys are to
    /// be remembered, at even intervals: then every key is found for at least that time, and nothing
    /// is left of it after as many intervals as there are [slices](Generations::all). If more keys
    /// come, all of them are found, and the false-positive rate rises.
    ///
    /// ```
    /// use anther::{Aging, Seed, Target};
    ///
    /// // Tokens of one hour, of which there are at most 1000.
    /// let mut tokens = Aging::timed(Target::new(1000, 0.01)?, Seed::FIXED)?;
    /// let interval = 3600u64.div_ceil(tokens.generations().window.into()); // in seconds
    /// for token in 0..1000u32 {
    ///     tokens.insert(token);
    /// }
    /// tokens.advance(3600 / interval); // an hour later, as many intervals have ended
    /// assert!((0..1000u32).all(|token| tokens.contains(token)));
    /// tokens.advance(2);
    /// assert!((0..1000u32).filter(|token| tokens.contains(token)).count() < 500);
    /// # Ok::<(), anther::SizeError>(())
    /// ```
    pub fn timed(target: Target, seed: Seed) -> Result<Aging, SizeError> {
        Aging::sized(Aging::timed_ring(target)?, seed, Some(target))
    }

    /// The parameters of [`timed`](Aging::timed).
    pub fn timed_ring(target: Target) -> Result<Ring, SizeError> {
        let ring = |p, most| aging::size_timed(p, target.items(), most, Target::MAX_ITEMS);
        checked_ring(target, ring)
    }

    fn sized(ring: Ring, seed: Seed, target: Option<Target>) -> Result<Aging, SizeError> {
        let about = About::new(seed, target);
        Ok(Aging { ring, bits: Bits::zeroed(ring.bits())?, newest: 0, arrivals: 0, about })
    }

    /// The filter's parameters: what it will forget, and its false-positive rate.
    pub fn ring(&self) -> Ring {
        self.ring
    }

    /// How many generations the filter holds.
    pub fn generations(&self) -> Generations {
        let Ring { generations, inserts, .. } = self.ring;
        Generations { window: generations, all: self.ring.slices(), inserts }
    }

    /// Begins this many new generations now, however few keys the newest one has. After as many as
    /// there are slices, the filter is empty.
    ///
    /// A filter made by [`timed`](Aging::timed) has no other generations. In one that counts, keys are
    /// forgotten before as many inserts as its window.
    ///
    /// ```
    /// use anther::{Aging, Target};
    ///
    /// let mut latest = Aging::new(Target::new(1000, 0.01)?)?;
    /// latest.insert("key");
    /// latest.advance(latest.generations().all.into());
    /// assert!(!latest.contains("key"));
    /// # Ok::<(), anther::SizeError>(())
    /// ```
    pub fn advance(&mut self, generations: u64) {
        if generations == 0 {
            return;
        }
        self.arrivals = 0;
        let slices = self.ring.slices();
        if generations >= u64::from(slices) {
            self.bits.clear();
        }
        // The rest moves the ring, as if each had been emptied in turn.
        for _ in 0..generations % u64::from(slices) {
            self.newest = self.newest.checked_sub(1).unwrap_or(slices - 1);
            let (slice, size) = (u64::from(self.newest), self.ring.slice_bits);
            self.bits.clear_within(slice * size..(slice + 1) * size);
        }
    }

    /// The answer that [`contains_hash`](Filter::contains_hash) would give after
    /// [`advance`](Aging::advance) by this many generations: for lookups that do not change the
    /// filter, while the clock runs.
    pub fn contains_hash_after(&self, key: KeyHash, generations: u64) -> bool {
        // As many of the oldest slices would be gone, and the new ones would be empty.
        match u32::try_from(generations) {
            Ok(gone) => self.found_within(key, self.ring.slices().saturating_sub(gone)),
            Err(_) => false,
        }
    }

    /// Whether k of the newest `slices` slices in a row have the key's bit.
    ///
    /// It reads each row of k from its old end: a slice without the bit rules out all rows with it,
    /// and the next begins beyond it. For an absent key this reads fewer than 2(l/k+1) slices: 7.7 of
    /// 41 at 1 %.
    #[inline]
    fn found_within(&self, key: KeyHash, slices: u32) -> bool {
        let row = self.ring.probes;
        let mut search = RowSearch { key, start: 0, known: 0, age: row - 1 };
        while search.start + row <= slices {
            match self.step(search) {
                Some(next) => search = next,
                None => return true,
            }
        }
        false
    }

    /// The next step of a search, or `None` if it has found a row.
    #[inline]
    fn step(&self, search: RowSearch) -> Option<RowSearch> {
        let RowSearch { key, start, known, age } = search;
        let row = self.ring.probes;
        if !self.bits.get(self.bit(key, age)) {
            return Some(RowSearch { key, start: age + 1, known: start + row, age: age + row });
        }
        (age > known).then(|| RowSearch { age: age - 1, ..search })
    }

    /// Whether each of the keys may be present: a step for each slice that is read.
    fn look_up(&self, keys: impl Hashes, found: &mut [bool]) {
        let (row, slices) = (self.ring.probes, self.ring.slices());
        let fetched = |search: RowSearch| {
            self.bits.fetch(self.bit(search.key, search.age));
            search
        };
        let starts = keys.map(|key| fetched(RowSearch { key, start: 0, known: 0, age: row - 1 }));
        steps::contains_in_steps(found, starts, |search| match self.step(search) {
            None => ControlFlow::Break(true),
            Some(next) if next.start + row > slices => ControlFlow::Break(false),
            Some(next) => ControlFlow::Continue(fetched(next)),
        });
    }

    /// The number of the slice of this age; the newest has age 0.
    #[inline]
    fn slice(&self, age: u32) -> u32 {
        let slice = self.newest + age;
        if slice < self.ring.slices() { slice } else { slice - self.ring.slices() }
    }

    /// The key's bit in the slice of this age. A slice keeps its number, so it keeps its hash.
    #[inline]
    fn bit(&self, key: KeyHash, age: u32) -> u64 {
        let slice = u64::from(self.slice(age));
        slice * self.ring.slice_bits + scale(key.again(slice).0, self.ring.slice_bits)
    }
}

/// The ring for a target.
fn ring_for(target: Target) -> Result<Ring, SizeError> {
    checked_ring(target, |p, most| aging::size(p, target.items(), most))
}

/// The ring that `ring` returns for a false-positive rate and a limit of bits, if it is not too
/// large for a filter.
fn checked_ring(
    target: Target,
    ring: impl FnOnce(f64, u64) -> Option<Ring>,
) -> Result<Ring, SizeError> {
    let kind = Kind::Aging;
    let floor = floor(target);
    if target.fpr() <= floor {
        return Err(SizeError::Fpr { kind, got: target.fpr(), least: floor });
    }
    // Beyond 2⁶⁰ bits the number does not matter.
    match ring(target.fpr() - floor, 1 << 60) {
        Some(ring) => cells::check_bits(kind, ring.bits(), 1).map(|()| ring),
        None => Err(SizeError::TooLarge { kind, got: u64::MAX, most: cells::MAX_BITS }),
    }
}

/// What equal hashes add to the rate. With the newest generation there are up to twice as many keys
/// as in the window, where that has one generation.
fn floor(target: Target) -> f64 {
    hash_floor(2 * target.items())
}

impl Filter for Aging {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.found_within(key, self.ring.slices())
    }

    super::asks_each_beyond_caches!(
        |filter, keys, found| filter.bits.words(),
        filter.look_up(keys, found)
    );

    /// The number of items cannot be estimated from the fill, since old keys are forgotten.
    fn profile(&self) -> Profile {
        let size = self.ring.slice_bits;
        let fill = |age| {
            let slice = u64::from(self.slice(age));
            self.bits.ones_within(slice * size..(slice + 1) * size) as f64 / size as f64
        };
        let fills: Vec<f64> = (0..self.ring.slices()).map(fill).collect();
        Profile {
            fpr_now: aging::run(&fills, self.ring.probes),
            fill: fills.iter().sum::<f64>() / fills.len() as f64,
            ..self.about.profile(Kind::Aging, self.ring.bits(), self.ring.probes)
        }
    }
}

impl Insert for Aging {
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        self.about.count(1);
        let new = !self.contains_hash(key);
        if self.arrivals >= self.ring.inserts {
            self.advance(1);
        }
        self.arrivals += 1;
        for age in 0..self.ring.probes {
            let bit = self.bit(key, age);
            self.bits.set(bit);
        }
        Ok(new)
    }
}

impl Inspect for Aging {
    /// Slices are groups, in the order of their numbers.
    fn rows(&self) -> Vec<Row<'_>> {
        vec![Row::new("bits", View::of(&self.bits)).grouped(self.ring.slice_bits)]
    }

    /// The key's bit in every slice, the newest first: an insert sets those in the first k.
    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        (0..self.ring.slices()).map(|age| Touch::new(0, self.bit(key, age))).collect()
    }
}

impl Planned for Aging {
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        let target = cells::with_window(Kind::Aging, target, options)?;
        let ring = ring_for(target)?;
        Ok(Plan::new(ring.bits(), ring.probes, ring.rate(target.items()) + floor(target)))
    }
}

impl ForTarget for Aging {
    fn with_options(target: Target, options: &Options, seed: Seed) -> Result<Aging, SizeError> {
        let target = cells::with_window(Kind::Aging, target, options)?;
        Aging::sized(ring_for(target)?, seed, Some(target))
    }
}

impl Stored for Aging {
    const KIND: Kind = Kind::Aging;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("probes", u64::from(self.ring.probes));
        sheet.field("generations", u64::from(self.ring.generations));
        sheet.field("inserts", self.ring.inserts);
        sheet.field("slice.bits", self.ring.slice_bits);
        sheet.field("newest", u64::from(self.newest));
        sheet.field("arrivals", self.arrivals);
        sheet.words("bits", self.bits.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Aging, LoadError> {
        let probes = parts.small("probes", 1..=Spread::MAX_PROBES)?;
        let generations = parts.small("generations", 1..=Aging::MAX_GENERATIONS)?;
        let slices = probes + generations;
        let inserts = parts.number("inserts", 1..=Target::MAX_ITEMS)?;
        let slice_bits = parts.number("slice.bits", 1..=cells::MAX_BITS / u64::from(slices))?;
        let newest = parts.small("newest", 0..=slices - 1)?;
        let arrivals = parts.number("arrivals", 0..=inserts)?;
        let ring = Ring { probes, generations, inserts, slice_bits };
        let bits = Bits::from_words(parts.words("bits")?, ring.bits())
            .ok_or(LoadError::Section { name: "bits" })?;
        Ok(Aging { ring, bits, newest, arrivals, about })
    }
}

super::methods_by_key!(Aging, about);
super::inserts_by_key!(Aging);

#[cfg(test)]
mod tests;
