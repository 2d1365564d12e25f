//! What layers cost: lookups in a filter that has grown, beside one filter of the same kind that
//! was made for the same keys and the same rate.

use super::heading;
use crate::random::{Random, scale};
use crate::statistics::median;
use anther::{
    AnyFilter, Blocked, Classic, Filter, Insert, KeyHash, Kind, Options, Scalable, Seed, Target,
};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

/// Eleven layers of 2000, 4000, … hold four million keys.
const FIRST: u64 = 2000;
const LAYERS: u32 = 11;
const FPR: f64 = 0.01;
const QUERIES: usize = 1 << 18;
/// Short and many: a round that another program interrupts is an exception, on either side.
const ROUND: usize = 1 << 10;
const ROUNDS: usize = 601;

/// Prints the tables.
pub fn run() {
    let tables = [table::<Blocked>(Kind::Blocked), table::<Classic>(Kind::Classic)];
    if let Some(error) = tables.into_iter().find_map(Result::err) {
        println!("layers: skipped, {error}");
    }
}

fn table<F: Filter + TryFrom<AnyFilter>>(over: Kind) -> Result<(), Box<dyn Error>> {
    heading(&format!(
        "Layers over {over}, 1 %: ns per lookup, and times that of one filter; medians of \
         601 alternated rounds"
    ));
    println!(
        "{:>6} {:>9} {:>9} {:>9} {:>17} {:>17}",
        "layers", "keys", "bits/key", "one has", "present", "absent"
    );
    let options = Options::new().over(over);
    let mut grown = Scalable::with_options(Target::new(FIRST, FPR)?, &options, Seed::FIXED)?;
    let mut random = Random::new(12);
    let mut keys: Vec<KeyHash> = Vec::new();
    for layers in 1..=LAYERS {
        while keys.len() < (FIRST << layers) as usize - FIRST as usize {
            let key = KeyHash(random.draw());
            grown.insert_hash(key)?;
            keys.push(key);
        }
        assert_eq!(grown.profile().layers, layers, "the last is full, but for a few keys");

        let target = Target::new(keys.len() as u64, FPR)?;
        let mut one = AnyFilter::new(over, target, Seed::FIXED)?;
        if let Some(one) = one.as_insert() {
            one.insert_hashes(&keys)?;
        }
        let one_bits = one.profile().bits as f64 / keys.len() as f64;
        let Ok(one) = F::try_from(one) else { return Err("another kind".into()) };

        let present: Vec<_> =
            (0..QUERIES).map(|_| keys[scale(random.draw(), keys.len() as u64) as usize]).collect();
        let absent: Vec<_> = (0..QUERIES).map(|_| KeyHash(random.draw())).collect();
        let mut columns = Vec::new();
        for (queries, present) in [(&present, true), (&absent, false)] {
            let (mut times, mut ratios, mut found) = (Vec::new(), Vec::new(), 0);
            // Other keys in each round, so that none is in the cache because it was asked before.
            for part in queries.chunks_exact(ROUND).cycle().take(ROUNDS) {
                let (ours, yes) = lookups(&grown, part);
                let (its, _) = lookups(&one, part);
                times.push(ours);
                ratios.push(ours / its);
                found += yes;
            }
            let share = found as f64 / (ROUND * ROUNDS) as f64;
            assert!(if present { share == 1.0 } else { share < 1.1 * FPR }, "{share} found");
            columns.push(format!("{:.1} ns {:>4.1} x", median(&mut times), median(&mut ratios)));
        }
        println!(
            "{layers:>6} {:>9} {:>9.1} {one_bits:>9.1} {:>17} {:>17}",
            keys.len(),
            grown.profile().bits as f64 / keys.len() as f64,
            columns[0],
            columns[1],
        );
    }
    Ok(())
}

/// Nanoseconds per lookup, and how many keys were found.
fn lookups(filter: &impl Filter, queries: &[KeyHash]) -> (f64, usize) {
    let start = Instant::now();
    let found = queries.iter().filter(|key| black_box(filter).contains_hash(**key)).count();
    (start.elapsed().as_secs_f64() * 1e9 / queries.len() as f64, found)
}
