//! Filters that are solved for, from all keys at once.
//!
//! | file | what it does |
//! |---|---|
//! | [`shards`] | keys in shards: within a memory budget, on all cores, in any order |

pub mod shards;
