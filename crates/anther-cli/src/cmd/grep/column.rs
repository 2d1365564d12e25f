//! Records whose column is a key.
//!
//! The searcher gets these records, and of all others only as many ends as they have lines. So
//! everything that is not empty matches, and has its line number in the file.

use super::pieces::{Offsets, OpenedBlocks};
use super::record_end::{RECORD_END, push_record};
use crate::column_format::ColumnFormat;
use crate::exit::Stop;
use anther_records::blocks::{Block, Splitter};
use anther_records::extract::{Extraction, Extractor, bytes_of, mark_len};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use std::io::{self, Cursor, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// A column, and the key that it must have.
#[derive(Clone, Debug)]
pub struct ColumnKey {
    pub column: String,
    pub key: Vec<u8>,
}

/// Matches records that are not empty.
pub fn matcher() -> Result<RegexMatcher, Stop> {
    let mut builder = RegexMatcherBuilder::new();
    let matcher = builder.line_terminator(Some(RECORD_END)).build(r"(?-u:[^\x1e])+");
    matcher.map_err(|error| Stop::about("--column", error))
}

/// Where matching records begin, in what the searcher gets and in the file.
pub type SharedOffsets = Arc<Mutex<Offsets>>;

/// The records of a text that have the key.
pub struct KeyedRecords<'a, R> {
    text: R,
    format: &'a ColumnFormat,
    key: &'a [u8],
    splitter: Splitter,
    block: Block,
    /// The bytes after the last whole record.
    rest: Vec<u8>,
    is_first: bool,
    /// What the searcher gets next.
    given: Cursor<Vec<u8>>,
    /// How much of the text was read, and how much the searcher got.
    read: u64,
    made: u64,
    /// Where pieces of the text are in the file.
    from: &'a Offsets,
    to: SharedOffsets,
    opened: &'a mut OpenedBlocks,
}

impl<'a, R: Read> KeyedRecords<'a, R> {
    pub fn new(
        text: R,
        format: &'a ColumnFormat,
        key: &'a [u8],
        from: &'a Offsets,
        to: SharedOffsets,
        opened: &'a mut OpenedBlocks,
    ) -> KeyedRecords<'a, R> {
        KeyedRecords {
            text,
            splitter: Splitter::of(format.format),
            format,
            key,
            block: Block::default(),
            rest: Vec::new(),
            is_first: true,
            given: Cursor::default(),
            read: 0,
            made: 0,
            from,
            to,
            opened,
        }
    }

    /// Reads the next records; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        self.given.set_position(0);
        let given = self.given.get_mut();
        given.clear();
        if !self.block.fill(&mut self.text, self.splitter, &mut self.rest, self.is_first)? {
            return Ok(false);
        }
        self.block.cut(self.splitter);
        let is_first = std::mem::take(&mut self.is_first);
        // There is one column, and it was found.
        let Some(Some(how)) = self.format.columns.first() else { return Ok(false) };
        let header = self.format.header.as_deref();
        let wants_empty = self.key.is_empty();
        let how = &Extraction { keep_empty: wants_empty, ..how.clone() };
        let mut extractor = Extractor::new(how);
        if header.is_some_and(|header| extractor.header(header).is_err()) {
            return Ok(false);
        }
        for (at, record) in self.block.records(0).enumerate() {
            let is_header = is_first && at == 0 && header.is_some();
            let mark = if is_first && at == 0 { mark_len(&how.place, record) } else { 0 };
            let mut ends = memchr::memchr_iter(b'\n', record).count();
            let text = &record[mark..];
            let key = if self.format.may_have_keys(text) { extractor.key(text) } else { Ok(None) };
            let is_found = matches!(key, Ok(Some(key)) if *bytes_of(key) == *self.key);
            if !is_header && is_found && !(wants_empty && extractor.is_null(text)) {
                self.opened.note_match(self.read);
                let place = (self.made + given.len() as u64, self.from.of(self.read));
                self.to.lock().unwrap_or_else(PoisonError::into_inner).push(place);
                match record.strip_suffix(b"\n") {
                    Some(record) => push_record(record, given),
                    None => {
                        push_record(record, given);
                        ends = 0;
                    }
                }
            }
            given.resize(given.len() + ends, RECORD_END);
            self.read += record.len() as u64;
        }
        self.made += given.len() as u64;
        Ok(true)
    }
}

impl<R: Read> Read for KeyedRecords<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let len = self.given.read(buffer)?;
            if len > 0 || buffer.is_empty() || !self.fill()? {
                return Ok(len);
            }
        }
    }
}
