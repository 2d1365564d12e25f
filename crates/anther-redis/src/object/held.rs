//! What a key holds: an object, or the part of it that LOADCHUNK has brought so far.

use super::{Limit, numbers, within};
use crate::errors::{self, Failure};
use crate::server::{Object, ObjectType, RdbFields};
use std::ffi::CStr;
use std::io::{self, Read, Write};

/// The most bytes of a chunk, as in RedisBloom.
pub const CHUNK: usize = 16 << 20;

/// An object of a data type, and its encoding.
pub trait Payload: Sized + Clone + 'static {
    /// The type's name in files.
    const NAME: &'static CStr;
    /// The command that takes chunks.
    const LOADCHUNK: &'static CStr;
    /// The first bytes of a dump. Read as RedisBloom's header, they would be 5·10¹⁸ items.
    const MAGIC: [u8; 8];

    /// The type, as the server knows it.
    fn object_type() -> &'static ObjectType;
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
#[derive(Clone, Debug, PartialEq)]
pub enum Held<T> {
    /// An object.
    Ready(T),
    /// A part of an object.
    Loading(Loading),
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

impl<T: Payload> Held<T> {
    /// The object.
    #[inline]
    pub fn ready(&self) -> Result<&T, Failure> {
        match self {
            Held::Ready(object) => Ok(object),
            Held::Loading(_) => Err(errors::LOADING),
        }
    }

    /// The object, to be changed.
    pub fn ready_mut(&mut self) -> Result<&mut T, Failure> {
        match self {
            Held::Ready(object) => Ok(object),
            Held::Loading(_) => Err(errors::LOADING),
        }
    }

    /// The beginning of an object, from the header of a dump. `None` if it is no header of ours.
    pub fn from_header(header: &[u8]) -> Option<Held<T>> {
        let (magic, total) = header.split_first_chunk()?;
        let total = u64::from_le_bytes(total.try_into().ok()?);
        (*magic == T::MAGIC).then_some(Held::Loading(Loading { total, bytes: Vec::new() }))
    }

    /// Takes the chunk that ends at an offset; the last one makes the object. Nothing changes if it
    /// fails.
    pub fn load(&mut self, end: u64, chunk: &[u8], limit: Limit) -> Result<(), ChunkError> {
        let Held::Loading(loading) = self else { return Err(ChunkError::Offset) };
        let before = loading.bytes.len();
        let len = before as u64 + chunk.len() as u64;
        if chunk.is_empty() || end != len {
            return Err(ChunkError::Offset);
        }
        if len > loading.total {
            return Err(ChunkError::TooLong);
        }
        within(limit, len).map_err(|_| ChunkError::Limit)?;
        loading.bytes.try_reserve(chunk.len()).map_err(|_| ChunkError::Limit)?;
        loading.bytes.extend_from_slice(chunk);
        if len < loading.total {
            return Ok(());
        }
        let mut rest = loading.bytes.as_slice();
        match T::read(&mut rest).filter(|_| rest.is_empty()) {
            Some(object) if within(limit, object.bytes() as u64).is_ok() => {
                *self = Held::Ready(object);
                Ok(())
            }
            found => {
                loading.bytes.truncate(before);
                Err(if found.is_some() { ChunkError::Limit } else { ChunkError::Data })
            }
        }
    }
}

/// Why a chunk was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkError {
    /// It is not the next one.
    Offset,
    /// It is longer than what is missing.
    TooLong,
    /// The object is larger than allowed.
    Limit,
    /// The dump is malformed, or its filter changed while it was read.
    Data,
}

/// The header of an object's dump.
pub fn dump_header<T: Payload>(object: &T) -> io::Result<[u8; HEADER]> {
    let mut window = Window { from: u64::MAX, at: 0, bytes: Vec::new() };
    object.write(&mut window)?;
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&T::MAGIC);
    header[8..].copy_from_slice(&window.at.to_le_bytes());
    Ok(header)
}

/// The chunk of an object's dump that begins at an offset; empty at the end.
pub fn dump_chunk<T: Payload>(object: &T, from: u64) -> io::Result<Vec<u8>> {
    let mut window = Window { from, at: 0, bytes: Vec::new() };
    object.write(&mut window)?;
    Ok(window.bytes)
}

/// Keeps a chunk of a stream, and counts all of it.
struct Window {
    from: u64,
    at: u64,
    bytes: Vec<u8>,
}

impl Write for Window {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let before = usize::try_from(self.from.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let inside = bytes.get(before..).unwrap_or_default();
        let kept = inside.len().min(CHUNK - self.bytes.len());
        self.bytes.extend_from_slice(&inside[..kept]);
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Passes a stream on in chunks, each with the offset of its end.
struct Chunks<'a> {
    each: &'a mut dyn FnMut(i64, &[u8]),
    at: i64,
    chunk: Vec<u8>,
}

impl Chunks<'_> {
    fn put(&mut self) {
        if !self.chunk.is_empty() {
            self.at += self.chunk.len().cast_signed() as i64;
            (self.each)(self.at + 1, &self.chunk);
            self.chunk.clear();
        }
    }
}

impl Write for Chunks<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(CHUNK - self.chunk.len());
        self.chunk.extend_from_slice(&bytes[..taken]);
        if self.chunk.len() == CHUNK {
            self.put();
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const READY: u8 = 0;
const LOADING: u8 = 1;

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
            _ => return None,
        };
        // To the end, so that the server finds what follows.
        (source.read(&mut [0]).ok()? == 0).then_some(held)
    }

    fn load_old(_fields: &mut RdbFields, _version: u32) -> Option<Held<T>> {
        None
    }

    fn chunks(&self, each: &mut dyn FnMut(i64, &[u8])) -> io::Result<()> {
        let mut chunks = Chunks { each, at: 0, chunk: Vec::new() };
        match self {
            Held::Ready(object) => {
                (chunks.each)(1, &dump_header(object)?);
                object.write(&mut chunks)?;
            }
            Held::Loading(loading) => {
                let mut header = [0; HEADER];
                header[..8].copy_from_slice(&T::MAGIC);
                header[8..].copy_from_slice(&loading.total.to_le_bytes());
                (chunks.each)(1, &header);
                chunks.write_all(&loading.bytes)?;
            }
        }
        chunks.put();
        Ok(())
    }

    fn memory(&self) -> usize {
        match self {
            Held::Ready(object) => object.bytes(),
            Held::Loading(loading) => loading.bytes.capacity(),
        }
    }

    /// Freeing a gigabyte takes as long as freeing thousands of small blocks.
    fn free_effort(&self) -> usize {
        let allocations = match self {
            Held::Ready(object) => object.allocations(),
            Held::Loading(_) => 1,
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
