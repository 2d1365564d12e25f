//! The pattern inside a 512-bit line: does it measure what the exact model says?

use super::heading;
use crate::lines::{LIBRARY, Rule, Trial, drawn, powers};
use crate::model::{self, LINE_BITS, Plan};
use crate::parallel;
use crate::random::Random;
use crate::statistics::Rate;
use anther::KeyHash;
use anther::parts::probes::{Lanes, Line};

/// Lines of one filter: small enough for the cache, and its few lines are in the model.
const LINES: u64 = 4096;
const TARGETS: [f64; 7] = [0.2, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

/// Prints the tables.
pub fn run() {
    the_copied_rule_is_the_librarys();
    by_target();
    by_rule();
    split();
}

/// The measurement asks eight queries at a time, of a copy of the rule; here it is held to the
/// library's own.
fn the_copied_rule_is_the_librarys() {
    let mut random = Random::new(1);
    for _ in 0..100_000 {
        let hash = random.draw();
        let mut places = 0..16;
        Line::new(1, 16).each(KeyHash(hash), |place| {
            assert_eq!(places.next().map(|i| LIBRARY.place(hash, i)), Some(place));
        });
        assert!(places.is_empty());
    }
}

fn best(target: f64) -> Plan {
    model::plan(target, 1..=16, |bits, probes| {
        model::line(LINES as f64 * LINE_BITS / bits, LINES as f64, probes)
    })
}

/// A trial of this shape with about as many queries, and the model's rate for it.
fn trial(plan: Plan, queries: f64) -> Trial {
    let filters = 256;
    Trial {
        keys: (LINES as f64 * LINE_BITS / plan.bits) as u64,
        lines: LINES,
        probes: plan.probes,
        filters,
        eights: (queries / 8.0 / (LINES * filters) as f64).ceil() as u64,
        zoom: 0,
    }
}

fn model_of(trial: &Trial) -> f64 {
    model::line(trial.keys as f64, trial.lines as f64, trial.probes)
}

/// Enough queries for this many false positives, but no more than the time allows.
fn queries(positives: f64, target: f64, most: f64) -> f64 {
    (positives / target).clamp(1e8, most)
}

fn by_target() {
    heading("Line: the library's pattern against the exact model, 256 filters of 4096 lines");
    println!(
        "{:>7} {:>3} {:>9} {:>11} {:>11} {:>16}",
        "target", "k", "bits/key", "model", "measured", "ratio"
    );
    for target in TARGETS {
        let plan = best(target);
        let trial = trial(plan, queries(4e4, target, 2e10));
        let (model, rate) = (model_of(&trial), trial.rate(&LIBRARY));
        println!(
            "{target:>7} {:>3} {:>9.3} {model:>11.4e} {:>11.4e} {:>16}",
            plan.probes,
            plan.bits,
            rate.mean,
            rate.over(model).to_string()
        );
    }
}

fn by_rule() {
    let rules = [
        LIBRARY,
        Rule { name: "odds: powers of 9E3779B9", odds: powers(0x9E37_79B9), ..LIBRARY },
        Rule { name: "odds: random, seed 1", odds: drawn(1), ..LIBRARY },
        Rule { name: "odds: random, seed 2", odds: drawn(2), ..LIBRARY },
        Rule { name: "pattern: low half of h", multiplier: 1, from: 0, ..LIBRARY },
        Rule { name: "pattern: bits 16-47 of h·φ", from: 16, ..LIBRARY },
        Rule { name: "pattern: top of h·D134…", multiplier: 0xD134_2543_DE82_EF95, ..LIBRARY },
    ];
    let targets = [1e-2, 1e-4, 1e-5, 1e-6];
    heading("Line: measured/model of other constants and other patterns");
    print!("{:<28}", "rule");
    targets.iter().for_each(|target| print!("{target:>16}"));
    println!();
    let row = |name: &str, rates: &mut dyn Iterator<Item = Rate>| {
        print!("{name:<28}");
        rates.for_each(|rate| print!("{:>16}", rate.to_string()));
        println!();
    };
    let trials = targets.map(|target| trial(best(target), queries(2e4, target, 3e9)));
    for rule in rules {
        row(rule.name, &mut trials.iter().map(|trial| trial.rate(&rule).over(model_of(trial))));
    }
    // A window of a filter of 2²⁷ lines (8 GiB): the line has taken 27 bits of the hash.
    row(
        "library, 2^27 lines",
        &mut trials
            .iter()
            .map(|trial| Trial { zoom: 15, ..*trial }.rate(&LIBRARY).over(model_of(trial))),
    );

    let eight_lanes = Rule { reach: 64, ..LIBRARY };
    let lanes = |trial: &Trial| model::lanes(trial.keys as f64, trial.lines as f64, 64.0);
    let plans = targets.map(|target| {
        model::plan(target, 8..=8, |bits, _| {
            model::lanes(LINES as f64 * LINE_BITS / bits, LINES as f64, 64.0)
        })
    });
    let trials = [0, 1, 2, 3].map(|i| trial(plans[i], queries(2e4, targets[i], 3e9)));
    row(
        "eight lanes of 64",
        &mut trials.iter().map(|trial| trial.rate(&eight_lanes).over(lanes(trial))),
    );
    print!("{:<28}", "  its bits/key");
    plans.iter().for_each(|plan| print!("{:>16.3}", plan.bits));
    print!("\n{:<28}", "  the line's");
    targets.iter().for_each(|target| print!("{:>16.3}", best(*target).bits));
    println!();
}

fn split() {
    heading("Lanes: Parquet's rule against its exact model, 256 filters of 4096 blocks");
    println!(
        "{:>7} {:>9} {:>11} {:>11} {:>16}",
        "target", "bits/key", "model", "measured", "ratio"
    );
    for target in &TARGETS[1..6] {
        let blocks = LINES as f64;
        let rate = |keys: f64| model::lanes(keys, blocks, 32.0);
        let plan = model::plan(*target, 8..=8, |bits, _| rate(blocks * 256.0 / bits));
        let keys = (blocks * 256.0 / plan.bits) as u64;
        let filters = 256;
        let each = (queries(1e4, *target, 1e9) / filters as f64) as u64;
        let measured = Rate::of(&parallel::map(filters, |filter| split_rate(keys, each, filter)));
        let model = rate(keys as f64);
        println!(
            "{target:>7} {:>9.3} {model:>11.4e} {:>11.4e} {:>16}",
            plan.bits,
            measured.mean,
            measured.over(model).to_string()
        );
    }
}

fn split_rate(keys: u64, queries: u64, filter: u64) -> f64 {
    let lanes = Lanes::new(LINES);
    let mut random = Random::new(filter << 32 | keys);
    let mut blocks = vec![[0u64; Lanes::WORDS]; LINES as usize];
    for _ in 0..keys {
        let key = KeyHash(random.draw());
        let block = &mut blocks[lanes.block(key) as usize];
        lanes.each(key, |place| block[place as usize / 64] |= 1 << (place % 64));
    }
    let yes = (0..queries).filter(|_| {
        let key = KeyHash(random.draw());
        let block = &blocks[lanes.block(key) as usize];
        let mut all = 1;
        lanes.each(key, |place| all &= block[place as usize / 64] >> (place % 64));
        all == 1
    });
    yes.count() as f64 / queries as f64
}
