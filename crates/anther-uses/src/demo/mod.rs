//! The demonstrations, one file per use.
//!
//! Each has its options ([`clap::Args`], whose defaults are what `all` runs) and a `run` that adds
//! lines to a [`Report`].

pub mod key_value_store;
pub mod near_duplicates;
mod report;

pub use report::{NotRun, Report};

use std::error::Error;

/// How a demonstration ended, if it did not print its lines: an error, or [`NotRun`].
pub type Outcome = Result<(), Box<dyn Error>>;

/// The seed of everything that is drawn by chance.
pub const SEED: u64 = 20_261_117;
