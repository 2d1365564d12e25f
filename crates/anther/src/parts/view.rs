//! Read access to cells: what a filter is made of, and which cells a key touches.

use super::bits::{Bits, place};
use super::hash::KeyHash;
use super::packed::Packed;
use super::probes::Spread;
use std::fmt;
use std::ops::Range;

/// A row of cells with the same meaning.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Row<'a> {
    /// What its cells are: "bits", "counters", "tags", "slots", … Several layers may have rows of
    /// the same name.
    pub name: &'static str,
    /// Number of cells per group: a bucket, a cache line, a region, a block; 0 if there are no
    /// groups. If regions differ in size by a cell, it is the smaller size;
    /// [`group_of`](Row::group_of) tells which cells are in which.
    pub group: u64,
    /// Whether a cell is occupied exactly if it is not 0. False if a value alone says nothing: a
    /// cell of a static filter, or a remainder that may be 0.
    pub marks: bool,
    /// The filter it belongs to, if there are several in one: a layer of `scalable`, the oldest
    /// first, or of `ribbon`, where a layer holds what did not fit in the one before. Otherwise 0.
    pub layer: u32,
    /// The cells.
    pub cells: View<'a>,
    groups: Groups,
}

/// A cell that a filter reads to look up a key, or writes to insert it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Touch {
    /// The index of its row in [`Inspect::rows`](crate::Inspect::rows).
    pub row: usize,
    /// The cell's index in the row.
    pub cell: u64,
}

impl Touch {
    pub(crate) fn new(row: usize, cell: u64) -> Touch {
        Touch { row, cell }
    }
}

/// The touches of probes that are spread over the cells of a row.
pub(crate) fn spread(row: usize, probes: Spread, key: KeyHash) -> Vec<Touch> {
    let mut touches = Vec::with_capacity(probes.probes() as usize);
    probes.each(key, |cell| touches.push(Touch::new(row, cell)));
    touches
}

/// Where the groups of a row begin.
#[derive(Clone, Copy, Debug)]
enum Groups {
    /// Groups of equal size, as the row says.
    Even,
    /// This many groups: cell c is in group ⌊c·groups/cells⌋.
    Regions(u64),
}

impl<'a> Row<'a> {
    /// Cells without groups that are nonzero if occupied.
    pub(crate) fn new(name: &'static str, cells: View<'a>) -> Row<'a> {
        Row { name, group: 0, marks: true, layer: 0, cells, groups: Groups::Even }
    }

    /// In groups of `group` cells.
    pub(crate) fn grouped(self, group: u64) -> Row<'a> {
        Row { group, ..self }
    }

    /// In `regions` regions of about equal size, as in `deletable`.
    pub(crate) fn in_regions(self, regions: u64) -> Row<'a> {
        let group = self.cells.cells() / regions;
        Row { group, groups: Groups::Regions(regions), ..self }
    }

    /// Cells whose values alone say nothing.
    pub(crate) fn without_marks(self) -> Row<'a> {
        Row { marks: false, ..self }
    }

    /// The same cells by another name.
    pub(crate) fn named(self, name: &'static str) -> Row<'a> {
        Row { name, ..self }
    }

    pub(crate) fn of_layer(self, layer: u32) -> Row<'a> {
        Row { layer, ..self }
    }

    /// The index of a cell's group; `None` if there are no groups.
    pub fn group_of(&self, cell: u64) -> Option<u64> {
        if let Store::Own(cells) = self.cells.0 {
            return cells.group_of(cell);
        }
        match self.groups {
            Groups::Even => cell.checked_div(self.group),
            Groups::Regions(groups) => {
                let cells = u128::from(self.cells.cells().max(1));
                // In 128 bits: there may be 2⁴⁶ cells and as many regions.
                u64::try_from(u128::from(cell) * u128::from(groups) / cells).ok()
            }
        }
    }
}

/// Cells in a storage format of the kind's own.
pub(crate) trait OwnCells: fmt::Debug + Sync {
    /// Number of cells.
    fn cells(&self) -> u64;
    /// Bits per cell.
    fn width(&self) -> u32;
    /// The value of a cell.
    fn get(&self, cell: u64) -> u64;
    /// The index of a cell's group; `None` if there are no groups.
    fn group_of(&self, cell: u64) -> Option<u64>;
}

/// The values of a row's cells, wherever they are stored. It borrows them and decodes each on
/// access, so it takes no memory, whatever the size of the filter.
#[derive(Clone, Copy, Debug)]
pub struct View<'a>(Store<'a>);

#[derive(Clone, Copy, Debug)]
enum Store<'a> {
    /// A range of bits.
    Bits {
        bits: &'a Bits,
        from: u64,
        len: u64,
    },
    Packed(&'a Packed),
    Own(&'a dyn OwnCells),
    /// Cells packed in words, none of which spans two words: the width divides 64.
    Words {
        words: &'a [u64],
        cells: u64,
        width: u32,
    },
    /// Blocks of 64 cells in bit-sliced form: one word per bit of a cell.
    Columns {
        words: &'a [u64],
        width: u32,
    },
}

impl<'a> View<'a> {
    /// A whole row of bits.
    pub fn of(bits: &'a Bits) -> View<'a> {
        View::within(bits, 0..bits.len())
    }

    /// A range of bits.
    pub(crate) fn within(bits: &'a Bits, range: Range<u64>) -> View<'a> {
        View(Store::Bits { bits, from: range.start, len: range.end - range.start })
    }

    /// Cells in the kind's own storage.
    pub(crate) fn own(cells: &'a dyn OwnCells) -> View<'a> {
        View(Store::Own(cells))
    }

    /// Counters or fingerprints.
    pub fn packed(cells: &'a Packed) -> View<'a> {
        View(Store::Packed(cells))
    }

    /// The first `cells` cells in words. The width divides 64.
    pub(crate) fn words(words: &'a [u64], cells: u64, width: u32) -> View<'a> {
        View(Store::Words { words, cells, width })
    }

    /// Blocks of 64 bit-sliced cells, one word for each of their 1 to 64 bits.
    pub(crate) fn columns(words: &'a [u64], width: u32) -> View<'a> {
        View(Store::Columns { words, width })
    }

    /// Number of cells.
    pub fn cells(&self) -> u64 {
        match self.0 {
            Store::Bits { len, .. } => len,
            Store::Own(cells) => cells.cells(),
            Store::Packed(cells) => cells.cells(),
            Store::Words { cells, .. } => cells,
            Store::Columns { words, width } => words.len() as u64 / u64::from(width) * 64,
        }
    }

    /// Bits per cell.
    pub fn width(&self) -> u32 {
        match self.0 {
            Store::Bits { .. } => 1,
            Store::Own(cells) => cells.width(),
            Store::Packed(cells) => cells.width(),
            Store::Words { width, .. } | Store::Columns { width, .. } => width,
        }
    }

    /// The value of a cell.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn get(&self, cell: u64) -> u64 {
        assert!(cell < self.cells(), "cell {cell} is out of range for {} cells", self.cells());
        let bit = |words: &[u64], bit: u64| {
            let (word, mask) = place(bit);
            u64::from(words[word] & mask != 0)
        };
        match self.0 {
            Store::Bits { bits, from, .. } => bits.get(from + cell).into(),
            Store::Own(cells) => cells.get(cell),
            Store::Packed(cells) => cells.get(cell),
            Store::Words { words, width, .. } => {
                let first = cell * u64::from(width);
                words[place(first).0] >> (first % 64) & (u64::MAX >> (64 - width))
            }
            Store::Columns { words, width } => {
                let block = cell / 64 * u64::from(width);
                (0..u64::from(width)).rev().fold(0, |value, column| {
                    value << 1 | bit(words, (block + column) * 64 + cell % 64)
                })
            }
        }
    }

    /// Number of nonzero cells in a range.
    fn taken(&self, from: u64, to: u64) -> u64 {
        match self.0 {
            Store::Bits { bits, from: first, .. } => bits.ones_within(first + from..first + to),
            _ => (from..to).filter(|cell| self.get(*cell) > 0).count() as u64,
        }
    }
}

/// The share of occupied cells in each of `stretches` equal stretches of some rows, one after the
/// other: fewer if there are fewer cells, none without cells. Reads all cells.
///
/// Of every layer only the first row counts, and only if its cells show whether they are occupied:
/// what follows it (collisions, signatures, a second filter) is not part of a filter's fill either.
pub fn densities(rows: &[Row<'_>], stretches: usize) -> Vec<f64> {
    let before = |at: usize| at.checked_sub(1).map(|before| rows[before].layer);
    let first = |(at, row): &(usize, &Row<'_>)| row.marks && before(*at) != Some(row.layer);
    let rows: Vec<View<'_>> =
        rows.iter().enumerate().filter(first).map(|(_, row)| row.cells).collect();
    let total: u64 = rows.iter().map(View::cells).sum();
    let stretches = total.min(stretches as u64);
    let edge = |stretch: u64| {
        // In 128 bits: filters may have 2⁴⁶ cells, and there may be any number of stretches.
        let edge = u128::from(stretch) * u128::from(total) / u128::from(stretches.max(1));
        u64::try_from(edge).unwrap_or(total)
    };
    let density = |stretch: u64| {
        let (from, to) = (edge(stretch), edge(stretch + 1));
        let (mut before, mut taken) = (0, 0);
        for row in &rows {
            let within = |cell: u64| cell.saturating_sub(before).min(row.cells());
            taken += row.taken(within(from), within(to));
            before += row.cells();
        }
        taken as f64 / (to - from) as f64
    };
    (0..stretches).map(density).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every storage format returns the values that were written.
    #[test]
    fn cells_of_every_storage_are_read() {
        let values: Vec<u64> = (0..192).map(|cell| KeyHash(cell).again(1).0).collect();
        let top = |cell: u64, width: u32| values[cell as usize] >> (64 - width);
        for width in [1, 2, 3, 7, 8, 16, 31, 63, 64] {
            let mut packed = Packed::zeroed(192, width).unwrap();
            let mut columns = vec![0; 3 * width as usize];
            for cell in 0..192 {
                packed.set(cell, top(cell, width));
                for column in 0..u64::from(width) {
                    let word = cell / 64 * u64::from(width) + column;
                    columns[word as usize] |= (top(cell, width) >> column & 1) << (cell % 64);
                }
            }
            let mut views = vec![View::packed(&packed), View::columns(&columns, width)];
            if 64 % width == 0 {
                views.push(View::words(packed.words(), 192, width));
            }
            for view in views {
                assert_eq!((view.cells(), view.width()), (192, width));
                assert!((0..192).all(|cell| view.get(cell) == top(cell, width)), "{view:?}");
            }
        }
        let mut bits = Bits::zeroed(192).unwrap();
        (0..192).filter(|bit| top(*bit, 1) == 1).for_each(|bit| {
            bits.set(bit);
        });
        let some = View::within(&bits, 50..130);
        assert_eq!((some.cells(), some.width()), (80, 1));
        assert!((0..80).all(|bit| some.get(bit) == top(50 + bit, 1)));
        assert_eq!(some.taken(3, 77), (53..127).map(|bit| top(bit, 1)).sum::<u64>());
    }

    #[test]
    fn groups_are_where_the_kinds_have_them() {
        let bits = Bits::zeroed(10).unwrap();
        let row = Row::new("bits", View::of(&bits));
        let groups = |row: Row<'_>| (0..10).map(|cell| row.group_of(cell)).collect::<Vec<_>>();
        assert_eq!(groups(row), [None; 10]);
        assert_eq!(groups(row.grouped(4)), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2].map(Some));
        assert_eq!(groups(row.in_regions(4)), [0, 0, 0, 1, 1, 2, 2, 2, 3, 3].map(Some));
        assert_eq!((row.group, row.in_regions(4).group), (0, 2));
    }

    #[test]
    fn stretches_cover_all_rows_once() {
        let mut bits = Bits::zeroed(100).unwrap();
        (0..50).for_each(|bit| {
            bits.set(bit);
        });
        let mut cells = Packed::zeroed(60, 5).unwrap();
        (0..60).step_by(2).for_each(|cell| cells.set(cell, 31));
        let row = |cells, layer| Row::new("cells", cells).of_layer(layer);
        let rows = [row(View::of(&bits), 0), row(View::packed(&cells), 1)];
        assert_eq!(densities(&rows, 1), [80.0 / 160.0]);
        assert_eq!(densities(&rows, 2), [50.0 / 80.0, 30.0 / 80.0]);
        assert_eq!(densities(&rows, 8), [1.0, 1.0, 0.5, 0.0, 0.0, 0.5, 0.5, 0.5]);
        for stretches in [1, 3, 7, 64, 160, 1000, usize::MAX] {
            let found = densities(&rows, stretches);
            assert_eq!(found.len(), stretches.min(160));
            assert!(found.iter().all(|share| (0.0..=1.0).contains(share)));
            let total: f64 = (0..found.len() as u64)
                .zip(&found)
                .map(|(at, share)| {
                    let edge = |at: u64| at * 160 / found.len() as u64;
                    share * (edge(at + 1) - edge(at)) as f64
                })
                .sum();
            assert!((total - 80.0).abs() < 1e-9, "{stretches}: {total}");
        }
        assert_eq!(densities(&[row(View::within(&bits, 0..60), 0)], 3), [1.0, 1.0, 0.5]);
        assert!(densities(&[], 5).is_empty() && densities(&rows, 0).is_empty());
    }
}
