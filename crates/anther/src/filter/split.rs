//! The split-block Bloom filter: one bit in each of eight 32-bit lanes of a 256-bit block, the
//! rule of Apache Parquet and Impala.
//!
//! **For**: exchanging bits with systems that use that rule; eight probes in one vector, always.
//! **Not for** saving memory: 10.53 bits per key at 1 % and 16.89 at 0.1 %, where
//! [`Blocked`](crate::Blocked) takes 9.92 and 15.55.
//!
//! The false-positive rate is [`sizing::blocked::lanes_rate`](crate::sizing::blocked::lanes_rate). The formula
//! that other implementations size with, -8n/ln(1-p^(1/8)), ignores that blocks fill unevenly, and
//! gives 1.46 % where the target is 1 %.

use super::plain::plumbing::Sealed;
use super::plain::{PlainFilter, Rule};
use crate::error::{LoadError, SizeError};
use crate::format::{Parts, Sheet};
use crate::kind::Kind;
use crate::options::Options;
use crate::parts::bits::Bits;
use crate::parts::hash::KeyHash;
use crate::parts::probes::Lanes;
use crate::parts::words::Words;
use crate::simd;
use crate::sizing::{blocked as sizing, bound};
use crate::target::{Plan, Probes, Shape, Target};

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
pub type Split = PlainFilter<OnePerLane>;

/// The rule of [`Split`]: one bit in each of the eight lanes of a block. Its probes are always eight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnePerLane;

impl Sealed for OnePerLane {}

impl Rule for OnePerLane {
    type Pattern = Lanes;
    const KIND: Kind = Kind::Split;

    #[inline]
    fn insert(_: &Lanes, words: &mut Words, key: KeyHash) -> bool {
        simd::lanes_insert(words.to_mut(), key)
    }

    #[inline]
    fn contains(_: &Lanes, words: &Words, key: KeyHash) -> bool {
        simd::lanes_contain(words.as_slice(), key)
    }

    fn sized(target: Target, _: &Options) -> Result<Lanes, SizeError> {
        let (items, fpr) = (target.items(), target.fpr());
        let floor = bound::hash_floor(items);
        let least = sizing::MIN_FPR.max(floor);
        if fpr < least || fpr <= floor {
            return Err(SizeError::Fpr { kind: Kind::Split, got: fpr, least });
        }
        match sizing::size_blocks(items, fpr, u64::MAX / Lanes::BITS) {
            Some(blocks) if blocks <= Lanes::MAX_BLOCKS => Ok(Lanes::new(blocks)),
            blocks => Err(too_large(blocks.unwrap_or(u64::MAX))),
        }
    }

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

    fn plan(lanes: &Lanes, items: u64) -> Plan {
        let fpr = sizing::lanes_rate(lanes.blocks(), items);
        Plan::new(lanes.blocks() * Lanes::BITS, Lanes::PROBES, fpr)
    }

    /// The rate is the mean over the blocks, each with the product over its lanes.
    fn fill(lanes: &Lanes, bits: &Bits) -> (u64, f64) {
        let (mut ones, mut rates) = (0, 0.0);
        for block in bits.words().chunks_exact(Lanes::WORDS) {
            let lanes = block.iter().flat_map(|word| [word << 32, word >> 32]);
            let mut rate = 1.0;
            for lane in lanes.map(u64::count_ones) {
                ones += u64::from(lane);
                rate *= f64::from(lane) / 32.0;
            }
            rates += rate;
        }
        (ones, rates / lanes.blocks() as f64)
    }

    fn describe<'a>(lanes: &Lanes, bits: &'a Bits, sheet: &mut Sheet<'a>) {
        sheet.field("blocks", lanes.blocks());
        sheet.words("blocks", bits.words());
    }

    fn restore(parts: &mut Parts) -> Result<(Lanes, Words, &'static str), LoadError> {
        Ok((pattern(parts)?, parts.words("blocks")?, "blocks"))
    }
}

/// The pattern, from the fields of a file.
pub(super) fn pattern(fields: &mut Parts) -> Result<Lanes, LoadError> {
    Ok(Lanes::new(fields.number("blocks", 1..=Lanes::MAX_BLOCKS)?))
}

fn too_large(blocks: u64) -> SizeError {
    let got = blocks.saturating_mul(Lanes::BITS);
    SizeError::TooLarge { kind: Kind::Split, got, most: Lanes::MAX_BLOCKS * Lanes::BITS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_blocks_are_allowed() {
        let most = Lanes::MAX_BLOCKS * Lanes::BITS;
        let shaped = |bits| OnePerLane::shaped(Shape::bits(bits).items(1000));
        assert_eq!(shaped(most).unwrap().blocks(), Lanes::MAX_BLOCKS);
        assert_eq!(shaped(most + 1).unwrap_err(), too_large(Lanes::MAX_BLOCKS + 1));
    }
}
