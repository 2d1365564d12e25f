//! Errors of sketches ([`iblt::sketch`](crate::iblt::sketch)).

use super::{LoadError, StreamError, TableError};
use std::io;
use thiserror::Error;

/// A sketch that cannot be written, read or compared with a list.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SketchError {
    /// It cannot be read.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// Something else than a sketch.
    #[error("not a sketch; make one with anther sketch")]
    NotSketch,
    /// A version that this release does not know.
    #[error(
        "a sketch of version {got}; this release reads version {ours}, a newer one may read it"
    )]
    Version {
        /// Its version.
        got: u16,
        /// Ours.
        ours: u16,
    },
    /// It ends before its first symbol.
    #[error("truncated after {bytes} bytes, before its first symbol; send more of it")]
    Truncated {
        /// Bytes read.
        bytes: u64,
    },
    /// A checksum does not match.
    #[error("checksum mismatch in the {part} at byte {at}; the sketch is corrupt, send it again")]
    Checksum {
        /// The header, the set or a frame.
        part: &'static str,
        /// Where that begins.
        at: u64,
    },
    /// A field out of its range, under a correct checksum.
    #[error("{0}; the sketch is corrupt or forged")]
    Field(&'static str),
    /// A recipe that a sketch cannot hold.
    #[error("the columns' names are too long for a sketch; name the column by its number")]
    Recipe,
    /// The sketch is keyed and no secret key was given.
    #[error("made with a secret key; give the key")]
    KeyNeeded,
    /// The sketch is keyed with another secret key.
    #[error("this is not the secret key that the sketch was made with")]
    WrongKey,
    /// A secret key was given for a sketch that is not keyed.
    #[error("made without a secret key; leave the key out")]
    NotKeyed,
    /// No two lists give this.
    #[error("{0}; the sketch is corrupt or forged")]
    Forged(&'static str),
    /// More symbols than the difference of two such lists takes.
    #[error(
        "not decoded after {symbols} symbols, which suffice if all lines differ; the sketch is forged"
    )]
    Endless {
        /// Symbols received.
        symbols: u64,
    },
    /// A symbol was refused.
    #[error(transparent)]
    Symbol(#[from] StreamError),
    /// The symbols of a list cannot be made.
    #[error(transparent)]
    Symbols(#[from] TableError),
}

impl From<LoadError> for SketchError {
    /// The recipe is the only part that sketches and files share.
    fn from(_: LoadError) -> SketchError {
        SketchError::Field("invalid key recipe")
    }
}
