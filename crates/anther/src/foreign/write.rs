//! Filters of other systems made from keys, as those systems would make them.

use super::ForeignFilter;
use super::dcso::Dcso;
use super::guava::{Guava, Strategy};
use super::parquet::Parquet;
use super::redisbloom::Bloom;
use super::spark::{Spark, Version};
use super::squid::Squid;
use crate::error::ForeignError;
use crate::target::Target;

/// A format that can be written. The size is the one that the system itself would choose for the
/// target, and so are the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WriteFormat {
    /// DCSO's, not compressed.
    Dcso,
    /// Guava's `MURMUR128_MITZ_32`.
    Guava32,
    /// Guava's `MURMUR128_MITZ_64`, its default.
    Guava64,
    /// A filter of Parquet alone, with its header.
    Parquet,
    /// The payload of `DUMP` for a Bloom filter of RedisBloom that grows: `RESTORE` takes it.
    RedisBloom,
    /// Spark's version 1, which every Spark reads.
    Spark1,
    /// Spark's version 2, for Spark 4.1 and later.
    Spark2,
    /// Squid's cache digest of URLs.
    Squid,
}

impl WriteFormat {
    /// All of them.
    pub const ALL: &[WriteFormat] = &[
        WriteFormat::Dcso,
        WriteFormat::Guava32,
        WriteFormat::Guava64,
        WriteFormat::Parquet,
        WriteFormat::RedisBloom,
        WriteFormat::Spark1,
        WriteFormat::Spark2,
        WriteFormat::Squid,
    ];

    /// Its name: `guava64`.
    pub const fn name(self) -> &'static str {
        match self {
            WriteFormat::Dcso => "dcso",
            WriteFormat::Guava32 => "guava32",
            WriteFormat::Guava64 => "guava64",
            WriteFormat::Parquet => "parquet",
            WriteFormat::RedisBloom => "redisbloom",
            WriteFormat::Spark1 => "spark1",
            WriteFormat::Spark2 => "spark2",
            WriteFormat::Squid => "squid",
        }
    }

    /// An empty filter for this target.
    pub fn empty(self, target: Target) -> Result<ForeignFilter, ForeignError> {
        Ok(match self {
            WriteFormat::Dcso => ForeignFilter::Dcso(Dcso::new(target)?),
            WriteFormat::Guava32 => ForeignFilter::Guava(Guava::new(Strategy::Mitz32, target)?),
            WriteFormat::Guava64 => ForeignFilter::Guava(Guava::new(Strategy::Mitz64, target)?),
            WriteFormat::Parquet => ForeignFilter::Parquet(Parquet::new(target)?),
            WriteFormat::RedisBloom => {
                /// RedisBloom's default.
                const EXPANSION: u32 = 2;
                let filter = Bloom::new(target.items(), target.fpr(), Some(EXPANSION))?;
                ForeignFilter::RedisBloom(filter)
            }
            WriteFormat::Spark1 => ForeignFilter::Spark(Spark::new(Version::V1, target)?),
            WriteFormat::Spark2 => ForeignFilter::Spark(Spark::new(Version::V2, target)?),
            WriteFormat::Squid => ForeignFilter::Squid(Squid::new(target)?),
        })
    }
}

impl ForeignFilter {
    /// Inserts a key, by the bytes that the system hashes for it. Fails for filters that are only
    /// read, and if a filter of RedisBloom is full and cannot grow.
    pub fn insert(&mut self, key: &[u8]) -> Result<(), ForeignError> {
        match self {
            ForeignFilter::Dcso(filter) => filter.insert(key),
            ForeignFilter::Guava(filter) => filter.insert(key),
            ForeignFilter::Parquet(filter) => return filter.insert(key),
            ForeignFilter::RedisBloom(filter) => filter.insert_and_grow(key)?,
            ForeignFilter::Spark(filter) => filter.insert(key),
            ForeignFilter::Squid(filter) => filter.insert(key),
            _ => return Err(self.read_only()),
        }
        Ok(())
    }

    /// The bytes that the system itself would write. Fails for filters that are only read.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ForeignError> {
        match self {
            ForeignFilter::Dcso(filter) => Ok(filter.to_bytes()),
            ForeignFilter::Guava(filter) => Ok(filter.to_bytes()),
            ForeignFilter::Parquet(filter) => filter.to_bytes(),
            ForeignFilter::RedisBloom(filter) => Ok(filter.to_dump()),
            ForeignFilter::Spark(filter) => Ok(filter.to_bytes()),
            ForeignFilter::Squid(filter) => Ok(filter.to_bytes()),
            _ => Err(self.read_only()),
        }
    }

    fn read_only(&self) -> ForeignError {
        ForeignError::ReadOnly { system: self.system().title() }
    }
}
