//! Kinds side by side: what a query, an insert and a removal cost in those that keep fingerprints or
//! are solved at once, beside a classic filter for the same target.

use super::heading;
use crate::statistics::median;
use anther::{AnyFilter, BuildError, Filter, KeyHash, Kind, Options, Seed, Target, Threads, Work};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

const ITEMS: u64 = 1_000_000;
const FPR: f64 = 0.01;
const KINDS: [Kind; 9] = [
    Kind::Classic,
    Kind::Blocked,
    Kind::Counting,
    Kind::DLeft,
    Kind::Quotient,
    Kind::Cuckoo,
    Kind::Fuse,
    Kind::Ribbon,
    Kind::Bloomier,
];
const QUERIES: u64 = 1 << 19;
/// Taken out in each round.
const REMOVED: usize = 1 << 16;
const ROUNDS: usize = 15;

/// Prints the table.
pub fn run() {
    if let Err(error) = table() {
        println!("kinds: skipped, {error}");
    }
}

fn build(kind: Kind, keys: &[KeyHash]) -> Result<AnyFilter, BuildError> {
    let target = Target::new(ITEMS, FPR).map_err(anther::SizeError::from)?;
    let work = Work::new().threads(Threads::ONE);
    AnyFilter::build(kind, &mut { keys }, target, &Options::new(), Seed::FIXED, work)
}

fn table() -> Result<(), Box<dyn Error>> {
    heading(&format!(
        "{ITEMS} keys at {} %, one thread: ns, and times those of classic; a removal as times its \
         insert",
        FPR * 100.0
    ));
    println!(
        "{:>9} {:>9} {:>15} {:>15} {:>15} {:>15}",
        "kind", "bits/key", "present", "absent", "insert", "remove"
    );
    let key = |i: u64| KeyHash(i).again(1);
    let keys: Vec<KeyHash> = (0..ITEMS).map(key).collect();
    let present: Vec<_> = (0..QUERIES).map(|i| key(i * 7919 % ITEMS)).collect();
    let absent: Vec<_> = (0..QUERIES).map(|i| key((1 << 40) + i)).collect();
    let mut rounds = vec![Vec::new(); KINDS.len()];
    let mut bits = [0.0; KINDS.len()];
    // All kinds in every round, so that the ratio is of the same moment.
    for _ in 0..ROUNDS {
        for ((kind, rounds), bits) in KINDS.into_iter().zip(&mut rounds).zip(&mut bits) {
            let start = Instant::now();
            let mut filter = build(kind, &keys)?;
            let insert = nanoseconds(start, keys.len());
            *bits = filter.profile().bits as f64 / ITEMS as f64;
            let (yes, no) = (ask(&filter, &present, true), ask(&filter, &absent, false));
            rounds.push([yes, no, insert, remove(&mut filter, &keys[..REMOVED])]);
        }
    }
    for (at, kind) in KINDS.into_iter().enumerate() {
        let column = |of: usize, classic: usize| {
            let mut times: Vec<f64> = rounds[at].iter().map(|round| round[of]).collect();
            let pairs = rounds[at].iter().zip(&rounds[0]);
            let mut ratios: Vec<f64> = pairs.map(|(own, other)| own[of] / other[classic]).collect();
            format!("{:.0} ({:.1}×)", median(&mut times), median(&mut ratios))
        };
        let removal = if kind.capabilities().remove { column(3, 2) } else { String::new() };
        println!(
            "{:>9} {:>9.2} {:>15} {:>15} {:>15} {removal:>15}",
            kind.name(),
            bits[at],
            column(0, 0),
            column(1, 1),
            column(2, 2)
        );
    }
    Ok(())
}

fn ask(filter: &AnyFilter, keys: &[KeyHash], present: bool) -> f64 {
    let start = Instant::now();
    let found = keys.iter().filter(|key| filter.contains_hash(black_box(**key))).count();
    let time = nanoseconds(start, keys.len());
    assert!(if present { found == keys.len() } else { found < keys.len() / 50 }, "{found}");
    time
}

/// Nothing where the kind does not remove.
fn remove(filter: &mut AnyFilter, keys: &[KeyHash]) -> f64 {
    let Some(filter) = filter.as_remove() else { return 0.0 };
    let start = Instant::now();
    let refused = keys.iter().filter(|key| filter.remove_hash(black_box(**key)).is_err()).count();
    let time = nanoseconds(start, keys.len());
    assert!(refused < keys.len() / 100, "stuck counters are rare: {refused}");
    time
}

fn nanoseconds(start: Instant, of: usize) -> f64 {
    start.elapsed().as_nanos() as f64 / of as f64
}
