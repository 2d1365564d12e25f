//! A module for each question; each prints its tables. What settled the bytes of filters is done: they
//! are frozen, and docs/decisions.md has the results.

pub mod cascade;
pub mod grams;
pub mod kinds;
pub mod layers;
pub mod lists;
pub mod program;
pub mod ranges;
pub mod statics;

/// A heading with a line under it.
fn heading(text: &str) {
    println!("\n{text}\n{}", "-".repeat(text.chars().count()));
}
