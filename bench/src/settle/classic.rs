//! The walk over the cells of a classic filter: is it as good as independent probes?

use super::heading;
use crate::model;
use crate::random::{GOLDEN, Random, mix};
use crate::statistics::median;
use crate::walks::{Independent, Library, Probes, Trial, Walk, rotate, rotated_product};
use std::hint::black_box;
use std::time::Instant;

/// Prints the tables.
pub fn run() {
    by_walk();
    by_target();
}

/// Small and low: the shape where related probes cost most, since the keys of a small filter are
/// few enough for two probes of a query to fall on two of one key.
fn by_walk() {
    let trial = Trial { keys: 500, cells: 12_000, probes: 17, filters: 1000, queries: 500_000 };
    let model = model::spread_exact(500, 12_000, 17);
    heading("Classic: 500 keys, 24 bits a key, 17 probes; 1000 filters, 5·10^8 queries");
    println!("{:<42} {:>10} {:>16} {:>7}", "walk", "rate", "/ model", "ns");
    println!("{:<42} {model:>10.3e}", "exact model");
    row("independent probes", &trial, model, &Independent);
    row("library (parts::probes::Spread)", &trial, model, &Library);
    let turn = |y, _| rotate(y, 0);
    row("y from h·φ", &trial, model, &Walk { start: |h: u64| h.wrapping_mul(GOLDEN), turn });
    row("y from rotl(h,32)", &trial, model, &Walk { start: |h: u64| h.rotate_left(32), turn });
    row(
        "y from rotl(h,32)^φ",
        &trial,
        model,
        &Walk { start: |h: u64| h.rotate_left(32) ^ GOLDEN, turn },
    );
    row(
        "y from h·φ folded",
        &trial,
        model,
        &Walk {
            start: |h: u64| {
                let product = u128::from(h) * u128::from(GOLDEN);
                product as u64 ^ (product >> 64) as u64
            },
            turn,
        },
    );
    row("y from a full mix of h", &trial, model, &Walk { start: mix, turn });
    row(
        "turn y·φ (a multiply a step)",
        &trial,
        model,
        &Walk { start: rotated_product, turn: |y: u64, _| y.wrapping_mul(GOLDEN) },
    );
    row(
        "turn rotl(y,21)+φ",
        &trial,
        model,
        &Walk { start: rotated_product, turn: |y: u64, _| y.rotate_left(21).wrapping_add(GOLDEN) },
    );
    row(
        "enhanced double hashing, 2^64",
        &trial,
        model,
        &Walk { start: rotated_product, turn: |y: u64, i| y.wrapping_add(i) },
    );
    row("double hashing, 2^64", &trial, model, &Walk { start: rotated_product, turn: |y, _| y });
}

fn row(name: &str, trial: &Trial, model: f64, probes: &impl Probes) {
    let rate = trial.rate(probes);
    let ratio = rate.over(model).to_string();
    println!("{name:<42} {:>10.3e} {ratio:>16} {:>7.2}", rate.mean, cost(trial, probes));
}

/// Nanoseconds to ask all 17 probes of a key, in the cache and without a branch.
fn cost(trial: &Trial, probes: &impl Probes) -> f64 {
    let mut random = Random::new(3);
    let bits = trial.build(probes, &mut random);
    let mut rounds: Vec<f64> = (0..15)
        .map(|_| {
            let start = Instant::now();
            let mut sum = 0;
            for i in 0..50_000u64 {
                probes.each(i.wrapping_mul(GOLDEN), trial.cells, 17, |cell| {
                    sum += bits[cell as usize / 64] >> (cell % 64) & 1;
                });
            }
            black_box(sum);
            start.elapsed().as_secs_f64() * 1e9 / 50_000.0
        })
        .collect();
    median(&mut rounds)
}

fn by_target() {
    heading(
        "Classic: the library's walk against the model, best k for each target; measured/model",
    );
    println!(
        "{:>8} {:>3} {:>9} {:>17} {:>17} {:>17}",
        "target", "k", "bits/key", "10^4 keys", "10^5", "10^6"
    );
    for target in [0.2, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6] {
        let plan =
            model::plan(target, 1..=24, |bits, probes| model::spread(1e6, 1e6 * bits, probes));
        print!("{target:>8} {:>3} {:>9.3}", plan.probes, plan.bits);
        for (keys, filters) in [(10_000, 200), (100_000, 40), (1_000_000, 8)] {
            let cells = (keys as f64 * plan.bits).ceil();
            let queries = (1e4 / target).clamp(2e7, 4e8) as u64 / filters;
            let trial = Trial { keys, cells: cells as u64, probes: plan.probes, filters, queries };
            let model = model::spread(keys as f64, cells, plan.probes);
            print!(" {:>17}", trial.rate(&Library).over(model).to_string());
        }
        println!();
    }
}
