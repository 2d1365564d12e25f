//! The building blocks of every kind: hash, probes, words, bits, packed cells.

pub mod bits;
pub mod counters;
pub mod elias_fano;
pub mod hash;
pub mod hashed;
pub mod memory;
pub mod packed;
pub mod probes;
pub(crate) mod sync;
pub mod view;
pub mod words;
