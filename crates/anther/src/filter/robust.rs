//! The grid of RobustBF (Nayak and Patgiri 2021), with a sound hash.
//!
//! **For** looking at the claim: "nearly zero" false positives in a tenth of the bits of a Bloom
//! filter. **Not for** anything else. No filter can keep that: at the 1.36 bits a key of their
//! example the bound says 39 %. What makes their rate vanish is a hash that gives the same value
//! to most keys, so that absent keys of another length never meet a bit; see the tests, which
//! have it. With a sound hash the grid is a row of bits with three probes, in words of which 61 of
//! 64 bits are used, and at 1 % takes 35 % more bits than [`Classic`](crate::Classic).
//!
//! The rate is [`sizing::robust::Grid::rate`](crate::sizing::robust::Grid::rate), which is
//! [`sizing::bloom::rate`](crate::sizing::bloom::rate) with three probes. The kind is experimental:
//! a later release may refuse its files.

pub mod claimed;

use super::cells;
use crate::error::{LoadError, Mismatch, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::Options;
use crate::parts::bits::Bits;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::view::{Row, Touch, View};
use crate::profile::{About, Profile};
use crate::sizing::estimate;
use crate::sizing::robust::{self, CELL_BITS, Grid, PROBES, WORD_BITS};
use crate::target::{Plan, Target};
use crate::traits::{Filter, ForTarget, Merge, Planned};

/// The grid of RobustBF, with a sound hash.
///
/// ```
/// use anther::{Robust, Seed, Target};
///
/// let mut seen = Robust::new(Target::new(1000, 0.01)?)?;
/// seen.extend(0..1000);
/// assert!((0..1000).all(|key| seen.contains(key)));
/// assert!(seen.profile().fpr_now < 0.012, "what was asked for");
///
/// // The authors' grid for ten million keys at 0.1 %, at a hundredth of both.
/// let mut grid = Robust::with_grid(43, 47, Seed::FIXED)?;
/// grid.extend(0..100_000);
/// assert!(grid.profile().bits < 130_000, "a tenth of what a Bloom filter takes");
/// assert!(grid.profile().fpr_now > 0.7, "and good for nothing");
/// # Ok::<(), anther::SizeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Robust {
    grid: Grid,
    /// A word a cell. Nothing looks at the bits of a word from 61 on.
    bits: Bits,
    about: About,
}

impl Robust {
    /// An empty filter with these sides: two different primes other than 61, in any order.
    pub fn with_grid(columns: u64, rows: u64, seed: Seed) -> Result<Robust, SizeError> {
        // Whether a side is prime takes its root in steps, so sizes come first.
        cells::check_bits(Kind::Robust, columns.saturating_mul(rows), u64::BITS)?;
        let grid = Grid::new(columns, rows);
        let grid = grid.ok_or(SizeError::Grid { kind: Kind::Robust, columns, rows })?;
        Robust::sized(grid, seed, None)
    }

    fn sized(grid: Grid, seed: Seed, target: Option<Target>) -> Result<Robust, SizeError> {
        Ok(Robust { grid, bits: Bits::zeroed(grid.bits())?, about: About::new(seed, target) })
    }

    /// The grid.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The key's bits among all of the row: three hashes, each its cell and its place there.
    fn places(&self, key: KeyHash) -> impl Iterator<Item = u64> + use<> {
        let (columns, rows) = (self.grid.columns(), self.grid.rows());
        (0..u64::from(PROBES)).map(move |salt| {
            let KeyHash(hash) = key.again(salt);
            let cell = hash % columns * rows + hash % rows;
            cell * WORD_BITS + hash % CELL_BITS
        })
    }

    fn put(&mut self, key: KeyHash) -> bool {
        self.about.count(1);
        self.places(key).fold(false, |new, place| new | self.bits.set(place))
    }
}

fn grid_for(target: Target) -> Result<Grid, SizeError> {
    let kind = Kind::Robust;
    cells::check_floor(kind, target)?;
    let too_large = SizeError::TooLarge { kind, got: u64::MAX, most: cells::MAX_BITS };
    let cells = robust::cells_for(target.items(), target.fpr()).ok_or(too_large)?;
    cells::check_bits(kind, cells, u64::BITS)?;
    let grid = robust::smallest_grid(cells).ok_or(too_large)?;
    cells::check_bits(kind, grid.cells(), u64::BITS).map(|()| grid)
}

impl Filter for Robust {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.places(key).all(|place| self.bits.get(place))
    }

    fn profile(&self) -> Profile {
        let used = u64::MAX >> (WORD_BITS - CELL_BITS);
        let words = self.bits.words().iter();
        let ones = words.map(|word| u64::from((word & used).count_ones())).sum();
        let fill = ones as f64 / self.grid.positions() as f64;
        Profile {
            items: Some(estimate::classic(self.grid.positions(), PROBES, ones)),
            fpr_now: fill.powi(PROBES.cast_signed()),
            fill,
            ..self.about.profile(Kind::Robust, self.grid.bits(), PROBES)
        }
    }

    /// The bits that are used, 61 of a word.
    fn rows(&self) -> Vec<Row<'_>> {
        let used = View::of_words(self.bits.words(), CELL_BITS);
        vec![Row::new("bits", used).grouped(CELL_BITS)]
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let used = |place| place / WORD_BITS * CELL_BITS + place % WORD_BITS;
        self.places(key).map(|place| Touch::new(0, used(place))).collect()
    }
}

impl Merge for Robust {
    fn merge(&mut self, other: &Robust) -> Result<(), Mismatch> {
        self.about.check_alike(&other.about)?;
        // As many cells are the same grid.
        if self.grid != other.grid {
            let (ours, theirs) = (self.grid.cells(), other.grid.cells());
            return Err(Mismatch::Cells { ours, theirs });
        }
        self.bits.storage_mut().try_own()?;
        self.bits.union(&other.bits);
        self.about.count(other.about.inserted);
        Ok(())
    }
}

impl Planned for Robust {
    fn plan(target: Target, _: &Options) -> Result<Plan, SizeError> {
        let grid = grid_for(target)?;
        Ok(Plan::new(grid.bits(), PROBES, grid.rate(target.items())))
    }
}

impl ForTarget for Robust {
    fn with_options(target: Target, _: &Options, seed: Seed) -> Result<Robust, SizeError> {
        Robust::sized(grid_for(target)?, seed, Some(target))
    }
}

impl Stored for Robust {
    const KIND: Kind = Kind::Robust;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("columns", self.grid.columns());
        sheet.field("rows", self.grid.rows());
        sheet.words("cells", self.bits.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Robust, LoadError> {
        let most = cells::MAX_BITS / WORD_BITS;
        let columns = parts.number("columns", 3..=most / 2)?;
        let rows = parts.number("rows", 2..=columns.min(most / columns))?;
        let words = parts.words("cells")?;
        let grid = Grid::new(columns, rows).ok_or_else(|| LoadError::Field {
            name: "columns",
            got: format!("{columns} beside {rows} rows"),
            allowed: "a prime other than 61, as the rows, and more than they".to_string(),
        })?;
        let bits = Bits::from_words(words, grid.bits());
        let bits = bits.ok_or(LoadError::Section { name: "cells" })?;
        Ok(Robust { grid, bits, about })
    }
}

super::methods_by_key!(Robust, about);
super::inserts!(Robust);
super::merges!(Robust);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_that_cannot_be_are_named() {
        let error = |columns, rows| Robust::with_grid(columns, rows, Seed::FIXED).unwrap_err();
        for (columns, rows) in [(0, 0), (7, 7), (61, 7), (9, 7), (0, 3)] {
            assert_eq!(error(columns, rows), SizeError::Grid { kind: Kind::Robust, columns, rows });
        }
        assert_eq!(
            error(12, 7).to_string(),
            "a robust filter cannot have 12 columns and 7 rows; they must be two different primes \
             other than 61, such as 479 and 443"
        );
        for (columns, rows) in [(u64::MAX, u64::MAX), (1 << 40, 3), (1_048_583, 1_048_589)] {
            assert!(matches!(error(columns, rows), SizeError::TooLarge { .. }), "{columns}");
        }
    }

    #[test]
    fn small_filters_and_low_rates_can_be_had() {
        for (items, fpr, bits) in [(1, 0.999_999, 384), (1, 1e-8, 1664), (1000, 1e-8, 1_461_056)] {
            let filter = Robust::new(Target::new(items, fpr).unwrap()).unwrap();
            assert_eq!(filter.profile().bits, bits, "{items} at {fpr}");
            assert!(filter.grid().rate(items) <= fpr);
        }
    }

    /// Every bit can be reached, and none beyond the 61.
    #[test]
    fn all_positions_are_used_and_no_others() {
        let mut filter = Robust::with_grid(5, 7, Seed::FIXED).unwrap();
        filter.extend(0..100_000u64);
        let profile = filter.profile();
        assert_eq!((profile.fill, profile.fpr_now, profile.probes), (1.0, 1.0, 3));
        assert_eq!((profile.bits, filter.bits.ones()), (35 * 64, 35 * 61));
    }

    #[test]
    fn filters_of_other_grids_do_not_merge() {
        let mut one = Robust::with_grid(5, 7, Seed::FIXED).unwrap();
        let other = Robust::with_grid(5, 11, Seed::FIXED).unwrap();
        assert_eq!(one.merge(&other), Err(Mismatch::Cells { ours: 35, theirs: 55 }));
        assert_eq!(one.merge(&Robust::with_grid(7, 5, Seed::FIXED).unwrap()), Ok(()));
    }
}
