//! The grid of RobustBF (Nayak and Patgiri 2021), with a sound hash.
//!
//! **For** studying the claim: "nearly zero" false positives in a tenth of the bits of a Bloom
//! filter. **Not for** anything else. No filter can do that: at the 1.36 bits per key of their
//! example the lower bound is 39 %. Their false-positive rate vanishes because of a hash that maps
//! most keys to the same value, so that absent keys of another length never meet a bit; the tests
//! reproduce it. With a sound hash the grid is a bit array with three probes, in words of which 61
//! of 64 bits are used, and at 1 % takes 35 % more bits than [`Classic`](crate::Classic).
//!
//! The false-positive rate is
//! [`sizing::robust::Grid::rate`](crate::sizing::robust::Grid::rate), which is
//! [`sizing::bloom::rate`](crate::sizing::bloom::rate) with three probes. The kind is experimental:
//! a later release may reject its files.

use crate::error::{Full, LoadError, Mismatch, SizeError};
use crate::filter::cells;
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::Options;
use crate::parts::bits::Bits;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::view::{OwnCells, Row, Touch, View};
use crate::profile::{About, Profile};
use crate::sizing::estimate;
use crate::sizing::robust::{self, CELL_BITS, Grid, PROBES, WORD_BITS};
use crate::target::{Plan, Target};
use crate::traits::{Filter, ForTarget, Insert, Inspect, Merge, Planned};

/// The grid of RobustBF, with a sound hash.
///
/// ```
/// use anther::sizing::robust::Grid;
/// use anther::{Robust, Seed, Target};
///
/// let mut seen = Robust::new(Target::new(1000, 0.01)?)?;
/// seen.extend(0..1000);
/// assert!((0..1000).all(|key| seen.contains(key)));
/// assert!(seen.profile().fpr_now < 0.012, "as planned");
///
/// // The authors' grid for ten million keys at 0.1 %, at a hundredth of both.
/// let grid = Grid::new(43, 47).expect("two different primes other than 61");
/// let mut grid = Robust::with_grid(grid, Seed::FIXED)?;
/// grid.extend(0..100_000);
/// assert!(grid.profile().bits < 130_000, "a tenth of what a Bloom filter takes");
/// assert!(grid.profile().fpr_now > 0.7, "and useless");
/// # Ok::<(), anther::SizeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Robust {
    grid: Grid,
    /// One word per cell. The bits of a word from 61 on are never read.
    bits: Bits,
    about: About,
}

impl Robust {
    /// Makes an empty filter with this grid.
    pub fn with_grid(grid: Grid, seed: Seed) -> Result<Robust, SizeError> {
        cells::check_bits(Kind::Robust, grid.cells(), u64::BITS)?;
        Robust::sized(grid, seed, None)
    }

    fn sized(grid: Grid, seed: Seed, target: Option<Target>) -> Result<Robust, SizeError> {
        Ok(Robust { grid, bits: Bits::zeroed(grid.bits())?, about: About::new(seed, target) })
    }

    /// The grid.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The key's bit positions: three hashes, each for a cell and a bit in it.
    fn positions(&self, key: KeyHash) -> impl Iterator<Item = u64> + use<> {
        let (columns, rows) = (self.grid.columns(), self.grid.rows());
        (0..u64::from(PROBES)).map(move |salt| {
            let KeyHash(hash) = key.again(salt);
            let cell = hash % columns * rows + hash % rows;
            cell * WORD_BITS + hash % CELL_BITS
        })
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
        self.positions(key).all(|position| self.bits.get(position))
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
}

impl Insert for Robust {
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        self.about.count(1);
        Ok(self.positions(key).fold(false, |new, position| new | self.bits.set(position)))
    }
}

impl Inspect for Robust {
    /// The bits that are used, 61 per word.
    fn rows(&self) -> Vec<Row<'_>> {
        vec![Row::new("bits", View::own(self)).grouped(CELL_BITS)]
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let used = |position| position / WORD_BITS * CELL_BITS + position % WORD_BITS;
        self.positions(key).map(|position| Touch::new(0, used(position))).collect()
    }
}

impl OwnCells for Robust {
    fn cells(&self) -> u64 {
        self.grid.positions()
    }

    fn width(&self) -> u32 {
        1
    }

    fn get(&self, cell: u64) -> u64 {
        self.bits.get(cell / CELL_BITS * WORD_BITS + cell % CELL_BITS).into()
    }

    fn group_of(&self, cell: u64) -> Option<u64> {
        Some(cell / CELL_BITS)
    }
}

impl Merge for Robust {
    fn merge(&mut self, other: &Robust) -> Result<(), Mismatch> {
        self.about.check_alike(&other.about)?;
        // The same number of cells means the same grid.
        if self.grid != other.grid {
            let (ours, theirs) = (self.grid.cells(), other.grid.cells());
            return Err(Mismatch::Cells { ours, theirs });
        }
        self.bits.storage_mut().try_own()?;
        self.bits.union(&other.bits);
        self.about.take_in(&other.about);
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
            got: format!("{columns} with {rows} rows"),
            allowed: "a larger prime than the rows, and neither may be 61".to_string(),
        })?;
        let bits = Bits::from_words(words, grid.bits());
        let bits = bits.ok_or(LoadError::Section { name: "cells" })?;
        Ok(Robust { grid, bits, about })
    }
}

crate::filter::methods_by_key!(Robust, about);
crate::filter::inserts_by_key!(Robust);
crate::filter::merges!(Robust);

#[cfg(test)]
mod tests {
    use super::*;

    fn with_grid(columns: u64, rows: u64) -> Robust {
        Robust::with_grid(Grid::new(columns, rows).unwrap(), Seed::FIXED).unwrap()
    }

    #[test]
    fn grids_that_are_too_large_are_named() {
        for (columns, rows) in [(1_048_583, 1_048_589), (1 << 31, (1 << 21) - 9)] {
            let prime = |from: u64| (from..).find(|x| robust::is_prime(*x)).unwrap();
            let grid = Grid::new(prime(columns), prime(rows)).unwrap();
            let error = Robust::with_grid(grid, Seed::FIXED).unwrap_err();
            assert!(matches!(error, SizeError::TooLarge { .. }), "{columns}");
        }
    }

    #[test]
    fn small_filters_and_low_rates_are_possible() {
        for (items, fpr, bits) in [(1, 0.999_999, 384), (1, 1e-8, 1664), (1000, 1e-8, 1_461_056)] {
            let filter = Robust::new(Target::new(items, fpr).unwrap()).unwrap();
            assert_eq!(filter.profile().bits, bits, "{items} at {fpr}");
            assert!(filter.grid().rate(items) <= fpr);
        }
    }

    /// Every bit can be reached, and none from 61 on.
    #[test]
    fn all_positions_are_used_and_no_others() {
        let mut filter = with_grid(5, 7);
        filter.extend(0..100_000u64);
        let profile = filter.profile();
        assert_eq!((profile.fill, profile.fpr_now, profile.probes), (1.0, 1.0, 3));
        assert_eq!((profile.bits, filter.bits.ones()), (35 * 64, 35 * 61));
    }

    #[test]
    fn filters_of_other_grids_do_not_merge() {
        let mut one = with_grid(5, 7);
        let other = with_grid(5, 11);
        assert_eq!(one.merge(&other), Err(Mismatch::Cells { ours: 35, theirs: 55 }));
        assert_eq!(one.merge(&with_grid(7, 5)), Ok(()));
    }
}
