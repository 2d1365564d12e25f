//! What the keys of a list look like, by its first records, and whether its rows look like CSV.
//!
//! Wrong guesses cost a line on standard error and nothing else, but nobody reads a program that
//! cries wolf: a guess needs nearly all of the first records, but half are enough if they are
//! addresses, and one in fifty if nothing else is written so. Networks are not guessed: one among a
//! million names is found, since as text it silently matches none of its addresses.

use crate::block_list::{self, BlockList};
use crate::blocks::MARK;
use crate::columns::{self, COLUMNS, Columns, Second};
use crate::csv;
use crate::extract::{Extraction, Extractor};
use anther::recipe::{Column, Format, Given, KeyForm, KeyRule, Quotes, RuledKey};
use std::net::IpAddr;

/// How many records are looked at.
const SAMPLE: u32 = 200;

/// Endings of which every long list of domains has some, and a list of file names has few.
const COMMON: [&str; 16] = [
    "com", "net", "org", "info", "biz", "edu", "gov", "io", "de", "uk", "ru", "cn", "fr", "eu",
    "br", "example",
];

/// What a list may be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Hexadecimal digests.
    Digests,
    /// The same, each with its count behind a colon.
    CountedDigests,
    /// IP addresses, networks and ranges.
    Addresses,
    /// The first and the last address of ranges, in two columns.
    Ranges,
    /// Networks and their netmasks, in two columns.
    Netmasks,
    /// E-mail addresses.
    Emails,
    /// URLs.
    Urls,
    /// URLs without their scheme.
    BareUrls,
    /// Whole numbers.
    Numbers,
    /// A hosts file or rules of an ad blocker.
    BlockList,
    /// Rules of dnsmasq.
    Dnsmasq,
    /// Domains, one per line.
    Domains,
    /// Objects, one per line.
    JsonLines,
    /// Something in quotes.
    Quoted,
    /// JSON over several lines, and the options for it.
    Json(&'static str),
    /// Records with several columns.
    Columns(&'static Columns),
    /// Keys with white space around them.
    Padded,
}

impl Look {
    /// Those that a key alone has.
    const OF_KEYS: [Look; 14] = [
        Look::Digests,
        Look::CountedDigests,
        Look::Addresses,
        Look::Ranges,
        Look::Netmasks,
        Look::Emails,
        Look::Urls,
        Look::BareUrls,
        Look::Numbers,
        Look::BlockList,
        Look::Dnsmasq,
        Look::Domains,
        Look::JsonLines,
        Look::Quoted,
    ];

    /// What the keys look like and what is lost if they are text, and the options for them.
    pub fn advice(self) -> (&'static str, &'static str) {
        match self {
            Look::Digests => ("hexadecimal digests, and as text letter case matters", "--as hex"),
            Look::CountedDigests => (
                "hexadecimal digests with their counts, and as text the count is of the key",
                "--as hex --delimiter : --column 1",
            ),
            Look::Addresses => {
                ("IP addresses, and as text other spellings of an address are not found", "--as ip")
            }
            Look::Ranges => (
                "ranges of addresses in two columns, and as text match no address",
                "--as ip, and read what awk -F '[ \\t,;|]+' '{ print $1 \"-\" $2 }' FILE prints",
            ),
            Look::Netmasks => (
                "networks with their netmasks in two columns, and as text match no address",
                "--as ip, and read what awk -F '[ \\t,;|]+' '{ split($2, m, \".\"); n = 32; for (i in m) \
                 n -= log(256 - m[i]) / log(2); print $1 \"/\" n }' FILE prints",
            ),
            Look::Emails => ("e-mail addresses, and as text letter case matters", "--as email"),
            Look::Urls => ("URLs, and as text other spellings of a URL are not found", "--as url"),
            Look::BareUrls => (
                "URLs without https://, and as text other spellings of a URL are not found",
                "--as url, and read what sed 's|^|https://|' FILE prints",
            ),
            Look::Numbers => ("whole numbers, and as text 042 is not 42", "--as int"),
            Look::BlockList => (
                "a hosts file or rules of an ad blocker, and as text its lines are keys",
                "--as domain",
            ),
            Look::Dnsmasq => (
                "rules of dnsmasq, and as text its lines are keys",
                "--as domain --delimiter / --column 2",
            ),
            Look::Domains => {
                ("domains, and as text URLs and names below them are not found", "--as domain")
            }
            Look::JsonLines => ("lines of JSON, and are kept whole", "--format json --column NAME"),
            Look::Quoted => ("text in quotes, which are kept", "--format csv --column 1"),
            Look::Json(options) => ("JSON over several lines, and are kept as lines", options),
            Look::Columns(columns) => ("records of columns, and are kept whole", columns.options),
            Look::Padded => ("text with white space around it, which is kept", "--trim"),
        }
    }

    /// What to do about rows of CSV that look so.
    pub fn instead_of_csv(self) -> String {
        let of = match self {
            Look::Columns(columns) => format!("columns between {}", columns.name),
            _ => "JSON".to_string(),
        };
        format!("for {of}, use {}", self.advice().1.trim_end_matches(" --column 1"))
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
        if is_digest(key) {
            return Some(Look::Digests);
        }
        if let Some((digest, count)) = key.split_once(':')
            && is_digest(digest)
        {
            return takes(KeyForm::Int, count).then_some(Look::CountedDigests);
        }
        if takes(KeyForm::Int, key) {
            return Some(Look::Numbers);
        }
        let object = key.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        if object.is_some_and(|inner| inner.trim_start().starts_with('"')) {
            return Some(Look::JsonLines);
        }
        if key.len() > 2 && key.starts_with('"') && key.ends_with('"') && !key.contains("\",") {
            return Some(Look::Quoted);
        }
        if DNSMASQ.iter().any(|rule| key.starts_with(rule)) {
            return Some(Look::Dnsmasq);
        }
        if all(BlockList::Addresses, KeyForm::Ip) {
            return Some(Look::Addresses);
        }
        match columns::second_of(key.as_bytes()) {
            Some(Second::Last) => return Some(Look::Ranges),
            Some(Second::Netmask(_)) => return Some(Look::Netmasks),
            _ => {}
        }
        if key.contains("://") {
            return takes(KeyForm::Url, key).then_some(Look::Urls);
        }
        if let Some((local, name)) = key.rsplit_once('@') {
            let local = if local.is_empty() { "*" } else { local };
            let is_one = has_dot(name) && takes(KeyForm::Email, &format!("{local}@{name}"));
            return is_one.then_some(Look::Emails);
        }
        if let Some((host, _)) = key.split_once('/')
            && Look::of(host) == Some(Look::Domains)
        {
            return Some(Look::BareUrls);
        }
        if !all(BlockList::Domains, KeyForm::Domain) {
            return None;
        }
        let line = key.split('#').next().unwrap_or_default();
        if line.trim().contains([' ', '\t']) {
            // No host is named as an address is.
            let is_host = |name: &str| name.parse::<IpAddr>().is_err();
            return line.split_ascii_whitespace().skip(1).all(is_host).then_some(Look::BlockList);
        }
        let last = key.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
        let is_name = last.len() > 1 && last.bytes().any(|byte| byte.is_ascii_alphabetic());
        (has_dot(key) && is_name).then_some(Look::Domains)
    }
}

/// How rules of dnsmasq begin: `address=/ads.example/0.0.0.0`.
const DNSMASQ: [&str; 3] = ["address=/", "server=/", "local=/"];

/// Whether it is a digest in hexadecimal, of MD5 to SHA-512. One of digits alone is a number.
fn is_digest(key: &str) -> bool {
    matches!(key.len(), 32 | 40 | 56 | 64 | 96 | 128)
        && key.bytes().all(|byte| byte.is_ascii_hexdigit())
        && key.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether it is a rule of an ad blocker, and nothing else: `||x^`, `@@||x`, `x##.ad`.
fn is_rule(line: &str) -> bool {
    if line.starts_with("||") || line.starts_with("@@||") {
        return true;
    }
    let Some((names, selector)) = line.split_once("##") else { return false };
    let named = selector.strip_prefix(['.', '#', '[']).or((!names.is_empty()).then_some(selector));
    let is_selector = |name: &str| name.starts_with(|first: char| first.is_ascii_alphabetic());
    !names.contains([' ', '#']) && named.is_some_and(is_selector)
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
    /// How many keys looked like each of [`Look::OF_KEYS`], and how many hosts have a common
    /// ending.
    of: [u32; Look::OF_KEYS.len()],
    common: u32,
    /// How many numbers have another spelling: `042`. Where none has, text does as well.
    padded: u32,
    /// Whether the first line is that of a list of an ad blocker, or of JSON over several lines; and
    /// how many keys are rules of an ad blocker, or have white space around them.
    is_titled: bool,
    json: Option<&'static str>,
    rules: u32,
    spaced: u32,
    /// Of each of [`COLUMNS`], how many columns the first line has, and how many lines have as many.
    columns: [(usize, u32); COLUMNS.len()],
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
            if is_text
                && let Ok(Some(RuledKey::Bytes(key))) = keys.key(record)
                && let Ok(key) = str::from_utf8(key)
            {
                let key = key.trim_start_matches('\u{feff}');
                self.spaced += u32::from(!how.rule.trim && key.trim() != key);
                if how.place.format == Format::Lines {
                    self.see_line(key.trim());
                }
                self.see_key(key.trim());
            }
        }
    }

    fn see_line(&mut self, line: &str) {
        if self.keys == 0 {
            self.is_titled |= block_list::is_title(line);
            let is_array = ["[{", "[\"", "[["].iter().any(|start| line.starts_with(start));
            self.json = match line {
                "{" => Some("--format json --column NAME, and read what jq -c . FILE prints"),
                _ if is_array || line == "[" => {
                    Some("--format json --column NAME, and read what jq -c '.[]' FILE prints")
                }
                _ => self.json,
            };
        }
        self.rules += u32::from(is_rule(line));
        for (columns, (first, same)) in COLUMNS.iter().zip(&mut self.columns) {
            let number = match columns.delimiter {
                b':' | b' ' => None,
                _ => columns::number_of(columns, line.as_bytes()),
            };
            if self.keys == 0 {
                *first = number.unwrap_or_default();
            }
            *same += u32::from(number.is_some_and(|number| number == *first));
        }
    }

    fn see_key(&mut self, key: &str) {
        let is_comment = |list| block_list::keys_of(list, key).is_some_and(|keys| keys.is_empty());
        if is_comment(BlockList::Domains) || is_comment(BlockList::Addresses) {
            return;
        }
        self.keys += 1;
        let look = Look::of(key);
        for (one, number) in Look::OF_KEYS.iter().zip(&mut self.of) {
            *number += u32::from(Some(*one) == look);
        }
        let digits = key.trim_start_matches('-');
        let is_padded = digits.len() > 1 && digits.starts_with(['0', '+']);
        self.padded += u32::from(look == Some(Look::Numbers) && is_padded);
        let host = key.split('/').next().unwrap_or_default();
        let ending = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
        let is_common = COMMON.iter().any(|common| common.eq_ignore_ascii_case(ending));
        self.common += u32::from(matches!(look, Some(Look::Domains | Look::BareUrls)) && is_common);
    }

    /// What nearly all keys look like, be it one key, or, of addresses and rules of ad blockers,
    /// enough of them; and whether it is nearly all. Plain integers look like nothing: text such as
    /// `42` is the same key in a list and on the command line.
    pub fn look(&self) -> Option<(Look, bool)> {
        let is_most = |number: u32| number > 0 && number * 10 >= self.keys * 9;
        let is_half = |number: u32| number > 1 && number * 2 > self.keys;
        let mut of_keys = Look::OF_KEYS.into_iter().zip(self.of);
        if let Some((look, number)) = of_keys.clone().find(|(_, number)| is_most(*number)) {
            let is_sure = match look {
                Look::Domains | Look::BareUrls => self.common * 4 >= number,
                Look::Numbers => self.padded > 0,
                _ => true,
            };
            if is_sure {
                return Some((look, true));
            }
        }
        // Nothing else has such lines.
        if self.is_titled || self.rules > 0 && self.rules * 50 >= self.keys {
            return Some((Look::BlockList, is_most(self.rules)));
        }
        if let Some(options) = self.json {
            return Some((Look::Json(options), true));
        }
        let mut columns = COLUMNS.iter().zip(self.columns);
        if let Some((columns, _)) = columns.find(|(_, (_, same))| *same > 1 && is_most(*same)) {
            return Some((Look::Columns(columns), true));
        }
        if of_keys.any(|(look, number)| look == Look::Addresses && is_half(number)) {
            return Some((Look::Addresses, false));
        }
        is_half(self.spaced).then_some((Look::Padded, true))
    }
}

/// What the first rows of CSV look like, with a key or without.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowLooks {
    /// How many rows were looked at.
    seen: u32,
    /// How many of them look like objects, or like lines with each of [`COLUMNS`].
    objects: u32,
    whole: [u32; COLUMNS.len()],
}

impl RowLooks {
    /// Looks at the next rows of an input, if there were few.
    pub fn see<'r>(&mut self, how: &Extraction, rows: impl Iterator<Item = &'r [u8]>) {
        for row in rows.take((SAMPLE - self.seen) as usize) {
            self.seen += 1;
            self.see_row(how, row);
        }
    }

    fn see_row(&mut self, how: &Extraction, record: &[u8]) {
        let (Format::Delimited { delimiter, quotes, .. }, [Column::Number(number)]) =
            (how.place.format, &how.place.columns[..])
        else {
            return;
        };
        let (record, mut unquoted) = (how.without_end(record), Vec::new());
        let has_quotes = quotes != Quotes::None;
        let field = csv::field(record, delimiter, has_quotes, number.get() as usize, &mut unquoted);
        if record.starts_with(b"{\"") {
            self.objects += 1;
            return;
        }
        // In CSV a field with a quote is quoted. A log has some: "GET / HTTP/1.1".
        let is_odd = |field: &[u8]| {
            has_quotes && field.contains(&b'"') && !record.windows(2).any(|two| two == b"\"\"")
        };
        let is_csv = field.is_ok_and(|field| {
            field.len() != record.len() && !is_odd(field) && !columns::is_time(field, record)
        });
        if is_csv {
            return;
        }
        let has = |columns: &Columns| match columns.delimiter {
            b':' => false,
            b' ' => record.trim_ascii().contains(&b' '),
            byte => byte != delimiter && columns::number_of(columns, record).is_some(),
        };
        if let Some(at) = COLUMNS.iter().position(has) {
            self.whole[at] += 1;
        }
    }

    /// What rows look like that are read as CSV, and look like none: most of them.
    pub fn other_format(&self) -> Option<Look> {
        let is_most = |number: u32| number * 2 > self.seen;
        if is_most(self.objects) {
            return Some(Look::JsonLines);
        }
        let most = COLUMNS.iter().zip(self.whole).max_by_key(|(_, number)| *number);
        most.filter(|_| is_most(self.whole.iter().sum())).map(|(columns, _)| Look::Columns(columns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(list: &str) -> Option<Look> {
        let (how, mut looks) = (Extraction::default(), Looks::default());
        looks.see(&how, None, list.split_inclusive('\n').map(str::as_bytes));
        looks.look().map(|(look, _)| look)
    }

    #[test]
    fn lists_are_known_by_nearly_all_of_their_keys() {
        for (list, expected) in [
            ("# x\n192.0.2.1\n10.0.0.0/8\n2001:db8::1 ; SBL1\n", Some(Look::Addresses)),
            ("10.0.0.1-10.0.0.9\n10.0.1.1 - 10.0.1.9\n::1\n", Some(Look::Addresses)),
            ("# x\n10.0.0.0\t10.0.0.255\t24\n", Some(Look::Ranges)),
            ("10.0.0.1,10.0.0.9,a b\n::1|::9\n10.0.1.1  10.0.1.9\n", Some(Look::Ranges)),
            (
                "0.0.0.0 0.0.0.0\n0.0.0.0 a.example # 192.0.2.1\n0.0.0.0 b.example\n",
                Some(Look::BlockList),
            ),
            ("10.0.0.9 10.0.0.1\n", None),
            ("10.0.0.0 255.0.0.0\n192.0.2.1,255.255.255.255\n", Some(Look::Netmasks)),
            ("bob@example.org\n@spam.example\n*@bulk.example\n", Some(Look::Emails)),
            ("http://a.example/\nHTTPS://b.example\nftp://c/x\n", Some(Look::Urls)),
            ("www.site1.example/path\nb.de/?q\nc.shop/a/b\n", Some(Look::BareUrls)),
            ("src.d/main.rs\nnode.dir/a.js\n10.0.0.1/x\n", None),
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
            ("192.0.2.1\n192.0.2.2\nhost\n", Some(Look::Addresses)),
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
        assert_eq!(look(&list), Some(Look::Addresses), "86 %");
        list += &"x\n".repeat(16);
        assert_eq!(look(&list), None, "half");
        let list = "bob@example.org\n".repeat(8) + "x\ny\n";
        assert_eq!(look(&list), None, "80 %");
    }

    #[test]
    fn structured_lists_are_known() {
        let digest = "d41d8cd98f00b204e9800998ecf8427e";
        let columns = |at: usize| Some(Look::Columns(&COLUMNS[at]));
        for (list, expected) in [
            (format!("{digest}\n{}\n", digest.to_uppercase()), Some(Look::Digests)),
            (format!("{digest}:3\n"), Some(Look::CountedDigests)),
            (format!("{digest}:x\n{digest}:y\n"), None),
            (format!("{digest}0\n"), None),
            ("0".repeat(40) + "\n", Some(Look::Numbers)),
            ("address=/a.example/0.0.0.0\nlocal=/b.example/\n".into(), Some(Look::Dnsmasq)),
            ("user,n\nann,1\n\"x, y\",2\n".into(), columns(1)),
            ("user\tn\nann\t1\n".into(), columns(0)),
            ("ann;1\nbob;2\n".into(), columns(2)),
            ("ann|1\nbob|2\n".into(), columns(3)),
            ("bob@example.org,Bob\neve@example.org,Eve\n".into(), columns(1)),
            ("{\"a\":1}\n".into(), Some(Look::JsonLines)),
            ("\"ann\"\n\"bob\"\n".into(), Some(Look::Quoted)),
            ("ann \nbob\t\ncat\n".into(), Some(Look::Padded)),
            // One rule among fifty, or the title alone.
            ("/a\n-b-\n".repeat(24) + "||x.example^\n", Some(Look::BlockList)),
            ("[Adblock Plus 2.0]\n-b-\n".into(), Some(Look::BlockList)),
            ("-b-\nx.example##.ad\n".into(), Some(Look::BlockList)),
            // Sentences, headings, ragged lines.
            ("Doe, John\nRoe, Ann\n".into(), None),
            ("x; y\nz; w\n".into(), None),
            ("a,b\n".into(), None),
            ("a,b\nc\nd,e,f\n".into(), None),
            ("## todo\n##\n#### x\nant\n".into(), None),
            ("root:x:0\nbin:x:1\n".into(), None),
            (" ant\nbee\n".into(), None),
            ("\"ann\" and bob\n".into(), None),
        ] {
            assert_eq!(look(&list), expected, "{list:?}");
        }
        for (list, jq) in [
            ("{\n  \"a\": 1\n}\n", "jq -c . "),
            ("[\n  1\n]\n", "'.[]'"),
            ("[{\"a\":1}]\n", "'.[]'"),
        ] {
            assert!(
                matches!(look(list), Some(Look::Json(options)) if options.contains(jq)),
                "{list}"
            );
        }
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
                (Extraction { place, ..Extraction::default() }, RowLooks::default());
            looks.see(&how, list.split_inclusive('\n').map(str::as_bytes));
            match looks.other_format()? {
                Look::Columns(columns) => Some(columns.name),
                _ => Some("JSON"),
            }
        };
        let log =
            "192.0.2.1 - - [17/Nov/2026] \"GET / HTTP/1.1\" 200 \"Mozilla (KHTML, like Gecko)\"\n";
        assert_eq!(other(&log.repeat(3), Quotes::Csv), Some("blanks"));
        assert_eq!(other(log, Quotes::Csv), Some("blanks"), "one line");
        assert_eq!(other("a b\nc d\ne f\n", Quotes::None), Some("blanks"));
        assert_eq!(other("a\tb c\nc\td\ne\tf\n", Quotes::Csv), Some("tabs"));
        assert_eq!(other("a;1\n", Quotes::Csv), Some("semicolons"));
        assert_eq!(other("a b|1\nc|2\n", Quotes::Csv), Some("bars"));
        assert_eq!(other("Mozilla/5.0 (X11; U; Linux) x\n", Quotes::Csv), Some("blanks"));
        assert_eq!(other("{\"user\":\"a\",\"n\":1}\n", Quotes::Csv), Some("JSON"));
        let times = "2026-11-17 08:30:00,123 INFO x\n2026-11-17 08:30:00,124 INFO y\n";
        assert_eq!(other(times, Quotes::Csv), Some("blanks"));
        for csv in [
            "Ann Doe,1\nBob Roe,2\nEve Poe,3\n",
            "\"Ann \"\"A\"\" Doe\",1\n\"x \"\"y\"\"\",2\n\"a \"\"b\"\"\",3\n",
            "ann\nbob\neve\n",
            "ann,1 2\nbob,3 4\neve,5 6\n",
            "08:30:00,123\n",
            "x;y,1\n",
        ] {
            assert_eq!(other(csv, Quotes::Csv), None, "{csv:?}");
        }
    }
}
