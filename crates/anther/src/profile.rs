//! What a filter says about itself.

use crate::format::recipe::Recipe;
use crate::kinds::Kind;
use crate::parts::hash::Seed;
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
    /// How many distinct items went in, from the fill.
    pub items: Estimate,
    /// How often insert was called, as far as the filter was told.
    pub inserted: u64,
    /// Bits of its cells.
    pub bits: u64,
    /// Probes a key.
    pub probes: u32,
    /// What it was made for.
    pub target: Option<Target>,
    /// The false-positive rate with what is in it now. For kinds of lines and blocks the mean
    /// over them: the rate of the mean fill would be too low.
    pub fpr_now: f64,
    /// The share of ones.
    pub fill: f64,
    /// How its keys are hashed.
    pub seed: Seed,
}

impl Profile {
    /// Bits for each item it was made for, or, made from a shape, for each that is in it.
    pub fn bits_per_key(&self) -> Option<f64> {
        let items = self.target.map_or(self.items.items, |target| target.items() as f64);
        (items >= 0.5).then(|| self.bits as f64 / items)
    }

    /// How much more than the bound n·log2(1/ε) it takes.
    pub fn overhead(&self) -> Option<f64> {
        let target = self.target?;
        Some(bound::overhead(self.bits, target.items(), target.fpr()))
    }

    /// Whether it holds more than it was made for, and its rate is above the promise. A filter
    /// that holds just what it was made for may lie a little above or below by chance; that is
    /// not overfull.
    pub fn is_overfull(&self) -> bool {
        self.target.is_some_and(|target| {
            let surely = self.items.items - 4.0 * self.items.deviation;
            let too_many = self.items.saturated || surely > target.items() as f64;
            too_many && self.fpr_now > target.fpr()
        })
    }
}
