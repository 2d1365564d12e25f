//! A value of a JSON text, by its path.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::num::NonZero;

/// A path such as `user.id`: names of members, or numbers of elements from 0, with dots between.
/// `\.` is a dot within a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path(Vec<Part>);

/// A member of an object, or an element of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Part {
    name: String,
    /// From 0.
    element: Option<usize>,
}

impl Path {
    /// The path of a text; the empty text is the whole value.
    pub fn new(text: &str) -> Path {
        if text.is_empty() {
            return Path(Vec::new());
        }
        let mut names = vec![String::new()];
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            let letter = match letter {
                '.' => {
                    names.push(String::new());
                    continue;
                }
                '\\' => letters.next().unwrap_or('\\'),
                other => other,
            };
            if let Some(last) = names.last_mut() {
                last.push(letter);
            }
        }
        let part = |name: String| Part { element: name.parse().ok(), name };
        Path(names.into_iter().map(part).collect())
    }

    /// A column by its number, from 1: of an array that element, of an object the member with that
    /// name.
    pub fn number(number: NonZero<u32>) -> Path {
        let element = usize::try_from(number.get() - 1).ok();
        Path(vec![Part { name: number.to_string(), element }])
    }
}

/// A value that can be a key, or why it cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// The content of a string, or the digits of a number, as they stand.
    Text(&'a [u8]),
    /// The content of a string with escapes, resolved.
    Made(String),
    /// Null.
    Null,
    /// The path leads nowhere.
    Missing,
    /// A value that cannot be a key.
    Other(&'static str),
}

/// Malformed JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The position in the text, from 1.
    pub position: usize,
    /// What is wrong there.
    pub cause: String,
    /// Whether a value begins here and goes on in the next line.
    pub goes_on: bool,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Malformed { position, cause, goes_on } = self;
        write!(f, "position {position}: malformed JSON: {cause}; ")?;
        f.write_str(match goes_on {
            true => {
                "a value must be on one line: jq -c '.[]' FILE | anther … for the elements of an \
                     array, jq -c . FILE | anther … for other values"
            }
            false => "for a plain list use --format lines, or go on with --skip-malformed",
        })
    }
}

/// As many as messages list.
pub const LISTED: usize = 20;

/// The paths of a text that lead to a string or a number. A member whose name is empty has none at
/// the top: that would be the path of the whole value.
pub fn paths(text: &[u8]) -> Vec<Vec<u8>> {
    fn collect(value: &serde_json::Value, path: Option<&str>, all: &mut Vec<Vec<u8>>) {
        let mut inner = |name: &str, value| {
            let path = path.map_or(name.to_string(), |path| format!("{path}.{name}"));
            collect(value, Some(&path), all);
        };
        match value {
            serde_json::Value::Object(members) => {
                let escaped = |name: &str| name.replace('\\', r"\\").replace('.', r"\.");
                members.iter().for_each(|(name, value)| inner(&escaped(name), value));
            }
            serde_json::Value::Array(elements) => {
                let numbered = elements.iter().enumerate();
                numbered.for_each(|(number, value)| inner(&number.to_string(), value));
            }
            serde_json::Value::String(_) | serde_json::Value::Number(_) if path != Some("") => {
                all.push(path.unwrap_or_default().into());
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    if let Ok(whole) = serde_json::from_slice(text) {
        collect(&whole, None, &mut all);
    }
    // serde_json takes an object with a name of its own for the text of another value. Of many paths,
    // those that a message lists are verified: each takes as long as reading the text.
    let mut number = 0;
    all.retain(|path| {
        number += 1;
        let found = || value(text, &Path::new(str::from_utf8(path).ok()?)).ok();
        number > LISTED || matches!(found(), Some(Value::Text(_) | Value::Made(_)))
    });
    all
}

/// The value at a path. The whole text must be valid JSON.
pub fn value<'a>(text: &'a [u8], path: &Path) -> Result<Value<'a>, Malformed> {
    let mut parser = serde_json::Deserializer::from_slice(text);
    let malformed = |error| malformed(text, &error);
    let found = Step(&path.0).deserialize(&mut parser).map_err(malformed)?;
    parser.end().map_err(malformed)?;
    let Some(raw) = found.map(RawValue::get) else { return Ok(Value::Missing) };
    Ok(match raw.as_bytes() {
        [b'"', inner @ .., b'"'] if memchr::memchr(b'\\', inner).is_none() => Value::Text(inner),
        [b'"', ..] => Value::Made(serde_json::from_str(raw).map_err(malformed)?),
        [b'-' | b'0'..=b'9', ..] => Value::Text(raw.as_bytes()),
        [b'n', ..] => Value::Null,
        [b'{', ..] => Value::Other("an object"),
        [b'[', ..] => Value::Other("an array"),
        _ => Value::Other("true or false"),
    })
}

fn malformed(text: &[u8], error: &serde_json::Error) -> Malformed {
    let message = error.to_string();
    // The text is one line, so its line number says nothing.
    let cause = message.split(" at line ").next().unwrap_or(&message).to_string();
    let begins = matches!(text.trim_ascii_start(), [b'[' | b'{', ..]);
    Malformed { position: error.column(), cause, goes_on: begins && error.is_eof() }
}

/// The rest of a path.
#[derive(Clone, Copy)]
struct Step<'p>(&'p [Part]);

impl<'de> DeserializeSeed<'de> for Step<'_> {
    type Value = Option<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
        match self.0 {
            [] => serde::Deserialize::deserialize(value).map(Some),
            _ => value.deserialize_any(self),
        }
    }
}

/// Goes into objects and arrays; anything else has no such member.
impl<'de> Visitor<'de> for Step<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let (name, rest) = match self.0 {
            [part, rest @ ..] => (part.name.as_str(), Step(rest)),
            [] => ("", self),
        };
        let mut found = None;
        while let Some(is_it) = members.next_key_seed(Is(name))? {
            if is_it {
                // Of members with one name the last counts, as for other readers of JSON.
                found = members.next_value_seed(rest)?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let (number, rest) = match self.0 {
            [part, rest @ ..] => (part.element, Step(rest)),
            [] => (None, self),
        };
        let mut found = None;
        for at in 0.. {
            if Some(at) == number {
                match elements.next_element_seed(rest)? {
                    Some(element) => found = element,
                    None => break,
                }
            } else if elements.next_element::<IgnoredAny>()?.is_none() {
                break;
            }
        }
        Ok(found)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}

/// Whether a member has this name; names are compared without being copied.
struct Is<'n>(&'n str);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<bool, D::Error> {
        name.deserialize_str(self)
    }
}

impl Visitor<'_> for Is<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member's name")
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at<'a>(text: &'a str, path: &str) -> Result<Value<'a>, Malformed> {
        value(text.as_bytes(), &Path::new(path))
    }

    #[test]
    fn values_by_path() {
        let text =
            r#"{"user": {"id": 42, "tags": ["a", {"b": "c"}], "x.y": "z"}, "n": null, "t": true}"#;
        for (path, expected) in [
            ("user.id", Value::Text(b"42")),
            ("user.tags.0", Value::Text(b"a")),
            ("user.tags.1.b", Value::Text(b"c")),
            (r"user.x\.y", Value::Text(b"z")),
            ("n", Value::Null),
            ("t", Value::Other("true or false")),
            ("user", Value::Other("an object")),
            ("user.tags", Value::Other("an array")),
            ("user.id.x", Value::Missing),
            ("user.tags.9", Value::Missing),
            ("nobody", Value::Missing),
        ] {
            assert_eq!(at(text, path).unwrap(), expected, "{path}");
        }
        assert_eq!(at(r#"{"a": 1, "a": 2}"#, "a").unwrap(), Value::Text(b"2"));
        assert_eq!(at(r#"{"\u0061": "x\ty"}"#, "a").unwrap(), Value::Made("x\ty".to_string()));
        assert_eq!(
            at("123456789012345678901234567890", "").unwrap(),
            Value::Text(b"123456789012345678901234567890")
        );
        assert_eq!(at("\"x\"", "").unwrap(), Value::Text(b"x"));
        let first = Path::number(NonZero::<u32>::MIN);
        assert_eq!(value(b"[5, 6]", &first).unwrap(), Value::Text(b"5"));
        assert_eq!(value(b"{\"0\": 5, \"1\": 6}", &first).unwrap(), Value::Text(b"6"));
    }

    #[test]
    fn malformed_text_is_told_with_its_position() {
        for (text, position) in
            [("{\"a\": 1", 7), ("{\"a\": }", 7), ("{} x", 4), ("", 0), ("{'a': 1}", 2), ("nul", 3)]
        {
            assert_eq!(at(text, "a").unwrap_err().position, position, "{text}");
        }
        assert!(value(b"{\"a\": \"\xFF\"}", &Path::new("a")).is_err());
        for (text, goes_on) in [("[", true), (" {\"a\": 1,", true), ("nul", false), ("{]", false)] {
            assert_eq!(at(text, "a").unwrap_err().goes_on, goes_on, "{text}");
        }
        // Depth is limited, so a hostile line cannot overflow the stack.
        assert!(at(&"[".repeat(100_000), "0").is_err());
    }
}
