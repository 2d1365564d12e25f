//! Nayak and Patgiri 2021: "nearly zero" false positives in a tenth of the bits. Their geometry and
//! their hash are rebuilt here, from a description of their program, to reproduce the claim and to
//! show where it comes from. The library has the geometry and a sound hash.

use crate::table::{Measured, Table};
use crate::trial::measure;
use anther::sizing::robust::{Grid, is_prime};
use anther::sizing::{bloom, bound};
use anther::{Insert, Robust, Seed, Target};
use std::collections::HashSet;
use std::ops::Range;

/// Their grid: the primes three places above and below the middle of those up to isqrt(m/128),
/// where m is the usual size of a Bloom filter.
fn their_grid(items: u64, fpr: f64) -> Grid {
    let bits = (-(items as f64) * fpr.ln() / std::f64::consts::LN_2.powi(2)) as u64;
    let root = (bits / 128).isqrt();
    let primes: Vec<u64> = (2..=2 * root).filter(|x| is_prime(*x)).collect();
    let first_above = primes.iter().position(|prime| *prime > root).unwrap();
    Grid::new(primes[first_above / 2 + 3], primes[first_above / 2 - 3]).unwrap()
}

/// Their three hash functions are one with three seeds.
const SEEDS: [u32; 3] = [7_689_571, 15_485_863, 98_899];

/// Their hash: the 32-bit MurmurHash2 but for the step. It reads four bytes and goes on by seven, so
/// three of seven bytes count for nothing; and the rest of up to six bytes goes through a switch
/// that knows only the cases 1, 2 and 3, so a rest of four, five or six counts for nothing.
fn their_hash(key: &[u8], seed: u32) -> u32 {
    const FACTOR: u32 = 0x5BD1_E995;
    let mut hash = seed ^ key.len() as u32;
    let mut blocks = key.chunks_exact(7);
    for block in &mut blocks {
        let mut word = u32::from_le_bytes(block[..4].try_into().unwrap()).wrapping_mul(FACTOR);
        word = (word ^ word >> 24).wrapping_mul(FACTOR);
        hash = hash.wrapping_mul(FACTOR) ^ word;
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

fn distinct_hashes(keys: Range<u64>) -> f64 {
    keys.map(|key| their_hash(key.to_string().as_bytes(), SEEDS[0])).collect::<HashSet<_>>().len()
        as f64
}

/// Their filter: our geometry, their hash.
struct Theirs {
    grid: Grid,
    cells: Vec<u64>,
}

impl Theirs {
    fn new(grid: Grid) -> Theirs {
        Theirs { grid, cells: vec![0; grid.cells() as usize] }
    }

    fn places(&self, key: u64) -> [(usize, u64); 3] {
        let text = key.to_string();
        SEEDS.map(|seed| {
            let hash = u64::from(their_hash(text.as_bytes(), seed));
            let cell = hash % self.grid.columns() * self.grid.rows() + hash % self.grid.rows();
            (cell as usize, 1 << (hash % 61))
        })
    }

    fn insert(&mut self, key: u64) {
        self.places(key).iter().for_each(|(cell, bit)| self.cells[*cell] |= bit);
    }

    fn contains(&self, key: u64) -> bool {
        self.places(key).iter().all(|(cell, bit)| self.cells[*cell] & bit != 0)
    }

    fn rate(&self, keys: impl Iterator<Item = u64>) -> Measured {
        let (mut queries, mut found) = (0u64, 0u64);
        for key in keys {
            queries += 1;
            found += u64::from(self.contains(key));
        }
        Measured { rate: found as f64 / queries as f64, queries, spread: 0.0 }
    }
}

/// Their three ranges of absent keys: the next half, up to a thousand times as many (of which we
/// ask every so many), and whatever rand() gives.
fn their_queries(items: u64) -> [(&'static str, Vec<u64>); 3] {
    let mut state = items;
    let mut rand = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state >> 33
    };
    let random = std::iter::repeat_with(&mut rand).filter(|key| *key >= items).take(200_000);
    [
        ("n to 1.5n", (items..items + items / 2).collect()),
        ("n+1 to 1000n", (items + 1..1000 * items).step_by(items as usize / 211).collect()),
        ("rand()", random.collect()),
    ]
}

#[test]
fn robust_claim_and_refutation() {
    let mut table =
        Table::new("Robust: the authors' filters, with their hash and with a sound one");
    // The geometry.
    let (items, fpr) = (10_000_000, 0.001);
    let grid = their_grid(items, fpr);
    assert_eq!((grid.columns(), grid.rows()), (479, 443));
    table.row("n=10^7 at 0.001: columns", "479", grid.columns() as f64, None);
    table.row("the same: rows", "443", grid.rows() as f64, None);
    table.row("the same: megabytes (2^20)", "1.619", grid.bits() as f64 / 8.0 / 1048576.0, None);
    let bits_a_key = grid.bits() as f64 / items as f64;
    table.row("the same: bits a key", "1.358", bits_a_key, None);
    let classic = -(items as f64) * fpr.ln() / std::f64::consts::LN_2.powi(2);
    table.row("times fewer bits than a Bloom filter", "10.6", classic / grid.bits() as f64, None);
    let least = 2f64.powf(-bits_a_key);
    assert!((bound::lower_bound_bits(items, least) / grid.bits() as f64 - 1.0).abs() < 1e-9);
    table.row("rate that no filter of such a size goes below", "0.39", least, None);

    // The hash.
    table.row("hashes of 9000 keys of four digits", "1", distinct_hashes(1000..10_000), None);
    table.row("of 90,000 of five digits", "1", distinct_hashes(10_000..100_000), None);
    let seven = distinct_hashes(1_000_000..1_300_000);
    table.row("of 300,000 of seven digits", "300", seven, None);

    // Their experiment. Keys are the numbers from 0 on, in decimal.
    let rows = [
        (100_000, "0.810", "0.8097"),
        (1_000_000, "0.766", "0.7664"),
        (10_000_000, "0.732", "0.7326"),
    ];
    let most = if cfg!(feature = "long") { 10_000_000 } else { 1_000_000 };
    for (items, sound, theory) in rows {
        let grid = their_grid(items, fpr);
        let predicted = grid.rate(items);
        table.row(format!("n={items}: theory"), theory, predicted, None);
        if items > most {
            continue;
        }
        let mut theirs = Theirs::new(grid);
        (0..items).for_each(|key| theirs.insert(key));
        for (range, queries) in their_queries(items) {
            // At 10^5 up to 2·10⁻⁵ were seen, and nothing with more.
            let measured = theirs.rate(queries.into_iter());
            let seen = measured.rate;
            let limit = if items == 100_000 { 5e-5 } else { 5e-6 };
            let print = if items == 100_000 { "≤ 2e-5" } else { "0" };
            let cells = [
                format!("n={items}, their hash, {range}"),
                print.to_string(),
                String::new(),
                format!("{seen:.1e} of {}", measured.queries),
            ];
            table.push(cells, seen <= limit);
        }
        let text = |key: u64| key.to_string();
        let mut ours = Robust::with_grid(grid.columns(), grid.rows(), Seed::FIXED).unwrap();
        ours.extend((0..items).map(text));
        let queries = 100_000;
        let found = (items..items + queries).filter(|key| ours.contains(text(*key))).count();
        // The rate of one filter spreads by 3·(deviation of the fill)/fill, at most 10⁻³ here.
        let measured = Measured { rate: found as f64 / queries as f64, queries, spread: 1e-6 };
        // Simulated: the last digit of three is chance, as that at 10^7 shows.
        let print = format!("{sound} ±0.0005");
        table.row(format!("n={items}, a sound hash"), &print, predicted, measured);
    }

    // Keys that differ only where the hash does not look.
    let mut theirs = Theirs::new(their_grid(1_000_000, fpr));
    (1_000_000..3_000_000).step_by(2).for_each(|key| theirs.insert(key));
    let measured = theirs.rate((1_000_001..3_000_000).step_by(2));
    assert_eq!(measured.rate, 1.0);
    table.row("their hash, even in, odd asked, seven digits", "1.0", None, measured);
    table.finish();
}

/// With a sound hash, and sized for it, the grid keeps its target as any other filter.
#[test]
fn robust_targets() {
    let mut table = Table::new("Robust: sized by the true rate");
    for (items, fpr, print) in [(5000, 0.1, "0.1"), (10_000, 0.01, "0.01"), (20_000, 1e-3, "0.001")]
    {
        let target = Target::new(items, fpr).unwrap();
        let filled = |trial| {
            let mut filter = Robust::new(target).unwrap();
            (0..items).for_each(|i| {
                filter.insert_hash(crate::trial::key(trial, i)).unwrap();
            });
            filter
        };
        let grid = Robust::new(target).unwrap().grid();
        let predicted = bloom::rate(grid.positions(), items, 3);
        assert!(predicted <= fpr, "{items} at {fpr}: {predicted}");
        let measured = measure(20, 100_000, filled);
        // No two primes make just the size.
        let print = format!("{print} ±{}", fpr * 0.002);
        table.row(format!("{items} items at {fpr}"), &print, predicted, measured);
    }
    table.finish();
}
