//! What the key is: the rule that makes one key of its spellings.

#[cfg(test)]
mod tests;

use super::ip::Prefix;
use super::{ip, normal, time, typed};
use crate::error::KeyError;
use crate::parts::hash::{Given, Key, KeyHash, Seed, begin_tuple, unframe};
use std::fmt;
use std::ops::RangeInclusive;

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
    /// An e-mail address: the case of the letters A to Z and a final dot make no difference.
    Email,
    /// A URL, normalised by RFC 3986, section 6.2.2 and 6.2.3, without its fragment.
    Url,
    /// A time: a date, a date with a time of day, or Unix seconds. It is hashed as nanoseconds since
    /// 1970, and without an offset it is in UTC. The text `20261117` is refused: it could be a date or
    /// seconds.
    Time,
    /// An IPv4 address, as the integer that its four bytes are; an IPv6 address, as its 16 bytes; or a
    /// network of them.
    Ip,
    /// A whole number as its four bytes, the lowest first, as other systems hash it.
    Int32,
    /// A whole number as its eight bytes, the lowest first.
    Int64,
    /// A number as the four bytes of IEEE 754, the lowest first: `0` and `-0` are two keys.
    Float,
    /// A number as the eight bytes of IEEE 754, the lowest first.
    Double,
    /// Text as UTF-16, the lower byte of each unit first.
    Utf16,
    /// A UUID as its 16 bytes, in the order in which it is written.
    Uuid,
}

impl KeyForm {
    /// All of them.
    pub const ALL: [KeyForm; 14] = [
        KeyForm::Text,
        KeyForm::Hex,
        KeyForm::Int,
        KeyForm::Domain,
        KeyForm::Email,
        KeyForm::Url,
        KeyForm::Time,
        KeyForm::Ip,
        KeyForm::Int32,
        KeyForm::Int64,
        KeyForm::Float,
        KeyForm::Double,
        KeyForm::Utf16,
        KeyForm::Uuid,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            KeyForm::Text => "text",
            KeyForm::Hex => "hex",
            KeyForm::Int => "int",
            KeyForm::Domain => "domain",
            KeyForm::Email => "email",
            KeyForm::Url => "url",
            KeyForm::Time => "time",
            KeyForm::Ip => "ip",
            KeyForm::Int32 => "int32",
            KeyForm::Int64 => "int64",
            KeyForm::Float => "float",
            KeyForm::Double => "double",
            KeyForm::Utf16 => "utf16",
            KeyForm::Uuid => "uuid",
        }
    }

    /// Whether a [range filter](crate::range) can have such keys: whether larger keys are larger
    /// integers.
    pub const fn has_order(self) -> bool {
        match self {
            KeyForm::Text | KeyForm::Hex | KeyForm::Int | KeyForm::Time | KeyForm::Ip => true,
            KeyForm::Domain | KeyForm::Email | KeyForm::Url => false,
            KeyForm::Int32 | KeyForm::Int64 | KeyForm::Float | KeyForm::Double => false,
            KeyForm::Utf16 | KeyForm::Uuid => false,
        }
    }

    /// Whether a key can be [below](super::Reach) another: a host below a domain, an address in a network.
    pub const fn has_levels(self) -> bool {
        matches!(self, KeyForm::Domain | KeyForm::Email | KeyForm::Url | KeyForm::Ip)
    }

    /// The bytes of every key of this form, if they are equally many and their own key.
    pub const fn width(self) -> Option<usize> {
        match self {
            KeyForm::Int32 | KeyForm::Float => Some(4),
            KeyForm::Int64 | KeyForm::Double => Some(8),
            KeyForm::Uuid => Some(16),
            _ => None,
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

/// The parts of a tuple, from its [frame](Key::frame); `None` if it is none of texts and integers.
pub fn parts_of(frame: &[u8]) -> Option<Vec<Given<'_>>> {
    unframe(frame)
}

impl KeyRule {
    /// Whether a text is its own key.
    pub fn is_plain(&self) -> bool {
        *self == KeyRule::default()
    }

    /// Whether a key, after this rule, is a network, which stands for many addresses.
    pub fn is_network(&self, key: RuledKey<'_>) -> bool {
        self.form == KeyForm::Ip && ip::level(key).is_some()
    }

    /// Whether another rule makes the same keys. Hexadecimal text, say, has neither letter case nor
    /// white space, so dropping them changes which spellings are taken, and no key.
    pub fn makes_same_keys(&self, other: &KeyRule) -> bool {
        let identity = |rule: &KeyRule| KeyRule {
            trim: rule.trim && matches!(rule.form, KeyForm::Text | KeyForm::Utf16),
            ignore_case: rule.ignore_case
                && matches!(rule.form, KeyForm::Text | KeyForm::Url | KeyForm::Utf16),
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
                form => match form.width() {
                    Some(width) if width == bytes.len() => Ok(RuledKey::Bytes(bytes)),
                    Some(width) => {
                        let (form, got) = (form.name(), bytes.len());
                        Err(KeyError::Width { form, expected: width, got })
                    }
                    None => Err(KeyError::Type { form: form.name(), given: "bytes" }),
                },
            },
            Given::Integer(number) => self.apply_integer(number, made),
        }
    }

    #[inline]
    fn apply_integer<'a>(
        &self,
        number: i128,
        made: &'a mut Vec<u8>,
    ) -> Result<RuledKey<'a>, KeyError> {
        made.clear();
        match self.form {
            KeyForm::Int => return Ok(normal::integer(number, made)),
            KeyForm::Time => return Ok(normal::integer(time::of_seconds(number)?, made)),
            KeyForm::Int32 => typed::int32(number, made)?,
            KeyForm::Int64 => typed::int64(number, made)?,
            KeyForm::Float => typed::exact_float(number, made)?,
            KeyForm::Double => typed::exact_double(number, made)?,
            form => return Err(KeyError::Type { form: form.name(), given: "an integer" }),
        }
        Ok(RuledKey::Bytes(made))
    }

    #[inline]
    fn apply_text<'a>(
        &self,
        text: &'a [u8],
        made: &'a mut Vec<u8>,
    ) -> Result<RuledKey<'a>, KeyError> {
        let text = self.trimmed(text);
        made.clear();
        match self.form {
            KeyForm::Text => {
                if self.ignore_case && text.iter().any(u8::is_ascii_uppercase) {
                    normal::lower(text, made);
                    return Ok(RuledKey::Bytes(made));
                }
                return Ok(RuledKey::Bytes(text));
            }
            KeyForm::Hex => normal::hex(text, made)?,
            KeyForm::Int => return normal::parse_integer(text, made),
            KeyForm::Time => return Ok(normal::integer(time::parse(text)?.first, made)),
            KeyForm::Ip => return Ok(Prefix::parse(text)?.key(made)),
            KeyForm::Int32 => typed::int32(typed::whole(text, KeyError::Int32)?, made)?,
            KeyForm::Int64 => typed::int64(typed::whole(text, KeyError::Int64)?, made)?,
            KeyForm::Float => typed::float(text, made)?,
            KeyForm::Double => typed::double(text, made)?,
            KeyForm::Utf16 => typed::utf16(text, self.ignore_case, made)?,
            KeyForm::Uuid => typed::uuid(text, made)?,
            KeyForm::Domain => normal::domain(text, made)?,
            KeyForm::Email => normal::email(text, made)?,
            KeyForm::Url => {
                normal::url(text, made)?;
                if self.ignore_case {
                    made.make_ascii_lowercase();
                }
            }
        }
        Ok(RuledKey::Bytes(made))
    }

    /// The integer that a key is for a [range filter](crate::range): a larger key is a larger integer.
    ///
    /// Integers are themselves, times are nanoseconds since 1970, IPv4 addresses are 32 bits (IPv6 is
    /// refused), and
    /// bytes and text are the integer of their first eight bytes, the first one highest.
    pub fn order(&self, given: Given<'_>) -> Result<i128, KeyError> {
        self.interval(given, false).map(|(first, _)| first)
    }

    /// The integers that a bound of a range stands for, the first and the last: a date is all its
    /// day, and `192.0.2.0/24` all addresses of the network. Any other key is one integer.
    pub fn order_of_bound(&self, given: Given<'_>) -> Result<(i128, i128), KeyError> {
        self.interval(given, true)
    }

    fn interval(&self, given: Given<'_>, is_bound: bool) -> Result<(i128, i128), KeyError> {
        if self.parts != 1 {
            return Err(KeyError::Parts { expected: self.parts, got: 1 });
        }
        let one = |number: i128| Ok((number, number));
        match (self.form, given) {
            (form, _) if !form.has_order() => Err(KeyError::NoOrder { form: form.name() }),
            (KeyForm::Int, Given::Integer(number)) => one(number),
            (KeyForm::Time, Given::Integer(number)) => one(time::of_seconds(number)?),
            (KeyForm::Int, Given::Text(text)) => one(normal::whole(self.trimmed(text))?),
            (KeyForm::Time, Given::Text(text)) => {
                let time::Span { first, last } = time::parse(self.trimmed(text))?;
                Ok((first, if is_bound { last } else { first }))
            }
            (KeyForm::Ip, Given::Text(text)) => {
                let prefix = Prefix::parse(self.trimmed(text))?;
                if !is_bound && !prefix.is_address() {
                    return Err(KeyError::RangeNetwork);
                }
                prefix.v4().map(RangeInclusive::into_inner)
            }
            _ => match self.apply(given, &mut Vec::new())? {
                RuledKey::Bytes(bytes) => one(first_bytes(bytes)?),
                _ => Err(KeyError::NoOrder { form: self.form.name() }),
            },
        }
    }

    fn trimmed<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        if self.trim { text.trim_ascii() } else { text }
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
                    let part = self.apply(*part, &mut part_made)?;
                    if self.is_network(part) {
                        return Err(KeyError::TupleNetwork);
                    }
                    part.frame(made);
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
        self.with_key(key, |key| key.key_hash(seed))
    }

    /// Passes on a key of any type after the rule, or refuses the type.
    #[inline]
    pub(crate) fn with_key<T>(
        &self,
        key: impl Key,
        take: impl FnOnce(RuledKey<'_>) -> T,
    ) -> Result<T, KeyError> {
        if let Some(given) = key.given() {
            return Ok(take(self.key(&[given], &mut Vec::new())?));
        }
        let mut frame = Vec::with_capacity(64);
        key.frame(&mut frame);
        let given = unframe(&frame).ok_or(KeyError::Opaque)?;
        Ok(take(self.key(&given, &mut Vec::new())?))
    }
}

/// The integer of up to eight bytes, in the order of the bytes.
fn first_bytes(bytes: &[u8]) -> Result<i128, KeyError> {
    let mut word = [0_u8; 8];
    let start = word.get_mut(..bytes.len()).ok_or(KeyError::Long { got: bytes.len() })?;
    start.copy_from_slice(bytes);
    Ok(word.iter().fold(0, |sum, byte| sum << 8 | i128::from(*byte)))
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
            KeyForm::Time => "times",
            KeyForm::Ip => "IP addresses",
            KeyForm::Int32 => "32-bit integers",
            KeyForm::Int64 => "64-bit integers",
            KeyForm::Float => "32-bit floats",
            KeyForm::Double => "64-bit floats",
            KeyForm::Utf16 => "UTF-16 text",
            KeyForm::Uuid => "UUIDs",
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
