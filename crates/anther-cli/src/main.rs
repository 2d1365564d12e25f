//! The `anther` program: Bloom filters from lists, and questions to them.
//!
//! One file a verb in [`cmd`]; the rest is what they share. Data goes to standard output,
//! everything else to standard error.

mod answers;
mod args;
mod change;
mod cmd;
mod describe;
mod distinct;
mod exit;
mod file;
mod fill_picture;
mod input;
mod interrupt;
mod keys;
mod kind;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "lab")]
mod picture_file;
mod pipe;
mod progress;
mod recipe;
mod records;
mod secret;
mod terminal;
mod values;
mod warning;

// Units are the library's, so that its messages and ours have the same.
use anther::units;
use exit::Stop;
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match args::Cli::read() {
        Ok(cli) => interrupt::listen()
            .map_err(|error| Stop::about("signals", format_args!("cannot listen: {error}")))
            .and_then(|()| cli.run()),
        Err(error) => args::explain(&error),
    };
    exit::code(outcome)
}
