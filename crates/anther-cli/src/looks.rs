//! What the keys of a list look like, by its first records, and whether its rows look like CSV.
//!
//! Wrong guesses cost a line on standard error and nothing else, but nobody reads a program that
//! cries wolf: a guess needs nearly all of the first records. Networks are not guessed: one among
//! a million names is found, since as text it silently matches none of its addresses.

use crate::block_list::{self, BlockList};
use crate::blocks::MARK;
use crate::csv;
use crate::extract::{Extraction, Extractor};
use anther::recipe::{Column, Format, Given, KeyForm, KeyRule, Quotes, RuledKey};
use std::fmt;

/// How many records are looked at, and how many rows must look like no CSV.
const SAMPLE: u32 = 200;
const LEAST: u32 = 3;

/// Endings of which every long list of domains has some, and a list of file names has few.
const COMMON: [&str; 16] = [
    "com", "net", "org", "info", "biz", "edu", "gov", "io", "de", "uk", "ru", "cn", "fr", "eu",
    "br", "example",
];

/// What a list may be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// IP addresses, networks and ranges.
    Addresses,
    /// E-mail addresses.
    Emails,
    /// URLs.
    Urls,
    /// Whole numbers.
    Numbers,
    /// A hosts file or rules of an ad blocker.
    BlockList,
    /// Domains, one per line.
    Domains,
}

impl Look {
    const ALL: [Look; 6] =
        [Look::Addresses, Look::Emails, Look::Urls, Look::Numbers, Look::BlockList, Look::Domains];

    /// What `--as` is for such keys.
    pub fn form(self) -> KeyForm {
        match self {
            Look::Addresses => KeyForm::Ip,
            Look::Emails => KeyForm::Email,
            Look::Urls => KeyForm::Url,
            Look::Numbers => KeyForm::Int,
            Look::BlockList | Look::Domains => KeyForm::Domain,
        }
    }

    /// Of a key, if it has one.
    fn of(key: &str) -> Option<Look> {
        let takes = |form: KeyForm, text: &str| {
            let rule = KeyRule { form, ..KeyRule::default() };
            rule.apply(Given::Text(text.as_bytes()), &mut Vec::new()).is_ok()
        };
        let all = |list, form| {
            block_list::keys_of(list, key)
                .is_some_and(|keys| keys.iter().all(|key| takes(form, key)))
        };
        let has_dot = |name: &str| name.trim_end_matches('.').contains('.');
        if takes(KeyForm::Int, key) {
            return Some(Look::Numbers);
        }
        if all(BlockList::Addresses, KeyForm::Ip) {
            return Some(Look::Addresses);
        }
        if key.contains("://") {
            return takes(KeyForm::Url, key).then_some(Look::Urls);
        }
        if let Some((local, name)) = key.rsplit_once('@') {
            let local = if local.is_empty() { "*" } else { local };
            let is_one = has_dot(name) && takes(KeyForm::Email, &format!("{local}@{name}"));
            return is_one.then_some(Look::Emails);
        }
        if key.starts_with("||") || key.starts_with("@@||") {
            return Some(Look::BlockList);
        }
        if !all(BlockList::Domains, KeyForm::Domain) {
            return None;
        }
        if key.split('#').next().is_some_and(|key| key.trim().contains([' ', '\t'])) {
            return Some(Look::BlockList);
        }
        let last = key.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
        let is_name = last.len() > 1 && last.bytes().any(|byte| byte.is_ascii_alphabetic());
        (has_dot(key) && is_name).then_some(Look::Domains)
    }
}

impl fmt::Display for Look {
    /// What the keys look like, and what is lost if they are text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Look::Addresses => {
                "IP addresses, and as text other spellings of an address are not found"
            }
            Look::Emails => "e-mail addresses, and as text letter case matters",
            Look::Urls => "URLs, and as text other spellings of a URL are not found",
            Look::Numbers => "whole numbers, and as text 042 is not 42",
            Look::BlockList => {
                "a hosts file or rules of an ad blocker, and as text its lines are keys"
            }
            Look::Domains => "domains, and as text URLs and names below them are not found",
        })
    }
}

/// Whether a key is a network with its prefix or a range of addresses, perhaps with a comment behind
/// it. It costs 1.4 ns per name, URL, number or digest and 7 ns per address, beside some 60 ns that
/// `build` spends on a line.
#[inline]
pub fn is_network(key: &[u8]) -> bool {
    has_mark(key) && begins_as_address(key) && parses_as_network(key)
}

/// Whether there is a dot or a colon among the first five bytes, as in all addresses and few other
/// keys, or a blank or a byte-order mark before. Without branches: that is thrice as fast.
#[inline]
fn has_mark(key: &[u8]) -> bool {
    // The shortest network is `::/0`.
    let Some(head) = key.first_chunk::<5>() else { return key.len() == 4 };
    let is_blank = head[0] <= b' ' || head[0] == MARK[0];
    head.iter().fold(is_blank, |has, byte| has | (*byte == b'.') | (*byte == b':'))
}

/// Up to four hexadecimal digits, then a dot or a colon, and later a slash or a dash.
fn begins_as_address(key: &[u8]) -> bool {
    let key = key.strip_prefix(MARK).unwrap_or(key).trim_ascii_start();
    let end = key.iter().take(5).position(|byte| !byte.is_ascii_hexdigit());
    end.is_some_and(|end| b".:".contains(&key[end])) && memchr::memchr2(b'/', b'-', key).is_some()
}

#[cold]
fn parses_as_network(key: &[u8]) -> bool {
    let Ok(key) = str::from_utf8(key) else { return false };
    let key = key.trim_start_matches('\u{feff}');
    let rule = KeyRule { form: KeyForm::Ip, ..KeyRule::default() };
    let is_ip = |key: &str| rule.apply(Given::Text(key.as_bytes()), &mut Vec::new()).is_ok();
    let text = key.split(['#', ';']).next().unwrap_or_default();
    // A range is taken apart into networks, and may be a single one, or an address.
    text.contains(['/', '-'])
        && block_list::keys_of(BlockList::Addresses, key)
            .is_some_and(|keys| !keys.is_empty() && keys.iter().all(|key| is_ip(key)))
}

/// What the first records looked like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    /// How many records were looked at.
    seen: u32,
    /// How many of them were keys, and no comments.
    keys: u32,
    /// How many keys looked like each of [`Look::ALL`], and how many domains have a common ending.
    of: [u32; Look::ALL.len()],
    common: u32,
    /// How many numbers have another spelling: `042`. Where none has, text does as well.
    padded: u32,
    /// How many rows of CSV look like lines of something else, and how many of them have tabs.
    whole: u32,
    tabs: u32,
}

impl Looks {
    /// Looks at the next records of an input, with its header row, if there were few.
    pub fn see<'r>(
        &mut self,
        how: &Extraction,
        head: Option<&[u8]>,
        records: impl Iterator<Item = &'r [u8]>,
    ) {
        if self.seen >= SAMPLE || matches!(how.place.format, Format::Records(_)) {
            return;
        }
        let is_text = how.rule.form == KeyForm::Text && how.rule.parts == 1;
        let mut keys = Extractor::new(how);
        if head.is_some_and(|head| keys.header(head).is_err()) {
            return;
        }
        for record in records.take((SAMPLE - self.seen) as usize) {
            self.seen += 1;
            self.see_row(how, record);
            if is_text
                && let Ok(Some(RuledKey::Bytes(key))) = keys.key(record)
                && let Ok(key) = str::from_utf8(key)
            {
                self.see_key(key.trim_start_matches('\u{feff}').trim());
            }
        }
    }

    fn see_key(&mut self, key: &str) {
        let is_comment = |list| block_list::keys_of(list, key).is_some_and(|keys| keys.is_empty());
        if is_comment(BlockList::Domains) || is_comment(BlockList::Addresses) {
            return;
        }
        self.keys += 1;
        let look = Look::of(key);
        for (one, number) in Look::ALL.iter().zip(&mut self.of) {
            *number += u32::from(Some(*one) == look);
        }
        let digits = key.trim_start_matches('-');
        let is_padded = digits.len() > 1 && digits.starts_with(['0', '+']);
        self.padded += u32::from(look == Some(Look::Numbers) && is_padded);
        let ending = key.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
        let is_common = COMMON.iter().any(|common| common.eq_ignore_ascii_case(ending));
        self.common += u32::from(look == Some(Look::Domains) && is_common);
    }

    fn see_row(&mut self, how: &Extraction, record: &[u8]) {
        let (Format::Delimited { delimiter, quotes, .. }, [Column::Number(number)]) =
            (how.place.format, &how.place.columns[..])
        else {
            return;
        };
        let (record, mut unquoted) = (how.without_end(record), Vec::new());
        let has_blank = |text: &[u8]| text.trim_ascii().iter().any(|byte| b" \t".contains(byte));
        let has_quotes = quotes != Quotes::None;
        let field = csv::field(record, delimiter, has_quotes, number.get() as usize, &mut unquoted);
        let Ok(field) = field else { return };
        // In CSV a field with a quote is quoted. A log has some: "GET / HTTP/1.1".
        let is_odd =
            has_quotes && field.contains(&b'"') && !record.windows(2).any(|two| two == b"\"\"");
        if has_blank(field) && (field.len() == record.len() || is_odd) {
            self.whole += 1;
            self.tabs += u32::from(record.contains(&b'\t'));
        }
    }

    /// What nearly all keys look like, be it one key. Plain integers look like nothing: text such as
    /// `42` is the same key in a list and on the command line.
    pub fn look(&self) -> Option<Look> {
        let is_most = |number: u32| number > 0 && number * 10 >= self.keys * 9;
        let found = Look::ALL.iter().zip(self.of).find(|(_, number)| is_most(*number));
        let (look, number) = found.map(|(look, number)| (*look, number))?;
        let is_sure = match look {
            Look::Domains => self.common * 4 >= number,
            Look::Numbers => self.padded > 0,
            _ => true,
        };
        is_sure.then_some(look)
    }

    /// The format to read rows in that look like no CSV: most of them.
    pub fn other_format(&self) -> Option<&'static str> {
        let is_other = self.whole >= LEAST && self.whole * 2 > self.seen;
        is_other.then_some(if self.tabs * 2 > self.whole { "tsv" } else { "fields" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(list: &str) -> Option<Look> {
        let (how, mut looks) = (Extraction::default(), Looks::default());
        looks.see(&how, None, list.split_inclusive('\n').map(str::as_bytes));
        looks.look()
    }

    #[test]
    fn lists_are_known_by_nearly_all_of_their_keys() {
        for (list, expected) in [
            ("# x\n192.0.2.1\n10.0.0.0/8\n2001:db8::1 ; SBL1\n", Some(Look::Addresses)),
            ("10.0.0.1-10.0.0.9\n10.0.1.1 - 10.0.1.9\n::1\n", Some(Look::Addresses)),
            ("bob@example.org\n@spam.example\n*@bulk.example\n", Some(Look::Emails)),
            ("http://a.example/\nHTTPS://b.example\nftp://c/x\n", Some(Look::Urls)),
            ("1\n042\n-7\n", Some(Look::Numbers)),
            ("1\n42\n-7\n0\n", None),
            (
                "127.0.0.1 localhost\n0.0.0.0 a.example\n0.0.0.0 b.example\n0.0.0.0 c.example\n",
                Some(Look::BlockList),
            ),
            ("0.0.0.0 a.example\n0.0.0.0 b.example\n0.0.0.0\tc.example\n", Some(Look::BlockList)),
            ("! x\n||a.example^\n||b.example^$third-party\n||c.example^\n", Some(Look::BlockList)),
            ("a.example\nWWW.b.com.\nc.co.uk\nx.shop\n", Some(Look::Domains)),
            // One line or two are enough, but integers are the same as text.
            ("192.0.2.1\n192.0.2.2\n", Some(Look::Addresses)),
            ("bob@example.org\n", Some(Look::Emails)),
            ("https://a.example/x\n", Some(Look::Urls)),
            ("a.example\n", Some(Look::Domains)),
            ("||a.example^\n", Some(Look::BlockList)),
            ("042\n", Some(Look::Numbers)),
            ("42\n", None),
            ("7\n42\n", None),
            ("ant\n", None),
            ("main.rs\n", None),
            ("1.2.3\n", None),
            ("", None),
            // Words, names of files, versions, names, hexadecimal digits, lines of a log.
            ("ant\nbee\ncat\nexample\n", None),
            ("a.txt\nmain.rs\nx.tar.gz\nb.md\n", None),
            ("1.2.3\n1.10.0\n2.0\n0.5\n", None),
            ("@ann\n@bob\n@eve\n", None),
            ("cafe\nbabe\n1234abcd\n", None),
            ("1 a\n2 b\n3 c\n", None),
            ("192.0.2.1 GET /\n192.0.2.2 GET /\n192.0.2.3 GET /\n", None),
            ("192.0.2.1\nant\n192.0.2.3\nbee\n", None),
            ("e.g.\ni.e.\nU.S.\n", None),
        ] {
            assert_eq!(look(list), expected, "{list:?}");
        }
        let mut list = "10.0.0.1\n".repeat(19);
        assert_eq!(look(&(list.clone() + "x\n")), Some(Look::Addresses), "95 %");
        list += "x\ny\nz\n";
        assert_eq!(look(&list), None, "86 %");
    }

    #[test]
    fn networks_and_ranges_are_told_from_all_else() {
        for key in [
            "203.0.113.0/24",
            "0.0.0.0/0",
            "203.0.113.7/32",
            " 10.0.0.0/8 ; SBL1",
            "\u{feff}10.0.0.0/8",
            "2001:db8::/32",
            "::/0",
            "::ffff:10.0.0.0/104",
            "FE80::/10 # link",
            "10.0.0.1-10.0.0.9",
            "10.0.0.1 - 10.0.0.9",
            "2001:db8::1-2001:db8::f",
        ] {
            assert!(is_network(key.as_bytes()), "{key}");
        }
        for key in [
            "",
            "10.0.0.1",
            "2001:db8::1",
            "10.0.0.1/33",
            "10.0.0.1/index.html",
            "10.0.0.1:80/24",
            "10.0.0.9-10.0.0.1",
            "10.0.0.1-9",
            "10.0.0.1 # see 10.0.0.0/8",
            "1.2/3",
            "1.2.3-4",
            "https://10.0.0.0/8",
            "http://a/1",
            "//10.0.0.0/8",
            "/a/b",
            "a/b",
            "a.b/c",
            "c:/d",
            "cafe:/24",
            "2026-11-17",
            "12:30-13:00",
            "550e8400-e29b-41d4-a716-446655440000",
            "bob@10.0.0.0/8",
            "# 10.0.0.0/8",
            "a.example",
        ] {
            assert!(!is_network(key.as_bytes()), "{key}");
        }
        assert!(!is_network(b"10.0.0.0/8\xff"), "no text");
    }

    #[test]
    fn only_the_first_records_count() {
        let list = "10.0.0.1\n".repeat(SAMPLE as usize) + &"ant\n".repeat(1000);
        assert_eq!(look(&list), Some(Look::Addresses));
    }

    #[test]
    fn rows_that_are_no_csv() {
        let other = |list: &str, quotes| {
            let column = Column::Number(std::num::NonZero::<u32>::MIN);
            let separator = anther::recipe::Separator::Line;
            let format = Format::Delimited { delimiter: b',', quotes, separator };
            let place = anther::recipe::Place { format, columns: vec![column], header: false };
            let (how, mut looks) =
                (Extraction { place, ..Extraction::default() }, Looks::default());
            looks.see(&how, None, list.split_inclusive('\n').map(str::as_bytes));
            looks.other_format()
        };
        let log =
            "192.0.2.1 - - [17/Nov/2026] \"GET / HTTP/1.1\" 200 \"Mozilla (KHTML, like Gecko)\"\n";
        assert_eq!(other(&log.repeat(3), Quotes::Csv), Some("fields"));
        assert_eq!(other(log, Quotes::Csv), None, "one line");
        assert_eq!(other("a b\nc d\ne f\n", Quotes::None), Some("fields"));
        assert_eq!(other("a\tb c\nc\td\ne\tf\n", Quotes::Csv), Some("tsv"));
        for csv in [
            "Ann Doe,1\nBob Roe,2\nEve Poe,3\n",
            "\"Ann \"\"A\"\" Doe\",1\n\"x \"\"y\"\"\",2\n\"a \"\"b\"\"\",3\n",
            "ann\nbob\neve\n",
            "ann,1 2\nbob,3 4\neve,5 6\n",
        ] {
            assert_eq!(other(csv, Quotes::Csv), None, "{csv:?}");
        }
    }
}
