//! Filters that are solved for, from all keys at once.
//!
//! | file | what it does |
//! |---|---|
//! | [`band`] | linear equations over bits, each within 64 slots |
//! | [`ribbon`] | keys as such equations, layer after layer, each key in the first that takes it |
//! | [`shards`] | keys in shards: within a memory budget, on all cores, in any order |

pub mod band;
pub mod ribbon;
pub mod shards;
