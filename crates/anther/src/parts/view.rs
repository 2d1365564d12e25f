//! Cells to look at: where along a filter they are taken.

use super::bits::Bits;
use super::packed::Packed;

/// A row of cells, of which some are taken: they are not 0.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum View<'a> {
    /// The first so many bits of a row.
    Bits(&'a Bits, u64),
    /// Counters, or fingerprints.
    Cells(&'a Packed),
}

impl<'a> View<'a> {
    /// Of a whole row of bits.
    pub fn of(bits: &'a Bits) -> View<'a> {
        View::Bits(bits, bits.len())
    }

    /// How many cells there are.
    pub fn cells(&self) -> u64 {
        match self {
            View::Bits(_, len) => *len,
            View::Cells(cells) => cells.cells(),
        }
    }

    /// How many cells of a range are taken.
    fn taken(&self, from: u64, to: u64) -> u64 {
        match self {
            View::Bits(bits, _) => bits.ones_within(from..to),
            View::Cells(cells) => (from..to).filter(|cell| cells.get(*cell) > 0).count() as u64,
        }
    }
}

/// The share of taken cells in each of so many equal stretches of some rows, one after the other:
/// in fewer where there are not as many cells, and in none where there are none. Reads all cells.
pub fn densities(rows: &[View<'_>], stretches: usize) -> Vec<f64> {
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
        for row in rows {
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

    #[test]
    fn stretches_cover_all_rows_once() {
        let mut bits = Bits::zeroed(100).unwrap();
        (0..50).for_each(|bit| {
            bits.set(bit);
        });
        let mut cells = Packed::zeroed(60, 5).unwrap();
        (0..60).step_by(2).for_each(|cell| cells.set(cell, 31));
        let rows = [View::of(&bits), View::Cells(&cells)];
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
        assert_eq!(densities(&[View::Bits(&bits, 60)], 3), [1.0, 1.0, 0.5]);
        assert!(densities(&[], 5).is_empty() && densities(&rows, 0).is_empty());
    }
}
