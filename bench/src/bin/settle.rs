//! Runs the measurements of our own filters: all of them, or those that are named.

use anther_bench::settle::{
    ITEMS, adversaries, batches, cascade, grams, kinds, layers, lists, program, ranges, statics,
};
use std::process::ExitCode;
use std::time::Instant;

const SECTIONS: [(&str, fn()); 2] = [("layers", layers::run), ("kinds", kinds::run)];

/// Minutes and gigabytes: only by name.
const ON_REQUEST: [(&str, fn()); 8] = [
    ("batches", batches::run),
    ("statics", statics::run),
    ("cascade", cascade::run),
    ("program", program::run),
    ("ranges", ranges::run),
    ("lists", lists::run),
    ("grams", grams::run),
    ("adversaries", adversaries::run),
];

fn main() -> ExitCode {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with(ITEMS)).collect();
    if let Some(unknown) = wanted
        .iter()
        .find(|name| SECTIONS.iter().chain(&ON_REQUEST).all(|(known, _)| known != name))
    {
        eprintln!(
            "settle: no section {unknown}; there are layers, kinds, batches, statics, cascade, program, ranges, \
             lists, grams and adversaries"
        );
        return ExitCode::from(2);
    }
    let by_name = |name: &str| wanted.iter().any(|wanted| wanted == name);
    let usual = SECTIONS.iter().filter(|(name, _)| wanted.is_empty() || by_name(name));
    for (name, run) in usual.chain(ON_REQUEST.iter().filter(|(name, _)| by_name(name))) {
        let start = Instant::now();
        run();
        println!("\n({name} took {:.0} s)", start.elapsed().as_secs_f64());
    }
    ExitCode::SUCCESS
}
