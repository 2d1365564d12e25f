//! Fuzz targets: every reader of bytes, and every kind against a model.
//!
//! A target is a function of bytes, in a file of its own, and a line in [`TARGETS`]. The programs in
//! `fuzz_targets` hand it to libFuzzer; `tests/replay.rs` runs it over the corpus and over what was
//! ever found. A target panics where something is wrong, and returns where its input is of no use.

#![expect(clippy::cast_possible_truncation, reason = "small numbers, and bytes on purpose")]

mod forged;
mod input;
mod small;

pub mod algebra;
pub mod csv;
pub mod exact;
pub mod files;
pub mod foreign;
pub mod iblts;
pub mod indexes;
pub mod json;
pub mod operations;
pub mod patterns;
pub mod queries;
pub mod ranges;
pub mod recipes;
pub mod reconcile;
pub mod remotes;
pub mod replies;
pub mod rules;
pub mod sketches;
pub mod states;
pub mod statics;
pub mod units_parsed;

/// Readers that are private to the program, from its own sources.
#[doc(hidden)]
#[path = "../../crates/anther-cli/src"]
pub mod program {
    pub mod cmd {
        pub mod uniq {
            mod available;
            pub mod seen;
            pub mod state {
                pub mod contents;
                pub mod header;
            }
            pub mod timed;
        }
    }
    pub mod escaped;
    pub mod exit;
    pub mod http {
        pub mod error;
        pub mod parse;
    }
}
// As the program's root has them.
use anther::units;
use program::{escaped, exit};

/// What is fuzzed.
pub struct Target {
    /// Its name: of the program, of its folder in `corpus`, and of that in `regressions`.
    pub name: &'static str,
    /// Runs an input.
    pub run: fn(&[u8]),
}

macro_rules! targets {
    ($($name:ident: $run:path;)*) => {
        /// All of them.
        pub const TARGETS: &[Target] = &[$(Target { name: stringify!($name), run: $run }),*];
    };
}
targets! {
    algebra: algebra::run;
    csv: csv::run;
    exact: exact::run;
    files: files::run;
    foreign: foreign::run;
    iblts: iblts::run;
    indexes: indexes::run;
    json: json::run;
    operations: operations::run;
    patterns: patterns::run;
    queries: queries::run;
    ranges: ranges::run;
    recipes: recipes::run;
    reconcile: reconcile::run;
    remotes: remotes::run;
    replies: replies::run;
    rules: rules::run;
    sketches: sketches::run;
    statics: statics::run;
    states: states::run;
    units_parsed: units_parsed::run;
}
