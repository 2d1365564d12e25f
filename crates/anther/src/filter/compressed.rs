//! The compressed Bloom filter: few probes in a large row, which is coded in the file (Mitzenmacher,
//! Compressed Bloom Filters, 2001).
//!
//! **For**: filters that are sent or stored more often than queried. A file takes 8.90 bits per key at
//! 1 % and 12.60 at 0.1 %, where [`Classic`] takes 9.59 and 14.38; and a lookup has
//! two probes instead of seven or ten. **Not for** saving memory: there it takes 19 and 62 bits per
//! key, 2 and 4.3 times as much as `classic`. Nor for [`Open::map`](crate::Open::map): every way
//! of opening decodes the row to memory.
//!
//! The false-positive rate is that of `classic`, [`sizing::bloom::rate`](crate::sizing::bloom::rate), and the file's
//! size is [`sizing::wire::sent`](crate::sizing::wire::sent), met to 0.3 % from 10,000 keys on.
//! The option `expansion` allows more memory or demands less: with 11 the file takes 8.04 bits per
//! key at 1 %, and the memory 99.5.

use super::cells;
use super::classic::{Classic, all_ones, ones_and_rate};
use super::plain::plumbing::Sealed;
use super::plain::{Pattern, PlainFilter, Rule};
use crate::error::{LoadError, SizeError};
use crate::format::{Parts, Sheet};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::bits::Bits;
use crate::parts::hash::KeyHash;
use crate::parts::probes::Spread;
use crate::parts::words::Words;
use crate::sizing::{bloom, wire};
use crate::target::{Plan, Shape, Target};

/// The compressed Bloom filter.
///
/// ```
/// use anther::{Classic, Compressed, Target};
///
/// let target = Target::new(100_000, 0.001)?;
/// let (mut small, mut classic) = (Compressed::new(target)?, Classic::new(target)?);
/// small.extend(0..100_000u64);
/// classic.extend(0..100_000u64);
///
/// let (mut sent, mut plain) = (Vec::new(), Vec::new());
/// small.write_to(&mut sent)?;
/// classic.write_to(&mut plain)?;
/// assert!(sent.len() * 100 < plain.len() * 89, "11 % shorter on the wire");
/// assert!(small.profile().bits > 4 * classic.profile().bits, "for more memory");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Compressed = PlainFilter<CodedInFiles>;

/// The rule of [`Compressed`]: that of [`Classic`], sized to be coded in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodedInFiles;

impl Compressed {
    /// As in the examples of the paper: 46 bits per key where classic has 8, 93 where it has 16.
    pub const DEFAULT_EXPANSION: f64 = 6.0;
    /// One probe at 1 % takes 10.4 times the memory, two at 10⁻⁶ would take 70 times: beyond that it
    /// is not the memory of a filter any more.
    const MAX_EXPANSION: f64 = 64.0;
}

/// The same bits, coded in files from now on. That pays if few of them are 1, or nearly all.
///
/// ```
/// use anther::{Classic, Compressed, Target};
///
/// let mut few = Classic::new(Target::new(100_000, 0.01)?)?;
/// few.extend(0..10_000u64);
/// let packed = Compressed::from(few.clone());
/// assert!((0..50_000u64).all(|key| few.contains(key) == packed.contains(key)));
/// let (mut plain, mut small) = (Vec::new(), Vec::new());
/// few.write_to(&mut plain)?;
/// packed.write_to(&mut small)?;
/// assert!(2 * small.len() < plain.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl From<Classic> for Compressed {
    fn from(filter: Classic) -> Compressed {
        PlainFilter { pattern: filter.pattern, bits: filter.bits, about: filter.about }
    }
}

/// The same bits, written to files as they are.
impl From<Compressed> for Classic {
    fn from(filter: Compressed) -> Classic {
        PlainFilter { pattern: filter.pattern, bits: filter.bits, about: filter.about }
    }
}

impl Sealed for CodedInFiles {}

impl Rule for CodedInFiles {
    type Pattern = Spread;
    const KIND: Kind = Kind::Compressed;

    #[inline]
    fn insert(spread: &Spread, words: &mut Words, key: KeyHash) -> bool {
        spread.set(words.to_mut(), key) > 0
    }

    #[inline]
    fn contains(spread: &Spread, words: &Words, key: KeyHash) -> bool {
        all_ones(spread, words, key)
    }

    fn sized(target: Target, options: &Options) -> Result<Spread, SizeError> {
        const KIND: Kind = Kind::Compressed;
        let expansion = options.expansion.unwrap_or(Compressed::DEFAULT_EXPANSION);
        options::within(KIND, "expansion", expansion, 1.0, Compressed::MAX_EXPANSION)?;
        let classic = cells::size(KIND, target, 1)?;
        let size = wire::size(target.items(), target.fpr(), expansion, cells::MAX_BITS);
        let bloom::Size { bits, probes } = size.unwrap_or(classic);
        cells::spread(KIND, bits, probes, 1)
    }

    fn shaped(shape: Shape) -> Result<Spread, SizeError> {
        cells::shaped(Kind::Compressed, shape)
    }

    fn plan(spread: &Spread, items: u64) -> Plan {
        let (bits, probes) = (spread.cells(), spread.probes());
        // A row that is no shorter when coded is written as it is.
        let bits_sent = wire::section_bits(bits, items, probes).min(bits);
        Plan { bits_sent, ..Plan::new(bits, probes, bloom::rate(bits, items, probes)) }
    }

    fn fill(spread: &Spread, bits: &Bits) -> (u64, f64) {
        ones_and_rate(spread, bits)
    }

    fn bits_sent(bits: u64, fill: f64) -> u64 {
        wire::coded_bits(bits, fill).min(bits)
    }

    fn describe<'a>(spread: &Spread, bits: &'a Bits, sheet: &mut Sheet<'a>) {
        cells::describe(*spread, sheet);
        sheet.row("row", bits);
    }

    fn restore(parts: &mut Parts) -> Result<(Spread, Words, &'static str), LoadError> {
        let spread = cells::restore(parts, 1)?;
        Ok((spread, parts.row("row", spread.cells())?, "row"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::hash::Seed;
    use crate::traits::Planned;

    #[test]
    fn expansions_out_of_range_are_named() {
        let target = Target::new(100, 0.01).unwrap();
        for expansion in [0.0, 0.999, 64.1, -1.0, f64::NAN, f64::INFINITY] {
            let options = Options::new().expansion(expansion);
            for error in [
                Compressed::plan(target, &options).unwrap_err(),
                Compressed::with_options(target, &options, Seed::FIXED).unwrap_err(),
            ] {
                let SizeError::Option { name: "expansion", least, most, .. } = error else {
                    panic!("{error:?}")
                };
                assert_eq!((least, most), (1.0, 64.0));
            }
        }
        let classic = Options::new().expansion(1.0);
        let plan = Compressed::plan(target, &classic).unwrap();
        assert_eq!(plan.bits, Kind::Classic.bits_for(target).unwrap());
    }

    /// The file is as long as the plan says, within a word or a thousandth.
    #[test]
    fn the_plan_foretells_the_file() {
        for (items, fpr) in [(1, 0.5), (1, 1e-8), (300, 0.01), (50_000, 0.01), (50_000, 1e-4)] {
            for expansion in [1.0, 2.0, 6.0, 20.0] {
                let target = Target::new(items, fpr).unwrap();
                let options = Options::new().expansion(expansion);
                let plan = Compressed::plan(target, &options).unwrap();
                let mut filter = Compressed::with_options(target, &options, Seed::FIXED).unwrap();
                let mut bytes = Vec::new();
                filter.write_to(&mut bytes).unwrap();
                let header = u64::from(bytes[12]) + 256 * u64::from(bytes[13]);
                bytes.clear();
                filter.extend(0..items);
                filter.write_to(&mut bytes).unwrap();
                // Sections end at multiples of 64 bytes, and the footer has 16.
                let sent = 8.0 * (bytes.len() as u64 - header - 16) as f64;
                let planned = plan.bits_sent as f64;
                let spread = 6.0 * (planned / 3.0).sqrt();
                let what = format!("{items} at {fpr}, {expansion}: {sent} for {planned}");
                assert!((sent - planned).abs() < 512.0 + spread, "{what}");
                assert!(plan.bits_sent <= plan.bits, "{what}");
            }
        }
    }
}
