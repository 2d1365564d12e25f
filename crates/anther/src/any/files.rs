//! Files of which nobody says beforehand what they hold.

use super::AnyFilter;
use crate::error::LoadError;
use crate::format::{Parts, Readable, Sealed, Tag};
use crate::iblt;
use crate::profile::About;
use crate::range::Range;

impl Sealed for AnyFilter {}

impl Readable for AnyFilter {
    const APPLIES_RULE: bool = true;

    fn read(tag: Tag, parts: &mut Parts, about: About) -> Result<AnyFilter, LoadError> {
        match tag {
            Tag::Filter(kind) => AnyFilter::restore(kind, parts, about),
            Tag::Iblt => Err(LoadError::Iblt),
            Tag::Range => Err(LoadError::Range),
        }
    }
}

/// What a file holds, for callers that take more than filters of keys.
///
/// ```
/// use anther::any::AnyFile;
/// use anther::{Open, Range, Seed};
///
/// let bytes = Range::build([7, 11], 10, 0.01, Seed::FIXED)?.to_bytes()?;
/// match Open::new().bytes(&bytes)? {
///     AnyFile::Filter(filter) => assert!(filter.contains(7)?),
///     AnyFile::Range(range) => assert!(range.contains_any(1..=10)?),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum AnyFile {
    /// A filter of any kind.
    Filter(AnyFilter),
    /// A range filter.
    Range(Range),
}

impl Sealed for AnyFile {}

impl Readable for AnyFile {
    const APPLIES_RULE: bool = true;

    fn read(tag: Tag, parts: &mut Parts, about: About) -> Result<AnyFile, LoadError> {
        match tag {
            Tag::Range => Range::read(tag, parts, about).map(AnyFile::Range),
            _ => AnyFilter::read(tag, parts, about).map(AnyFile::Filter),
        }
    }
}

/// What a file holds, for callers that want to know only that: a filter of any kind, an iblt of
/// any sort or a range filter, each byte, field and section of which was checked.
///
/// ```
/// use anther::any::Verified;
/// use anther::format::Tag;
/// use anther::{Blocked, Kind, Open, Save, Target};
///
/// let mut bytes = Save::new().bytes(&Blocked::new(Target::new(100, 0.01)?)?)?;
/// let found: Verified = Open::new().without_hashing().bytes(&bytes)?;
/// assert_eq!((found.tag, found.sections), (Tag::Filter(Kind::Blocked), 1));
/// bytes[70] ^= 1;
/// assert!(Open::new().without_hashing().bytes::<Verified>(&bytes).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// What it is.
    pub tag: Tag,
    /// How many sections of cells it has.
    pub sections: usize,
}

impl Sealed for Verified {}

impl Readable for Verified {
    const APPLIES_RULE: bool = true;

    fn read(tag: Tag, parts: &mut Parts, about: About) -> Result<Verified, LoadError> {
        let sections = parts.sections();
        match tag {
            Tag::Filter(kind) => drop(AnyFilter::restore(kind, parts, about)?),
            Tag::Iblt => iblt::check(parts, about)?,
            Tag::Range => drop(Range::read(tag, parts, about)?),
        }
        Ok(Verified { tag, sections })
    }
}
