//! RobustBF as published: its geometry with its own hash, rebuilt from a description of the
//! authors' program. **To study, not to use**: it reproduces their claim of nearly no false
//! positives, and shows where that comes from.

use anther::sizing::robust::{CELL_BITS, Grid, is_prime};
use std::f64::consts::LN_2;

/// Their three hash functions are one with three seeds.
pub const SEEDS: [u32; 3] = [7_689_571, 15_485_863, 98_899];

/// Their grid: the primes three positions above and below the middle of those up to isqrt(m/128),
/// m being the usual size of a Bloom filter. `None` where there are too few primes.
pub fn grid(items: u64, fpr: f64) -> Option<Grid> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let bits = (-(items as f64) * fpr.ln() / LN_2.powi(2)) as u64;
    let root = (bits / 128).isqrt();
    let primes: Vec<u64> = (2..=2 * root).filter(|x| is_prime(*x)).collect();
    let middle = primes.iter().position(|prime| *prime > root)? / 2;
    Grid::new(*primes.get(middle + 3)?, *primes.get(middle.checked_sub(3)?)?)
}

/// Their hash: the 32-bit MurmurHash2 except for the step. It reads four bytes and advances by
/// seven, so three of seven bytes are ignored; and the rest of up to six bytes goes through a
/// switch that knows only the cases 1, 2 and 3, so a rest of four, five or six is ignored.
pub fn hash(key: &[u8], seed: u32) -> u32 {
    const FACTOR: u32 = 0x5BD1_E995;
    #[expect(clippy::cast_possible_truncation, reason = "as theirs, for keys of up to 4 GiB")]
    let mut hash = seed ^ key.len() as u32;
    let mut blocks = key.chunks_exact(7);
    for block in &mut blocks {
        let word = u32::from_le_bytes([block[0], block[1], block[2], block[3]]);
        let word = word.wrapping_mul(FACTOR);
        hash = hash.wrapping_mul(FACTOR) ^ (word ^ word >> 24).wrapping_mul(FACTOR);
    }
    let rest = blocks.remainder();
    if (1..=3).contains(&rest.len()) {
        for (at, byte) in rest.iter().enumerate() {
            hash ^= u32::from(*byte) << (8 * at);
        }
        hash = hash.wrapping_mul(FACTOR);
    }
    hash = (hash ^ hash >> 13).wrapping_mul(FACTOR);
    hash ^ hash >> 15
}

/// Their filter of numbers, which are hashed as decimal digits.
#[derive(Clone, Debug)]
pub struct Claimed {
    grid: Grid,
    cells: Vec<u64>,
}

impl Claimed {
    /// An empty filter.
    pub fn new(grid: Grid) -> Claimed {
        let cells = usize::try_from(grid.cells()).unwrap_or(usize::MAX);
        Claimed { grid, cells: vec![0; cells] }
    }

    /// The remainders of a hash by the two primes and by 61 give one position.
    fn places(&self, key: u64) -> [(usize, u64); 3] {
        let text = key.to_string();
        SEEDS.map(|seed| {
            let hash = u64::from(hash(text.as_bytes(), seed));
            let cell = hash % self.grid.columns() * self.grid.rows() + hash % self.grid.rows();
            #[expect(clippy::cast_possible_truncation, reason = "below the length of a Vec")]
            (cell as usize, 1 << (hash % CELL_BITS))
        })
    }

    /// Inserts a number.
    pub fn insert(&mut self, key: u64) {
        self.places(key).iter().for_each(|(cell, bit)| self.cells[*cell] |= bit);
    }

    /// Whether a number may be present.
    pub fn contains(&self, key: u64) -> bool {
        self.places(key).iter().all(|(cell, bit)| self.cells[*cell] & bit != 0)
    }
}
