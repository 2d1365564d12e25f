//! The integer hash: tests in the manner of SMHasher, and real filters over twenty shapes of keys.

use super::heading;
use crate::candidates::{CANDIDATES, Candidate};
use crate::parallel;
use crate::shapes::{self, SHAPES, Shape};
use crate::smhasher::{self, Spread};
use anther::KeyHash;
use anther::parts::probes;

/// A chance of one in a billion is no chance: what is rarer fails.
const SURPRISE: f64 = 9.0;
/// Sigmas of chi-square.
const UNEVEN: f64 = 6.0;
/// SMHasher's line for the worst bias of avalanche.
const BIAS: f64 = 0.01;

/// Prints the tables.
pub fn run() {
    heading("Hash: tests in the manner of SMHasher");
    row("", |candidate| candidate.name.to_string());
    avalanche();
    differences();
    families();
    filters();
}

/// One line of a table, a cell a candidate, made on all cores.
fn row(name: &str, cell: impl Fn(&Candidate) -> String + Sync) {
    let cells = parallel::map(CANDIDATES.len() as u64, |at| cell(&CANDIDATES[at as usize]));
    print!("{name:<36}");
    cells.iter().for_each(|cell| print!(" {cell:>16}"));
    println!();
}

fn verdict(passes: bool) -> &'static str {
    if passes { "pass" } else { "FAIL" }
}

fn avalanche() {
    const KEYS: usize = 1 << 19;
    let inputs: [(&str, Vec<u64>); 5] = [
        ("avalanche, random keys", smhasher::drawn(KEYS)),
        ("avalanche, keys i", (0..KEYS as u64).collect()),
        ("avalanche, keys i<<32", (0..KEYS as u64).map(|i| i << 32).collect()),
        ("avalanche, up to 4 bits set", shapes::sparse(4)),
        ("avalanche, eight digits of text", (0..KEYS as u64).map(SHAPES[19].1).collect()),
    ];
    for (name, keys) in inputs {
        row(name, |candidate| {
            let bias = smhasher::avalanche(candidate.hash, &keys);
            format!("{:.2} % {}", bias * 100.0, verdict(bias < BIAS))
        });
    }
}

fn differences() {
    let inputs = [
        ("1 and 2 bit differences, random keys", smhasher::drawn(1 << 16)),
        ("1 and 2 bit differences, keys i", (0..1 << 16).collect()),
    ];
    for (name, keys) in inputs {
        row(name, |candidate| {
            let (top_half, worst) = smhasher::differences(candidate.hash, &keys);
            format!("{top_half}, {worst:.1} {}", verdict(top_half < 4 && worst < SURPRISE))
        });
    }
}

fn families() {
    for family in shapes::families() {
        row(family.name, |candidate| {
            let worst = family
                .sets
                .iter()
                .map(|keys| Spread::of(candidate.hash, keys))
                .fold(Spread::default(), Spread::worse);
            let passes = worst.full == 0 && worst.halves < SURPRISE && worst.buckets < UNEVEN;
            format!("{}, {:.0}, {:.0} {}", worst.full, worst.halves, worst.buckets, verdict(passes))
        });
    }
    println!(
        "avalanche: worst bias of any input and output bit. differences: collisions of the top half,\n\
         worst −log10 p of a difference. keys: collisions of 64 bits, worst −log10 p of collisions in\n\
         32 bits, worst chi-square of 9 to 20 bits in sigmas; the worst set of each family."
    );
}

const KEYS: u64 = 1_000_000;
const QUERIES: u64 = 2_000_000;
/// 1 % and six sigmas of two million queries.
const RATE: f64 = 0.01 + 6.0 * 7.1e-5;

fn filters() {
    heading("Hash: a line filter (k=6, 9.92 bits) and a classic one (k=7, 9.593 bits), in %");
    row("10^6 keys of a shape, 2·10^6 others", |candidate| candidate.name.to_string());
    for shape in SHAPES {
        row(shape.0, |candidate| {
            let (line, spread) = (line_rate(candidate, shape), spread_rate(candidate, shape));
            let verdict = verdict(line < RATE && spread < RATE);
            format!("{:.3} {:.3} {verdict}", line * 100.0, spread * 100.0)
        });
    }
}

/// The share of the shape's next keys that the filter of its first keys says yes to.
fn positives(candidate: &Candidate, (_, key): Shape, ask: impl Fn(KeyHash) -> bool) -> f64 {
    let yes = (KEYS..KEYS + QUERIES).filter(|&i| ask(KeyHash((candidate.hash)(key(i)))));
    yes.count() as f64 / QUERIES as f64
}

fn line_rate(candidate: &Candidate, shape: Shape) -> f64 {
    let line = probes::Line::new((KEYS as f64 * 9.92 / 512.0).ceil() as u64, 6);
    let mut lines = vec![[0u64; probes::Line::WORDS]; line.lines() as usize];
    for i in 0..KEYS {
        let key = KeyHash((candidate.hash)(shape.1(i)));
        let words = &mut lines[line.line(key) as usize];
        line.each(key, |place| words[place as usize / 64] |= 1 << (place % 64));
    }
    positives(candidate, shape, |key| {
        let words = &lines[line.line(key) as usize];
        line.all(key, |place| words[place as usize / 64] >> (place % 64) & 1 == 1)
    })
}

fn spread_rate(candidate: &Candidate, shape: Shape) -> f64 {
    let spread = probes::Spread::new((KEYS as f64 * 9.593).ceil() as u64, 7);
    let mut words = vec![0u64; spread.cells().div_ceil(64) as usize];
    for i in 0..KEYS {
        let key = KeyHash((candidate.hash)(shape.1(i)));
        spread.each(key, |cell| words[cell as usize / 64] |= 1 << (cell % 64));
    }
    positives(candidate, shape, |key| {
        spread.all(key, |cell| words[cell as usize / 64] >> (cell % 64) & 1 == 1)
    })
}
