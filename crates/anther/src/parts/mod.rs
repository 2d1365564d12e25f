//! The vocabulary in which every kind is written: hash, probes, words, bits, packed cells.

pub mod hash;
pub mod probes;
