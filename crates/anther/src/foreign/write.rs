//! Filters of other systems made from keys, as those systems would make them.

use super::ForeignFilter;
use super::dcso::Dcso;
use super::guava::{Guava, Strategy};
use super::parquet::Parquet;
use super::redisbloom::Bloom;
use super::spark::{Spark, Version};
use super::squid::Squid;
use crate::error::{ForeignError, OutOfMemory};
use crate::target::Target;
use std::io::{self, Write};

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
                let filter = Bloom::new(target.items(), target.fpr(), Some(EXPANSION));
                ForeignFilter::RedisBloom(filter.map_err(ForeignError::asked)?)
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
        let mut out = Reserving(Vec::new());
        match self.write_to(&mut out) {
            Err(ForeignError::Io { kind: io::ErrorKind::OutOfMemory, .. }) => {
                let bytes = (out.0.len() as u64).saturating_mul(2);
                Err(OutOfMemory { bytes }.into())
            }
            written => written.map(|_| out.0),
        }
    }

    /// Writes these bytes, without a copy of them in memory, and returns their number.
    pub fn write_to(&self, out: &mut dyn Write) -> Result<u64, ForeignError> {
        let out = &mut Counting { out, written: 0 };
        match self {
            ForeignFilter::Dcso(filter) => filter.write_to(out)?,
            ForeignFilter::Guava(filter) => filter.write_to(out)?,
            // 128 MiB at most.
            ForeignFilter::Parquet(filter) => out.write_all(&filter.to_bytes()?)?,
            ForeignFilter::RedisBloom(filter) => filter.write_dump(out)?,
            ForeignFilter::Spark(filter) => filter.write_to(out)?,
            ForeignFilter::Squid(filter) => filter.write_to(out)?,
            _ => return Err(self.read_only()),
        }
        Ok(out.written)
    }

    fn read_only(&self) -> ForeignError {
        ForeignError::ReadOnly { system: self.system().title() }
    }
}

/// What is written, as a vector.
pub(super) fn bytes_of(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A vector takes all that there is memory for.
    let _ = write(&mut bytes);
    bytes
}

/// A vector that says if it cannot grow.
struct Reserving(Vec<u8>);

impl Write for Reserving {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_reserve(bytes.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Counts the bytes on their way.
struct Counting<'w> {
    out: &'w mut dyn Write,
    written: u64,
}

impl Write for Counting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
