//! Errors of set reconciliation ([`iblt`](crate::iblt)).

use super::OutOfMemory;
use thiserror::Error;

/// An [iblt](crate::iblt), or a stream of its symbols, that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TableError {
    /// A difference out of range.
    #[error("an iblt cannot be made for a difference of {got} elements; it must be 1 to {most}")]
    Difference {
        /// The requested difference.
        got: u64,
        /// The largest.
        most: u64,
    },
    /// A number of cells out of range.
    #[error("an iblt cannot have {got} cells; it can have 1 to {most}")]
    Cells {
        /// The requested number.
        got: u64,
        /// The most.
        most: u64,
    },
    /// A number of cells per element out of range.
    #[error("an element cannot be in {got} cells; it can be in {least} to {most}")]
    Probes {
        /// The requested number.
        got: u32,
        /// The fewest.
        least: u32,
        /// The most.
        most: u32,
    },
    /// A string length out of range.
    #[error("byte strings of up to {got} bytes do not fit in a cell; the limit can be 1 to {most}")]
    Length {
        /// The requested length.
        got: usize,
        /// The longest.
        most: usize,
    },
    /// A seed that cannot hash. An iblt hashes while decoding, to recognise single elements.
    #[error("an iblt hashes the elements that it decodes; give it a seed that can hash")]
    Seed,
    /// An element that does not fit.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A byte string that does not fit in a cell. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "a byte string of {got} bytes does not fit in a cell, which holds {most}; \
     make both sides for longer strings"
)]
pub struct TooLong {
    /// Its length.
    pub got: usize,
    /// The longest that fits.
    pub most: usize,
}

/// Two [iblts](crate::iblt) that cannot be subtracted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SubtractError {
    /// Hashed differently, so that an element's cells differ.
    #[error("the tables were made with different seeds or secret keys; make both with the same")]
    Seed,
    /// The elements have different rules.
    #[error("the tables' elements follow different rules; make both with the same")]
    Rule,
    /// Cells for byte strings of different lengths.
    #[error("the tables were made for different elements; make both for the same")]
    Elements,
    /// Different numbers of cells.
    #[error("the tables have {ours} and {theirs} cells; make both for the same difference")]
    Cells {
        /// This table's.
        ours: u64,
        /// The other's.
        theirs: u64,
    },
    /// Different numbers of cells per element.
    #[error(
        "the tables have {ours} and {theirs} cells per element; make both for the same difference"
    )]
    Probes {
        /// This table's.
        ours: u32,
        /// The other's.
        theirs: u32,
    },
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A rejected symbol of a [stream](crate::iblt::rateless).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StreamError {
    /// Not the length of a symbol.
    #[error("a symbol of {got} bytes instead of {expected}; make both sides for the same elements")]
    Bytes {
        /// Bytes of a symbol.
        expected: usize,
        /// Bytes received.
        got: usize,
    },
    /// No two sets give this: more elements were decoded than symbols received, or elements of ours
    /// were decoded as theirs.
    #[error("the symbols are not the difference of two sets; the stream is corrupt or forged")]
    Forged,
}
