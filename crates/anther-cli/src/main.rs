//! The `anther` program: builds Bloom filters from lists, and looks keys up in them.
//!
//! One file per verb in [`cmd`]; the rest is what they share. Data goes to standard output,
//! everything else to standard error.

mod args;
mod change;
mod cmd;
#[cfg(feature = "index")]
mod column_format;
mod compressed;
mod content;
mod description;
mod descriptors;
mod either_filter;
mod escaped;
mod exit;
mod file_system;
mod fill_picture;
mod filter_file;
mod foreign_description;
mod foreign_file;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "index")]
mod index_description;
#[cfg(feature = "index")]
mod index_file;
#[cfg(all(feature = "index", feature = "parquet"))]
mod indexed_parquet;
#[cfg(feature = "index")]
mod indexed_text;
mod input;
mod input_args;
mod interrupt;
mod keys;
mod kind_args;
mod line_list;
mod lookup;
mod ordered;
mod out_args;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_types;
#[cfg(feature = "parquet")]
mod parquet_values;
#[cfg(feature = "lab")]
mod picture_file;
mod progress;
mod recipe_args;
mod secret_key;
mod signature;
mod sketch_file;
mod stdin;
mod suggest;
mod sync;
mod temporary;
mod terminal;
mod warning;
mod words;

// The library's units, so that its messages and ours agree.
use anther::units;
use exit::{Exit, Outcome, Stop};
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match args::Cli::read() {
        Ok(cli) => interrupt::listen()
            .map_err(|error| Stop::about("signals", format_args!("cannot listen: {error}")))
            .and_then(|()| cli.run()),
        Err(error) => args::explain(&error),
    };
    code(outcome)
}

/// Prints the error, if any, and returns the exit code.
fn code(outcome: Outcome) -> ExitCode {
    let exit = match outcome {
        Ok(exit) => exit,
        Err(Stop::BrokenPipe) => Exit::Success,
        // The signal may have caused the error: a child process receives it too.
        Err(Stop::Error(_)) if interrupt::came() => interrupt::wait(),
        Err(Stop::Error(message)) => {
            output::error(&message);
            Exit::Error
        }
    };
    ExitCode::from(exit as u8)
}
