//! The demonstrations, one file per use.
//!
//! Each has its options ([`clap::Args`], whose defaults are what `all` runs) and a `run` that adds
//! lines to a [`Report`].

pub mod differential_file;
pub mod encrypted_search;
pub mod key_value_store;
pub mod longest_prefix;
pub mod near_duplicates;
mod report;
mod scratch;

pub use report::{NotRun, Report};
pub use scratch::RemoverArgs;

use anther::KeyHash;
use std::error::Error;

/// How a demonstration ended, if it did not print its lines: an error, or [`NotRun`].
pub type Outcome = Result<(), Box<dyn Error>>;

/// The seed of everything that is drawn by chance.
pub const SEED: u64 = 20_261_117;

/// What a child process does.
#[derive(clap::Subcommand, Debug)]
pub enum Part {
    /// Removes a folder when its parent has ended
    Remover(RemoverArgs),
    /// The server of encrypted-search
    SearchServer(encrypted_search::server::ServerArgs),
}

impl Part {
    /// Runs until the parent ends.
    pub fn run(&self) -> Outcome {
        match self {
            Part::Remover(args) => args.run(),
            Part::SearchServer(args) => args.run(),
        }
    }
}

/// Pseudorandom number `number`, the same in every run.
fn draw(number: u64) -> u64 {
    KeyHash(SEED).again(number).0
}

/// The secret key of keyed filters: the same in every run, so that results are.
fn secret() -> [u8; 16] {
    (u128::from(draw(u64::MAX)) << 64 | u128::from(draw(u64::MAX - 1))).to_le_bytes()
}

/// A false-positive rate as an option.
fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (1e-4..=0.5).contains(rate));
    rate.ok_or_else(|| "must be a number from 0.0001 to 0.5".to_string())
}
