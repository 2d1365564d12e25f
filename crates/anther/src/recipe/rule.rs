//! What the key is: the rule that makes one key of its spellings.

#[cfg(test)]
mod tests;

use super::normal;
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
                KeyForm::Int => Ok(normal::integer(number, made)),
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
                    normal::lower(text, made);
                    return Ok(RuledKey::Bytes(made));
                }
                return Ok(RuledKey::Bytes(text));
            }
            KeyForm::Hex => normal::hex(text, made)?,
            KeyForm::Int => return normal::parse_integer(text, made),
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
