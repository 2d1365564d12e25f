//! Delimited text: where records end, and what their fields are. The rules are those of the crate
//! `csv`, and a test compares them: a field may be quoted, then delimiters and line breaks are part
//! of it and two quotes are one; a quote elsewhere is an ordinary character; a record ends with LF,
//! CR LF or CR.

use memchr::{memchr, memchr_iter, memchr3};

/// How far the ends of records were searched in a buffer that grows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Search {
    /// Where the current record begins.
    start: usize,
    /// Where to go on.
    at: usize,
    /// Whether that is within quotes.
    quoted: bool,
    /// How many fields of the records that ended go on behind their closing quote, and how many of
    /// the current one.
    odd: u32,
    odd_here: u32,
}

impl Search {
    /// Begins at this offset, behind a byte-order mark.
    pub fn from(start: usize) -> Search {
        Search { start, at: start, ..Search::default() }
    }

    /// Whether the last record ends within quotes.
    pub fn is_quoted(self) -> bool {
        self.quoted
    }

    /// How many fields of whole records go on behind their closing quote. They are read as the crate
    /// `csv` reads them, but where a quote is missing before, several records are one.
    pub fn odd(self, is_all: bool) -> u32 {
        self.odd + if is_all { self.odd_here } else { 0 }
    }

    /// Passes on where records end, as far as these bytes tell. `is_all` says that no more follow.
    pub fn ends(&mut self, bytes: &[u8], delimiter: u8, is_all: bool, mut end: impl FnMut(usize)) {
        loop {
            if self.quoted {
                let Some(quote) = memchr(b'"', &bytes[self.at..]).map(|at| self.at + at) else {
                    self.at = bytes.len();
                    return;
                };
                match bytes.get(quote + 1) {
                    Some(b'"') => self.at = quote + 2,
                    Some(next) => {
                        self.odd_here +=
                            u32::from(!matches!(next, b'\n' | b'\r') && *next != delimiter);
                        (self.at, self.quoted) = (quote + 1, false);
                    }
                    None if is_all => (self.at, self.quoted) = (quote + 1, false),
                    // The next byte decides.
                    None => {
                        self.at = quote;
                        return;
                    }
                }
                continue;
            }
            let next = memchr3(b'"', b'\n', b'\r', &bytes[self.at..]).map(|at| self.at + at);
            let Some(at) = next else {
                self.at = bytes.len();
                return;
            };
            self.at = match (bytes[at], bytes.get(at + 1)) {
                (b'"', _) => {
                    self.quoted = at == self.start || bytes[at - 1] == delimiter;
                    at + 1
                }
                (b'\r', None) if !is_all => {
                    self.at = at;
                    return;
                }
                (b'\r', Some(b'\n')) => self.end_at(at + 2, &mut end),
                _ => self.end_at(at + 1, &mut end),
            };
        }
    }

    fn end_at(&mut self, at: usize, end: &mut impl FnMut(usize)) -> usize {
        self.start = at;
        self.odd += std::mem::take(&mut self.odd_here);
        end(at);
        at
    }
}

/// A record without its end.
#[inline]
pub fn without_end(record: &[u8]) -> &[u8] {
    match record {
        [line @ .., b'\r', b'\n'] | [line @ .., b'\n' | b'\r'] => line,
        _ => record,
    }
}

/// Why there is no such field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoField {
    /// The record has only this many.
    Only(usize),
    /// A quoted field has no closing quote.
    Unclosed,
}

/// A field of a record, counted from 1: a slice of the record, or in `unquoted`. Without `quotes`, a
/// quote is an ordinary character.
pub fn field<'r>(
    record: &'r [u8],
    delimiter: u8,
    quotes: bool,
    number: usize,
    unquoted: &'r mut Vec<u8>,
) -> Result<&'r [u8], NoField> {
    if quotes && memchr(b'"', record).is_some() {
        return quoted_field(record, delimiter, number, unquoted);
    }
    let mut start = 0;
    let mut have = 1;
    for at in memchr_iter(delimiter, record) {
        if have == number {
            return Ok(&record[start..at]);
        }
        (start, have) = (at + 1, have + 1);
    }
    if have == number { Ok(&record[start..]) } else { Err(NoField::Only(have)) }
}

fn quoted_field<'r>(
    record: &[u8],
    delimiter: u8,
    number: usize,
    out: &'r mut Vec<u8>,
) -> Result<&'r [u8], NoField> {
    let mut rest = record;
    for at in 1.. {
        out.clear();
        if let Some(mut inside) = rest.strip_prefix(b"\"") {
            loop {
                let quote = memchr(b'"', inside).ok_or(NoField::Unclosed)?;
                out.extend(&inside[..quote]);
                inside = &inside[quote + 1..];
                match inside.strip_prefix(b"\"") {
                    Some(after) => {
                        out.push(b'"');
                        inside = after;
                    }
                    None => break,
                }
            }
            rest = inside;
        }
        let end = memchr(delimiter, rest);
        out.extend(&rest[..end.unwrap_or(rest.len())]);
        if at == number {
            break;
        }
        match end {
            Some(end) => rest = &rest[end + 1..],
            None => return Err(NoField::Only(at)),
        }
    }
    Ok(out)
}

/// All fields of a record.
pub fn fields(record: &[u8], delimiter: u8, quotes: bool) -> Result<Vec<Vec<u8>>, NoField> {
    let (mut all, mut unquoted) = (Vec::new(), Vec::new());
    for number in 1.. {
        match field(record, delimiter, quotes, number, &mut unquoted) {
            Ok(field) => all.push(field.to_vec()),
            Err(NoField::Only(_)) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &[u8], delimiter: u8, step: usize) -> Vec<Vec<Vec<u8>>> {
        let (mut search, mut ends) = (Search::default(), Vec::new());
        // The buffer grows by a step each time.
        for len in (0..text.len()).step_by(step) {
            search.ends(&text[..len], delimiter, false, |end| ends.push(end));
        }
        search.ends(text, delimiter, true, |end| ends.push(end));
        if ends.last().copied().unwrap_or(0) < text.len() {
            ends.push(text.len());
        }
        let mut start = 0;
        let mut all = Vec::new();
        for end in ends {
            let record = without_end(&text[start..end]);
            start = end;
            if !record.is_empty() {
                all.push(fields(record, delimiter, true).unwrap());
            }
        }
        all
    }

    /// Every short text of the bytes that matter, read as the crate `csv` reads it.
    #[test]
    fn records_are_those_of_the_csv_crate() {
        let alphabet = b"\",\n\ra";
        for len in 0..=6u32 {
            for number in 0..5usize.pow(len) {
                let text: Vec<u8> =
                    (0..len).map(|at| alphabet[number / 5usize.pow(at) % 5]).collect();
                let theirs = csv::ReaderBuilder::new()
                    .has_headers(false)
                    .flexible(true)
                    .from_reader(&text[..])
                    .into_byte_records()
                    .map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect::<Vec<_>>())
                    .collect::<Vec<_>>();
                let mut search = Search::default();
                search.ends(&text, b',', true, |_| {});
                // They take an unclosed quote for closed at the end; we call it malformed.
                if search.is_quoted() {
                    continue;
                }
                for step in [1, 2, 7] {
                    let ours = records(&text, b',', step);
                    assert_eq!(ours, theirs, "{:?} by {step}", text.escape_ascii().to_string());
                }
            }
        }
    }

    #[test]
    fn fields_by_number() {
        let mut out = Vec::new();
        let mut get = |record: &[u8], quotes, number| {
            field(record, b';', quotes, number, &mut out).map(<[u8]>::to_vec)
        };
        assert_eq!(get(b"a;b;c", true, 2).unwrap(), b"b");
        assert_eq!(get(b"\"Doe; Jane\";\"j\"\"x\"", true, 2).unwrap(), b"j\"x");
        assert_eq!(get(b"\"Doe; Jane\";x", false, 1).unwrap(), b"\"Doe");
        assert_eq!(get(b"a", true, 2), Err(NoField::Only(1)));
        assert_eq!(get(b"\"a\";", true, 3), Err(NoField::Only(2)));
        assert_eq!(get(b"a;\"b", true, 2), Err(NoField::Unclosed));
        assert_eq!(get(b"", true, 1).unwrap(), b"");
    }
}
