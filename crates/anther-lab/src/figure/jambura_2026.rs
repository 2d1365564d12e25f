//! *Bloom Filter* by Jambura, Pürstinger, Schnappauf and Thiele (2026).

pub mod against;
pub mod attack;
pub mod chains;
pub mod compare;
pub mod cuckoo;
pub mod deleting;
pub mod growth;
pub mod lengths;
pub mod proxies;
pub mod queries;
pub mod sstables;
