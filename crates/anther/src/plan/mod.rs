//! Planning over kinds: what a target comes to in each ([`compare()`]), from any two or three of
//! items, rate, bits and probes to the rest ([`Known`]), the numbers of a kind for a request
//! ([`Numbers`]), and which kinds do what is needed ([`Need`]).

mod advice;
mod compare;
mod known;
mod needs;
mod numbers;
mod ranges;

pub use advice::{DOUBLING, conflict, reason};
pub use compare::{Comparison, compare};
pub use known::{Known, Solved};
pub use needs::{Need, Rank, candidates};
pub use numbers::{Note, Numbers, Request, can};
pub use ranges::RangePlan;
