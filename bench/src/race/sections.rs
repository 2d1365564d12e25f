//! Which sections there are, how large they are, and who takes part in them.

use super::args::Args;
use super::contender::Contender;
use super::keys::{Integers, Strings};
use super::record::Row;
use super::trial::{self, Setting};
use super::{exact, hashes, ours, peers, statics, threads};

const RATES: [f64; 2] = [0.01, 0.001];
const ROUNDS: usize = 7;
/// Nanoseconds of questions in a round: 10 ms.
const CELL: f64 = 1e7;

/// Runs what is wanted. Rows of a section are handed on as soon as they are there.
pub fn run(args: &Args, tell: &mut dyn FnMut(&[Row])) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut keep = |more: Vec<Row>| {
        tell(&more);
        rows.extend(more);
    };
    let settings = |sizes: Vec<u64>| {
        let pairs = sizes.into_iter().flat_map(|items| RATES.map(|rate| (items, rate)));
        pairs.map(|(items, rate)| setting(args, items, rate)).collect::<Vec<_>>()
    };
    if args.wants("u64") {
        for setting in settings(args.sizes(&[1_000_000, 100_000_000])) {
            keep(trial::run(integers(), setting));
        }
    }
    if args.wants("strings") {
        for setting in settings(args.sizes(&[1_000_000])) {
            keep(trial::run(strings(), setting));
        }
    }
    if args.wants("static") && !args.native {
        let sizes: &[u64] =
            if args.quick { &[1_000_000] } else { &[1_000_000, 10_000_000, 100_000_000] };
        for items in sizes {
            keep(statics::run(*items, ROUNDS));
        }
    }
    if args.wants("threads") && !args.native {
        let items = if args.quick { 1_000_000 } else { 100_000_000 };
        keep(threads::run(items, RATES[0], ROUNDS));
    }
    if args.wants("hash") {
        keep(hashes::run(ROUNDS));
    }
    rows
}

fn setting(args: &Args, items: u64, rate: f64) -> Setting {
    // Twice 10⁶ absent keys tell a rate of 0.1 % to 2 %, and their lines are four times the cache.
    let questions = if args.quick { 1 << 18 } else { 1 << 21 };
    Setting { items, rate, rounds: ROUNDS, cell: CELL, questions }
}

impl Args {
    fn sizes(&self, native: &[u64]) -> Vec<u64> {
        match (self.native, self.quick) {
            (true, false) => native.to_vec(),
            (true, true) => vec![1_000_000],
            (false, true) => vec![100_000, 1_000_000],
            (false, false) => vec![100_000, 1_000_000, 10_000_000, 100_000_000],
        }
    }
}

fn integers() -> Vec<Contender<Integers>> {
    let mut all = ours::all();
    all.extend(ours::solved());
    all.extend(peers::all());
    all.extend(peers::integers());
    all.extend(exact::integers());
    all
}

fn strings() -> Vec<Contender<Strings>> {
    let mut all = ours::all();
    all.extend(peers::all());
    all.extend(peers::strings());
    all.extend(exact::strings());
    all
}
