//! A filter in numbers.

use crate::batch::in_blocks;
use crate::error::{KeyError, Mismatch};
use crate::kind::Kind;
use crate::parts::hash::{Key, KeyHash, Seed};
use crate::recipe::{Entries, KeyForm, KeyRule, Reach, Recipe, RuledKey};
use crate::sizing::bound;
use crate::sizing::estimate::Estimate;
use crate::target::Target;
use std::ops::Range;

/// What a filter was made for and with, apart from its cells: the same for every kind.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// How its keys are hashed.
    pub seed: Seed,
    /// What it was made for; `None` if it was made from a shape.
    pub target: Option<Target>,
    /// Number of inserts. Advisory: no answer depends on it.
    pub inserted: u64,
    /// How its keys were extracted from the input, if the program did that.
    pub recipe: Option<Recipe>,
}

/// Keys that are looked up at a time with what they are below: at all 128 levels, that of as many
/// keys takes 32 MiB.
const BELOW_BLOCK: usize = 1 << 14;

/// Whether two rules make the same keys, or neither filter has one.
pub(crate) fn same_keys(ours: Option<KeyRule>, theirs: Option<KeyRule>) -> bool {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => ours.makes_same_keys(&theirs),
        (ours, theirs) => ours == theirs,
    }
}

impl About {
    pub(crate) fn new(seed: Seed, target: Option<Target>) -> About {
        About { seed, target, inserted: 0, recipe: None }
    }

    /// Whether the other filter has the same keys: hashed alike, by the same rule. Where they were in
    /// their inputs makes no difference.
    pub(crate) fn check_alike(&self, other: &About) -> Result<(), Mismatch> {
        if self.seed != other.seed {
            return Err(Mismatch::Seed);
        }
        if !same_keys(self.rule(), other.rule()) || self.reach().keys() != other.reach().keys() {
            let name = |about: &About| match about.rule() {
                Some(rule) => format!("{rule}{}", about.reach()),
                None => "keys given by a program".to_string(),
            };
            return Err(Mismatch::Rule { ours: name(self), theirs: name(other) });
        }
        Ok(())
    }

    /// Checks that no entry of one filter can be below an entry of the other. Domains of one number of
    /// labels are not. In other forms, single keys without a level may be below an entry.
    pub(crate) fn check_no_entry_is_below(&self, other: &About) -> Result<(), Mismatch> {
        let levels = self.reach().levels() | other.reach().levels();
        let is_domain = self.rule().is_some_and(|rule| rule.form == KeyForm::Domain);
        match levels.count_ones() {
            0 => Ok(()),
            1 if is_domain => Ok(()),
            _ => Err(Mismatch::Below),
        }
    }

    /// Counts the inserts of a filter that is merged into this one, and adds the levels of its
    /// entries.
    pub(crate) fn take_in(&mut self, other: &About) {
        self.count(other.inserted);
        self.add_levels(other.reach().levels());
    }

    /// Adds levels at which there are entries that stand for many keys.
    pub(crate) fn add_levels(&mut self, levels: u128) {
        if let Some(Recipe { reach: Some(reach), .. }) = &mut self.recipe {
            reach.add(levels);
        }
    }

    /// What the entries stand for: themselves alone unless the recipe says otherwise.
    pub fn reach(&self) -> Reach {
        self.recipe.as_ref().and_then(|recipe| recipe.reach).unwrap_or(Reach::EXACT)
    }

    /// The rule of its keys, if it was made with a recipe.
    pub fn rule(&self) -> Option<KeyRule> {
        self.recipe.as_ref().map(|recipe| recipe.rule)
    }

    /// The hash of a key, by the rule if there is one. Without a recipe, keys of every type are
    /// taken as they are.
    ///
    /// # Panics
    /// When the seed [cannot hash](Seed::can_hash).
    pub fn key_hash(&self, key: impl Key) -> Result<KeyHash, KeyError> {
        match self.rule() {
            Some(rule) => rule.with_key(key, |key| match self.recipe_takes(rule, key) {
                true => Ok(key.key_hash(&self.seed)),
                false => Err(KeyError::Network),
            })?,
            None => Ok(key.key_hash(&self.seed)),
        }
    }

    /// Whether networks can be inserted and looked up: only if the recipe says what entries stand
    /// for.
    pub fn takes_networks(&self) -> bool {
        self.recipe.as_ref().is_some_and(|recipe| recipe.reach.is_some())
    }

    fn recipe_takes(&self, rule: KeyRule, key: RuledKey<'_>) -> bool {
        self.takes_networks() || !rule.is_network(key)
    }

    /// The hashes that keys are inserted as. A key that is refused is an error for all.
    ///
    /// # Panics
    /// When the seed [cannot hash](Seed::can_hash).
    pub fn entries<K: Key>(&self, keys: &[K]) -> Result<Entries, KeyError> {
        let mut entries = Entries::new(self.reach());
        for key in keys {
            match self.rule() {
                Some(rule) => rule.with_key(key, |key| {
                    let takes = self.recipe_takes(rule, key);
                    takes.then(|| entries.push(rule.form, key, &self.seed)).ok_or(KeyError::Network)
                })??,
                None => entries.hashes.push(key.key_hash(&self.seed)),
            }
        }
        Ok(entries)
    }

    /// Whether each of the keys may be in a filter that looks hashes up so.
    pub(crate) fn contains_keys<K: Key, E: From<KeyError>>(
        &self,
        keys: &[K],
        found: &mut [bool],
        mut contains: impl FnMut(&[KeyHash], &mut [bool]) -> Result<(), E>,
    ) -> Result<(), E> {
        let reach = self.reach();
        let Some(rule) = self.rule().filter(|_| reach.levels() != 0) else {
            return self.in_blocks(keys, |at, hashes| contains(hashes, &mut found[at]));
        };
        let (mut own, mut above, mut of) = (Vec::new(), Vec::new(), Vec::new());
        for (keys, found) in keys.chunks(BELOW_BLOCK).zip(found.chunks_mut(BELOW_BLOCK)) {
            own.clear();
            above.clear();
            of.clear();
            for (at, key) in keys.iter().enumerate() {
                rule.with_key(key, |key| {
                    own.push(key.key_hash(&self.seed));
                    reach.each_above(rule.form, key, |_, entry| {
                        above.push(entry.key_hash(&self.seed));
                        of.push(at);
                    });
                })?;
            }
            contains(&own, found)?;
            for (at, is_found) in of.iter().zip(reach.all_found(&above, &mut contains)?) {
                found[*at] |= is_found;
            }
        }
        Ok(())
    }

    /// Hashes keys in blocks, as [`in_blocks`] does, by the rule if there is one.
    pub(crate) fn in_blocks<K: Key, E: From<KeyError>>(
        &self,
        keys: &[K],
        mut each: impl FnMut(Range<usize>, &[KeyHash]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.rule().is_none() {
            return in_blocks(keys, &self.seed, each);
        }
        // All of them first: a key that is refused changes nothing.
        let hashes: Result<Vec<_>, _> = keys.iter().map(|key| self.key_hash(key)).collect();
        each(0..keys.len(), &hashes?)
    }

    /// The profile of an empty filter, without the kind's own numbers.
    pub(crate) fn profile(&self, kind: Kind, bits: u64, probes: u32) -> Profile {
        Profile {
            kind,
            items: None,
            inserted: self.inserted,
            remaining: (!kind.capabilities().remove).then_some(self.inserted),
            bits,
            bits_sent: bits,
            probes,
            target: self.target,
            fpr_now: 0.0,
            fill: 0.0,
            crowded: false,
            stuck: 0,
            removable: None,
            layers: 1,
            seed: self.seed,
        }
    }

    /// What a static filter was made for: it is as large as its keys need, whatever number of them
    /// was expected.
    pub(crate) fn target_of(&self, items: u64) -> Option<Target> {
        self.target.map(|target| target.of_items(items))
    }

    /// Counts inserts. A file may claim any number of them, so the count saturates.
    #[inline]
    pub(crate) fn count(&mut self, inserts: u64) {
        self.inserted = self.inserted.saturating_add(inserts);
    }

    /// Counts one insert, in two instructions: without a call on the rare path, the compiler makes
    /// six of it that have no branch.
    #[inline]
    pub(crate) fn count_one(&mut self) {
        self.inserted = self.inserted.wrapping_add(1);
        if self.inserted == 0 {
            self.inserted = saturated();
        }
    }
}

#[cold]
#[inline(never)]
fn saturated() -> u64 {
    u64::MAX
}

/// A filter in numbers: what it was made for, and what its cells say now.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// The kind.
    pub kind: Kind,
    /// Number of distinct items, estimated from the fill; `None` if the cells cannot tell.
    pub items: Option<Estimate>,
    /// Number of inserts, as far as the filter was told.
    pub inserted: u64,
    /// How many of the inserts no removal has undone; `None` if the cells cannot tell.
    pub remaining: Option<u64>,
    /// Bits of its cells in memory.
    pub bits: u64,
    /// Bits of its cells in a file: estimated if the kind compresses them there, otherwise as in
    /// memory.
    pub bits_sent: u64,
    /// Probes per key.
    pub probes: u32,
    /// What it was made for.
    pub target: Option<Target>,
    /// The false-positive rate with its current content. For kinds of lines and blocks it is the
    /// mean over them: the rate at the mean fill would be too low.
    pub fpr_now: f64,
    /// The share of cells that are not 0.
    pub fill: f64,
    /// Whether the kind itself reports that it holds more than its capacity, where the number of
    /// items does not show it.
    pub crowded: bool,
    /// Counters that are stuck at their largest value: removing a key does not decrement them.
    pub stuck: u64,
    /// The share of present keys that can be removed, for kinds that can remove some and not
    /// others. Too low after removals, since what they leave behind counts as keys.
    pub removable: Option<f64>,
    /// Number of filters it consists of: more than one after it has grown.
    pub layers: u32,
    /// How its keys are hashed.
    pub seed: Seed,
}

impl Profile {
    /// Whether it may have false negatives: the kind forgets keys.
    pub fn may_forget(&self) -> bool {
        !self.kind.capabilities().no_false_negatives
    }

    /// Whether it answers maybe to everything.
    pub fn is_saturated(&self) -> bool {
        self.fpr_now >= 1.0
    }

    /// Whether the number of keys is only a lower bound: a kind with a second way to reject keys
    /// may have all its bits set and still not answer maybe to everything.
    pub fn holds_at_least(&self) -> bool {
        self.is_saturated() || self.items.is_some_and(|items| items.saturated)
    }

    /// The number of distinct keys that it holds, as well as it can be told: the estimate from the
    /// cells, but not more than were inserted. `None` if the cells cannot tell.
    ///
    /// Where the keys were counted first, that number is exact, and is taken instead if the
    /// estimate allows it: as many keys as the filter was made for were inserted, and none was
    /// removed. Any other number of inserts may count repeated keys.
    pub fn keys(&self) -> Option<f64> {
        let items = self.items?;
        let counted = self.target.is_some_and(|target| target.items() == self.inserted)
            && self.remaining == Some(self.inserted);
        let inserted = self.inserted as f64;
        let alike = (items.items - inserted).abs() <= chance(items);
        Some(if counted && alike { inserted } else { self.at_most_inserted(items.items) })
    }

    /// The number of distinct keys that it surely does not exceed. Where all its bits are set, the
    /// number of inserts is all that is known.
    pub fn most_keys(&self) -> Option<f64> {
        let items = self.items?;
        match items.saturated {
            true => Some(items.items.max(self.inserted as f64)),
            false => Some(self.at_most_inserted(items.items + chance(items))),
        }
    }

    /// Whether some of the inserts have surely left no key of their own: keys were inserted more
    /// than once, or removed.
    pub fn repeats(&self) -> bool {
        self.items.is_some_and(|items| {
            !items.saturated && self.inserted as f64 > items.items + chance(items)
        })
    }

    /// A number of keys, but not more than were inserted. A count that is surely too low does not
    /// count: a process that was killed may have left inserts uncounted.
    fn at_most_inserted(&self, keys: f64) -> f64 {
        let inserted = self.inserted as f64;
        let possible = self.items.is_none_or(|items| items.items - chance(items) <= inserted);
        if possible { keys.min(inserted) } else { keys }
    }

    /// Bits per key that it holds. While it is empty, or where its cells cannot tell: bits per key
    /// of its capacity.
    pub fn bits_per_key(&self) -> Option<f64> {
        let held = self.keys().filter(|keys| *keys >= 0.5);
        let keys = held.or(self.target.map(|target| target.items() as f64))?;
        Some(self.bits as f64 / keys)
    }

    /// How much more bits per key it takes than the bound log2(1/ε), where ε is the target, or the
    /// false-positive rate now if that is higher. In the file, if it is compressed there.
    pub fn overhead(&self) -> Option<f64> {
        // A static filter of no keys has no bits.
        let sent = self.bits_per_key()? * self.bits_sent as f64 / self.bits.max(1) as f64;
        let promised = self.target?.fpr();
        let rate = if self.is_overfull() { self.fpr_now.max(promised) } else { promised };
        // A filter that answers maybe to everything needs no bits at all.
        (rate < 1.0).then(|| sent / bound::lower_bound_bits(1, rate) - 1.0)
    }

    /// Whether it holds more than its capacity and its false-positive rate is above the target. A
    /// filter at its capacity may be a little above or below by chance; that is not overfull. A
    /// filter that has grown holds more by design. It is overfull when its rate is half as high
    /// again as the target: below that, its small first layers move the rate by chance. Some kinds
    /// are overfull in ways of their own ([`crowded`](Profile::crowded)).
    pub fn is_overfull(&self) -> bool {
        let (Some(target), Some(items)) = (self.target, self.items) else { return self.crowded };
        if self.crowded {
            return true;
        }
        let surely = items.items - 4.0 * items.deviation;
        let too_many = items.saturated || surely > target.items() as f64;
        let chance = if self.layers > 1 { 1.5 } else { 1.0 };
        too_many && self.fpr_now > chance * target.fpr()
    }

    /// The highest false-positive rate at which it still meets its target; without a target, the
    /// rate of its cells.
    ///
    /// The target is a mean over filters. A filter with few keys has a rate of its own, 4 % up or
    /// down with 1000 keys at 1 % and 35 % with 10, and its cells show it. So a current rate above
    /// the target is allowed where it can be chance: up to four standard deviations of the items
    /// that made the fill, or half as high again, which is how far uneven lines and blocks move it.
    /// In an overfull filter it is not allowed.
    pub fn fpr_allowed(&self) -> f64 {
        let Some(target) = self.target else { return self.fpr_now };
        let promised = target.fpr();
        if self.is_overfull() {
            return promised;
        }
        let highest = self.items.map_or(1.5 * promised, |items| highest_rate(items, promised));
        self.fpr_now.clamp(promised, highest.clamp(promised, 1.0))
    }
}

/// The highest false-positive rate that a filter with these items may have by chance, if the mean
/// over filters is `promised`.
pub(crate) fn highest_rate(items: Estimate, promised: f64) -> f64 {
    // d ln(rate) / d ln(items) is ln(1/rate) for bits at their best, and less elsewhere.
    let deviations = match items.items > 0.0 {
        true => 4.0 * items.deviation / items.items,
        false => 0.0,
    };
    promised * (deviations * -promised.ln()).exp().max(1.5)
}

/// By how much an estimate may be off: four standard deviations, and half a key, since the true
/// number is whole.
fn chance(items: Estimate) -> f64 {
    4.0 * items.deviation + 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserts_are_counted_up_to_the_largest_number() {
        let mut about = About::new(Seed::FIXED, None);
        about.count_one();
        assert_eq!(about.inserted, 1);
        about.count(u64::MAX - 2);
        for _ in 0..3 {
            about.count_one();
            assert_eq!(about.inserted, u64::MAX);
            about.count(2);
        }
    }
}
