//! The tables of a Bloomier filter, for a given number of value and check bits.
//!
//! | form | cells | what can change |
//! |---|---|---|
//! | fixed | one of value and check together, 1.13·(r+f) bits per key | nothing |
//! | fixed, r+f > 64 | one of each | nothing |
//! | mutable | check and number of the own cell, 1.13·(2+f) bits; values, 1.13·r bits | values |
//!
//! In the mutable form, a value is stored alone in a cell that belongs to its key only, so it can
//! be overwritten. The first table says which of the key's three or four cells that is. With three
//! cells the number is never 3, so absent keys err with probability ¾·2⁻ᶠ only. Keys can never be
//! added.
//!
//! Storing value and check together in cells of up to 96 bits was not worth it: it needs a second
//! type of packed row, only for maps with values of more than 32 bits. With a table for each, a
//! lookup of an absent key reads the checks alone.

use super::super::solve::slots;
use super::bands::Bands;
use crate::error::BuildError;
use crate::parts::hash::KeyHash;
use crate::sizing;
use std::ops::RangeInclusive;

/// How a [`Bloomier`](super::Bloomier) filter is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MapShape {
    /// Bits of a value, 1 to 64.
    pub(super) value_bits: u32,
    /// Check bits, 1 to 32: an absent key has a value with probability 2 to the minus this number.
    pub(super) check_bits: u32,
    /// Cells per key, 3 or 4.
    pub(super) arity: u32,
    /// Whether values can be changed.
    pub(super) mutable: bool,
    /// Whether values are the bands of counts.
    pub(super) banded: bool,
}

impl MapShape {
    /// Bits of a value.
    pub(super) const VALUE_BITS: RangeInclusive<u32> = 1..=64;
    /// Check bits.
    pub(super) const CHECK_BITS: RangeInclusive<u32> = 1..=sizing::fuse::MAX_WIDTH;

    pub(super) fn is_valid(&self) -> bool {
        MapShape::VALUE_BITS.contains(&self.value_bits)
            && MapShape::CHECK_BITS.contains(&self.check_bits)
            && slots::ARITIES.contains(&self.arity)
            && (!self.banded || self.bands().is_some())
    }

    /// The bands of counts that values are, if they are.
    pub(super) fn bands(&self) -> Option<Bands> {
        Bands::new(self.value_bits).filter(|_| self.banded)
    }

    pub(super) fn form(&self) -> Form {
        match self.mutable {
            true => Form::Mutable,
            false if self.value_bits + self.check_bits <= 64 => Form::Together,
            false => Form::Apart,
        }
    }

    /// Bits per cell of each table: the checks (with the values or without), and the values where
    /// they have a table of their own.
    pub(super) fn widths(&self) -> (u32, Option<u32>) {
        match self.form() {
            Form::Together => (self.check_bits + self.value_bits, None),
            Form::Apart => (self.check_bits, Some(self.value_bits)),
            Form::Mutable => (self.check_bits + OWN_BITS, Some(self.value_bits)),
        }
    }

    /// Bits per cell over all tables.
    pub(super) fn cell_bits(&self) -> u32 {
        let (checks, values) = self.widths();
        checks + values.unwrap_or(0)
    }

    /// Whether the values have a table of their own.
    pub(super) fn has_value_table(&self) -> bool {
        self.widths().1.is_some()
    }

    pub(super) fn value_max(&self) -> u64 {
        u64::MAX >> (64 - self.value_bits)
    }

    /// Whether these pairs, sorted and deduplicated, are a map that can be built.
    pub(super) fn check(&self, pairs: &[(KeyHash, u64)]) -> Result<(), BuildError> {
        if let Some(clash) = pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let values = [clash[0].1, clash[1].1];
            return Err(BuildError::Conflict { key: clash[0].0, values });
        }
        match pairs.iter().find(|(_, value)| *value > self.value_max()) {
            Some(&(key, got)) => Err(BuildError::Value { key, got, bits: self.value_bits }),
            None => Ok(()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Together,
    Apart,
    Mutable,
}

/// Bits to say which of three or four cells belongs to the key.
const OWN_BITS: u32 = 2;
