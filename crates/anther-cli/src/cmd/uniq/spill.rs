//! Temporary files that only this process sees, for what does not fit into memory.

use crate::exit::Stop;
use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read, Seek, Write};
use std::path::Path;

/// Bytes that are appended, and read from the start once. The first ones stay in memory, so that
/// a few lines make no file.
pub struct Spill<'a> {
    folder: &'a Path,
    buffer: Vec<u8>,
    /// The most bytes in the buffer.
    room: usize,
    /// A file without a name. The system removes it when the process ends, however that happens.
    file: Option<File>,
    len: u64,
}

/// The bytes of a spill, from the start.
pub type SpillReader = BufReader<Chain<Box<dyn Read>, Cursor<Vec<u8>>>>;

impl<'a> Spill<'a> {
    /// In this folder, with a buffer of this size.
    pub fn new(folder: &'a Path, room: usize) -> Spill<'a> {
        Spill { folder, buffer: Vec::new(), room, file: None, len: 0 }
    }

    /// The number of bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.len += bytes.len() as u64;
        if self.buffer.len() + bytes.len() > self.room {
            self.empty_buffer()?;
        }
        if bytes.len() > self.room {
            return self.write_file(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn empty_buffer(&mut self) -> Result<(), Stop> {
        let buffer = std::mem::take(&mut self.buffer);
        self.write_file(&buffer)?;
        self.buffer = buffer;
        self.buffer.clear();
        Ok(())
    }

    fn write_file(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let folder = self.folder;
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(folder).map_err(|e| cannot(folder, &e))?),
        };
        file.write_all(bytes).map_err(|error| cannot(folder, &error))
    }

    /// The bytes from the start.
    pub fn read(self, buffer: usize) -> Result<SpillReader, Stop> {
        let first: Box<dyn Read> = match self.file {
            None => Box::new(io::empty()),
            Some(mut file) => {
                file.rewind().map_err(|error| cannot(self.folder, &error))?;
                Box::new(file)
            }
        };
        Ok(BufReader::with_capacity(buffer, first.chain(Cursor::new(self.buffer))))
    }
}

fn cannot(folder: &Path, error: &io::Error) -> Stop {
    Stop::about(
        folder.display(),
        format_args!("cannot write a temporary file: {error}; name another folder with --temp"),
    )
}

/// The next words of a spill; `None` at its end.
pub fn words<const N: usize>(reader: &mut SpillReader) -> Result<Option<[u64; N]>, Stop> {
    let mut words = [0; N];
    for (at, word) in words.iter_mut().enumerate() {
        let mut bytes = [0; 8];
        match reader.read_exact(&mut bytes) {
            Ok(()) => *word = u64::from_le_bytes(bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && at == 0 => {
                return Ok(None);
            }
            Err(error) => return Err(unreadable(&error)),
        }
    }
    Ok(Some(words))
}

/// A temporary file could not be read.
pub fn unreadable(error: &io::Error) -> Stop {
    Stop::about("a temporary file", format_args!("cannot read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_in_order_with_and_without_a_file() {
        let folder = tempfile::tempdir().unwrap();
        for count in [0, 1, 3, 100] {
            let mut spill = Spill::new(folder.path(), 64);
            let all: Vec<[u8; 8]> = (0..count).map(u64::to_le_bytes).collect();
            all.iter().try_for_each(|word| spill.write(word)).unwrap();
            spill.write(&[7; 200]).unwrap();
            assert_eq!(spill.len(), count * 8 + 200);
            let mut read = Vec::new();
            spill.read(16).unwrap().read_to_end(&mut read).unwrap();
            assert_eq!(read, [all.concat(), vec![7; 200]].concat());
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 0, "no file has a name");
    }
}
