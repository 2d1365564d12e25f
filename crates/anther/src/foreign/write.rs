//! Filters of other systems made from keys, as those systems would make them.

use super::ForeignFilter;
use super::guava::{Guava, Strategy};
use super::parquet::Parquet;
use super::spark::{self, Spark};
use crate::error::ForeignError;
use crate::target::Target;

/// A format that can be written. The size is the one that the system itself would choose for the
/// target, and so are the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WriteFormat {
    /// Guava's `MURMUR128_MITZ_32`.
    Guava32,
    /// Guava's `MURMUR128_MITZ_64`, its default.
    Guava64,
    /// Spark's version 1, which every Spark reads.
    Spark1,
    /// Spark's version 2, for Spark 4.1 and later.
    Spark2,
    /// A filter of Parquet alone, with its header.
    Parquet,
}

impl WriteFormat {
    /// All of them.
    pub const ALL: &[WriteFormat] = &[
        WriteFormat::Guava32,
        WriteFormat::Guava64,
        WriteFormat::Parquet,
        WriteFormat::Spark1,
        WriteFormat::Spark2,
    ];

    /// Its name: `guava64`.
    pub const fn name(self) -> &'static str {
        match self {
            WriteFormat::Guava32 => "guava32",
            WriteFormat::Guava64 => "guava64",
            WriteFormat::Spark1 => "spark1",
            WriteFormat::Spark2 => "spark2",
            WriteFormat::Parquet => "parquet",
        }
    }

    /// An empty filter for this target.
    pub fn empty(self, target: Target) -> Result<ForeignFilter, ForeignError> {
        match self {
            WriteFormat::Guava32 => Guava::new(Strategy::Mitz32, target).map(ForeignFilter::Guava),
            WriteFormat::Guava64 => Guava::new(Strategy::Mitz64, target).map(ForeignFilter::Guava),
            WriteFormat::Spark1 => Spark::new(spark::Version::V1, target).map(ForeignFilter::Spark),
            WriteFormat::Spark2 => Spark::new(spark::Version::V2, target).map(ForeignFilter::Spark),
            WriteFormat::Parquet => Parquet::new(target).map(ForeignFilter::Parquet),
        }
    }
}

impl ForeignFilter {
    /// Inserts a key, by the bytes that the system hashes for it. Fails for filters that are only
    /// read.
    pub fn insert(&mut self, key: &[u8]) -> Result<(), ForeignError> {
        match self {
            ForeignFilter::Guava(filter) => filter.insert(key),
            ForeignFilter::Parquet(filter) => return filter.insert(key),
            ForeignFilter::Spark(filter) => filter.insert(key),
            _ => return Err(self.read_only()),
        }
        Ok(())
    }

    /// The bytes that the system itself would write. Fails for filters that are only read.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ForeignError> {
        match self {
            ForeignFilter::Guava(filter) => Ok(filter.to_bytes()),
            ForeignFilter::Parquet(filter) => filter.to_bytes(),
            ForeignFilter::Spark(filter) => Ok(filter.to_bytes()),
            _ => Err(self.read_only()),
        }
    }

    fn read_only(&self) -> ForeignError {
        ForeignError::ReadOnly { system: self.info().system.title() }
    }
}
