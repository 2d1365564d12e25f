//! Bloom filters and their relatives: tests whether a key is in a set, in a few bits per key.
//!
//! A filter answers *no*, which is certain, or *maybe*. It never stores the keys, so it is small:
//! about ten bits per key, however long the keys are. The price is a false positive now and then,
//! as rarely as you ask for.
//!
//! # A first filter
//!
//! ```
//! use anther::{Blocked, Target};
//!
//! // A million keys, at most 1 % false positives.
//! let mut seen = Blocked::new(Target::new(1_000_000, 0.01)?)?;
//! for id in 0..1_000_000 {
//!     seen.insert(id);
//! }
//! assert!((0..1_000_000).all(|id| seen.contains(id)), "no false negatives");
//!
//! let false_positives = (1_000_000..2_000_000).filter(|&id| seen.contains(id)).count();
//! assert!((9_500..10_500).contains(&false_positives), "1 % of a million");
//! assert!(seen.profile().bits_per_key() < Some(10.0));
//! # Ok::<(), anther::SizeError>(())
//! ```
//!
//! `insert` returns true if the key is certainly new, so one call finds duplicates:
//!
//! ```
//! # use anther::{Blocked, Target};
//! # let mut seen = Blocked::new(Target::new(1000, 0.01)?)?;
//! let words = ["to", "be", "or", "not", "to", "be"];
//! let new: Vec<_> = words.into_iter().filter(|word| seen.insert(word)).collect();
//! assert_eq!(new, ["to", "be", "or", "not"]);
//! # Ok::<(), anther::SizeError>(())
//! ```
//!
//! # Which kind?
//!
//! | You need | Use |
//! |---|---|
//! | nearly anything | [`Blocked`]: one cache line per lookup |
//! | the fewest plain bits, rates below 10⁻⁵, small filters | [`Classic`] |
//! | the bits of Apache Parquet | [`Split`] |
//! | the smallest file of a kind that takes inserts | [`Compressed`] |
//! | room for an unknown number of keys | [`Scalable`] |
//! | a static set in the fewest bits | [`Ribbon`]; [`Fuse`] is faster and a little larger |
//! | a static set, and no error on any key of a second list | [`Cascade`] |
//! | a value with each key of a static set | [`Bloomier`] |
//! | to remove keys | [`Cuckoo`]; [`Quotient`] also merges, doubles, and counts repeated keys |
//! | to remove keys, and plain bits to send | [`Counting`] |
//! | to count keys | [`Quotient`]; [`Spectral`] in fixed memory |
//! | to find duplicates among the latest keys of an endless stream | [`Aging`], which forgets older ones |
//! | fewer false positives for frequent queries | [`Weighted`] |
//! | an exact set of 64-bit keys that can be listed | [`ExactSet`] |
//! | to know whether any key is between two others | [`Range`], whose keys are ordered integers |
//! | the difference between two sets | [`iblt`], which is not a filter |
//!
//! [`DLeft`], [`VariableIncrement`] and [`Deletable`] also remove keys; for most uses [`Cuckoo`] and
//! [`Quotient`] are better. [`Stable`] forgets at random and takes three times the bits of [`Aging`].
//! [`Generalized`], [`Robust`] and [`Floom`] are experimental. Each kind's
//! module in [`filter`] says when to use it and when not, and [`plan::compare`] gives bits,
//! false-positive rate and capabilities of every kind for a target.
//!
//! Removing takes a kind that can:
//!
//! ```
//! use anther::{Cuckoo, Target};
//!
//! let mut online = Cuckoo::new(Target::new(1000, 0.001)?)?;
//! online.insert("ada")?; // an error if the filter is full
//! online.insert("grace")?;
//! assert!(online.remove("ada")?);
//! assert!(!online.contains("ada"));
//! assert!(online.contains("grace"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A static kind is built once, from all keys, and is smaller:
//!
//! ```
//! use anther::Ribbon;
//!
//! let primes = Ribbon::build([2u64, 3, 5, 7, 11, 13], 0.001)?;
//! assert!(primes.contains(11u64));
//!
//! let large = Ribbon::build(0..100_000u64, 0.01)?;
//! assert!(large.profile().bits_per_key() < Some(6.8)); // no filter can use less than 6.64
//! # Ok::<(), anther::BuildError>(())
//! ```
//!
//! # Memory
//!
//! A filter allocates all its memory when it is made, and an allocation that fails is an error, not
//! an abort. Only [`Scalable`] and [`Quotient`] grow by themselves, and only [`Scalable`] keeps its
//! false-positive rate. [`Profile::bits`] says how much a filter takes.
//! Filters of 4 MiB and more ask for huge pages ([`huge_pages`]).
//!
//! The size follows from the exact formula of each kind ([`sizing`]), so the target is met, not
//! approximated. No filter can use less than log2(1/ε) bits per key: 6.64 at 1 %, 9.97 at 0.1 %.
//!
//! # Threads
//!
//! A lookup takes `&self`. To insert from several threads, wrap a filter of plain bits in
//! [`Shared`]; the result is bit for bit that of one thread.
//!
//! ```
//! use anther::{Blocked, Shared, Target};
//!
//! let shared = Shared::new(Blocked::new(Target::new(1000, 0.01)?)?)?;
//! std::thread::scope(|scope| {
//!     scope.spawn(|| shared.insert("left"));
//!     scope.spawn(|| shared.insert("right"));
//! });
//! let seen = shared.into_inner();
//! assert!(seen.contains("left") && seen.contains("right"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Files
//!
//! Saving is atomic: a reader sees the old file or the new one. Loading verifies every
//! checksum and validates every field: a corrupt file is an error, and a forged one cannot crash the
//! reader. [`AnyFilter`] holds a filter of any kind.
//!
//! ```
//! use anther::{AnyFilter, Blocked, Target};
//!
//! let target = Target::new(1000, 0.01)?;
//! let (mut monday, mut tuesday) = (Blocked::new(target)?, Blocked::new(target)?);
//! monday.insert("a");
//! tuesday.insert("b");
//! monday.merge(&tuesday)?; // bit for bit the filter of both keys
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("week.anther");
//! monday.save(&path)?;
//! assert_eq!(Blocked::open(&path)?, monday);
//! let any = AnyFilter::open(&path)?;
//! assert_eq!(any.kind().name(), "blocked");
//! assert!(any.contains("b")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Open`] also reads from bytes and readers, and maps files. [`SharedFile`] lets several processes
//! insert into one file at the same time. To change and save any other file, hold its [`Lock`].
//! [`Remote`] looks keys up in a file on a web server or in an object store, and reads only the ranges
//! that it needs.
//!
//! # Keys
//!
//! A [`Key`] is text, bytes, an integer, a `bool` (0 or 1), or a tuple of keys. `5u8`, `5u64` and
//! `5i32` are the same key; `"5"` and `5u128` are different ones. The hash is the same on every machine, in every release
//! and in other languages, so files can be exchanged and merged. If you have hashes already, use the
//! traits [`Filter`] and [`Insert`]. A struct with `#[derive(Hash)]` becomes a key by [`Hashed`], whose
//! hash may change with the Rust release.
//!
//! # Limits
//!
//! - A target counts *distinct* keys. Beyond that number the false-positive rate rises:
//!   [`Profile::fpr_now`] says how far, [`Profile::is_overfull`] warns. [`Cuckoo`] and [`DLeft`] reject
//!   further inserts.
//! - The target is a mean over filters. A filter of ten keys may lie well off it, one of ten thousand
//!   hardly.
//! - Remove only keys that were inserted. Removing any other key can make the filter lose a key that it
//!   holds; see [`Remove`].
//! - [`Aging`], [`Stable`] and [`Generalized`] forget: their *no* is not certain, except in [`Aging`] for
//!   the latest keys. [`Profile::may_forget`] says so of any filter.
//! - The intersection of two filters has more false positives than a filter of the intersection.
//! - The default hash does not resist an attacker. If strangers choose the keys, use [`Seed::keyed`].
//!
//! # Filters of other systems
//!
//! With the feature `foreign`, the module `anther::foreign` opens filters that other systems wrote,
//! such as Guava, Spark, Parquet, Cassandra and RedisBloom, and makes filters that those systems read.
//!
//! # How it works
//!
//! ```text
//! key ──► KeyHash (u64) ──► probes ──► cells ──► the kind's rule ──► maybe / no
//! ```
//!
//! A key is hashed to 64 bits ([`parts::hash`]). The hash says which cells to look at
//! ([`parts::probes`]). The kind's rule reads or changes them ([`filter`]). [`format`](mod@format)
//! reads and writes files.
//!
//! # Files, streams, serde
//!
//! [`Open`] reads and [`Save`] writes any filter, as its kind or as [`AnyFilter`]: from and to a
//! file, a stream or bytes. With the feature `serde`, filters are `Serialize` and `Deserialize` as
//! the bytes of their file, so a struct that has one can be sent or stored as a whole; what arrives
//! is checked as a file would be. Binary formats write the bytes as they are; JSON writes a list of
//! numbers, about four times as long. A keyed filter is serialised without its secret key and
//! cannot be deserialised, since there is nobody to ask for the key: send [`Save::bytes`], and open
//! them with [`Open::key`].
// Each item says which feature it needs, on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    test,
    allow(clippy::allow_attributes, clippy::cast_possible_truncation, reason = "small numbers")
)]

pub mod any;
pub mod batch;
pub mod error;
pub mod filter;
pub mod fingerprint_set;
#[cfg(feature = "foreign")]
pub mod foreign;
pub mod format;
pub mod iblt;
pub mod kind;
pub mod options;
pub mod parts;
pub mod plan;
pub mod profile;
pub mod queries;
pub mod range;
pub mod recipe;
pub mod remote;
pub mod shared;
mod simd;
pub mod sizing;
pub mod target;
pub mod traits;
pub mod units;

pub use any::{AnyFilter, Verified};
pub use batch::blocks::HashBlock;
pub use batch::source::{Again, KeySource, Work};
pub use batch::threads::Threads;
pub use error::{
    Ability, BoundsError, BuildError, FoldError, Full, GrowError, InsertError, KeyError, LoadError,
    LookupError, Mismatch, OutOfMemory, PositionError, QueryError, RangeError, RemoteError,
    RemoveError, SaveError, ShareError, SizeError, SketchError, SolveError, StreamError,
    SubtractError, TableError, TargetError, TooLong, Unable,
};
#[cfg(feature = "foreign")]
pub use error::{ChunkError, ForeignError, LayerFull};
pub use filter::aging::{Aging, Generations};
pub use filter::blocked::Blocked;
pub use filter::bloomier::{Bands, Bloomier};
pub use filter::cascade::Cascade;
pub use filter::classic::Classic;
pub use filter::compressed::Compressed;
pub use filter::counting::Counting;
pub use filter::cuckoo::Cuckoo;
pub use filter::deletable::Deletable;
pub use filter::dleft::DLeft;
pub use filter::experimental::floom::Floom;
pub use filter::experimental::generalized::Generalized;
pub use filter::experimental::robust::Robust;
pub use filter::fuse::Fuse;
pub use filter::plain::{PlainBits, PlainFilter};
pub use filter::quotient::{ExactSet, Quotient};
pub use filter::ribbon::Ribbon;
pub use filter::scalable::Scalable;
pub use filter::spectral::Spectral;
pub use filter::split::Split;
pub use filter::stable::Stable;
pub use filter::variable_increment::VariableIncrement;
pub use filter::weighted::Weighted;
pub use fingerprint_set::FingerprintSet;
pub use format::{Cancel, Lock, Open, Save};
pub use iblt::Iblt;
pub use kind::{Capabilities, Increments, Kind, Method};
pub use options::{OptionForm, OptionInfo, OptionValue, Options};
pub use parts::hash::{Key, KeyHash, Seed, SeedKind, TupleKey};
pub use parts::hashed::Hashed;
pub use parts::view::{Row, Touch, View};
pub use parts::words::{FileMap, huge_pages};
pub use profile::{About, Profile};
pub use queries::Queries;
pub use range::Range;
pub use recipe::Recipe;
pub use remote::Remote;
pub use shared::file::{SharedFile, SharedView};
pub use shared::{AnyShared, NotShared, Shared};
pub use sizing::estimate::Estimate;
pub use target::{Plan, Shape, Target};
pub use traits::{
    Build, Count, Filter, ForTarget, Insert, Inspect, Lookup, Merge, Planned, Remove, Shaped,
};

/// The examples of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
