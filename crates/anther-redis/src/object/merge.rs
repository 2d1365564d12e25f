//! The union of BF objects of one shape.

use super::bloom::Bloom;
use crate::errors::{self, Failure};
use anther::{AnyFilter, Filter, Mismatch};

impl Bloom {
    /// Adds all items of another filter. Fails if the two were not made alike, and changes nothing.
    pub fn merge(&mut self, other: &Bloom) -> Result<(), Failure> {
        if self.old.is_some() || other.old.is_some() {
            return Err(errors::MERGE_OLD);
        }
        if self.range.is_some() || other.range.is_some() {
            return Err(errors::MERGE_RANGES);
        }
        let (Some(ours), Some(theirs)) = (&mut self.filter, &other.filter) else {
            return Err(errors::INTERNAL);
        };
        if ours.kind() == theirs.kind() && ours.seed() != theirs.seed() {
            return Err(errors::MERGE_KEYS);
        }
        // The library would fold the larger one.
        let shape = |bloom: &super::BloomRequest| (bloom.capacity, bloom.error.to_bits());
        if ours.kind() == theirs.kind() && shape(&self.request) != shape(&other.request) {
            return Err(errors::MERGE_SHAPES);
        }
        let merged = match (&mut *ours, theirs) {
            (AnyFilter::Scalable(ours), AnyFilter::Scalable(theirs)) => ours.unite(theirs),
            (ours, theirs) => ours.merge(theirs),
        };
        merged.map_err(|mismatch| match mismatch {
            Mismatch::Seed => errors::MERGE_KEYS,
            Mismatch::Option { .. } => errors::MERGE_SHAPES,
            Mismatch::Unsupported { kind: anther::Kind::Scalable } => errors::MERGE_COUNTING,
            other => Failure::because(other),
        })?;
        // Items of both count once, as far as the cells can tell.
        let (more, less) = (self.items.max(other.items), self.items.min(other.items));
        let estimate = ours.profile().items.map_or(0.0, |estimate| estimate.items);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative; the cast stops at the largest number"
        )]
        let estimate = estimate.round() as u64;
        self.items = estimate.clamp(more, more.saturating_add(less));
        Ok(())
    }
}
