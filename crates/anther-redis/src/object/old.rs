//! Filters that RedisBloom wrote, in its layout. They keep their hash; new layers are ours.

use super::numbers;
use crate::server::RdbFields;
use anther::foreign::redisbloom::{self, CHUNK_BYTES, Loading, RdbSource};
use anther::{ChunkError, ForeignError};
use std::io::{self, Read, Write};

/// A filter of RedisBloom: `redisbloom::Bloom` or `redisbloom::Cuckoo`.
pub trait Old: Clone + PartialEq + std::fmt::Debug + 'static {
    /// Begins to load one from the header of a dump.
    fn begin(header: &[u8], limit: u64) -> Result<Loading<Self>, ForeignError>;
    /// The header that a load began with.
    fn header_of(loading: &Loading<Self>) -> Vec<u8>;
    /// Passes on the chunks that a load has so far.
    fn chunks_of(loading: &Loading<Self>, each: &mut dyn FnMut(i64, &[u8]));
    /// Takes a chunk; true if it was the last one that was missing.
    fn take(loading: &mut Loading<Self>, end: i64, chunk: &[u8]) -> Result<bool, ChunkError>;
    /// The filter, when all chunks are there.
    fn end(loading: Loading<Self>) -> Option<Self>;
    /// Reads one from an RDB file.
    fn from_fields(fields: &mut RdbFields, version: u32) -> Option<Self>;
    /// The header of its dump.
    fn dump_header(&self) -> Vec<u8>;
    /// A chunk of its dump.
    fn dump_chunk(&self, iterator: i64) -> Option<(i64, &[u8])>;
}

/// More than any filter; limits are checked by callers, who know whether they apply.
const NO_LIMIT: u64 = u64::MAX;

macro_rules! old {
    ($($filter:ty)*) => {$(
        impl Old for $filter {
            fn begin(header: &[u8], limit: u64) -> Result<Loading<Self>, ForeignError> {
                <$filter>::from_header(header, limit)
            }

            fn header_of(loading: &Loading<Self>) -> Vec<u8> {
                loading.header()
            }

            fn chunks_of(loading: &Loading<Self>, each: &mut dyn FnMut(i64, &[u8])) {
                loading.chunks().for_each(|(end, chunk)| each(end, chunk));
            }

            fn take(
                loading: &mut Loading<Self>,
                end: i64,
                chunk: &[u8],
            ) -> Result<bool, ChunkError> {
                loading.load_chunk(end, chunk)?;
                Ok(loading.is_complete())
            }

            fn end(loading: Loading<Self>) -> Option<Self> {
                loading.finish().ok()
            }

            fn from_fields(fields: &mut RdbFields, version: u32) -> Option<Self> {
                <$filter>::from_rdb(fields, version.try_into().ok()?, NO_LIMIT).ok()
            }

            fn dump_header(&self) -> Vec<u8> {
                self.header()
            }

            fn dump_chunk(&self, iterator: i64) -> Option<(i64, &[u8])> {
                self.chunk(iterator)
            }
        }
    )*};
}

old!(redisbloom::Bloom redisbloom::Cuckoo);

impl RdbSource for RdbFields {
    fn unsigned(&mut self) -> Result<u64, ForeignError> {
        RdbFields::unsigned(self).map_err(|_| ForeignError::Truncated)
    }

    fn double(&mut self) -> Result<f64, ForeignError> {
        RdbFields::double(self).map_err(|_| ForeignError::Truncated)
    }

    fn string(&mut self, _len: u64) -> Result<Vec<u8>, ForeignError> {
        let string = RdbFields::string(self).map_err(|_| ForeignError::Truncated)?;
        Ok(string.bytes().to_vec())
    }
}

/// Writes a filter, or a part of one: its header and its chunks, and an empty chunk at the end.
fn put(
    out: &mut dyn Write,
    header: &[u8],
    chunks: impl FnOnce(&mut dyn FnMut(i64, &[u8])),
) -> io::Result<()> {
    numbers::put_bytes(out, header)?;
    let mut done = Ok(());
    chunks(&mut |end, chunk| {
        let put = |out: &mut dyn Write| {
            numbers::put_u64(out, end.cast_unsigned())?;
            numbers::put_bytes(out, chunk)
        };
        if done.is_ok() {
            done = put(out);
        }
    });
    done?;
    numbers::put_u64(out, 0)
}

pub fn put_filter(out: &mut dyn Write, filter: &impl Old) -> io::Result<()> {
    put(out, &filter.dump_header(), |each| {
        let mut iterator = 1;
        while let Some((next, chunk)) = filter.dump_chunk(iterator) {
            each(next, chunk);
            iterator = next;
        }
    })
}

pub fn put_loading<F: Old>(out: &mut dyn Write, loading: &Loading<F>) -> io::Result<()> {
    put(out, &F::header_of(loading), |each| F::chunks_of(loading, each))
}

/// Reads what `put` wrote: a filter of which chunks may be missing.
pub fn loading<F: Old>(source: &mut dyn Read) -> Option<Loading<F>> {
    // A header has 53 bytes per layer.
    let header = numbers::bytes(source, 1 << 20)?;
    let mut loading = F::begin(&header, NO_LIMIT).ok()?;
    loop {
        match numbers::u64(source)? {
            0 => return Some(loading),
            end => {
                let chunk = numbers::bytes(source, CHUNK_BYTES as u64)?;
                F::take(&mut loading, end.cast_signed(), &chunk).ok()?;
            }
        }
    }
}

pub fn filter<F: Old>(source: &mut dyn Read) -> Option<F> {
    F::end(loading(source)?)
}
