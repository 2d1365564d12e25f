//! The Floom filter: a classic filter that also stores which regions its keys touched (from slides
//! of the TU Bergakademie Freiberg; there is no paper, and docs/texts.md names the program that defines
//! it).
//!
//! **For** studying the idea. **Not for** anything else: a classic filter makes better use of the
//! same bits, as the authors' own plots show ("Big BF", here [`Floom::big_classic`]). For 1000 keys
//! at 1 % it takes 20 % more bits than [`Classic`], for 100,000 keys 0.4 %; the fewer regions, the
//! smaller the loss. It takes fewer bits only at false-positive rates near 1, where hardly any
//! signature is present.
//!
//! The bits are divided into regions, and the set of regions that a key's positions fall into is
//! its signature. 2^regions additional bits record the signatures of inserted keys. A key is
//! present only if its bits are 1 and its signature is recorded. The false-positive rate is
//! [`sizing::floom::rate`](crate::sizing::floom::rate). The kind is experimental: a later release
//! may reject its files.

use crate::error::{Full, LoadError, Mismatch, SizeError};
use crate::filter::cells;
use crate::filter::classic::Classic;
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::bits::Bits;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::probes::Spread;
use crate::parts::view::{self, OwnCells, Row, Touch, View};
use crate::profile::{About, Profile};
use crate::sizing::{bloom, estimate, floom};
use crate::target::{Plan, Shape, Target};
use crate::traits::{Filter, ForTarget, Insert, Inspect, Merge, Planned};

/// The Floom filter.
///
/// ```
/// use anther::{Floom, Seed};
///
/// // The slides' example: 1000 keys at 1 %, 12 regions.
/// let mut filter = Floom::with_cells(9586, 7, 12, Seed::FIXED)?;
/// let mut big = filter.big_classic(1000)?;
/// filter.extend(0..1000);
/// big.extend(0..1000);
/// assert!((0..1000).all(|key| filter.contains(key)));
/// assert!(filter.profile().fpr_now < 0.004, "instead of 0.01, for 4096 bits more");
/// assert!(big.profile().fpr_now < 0.002, "a classic filter does better with these bits");
/// # Ok::<(), anther::SizeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Floom {
    probes: Spread,
    regions: u32,
    /// The cells, followed by a bit for every signature: in one array, so that there is one
    /// allocation and merging is one OR.
    bits: Bits,
    about: About,
}

impl Floom {
    /// As in the slides, which also use 16. Two would cost the fewest bits, and be a classic filter
    /// plus four bits.
    pub const DEFAULT_REGIONS: u32 = 12;
    const MIN_REGIONS: u32 = 2;
    /// 2²⁴ signatures take 2 MiB.
    const MAX_REGIONS: u32 = 24;

    /// Makes an empty filter of `cells` cells in `regions` regions, with `probes` probes per key.
    pub fn with_cells(
        cells: u64,
        probes: u32,
        regions: u32,
        seed: Seed,
    ) -> Result<Floom, SizeError> {
        Floom::sized(cells, probes, check_regions(regions.into())?, seed, None)
    }

    fn sized(
        cells: u64,
        probes: u32,
        regions: u32,
        seed: Seed,
        target: Option<Target>,
    ) -> Result<Floom, SizeError> {
        let probes = cells::spread(Kind::Floom, cells, probes, 1)?;
        let bits = total_bits(cells, regions);
        cells::check_bits(Kind::Floom, bits, 1)?;
        Ok(Floom { probes, regions, bits: Bits::zeroed(bits)?, about: About::new(seed, target) })
    }

    /// An empty classic filter with the memory of this one, in whole bytes, and the best number of
    /// probes for `items` items: the baseline for the regions.
    pub fn big_classic(&self, items: u64) -> Result<Classic, SizeError> {
        let bits = total_bits(self.probes.cells().next_multiple_of(8), self.regions);
        Classic::with_shape(Shape::bits(bits).items(items), self.about.seed)
    }

    /// The position of a signature's bit in the array.
    fn position(&self, signature: u64) -> u64 {
        self.probes.cells() + signature
    }

    /// The probability that a random key's cells are all 1 and its signature is recorded.
    fn rate_now(&self, ones: u64) -> f64 {
        let (cells, regions) = (self.probes.cells(), u64::from(self.regions));
        if ones == 0 {
            return 0.0;
        }
        // A region ends with cell ⌊j·cells/regions⌋; the first begins with cell 0.
        let end = |j: u64| if j == 0 { 0 } else { (j * cells / regions + 1).min(cells) };
        let ones_of = |j| self.bits.ones_within(end(j)..end(j + 1));
        let shares: Vec<f64> = (0..regions).map(|j| ones_of(j) as f64 / ones as f64).collect();
        let was_seen = |signature| self.bits.get(self.position(signature));
        let probes = self.probes.probes();
        let fill = ones as f64 / cells as f64;
        fill.powi(probes.cast_signed()) * floom::seen_among(&shares, probes, was_seen)
    }
}

/// The region's bit of a cell in a signature: j-1 for the least j ≥ 1 with
/// cell ≤ ⌊j·cells/regions⌋.
#[inline]
fn region_bit(cell: u64, cells: u64, regions: u32) -> u64 {
    // There are at most 2⁴⁶ cells, so the product has 51 bits.
    1 << ((cell * u64::from(regions)).div_ceil(cells).max(1) - 1)
}

/// Bits of cells and signatures.
fn total_bits(cells: u64, regions: u32) -> u64 {
    cells.saturating_add(1 << regions)
}

fn check_regions(regions: u64) -> Result<u32, SizeError> {
    let (least, most) = (Floom::MIN_REGIONS, Floom::MAX_REGIONS);
    options::within(Kind::Floom, "regions", regions as f64, least.into(), most.into())?;
    #[expect(clippy::cast_possible_truncation, reason = "within the range")]
    Ok(regions as u32)
}

/// The cells and probes for a target, and the regions.
fn size(target: Target, options: &Options) -> Result<(bloom::Size, u32), SizeError> {
    let kind = Kind::Floom;
    let regions = check_regions(options.regions.unwrap_or(Floom::DEFAULT_REGIONS.into()))?;
    cells::check_floor(kind, target)?;
    let size = floom::size(target.items(), target.fpr(), regions).ok_or(SizeError::TooLarge {
        kind,
        got: u64::MAX,
        most: cells::MAX_BITS,
    })?;
    cells::check_bits(kind, total_bits(size.bits, regions), 1)?;
    Ok((size, regions))
}

impl Filter for Floom {
    fn about(&self) -> &About {
        &self.about
    }

    fn contains_hash(&self, key: KeyHash) -> bool {
        let mut signature = 0;
        let all = self.probes.all(key, |cell| {
            signature |= region_bit(cell, self.probes.cells(), self.regions);
            self.bits.get(cell)
        });
        all && self.bits.get(self.position(signature))
    }

    fn profile(&self) -> Profile {
        let (cells, probes) = (self.probes.cells(), self.probes.probes());
        let ones = self.bits.ones_within(0..cells);
        Profile {
            items: Some(estimate::classic(cells, probes, ones)),
            fpr_now: self.rate_now(ones),
            fill: ones as f64 / cells as f64,
            ..self.about.profile(Kind::Floom, self.bits.len(), probes)
        }
    }
}

impl Insert for Floom {
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        self.about.count(1);
        let (mut new, mut signature) = (false, 0);
        let (probes, regions) = (self.probes, self.regions);
        probes.each(key, |cell| {
            new |= self.bits.set(cell);
            signature |= region_bit(cell, probes.cells(), regions);
        });
        Ok(new | self.bits.set(self.position(signature)))
    }
}

impl Inspect for Floom {
    /// The bits, in regions, and a bit for every signature.
    fn rows(&self) -> Vec<Row<'_>> {
        let cells = self.probes.cells();
        let bits = Row::new("bits", View::own(self)).grouped(cells / u64::from(self.regions));
        let signatures = View::within(&self.bits, cells..self.bits.len());
        vec![bits, Row::new("signatures", signatures)]
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let mut touches = view::spread(0, self.probes, key);
        let bit = |touch: &Touch| region_bit(touch.cell, self.probes.cells(), self.regions);
        let signature = touches.iter().map(bit).fold(0, |all, bit| all | bit);
        touches.push(Touch::new(1, signature));
        touches
    }
}

impl OwnCells for Floom {
    fn cells(&self) -> u64 {
        self.probes.cells()
    }

    fn width(&self) -> u32 {
        1
    }

    fn get(&self, cell: u64) -> u64 {
        self.bits.get(cell).into()
    }

    /// Regions include their last cell, ⌊j·cells/regions⌋, where others would begin the next.
    fn group_of(&self, cell: u64) -> Option<u64> {
        Some(region_bit(cell, self.probes.cells(), self.regions).trailing_zeros().into())
    }
}

impl Merge for Floom {
    fn merge(&mut self, other: &Floom) -> Result<(), Mismatch> {
        self.about.check_alike(&other.about)?;
        cells::check_same(self.probes, other.probes)?;
        if self.regions != other.regions {
            return Err(Mismatch::Option { name: "regions" });
        }
        self.bits.storage_mut().try_own()?;
        self.bits.union(&other.bits);
        self.about.take_in(&other.about);
        Ok(())
    }
}

impl Planned for Floom {
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        let (size, regions) = size(target, options)?;
        let fpr = floom::rate(size.bits, target.items(), size.probes, regions);
        Ok(Plan::new(total_bits(size.bits, regions), size.probes, fpr))
    }
}

impl ForTarget for Floom {
    fn with_options(target: Target, options: &Options, seed: Seed) -> Result<Floom, SizeError> {
        let (size, regions) = size(target, options)?;
        Floom::sized(size.bits, size.probes, regions, seed, Some(target))
    }
}

impl Stored for Floom {
    const KIND: Kind = Kind::Floom;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        cells::describe(self.probes, sheet);
        sheet.field("signature.bits", self.regions.into());
        sheet.words("bits", self.bits.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Floom, LoadError> {
        let regions = parts.small("signature.bits", Floom::MIN_REGIONS..=Floom::MAX_REGIONS)?;
        let probes = cells::restore(parts, 1)?;
        let bits = Bits::from_words(parts.words("bits")?, total_bits(probes.cells(), regions))
            .ok_or(LoadError::Section { name: "bits" })?;
        Ok(Floom { probes, regions, bits, about })
    }
}

crate::filter::methods_by_key!(Floom, about);
crate::filter::inserts_by_key!(Floom);
crate::filter::merges!(Floom);

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule of the slides' program: a search for the least j.
    #[test]
    fn regions_are_those_of_the_slides() {
        for (cells, regions) in [(1u64, 2u32), (7, 12), (12, 12), (100, 7), (9586, 12), (9587, 16)]
        {
            for cell in 0..cells {
                let ends = |j: &u64| cell <= j * cells / u64::from(regions);
                let j = (1..=u64::from(regions)).find(ends).unwrap();
                assert_eq!(region_bit(cell, cells, regions), 1 << (j - 1), "{cell} of {cells}");
            }
        }
        let most = cells::MAX_BITS;
        assert_eq!(region_bit(most - 1, most, 24), 1 << 23);
    }

    /// The current rate, against every possible pair of positions.
    #[test]
    fn the_current_rate_is_exact() {
        for (cells, regions) in [(30u64, 4u32), (37, 5), (64, 12), (5, 12)] {
            let mut filter = Floom::with_cells(cells, 2, regions, Seed::FIXED).unwrap();
            for key in 0..8u64 {
                let expected = (0..cells * cells).filter(|pair| {
                    let (one, two) = (pair / cells, pair % cells);
                    let bit = |cell| region_bit(cell, cells, regions);
                    filter.bits.get(one)
                        && filter.bits.get(two)
                        && filter.bits.get(filter.position(bit(one) | bit(two)))
                });
                let expected = expected.count() as f64 / (cells * cells) as f64;
                let got = filter.profile().fpr_now;
                assert!((got - expected).abs() < 1e-12, "{cells}, {key} keys: {got} {expected}");
                filter.insert(key);
            }
        }
    }

    #[test]
    fn signatures_reject_keys() {
        let mut filter = Floom::with_cells(1000, 5, 16, Seed::FIXED).unwrap();
        filter.extend(0..2000u64);
        assert_eq!(filter.bits.ones_within(0..1000), 1000, "all cells are 1");
        let profile = filter.profile();
        assert!(profile.fill == 1.0 && profile.fpr_now < 0.6, "{profile:?}");
        assert_eq!(profile.bits, 1000 + 65_536);
        let found = (2000..102_000u64).filter(|key| filter.contains(*key)).count();
        assert!((found as f64 / 1e5 - profile.fpr_now).abs() < 0.01, "{found} {profile:?}");
    }

    #[test]
    fn more_memory_is_better_spent_on_cells() {
        let filter = Floom::with_cells(9586, 7, 12, Seed::FIXED).unwrap();
        let big = filter.big_classic(1000).unwrap().profile();
        assert_eq!((big.bits, big.probes), (9592 + 4096, 9));
        // A filter for a target has more bits than a classic one, with any number of regions.
        for (items, fpr) in [(50, 0.01), (1000, 0.01), (20_000, 1e-3), (300, 0.3)] {
            let target = Target::new(items, fpr).unwrap();
            let classic = Classic::plan(target, &Options::new()).unwrap().bits;
            let bits = [2, 3, 4, 6, 8, 12, 16]
                .map(|regions| Floom::plan(target, &Options::new().regions(regions)).unwrap().bits);
            assert!(classic < bits[0] && bits.is_sorted(), "{items} at {fpr}: {classic} {bits:?}");
        }
    }

    #[test]
    fn invalid_sizes_are_named() {
        let target = Target::new(1000, 0.01).unwrap();
        for regions in [0, 1, 25, 1 << 40, u64::MAX] {
            let options = Options::new().regions(regions);
            let error = Floom::with_options(target, &options, Seed::FIXED).unwrap_err();
            let SizeError::Option { got, .. } = error else { panic!("{error:?}") };
            assert_eq!(got, regions as f64);
        }
        let made = |cells, probes, regions| {
            Floom::with_cells(cells, probes, regions, Seed::FIXED).map(|_| ()).unwrap_err()
        };
        assert_eq!(
            made(100, 3, 25).to_string(),
            "regions of a floom filter cannot be 25; it can be 2 to 24"
        );
        assert!(matches!(made(0, 3, 4), SizeError::TooSmall { .. }));
        assert!(matches!(made(9, 0, 4), SizeError::Probes { .. }));
        assert!(matches!(made(1 << 46, 3, 4), SizeError::TooLarge { .. }));
    }

    #[test]
    fn filters_with_other_regions_do_not_merge() {
        let make = |cells, regions| Floom::with_cells(cells, 3, regions, Seed::FIXED).unwrap();
        let mut one = make(100, 4);
        assert_eq!(one.merge(&make(100, 5)), Err(Mismatch::Option { name: "regions" }));
        assert_eq!(one.merge(&make(101, 4)), Err(Mismatch::Cells { ours: 100, theirs: 101 }));
    }

    #[test]
    fn every_number_of_regions_works() {
        for regions in 2..=24 {
            let options = Options::new().regions(regions);
            for (items, fpr) in [(1, 0.999_999), (1, 1e-8), (150, 1e-8), (150, 0.9)] {
                let target = Target::new(items, fpr).unwrap();
                let mut filter = Floom::with_options(target, &options, Seed::FIXED).unwrap();
                for key in 0..items {
                    filter.insert_hash(KeyHash(key).again(0)).unwrap();
                }
                assert!((0..items).all(|key| filter.contains_hash(KeyHash(key).again(0))));
                assert!((0.0..=1.0).contains(&filter.profile().fpr_now), "{regions}");
            }
        }
    }
}
