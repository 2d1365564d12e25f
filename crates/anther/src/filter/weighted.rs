//! The weighted Bloom filter: more probes for the keys that are queried most (Bruck, Gao and Jiang
//! 2006).
//!
//! **For**: sets where many of the queries are for a few absent keys that are known in advance: the
//! missing page that every browser requests, the users who are not customers and come back every
//! hour. A table of those keys and their numbers of probes is stored with the bits. **Not for**
//! anything else: without a table it is [`Classic`](crate::Classic), and a table costs 72 bits for
//! each key in it.
//!
//! A key is worth its entry when it takes more than 35/n of the queries, n being the number of
//! items ([`sizing::weighted::least_share`](crate::sizing::weighted::least_share)):
//! [`Queries::that_pay`] counts such keys. In the paper's experiment, 2000 items in 16,000 bits and
//! queries for 20,000 keys by Zipf's law, the false-positive rate falls from 2.16 % to 0.57 %. But
//! that takes a table of 900,000 bits, with which any filter's rate is 0. Only seven keys pay
//! there: in 16,000 bits including the table, the rate is 1.83 %. For a million items, 1000 keys
//! that take 90 % of the queries clearly pay: 0.8 % more bits, a tenth of the false positives.
//!
//! The number of probes is [`sizing::weighted`](crate::sizing::weighted)'s: log2(ρ/x)+level, where
//! ρ is how often the key is queried while absent, and x the probability that it is present. A
//! target's rate is that over all queries. The bits are those of a classic filter for the target,
//! so the rate is lower than the target's; but **a key without an entry may have up to twice the
//! target's rate**, and [`Profile::fpr_now`] is the rate of such a key. That holds as long as not
//! many more of the hot keys are in the set than announced.
//!
//! The file contains the hashes of the hot keys: anyone who guesses a key can see whether it is one
//! of them.

use super::cells;
use crate::error::{Full, LoadError, OutOfMemory, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::Options;
use crate::parts::bits::Bits;
use crate::parts::hash::{Key, KeyHash, Seed};
use crate::parts::packed::Packed;
use crate::parts::probes::Spread;
use crate::parts::view::{self, Row, Touch, View};
use crate::parts::words::Words;
use crate::profile::{About, Profile};
use crate::queries::Queries;
use crate::sizing::estimate::{self, Estimate};
use crate::sizing::{bloom, weighted};
use crate::target::{Plan, Target};
use crate::traits::{Filter, ForTarget, Insert, Inspect, Planned};

/// The weighted Bloom filter.
///
/// ```
/// use anther::{Classic, Key, Queries, Seed, Shape, Target, Weighted};
///
/// // 1000 keys that are not in the set take 90 % of the queries.
/// let hot = (1_000_000..1_001_000u64).map(|key| (key, 9));
/// let rare = (2_000_000..2_001_000u64).map(|key| (key, 1));
/// let log = hot.clone().chain(rare).map(|(key, count)| (key.key_hash(&Seed::FIXED), count));
/// let queries = Queries::counted(log)?.hot(1000).likelihood(0.001)?;
/// assert!(queries.that_pay(100_000) >= 1000, "each is worth its entry");
/// let target = Target::new(100_000, 0.05)?;
/// let mut set = Weighted::for_queries(target, &queries, Seed::FIXED)?;
/// set.extend(0..100_000u64);
/// assert!((0..100_000u64).all(|key| set.contains(key)), "no false negatives");
///
/// // A classic filter of as many bits, including those of the table.
/// let bits = set.profile().bits;
/// let mut classic = Classic::with_shape(Shape::bits(bits).items(100_000), Seed::FIXED)?;
/// classic.extend(0..100_000u64);
/// let wrong = hot.clone().filter(|(key, _)| classic.contains(*key)).count();
/// assert!((15..60).contains(&wrong), "3.4 % of the 1000: {wrong}");
/// assert_eq!(hot.clone().filter(|(key, _)| set.contains(*key)).count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Weighted {
    /// For a key that is not in the table.
    probes: Spread,
    bits: Bits,
    /// The hashes of the keys in the table, ascending.
    hot: Words,
    /// Their numbers of probes.
    hot_probes: Packed,
    about: About,
}

/// Bits per number of probes in the table.
const PROBES_WIDTH: u32 = 8;

impl Weighted {
    /// Makes an empty filter for a target and for queries like these.
    ///
    /// The target's rate is that over all queries for absent keys. Where no table improves on a
    /// classic filter, there is no table.
    pub fn for_queries(
        target: Target,
        queries: &Queries,
        seed: Seed,
    ) -> Result<Weighted, SizeError> {
        let size = cells::size(Kind::Weighted, target, 1)?;
        let about = About::new(seed, Some(target));
        Weighted::sized(size, target.items(), queries, about)
    }

    /// Makes an empty filter of `bits` bits, not counting the table, for `items` items and for
    /// queries like these.
    pub fn with_bits(
        bits: u64,
        items: u64,
        queries: &Queries,
        seed: Seed,
    ) -> Result<Weighted, SizeError> {
        let probes = bloom::best_probes(bits.max(1), items.max(1));
        Weighted::sized(bloom::Size { bits, probes }, items, queries, About::new(seed, None))
    }

    fn sized(
        size: bloom::Size,
        items: u64,
        queries: &Queries,
        about: About,
    ) -> Result<Weighted, SizeError> {
        cells::spread(Kind::Weighted, size.bits, size.probes, 1)?;
        let demands = queries.demands(items);
        let best = weighted::best_level(size.bits, items, size.probes, &demands);
        let mut table = Vec::new();
        if let Some(level) = best {
            let probes = demands.iter().map(|demand| level.probes(demand));
            let entries = queries.hot_keys().iter().zip(probes).map(|((key, _), k)| (key.0, k));
            // Keys with as many probes as all others need no entry.
            table.extend(entries.filter(|(_, probes)| *probes != level.others));
            table.sort_unstable();
        }
        let all = size.bits.saturating_add(table.len() as u64 * weighted::ENTRY_BITS);
        // Without entries it is a classic filter, whose best number of probes is known exactly.
        let others = best.filter(|_| !table.is_empty()).map_or(size.probes, |level| level.others);
        cells::spread(Kind::Weighted, all, others, 1)?;
        let (hot, hot_probes) = laid_out(&table)?;
        let probes = Spread::new(size.bits, others);
        Ok(Weighted { probes, bits: Bits::zeroed(size.bits)?, hot, hot_probes, about })
    }

    /// The number of keys with an entry in the table.
    pub fn hot_keys(&self) -> usize {
        self.hot.as_slice().len()
    }

    /// The bits of the table, which are included in the profile's bits.
    pub fn table_bits(&self) -> u64 {
        self.hot_keys() as u64 * weighted::ENTRY_BITS
    }

    /// The number of probes for a key.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](Seed::can_hash).
    pub fn probes_of(&self, key: impl Key) -> u32 {
        self.spread(key.key_hash(&self.about.seed)).probes()
    }

    /// The probes of a key. Inserts and lookups use the same ones, so a hot key that is a member is
    /// found.
    #[inline]
    fn spread(&self, key: KeyHash) -> Spread {
        match self.hot.as_slice().binary_search(&key.0) {
            Ok(at) => self.hot_spread(at),
            Err(_) => self.probes,
        }
    }

    fn hot_spread(&self, at: usize) -> Spread {
        #[expect(clippy::cast_possible_truncation, reason = "1 to 64, as checked when read")]
        Spread::new(self.probes.cells(), self.hot_probes.get(at as u64) as u32)
    }

    /// As in a classic filter, except that the hot keys that look present had other numbers of
    /// probes.
    fn items(&self, ones: u64) -> Estimate {
        let probes = f64::from(self.probes.probes());
        let all = estimate::classic(self.probes.cells(), self.probes.probes(), ones);
        let present = (0..).zip(self.hot.as_slice()).filter_map(|(at, hash)| {
            let spread = self.hot_spread(at);
            spread.all(KeyHash(*hash), |bit| self.bits.get(bit)).then_some(spread.probes())
        });
        let more: f64 = present.map(|of_hot| 1.0 - f64::from(of_hot) / probes).sum();
        Estimate { items: (all.items + more).max(0.0), ..all }
    }
}

/// Packs a sorted table into words.
fn laid_out(table: &[(u64, u32)]) -> Result<(Words, Packed), OutOfMemory> {
    let mut hashes = Words::zeroed(table.len())?;
    let mut counts = Packed::zeroed(table.len() as u64, PROBES_WIDTH)?;
    for (at, (hash, probes)) in table.iter().enumerate() {
        hashes.to_mut()[at] = *hash;
        counts.set(at as u64, u64::from(*probes));
    }
    Ok((hashes, counts))
}

impl Filter for Weighted {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.spread(key).all(key, |bit| self.bits.get(bit))
    }

    super::asks_each_beyond_caches!(|filter, keys, found| filter.bits.words(), {
        cells::contains_ones(&filter.bits, keys.map(|key| (key, filter.spread(key))), found);
    });

    fn profile(&self) -> Profile {
        let ones = self.bits.ones();
        let fill = ones as f64 / self.bits.len() as f64;
        let probes = self.probes.probes();
        Profile {
            items: Some(self.items(ones)),
            fpr_now: fill.powi(probes.cast_signed()),
            fill,
            ..self.about.profile(Kind::Weighted, self.bits.len() + self.table_bits(), probes)
        }
    }
}

impl Insert for Weighted {
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        self.about.count(1);
        let mut new = false;
        self.spread(key).each(key, |bit| new |= self.bits.set(bit));
        Ok(new)
    }
}

impl Inspect for Weighted {
    /// The bits and, where there is a table, its hashes and their numbers of probes.
    fn rows(&self) -> Vec<Row<'_>> {
        let mut rows = vec![Row::new("bits", View::of(&self.bits))];
        if self.hot_keys() > 0 {
            let hashes = View::words(self.hot.as_slice(), self.hot_keys() as u64, u64::BITS);
            rows.push(Row::new("hot hashes", hashes).without_marks());
            rows.push(Row::new("hot probes", View::packed(&self.hot_probes)).without_marks());
        }
        rows
    }

    /// A key of the table touches its entry first. Entries read by the binary search on the way
    /// there, or in vain, do not count.
    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let entry = self.hot.as_slice().binary_search(&key.0).ok();
        let of_table = entry.map(|at| [1, 2].map(|row| Touch::new(row, at as u64)));
        let mut touches = Vec::from_iter(of_table.into_iter().flatten());
        touches.extend(view::spread(0, self.spread(key), key));
        touches
    }
}

/// Without a table: every key has the probes of a classic filter.
impl Planned for Weighted {
    fn plan(target: Target, _: &Options) -> Result<Plan, SizeError> {
        let size = cells::size(Kind::Weighted, target, 1)?;
        let fpr = bloom::rate(size.bits, target.items(), size.probes);
        Ok(Plan::new(size.bits, size.probes, fpr))
    }
}

impl ForTarget for Weighted {
    fn with_options(target: Target, _: &Options, seed: Seed) -> Result<Weighted, SizeError> {
        let size = cells::size(Kind::Weighted, target, 1)?;
        let probes = cells::spread(Kind::Weighted, size.bits, size.probes, 1)?;
        let (hot, hot_probes) = laid_out(&[])?;
        let bits = Bits::zeroed(size.bits)?;
        Ok(Weighted { probes, bits, hot, hot_probes, about: About::new(seed, Some(target)) })
    }
}

impl Stored for Weighted {
    const KIND: Kind = Kind::Weighted;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("bits", self.probes.cells());
        sheet.field("probes", u64::from(self.probes.probes()));
        sheet.words("bits", self.bits.words());
        sheet.words("hot", self.hot.as_slice());
        sheet.words("probes", self.hot_probes.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Weighted, LoadError> {
        let cells = parts.number("bits", 1..=cells::MAX_BITS)?;
        let probes = Spread::new(cells, parts.small("probes", 1..=Spread::MAX_PROBES)?);
        let bits = Bits::from_words(parts.words("bits")?, cells)
            .ok_or(LoadError::Section { name: "bits" })?;
        let hot = parts.words("hot")?;
        if !hot.as_slice().is_sorted_by(|a, b| a < b) {
            return Err(LoadError::Section { name: "hot" });
        }
        let entries = hot.as_slice().len() as u64;
        let possible = 1..=u64::from(Spread::MAX_PROBES);
        let hot_probes = Packed::from_words(parts.words("probes")?, entries, PROBES_WIDTH)
            .filter(|row| (0..entries).all(|entry| possible.contains(&row.get(entry))))
            .ok_or(LoadError::Section { name: "probes" })?;
        Ok(Weighted { probes, bits, hot, hot_probes, about })
    }
}

super::methods_by_key!(Weighted, about);
super::inserts_by_key!(Weighted);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::classic::Classic;
    use crate::{Insert, Open};

    fn target() -> Target {
        Target::new(10_000, 0.01).unwrap()
    }

    /// `hot` keys that take most of the queries, and as many again that were queried once.
    fn queries(hot: u64) -> Queries {
        let often = (0..hot).map(|i| (i.key_hash(&Seed::FIXED), 20 + i % 7));
        let once = (hot..2 * hot).map(|i| (i.key_hash(&Seed::FIXED), 1));
        let queries = Queries::counted(often.chain(once)).unwrap();
        queries.hot(hot as usize).likelihood(0.01).unwrap()
    }

    fn bytes_of(filter: &Weighted) -> Vec<u8> {
        let mut bytes = Vec::new();
        filter.write_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn without_a_table_it_is_the_classic_filter() {
        let none = Queries::counted([]).unwrap();
        let made = [
            Weighted::new(target()).unwrap(),
            Weighted::for_queries(target(), &none, Seed::FIXED).unwrap(),
            Weighted::for_queries(target(), &queries(10).hot(0), Seed::FIXED).unwrap(),
        ];
        let mut classic = Classic::new(target()).unwrap();
        classic.extend(0..10_000u64);
        for mut filter in made {
            filter.extend(0..10_000u64);
            assert_eq!((filter.hot_keys(), filter.table_bits()), (0, 0));
            assert!((0..50_000u64).all(|key| filter.contains(key) == classic.contains(key)));
            let (ours, theirs) = (filter.profile(), classic.profile());
            assert_eq!(
                (ours.bits, ours.fpr_now, ours.items),
                (theirs.bits, theirs.fpr_now, theirs.items)
            );
        }
    }

    /// Hot members and others: all are found, also after saving and loading.
    #[test]
    fn members_are_found_hot_or_not() {
        for hot in [1, 10, 200, 5000] {
            let mut filter = Weighted::for_queries(target(), &queries(hot), Seed::FIXED).unwrap();
            assert!(filter.hot_keys() as u64 <= hot && filter.hot_keys() > 0);
            let before = filter.profile();
            assert_eq!(filter.table_bits(), 72 * filter.hot_keys() as u64);
            assert_eq!(
                before.bits,
                Weighted::new(target()).unwrap().profile().bits + filter.table_bits()
            );
            assert_eq!((before.fpr_now, before.items.unwrap().items), (0.0, 0.0));
            // A hundredth of the hot keys are members, as announced.
            let members = || (0..hot).step_by(100).chain(100_000..109_900u64);
            members().for_each(|key| {
                filter.insert(key);
            });
            assert!(members().all(|key| filter.contains(key)));
            let again: Weighted = Open::new().bytes(&bytes_of(&filter)).unwrap();
            assert_eq!(again, filter);
            assert!(members().all(|key| again.contains(key)));
            assert!(filter.probes_of(0u64) > filter.probes_of(1u64 << 40));
            let items = filter.profile().items.unwrap();
            let error = (items.items - members().count() as f64).abs();
            assert!(error < 6.0 * items.deviation, "{hot}: {items:?}");
            // The guarantee: at most twice the rate for a key without an entry, up to chance.
            assert!(filter.profile().fpr_now < 0.021, "{hot}: {}", filter.profile().fpr_now);
        }
    }

    #[test]
    fn edge_sizes() {
        for (items, fpr) in [(1, 0.999_999), (1, 1e-8), (2, 0.5), (8, 0.023), (1000, 1e-8)] {
            let target = Target::new(items, fpr).unwrap();
            for hot in [1, 3, 1000] {
                let mut filter = Weighted::for_queries(target, &queries(hot), Seed::FIXED).unwrap();
                for key in 0..items {
                    filter.insert(key);
                    assert!(filter.contains(key), "{items} {fpr} {hot}");
                }
            }
        }
        let far = Target::new(1 << 40, 1e-8).unwrap();
        let error = Weighted::for_queries(far, &queries(3), Seed::FIXED).unwrap_err();
        assert!(matches!(error, SizeError::Fpr { kind: Kind::Weighted, .. }), "{error:?}");
        let error = Weighted::with_bits(0, 10, &queries(3), Seed::FIXED).unwrap_err();
        assert!(matches!(error, SizeError::TooSmall { .. }), "{error:?}");
        // The table makes it too large.
        let error = Weighted::with_bits(cells::MAX_BITS, 1 << 43, &queries(3), Seed::FIXED);
        assert!(matches!(error, Err(SizeError::TooLarge { .. })), "{error:?}");
    }

    /// Malformed tables: out of order, a repeated key, no probes, too many.
    #[test]
    fn a_forged_table_is_rejected() {
        let mut filter = Weighted::for_queries(target(), &queries(20), Seed::FIXED).unwrap();
        filter.insert_hash(KeyHash(1)).unwrap();
        let refused =
            |forged: &Weighted| Open::new().bytes::<Weighted>(&bytes_of(forged)).unwrap_err();
        for (from, to) in [(0, 1), (3, 9)] {
            let mut forged = filter.clone();
            let hashes = forged.hot.to_mut();
            hashes.swap(from, to);
            assert!(matches!(refused(&forged), LoadError::Section { name: "hot" }));
            let mut forged = filter.clone();
            let hashes = forged.hot.to_mut();
            hashes[from + 1] = hashes[from];
            assert!(matches!(refused(&forged), LoadError::Section { name: "hot" }));
        }
        for probes in [0, 65, 255] {
            let mut forged = filter.clone();
            forged.hot_probes.set(7, probes);
            assert!(matches!(refused(&forged), LoadError::Section { name: "probes" }));
        }
        let mut forged = filter;
        forged.hot_probes = Packed::zeroed(100, PROBES_WIDTH).unwrap();
        assert!(matches!(refused(&forged), LoadError::Section { name: "probes" }));
    }
}
