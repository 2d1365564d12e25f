//! Cells in a grid whose sides are primes: RobustBF.
//!
//! A hash h selects the cell (h mod X, h mod Y) and in it the bit h mod 61. X, Y and 61 are
//! different primes, so by the Chinese remainder theorem the three remainders together are h mod
//! 61XY, and the grid is a row of 61XY bits with three probes per key. Its false-positive rate is
//! that of [`bloom`]. The remainder of a 64-bit hash is not quite uniform: some positions get one
//! hash more than others, of 2⁶⁴/61XY. That is 4·10⁻⁶ of their probability in the largest filter.

use super::{bloom, first};

/// Bits of a cell that are used. The other 3 of a word are always 0, which costs 4.9 %.
pub const CELL_BITS: u64 = 61;
/// Bits of a cell in memory.
pub const WORD_BITS: u64 = 64;
/// Probes per key.
pub const PROBES: u32 = 3;

/// How many pairs of primes [`smallest_grid`] tries. With 64 the grid for a million items at 1 % is
/// 0.01 % larger than necessary, on average over such sizes; with one pair 1.1 %.
const PAIRS: usize = 64;

/// The sides of a filter: two different primes, neither of them 61. There are more columns than
/// rows, so the grid for a product is unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    columns: u64,
    rows: u64,
}

impl Grid {
    /// A grid with these sides, if they are valid.
    pub fn new(one: u64, other: u64) -> Option<Grid> {
        // Every position must have a number, so that the rate can be computed.
        let small = one.checked_mul(other)?.checked_mul(WORD_BITS).is_some();
        let grid = Grid { columns: one.max(other), rows: one.min(other) };
        (small && one != other && can_be_side(one) && can_be_side(other)).then_some(grid)
    }

    /// X.
    pub fn columns(&self) -> u64 {
        self.columns
    }

    /// Y.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// XY.
    pub fn cells(&self) -> u64 {
        self.columns * self.rows
    }

    /// 61XY: the bits that are used.
    pub fn positions(&self) -> u64 {
        CELL_BITS * self.cells()
    }

    /// 64XY: the bits in memory.
    pub fn bits(&self) -> u64 {
        WORD_BITS * self.cells()
    }

    /// The true rate with n items.
    pub fn rate(&self, n: u64) -> f64 {
        bloom::rate(self.positions(), n, PROBES)
    }
}

/// The fewest cells for n items at rate p, whatever the sides. `None` when p is below the floor.
pub fn cells_for(n: u64, p: f64) -> Option<u64> {
    first(1, u64::MAX / WORD_BITS, |cells| bloom::rate(CELL_BITS * cells, n, PROBES) <= p)
}

fn can_be_side(x: u64) -> bool {
    x != CELL_BITS && is_prime(x)
}

/// The smallest grid with at least this many cells, among those with sides close to each other.
pub fn smallest_grid(cells: u64) -> Option<Grid> {
    let root = cells.isqrt();
    // From the next prime above the square root down to a quarter of it. Half would do for large
    // grids; small ones would get up to 17 % larger.
    let above = (root + 1..).find(|x| is_prime(*x))?;
    (root / 4..=above)
        .rev()
        .filter(|rows| can_be_side(*rows))
        .take(PAIRS)
        .filter_map(|rows| {
            let columns = (cells.div_ceil(rows)..).find(|x| *x != rows && can_be_side(*x))?;
            Grid::new(columns, rows)
        })
        .min_by_key(Grid::cells)
}

/// Trial division. The sides of a filter of 2⁴⁶ bits are near 2²⁰, so that takes a thousand steps;
/// for a file that claims 2³⁹, half a million.
pub fn is_prime(x: u64) -> bool {
    let mut odd = (3u64..).step_by(2).take_while(|d| d * d <= x);
    x == 2 || x > 2 && x % 2 == 1 && !odd.any(|d| x.is_multiple_of(d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_primes() {
        let primes: Vec<u64> = (0..50).filter(|x| is_prime(*x)).collect();
        assert_eq!(primes, [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47]);
        assert_eq!((0..100_000).filter(|x| is_prime(*x)).count(), 9592);
        assert!(is_prime((1 << 31) - 1) && !is_prime((1 << 32) + 1) && !is_prime(1_000_003 * 7));
    }

    /// Against all pairs of primes, where affordable.
    #[test]
    fn a_grid_is_the_smallest_of_its_cells() {
        for cells in (1..2000).chain([3599, 3600, 3782, 10_000]) {
            let grid = smallest_grid(cells).unwrap();
            let most = 6 * cells.isqrt() + 40;
            let sides: Vec<u64> = (2..most).filter(|x| can_be_side(*x)).collect();
            let near = |x: &u64, y: &u64| 4 * x.min(y) + 3 >= cells.isqrt();
            let best = sides
                .iter()
                .flat_map(|x| sides.iter().filter(move |y| *y < x).map(move |y| (x, y)))
                .filter(|(x, y)| near(x, y) && *x * *y >= cells)
                .map(|(x, y)| x * y)
                .min();
            assert_eq!(Some(grid.cells()), best, "{cells}: {grid:?}");
        }
    }

    #[test]
    fn grids_are_found_for_every_size_and_cost_little() {
        assert_eq!(smallest_grid(0), Grid::new(2, 3));
        for cells in (0..=40).map(|bit| 1u64 << bit) {
            let grid = smallest_grid(cells).unwrap();
            let (columns, rows) = (grid.columns(), grid.rows());
            assert!(grid.cells() >= cells && rows < columns, "{cells}: {grid:?}");
            assert!(columns <= 25 * rows, "{cells}: {grid:?}");
            let over = grid.cells() as f64 / cells as f64;
            assert!(over < 1.0 + 4.0 / rows as f64 || cells < 64, "{cells}: {grid:?}");
            assert!(columns != 61 && rows != 61);
        }
    }

    #[test]
    fn sides_that_share_a_factor_are_refused() {
        for (x, y) in [(5, 5), (61, 7), (7, 61), (9, 7), (0, 3), (1, 3), (u64::MAX, 2)] {
            assert_eq!(Grid::new(x, y), None, "{x} {y}");
        }
        assert_eq!(Grid::new(3, 5), Grid::new(5, 3));
        // Each of the 61·3·5 positions is reached by one remainder.
        let mut reached: Vec<_> = (0..915u64).map(|h| (h % 5, h % 3, h % 61)).collect();
        reached.sort_unstable();
        reached.dedup();
        assert_eq!(reached.len(), 915);
    }

    #[test]
    fn sizes_hold_and_are_small() {
        for n in [1, 2, 10, 85, 86, 1000, 1_000_000] {
            for p in [0.999_999, 0.5, 0.25, 0.01, 1e-3, 1e-8] {
                let cells = cells_for(n, p).unwrap();
                assert!(bloom::rate(61 * cells, n, 3) <= p, "{n} {p}");
                let fewer = cells - 1 - cells / 300;
                assert!(cells == 1 || bloom::rate(61 * fewer, n, 3) > p, "{n} {p}: {cells}");
                assert!(smallest_grid(cells).unwrap().rate(n) <= p, "{n} {p}");
            }
        }
        // Just above the floor of the hash, where the cells must be nearly perfect.
        let floor = super::super::bound::hash_floor(1000);
        assert!(cells_for(1000, floor * 1.1).is_some());
        assert_eq!(cells_for(1000, floor * 0.9), None);
    }
}
