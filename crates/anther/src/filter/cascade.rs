//! The cascade: two ribbons that tell the keys of one list from those of another, without a single
//! error (Schanck, "Clubcards for the WebPKI", 2025; the idea of a cascade is CRLite's, Larisch,
//! Choffnes, Levin, Maggs, Mislove and Wilson 2017).
//!
//! **For**: lists on which a false positive does harm, and whose other keys are known: revoked among
//! all certificates, blocked among all customers' domains, malware among all files of a system. It
//! says yes to every key of the first list, and no to every key of the second. Other keys are false
//! positives at the false-positive rate, as in any filter. **Not for** sets that change, and not
//! where the second list is unknown: [`Ribbon`] is that without it.
//!
//! It takes 5 to 13 % more bits than the entropy of the two lists, where a cascade of Bloom filters
//! takes 70 %: 8.13 bits per key of the first list where that is 1.43 % of both. A lookup takes as
//! long as in a ribbon for keys that the first layer rejects, and about 1.5 times as long for the
//! others. Building takes 40 bytes for each key of the first list, or 13 where a low rate lets few
//! others pass, and none for those of the second, however many there are.
//!
//! **How.** The first layer is a ribbon of the members. A share of the other keys passes it. The
//! second layer is a ribbon of one column, in which the members' equations hold, and those of the
//! other keys that passed do not: a map to one bit. More columns in the first layer let fewer keys
//! pass; [`sizing::cascade`](crate::sizing::cascade) says how many columns make both layers
//! smallest. A key of neither list passes the first layer at its rate, and the second with
//! probability ½.
//!
//! **One pass.** The best number of columns depends on how many other keys there are, which is known
//! only at their end. So the first layer is solved with more columns than it will have. The columns
//! of a ribbon do not depend on each other: cutting off the last ones leaves a ribbon of the same
//! keys. While the other keys are read, those that pass the columns in use are kept; when they
//! become too many for the columns to be the best number, one column is added and those that it
//! rejects are dropped. Repeated keys are dropped, too, so the result depends neither on their
//! number nor on any order.
//!
//! **Rejected.** A cascade of many layers, each with the errors of the one before: 60 % more bits
//! with Bloom filters and a sixth with ribbons (`anther figure cascade`), and a lookup reads up to
//! 20 of them. Rates between powers of two for the first layer: a ribbon mixes columns for them, and
//! no mixture is smaller than the better of the two.

use super::cells;
use super::ribbon::{Ribbon, Width};
use crate::batch::sort::sort;
use crate::batch::source::{KeySource, Work};
use crate::error::{BuildError, LoadError, OutOfMemory, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::Options;
use crate::parts::hash::{Key, KeyHash, Seed};
use crate::parts::view::{Row, Touch};
use crate::profile::{About, Profile};
use crate::sizing::bound;
use crate::sizing::cascade as sizing;
use crate::sizing::estimate::Estimate;
use crate::target::{Plan, Target};
use crate::traits::{Build, Filter, Inspect, Planned};

mod kept;

use kept::Kept;

/// The cascade.
///
/// ```
/// use anther::Cascade;
///
/// let revoked = (0..1000).map(|i| format!("serial {i}"));
/// let valid = (1000..70_000).map(|i| format!("serial {i}"));
/// let list = Cascade::build(revoked, valid, None)?;
/// assert!((0..1000).all(|i| list.contains(format!("serial {i}"))));
/// assert!((1000..70_000).all(|i| !list.contains(format!("serial {i}"))), "no error at all");
/// # Ok::<(), anther::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cascade {
    /// The members. `None` where the map alone takes the fewest bits: there are fewer than twice as
    /// many other keys as members, and no rate was asked for.
    filter: Option<Ribbon>,
    /// Yes for the members, no for the other keys that pass the filter. In a box, because fewer
    /// lookups come to it, and no other kind is as large.
    map: Box<Ribbon>,
    /// The number of distinct members.
    items: u64,
    /// How many other keys were read, with repetitions.
    others: u64,
    about: About,
}

/// The draw of the map's hash: beyond those that a ribbon uses itself. With the hash of the first
/// layer, the keys that pass it would not be independent in the second.
const MAP: u64 = (1 << 10) + 2;

/// The columns that the first layer is solved with, of which the best number is kept. With more
/// other keys than 2²⁴ for each member, the map gets some of them that another column would have
/// rejected. More columns take more memory, and slow down the pass over the other keys.
const MOST_COLUMNS: u32 = 24;

impl Cascade {
    /// Builds the cascade that says yes to all members and no to all others, with the fixed seed. Keys
    /// may be repeated within a list. A key in both lists is [`BuildError::InBoth`].
    ///
    /// `fpr` is the highest false-positive rate for keys of neither list. Without it, the cascade is
    /// as small as the two lists allow; [`Profile::fpr_now`] tells the rate, which is at most ½, and
    /// between n/4g and n/2g for n members and g others.
    pub fn build<K: Key, O: Key>(
        members: impl IntoIterator<Item = K>,
        others: impl IntoIterator<Item = O>,
        fpr: Option<f64>,
    ) -> Result<Cascade, BuildError> {
        let seed = Seed::FIXED;
        let mut members: Vec<_> = members.into_iter().map(|key| key.key_hash(&seed)).collect();
        let mut others = Once(others.into_iter().map(|key| key.key_hash(&seed)));
        Cascade::build_lists(&mut members, &mut others, fpr, seed, Work::new())
    }

    /// Builds the cascade of these hashes, which are read once: first the members, then the others.
    ///
    /// Takes about 40 bytes of memory per member: 8 for its hash, 3 for the columns of the first
    /// layer, up to 20 for other keys that pass it, and the rest while the layers are solved. The
    /// members' hashes are held whatever [`Work::memory`] says.
    pub fn build_lists(
        members: &mut dyn KeySource,
        others: &mut dyn KeySource,
        fpr: Option<f64>,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<Cascade, BuildError> {
        let members = collect(members, work)?;
        let items = members.len() as u64;
        let target = |fpr| Target::new(items.max(1), fpr).map_err(SizeError::from);
        let target = fpr.map(target).transpose()?;
        target.map_or(Ok(()), check)?;
        if items == 0 {
            return Cascade::empty(others, target, seed);
        }

        let (least, share) = sizing::least_columns(items, fpr);
        let most = MOST_COLUMNS.max(least + 1);
        let part = in_parts(work, members.len(), size_of::<KeyHash>());
        let wide =
            Ribbon::solve(&mut &members[..], items, Width::new(most, 1.0), of_layer(), part)?;
        let mut kept = Kept::new(&wide, least, most, work.cores());
        others.each(&mut |keys| kept.extend(keys))?;
        let (columns, mut kept, others) = kept.finish()?;
        if let Some(key) = common(&members, &kept) {
            return Err(BuildError::InBoth { key });
        }

        let share = if columns == least { share } else { 1.0 };
        let filter = match (columns, share < 1.0) {
            (0, false) => None,
            _ => Some(wide.narrowed(Width::new(columns, share))?),
        };
        drop(wide);
        if let Some(filter) = filter.as_ref().filter(|_| share < 1.0) {
            kept.retain(|key| filter.contains_hash(*key));
        }
        let all = members.len() + kept.len();
        let part = in_parts(work.quiet(), all, size_of::<(KeyHash, u64)>());
        let mut both = Both { members: &members, others: &kept };
        let map = Ribbon::solve(&mut both, all as u64, Width::new(1, 1.0), of_layer(), part)?;
        // Without a target, what the lists came to is what it was made for.
        let reached = 0.5f64.powi(columns.cast_signed() + 1) + bound::hash_floor(items);
        let target = match target {
            Some(target) => target,
            None => Target::new(items, reached).map_err(SizeError::from)?,
        };
        let mut about = About::new(seed, Some(target));
        about.count(items);
        Ok(Cascade { filter, map: Box::new(map), items, others, about })
    }

    /// The cascade of no members, which says no to everything.
    fn empty(
        others: &mut dyn KeySource,
        target: Option<Target>,
        seed: Seed,
    ) -> Result<Cascade, BuildError> {
        let mut read = 0u64;
        others.each(&mut |keys| read = read.saturating_add(keys.len() as u64))?;
        let (none, one): (&[KeyHash], _) = (&[], Width::new(1, 1.0));
        let map = Ribbon::solve(&mut { none }, 0, one, of_layer(), Work::new())?;
        let half = || Target::new(1, 0.5).map_err(SizeError::from);
        let target = target.map_or_else(half, Ok)?;
        let about = About::new(seed, Some(target));
        Ok(Cascade { filter: None, map: Box::new(map), items: 0, others: read, about })
    }

    /// How many keys of the second list were read, with repetitions: it says no to all of them.
    pub fn others(&self) -> u64 {
        self.others
    }

    /// How many distinct keys of the second list pass the first layer, and are in the second.
    pub fn kept(&self) -> u64 {
        self.map.items() - self.items
    }

    /// The columns of the first layer; 0 if there is only the second.
    pub fn columns(&self) -> u32 {
        self.filter.as_ref().map_or(0, Ribbon::columns)
    }

    /// Whether the key passes the first layer, as all members do.
    #[inline]
    pub fn passes_hash(&self, key: KeyHash) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.contains_hash(key))
    }

    fn layers(&self) -> impl Iterator<Item = &Ribbon> {
        self.filter.iter().chain([&*self.map])
    }

    /// Total bits of both layers.
    fn bits(&self) -> u64 {
        self.layers().map(Ribbon::bits).sum()
    }

    /// The false-positive rate for keys of neither list, without the floor of the hash.
    fn fpr(&self) -> f64 {
        self.layers().map(Ribbon::fpr).product()
    }
}

/// The layers hash no keys.
fn of_layer() -> About {
    About::new(Seed::EXTERNAL, None)
}

/// Work on a list that is in memory already: solved in eight parts, only one of them is copied.
fn in_parts(work: Work<'_>, keys: usize, size: usize) -> Work<'_> {
    let bytes = (keys as u64).saturating_mul(size as u64) / 8;
    work.memory(bytes.min(work.most_memory()))
}

/// Whether a target can be met.
fn check(target: Target) -> Result<(), SizeError> {
    let (items, fpr) = (target.items(), target.fpr());
    // The columns of the lowest rate, 10⁻¹⁸, are 59.
    let least = bound::hash_floor(items);
    if fpr <= least {
        return Err(SizeError::Fpr { kind: Kind::Cascade, got: fpr, least });
    }
    cells::check_bits(Kind::Cascade, sizing::bits(items, 0, Some(fpr)), 1)
}

/// All hashes, sorted and deduplicated.
fn collect(source: &mut dyn KeySource, work: Work<'_>) -> Result<Vec<KeyHash>, BuildError> {
    let mut keys = match source.give() {
        Some(keys) => keys,
        None => {
            let (mut keys, mut refused) = (Vec::new(), None);
            source.each(&mut |batch| {
                let bytes = ((keys.len() + batch.len()) as u64).saturating_mul(8);
                match keys.try_reserve(batch.len()) {
                    Ok(()) if refused.is_none() => keys.extend_from_slice(batch),
                    Ok(()) => {}
                    Err(_) => refused = Some(OutOfMemory { bytes }),
                }
            })?;
            refused.map_or(Ok(keys), Err)?
        }
    };
    sort(&mut keys, work.cores());
    keys.dedup();
    keys.shrink_to_fit();
    Ok(keys)
}

/// The first hash that is in both lists, which are sorted.
fn common(members: &[KeyHash], others: &[KeyHash]) -> Option<KeyHash> {
    let mut rest = others;
    members.iter().copied().find(|member| {
        let below = rest.partition_point(|other| other < member);
        rest = &rest[below..];
        rest.first() == Some(member)
    })
}

/// Keys of an iterator, which can be read once.
struct Once<I>(I);

impl<I: Iterator<Item = KeyHash>> KeySource for Once<I> {
    fn each(&mut self, take: &mut dyn FnMut(&[KeyHash])) -> Result<(), BuildError> {
        let mut buffer = Vec::with_capacity(BATCH);
        loop {
            buffer.extend(self.0.by_ref().take(BATCH));
            if buffer.is_empty() {
                return Ok(());
            }
            take(&buffer);
            buffer.clear();
        }
    }
}

const BATCH: usize = 4096;

/// What the map is solved for: the hashes in it, and whether its equation must not hold.
struct Both<'a> {
    members: &'a [KeyHash],
    others: &'a [KeyHash],
}

impl KeySource<(KeyHash, u64)> for Both<'_> {
    fn each(&mut self, take: &mut dyn FnMut(&[(KeyHash, u64)])) -> Result<(), BuildError> {
        let mut pairs = [(KeyHash(0), 0); 256];
        for (keys, differs) in [(self.members, 0), (self.others, 1)] {
            for keys in keys.chunks(pairs.len()) {
                for (pair, key) in pairs.iter_mut().zip(keys) {
                    *pair = (key.again(MAP), differs);
                }
                take(&pairs[..keys.len()]);
            }
        }
        Ok(())
    }
}

impl Filter for Cascade {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.passes_hash(key) && self.map.contains_hash(key.again(MAP))
    }

    fn profile(&self) -> Profile {
        let rate = || self.fpr() + bound::hash_floor(self.items);
        let probes = self.layers().map(|layer| layer.columns() + 1).sum();
        Profile {
            items: Some(Estimate::exactly(self.items)),
            target: self.about.target_of(self.items),
            fpr_now: if self.items == 0 { 0.0 } else { rate() },
            // As in a ribbon, every slot is used.
            fill: if self.items == 0 { 0.0 } else { 1.0 },
            ..self.about.profile(Kind::Cascade, self.bits(), probes)
        }
    }
}

impl Inspect for Cascade {
    /// The rows of both ribbons, those of the filter first. The slots of the second are its "map".
    fn rows(&self) -> Vec<Row<'_>> {
        let first = self.filter.as_ref().map_or(Vec::new(), Inspect::rows);
        let before = first.iter().map(|row| row.layer + 1).max().unwrap_or(0);
        let second = self.map.rows().into_iter().map(|row| {
            let name = if row.name == "slots" { "map" } else { row.name };
            row.named(name).of_layer(before + row.layer)
        });
        first.iter().copied().chain(second).collect()
    }

    /// What a lookup reads in both. It does not read the map if the filter rejects the key.
    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let mut touches = self.filter.as_ref().map_or(Vec::new(), |filter| filter.touches(key));
        let before = self.filter.as_ref().map_or(0, |filter| filter.rows().len());
        let there = |touch: Touch| Touch::new(before + touch.row, touch.cell);
        touches.extend(self.map.touches(key.again(MAP)).into_iter().map(there));
        touches
    }
}

impl Planned for Cascade {
    /// The fewest bits for these members: those for other keys come on top.
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        check(target)?;
        let (items, fpr) = (target.items(), Some(target.fpr()));
        let others = options.others.unwrap_or(0);
        let bits = sizing::bits(items, others, fpr);
        cells::check_bits(Kind::Cascade, bits, 1)?;
        let (few, share) = sizing::columns(items, others, fpr);
        let filter = if few == 0 && share >= 1.0 { 0 } else { few + 1 };
        Ok(Plan::new(bits, filter + 2, sizing::fpr(items, others, fpr)))
    }
}

impl Build for Cascade {
    /// Refuses: a cascade has two lists, and [`Cascade::build_lists`] takes both.
    fn build(
        _: &mut dyn KeySource,
        target: Target,
        options: &Options,
        _: Seed,
        _: Work<'_>,
    ) -> Result<Cascade, BuildError> {
        options.check(Kind::Cascade)?;
        check(target)?;
        Err(BuildError::OneList { kind: Kind::Cascade })
    }
}

impl Stored for Cascade {
    const KIND: Kind = Kind::Cascade;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("items", self.items);
        sheet.field("others", self.others);
        sheet.field("layers", self.layers().count() as u64);
        for (number, layer) in self.layers().enumerate() {
            sheet.part(number, |sheet| layer.describe(sheet));
        }
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Cascade, LoadError> {
        let items = parts.number("items", 0..=Target::MAX_ITEMS)?;
        let others = parts.number("others", 0..=u64::MAX)?;
        let layers = parts.small("layers", 1..=2)?;
        let mut layer = |number| {
            let mut own = parts.part(number);
            let mut ribbon = Ribbon::restore(&mut own, of_layer())?;
            let items = ribbon.items();
            ribbon.about_mut().count(items);
            own.finish()?;
            Ok::<_, LoadError>(ribbon)
        };
        let filter = (layers == 2).then(|| layer(0)).transpose()?;
        let map = layer(layers as usize - 1)?;
        let consistent = filter.as_ref().is_none_or(|filter| filter.items() == items)
            && map.items() >= items
            && map.columns() == 1;
        match consistent {
            true => Ok(Cascade { filter, map: Box::new(map), items, others, about }),
            false => Err(LoadError::Field {
                name: "items",
                got: items.to_string(),
                allowed: "what the layers have".to_string(),
            }),
        }
    }
}

super::methods_by_key!(Cascade, about);

#[cfg(test)]
mod tests;
