//! Two lists told apart: time and memory to build a cascade at CRLite's proportion, errors over the
//! whole universe, and lookups beside those of a ribbon of the same false-positive rate.

use super::heading;
use crate::race::memory::{forget_peak, peak};
use crate::statistics::median;
use anther::sizing::cascade::bound_bits;
use anther::{Again, Build, Cascade, Filter, KeyHash, Options, Ribbon, Seed, Target, Work};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

const QUERIES: u64 = 1 << 20;
const ROUNDS: usize = 21;

/// Prints the tables, up to a universe of 10⁸ keys.
pub fn run() {
    for universe in [1_000_000, 10_000_000, 100_000_000] {
        if let Err(error) = table(universe) {
            println!("cascade: skipped, {error}");
        }
    }
}

/// The i-th key of the universe; the first are the members. What is beyond is in neither list.
fn key(i: u64) -> KeyHash {
    KeyHash(i).again(1)
}

fn table(universe: u64) -> Result<(), Box<dyn Error>> {
    let members = universe * 143 / 10_000;
    let others = universe - members;
    heading(&format!("{members} members of a universe of {universe}, built on all cores"));
    let mut first = Again(|| (0..members).map(key));
    let mut second = Again(|| (members..universe).map(key));
    let before = forget_peak();
    let start = Instant::now();
    let built = Cascade::build_lists(&mut first, &mut second, None, Seed::FIXED, Work::new())?;
    let time = start.elapsed();
    let peak = peak().saturating_sub(before) as f64 / members as f64;
    let wrong = (0..universe).filter(|i| built.contains_hash(key(*i)) != (*i < members)).count();
    let (bits, fpr) = (built.profile().bits as f64, built.profile().fpr_now);
    println!("bits per member     {:.3}", bits / members as f64);
    println!("times the entropy   {:.4}", bits / bound_bits(members, others));
    println!("errors              {wrong}");
    println!("rate elsewhere      {:.4} %", 100.0 * fpr);
    println!("built in            {:.2} s", time.as_secs_f64());
    println!("per other key       {:.0} ns", time.as_nanos() as f64 / others as f64);
    println!("peak, per member    {peak:.1} bytes");

    let target = Target::new(members, fpr)?;
    let ribbon: Ribbon =
        Build::build(&mut first, target, &Options::new(), Seed::FIXED, Work::new())?;
    let step = (members / QUERIES).max(1);
    let present: Vec<_> = (0..QUERIES).map(|i| key(i * step % members)).collect();
    let absent: Vec<_> = (0..QUERIES).map(|i| key(members + i * 7919 % others)).collect();
    let mut rounds: Vec<[f64; 4]> = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push([
            ask(&built, &present),
            ask(&ribbon, &present),
            ask(&built, &absent),
            ask(&ribbon, &absent),
        ]);
    }
    for (name, own, other) in [("members", 0, 1), ("others", 2, 3)] {
        let mut times: Vec<f64> = rounds.iter().map(|round| round[own]).collect();
        let mut ratios: Vec<f64> = rounds.iter().map(|round| round[own] / round[other]).collect();
        let (time, ratio) = (median(&mut times), median(&mut ratios));
        println!("lookup of {name:<9} {time:.1} ns, {ratio:.2}× that of a ribbon");
    }
    Ok(())
}

/// Nanoseconds per lookup.
fn ask(filter: &impl Filter, keys: &[KeyHash]) -> f64 {
    let start = Instant::now();
    let found = keys.iter().filter(|key| filter.contains_hash(black_box(**key))).count();
    black_box(found);
    start.elapsed().as_nanos() as f64 / keys.len() as f64
}
