//! Errors of files: reading and writing them.

use super::OutOfMemory;
use crate::kind::Kind;
use std::io;
use thiserror::Error;

/// A file, or bytes, that could not be read as a filter.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The read failed.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// Another format, or an empty file.
    #[error("not an anther filter: the signature at the start is missing")]
    NotAnther,
    /// Written before version 1, when the format was still changing.
    #[error("format version 0, from before the format was stable; rebuild it from its keys")]
    Unsettled,
    /// Written by a later release in a newer format.
    #[error(
        "format version {got}, but this release reads version {ours}; use a newer release, or \
         rebuild it with this one"
    )]
    Version {
        /// The version found.
        got: u16,
        /// The version that this release reads.
        ours: u16,
    },
    /// A kind that this release does not have.
    #[error("unknown kind of filter ({tag}); a newer release may read it")]
    UnknownKind {
        /// The tag found.
        tag: u16,
    },
    /// Another kind than the requested one.
    #[error(
        "{} {got} filter, not {} {expected} filter; open it as AnyFilter",
        got.article(), expected.article()
    )]
    Kind {
        /// The requested kind.
        expected: Kind,
        /// The kind in the file.
        got: Kind,
    },
    /// An iblt instead of a filter.
    #[error("an iblt, not a filter; open it with Iblt::open")]
    Iblt,
    /// A range filter instead of a filter of keys.
    #[error("a range filter; open it with Range::open")]
    Range,
    /// Anything else instead of a range filter.
    #[error("{got}, not a range filter")]
    NotRange {
        /// What it is.
        got: &'static str,
    },
    /// A filter whose keys have a rule, opened as a type that does not apply it.
    #[error(
        "the filter's keys have a rule ({rule}); open it as AnyFilter, which applies it to every \
         key, or with Open::ignore_rule"
    )]
    Rule {
        /// The rule.
        rule: String,
    },
    /// A filter instead of an iblt.
    #[error("{} {got} filter, not an iblt; open it as AnyFilter", got.article())]
    Filter {
        /// The kind in the file.
        got: Kind,
    },
    /// An iblt of another type of element.
    #[error("an iblt of {got}, not of {expected}; open it with the type of its elements")]
    Elements {
        /// The requested elements.
        expected: &'static str,
        /// The elements in the file.
        got: &'static str,
    },
    /// Processes insert into the file in place, so it cannot be mapped as immutable.
    #[error("several processes are inserting into it, so it cannot be mapped; read it instead")]
    Shared,
    /// A checksum mismatch: bytes have changed.
    #[error(
        "checksum mismatch in the {part} (expected {expected:016x}, got {got:016x}); \
         the file is corrupt, rebuild it"
    )]
    Checksum {
        /// The part of the file.
        part: String,
        /// The checksum in the file.
        expected: u64,
        /// The checksum of its bytes.
        got: u64,
    },
    /// Fewer bytes than the header says.
    #[error("truncated: it has {got} of at least {expected} bytes; copy it again or rebuild it")]
    Truncated {
        /// Expected length.
        expected: u64,
        /// Actual length.
        got: u64,
    },
    /// More bytes than the header says.
    #[error("bytes after the end: it has more than {expected} bytes; copy it again")]
    Trailing {
        /// Expected length.
        expected: u64,
    },
    /// A malformed header.
    #[error("malformed header: {0}; the file is corrupt or forged, rebuild it")]
    Header(&'static str),
    /// A field out of range.
    #[error("field {name} is {got}, but must be {allowed}; the file is corrupt or forged")]
    Field {
        /// The field.
        name: &'static str,
        /// The value in the file.
        got: String,
        /// The allowed values.
        allowed: String,
    },
    /// A required field or section is missing.
    #[error("{name} is missing; the file is corrupt or forged")]
    Missing {
        /// The field or section.
        name: &'static str,
    },
    /// A field or section that the kind does not have.
    #[error("{name} is not part of such a filter; a newer release may read it")]
    Unknown {
        /// The field or section.
        name: String,
    },
    /// A section whose size or content does not match the fields.
    #[error("section {name} does not match the filter's fields; the file is corrupt or forged")]
    Section {
        /// The section.
        name: &'static str,
    },
    /// The file is keyed and no secret key was given.
    #[error("made with a secret key; give the key to query it")]
    KeyNeeded,
    /// The file is keyed with another secret key.
    #[error("this is not the secret key that the filter was made with")]
    WrongKey,
    /// A secret key was given for a file that is not keyed.
    #[error("made without a secret key; open it without one")]
    NotKeyed,
    /// The filter was built from external hashes.
    #[error("built from external hashes, so it cannot hash keys; query it by hash")]
    ExternalHashes,
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A file that cannot be inserted into in place. It is unchanged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShareError {
    /// It cannot be read as a filter, or not with this secret key.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A kind that several processes cannot change at once.
    #[error(
        "only one process at a time can insert into {} {kind} filter; several can with {}",
        kind.article(), sharing()
    )]
    Kind {
        /// The kind.
        kind: Kind,
    },
    /// A file with checksums of its pages, which every insert would have to renew.
    #[error(
        "it has a checksum of each page, for lookups over the web, so it cannot be changed in place; \
         save it without (convert), or replace it"
    )]
    Pages,
    /// Locking, mapping or writing failed.
    #[error("cannot change it in place: {0}")]
    Io(#[from] io::Error),
}

/// The kinds that several processes can insert into at once.
fn sharing() -> String {
    let kinds = Kind::ALL.iter().filter(|kind| kind.capabilities().share);
    kinds.map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

/// A filter that could not be saved. An existing file is unchanged, except after
/// [`Unsynced`](SaveError::Unsynced).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The write failed.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
    /// The new file is in its place, but the fsync of its directory failed.
    #[error(
        "written, but its folder cannot be synced: {0}; after a power cut the old file may be back"
    )]
    Unsynced(#[source] io::Error),
    /// The key recipe is longer than a file has room for.
    #[error("the key recipe is longer than 64 KiB; use fewer columns, or shorter names")]
    Recipe,
    /// No file can hold such a recipe.
    #[error("the key recipe cannot be stored: {0}")]
    InvalidRecipe(&'static str),
    /// The locked file was replaced by another one.
    #[error("another file has replaced it meanwhile; nothing was written")]
    Replaced,
    /// [`Cancel::now`](crate::Cancel::now) was called before the file was complete.
    #[error("the save was cancelled; nothing was written")]
    Cancelled,
}
