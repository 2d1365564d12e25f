//! Why the lab could not do something.

use std::fmt;
use std::io;

/// Why the lab could not do something.
#[derive(Debug)]
pub enum Error {
    /// The output could not be written, perhaps because nobody reads it any more.
    Output(io::Error),
    /// Anything else, as a message.
    Failed(String),
}

impl Error {
    /// An error of something that has a name, such as a file.
    pub fn about(subject: impl fmt::Display, cause: impl fmt::Display) -> Error {
        Error::Failed(format!("{subject}: {cause}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Output(error) => write!(to, "cannot write: {error}"),
            Error::Failed(message) => to.write_str(message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Output(error) => Some(error),
            Error::Failed(_) => None,
        }
    }
}
