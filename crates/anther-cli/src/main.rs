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
mod extract;
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

/// Says what there is to say and gives the exit code.
fn code(outcome: Outcome) -> ExitCode {
    let exit = match outcome {
        Ok(exit) => exit,
        Err(Stop::BrokenPipe) => Exit::Success,
        // Perhaps an error only because of the signal: a command that we ran got it too.
        Err(Stop::Error(_)) if interrupt::came() => interrupt::wait(),
        Err(Stop::Error(message)) => {
            output::complain(&message);
            Exit::Error
        }
    };
    ExitCode::from(exit as u8)
}
