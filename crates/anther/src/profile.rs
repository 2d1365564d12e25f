//! What a filter says about itself.

use crate::error::Mismatch;
use crate::kind::Kind;
use crate::parts::hash::Seed;
use crate::recipe::Recipe;
use crate::sizing::bound;
use crate::sizing::estimate::Estimate;
use crate::target::Target;

/// What a filter was made for and with, apart from its cells: the same for every kind.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// How its keys are hashed.
    pub seed: Seed,
    /// What it was made for; nothing when it was made from a shape.
    pub target: Option<Target>,
    /// How often insert was called. Advisory: never used for answers.
    pub inserted: u64,
    /// How its keys were taken from their input, when a program did that.
    pub recipe: Option<Recipe>,
}

impl About {
    pub(crate) fn new(seed: Seed, target: Option<Target>) -> About {
        About { seed, target, inserted: 0, recipe: None }
    }

    /// Whether the other filter's keys were made and taken from their input as this one's.
    pub(crate) fn check_alike(&self, other: &About) -> Result<(), Mismatch> {
        if self.seed != other.seed {
            return Err(Mismatch::Seed);
        }
        if self.recipe != other.recipe {
            let name = |recipe: &Option<Recipe>| match recipe {
                Some(recipe) => recipe.to_string(),
                None => "keys given by a program".to_string(),
            };
            let (ours, theirs) = (name(&self.recipe), name(&other.recipe));
            return Err(Mismatch::Recipe { ours, theirs });
        }
        Ok(())
    }

    /// The profile of an empty filter: the kind says the rest.
    pub(crate) fn profile(&self, kind: Kind, bits: u64, probes: u32) -> Profile {
        Profile {
            kind,
            items: None,
            inserted: self.inserted,
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

    /// Counts inserts. A file may claim any number of them, so the count stops at the largest.
    #[inline]
    pub(crate) fn count(&mut self, inserts: u64) {
        self.inserted = self.inserted.saturating_add(inserts);
    }
}

/// A filter described in numbers: what it was made for, and what its cells say now.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// The kind.
    pub kind: Kind,
    /// How many distinct items are in, from the fill; nothing where the cells cannot tell.
    pub items: Option<Estimate>,
    /// How often insert was called, as far as the filter was told.
    pub inserted: u64,
    /// Bits of its cells in memory.
    pub bits: u64,
    /// Bits of its cells in a file: about as many as these where they are coded there, else as
    /// many as in memory.
    pub bits_sent: u64,
    /// Probes a key.
    pub probes: u32,
    /// What it was made for.
    pub target: Option<Target>,
    /// The false-positive rate with what is in it now. For kinds of lines and blocks the mean
    /// over them: the rate of the mean fill would be too low.
    pub fpr_now: f64,
    /// The share of cells that are not 0.
    pub fill: f64,
    /// Whether the kind itself says that it holds more than it was made for, where the number of
    /// items does not tell.
    pub crowded: bool,
    /// Counters that reached their largest value and stay there: removing a key leaves them.
    pub stuck: u64,
    /// The share of the keys that are in that could be removed, where a kind can remove some and
    /// not others; too low after removals, since what they left behind counts as keys.
    pub removable: Option<f64>,
    /// Filters that it consists of: more than one where it has grown.
    pub layers: u32,
    /// How its keys are hashed.
    pub seed: Seed,
}

impl Profile {
    /// Whether it may say no to a key that is in: the kind forgets.
    pub fn may_forget(&self) -> bool {
        !self.kind.capabilities().no_false_negatives
    }

    /// Whether it says maybe to everything.
    pub fn is_saturated(&self) -> bool {
        self.fpr_now >= 1.0
    }

    /// Bits for each item it was made for. Made from a shape, grown, or solved from all keys at
    /// once, for each that is in it.
    pub fn bits_per_key(&self) -> Option<f64> {
        let takes_more = self.kind.capabilities().insert;
        let items = match (self.target, self.items) {
            (Some(target), _) if self.layers == 1 && takes_more => target.items() as f64,
            (_, Some(estimate)) => estimate.items,
            (_, None) => return None,
        };
        (items >= 0.5).then(|| self.bits as f64 / items)
    }

    /// How much more than the bound n·log2(1/ε) it takes, in a file where it is coded there.
    pub fn overhead(&self) -> Option<f64> {
        // A static filter of no keys has no bits.
        let sent = self.bits_per_key()? * self.bits_sent as f64 / self.bits.max(1) as f64;
        Some(sent / bound::lower_bound_bits(1, self.target?.fpr()) - 1.0)
    }

    /// Whether it holds more than it was made for, and its rate is above the promise. A filter
    /// that holds just what it was made for may lie a little above or below by chance; that is
    /// not overfull. One that has grown holds more by design, and it is overfull when its rate is
    /// half as high again as promised: by less, its small first layers move the rate by chance.
    /// Some kinds are overfull in ways of their own ([`crowded`](Profile::crowded)).
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

    /// The highest rate at which it keeps its promise: the one it was made for, and where it was
    /// made for none, that of its cells.
    ///
    /// The promise is a mean over filters. One of few keys has a rate of its own, 4 % up or down
    /// with 1000 keys at 1 % and 35 % with 10, and its cells show which. So a rate now that is
    /// above the promise counts where it can be chance: up to four deviations of the items that
    /// made the fill, or half as high again, which is what uneven lines and blocks come to. In a
    /// filter that is overfull it does not.
    pub fn fpr_allowed(&self) -> f64 {
        let Some(target) = self.target else { return self.fpr_now };
        let promised = target.fpr();
        if self.is_overfull() {
            return promised;
        }
        // d ln(rate) / d ln(items) is ln(1/rate) for bits at their best, and less elsewhere.
        let deviations = match self.items {
            Some(items) if items.items > 0.0 => 4.0 * items.deviation / items.items,
            _ => 0.0,
        };
        let chance = (deviations * -promised.ln()).exp().max(1.5);
        self.fpr_now.clamp(promised, (chance * promised).clamp(promised, 1.0))
    }
}
