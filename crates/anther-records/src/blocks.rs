//! Splits input into blocks of whole records.

use crate::csv;
use crate::line_ends::Ends;
use anther::recipe::{Format, Quotes};
use std::io::{self, ErrorKind, Read};

/// Enough for thousands of records, and small compared with any filter.
const BLOCK: usize = 1 << 18;

/// The longest record. A longer one is a file without line endings, or with a quote that is not
/// closed, which should not fill the memory before that is noticed.
const LONGEST: usize = 1 << 28;

/// The byte-order mark. Editors and spreadsheets write one; it is never meant as part of the first
/// key.
pub const MARK: &[u8] = b"\xEF\xBB\xBF";

/// What ends a record.
#[derive(Clone, Copy, Debug)]
pub enum Splitter {
    /// A byte.
    Byte(u8),
    /// A line ending outside quotes; the delimiter tells where a field begins.
    Csv(u8),
    /// Its width.
    Width(usize),
}

impl Splitter {
    /// For this format.
    pub fn of(format: Format) -> Splitter {
        match format {
            Format::Nul => Splitter::Byte(0),
            Format::Delimited { delimiter, quotes: Quotes::Csv, .. } => Splitter::Csv(delimiter),
            // Rows come as CSV.
            Format::Parquet => Splitter::Csv(b','),
            Format::Delimited { separator, .. } => Splitter::Byte(separator.byte()),
            Format::Records(width) => Splitter::Width(width.get() as usize),
            _ => Splitter::Byte(b'\n'),
        }
    }
}

/// A block of whole records.
#[derive(Default)]
pub struct Block {
    buffer: Vec<u8>,
    /// How much of the buffer is filled.
    filled: usize,
    records: Vec<Span>,
    /// The line of each record, from 0; empty if each record is a line.
    lines: Vec<u32>,
    /// How many lines there are.
    line_count: u64,
    /// Whether the last record ends within quotes.
    is_unclosed: bool,
    /// How many fields go on behind their closing quote.
    odd_quotes: u32,
}

/// A record in a block, which is shorter than 4 GiB.
#[derive(Clone, Copy)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    #[expect(clippy::cast_possible_truncation, reason = "a block is at most twice LONGEST")]
    fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }

    #[inline]
    fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..self.end as usize]
    }
}

impl Block {
    /// Fills it with the whole records of one read, so that lines from a pipe are answered at once.
    /// `rest` carries the bytes after the last whole record from block to block. False at the end
    /// of the input.
    pub fn fill(
        &mut self,
        reader: &mut dyn Read,
        splitter: Splitter,
        rest: &mut Vec<u8>,
        is_first: bool,
    ) -> io::Result<bool> {
        self.records.clear();
        (self.filled, self.is_unclosed, self.odd_quotes) = (0, false, 0);
        self.make_room(rest.len() + BLOCK)?;
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
        rest.clear();
        let mut search = None;
        loop {
            if self.filled == self.buffer.len() {
                // A record longer than the buffer.
                if self.filled >= LONGEST {
                    let cause = match splitter {
                        Splitter::Csv(_) => {
                            "a record of more than 256 MiB; a quote that is not closed? If quotes are \
                             ordinary characters here, use --no-quotes"
                        }
                        _ => "a line of more than 256 MiB; is it a list of keys?",
                    };
                    return Err(io::Error::new(ErrorKind::InvalidData, cause));
                }
                self.make_room(self.filled * 2)?;
            }
            let before = self.filled;
            let is_all = match reader.read(&mut self.buffer[before..]) {
                Ok(0) => true,
                Ok(read) => {
                    self.filled += read;
                    false
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let bytes = &self.buffer[..self.filled];
            let end = match splitter {
                Splitter::Byte(byte) => {
                    memchr::memrchr(byte, &bytes[before..]).map(|at| before + at + 1)
                }
                Splitter::Width(width) => {
                    Some(self.filled - self.filled % width).filter(|end| *end > 0)
                }
                // Three bytes tell whether the first field is behind a byte-order mark.
                Splitter::Csv(_) if is_first && bytes.len() < 3 && !is_all => None,
                Splitter::Csv(delimiter) => {
                    let mark = if is_first && bytes.starts_with(MARK) { MARK.len() } else { 0 };
                    let search = search.get_or_insert_with(|| csv::Search::from(mark));
                    let mut start = self.records.last().map_or(0, |last| last.end as usize);
                    let records = &mut self.records;
                    search.ends(bytes, delimiter, is_all, |end| {
                        records.push(Span::new(start, end));
                        start = end;
                    });
                    self.records.last().map(|last| last.end as usize)
                }
            };
            if is_all {
                // The last record may lack its end.
                let start = self.records.last().map_or(0, |last| last.end as usize);
                if matches!(splitter, Splitter::Csv(_)) && start < self.filled {
                    self.records.push(Span::new(start, self.filled));
                }
                self.is_unclosed = search.is_some_and(csv::Search::is_quoted);
                self.odd_quotes = search.map_or(0, |search| search.odd(true));
                return Ok(self.filled > 0);
            }
            if let Some(end) = end {
                rest.extend_from_slice(&self.buffer[end..self.filled]);
                self.filled = end;
                self.odd_quotes = search.map_or(0, |search| search.odd(false));
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

    /// Frees the memory of a long record.
    pub fn shrink(&mut self) {
        if self.buffer.len() > 4 * BLOCK {
            (self.buffer, self.filled) = (Vec::new(), 0);
            self.records.clear();
        }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// Finds the records, which for CSV was done while it was filled.
    pub fn cut(&mut self, splitter: Splitter) {
        let bytes = &self.buffer[..self.filled];
        self.lines.clear();
        match splitter {
            Splitter::Csv(_) => {
                // A record may have several lines, or end with CR.
                let newlines = memchr::memchr_iter(b'\n', bytes).count();
                if newlines != self.records.len() || memchr::memchr(b'"', bytes).is_some() {
                    let mut line = 0;
                    for record in &self.records {
                        self.lines.push(line);
                        line += newlines_of(record.of(bytes));
                    }
                    self.line_count = line.into();
                    return;
                }
            }
            Splitter::Byte(byte) => {
                cut_at(Ends::of(byte, bytes), bytes.len(), &mut self.records);
            }
            Splitter::Width(width) => {
                cut_at((width..=bytes.len()).step_by(width), bytes.len(), &mut self.records);
            }
        }
        self.line_count = self.records.len() as u64;
    }

    /// Takes the records that begin with this byte for further ones of the line before: leaves the
    /// byte out, and counts no line.
    pub fn join(&mut self, mark: u8) {
        self.lines.clear();
        let mut joined = 0;
        for (line, record) in (0_u32..).zip(&mut self.records) {
            if self.buffer[record.start as usize] == mark {
                record.start += 1;
                joined += 1;
            }
            // Below zero where the block begins with the second key of a line.
            self.lines.push(line.wrapping_sub(joined));
        }
        self.line_count -= u64::from(joined);
    }

    /// Takes the first record out, the header row of an input.
    pub fn take_first(&mut self, splitter: Splitter) -> Vec<u8> {
        if !matches!(splitter, Splitter::Csv(_)) {
            self.cut(splitter);
        }
        let Some(first) = self.records.first().copied() else { return Vec::new() };
        let record = first.of(self.bytes()).to_vec();
        let len = record.len();
        self.buffer.copy_within(len..self.filled, 0);
        self.filled -= len;
        self.records.remove(0);
        for record in &mut self.records {
            *record = Span::new(record.start as usize - len, record.end as usize - len);
        }
        record
    }

    /// Keeps the records at these positions, given in order; the others are left out.
    pub fn keep(&mut self, mut is_kept: impl FnMut(usize) -> bool) {
        if self.lines.is_empty() {
            self.lines.extend((0..).take(self.records.len()));
        }
        let mut to = 0;
        for at in 0..self.records.len() {
            if is_kept(at) {
                (self.records[to], self.lines[to]) = (self.records[at], self.lines[at]);
                to += 1;
            }
        }
        self.records.truncate(to);
        self.lines.truncate(to);
    }

    /// The position of the record whose quote is not closed, which has swallowed the rest of the
    /// input.
    pub fn unclosed(&self) -> Option<usize> {
        self.is_unclosed.then(|| self.records.len().saturating_sub(1))
    }

    /// How many fields go on behind their closing quote.
    pub fn odd_quotes(&self) -> u32 {
        self.odd_quotes
    }

    /// How many lines it has.
    pub fn line_count(&self) -> u64 {
        self.line_count
    }

    /// The records. The first line of the block has this number in its input.
    pub fn records(&self, number: u64) -> Batch<'_> {
        Batch { bytes: self.bytes(), records: &self.records, lines: &self.lines, number }
    }
}

/// Records that end there, and at the end of all.
fn cut_at(ends: impl Iterator<Item = usize>, len: usize, records: &mut Vec<Span>) {
    records.clear();
    let mut start = 0;
    for end in ends {
        records.push(Span::new(start, end));
        start = end;
    }
    if start < len {
        records.push(Span::new(start, len));
    }
}

/// How many lines a record has.
pub fn newlines_of(record: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', record).count()).unwrap_or(u32::MAX).max(1)
}

/// Records with what ends them. Only the last one of an input may lack it.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    bytes: &'a [u8],
    records: &'a [Span],
    lines: &'a [u32],
    number: u64,
}

impl<'a> Batch<'a> {
    /// The records, each with its line in the input, from 1.
    pub fn numbered(self) -> impl Iterator<Item = (u64, &'a [u8])> {
        self.enumerate().map(move |(at, record)| (self.line(at), record))
    }

    /// The records at these positions, each run of adjacent ones in one piece: to write them one
    /// by one took a third of the time of `check`.
    pub fn runs(self, is_wanted: impl Fn(usize) -> bool) -> impl Iterator<Item = &'a [u8]> {
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < self.records.len() && !is_wanted(at) {
                at += 1;
            }
            let Span { start, mut end } = *self.records.get(at)?;
            at += 1;
            while let Some(next) = self.records.get(at)
                && next.start == end
                && is_wanted(at)
            {
                end = next.end;
                at += 1;
            }
            Some(Span { start, end }.of(self.bytes))
        })
    }

    /// The line of the record at this position.
    pub fn line(&self, at: usize) -> u64 {
        match self.lines.get(at) {
            Some(line) => self.number.saturating_add_signed(line.cast_signed().into()),
            None => self.number + at as u64,
        }
    }
}

impl<'a> Iterator for Batch<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let (record, rest) = self.records.split_first()?;
        self.records = rest;
        Some(record.of(self.bytes))
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

    fn all(mut reader: impl Read, splitter: Splitter) -> Vec<(u64, Vec<u8>)> {
        let (mut block, mut rest, mut all) = (Block::default(), Vec::new(), Vec::new());
        let mut line = 1;
        while block.fill(&mut reader, splitter, &mut rest, line == 1).unwrap() {
            block.cut(splitter);
            all.extend(block.records(line).numbered().map(|(at, record)| (at, record.to_vec())));
            line += block.line_count();
        }
        all
    }

    #[test]
    fn records_come_whole_and_in_order() {
        let long = [vec![b'x'; 3 * BLOCK], b"\nlast".to_vec()].concat();
        for text in [&b""[..], b"a", b"a\n", b"\n\na\r\nbc", b"a\nb\n", &long] {
            let expected: Vec<_> = (1..)
                .zip(text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec))
                .collect();
            for splitter in [Splitter::Byte(b'\n'), Splitter::Csv(b',')] {
                assert_eq!(all(text, splitter), expected);
                assert_eq!(all(Drops(text), splitter), expected);
            }
        }
        let many: Vec<u8> = (0..200_000).flat_map(|i| format!("{i}\n").into_bytes()).collect();
        let lines = all(&many[..], Splitter::Byte(b'\n'));
        assert_eq!(lines.len(), 200_000);
        assert!((0..).zip(&lines).all(|(i, (_, line))| *line == format!("{i}\n").as_bytes()));
    }

    #[test]
    fn quoted_line_breaks_and_widths() {
        let text = b"a,\"b\nc\"\r\nd\r\"e\n";
        let expected = [(1, &b"a,\"b\nc\"\r\n"[..]), (3, b"d\r"), (4, b"\"e\n")];
        let expected: Vec<_> = expected.map(|(line, record)| (line, record.to_vec())).into();
        assert_eq!(all(&text[..], Splitter::Csv(b',')), expected);
        assert_eq!(all(Drops(text), Splitter::Csv(b',')), expected);

        let expected = [(1, b"abc".to_vec()), (2, b"d\nf".to_vec()), (3, b"g".to_vec())];
        assert_eq!(all(&b"abcd\nfg"[..], Splitter::Width(3)), expected);
        assert_eq!(all(Drops(b"abcd\nfg"), Splitter::Width(3)), expected);
    }

    #[test]
    fn records_are_left_out_and_headers_taken() {
        let mut block = Block::default();
        let text = b"h\na\n\nb\n";
        let splitter = Splitter::Byte(b'\n');
        block.fill(&mut &text[..], splitter, &mut Vec::new(), true).unwrap();
        assert_eq!(block.take_first(splitter), b"h\n");
        block.cut(splitter);
        block.keep(|at| at != 1);
        let kept: Vec<_> = block.records(2).numbered().collect();
        assert_eq!(kept, [(2, &b"a\n"[..]), (4, b"b\n")]);
        let runs =
            |is_wanted: fn(usize) -> bool| block.records(2).runs(is_wanted).collect::<Vec<_>>();
        assert_eq!(runs(|_| true), [b"a\n", b"b\n"], "something was between them");
        assert_eq!(runs(|at| at == 1), [b"b\n"]);
        let mut whole = Block::default();
        whole.fill(&mut &text[..], splitter, &mut Vec::new(), true).unwrap();
        whole.cut(splitter);
        let runs: Vec<_> = whole.records(1).runs(|at| at != 2).collect();
        assert_eq!(runs, [&b"h\na\n"[..], b"b\n"]);
        assert_eq!(block.line_count(), 3);
    }
}
