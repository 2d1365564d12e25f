//! The compressed Bloom filter: few probes in a large row, which is coded in the file (Mitzenmacher,
//! Compressed Bloom Filters, 2001).
//!
//! **For**: filters that are sent or kept more often than asked. A file takes 8.90 bits a key at
//! 1 % and 12.60 at 0.1 %, where [`Classic`](crate::Classic) takes 9.59 and 14.38; and a query has
//! two probes instead of seven or ten. **Not for** saving memory: there it takes 19 and 62 bits a
//! key, 2 and 4.3 times as much as `classic`. Nor for [`Open::map`](crate::Open::map): every way
//! of opening decodes the row to memory.
//!
//! The rate is that of `classic`, [`sizing::bloom::rate`](crate::sizing::bloom::rate), and the file's
//! size is [`sizing::wire::sent`](crate::sizing::wire::sent), met to 0.3 % from 10,000 keys on.
//! With the option `expansion` it may take more memory, or must take less: 11 sends 8.04 bits a key
//! at 1 %, in 99.5 bits of memory.

use super::cells;
use super::plain::plumbing::Row;
use crate::error::{LoadError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::probes::Spread;
use crate::parts::view::{self, Touch};
use crate::profile::{About, Profile};
use crate::sizing::{bloom, wire};
use crate::target::{Plan, Shape, Target};
use crate::traits::{Filter, ForTarget, Planned, Shaped};

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
#[derive(Clone, Debug, PartialEq)]
pub struct Compressed {
    row: Row<Spread>,
}

impl Compressed {
    /// As in the examples of the paper: 46 bits a key where classic has 8, 93 where it has 16.
    pub const DEFAULT_EXPANSION: f64 = 6.0;
    /// One probe at 1 % takes 10.4 times the memory, two at 10⁻⁶ would take 70 times: beyond that it
    /// is not the memory of a filter any more.
    const MAX_EXPANSION: f64 = 64.0;

    /// An empty filter of a given size.
    pub fn with_shape(shape: Shape, seed: Seed) -> Result<Compressed, SizeError> {
        let probes = cells::shaped(Kind::Compressed, shape)?;
        Ok(Compressed { row: Row::zeroed(probes, seed, None)? })
    }

    fn sized(
        size: bloom::Size,
        seed: Seed,
        target: Option<Target>,
    ) -> Result<Compressed, SizeError> {
        let probes = cells::spread(Kind::Compressed, size.bits, size.probes, 1)?;
        Ok(Compressed { row: Row::zeroed(probes, seed, target)? })
    }
}

/// The size for a target, if a filter can have it.
fn size(target: Target, options: &Options) -> Result<bloom::Size, SizeError> {
    const KIND: Kind = Kind::Compressed;
    let expansion = options.expansion.unwrap_or(Compressed::DEFAULT_EXPANSION);
    options::within(KIND, "expansion", expansion, 1.0, Compressed::MAX_EXPANSION)?;
    let classic = cells::size(KIND, target, 1)?;
    let size = wire::size(target.items(), target.fpr(), expansion, cells::MAX_BITS);
    Ok(size.unwrap_or(classic))
}

impl Filter for Compressed {
    fn about(&self) -> &About {
        &self.row.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.row.has(key)
    }

    super::plain::asks_many!();

    fn profile(&self) -> Profile {
        let ones = self.row.bits.ones();
        let fill = ones as f64 / self.row.bits.len() as f64;
        let fpr_now = fill.powi(self.row.probes.probes().cast_signed());
        let bits_sent = wire::coded_bits(self.row.bits.len(), fill).min(self.row.bits.len());
        Profile { bits_sent, ..self.row.profile(Kind::Compressed, ones, fpr_now) }
    }

    fn rows(&self) -> Vec<view::Row<'_>> {
        self.row.rows()
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        self.row.touches(key)
    }
}

impl Planned for Compressed {
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        Ok(planned(size(target, options)?, target.items()))
    }
}

impl Shaped for Compressed {
    fn plan_shape(shape: Shape, items: u64) -> Result<Plan, SizeError> {
        let spread = cells::shaped(Kind::Compressed, shape)?;
        Ok(planned(bloom::Size { bits: spread.cells(), probes: spread.probes() }, items))
    }
}

fn planned(bloom::Size { bits, probes }: bloom::Size, items: u64) -> Plan {
    // A row that is no shorter when coded is written as it is.
    let bits_sent = wire::section_bits(bits, items, probes).min(bits);
    Plan { bits_sent, ..Plan::new(bits, probes, bloom::rate(bits, items, probes)) }
}

impl ForTarget for Compressed {
    fn with_options(
        target: Target,
        options: &Options,
        seed: Seed,
    ) -> Result<Compressed, SizeError> {
        Compressed::sized(size(target, options)?, seed, Some(target))
    }
}

impl Stored for Compressed {
    const KIND: Kind = Kind::Compressed;

    fn about_mut(&mut self) -> &mut About {
        &mut self.row.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        cells::describe(self.row.probes, sheet);
        sheet.row("row", &self.row.bits);
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Compressed, LoadError> {
        let probes = cells::restore(parts, 1)?;
        let row = Row::from_words(probes, parts.row("row", probes.cells())?, about)
            .ok_or(LoadError::Section { name: "row" })?;
        Ok(Compressed { row })
    }
}

super::plain::wraps_a_row!(Compressed, Spread);
super::methods_by_key!(Compressed, row.about);
super::inserts!(Compressed, many: |filter, keys| filter.row.put_each(keys.len(), keys.iter().copied()));
super::merges!(Compressed);

#[cfg(test)]
mod tests {
    use super::*;

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
