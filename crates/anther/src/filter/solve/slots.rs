//! Where the three or four slots of a key are, in all shards.

use crate::batch::Hashes;
use crate::error::OutOfMemory;
use crate::parts::hash::{Draw, KeyHash};
use crate::parts::packed::Packed;
use crate::parts::probes::{index, scale};
use crate::parts::view::{Row, Touch, View};
use crate::parts::words::Words;
use crate::{simd, sizing};

/// Slots per key: fewer are not solvable at this size, more cost reads and save little.
pub const ARITIES: [u32; 2] = [3, 4];

/// Attempts before giving up: by then there are nearly twice the slots. Of 51,000 sets of 1 to
/// 13,000 keys, including the worst sizes, none took more than six attempts, and none of more than
/// 1,000 keys took more slots.
pub const TRIES: u32 = 32;

/// Attempts in which the first slot grows with the hash.
const SORTED_TRIES: u32 = 2;

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

/// Keys whose slots are computed together.
const TOGETHER: usize = 16;

/// [`scale`] for a range below 2³², by products of 32 bits, which vectors have.
#[inline(always)]
fn scale_in_halves(x: u64, range: u64) -> u64 {
    let (high, low) = (x >> 32, x & u64::from(u32::MAX));
    (high * range + ((low * range) >> 32)) >> 32
}

/// Where the slots of a shard's keys are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    /// The shard's first cell.
    pub(super) begin: u64,
    /// How many slots can be a key's first: whole segments; 0 without keys.
    starts: u64,
    /// The slots per segment: a power of two.
    length: u32,
    /// The attempt that succeeded; [`TRIES`] without keys.
    attempt: u32,
    /// The attempt's draw of the later slots.
    later: Draw,
}

impl Grid {
    pub(super) const EMPTY: Grid = Grid::new(0, 1, TRIES);

    const fn new(starts: u64, length: u32, attempt: u32) -> Grid {
        Grid { begin: 0, starts, length, attempt, later: Draw::new(LATER + attempt as u64) }
    }

    pub(super) fn for_attempt(keys: u64, arity: u32, attempt: u32) -> Grid {
        let step = u64::from(attempt / SORTED_TRIES);
        let least = sizing::fuse::shard_slots(keys, arity);
        let longest = sizing::fuse::segment_log2(keys, arity);
        let halved = u32::from(step > 0 && arity == 3);
        let length_log2 = (longest - halved).max(*sizing::fuse::SEGMENT_LOG2.start());
        let slots = least + least * step.saturating_sub(1) / 16;
        let starts = slots.div_ceil(1 << length_log2) + 1 - u64::from(arity);
        Grid::new(starts << length_log2, 1 << length_log2, attempt)
    }

    /// The number of cells of the shard.
    pub(super) fn slots(&self, arity: u32) -> u64 {
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
    pub(super) fn cells<const ARITY: usize>(&self, key: KeyHash, position: u64) -> [u64; ARITY] {
        let drawn = || key.again(FIRST + u64::from(self.attempt)).0;
        let position = if self.is_sorted() { position } else { drawn() };
        self.cells_from(key, scale(position, self.starts)).map(|cell| self.begin + cell)
    }

    /// The key's slots within the shard, with the first one at hand.
    #[inline(always)]
    fn cells_from<const ARITY: usize>(&self, key: KeyHash, first: u64) -> [u64; ARITY] {
        let later = key.draw(self.later).0;
        let length = u64::from(self.length);
        let within = length - 1;
        let segment = first & !within;
        let mut cells = [first; ARITY];
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
        let grid = Grid::new(starts, length, attempt);
        let fits = starts > 0
            && starts.is_multiple_of(u64::from(length))
            && grid.slots(arity) <= u64::from(u32::MAX);
        fits.then_some(grid)
    }
}

/// Whether the xor of each key's three cells is its fingerprint, in the only shard. The slots of
/// sixteen keys are computed together: for bytes 4.1 ns per key at 10⁵ keys instead of 5.9, and 5.2
/// instead of 7.9 at 10⁶. With each key's slots side by side it took 5.1 and 6.0; AVX-512 gained
/// nothing.
struct Match<'a, C: ?Sized, H> {
    grid: &'a Grid,
    cells: &'a C,
    /// The largest value of a cell.
    max: u64,
    keys: H,
    found: &'a mut [bool],
}

impl<C: Cells + ?Sized, H: Hashes> simd::Work for Match<'_, C, H> {
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a shard has fewer than 2³² slots")]
    fn run(self) {
        let Match { grid, cells, max, mut keys, found } = self;
        for found in found.chunks_mut(TOGETHER) {
            let mut hashes = [KeyHash::default(); TOGETHER];
            hashes.iter_mut().zip(&mut keys).for_each(|(hash, key)| *hash = key);
            // Plain arrays and indices: with iterators or `map` over them nothing is vectorised.
            let [mut first, mut second, mut third] = [[0u32; TOGETHER]; 3];
            let mut masks = [0u64; TOGETHER];
            for (at, &key) in hashes.iter().enumerate() {
                let own = grid.cells_from::<3>(key, scale_in_halves(key.0, grid.starts));
                first[at] = own[0] as u32;
                second[at] = own[1] as u32;
                third[at] = own[2] as u32;
                masks[at] = mask(key) & max;
            }
            for (at, found) in found.iter_mut().enumerate().take(TOGETHER) {
                let own = [first[at], second[at], third[at]].map(u64::from);
                *found = cells.xor(own) == masks[at];
            }
        }
    }
}

/// Cells: packed, or bytes where they are 8 bits wide. Filling those takes 9 ns per key at 10⁶ keys,
/// and packed ones of 10 bits 15.
pub(crate) trait Cells {
    fn xor<const ARITY: usize>(&self, cells: [u64; ARITY]) -> u64;
    /// Only the lowest bits of the value are kept, as many as fit.
    fn set(&mut self, cell: u64, value: u64);
}

impl Cells for Packed {
    #[inline(always)]
    fn xor<const ARITY: usize>(&self, cells: [u64; ARITY]) -> u64 {
        self.xor(cells)
    }

    #[inline]
    fn set(&mut self, cell: u64, value: u64) {
        self.set(cell, value);
    }
}

impl Cells for [u8] {
    #[inline(always)]
    fn xor<const ARITY: usize>(&self, cells: [u64; ARITY]) -> u64 {
        u64::from(cells.into_iter().fold(0, |xor, cell| xor ^ self[index(cell)]))
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "as it says")]
    fn set(&mut self, cell: u64, value: u64) {
        self[index(cell)] = value as u8;
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
pub(super) const SHARD_ALIGN: u64 = 64;

/// How many shards are kept decoded, in 32 bytes each: enough for 4·10¹⁰ keys. So a filter takes a
/// constant beyond the size of its file. With more shards, only the first cell of every `step`-th
/// is kept, and a lookup decodes the words from there on.
const LISTED: usize = 1 << 14;

impl Slots {
    pub(super) fn new(
        grids: impl ExactSizeIterator<Item = Grid>,
        arity: u32,
    ) -> Result<Slots, OutOfMemory> {
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
    pub(super) fn grids_from(&self, shard: usize, mut cells: u64) -> impl Iterator<Item = Grid> {
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
        let (grid, position) = match self.grids.as_slice() {
            // Up to some million keys, and a tenth of a lookup's time.
            [only] => (only, key.0),
            grids => {
                let (shard, position) = self.shard_and_position(key);
                (grids.get(shard)?, position)
            }
        };
        grid.is_sorted().then_some((grid, position))
    }

    /// The grid of all keys, if there is one shard and its grid is a usual one.
    fn only(&self) -> Option<&Grid> {
        match self.grids.as_slice() {
            [only] if only.is_sorted() => Some(only),
            _ => None,
        }
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

    /// Whether the xor of each key's cells is its fingerprint, if the cells are three and there is one
    /// shard: then sixteen keys' slots are computed together, in vectors. Otherwise `None`.
    pub(crate) fn match_together(
        &self,
        cells: &Packed,
        keys: impl Hashes,
        found: &mut [bool],
    ) -> Option<()> {
        let grid = self.only().filter(|_| self.arity == 3)?;
        let max = cells.max();
        match cells.as_bytes() {
            Some(cells) => simd::with_vectors(Match { grid, cells, max, keys, found }),
            None => simd::with_vectors(Match { grid, cells, max, keys, found }),
        }
        Some(())
    }

    #[inline(never)]
    fn xor_of_any(&self, cells: &Packed, key: KeyHash) -> Option<u64> {
        self.xor_of_packed(cells, key)
    }

    /// The same for any number and width of cells. Inlined, since it takes twice as many
    /// instructions if slots are passed in memory.
    #[inline(always)]
    pub(crate) fn xor_of_packed(&self, cells: &Packed, key: KeyHash) -> Option<u64> {
        match self.usual(key).filter(|_| self.arity == 3) {
            Some((grid, position)) => Some(cells.xor(grid.cells::<3>(key, position))),
            None => self.xor_of_unusual(cells, key),
        }
    }

    #[inline(never)]
    fn xor_of_unusual(&self, cells: &Packed, key: KeyHash) -> Option<u64> {
        match self.arity {
            3 => Some(cells.xor(self.of_unusual::<3>(key)?)),
            _ => Some(cells.xor(self.of::<4>(key)?)),
        }
    }
}

/// Whether cells are in the caches, so that a batch need not prefetch them: up to a mebibyte. In unit
/// tests none are, so that batches in small filters prefetch, too; what is near is left to the laws.
pub(crate) fn are_near(cells: &Packed) -> bool {
    !cfg!(test) && cells.words().len() <= 1 << 17
}

pub(super) fn reserve<T>(row: &mut Vec<T>, len: usize) -> Result<(), OutOfMemory> {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    row.try_reserve_exact(len).map_err(|_| OutOfMemory { bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_scale_as_the_whole() {
        let ranges = [1, 2, 3, 4096, 12_345, u64::from(u32::MAX)];
        for range in ranges {
            // At each border of the first slots, where the low half decides.
            for slot in (0..range).step_by(1 + (range / 1000) as usize) {
                let border = ((u128::from(slot) << 64).div_ceil(u128::from(range))) as u64;
                for x in [border, border.wrapping_sub(1), KeyHash(slot).again(0).0] {
                    assert_eq!(scale_in_halves(x, range), scale(x, range), "{x} of {range}");
                }
            }
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
        let drawn = [2, 3, 4].map(|attempt| Grid::for_attempt(3000, 3, attempt).cells(key, 0));
        assert_eq!(drawn, [[2180, 2365, 2523], [519, 678, 803], [3301, 3398, 3554]]);
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
