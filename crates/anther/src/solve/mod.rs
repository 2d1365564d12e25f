//! Filters that are solved for, from all keys at once.
//!
//! | file | what it does |
//! |---|---|
//! | [`band`] | linear equations over bits, each within 64 slots |
//! | [`ribbon`] | keys as such equations, layer after layer, each key in the first that takes it |
//! | [`shards`] | keys in shards: within a memory budget, on all cores, in any order |
//! | [`peel`] | an order in which every key has a slot of its own, and cells filled in it |
//! | [`fuse`] | the filter of fingerprints so solved: binary fuse |
//! | [`map`] | the map of values so solved: Bloomier |

pub mod band;
pub mod fuse;
pub mod map;
pub mod peel;
pub mod ribbon;
pub mod shards;
