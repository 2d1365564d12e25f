//! A row of cells: xor of checks, count, xor of codes.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | the xor of its elements' checks |
//! | 4 | its number of elements modulo 2³²; in a difference, those of one side minus the other's |
//! | w | the xor of their codes |
//!
//! Cells are packed without gaps: 20 bytes for integers, where whole words would take 24. A count
//! that wraps is right again once the other side's is subtracted.

use super::element::Elements;
use crate::parts::hash::{KeyHash, Seed};

const CHECK: usize = 8;
const COUNT: usize = 4;

/// The check that tells one element from several: with 64 bits, several look like one once in 2⁶⁴
/// cells. Its draw of the hash is not used for positions.
pub(super) fn check(hash: KeyHash) -> u64 {
    hash.again(u64::MAX).0
}

/// The layout of cells in a row of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Bytes per code.
    width: usize,
}

/// A cell outside its row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub count: i32,
    pub check: u64,
    pub code: Vec<u64>,
}

/// An element that was alone in its cell.
pub(super) struct Single<E: Elements> {
    /// +1 or −1.
    pub sign: i32,
    pub element: E::Element,
    pub hash: KeyHash,
}

impl Layout {
    pub fn of(elements: &impl Elements) -> Layout {
        Layout { width: elements.width() }
    }

    /// Bytes per cell.
    pub fn bytes(self) -> usize {
        CHECK + COUNT + self.width
    }

    /// Words per code.
    pub fn code_words(self) -> usize {
        self.width.div_ceil(8)
    }

    /// Words of a row.
    pub fn words(self, cells: u64) -> Option<usize> {
        let bytes = cells.checked_mul(self.bytes() as u64)?;
        usize::try_from(bytes.div_ceil(8)).ok()
    }

    /// Whether a row has the words of `cells` cells, and zeros beyond them.
    pub fn fits(self, row: &[u64], cells: u64) -> bool {
        if self.words(cells) != Some(row.len()) {
            return false;
        }
        let used = cells * self.bytes() as u64 % 8;
        used == 0 || row.last().is_none_or(|word| word >> (8 * used) == 0)
    }

    /// Adds `by` to the count of a cell and xors in check and code.
    #[inline]
    pub fn add(self, row: &mut [u64], cell: usize, by: i32, check: u64, code: &[u64]) {
        let at = cell * self.bytes();
        xor(row, at, check);
        let count = self.count(row, cell);
        xor(row, at + CHECK, (count ^ count.wrapping_add(by)).cast_unsigned().into());
        for (word, at) in code.iter().zip((at + CHECK + COUNT..).step_by(8)) {
            xor(row, at, *word);
        }
    }

    #[inline]
    pub fn count(self, row: &[u64], cell: usize) -> i32 {
        #[expect(clippy::cast_possible_truncation, reason = "four bytes")]
        let count = load(row, cell * self.bytes() + CHECK, COUNT) as u32;
        count.cast_signed()
    }

    pub fn read(self, row: &[u64], cell: usize, into: &mut Cell) {
        let at = cell * self.bytes();
        into.check = load(row, at, CHECK);
        into.count = self.count(row, cell);
        into.code.clear();
        let at = at + CHECK + COUNT;
        let codes = (0..self.width).step_by(8);
        into.code.extend(codes.map(|done| load(row, at + done, (self.width - done).min(8))));
    }

    pub fn is_empty(self, row: &[u64], cell: usize) -> bool {
        let at = cell * self.bytes();
        let mut parts = (0..self.bytes()).step_by(8);
        parts.all(|done| load(row, at + done, (self.bytes() - done).min(8)) == 0)
    }

    /// Subtracts a row with the same number of cells.
    pub fn subtract(self, row: &mut [u64], other: &[u64], cells: usize) {
        for cell in 0..cells {
            // Only the counts: the rest is xored below, and theirs with it.
            let (ours, theirs) = (self.count(row, cell), self.count(other, cell));
            let wanted = ours.wrapping_sub(theirs) ^ theirs;
            let at = cell * self.bytes() + CHECK;
            xor(row, at, (ours ^ wanted).cast_unsigned().into());
        }
        for (word, theirs) in row.iter_mut().zip(other) {
            *word ^= theirs;
        }
    }

    /// The element of a cell that holds exactly one. `cell` keeps what was read.
    pub fn single<E: Elements>(
        self,
        row: &[u64],
        at: usize,
        elements: &E,
        seed: &Seed,
        cell: &mut Cell,
    ) -> Option<Single<E>> {
        let sign = self.count(row, at);
        if sign != 1 && sign != -1 {
            return None;
        }
        self.read(row, at, cell);
        let element = elements.decode(&cell.code)?;
        let hash = elements.hash(E::given(&element), seed);
        (check(hash) == cell.check).then_some(Single { sign, element, hash })
    }

    /// The bytes of a cell.
    pub fn to_bytes(self, cell: &Cell) -> Box<[u8]> {
        let mut bytes = Vec::with_capacity(CHECK + COUNT + 8 * cell.code.len());
        bytes.extend(cell.check.to_le_bytes());
        bytes.extend(cell.count.to_le_bytes());
        bytes.extend(cell.code.iter().flat_map(|word| word.to_le_bytes()));
        bytes.truncate(self.bytes());
        bytes.into()
    }

    /// A cell from its bytes; `None` if the length is wrong.
    pub fn parse(self, bytes: &[u8]) -> Option<Cell> {
        let (check, rest) = bytes.split_first_chunk()?;
        let (count, code) = rest.split_first_chunk()?;
        let (count, check) = (i32::from_le_bytes(*count), u64::from_le_bytes(*check));
        let word = |part: &[u8]| {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            u64::from_le_bytes(word)
        };
        let cell = || Cell { count, check, code: code.chunks(8).map(word).collect() };
        (code.len() == self.width).then(cell)
    }
}

/// Up to 8 bytes from a position on, the first lowest.
#[inline]
fn load(row: &[u64], at: usize, len: usize) -> u64 {
    let (word, shift) = (at / 8, 8 * (at % 8));
    let mut value = row[word] >> shift;
    if shift + 8 * len > 64 {
        value |= row[word + 1] << (64 - shift);
    }
    value & (u64::MAX >> (64 - 8 * len))
}

/// Xors bytes in from a position on.
#[inline]
fn xor(row: &mut [u64], at: usize, value: u64) {
    let (word, shift) = (at / 8, 8 * (at % 8));
    row[word] ^= value << shift;
    // The part in the next word; the last bytes of a row never need one.
    if shift > 0 && value >> (64 - shift) != 0 {
        row[word + 1] ^= value >> (64 - shift);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iblt::element::{Integers, Strings};

    #[test]
    fn cells_of_any_width_do_not_touch_their_neighbours() {
        for longest in [1, 2, 3, 4, 5, 6, 7, 8, 20, 255, 256] {
            let layout = Layout::of(&Strings::up_to(longest).unwrap());
            let mut row = vec![0; layout.words(5).unwrap()];
            let mut code = vec![u64::MAX; layout.code_words()];
            let beyond = 8 * layout.code_words() - layout.width;
            if let Some(last) = code.last_mut() {
                *last >>= 8 * beyond;
            }
            layout.add(&mut row, 2, -1, u64::MAX, &code);
            assert!([0, 1, 3, 4].iter().all(|cell| layout.is_empty(&row, *cell)));
            assert!(!layout.is_empty(&row, 2) && layout.fits(&row, 5));
            let mut cell = Cell::default();
            layout.read(&row, 2, &mut cell);
            assert_eq!(cell, Cell { count: -1, check: u64::MAX, code });
            assert!(layout.to_bytes(&cell).iter().all(|byte| *byte == 0xFF));
            assert_eq!(layout.parse(&layout.to_bytes(&cell)), Some(cell));
            let other = row.clone();
            layout.subtract(&mut row, &other, 5);
            assert!(row.iter().all(|word| *word == 0));
        }
    }

    #[test]
    fn counts_wrap_and_come_back() {
        let layout = Layout::of(&Integers);
        let mut row = vec![0; layout.words(3).unwrap()];
        layout.add(&mut row, 1, i32::MAX, 0, &[0]);
        layout.add(&mut row, 1, 2, 7, &[9]);
        assert_eq!(layout.count(&row, 1), i32::MIN + 1);
        let mut other = vec![0; row.len()];
        layout.add(&mut other, 1, i32::MAX, 0, &[0]);
        layout.subtract(&mut row, &other, 3);
        assert_eq!(layout.count(&row, 1), 2);
        assert!(!layout.fits(&row, 4) && !layout.fits(&row[1..], 3));
        assert_eq!(layout.words(u64::MAX), None);
        row[7] = 1 << 32;
        assert!(!layout.fits(&row, 3), "a byte beyond the last cell");
    }
}
