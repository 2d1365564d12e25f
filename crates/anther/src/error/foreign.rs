//! Errors of other systems' filters ([`foreign`](crate::foreign)).

use super::OutOfMemory;
use thiserror::Error;

/// Bytes that could not be read as another system's filter.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ForeignError {
    /// Something else than the format.
    #[error("not {expected}")]
    NotFormat {
        /// What was expected.
        expected: &'static str,
    },
    /// A value of a type that is no filter, or of another module.
    #[error("a value of the type {got}, which is no filter of RedisBloom")]
    Type {
        /// The type's name.
        got: String,
    },
    /// Written in a newer version of the format.
    #[error("version {got} of {format}, but this release reads version {newest} at most")]
    Version {
        /// The format.
        format: &'static str,
        /// The version found.
        got: u64,
        /// The newest that this release reads.
        newest: u64,
    },
    /// Fewer bytes than the fields say.
    #[error("truncated; copy it again")]
    Truncated,
    /// More bytes than the fields say.
    #[error("bytes after the end; copy it again")]
    Trailing,
    /// A checksum mismatch: bytes have changed.
    #[error("checksum mismatch (expected {expected:016x}, got {got:016x}); copy it again")]
    Checksum {
        /// The stored checksum.
        expected: u64,
        /// The checksum of the bytes.
        got: u64,
    },
    /// A field out of range, or one that contradicts another.
    #[error("field {name} is {got}, but must be {allowed}; it is corrupt or forged")]
    Field {
        /// The field.
        name: &'static str,
        /// The value found.
        got: String,
        /// The allowed values.
        allowed: String,
    },
    /// A filter that the system cannot have, as it was asked for.
    #[error("it would have {cause}; choose fewer items, or a higher false-positive rate")]
    Size {
        /// What it would have, and what is possible.
        cause: String,
    },
    /// More data of the user's own than is read of a compressed file.
    #[error(
        "more than {} of data behind the cells, which is the limit in a compressed file; decompress \
         it: gzip -d FILE", crate::units::size(*limit)
    )]
    Data {
        /// The limit in bytes.
        limit: u64,
    },
    /// An encoding that is broken.
    #[error("malformed: {0}; it is corrupt or forged")]
    Malformed(&'static str),
    /// A file of the format that cannot be used, and why.
    #[error("{0}")]
    Refused(&'static str),
    /// Larger than the caller allows.
    #[error("needs {bytes} bytes of memory, but the limit is {limit}")]
    TooLarge {
        /// Bytes of the filter's cells.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// Chunks are missing.
    #[error("incomplete: {got} of {expected} bytes have been loaded; load the other chunks")]
    Incomplete {
        /// Bytes loaded.
        got: u64,
        /// Bytes of the whole filter.
        expected: u64,
    },
    /// A file that none of the systems wrote whose formats are known.
    #[error("not a filter that is known here")]
    Unknown,
    /// A file that several systems may have written.
    #[error("may be a file of several systems ({systems}); say which one wrote it")]
    Ambiguous {
        /// Their names.
        systems: String,
    },
    /// A file of Cassandra whose name does not say the version of its sstable.
    #[error(
        "the version of the sstable is unknown; keep the name that Cassandra gave the file, such as \
         nb-1-big-Filter.db, or give the version"
    )]
    NoSstableVersion,
    /// A version of an sstable that does not exist, or that is too old or too new.
    #[error(
        "no known version of an sstable is {got}; those are ia to ic, ja, jb, ka, la, lb, ma to me, na \
         to nc, oa and da: of one that is newer, try the last, oa or da, with keys that are in the table"
    )]
    SstableVersion {
        /// The given version.
        got: String,
    },
    /// A variant of a format that is not read.
    #[error("{what} cannot be read here; build a filter from the keys")]
    Unsupported {
        /// The variant.
        what: String,
    },
    /// A file without a filter.
    #[error("has no filter; build one from the keys")]
    NoFilter,
    /// A file with several filters.
    #[error("has several filters; name one of them: {names}")]
    Several {
        /// Their names.
        names: String,
    },
    /// A file without a filter of this name.
    #[error("has no filter {name}; it has {names}")]
    NoEntry {
        /// The name.
        name: String,
        /// The names that it has.
        names: String,
    },
    /// A filter that cannot be written.
    #[error("filters of {system} are only read here; build a filter of your own from the keys")]
    ReadOnly {
        /// The system.
        system: &'static str,
    },
    /// A filter that is full and does not grow.
    #[error("the filter is full, and it does not grow; build a larger one from all keys")]
    Full,
    /// The file could not be read.
    #[error("{message}")]
    Io {
        /// What happened.
        kind: std::io::ErrorKind,
        /// The system's message.
        message: String,
    },
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

impl From<std::io::Error> for ForeignError {
    fn from(error: std::io::Error) -> ForeignError {
        ForeignError::Io { kind: error.kind(), message: error.to_string() }
    }
}

impl ForeignError {
    pub(crate) fn field(
        name: &'static str,
        got: impl ToString,
        allowed: impl ToString,
    ) -> ForeignError {
        ForeignError::Field { name, got: got.to_string(), allowed: allowed.to_string() }
    }

    /// The same error of a field that comes of a target, and of no file.
    pub(crate) fn asked(self) -> ForeignError {
        match self {
            ForeignError::Field { name, got, allowed } => {
                ForeignError::Size { cause: format!("{got} as {name}, which must be {allowed}") }
            }
            other => other,
        }
    }
}

/// A chunk of a dump that does not fit the filter being loaded. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChunkError {
    /// The iterator is not positive, or smaller than the chunk is long.
    #[error("the iterator does not fit the length of the chunk")]
    BadData,
    /// The iterator is outside the filter.
    #[error("the iterator points outside the filter")]
    NoLayer,
    /// The chunk does not end within the layer in which it starts.
    #[error("the chunk is larger than the rest of the layer")]
    TooBig,
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// The layers have no room for the key. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the filter is full; add a layer")]
pub struct LayerFull;
