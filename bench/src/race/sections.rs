//! Which sections there are, how large they are, and who takes part in them.

use super::args::Args;
use super::contender::{Contender, HashOf};
use super::keys::{Family, Integers, Strings};
use super::record::Row;
use super::trial::{self, Setting};
use super::{exact, goals, hashes, ours, peers, statics, threads};

/// How many keys there are in the section about threads.
const THREADED: [u64; 2] = [1_000_000, 100_000_000];
const RATES: [f64; 2] = [0.01, 0.001];
const ROUNDS: usize = 7;
const QUICK_ROUNDS: usize = 5;
/// Nanoseconds of lookups in a round: 10 ms.
const CELL: f64 = 1e7;

/// Runs the chosen sections. Passes on the rows of each as soon as they are measured.
pub fn run(args: &Args, tell: &mut dyn FnMut(&[Row])) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut keep = |more: Vec<Row>| {
        tell(&more);
        rows.extend(more);
    };
    if args.wants("u64") {
        for setting in settings(args, &[1_000_000, 100_000_000]) {
            keep(trial::run(taking_part(integers(), args, setting), setting));
        }
    }
    if args.wants("strings") {
        for setting in settings(args, &[1_000_000]) {
            keep(trial::run(taking_part(strings(), args, setting), setting));
        }
    }
    if args.wants("static") && !args.native {
        for items in args.sizes(&[]) {
            keep(statics::run(items, rounds(args)));
        }
    }
    if args.wants("threads") && !args.native {
        // In the cache and out of it.
        let sizes = args.sizes(&[]).into_iter();
        for items in sizes.filter(|items| args.items.is_some() || THREADED.contains(items)) {
            keep(threads::run(items, RATES[0], rounds(args)));
        }
    }
    if args.wants("hash") {
        keep(hashes::run(rounds(args)));
    }
    rows
}

/// Each size at each rate, but the largest of a build for this very machine at the first alone.
fn settings(args: &Args, native: &[u64]) -> Vec<Setting> {
    let sizes = args.sizes(native).into_iter();
    let pairs = sizes.flat_map(|items| RATES.map(|rate| (items, rate)));
    let pairs = pairs.filter(|(items, rate)| !is_short(args, *items) || *rate == RATES[0]);
    let setting = |(items, rate)| {
        // 10⁶ absent keys tell a rate of 0.1 % to 3 %. Where lines are in memory there are twice as
        // many, so that theirs are four times the cache.
        let questions = match args.quick {
            true => 1 << 19,
            false if items < 10_000_000 => 1 << 20,
            false => 1 << 21,
        };
        let cell = if args.quick { CELL / 2.0 } else { CELL };
        let rebuilds = match (args.quick, items <= 100_000) {
            (false, true) => 15,
            (true, false) => 3,
            _ => 7,
        };
        Setting { items, rate, rounds: rounds(args), rebuilds, cell, questions }
    };
    pairs.map(setting).collect()
}

/// The second table is about what other flags change, which the slow ones need not show. A quick run
/// is about stars and goals, without those that are in one table only.
fn taking_part<F: Family>(
    mut all: Vec<Contender<F>>,
    args: &Args,
    setting: Setting,
) -> Vec<Contender<F>> {
    all.retain(|of| !is_short(args, setting.items) || !of.slow);
    let may_win = |of: &Contender<F>| of.hash == HashOf::Ours && of.only.is_none();
    all.retain(|of| !args.quick || may_win(of) || goals::names(of.name));
    all
}

fn is_short(args: &Args, items: u64) -> bool {
    args.native && items >= 100_000_000
}

fn rounds(args: &Args) -> usize {
    if args.quick { QUICK_ROUNDS } else { ROUNDS }
}

impl Args {
    /// How large the sets are; those of a build for this very machine are fewer.
    fn sizes(&self, native: &[u64]) -> Vec<u64> {
        if let Some(items) = self.items {
            return vec![items];
        }
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
