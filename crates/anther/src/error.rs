//! Every public error: one enum per operation. Messages say what is wrong and what to do next.

mod files;
#[cfg(feature = "foreign")]
mod foreign;
mod keys;
mod known;
mod ranges;
mod remote;
mod sketches;
mod tables;

pub use crate::parts::memory::OutOfMemory;
pub use crate::target::TargetError;
pub use files::{LoadError, SaveError, ShareError};
#[cfg(feature = "foreign")]
pub use foreign::{ChunkError, ForeignError, LayerFull};
pub use keys::KeyError;
pub use known::SolveError;
pub use ranges::{BoundsError, RangeError};
pub use remote::RemoteError;
pub use sketches::SketchError;
pub use tables::{StreamError, SubtractError, TableError, TooLong};

use crate::kind::{Kind, Method};
use crate::parts::hash::KeyHash;
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// A filter that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SizeError {
    /// The target is invalid for every kind.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The false-positive rate is below the floor of the kind, or of a 64-bit hash with that many
    /// items.
    #[error(
        "{kind} cannot reach a false-positive rate of {got:e}; with this many items its lowest is \
         {least:e}{}",
        if matches!(kind, Kind::Blocked | Kind::Split | Kind::Scalable) { " (classic goes lower)" } else { "" }
    )]
    Fpr {
        /// The kind.
        kind: Kind,
        /// The requested rate.
        got: f64,
        /// The floor for this many items: that of the hash or of the kind.
        least: f64,
    },
    /// More bits than the kind can address.
    #[error(
        "{kind} cannot have {got} bits; it can have at most {most}: choose fewer items or a \
         higher false-positive rate"
    )]
    TooLarge {
        /// The kind.
        kind: Kind,
        /// The requested size, or the size that the target needs.
        got: u64,
        /// The most bits it can have.
        most: u64,
    },
    /// A shape too small for one cache line or bit.
    #[error("{kind} cannot have {got} bits; it needs at least {least}")]
    TooSmall {
        /// The kind.
        kind: Kind,
        /// The requested size.
        got: u64,
        /// The fewest bits it can have.
        least: u64,
    },
    /// A number of probes that the kind does not support.
    #[error(
        "{kind} cannot have {got} probes per key; it {}",
        if least == most { format!("always has {most}") }
        else { format!("can have {least} to {most}") }
    )]
    Probes {
        /// The kind.
        kind: Kind,
        /// The requested number.
        got: u32,
        /// The fewest.
        least: u32,
        /// The most.
        most: u32,
    },
    /// A number of probes for a kind that chooses its own.
    #[error("{kind} chooses its number of probes itself; {} let you set it", shaped())]
    NoShape {
        /// The kind.
        kind: Kind,
    },
    /// A static kind cannot be made empty.
    #[error("{kind} is static, so it cannot be made empty; build it from all its keys")]
    Static {
        /// The kind.
        kind: Kind,
    },
    /// An option that the kind does not have.
    #[error("{kind} has no option {name}; {}", owners(name))]
    NoSuchOption {
        /// The kind.
        kind: Kind,
        /// The option's name.
        name: &'static str,
    },
    /// An option out of range.
    #[error(
        "{name} of {} {kind} filter cannot be {}; it can be {} to {}",
        kind.article(), number(*got), number(*least), number(*most)
    )]
    Option {
        /// The kind.
        kind: Kind,
        /// The option's name.
        name: &'static str,
        /// The given value.
        got: f64,
        /// The smallest allowed value.
        least: f64,
        /// The largest allowed value.
        most: f64,
    },
    /// An option that the layers of a growing filter do not have.
    #[error("layers of kind {over} have no option {name}; use layers of kind counting")]
    LayerOption {
        /// The kind of the layers.
        over: Kind,
        /// The option's name.
        name: &'static str,
    },
    /// A bucket size that the kind does not support.
    #[error("a bucket of a {kind} filter cannot hold {got} fingerprints; it can hold {allowed}")]
    BucketSize {
        /// The kind.
        kind: Kind,
        /// The requested size.
        got: u32,
        /// The supported sizes.
        allowed: &'static str,
    },
    /// A kind that cannot be the layers of a growing filter.
    #[error("scalable cannot have layers of kind {got}; use classic, blocked or counting")]
    Layers {
        /// The requested kind.
        got: Kind,
    },
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// Integers without a decimal point, tiny numbers in scientific notation.
fn number(number: f64) -> String {
    match number.fract() == 0.0 && number.abs() < 1e15 {
        true => format!("{number}"),
        false => format!("{number:?}"),
    }
}

/// Which kinds have an option.
fn owners(name: &str) -> String {
    let kinds = Kind::ALL.iter().filter(|kind| kind.options().contains(&name));
    let names: Vec<&str> = kinds.map(|kind| kind.name()).collect();
    format!("kinds with this option: {}", names.join(", "))
}

/// Kinds whose number of probes can be set.
fn shaped() -> String {
    let kinds = Kind::ALL.iter().filter(|kind| kind.capabilities().shape);
    let names: Vec<&str> = kinds.map(|kind| kind.name()).collect();
    names.join(", ")
}

/// Invalid [`Queries`](crate::Queries).
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A weight that is not positive and finite.
    #[error("a query cannot have weight {got:?}; leave out keys that are never queried")]
    Weight {
        /// The given weight.
        got: f64,
    },
    /// The sum of the weights overflows.
    #[error("the sum of the queries' weights overflows; scale them down")]
    Sum,
    /// A likelihood out of range.
    #[error("a likelihood of {got:?} is not possible; it must be above 0 and below 1")]
    Likelihood {
        /// The given likelihood.
        got: f64,
    },
}

/// An error of a [`KeySource`](crate::KeySource): wraps any error.
///
/// ```
/// use anther::error::SourceError;
/// use anther::BuildError;
/// use std::error::Error;
///
/// let lost = std::io::Error::other("the connection is lost");
/// let error = BuildError::from(SourceError::new(lost));
/// assert_eq!(error.to_string(), "cannot read the keys");
/// let cause = error.source().expect("it keeps its cause");
/// assert_eq!(cause.to_string(), "the connection is lost");
/// ```
#[derive(Clone, Debug)]
pub struct SourceError(Arc<dyn std::error::Error + Send + Sync>);

impl SourceError {
    /// Wraps a cause.
    pub fn new(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> SourceError {
        SourceError(cause.into().into())
    }

    /// The cause, for instance to downcast it.
    pub fn get_ref(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        &*self.0
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for SourceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// An error equals only its clones, since errors in general cannot be compared.
impl PartialEq for SourceError {
    fn eq(&self, other: &SourceError) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A filter that cannot be built from its keys.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The filter cannot be made, whatever the keys.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// More keys than its capacity.
    #[error(transparent)]
    Full(#[from] Full),
    /// The keys could not be read.
    #[error("cannot read the keys")]
    Source(#[from] SourceError),
    /// The keys do not fit in memory, so they were read several times, and they changed.
    #[error(
        "the keys changed between two passes: {first} in the first, {again} in a later one{}; \
         provide the same keys in every pass, or enough memory to read them only once",
        if first == again { ", but not the same" } else { "" }
    )]
    Changed {
        /// Number of keys in the first pass.
        first: u64,
        /// Number of keys in the pass that differed.
        again: u64,
    },
    /// One hash with two values.
    #[error(
        "a key has two values, {} and {}, or two keys with these values have the same hash; \
         give each key one value, or use another seed", values[0], values[1]
    )]
    Conflict {
        /// The hash, to find the keys that have it.
        key: KeyHash,
        /// Two of its values, the smaller first.
        values: [u64; 2],
    },
    /// A key in both lists of a [`Cascade`](crate::Cascade).
    #[error(
        "a key is in both lists, or two keys of them have the same hash; remove it from one list, \
         or use another seed"
    )]
    InBoth {
        /// The hash, to find the keys that have it.
        key: KeyHash,
    },
    /// A kind that is built from two lists, and got one.
    #[error(
        "{kind} is built from two lists, and this is one: give the keys that it must never report, \
         too, or use ribbon"
    )]
    OneList {
        /// The kind.
        kind: Kind,
    },
    /// A count of 0, where values are [bands](crate::Bands) of counts.
    #[error("a count of 0 has no band; bands begin at 1")]
    NoBand {
        /// The hash of its key.
        key: KeyHash,
    },
    /// A value wider than the map's.
    #[error("the value {got} does not fit in {bits} bits; use wider values")]
    Value {
        /// The hash of its key.
        key: KeyHash,
        /// The given value.
        got: u64,
        /// Bits of a value.
        bits: u32,
    },
    /// Far more keys than the target's items, or hashes that are not uniform.
    #[error(
        "{got} hashes in one shard, which holds {most}; set the expected items to about the \
         number of keys, and use uniform hashes"
    )]
    Crowded {
        /// Hashes in the shard.
        got: u64,
        /// The most that a shard can hold.
        most: u64,
    },
    /// Construction failed with every seed tried. Only crafted hashes make that happen.
    #[error("construction failed for {keys} hashes after {tries} tries; use another seed")]
    Unsolved {
        /// Hashes in the shard.
        keys: u64,
        /// Number of tries.
        tries: u32,
    },
}

/// The filter is full and rejected a key. The filter is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{}", why_full(*kind, *copies))]
#[non_exhaustive]
pub struct Full {
    /// The kind.
    pub kind: Kind,
    /// How many copies of the key it holds, if that is why it rejected another one.
    pub copies: Option<u64>,
}

impl Full {
    /// There is no room for any more keys.
    pub(crate) const fn of(kind: Kind) -> Full {
        Full { kind, copies: None }
    }
}

fn why_full(kind: Kind, copies: Option<u64>) -> String {
    if let Some(copies) = copies {
        return format!(
            "the {kind} filter holds {copies} copies of this key and has no room for another; \
             insert each key once, or use quotient, which counts any number"
        );
    }
    let next = match kind {
        Kind::Scalable => "it is out of memory and cannot grow further",
        Kind::Quotient => {
            "it has doubled as often as its hash and the memory allow: make it for more items, or \
             use scalable, which grows but cannot remove keys"
        }
        Kind::Cuckoo => {
            "double it, make it for more items, or use scalable, which grows but cannot remove keys"
        }
        _ => "make it for more items, or use scalable, which grows but cannot remove keys",
    };
    format!("the {kind} filter is full; {next}")
}

/// A [`FingerprintSet`](crate::FingerprintSet) cannot take another key. The set is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GrowError {
    /// There is no memory for a larger table.
    #[error("out of memory: the table of fingerprints needs {}", crate::units::size(*bytes))]
    OutOfMemory {
        /// Size of the larger table.
        bytes: u64,
    },
    /// More fingerprints than a table holds.
    #[error("more than 7.7 billion fingerprints; divide the keys among several sets")]
    TooMany,
    /// Hashes that crowd together.
    #[error("the hashes of {keys} keys are not evenly spread; hash them with another seed")]
    Uneven {
        /// How many are in the set.
        keys: u64,
    },
}

/// A capability that only some kinds have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ability {
    /// Insert keys one by one.
    Insert,
    /// Remove keys.
    Remove,
    /// Count how often a key was inserted.
    Count,
    /// Look up the value of a key.
    Get,
}

impl Ability {
    fn is_of(self, kind: Kind) -> bool {
        let can = kind.capabilities();
        match self {
            Ability::Insert => can.insert,
            Ability::Remove => can.remove,
            Ability::Count => can.count,
            Ability::Get => can.values,
        }
    }

    fn verb(self) -> &'static str {
        match self {
            Ability::Insert => "insert keys one by one",
            Ability::Remove => "remove keys",
            Ability::Count => "count keys",
            Ability::Get => "store values",
        }
    }
}

/// An operation that the filter's kind does not support. The filter is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{} {kind} filter cannot {}; {} can", kind.article(), ability.verb(), able(*ability))]
pub struct Unable {
    /// The kind.
    pub kind: Kind,
    /// What it cannot do.
    pub ability: Ability,
}

/// The kinds that have an ability.
fn able(ability: Ability) -> String {
    let kinds = Kind::ALL.iter().filter(|kind| ability.is_of(**kind));
    kinds.map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

/// A key that could not be inserted into a filter of any kind. The filter is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InsertError {
    /// The filter is full.
    #[error(transparent)]
    Full(#[from] Full),
    /// A static kind.
    #[error(transparent)]
    Unable(#[from] Unable),
    /// The filter's rule refuses the key.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// A key that could not be looked up in a filter of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LookupError {
    /// The kind cannot do it.
    #[error(transparent)]
    Unable(#[from] Unable),
    /// The filter's rule refuses the key.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// A key that cannot be removed. The filter is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RemoveError {
    /// All counters of the key are stuck at their largest value: how often they would have been
    /// incremented beyond it is unknown.
    #[error(
        "the key stays in the {kind} filter: all its counters are stuck at {most}; {}",
        if kind.options().contains(&"counter-bits") {
            "make the filter with wider counters, such as counter-bits 8"
        } else {
            "use counting, whose counters can be wider"
        }
    )]
    Stuck {
        /// The kind.
        kind: Kind,
        /// The counters' largest value.
        most: u64,
    },
    /// Every bit of the key is in a region where keys share bits, so clearing one could remove
    /// another key with it.
    #[error(
        "the key stays in the {kind} filter: all its bits are in regions where keys share bits; \
         rebuild with more regions, and insert each key once"
    )]
    Shared {
        /// The kind.
        kind: Kind,
    },
    /// The filter incremented only some of the key's counters and does not know which.
    #[error(
        "keys cannot be removed from a {kind} filter made with method increase, which does not \
         record which counters it incremented; make it with method minimum or recurring"
    )]
    Unrecorded {
        /// The kind.
        kind: Kind,
    },
    /// A kind that cannot remove keys.
    #[error(transparent)]
    Unable(#[from] Unable),
    /// The filter's rule refuses the key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Layers without counters: keys share bits.
    #[error(
        "keys cannot be removed from scalable with layers of kind {over}; \
         use layers of kind counting"
    )]
    Layers {
        /// The kind of the layers.
        over: Kind,
    },
}

/// Positions that no key of this classic or counting filter can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PositionError {
    /// A position out of range.
    #[error("position {got} is out of range; this filter's positions are 0 to {}", bits - 1)]
    Beyond {
        /// The given position.
        got: u64,
        /// Bits of the filter.
        bits: u64,
    },
    /// More or fewer positions than a key has.
    #[error("{got} positions were given, but a key of this filter has {probes}")]
    Count {
        /// The given number.
        got: usize,
        /// Positions per key.
        probes: u32,
    },
}

/// Two filters that cannot be combined. Both are unchanged.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// Of different kinds.
    #[error(
        "{} {ours} filter cannot be combined with {} {theirs} filter; rebuild one of them",
        ours.article(), theirs.article()
    )]
    Kind {
        /// This filter's kind.
        ours: Kind,
        /// The other's kind.
        theirs: Kind,
    },
    /// A kind without intersection.
    #[error(
        "{kind} filters cannot be intersected; only classic, blocked, split and compressed can"
    )]
    NoIntersection {
        /// The kind.
        kind: Kind,
    },
    /// An entry of one filter may be below an entry of the other, and their intersection would have
    /// neither.
    #[error(
        "an entry of one may be below an entry of the other, and an intersection loses it; look keys \
         up in both filters instead"
    )]
    Below,
    /// A kind whose filters cannot be merged.
    #[error("{kind} filters cannot be merged; rebuild from the keys")]
    Unsupported {
        /// The kind.
        kind: Kind,
    },
    /// Hashed differently, so that one's keys would look absent.
    #[error(
        "the filters were made with different seeds or secret keys; rebuild one with the other's"
    )]
    Seed,
    /// The keys have different rules, so that one's keys would look absent in the other.
    #[error(
        "the filters' keys are not the same: {ours} and {theirs}; rebuild one with the other's \
         options"
    )]
    Rule {
        /// What this filter's keys are.
        ours: String,
        /// What the other's are.
        theirs: String,
    },
    /// Different numbers of probes.
    #[error(
        "the filters have {ours} and {theirs} probes per key; rebuild one with the other's number"
    )]
    Probes {
        /// This filter's.
        ours: u32,
        /// The other's.
        theirs: u32,
    },
    /// Neither size is a multiple of the other.
    #[error(
        "the filters have {ours} and {theirs} bits; one must be a multiple of the other: \
         rebuild one for the other's number of items"
    )]
    Bits {
        /// This filter's.
        ours: u64,
        /// The other's.
        theirs: u64,
    },
    /// Different numbers of cells, in a kind that does not fold.
    #[error(
        "the filters have {ours} and {theirs} cells, but the numbers must be equal: rebuild one \
         for the other's number of items"
    )]
    Cells {
        /// This filter's.
        ours: u64,
        /// The other's.
        theirs: u64,
    },
    /// Made with different options.
    #[error("the filters differ in option {name}; rebuild one with the other's value")]
    Option {
        /// The option's name.
        name: &'static str,
    },
    /// The counters depend on the order of the inserts, so their sums are not what building from
    /// both sets gives.
    #[error(
        "spectral filters made with method {method} cannot be combined; \
         rebuild from the keys, or make both with method minimum"
    )]
    Method {
        /// The method.
        method: Method,
    },
    /// The keys of both do not fit, and the kind cannot grow.
    #[error(transparent)]
    Full(#[from] Full),
    /// Out of memory when folding the larger one, or when copying one that borrows a file.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A filter that cannot be folded. It is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FoldError {
    /// The size is not a multiple of the ratio.
    #[error(
        "{units} lines, blocks or bits cannot be folded by {ratio}; choose a ratio that divides \
         them"
    )]
    Ratio {
        /// The requested ratio.
        ratio: u64,
        /// Lines, blocks or bits of the filter.
        units: u64,
    },
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}
