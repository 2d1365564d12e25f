//! Every public error: one enum an operation, each saying what was wrong and what to do next.

mod files;
mod known;
mod tables;

pub use crate::parts::memory::OutOfMemory;
pub use crate::target::TargetError;
pub use files::{LoadError, SaveError, ShareError};
pub use known::SolveError;
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
    /// The target makes no sense in itself.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The rate lies below what the kind, or a 64-bit hash of so many items, can give.
    #[error(
        "{kind} cannot reach a false-positive rate of {got:e}; for so many items it cannot go \
         below {least:e}{}",
        if matches!(kind, Kind::Blocked | Kind::Split | Kind::Scalable) { " (classic reaches less)" } else { "" }
    )]
    Fpr {
        /// The kind.
        kind: Kind,
        /// What was asked for.
        got: f64,
        /// What lies out of reach for so many items: the floor of the hash, or of the kind.
        least: f64,
    },
    /// More bits than the kind can address.
    #[error(
        "{kind} cannot have {got} bits; it can have at most {most}: \
         ask for fewer items or a higher rate"
    )]
    TooLarge {
        /// The kind.
        kind: Kind,
        /// What was asked for, or what the target takes.
        got: u64,
        /// The most bits it can have.
        most: u64,
    },
    /// A shape too small for a single line or bit.
    #[error("{kind} cannot have {got} bits; it needs at least {least}")]
    TooSmall {
        /// The kind.
        kind: Kind,
        /// What was asked for.
        got: u64,
        /// The fewest bits it can have.
        least: u64,
    },
    /// A number of probes that the kind does not have.
    #[error(
        "{kind} cannot have {got} probes a key; it {}",
        if least == most { format!("always has {most}") }
        else { format!("can have {least} to {most}") }
    )]
    Probes {
        /// The kind.
        kind: Kind,
        /// What was asked for.
        got: u32,
        /// The fewest.
        least: u32,
        /// The most.
        most: u32,
    },
    /// A number of probes for a kind that chooses them by itself.
    #[error("{kind} chooses its probes by itself; {} take a number of them", shaped())]
    NoShape {
        /// The kind.
        kind: Kind,
    },
    /// A kind that is made from all keys at once cannot be made empty.
    #[error("{kind} is made from all its keys at once; build it from them")]
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
        "{name} of a {kind} filter cannot be {}; it can be {} to {}",
        number(*got), number(*least), number(*most)
    )]
    Option {
        /// The kind.
        kind: Kind,
        /// The option's name.
        name: &'static str,
        /// What was asked for.
        got: f64,
        /// The least it can be.
        least: f64,
        /// The most it can be.
        most: f64,
    },
    /// An option that the layers of a filter that grows do not have.
    #[error("layers of {over} have no {name}; say over counting")]
    LayerOption {
        /// The kind of the layers.
        over: Kind,
        /// The option's name.
        name: &'static str,
    },
    /// Buckets of a size that the kind does not have.
    #[error("a bucket of a {kind} filter cannot hold {got} fingerprints; it can hold {allowed}")]
    BucketSize {
        /// The kind.
        kind: Kind,
        /// What was asked for.
        got: u32,
        /// What can be had.
        allowed: &'static str,
    },
    /// A kind that cannot be the layers of a filter that grows.
    #[error("scalable cannot grow over {got}; it can over classic, blocked, counting")]
    Layers {
        /// What was asked for.
        got: Kind,
    },
    /// No memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A number as people write it: whole ones without a point, tiny ones without their zeros.
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
    format!("it is one of {}", names.join(", "))
}

/// Which kinds take a number of probes.
fn shaped() -> String {
    let kinds = Kind::ALL.iter().filter(|kind| kind.capabilities().shape);
    let names: Vec<&str> = kinds.map(|kind| kind.name()).collect();
    names.join(", ")
}

/// Queries that a filter cannot be made for.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A weight that is none.
    #[error("a query cannot weigh {got:?}; leave out what is never asked")]
    Weight {
        /// What was said.
        got: f64,
    },
    /// Weights that are not a number when added up.
    #[error("the weights of the queries add up to more than a number can hold; scale them down")]
    Sum,
    /// A likelihood that is none.
    #[error("a likelihood of {got:?} is not possible; it must be above 0 and below 1")]
    Likelihood {
        /// What was said.
        got: f64,
    },
}

/// What went wrong in a [`KeySource`](crate::KeySource) of keys: any error, kept as it is.
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
    /// Of this cause.
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

/// Errors in general cannot be compared: an error equals its clones.
impl PartialEq for SourceError {
    fn eq(&self, other: &SourceError) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A filter that cannot be built from its keys.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// It cannot be made, whatever the keys.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// No memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// More keys than it was to be made for.
    #[error(transparent)]
    Full(#[from] Full),
    /// The keys could not be read.
    #[error("cannot read the keys")]
    Source(#[from] SourceError),
    /// The keys were read several times, since they do not fit in memory at once, and were not the
    /// same each time.
    #[error(
        "the keys changed while they were read: {first} the first time, {again} another time{}; \
         give the same ones each time, or memory for all of them, which are then read once",
        if first == again { " but not the same" } else { "" }
    )]
    Changed {
        /// How many came the first time.
        first: u64,
        /// How many came when it was noticed.
        again: u64,
    },
    /// One hash with two values.
    #[error(
        "a key comes with two values, {} and {}, or two keys with these have one hash; \
         give each key one value, or use another seed", values[0], values[1]
    )]
    Conflict {
        /// The hash: whoever has the keys finds those that have it.
        key: KeyHash,
        /// Two of its values, the smaller first.
        values: [u64; 2],
    },
    /// A value wider than the map's.
    #[error("the value {got} does not fit in {bits} bits; ask for wider values")]
    Value {
        /// The hash of its key.
        key: KeyHash,
        /// What was given.
        got: u64,
        /// Bits of a value.
        bits: u32,
    },
    /// Far more keys than the target says, or hashes that crowd together.
    #[error(
        "{got} hashes in one shard, which holds {most}: give about the right number of items, \
         and hashes that spread evenly"
    )]
    Crowded {
        /// How many there are.
        got: u64,
        /// How many can be solved at once.
        most: u64,
    },
    /// No order of the keys was found. Only hashes chosen to prevent it can do so.
    #[error("{keys} hashes could not be solved in {tries} tries; use another seed")]
    Unsolved {
        /// How many hashes the shard has.
        keys: u64,
        /// How many tries were made.
        tries: u32,
    },
}

/// A key that the filter has no room for, and cannot get any. The filter is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the {kind} filter is full; {}",
    if kind.capabilities().grow { "the memory to grow further cannot be had" }
    else { "make it for more items, or use scalable, which grows" }
)]
pub struct Full {
    /// The kind.
    pub kind: Kind,
}

/// What some kinds can do and others cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ability {
    /// Keys are inserted one by one.
    Insert,
    /// Keys are removed.
    Remove,
    /// The filter says how often a key was inserted.
    Count,
    /// The filter keeps a value with each key.
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
            Ability::Insert => "take keys one by one",
            Ability::Remove => "remove keys",
            Ability::Count => "count keys",
            Ability::Get => "keep values",
        }
    }
}

/// Something that the filter's kind cannot do. The filter is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a {kind} filter cannot {}; {} can", ability.verb(), able(*ability))]
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

/// A key that a filter of any kind does not take. The filter is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InsertError {
    /// No room.
    #[error(transparent)]
    Full(#[from] Full),
    /// A kind that is made from all keys at once.
    #[error(transparent)]
    Unable(#[from] Unable),
}

/// A key that cannot be taken out. The filter is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RemoveError {
    /// All counters of the key have reached their largest value and stay there, since nobody
    /// knows how often they were raised beyond it.
    #[error(
        "the key stays in the {kind} filter: all its counters are stuck at {most}; {}",
        if kind.options().contains(&"counter-bits") {
            "make the filter with wider counters, such as counter-bits 8"
        } else {
            "use counting, which counts further"
        }
    )]
    Stuck {
        /// The kind.
        kind: Kind,
        /// The counters' largest value.
        most: u64,
    },
    /// Every bit of the key lies in a region where keys share bits, so clearing one could take
    /// another key out with it.
    #[error(
        "the key stays in the {kind} filter: every bit of it lies in a region where keys share \
         bits; rebuild with more regions"
    )]
    Shared {
        /// The kind.
        kind: Kind,
    },
    /// The filter raised only some of the key's counters and does not know which.
    #[error(
        "nothing can be taken out of a {kind} filter made with method increase: it keeps no \
         record of what was raised; make it with method minimum or recurring"
    )]
    Unrecorded {
        /// The kind.
        kind: Kind,
    },
    /// A kind that removes none.
    #[error(transparent)]
    Unable(#[from] Unable),
    /// Layers that are not of counters: the bits of one key belong to others too.
    #[error(
        "no key can be taken out of scalable over {over}; make it over counting to remove keys"
    )]
    Layers {
        /// The kind of the layers.
        over: Kind,
    },
}

/// Positions that are not those of a key of a classic or counting filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PositionError {
    /// A position beyond the end.
    #[error("position {got} lies beyond the filter's {bits} bits; positions are 0 to {}", bits - 1)]
    Beyond {
        /// What was asked for.
        got: u64,
        /// How many bits there are.
        bits: u64,
    },
    /// More or fewer positions than a key has.
    #[error("{got} positions were given, but a key of this filter has {probes}")]
    Count {
        /// How many were given.
        got: usize,
        /// How many a key has.
        probes: u32,
    },
}

/// Two filters that cannot be combined. Both are as they were before.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// Of different kinds.
    #[error("a {ours} filter cannot be combined with a {theirs} filter; rebuild one of them")]
    Kind {
        /// This filter's kind.
        ours: Kind,
        /// The other's kind.
        theirs: Kind,
    },
    /// A kind whose filters cannot be combined at all.
    #[error("{kind} filters cannot be combined; rebuild from the keys")]
    Unsupported {
        /// The kind.
        kind: Kind,
    },
    /// Hashed differently, so that one's keys would look absent.
    #[error("the filters were made with different seeds or keys; rebuild one with the other's")]
    Seed,
    /// Keys were taken from their input differently.
    #[error(
        "the filters took their keys from the input in different ways ({ours} and {theirs}); \
         rebuild one with the other's options"
    )]
    Recipe {
        /// This filter's recipe.
        ours: String,
        /// The other's recipe.
        theirs: String,
    },
    /// Different numbers of probes.
    #[error("the filters have {ours} and {theirs} probes a key; rebuild one with the other's")]
    Probes {
        /// This filter's.
        ours: u32,
        /// The other's.
        theirs: u32,
    },
    /// Sizes of which neither is a multiple of the other.
    #[error(
        "the filters have {ours} and {theirs} bits; sizes must be equal, or one a whole multiple \
         of the other: rebuild one for the other's number of items"
    )]
    Bits {
        /// This filter's.
        ours: u64,
        /// The other's.
        theirs: u64,
    },
    /// Different numbers of cells, in a kind that does not fold.
    #[error(
        "the filters have {ours} and {theirs} cells, which must be equal: rebuild one for the \
         other's number of items"
    )]
    Cells {
        /// This filter's.
        ours: u64,
        /// The other's.
        theirs: u64,
    },
    /// Made with different options.
    #[error("the filters differ in {name}; rebuild one with the other's")]
    Option {
        /// The option's name.
        name: &'static str,
    },
    /// Raised in a way that depends on the order of the keys, so that sums are not what building
    /// from both gives.
    #[error(
        "spectral filters made with method {method} cannot be combined; \
         rebuild from the keys, or make both with method minimum"
    )]
    Method {
        /// The method.
        method: Method,
    },
    /// No room for the keys of both, in a kind that cannot get any more.
    #[error(transparent)]
    Full(#[from] Full),
    /// No memory to fold the larger one, or to change one that borrows a file.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A fold that does not come out even. The filter is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FoldError {
    /// The size is not a multiple.
    #[error("{units} lines, blocks or bits cannot be folded by {ratio}: it does not divide them")]
    Ratio {
        /// What was asked for.
        ratio: u64,
        /// How many lines, blocks or bits there are.
        units: u64,
    },
    /// No memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}
