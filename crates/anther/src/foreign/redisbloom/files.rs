//! Files with filters of RedisBloom: an RDB file, the payload of a `DUMP`, the chunks of a
//! `SCANDUMP`.

use super::rdb_value::MODULE_VALUE;
use super::{Bloom, Cuckoo, Object, RdbFile, read_dump};
use crate::error::{ChunkError, ForeignError};
use crate::foreign::info::Info;
use crate::foreign::open::Source;
use crate::foreign::{Checksum, Entry, ForeignFilter, System};
use std::fs;
use std::path::{Path, PathBuf};

/// Whether a file looks like one of these.
pub(in crate::foreign) fn looks_like(source: &Source<'_>) -> bool {
    is_rdb(&source.start) || is_dump(&source.start) || is_first_chunk(source)
}

/// Whether the name and the length are those of a dump's header: anybody may call a file `data_1.bin`.
fn is_first_chunk(source: &Source<'_>) -> bool {
    let is_bloom = || {
        let count = source.start.get(8..).and_then(|bytes| bytes.first_chunk());
        let count = count.map_or(0, |count| u64::from(u32::from_le_bytes(*count)));
        count > 0 && source.len == 20 + 53 * count
    };
    let is_cuckoo = || Cuckoo::from_header(&source.start, u64::MAX).is_ok();
    first_chunk(source.path).is_some() && (is_bloom() || is_cuckoo())
}

fn is_rdb(start: &[u8]) -> bool {
    let version = start.strip_prefix(b"REDIS").or(start.strip_prefix(b"VALKEY"));
    version.and_then(|rest| rest.get(..3)).is_some_and(|rest| rest.iter().all(u8::is_ascii_digit))
}

/// The value of a module: its type, and a name that begins as both of RedisBloom's do.
fn is_dump(start: &[u8]) -> bool {
    // `MBbloom` in six bits per character, behind the mark of a 64-bit length.
    matches!(start, [MODULE_VALUE, 0x81, 0x30, 0x16, 0xe5, 0xa2, 0x89, ..])
}

/// The header's file of a dump in chunks, `NAME_1.bin`, if this is it: the name without `1.bin`.
fn first_chunk(path: Option<&Path>) -> Option<String> {
    let name = path?.file_name()?.to_str()?;
    name.strip_suffix("_1.bin").map(|stem| format!("{stem}_"))
}

/// The filters of a file.
pub(in crate::foreign) fn open(
    source: &mut Source<'_>,
    limit: u64,
) -> Result<Vec<Entry>, ForeignError> {
    let bytes = source.all(limit)?;
    if is_rdb(&bytes) {
        let entries = RdbFile::open(&bytes, limit)?.map(|entry| {
            let entry = entry?;
            let key = String::from_utf8_lossy(&entry.key).into_owned();
            let name = match entry.database {
                0 => key,
                database => format!("{database}/{key}"),
            };
            Ok(Entry { name, filter: entry.object.into() })
        });
        return entries.collect();
    }
    let object = match (is_dump(&bytes), source.path, first_chunk(source.path)) {
        (false, Some(path), Some(stem)) => from_chunks(&bytes, path, &stem, limit)?,
        _ => read_dump(&bytes, limit)?,
    };
    Ok(vec![Entry { name: String::new(), filter: object.into() }])
}

/// Of a file that was opened. Chunks of a `SCANDUMP` have none.
pub(in crate::foreign) fn checksum(source: &Source<'_>) -> Checksum {
    match (is_rdb(&source.start), source.end.last_chunk()) {
        (true, Some([0, 0, 0, 0, 0, 0, 0, 0])) => Checksum::TurnedOff,
        (true, _) => Checksum::Verified,
        (false, _) if is_dump(&source.start) => Checksum::Verified,
        (false, _) => Checksum::Absent,
    }
}

/// A dump in chunks: the header, and beside its file one for each chunk, named by its iterator.
fn from_chunks(header: &[u8], path: &Path, stem: &str, limit: u64) -> Result<Object, ForeignError> {
    let chunks = chunk_files(path, stem)?;
    let files = || chunks.iter().map(|(iterator, path)| (*iterator, fs::read(path)));
    let broken = |_: ChunkError| ForeignError::Malformed("chunk of SCANDUMP");
    // Nothing in a header says of which type it is, but the lengths differ.
    let bloom = Bloom::from_header(header, limit);
    if let Ok(mut loading) = bloom {
        for (iterator, data) in files() {
            loading.load_chunk(iterator, &data?).map_err(broken)?;
        }
        return loading.finish().map(Object::Bloom);
    }
    let mut loading = Cuckoo::from_header(header, limit)?;
    for (iterator, data) in files() {
        loading.load_chunk(iterator, &data?).map_err(broken)?;
    }
    loading.finish().map(Object::Cuckoo)
}

/// The other files of a dump, in the order of their iterators.
fn chunk_files(path: &Path, stem: &str) -> Result<Vec<(i64, PathBuf)>, ForeignError> {
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let mut files = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let iterator = name.and_then(|name| name.strip_prefix(stem)?.strip_suffix(".bin"));
        match iterator.and_then(|iterator| iterator.parse().ok()) {
            Some(1) | None => {}
            Some(iterator) => files.push((iterator, path)),
        }
    }
    files.sort();
    Ok(files)
}

impl From<Object> for ForeignFilter {
    fn from(object: Object) -> ForeignFilter {
        match object {
            Object::Bloom(filter) => ForeignFilter::RedisBloom(filter),
            Object::Cuckoo(filter) => ForeignFilter::RedisCuckoo(filter),
        }
    }
}

impl Bloom {
    pub(in crate::foreign) fn info(&self) -> Info {
        let layers = self.layers();
        let bits = layers.iter().map(|layer| layer.bits).fold(0, u64::saturating_add);
        let growth = match self.expansion() {
            Some(1) => "layers of the same size".to_string(),
            Some(expansion) => format!("each layer {expansion} times as large"),
            None => "none: it rejects keys when full".to_string(),
        };
        Info {
            system: System::RedisBloom,
            format: "Bloom filter",
            bits,
            probes: layers.last().map_or(0, |layer| layer.probes),
            fill: self.fill(),
            fpr: self.fpr(),
            items: None,
            inserted: Some(self.len()),
            capacity: Some(self.capacity()),
            target_fpr: self.target_fpr(),
            layers: u32::try_from(layers.len()).unwrap_or(u32::MAX),
            fields: vec![("growth", growth)],
        }
    }
}

impl Cuckoo {
    pub(in crate::foreign) fn info(&self) -> Info {
        Info {
            system: System::RedisBloom,
            format: "cuckoo filter",
            bits: self.bytes().saturating_mul(8),
            probes: 2,
            fill: self.len() as f64 / self.capacity().max(1) as f64,
            fpr: self.fpr(),
            items: None,
            inserted: Some(self.len()),
            capacity: Some(self.capacity()),
            target_fpr: None,
            layers: u32::try_from(self.layers()).unwrap_or(u32::MAX),
            fields: vec![
                ("buckets", self.buckets().to_string()),
                ("bucket size", self.bucket_size().to_string()),
                ("removals", self.deletes().to_string()),
            ],
        }
    }
}
