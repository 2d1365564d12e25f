//! The text of a file that is searched.

use super::pieces::Text;
use crate::compressed::Unpacked;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

/// What a decoder is asked for at once. Where the file is corrupt, it gives nothing of that, and all
/// lines before it are to be searched.
const STEP: usize = 512;

/// An open file.
pub enum Source {
    /// Plain text, of which parts can be skipped.
    Plain { file: File, read: u64 },
    /// Decompressed while it is read, if it is compressed.
    Whole(Box<Unpacked>),
}

impl Source {
    /// A file that is not compressed.
    pub fn plain(file: File) -> Source {
        Source::Plain { file, read: 0 }
    }

    /// A file whose first bytes say whether it is compressed.
    pub fn whole(file: File) -> io::Result<Source> {
        Ok(Source::Whole(Box::new(Unpacked::of(Box::new(file))?)))
    }

    /// How many bytes of the file were read.
    pub fn bytes_read(&self) -> u64 {
        match self {
            Source::Plain { read, .. } => *read,
            Source::Whole(unpacked) => unpacked.bytes_read(),
        }
    }

    /// An error of reading it, as text.
    pub fn explain(&self, error: &io::Error) -> String {
        match self {
            Source::Plain { .. } => format!("cannot read: {error}"),
            Source::Whole(unpacked) => unpacked.explain(error),
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::Plain { file, read } => {
                let len = file.read(buffer)?;
                *read += len as u64;
                Ok(len)
            }
            Source::Whole(unpacked) if unpacked.packing().is_some() => {
                let len = buffer.len().min(STEP);
                unpacked.read(&mut buffer[..len])
            }
            Source::Whole(unpacked) => unpacked.read(buffer),
        }
    }
}

impl Text for Source {
    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        match self {
            Source::Plain { file, .. } => {
                let bytes = i64::try_from(bytes).map_err(io::Error::other)?;
                file.seek(SeekFrom::Current(bytes)).map(drop)
            }
            Source::Whole(unpacked) => {
                io::copy(&mut unpacked.by_ref().take(bytes), &mut io::sink()).map(drop)
            }
        }
    }
}

/// A reader that fills the buffers it is given. A file does so, too, and what the searcher makes of NUL
/// bytes depends on what it gets at once.
pub struct Filled<R> {
    reader: R,
    /// How many bytes it gave.
    pub given: u64,
    pub has_failed: bool,
    /// An error after bytes that are searched first. After one, gzip says that the text ends.
    kept: Option<io::Error>,
}

impl<R> Filled<R> {
    pub fn new(reader: R) -> Filled<R> {
        Filled { reader, given: 0, has_failed: false, kept: None }
    }
}

impl<R: Read> Read for Filled<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut len = 0;
        while len < buffer.len() && self.kept.is_none() {
            match self.reader.read(&mut buffer[len..]) {
                Ok(0) => break,
                Ok(read) => len += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => self.kept = Some(error),
            }
        }
        if len == 0
            && let Some(error) = self.kept.take()
        {
            self.has_failed = true;
            return Err(error);
        }
        self.given += len as u64;
        Ok(len)
    }
}
