//! Files of which nobody says beforehand what they hold.

use super::AnyFilter;
use crate::error::{LoadError, SaveError};
use crate::format::{Contents, Open, Parts, Save, Tag};
use crate::profile::About;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

impl Contents for AnyFilter {
    fn read(tag: Tag, parts: &mut Parts, about: About) -> Result<AnyFilter, LoadError> {
        match tag {
            Tag::Filter(kind) => AnyFilter::restore(kind, parts, about),
            Tag::Iblt => Err(LoadError::Iblt),
        }
    }
}

/// As a filter of any kind.
impl Open {
    /// From a file. Takes no more memory than the file has bytes.
    pub fn file(self, path: impl AsRef<Path>) -> Result<AnyFilter, LoadError> {
        self.file_as(path)
    }

    /// From a stream, to its end. Takes no more memory than bytes have come.
    pub fn reader(self, reader: impl Read) -> Result<AnyFilter, LoadError> {
        self.reader_as(reader)
    }

    /// From bytes, copied.
    pub fn bytes(self, bytes: &[u8]) -> Result<AnyFilter, LoadError> {
        self.bytes_as(bytes)
    }

    /// From shared bytes, which the filter borrows for as long as it lives.
    pub fn shared(self, bytes: Arc<[u8]>) -> Result<AnyFilter, LoadError> {
        self.shared_as(bytes)
    }

    /// From bytes that live for ever, such as those of `include_bytes!`.
    pub fn from_static(self, bytes: &'static [u8]) -> Result<AnyFilter, LoadError> {
        self.from_static_as(bytes)
    }

    /// From a file that is mapped into memory: at once, however large, and shared by all
    /// processes that map it.
    ///
    /// The header and all lengths are verified, the cells are not (but for `quotient`): that would
    /// read them all.
    /// Mapping also trusts everyone who can write to the file: if it is cut short or changed in
    /// place while it is mapped, this process may be ended by the system or give other answers.
    /// Adding by [`SharedFile`](crate::SharedFile) is harmless, and what is added is found here.
    /// Saving over it is harmless, since that puts a new file in its place. When in doubt, use
    /// [`file`](Open::file).
    pub fn map(self, path: impl AsRef<Path>) -> Result<AnyFilter, LoadError> {
        self.map_as(path)
    }
}

impl Save<'_> {
    /// Writes the filter to a file.
    pub fn file(self, filter: &AnyFilter, path: impl AsRef<Path>) -> Result<(), SaveError> {
        filter.save_with(path.as_ref(), self)
    }
}

/// What a file was found to hold by whoever wants nothing more of it: a filter of any kind or an
/// iblt of any sort, each byte, field and section of which was checked.
///
/// ```
/// use anther::any::Verified;
/// use anther::format::Tag;
/// use anther::{AnyFilter, Blocked, Kind, Open, Target};
///
/// let mut bytes = Vec::new();
/// AnyFilter::from(Blocked::new(Target::new(100, 0.01)?)?).write_to(&mut bytes)?;
/// let found: Verified = Open::new().without_hashing().bytes_as(&bytes)?;
/// assert_eq!((found.tag, found.sections), (Tag::Filter(Kind::Blocked), 1));
/// bytes[70] ^= 1;
/// assert!(Open::new().without_hashing().bytes_as::<Verified>(&bytes).is_err());
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

impl Contents for Verified {
    fn read(tag: Tag, parts: &mut Parts, about: About) -> Result<Verified, LoadError> {
        let sections = parts.sections();
        match tag {
            Tag::Filter(kind) => drop(AnyFilter::restore(kind, parts, about)?),
            Tag::Iblt => crate::iblt::check(parts, about)?,
        }
        Ok(Verified { tag, sections })
    }
}
