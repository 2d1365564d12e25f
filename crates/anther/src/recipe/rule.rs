//! What the key is: the rule that makes one key of its spellings.

use crate::error::KeyError;
use crate::parts::hash::{Given, Key, KeyHash, Seed, begin_tuple, unframe};
use std::fmt;

/// What the key is. The default: text as it is.
///
/// Every key of a filter goes through its rule, when it is inserted and when it is looked up.
/// White space and letters are those of ASCII: Unicode's definitions change between its releases,
/// and files must not.
///
/// ```
/// use anther::recipe::{KeyForm, KeyRule};
/// use anther::{Key, Seed};
///
/// let rule = KeyRule { form: KeyForm::Int, ..KeyRule::default() };
/// assert_eq!(rule.key_hash("0042", &Seed::FIXED)?, 42u64.key_hash(&Seed::FIXED));
/// assert_eq!(rule.key_hash(42u8, &Seed::FIXED)?, 42u64.key_hash(&Seed::FIXED));
/// assert!(rule.key_hash("forty-two", &Seed::FIXED).is_err());
///
/// let text = KeyRule::default();
/// assert!(text.key_hash(42u8, &Seed::FIXED).is_err(), "an integer is no text");
/// # Ok::<(), anther::error::KeyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRule {
    /// What the key is a spelling of.
    pub form: KeyForm,
    /// Whether white space around the key is dropped.
    pub trim: bool,
    /// Whether A to Z become a to z.
    pub ignore_case: bool,
    /// The number of parts of a key: more than 1 for tuples, such as keys of several columns.
    pub parts: u8,
}

impl Default for KeyRule {
    fn default() -> KeyRule {
        KeyRule { form: KeyForm::Text, trim: false, ignore_case: false, parts: 1 }
    }
}

/// What a key is a spelling of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyForm {
    /// Itself: bytes as they are.
    #[default]
    Text = 0,
    /// Bytes in hexadecimal: `CAFE` and `cafe` are the same two bytes.
    Hex,
    /// A whole number: `42`, `042` and `+42` are the integer 42.
    Int,
    /// A domain name in ASCII: letter case and a final dot make no difference.
    Domain,
    /// An e-mail address: letter case and a final dot make no difference.
    Email,
    /// A URL, normalised by RFC 3986, section 6.2.2 and 6.2.3, without its fragment.
    Url,
}

impl KeyForm {
    /// All of them.
    pub const ALL: [KeyForm; 6] =
        [KeyForm::Text, KeyForm::Hex, KeyForm::Int, KeyForm::Domain, KeyForm::Email, KeyForm::Url];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            KeyForm::Text => "text",
            KeyForm::Hex => "hex",
            KeyForm::Int => "int",
            KeyForm::Domain => "domain",
            KeyForm::Email => "email",
            KeyForm::Url => "url",
        }
    }
}

/// A key after its rule: what is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuledKey<'a> {
    /// Bytes.
    Bytes(&'a [u8]),
    /// An integer, as a 64-bit word.
    Integer(u64),
    /// A tuple, as its [frame](Key::frame).
    Tuple(&'a [u8]),
}

impl Key for RuledKey<'_> {
    #[inline]
    fn key_hash(&self, seed: &Seed) -> KeyHash {
        match self {
            RuledKey::Bytes(bytes) => seed.hash_bytes(bytes),
            RuledKey::Integer(word) => seed.hash_integer(*word),
            RuledKey::Tuple(frame) => seed.hash_frame(frame),
        }
    }

    fn frame(&self, out: &mut Vec<u8>) {
        match self {
            RuledKey::Bytes(bytes) => bytes.frame(out),
            RuledKey::Integer(word) => word.frame(out),
            RuledKey::Tuple(frame) => out.extend_from_slice(frame),
        }
    }
}

impl KeyRule {
    /// Whether a text is its own key.
    pub fn is_plain(&self) -> bool {
        *self == KeyRule::default()
    }

    /// Whether another rule makes the same keys. Hexadecimal text, say, has neither letter case nor
    /// white space, so dropping them changes which spellings are taken, and no key.
    pub fn makes_same_keys(&self, other: &KeyRule) -> bool {
        let identity = |rule: &KeyRule| KeyRule {
            trim: rule.trim && rule.form == KeyForm::Text,
            ignore_case: rule.ignore_case && matches!(rule.form, KeyForm::Text | KeyForm::Url),
            ..*rule
        };
        identity(self) == identity(other)
    }

    /// The key, or the part of a key, that was given. `made` holds it if it differs from the text.
    #[inline]
    pub fn apply<'a>(
        &self,
        given: Given<'a>,
        made: &'a mut Vec<u8>,
    ) -> Result<RuledKey<'a>, KeyError> {
        match given {
            Given::Text(text) => self.apply_text(text, made),
            Given::Bytes(bytes) => match self.form {
                KeyForm::Hex => Ok(RuledKey::Bytes(bytes)),
                KeyForm::Text => self.apply_text(bytes, made),
                form => Err(KeyError::Type { form: form.name(), given: "bytes" }),
            },
            Given::Integer(number) => match self.form {
                KeyForm::Int => Ok(integer(number, made)),
                form => Err(KeyError::Type { form: form.name(), given: "an integer" }),
            },
        }
    }

    #[inline]
    fn apply_text<'a>(
        &self,
        text: &'a [u8],
        made: &'a mut Vec<u8>,
    ) -> Result<RuledKey<'a>, KeyError> {
        let text = if self.trim { text.trim_ascii() } else { text };
        made.clear();
        match self.form {
            KeyForm::Text => {
                if self.ignore_case && text.iter().any(u8::is_ascii_uppercase) {
                    lower(text, made);
                    return Ok(RuledKey::Bytes(made));
                }
                return Ok(RuledKey::Bytes(text));
            }
            KeyForm::Hex => hex(text, made)?,
            KeyForm::Int => return parse_integer(text, made),
            KeyForm::Domain => domain(text, made)?,
            KeyForm::Email => email(text, made)?,
            KeyForm::Url => {
                url(text, made)?;
                if self.ignore_case {
                    made.make_ascii_lowercase();
                }
            }
        }
        Ok(RuledKey::Bytes(made))
    }

    /// The key of these parts. `made` holds it if it differs from the text.
    pub fn key<'a>(
        &self,
        given: &[Given<'a>],
        made: &'a mut Vec<u8>,
    ) -> Result<RuledKey<'a>, KeyError> {
        match given {
            [one] if self.parts == 1 => self.apply(*one, made),
            parts if parts.len() == usize::from(self.parts) => {
                begin_tuple(made, self.parts);
                let mut part_made = Vec::new();
                for part in parts {
                    self.apply(*part, &mut part_made)?.frame(made);
                }
                Ok(RuledKey::Tuple(made))
            }
            parts => Err(KeyError::Parts { expected: self.parts, got: parts.len() }),
        }
    }

    /// The hash of a key of any type: the rule is applied, or the type is refused.
    ///
    /// # Panics
    /// When the seed [cannot hash](Seed::can_hash).
    pub fn key_hash(&self, key: impl Key, seed: &Seed) -> Result<KeyHash, KeyError> {
        if let Some(given) = key.given() {
            return Ok(self.key(&[given], &mut Vec::new())?.key_hash(seed));
        }
        let mut frame = Vec::with_capacity(64);
        key.frame(&mut frame);
        let given = unframe(&frame).ok_or(KeyError::Opaque)?;
        Ok(self.key(&given, &mut Vec::new())?.key_hash(seed))
    }
}

impl fmt::Display for KeyRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match self.form {
            KeyForm::Text => "text",
            KeyForm::Hex => "hex decoded",
            KeyForm::Int => "integers",
            KeyForm::Domain => "domains",
            KeyForm::Email => "e-mail addresses",
            KeyForm::Url => "URLs",
        };
        let parts = format!("{} parts", self.parts);
        let words = [
            (self.trim, "trimmed"),
            (self.ignore_case, "case folded"),
            (self.form != KeyForm::Text, form),
            (self.parts > 1, &parts),
        ];
        let words: Vec<_> = words.into_iter().filter(|(on, _)| *on).map(|(_, word)| word).collect();
        f.write_str(if words.is_empty() { form } else { "" })?;
        f.write_str(&words.join(", "))
    }
}

fn lower(text: &[u8], out: &mut Vec<u8>) {
    out.extend(text.iter().map(u8::to_ascii_lowercase));
}

/// Upper or lower case, so case folding changes nothing.
fn hex(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    let (pairs, []) = text.as_chunks::<2>() else { return Err(KeyError::Hex) };
    for [high, low] in pairs {
        match (hex_digit(*high), hex_digit(*low)) {
            (Some(high), Some(low)) => out.push(high << 4 | low),
            _ => return Err(KeyError::Hex),
        }
    }
    Ok(())
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// 64 bits hash as a word, signed or unsigned; wider numbers as their 16 bytes.
fn integer(number: i128, made: &mut Vec<u8>) -> RuledKey<'_> {
    #[expect(clippy::cast_sign_loss, reason = "the two's complement is meant")]
    match (u64::try_from(number), i64::try_from(number)) {
        (Ok(word), _) => RuledKey::Integer(word),
        (_, Ok(negative)) => RuledKey::Integer(negative as u64),
        _ => {
            made.clear();
            made.extend(number.to_le_bytes());
            RuledKey::Bytes(made)
        }
    }
}

fn parse_integer<'a>(text: &[u8], made: &'a mut Vec<u8>) -> Result<RuledKey<'a>, KeyError> {
    let number = str::from_utf8(text).ok().filter(|text| !text.is_empty());
    let number = number.ok_or(KeyError::Int)?;
    match number.parse() {
        Ok(number) => Ok(integer(number, made)),
        Err(_) if is_integer(text) => Err(KeyError::WideInt),
        Err(_) => Err(KeyError::Int),
    }
}

fn is_integer(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// Appends a domain name in lower case, without its final dot.
fn domain(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    let name = text.strip_suffix(b".").unwrap_or(text);
    if !name.is_ascii() {
        return Err(KeyError::Unicode);
    }
    let is_label = |label: &[u8]| {
        let fits = (1..=63).contains(&label.len());
        fits && label.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    if name.len() > 253 || !name.split(|byte| *byte == b'.').all(is_label) {
        return Err(KeyError::Domain);
    }
    lower(name, out);
    Ok(())
}

/// Appends an e-mail address. The part before the @ is folded, too: servers that tell letter case
/// apart are rarer than lists that do not keep it, and a missed address is worse than a false
/// positive.
fn email(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    let at = text.iter().rposition(|byte| *byte == b'@').ok_or(KeyError::Email)?;
    let (local, host) = (&text[..at], &text[at + 1..]);
    // As in RFC 5322: `mailto:bob@x.org`, `<bob@x.org>` or two addresses are no address.
    let is_special = |byte: &u8| byte.is_ascii_control() || b" \"(),:;<>@[\\]".contains(byte);
    let is_local = match local {
        [b'"', quoted @ .., b'"'] => !quoted.iter().any(u8::is_ascii_control),
        local => !local.is_empty() && !local.iter().any(is_special),
    };
    if !is_local {
        return Err(KeyError::Email);
    }
    lower(local, out);
    out.push(b'@');
    domain(host, out).map_err(|error| match error {
        KeyError::Domain => KeyError::Email,
        other => other,
    })
}

/// Appends a URL: scheme and host in lower case, no default port, no fragment, no dot segments, a
/// path of at least `/`, percent-encoding in upper case and only where it is needed.
///
/// By hand and not by the crate `url`: that one follows a living standard and Unicode's tables, and
/// the key of a URL must be the same in every release.
fn url(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    if text.iter().any(|byte| byte.is_ascii_control() || *byte == b' ') {
        return Err(KeyError::Url);
    }
    let text = text.split(|byte| *byte == b'#').next().unwrap_or(text);
    let scheme = text.iter().position(|byte| *byte == b':').ok_or(KeyError::Url)?;
    let (scheme, rest) = (&text[..scheme], &text[scheme + 1..]);
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    if !scheme.first().is_some_and(u8::is_ascii_alphabetic) || !scheme.iter().all(is_scheme) {
        return Err(KeyError::Url);
    }
    let rest = rest.strip_prefix(b"//").ok_or(KeyError::Url)?;
    lower(scheme, out);
    let default_port = match &out[..] {
        b"http" | b"ws" => Some(80),
        b"https" | b"wss" => Some(443),
        b"ftp" => Some(21),
        _ => None,
    };
    out.extend(b"://");

    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let at = authority.iter().rposition(|byte| *byte == b'@').map_or(0, |at| at + 1);
    let (user, host) = authority.split_at(at);
    // An IPv6 address has colons, too, but in brackets.
    let bracket = host.iter().rposition(|byte| *byte == b']').unwrap_or(0);
    let colon = host[bracket..].iter().position(|byte| *byte == b':').map(|at| bracket + at);
    let (host, port) = match colon {
        Some(at) => (&host[..at], &host[at + 1..]),
        None => (host, &b""[..]),
    };
    let is_file = out == b"file://";
    escape(user, out);
    match host {
        [] if is_file => {}
        [b'[', address @ .., b']'] if address.iter().all(is_address) => lower(host, out),
        name => domain(name, out).map_err(|error| match error {
            KeyError::Domain => KeyError::Url,
            other => other,
        })?,
    }
    match port {
        [] => {}
        // Not by `parse` alone, which takes a sign.
        [b'0'..=b'9', ..] => {
            let port = str::from_utf8(port).ok().and_then(|port| port.parse::<u16>().ok());
            let port = port.ok_or(KeyError::Url)?;
            if Some(port) != default_port {
                out.push(b':');
                out.extend(port.to_string().as_bytes());
            }
        }
        _ => return Err(KeyError::Url),
    }

    let end = rest.iter().position(|byte| *byte == b'?').unwrap_or(rest.len());
    let (path, query) = rest.split_at(end);
    let start = out.len();
    let mut escaped = Vec::with_capacity(path.len());
    escape(path, &mut escaped);
    for segment in escaped.split(|byte| *byte == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." => {
                let parent = out[start..].iter().rposition(|byte| *byte == b'/');
                out.truncate(start + parent.unwrap_or(0));
            }
            segment => {
                out.push(b'/');
                out.extend(segment);
            }
        }
    }
    // A dot segment at the end names a folder.
    let last = escaped.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    if out.len() == start || matches!(last, b"." | b"..") {
        out.push(b'/');
    }
    escape(query, out);
    Ok(())
}

/// A byte of an IPv6 address in brackets.
fn is_address(byte: &u8) -> bool {
    byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.')
}

/// Appends percent-encoded text: in upper case, decoded where the character needs no encoding, and
/// encoded where a URL cannot have it, as with bytes beyond ASCII and a percent sign alone.
fn escape(text: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let encode = |byte: u8, out: &mut Vec<u8>| {
        out.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    };
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let encoded = match (first, after) {
            (b'%', [high, low, ..]) => hex_digit(*high).zip(hex_digit(*low)),
            _ => None,
        };
        match encoded {
            Some((high, low)) => {
                rest = &after[2..];
                match high << 4 | low {
                    byte if is_unreserved(byte) => out.push(byte),
                    byte => encode(byte, out),
                }
            }
            None if !first.is_ascii() || b"\"%<>\\^`{|}".contains(first) => encode(*first, out),
            None => out.push(*first),
        }
    }
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::hash::mix;

    fn rule(form: KeyForm) -> KeyRule {
        KeyRule { form, ..KeyRule::default() }
    }

    fn key(rule: KeyRule, text: &str) -> Result<String, KeyError> {
        let mut made = Vec::new();
        match rule.apply(Given::Text(text.as_bytes()), &mut made)? {
            RuledKey::Bytes(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
            RuledKey::Integer(word) => Ok(word.to_string()),
            RuledKey::Tuple(_) => unreachable!("one part"),
        }
    }

    #[test]
    fn spellings_of_one_key() {
        let folded = KeyRule { trim: true, ignore_case: true, ..KeyRule::default() };
        assert_eq!(key(folded, "  AbCÄ \t").unwrap(), "abcÄ");
        assert_eq!(key(rule(KeyForm::Text), " A ").unwrap(), " A ");
        assert_eq!(key(rule(KeyForm::Hex), "6162").unwrap(), "ab");
        for bad in ["0", "0g", " 00", "+1"] {
            assert_eq!(key(rule(KeyForm::Hex), bad), Err(KeyError::Hex), "{bad:?}");
        }
        for (text, word) in [("42", 42), ("0042", 42), ("+42", 42), ("-0", 0), ("-1", u64::MAX)] {
            assert_eq!(key(rule(KeyForm::Int), text).unwrap(), word.to_string(), "{text}");
        }
        for bad in ["", " 1", "1.0", "1e3", "0x1", "+", "1_000"] {
            assert_eq!(key(rule(KeyForm::Int), bad), Err(KeyError::Int), "{bad:?}");
        }
        assert_eq!(key(rule(KeyForm::Int), &"9".repeat(40)), Err(KeyError::WideInt));
        for (text, name) in
            [("Example.ORG.", "example.org"), ("a_b.x-1", "a_b.x-1"), ("1.2.3.4", "1.2.3.4")]
        {
            assert_eq!(key(rule(KeyForm::Domain), text).unwrap(), name);
        }
        for bad in ["", ".", "a..b", "a b", "a/b", &"x".repeat(64), "[::1]"] {
            assert_eq!(key(rule(KeyForm::Domain), bad), Err(KeyError::Domain), "{bad:?}");
        }
        assert_eq!(key(rule(KeyForm::Domain), "münchen.de"), Err(KeyError::Unicode));
        assert_eq!(key(rule(KeyForm::Email), "Bob+X@Example.org.").unwrap(), "bob+x@example.org");
        assert_eq!(key(rule(KeyForm::Email), "\"a@b\"@x.org").unwrap(), "\"a@b\"@x.org");
        for bad in [
            "bob",
            "@x.org",
            "bob@",
            "Bob <bob@x.org>",
            "bob @x.org",
            "bob@x..org",
            "mailto:bob@x.org",
            "a@x.org,b@x.org",
            "a@b@x.org",
            "\"@x.org",
        ] {
            assert_eq!(key(rule(KeyForm::Email), bad), Err(KeyError::Email), "{bad:?}");
        }
    }

    /// The examples of RFC 3986, sections 6.2.2 and 5.2.4, among them.
    #[test]
    fn urls_are_normalised() {
        for (text, normal) in [
            ("HTTP://Example.COM", "http://example.com/"),
            ("http://example.com:80/", "http://example.com/"),
            ("https://example.com:80/", "https://example.com:80/"),
            ("https://example.com:443?q", "https://example.com/?q"),
            ("http://example.com:/", "http://example.com/"),
            ("http://a/b/c/./../../g", "http://a/g"),
            ("http://a/mid/content=5/../6", "http://a/mid/6"),
            ("http://a/b/..", "http://a/"),
            ("http://a/../../b/.", "http://a/b/"),
            ("http://a//b/", "http://a//b/"),
            ("http://a/%7Euser/%c3%a4%2f", "http://a/~user/%C3%A4%2F"),
            ("http://a/ä?ö=%41#top", "http://a/%C3%A4?%C3%B6=A"),
            ("http://u:P@Host/", "http://u:P@host/"),
            ("http://[::1]:80/x", "http://[::1]/x"),
            ("file:///etc/hosts", "file:///etc/hosts"),
            ("http://a/100%", "http://a/100%25"),
            ("http://a/%%34%31", "http://a/%2541"),
            ("http://a/{x}?q=\"|\"", "http://a/%7Bx%7D?q=%22%7C%22"),
            ("http://a:0080/", "http://a/"),
            ("http://a:08080", "http://a:8080/"),
            ("http://A.:80/", "http://a/"),
            ("gopher://a:70/", "gopher://a:70/"),
        ] {
            let once = key(rule(KeyForm::Url), text).unwrap();
            assert_eq!(once, normal, "{text}");
            assert_eq!(key(rule(KeyForm::Url), &once).unwrap(), normal, "again");
        }
        for bad in [
            "",
            "example.org/x",
            "http:",
            "http:///x",
            "//a/b",
            "http://a:x/",
            "1://a/",
            "http://a b/",
            "http://./",
            "http://a..b/",
            "http://a:65536/",
            "http://a:+80/",
            "http://a%41/",
            "http://[::1/",
            "http://[::1]x/",
            "http://u@/",
        ] {
            assert_eq!(key(rule(KeyForm::Url), bad), Err(KeyError::Url), "{bad:?}");
        }
    }

    #[test]
    fn a_type_is_refused_or_the_same_key() {
        let seed = Seed::chosen(7);
        let int = rule(KeyForm::Int);
        assert_eq!(int.key_hash("42", &seed), Ok(42u64.key_hash(&seed)));
        assert_eq!(int.key_hash(-7i8, &seed), Ok((-7i64).key_hash(&seed)));
        assert_eq!(int.key_hash("-7", &seed), Ok((-7i64).key_hash(&seed)));
        let wide = "18446744073709551616";
        assert_eq!(int.key_hash(wide, &seed), Ok((1u128 << 64).key_hash(&seed)));
        assert!(matches!(int.key_hash(("1", "2"), &seed), Err(KeyError::Parts { got: 2, .. })));
        assert_eq!(
            KeyRule::default().key_hash(42u8, &seed),
            Err(KeyError::Type { form: "text", given: "an integer" })
        );
        assert_eq!(KeyRule::default().key_hash("42", &seed), Ok("42".key_hash(&seed)));

        let pair = KeyRule { parts: 2, ignore_case: true, ..KeyRule::default() };
        assert_eq!(pair.key_hash(("A", "bc"), &seed), Ok(("a", "bc").key_hash(&seed)));
        let hash = |given: &[Given<'_>]| pair.key(given, &mut Vec::new()).unwrap().key_hash(&seed);
        let given = [Given::Text(b"a"), Given::Text(b"BC")];
        assert_eq!(hash(&given), ("a", "bc").key_hash(&seed));
        assert_ne!(Ok(hash(&given)), pair.key_hash(("ab", "c"), &seed));
        assert_eq!(pair.key_hash("a", &seed), Err(KeyError::Parts { expected: 2, got: 1 }));
        assert!(pair.key_hash((("a", "b"), "c"), &seed).is_err(), "tuples do not nest");
        assert_eq!(
            int.apply(Given::Bytes(b"42"), &mut Vec::new()),
            Err(KeyError::Type { form: "int", given: "bytes" })
        );
        assert_eq!(
            rule(KeyForm::Hex).apply(Given::Bytes(b"zz"), &mut Vec::new()),
            Ok(RuledKey::Bytes(b"zz"))
        );
    }

    /// Pseudorandom numbers from a fixed seed.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            usize::try_from(mix(self.0) >> 33).unwrap() % end
        }

        /// Up to 30 of these, one after the other.
        fn pieces(&mut self, pieces: &[&[u8]]) -> Vec<u8> {
            let count = self.below(30);
            (0..count).flat_map(|_| pieces[self.below(pieces.len())].to_vec()).collect()
        }
    }

    fn every_rule() -> impl Iterator<Item = KeyRule> {
        let flags = [(false, false), (false, true), (true, false), (true, true)];
        KeyForm::ALL.into_iter().flat_map(move |form| {
            flags.map(|(trim, ignore_case)| KeyRule { form, trim, ignore_case, parts: 1 })
        })
    }

    /// Random input, of bytes and of what means something to some form: no panic, and the key of a
    /// key is that key. Returns how many were keys.
    fn normal_forms_stay(rule: KeyRule, texts: impl Iterator<Item = Vec<u8>>) -> usize {
        let mut taken = 0;
        for text in texts {
            let (mut made, mut again) = (Vec::new(), Vec::new());
            let Ok(key) = rule.apply(Given::Text(&text), &mut made) else { continue };
            taken += 1;
            let once = match key {
                RuledKey::Bytes(bytes) if matches!(rule.form, KeyForm::Int) => {
                    i128::from_le_bytes(bytes.try_into().unwrap()).to_string().into_bytes()
                }
                RuledKey::Bytes(bytes) => bytes.to_vec(),
                RuledKey::Integer(word) => word.to_string().into_bytes(),
                RuledKey::Tuple(_) => unreachable!("one part"),
            };
            if rule.form == KeyForm::Hex {
                let given = rule.apply(Given::Bytes(&once), &mut again);
                assert_eq!(given, Ok(RuledKey::Bytes(&once)), "bytes are what digits stand for");
                continue;
            }
            let twice = rule.apply(Given::Text(&once), &mut again);
            assert_eq!(twice, Ok(key), "{rule:?}: {:?}", String::from_utf8_lossy(&text));
        }
        taken
    }

    #[test]
    fn the_key_of_a_key_is_that_key() {
        let bytes: Vec<_> = (0..=255).map(|byte| [byte]).collect();
        let bytes: Vec<_> = bytes.iter().map(|byte| &byte[..]).collect();
        let digits: [&[u8]; 9] = [b"0", b"1", b"9", b"7", b"+", b"-", b" ", b"a", b"F"];
        let names: [&[u8]; 14] = [
            b"a",
            b"B",
            b"example",
            b"ORG",
            b".",
            b".",
            b"-",
            b"_",
            b"@",
            b"\"",
            b" ",
            b"1",
            b"\xC3\xA4",
            b"+",
        ];
        let urls: [&[u8]; 32] = [
            b"a",
            b"Ex.ORG",
            b"/",
            b"/",
            b"/",
            b".",
            b"..",
            b"/../",
            b"/./",
            b"%2e",
            b"%2E",
            b"%2f",
            b"%",
            b"%4",
            b"%%34%31",
            b"%c3",
            b"%7e",
            b"@",
            b":",
            b":80",
            b":0443",
            b"[::1]",
            b"[",
            b"]",
            b"?",
            b"#",
            b"\xC3\xA4",
            b"{",
            b"\\",
            b"\"",
            b" ",
            b"~",
        ];
        let schemes: [&[u8]; 5] = [b"", b"http://", b"HTTPS://a", b"file://", b"x+1://u@h"];
        let mut random = Random(1);
        for rule in every_rule() {
            for pieces in [&bytes[..], &digits, &names] {
                let texts: Vec<_> = (0..2000).map(|_| random.pieces(pieces)).collect();
                normal_forms_stay(rule, texts.into_iter());
            }
            let mut text = || [schemes[random.below(5)], &random.pieces(&urls)].concat();
            let texts: Vec<_> = (0..5000).map(|_| text()).collect();
            let taken = normal_forms_stay(rule, texts.into_iter());
            assert!(taken > 500 || rule.form != KeyForm::Url, "{taken} are URLs");
        }
        // Few of the random ones are domains, addresses or long numbers.
        for (form, pieces) in [
            (KeyForm::Domain, &[&b"a"[..], b"B-1", b".", b"x_"][..]),
            (KeyForm::Email, &[&b"a"[..], b"B.c", b"@x.", b"\"", b"\xC3\xA4"]),
            (KeyForm::Int, &digits[..4]),
            (KeyForm::Hex, &[&b"0a"[..], b"FF", b"9"]),
        ] {
            let texts: Vec<_> = (0..5000).map(|_| random.pieces(pieces)).collect();
            let taken = normal_forms_stay(rule(form), texts.into_iter());
            assert!(taken > 100, "{form:?}: {taken}");
        }
    }

    /// The same number as text, as any type that holds it, and alone or in a tuple.
    #[test]
    fn numbers_are_the_same_key_in_every_type() {
        let int = rule(KeyForm::Int);
        let pair = KeyRule { parts: 2, ..int };
        let mut random = Random(2);
        let mut numbers: Vec<i128> = (0..128)
            .flat_map(|bit| {
                let power = 1i128.checked_shl(bit).unwrap_or(0);
                [power, power.wrapping_sub(1), power.wrapping_neg(), (!power).wrapping_add(0)]
            })
            .collect();
        numbers.extend((0..500).map(|_| {
            let wide = (0..5).fold(0i128, |number, _| number << 31 | random.below(1 << 31) as i128);
            wide >> random.below(128)
        }));
        for seed in [Seed::FIXED, Seed::chosen(7), Seed::keyed([9; 16])] {
            for number in &numbers {
                let hash = int.key_hash(number, &seed).unwrap();
                let expected = match (u64::try_from(*number), i64::try_from(*number)) {
                    (Ok(word), _) => word.key_hash(&seed),
                    (_, Ok(word)) => word.key_hash(&seed),
                    _ => number.key_hash(&seed),
                };
                assert_eq!(hash, expected, "{number}");
                let sign = if *number < 0 { "-" } else { "+" };
                let zeros = format!("{sign}00{}", number.unsigned_abs());
                for text in [number.to_string(), zeros] {
                    assert_eq!(int.key_hash(&text, &seed), Ok(hash), "{text}");
                    let given = [Given::Text(text.as_bytes()), Given::Integer(*number)];
                    let mut made = Vec::new();
                    let tuple = pair.key(&given, &mut made).unwrap().key_hash(&seed);
                    if let Ok(word) = i64::try_from(*number) {
                        assert_eq!(tuple, (word, word).key_hash(&seed), "{number}");
                        assert_eq!(Ok(tuple), pair.key_hash((&text, word), &seed), "{number}");
                    }
                }
                if let Ok(number) = u128::try_from(*number) {
                    assert_eq!(int.key_hash(number, &seed), Ok(hash));
                }
                if let Ok(number) = i8::try_from(*number) {
                    assert_eq!(int.key_hash(number, &seed), Ok(hash));
                }
            }
            // Sixteen bytes that are digits as text, and a number all the same.
            let digits = i128::from_le_bytes(*b"1234567890123456");
            assert_eq!(int.key_hash(digits, &seed), Ok(digits.key_hash(&seed)));
            assert!(int.key_hash(u128::MAX, &seed).is_err(), "beyond the range, and refused");
        }
        assert_eq!(key(int, &i128::MAX.to_string()).map(|key| key.is_empty()), Ok(false));
        assert_eq!(key(int, &u128::MAX.to_string()), Err(KeyError::WideInt));
    }

    /// A frame comes from an implementation of [`Key`], which may be anyone's.
    #[test]
    fn any_frame_is_parts_or_refused() {
        struct Framing(Vec<u8>);
        impl Key for Framing {
            fn key_hash(&self, seed: &Seed) -> KeyHash {
                seed.hash_frame(&self.0)
            }
            fn frame(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.0);
            }
        }
        let mut random = Random(3);
        let pieces: [&[u8]; 6] = [b"\0", b"\x01", b"\x02", b"\x03", b"\xFF", b"\x02\0\0\0\0\0\0\0"];
        for parts in 0..4 {
            let rule = KeyRule { parts, ..KeyRule::default() };
            for _ in 0..5000 {
                let _ = rule.key_hash(Framing(random.pieces(&pieces)), &Seed::FIXED);
            }
        }
    }
}
