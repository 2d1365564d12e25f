//! Bloom filters and their whole family.
#![cfg_attr(
    test,
    allow(clippy::allow_attributes, clippy::cast_possible_truncation, reason = "small numbers")
)]

pub mod error;
pub mod filter;
pub mod format;
pub mod kinds;
pub mod parts;
pub mod profile;
pub mod shared;
pub mod sizing;
pub mod target;
pub mod traits;

pub use error::{
    FoldError, Full, LoadError, Mismatch, OutOfMemory, PositionError, SaveError, SizeError,
    TargetError,
};
pub use filter::blocked::Blocked;
pub use filter::classic::Classic;
pub use filter::plain::PlainBits;
pub use filter::split::Split;
pub use format::Open;
pub use format::recipe::Recipe;
pub use kinds::{AnyFilter, Capabilities, Kind};
pub use parts::hash::{Key, KeyHash, Seed, SeedKind};
pub use profile::Profile;
pub use shared::Shared;
pub use sizing::estimate::Estimate;
pub use target::{Shape, Target};
pub use traits::{Filter, ForTarget, Insert, Merge};
