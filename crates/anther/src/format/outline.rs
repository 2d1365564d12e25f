//! What the beginning of a file says about the rest, for readers that see only parts of it.

use super::describe::{Encoding, NO_ENCODING, Parts, Tag};
use super::header::{self, Header};
use super::pages::Tree;
use super::read::{check_footer, check_zeros};
use super::{Open, checksum, padding, recipe};
use crate::error::LoadError;
use crate::profile::About;
use std::ops::Range;

/// The header of a file, and where its sections are.
#[derive(Debug)]
pub(crate) struct Outline {
    header: Header,
    /// What the filter was made for and with.
    pub about: About,
    /// Length of the file in bytes.
    pub len: u64,
    /// The kind's own fields, to be taken.
    pub fields: Parts,
    /// The sections of the kind, to be taken.
    sections: Vec<(String, Encoding, Range<u64>)>,
    /// The bytes of all sections but `pages`, with the zeros after each.
    pub cells: Range<u64>,
    /// The checksums of their pages.
    pub pages: Option<PagesAt>,
    /// The section `recipe`, its zeros and the footer, which have to be read if it is there.
    pub tail: Option<Range<u64>>,
}

/// Where the checksums of pages are.
#[derive(Clone, Debug)]
pub(crate) struct PagesAt {
    /// The checksum of the top level.
    pub root: u64,
    /// The section's first byte.
    pub start: u64,
    /// Its layout.
    pub tree: Tree,
}

impl Outline {
    /// The length of the header, from the first bytes of a file; 16 are enough.
    pub fn header_len(first: &[u8]) -> Result<usize, LoadError> {
        match first.first_chunk() {
            Some(prefix) => header::len(prefix),
            None if is_start(first) => {
                let (expected, got) = (header::PREFIX as u64, first.len() as u64);
                Err(LoadError::Truncated { expected, got })
            }
            None => Err(LoadError::NotAnther),
        }
    }

    /// Reads a complete header.
    pub fn read(bytes: &[u8], how: Open) -> Result<Outline, LoadError> {
        let mut header = header::decode(bytes)?;
        let (starts, len) = header.layout().ok_or(LoadError::Header("section sizes overflow"))?;
        let mut about = header.about.clone();
        about.seed = how.unlock(about.seed)?;
        let footer = len - 8 * (header.sections.len() as u64 + 1);
        let mut at: Vec<Range<u64>> =
            starts.iter().zip(&header.sections).map(|(at, it)| *at..*at + it.len).collect();
        let mut pages = None;
        let mut entries = &header.sections[..];
        let mut cells = header.len..footer;
        if let (Some(root), [_, others @ ..]) = (header.pages, entries) {
            entries = others;
            let section = at.remove(0);
            cells.start = section.end + padding(section.end - section.start) as u64;
            let tree = Tree::over(footer - cells.start);
            pages = Some(PagesAt { root, start: section.start, tree });
        }
        let mut sections = Vec::new();
        let mut tail = None;
        for (entry, range) in entries.iter().zip(at) {
            if entry.name == recipe::SECTION {
                tail = Some(range.start..len);
            } else {
                sections.push((entry.name.clone(), entry.encoding, range));
            }
        }
        let own = std::mem::take(&mut header.fields);
        let fields = Parts { fields: own, sections: Vec::new() };
        Ok(Outline { header, about, len, fields, sections, cells, pages, tail })
    }

    /// What the file holds.
    pub fn tag(&self) -> Tag {
        self.header.tag
    }

    /// The bytes of a plain section.
    pub fn section(&mut self, name: &'static str) -> Result<Range<u64>, LoadError> {
        let at = self.sections.iter().position(|(section, ..)| section == name);
        match self.sections.remove(at.ok_or(LoadError::Missing { name })?) {
            (_, Encoding::Plain, range) => Ok(range),
            _ => Err(LoadError::Header(NO_ENCODING)),
        }
    }

    /// Checks that all fields and sections were taken.
    pub fn finish(&mut self) -> Result<(), LoadError> {
        if let Some((name, ..)) = self.sections.first() {
            return Err(LoadError::Unknown { name: name.clone() });
        }
        let none = Parts { fields: Vec::new(), sections: Vec::new() };
        std::mem::replace(&mut self.fields, none).finish()
    }

    /// Takes the recipe from the bytes of the tail, which are verified.
    pub fn read_tail(&mut self, tail: &[u8]) -> Result<(), LoadError> {
        let short = LoadError::Header("section beyond the end of the file");
        let Some(section) = self.header.sections.last() else { return Err(short) };
        let len = usize::try_from(section.len).unwrap_or(usize::MAX);
        let Some((words, rest)) = tail.split_at_checked(len) else { return Err(short) };
        let Some((zeros, footer)) = rest.split_at_checked(padding(section.len)) else {
            return Err(short);
        };
        check_zeros(zeros)?;
        let mut sums = vec![None; self.header.sections.len()];
        sums[self.header.sections.len() - 1] = Some(checksum(words));
        check_footer(&self.header, &sums, footer)?;
        let (words, _) = words.as_chunks::<8>();
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        self.about.recipe = Some(recipe::decode_section(&words)?);
        Ok(())
    }
}

/// Whether these bytes, fewer than tell the header's length, could begin a filter.
fn is_start(first: &[u8]) -> bool {
    let mut prefix = [0; header::PREFIX];
    prefix[..first.len()].copy_from_slice(first);
    header::begins_right(&prefix, first.len() as u64)
}
