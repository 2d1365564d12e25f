//! How the program ends: its exit codes, and the reasons to stop early.

use crate::{interrupt, output};
use std::fmt;
use std::process::ExitCode;

/// The exit codes, as grep has them. Who is interrupted ends elsewhere, with 128 and the signal's
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All went well; for `check`: some keys were selected.
    Success = 0,
    /// `check`: no key was selected; `measure`, `verify`, `tour`: what was claimed does not hold.
    Nothing = 1,
    /// Something went wrong and was said on standard error.
    Error = 2,
}

/// Why a verb stopped before its end.
#[derive(Debug)]
pub enum Stop {
    /// Whoever reads our output has had enough. That is no error.
    BrokenPipe,
    /// What to say on standard error.
    Error(String),
}

/// What a verb comes to.
pub type Outcome = Result<Exit, Stop>;

impl Stop {
    /// An error of something that has a name, such as a file.
    pub fn about(subject: impl fmt::Display, cause: impl fmt::Display) -> Stop {
        Stop::Error(format!("{subject}: {cause}"))
    }
}

#[cfg(feature = "lab")]
impl From<anther_lab::Error> for Stop {
    fn from(error: anther_lab::Error) -> Stop {
        match error {
            anther_lab::Error::Output(error) => output::failed(error),
            anther_lab::Error::Failed(message) => Stop::Error(message),
        }
    }
}

/// Says what there is to say and gives the exit code.
pub fn code(outcome: Outcome) -> ExitCode {
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
