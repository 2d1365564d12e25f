//! Errors of lookups in files of which only ranges are read.

use super::{KeyError, LoadError, OutOfMemory};
use crate::kind::Kind;
use std::io;
use thiserror::Error;

/// A lookup in a file of which only ranges are read, that failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The ranges could not be read.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// What was read is no filter, or not one for this secret key.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The filter's rule refuses the key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A kind whose lookups read too many places.
    #[error(
        "lookups in {} {kind} filter read too many places to fetch each; download the file, or \
         rebuild it as blocked, split, fuse or ribbon",
        kind.article()
    )]
    Kind {
        /// The kind.
        kind: Kind,
    },
    /// The file has no checksums of pages, so that what is read of it cannot be verified.
    #[error(
        "it has no checksums of pages, so what is read of it cannot be verified; save it with them, or \
         read lines, unverified"
    )]
    NoPages,
    /// A page that does not match its checksum.
    #[error(
        "checksum mismatch in the page at byte {at}; the file is corrupt, or changed meanwhile"
    )]
    Page {
        /// The first byte of the page in the file.
        at: u64,
    },
    /// A range was answered with another number of bytes.
    #[error("{got} bytes instead of {expected} from byte {at} on; the file is truncated")]
    Length {
        /// The first byte of the range.
        at: u64,
        /// How many bytes the range has.
        expected: u64,
        /// How many came.
        got: u64,
    },
    /// The filter's directory is too large to be fetched.
    #[error("its directory has {bytes} bytes, and at most {most} are fetched; download the file")]
    Directory {
        /// Its size.
        bytes: u64,
        /// The largest that is fetched.
        most: u64,
    },
}

impl From<OutOfMemory> for RemoteError {
    fn from(error: OutOfMemory) -> RemoteError {
        RemoteError::Load(error.into())
    }
}
