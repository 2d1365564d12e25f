//! How the program ends: its exit codes, and the reasons to stop early.

use std::fmt;
use std::io;

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
