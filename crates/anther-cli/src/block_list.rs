//! Lists of blocked domains as they are published: a domain per line, a hosts file (`0.0.0.0
//! ads.example`), or rules of ad blockers (`||ads.example^`), with comments. They become lines of
//! one domain each.
//!
//! A line that is a domain means the same in all of them, and a line of one form is none of the
//! others, so nobody has to name the form.

use memchr::memchr;
use std::io::{self, Read};
use std::net::IpAddr;

/// The line that stands for a rule which is not about a whole domain.
pub const OTHER_RULE: &[u8] = b"\x01\n";

/// The line that stands for a comment.
pub const COMMENT: &[u8] = b"\x02\n";

/// Names in hosts files that are the machine's own.
const OWN_NAMES: [&str; 12] = [
    "localhost",
    "localhost.localdomain",
    "local",
    "broadcasthost",
    "ip6-localhost",
    "ip6-loopback",
    "ip6-localnet",
    "ip6-mcastprefix",
    "ip6-allnodes",
    "ip6-allrouters",
    "ip6-allhosts",
    "0.0.0.0",
];

/// Options of a rule that leave it about the whole domain.
const WHOLE: [&str; 6] = ["important", "all", "document", "doc", "third-party", "3p"];

/// What a line of a list says.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    /// Nothing.
    Blank,
    /// Nothing for us.
    Comment,
    /// A rule about something else: an exception, a part of a page.
    OtherRule,
    /// These domains are blocked.
    Domains(Vec<&'a str>),
    /// Whatever it is, it is for the rule of keys to judge.
    Text,
}

fn parse(line: &str) -> Line<'_> {
    let line = line.trim();
    if line.is_empty() {
        return Line::Blank;
    }
    if line.starts_with(['!', '#']) && !line.starts_with("##") || is_title(line) {
        return Line::Comment;
    }
    if let Some(rule) = line.strip_prefix("||") {
        let (name, options) =
            rule.split_once('$').map_or((rule, None), |(name, o)| (name, Some(o)));
        let is_whole = options.is_none_or(|all| all.split(',').all(|one| WHOLE.contains(&one)));
        return match name.strip_suffix('^') {
            Some(name) if is_whole && !name.is_empty() && !name.contains(['*', '/', '^', ':']) => {
                Line::Domains(vec![name])
            }
            _ => Line::OtherRule,
        };
    }
    if line.starts_with("@@") || ["##", "#@#", "#?#", "#$#"].iter().any(|mark| line.contains(mark))
    {
        return Line::OtherRule;
    }
    let line = line.split('#').next().unwrap_or(line).trim_end();
    // Patterns of addresses: no line of another form begins with a slash or a bar, or has a star
    // after the one that stands for subdomains.
    if line.starts_with(['/', '|']) || line.strip_prefix("*.").unwrap_or(line).contains(['*', '^'])
    {
        return Line::OtherRule;
    }
    let mut fields = line.split_ascii_whitespace();
    let (Some(first), second) = (fields.next(), fields.next()) else { return Line::Comment };
    match second {
        None if OWN_NAMES.contains(&first) => Line::Comment,
        // A list of what is blocked with everything below; `.x.example` is Squid's way to say so.
        None => Line::Domains(vec![
            first.strip_prefix("*.").or(first.strip_prefix('.')).unwrap_or(first),
        ]),
        Some(second) if is_address(first) => {
            let names = std::iter::once(second).chain(fields);
            let names: Vec<_> = names.filter(|name| !OWN_NAMES.contains(name)).collect();
            if names.is_empty() { Line::Comment } else { Line::Domains(names) }
        }
        Some(_) => Line::Text,
    }
}

/// Whether it is the first line of an ad blocker's list: `[Adblock Plus 2.0]`.
fn is_title(line: &str) -> bool {
    let title = line.strip_prefix('[').map(str::to_ascii_lowercase);
    title.is_some_and(|title| {
        ["adblock", "ublock", "adguard"].iter().any(|it| title.starts_with(it))
    })
}

/// Whether it is an IP address, with a zone or without: `fe80::1%lo0`.
fn is_address(text: &str) -> bool {
    text.split('%').next().unwrap_or(text).parse::<IpAddr>().is_ok()
}

/// A list as lines of one domain each. Comments stay lines, so that the lines of a list with a
/// domain per line keep their numbers.
pub struct Domains {
    reader: Box<dyn Read + Send>,
    /// What was read and is no whole line.
    rest: Vec<u8>,
    lines: Vec<u8>,
    at: usize,
    is_first: bool,
}

impl Domains {
    /// Of the bytes of a list.
    pub fn new(reader: Box<dyn Read + Send>) -> Domains {
        Domains { reader, rest: Vec::new(), lines: Vec::new(), at: 0, is_first: true }
    }

    fn push(&mut self, line: &[u8]) {
        let text = str::from_utf8(line).unwrap_or_default();
        match parse(text) {
            _ if text.is_empty() && !line.trim_ascii().is_empty() => self.lines.extend(line),
            Line::Blank => self.lines.push(b'\n'),
            Line::Comment => self.lines.extend(COMMENT),
            Line::OtherRule => self.lines.extend(OTHER_RULE),
            Line::Domains(names) => {
                for name in names {
                    self.lines.extend(name.as_bytes());
                    self.lines.push(b'\n');
                }
            }
            Line::Text => self.lines.extend(line),
        }
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

impl Read for Domains {
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

    fn converted(list: &str) -> String {
        let mut lines = String::new();
        let reader = Box::new(io::Cursor::new(list.as_bytes().to_vec()));
        Domains::new(reader).read_to_string(&mut lines).unwrap();
        lines
    }

    #[test]
    fn every_form_becomes_lines_of_domains() {
        for (list, expected) in [
            ("ads.example\r\n# c\n\n*.x.example\n", "ads.example\n\u{2}\n\nx.example\n"),
            ("0.0.0.0 ads.example # why\n::1 localhost\n", "ads.example\n\u{2}\n"),
            ("127.0.0.1\tb.example c.example", "b.example\nc.example\n"),
            ("fe80::1%lo0 localhost\n0.0.0.0 0.0.0.0\n", "\u{2}\n\u{2}\n"),
            ("203.0.113.9\n", "203.0.113.9\n"),
            ("[Adblock Plus 2.0]\n! Title: x\n||a.example^\n", "\u{2}\n\u{2}\na.example\n"),
            ("||a.example^$third-party,important\n", "a.example\n"),
            ("||a.example^$script\n||a.example/x^\n||*.b.example^\n", "\u{1}\n\u{1}\n\u{1}\n"),
            ("@@||a.example^\na.example##.ad\n##.ad\n", "\u{1}\n\u{1}\n\u{1}\n"),
            ("/banner/*\n|https://x.example/|\n-ad-*.\n||^\n", "\u{1}\n\u{1}\n\u{1}\n\u{1}\n"),
            (".dotted.example\n0.0.0.0 #nothing\n", "dotted.example\n\u{2}\n"),
            // A pattern in a comment is no pattern.
            ("a.example # /x/* and ^\n0.0.0.0 b.example # *\n", "a.example\nb.example\n"),
            ("localhost\n0.0.0.0\n*.*.example\n", "\u{2}\n\u{2}\n\u{1}\n"),
            ("[2001:db8::1]\n", "[2001:db8::1]\n"),
            ("\u{feff}a.example\n", "a.example\n"),
            // What is none of them stays, and is an error that shows the line.
            ("a b\n", "a b\n"),
            ("a b", "a b"),
            ("", ""),
        ] {
            assert_eq!(converted(list), expected, "{list:?}");
        }
        let mut bytes = Vec::new();
        let list = b"a.example\n\xFF.example\nb.example".to_vec();
        Domains::new(Box::new(io::Cursor::new(list))).read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, b"a.example\n\xFF.example\nb.example\n");
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
            Domains::new(pieces).read_to_string(&mut lines).unwrap();
            assert_eq!(lines, "ads.example\n\u{2}\nb.example\nc.example\n", "{size}");
        }
    }
}
