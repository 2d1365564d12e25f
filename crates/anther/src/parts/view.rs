//! Cells to look at: what a filter is made of, and what a key touches of it.

use super::bits::{Bits, place};
use super::hash::KeyHash;
use super::packed::Packed;
use super::probes::Spread;
use std::fmt;
use std::ops::Range;

/// A row of cells of one meaning.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Row<'a> {
    /// What its cells are: "bits", "counters", "tags", "slots", … One name may come in several
    /// layers.
    pub name: &'static str,
    /// How many cells belong together: those of a bucket, a cache line, a region, a block; 0 where
    /// none do. Where regions differ in size by a cell it is the smaller size; which cells are in
    /// which, [`group_of`](Row::group_of) says.
    pub group: u64,
    /// Whether a cell is taken by a key just where it is not 0. False where a value alone says
    /// nothing: a cell of a static filter, or a remainder that may be 0.
    pub marks: bool,
    /// Which of several filters in one it belongs to: a layer of `scalable`, from the oldest on, or
    /// of `ribbon`, where the next has what the one before could not take. 0 elsewhere.
    pub layer: u32,
    /// The cells.
    pub cells: View<'a>,
    groups: Groups,
}

/// A cell that a filter reads to answer for a key, or writes to put it in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Touch {
    /// The number of its row in [`Inspect::rows`](crate::Inspect::rows).
    pub row: usize,
    /// The cell's number there.
    pub cell: u64,
}

impl Touch {
    pub(crate) fn new(row: usize, cell: u64) -> Touch {
        Touch { row, cell }
    }
}

/// The touches of probes that spread over the cells of a row.
pub(crate) fn spread(row: usize, probes: Spread, key: KeyHash) -> Vec<Touch> {
    let mut touches = Vec::with_capacity(probes.probes() as usize);
    probes.each(key, |cell| touches.push(Touch::new(row, cell)));
    touches
}

/// Where the groups of a row begin.
#[derive(Clone, Copy, Debug)]
enum Groups {
    /// Every so many cells, as the row says.
    Even,
    /// So many of them: cell c is in number ⌊c·groups/cells⌋.
    Regions(u64),
}

impl<'a> Row<'a> {
    /// Cells that belong to no groups and are not 0 where a key took them.
    pub(crate) fn new(name: &'static str, cells: View<'a>) -> Row<'a> {
        Row { name, group: 0, marks: true, layer: 0, cells, groups: Groups::Even }
    }

    /// In groups of so many.
    pub(crate) fn grouped(self, group: u64) -> Row<'a> {
        Row { group, ..self }
    }

    /// In so many regions of about as many cells each, as `deletable` cuts them.
    pub(crate) fn in_regions(self, regions: u64) -> Row<'a> {
        let group = self.cells.cells() / regions;
        Row { group, groups: Groups::Regions(regions), ..self }
    }

    /// Whose values alone say nothing.
    pub(crate) fn without_marks(self) -> Row<'a> {
        Row { marks: false, ..self }
    }

    pub(crate) fn of_layer(self, layer: u32) -> Row<'a> {
        Row { layer, ..self }
    }

    /// The number of the group that a cell is in; nothing where there are none.
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

/// Cells that a kind keeps in a way of its own, and groups that it has.
pub(crate) trait OwnCells: fmt::Debug + Sync {
    /// How many there are.
    fn cells(&self) -> u64;
    /// Bits of a cell.
    fn width(&self) -> u32;
    /// What a cell says.
    fn get(&self, cell: u64) -> u64;
    /// The number of the group that a cell is in; nothing where there are none.
    fn group_of(&self, cell: u64) -> Option<u64>;
}

/// The values of a row's cells, wherever they are stored. It borrows them and decodes each when
/// asked, so that looking takes no memory, whatever the size of the filter.
#[derive(Clone, Copy, Debug)]
pub struct View<'a>(Store<'a>);

#[derive(Clone, Copy, Debug)]
enum Store<'a> {
    /// So many bits from one on.
    Bits {
        bits: &'a Bits,
        from: u64,
        len: u64,
    },
    Packed(&'a Packed),
    Own(&'a dyn OwnCells),
    /// Cells that lie in words without gaps and no cell in two, so of a width that divides 64.
    Words {
        words: &'a [u64],
        cells: u64,
        width: u32,
    },
    /// The cells of 64 after each other lie side by side in as many words as they have bits: a word
    /// has one bit of each.
    Columns {
        words: &'a [u64],
        width: u32,
    },
}

impl<'a> View<'a> {
    /// Of a whole row of bits.
    pub fn of(bits: &'a Bits) -> View<'a> {
        View::within(bits, 0..bits.len())
    }

    /// Of a range of bits.
    pub(crate) fn within(bits: &'a Bits, range: Range<u64>) -> View<'a> {
        View(Store::Bits { bits, from: range.start, len: range.end - range.start })
    }

    /// Of cells that lie as none of the others do.
    pub(crate) fn own(cells: &'a dyn OwnCells) -> View<'a> {
        View(Store::Own(cells))
    }

    /// Of counters, or fingerprints.
    pub fn packed(cells: &'a Packed) -> View<'a> {
        View(Store::Packed(cells))
    }

    /// Of the first `cells` cells in words. The width divides 64.
    pub(crate) fn words(words: &'a [u64], cells: u64, width: u32) -> View<'a> {
        View(Store::Words { words, cells, width })
    }

    /// Of blocks of 64 cells, a word for each of their 1 to 64 bits.
    pub(crate) fn columns(words: &'a [u64], width: u32) -> View<'a> {
        View(Store::Columns { words, width })
    }

    /// How many cells there are.
    pub fn cells(&self) -> u64 {
        match self.0 {
            Store::Bits { len, .. } => len,
            Store::Own(cells) => cells.cells(),
            Store::Packed(cells) => cells.cells(),
            Store::Words { cells, .. } => cells,
            Store::Columns { words, width } => words.len() as u64 / u64::from(width) * 64,
        }
    }

    /// Bits of a cell.
    pub fn width(&self) -> u32 {
        match self.0 {
            Store::Bits { .. } => 1,
            Store::Own(cells) => cells.width(),
            Store::Packed(cells) => cells.width(),
            Store::Words { width, .. } | Store::Columns { width, .. } => width,
        }
    }

    /// What a cell says.
    ///
    /// # Panics
    /// When there is no such cell.
    pub fn get(&self, cell: u64) -> u64 {
        assert!(cell < self.cells(), "cell {cell} of {}", self.cells());
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

    /// How many cells of a range are not 0.
    fn taken(&self, from: u64, to: u64) -> u64 {
        match self.0 {
            Store::Bits { bits, from: first, .. } => bits.ones_within(first + from..first + to),
            _ => (from..to).filter(|cell| self.get(*cell) > 0).count() as u64,
        }
    }
}

/// The share of taken cells in each of so many equal stretches of some rows, one after the other:
/// in fewer where there are not as many cells, and in none where there are none. Reads all cells.
///
/// Of every layer only the first row counts, and only if it marks what is taken: what stands
/// behind it (collisions, signatures, a second filter) is not in the fill of a filter either.
pub fn densities(rows: &[Row<'_>], stretches: usize) -> Vec<f64> {
    let before = |at: usize| at.checked_sub(1).map(|before| rows[before].layer);
    let first = |(at, row): &(usize, &Row<'_>)| row.marks && before(*at) != Some(row.layer);
    let rows: Vec<View<'_>> =
        rows.iter().enumerate().filter(first).map(|(_, row)| row.cells).collect();
    let total: u64 = rows.iter().map(View::cells).sum();
    let stretches = total.min(stretches as u64);
    let edge = |stretch: u64| {
        // In 128 bits: filters of 2⁴⁶ cells are allowed, and any number of stretches.
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

    /// However cells are stored, they say what was put there.
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
