//! The split-block Bloom filter: one bit in each of eight 32-bit lanes of a 256-bit block, the
//! rule of Apache Parquet and Impala.
//!
//! **For**: exchanging bits with systems that use that rule; eight probes in one vector, always.
//! **Not for** saving memory: 10.53 bits a key at 1 % and 16.89 at 0.1 %, where
//! [`Blocked`](crate::Blocked) takes 9.92 and 15.55.
//!
//! The rate is [`sizing::blocked::lanes_rate`](crate::sizing::blocked::lanes_rate). The formula
//! that other implementations size with, -8n/ln(1-p^(1/8)), ignores that blocks are unequal and
//! gives 1.46 % where 1 % was asked.

use super::plain::plumbing::Row;
use crate::error::{LoadError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::Options;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::probes::Lanes;
use crate::parts::view::{self, Touch};
use crate::profile::{About, Profile};
use crate::sizing::{blocked as sizing, bound};
use crate::target::{Plan, Probes, Shape, Target};
use crate::traits::{Filter, ForTarget, Planned, Shaped};

/// The split-block Bloom filter.
///
/// ```
/// use anther::{Split, Target};
///
/// let mut column = Split::new(Target::new(10_000, 0.01)?)?;
/// column.extend(0..10_000u64);
/// assert!((0..10_000u64).all(|id| column.contains(id)));
/// let wrong = (10_000..110_000u64).filter(|id| column.contains(*id)).count();
/// assert!(wrong < 1_150, "1 % of 100,000, and chance");
/// # Ok::<(), anther::SizeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    row: Row<Lanes>,
}

impl Split {
    /// An empty filter of a given size, in whole blocks. Its probes are always eight.
    pub fn with_shape(shape: Shape, seed: Seed) -> Result<Split, SizeError> {
        Ok(Split { row: Row::zeroed(shaped(shape)?, seed, None)? })
    }
}

/// The blocks of a shape, if a filter can have them.
fn shaped(shape: Shape) -> Result<Lanes, SizeError> {
    let blocks = shape.units(Lanes::BITS);
    if blocks == 0 {
        let (got, least) = (shape.units(1), Lanes::BITS);
        return Err(SizeError::TooSmall { kind: Kind::Split, got, least });
    }
    if let Probes::Given(got) = shape.probes
        && got != Lanes::PROBES
    {
        let (least, most) = (Lanes::PROBES, Lanes::PROBES);
        return Err(SizeError::Probes { kind: Kind::Split, got, least, most });
    }
    if blocks > Lanes::MAX_BLOCKS {
        return Err(too_large(blocks));
    }
    Ok(Lanes::new(blocks))
}

fn too_large(blocks: u64) -> SizeError {
    let got = blocks.saturating_mul(Lanes::BITS);
    SizeError::TooLarge { kind: Kind::Split, got, most: Lanes::MAX_BLOCKS * Lanes::BITS }
}

impl Filter for Split {
    fn about(&self) -> &About {
        &self.row.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.row.has(key)
    }

    super::plain::asks_many!();

    fn profile(&self) -> Profile {
        let (mut ones, mut rates) = (0, 0.0);
        for block in self.row.bits.words().chunks_exact(Lanes::WORDS) {
            let lanes = block.iter().flat_map(|word| [word << 32, word >> 32]);
            let mut rate = 1.0;
            for lane in lanes.map(u64::count_ones) {
                ones += u64::from(lane);
                rate *= f64::from(lane) / 32.0;
            }
            rates += rate;
        }
        self.row.profile(Kind::Split, ones, rates / self.row.probes.blocks() as f64)
    }

    fn rows(&self) -> Vec<view::Row<'_>> {
        self.row.rows()
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        self.row.touches(key)
    }
}

impl Planned for Split {
    fn plan(target: Target, _: &Options) -> Result<Plan, SizeError> {
        let blocks = blocks(target)?;
        let fpr = sizing::lanes_rate(blocks, target.items());
        Ok(Plan::new(blocks * Lanes::BITS, Lanes::PROBES, fpr))
    }
}

impl Shaped for Split {
    fn plan_shape(shape: Shape, items: u64) -> Result<Plan, SizeError> {
        let blocks = shaped(shape)?.blocks();
        Ok(Plan::new(blocks * Lanes::BITS, Lanes::PROBES, sizing::lanes_rate(blocks, items)))
    }
}

impl ForTarget for Split {
    fn with_options(target: Target, _: &Options, seed: Seed) -> Result<Split, SizeError> {
        Ok(Split { row: Row::zeroed(Lanes::new(blocks(target)?), seed, Some(target))? })
    }
}

fn blocks(target: Target) -> Result<u64, SizeError> {
    let (items, fpr) = (target.items(), target.fpr());
    let floor = bound::hash_floor(items);
    let least = sizing::MIN_FPR.max(floor);
    if fpr < least || fpr <= floor {
        return Err(SizeError::Fpr { kind: Kind::Split, got: fpr, least });
    }
    match sizing::size_blocks(items, fpr, u64::MAX / Lanes::BITS) {
        Some(blocks) if blocks <= Lanes::MAX_BLOCKS => Ok(blocks),
        blocks => Err(too_large(blocks.unwrap_or(u64::MAX))),
    }
}

impl Stored for Split {
    const KIND: Kind = Kind::Split;

    fn about_mut(&mut self) -> &mut About {
        &mut self.row.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("blocks", self.row.probes.blocks());
        sheet.words("blocks", self.row.bits.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Split, LoadError> {
        let blocks = parts.number("blocks", 1..=Lanes::MAX_BLOCKS)?;
        let row = Row::from_words(Lanes::new(blocks), parts.words("blocks")?, about)
            .ok_or(LoadError::Section { name: "blocks" })?;
        Ok(Split { row })
    }
}

super::plain::wraps_a_row!(Split, Lanes);
super::methods_by_key!(Split, row.about);
super::inserts!(Split, many: |filter, keys| filter.row.put_each(keys.len(), keys.iter().copied()));
super::merges!(Split);
