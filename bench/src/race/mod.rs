//! The race: the library beside its peers and beside the limit of memory, in one process.
//!
//! On a shared machine the time of one and the same loop moves by a quarter within a minute. So
//! every contender is queried once in every round, in an order that rotates; a time is the median
//! over rounds, and a ratio is the median of the rounds' ratios, never the ratio of two medians:
//! what slows a round slows both.

pub mod args;
pub mod contender;
pub mod exact;
pub mod goals;
pub mod hasher;
pub mod hashes;
pub mod keys;
pub mod line;
pub mod machine;
pub mod memory;
pub mod ours;
pub mod peers;
pub mod plot;
pub mod record;
pub mod rounds;
pub mod sections;
pub mod statics;
pub mod tables;
pub mod threads;
pub mod trial;
