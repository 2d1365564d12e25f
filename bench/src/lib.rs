//! Measurements: the [`race`] beside other filters, and what [`settle`] measures of our own, for
//! decisions that may change.
//!
//! Everything is made from fixed seeds, so a rate is the same number on every machine; only times
//! depend on where they are taken.

#[cfg(not(target_arch = "x86_64"))]
compile_error!("the measurements are written for x86-64");

pub mod findings;
pub mod literals;
pub mod log_corpus;
pub mod process;
pub mod race;
pub mod random;
pub mod scale;
pub mod search;
pub mod settle;
pub mod source_files;
pub mod statistics;
pub mod uniq;
