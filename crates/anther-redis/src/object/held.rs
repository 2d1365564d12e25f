//! What a key holds: an object, or the part of it that LOADCHUNK has brought so far.

use super::chunks::{Chunks, Window};
use super::old::{self, Old};
use super::{Limit, numbers, within};
use crate::errors::{self, Failure};
use crate::server::{Object, ObjectType, RdbFields};
use anther::foreign::redisbloom;
use anther::{ChunkError, ForeignError};
use std::borrow::Cow;
use std::ffi::CStr;
use std::io::{self, Read, Write};

/// An object of a data type, and its encoding.
pub trait Payload: Sized + Clone + 'static {
    /// The type's name in files.
    const NAME: &'static CStr;
    /// The command that takes chunks.
    const LOADCHUNK: &'static CStr;
    /// The first bytes of a dump. Read as RedisBloom's header, they would be 5·10¹⁸ items.
    const MAGIC: [u8; 8];
    /// RedisBloom's filter of this type.
    type Old: Old;

    /// The type, as the server knows it.
    fn object_type() -> &'static ObjectType;
    /// An object of what RedisBloom wrote.
    fn from_old(filter: Self::Old) -> Self;
    /// RedisBloom's filter, if there is nothing else.
    fn only_old(&self) -> Option<&Self::Old>;
    /// Writes the object.
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;
    /// Reads what [`write`](Payload::write) wrote, and trusts none of it.
    fn read(source: &mut dyn Read) -> Option<Self>;
    /// Bytes of its cells.
    fn bytes(&self) -> usize;
    /// Number of large allocations.
    fn allocations(&self) -> usize;
    /// The memory limit of the configuration.
    fn limit() -> Limit;
}

/// What a key holds.
#[derive(Clone, Debug)]
pub enum Held<T: Payload> {
    /// An object.
    Ready(T),
    /// A part of an object's dump.
    Loading(Loading),
    /// A part of RedisBloom's dump.
    LoadingOld(Box<redisbloom::Loading<T::Old>>),
}

/// The first bytes of a dump.
#[derive(Clone, Debug, PartialEq)]
pub struct Loading {
    /// How many there will be.
    total: u64,
    bytes: Vec<u8>,
}

/// Bytes of a dump's header: the magic and the total length.
const HEADER: usize = 16;

/// What a dump may have besides its cells.
const MARGIN: u64 = 1 << 20;

fn header<T: Payload>(total: u64) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&T::MAGIC);
    header[8..].copy_from_slice(&total.to_le_bytes());
    header
}

/// Why a dump was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadFailure {
    /// The chunk is not the next one.
    Offset,
    /// The chunk is longer than what is missing.
    TooLong,
    /// The object is larger than allowed.
    Limit,
    /// The dump is malformed, or its filter changed while it was read.
    Data,
}

impl From<ChunkError> for LoadFailure {
    fn from(error: ChunkError) -> LoadFailure {
        match error {
            ChunkError::NoLayer => LoadFailure::Offset,
            ChunkError::TooBig => LoadFailure::TooLong,
            ChunkError::OutOfMemory(_) => LoadFailure::Limit,
            _ => LoadFailure::Data,
        }
    }
}

impl<T: Payload> Held<T> {
    /// The object.
    #[inline]
    pub fn ready(&self) -> Result<&T, Failure> {
        match self {
            Held::Ready(object) => Ok(object),
            _ => Err(errors::LOADING),
        }
    }

    /// The object, to be changed.
    pub fn ready_mut(&mut self) -> Result<&mut T, Failure> {
        match self {
            Held::Ready(object) => Ok(object),
            _ => Err(errors::LOADING),
        }
    }

    /// The beginning of an object, from the header of a dump, ours or RedisBloom's.
    pub fn begin(header: &[u8], limit: Limit) -> Result<Held<T>, LoadFailure> {
        if let Some((magic, total)) = header.split_first_chunk()
            && *magic == T::MAGIC
        {
            let total = total.try_into().map_err(|_| LoadFailure::Data)?;
            let total = u64::from_le_bytes(total);
            if total == 0 {
                return Err(LoadFailure::Data);
            }
            within(limit, total.saturating_sub(MARGIN)).map_err(|_| LoadFailure::Limit)?;
            return Ok(Held::Loading(Loading { total, bytes: Vec::new() }));
        }
        let loading = T::Old::begin(header, limit.unwrap_or(u64::MAX));
        loading.map(|loading| Held::LoadingOld(Box::new(loading))).map_err(|error| match error {
            ForeignError::TooLarge { .. } | ForeignError::OutOfMemory(_) => LoadFailure::Limit,
            _ => LoadFailure::Data,
        })
    }

    /// Takes a chunk with the iterator that came with it; the last one makes the object. Nothing
    /// changes if it fails.
    pub fn take_chunk(
        &mut self,
        iterator: i64,
        chunk: &[u8],
        limit: Limit,
    ) -> Result<(), LoadFailure> {
        match self {
            Held::Ready(_) => return Err(LoadFailure::Offset),
            Held::Loading(loading) => {
                if let Some(object) = loading.take::<T>(iterator, chunk, limit)? {
                    *self = Held::Ready(object);
                }
            }
            Held::LoadingOld(loading) => {
                if !T::Old::take(loading, iterator, chunk)? {
                    return Ok(());
                }
                let nothing = Held::Loading(Loading { total: 0, bytes: Vec::new() });
                if let Held::LoadingOld(loading) = std::mem::replace(self, nothing) {
                    let filter = T::Old::end(*loading).ok_or(LoadFailure::Data)?;
                    *self = Held::Ready(T::from_old(filter));
                }
            }
        }
        Ok(())
    }

    /// The chunk after an iterator, and the next iterator: 0 at the end.
    pub fn scan(&self, iterator: i64) -> Result<(i64, Cow<'_, [u8]>), Failure> {
        let object = self.ready()?;
        let end = Ok((0, Cow::Borrowed(&[][..])));
        if let Some(old) = object.only_old() {
            return match iterator {
                0 => Ok((1, old.dump_header().into())),
                _ => old.dump_chunk(iterator).map_or(end, |(next, chunk)| Ok((next, chunk.into()))),
            };
        }
        let Ok(from) = u64::try_from(iterator) else { return end };
        // Beyond the end for the header, of which only the length counts.
        let mut window = Window::new(from.wrapping_sub(1));
        object.write(&mut window).map_err(Failure::because)?;
        match from {
            0 => Ok((1, header::<T>(window.at).to_vec().into())),
            _ if window.bytes.is_empty() => end,
            _ => Ok((iterator + window.bytes.len().cast_signed() as i64, window.bytes.into())),
        }
    }
}

impl Loading {
    /// Whether the chunk has been taken: a client that got no answer sends it again.
    fn has(&self, iterator: i64, chunk: &[u8]) -> bool {
        let end = iterator.checked_sub(1).and_then(|end| usize::try_from(end).ok());
        let start = end.and_then(|end| end.checked_sub(chunk.len()));
        let there = start.zip(end).and_then(|(start, end)| self.bytes.get(start..end));
        !chunk.is_empty() && there == Some(chunk)
    }

    /// Takes the chunk that ends one before an iterator; the last one gives the object.
    fn take<T: Payload>(
        &mut self,
        iterator: i64,
        chunk: &[u8],
        limit: Limit,
    ) -> Result<Option<T>, LoadFailure> {
        let before = self.bytes.len();
        if self.has(iterator, chunk) {
            return Ok(None);
        }
        let len = before as u64 + chunk.len() as u64;
        if chunk.is_empty() || u64::try_from(iterator) != Ok(len + 1) {
            return Err(LoadFailure::Offset);
        }
        if len > self.total {
            return Err(LoadFailure::TooLong);
        }
        self.bytes.try_reserve(chunk.len()).map_err(|_| LoadFailure::Limit)?;
        self.bytes.extend_from_slice(chunk);
        if len < self.total {
            return Ok(None);
        }
        let mut rest = self.bytes.as_slice();
        let failure = match T::read(&mut rest).filter(|_| rest.is_empty()) {
            Some(object) if within(limit, object.bytes() as u64).is_ok() => {
                return Ok(Some(object));
            }
            Some(_) => LoadFailure::Limit,
            None => LoadFailure::Data,
        };
        self.bytes.truncate(before);
        Err(failure)
    }
}

const READY: u8 = 0;
const LOADING: u8 = 1;
const LOADING_OLD: u8 = 2;

impl<T: Payload> Object for Held<T> {
    const NAME: &'static CStr = T::NAME;
    const LOADCHUNK: &'static CStr = T::LOADCHUNK;

    fn object_type() -> &'static ObjectType {
        T::object_type()
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Held::Ready(object) => {
                out.write_all(&[READY])?;
                object.write(out)
            }
            Held::Loading(loading) => {
                out.write_all(&[LOADING])?;
                numbers::put_u64(out, loading.total)?;
                out.write_all(&loading.bytes)
            }
            Held::LoadingOld(loading) => {
                out.write_all(&[LOADING_OLD])?;
                old::put_loading(out, loading)
            }
        }
    }

    fn load(source: &mut dyn Read) -> Option<Held<T>> {
        let held = match numbers::array(source)? {
            [READY] => Held::Ready(T::read(source)?),
            [LOADING] => {
                let (total, mut bytes) = (numbers::u64(source)?, Vec::new());
                // Grows with what arrives.
                source.read_to_end(&mut bytes).ok()?;
                if bytes.len() as u64 >= total {
                    return None;
                }
                Held::Loading(Loading { total, bytes })
            }
            [LOADING_OLD] => Held::LoadingOld(Box::new(old::loading(source)?)),
            _ => return None,
        };
        // To the end, so that the server finds what follows.
        (source.read(&mut [0]).ok()? == 0).then_some(held)
    }

    fn load_old(fields: &mut RdbFields, version: u32) -> Option<Held<T>> {
        T::Old::from_fields(fields, version).map(|filter| Held::Ready(T::from_old(filter)))
    }

    fn chunks(&self, each: &mut dyn FnMut(i64, &[u8])) -> io::Result<()> {
        if let Held::LoadingOld(loading) = self {
            each(1, &T::Old::header_of(loading));
            T::Old::chunks_of(loading, each);
            return Ok(());
        }
        if let Held::Ready(object) = self
            && let Some(old) = object.only_old()
        {
            each(1, &old.dump_header());
            let mut iterator = 1;
            while let Some((next, chunk)) = old.dump_chunk(iterator) {
                each(next, chunk);
                iterator = next;
            }
            return Ok(());
        }
        let mut chunks = Chunks::new(each);
        match self {
            Held::Ready(object) => {
                let mut window = Window::new(u64::MAX);
                object.write(&mut window)?;
                chunks.put_header(&header::<T>(window.at));
                object.write(&mut chunks)?;
            }
            Held::Loading(loading) => {
                chunks.put_header(&header::<T>(loading.total));
                chunks.write_all(&loading.bytes)?;
            }
            Held::LoadingOld(_) => {}
        }
        chunks.finish();
        Ok(())
    }

    fn memory(&self) -> usize {
        match self {
            Held::Ready(object) => object.bytes(),
            Held::Loading(loading) => loading.bytes.capacity(),
            Held::LoadingOld(loading) => usize::try_from(loading.received()).unwrap_or(usize::MAX),
        }
    }

    /// Freeing a gigabyte takes as long as freeing thousands of small blocks.
    fn free_effort(&self) -> usize {
        let allocations = match self {
            Held::Ready(object) => object.allocations(),
            _ => 1,
        };
        allocations + self.memory() / (1 << 16)
    }

    fn copy(&self) -> Option<Held<T>> {
        // A clone that runs out of memory would end the server: see whether there is enough.
        Vec::<u8>::new().try_reserve_exact(self.memory()).ok()?;
        Some(self.clone())
    }

    fn is_too_large(&self) -> bool {
        within(T::limit(), self.memory() as u64).is_err()
    }
}
