//! A file within a payload, whose length is not known before it is written: frames of at most
//! 64 KiB, each with its length, and an empty one at the end.

use anther::format::{Readable, Writable};
use anther::{Open, Save};
use std::io::{self, Read, Write};

const FRAME: usize = 1 << 16;

/// Writes a filter in anther's file format.
pub fn put_file(out: &mut dyn Write, filter: &impl Writable) -> io::Result<()> {
    let mut frames = Frames { out, frame: Vec::with_capacity(FRAME) };
    Save::new().writer(filter, &mut frames).map_err(io::Error::other)?;
    frames.end()
}

/// Reads a filter that [`put_file`] wrote. Every byte is verified, and no more memory is taken than
/// bytes arrive.
pub fn file<F: Readable>(source: &mut dyn Read, key: Option<[u8; 16]>) -> Option<F> {
    let mut frames = Unframed { source, left: 0, ended: false };
    let open = match key {
        Some(key) => Open::new().key(key),
        None => Open::new(),
    };
    let filter = open.reader(&mut frames).ok()?;
    // The library stops at the end of the file; the empty frame is still there.
    (frames.read(&mut [0]).ok()? == 0).then_some(filter)
}

struct Frames<'a> {
    out: &'a mut dyn Write,
    frame: Vec<u8>,
}

impl Frames<'_> {
    fn put(&mut self) -> io::Result<()> {
        #[expect(clippy::cast_possible_truncation, reason = "at most FRAME")]
        let len = self.frame.len() as u32;
        self.out.write_all(&len.to_le_bytes())?;
        self.out.write_all(&self.frame)?;
        self.frame.clear();
        Ok(())
    }

    fn end(mut self) -> io::Result<()> {
        if !self.frame.is_empty() {
            self.put()?;
        }
        self.put()
    }
}

impl Write for Frames<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(FRAME - self.frame.len());
        self.frame.extend_from_slice(&bytes[..taken]);
        if self.frame.len() == FRAME {
            self.put()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Unframed<'a> {
    source: &'a mut dyn Read,
    left: usize,
    ended: bool,
}

impl Read for Unframed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() || self.ended {
            return Ok(0);
        }
        if self.left == 0 {
            let mut len = [0; 4];
            self.source.read_exact(&mut len)?;
            self.left = u32::from_le_bytes(len) as usize;
            self.ended = self.left == 0;
            if self.left > FRAME {
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
        let len = buffer.len().min(self.left);
        let taken = self.source.read(&mut buffer[..len])?;
        if taken == 0 && len > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= taken;
        Ok(taken)
    }
}
