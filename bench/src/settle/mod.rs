//! A module for each question; each prints its tables. What settled the bytes of filters is done: they
//! are frozen, and docs/decisions.md has the results.

pub mod adversaries;
pub mod batches;
pub mod cascade;
pub mod grams;
pub mod kinds;
pub mod layers;
pub mod lists;
pub mod program;
pub mod ranges;
pub mod statics;

/// How many keys, where `--items=1e7` says so.
fn items() -> Option<u64> {
    let given = std::env::args().find_map(|arg| arg.strip_prefix(ITEMS)?.parse::<f64>().ok());
    given.filter(|items| (1e3..=1e9).contains(items)).map(|items| items as u64)
}

/// The option before the number of keys.
pub const ITEMS: &str = "--items=";

/// A heading with a line under it.
fn heading(text: &str) {
    println!("\n{text}\n{}", "-".repeat(text.chars().count()));
}
