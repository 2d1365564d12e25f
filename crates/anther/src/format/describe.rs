//! What a kind needs to describe itself: it names its fields and sections on a [`Sheet`], and takes
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

/// What a file holds, by the number in its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tag {
    /// A filter of a kind.
    Filter(Kind),
    /// An [iblt](crate::iblt), which is no filter.
    Iblt,
}

impl Tag {
    const IBLT: u16 = 24;

    /// The number.
    pub const fn number(self) -> u16 {
        match self {
            Tag::Filter(kind) => kind.tag(),
            Tag::Iblt => Tag::IBLT,
        }
    }

    /// What has this number.
    pub fn from_number(number: u16) -> Option<Tag> {
        match number {
            Tag::IBLT => Some(Tag::Iblt),
            _ => Kind::from_tag(number).map(Tag::Filter),
        }
    }
}

/// What [`Open`](super::Open) reads: a filter of one kind, a filter of any kind, an
/// [iblt](crate::iblt), or [`Verified`](crate::Verified), which keeps nothing. Sealed.
pub trait Readable: Sealed + Sized {
    /// Makes it from the fields and sections of a file that holds this, after checking every one
    /// of them.
    #[doc(hidden)]
    fn read(tag: Tag, parts: &mut Parts, about: About) -> Result<Self, LoadError>;
}

/// What [`Save`](super::Save) writes: a filter of one kind, a filter of any kind, or an
/// [iblt](crate::iblt). Sealed.
pub trait Writable: Sealed {
    /// What its file holds.
    #[doc(hidden)]
    fn contents(&self) -> Contents<'_>;
}

/// Nobody else implements [`Readable`] and [`Writable`]: the format is the same for all.
#[expect(unnameable_types, reason = "sealed")]
pub trait Sealed {}

/// What a file holds, as it is written.
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

    /// What the filter was made for and with, to be changed.
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
        }
    }
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
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

/// How a section's words stand for its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// They are the cells.
    Plain = 0,
    /// They are the code of a row of bits; see `entropy`.
    Coded = 1,
}

impl Encoding {
    pub(super) fn from_byte(byte: u8) -> Option<Encoding> {
        [Encoding::Plain, Encoding::Coded].into_iter().find(|encoding| *encoding as u8 == byte)
    }
}

/// What a filter has to say when it is written.
#[derive(Debug, Default)]
#[expect(unnameable_types, reason = "sealed")]
pub struct Sheet<'a> {
    /// Before every name: empty but within a filter's parts.
    prefix: String,
    pub(super) fields: Vec<(String, Value)>,
    pub(super) sections: Vec<(String, Cells<'a>)>,
}

/// What a section holds.
#[derive(Debug)]
pub(super) enum Cells<'a> {
    /// Written as they are.
    Words(&'a [u64]),
    /// Coded where that is shorter.
    Row(&'a Bits),
}

impl<'a> Sheet<'a> {
    /// A named whole number.
    pub fn field(&mut self, name: &str, value: u64) {
        self.fields.push((self.prefix.clone() + name, Value::Whole(value)));
    }

    /// A named number.
    pub fn real(&mut self, name: &str, value: f64) {
        self.fields.push((self.prefix.clone() + name, Value::Real(value)));
    }

    /// A named section of words.
    pub fn words(&mut self, name: &str, words: &'a [u64]) {
        self.sections.push((self.prefix.clone() + name, Cells::Words(words)));
    }

    /// A named section for a row of bits of which few are ones, or few zeros: it is coded where
    /// that is shorter. Comes back by [`Parts::row`].
    pub fn row(&mut self, name: &str, row: &'a Bits) {
        self.sections.push((self.prefix.clone() + name, Cells::Row(row)));
    }

    /// The fields, without those of parts.
    pub(crate) fn into_fields(self) -> Vec<(String, Value)> {
        let own = |(name, _): &(String, Value)| !name.starts_with(|c: char| c.is_ascii_digit());
        self.fields.into_iter().filter(own).collect()
    }

    /// A part of the filter that is a filter itself: its names come after the part's number.
    pub(crate) fn part(&mut self, number: usize, describe: impl FnOnce(&mut Sheet<'a>)) {
        let outer = std::mem::replace(&mut self.prefix, part_name(number));
        self.prefix.insert_str(0, &outer);
        describe(self);
        self.prefix = outer;
    }
}

/// What comes before the names of a part.
fn part_name(number: usize) -> String {
    format!("{number}.")
}

/// What was read of a filter: fields and sections, each to be taken once.
#[derive(Debug)]
#[expect(unnameable_types, reason = "sealed")]
pub struct Parts {
    pub(super) fields: Vec<(String, Value)>,
    pub(super) sections: Vec<(String, Section)>,
}

/// A section as it stands in the file.
#[derive(Debug)]
pub(super) struct Section {
    pub encoding: Encoding,
    pub words: Words,
}

impl Parts {
    /// A whole number within a range.
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

    /// A whole number within a range of small ones.
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

    /// A whole number, to be taken later.
    pub(crate) fn peek(&self, name: &str) -> Option<u64> {
        self.fields.iter().find_map(|(field, value)| match value {
            Value::Whole(number) if field == name => Some(*number),
            _ => None,
        })
    }

    /// What belongs to a part of the filter that is a filter itself.
    pub(crate) fn part(&mut self, number: usize) -> Parts {
        let prefix = part_name(number);
        Parts {
            fields: take_prefixed(&mut self.fields, &prefix),
            sections: take_prefixed(&mut self.sections, &prefix),
        }
    }

    /// How many sections there are.
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

    /// A section of as many words as the field of its name says.
    pub fn table(&mut self, name: &'static str) -> Result<Words, LoadError> {
        let len = self.number(name, 0..=u64::MAX)?;
        let words = self.words(name)?;
        let fits = words.as_slice().len() as u64 == len;
        if fits { Ok(words) } else { Err(LoadError::Section { name }) }
    }

    /// The words of a row of so many bits, from a section that may be coded. The caller has
    /// checked the number against its range; the words are still to be checked against it, as
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

    /// Everything must have been taken: what is left over was not understood.
    pub(crate) fn finish(self) -> Result<(), LoadError> {
        let left = self.fields.into_iter().map(|(name, _)| name);
        match left.chain(self.sections.into_iter().map(|(name, _)| name)).next() {
            Some(name) => Err(LoadError::Unknown { name }),
            None => Ok(()),
        }
    }
}

/// Moves out what has a prefix, without it.
fn take_prefixed<T>(from: &mut Vec<(String, T)>, prefix: &str) -> Vec<(String, T)> {
    let taken = from.extract_if(.., |(name, _)| name.starts_with(prefix));
    taken.map(|(name, value)| (name[prefix.len()..].to_string(), value)).collect()
}

/// What is wrong with a section in an encoding that does not exist, or that its kind does not have.
pub(super) const NO_ENCODING: &str = "unknown encoding of a section";
