//! Opens a file of another system, and tells by its content which one wrote it.

use super::cassandra::Sstable;
use super::{
    Checksum, ForeignFile, System, cassandra, dcso, guava, hbase, parquet, redisbloom, spark, squid,
};
use crate::error::ForeignError;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

/// How a file of another system is opened.
///
/// ```
/// use anther::foreign::{OpenForeign, System};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/foreign/redis/rb26_bf_100/dump.bin");
/// // By its content, with at most 1 GiB of memory:
/// let file = OpenForeign::new().limit(1 << 30).file(path)?;
/// // As this and nothing else:
/// let same = OpenForeign::new().system(System::RedisBloom).file(path)?;
/// assert_eq!(file.system(), same.system());
/// # Ok::<(), anther::ForeignError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct OpenForeign {
    system: Option<System>,
    sstable: Option<Sstable>,
    pub(super) limit: u64,
    is_bare: bool,
}

impl Default for OpenForeign {
    fn default() -> OpenForeign {
        OpenForeign::new()
    }
}

impl OpenForeign {
    /// Any system, filters of at most 8 GiB.
    pub fn new() -> OpenForeign {
        OpenForeign { system: None, sstable: None, limit: 8 << 30, is_bare: false }
    }

    /// Only this system. Needed where the content does not tell.
    #[must_use]
    pub fn system(self, system: System) -> OpenForeign {
        OpenForeign { system: Some(system), ..self }
    }

    /// The version of the sstable of a `Filter.db`, whatever the file's name says.
    #[must_use]
    pub fn sstable(self, version: Sstable) -> OpenForeign {
        OpenForeign { sstable: Some(version), ..self }
    }

    /// Only the bit set of a filter, without a header, which no content tells: Parquet's.
    #[must_use]
    pub fn bare(self) -> OpenForeign {
        OpenForeign { is_bare: true, ..self.system(System::Parquet) }
    }

    /// The memory that the filters of a file may need.
    #[must_use]
    pub fn limit(self, limit: u64) -> OpenForeign {
        OpenForeign { limit, ..self }
    }

    /// Opens a file. Its name counts where its content does not tell: Cassandra writes the version
    /// of an sstable into it, and `SCANDUMP` has one file per chunk.
    pub fn file(&self, path: impl AsRef<Path>) -> Result<ForeignFile, ForeignError> {
        let path = path.as_ref();
        self.source(&mut File::open(path)?, Some(path))
    }

    /// Opens what a reader has.
    pub fn reader<R: Read + Seek>(&self, mut reader: R) -> Result<ForeignFile, ForeignError> {
        self.source(&mut reader, None)
    }

    /// The systems whose files may begin and end like this one; empty if it is none of these. Reads
    /// a few bytes of it.
    pub fn systems<R: Read + Seek>(mut reader: R) -> Result<Vec<System>, ForeignError> {
        let source = Source::new(&mut reader, None)?;
        Ok(source.systems())
    }

    fn source(
        &self,
        reader: &mut dyn ReadSeek,
        path: Option<&Path>,
    ) -> Result<ForeignFile, ForeignError> {
        let mut source = Source::new(reader, path)?;
        let system = match (self.system, &source.systems()[..]) {
            (Some(system), _) => system,
            (None, [system]) => *system,
            (None, []) => return Err(ForeignError::Unknown),
            (None, several) => {
                let names = several.iter().map(|system| system.name()).collect::<Vec<_>>();
                return Err(ForeignError::Ambiguous { systems: names.join(", ") });
            }
        };
        let entries = match system {
            System::Cassandra => cassandra::open(&mut source, self.sstable, self.limit)?,
            System::Dcso => dcso::open(&mut source, self.limit)?,
            System::Guava => guava::open(&mut source, self.limit)?,
            System::HBase => hbase::open(&mut source, self.limit)?,
            System::Parquet => parquet::open(&mut source, self.limit, self.is_bare)?,
            System::RedisBloom => redisbloom::open(&mut source, self.limit)?,
            System::Spark => spark::open(&mut source, self.limit)?,
            System::Squid => squid::open(&mut source, self.limit)?,
        };
        let checksum = match system {
            System::Dcso => dcso::checksum(&source),
            System::HBase => hbase::checksum(&source),
            System::RedisBloom => redisbloom::checksum(&source),
            System::Cassandra | System::Guava | System::Parquet | System::Spark | System::Squid => {
                Checksum::Absent
            }
        };
        Ok(ForeignFile { system, entries, checksum })
    }
}

/// A reader that can seek.
pub(super) trait ReadSeek: Read + Seek {}

impl<R: Read + Seek> ReadSeek for R {}

/// A file of which nobody knows yet what it is.
pub(super) struct Source<'a> {
    reader: &'a mut dyn ReadSeek,
    pub(super) path: Option<&'a Path>,
    pub(super) len: u64,
    /// Its first bytes, at most 1024: the tables of a compressed file may be that long.
    pub(super) start: Vec<u8>,
    /// Its last bytes, at most 4096: as many as the trailer of an HFile has.
    pub(super) end: Vec<u8>,
    /// Whether data was read that was written without the checksum that its format has.
    pub(super) is_unchecked: bool,
}

impl<'a> Source<'a> {
    pub(super) fn new(
        reader: &'a mut dyn ReadSeek,
        path: Option<&'a Path>,
    ) -> Result<Source<'a>, ForeignError> {
        let len = reader.seek(SeekFrom::End(0))?;
        let (start, end, is_unchecked) = (Vec::new(), Vec::new(), false);
        let mut source = Source { reader, path, len, start, end, is_unchecked };
        source.start = source.bytes(0, len.min(1024))?;
        let end = len.min(4096);
        source.end = source.bytes(len - end, end)?;
        Ok(source)
    }

    /// The systems whose files look like this one.
    fn systems(&self) -> Vec<System> {
        let looks_like = |system: &System| match system {
            System::Cassandra => cassandra::looks_like(self),
            System::Dcso => dcso::looks_like(self),
            System::Guava => guava::looks_like(self),
            System::HBase => hbase::looks_like(self),
            System::Parquet => parquet::looks_like(self),
            System::RedisBloom => redisbloom::looks_like(self),
            System::Spark => spark::looks_like(self),
            System::Squid => squid::looks_like(self),
        };
        System::ALL.iter().copied().filter(looks_like).collect()
    }

    /// Bytes of the file, which must be there. Memory is only used for bytes that are.
    pub(super) fn bytes(&mut self, at: u64, len: u64) -> Result<Vec<u8>, ForeignError> {
        let end = at.checked_add(len).ok_or(ForeignError::Truncated)?;
        if end > self.len {
            return Err(ForeignError::Truncated);
        }
        self.reader.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        let capacity = usize::try_from(len).unwrap_or(usize::MAX);
        bytes.try_reserve_exact(capacity).map_err(|_| crate::OutOfMemory { bytes: len })?;
        (&mut *self.reader).take(len).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == len { Ok(bytes) } else { Err(ForeignError::Truncated) }
    }

    /// All bytes, one after the other.
    pub(super) fn stream(&mut self) -> Result<impl Read, ForeignError> {
        self.reader.seek(SeekFrom::Start(0))?;
        Ok(&mut *self.reader)
    }

    /// Copies the first bytes of the file.
    pub(super) fn copy(&mut self, len: u64, out: &mut dyn Write) -> Result<(), ForeignError> {
        self.reader.seek(SeekFrom::Start(0))?;
        let copied = std::io::copy(&mut (&mut *self.reader).take(len), out)?;
        if copied == len { Ok(()) } else { Err(ForeignError::Truncated) }
    }

    /// All bytes, if they are within the limit.
    pub(super) fn all(&mut self, limit: u64) -> Result<Vec<u8>, ForeignError> {
        if self.len > limit {
            return Err(ForeignError::TooLarge { bytes: self.len, limit });
        }
        self.bytes(0, self.len)
    }
}
