//! Bloom filters and their whole family.

pub mod parts;

pub use parts::hash::{Key, KeyHash, Seed, SeedKind};
