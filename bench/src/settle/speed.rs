//! Nanoseconds: batches of lookups in a filter larger than the cache, and hashes.

use super::heading;
use crate::candidates::{fold_rotated, fold_twice, library, xxh3};
use crate::kernels::{
    Cells, Eight, EightLanes, Kernel, Lines, Sixteen, avx2, line, portable, prefetch,
};
use crate::lines::{LIBRARY, Rule};
use crate::random::{GOLDEN, Random, mix, scale};
use crate::statistics::median;
use anther::KeyHash;
use anther::parts::probes::Line;
use std::hint::black_box;
use std::io;
use std::time::Instant;
use twox_hash::XxHash3_64;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A filter far beyond the cache, and one within it that shows the instructions alone.
const LARGE: u64 = 100_000_000;
const SMALL: u64 = 100_000;
const QUERIES: usize = 1 << 20;
const ROUNDS: usize = 15;

/// Prints the tables.
pub fn run() {
    if !is_x86_feature_detected!("avx2") {
        println!("speed: skipped, this machine has no AVX2");
        return;
    }
    lookups();
    byte_hashes();
}

/// A layout that is timed: bits a key, probes, and where they go.
type Layout = (f64, u32, Rule);

const LAYOUTS: [Layout; 3] =
    [(9.918, 6, LIBRARY), (22.03, 12, LIBRARY), (10.099, 8, Rule { reach: 64, ..LIBRARY })];

/// A row of the table: its name, its layout, and one round of lookups, which counts what it found.
type Row = (&'static str, usize, fn(&[Cells], &[u64]) -> u64);

const ROWS: [Row; 11] = [
    ("line k=6, AVX2, one fold", 0, |l, k| fast(l, k, fold_rotated, Eight(6))),
    ("line k=6, AVX2, library's hash", 0, |l, k| fast(l, k, library, Eight(6))),
    ("line k=6, AVX2, wyhash's folds", 0, |l, k| fast(l, k, fold_twice, Eight(6))),
    ("line k=6, AVX2, mix", 0, |l, k| fast(l, k, mix, Eight(6))),
    ("line k=6, AVX2, XXH3", 0, |l, k| fast(l, k, xxh3, Eight(6))),
    ("line k=6, portable, one fold", 0, |l, k| portable(l, k, fold_rotated, 6)),
    ("line k=6, portable, XXH3", 0, |l, k| portable(l, k, xxh3, 6)),
    ("line k=12, AVX2, one fold", 1, |l, k| fast(l, k, fold_rotated, Sixteen(12))),
    ("line k=12, portable, one fold", 1, |l, k| portable(l, k, fold_rotated, 12)),
    ("eight lanes, AVX2, one fold", 2, |l, k| fast(l, k, fold_rotated, EightLanes)),
    ("eight lanes, AVX2, XXH3", 2, |l, k| fast(l, k, xxh3, EightLanes)),
];

fn fast(lines: &[Cells], keys: &[u64], hash: impl Fn(u64) -> u64, kernel: impl Kernel) -> u64 {
    // SAFETY: `run` has made sure of AVX2.
    unsafe { avx2(lines, keys, hash, kernel) }
}

fn lookups() {
    let [Ok(large), Ok(small)] = [LARGE, SMALL].map(|keys| {
        LAYOUTS.iter().map(|layout| Filter::new(keys, layout)).collect::<io::Result<Vec<_>>>()
    }) else {
        println!("speed: skipped, no memory for three filters of 10^8 keys");
        return;
    };
    same_answers(large[0].lines(), 6, Eight(6));
    same_answers(large[1].lines(), 12, Sixteen(12));

    heading("Speed: ns a lookup, batches with prefetch, one core; medians of 15 alternated rounds");
    println!(
        "{:<30} {:>12} {:>13} {:>13} {:>5}",
        "", "10^5 absent", "10^8 absent", "half present", "MB"
    );
    let absent = queries(LARGE..u64::MAX);
    let half = queries(0..2 * LARGE);
    let mut times = vec![[const { Vec::new() }; 3]; ROWS.len()];
    for _ in 0..ROUNDS {
        for ((_, layout, round), times) in ROWS.iter().zip(&mut times) {
            let inputs = [(&small, &absent), (&large, &absent), (&large, &half)];
            for ((filters, keys), times) in inputs.into_iter().zip(times) {
                times.push(nanoseconds(QUERIES, || round(filters[*layout].lines(), keys)));
            }
        }
    }
    for ((name, layout, _), times) in ROWS.iter().zip(&mut times) {
        let [small, absent, half] = times.each_mut().map(|times| median(times));
        // The filters were built with one fold: under another hash none of the keys is present.
        let half = if name.ends_with("one fold") { format!("{half:.2}") } else { "-".into() };
        let size = size_of_val(large[*layout].lines()) as f64 / 1e6;
        println!("{name:<30} {small:>12.2} {absent:>13.2} {half:>13} {size:>5.0}");
    }
}

struct Filter(Lines);

impl Filter {
    /// A filter of the integers below `keys`.
    fn new(keys: u64, (bits, probes, rule): &Layout) -> io::Result<Filter> {
        let lines = (keys as f64 * bits / 512.0).ceil() as u64;
        let mut map = Lines::zeroed(lines as usize)?;
        let cells = map.as_mut_slice();
        // In batches, fetched by a first pass and written by a second: the misses overlap.
        for batch in 0..keys.div_ceil(64) {
            let hashes: [u64; 64] = std::array::from_fn(|i| fold_rotated(batch * 64 + i as u64));
            hashes.iter().for_each(|&hash| prefetch(line(cells, hash)));
            for hash in hashes {
                let line = &mut cells[scale(hash, lines) as usize].0;
                for place in (0..*probes as usize).map(|i| rule.place(hash, i)) {
                    line[place as usize / 32] |= 1 << (place % 32);
                }
            }
        }
        Ok(Filter(map))
    }

    fn lines(&self) -> &[Cells] {
        self.0.as_slice()
    }
}

fn queries(range: std::ops::Range<u64>) -> Vec<u64> {
    let mut random = Random::new(8);
    (0..QUERIES).map(|_| range.start + scale(random.draw(), range.end - range.start)).collect()
}

fn nanoseconds(count: usize, work: impl FnOnce() -> u64) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64() * 1e9 / count as f64
}

/// The vector form must say what the library says, for keys present and absent.
fn same_answers(lines: &[Cells], probes: u32, kernel: impl Kernel) {
    let library = Line::new(lines.len() as u64, probes);
    for key in queries(0..2 * LARGE) {
        let hash = KeyHash(fold_rotated(key));
        let cells = &lines[library.line(hash) as usize];
        let bit = |place: u32| cells.0[place as usize / 32] >> (place % 32) & 1 == 1;
        let expected = library.all(hash, bit);
        // SAFETY: `run` has made sure of AVX2.
        assert_eq!(unsafe { kernel.test(cells, hash.0) }, expected, "key {key}");
        assert!(expected || key >= LARGE, "a key that was put in is found");
    }
}

fn byte_hashes() {
    heading("Speed: ns a hash of bytes, XXH3-64 with a seed; medians of 15 alternated rounds");
    println!("{:>9} {:>10} {:>12}", "bytes", "twox-hash", "xxhash-rust");
    for length in [8, 16, 40, 100, 1000, 1 << 20] {
        let bytes: Vec<u8> =
            (0..length + 64).map(|i| (i as u64).wrapping_mul(GOLDEN) as u8).collect();
        let count = (20_000_000 / (length + 20)).max(8);
        let round = |hash: fn(&[u8]) -> u64| {
            nanoseconds(count, || {
                (0..count)
                    .map(|i| hash(black_box(&bytes[i % 64..][..length])))
                    .fold(0, u64::wrapping_add)
            })
        };
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            one.push(round(|bytes| XxHash3_64::oneshot_with_seed(1, bytes)));
            other.push(round(|bytes| xxh3_64_with_seed(bytes, 1)));
        }
        println!("{length:>9} {:>10.1} {:>12.1}", median(&mut one), median(&mut other));
    }
}
