//! Peeling: an order of the keys in which each has a slot that no later key uses.
//!
//! A key has three or four slots, and the xor of their cells must be its payload. A slot that only
//! one key uses can be set last, to whatever makes that key right. So that key is peeled off, its
//! other slots lose a key, and some of them are now used by one key only. When all keys are peeled
//! off, the cells are filled in reverse. This is the method of Chazelle, Kilian, Rubinfeld and Tal
//! (2004), for slots anywhere, which takes 1.23 slots per key with three of them.
//!
//! Graf and Lemire (2022) divide the slots into short segments and give each key slots in three or
//! four *consecutive* ones, at a random position. Keys at both ends have emptier neighbours and are
//! peeled off first, and the rest follows inwards: 1.13 slots per key with three, 1.08 with four.
//! The lengths are those of [`sizing::fuse`].
//!
//! Three things are our own:
//!
//! - The first slot grows with the hash. A shard's keys are sorted, so all memory accesses are
//!   within a few segments, in the nearest cache: at 2.5 million keys peeling took a third and
//!   filling a quarter of the time that random slots take. Others sort once more.
//! - While peeling, a slot holds the xor of its keys' numbers, not of their hashes, in one word of
//!   four bytes with their count. With the order that is 9 bytes per key, 17 with the hash. At 10⁷
//!   keys it is less on one thread, since only one of the eight shards is being solved. The cells of
//!   the result are allocated after these are freed.
//! - When two attempts fail, the next have segments half as long, with no more slots, for three
//!   slots per key. The published lengths double at 3,360, 11,190, 37,280 … keys, and there the
//!   segments are few: with 11,500 keys one attempt in a hundred succeeds, with segments half as
//!   long 97 in a hundred. For four slots per key the lengths are short already, and halving them
//!   lost more attempts than it won. Should that fail as well, slots are added: a sixteenth every
//!   second attempt.
//!
//! After the first two attempts the first slot is drawn like the others, so that external hashes
//! that are not uniform can be solved, too, only slower.

use super::shards::each_shard;
use super::slots::{Cells, Grid, SHARD_ALIGN, Slots, TRIES, reserve};
use crate::batch::source::{Hashed, KeySource, Work};
use crate::error::{BuildError, OutOfMemory};
use crate::parts::hash::KeyHash;
use crate::parts::packed::Packed;
use crate::parts::words::{Words, prefetch};
use crate::sizing;

/// The most keys of a shard: a key's number shares 32 bits with the choice of a slot.
pub const MAX_KEYS: u64 = 1 << 30;

/// How many keys before its cells are filled a key is prefetched.
const AHEAD: usize = 16;

/// The keys of a shard in the order in which they were peeled off.
#[derive(Debug)]
pub struct Order {
    grid: Grid,
    arity: u32,
    shards: u64,
    /// The key's number and, in the lowest two bits, which of its slots is its own.
    entries: Vec<u32>,
}

impl Order {
    fn find<T: Hashed>(keys: &[T], arity: u32, shards: u64) -> Result<Order, BuildError> {
        if keys.is_empty() {
            return Ok(Order { grid: Grid::EMPTY, arity, shards, entries: Vec::new() });
        }
        let count = keys.len() as u64;
        if count > MAX_KEYS {
            return Err(BuildError::Crowded { got: count, most: MAX_KEYS });
        }
        for attempt in 0..TRIES {
            let grid = Grid::for_attempt(count, arity, attempt);
            let entries = match (arity, keys.len() <= u32::MAX_KEYS) {
                (3, true) => peel::<T, u32, 3>(keys, grid, shards)?,
                (3, false) => peel::<T, u64, 3>(keys, grid, shards)?,
                (_, true) => peel::<T, u32, 4>(keys, grid, shards)?,
                (_, false) => peel::<T, u64, 4>(keys, grid, shards)?,
            };
            if let Some(entries) = entries {
                return Ok(Order { grid, arity, shards, entries });
            }
        }
        Err(BuildError::Unsolved { keys: count, tries: TRIES })
    }

    /// Cells of `width` bits whose xor over a key's slots is the lowest bits of its payload.
    /// `payload` gets the key and which of its slots is its own.
    pub(crate) fn fill<T: Hashed>(
        &self,
        keys: &[T],
        width: u32,
        payload: impl Fn(&T, u32) -> u64,
    ) -> Result<Packed, OutOfMemory> {
        // Its own cell is still 0: no key before it has filled it.
        self.set_own(keys, width, |item, own, xor| payload(item, own) ^ xor)
    }

    /// Cells of `width` bits, each with the value of the key that owns the slot.
    pub(crate) fn store<T: Hashed>(
        &self,
        keys: &[T],
        width: u32,
        value: impl Fn(&T) -> u64,
    ) -> Result<Packed, OutOfMemory> {
        self.set_own(keys, width, |item, _, _| value(item))
    }

    /// Sets the own cell of every key, in reverse order of peeling. `value` gets the key, which of
    /// its slots is its own, and the xor of its cells so far.
    fn set_own<T: Hashed>(
        &self,
        keys: &[T],
        width: u32,
        value: impl Fn(&T, u32, u64) -> u64,
    ) -> Result<Packed, OutOfMemory> {
        let mut cells = Packed::zeroed(self.grid.slots(self.arity), width)?;
        match (self.arity, cells.as_bytes_mut()) {
            (3, Some(bytes)) => self.set_own_in::<T, 3>(keys, bytes, value),
            (3, None) => self.set_own_in::<T, 3>(keys, &mut cells, value),
            _ => self.set_own_in::<T, 4>(keys, &mut cells, value),
        }
        Ok(cells)
    }

    fn set_own_in<T: Hashed, const ARITY: usize>(
        &self,
        keys: &[T],
        cells: &mut (impl Cells + ?Sized),
        value: impl Fn(&T, u32, u64) -> u64,
    ) {
        for (at, entry) in self.entries.iter().enumerate().rev() {
            let later = self.entries[at.saturating_sub(AHEAD)];
            prefetch(keys.as_ptr().wrapping_add((later >> 2) as usize));
            let (item, own) = (&keys[(entry >> 2) as usize], entry & 3);
            let slots = slots_of::<ARITY>(&self.grid, item.hash(), self.shards);
            let xor = cells.xor(slots);
            cells.set(slots[own as usize], value(item, own, xor));
        }
    }
}

#[inline]
fn slots_of<const ARITY: usize>(grid: &Grid, key: KeyHash, shards: u64) -> [u64; ARITY] {
    // As in `Slots::of`: the rest of the product after the shard is taken from it.
    grid.cells(key, key.0.wrapping_mul(shards))
}

/// A slot while peeling: the xor of its keys' numbers, how many these are, and the xor of which of
/// its key's slots it is. When one key is left, the last is its own.
trait Tally: Copy + Default + Into<u64> {
    /// The most keys that can be numbered.
    const MAX_KEYS: usize;
    fn truncate(word: u64) -> Self;
}

impl Tally for u32 {
    const MAX_KEYS: usize = 1 << (32 - NUMBER_AT);
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "numbers are below the most")]
    fn truncate(word: u64) -> u32 {
        word as u32
    }
}

impl Tally for u64 {
    const MAX_KEYS: usize = 1 << 30;
    #[inline]
    fn truncate(word: u64) -> u64 {
        word
    }
}

/// Two bits for which slot it is, eight for the count, and the number.
const COUNT_AT: u32 = 2;
const NUMBER_AT: u32 = 10;

#[inline]
fn count(tally: u64) -> u64 {
    tally >> COUNT_AT & 0xFF
}

/// The only key of a slot, as in the order.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "numbers are below 2³⁰")]
fn entry(tally: u64) -> u32 {
    (tally >> NUMBER_AT << 2 | tally & 3) as u32
}

/// The order, or `None` when some keys cannot be peeled off.
#[expect(clippy::cast_possible_truncation, reason = "2³⁰ keys have fewer than 2³² slots")]
fn peel<T: Hashed, S: Tally, const ARITY: usize>(
    keys: &[T],
    grid: Grid,
    shards: u64,
) -> Result<Option<Vec<u32>>, OutOfMemory> {
    let slots = grid.slots(ARITY as u32) as usize;
    let mut tallies = zeros::<S>(slots)?;
    for (number, item) in (0..).zip(keys) {
        for (i, slot) in (0..).zip(slots_of::<ARITY>(&grid, item.hash(), shards)) {
            let tally = &mut tallies[slot as usize];
            let old: u64 = (*tally).into();
            // The average is below 4; hashes that are so dense cannot be solved.
            if count(old) == 0xFF {
                return Ok(None);
            }
            *tally = S::truncate((old + (1 << COUNT_AT)) ^ (number << NUMBER_AT | i));
        }
    }
    // The order from the front, and from the back a stack of keys that are alone in a slot. They
    // never meet: that slot is no peeled key's own. Two more, since every key is written to the
    // stack, and stays there only if it belongs there, without a branch.
    let mut order = zeros::<u32>(slots + 2)?;
    let mut peeled = 0;
    for slot in 0..slots {
        let alone = tallies[slot].into();
        if count(alone) != 1 {
            continue;
        }
        // The top of the stack is in `next`: what a key pushes is usually peeled off right after it,
        // and would have to come back from memory first.
        let (mut next, mut top) = (entry(alone), slots);
        while top <= slots {
            let (number, own) = (next >> 2, next & 3);
            top += 1;
            next = order[top];
            let cells = slots_of::<ARITY>(&grid, keys[number as usize].hash(), shards);
            if count(tallies[cells[own as usize] as usize].into()) != 1 {
                // The key was already peeled off by another slot.
                continue;
            }
            for (i, cell) in (0..).zip(cells) {
                let tally = &mut tallies[cell as usize];
                let left =
                    ((*tally).into() - (1 << COUNT_AT)) ^ (u64::from(number) << NUMBER_AT | i);
                *tally = S::truncate(left);
                order[top] = next;
                prefetch(keys.as_ptr().wrapping_add((next >> 2) as usize));
                let alone = count(left) == 1;
                top -= usize::from(alone);
                next = if alone { entry(left) } else { next };
            }
            order[peeled] = number << 2 | own;
            peeled += 1;
        }
    }
    order.truncate(peeled);
    Ok((peeled == keys.len()).then_some(order))
}

fn zeros<T: Clone + Default>(len: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut row = Vec::new();
    reserve(&mut row, len)?;
    row.resize(len, T::default());
    Ok(row)
}

/// The result of [`solve`].
#[derive(Debug)]
pub(crate) struct Solved {
    /// Where the slots are.
    pub(crate) slots: Slots,
    /// The table that every kind has.
    pub(crate) first: Packed,
    /// The second table, which some kinds have.
    pub(crate) second: Option<Packed>,
    /// The number of distinct hashes.
    pub(crate) items: u64,
}

/// Solves all shards and joins their tables. `check` sees a shard's keys before they are solved:
/// each hash must occur once. `fill` makes the tables of a shard from its order, a second one for
/// all shards or for none.
pub(crate) fn solve<T: Hashed>(
    source: &mut dyn KeySource<T>,
    items: u64,
    arity: u32,
    work: Work<'_>,
    check: impl Fn(&[T]) -> Result<(), BuildError> + Sync,
    fill: impl Fn(&[T], &Order) -> Result<(Packed, Option<Packed>), BuildError> + Sync,
) -> Result<Solved, BuildError> {
    let shards = sizing::fuse::shards(items, arity);
    let solve_one = |_, keys: &mut [T]| {
        check(keys)?;
        let order = Order::find(keys, arity, shards.get())?;
        Ok((order.grid, keys.len() as u64, fill(keys, &order)?))
    };
    let solved = each_shard(source, items, shards, work, solve_one)?;
    let items = solved.iter().map(|(_, keys, _)| keys).sum();
    let slots = Slots::new(solved.iter().map(|(grid, ..)| *grid), arity)?;
    let (first, second): (Vec<_>, Vec<_>) = solved.into_iter().map(|(.., tables)| tables).unzip();
    let first = join(&slots, first)?;
    let second: Option<Vec<Packed>> = second.into_iter().collect();
    let second = second.map(|parts| join(&slots, parts)).transpose()?;
    Ok(Solved { slots, first, second, items })
}

/// Joins the shards' tables.
fn join(slots: &Slots, parts: Vec<Packed>) -> Result<Packed, OutOfMemory> {
    let width = parts.first().map_or(1, Packed::width);
    let parts = match <[Packed; 1]>::try_from(parts) {
        Ok([only]) => return Ok(only),
        Err(parts) => parts,
    };
    let bytes = slots.cells().saturating_mul(u64::from(width)).div_ceil(8);
    let out_of_memory = OutOfMemory { bytes };
    let len = usize::try_from(bytes.div_ceil(8)).map_err(|_| out_of_memory)?;
    let mut words = Words::zeroed(len)?;
    for (grid, part) in slots.grids_from(0, 0).zip(parts) {
        #[expect(clippy::cast_possible_truncation, reason = "below the length, which fits")]
        let begin = (grid.begin / SHARD_ALIGN * u64::from(width)) as usize;
        words.to_mut()[begin..begin + part.words().len()].copy_from_slice(part.words());
    }
    Packed::from_words(words, slots.cells(), width).ok_or(out_of_memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More than 2²² keys in a shard take words of eight bytes.
    #[test]
    fn wide_tallies_peel_in_the_same_order() {
        let mut keys: Vec<KeyHash> = (0..3000).map(|i| KeyHash(i).again(0)).collect();
        keys.sort_unstable();
        for attempt in 0..4 {
            let grid = Grid::for_attempt(3000, 3, attempt);
            let narrow = peel::<_, u32, 3>(&keys, grid, 1).unwrap();
            assert_eq!(narrow, peel::<_, u64, 3>(&keys, grid, 1).unwrap());
            assert!(attempt < 2 || narrow.is_some());
        }
    }
}
