//! What the key is: the rule that makes one key of its spellings.

use crate::error::KeyError;
use crate::parts::hash::{Framed, Key, KeyHash, Seed, begin_tuple, unframe};
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

/// A key as it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given<'a> {
    /// Text, such as a line, a field or an argument.
    Text(&'a [u8]),
    /// Bytes that are no text, such as a binary record: what hexadecimal text stands for.
    Bytes(&'a [u8]),
    /// An integer.
    Integer(i128),
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
        let mut frame = Vec::with_capacity(64);
        key.frame(&mut frame);
        let parts = unframe(&frame).ok_or(KeyError::Opaque)?;
        let given = parts.into_iter().map(|part| match part {
            Framed::Bytes(bytes) => Given::Text(bytes),
            Framed::Integer(word) => Given::Integer(word.into()),
        });
        let given: Vec<_> = given.collect();
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
    let is_special = |byte: &u8| byte.is_ascii_control() || matches!(byte, b' ' | b'<' | b'>');
    if local.is_empty() || local.iter().any(is_special) {
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
    let wrong = KeyError::Url;
    if text.iter().any(|byte| byte.is_ascii_control() || *byte == b' ') {
        return Err(wrong);
    }
    let text = text.split(|byte| *byte == b'#').next().unwrap_or(text);
    let scheme = text.iter().position(|byte| *byte == b':').ok_or(wrong)?;
    let (scheme, rest) = (&text[..scheme], &text[scheme + 1..]);
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    if !scheme.first().is_some_and(u8::is_ascii_alphabetic) || !scheme.iter().all(is_scheme) {
        return Err(KeyError::Url);
    }
    let rest = rest.strip_prefix(b"//").ok_or(KeyError::Url)?;
    lower(scheme, out);
    let default_port = match &out[..] {
        b"http" | b"ws" => &b"80"[..],
        b"https" | b"wss" => b"443",
        b"ftp" => b"21",
        _ => b"",
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
    if !host.is_ascii() {
        return Err(KeyError::Unicode);
    }
    if host.is_empty() && out != b"file://" || !port.iter().all(u8::is_ascii_digit) {
        return Err(KeyError::Url);
    }
    escape(user, out);
    lower(host.strip_suffix(b".").unwrap_or(host), out);
    if !port.is_empty() && port != default_port {
        out.push(b':');
        out.extend(port);
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

/// Appends percent-encoded text: in upper case, decoded where the character needs no encoding, and
/// with bytes beyond ASCII encoded.
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
            None if first.is_ascii() => out.push(*first),
            None => encode(*first, out),
        }
    }
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for bad in ["bob", "@x.org", "bob@", "Bob <bob@x.org>", "bob @x.org", "bob@x..org"] {
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
            ("http://a/100%", "http://a/100%"),
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
}
