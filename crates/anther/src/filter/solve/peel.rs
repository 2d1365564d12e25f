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
use crate::batch::source::{Hashed, KeySource, Work};
use crate::error::{BuildError, OutOfMemory};
use crate::parts::hash::KeyHash;
use crate::parts::packed::Packed;
use crate::parts::probes::{index, scale};
use crate::parts::view::{Row, Touch, View};
use crate::parts::words::Words;
use crate::sizing;

/// Slots per key: fewer are not solvable at this size, more cost reads and save little.
pub const ARITIES: [u32; 2] = [3, 4];

/// Attempts before giving up: by then there are nearly twice the slots. Of 51,000 sets of 1 to
/// 13,000 keys, including the worst sizes, none took more than six attempts, and none of more than
/// 1,000 keys took more slots.
pub const TRIES: u32 = 32;

/// Attempts in which the first slot grows with the hash.
const SORTED_TRIES: u32 = 2;

/// The most keys of a shard: a key's number shares 32 bits with the choice of a slot.
pub const MAX_KEYS: u64 = 1 << 30;

/// The draws of [`KeyHash::again`]: one for masks and fingerprints, then one per attempt for the
/// later slots, then one per attempt for the first.
const MASK: u64 = 0;
const LATER: u64 = 1;
const FIRST: u64 = LATER + TRIES as u64;

/// 64 bits of the key that are independent of its slots: fingerprints and masks.
#[inline]
pub fn mask(key: KeyHash) -> u64 {
    key.again(MASK).0
}

/// Where the slots of a shard's keys are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Grid {
    /// The shard's first cell.
    begin: u64,
    /// How many slots can be a key's first: whole segments; 0 without keys.
    starts: u64,
    /// The slots per segment: a power of two.
    length: u32,
    /// The attempt that succeeded; [`TRIES`] without keys.
    attempt: u32,
}

impl Grid {
    const EMPTY: Grid = Grid { begin: 0, starts: 0, length: 1, attempt: TRIES };

    fn for_attempt(keys: u64, arity: u32, attempt: u32) -> Grid {
        let step = u64::from(attempt / SORTED_TRIES);
        let least = sizing::fuse::shard_slots(keys, arity);
        let longest = sizing::fuse::segment_log2(keys, arity);
        let halved = u32::from(step > 0 && arity == 3);
        let length_log2 = (longest - halved).max(*sizing::fuse::SEGMENT_LOG2.start());
        let slots = least + least * step.saturating_sub(1) / 16;
        let starts = slots.div_ceil(1 << length_log2) + 1 - u64::from(arity);
        Grid { begin: 0, starts: starts << length_log2, length: 1 << length_log2, attempt }
    }

    /// The number of cells of the shard.
    fn slots(&self, arity: u32) -> u64 {
        if self.starts == 0 {
            0
        } else {
            self.starts + u64::from(arity - 1) * u64::from(self.length)
        }
    }

    /// The key's slots: the first from its position among the shard's keys, or from a draw, the
    /// others anywhere in the next segments. A segment has at most 2¹⁸ slots, so three of them come
    /// from one draw of 64 bits.
    #[inline(always)]
    fn cells<const ARITY: usize>(&self, key: KeyHash, position: u64) -> [u64; ARITY] {
        let drawn = || key.again(FIRST + u64::from(self.attempt)).0;
        let position = if self.is_sorted() { position } else { drawn() };
        let first = scale(position, self.starts);
        let later = key.again(LATER + u64::from(self.attempt)).0;
        let length = u64::from(self.length);
        let within = length - 1;
        let segment = self.begin + (first & !within);
        let mut cells = [self.begin + first; ARITY];
        for (i, cell) in (0..).zip(&mut cells).skip(1) {
            *cell = segment + i * length + (later >> (18 * (i - 1)) & within);
        }
        cells
    }

    /// Whether the first slot grows with the hash, as in nearly every shard. Not without keys.
    #[inline(always)]
    fn is_sorted(&self) -> bool {
        self.attempt < SORTED_TRIES
    }

    /// The same shard after `cells` cells; `None` when there are too many.
    fn after(self, cells: u64) -> Option<Grid> {
        Some(Grid { begin: cells.checked_next_multiple_of(SHARD_ALIGN)?, ..self })
    }

    /// The shard's word in a file.
    fn to_word(self) -> u64 {
        match self.starts {
            0 => 0,
            starts => starts << 16 | u64::from(self.length.ilog2() << 8 | self.attempt),
        }
    }

    /// `None` when the word is malformed.
    fn from_word(word: u64, arity: u32) -> Option<Grid> {
        if word == 0 {
            return Some(Grid::EMPTY);
        }
        let [attempt, length_log2, ..] = word.to_le_bytes().map(u32::from);
        if attempt >= TRIES || !sizing::fuse::SEGMENT_LOG2.contains(&length_log2) {
            return None;
        }
        let (starts, length) = (word >> 16, 1 << length_log2);
        let grid = Grid { begin: 0, starts, length, attempt };
        let fits = starts > 0
            && starts.is_multiple_of(u64::from(length))
            && grid.slots(arity) <= u64::from(u32::MAX);
        fits.then_some(grid)
    }
}

/// Where the slots of all keys are: what a static filter needs besides its cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    /// One word per shard, as in files.
    table: Words,
    shards: u64,
    /// The same words decoded, up to [`LISTED`] shards; empty where there are more.
    grids: Vec<Grid>,
    /// With more shards: the first cell of every `step`-th.
    begins: Vec<u64>,
    step: usize,
    cells: u64,
    arity: u32,
}

/// Shards begin at multiples of this many cells, and so at whole words for any width.
const SHARD_ALIGN: u64 = 64;

/// How many shards are kept decoded, in 24 bytes each: enough for 4·10¹⁰ keys. So a filter takes a
/// constant beyond the size of its file. With more shards, only the first cell of every `step`-th
/// is kept, and a lookup decodes the words from there on.
const LISTED: usize = 1 << 14;

impl Slots {
    fn new(grids: impl ExactSizeIterator<Item = Grid>, arity: u32) -> Result<Slots, OutOfMemory> {
        let mut table = Words::zeroed(grids.len())?;
        for (word, grid) in table.to_mut().iter_mut().zip(grids) {
            *word = grid.to_word();
        }
        Slots::from_table(table, arity)?.ok_or(OutOfMemory { bytes: u64::MAX })
    }

    /// From the words of a file. `None` when they are malformed.
    pub fn from_table(table: Words, arity: u32) -> Result<Option<Slots>, OutOfMemory> {
        let shards = table.as_slice().len();
        if shards == 0 || !ARITIES.contains(&arity) {
            return Ok(None);
        }
        let step = shards.div_ceil(LISTED);
        let (mut grids, mut begins) = (Vec::new(), Vec::new());
        match step {
            1 => reserve(&mut grids, shards)?,
            _ => reserve(&mut begins, shards.div_ceil(step))?,
        }
        let mut cells = 0;
        for (shard, word) in table.as_slice().iter().enumerate() {
            let Some(grid) = Grid::from_word(*word, arity).and_then(|grid| grid.after(cells))
            else {
                return Ok(None);
            };
            match grid.begin.checked_add(grid.slots(arity)) {
                Some(end) => cells = end,
                None => return Ok(None),
            }
            if step == 1 {
                grids.push(grid);
            } else if shard.is_multiple_of(step) {
                begins.push(grid.begin);
            }
        }
        Ok(Some(Slots { table, shards: shards as u64, grids, begins, step, cells, arity }))
    }

    /// The grids of all shards from one on; `cells` is the number of cells of the shards before.
    fn grids_from(&self, shard: usize, mut cells: u64) -> impl Iterator<Item = Grid> {
        let words = self.table.as_slice()[shard..].iter();
        words.map_while(move |word| {
            let grid = Grid::from_word(*word, self.arity)?.after(cells)?;
            cells = grid.begin + grid.slots(self.arity);
            Some(grid)
        })
    }

    /// The grid of a shard beyond the decoded ones.
    #[cold]
    #[inline(never)]
    fn grid_beyond(&self, shard: usize) -> Grid {
        let noted = shard / self.step;
        let mut grids = self.grids_from(noted * self.step, self.begins[noted]);
        grids.nth(shard % self.step).unwrap_or(Grid::EMPTY)
    }

    /// One word per shard: the successful attempt in bits 0 to 7, log2 of the segments' length in 8
    /// to 15, and above them the number of slots that can be a key's first. A shard without keys is
    /// 0.
    pub fn table(&self) -> &[u64] {
        self.table.as_slice()
    }

    /// The number of cells.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Slots per key.
    pub fn arity(&self) -> u32 {
        self.arity
    }

    /// The number of shards.
    pub fn shards(&self) -> u64 {
        self.shards
    }

    /// The number of shards with keys.
    pub fn filled(&self) -> u64 {
        self.table().iter().filter(|word| **word != 0).count() as u64
    }

    /// Whether `items` keys can have these slots: each has one of its own, and no shard with slots
    /// is without keys.
    pub fn can_hold(&self, items: u64) -> bool {
        (self.filled()..=self.cells).contains(&items)
    }

    /// The key's cells, for the arity that these slots have. `None` when its shard is empty.
    #[inline]
    pub(crate) fn of<const ARITY: usize>(&self, key: KeyHash) -> Option<[u64; ARITY]> {
        debug_assert_eq!(self.arity as usize, ARITY);
        match self.usual(key) {
            Some((grid, position)) => Some(grid.cells(key, position)),
            None => self.of_unusual(key),
        }
    }

    /// The key's grid and its position among the shard's keys, if the grid is as nearly all are:
    /// decoded, with keys, and the first slot grows with the hash.
    #[inline(always)]
    fn usual(&self, key: KeyHash) -> Option<(&Grid, u64)> {
        let (shard, position) = self.shard_and_position(key);
        let grid = self.grids.get(shard)?;
        grid.is_sorted().then_some((grid, position))
    }

    /// [`of`](Slots::of) for all other grids. Kept out of lookups: merged with the usual ones, a
    /// grid and the cells are passed in memory.
    #[cold]
    #[inline(never)]
    fn of_unusual<const ARITY: usize>(&self, key: KeyHash) -> Option<[u64; ARITY]> {
        let (shard, position) = self.shard_and_position(key);
        let grid = match self.grids.get(shard) {
            Some(grid) => *grid,
            None => self.grid_beyond(shard),
        };
        (grid.starts > 0).then(|| grid.cells(key, position))
    }

    #[inline(always)]
    fn shard_and_position(&self, key: KeyHash) -> (usize, u64) {
        let wide = u128::from(key.0) * u128::from(self.shards);
        #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
        return ((wide >> 64) as usize, wide as u64);
    }

    /// A table with these slots, for inspection: in segments if there is one shard, since the
    /// lengths differ between shards.
    pub(crate) fn row<'a>(&self, name: &'static str, cells: &'a Packed) -> Row<'a> {
        let segment = match self.grids.as_slice() {
            [grid] if grid.starts > 0 => u64::from(grid.length),
            _ => 0,
        };
        Row::new(name, View::packed(cells)).without_marks().grouped(segment)
    }

    /// One word per shard, for inspection.
    pub(crate) fn shard_row(&self) -> Row<'_> {
        Row::new("shards", View::words(self.table(), self.shards(), u64::BITS)).without_marks()
    }

    /// The number of the key's shard.
    pub(crate) fn shard(&self, key: KeyHash) -> u64 {
        scale(key.0, self.shards())
    }

    /// The key's cells, as touches of the row with this number.
    pub(crate) fn touches(&self, row: usize, key: KeyHash) -> Vec<Touch> {
        let cells = match self.arity {
            3 => self.of::<3>(key).map(Vec::from),
            _ => self.of::<4>(key).map(Vec::from),
        };
        cells.into_iter().flatten().map(|cell| Touch::new(row, cell)).collect()
    }

    /// Prefetches the key's cells in a table with these slots.
    #[inline]
    pub(crate) fn fetch(&self, cells: &Packed, key: KeyHash) {
        match self.arity {
            3 => self.of::<3>(key).into_iter().flatten().for_each(|cell| cells.fetch(cell)),
            _ => self.of::<4>(key).into_iter().flatten().for_each(|cell| cells.fetch(cell)),
        }
    }

    /// The xor of the key's cells in a table with these slots.
    #[inline]
    pub(crate) fn xor(&self, cells: &Packed, key: KeyHash) -> Option<u64> {
        match self.xor_of_bytes(cells, key) {
            Some(xor) => Some(u64::from(xor)),
            None => self.xor_of_any(cells, key),
        }
    }

    /// The same if the cells are three bytes, and the grid a [usual](Slots::usual) one: so simple
    /// that it is inlined, and all else is a call. `None` otherwise.
    #[inline(always)]
    pub(crate) fn xor_of_bytes(&self, cells: &Packed, key: KeyHash) -> Option<u8> {
        let bytes = cells.as_bytes().filter(|_| self.arity == 3)?;
        let (grid, position) = self.usual(key)?;
        let [first, second, third] = grid.cells(key, position).map(index);
        Some(bytes[first] ^ bytes[second] ^ bytes[third])
    }

    #[inline(never)]
    pub(crate) fn xor_of_any(&self, cells: &Packed, key: KeyHash) -> Option<u64> {
        match self.arity {
            3 => Some(cells.xor(self.of::<3>(key)?)),
            _ => Some(cells.xor(self.of::<4>(key)?)),
        }
    }
}

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
        for entry in self.entries.iter().rev() {
            let (item, own) = (&keys[(entry >> 2) as usize], entry & 3);
            let slots = slots_of::<ARITY>(&self.grid, item.hash(), self.shards);
            let xor = cells.xor(slots);
            cells.set(slots[own as usize], value(item, own, xor));
        }
    }
}

/// Cells: packed, or bytes where they are 8 bits wide. Filling those took 18 ns per key at 10⁶ keys,
/// and packed ones of 10 bits 31.
pub(crate) trait Cells {
    fn xor<const ARITY: usize>(&self, cells: [u64; ARITY]) -> u64;
    /// Only the lowest bits of the value are kept, as many as fit.
    fn set(&mut self, cell: u64, value: u64);
}

impl Cells for Packed {
    #[inline]
    fn xor<const ARITY: usize>(&self, cells: [u64; ARITY]) -> u64 {
        self.xor(cells)
    }

    #[inline]
    fn set(&mut self, cell: u64, value: u64) {
        self.set(cell, value);
    }
}

impl Cells for [u8] {
    #[inline]
    fn xor<const ARITY: usize>(&self, cells: [u64; ARITY]) -> u64 {
        u64::from(cells.into_iter().fold(0, |xor, cell| xor ^ self[index(cell)]))
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "as it says")]
    fn set(&mut self, cell: u64, value: u64) {
        self[index(cell)] = value as u8;
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
    // The order from the front, and from the back a stack of slots that are used by one key. They
    // never meet: a slot on the stack is no peeled key's own. One more, since every slot is
    // written to the stack, and stays there only if it belongs there, without a branch.
    let mut order = zeros::<u32>(slots + 1)?;
    let mut peeled = 0;
    for slot in 0..slots {
        if count(tallies[slot].into()) != 1 {
            continue;
        }
        let mut top = slots;
        order[top] = slot as u32;
        while top <= slots {
            let slot = order[top];
            top += 1;
            let alone: u64 = tallies[slot as usize].into();
            if count(alone) != 1 {
                // Its key was already peeled off by another slot.
                continue;
            }
            let (number, own) = (alone >> NUMBER_AT, alone & 3);
            let cells = slots_of::<ARITY>(&grid, keys[number as usize].hash(), shards);
            for (i, cell) in (0..).zip(cells) {
                let tally = &mut tallies[cell as usize];
                let left = ((*tally).into() - (1 << COUNT_AT)) ^ (number << NUMBER_AT | i);
                *tally = S::truncate(left);
                order[top - 1] = cell as u32;
                top -= usize::from(count(left) == 1);
            }
            order[peeled] = (number << 2 | own) as u32;
            peeled += 1;
        }
    }
    order.truncate(peeled);
    Ok((peeled == keys.len()).then_some(order))
}

fn reserve<T>(row: &mut Vec<T>, len: usize) -> Result<(), OutOfMemory> {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    row.try_reserve_exact(len).map_err(|_| OutOfMemory { bytes })
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
    let bytes = slots.cells.saturating_mul(u64::from(width)).div_ceil(8);
    let out_of_memory = OutOfMemory { bytes };
    let len = usize::try_from(bytes.div_ceil(8)).map_err(|_| out_of_memory)?;
    let mut words = Words::zeroed(len)?;
    for (grid, part) in slots.grids_from(0, 0).zip(parts) {
        #[expect(clippy::cast_possible_truncation, reason = "below the length, which fits")]
        let begin = (grid.begin / SHARD_ALIGN * u64::from(width)) as usize;
        words.to_mut()[begin..begin + part.words().len()].copy_from_slice(part.words());
    }
    Packed::from_words(words, slots.cells, width).ok_or(out_of_memory)
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

    /// Files have the attempt's number: which grids draw the first slot is part of the format.
    #[test]
    fn the_first_slot_is_drawn_from_the_third_attempt_on() {
        let key = KeyHash(7).again(0);
        for attempt in 0..4 {
            let grid = Grid::for_attempt(3000, 3, attempt);
            let [low, high] = [0, u64::MAX].map(|position| grid.cells::<3>(key, position)[0]);
            assert_eq!(low == high, attempt >= SORTED_TRIES, "attempt {attempt}");
        }
    }

    /// Beyond [`LISTED`] shards, a grid is decoded from the nearest one whose first cell is known.
    #[test]
    fn grids_that_are_not_kept_decoded_are_the_same() {
        let shards = 2 * LISTED + 5;
        let mut table = Words::zeroed(shards).unwrap();
        for (shard, word) in (0..).zip(table.to_mut()) {
            if shard % 5 != 0 {
                *word = Grid::for_attempt(1 + shard % 700, 3, (shard % 4) as u32).to_word();
            }
        }
        let slots = Slots::from_table(table, 3).unwrap().unwrap();
        assert_eq!((slots.grids.len(), slots.step), (0, 3));
        for (shard, grid) in slots.grids_from(0, 0).enumerate() {
            assert_eq!(slots.grid_beyond(shard), grid, "shard {shard}");
        }
        let last = slots.grid_beyond(shards - 1);
        assert_eq!(last.begin + last.slots(3), slots.cells());
        let ends = [0, u64::MAX].map(|hash| slots.shard(KeyHash(hash)));
        assert_eq!(ends, [0, shards as u64 - 1]);
    }

    #[test]
    fn malformed_grids_are_rejected() {
        let word = Grid::for_attempt(3000, 3, 1).to_word();
        assert!(Grid::from_word(word, 3).is_some());
        let starts = |starts: u64| starts << 16 | word & 0xFFFF;
        let wrong = [
            starts(0),
            starts((word >> 16) + 1),
            // 2³² slots, in whole segments.
            starts(1 << 32),
            word & !0xFF | u64::from(TRIES),
            word | 0xFF00,
        ];
        for word in wrong {
            assert_eq!(Grid::from_word(word, 3), None, "{word:#x}");
        }
    }
}
