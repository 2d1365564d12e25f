//! Splits input into blocks of whole records.

use std::io::{self, ErrorKind, Read};

/// Enough for thousands of records, and small compared with any filter.
const BLOCK: usize = 1 << 18;

/// The longest record. A longer one is a file without line endings, which should not fill the memory
/// before that is noticed.
const LONGEST: usize = 1 << 28;

/// A block of whole records.
#[derive(Default)]
pub struct Block {
    buffer: Vec<u8>,
    /// Where the records begin; beyond 0 if the first was taken out.
    start: usize,
    /// How much of the buffer is filled.
    filled: usize,
    /// Where its records end.
    ends: Vec<usize>,
}

impl Block {
    /// Fills it with the whole records of one read, so that lines from a pipe are answered at once.
    /// `rest` carries the bytes after the last whole record from block to block. False at the end
    /// of the input.
    pub fn fill(
        &mut self,
        reader: &mut dyn Read,
        separator: u8,
        rest: &mut Vec<u8>,
    ) -> io::Result<bool> {
        self.ends.clear();
        (self.start, self.filled) = (0, 0);
        self.make_room(rest.len() + BLOCK)?;
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
        rest.clear();
        loop {
            if self.filled == self.buffer.len() {
                // A record longer than the buffer.
                if self.filled >= LONGEST {
                    let cause = "a line of more than 256 MiB; is it a list of keys?";
                    return Err(io::Error::new(ErrorKind::InvalidData, cause));
                }
                self.make_room(self.filled * 2)?;
            }
            let before = self.filled;
            match reader.read(&mut self.buffer[before..]) {
                // The last record, without its separator.
                Ok(0) => return Ok(before > 0),
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            let new = &self.buffer[before..self.filled];
            if let Some(last) = memchr::memrchr(separator, new) {
                let end = before + last + 1;
                rest.extend_from_slice(&self.buffer[end..self.filled]);
                self.filled = end;
                return Ok(true);
            }
        }
    }

    fn make_room(&mut self, len: usize) -> io::Result<()> {
        if self.buffer.len() < len {
            self.buffer.try_reserve_exact(len - self.buffer.len())?;
            self.buffer.resize(len, 0);
        }
        Ok(())
    }

    /// Takes the first record out.
    pub fn take_first(&mut self, separator: u8) -> Vec<u8> {
        let len = memchr::memchr(separator, self.bytes()).map(|at| at + 1);
        let first = self.bytes()[..len.unwrap_or(self.bytes().len())].to_vec();
        self.start += first.len();
        first
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.filled]
    }

    /// Finds the records.
    pub fn cut(&mut self, separator: u8) {
        let bytes = &self.buffer[self.start..self.filled];
        self.ends.clear();
        self.ends.extend(memchr::memchr_iter(separator, bytes).map(|at| at + 1));
        if self.ends.last().copied().unwrap_or(0) < bytes.len() {
            self.ends.push(bytes.len());
        }
    }

    /// The records. The first has this number in its input.
    pub fn records(&self, number: u64) -> Batch<'_> {
        Batch { bytes: self.bytes(), ends: &self.ends, start: 0, number }
    }
}

/// Records with their separators. Only the last one of an input may lack it.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
    start: usize,
    number: u64,
}

impl<'a> Batch<'a> {
    /// The number of its first record in the input, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }
}

impl<'a> Iterator for Batch<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let (end, rest) = self.ends.split_first()?;
        let record = &self.bytes[self.start..*end];
        (self.start, self.ends, self.number) = (*end, rest, self.number + 1);
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a byte at a time.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    fn all(mut reader: impl Read) -> Vec<Vec<u8>> {
        let (mut block, mut rest, mut all) = (Block::default(), Vec::new(), Vec::new());
        while block.fill(&mut reader, b'\n', &mut rest).unwrap() {
            block.cut(b'\n');
            let records = block.records(1 + all.len() as u64);
            assert_eq!(records.number(), 1 + all.len() as u64);
            all.extend(records.map(<[u8]>::to_vec));
        }
        all
    }

    #[test]
    fn records_come_whole_and_in_order() {
        let long = [vec![b'x'; 3 * BLOCK], b"\nlast".to_vec()].concat();
        for text in [&b""[..], b"a", b"a\n", b"\n\na\r\nbc", b"a\nb\n", &long] {
            let expected: Vec<_> =
                text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            assert_eq!(all(text), expected);
            assert_eq!(all(Drops(text)), expected);
        }
        let many: Vec<u8> = (0..200_000).flat_map(|i| format!("{i}\n").into_bytes()).collect();
        let lines = all(&many[..]);
        assert_eq!(lines.len(), 200_000);
        assert!((0..).zip(&lines).all(|(i, line)| *line == format!("{i}\n").as_bytes()));
    }
}
