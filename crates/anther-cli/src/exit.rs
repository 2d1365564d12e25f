//! How the program ends: its exit codes, and the reasons to stop early.

use std::fmt;
use std::io;

/// The exit codes, as grep has them. [`interrupt`](crate::interrupt) exits with 128 plus the
/// number of the signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success; for `check`: some keys were selected.
    Success = 0,
    /// `check`: no key was selected; `measure`, `verify`, `tour`: a check failed.
    Nothing = 1,
    /// An error, with a message on standard error.
    Error = 2,
}

/// Why a verb stopped before its end.
#[derive(Debug)]
pub enum Stop {
    /// The reader of our output has closed the pipe. Not an error.
    BrokenPipe,
    /// The message for standard error.
    Error(String),
}

/// The result of a verb.
pub type Outcome = Result<Exit, Stop>;

impl Stop {
    /// An error about something with a name, such as a file.
    pub fn about(subject: impl fmt::Display, cause: impl fmt::Display) -> Stop {
        Stop::Error(format!("{subject}: {cause}"))
    }

    /// Standard output could not be written.
    pub fn output(error: &io::Error) -> Stop {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Stop::BrokenPipe,
            _ => Stop::about("standard output", format_args!("cannot write: {error}")),
        }
    }
}

#[cfg(feature = "lab")]
impl From<anther_lab::Error> for Stop {
    fn from(error: anther_lab::Error) -> Stop {
        match error {
            anther_lab::Error::Output(error) => Stop::output(&error),
            anther_lab::Error::Failed(message) => Stop::Error(message),
        }
    }
}
