//! The deletable Bloom filter: plain bits in regions, and a mark for each region in which keys
//! share bits (Rothenberg, Macapuna, Verdi and Wiesmaier, The Deletable Bloom Filter, 2010).
//!
//! **For**: sets most of whose keys are removed again, in a third of the memory of
//! [`Counting`](crate::Counting): 11.40 bits per key at 1 % and 16.31 at 0.1 %, where `classic`
//! takes 9.59 and 14.38. **Not for** sets where every key must be removable: at low false-positive
//! rates one key in ten cannot be removed, at 10 % one in five, and [`Remove`] reports it. Nor for
//! keys that are inserted twice, or for endless inserts and removals: a mark is never cleared, so
//! fewer and fewer keys can be removed.
//!
//! The false-positive rate is that of `classic` over the bits without the marks,
//! [`sizing::bloom::rate`](crate::sizing::bloom::rate). The share of keys that can be removed is
//! [`sizing::regions::removable`](crate::sizing::regions::removable). By default, bits, probes and
//! regions are chosen together for the fewest bits with which 0.9·(1-ε) of the keys can be removed
//! ([`sizing::regions::size`](crate::sizing::regions::size)); no number of regions frees more than
//! 1-ε of them. Half of the keys would take 10.38 bits at 1 %. With the option `regions`, bits and
//! probes are those of `classic`.

use super::cells;
use crate::error::{Full, LoadError, Mismatch, RemoveError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::bits::Bits;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::probes::Spread;
use crate::parts::view::{self, Row, Touch, View};
use crate::profile::{About, Profile};
use crate::sizing::{bloom, estimate, regions};
use crate::target::{Plan, Target};
use crate::traits::{Filter, ForTarget, Insert, Inspect, Merge, Planned, Remove};

/// The deletable Bloom filter.
///
/// ```
/// use anther::{Deletable, RemoveError, Target};
///
/// let mut jobs = Deletable::new(Target::new(10_000, 0.01)?)?;
/// jobs.extend(0..10_000u64);
/// let stay = (0..5000u64).filter(|job| match jobs.remove(*job) {
///     Ok(removed) => !removed,
///     Err(RemoveError::Shared { .. }) => true,
///     Err(error) => panic!("{error}"),
/// });
/// assert!(stay.count() < 700, "nine in ten can be removed");
/// assert!((5000..10_000u64).all(|job| jobs.contains(job)), "the others stay");
/// assert!(!jobs.remove(77_777u64)?, "definitely absent: nothing changes");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Deletable {
    probes: Spread,
    bits: Bits,
    /// One per region: some bit of the region was set by more than one insert.
    ///
    /// So a 1 in an unmarked region belongs to one insert alone, and clearing it affects no other
    /// key.
    marks: Bits,
    about: About,
}

impl Deletable {
    /// Makes an empty filter of `bits` bits in `regions` regions, with `probes` probes per key. The
    /// marks of the regions come on top.
    pub fn with_regions(
        bits: u64,
        probes: u32,
        regions: u64,
        seed: Seed,
    ) -> Result<Deletable, SizeError> {
        Deletable::sized(regions::Size { bits, probes, regions }, seed, None)
    }

    fn sized(
        size: regions::Size,
        seed: Seed,
        target: Option<Target>,
    ) -> Result<Deletable, SizeError> {
        check(size)?;
        Ok(Deletable {
            probes: Spread::new(size.bits, size.probes),
            bits: Bits::zeroed(size.bits)?,
            marks: Bits::zeroed(size.regions)?,
            about: About::new(seed, target),
        })
    }

    /// The region of a bit: floor(bit·regions/bits).
    #[inline]
    fn region(&self, bit: u64) -> u64 {
        let (regions, bits) = (self.marks.len(), self.probes.cells());
        match bit.checked_mul(regions) {
            Some(product) => product / bits,
            // Below `regions`, as the bit is below `bits`.
            #[expect(clippy::cast_possible_truncation, reason = "below the number of regions")]
            None => (u128::from(bit) * u128::from(regions) / u128::from(bits)) as u64,
        }
    }

    /// Whether a bit is 1 and belongs to one insert alone.
    fn is_free(&self, bit: u64) -> bool {
        self.bits.get(bit) && !self.marks.get(self.region(bit))
    }
}

/// Whether a filter can have this size.
fn check(size: regions::Size) -> Result<(), SizeError> {
    const KIND: Kind = Kind::Deletable;
    cells::spread(KIND, size.bits, size.probes, 1)?;
    options::within(KIND, "regions", size.regions as f64, 1.0, size.bits as f64)?;
    match size.bits + size.regions {
        ..=cells::MAX_BITS => Ok(()),
        got => Err(too_large(got)),
    }
}

fn too_large(got: u64) -> SizeError {
    SizeError::TooLarge { kind: Kind::Deletable, got, most: cells::MAX_BITS }
}

/// The size for a target, if a filter can have it.
fn size(target: Target, options: &Options) -> Result<regions::Size, SizeError> {
    let classic = cells::size(Kind::Deletable, target, 1)?;
    let size = match options.regions {
        Some(regions) => regions::Size { bits: classic.bits, probes: classic.probes, regions },
        None => regions::size(target.items(), target.fpr(), cells::MAX_BITS)
            .ok_or_else(|| too_large(u64::MAX))?,
    };
    check(size).map(|()| size)
}

impl Filter for Deletable {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.probes.all(key, |bit| self.bits.get(bit))
    }

    super::asks_each_beyond_caches!(|filter, keys, found| filter.bits.words(), {
        cells::contains_ones(&filter.bits, keys.map(|key| (key, filter.probes)), found);
    });

    fn profile(&self) -> Profile {
        let (bits, probes) = (self.probes.cells(), self.probes.probes());
        let (mut ones, mut free) = (0, 0);
        self.bits.each_one(|bit| {
            ones += 1;
            free += u64::from(!self.marks.get(self.region(bit)));
        });
        let fill = ones as f64 / bits as f64;
        let items = estimate::classic(bits, probes, ones);
        Profile {
            items: Some(items),
            fpr_now: fill.powi(probes.cast_signed()),
            fill,
            removable: (ones > 0).then(|| regions::removable_now(free, items.items, probes)),
            ..self.about.profile(Kind::Deletable, bits + self.marks.len(), probes)
        }
    }
}

impl Insert for Deletable {
    /// Marks the regions of bits that earlier inserts have set, then sets the rest. Two passes:
    /// where two probes of one key meet, the bit still belongs to one insert, and a mark would only
    /// keep the key from being removed.
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        self.about.count(1);
        let probes = self.probes;
        probes.each(key, |bit| {
            if self.bits.get(bit) {
                self.marks.set(self.region(bit));
            }
        });
        let mut new = false;
        probes.each(key, |bit| new |= self.bits.set(bit));
        Ok(new)
    }
}

impl Inspect for Deletable {
    /// The bits, in regions, and a collision mark per region.
    fn rows(&self) -> Vec<Row<'_>> {
        let bits = Row::new("bits", View::of(&self.bits)).in_regions(self.marks.len());
        // A mark belongs to two keys, and so to neither.
        vec![bits, Row::new("collisions", View::of(&self.marks)).without_marks()]
    }

    /// The key's bits, then the marks of their regions in the same order.
    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let mut touches = view::spread(0, self.probes, key);
        self.probes.each(key, |bit| touches.push(Touch::new(1, self.region(bit))));
        touches
    }
}

impl Remove for Deletable {
    /// As in [`Remove`], with an error where every bit of the key is in a marked region. Where a
    /// key can be removed, its bits in marked regions stay set: other keys may share them.
    fn remove_hash(&mut self, key: KeyHash) -> Result<bool, RemoveError> {
        if !self.contains_hash(key) {
            return Ok(false);
        }
        let mut cleared = false;
        let probes = self.probes;
        probes.each(key, |bit| {
            // A bit that two probes share is cleared once and is then no longer free.
            if self.is_free(bit) {
                self.bits.unset(bit);
                cleared = true;
            }
        });
        if cleared { Ok(true) } else { Err(RemoveError::Shared { kind: Kind::Deletable }) }
    }
}

impl Merge for Deletable {
    /// Besides the marks of both, marks the regions of bits that both filters have set: inserting
    /// into one filter would have found them set.
    fn merge(&mut self, other: &Deletable) -> Result<(), Mismatch> {
        self.about.check_alike(&other.about)?;
        cells::check_same(self.probes, other.probes)?;
        if self.marks.len() != other.marks.len() {
            return Err(Mismatch::Option { name: "regions" });
        }
        self.bits.storage_mut().try_own()?;
        self.marks.storage_mut().try_own()?;
        self.marks.union(&other.marks);
        other.bits.each_one(|bit| {
            if self.bits.get(bit) {
                self.marks.set(self.region(bit));
            }
        });
        self.bits.union(&other.bits);
        self.about.take_in(&other.about);
        Ok(())
    }
}

impl Planned for Deletable {
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        let size = size(target, options)?;
        let fpr = bloom::rate(size.bits, target.items(), size.probes);
        Ok(Plan::new(size.bits + size.regions, size.probes, fpr))
    }
}

impl ForTarget for Deletable {
    fn with_options(target: Target, options: &Options, seed: Seed) -> Result<Deletable, SizeError> {
        Deletable::sized(size(target, options)?, seed, Some(target))
    }
}

impl Stored for Deletable {
    const KIND: Kind = Kind::Deletable;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        cells::describe(self.probes, sheet);
        sheet.field("regions", self.marks.len());
        sheet.words("bits", self.bits.words());
        sheet.words("marks", self.marks.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Deletable, LoadError> {
        let probes = cells::restore(parts, 1)?;
        let most = probes.cells().min(cells::MAX_BITS - probes.cells());
        let regions = parts.number("regions", 1..=most)?;
        let mut row = |name, len| {
            Bits::from_words(parts.words(name)?, len).ok_or(LoadError::Section { name })
        };
        Ok(Deletable {
            probes,
            bits: row("bits", probes.cells())?,
            marks: row("marks", regions)?,
            about,
        })
    }
}

super::methods_by_key!(Deletable, about);
super::inserts_by_key!(Deletable);
super::removes!(Deletable);
super::merges!(Deletable);

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(from: u64, count: u64) -> Vec<KeyHash> {
        (from..from + count).map(|i| KeyHash(i).again(1)).collect()
    }

    fn filled(bits: u64, probes: u32, regions: u64, keys: &[KeyHash]) -> Deletable {
        let mut filter = Deletable::with_regions(bits, probes, regions, Seed::FIXED).unwrap();
        filter.insert_hashes(keys).unwrap();
        filter
    }

    /// In few bits, two probes of one key often meet; the only key is removed without a trace.
    #[test]
    fn a_key_whose_own_probes_meet_is_removed_completely() {
        for regions in [1, 2, 5, 10] {
            let empty = filled(10, 5, regions, &[]);
            for key in keys(0, 200) {
                let mut filter = filled(10, 5, regions, &[key]);
                assert!(filter.profile().removable > Some(0.9));
                assert_eq!(filter.remove_hash(key), Ok(true));
                assert_eq!((&filter.bits, &filter.marks), (&empty.bits, &empty.marks));
            }
        }
    }

    #[test]
    fn a_key_inserted_twice_cannot_be_removed() {
        let key = KeyHash(7);
        let mut filter = filled(1000, 5, 1000, &[key, key]);
        let before = filter.clone();
        let error = filter.remove_hash(key).unwrap_err();
        assert_eq!(error, RemoveError::Shared { kind: Kind::Deletable });
        assert!(error.to_string().contains("rebuild with more regions"));
        assert_eq!(filter, before, "nothing changed");
        assert_eq!(filter.profile().removable, Some(0.0));
    }

    /// Small and crowded: removals never affect other keys.
    #[test]
    fn removing_never_removes_another_key() {
        for (bits, probes, regions) in [(64, 3, 64), (200, 4, 30), (97, 2, 13), (30, 7, 30)] {
            for round in 0..50 {
                let keys = keys(round * 100, 20);
                let mut filter = filled(bits, probes, regions, &keys);
                let mut held: Vec<KeyHash> = keys.clone();
                for key in &keys {
                    if filter.remove_hash(*key) == Ok(true) {
                        assert!(!filter.contains_hash(*key), "gone");
                        held.retain(|other| other != key);
                    }
                    assert!(held.iter().all(|key| filter.contains_hash(*key)));
                }
            }
        }
    }

    /// Regions are floor(bit·r/m), from the first bit to the last, also beyond 64-bit products.
    #[test]
    fn every_region_has_its_bits() {
        for (bits, regions) in [(10, 3), (1000, 999), (1000, 1000), (64, 1), (97, 13)] {
            let filter = filled(bits, 1, regions, &[]);
            let all: Vec<u64> = (0..bits).map(|bit| filter.region(bit)).collect();
            assert!(all.is_sorted() && all[0] == 0 && all.last() == Some(&(regions - 1)));
            for region in 0..regions {
                let size = all.iter().filter(|other| **other == region).count() as u64;
                assert!((bits / regions..=bits.div_ceil(regions)).contains(&size));
            }
        }
        let mut large = filled(10, 1, 3, &[]);
        large.probes = Spread::new(1 << 45, 1);
        assert_eq!(large.region((1 << 45) - 1), 2);
        assert_eq!(large.region(0), 0);
    }

    /// The estimate from the cells matches what removing shows.
    #[test]
    fn the_removable_share_is_reported() {
        for options in [Options::new(), Options::new().regions(20_000)] {
            let target = Target::new(20_000, 0.01).unwrap();
            let mut filter = Deletable::with_options(target, &options, Seed::FIXED).unwrap();
            assert_eq!(filter.profile().removable, None, "empty");
            let keys = keys(5, 20_000);
            filter.insert_hashes(&keys).unwrap();
            let reported = filter.profile().removable.unwrap();
            let planned = regions::removable(
                filter.probes.cells(),
                20_000,
                filter.probes.probes(),
                filter.marks.len(),
            );
            let gone = keys.iter().filter(|key| filter.remove_hash(**key) == Ok(true)).count();
            let share = gone as f64 / 20_000.0;
            assert!((reported - share).abs() < 0.02, "{reported} reported, {share} removed");
            assert!((planned - share).abs() < 0.02, "{planned} planned, {share} removed");
        }
    }

    #[test]
    fn sizes_out_of_range_are_named() {
        let target = Target::new(100, 0.01).unwrap();
        for regions in [0, 1000, u64::MAX] {
            let options = Options::new().regions(regions);
            let error = Deletable::plan(target, &options).unwrap_err();
            assert!(matches!(error, SizeError::Option { name: "regions", .. }), "{error:?}");
            assert!(Deletable::with_options(target, &options, Seed::FIXED).is_err());
        }
        let wrong = |bits, probes, regions| {
            Deletable::with_regions(bits, probes, regions, Seed::FIXED).unwrap_err()
        };
        assert!(matches!(wrong(0, 3, 1), SizeError::TooSmall { .. }));
        assert!(matches!(wrong(10, 0, 1), SizeError::Probes { .. }));
        assert!(matches!(wrong(10, 65, 1), SizeError::Probes { .. }));
        assert!(matches!(wrong(10, 3, 11), SizeError::Option { .. }));
        assert!(matches!(wrong(1 << 47, 3, 1), SizeError::TooLarge { .. }));
        assert!(matches!(wrong(1 << 46, 3, 1), SizeError::TooLarge { .. }));
    }

    #[test]
    fn filters_with_other_regions_do_not_merge() {
        let (mut one, other) = (filled(100, 3, 10, &[]), filled(100, 3, 20, &[]));
        assert_eq!(one.merge(&other), Err(Mismatch::Option { name: "regions" }));
        let other = filled(200, 3, 10, &[]);
        assert!(matches!(one.merge(&other), Err(Mismatch::Cells { .. })));
    }
}
