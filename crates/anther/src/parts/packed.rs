//! Cells of 1 to 64 bits, packed without gaps: counters and fingerprints.

use super::memory::OutOfMemory;
use super::words::{Words, prefetch};

/// A row of equally wide unsigned cells on [`Words`].
///
/// ```
/// use anther::parts::packed::Packed;
///
/// let mut counters = Packed::zeroed(1000, 5)?;
/// counters.set(12, 31);
/// assert_eq!((counters.get(11), counters.get(12), counters.get(13)), (0, 31, 0));
/// # Ok::<(), anther::OutOfMemory>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    words: Words,
    cells: u64,
    width: u32,
}

const WORD_BYTES: usize = 8;

/// The widest cell that is within eight bytes wherever in a byte it begins.
const UNALIGNED: u32 = 64 - 7;

impl Packed {
    /// `cells` cells of `width` bits, all 0.
    ///
    /// # Panics
    /// If the width is not 1 to 64.
    pub fn zeroed(cells: u64, width: u32) -> Result<Packed, OutOfMemory> {
        Ok(Packed { words: Words::zeroed(words_for(cells, width)?)?, cells, width })
    }

    /// Wraps words. `None` if they are not the words of these cells: too many, too few, or with
    /// ones beyond the end.
    ///
    /// # Panics
    /// If the width is not 1 to 64.
    pub fn from_words(words: Words, cells: u64, width: u32) -> Option<Packed> {
        let fits = words_for(cells, width) == Ok(words.as_slice().len());
        // The number of bits cannot overflow if that many words exist.
        let beyond = match words.as_slice().last() {
            Some(last) if fits && !(cells * u64::from(width)).is_multiple_of(64) => {
                last >> (cells * u64::from(width) % 64)
            }
            _ => 0,
        };
        (fits && beyond == 0).then_some(Packed { words, cells, width })
    }

    /// Number of cells.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Bits per cell.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The largest value of a cell.
    #[inline]
    pub fn max(&self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    /// The words that hold the cells.
    pub fn words(&self) -> &[u64] {
        self.words.as_slice()
    }

    /// The cell's value.
    ///
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub fn get(&self, cell: u64) -> u64 {
        let (word, shift) = self.place(cell);
        if self.width.is_power_of_two() {
            return self.words()[word] >> shift & self.max();
        }
        self.from(word, shift) & self.max()
    }

    /// The xor of some cells. Where cells can end in the next word, it reads eight bytes from a
    /// cell's first on: one load and one shift, where [`get`](Packed::get) takes two and three.
    ///
    /// For a cell that does not exist, the result is unspecified, or it panics.
    #[inline(always)]
    pub(crate) fn xor<const COUNT: usize>(&self, cells: [u64; COUNT]) -> u64 {
        let mut xor = 0;
        if self.width.is_power_of_two() {
            let words = self.words();
            for cell in cells {
                let bit = cell * u64::from(self.width);
                xor ^= words[(bit / 64) as usize] >> (bit % 64);
            }
            return xor & self.max();
        }
        let Some(bytes) = self.words.as_bytes().filter(|_| self.width <= UNALIGNED) else {
            return self.xor_of_words(cells);
        };
        for cell in cells {
            let bit = cell * u64::from(self.width);
            let at = (bit / 8) as usize;
            // The last cells have fewer bytes after them.
            let Some(eight) = bytes.get(at..at + 8).and_then(<[u8]>::first_chunk) else {
                return self.xor_of_words(cells);
            };
            xor ^= u64::from_le_bytes(*eight) >> (bit % 8);
        }
        xor & self.max()
    }

    #[inline(never)]
    fn xor_of_words<const COUNT: usize>(&self, cells: [u64; COUNT]) -> u64 {
        cells.into_iter().fold(0, |xor, cell| xor ^ self.get(cell))
    }

    /// Consecutive cells, the first lowest: as many as fit in 64 bits. The bits above them are
    /// undefined.
    ///
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub(crate) fn run(&self, first: u64) -> u64 {
        let (word, shift) = self.place(first);
        self.from(word, shift)
    }

    /// 64 bits from this position on; zeros beyond the end.
    #[inline]
    fn from(&self, word: usize, shift: u32) -> u64 {
        // The next word is read even if it is not needed. Whether it is needed is unpredictable for
        // a branch: reading always took 19 ns for three cells of 9 bits instead of 22. Only the
        // last word has no next.
        let words = self.words();
        let next = words.get(word + 1).copied().unwrap_or(0);
        words[word] >> shift | next << 1 << (63 - shift)
    }

    /// The cells as bytes, if they are 8 bits wide and the host is little-endian. Xoring three of
    /// them this way took half as long.
    #[inline]
    pub(crate) fn as_bytes(&self) -> Option<&[u8]> {
        if self.width == 8 { self.words.as_bytes() } else { None }
    }

    /// The same to change them.
    #[inline]
    pub(crate) fn as_bytes_mut(&mut self) -> Option<&mut [u8]> {
        (self.width == 8 && cfg!(target_endian = "little")).then(|| self.words.bytes_mut())
    }

    /// Prefetches what [`get`](Packed::get) and [`xor`](Packed::xor) read of a cell: its word or,
    /// where cells can end in the next word, both, which are in two cache lines for one cell in eight.
    /// With the first line alone, batches of three cells of 7 bits took 31 ns per key at 3·10⁷ keys
    /// instead of 15.
    #[inline]
    pub(crate) fn fetch(&self, cell: u64) {
        let bytes = if self.width.is_power_of_two() { 1 } else { 1 + WORD_BYTES };
        self.fetch_bytes(cell, bytes);
    }

    /// Prefetches the cache lines of `bytes` bytes that begin with a cell: of the first byte and the last.
    #[inline]
    pub(crate) fn fetch_bytes(&self, cell: u64, bytes: usize) {
        let bit = cell.wrapping_mul(u64::from(self.width));
        let first = self.words().as_ptr().cast::<u8>().wrapping_add((bit / 8) as usize);
        prefetch(first);
        if bytes > 1 {
            prefetch(first.wrapping_add(bytes - 1));
        }
    }

    /// How many bytes from the first of `count` cells on are read by [`get`](Packed::get) of each, or
    /// by [`run`](Packed::run), which reads the word after the last cell, too.
    #[inline]
    pub(crate) fn bytes_of(&self, count: u64) -> usize {
        (count * u64::from(self.width) / 8) as usize + 1 + WORD_BYTES
    }

    /// Sets the cell to a value, of which only the lowest `width` bits are kept.
    ///
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub fn set(&mut self, cell: u64, value: u64) {
        let (word, shift) = self.place(cell);
        let (width, max) = (self.width, self.max());
        let value = value & max;
        let words = self.words.to_mut();
        words[word] = words[word] & !(max << shift) | value << shift;
        if shift + width > 64 {
            let done = 64 - shift;
            words[word + 1] = words[word + 1] & !(max >> done) | value >> done;
        }
    }

    /// The same for a cell far from those that were set just before. A cell within eight bytes takes
    /// one load and one store, and no branch on whether it ends in the next word, which is
    /// unpredictable. Near others it is slower: a load waits for a store that overlaps it in part.
    ///
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub(crate) fn set_alone(&mut self, cell: u64, value: u64) {
        let (word, shift) = self.place(cell);
        let (max, within_byte) = (self.max(), shift % 8);
        let at = word * 8 + (shift / 8) as usize;
        if cfg!(target_endian = "little")
            && self.width <= 57
            && let Some(eight) = self.words.bytes_mut().get_mut(at..at + 8)
            && let Some(eight) = eight.first_chunk_mut()
        {
            let others = u64::from_le_bytes(*eight) & !(max << within_byte);
            *eight = (others | (value & max) << within_byte).to_le_bytes();
        } else {
            self.set(cell, value);
        }
    }

    /// Decrements `count` consecutive cells from `first` on; those at 0 stay. Works on as many
    /// cells at once as fit in a word.
    ///
    /// # Panics
    /// If the row ends before the last of them.
    pub fn lower_run(&mut self, first: u64, count: u64) {
        assert!(
            first.checked_add(count).is_some_and(|end| end <= self.cells),
            "{count} cells from {first} on are out of range for {} cells",
            self.cells
        );
        let width = self.width;
        let at_once = u64::from(64 / width);
        // A 1 in the lowest bit of each cell that is entirely in a word.
        let lowest = (0..at_once).fold(0, |ones, i| ones | 1u64 << (i * u64::from(width)));
        let end = first + count;
        let mut cell = first;
        while cell < end {
            #[expect(clippy::cast_possible_truncation, reason = "at most 64")]
            let some = (end - cell).min(at_once) as u32 * width;
            let lowest = lowest & u64::MAX >> (64 - some);
            let (word, shift) = self.place(cell);
            let beyond = shift + some > 64;
            let words = self.words.to_mut();
            let mut values = words[word] >> shift;
            if beyond {
                values |= words[word + 1] << (64 - shift);
            }
            // The lowest bit of a cell becomes the OR of all its bits; bits shifted in from the
            // next cell end above it.
            let above_zero = (1..width).fold(values, |all, by| all | values >> by) & lowest;
            // No cell borrows from the next, so nothing changes beyond them.
            let change = values ^ (values - above_zero);
            words[word] ^= change << shift;
            if beyond {
                words[word + 1] ^= change >> (64 - shift);
            }
            cell += at_once;
        }
    }

    /// Copies borrowed words, so that later changes cannot fail.
    pub fn try_own(&mut self) -> Result<(), OutOfMemory> {
        self.words.try_own()
    }

    /// Clears all cells.
    pub fn clear(&mut self) {
        self.words.to_mut().fill(0);
    }

    /// The bits from one on, the first lowest: 57, or up to 64 if it is the first of a byte. Zeros
    /// beyond the end.
    ///
    /// # Panics
    /// If there is no such bit.
    #[inline]
    pub(crate) fn bits_from(&self, bit: u64) -> u64 {
        let byte = (bit / 8) as usize;
        // One load, where reading both words that it may touch takes two, and a check for each.
        match self
            .words
            .as_bytes()
            .and_then(|bytes| bytes.get(byte..byte.wrapping_add(8))?.first_chunk())
        {
            Some(chunk) => u64::from_le_bytes(*chunk) >> (bit % 8),
            None => self.from((bit / 64) as usize, (bit % 64) as u32),
        }
    }

    #[inline]
    fn place(&self, cell: u64) -> (usize, u32) {
        assert!(cell < self.cells, "cell {cell} is out of range for {} cells", self.cells);
        let bit = cell * u64::from(self.width);
        ((bit / 64) as usize, (bit % 64) as u32)
    }
}

fn words_for(cells: u64, width: u32) -> Result<usize, OutOfMemory> {
    assert!((1..=64).contains(&width), "a cell has 1 to 64 bits, not {width}");
    cells
        .checked_mul(u64::from(width))
        .and_then(|bits| usize::try_from(bits.div_ceil(64)).ok())
        .ok_or(OutOfMemory { bytes: (cells / 8).saturating_mul(u64::from(width)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every width against a plain vector, in an order that changes neighbours in turn.
    #[test]
    fn cells_of_every_width_are_independent() {
        for width in 1..=64 {
            let cells = 200;
            let mut packed = Packed::zeroed(cells, width).unwrap();
            let mut model = vec![0u64; cells as usize];
            let mut state = u64::from(width);
            for _ in 0..2000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let (cell, value) = ((state >> 33) % cells, state.rotate_left(17));
                if state >> 63 == 0 {
                    packed.set(cell, value);
                } else {
                    packed.set_alone(cell, value);
                }
                model[cell as usize] = value & packed.max();
                assert_eq!(packed.get(cell), model[cell as usize]);
            }
            assert!((0..cells).all(|cell| packed.get(cell) == model[cell as usize]), "{width}");
            for cell in 2..cells {
                let some = [cell - 2, 0, cell];
                let expected = some.into_iter().fold(0, |xor, cell| xor ^ packed.get(cell));
                assert_eq!(packed.xor(some), expected, "{width}: {some:?}");
            }
            let again = Packed::from_words(packed.words.clone(), cells, width).unwrap();
            assert_eq!(again, packed);
            assert!(Packed::from_words(packed.words.clone(), cells * 2, width).is_none());
            packed.clear();
            assert!((0..cells).all(|cell| packed.get(cell) == 0));
        }
    }

    #[test]
    fn borrowed_cells_are_owned_before_they_change() {
        #[repr(align(64))]
        struct Line([u8; 64]);
        static CELLS: Line = Line([7; 64]);
        let words = Words::from_static(&CELLS.0, 0, 8).unwrap().unwrap();
        let mut packed = Packed::from_words(words, 64, 8).unwrap();
        assert_eq!(packed.words.is_owned(), cfg!(target_endian = "big"));
        packed.try_own().unwrap();
        assert!(packed.words.is_owned());
        assert!((0..64).all(|cell| packed.get(cell) == 7));
    }

    /// Runs of every length, at every position, against cells decremented one by one.
    #[test]
    fn a_run_is_lowered_as_its_cells_are() {
        for width in 1..=64 {
            let cells = 150;
            let mut packed = Packed::zeroed(cells, width).unwrap();
            let mut state = u64::from(width);
            let mut draw = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                state >> 33
            };
            for _ in 0..300 {
                // Many zeros, and ones above zeros, where a careless borrow would show.
                packed.set(draw() % cells, draw() & draw() & draw());
                packed.set(draw() % cells, 1 << (draw() % u64::from(width)));
                let first = draw() % cells;
                let count = draw() % (cells - first + 1);
                let mut one_by_one = packed.clone();
                for cell in first..first + count {
                    one_by_one.set(cell, one_by_one.get(cell).saturating_sub(1));
                }
                packed.lower_run(first, count);
                assert_eq!(packed, one_by_one, "{width}: {count} from {first} on");
            }
        }
    }

    #[test]
    #[should_panic(expected = "2 cells from 9 on are out of range for 10 cells")]
    fn a_run_beyond_the_end_is_a_bug_of_the_caller() {
        Packed::zeroed(10, 3).unwrap().lower_run(9, 2);
    }

    #[test]
    fn ones_beyond_the_end_are_refused() {
        let words = Words::copied(&[0xFF; 8]).unwrap();
        assert!(Packed::from_words(words.clone(), 12, 5).is_none());
        assert!(Packed::from_words(words.clone(), 16, 4).is_some());
        assert!(Packed::from_words(words, u64::MAX, 64).is_none());
        assert!(Packed::zeroed(u64::MAX, 64).is_err());
    }

    #[test]
    #[should_panic(expected = "cell 3 is out of range for 3 cells")]
    fn a_cell_beyond_the_end_is_a_bug_of_the_caller() {
        // Bits 15 to 19 are in the first word, so only the check can notice.
        Packed::zeroed(3, 5).unwrap().get(3);
    }
}
