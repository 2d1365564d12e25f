//! What the kinds of plain bits share: a row of bits, and the algebra of such rows.
//!
//! `classic`, `blocked` and `split` differ in where a key's bits are, and in nothing else. What
//! follows from being a row of bits, the union by OR, folding, clearing, estimating, is here.

use crate::error::{FoldError, Mismatch, OutOfMemory};
use crate::format::recipe::Recipe;
use crate::parts::bits::Bits;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::words::Words;
use crate::profile::About;
use crate::shared::Shared;
use crate::sizing::estimate::{self, Estimate};
use crate::target::Target;
use crate::traits::Filter;

/// The state of a filter of plain bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub(crate) bits: Bits,
    pub(crate) about: About,
}

impl Row {
    pub(crate) fn zeroed(
        bits: u64,
        seed: Seed,
        target: Option<Target>,
    ) -> Result<Row, OutOfMemory> {
        Ok(Row { bits: Bits::zeroed(bits)?, about: About::new(seed, target) })
    }

    /// The words, for the bits of one more key.
    #[inline]
    pub(crate) fn for_insert(&mut self) -> &mut [u64] {
        self.about.inserted += 1;
        self.bits.words_mut()
    }
}

/// A filter whose whole state is a row of bits.
///
/// The trait is implemented by [`Classic`](crate::Classic), [`Blocked`](crate::Blocked) and
/// [`Split`](crate::Split), and by nothing else.
pub trait PlainBits: Filter + Clone + Send + Sync + plumbing::Plumbing {
    /// How many distinct items went in, from the fill, with its error.
    fn estimate_items(&self) -> Estimate {
        self.estimate(self.row().bits.ones())
    }

    /// How many distinct items went into this filter or the other.
    fn estimate_union(&self, other: &Self) -> Result<Estimate, Mismatch> {
        self.check_same(other)?;
        Ok(self.estimate(self.row().bits.ones_in_either(&other.row().bits)))
    }

    /// How many distinct items went into both filters.
    fn estimate_intersection(&self, other: &Self) -> Result<f64, Mismatch> {
        let union = self.estimate_union(other)?;
        Ok(estimate::intersection(self.estimate_items(), other.estimate_items(), union))
    }

    /// Keeps the bits that both filters have.
    ///
    /// The result says yes to every key that is in both sets. It is not the filter that building
    /// from the intersection would give: bits remain that one set's keys left here and the other
    /// set's there, so its rate is higher, though never higher than either filter's own. The
    /// filters must be of one size.
    fn intersect(&mut self, other: &Self) -> Result<(), Mismatch> {
        self.check_same(other)?;
        let row = self.row_mut();
        row.bits.intersect(&other.row().bits);
        row.about.inserted = row.about.inserted.min(other.row().about.inserted);
        Ok(())
    }

    /// Takes every key out.
    fn clear(&mut self) {
        let row = self.row_mut();
        row.bits.clear();
        row.about.inserted = 0;
    }

    /// The same filter in one `ratio`-th of the bits: bit for bit what inserting the same keys
    /// into a filter of that size would give. The size must be a multiple of `ratio`.
    fn fold(&self, ratio: u64) -> Result<Self, FoldError> {
        let units = self.units();
        if ratio == 0 || !units.is_multiple_of(ratio) {
            return Err(FoldError::Ratio { ratio, units });
        }
        let row = self.row();
        let about = About {
            target: row.about.target.map(|target| target.folded(ratio)),
            ..row.about.clone()
        };
        let bits = row.bits.fold(ratio, row.bits.len() / units)?;
        Ok(self.resized(units / ratio, Row { bits, about }))
    }

    /// Gives the filter to many threads at once, without copying.
    fn into_shared(self) -> Result<Shared<Self>, OutOfMemory> {
        Shared::new(self)
    }

    /// The row of bits itself, for whoever wants to look.
    fn bits(&self) -> &Bits {
        &self.row().bits
    }

    /// Says how keys are taken from their input; the file carries it.
    fn set_recipe(&mut self, recipe: Option<Recipe>) {
        self.row_mut().about.recipe = recipe;
    }
}

/// What a kind of plain bits tells the shared code. Outside the crate the module cannot be named,
/// so nobody else implements it.
pub(crate) mod plumbing {
    use super::*;

    #[expect(unnameable_types, reason = "sealed")]
    pub trait Plumbing: Sized {
        fn row(&self) -> &Row;
        fn row_mut(&mut self) -> &mut Row;
        fn probes(&self) -> u32;
        /// Bits, lines or blocks: what a fold counts.
        fn units(&self) -> u64;
        /// The same kind and probes over another number of units.
        fn resized(&self, units: u64, row: Row) -> Self;
        fn estimate(&self, ones: u64) -> Estimate;
        /// Visits the words of a key and the bits that it has there.
        fn each_mask(&self, key: KeyHash, visit: impl FnMut(usize, u64));
        /// Whether the test holds for every word of a key and its bits there.
        fn all_masks(&self, key: KeyHash, test: impl FnMut(usize, u64) -> bool) -> bool;

        /// Whether the other's keys were made and placed as ours, whatever its size.
        fn check_alike(&self, other: &Self) -> Result<(), Mismatch> {
            let (ours, theirs) = (&self.row().about, &other.row().about);
            if ours.seed != theirs.seed {
                return Err(Mismatch::Seed);
            }
            if ours.recipe != theirs.recipe {
                let name = |recipe: &Option<Recipe>| match recipe {
                    Some(recipe) => recipe.to_string(),
                    None => "keys given by a program".to_string(),
                };
                return Err(Mismatch::Recipe {
                    ours: name(&ours.recipe),
                    theirs: name(&theirs.recipe),
                });
            }
            if self.probes() != other.probes() {
                return Err(Mismatch::Probes { ours: self.probes(), theirs: other.probes() });
            }
            Ok(())
        }

        fn check_same(&self, other: &Self) -> Result<(), Mismatch> {
            self.check_alike(other)?;
            if self.units() != other.units() {
                return Err(self.different_bits(other));
            }
            Ok(())
        }

        fn different_bits(&self, other: &Self) -> Mismatch {
            Mismatch::Bits { ours: self.row().bits.len(), theirs: other.row().bits.len() }
        }

        /// Takes the words out, to be put back by `put_words`.
        fn take_words(&mut self) -> Result<Words, OutOfMemory> {
            let none = Words::zeroed(0)?;
            Ok(std::mem::replace(self.row_mut().bits.storage_mut(), none))
        }

        fn put_words(&mut self, words: Words) {
            *self.row_mut().bits.storage_mut() = words;
        }
    }
}

/// The body of `Merge` for every kind of plain bits.
pub(crate) fn merge<F: PlainBits>(ours: &mut F, theirs: &F) -> Result<(), Mismatch> {
    ours.check_alike(theirs)?;
    let (units, other_units) = (ours.units(), theirs.units());
    let folded = |large: &F, ratio| match large.fold(ratio) {
        Ok(folded) => Ok(folded),
        Err(FoldError::OutOfMemory(error)) => Err(Mismatch::OutOfMemory(error)),
        Err(FoldError::Ratio { .. }) => Err(ours.different_bits(theirs)),
    };
    if other_units > units && other_units.is_multiple_of(units) {
        return merge(ours, &folded(theirs, other_units / units)?);
    }
    if units > other_units && units.is_multiple_of(other_units) {
        let mut smaller = folded(ours, units / other_units)?;
        merge(&mut smaller, theirs)?;
        *ours = smaller;
        return Ok(());
    }
    ours.check_same(theirs)?;
    let row = ours.row_mut();
    row.bits.union(&theirs.row().bits);
    row.about.inserted = row.about.inserted.saturating_add(theirs.row().about.inserted);
    Ok(())
}
