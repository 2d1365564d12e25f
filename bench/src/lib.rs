//! The measurements that settled the bytes of a filter: which integer hash, which walk over the
//! cells, which pattern inside a line. And the [`race`] beside other filters.
//!
//! Everything is made from fixed seeds, so a rate is the same number on every machine; only times
//! depend on where they are taken.

#[cfg(not(target_arch = "x86_64"))]
compile_error!("the measurements are written for x86-64 with AVX2");

pub mod candidates;
pub mod kernels;
pub mod lines;
pub mod model;
pub mod parallel;
pub mod race;
pub mod random;
pub mod settle;
pub mod shapes;
pub mod smhasher;
pub mod statistics;
pub mod walks;
