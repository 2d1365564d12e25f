//! Is this in the set? Bloom filters and their whole family.
//!
//! A filter remembers a set in a few bits a key and answers *surely not* or *maybe*. It never
//! forgets a key, unless it is of a kind for streams that is made to; now and then it says *maybe*
//! to a key that it never saw. How often, you decide when you make it, and that is what you will
//! measure.
//!
//! ```
//! use anther::{Blocked, Target};
//!
//! // A million URLs; at most one wrong "maybe" in a hundred.
//! let mut seen = Blocked::new(Target::new(1_000_000, 0.01)?)?;
//! seen.insert("https://example.org/");
//! assert!(seen.contains("https://example.org/"));
//! assert!(!seen.contains("https://example.net/"));
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("seen.anther");
//! seen.save(&path)?;
//! let again = Blocked::open(&path)?;
//! assert_eq!(again, seen);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which kind?
//!
//! | you want | take |
//! |---|---|
//! | nearly anything | [`Blocked`]: one cache line a query |
//! | the least memory of plain bits, rates below 10⁻⁵, small filters | [`Classic`] |
//! | the bits of Apache Parquet | [`Split`] |
//! | the smallest file to send | [`Compressed`] |
//! | room for an unknown number of keys | [`Scalable`] |
//! | a set that does not change, in the least space | [`Ribbon`]; [`Fuse`] is faster and a little larger |
//! | a value with each key | [`Bloomier`] |
//! | to remove keys | [`Cuckoo`], or [`Quotient`], which merges, doubles, and takes a key any number of times; [`DLeft`] takes copies of a key without room for each; [`Counting`] freezes to plain bits; [`VariableIncrement`]; [`Deletable`] |
//! | a set of 64-bit keys without error, that lists them | [`Elements`] |
//! | how often a key was seen | [`Spectral`]; [`Quotient`] counts without end, in more slots for keys that come more often |
//! | duplicates in a stream without end | [`Stable`], which forgets |
//! | fewer false alarms for the keys asked most | [`Weighted`] |
//! | what two sets differ in | [`iblt`], which is no filter: it lists and subtracts |
//! | to look at ideas that did not last | [`Generalized`], which forgets, [`Robust`], [`Floom`]: experimental |
//!
//! [`plan::compare`] gives bits, rate and capabilities of every kind for a target; each kind's
//! module in [`filter`] says when to use it and when not. No filter can do with fewer than
//! log2(1/ε) bits a key: 6.64 at 1 % and 9.97 at 0.1 % ([`sizing::bound`]). [`AnyFilter`] holds a
//! filter of any kind, for instance one from a file.
//!
//! # How it is made
//!
//! ```text
//! key ──► KeyHash (u64) ──► probes ──► cells ──► the kind's rule ──► maybe / no
//! ```
//!
//! A key is hashed to 64 bits ([`parts::hash`]), the hash says which cells to look at
//! ([`parts::probes`]), and the kind's rule reads or changes them ([`filter`]). The size comes
//! from the true formula of the layout ([`sizing`]), so the promised rate is kept and not
//! approximately kept. [`format`](mod@format) writes and reads files.
//!
//! # Keys
//!
//! Anything that is a [`Key`]: text, bytes, integers, tuples of them. The hash does not change
//! between machines, releases or languages, so files travel and merge. For keys that strangers
//! choose, make the filter with [`Seed::keyed`]. Whoever has hashes already uses the traits
//! [`Filter`] and [`Insert`], which take them as they are.
//!
//! # What to know
//!
//! - A target counts *distinct* items. Beyond them the rate rises; [`Profile::fpr_now`] tells, and
//!   [`Profile::is_overfull`] warns.
//! - The rate is an average over filters. A filter of ten items may lie well off it, one of ten
//!   thousand hardly.
//! - Take out only what was put in. Where an absent key looks present, removing it damages keys
//!   that are in; see [`Remove`].
//! - Two kinds forget, [`Stable`] and [`Generalized`]: a no of theirs is not certain.
//!   [`Profile::may_forget`] says so of any filter.
//! - The intersection of two filters is not the filter of the intersection; see
//!   [`PlainBits::intersect`].
//! - A filter opened with [`Open::map`] borrows the file; its first insert copies the cells to
//!   memory. Saving never happens by itself.
//! - Several processes add to one file at once by [`SharedFile`], for kinds of plain bits. To change
//!   and save any other, hold its [`Lock`] meanwhile.
//! - `5u8`, `5u64` and `5i32` are one key, `"5"` is another, `5u128` a third.
#![cfg_attr(
    test,
    allow(clippy::allow_attributes, clippy::cast_possible_truncation, reason = "small numbers")
)]

pub mod any;
pub mod batch;
pub mod error;
pub mod filter;
pub mod format;
pub mod iblt;
pub mod kind;
pub mod options;
pub mod parts;
pub mod plan;
pub mod profile;
pub mod queries;
pub mod recipe;
pub mod shared;
mod simd;
pub mod sizing;
pub mod solve;
pub mod target;
pub mod traits;

pub use any::AnyFilter;
pub use batch::source::{Again, Source, Work};
pub use batch::threads::Threads;
pub use error::{
    Ability, BuildError, FoldError, Full, InsertError, LoadError, Mismatch, OutOfMemory,
    PositionError, QueryError, RemoveError, SaveError, ShareError, SizeError, SolveError,
    StreamError, SubtractError, TableError, TargetError, TooLong, Unable,
};
pub use filter::blocked::Blocked;
pub use filter::bloomier::Bloomier;
pub use filter::classic::Classic;
pub use filter::compressed::Compressed;
pub use filter::counting::Counting;
pub use filter::cuckoo::Cuckoo;
pub use filter::deletable::Deletable;
pub use filter::dleft::DLeft;
pub use filter::floom::Floom;
pub use filter::fuse::Fuse;
pub use filter::generalized::Generalized;
pub use filter::plain::{PlainBits, PlainFilter};
pub use filter::quotient::{Elements, Quotient};
pub use filter::ribbon::Ribbon;
pub use filter::robust::Robust;
pub use filter::scalable::Scalable;
pub use filter::spectral::Spectral;
pub use filter::split::Split;
pub use filter::stable::Stable;
pub use filter::variable_increment::VariableIncrement;
pub use filter::weighted::Weighted;
pub use format::{Cancel, Lock, Open, Save};
pub use iblt::Iblt;
pub use kind::{Capabilities, Increments, Kind, Method};
pub use options::{OptionForm, OptionInfo, OptionValue, Options};
pub use parts::hash::{Key, KeyHash, Seed, SeedKind};
pub use parts::view::{Row, Touch, View};
pub use parts::words::huge_pages;
pub use profile::{About, Profile};
pub use queries::Queries;
pub use recipe::Recipe;
pub use shared::file::SharedFile;
pub use shared::{AnyShared, NotShared, Shared};
pub use sizing::estimate::Estimate;
pub use target::{Plan, Shape, Target};
pub use traits::{Build, Count, Filter, ForTarget, Insert, Lookup, Merge, Planned, Remove, Shaped};

/// The examples of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
