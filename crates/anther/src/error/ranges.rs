//! Errors of [ranges](crate::range).

use super::{KeyError, OutOfMemory, TargetError};
use thiserror::Error;

/// A [range filter](crate::range) that cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RangeError {
    /// A span of nothing.
    #[error("a span of 0 is not possible; it is the longest range to look up, at least 1")]
    Span,
    /// The false-positive rate or the number of keys is out of range.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A seed that cannot hash.
    #[error("the codes of keys depend on the seed; give one that can hash")]
    Seed,
    /// A number beyond 64 bits.
    #[error("{got} is beyond 64 bits; keys are from -2^63 to 2^64-1")]
    Wide {
        /// The number, in steps.
        got: i128,
    },
    /// Negative numbers together with numbers beyond 63 bits.
    #[error(
        "the keys are from {least} to {most}; with negative ones among them, none may be above \
         9223372036854775807"
    )]
    Mixed {
        /// The least key.
        least: i128,
        /// The largest.
        most: i128,
    },
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A range that cannot be looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BoundsError {
    /// The first is above the last.
    #[error("the range ends before it begins; give the lower bound first")]
    Reversed,
    /// The filter's rule refuses a bound.
    #[error(transparent)]
    Key(#[from] KeyError),
}
