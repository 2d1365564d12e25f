//! Nayak and Patgiri 2021: "nearly zero" false positives in a tenth of the bits. Their geometry with
//! their hash, rebuilt to show where the claim comes from, and with a sound one.

use super::super::sample::broken;
use super::super::tally::{Tally, seed};
use super::super::{Effort, Made};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::describe::whole;
use crate::exit::Stop;
use crate::table::{Cell, Table};
use crate::units;
use anther::Robust;
use anther::sizing::bloom;
use anther::sizing::robust::{Grid, PROBES, is_prime};
use std::f64::consts::LN_2;

const TARGET: f64 = 0.001;
/// Their three hash functions are one with three seeds.
const SEEDS: [u32; 3] = [7_689_571, 15_485_863, 98_899];

/// Their grid: the primes three places above and below the middle of those up to isqrt(m/128), m
/// being the usual size of a Bloom filter.
fn their_grid(items: u64) -> Result<Grid, Stop> {
    let bits = whole((-(items as f64) * TARGET.ln() / LN_2.powi(2)).floor());
    let root = (bits / 128).isqrt();
    let primes: Vec<u64> = (2..=2 * root).filter(|x| is_prime(*x)).collect();
    let middle = primes.iter().position(|prime| *prime > root).map(|first| first / 2);
    let grid =
        middle.and_then(|middle| Grid::new(*primes.get(middle + 3)?, *primes.get(middle - 3)?));
    grid.ok_or_else(|| broken("no grid"))
}

/// Their hash: MurmurHash2 but for the step. It reads four bytes and goes on by seven, and a rest of
/// four, five or six bytes counts for nothing.
fn their_hash(key: &[u8], seed: u32) -> u32 {
    const FACTOR: u32 = 0x5BD1_E995;
    let mut hash = seed ^ u32::try_from(key.len()).unwrap_or(u32::MAX);
    let mut blocks = key.chunks_exact(7);
    for block in &mut blocks {
        let word = block.iter().take(4).rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
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

/// Their filter. By the remainders of 61 and of the two primes a hash has one place in the grid.
struct Theirs {
    grid: Grid,
    cells: Vec<u64>,
}

impl Theirs {
    fn of(grid: Grid, keys: impl Iterator<Item = u64>) -> Result<Theirs, Stop> {
        let cells = vec![0; usize::try_from(grid.cells()).map_err(broken)?];
        let mut filter = Theirs { grid, cells };
        for key in keys {
            for (cell, bit) in filter.places(key) {
                filter.cells[cell] |= bit;
            }
        }
        Ok(filter)
    }

    fn places(&self, key: u64) -> [(usize, u64); 3] {
        let text = key.to_string();
        SEEDS.map(|seed| {
            let hash = u64::from(their_hash(text.as_bytes(), seed));
            let cell = hash % self.grid.columns() * self.grid.rows() + hash % self.grid.rows();
            (usize::try_from(cell).unwrap_or(usize::MAX), 1 << (hash % 61))
        })
    }

    fn rate(&self, keys: impl Iterator<Item = u64>) -> Tally {
        let mut tally = Tally { filters: 1, ..Tally::default() };
        for key in keys {
            tally.asked += 1;
            let found = self.places(key).iter().all(|(cell, bit)| self.cells[*cell] & bit != 0);
            tally.wrong += u64::from(found);
        }
        tally
    }
}

/// The claim, and what is left of it.
pub fn robust(effort: &Effort<'_>) -> Result<Made, Stop> {
    let mut table = Table::new([
        "keys",
        "bits a key",
        "theory",
        "sound hash",
        "their hash, as they ask",
        "even in, odd asked",
        "known",
    ]);
    let mut series =
        ["a sound hash", "their hash, asked as they do", "their hash, even in, odd asked"]
            .map(Series::new);
    let sizes = effort.choose(vec![100_000, 1_000_000], vec![100_000, 1_000_000, 10_000_000]);
    let (mut within, mut near_zero, mut collapse) = (true, true, true);
    for (at, &items) in sizes.iter().enumerate() {
        let grid = their_grid(items)?;
        let asked = 100_000;
        let mut sound = Robust::with_grid(grid.columns(), grid.rows(), seed(0)).map_err(broken)?;
        sound.extend((0..items).map(|key| key.to_string()));
        let wrong = (items..items + asked).filter(|key| sound.contains(key.to_string())).count();
        let ours = Tally { asked, wrong: wrong as u64, filters: 1 };
        let due = grid.rate(items);
        within &= ours.agrees(due, bloom::spread(grid.positions(), items, PROBES));
        let theirs = Theirs::of(grid, 0..items)?.rate(items..items + items / 2);
        near_zero &= theirs.rate() < 5e-5;
        // Seven digits, of which the hash reads the first four.
        let even = (1_000_000..1_000_000 + 2 * items).step_by(2);
        let odd = even.clone().map(|key| key + 1).take(100_000);
        let blind = Theirs::of(grid, even.clone())?.rate(odd);
        collapse &= blind.rate() == 1.0 || items > 4_500_000;
        for (series, tally) in series.iter_mut().zip([ours, theirs, blind]) {
            series.measured.push((at as f64, tally.rate()));
        }
        series[0].predicted.push((at as f64, due));
        let known = match items {
            100_000 => "0.810",
            1_000_000 => "0.766",
            _ => "0.732",
        };
        table.row([
            Cell::Count(items),
            Cell::Number(grid.bits() as f64 / items as f64, 3),
            Cell::Rate(due),
            Cell::Rate(ours.rate()),
            Cell::Rate(theirs.rate()),
            Cell::Rate(blind.rate()),
            known.into(),
        ]);
        effort.tell(at + 1, sizes.len());
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "RobustBF for 0.1 %: the same bits, their hash and a sound one".into(),
            x: Axis::names(sizes.iter().map(|items| format!("{} keys", units::count(*items)))),
            y: Axis::linear("rate of false positives", Unit::Rate),
            series: series.to_vec(),
        },
    );
    made.claim(
        "asked as its authors ask, the rate is nearly zero: the claim is reproduced",
        near_zero,
    );
    made.claim(
        "keys that differ where their hash does not look are all taken for present",
        collapse,
    );
    made.claim("with a sound hash the rate is that of theory, within what chance allows", within);
    made.note(
        "With 1.36 bits a key no filter goes below a rate of 39 %. Their hash reads four bytes of \
         seven, so that 9000 keys of four digits have one hash. Known: earlier runs of a sound one.",
    );
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn their_geometry_and_their_hash() {
        let grid = their_grid(10_000_000).unwrap();
        assert_eq!((grid.columns(), grid.rows()), (479, 443));
        let hash = |key: u64| their_hash(key.to_string().as_bytes(), SEEDS[0]);
        assert!((1000..10_000).all(|key| hash(key) == hash(1000)));
        assert_ne!(hash(1_000_000), hash(1_001_000));
    }
}
