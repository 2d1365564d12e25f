//! Counters that stick at their largest value.
//!
//! A counter at its largest value may have been incremented more often than it can show.
//! Decrementing it could bring it to 0 while keys still use it, and those would become false
//! negatives. So it never changes again.

use super::memory::OutOfMemory;
use super::packed::Packed;
use super::words::Words;

/// A row of counters of 1 to 64 bits.
///
/// ```
/// use anther::parts::counters::Counters;
///
/// let mut counters = Counters::zeroed(10, 2)?;
/// for _ in 0..9 {
///     counters.raise(4, 1);
/// }
/// counters.lower(4, 1);
/// assert_eq!(counters.get(4), 3, "it was raised nine times and stuck at 3");
/// # Ok::<(), anther::OutOfMemory>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters(Packed);

/// Counters in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Census {
    /// Above 0.
    pub occupied: u64,
    /// At their largest value, where they are stuck.
    pub stuck: u64,
    /// The sum of all of them, as far as 64 bits can tell.
    pub sum: u64,
}

impl Counters {
    /// `cells` counters of `width` bits, all 0.
    ///
    /// # Panics
    /// If the width is not 1 to 64.
    pub fn zeroed(cells: u64, width: u32) -> Result<Counters, OutOfMemory> {
        Packed::zeroed(cells, width).map(Counters)
    }

    /// Wraps words; `None` if they are not those of such counters.
    ///
    /// # Panics
    /// If the width is not 1 to 64.
    pub fn from_words(words: Words, cells: u64, width: u32) -> Option<Counters> {
        Packed::from_words(words, cells, width).map(Counters)
    }

    /// The cells themselves.
    pub fn cells(&self) -> &Packed {
        &self.0
    }

    /// The largest value, where a counter sticks.
    #[inline]
    pub fn max(&self) -> u64 {
        self.0.max()
    }

    /// A counter's value.
    ///
    /// # Panics
    /// If there is no such counter.
    #[inline]
    pub fn get(&self, cell: u64) -> u64 {
        self.0.get(cell)
    }

    /// Increments a counter, which sticks at its largest value. Returns its previous value.
    ///
    /// # Panics
    /// If there is no such counter.
    #[inline]
    pub fn raise(&mut self, cell: u64, by: u64) -> u64 {
        let before = self.0.get(cell);
        self.0.set(cell, before.saturating_add(by).min(self.max()));
        before
    }

    /// Decrements a counter, unless it is stuck. It does not go below 0, but decrementing what was
    /// never incremented damages other keys, so the caller checks first.
    ///
    /// # Panics
    /// If there is no such counter.
    #[inline]
    pub fn lower(&mut self, cell: u64, by: u64) {
        let before = self.0.get(cell);
        if before < self.max() {
            debug_assert!(before >= by, "counter {cell} is {before} and cannot go down by {by}");
            self.0.set(cell, before.saturating_sub(by));
        }
    }

    /// Adds the counters of another row of the same size and width, cell by cell: equals
    /// incrementing these as often as those were.
    pub fn add(&mut self, other: &Counters) {
        debug_assert_eq!(self.0.cells(), other.0.cells());
        for cell in 0..self.0.cells() {
            match other.get(cell) {
                0 => {}
                by => {
                    self.raise(cell, by);
                }
            }
        }
    }

    /// Counters in use. Reads all of them.
    pub fn census(&self) -> Census {
        let mut census = Census { occupied: 0, stuck: 0, sum: 0 };
        for cell in 0..self.0.cells() {
            let value = self.get(cell);
            census.occupied += u64::from(value > 0);
            census.stuck += u64::from(value == self.max());
            census.sum = census.sum.saturating_add(value);
        }
        census
    }

    /// Copies borrowed words, so that later changes cannot fail.
    pub fn try_own(&mut self) -> Result<(), OutOfMemory> {
        self.0.try_own()
    }
}
