//! A value of a JSON text, by its path.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// A path such as `user.id`: names of members, or numbers of elements from 0, with dots between.
/// `\.` is a dot within a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path(Vec<String>);

impl Path {
    /// The path of a text; the empty text is the whole value.
    pub fn new(text: &str) -> Path {
        if text.is_empty() {
            return Path(Vec::new());
        }
        let mut steps = vec![String::new()];
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            let step = match letter {
                '.' => {
                    steps.push(String::new());
                    continue;
                }
                '\\' => letters.next().unwrap_or('\\'),
                other => other,
            };
            if let Some(last) = steps.last_mut() {
                last.push(step);
            }
        }
        Path(steps)
    }
}

/// A value that can be a key, or why there is none.
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
}

/// The value at a path. The whole text must be valid JSON.
pub fn value<'a>(text: &'a [u8], path: &Path) -> Result<Value<'a>, Malformed> {
    let mut parser = serde_json::Deserializer::from_slice(text);
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

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn malformed(error: serde_json::Error) -> Malformed {
    let text = error.to_string();
    // The text is one line, so its line number says nothing.
    let cause = text.split(" at line ").next().unwrap_or(&text).to_string();
    Malformed { position: error.column(), cause }
}

/// The rest of a path.
#[derive(Clone, Copy)]
struct Step<'p>(&'p [String]);

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
            [name, rest @ ..] => (name.as_str(), Step(rest)),
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
            [number, rest @ ..] => (number.parse::<usize>().ok(), Step(rest)),
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
    }

    #[test]
    fn malformed_text_is_told_with_its_position() {
        for (text, position) in
            [("{\"a\": 1", 7), ("{\"a\": }", 7), ("{} x", 4), ("", 0), ("{'a': 1}", 2), ("nul", 3)]
        {
            assert_eq!(at(text, "a").unwrap_err().position, position, "{text}");
        }
        assert!(value(b"{\"a\": \"\xFF\"}", &Path::new("a")).is_err());
        // Depth is limited, so a hostile line cannot overflow the stack.
        assert!(at(&"[".repeat(100_000), "0").is_err());
    }
}
