//! Filters whose cells are somewhere else, and are read a few words at a time: on a web server, in
//! an object store.
//!
//! Only kinds whose lookups read few places are here: one line of `blocked`, half a line of `split`,
//! three or four cells of `fuse`, a threshold and two neighbouring blocks of `ribbon`. The others
//! would read as many places as they have probes.

use super::fuse::sparse::{FuseShape, SparseFuse};
use super::ribbon::sparse::{RibbonShape, SparseRibbon};
use super::{blocked, split};
use crate::error::LoadError;
use crate::format::{Outline, Tag};
use crate::kind::Kind;
use crate::parts::hash::KeyHash;
use crate::parts::probes::{Lanes, Line};
use std::ops::Range;

/// The words of a file that are here.
pub(crate) trait FileWords {
    /// The word at this byte of the file. `None` if it is not here; then it is noted as wanted.
    fn word(&mut self, at: u64) -> Option<u64>;

    /// Consecutive words. If some are not here, all of those are noted.
    fn words<const N: usize>(&mut self, at: u64) -> Option<[u64; N]> {
        let mut words = [0; N];
        let mut all = true;
        for (offset, word) in (0..).zip(&mut words) {
            match self.word(at + 8 * offset) {
                Some(value) => *word = value,
                None => all = false,
            }
        }
        all.then_some(words)
    }

    /// The same for any number of words.
    fn row(&mut self, at: u64, count: u64) -> Option<Vec<u64>> {
        let mut all = true;
        let words = (0..count).map(|offset| {
            let word = self.word(at + 8 * offset);
            all &= word.is_some();
            word.unwrap_or_default()
        });
        let words = words.collect();
        all.then_some(words)
    }
}

/// What the header of a file says about a filter: its shape, without its cells.
#[derive(Debug)]
pub(crate) enum Shape {
    Blocked(Line, u64),
    Split(Lanes, u64),
    Fuse(FuseShape),
    Ribbon(RibbonShape),
}

/// The kinds that can be looked up in this way, the best first.
pub(crate) const KINDS: [Kind; 4] = [Kind::Blocked, Kind::Split, Kind::Fuse, Kind::Ribbon];

impl Shape {
    /// Takes the shape from an outline. `None` for another kind.
    pub fn read(outline: &mut Outline) -> Result<Option<Shape>, LoadError> {
        let kind = match outline.tag() {
            Tag::Filter(kind) => kind,
            Tag::Iblt => return Err(LoadError::Iblt),
            Tag::Range => return Err(LoadError::Range),
        };
        let shape = match kind {
            Kind::Blocked => {
                let line = blocked::pattern(&mut outline.fields)?;
                let bits = line.lines().checked_mul(Line::BITS);
                Shape::Blocked(line, cells(outline, "lines", bits)?)
            }
            Kind::Split => {
                let lanes = split::pattern(&mut outline.fields)?;
                let bits = lanes.blocks().checked_mul(Lanes::BITS);
                Shape::Split(lanes, cells(outline, "blocks", bits)?)
            }
            Kind::Fuse => Shape::Fuse(FuseShape::read(outline)?),
            Kind::Ribbon => Shape::Ribbon(RibbonShape::read(outline)?),
            _ => return Ok(None),
        };
        outline.finish()?;
        Ok(Some(shape))
    }

    /// The bytes of the file that have to be read before the first lookup.
    pub fn table(&self) -> Range<u64> {
        match self {
            Shape::Blocked(..) | Shape::Split(..) => 0..0,
            Shape::Fuse(fuse) => fuse.table(),
            Shape::Ribbon(ribbon) => ribbon.table(),
        }
    }

    /// The filter, with the words of its table.
    pub fn with_table(self, table: &[u64]) -> Result<SparseFilter, LoadError> {
        Ok(match self {
            Shape::Blocked(line, at) => SparseFilter::Blocked(line, at),
            Shape::Split(lanes, at) => SparseFilter::Split(lanes, at),
            Shape::Fuse(fuse) => SparseFilter::Fuse(fuse.with_table(table)?),
            Shape::Ribbon(ribbon) => SparseFilter::Ribbon(ribbon.with_table(table)?),
        })
    }
}

/// Where a section of `bits` bits begins.
fn cells(outline: &mut Outline, name: &'static str, bits: Option<u64>) -> Result<u64, LoadError> {
    let section = outline.section(name)?;
    match bits == Some((section.end - section.start).saturating_mul(8)) {
        true => Ok(section.start),
        false => Err(LoadError::Section { name }),
    }
}

/// A filter without cells.
#[derive(Debug)]
pub(crate) enum SparseFilter {
    Blocked(Line, u64),
    Split(Lanes, u64),
    Fuse(SparseFuse),
    Ribbon(SparseRibbon),
}

impl SparseFilter {
    /// The kind.
    pub fn kind(&self) -> Kind {
        match self {
            SparseFilter::Blocked(..) => Kind::Blocked,
            SparseFilter::Split(..) => Kind::Split,
            SparseFilter::Fuse(_) => Kind::Fuse,
            SparseFilter::Ribbon(_) => Kind::Ribbon,
        }
    }

    /// Whether the key may be in the set. `None` if that takes words that are not here.
    pub fn contains(&self, words: &mut impl FileWords, key: KeyHash) -> Option<bool> {
        match self {
            SparseFilter::Blocked(line, at) => {
                let cells =
                    words.words::<{ Line::WORDS }>(at + line.line(key) * (Line::BITS / 8))?;
                Some(Line::contains(line.probes(), &cells, key))
            }
            SparseFilter::Split(lanes, at) => {
                let block = at + lanes.block(key) * (Lanes::BITS / 8);
                let cells = words.words::<{ Lanes::WORDS }>(block)?;
                Some(Lanes::contains(&cells, key))
            }
            SparseFilter::Fuse(fuse) => fuse.contains(words, key),
            SparseFilter::Ribbon(ribbon) => ribbon.contains(words, key),
        }
    }
}
