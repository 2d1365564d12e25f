//! The header: everything about a filter except its cells.
//!
//! ```text
//!  0  8  signature  89 41 4E 54 0D 0A 1A 0A
//!  8  2  version
//! 10  2  kind, or another tag of what it holds
//! 12  4  header length, a multiple of 64
//! 16  2  hash: 0 open seed, 1 secret key, 2 made elsewhere
//! 18  2  number of fields
//! 20  2  number of sections
//! 22  2  length of the key recipe
//! 24  8  seed, or check value of the secret key, or 0; made elsewhere by XXH64 has a field for it
//! 32     key recipe; fields; sections; zeros
//! -8  8  checksum of all bytes before
//! ```
//! A field is a name (length byte, bytes), a type byte and eight bytes. A section is a name, an
//! encoding byte and its length in bytes.

use super::describe::{Encoding, NO_ENCODING, Tag, Value};
use super::pages::{self, Tree};
use super::{ALIGN, UNSETTLED, VERSION, checksum, recipe};
use crate::error::{LoadError, SaveError};
use crate::parts::hash::{Seed, SeedKind};
use crate::profile::About;
use crate::target::Target;
use twox_hash::XxHash3_64;

/// As in PNG: a non-text byte, a name, and line endings that careless copies change.
const SIGNATURE: [u8; 8] = *b"\x89ANT\r\n\x1A\n";
/// Bytes to read before the header's length is known.
pub(super) const PREFIX: usize = 16;
const FIXED: usize = 32;
/// A header is a few hundred bytes; this limits what a forged one can claim.
pub(super) const MAX_LEN: usize = 1 << 16;

const HASH_OPEN: u16 = 0;
const HASH_KEYED: u16 = 1;
const HASH_EXTERNAL: u16 = 2;

/// The field, of 1, that says where hashes of [`HASH_EXTERNAL`] are made: here, by XXH64.
const XXH64: &str = "xxh64";

const TYPE_WHOLE: u8 = 1;
const TYPE_REAL: u8 = 2;

/// The seed of the checksum of a shared file's header: `open` in ASCII.
const OPEN: u64 = 0x6E65_706F;

/// A decoded header.
#[derive(Debug)]
pub(super) struct Header {
    pub tag: Tag,
    /// Open or external as the file says; keyed with the check value only.
    pub about: About,
    pub fields: Vec<(String, Value)>,
    pub sections: Vec<Entry>,
    pub checksum: u64,
    /// Whether processes insert into the file in place, so that its cells have no checksum.
    pub is_open: bool,
    /// The root of the checksums of pages, if it has the section `pages`.
    pub pages: Option<u64>,
    /// Length of the header in bytes.
    pub len: u64,
}

/// A section's entry in the header.
#[derive(Debug)]
pub(super) struct Entry {
    pub name: String,
    pub encoding: Encoding,
    /// Length of the section in bytes.
    pub len: u64,
}

/// The header's bytes.
pub(super) fn encode(
    tag: Tag,
    about: &About,
    own_fields: &[(String, Value)],
    sections: &[Entry],
    pages: Option<u64>,
) -> Result<Vec<u8>, SaveError> {
    let recipe = about.recipe.as_ref().and_then(recipe::encode_header).unwrap_or_default();
    let mut fields = vec![("inserted", Value::Whole(about.inserted))];
    if let Some(target) = about.target {
        fields.push(("target.items", Value::Whole(target.items())));
        fields.push(("target.fpr", Value::Real(target.fpr())));
    }
    if about.seed.kind() == SeedKind::Xxh64 {
        fields.push((XXH64, Value::Whole(1)));
    }
    fields.extend(pages.map(|root| (pages::NAME, Value::Whole(root))));
    fields.extend(own_fields.iter().map(|(name, value)| (name.as_str(), *value)));
    let (hash, seed) = match about.seed.kind() {
        SeedKind::Fixed => (HASH_OPEN, 0),
        SeedKind::Chosen(seed) => (HASH_OPEN, seed),
        SeedKind::Keyed { check } => (HASH_KEYED, check),
        SeedKind::Xxh64 | SeedKind::External => (HASH_EXTERNAL, 0),
    };

    let mut body = recipe.clone();
    for (name, value) in &fields {
        put_name(&mut body, name);
        match value {
            Value::Whole(number) => {
                body.push(TYPE_WHOLE);
                body.extend(number.to_le_bytes());
            }
            Value::Real(number) => {
                body.push(TYPE_REAL);
                body.extend(number.to_le_bytes());
            }
        }
    }
    for section in sections {
        put_name(&mut body, &section.name);
        body.push(section.encoding as u8);
        body.extend(section.len.to_le_bytes());
    }

    let len = (FIXED + body.len() + 8).next_multiple_of(ALIGN);
    // Only a recipe can be long: names of fields and sections are ours.
    let short = |n: usize| u16::try_from(n).map_err(|_| SaveError::Recipe);
    let Some(header_len) = u32::try_from(len).ok().filter(|_| len <= MAX_LEN) else {
        return Err(SaveError::Recipe);
    };
    let mut bytes = Vec::with_capacity(len);
    bytes.extend(SIGNATURE);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(tag.number().to_le_bytes());
    bytes.extend(header_len.to_le_bytes());
    bytes.extend(hash.to_le_bytes());
    bytes.extend(short(fields.len())?.to_le_bytes());
    bytes.extend(short(sections.len())?.to_le_bytes());
    bytes.extend(short(recipe.len())?.to_le_bytes());
    bytes.extend(seed.to_le_bytes());
    bytes.extend(body);
    bytes.resize(len - 8, 0);
    let sum = checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    Ok(bytes)
}

fn put_name(out: &mut Vec<u8>, name: &str) {
    debug_assert!(name.len() < 256);
    #[expect(clippy::cast_possible_truncation, reason = "our own names are short")]
    out.push(name.len() as u8);
    out.extend(name.as_bytes());
}

/// The header's length, from its first [`PREFIX`] bytes.
pub(super) fn len(prefix: &[u8; PREFIX]) -> Result<usize, LoadError> {
    let mut bytes = Cursor(prefix);
    if bytes.take::<8>()? != SIGNATURE {
        return Err(LoadError::NotAnther);
    }
    // Checked before the checksum, whose position depends on the version.
    match bytes.u16()? {
        VERSION => {}
        UNSETTLED => return Err(LoadError::Unsettled),
        got => return Err(LoadError::Version { got, ours: VERSION }),
    }
    bytes.u16()?;
    let len = bytes.u32()? as usize;
    if !(FIXED + 8..=MAX_LEN).contains(&len) || !len.is_multiple_of(ALIGN) {
        return Err(LoadError::Header("invalid header length"));
    }
    Ok(len)
}

/// Whether these first bytes could be those of a filter: a short file that could is truncated, one
/// that could not is something else.
pub(super) fn begins_right(prefix: &[u8; PREFIX], got: u64) -> bool {
    let got = usize::try_from(got).map_or(SIGNATURE.len(), |got| got.min(SIGNATURE.len()));
    got > 0 && prefix[..got] == SIGNATURE[..got]
}

/// Decodes a complete header.
pub(super) fn decode(all: &[u8]) -> Result<Header, LoadError> {
    let Some((bytes, sum)) = all.split_last_chunk::<8>() else {
        return Err(LoadError::Header("too short"));
    };
    let expected = u64::from_le_bytes(*sum);
    let got = checksum(bytes);
    let is_open = got != expected && open_checksum(bytes) == Some(expected);
    if got != expected && !is_open {
        return Err(LoadError::Checksum { part: "header".to_string(), expected, got });
    }

    let mut bytes = Cursor(bytes);
    bytes.take::<10>()?;
    let tag = bytes.u16()?;
    bytes.u32()?;
    let hash = bytes.u16()?;
    let fields = bytes.u16()?;
    let sections = bytes.u16()?;
    let recipe_len = bytes.u16()?;
    let seed = bytes.u64()?;
    let tag = Tag::from_number(tag).ok_or(LoadError::UnknownKind { tag })?;
    let seed = match (hash, seed) {
        (HASH_OPEN, seed) => Seed::chosen(seed),
        (HASH_KEYED, check) => Seed::locked(check),
        (HASH_EXTERNAL, 0) => Seed::EXTERNAL,
        _ => return Err(LoadError::Header("unknown hash")),
    };
    let recipe = match recipe_len {
        0 => None,
        len => Some(recipe::decode_header(bytes.slice(len.into())?)?),
    };

    let mut header = Header {
        tag,
        about: About { seed, target: None, inserted: 0, recipe },
        fields: Vec::new(),
        sections: Vec::new(),
        checksum: expected,
        is_open,
        pages: None,
        len: all.len() as u64,
    };
    for _ in 0..fields {
        let name = bytes.name()?;
        let value = match bytes.take::<1>()? {
            [TYPE_WHOLE] => Value::Whole(bytes.u64()?),
            [TYPE_REAL] => Value::Real(f64::from_le_bytes(bytes.take()?)),
            _ => return Err(LoadError::Header("unknown field type")),
        };
        if header.fields.iter().any(|(other, _)| *other == name) {
            return Err(LoadError::Header("duplicate field"));
        }
        header.fields.push((name, value));
    }
    for _ in 0..sections {
        let name = bytes.name()?;
        let [encoding] = bytes.take()?;
        let encoding = Encoding::from_byte(encoding).ok_or(LoadError::Header(NO_ENCODING))?;
        let len = bytes.u64()?;
        if !len.is_multiple_of(8) {
            return Err(LoadError::Header("section length is not a multiple of 8"));
        }
        if header.sections.iter().any(|other| other.name == name) {
            return Err(LoadError::Header("duplicate section"));
        }
        header.sections.push(Entry { name, encoding, len });
    }
    header.check_recipe()?;
    if bytes.0.len() >= ALIGN || bytes.0.iter().any(|byte| *byte != 0) {
        return Err(LoadError::Header("invalid padding"));
    }
    header.take_about()?;
    header.take_pages()?;
    if is_open && !header.can_be_open() {
        return Err(LoadError::Header("marked as shared, but its kind cannot be"));
    }
    Ok(header)
}

/// The bytes that sections of these lengths take in a file; `None` on overflow.
pub(super) fn covered(sections: impl Iterator<Item = u64>) -> Option<u64> {
    sections
        .into_iter()
        .try_fold(0, |sum: u64, len| sum.checked_add(len)?.checked_next_multiple_of(ALIGN as u64))
}

/// The position of the number of inserts, in a header whose first field it is.
pub(super) fn inserted_at(bytes: &[u8]) -> Option<usize> {
    const ENTRY: &[u8] = b"\x08inserted\x01";
    let recipe_len = u16::from_le_bytes(*bytes.get(22..)?.first_chunk()?);
    let at = FIXED + usize::from(recipe_len);
    let value = at + ENTRY.len();
    (bytes.get(at..value)? == ENTRY && bytes.len() >= value + 8).then_some(value)
}

/// The checksum of the header of an open file, from all bytes before it: with another seed, and
/// with the number of inserts taken as 0. So one word decides whether a file is open, and the
/// number may change before that word does.
pub(super) fn open_checksum(bytes: &[u8]) -> Option<u64> {
    let at = inserted_at(bytes)?;
    let mut bytes = bytes.to_vec();
    bytes[at..at + 8].fill(0);
    Some(XxHash3_64::oneshot_with_seed(OPEN, &bytes))
}

impl Header {
    /// Checks the entry of a recipe: the last section of a filter without a recipe in its header.
    fn check_recipe(&self) -> Result<(), LoadError> {
        let is_recipe = |section: &Entry| section.name == recipe::SECTION;
        let Some(at) = self.sections.iter().position(is_recipe) else { return Ok(()) };
        let section = &self.sections[at];
        if self.tag == Tag::Iblt {
            return Err(LoadError::Unknown { name: section.name.clone() });
        }
        if section.encoding != Encoding::Plain {
            return Err(LoadError::Header(NO_ENCODING));
        }
        let is_last = at + 1 == self.sections.len();
        if !is_last || self.about.recipe.is_some() || section.len > recipe::MAX_LEN as u64 {
            return Err(LoadError::Header("invalid key recipe"));
        }
        Ok(())
    }

    /// Moves the fields that every kind has into `about`.
    fn take_about(&mut self) -> Result<(), LoadError> {
        self.about.inserted = match self.take("inserted") {
            Some(Value::Whole(inserted)) => inserted,
            _ => return Err(LoadError::Missing { name: "inserted" }),
        };
        self.about.target = match (self.take("target.items"), self.take("target.fpr")) {
            (None, None) => None,
            (Some(Value::Whole(items)), Some(Value::Real(fpr))) => {
                let target = Target::new(items, fpr).map_err(|error| LoadError::Field {
                    name: "target",
                    got: format!("{items} items at {fpr:?}"),
                    allowed: format!("valid ({error})"),
                })?;
                Some(target)
            }
            _ => return Err(LoadError::Header("incomplete target")),
        };
        match (self.about.seed.kind(), self.take(XXH64)) {
            (_, None) => {}
            (SeedKind::External, Some(Value::Whole(1))) => self.about.seed = Seed::XXH64,
            (SeedKind::External, Some(got)) => {
                let (got, allowed) = (got.to_string(), "1".to_string());
                return Err(LoadError::Field { name: XXH64, got, allowed });
            }
            _ => return Err(LoadError::Header("xxh64 beside another hash")),
        }
        Ok(())
    }

    /// Checks the section of the pages' checksums: the first one, beside its field, and as long as
    /// the sections after it require.
    fn take_pages(&mut self) -> Result<(), LoadError> {
        let field = self.take(pages::NAME);
        let at = self.sections.iter().position(|section| section.name == pages::NAME);
        let root = match (field, at) {
            (None, None) => return Ok(()),
            (Some(Value::Whole(root)), Some(0)) => root,
            _ => return Err(LoadError::Header("invalid checksums of pages")),
        };
        let (section, others) = (&self.sections[0], &self.sections[1..]);
        let covered = covered(others.iter().map(|section| section.len));
        let len = covered.map(|bytes| Tree::over(bytes).len() * 8);
        if section.encoding != Encoding::Plain || len != Some(section.len) {
            return Err(LoadError::Header("invalid checksums of pages"));
        }
        self.pages = Some(root);
        Ok(())
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.fields.iter().position(|(field, _)| field == name)?;
        Some(self.fields.remove(at).1)
    }

    /// Whether such a file can be opened for inserting in place: uncompressed plain bits only.
    pub fn can_be_open(&self) -> bool {
        let Tag::Filter(kind) = self.tag else { return false };
        let plain = |section: &Entry| section.encoding == Encoding::Plain;
        // The cells of such a kind are one section; a recipe may follow.
        let cells = self.sections.iter().filter(|section| section.name != recipe::SECTION).count();
        kind.capabilities().share && cells == 1 && self.sections.iter().all(plain)
    }

    /// The offset of each section, and the length of the whole file; `None` on overflow.
    pub fn layout(&self) -> Option<(Vec<u64>, u64)> {
        let mut at = self.len;
        let mut starts = Vec::with_capacity(self.sections.len());
        for section in &self.sections {
            starts.push(at);
            at = at.checked_add(section.len)?.checked_next_multiple_of(ALIGN as u64)?;
        }
        let footer = 8 * (self.sections.len() as u64 + 1);
        Some((starts, at.checked_add(footer)?))
    }
}

/// Reads bytes from the front.
pub(super) struct Cursor<'a>(pub &'a [u8]);

impl<'a> Cursor<'a> {
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], LoadError> {
        let (head, rest) = self.0.split_first_chunk().ok_or(LoadError::Header("too short"))?;
        self.0 = rest;
        Ok(*head)
    }

    pub fn slice(&mut self, len: usize) -> Result<&'a [u8], LoadError> {
        let (head, rest) = self.0.split_at_checked(len).ok_or(LoadError::Header("too short"))?;
        self.0 = rest;
        Ok(head)
    }

    pub fn u16(&mut self) -> Result<u16, LoadError> {
        self.take().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Result<u32, LoadError> {
        self.take().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, LoadError> {
        self.take().map(u64::from_le_bytes)
    }

    fn name(&mut self) -> Result<String, LoadError> {
        let [len] = self.take()?;
        let name = self.slice(len.into())?;
        if name.is_empty() || !name.iter().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.')) {
            return Err(LoadError::Header("invalid name"));
        }
        Ok(String::from_utf8_lossy(name).into_owned())
    }
}
