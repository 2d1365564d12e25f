//! Errors of working out a filter from what is known of it.

use super::SizeError;
use crate::kind::Kind;
use thiserror::Error;

/// Numbers that give no filter.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The kind cannot have that.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// Not enough to compute the rest.
    #[error("two of items, rate and bits are needed; the third is computed")]
    TooFew,
    /// Nothing is left to compute.
    #[error(
        "{} are one too many for {kind}; leave one out, and it is computed",
        if kind.capabilities().shape { "items, rate, bits and probes" }
        else { "items, rate and bits" }
    )]
    TooMany {
        /// The kind.
        kind: Kind,
    },
    /// Options choose the probes, so both cannot be said.
    #[error("the options of {kind} choose its probes; say one or the other")]
    ProbesAndOptions {
        /// The kind.
        kind: Kind,
    },
    /// So many items at no rate at all.
    #[error(
        "{kind} cannot hold {items} items in {bits} bits; it needs at least {least}, and more for a \
         rate worth having"
    )]
    NoRate {
        /// The kind.
        kind: Kind,
        /// How many items.
        items: u64,
        /// What was given.
        bits: u64,
        /// The fewest that it takes.
        least: u64,
    },
    /// Not even one item at that rate.
    #[error("{kind} holds no item at a rate of {fpr:?} in {bits} bits; it needs at least {least}")]
    NoItem {
        /// The kind.
        kind: Kind,
        /// The rate.
        fpr: f64,
        /// What was given.
        bits: u64,
        /// The fewest that one item takes.
        least: u64,
    },
    /// With so many probes nearly every bit is 1.
    #[error(
        "{kind} of {bits} bits with {items} items says maybe to everything; give it more bits or \
         fewer items"
    )]
    Saturated {
        /// The kind.
        kind: Kind,
        /// How many items.
        items: u64,
        /// What was given.
        bits: u64,
    },
    /// So many items at that rate take more.
    #[error(
        "{kind} cannot hold {items} items at a rate of {fpr:?} in {bits} bits; that takes {least}"
    )]
    NoRoom {
        /// The kind.
        kind: Kind,
        /// How many items.
        items: u64,
        /// The rate.
        fpr: f64,
        /// What was given.
        bits: u64,
        /// The fewest that do.
        least: u64,
    },
}
