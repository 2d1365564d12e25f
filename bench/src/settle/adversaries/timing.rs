//! What someone learns who times lookups of a key, in the same process, with a filter in the cache:
//! the best that an attacker can hope for.

use super::attack::build;
use super::objects::{SPAN, range, spread};
use super::outcome::{ABSENT, Measured, secrets};
use crate::random::{Random, scale};
use crate::statistics::median;
use anther::{Kind, Seed};
use std::hint::black_box;
use std::time::Instant;

/// Keys, hits and misses in random order.
const KEYS: usize = 50_000;
/// Lookups of a key that are timed together, since clocks may tick every ten nanoseconds.
const TOGETHER: u32 = 16;

/// Times of lookups.
pub struct Timing {
    /// The median of present keys, in nanoseconds.
    pub hit: f64,
    /// That of absent keys.
    pub miss: f64,
    /// How often the best threshold between short and long tells a hit from a miss; 0.5 is a coin.
    pub guessed: f64,
}

/// With the fixed seed, and with a secret key.
pub fn measure(kind: Kind, items: u64) -> Measured<[Timing; 2]> {
    let timed = |seed| {
        let filter = build(kind, items, 0..items, seed)?;
        timing(items, |number| number, |key| Ok(filter.contains(key)?))
    };
    Ok([timed(Seed::FIXED)?, timed(secrets(1)[0])?])
}

/// The same for lookups of ranges, each of which has one key or none.
pub fn measure_ranges(items: u64) -> Measured<[Timing; 2]> {
    let timed = |seed| {
        let filter = range(&(0..items).map(spread).collect::<Vec<_>>(), seed)?;
        timing(items, spread, |first| Ok(filter.contains_any(first..=first + (SPAN - 1))?))
    };
    Ok([timed(Seed::FIXED)?, timed(secrets(1)[0])?])
}

/// Times lookups of keys, which are made of numbers: those below `items` are present.
fn timing(
    items: u64,
    key_of: impl Fn(u64) -> u64,
    contains: impl Fn(u64) -> Measured<bool>,
) -> Measured<Timing> {
    let mut random = Random::new(17);
    let (mut hits, mut misses) = (Vec::new(), Vec::new());
    for _ in 0..KEYS {
        let draw = random.draw();
        let key = key_of(if draw & 1 == 0 { scale(draw, items) } else { ABSENT + (draw >> 32) });
        let start = Instant::now();
        let mut found = false;
        for _ in 0..TOGETHER {
            found = black_box(contains(black_box(key))?);
        }
        let time = start.elapsed().as_nanos() as f64 / f64::from(TOGETHER);
        if found { hits.push(time) } else { misses.push(time) }
    }
    let (hit, miss) = (median(&mut hits), median(&mut misses));
    Ok(Timing { hit, miss, guessed: best_guess(&hits, &misses) })
}

/// Both are sorted. The mean of the shares that are on their own side of the best threshold.
pub fn best_guess(hits: &[f64], misses: &[f64]) -> f64 {
    let below = |times: &[f64], limit: f64| {
        times.partition_point(|time| *time <= limit) as f64 / times.len() as f64
    };
    let apart = |limit: &f64| (below(hits, *limit) - below(misses, *limit)).abs();
    hits.iter().chain(misses).map(apart).fold(0.0, f64::max) / 2.0 + 0.5
}
