//! Linear equations over bits, each within a band: the solver for ribbons.
//!
//! An [`Equation`] says that the xor of some of the 64 slots from its start on is a given value. A
//! slot holds as many bits as there are columns, so one elimination serves all columns. A [`Band`]
//! takes the equations one by one, solves them, and produces a solution that [`holds`] reads. With
//! a fingerprint as the value, that is a filter (Dillinger, Walzer, "Ribbon filter: practically
//! smaller than Bloom and Xor", 2021).
//!
//! The solution is stored in blocks of 64 slots, one word per column, all columns of a block side
//! by side. A query reads the words of its block and of the next one, which are contiguous: 112
//! bytes at 1 %. The first blocks may have one column less than the others ([`Columns`]): a row
//! that starts in a block has as many columns as the block, and the next block never has fewer.
//!
//! Rejected: 128 slots per row, which leave fewer slots empty but make a query read twice as much
//! (with bumping, 64 leave 0.1 %); and storing the bits of a slot side by side, which reads 64
//! bytes instead of 112 but then takes a step for each of 32 slots instead of a parity for each of
//! 7 columns.

use crate::error::OutOfMemory;
use std::ops::Range;

/// Slots that a row spans, and slots per block.
pub const WIDTH: usize = 64;

/// An equation: the xor of the slots `start + i`, for the ones i of `coefficients`, is `value`.
/// Bit 0 of the coefficients must be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Equation {
    /// The first slot.
    pub start: usize,
    /// Which of the 64 slots from there on.
    pub coefficients: u64,
    /// One bit per column.
    pub value: u64,
}

/// How wide the blocks are: `few` columns in the first `split` of them, one more in the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Columns of the first blocks, at most 63.
    pub few: u32,
    /// The number of those blocks.
    pub split: usize,
}

impl Columns {
    /// The words of `blocks` blocks; also where the block of this number begins.
    #[inline]
    pub const fn words(self, blocks: usize) -> usize {
        blocks * self.few as usize + blocks.saturating_sub(self.split)
    }

    /// The columns of a block.
    #[inline]
    pub const fn of(self, block: usize) -> usize {
        self.few as usize + (block >= self.split) as usize
    }
}

/// The outcome of adding an equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It now holds, and has taken this slot.
    At(usize),
    /// It follows from earlier rows.
    Implied,
    /// It contradicts earlier rows; nothing changes.
    Contradicted,
}

/// Equations in echelon form: at most one per slot, the first slot of its row.
#[derive(Clone, Debug)]
pub struct Band {
    /// The coefficients of the row at each slot, from the slot on; 0 where there is none.
    coefficients: Vec<u64>,
    values: Vec<u64>,
}

impl Band {
    /// No rows yet, over `blocks` blocks of slots.
    pub fn new(blocks: usize) -> Result<Band, OutOfMemory> {
        let slots = blocks.saturating_mul(WIDTH);
        let zeros = || {
            let mut zeros = Vec::new();
            zeros.try_reserve_exact(slots).map(|()| {
                zeros.resize(slots, 0);
                zeros
            })
        };
        match (zeros(), zeros()) {
            (Ok(coefficients), Ok(values)) => Ok(Band { coefficients, values }),
            _ => Err(OutOfMemory { bytes: (slots as u64).saturating_mul(16) }),
        }
    }

    /// The number of slots.
    pub fn slots(&self) -> usize {
        self.coefficients.len()
    }

    /// Adds a row, reduced by the earlier ones. At the load of a bumped ribbon this takes 20 steps.
    ///
    /// # Panics
    /// When the row reaches beyond the last slot.
    pub fn add(&mut self, row: Equation) -> Added {
        debug_assert!(row.coefficients & 1 == 1 && row.start + WIDTH <= self.slots());
        let Equation { start: mut slot, mut coefficients, mut value } = row;
        loop {
            let there = self.coefficients[slot];
            if there == 0 {
                self.coefficients[slot] = coefficients;
                self.values[slot] = value;
                return Added::At(slot);
            }
            coefficients ^= there;
            value ^= self.values[slot];
            if coefficients == 0 {
                return if value == 0 { Added::Implied } else { Added::Contradicted };
            }
            let zeros = coefficients.trailing_zeros();
            slot += zeros as usize;
            coefficients >>= zeros;
        }
    }

    /// Removes a row, by its slot. Only the rows added last may be removed, since later ones are
    /// reduced by earlier ones.
    pub fn remove(&mut self, slot: usize) {
        self.coefficients[slot] = 0;
    }

    /// Solves for the slots, from the last to the first; free slots are 0. `words` must have the
    /// length that the columns require; its content is overwritten.
    ///
    /// # Panics
    /// When there are fewer words.
    pub fn solve(&self, columns: Columns, words: &mut [u64]) {
        let mut windows = [0u64; WIDTH];
        for block in (0..self.slots() / WIDTH).rev() {
            let windows = &mut windows[..columns.of(block)];
            for slot in (block * WIDTH..(block + 1) * WIDTH).rev() {
                let coefficients = self.coefficients[slot];
                let mut value = if coefficients == 0 { 0 } else { self.values[slot] };
                for window in &mut *windows {
                    *window <<= 1;
                    *window |= (parity(coefficients & *window) ^ value) & 1;
                    value >>= 1;
                }
            }
            let first = columns.words(block);
            words[first..first + windows.len()].copy_from_slice(windows);
        }
    }
}

/// Whether the equation holds in the solution. Unrelated ones hold with probability 2^-columns, and
/// most of the others fail within the first two columns.
///
/// # Panics
/// When the row reaches beyond the words.
#[inline]
pub fn holds(words: &[u64], columns: Columns, equation: Equation) -> bool {
    holds_from(words, 0, columns, equation)
}

/// The same if the first `skipped` words are left out, which the row does not [reach](reach).
#[inline]
pub fn holds_from(words: &[u64], skipped: usize, columns: Columns, equation: Equation) -> bool {
    equation.is_of(Window::new(words, skipped, columns, equation).bits())
}

/// The words that a row reads.
pub fn reach(columns: Columns, start: usize) -> Range<usize> {
    let (block, shift) = (start / WIDTH, start % WIDTH);
    let (count, first) = (columns.of(block), columns.words(block));
    let last = if shift == 0 { first } else { columns.words(block + 1) };
    first..last + count
}

/// Whether the equation holds in the first `few` columns.
///
/// # Panics
/// When the row reaches beyond the words.
#[inline]
pub fn holds_in(words: &[u64], columns: Columns, equation: Equation, few: u32) -> bool {
    let window = Window::new(words, 0, columns, equation);
    equation.is_of(window.bits().take(few as usize))
}

impl Equation {
    /// Whether the columns, a bit each, are its value.
    #[inline]
    fn is_of(self, mut bits: impl Iterator<Item = u64>) -> bool {
        let mut value = self.value;
        bits.all(|bit| {
            let wanted = value & 1;
            value >>= 1;
            bit == wanted
        })
    }
}

/// The words that a row reads, and which of their bits.
struct Window<'a> {
    here: &'a [u64],
    next: &'a [u64],
    low: u64,
    high: u64,
}

impl<'a> Window<'a> {
    #[inline]
    fn new(words: &'a [u64], skipped: usize, columns: Columns, row: Equation) -> Window<'a> {
        let Equation { start, coefficients, .. } = row;
        let (block, shift) = (start / WIDTH, start % WIDTH);
        let (count, first) = (columns.of(block), columns.words(block) - skipped);
        let here = &words[first..first + count];
        // A row that starts at the first slot of its block ends with it, and there may be no next
        // one.
        let next =
            if shift == 0 { here } else { &words[columns.words(block + 1) - skipped..][..count] };
        let high = coefficients >> 1 >> (WIDTH - 1 - shift);
        Window { here, next, low: coefficients << shift, high }
    }

    /// One bit per column.
    #[inline]
    fn bits(self) -> impl Iterator<Item = u64> {
        let Window { here, next, low, high } = self;
        here.iter().zip(next).map(move |(here, next)| parity(here & low ^ next & high))
    }
}

#[inline]
fn parity(x: u64) -> u64 {
    u64::from(x.count_ones() & 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::hash::KeyHash;

    /// The value of a row in the solution, in as many columns as its first block has.
    ///
    /// # Panics
    /// When the row reaches beyond the words.
    fn value(words: &[u64], columns: Columns, start: usize, coefficients: u64) -> u64 {
        Window::new(words, 0, columns, Equation { start, coefficients, value: 0 })
            .bits()
            .zip(0..)
            .fold(0, |value, (bit, column)| value | bit << column)
    }

    /// Equation number i over `slots` slots, with values of `bits` bits.
    fn row(i: u64, slots: usize, bits: u32) -> Equation {
        let start = KeyHash(i).again(0).0 as usize % (slots - WIDTH + 1);
        let mask = u64::MAX.checked_shr(64 - bits).unwrap_or(0);
        Equation {
            start,
            coefficients: KeyHash(i).again(1).0 | 1,
            value: KeyHash(i).again(2).0 & mask,
        }
    }

    /// Every accepted row can be read back, for any columns and wherever they change.
    #[test]
    fn solutions_hold() {
        let mut seen = [0; 3];
        for (blocks, few) in [(1, 0), (1, 7), (2, 1), (5, 0), (5, 1), (9, 20), (9, 63)] {
            for split in [0, 1, blocks / 2, blocks] {
                let columns = Columns { few, split };
                let mut band = Band::new(blocks).unwrap();
                let mut kept = Vec::new();
                // 5 % too many rows, so that some cannot be added.
                for i in 0..band.slots() as u64 * 21 / 20 {
                    let row = row(i, band.slots(), few + 1);
                    match band.add(row) {
                        Added::At(slot) => {
                            assert!(slot >= row.start);
                            seen[0] += 1;
                        }
                        Added::Implied => seen[1] += 1,
                        Added::Contradicted => {
                            seen[2] += 1;
                            continue;
                        }
                    }
                    kept.push(row);
                }
                let mut words = vec![u64::MAX; columns.words(blocks)];
                band.solve(columns, &mut words);
                for row in kept {
                    let count = columns.of(row.start / WIDTH);
                    let mask = u64::MAX.checked_shr(64 - count as u32).unwrap_or(0);
                    let got = value(&words, columns, row.start, row.coefficients);
                    assert_eq!(got, row.value & mask, "{blocks} blocks, {columns:?}");
                    assert!(holds(&words, columns, row));
                    assert!(holds_in(&words, columns, row, few));
                    let other = Equation { value: row.value ^ 1, ..row };
                    assert!(count == 0 || !holds(&words, columns, other));
                    assert!(holds_in(&words, columns, other, 0));
                    assert!(few == 0 || !holds_in(&words, columns, other, few));
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 5), "every outcome: {seen:?}");
    }

    #[test]
    fn a_removed_row_leaves_no_trace() {
        let mut band = Band::new(4).unwrap();
        for i in 0..200 {
            band.add(row(i, 256, 9));
        }
        let before = band.coefficients.clone();
        let added: Vec<Added> = (200..250).map(|i| band.add(row(i, 256, 9))).collect();
        assert_ne!(band.coefficients, before);
        for added in added {
            if let Added::At(slot) = added {
                band.remove(slot);
            }
        }
        assert_eq!(band.coefficients, before);
    }
}
