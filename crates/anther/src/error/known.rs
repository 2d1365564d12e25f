//! Errors of computing a filter's missing parameters from the given ones.

use super::SizeError;
use crate::kind::Kind;
use thiserror::Error;

/// Parameters that do not determine a filter.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The kind does not support these values.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// Not enough to compute the rest.
    #[error("give two of items, false-positive rate and bits; the third is computed")]
    TooFew,
    /// Nothing is left to compute.
    #[error(
        "{} are one too many for {kind}; leave one out, and it is computed",
        if kind.capabilities().shape { "items, false-positive rate, bits and probes" }
        else { "items, false-positive rate and bits" }
    )]
    TooMany {
        /// The kind.
        kind: Kind,
    },
    /// The options determine the probes, so only one of them can be set.
    #[error("the options of {kind} determine its probes; set the options or the probes")]
    ProbesAndOptions {
        /// The kind.
        kind: Kind,
    },
    /// The items do not fit at any false-positive rate.
    #[error(
        "{kind} cannot hold {items} items in {bits} bits; it needs at least {least}, and more for \
         a useful false-positive rate"
    )]
    NoRate {
        /// The kind.
        kind: Kind,
        /// Number of items.
        items: u64,
        /// The given bits.
        bits: u64,
        /// The fewest bits that hold them.
        least: u64,
    },
    /// Not even one item fits at that false-positive rate.
    #[error(
        "{kind} holds no item at a false-positive rate of {fpr:?} in {bits} bits; it needs at \
         least {least}"
    )]
    NoItem {
        /// The kind.
        kind: Kind,
        /// The false-positive rate.
        fpr: f64,
        /// The given bits.
        bits: u64,
        /// The fewest bits for one item.
        least: u64,
    },
    /// Nearly every bit would be 1.
    #[error(
        "{kind} of {bits} bits with {items} items answers maybe to everything; give it more bits \
         or fewer items"
    )]
    Saturated {
        /// The kind.
        kind: Kind,
        /// Number of items.
        items: u64,
        /// The given bits.
        bits: u64,
    },
    /// The items need more bits at that false-positive rate.
    #[error(
        "{kind} cannot hold {items} items at a false-positive rate of {fpr:?} in {bits} bits; it \
         needs {least}"
    )]
    NoRoom {
        /// The kind.
        kind: Kind,
        /// Number of items.
        items: u64,
        /// The false-positive rate.
        fpr: f64,
        /// The given bits.
        bits: u64,
        /// The fewest bits that suffice.
        least: u64,
    },
}
