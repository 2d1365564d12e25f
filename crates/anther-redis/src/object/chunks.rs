//! Streams in chunks, for SCANDUMP and for an AOF without a preamble.

use std::io::{self, Write};

/// The most bytes of a chunk, as in RedisBloom.
const CHUNK: usize = 16 << 20;

/// Keeps a chunk of a stream, and counts all of it.
pub struct Window {
    from: u64,
    /// Bytes of the whole stream so far.
    pub at: u64,
    /// At most a chunk of them.
    pub bytes: Vec<u8>,
}

impl Window {
    /// For the chunk that begins at an offset.
    pub fn new(from: u64) -> Window {
        Window { from, at: 0, bytes: Vec::new() }
    }
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
pub struct Chunks<'a> {
    each: &'a mut dyn FnMut(i64, &[u8]),
    at: i64,
    chunk: Vec<u8>,
}

impl<'a> Chunks<'a> {
    /// Passes chunks on, each with its iterator.
    pub fn new(each: &'a mut dyn FnMut(i64, &[u8])) -> Chunks<'a> {
        Chunks { each, at: 0, chunk: Vec::new() }
    }

    /// Passes on a header, which comes first.
    pub fn put_header(&mut self, header: &[u8]) {
        (self.each)(1, header);
    }

    /// Passes on the last chunk.
    pub fn finish(mut self) {
        self.put();
    }

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
