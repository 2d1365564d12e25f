//! Errors of files: reading and writing them.

use super::OutOfMemory;
use crate::kind::Kind;
use std::io;
use thiserror::Error;

/// A file or bytes that cannot be read as a filter.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The system could not read it.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// Something else, or nothing.
    #[error("not an anther filter: it does not begin with the signature of one")]
    NotAnther,
    /// Written before version 1, when the format was still changing.
    #[error("format version 0, made before the format was settled; build it again from its keys")]
    Unsettled,
    /// Written by a later release, in a format that did not exist yet.
    #[error(
        "format version {got}, and this release reads version {ours}; use a newer release, or \
         build it again with this one"
    )]
    Version {
        /// The version found.
        got: u16,
        /// The version that this release reads.
        ours: u16,
    },
    /// A kind that this release does not have.
    #[error("unknown kind of filter ({tag}); a newer release may know it")]
    UnknownKind {
        /// The tag found.
        tag: u16,
    },
    /// Another kind than the one asked for.
    #[error("a {got} filter, where a {expected} filter was asked for; open it as AnyFilter")]
    Kind {
        /// The kind asked for.
        expected: Kind,
        /// The kind found.
        got: Kind,
    },
    /// No filter, where one was asked for.
    #[error("an iblt, which is no filter; open it with Iblt::open")]
    Iblt,
    /// A filter, where an iblt was asked for.
    #[error("a {got} filter, where an iblt was asked for; open it as AnyFilter")]
    Filter {
        /// The kind found.
        got: Kind,
    },
    /// An iblt of other elements than those asked for.
    #[error("an iblt of {got}, where one of {expected} was asked for; open it as what it is")]
    Elements {
        /// What was asked for.
        expected: &'static str,
        /// What was found.
        got: &'static str,
    },
    /// Processes add to the file, so that it cannot be mapped as one that does not change.
    #[error("open for adding by several processes, so it cannot be mapped; read it instead")]
    Shared,
    /// A checksum that does not match: bytes were changed.
    #[error(
        "checksum mismatch in the {part} (expected {expected:016x}, got {got:016x}); \
         the file is damaged, rebuild it"
    )]
    Checksum {
        /// Which part.
        part: String,
        /// What the file says.
        expected: u64,
        /// What its bytes give.
        got: u64,
    },
    /// Fewer bytes than there should be.
    #[error("cut short: {expected} bytes expected, {got} present; copy it again or rebuild it")]
    Truncated {
        /// How many there should be.
        expected: u64,
        /// How many there are.
        got: u64,
    },
    /// More bytes than there should be.
    #[error("bytes after the end: {expected} bytes expected, more present; copy it again")]
    Trailing {
        /// How many there should be.
        expected: u64,
    },
    /// A header that does not hold together.
    #[error("malformed header: {0}; the file is damaged or forged, rebuild it")]
    Header(&'static str),
    /// A field with a value that no filter has.
    #[error("field {name} is {got}, but must be {allowed}; the file is damaged or forged")]
    Field {
        /// Its name.
        name: &'static str,
        /// What the file says.
        got: String,
        /// What it may be.
        allowed: String,
    },
    /// A field or section that the kind needs.
    #[error("{name} is missing; the file is damaged or forged")]
    Missing {
        /// Its name.
        name: &'static str,
    },
    /// A field or section that the kind does not have.
    #[error("{name} is not part of such a filter; a newer release may know it")]
    Unknown {
        /// Its name.
        name: String,
    },
    /// A section whose size or content does not fit the fields.
    #[error("section {name} does not fit the filter's fields; the file is damaged or forged")]
    Section {
        /// Its name.
        name: &'static str,
    },
    /// The file is keyed and no key was given.
    #[error("made with a secret key; give the key to query it")]
    KeyNeeded,
    /// The file is keyed and this is not its key.
    #[error("this is not the secret key that the filter was made with")]
    WrongKey,
    /// A key was given and the file has none.
    #[error("made without a secret key; open it without one")]
    NotKeyed,
    /// The hashes in it were made elsewhere.
    #[error(
        "holds hashes that were made elsewhere, so keys cannot be hashed for it; \
         query it by hash"
    )]
    ExternalHashes,
    /// No memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A file that processes cannot add to in place. It is as it was before.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShareError {
    /// It cannot be read as a filter, or not with this key.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A kind whose cells cannot be changed by several at once.
    #[error(
        "{kind} filters take keys from one process at a time; {} take them from several",
        sharing()
    )]
    Kind {
        /// The kind.
        kind: Kind,
    },
    /// The system could not lock, map or write it.
    #[error("cannot change it in place: {0}")]
    Io(#[from] io::Error),
}

/// The kinds that several processes add to at once.
fn sharing() -> String {
    let kinds = Kind::ALL.iter().filter(|kind| kind.capabilities().share);
    kinds.map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

/// A filter that could not be written. An existing file is as it was before, unless all that failed
/// is the fsync of its folder.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The system could not write it.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
    /// A key recipe that does not fit a header.
    #[error("the key recipe does not fit the file's header; use a shorter column name")]
    Recipe,
    /// The file that was locked is no longer where it was.
    #[error("another file was put in its place meanwhile; nothing was written")]
    Replaced,
    /// [`Cancel::now`](crate::Cancel::now) was called before the file was whole.
    #[error("the save was cancelled; nothing was written")]
    Cancelled,
}
