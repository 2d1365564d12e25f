//! How kinds describe themselves: a kind names its fields and sections on a [`Sheet`], and gets
//! them back from [`Parts`]. Nothing here knows an offset, a checksum or a byte order, and nothing
//! here knows a particular kind.

use super::entropy;
use crate::error::LoadError;
use crate::kind::Kind;
use crate::parts::bits::Bits;
use crate::parts::words::Words;
use crate::profile::About;
use std::fmt;
use std::ops::RangeInclusive;

/// The content of a file, by the number in its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tag {
    /// A filter of a kind.
    Filter(Kind),
    /// An [iblt](crate::iblt), which is not a filter.
    Iblt,
    /// A [range filter](crate::range), whose keys are not hashed.
    Range,
}

impl Tag {
    const IBLT: u16 = 24;
    const RANGE: u16 = 25;

    /// The number.
    pub const fn number(self) -> u16 {
        match self {
            Tag::Filter(kind) => kind.tag(),
            Tag::Iblt => Tag::IBLT,
            Tag::Range => Tag::RANGE,
        }
    }

    /// The tag with this number.
    pub fn from_number(number: u16) -> Option<Tag> {
        match number {
            Tag::IBLT => Some(Tag::Iblt),
            Tag::RANGE => Some(Tag::Range),
            _ => Kind::from_tag(number).map(Tag::Filter),
        }
    }
}

/// Types that [`Open`](super::Open) reads: a filter of one kind, a filter of any kind, an
/// [iblt](crate::iblt), a [range filter](crate::range), or [`Verified`](crate::Verified), which stores nothing. Sealed.
pub trait Readable: Sealed + Sized {
    /// Whether its methods apply the rule of a filter's keys, or need none.
    #[doc(hidden)]
    const APPLIES_RULE: bool = false;

    /// Makes it from the fields and sections of a file, after checking every one of them.
    #[doc(hidden)]
    fn read(tag: Tag, parts: &mut Parts, about: About) -> Result<Self, LoadError>;
}

/// Types that [`Save`](super::Save) writes: a filter of one kind, a filter of any kind, an
/// [iblt](crate::iblt), or a [range filter](crate::range). Sealed.
pub trait Writable: Sealed {
    /// The content of its file.
    #[doc(hidden)]
    fn contents(&self) -> Contents<'_>;
}

/// Seals [`Readable`] and [`Writable`]: the format is the same for all.
#[expect(unnameable_types, reason = "sealed")]
pub trait Sealed {}

/// The content of a file to be written.
#[derive(Debug)]
#[expect(unnameable_types, reason = "sealed")]
pub struct Contents<'a> {
    pub(crate) tag: Tag,
    pub(crate) about: &'a About,
    pub(crate) sheet: Sheet<'a>,
}

/// A filter that can be written to a file and read back.
#[expect(unnameable_types, reason = "sealed")]
pub trait Stored: Sized {
    /// The kind.
    const KIND: Kind;

    /// What the filter was made for and with, mutably.
    fn about_mut(&mut self) -> &mut About;

    /// Names the filter's fields and sections.
    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>);

    /// Makes the filter from its fields and sections, after checking every one of them.
    fn restore(parts: &mut Parts, about: About) -> Result<Self, LoadError>;
}

impl<F: Stored> Sealed for F {}

impl<F: Stored> Readable for F {
    fn read(tag: Tag, parts: &mut Parts, about: About) -> Result<F, LoadError> {
        match tag {
            Tag::Filter(kind) if kind == F::KIND => F::restore(parts, about),
            Tag::Filter(got) => Err(LoadError::Kind { expected: F::KIND, got }),
            Tag::Iblt => Err(LoadError::Iblt),
            Tag::Range => Err(LoadError::Range),
        }
    }
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// An integer.
    Whole(u64),
    /// Any number.
    Real(f64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Whole(number) => number.fmt(f),
            Value::Real(number) => write!(f, "{number:?}"),
        }
    }
}

/// The encoding of a section's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The words are the cells.
    Plain = 0,
    /// The words are a compressed row of bits; see `entropy`.
    Coded = 1,
}

impl Encoding {
    pub(super) fn from_byte(byte: u8) -> Option<Encoding> {
        [Encoding::Plain, Encoding::Coded].into_iter().find(|encoding| *encoding as u8 == byte)
    }
}

/// The fields and sections of a filter to be written.
#[derive(Debug, Default)]
#[expect(unnameable_types, reason = "sealed")]
pub struct Sheet<'a> {
    /// Prefix of every name: empty except within a filter's parts.
    prefix: String,
    pub(super) fields: Vec<(String, Value)>,
    pub(super) sections: Vec<(String, Cells<'a>)>,
}

/// The cells of a section.
#[derive(Debug)]
pub(super) enum Cells<'a> {
    /// Written as they are.
    Words(&'a [u64]),
    /// Compressed if that is shorter.
    Row(&'a Bits),
}

impl<'a> Sheet<'a> {
    /// Adds an integer.
    pub fn field(&mut self, name: &str, value: u64) {
        self.fields.push((self.prefix.clone() + name, Value::Whole(value)));
    }

    /// Adds a number.
    pub fn real(&mut self, name: &str, value: f64) {
        self.fields.push((self.prefix.clone() + name, Value::Real(value)));
    }

    /// Adds a section of words.
    pub fn words(&mut self, name: &str, words: &'a [u64]) {
        self.sections.push((self.prefix.clone() + name, Cells::Words(words)));
    }

    /// Adds a section for a row of bits that may be sparse or dense: it is compressed if that is
    /// shorter. Read it with [`Parts::row`].
    pub fn row(&mut self, name: &str, row: &'a Bits) {
        self.sections.push((self.prefix.clone() + name, Cells::Row(row)));
    }

    /// The fields, without those of parts.
    pub(crate) fn into_fields(self) -> Vec<(String, Value)> {
        let own = |(name, _): &(String, Value)| !name.starts_with(|c: char| c.is_ascii_digit());
        self.fields.into_iter().filter(own).collect()
    }

    /// Adds a part that is a filter itself: its names are prefixed with the part's number.
    pub(crate) fn part(&mut self, number: usize, describe: impl FnOnce(&mut Sheet<'a>)) {
        let outer = std::mem::replace(&mut self.prefix, part_name(number));
        self.prefix.insert_str(0, &outer);
        describe(self);
        self.prefix = outer;
    }
}

/// The prefix of a part's names.
fn part_name(number: usize) -> String {
    format!("{number}.")
}

/// The fields and sections read from a file; each is taken once.
#[derive(Debug)]
#[expect(unnameable_types, reason = "sealed")]
pub struct Parts {
    pub(super) fields: Vec<(String, Value)>,
    pub(super) sections: Vec<(String, Section)>,
}

/// A section as it is in the file.
#[derive(Debug)]
pub(super) struct Section {
    pub encoding: Encoding,
    pub words: Words,
}

impl Parts {
    /// An integer within a range.
    pub fn number(
        &mut self,
        name: &'static str,
        allowed: RangeInclusive<u64>,
    ) -> Result<u64, LoadError> {
        let value = self.take(name).ok_or(LoadError::Missing { name })?;
        match value {
            Value::Whole(number) if allowed.contains(&number) => Ok(number),
            _ => Err(LoadError::Field {
                name,
                got: value.to_string(),
                allowed: format!("{} to {}", allowed.start(), allowed.end()),
            }),
        }
    }

    /// A small integer within a range.
    pub fn small(
        &mut self,
        name: &'static str,
        allowed: RangeInclusive<u32>,
    ) -> Result<u32, LoadError> {
        let wide = u64::from(*allowed.start())..=u64::from(*allowed.end());
        #[expect(clippy::cast_possible_truncation, reason = "within a range of u32")]
        self.number(name, wide).map(|number| number as u32)
    }

    /// A number within a range.
    pub fn real(
        &mut self,
        name: &'static str,
        allowed: RangeInclusive<f64>,
    ) -> Result<f64, LoadError> {
        let value = self.take(name).ok_or(LoadError::Missing { name })?;
        match value {
            // NaN is in no range.
            Value::Real(number) if allowed.contains(&number) => Ok(number),
            _ => Err(LoadError::Field {
                name,
                got: value.to_string(),
                allowed: format!("{:?} to {:?}", allowed.start(), allowed.end()),
            }),
        }
    }

    /// An integer that stays, to be taken later.
    pub(crate) fn peek(&self, name: &str) -> Option<u64> {
        self.fields.iter().find_map(|(field, value)| match value {
            Value::Whole(number) if field == name => Some(*number),
            _ => None,
        })
    }

    /// The fields and sections of a part that is a filter itself.
    pub(crate) fn part(&mut self, number: usize) -> Parts {
        let prefix = part_name(number);
        Parts {
            fields: take_prefixed(&mut self.fields, &prefix),
            sections: take_prefixed(&mut self.sections, &prefix),
        }
    }

    /// Number of sections left.
    pub(crate) fn sections(&self) -> usize {
        self.sections.len()
    }

    /// Whether nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.sections.is_empty()
    }

    /// A section of words.
    pub fn words(&mut self, name: &'static str) -> Result<Words, LoadError> {
        match self.section(name)? {
            Section { encoding: Encoding::Plain, words } => Ok(words),
            Section { encoding: Encoding::Coded, .. } => Err(LoadError::Header(NO_ENCODING)),
        }
    }

    /// A section whose number of words is in the field of the same name.
    pub fn table(&mut self, name: &'static str) -> Result<Words, LoadError> {
        let len = self.number(name, 0..=u64::MAX)?;
        let words = self.words(name)?;
        let fits = words.as_slice().len() as u64 == len;
        if fits { Ok(words) } else { Err(LoadError::Section { name }) }
    }

    /// The words of a row of `bits` bits, from a section that may be compressed. The caller has
    /// checked `bits` against its range, and must check the words against it, as
    /// [`Bits::from_words`] does.
    pub fn row(&mut self, name: &'static str, bits: u64) -> Result<Words, LoadError> {
        let Section { encoding, words } = self.section(name)?;
        match encoding {
            Encoding::Plain => Ok(words),
            Encoding::Coded => {
                entropy::decode(words.as_slice(), bits)?.ok_or(LoadError::Section { name })
            }
        }
    }

    fn section(&mut self, name: &'static str) -> Result<Section, LoadError> {
        let at = self.sections.iter().position(|(section, _)| section == name);
        at.map(|at| self.sections.swap_remove(at).1).ok_or(LoadError::Missing { name })
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.fields.iter().position(|(field, _)| field == name)?;
        Some(self.fields.swap_remove(at).1)
    }

    /// Checks that everything was taken: anything left over is unknown.
    pub(crate) fn finish(self) -> Result<(), LoadError> {
        let left = self.fields.into_iter().map(|(name, _)| name);
        match left.chain(self.sections.into_iter().map(|(name, _)| name)).next() {
            Some(name) => Err(LoadError::Unknown { name }),
            None => Ok(()),
        }
    }
}

/// Moves out the entries with a prefix, without it.
fn take_prefixed<T>(from: &mut Vec<(String, T)>, prefix: &str) -> Vec<(String, T)> {
    let taken = from.extract_if(.., |(name, _)| name.starts_with(prefix));
    taken.map(|(name, value)| (name[prefix.len()..].to_string(), value)).collect()
}

/// Error for a section whose encoding does not exist, or that its kind does not support.
pub(super) const NO_ENCODING: &str = "unknown section encoding";
