//! Lists of what is blocked, as they are published, with comments. They become lines of one key each.
//!
//! Domains: a domain per line, a hosts file (`0.0.0.0 ads.example`), or rules of ad blockers
//! (`||ads.example^`). Addresses: an address, a network or a range per line. A line that is a key means
//! the same in all of them, and a line of one form is none of the others, so nobody has to name the
//! form.

mod addresses;
mod domains;

pub use domains::is_title;

use anther::recipe::{Format, KeyForm, Place};
use memchr::memchr;
use std::borrow::Cow;
use std::io::{self, Read};

/// The line that stands for a rule which is not about a whole domain.
pub const OTHER_RULE: &[u8] = b"\x01\n";

/// The line that stands for a comment.
pub const COMMENT: &[u8] = b"\x02\n";

/// What begins each key but the first of a line that has several.
pub const SAME_LINE: u8 = 3;

/// What a list is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockList {
    /// Domains.
    Domains,
    /// IP addresses and networks.
    Addresses,
}

/// What a line of a list says.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    /// Nothing.
    Blank,
    /// Nothing for us.
    Comment,
    /// A rule about something else: an exception, a part of a page.
    OtherRule,
    /// These keys are blocked.
    Keys(Vec<Cow<'a, str>>),
    /// Whatever it is, it is for the rule of keys to judge.
    Text,
}

/// The keys of a line, none if it is a comment; `None` if it is no line of such a list, or a rule
/// about something else.
pub fn keys_of(list: BlockList, line: &str) -> Option<Vec<Cow<'_, str>>> {
    match list.parse(line) {
        Line::Blank | Line::Comment => Some(Vec::new()),
        Line::Keys(keys) => Some(keys),
        Line::OtherRule | Line::Text => None,
    }
}

impl BlockList {
    /// What a list of keys of this form is of, if its lines are in this place: each is a key.
    pub fn at(place: &Place, form: KeyForm) -> Option<BlockList> {
        let lines = place.format == Format::Lines && place.columns.is_empty();
        match form {
            KeyForm::Domain if lines => Some(BlockList::Domains),
            KeyForm::Ip if lines => Some(BlockList::Addresses),
            _ => None,
        }
    }

    fn parse(self, line: &str) -> Line<'_> {
        match self {
            BlockList::Domains => domains::parse(line),
            BlockList::Addresses => addresses::parse(line),
        }
    }
}

/// A list as lines of one key each. Comments stay lines, and further keys of a line are marked, so that
/// lines keep their numbers.
pub struct ListReader {
    of: BlockList,
    reader: Box<dyn Read + Send>,
    /// What was read and is no whole line.
    rest: Vec<u8>,
    lines: Vec<u8>,
    at: usize,
    is_first: bool,
}

impl ListReader {
    /// Of the bytes of a list.
    pub fn new(of: BlockList, reader: Box<dyn Read + Send>) -> ListReader {
        ListReader { of, reader, rest: Vec::new(), lines: Vec::new(), at: 0, is_first: true }
    }

    fn push(&mut self, line: &[u8]) {
        // In a comment, any bytes may be.
        let text = String::from_utf8_lossy(line);
        let is_unclear = |key: &Cow<'_, str>| key.contains(['\u{fffd}', char::from(SAME_LINE)]);
        match self.of.parse(&text) {
            Line::Keys(keys) if keys.iter().any(is_unclear) => self.push_as_it_is(line),
            Line::Blank => self.lines.push(b'\n'),
            Line::Comment => self.lines.extend(COMMENT),
            Line::OtherRule => self.lines.extend(OTHER_RULE),
            Line::Keys(keys) => {
                for (at, key) in keys.iter().enumerate() {
                    if at > 0 {
                        self.lines.push(SAME_LINE);
                    }
                    self.lines.extend(key.as_bytes());
                    self.lines.push(b'\n');
                }
            }
            Line::Text => self.push_as_it_is(line),
        }
    }

    /// Leaves a line to the rule of keys, which refuses it if it begins with our mark or a blank.
    fn push_as_it_is(&mut self, line: &[u8]) {
        if line.first() == Some(&SAME_LINE) {
            self.lines.push(b' ');
        }
        self.lines.extend(line);
    }

    /// Reads until there is a line; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        (self.at, self.lines) = (0, Vec::new());
        let mut buffer = vec![0; 1 << 16];
        while self.lines.is_empty() {
            let read = self.reader.read(&mut buffer)?;
            let mut rest = std::mem::take(&mut self.rest);
            rest.extend(&buffer[..read]);
            if self.is_first && rest.len() >= 3 {
                self.is_first = false;
                if rest.starts_with(b"\xEF\xBB\xBF") {
                    rest.drain(..3);
                }
            }
            let mut start = 0;
            while let Some(at) = memchr(b'\n', &rest[start..]) {
                let line = &rest[start..=start + at];
                self.push(line);
                start += at + 1;
            }
            if read == 0 {
                if start < rest.len() {
                    self.push(&rest[start..]);
                }
                return Ok(!self.lines.is_empty());
            }
            self.rest = rest.split_off(start);
            // Nothing but the block's own limit ends a file without line endings.
            if self.rest.len() > 1 << 20 && self.lines.is_empty() {
                self.lines = std::mem::take(&mut self.rest);
            }
        }
        Ok(true)
    }
}

impl Read for ListReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.lines.len() && !self.fill()? {
            return Ok(0);
        }
        let read = (&self.lines[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(of: BlockList, list: &str) -> String {
        let mut lines = String::new();
        let reader = Box::new(io::Cursor::new(list.as_bytes().to_vec()));
        ListReader::new(of, reader).read_to_string(&mut lines).unwrap();
        lines
    }

    #[test]
    fn every_form_becomes_lines_of_domains() {
        for (list, expected) in [
            ("ads.example\r\n# c\n\n*.x.example\n", "ads.example\n\u{2}\n\nx.example\n"),
            ("0.0.0.0 ads.example # why\n::1 localhost\n", "ads.example\n\u{2}\n"),
            ("127.0.0.1\tb.example c.example", "b.example\n\u{3}c.example\n"),
            ("\u{3}a.example\n", " \u{3}a.example\n"),
            ("fe80::1%lo0 localhost\n0.0.0.0 0.0.0.0\n", "\u{2}\n\u{2}\n"),
            ("203.0.113.9\n", "203.0.113.9\n"),
            ("[Adblock Plus 2.0]\n! Title: x\n||a.example^\n", "\u{2}\n\u{2}\na.example\n"),
            ("||a.example^$third-party,important\n", "a.example\n"),
            ("||a.example^$script\n||a.example/x^\n||*.*.example^\n", "\u{1}\n\u{1}\n\u{1}\n"),
            ("||*.b.example^\n||*.c.example^$all\n||*.^\n", "b.example\nc.example\n\u{1}\n"),
            ("@@||a.example^\na.example##.ad\n##.ad\n", "\u{1}\n\u{1}\n\u{1}\n"),
            ("/banner/*\n|https://x.example/|\n-ad-*.\n||^\n", "\u{1}\n\u{1}\n\u{1}\n\u{1}\n"),
            (".dotted.example\n0.0.0.0 #nothing\n", "dotted.example\n\n"),
            // A pattern in a comment is no pattern.
            ("a.example # /x/* and ^\n0.0.0.0 b.example # *\n", "a.example\nb.example\n"),
            ("localhost\n::1 localhost\n*.*.example\n", "localhost\n\u{2}\n\u{1}\n"),
            ("[2001:db8::1]\n", "[2001:db8::1]\n"),
            ("\u{feff}a.example\n", "a.example\n"),
            // What is none of them stays, and is an error that shows the line.
            ("a b\n", "a b\n"),
            ("a b", "a b"),
            ("", ""),
        ] {
            assert_eq!(converted(BlockList::Domains, list), expected, "{list:?}");
        }
        let mut bytes = Vec::new();
        let list = b"a.example\n\xFF.example\n# \xFC\nb.example # \xFC\n".to_vec();
        ListReader::new(BlockList::Domains, Box::new(io::Cursor::new(list)))
            .read_to_end(&mut bytes)
            .unwrap();
        assert_eq!(bytes, b"a.example\n\xFF.example\n\x02\nb.example\n");
    }

    #[test]
    fn addresses_come_without_comments_and_ranges_as_networks() {
        for (list, expected) in [
            ("; DROP\n1.10.16.0/20 ; SBL1\n\n", "\u{2}\n1.10.16.0/20\n\n"),
            ("# x\r\n 192.0.2.7\t# why; who\r\n::1", "\u{2}\n192.0.2.7\n::1\n"),
            ("10.0.0.0-10.0.0.255\n", "10.0.0.0/24\n"),
            ("10.0.0.1 - 10.0.0.4 ; x\n", "10.0.0.1\n\u{3}10.0.0.2/31\n\u{3}10.0.0.4\n"),
            ("::ffff:10.0.0.2-10.0.0.3\n", "10.0.0.2/31\n"),
            ("0.0.0.0-255.255.255.255\n", "0.0.0.0/0\n"),
            ("255.255.255.254 -255.255.255.255\n", "255.255.255.254/31\n"),
            ("::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff\n", "::/0\n"),
            ("2001:db8::- 2001:db8::1:ffff\n", "2001:db8::/111\n"),
            // A range of IPv6 has no IPv4 in it, as networks have none.
            ("::fffe:ffff:ffff-::1:0:0:0\n", "::fffe:ffff:ffff\n\u{3}::1:0:0:0\n"),
            // What is none of them stays, and is an error that shows the line.
            ("10.0.0.2-10.0.0.1\n10.0.0.1-::2\n", "10.0.0.2-10.0.0.1\n10.0.0.1-::2\n"),
            ("10.0.0.1 evil\n10.0.0.1-9\n", "10.0.0.1 evil\n10.0.0.1-9\n"),
        ] {
            assert_eq!(converted(BlockList::Addresses, list), expected, "{list:?}");
        }
    }

    /// Lines survive wherever reads end.
    #[test]
    fn a_list_in_small_pieces() {
        struct Pieces(Vec<u8>, usize);
        impl Read for Pieces {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let take = self.1.min(self.0.len()).min(buffer.len());
                buffer[..take].copy_from_slice(&self.0[..take]);
                self.0.drain(..take);
                Ok(take)
            }
        }
        let list = "0.0.0.0 ads.example\n# c\n||b.example^\nc.example";
        for size in 1..20 {
            let mut lines = String::new();
            let pieces = Box::new(Pieces(list.as_bytes().to_vec(), size));
            ListReader::new(BlockList::Domains, pieces).read_to_string(&mut lines).unwrap();
            assert_eq!(lines, "ads.example\n\u{2}\nb.example\nc.example\n", "{size}");
        }
    }
}
