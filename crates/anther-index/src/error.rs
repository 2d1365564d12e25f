//! What can go wrong with an index.

use anther::SaveError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// The lowest false-positive rate: 32 rows per key do not reach 2^-32.
pub const LEAST_FPR: f64 = 1e-9;

/// An index that cannot be made, updated or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The index file could not be read.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// Another format, or an empty file.
    #[error("not a search index: the signature at the start is missing")]
    NotAnIndex,
    /// Written by a later release in a newer format.
    #[error(
        "index version {got}, but this release reads version {ours}; use a newer release, or make \
         the index anew"
    )]
    Version {
        /// The version found.
        got: u16,
        /// The version that this release reads.
        ours: u16,
    },
    /// The file ends early or was changed, and says so by a checksum.
    #[error("{what}: checksum mismatch; the index is corrupt, make it anew")]
    Checksum {
        /// What was read.
        what: &'static str,
    },
    /// A field has a value that no index has.
    #[error("{0}; the index is corrupt, make it anew")]
    Corrupt(&'static str),
    /// The file is longer or shorter than it says.
    #[error(
        "{got} bytes instead of {expected}; the index is truncated or something was added to it, make it anew"
    )]
    Length {
        /// The length that it was written with.
        expected: u64,
        /// Its length.
        got: u64,
    },
    /// The index has no such column.
    #[error("the index has no column {column:?}{}", match &known[..] {
        [] => "; it was made without --column".to_string(),
        known => format!("; its columns: {}", known.join(", ")),
    })]
    NoColumn {
        /// The column asked for.
        column: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// A false-positive rate that no index has.
    #[error(
        "a false-positive rate of {got} is not possible; it must be at least {LEAST_FPR:e} and below 1"
    )]
    Fpr {
        /// The rate asked for.
        got: f64,
    },
    /// Another process holds the lock.
    #[error("another process is updating it; try again when that is done")]
    Busy,
    /// A root that does not exist.
    #[error("{}: {error}", path.display())]
    Root {
        /// As it was given.
        path: PathBuf,
        /// Why it cannot be used.
        error: io::Error,
    },
    /// A root of the index whose files an update would drop: it is gone, or not mounted.
    #[error("{}: {cause}", path.display())]
    RootGone {
        /// Its absolute path.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        cause: String,
    },
    /// More files, blocks or segments than the format can number.
    #[error("more than 4 G {0}; make several indexes")]
    TooMany(&'static str),
    /// The new file could not be written.
    #[error(transparent)]
    Save(#[from] SaveError),
}
