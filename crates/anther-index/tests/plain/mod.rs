//! Files as they are, with a key per line if the line has a comma.

use anther::{Cancel, Threads};
use anther_index::{BLOCK, FoundKey, Indexer, Opened, Source, Sources, Watch};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

/// Opens plain files. Counts the bytes that are read, and keeps the warnings.
#[derive(Default)]
pub struct Plain {
    /// Bytes that were read.
    pub read: Mutex<u64>,
    /// Warnings.
    pub warnings: Mutex<Vec<String>>,
}

impl Sources for Plain {
    fn open(&self, opened: Opened<'_>) -> io::Result<Box<dyn Source>> {
        let file = BufReader::with_capacity(1 << 16, opened.file.take(opened.len));
        Ok(Box::new(PlainText { file, piece: Vec::new(), read: 0 }))
    }

    fn is_plain(&self, _: &[u8]) -> bool {
        true
    }
}

impl Watch for Plain {
    fn advance(&self, bytes: u64) {
        *self.read.lock().unwrap() += bytes;
    }

    fn warn(&self, path: &Path, cause: &str) {
        self.warnings.lock().unwrap().push(format!("{}: {cause}", path.display()));
    }
}

impl Plain {
    /// Indexes with it.
    pub fn indexer<'a>(&'a self, cancel: &'a Cancel, threads: usize) -> Indexer<'a> {
        let threads = Threads::new(threads);
        Indexer { sources: self, watch: self, threads, memory: 64 << 20, block: BLOCK, cancel }
    }
}

struct PlainText {
    file: BufReader<Take<File>>,
    piece: Vec<u8>,
    read: u64,
}

impl Source for PlainText {
    fn read(&mut self) -> io::Result<bool> {
        self.piece.clear();
        while self.piece.len() < 1000 && self.file.read_until(b'\n', &mut self.piece)? > 0 {}
        self.read += self.piece.len() as u64;
        Ok(!self.piece.is_empty())
    }

    fn piece(&self) -> &[u8] {
        &self.piece
    }

    fn keys(&mut self, found: &mut FoundKey<'_>) -> bool {
        let mut start = 0;
        for line in self.piece.split_inclusive(|byte| *byte == b'\n') {
            let end = start + line.len();
            if let Some(comma) = line.iter().position(|byte| *byte == b',') {
                found(0, start..end, &line[..comma]);
            }
            start = end;
        }
        true
    }

    fn bytes_read(&self) -> u64 {
        self.read
    }
}

/// Makes a file look an hour old, so that it counts as settled.
pub fn settle(path: &Path) {
    let file = File::options().append(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
}
