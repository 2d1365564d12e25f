//! Objects as streams of bytes: in RDB files and DUMP payloads, in digests and in the AOF.

use redis_module::raw;
use std::ffi::{CStr, c_longlong};
use std::io::{self, Read, Write};
use std::slice;

/// A stream is saved as strings of this many bytes: enough to be fast, and no more memory than that
/// on top of the object, in the server and in the process that saves.
const PIECE: usize = 1 << 20;

/// Collects bytes and hands them on in pieces.
pub(super) struct Pieces<F: FnMut(&[u8])> {
    piece: Vec<u8>,
    each: F,
}

impl<F: FnMut(&[u8])> Pieces<F> {
    fn new(each: F) -> Pieces<F> {
        Pieces { piece: Vec::with_capacity(PIECE), each }
    }

    /// Hands on the last piece.
    fn finish(mut self) {
        if !self.piece.is_empty() {
            (self.each)(&self.piece);
        }
    }
}

impl<F: FnMut(&[u8])> Write for Pieces<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(PIECE - self.piece.len());
        self.piece.extend_from_slice(&bytes[..taken]);
        if self.piece.len() == PIECE {
            (self.each)(&self.piece);
            self.piece.clear();
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Saves a stream: strings, the last of them empty.
///
/// # Safety
/// `io` is the server's, in a callback that saves.
pub(super) unsafe fn save(
    io: *mut raw::RedisModuleIO,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    // SAFETY: by the caller; the server copies the bytes.
    let put = |bytes: &[u8]| unsafe {
        api!(RedisModule_SaveStringBuffer(io, bytes.as_ptr().cast(), bytes.len()));
    };
    let mut pieces = Pieces::new(put);
    write(&mut pieces)?;
    pieces.finish();
    put(&[]);
    Ok(())
}

/// Adds a stream to a digest.
///
/// # Safety
/// `digest` is the server's, in a callback that digests.
pub(super) unsafe fn digest(
    digest: *mut raw::RedisModuleDigest,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut pieces = Pieces::new(|bytes: &[u8]| {
        // SAFETY: by the caller; the server only reads the bytes.
        unsafe {
            api!(RedisModule_DigestAddStringBuffer(digest, bytes.as_ptr().cast(), bytes.len()));
        }
    });
    write(&mut pieces)?;
    pieces.finish();
    // SAFETY: by the caller.
    unsafe { api!(RedisModule_DigestEndSequence(digest)) };
    Ok(())
}

/// Writes a command with a key, an integer and bytes to the AOF.
///
/// # Safety
/// `io` and `key` are the server's, in a callback that rewrites the AOF.
pub(super) unsafe fn emit(
    io: *mut raw::RedisModuleIO,
    command: &CStr,
    key: *mut raw::RedisModuleString,
    position: i64,
    bytes: &[u8],
) {
    // SAFETY: by the caller; `slb` takes a string, an integer, and bytes with their length.
    unsafe {
        api!(RedisModule_EmitAOF(
            io,
            command.as_ptr(),
            c"slb".as_ptr(),
            key,
            c_longlong::from(position),
            bytes.as_ptr(),
            bytes.len()
        ));
    }
}

/// The values of an object in an RDB file or a DUMP payload, one after the other. What is missing or
/// malformed is an error from then on.
pub struct RdbFields(*mut raw::RedisModuleIO);

impl RdbFields {
    /// # Safety
    /// `io` is the server's, in a callback that loads, and outlives this.
    pub(super) unsafe fn new(io: *mut raw::RedisModuleIO) -> RdbFields {
        RdbFields(io)
    }

    fn checked<T>(&self, value: T) -> io::Result<T> {
        // SAFETY: see `new`.
        match unsafe { api!(RedisModule_IsIOError(self.0)) } {
            0 => Ok(value),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// An integer.
    pub fn unsigned(&mut self) -> io::Result<u64> {
        // SAFETY: see `new`.
        let value = unsafe { api!(RedisModule_LoadUnsigned(self.0)) };
        self.checked(value)
    }

    /// A number.
    pub fn double(&mut self) -> io::Result<f64> {
        // SAFETY: see `new`.
        let value = unsafe { api!(RedisModule_LoadDouble(self.0)) };
        self.checked(value)
    }

    /// A string. The server reads it in full before it tells its length.
    pub fn string(&mut self) -> io::Result<RdbString> {
        let mut len = 0;
        // SAFETY: see `new`.
        let start = unsafe { api!(RedisModule_LoadStringBuffer(self.0, &raw mut len)) };
        let string = RdbString { start: start.cast(), len: if start.is_null() { 0 } else { len } };
        self.checked(string)
    }

    /// A stream that [`save`] wrote.
    pub fn stream(self) -> RdbStream {
        RdbStream { fields: self, piece: None, at: 0, ended: false }
    }
}

/// A string that the server loaded, freed when it is dropped.
pub struct RdbString {
    start: *mut u8,
    len: usize,
}

impl RdbString {
    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        match self.start.is_null() {
            true => &[],
            // SAFETY: the server allocated `len` bytes here, which are ours.
            false => unsafe { slice::from_raw_parts(self.start, self.len) },
        }
    }
}

impl Drop for RdbString {
    fn drop(&mut self) {
        if !self.start.is_null() {
            // SAFETY: the server's allocation, freed once.
            unsafe { api!(RedisModule_Free(self.start.cast())) };
        }
    }
}

/// Reads what [`save`] wrote.
pub struct RdbStream {
    fields: RdbFields,
    piece: Option<RdbString>,
    at: usize,
    ended: bool,
}

impl Read for RdbStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let piece = self.piece.as_ref().map_or(&[][..], RdbString::bytes);
            let rest = &piece[self.at..];
            if self.ended || buffer.is_empty() {
                return Ok(0);
            }
            if !rest.is_empty() {
                let taken = rest.len().min(buffer.len());
                buffer[..taken].copy_from_slice(&rest[..taken]);
                self.at += taken;
                return Ok(taken);
            }
            self.at = 0;
            // The old piece is freed first.
            self.piece = None;
            let next = self.fields.string()?;
            self.ended = next.bytes().is_empty();
            self.piece = Some(next);
        }
    }
}
