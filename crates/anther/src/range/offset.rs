//! From an integer to its code: blocks that are shifted and wrapped around.

use crate::parts::hash::{Seed, SeedKind};

/// h(x) = (q(⌊x/r⌋) + x) mod r, with the offsets q of a seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offsets {
    /// r − 1.
    bound: u64,
    by: By,
}

#[derive(Clone, Copy, Debug)]
enum By {
    /// q(i) is a·i + b in 128 bits, scaled to r. The upper bits are pairwise independent, as many as
    /// there are above those of i: 64 + log2 r, so that scaling them to r shifts no chance by more than
    /// 2⁻⁶⁴ of itself. In 64 bits the products would wrap, and blocks share their offsets.
    Line { factor: u128, start: u128 },
    /// The secret hash of i. A line is known from two of its points, and answers give points away.
    Secret(Seed),
}

impl Offsets {
    /// For codes up to `bound`.
    pub fn new(seed: Seed, bound: u64) -> Offsets {
        let by = match seed.kind() {
            SeedKind::Fixed | SeedKind::Chosen(_) | SeedKind::Xxh64 => {
                let word = |number: u64| u128::from(seed.hash_integer(number).0);
                let wide = |number: u64| word(number) << 64 | word(number + 1);
                By::Line { factor: wide(0), start: wide(2) }
            }
            SeedKind::Keyed { .. } | SeedKind::External => By::Secret(seed),
        };
        Offsets { bound, by }
    }

    pub fn bound(&self) -> u64 {
        self.bound
    }

    /// The number of an integer's block.
    #[inline]
    pub fn block(&self, x: u64) -> u64 {
        match self.bound.checked_add(1) {
            Some(codes) => x / codes,
            None => 0,
        }
    }

    /// The first integer of an integer's block.
    #[inline]
    pub fn start_of_block(&self, x: u64) -> u64 {
        self.block(x) * self.bound.wrapping_add(1)
    }

    /// The code of an integer.
    #[inline]
    pub fn code(&self, x: u64) -> u64 {
        let Some(codes) = self.bound.checked_add(1) else { return x };
        let block = x / codes;
        let (within, offset) = (x - block * codes, self.offset(block));
        // Their sum may be above 64 bits.
        if within >= codes - offset { within - (codes - offset) } else { within + offset }
    }

    /// The codes of a range, if it is within a block and they do not wrap around: nearly always. One
    /// division and one offset, where two codes take two.
    #[inline]
    pub fn codes(&self, first: u64, last: u64) -> Option<(u64, u64)> {
        let code = self.code(first);
        let end = code.checked_add(last - first).filter(|end| *end <= self.bound)?;
        let last_of_block = self.start_of_block(first).saturating_add(self.bound);
        (last <= last_of_block).then_some((code, end))
    }

    /// q(block), below r.
    #[inline]
    fn offset(&self, block: u64) -> u64 {
        let codes = u128::from(self.bound) + 1;
        let drawn = match self.by {
            By::Line { factor, start } => factor.wrapping_mul(block.into()).wrapping_add(start),
            By::Secret(seed) => u128::from(seed.hash_integer(block).0) << 64,
        };
        // The upper 64 bits of 192.
        let (high, low) = ((drawn >> 64) * codes, (drawn & u128::from(u64::MAX)) * codes);
        ((high + (low >> 64)) >> 64) as u64
    }
}

/// The seed is compared with the rest of the filter.
impl PartialEq for Offsets {
    fn eq(&self, other: &Offsets) -> bool {
        self.bound == other.bound
    }
}
