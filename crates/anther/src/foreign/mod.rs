//! Filters of other systems, read from their own files and dumps.
//!
//! One folder or file per system. Each reads exactly that system's layout, and refuses everything
//! else with a [`ForeignError`] that names what is wrong. A filter answers
//! with that system's own hash, so it gives the same answers, false positives included. Where
//! writing makes sense, the bytes are those that the system itself would write.
//!
//! [`OpenForeign`] opens a file, and tells by its content which system wrote it:
//!
//! ```
//! use anther::foreign::{OpenForeign, System};
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/foreign/redis/rb26_bf_100/dump.bin");
//! let file = OpenForeign::new().file(path)?;
//! assert_eq!(file.system(), System::RedisBloom);
//! let filter = file.only()?;
//! assert!(filter.contains("é".as_bytes()));
//! # Ok::<(), anther::ForeignError>(())
//! ```
//!
//! What is read may be forged. Every field is checked before it is used, callers limit the size
//! of a filter, and memory is only used for bytes that have come.
#![expect(clippy::big_endian_bytes, reason = "programs in Java write the highest byte first")]

mod bits;
pub mod cassandra;
mod cursor;
pub mod dcso;
mod encode;
pub mod guava;
mod gzip;
pub mod hbase;
mod info;
mod murmur2;
mod murmur3;
mod open;
pub mod parquet;
pub mod redisbloom;
pub mod spark;
pub mod squid;
mod write;

pub use info::Info;
pub use open::OpenForeign;
pub use write::WriteFormat;

use crate::error::{ForeignError, OutOfMemory};
use cassandra::Cassandra;
use dcso::Dcso;
use guava::Guava;
use hbase::HBase;
use parquet::Parquet;
use redisbloom::{Bloom, Cuckoo};
use spark::Spark;
use squid::Squid;
use std::fmt;

/// A system whose files are read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum System {
    /// Cassandra, by the `Filter.db` of an sstable.
    Cassandra,
    /// DCSO's `bloom` for Go, `flor` for Python and their kin.
    Dcso,
    /// Guava, whose filters Java programs write.
    Guava,
    /// HBase, by the Bloom filter of an HFile.
    HBase,
    /// Parquet: its files, a filter alone, a bit set alone.
    Parquet,
    /// RedisBloom: chunks of `SCANDUMP`, the payload of `DUMP`, RDB files.
    RedisBloom,
    /// Spark, by the filters of `spark-sketch`.
    Spark,
    /// Squid, by the digest of a proxy's cache.
    Squid,
}

impl System {
    /// All of them.
    pub const ALL: &[System] = &[
        System::Cassandra,
        System::Dcso,
        System::Guava,
        System::HBase,
        System::Parquet,
        System::RedisBloom,
        System::Spark,
        System::Squid,
    ];

    /// Its name, in lower case: `guava`.
    pub const fn name(self) -> &'static str {
        match self {
            System::Cassandra => "cassandra",
            System::Dcso => "dcso",
            System::Guava => "guava",
            System::HBase => "hbase",
            System::Parquet => "parquet",
            System::RedisBloom => "redisbloom",
            System::Spark => "spark",
            System::Squid => "squid",
        }
    }

    /// What its files are, for messages: `a filter of Guava`.
    pub const fn title(self) -> &'static str {
        match self {
            System::Cassandra => "Cassandra",
            System::Dcso => "DCSO",
            System::Guava => "Guava",
            System::HBase => "HBase",
            System::Parquet => "Parquet",
            System::RedisBloom => "RedisBloom",
            System::Spark => "Spark",
            System::Squid => "Squid",
        }
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

/// The filters in a file of another system: one, or those of an RDB file's keys, or those of a
/// Parquet file's columns.
#[derive(Clone, Debug)]
pub struct ForeignFile {
    system: System,
    entries: Vec<Entry>,
    checksum: Checksum,
}

/// Whether a checksum covers the cells of a file's filters. A wrong one is an error, and there is no
/// file then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Checksum {
    /// There is one, and it is right: of an RDB file, of the payload of `DUMP`, of the blocks of an
    /// HFile of version 3, or gzip's, of a compressed filter of DCSO.
    Verified,
    /// The format has one, but the writer was told to leave it out: an RDB file with eight zero bytes
    /// in its place, blocks of an HFile whose type of checksum is `NULL`.
    TurnedOff,
    /// The format has none, so changed cells go unnoticed.
    Absent,
}

/// A filter in a file, with its name there: a key of an RDB file, a column of a Parquet file.
/// A file with one filter has no name for it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The name; empty if the file is the filter.
    pub name: String,
    /// The filter.
    pub filter: ForeignFilter,
}

impl ForeignFile {
    /// The system that wrote it.
    pub fn system(&self) -> System {
        self.system
    }

    /// Its filters.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether a checksum covers their cells.
    pub fn checksum(&self) -> Checksum {
        self.checksum
    }

    /// Its only filter. A file with several is an error that lists their names.
    pub fn only(self) -> Result<ForeignFilter, ForeignError> {
        let names = self.names();
        match <[Entry; 1]>::try_from(self.entries) {
            Ok([only]) => Ok(only.filter),
            Err(none) if none.is_empty() => Err(ForeignError::NoFilter),
            Err(_) => Err(ForeignError::Several { names }),
        }
    }

    /// The filter of this name.
    pub fn named(self, name: &str) -> Result<ForeignFilter, ForeignError> {
        let names = self.names();
        let found = self.entries.into_iter().find(|entry| entry.name == name);
        let found = found.map(|entry| entry.filter);
        found.ok_or_else(|| ForeignError::NoEntry { name: name.to_string(), names })
    }

    fn names(&self) -> String {
        if let [Entry { name, .. }] = &self.entries[..]
            && name.is_empty()
        {
            return "one without a name".to_string();
        }
        let names: Vec<_> = self.entries.iter().map(|entry| entry.name.as_str()).collect();
        names.join(", ")
    }
}

/// A filter of another system: to look up keys in, to describe and to convert, not to build with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ForeignFilter {
    /// Cassandra's.
    Cassandra(Cassandra),
    /// DCSO's.
    Dcso(Dcso),
    /// Guava's.
    Guava(Guava),
    /// HBase's.
    HBase(HBase),
    /// Parquet's: a column's, or one alone.
    Parquet(Parquet),
    /// RedisBloom's Bloom filter.
    RedisBloom(Bloom),
    /// RedisBloom's cuckoo filter.
    RedisCuckoo(Cuckoo),
    /// Spark's.
    Spark(Spark),
    /// Squid's.
    Squid(Squid),
}

impl ForeignFilter {
    /// Whether a key is in the filter, or looks as if it were, by the bytes that the system
    /// hashes for it.
    pub fn contains(&self, key: &[u8]) -> bool {
        match self {
            ForeignFilter::Cassandra(filter) => filter.contains(key),
            ForeignFilter::Dcso(filter) => filter.contains(key),
            ForeignFilter::Guava(filter) => filter.contains(key),
            ForeignFilter::HBase(filter) => filter.contains(key),
            ForeignFilter::Parquet(filter) => filter.contains(key),
            ForeignFilter::RedisBloom(filter) => filter.contains(key),
            ForeignFilter::RedisCuckoo(filter) => filter.contains(key),
            ForeignFilter::Spark(filter) => filter.contains(key),
            ForeignFilter::Squid(filter) => filter.contains(key),
        }
    }

    /// The filter in numbers.
    pub fn info(&self) -> Info {
        match self {
            ForeignFilter::Cassandra(filter) => filter.info(),
            ForeignFilter::Dcso(filter) => filter.info(),
            ForeignFilter::Guava(filter) => filter.info(),
            ForeignFilter::HBase(filter) => filter.info(),
            ForeignFilter::Parquet(filter) => filter.info(),
            ForeignFilter::RedisBloom(filter) => filter.info(),
            ForeignFilter::RedisCuckoo(filter) => filter.info(),
            ForeignFilter::Spark(filter) => filter.info(),
            ForeignFilter::Squid(filter) => filter.info(),
        }
    }
}

/// Cells that are all 0.
fn zeroed(len: u64) -> Result<Vec<u8>, OutOfMemory> {
    let out_of_memory = |_| OutOfMemory { bytes: len };
    let mut cells = Vec::new();
    let len = usize::try_from(len).map_err(|_| OutOfMemory { bytes: len })?;
    cells.try_reserve_exact(len).map_err(out_of_memory)?;
    cells.resize(len, 0);
    Ok(cells)
}
