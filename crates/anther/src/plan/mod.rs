//! Planning over kinds: what a target comes to in each ([`compare()`]), and from any two or three of
//! items, rate, bits and probes to the rest ([`Known`]).

mod compare;
mod known;

pub use compare::{Comparison, compare};
pub use known::{Known, Solved};
