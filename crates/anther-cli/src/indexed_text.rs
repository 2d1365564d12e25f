//! The text of files to index, decompressed, with the keys of their columns.

use crate::column_format::{ColumnFormat, START};
use crate::compressed::{Packing, Unpacked};
use crate::content;
#[cfg(feature = "parquet")]
use crate::indexed_parquet::RowGroups;
use anther_index::{FoundKey, Opened, Source, Sources};
use anther_records::blocks::{Block, Splitter, newlines_of};
use anther_records::extract::{Extractor, bytes_of, mark_len};
use anther_records::record_error::RecordError;
use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Bytes per read of a text.
const PIECE: usize = 1 << 17;

/// Opens files, and takes keys of these columns.
#[derive(Debug)]
pub struct IndexedText {
    columns: Vec<String>,
    /// Which of them had a value anywhere.
    found: Arc<[AtomicBool]>,
}

impl IndexedText {
    /// With keys of the columns with these names.
    pub fn new(columns: &[String]) -> IndexedText {
        let found = columns.iter().map(|_| AtomicBool::new(false)).collect();
        IndexedText { columns: columns.to_vec(), found }
    }

    /// The columns that had no value in what was opened.
    pub fn not_found(&self) -> impl Iterator<Item = &str> {
        let columns = self.columns.iter().zip(&*self.found);
        columns.filter(|(_, found)| !found.load(Relaxed)).map(|(name, _)| name.as_str())
    }
}

impl Sources for IndexedText {
    fn open(&self, opened: Opened<'_>) -> io::Result<Box<dyn Source>> {
        let Opened { file, path, offset, len } = opened;
        if !self.columns.is_empty() && offset == 0 {
            let mut start = Vec::new();
            (&file).take(16).read_to_end(&mut start)?;
            if content::is_parquet(&start) {
                #[cfg(not(feature = "parquet"))]
                return Err(io::Error::other(content::PARQUET_WITHOUT_FEATURE));
                #[cfg(feature = "parquet")]
                if let Some(groups) = RowGroups::open(file.try_clone()?, &self.columns)? {
                    groups.which().zip(&*self.found).for_each(|(has, found)| {
                        found.fetch_or(has, Relaxed);
                    });
                    return Ok(Box::new(groups));
                }
            }
            // Its clones move it, too.
            (&file).seek(SeekFrom::Start(0))?;
        }
        let reader = Box::new(file.take(len));
        // Only plain files are read from anywhere but their beginning.
        let rest = if offset == 0 { Unpacked::of(reader)? } else { Unpacked::plain(reader) };
        let mut text = Text { start: Cursor::default(), failed: None, rest };
        if !self.columns.is_empty() {
            let format = match offset {
                0 => ColumnFormat::of(text.look_ahead(), &self.columns),
                _ => {
                    let mut first = Vec::new();
                    File::open(path)?.take(START as u64).read_to_end(&mut first)?;
                    ColumnFormat::of(&first, &self.columns)
                }
            };
            if let Some(format) = format {
                let found = Arc::clone(&self.found);
                return Ok(Box::new(Keyed::new(text, format, found, offset == 0)));
            }
        }
        Ok(Box::new(Plain { text, piece: vec![0; PIECE], len: 0 }))
    }

    fn is_plain(&self, start: &[u8]) -> bool {
        Packing::of(start).is_none()
    }
}

/// A text whose first bytes may have been looked at.
struct Text {
    start: Cursor<Vec<u8>>,
    /// Why not more of it could be read.
    failed: Option<io::Error>,
    rest: Unpacked,
}

impl Text {
    /// The first bytes, which are read again later.
    fn look_ahead(&mut self) -> &[u8] {
        let mut start = Vec::new();
        self.failed = self.rest.by_ref().take(START as u64).read_to_end(&mut start).err();
        self.start = Cursor::new(start);
        self.start.get_ref()
    }
}

impl Read for Text {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.start.read(buffer)? {
            0 => match self.failed.take() {
                Some(error) => Err(error),
                None => self.rest.read(buffer),
            },
            read => Ok(read),
        }
    }
}

/// A text without keys.
struct Plain {
    text: Text,
    piece: Vec<u8>,
    len: usize,
}

impl Source for Plain {
    fn read(&mut self) -> io::Result<bool> {
        self.len = loop {
            match self.text.read(&mut self.piece) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        Ok(self.len > 0)
    }

    fn piece(&self) -> &[u8] {
        &self.piece[..self.len]
    }

    fn is_compressed(&self) -> bool {
        self.text.rest.packing().is_some()
    }

    fn bytes_read(&self) -> u64 {
        self.text.rest.bytes_read()
    }

    fn explain(&self, error: &io::Error) -> String {
        self.text.rest.explain(error)
    }
}

/// A text whose records have keys.
struct Keyed {
    text: Text,
    format: ColumnFormat,
    /// Which of the columns had a value.
    found: Arc<[AtomicBool]>,
    splitter: Splitter,
    block: Block,
    /// The bytes after the last whole record.
    rest: Vec<u8>,
    /// Whether the text is at its beginning, before the next piece and in the latest one.
    is_next_first: bool,
    is_first: bool,
    /// Whether a record has several lines, so that a line end need not be the end of a record.
    spans_lines: bool,
}

impl Keyed {
    fn new(text: Text, format: ColumnFormat, found: Arc<[AtomicBool]>, is_first: bool) -> Keyed {
        Keyed {
            text,
            splitter: Splitter::of(format.format),
            format,
            found,
            block: Block::default(),
            rest: Vec::new(),
            is_next_first: is_first,
            is_first,
            spans_lines: false,
        }
    }
}

impl Source for Keyed {
    fn read(&mut self) -> io::Result<bool> {
        self.is_first = std::mem::take(&mut self.is_next_first);
        if !self.block.fill(&mut self.text, self.splitter, &mut self.rest, self.is_first)? {
            return Ok(false);
        }
        self.block.cut(self.splitter);
        Ok(true)
    }

    fn piece(&self) -> &[u8] {
        self.block.bytes()
    }

    fn keys(&mut self, found: &mut FoundKey<'_>) -> bool {
        let mut is_known = self.block.unclosed().is_none();
        for (number, how) in self.format.columns.iter().enumerate() {
            let Some(how) = how else { continue };
            let mut extractor = Extractor::new(how);
            let header = self.format.header.as_deref();
            if header.is_some_and(|header| extractor.header(header).is_err()) {
                is_known = false;
                continue;
            }
            let (mut end, mut has_keys) = (0, false);
            for (at, record) in self.block.records(0).enumerate() {
                let range = end..end + record.len();
                end = range.end;
                self.spans_lines |= newlines_of(record) > 1;
                let mark = match self.is_first && at == 0 {
                    true if header.is_some() => continue,
                    true => mark_len(&how.place, record),
                    false => 0,
                };
                let text = &record[mark..];
                if !self.format.may_have_keys(text) {
                    continue;
                }
                match extractor.key(text) {
                    Ok(Some(key)) => {
                        has_keys = true;
                        found(number, range, &bytes_of(key));
                    }
                    Err(RecordError::Quote) => is_known = false,
                    // Lines of other kinds among them have no key.
                    Ok(None) | Err(_) => {}
                }
            }
            self.found[number].fetch_or(has_keys, Relaxed);
        }
        is_known
    }

    fn is_compressed(&self) -> bool {
        self.text.rest.packing().is_some()
    }

    fn is_whole(&self) -> bool {
        self.is_compressed() || self.spans_lines
    }

    fn bytes_read(&self) -> u64 {
        self.text.rest.bytes_read()
    }

    fn explain(&self, error: &io::Error) -> String {
        self.text.rest.explain(error)
    }
}
