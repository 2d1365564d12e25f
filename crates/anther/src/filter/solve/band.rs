//! Linear equations over bits, each within a band: the solver of ribbons.
//!
//! An [`Equation`] says that the xor of some of the 64 slots from its start on is a given value. A
//! slot holds as many bits as there are columns, so one elimination serves all columns. A [`Band`]
//! takes the equations one by one, solves them, and leaves a solution that [`holds`] reads: a filter,
//! the value being a fingerprint (Dillinger, Walzer, "Ribbon filter: practically smaller than Bloom
//! and Xor", 2021).
//!
//! The solution is stored in blocks of 64 slots, a word a column, all columns of a block side by
//! side. A query reads the words of its block and of the next one, which lie in one piece: 112
//! bytes at 1 %. The first blocks may have a column less than the others ([`Columns`]): a row that
//! starts in a block has as many columns as the block, and the next block never has fewer.
//!
//! Rejected: 128 slots a row, which leave fewer slots empty but make a query read twice as much
//! (bumping makes 64 leave 0.1 %); and the cells of a slot side by
//! side, which read 64 bytes instead of 112 but then take a step for each of 32 slots instead of a
//! parity for each of 7 columns.

use crate::error::OutOfMemory;

/// Slots that a row reaches over, and slots of a block.
pub const WIDTH: usize = 64;

/// An equation: the xor of the slots `start + i`, for the ones i of `coefficients`, is `value`.
/// Bit 0 of the coefficients must be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Equation {
    /// The first slot.
    pub start: usize,
    /// Which of the 64 slots from there on.
    pub coefficients: u64,
    /// A bit a column.
    pub value: u64,
}

/// How wide the blocks are: `few` columns in the first `split` of them, one more in the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Columns of the first blocks, at most 63.
    pub few: u32,
    /// How many blocks have so few.
    pub split: usize,
}

impl Columns {
    /// The words of so many blocks; also where the block of this number begins.
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

/// What became of an equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It holds from now on, and has taken this slot.
    At(usize),
    /// The rows before imply it.
    Implied,
    /// The rows before contradict it; nothing has changed.
    Contradicted,
}

/// Equations in echelon form: at most one for each slot, which is its first.
#[derive(Clone, Debug)]
pub struct Band {
    /// Of the row at each slot, from the slot on; 0 where there is none.
    coefficients: Vec<u64>,
    values: Vec<u64>,
}

impl Band {
    /// No rows yet, over so many blocks of slots.
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

    /// How many slots there are.
    pub fn slots(&self) -> usize {
        self.coefficients.len()
    }

    /// Adds a row, reduced by those that are there. At the load of a bumped ribbon it takes 20
    /// steps.
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

    /// Takes a row back, by its slot. Only those that were added last may go, since earlier ones
    /// have reduced later ones.
    pub fn take_back(&mut self, slot: usize) {
        self.coefficients[slot] = 0;
    }

    /// Solves for the slots, from the last to the first; free slots are 0. `words` must be as many
    /// as the columns say, and all 0 or not: they are overwritten.
    ///
    /// # Panics
    /// When the words are fewer.
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

/// Whether the equation holds in the solution. Of unrelated ones 2^-columns hold, and most of the
/// others are told from the first two columns.
///
/// # Panics
/// When the row reaches beyond the words.
#[inline]
pub fn holds(words: &[u64], columns: Columns, equation: Equation) -> bool {
    let mut value = equation.value;
    Window::new(words, columns, equation.start, equation.coefficients).bits().all(|bit| {
        let wanted = value & 1;
        value >>= 1;
        bit == wanted
    })
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
    fn new(words: &'a [u64], columns: Columns, start: usize, coefficients: u64) -> Window<'a> {
        let (block, shift) = (start / WIDTH, start % WIDTH);
        let (count, first) = (columns.of(block), columns.words(block));
        let here = &words[first..first + count];
        // A row that starts with its block ends with it, and there may be no next one.
        let next = if shift == 0 { here } else { &words[columns.words(block + 1)..][..count] };
        let high = coefficients >> 1 >> (WIDTH - 1 - shift);
        Window { here, next, low: coefficients << shift, high }
    }

    /// A bit a column.
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

    /// What the solution says of a row's value, in as many columns as its first block has.
    ///
    /// # Panics
    /// When the row reaches beyond the words.
    fn value(words: &[u64], columns: Columns, start: usize, coefficients: u64) -> u64 {
        Window::new(words, columns, start, coefficients)
            .bits()
            .zip(0..)
            .fold(0, |value, (bit, column)| value | bit << column)
    }

    /// Equation number i over so many slots, with values of so many bits.
    fn row(i: u64, slots: usize, bits: u32) -> Equation {
        let start = KeyHash(i).again(0).0 as usize % (slots - WIDTH + 1);
        let mask = u64::MAX.checked_shr(64 - bits).unwrap_or(0);
        Equation {
            start,
            coefficients: KeyHash(i).again(1).0 | 1,
            value: KeyHash(i).again(2).0 & mask,
        }
    }

    /// Every row that was taken can be read back, whatever the columns and wherever they change.
    #[test]
    fn solutions_hold() {
        let mut seen = [0; 3];
        for (blocks, few) in [(1, 0), (1, 7), (2, 1), (5, 0), (5, 1), (9, 20), (9, 63)] {
            for split in [0, 1, blocks / 2, blocks] {
                let columns = Columns { few, split };
                let mut band = Band::new(blocks).unwrap();
                let mut kept = Vec::new();
                // One row in 20 too many, so that some cannot be taken.
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
                    let other = Equation { value: row.value ^ 1, ..row };
                    assert!(count == 0 || !holds(&words, columns, other));
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 5), "every outcome: {seen:?}");
    }

    #[test]
    fn what_is_taken_back_was_never_there() {
        let mut band = Band::new(4).unwrap();
        for i in 0..200 {
            band.add(row(i, 256, 9));
        }
        let before = band.coefficients.clone();
        let added: Vec<Added> = (200..250).map(|i| band.add(row(i, 256, 9))).collect();
        assert_ne!(band.coefficients, before);
        for added in added {
            if let Added::At(slot) = added {
                band.take_back(slot);
            }
        }
        assert_eq!(band.coefficients, before);
    }
}
