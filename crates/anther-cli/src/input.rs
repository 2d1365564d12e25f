//! Where records come from: files, `-`, standard input.

use crate::exit::Stop;
use std::fs::{self, File};
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::path::{Path, PathBuf};

/// Something that holds records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl Source {
    /// The inputs of a command line: `-` is standard input, and so is no argument at all.
    pub fn all(paths: &[PathBuf]) -> Vec<Source> {
        let source = |path: &PathBuf| match path.to_str() {
            Some("-") => Source::Stdin,
            _ => Source::File(path.clone()),
        };
        if paths.is_empty() { vec![Source::Stdin] } else { paths.iter().map(source).collect() }
    }

    /// What messages call it.
    pub fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::Stdin => "standard input".to_string(),
        }
    }

    /// Whether it can be read, as far as that shows before reading it: with many inputs, the last
    /// one's trouble should not come after an hour.
    pub fn check(&self) -> Result<(), Stop> {
        let Source::File(path) = self else { return Ok(()) };
        let trouble = |cause: &str| Err(Stop::about(path.display(), cause));
        match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => trouble("no such file"),
            Err(error) => trouble(&format!("cannot read: {error}")),
            Ok(meta) if meta.is_dir() => trouble("a folder; name the files in it"),
            // Reading a pipe to look at it would take its first bytes away.
            Ok(meta) if !meta.is_file() => Ok(()),
            Ok(_) => refuse_what_holds_no_records(path),
        }
    }

    /// How many bytes it has, where that is known.
    pub fn len(&self) -> Option<u64> {
        let Source::File(path) = self else { return None };
        fs::metadata(path).ok().filter(|meta| meta.is_file()).map(|meta| meta.len())
    }

    /// Opens it.
    pub fn open(&self) -> Result<Box<dyn Read>, Stop> {
        match self {
            Source::Stdin => Ok(Box::new(io::stdin().lock())),
            Source::File(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) => Err(Stop::about(path.display(), format!("cannot read: {error}"))),
            },
        }
    }

    /// Whether someone would have to type it.
    pub fn is_typed(&self) -> bool {
        *self == Source::Stdin && io::stdin().is_terminal()
    }
}

/// Looks at the first bytes of a file.
fn refuse_what_holds_no_records(path: &Path) -> Result<(), Stop> {
    let mut start = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read(&mut start));
    let read =
        read.map_err(|error| Stop::about(path.display(), format_args!("cannot read: {error}")))?;
    match no_records(&start[..read]) {
        Some(cause) => Err(Stop::about(path.display(), cause)),
        None => Ok(()),
    }
}

/// What an input is, by its first bytes, when it holds no records. Filters and compressed lists
/// have no lines, and lines of UTF-16 are not those that anybody asks for; they would be read
/// all the same, as a filter of nonsense.
pub fn no_records(start: &[u8]) -> Option<&'static str> {
    match start {
        [0x1F, 0x8B, 8, ..] => Some("compressed; pipe it in: gzip -dc FILE | anther …"),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Some("compressed; pipe it in: zstd -dc FILE | anther …"),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
            Some("text in UTF-16; turn it into UTF-8 first: iconv -f UTF-16 -t UTF-8 FILE")
        }
        [0x89, b'A', b'N', b'T', b'\r', b'\n', ..] => {
            Some("a filter, not a list of keys; anther merge combines filters")
        }
        _ => None,
    }
}

/// The records of one input, some at a time: as many as one read brings, so that a pipe is
/// answered at once and a file goes by the block.
pub struct Records<R> {
    reader: R,
    separator: u8,
    buffer: Vec<u8>,
    /// How much of the buffer is filled.
    filled: usize,
    /// Where the records of the last batch end.
    ends: Vec<usize>,
    /// How many records came before those.
    before: u64,
    at_end: bool,
}

/// Enough for thousands of records, and little beside any filter.
const BUFFER: usize = 1 << 18;

impl<R: Read> Records<R> {
    /// Of a reader, each ended by this byte.
    pub fn new(reader: R, separator: u8) -> Records<R> {
        let (buffer, ends) = (vec![0; BUFFER], Vec::new());
        Records { reader, separator, buffer, filled: 0, ends, before: 0, at_end: false }
    }

    /// The next records; nothing at the end.
    pub fn next(&mut self) -> io::Result<Option<Batch<'_>>> {
        let done = self.ends.last().copied().unwrap_or(0);
        self.buffer.copy_within(done..self.filled, 0);
        self.filled -= done;
        self.before += self.ends.len() as u64;
        self.ends.clear();
        while self.ends.is_empty() && !self.at_end {
            self.read_once()?;
        }
        if self.ends.is_empty() && self.filled > 0 {
            // The last one, without its separator.
            self.ends.push(self.filled);
        }
        let Some(end) = self.ends.last() else { return Ok(None) };
        Ok(Some(Batch {
            bytes: &self.buffer[..*end],
            ends: &self.ends,
            start: 0,
            number: self.before + 1,
        }))
    }

    fn read_once(&mut self) -> io::Result<()> {
        if self.filled == self.buffer.len() {
            // A record longer than the buffer.
            self.buffer.try_reserve_exact(self.filled)?;
            self.buffer.resize(self.filled * 2, 0);
        }
        match self.reader.read(&mut self.buffer[self.filled..]) {
            Ok(0) => self.at_end = true,
            Ok(read) => {
                let new = &self.buffer[self.filled..self.filled + read];
                let ends = memchr::memchr_iter(self.separator, new);
                self.ends.extend(ends.map(|at| self.filled + at + 1));
                self.filled += read;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Whole records, each with its separator; only the very last one of an input may lack it.
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

    /// Its bytes.
    pub fn bytes(&self) -> &'a [u8] {
        &self.bytes[self.start..]
    }

    /// How many bytes it has.
    pub fn len(&self) -> u64 {
        (self.bytes.len() - self.start) as u64
    }

    /// Takes the first record out.
    pub fn take_first(&mut self) -> Option<&'a [u8]> {
        let (end, rest) = self.ends.split_first()?;
        let record = &self.bytes[self.start..*end];
        (self.start, self.ends, self.number) = (*end, rest, self.number + 1);
        Some(record)
    }
}

impl<'a> Iterator for Batch<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.take_first()
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

    fn all(reader: impl Read) -> Vec<(u64, Vec<u8>)> {
        let mut records = Records::new(reader, b'\n');
        let mut all = Vec::new();
        while let Some(mut batch) = records.next().unwrap() {
            loop {
                let number = batch.number();
                let Some(record) = batch.take_first() else { break };
                all.push((number, record.to_vec()));
            }
        }
        all
    }

    #[test]
    fn records_come_whole_and_in_order() {
        let long = [vec![b'x'; 3 * BUFFER], b"\nlast".to_vec()].concat();
        for text in [&b""[..], b"a", b"a\n", b"\n\na\r\nbc", b"a\nb\n", &long] {
            let expected: Vec<_> = (1..)
                .zip(text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec))
                .collect();
            assert_eq!(all(text), expected);
            assert_eq!(all(Drops(text)), expected);
        }
        let many: Vec<u8> = (0..200_000).flat_map(|i| format!("{i}\n").into_bytes()).collect();
        let lines = all(&many[..]);
        assert_eq!(lines.len(), 200_000);
        assert!(lines.iter().all(|(number, line)| *line == format!("{}\n", number - 1).as_bytes()));
    }
}
