//! Nanoseconds: batches of lookups in a filter larger than the cache, and hashes.

use super::heading;
use crate::candidates::{fold_rotated, fold_twice, xxh3};
use crate::kernels::{self, Cells, Eight, EightLanes, Kernel, Sixteen};
use crate::lines::{LIBRARY, Rule};
use crate::random::{GOLDEN, Random, mix, scale};
use crate::statistics::median;
use anther::KeyHash;
use anther::parts::probes::Line;
use memmap2::{Advice, MmapMut};
use std::hint::black_box;
use std::time::Instant;
use twox_hash::XxHash3_64;
use xxhash_rust::xxh3::xxh3_64_with_seed;

const KEYS: u64 = 100_000_000;
const QUERIES: usize = 1 << 21;
const ROUNDS: usize = 9;

/// Prints the tables.
pub fn run() {
    if !is_x86_feature_detected!("avx2") {
        println!("speed: skipped, this machine has no AVX2");
        return;
    }
    lookups();
    byte_hashes();
}

/// Lines in huge pages where the system grants them, so that the time is that of memory and not
/// of its page tables.
struct Filter(MmapMut);

impl Filter {
    /// A filter of the keys 0 to `KEYS`.
    fn new(bits: f64, probes: u32, rule: &Rule) -> std::io::Result<Filter> {
        let lines = (KEYS as f64 * bits / 512.0).ceil() as u64;
        let mut map = MmapMut::map_anon(lines as usize * size_of::<Cells>())?;
        map.advise(Advice::HugePage)?;
        // SAFETY: the map is page-aligned, and any bytes are cells.
        let cells = unsafe { map.align_to_mut::<Cells>().1 };
        // In batches, touched by a first pass and written by a second: the misses overlap.
        let mut hashes = [0; 64];
        for batch in 0..KEYS.div_ceil(64) {
            for (i, hash) in (0..).zip(&mut hashes) {
                *hash = fold_rotated(batch * 64 + i);
                let at: *const Cells = &cells[scale(*hash, lines) as usize];
                // SAFETY: a prefetch reads nothing, whatever the address.
                unsafe {
                    std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(at.cast())
                };
            }
            for hash in hashes {
                let line = &mut cells[scale(hash, lines) as usize].0;
                for i in 0..probes as usize {
                    let place = rule.place(hash, i);
                    line[place as usize / 32] |= 1 << (place % 32);
                }
            }
        }
        Ok(Filter(map))
    }

    fn lines(&self) -> &[Cells] {
        // SAFETY: the map is page-aligned, and any bytes are cells.
        unsafe { self.0.align_to::<Cells>().1 }
    }
}

/// A row of the table: its name and one round of lookups, which says how many it found.
type Row<'a> = (&'a str, Box<dyn Fn(&[u64]) -> u64 + 'a>);

fn lookups() {
    let built =
        [(9.918, 6, LIBRARY), (22.03, 12, LIBRARY), (10.099, 8, Rule { reach: 64, ..LIBRARY })]
            .map(|(bits, probes, rule)| Filter::new(bits, probes, &rule));
    let [Ok(six), Ok(twelve), Ok(split)] = &built else {
        println!("speed: skipped, no memory for three filters of 10^8 keys");
        return;
    };
    same_answers(six.lines(), 6, Eight(6));
    same_answers(twelve.lines(), 12, Sixteen(12));

    let rows: [Row; 10] = [
        // SAFETY (all): `run` has made sure of AVX2.
        ("line k=6, AVX2, one fold", avx2(six, fold_rotated, Eight(6))),
        ("line k=6, AVX2, XXH3", avx2(six, xxh3, Eight(6))),
        ("line k=6, AVX2, mix", avx2(six, mix, Eight(6))),
        ("line k=6, AVX2, two folds", avx2(six, fold_twice, Eight(6))),
        (
            "line k=6, portable, one fold",
            Box::new(|keys| kernels::portable(six.lines(), keys, fold_rotated, 6)),
        ),
        (
            "line k=6, portable, XXH3",
            Box::new(|keys| kernels::portable(six.lines(), keys, xxh3, 6)),
        ),
        ("line k=12, AVX2, one fold", avx2(twelve, fold_rotated, Sixteen(12))),
        (
            "line k=12, portable, one fold",
            Box::new(|keys| kernels::portable(twelve.lines(), keys, fold_rotated, 12)),
        ),
        ("eight lanes, AVX2, one fold", avx2(split, fold_rotated, EightLanes)),
        ("eight lanes, AVX2, XXH3", avx2(split, xxh3, EightLanes)),
    ];
    heading("Speed: ns a lookup, batches with prefetch, 10^8 keys, one core; medians of 9 rounds");
    println!("{:<32} {:>9} {:>13} {:>9}", "", "absent", "half present", "MB");
    // The fold's filter was built with the fold, so under the other hashes no key is present.
    let absent = queries(KEYS..u64::MAX);
    let half = queries(0..2 * KEYS);
    let mut times = vec![[const { Vec::new() }; 2]; rows.len()];
    for _ in 0..ROUNDS {
        for ((_, round), times) in rows.iter().zip(&mut times) {
            for (keys, times) in [&absent, &half].into_iter().zip(times) {
                times.push(nanoseconds(keys.len(), || black_box(round(keys))));
            }
        }
    }
    let sizes = [six, six, six, six, six, six, twelve, twelve, split, split];
    for (((name, _), times), filter) in rows.iter().zip(&mut times).zip(sizes) {
        let [absent, half] = times.each_mut().map(|times| median(times));
        let half = if name.ends_with("one fold") { format!("{half:.2}") } else { String::new() };
        println!("{name:<32} {absent:>9.2} {half:>13} {:>9.0}", filter.0.len() as f64 / 1e6);
    }
}

fn avx2<'a>(
    filter: &'a Filter,
    hash: impl Fn(u64) -> u64 + Copy + 'a,
    kernel: impl Kernel + 'a,
) -> Box<dyn Fn(&[u64]) -> u64 + 'a> {
    // SAFETY: `run` has made sure of AVX2.
    Box::new(move |keys| unsafe { kernels::avx2(filter.lines(), keys, hash, kernel) })
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
    let line = Line::new(lines.len() as u64, probes);
    for key in queries(0..2 * KEYS) {
        let hash = fold_rotated(key);
        let cells = &lines[line.line(KeyHash(hash)) as usize];
        let bit = |place: u32| cells.0[place as usize / 32] >> (place % 32) & 1 == 1;
        let expected = line.all(KeyHash(hash), bit);
        // SAFETY: `run` has made sure of AVX2.
        assert_eq!(unsafe { kernel.test(cells, hash) }, expected, "key {key}");
        assert!(expected || key >= KEYS, "a key that was put in is found");
    }
}

fn byte_hashes() {
    heading("Speed: ns a hash of bytes, XXH3-64 with a seed; medians of 9 alternated rounds");
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
