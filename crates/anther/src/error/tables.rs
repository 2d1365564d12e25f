//! Errors of tables of differences ([`iblt`](crate::iblt)).

use super::OutOfMemory;
use thiserror::Error;

/// An [iblt](crate::iblt), or a stream of its symbols, that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TableError {
    /// A difference that no table is made for.
    #[error("a difference of {got} elements is not possible; it must be 1 to {most}")]
    Difference {
        /// What was asked for.
        got: u64,
        /// The largest.
        most: u64,
    },
    /// A number of cells that no table has.
    #[error("an iblt cannot have {got} cells; it can have 1 to {most}")]
    Cells {
        /// What was asked for.
        got: u64,
        /// The most.
        most: u64,
    },
    /// A number of cells an element that no table has.
    #[error("an element cannot lie in {got} cells; it can lie in {least} to {most}")]
    Probes {
        /// What was asked for.
        got: u32,
        /// The fewest.
        least: u32,
        /// The most.
        most: u32,
    },
    /// A length of byte strings that no cell holds.
    #[error("byte strings up to {got} bytes do not fit a cell; the length can be 1 to {most}")]
    Length {
        /// What was asked for.
        got: usize,
        /// The longest.
        most: usize,
    },
    /// A seed that cannot hash: an iblt must, to tell an element from several.
    #[error("an iblt hashes what comes out of it; give it a seed that can hash")]
    Seed,
    /// An element that does not fit.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// No memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A byte string that is longer than the longest that cells were made for. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "a byte string of {got} bytes, where at most {most} fit a cell; \
     make both sides for longer ones"
)]
pub struct TooLong {
    /// Its length.
    pub got: usize,
    /// The longest.
    pub most: usize,
}

/// Two [iblts](crate::iblt) of which one cannot be subtracted from the other.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SubtractError {
    /// Hashed differently, so that one element lies in different cells.
    #[error("the tables were made with different seeds or keys; make one with the other's")]
    Seed,
    /// Elements were taken from their input differently.
    #[error("the tables took their elements from the input in different ways; make them alike")]
    Recipe,
    /// Cells for byte strings of different lengths.
    #[error("the tables were made for different elements; make one for the other's")]
    Elements,
    /// Different numbers of cells.
    #[error("the tables have {ours} and {theirs} cells; make both for the same difference")]
    Cells {
        /// This table's.
        ours: u64,
        /// The other's.
        theirs: u64,
    },
    /// Different numbers of cells an element.
    #[error("an element lies in {ours} and in {theirs} cells; make both for the same difference")]
    Probes {
        /// This table's.
        ours: u32,
        /// The other's.
        theirs: u32,
    },
    /// No memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A symbol of a [stream](crate::iblt::rateless) that was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StreamError {
    /// Not the bytes of one symbol.
    #[error(
        "{got} bytes, where a symbol has {expected}; both sides must be made for the same elements"
    )]
    Bytes {
        /// How many a symbol has.
        expected: usize,
        /// How many came.
        got: usize,
    },
    /// What no two sets can give: more elements came out than symbols went in, or elements of ours
    /// as theirs.
    #[error("what comes out is no difference of two sets: the stream is damaged or forged")]
    Forged,
}
