//! The stable Bloom filter: detects duplicates in an endless stream, in fixed memory (Deng and
//! Rafiei, 2006). **It forgets**: there are false negatives for keys inserted long ago.
//!
//! **For** endless streams: clicks, packets, crawled addresses. Every insert frees some cells at
//! random, so the false-positive rate rises to a fixed value and stays there, for any number of
//! keys. **Not for** sets: a negative answer is not certain here. [`Blocked`](crate::Blocked)
//! forgets nothing and takes a seventh of the bits, as long as the number of keys is known in
//! advance. [`Aging`](crate::Aging) takes a third, and of a window of the latest keys it forgets
//! none.
//!
//! An insert looks the key up, then decrements `decrements` neighbouring cells from a random start,
//! then sets the key's cells to their largest value. The target's false-positive rate is the limit
//! ([`Chain::stable_rate`], with a margin for the variance of small filters); before that it is
//! lower ([`Chain::rate`]). Of the keys last inserted `window` inserts ago (an option; by default
//! the target's items), at most the share `misses` (an option; by default a tenth) is forgotten
//! ([`Chain::misses`]). The random starts come from a counter that is part of the filter and of its
//! file: the same stream makes the same file on every machine, and a saved filter continues as if
//! it had not been saved.

use super::cells;
use crate::error::{Full, LoadError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::packed::Packed;
use crate::parts::probes::{Spread, scale};
use crate::parts::view::{self, Row, Touch, View};
use crate::profile::{About, Profile};
use crate::sizing::bound::hash_floor;
use crate::sizing::stable::{self, Chain};
use crate::target::{Plan, Target};
use crate::traits::{Filter, ForTarget, Insert, Inspect, Planned};

/// The stable Bloom filter. **It forgets**: for a key inserted long ago,
/// [`contains`](Stable::contains) may be false and [`insert`](Stable::insert) true.
///
/// ```
/// use anther::{Options, Seed, Stable, Target};
///
/// // Of the latest 1000 clicks at most one in ten is forgotten, at any time.
/// let mut clicks = Stable::new(Target::new(1000, 0.01)?)?;
/// let bits = clicks.profile().bits;
/// let mut duplicates = 0;
/// for click in 0..100_000u32 {
///     assert!(clicks.insert(click) || clicks.contains(click));
///     // Each is repeated 900 clicks later.
///     duplicates += u32::from(click >= 900 && clicks.contains(click - 900));
/// }
/// assert!(duplicates > 90_000, "{duplicates} of 99,100 were detected");
/// assert!(clicks.profile().fpr_now < 0.02, "as at the start of the day");
/// assert_eq!(clicks.profile().bits, bits);
/// assert!(clicks.profile().may_forget());
///
/// // Forgetting only one in a hundred of the latest 1000 costs a quarter more.
/// let options = Options::new().misses(0.01);
/// let better = Stable::with_options(Target::new(1000, 0.01)?, &options, Seed::FIXED)?;
/// assert!(better.profile().bits < bits * 5 / 4);
/// # Ok::<(), anther::SizeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Stable {
    probes: Spread,
    cells: Packed,
    decrements: u64,
    /// The source of the random starts. Not the number of inserts in [`About`]: that one is
    /// advisory, and a file may claim any.
    arrivals: u64,
    about: About,
}

/// The first state of the random starts: fractional bits of pi, to be independent of hashes from a
/// plain SplitMix64, which begins at 0.
const STARTS: KeyHash = KeyHash(0x4528_21E6_38D0_1377);

impl Stable {
    /// The share of the window's oldest keys that may be forgotten, by default.
    pub const DEFAULT_MISSES: f64 = 0.1;
    const LEAST_MISSES: f64 = 1e-6;
    const MOST_MISSES: f64 = 0.9;

    /// Makes an empty filter of `cells` cells of `counter_bits` bits, with `probes` probes per key,
    /// that decrements `decrements` cells with each insert.
    pub fn with_cells(
        cells: u64,
        probes: u32,
        counter_bits: u32,
        decrements: u64,
        seed: Seed,
    ) -> Result<Stable, SizeError> {
        let bits = check_width(counter_bits)?;
        cells::spread(Kind::Stable, cells, probes, bits)?;
        if !(1..=cells).contains(&decrements) {
            let (got, least, most) = (decrements as f64, 1.0, cells as f64);
            return Err(SizeError::Option {
                kind: Kind::Stable,
                name: "decrements",
                got,
                least,
                most,
            });
        }
        Stable::sized(Chain { cells, probes, bits, decrements }, seed, None)
    }

    fn sized(chain: Chain, seed: Seed, target: Option<Target>) -> Result<Stable, SizeError> {
        Ok(Stable {
            probes: Spread::new(chain.cells, chain.probes),
            cells: Packed::zeroed(chain.cells, chain.bits)?,
            decrements: chain.decrements,
            arrivals: 0,
            about: About::new(seed, target),
        })
    }

    /// The Markov chain of the filter's cells: what it will forget, and its rate in the limit.
    pub fn chain(&self) -> Chain {
        Chain {
            cells: self.probes.cells(),
            probes: self.probes.probes(),
            bits: self.cells.width(),
            decrements: self.decrements,
        }
    }

    /// Decrements neighbouring cells from a random start, wrapping at the end.
    fn make_room(&mut self) {
        let all = self.cells.cells();
        let start = scale(STARTS.again(self.arrivals).0, all);
        self.arrivals = self.arrivals.wrapping_add(1);
        let to_end = self.decrements.min(all - start);
        self.cells.lower_run(start, to_end);
        self.cells.lower_run(0, self.decrements - to_end);
    }
}

fn check_width(counter_bits: u32) -> Result<u32, SizeError> {
    options::within(Kind::Stable, "counter-bits", counter_bits, 1, stable::MAX_BITS)
}

/// The chain for a target.
fn chain_for(target: Target, options: &Options) -> Result<Chain, SizeError> {
    let kind = Kind::Stable;
    let window = target.items();
    let misses = options.misses.unwrap_or(Stable::DEFAULT_MISSES);
    options::within(kind, "misses", misses, Stable::LEAST_MISSES, Stable::MOST_MISSES)?;
    let bits = options.counter_bits.map(check_width).transpose()?;
    let floor = hash_floor(window);
    if target.fpr() <= floor {
        return Err(SizeError::Fpr { kind, got: target.fpr(), least: floor });
    }
    // The floor adds to the cells' own rate. Beyond 2⁶⁰ bits the number does not matter.
    match stable::size(target.fpr() - floor, window, misses, bits, 1 << 60) {
        Some(chain) => cells::check_bits(kind, chain.cells, chain.bits).map(|()| chain),
        None => Err(SizeError::TooLarge { kind, got: u64::MAX, most: cells::MAX_BITS }),
    }
}

impl Filter for Stable {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.probes.all(key, |cell| self.cells.get(cell) > 0)
    }

    super::asks_each_beyond_caches!(|filter, keys, found| filter.cells.words(), {
        cells::contains_above_zero(&filter.cells, filter.probes, keys, found);
    });

    /// The number of items cannot be estimated from the fill, since old keys are forgotten.
    fn profile(&self) -> Profile {
        let (cells, probes) = (self.probes.cells(), self.probes.probes());
        let occupied = (0..cells).filter(|cell| self.cells.get(*cell) > 0).count();
        let fill = occupied as f64 / cells as f64;
        let bits = cells * u64::from(self.cells.width());
        Profile {
            fpr_now: fill.powi(probes.cast_signed()),
            fill,
            ..self.about.profile(Kind::Stable, bits, probes)
        }
    }
}

impl Insert for Stable {
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        self.about.count(1);
        let new = !self.contains_hash(key);
        self.make_room();
        let max = self.cells.max();
        self.probes.each(key, |cell| self.cells.set(cell, max));
        Ok(new)
    }
}

impl Inspect for Stable {
    fn rows(&self) -> Vec<Row<'_>> {
        vec![Row::new("counters", View::packed(&self.cells))]
    }

    /// The key's own cells. Which others an insert decrements does not depend on the key.
    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        view::spread(0, self.probes, key)
    }
}

impl Planned for Stable {
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        let target = cells::with_window(Kind::Stable, target, options)?;
        let chain = chain_for(target, options)?;
        let fpr = chain.rate(target.items()) + hash_floor(target.items());
        Ok(Plan::new(chain.cells * u64::from(chain.bits), chain.probes, fpr))
    }
}

impl ForTarget for Stable {
    fn with_options(target: Target, options: &Options, seed: Seed) -> Result<Stable, SizeError> {
        let target = cells::with_window(Kind::Stable, target, options)?;
        Stable::sized(chain_for(target, options)?, seed, Some(target))
    }
}

impl Stored for Stable {
    const KIND: Kind = Kind::Stable;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        cells::describe(self.probes, sheet);
        sheet.field("counter.bits", u64::from(self.cells.width()));
        sheet.field("decrements", self.decrements);
        sheet.field("arrivals", self.arrivals);
        sheet.words("cells", self.cells.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Stable, LoadError> {
        let arrivals = parts.number("arrivals", 0..=u64::MAX)?;
        let width = parts.small("counter.bits", 1..=stable::MAX_BITS)?;
        let probes = cells::restore(parts, width)?;
        let decrements = parts.number("decrements", 1..=probes.cells())?;
        let cells = Packed::from_words(parts.words("cells")?, probes.cells(), width)
            .ok_or(LoadError::Section { name: "cells" })?;
        Ok(Stable { probes, cells, decrements, arrivals, about })
    }
}

super::methods_by_key!(Stable, about);
super::inserts_by_key!(Stable);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Open;

    /// The published rule, cell by cell, without packed words and runs.
    #[test]
    fn it_follows_the_published_rule() {
        for (cells, probes, bits, decrements) in
            [(1, 1, 1, 1), (100, 3, 1, 7), (1000, 4, 3, 67), (130, 2, 5, 129), (64, 3, 8, 64)]
        {
            let mut filter =
                Stable::with_cells(cells, probes, bits, decrements, Seed::FIXED).unwrap();
            let mut model = vec![0u64; cells as usize];
            let max = (1 << bits) - 1;
            for arrival in 0..2000 {
                let key = KeyHash(1).again(arrival % 700);
                let mut seen = true;
                Spread::new(cells, probes).each(key, |cell| seen &= model[cell as usize] > 0);
                assert_eq!(filter.insert_hash(key), Ok(!seen));
                let start = scale(STARTS.again(arrival).0, cells);
                for i in 0..decrements {
                    let cell = &mut model[((start + i) % cells) as usize];
                    *cell = cell.saturating_sub(1);
                }
                Spread::new(cells, probes).each(key, |cell| model[cell as usize] = max);
                assert!(filter.contains_hash(key), "the latest key is never forgotten");
            }
            assert!((0..cells).all(|cell| filter.cells.get(cell) == model[cell as usize]));
        }
    }

    /// Saved in the middle of a stream and read back, it continues as if it had not been saved.
    #[test]
    fn a_saved_filter_continues() {
        let mut filter = Stable::new(Target::new(500, 0.01).unwrap()).unwrap();
        filter.extend(0..3000u32);
        let mut bytes = Vec::new();
        filter.write_to(&mut bytes).unwrap();
        let mut again: Stable = Open::new().bytes(&bytes).unwrap();
        filter.extend(3000..6000u32);
        again.extend(3000..6000u32);
        assert_eq!(again, filter);
    }

    #[test]
    fn invalid_options_are_named() {
        let target = Target::new(1000, 0.01).unwrap();
        let refused = |options: Options| {
            Stable::with_options(target, &options, Seed::FIXED).unwrap_err().to_string()
        };
        let of = "of a stable filter cannot be";
        let range = "it can be 1e-6 to 0.9";
        assert_eq!(refused(Options::new().misses(0.0)), format!("misses {of} 0; {range}"));
        assert_eq!(refused(Options::new().misses(0.95)), format!("misses {of} 0.95; {range}"));
        assert_eq!(refused(Options::new().misses(f64::NAN)), format!("misses {of} NaN; {range}"));
        assert_eq!(
            refused(Options::new().counter_bits(9)),
            format!("counter-bits {of} 9; it can be 1 to 8")
        );
        assert!(refused(Options::new().counter_bits(0)).starts_with("counter-bits"));
        assert!(refused(Options::new().window(0)).starts_with("window of a stable filter"));
        assert!(refused(Options::new().window(u64::MAX)).starts_with("window of a stable filter"));
        let large = Stable::plan(target, &Options::new().window(1 << 45)).unwrap_err();
        assert!(matches!(large, SizeError::TooLarge { got, .. } if got < u64::MAX), "{large}");

        let made = |cells, probes, bits, decrements| {
            Stable::with_cells(cells, probes, bits, decrements, Seed::FIXED)
        };
        assert!(matches!(made(0, 1, 1, 1), Err(SizeError::TooSmall { .. })));
        assert!(matches!(made(1 << 46, 1, 8, 1), Err(SizeError::TooLarge { .. })));
        assert!(matches!(made(10, 65, 1, 1), Err(SizeError::Probes { .. })));
        for decrements in [0, 11] {
            let error = made(10, 1, 1, decrements).unwrap_err().to_string();
            let text = format!("decrements {of} {decrements}; it can be 1 to 10");
            assert_eq!(error, text);
        }
    }

    /// The options keep their promises: the share of the window's oldest keys that is forgotten,
    /// and the rate in the limit, in cells of any width.
    #[test]
    fn a_window_is_remembered_as_planned() {
        for (window, misses, bits) in [(100, 0.5, None), (2000, 0.02, None), (300, 0.1, Some(2))] {
            let mut options = Options::new().window(window).misses(misses);
            options.counter_bits = bits;
            let target = Target::new(1_000_000, 0.05).unwrap();
            let mut filter = Stable::with_options(target, &options, Seed::FIXED).unwrap();
            let planned = filter.chain();
            assert!(planned.misses(window) <= misses && planned.stable_rate() <= 0.05);
            assert!(bits.is_none_or(|bits| planned.bits == bits));
            let (mut missed, mut found) = (0, 0);
            let (warm, asked) = (20 * window, 30_000);
            for i in 0..warm + asked {
                filter.insert_hash(KeyHash(2).again(i)).unwrap();
                if i >= warm {
                    missed += u64::from(!filter.contains_hash(KeyHash(2).again(i + 1 - window)));
                    found += u64::from(filter.contains_hash(KeyHash(3).again(i)));
                }
            }
            // Neighbouring queries share cells, hence the wide tolerance.
            let (missed, found) = (missed as f64 / asked as f64, found as f64 / asked as f64);
            assert!((missed / planned.misses(window) - 1.0).abs() < 0.2, "{missed} {planned:?}");
            assert!((found / planned.stable_rate() - 1.0).abs() < 0.2, "{found} {planned:?}");
        }
    }
}
