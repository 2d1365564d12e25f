//! Increasing numbers in Elias–Fano form (Elias 1974, Fano 1971): about two bits more for each than
//! the logarithm of the mean gap, and still searchable.
//!
//! The lowest bits of each number are packed cells. The rest of them is a row of bits: for each value
//! of the high part, in order, a one per number that has it, and then a zero. So the zeros separate
//! buckets, and the place of the h-th zero leads to the numbers whose high part is h.

use super::bits::Bits;
use super::memory::OutOfMemory;
use super::packed::Packed;
use super::words::Words;
use std::ops::ControlFlow;

/// Words of a block, whose zeros are counted: a cache line.
const BLOCK: usize = 8;
const BLOCK_BITS: u64 = 64 * BLOCK as u64;
/// Zeros per hint. Four times as many hints took 0.1 bits per number more and saved no time.
const HINT: u64 = 2048;
/// Longer buckets are searched by bisection.
const SHORT: u64 = 8;

/// Distinct numbers in increasing order, none above a bound.
///
/// ```
/// use anther::parts::elias_fano::EliasFano;
///
/// let squares: Vec<u64> = (0..1000).map(|i| i * i).collect();
/// let squares = EliasFano::new(&squares, 1_000_000)?;
/// assert!(squares.contains_any(100, 100) && squares.contains_any(101, 121));
/// assert!(!squares.contains_any(101, 120));
/// assert!(squares.bits() < 12_500, "12 bits for each");
/// # Ok::<(), anther::OutOfMemory>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EliasFano {
    len: u64,
    /// The largest number that could be among them.
    bound: u64,
    /// Width of the low parts. There are no cells if it is 0.
    low_bits: u32,
    low: Packed,
    high: Bits,
    /// The number of zeros before each block of `high`. It is made when the rest is made or read: a
    /// file of it would take as long to check as to make.
    zeros: Packed,
    /// The block of every [`HINT`]-th zero, and the last block.
    hints: Packed,
}

/// A search for a number from `first` to `last`.
#[derive(Clone, Copy)]
pub(crate) struct Search {
    first: u64,
    last: u64,
    at: At,
}

/// What a search reads next. The bucket of its first number begins after a zero.
#[derive(Clone, Copy)]
enum At {
    /// The hint to a zero.
    Hint(u64),
    /// The numbers of zeros before these blocks.
    Blocks { zero: u64, from: u64, to: u64 },
    /// The block of the zero, which is this one of its zeros.
    Block { block: u64, rest: u64 },
    /// The bucket, which begins at this bit.
    Start(u64),
}

impl EliasFano {
    /// Of distinct numbers in increasing order.
    ///
    /// # Panics
    /// If they are not that, or one is above the bound.
    pub fn new(numbers: &[u64], bound: u64) -> Result<EliasFano, OutOfMemory> {
        assert!(numbers.is_sorted_by(|a, b| a < b), "the numbers must increase");
        assert!(numbers.last().is_none_or(|last| *last <= bound), "a number above the bound");
        let len = numbers.len() as u64;
        let low_bits = low_bits(len, bound);
        let mut low = Packed::zeroed(if low_bits == 0 { 0 } else { len }, low_bits.max(1))?;
        let mut high = Bits::zeroed(high_len(len, bound, low_bits))?;
        for (at, number) in (0..).zip(numbers) {
            if low_bits > 0 {
                low.set(at, *number);
            }
            high.set((number >> low_bits) + at);
        }
        EliasFano::indexed(len, bound, low, high)
    }

    /// From the words of a file. `None` if they are not the words of `len` numbers, distinct, in
    /// increasing order, none above the bound.
    pub(crate) fn from_words(
        len: u64,
        bound: u64,
        low: Words,
        high: Words,
    ) -> Option<Result<EliasFano, OutOfMemory>> {
        let low_bits = low_bits(len, bound);
        let low = Packed::from_words(low, if low_bits == 0 { 0 } else { len }, low_bits.max(1))?;
        let high = Bits::from_words(high, high_len(len, bound, low_bits))?;
        if high.ones() != len {
            return None;
        }
        let found = match EliasFano::indexed(len, bound, low, high) {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        let mut before = None;
        let increases = found.iter().all(|number| {
            let rises = before < Some(number);
            before = Some(number);
            rises
        });
        (increases && before <= Some(bound)).then_some(Ok(found))
    }

    /// Counts the zeros of the high parts.
    fn indexed(len: u64, bound: u64, low: Packed, high: Bits) -> Result<EliasFano, OutOfMemory> {
        let low_bits = low_bits(len, bound);
        let total = (bound >> low_bits) + 1;
        let blocks = high.words().chunks(BLOCK);
        let mut zeros = Packed::zeroed(blocks.len() as u64 + 1, width(total))?;
        let mut hints = Packed::zeroed(total.div_ceil(HINT) + 1, width(blocks.len() as u64))?;
        let (mut before, mut hint) = (0, 0);
        for (block, words) in (0..).zip(blocks) {
            zeros.set(block, before);
            before += words.iter().map(|word| u64::from(word.count_zeros())).sum::<u64>();
            // Bits beyond the end are no zeros of the row.
            before = before.min(total);
            while hint * HINT < before {
                hints.set(hint, block);
                hint += 1;
            }
        }
        zeros.set(zeros.cells() - 1, before);
        hints.set(hints.cells() - 1, zeros.cells().saturating_sub(2));
        Ok(EliasFano { len, bound, low_bits, low, high, zeros, hints })
    }

    /// How many numbers there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The largest number that could be among them.
    pub fn bound(&self) -> u64 {
        self.bound
    }

    /// Bits in memory.
    pub fn bits(&self) -> u64 {
        let parts = [self.low.words(), self.high.words(), self.zeros.words(), self.hints.words()];
        parts.iter().map(|words| words.len() as u64 * 64).sum()
    }

    /// The low parts, packed.
    pub(crate) fn low(&self) -> &[u64] {
        self.low.words()
    }

    /// The high parts, as ones and zeros.
    pub(crate) fn high(&self) -> &[u64] {
        self.high.words()
    }

    /// The numbers, in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        let ones = (0..).zip(self.high.words()).flat_map(|(at, word)| ones_of(*word, at * 64));
        (0..)
            .zip(ones)
            .map(|(index, position)| (position - index) << self.low_bits | self.low_part(index))
    }

    /// Whether one of them is from `first` to `last`, both included.
    ///
    /// # Panics
    /// If the first is above the last, or the last is above the bound.
    #[inline]
    pub fn contains_any(&self, first: u64, last: u64) -> bool {
        assert!(first <= last && last <= self.bound, "{first} to {last}, up to {}", self.bound);
        self.contains_any_from(self.bucket(first >> self.low_bits), first, last)
    }

    /// Begins the same search in steps, each of which reads a cache line that was prefetched before:
    /// a hint, the counts of zeros, the high parts, the low parts.
    ///
    /// # Panics
    /// If the first is above the last, or the last is above the bound.
    #[inline]
    pub(crate) fn search(&self, first: u64, last: u64) -> Search {
        assert!(first <= last && last <= self.bound, "{first} to {last}, up to {}", self.bound);
        let at = match first >> self.low_bits {
            0 => self.fetched_start(first, 0),
            high => {
                self.hints.fetch((high - 1) / HINT);
                At::Hint(high - 1)
            }
        };
        Search { first, last, at }
    }

    /// The next step of a search: the answer, or where it goes on.
    #[inline]
    pub(crate) fn step(&self, search: Search) -> ControlFlow<bool, Search> {
        let Search { first, last, at } = search;
        let at = match at {
            At::Hint(zero) => {
                let (from, to) = self.blocks_near(zero);
                self.zeros.fetch(from);
                At::Blocks { zero, from, to }
            }
            At::Blocks { zero, from, to } => {
                let (block, rest) = self.block_of_zero(zero, from, to);
                self.high.fetch(block * BLOCK_BITS);
                At::Block { block, rest }
            }
            At::Block { block, rest } => {
                self.fetched_start(first, self.zero_in_block(block, rest) + 1)
            }
            At::Start(start) => {
                return ControlFlow::Break(self.contains_any_from(start, first, last));
            }
        };
        ControlFlow::Continue(Search { at, ..search })
    }

    /// The last step of a search, whose bucket begins at `start`.
    #[inline]
    fn fetched_start(&self, first: u64, start: u64) -> At {
        let index = start - (first >> self.low_bits);
        if index < self.low.cells() {
            self.low.fetch(index);
        }
        At::Start(start)
    }

    /// Whether one of them is from `first`, whose bucket begins at bit `start`, to `last`.
    #[inline]
    fn contains_any_from(&self, start: u64, first: u64, last: u64) -> bool {
        let [first_high, last_high] = [first, last].map(|number| number >> self.low_bits);
        let mask = (1 << self.low_bits) - 1;
        let [first_low, last_low] = [first, last].map(|number| number & mask);

        // The numbers with this high part: those from `index` to `end`.
        let index = start - first_high;
        let end = index + self.run(start, first_high);
        let found = self.at_least(index, end, first_low);
        if found < end {
            return first_high < last_high || self.low_part(found) <= last_low;
        }
        if first_high == last_high || end == self.len {
            return false;
        }
        // The next number of all is the one at `end`; only its high part is unknown.
        let gap = last_high - first_high;
        if gap < BLOCK_BITS {
            let zero = end + first_high;
            return match self.next_one(zero, zero + gap) {
                Some(one) if one < zero + gap => true,
                Some(_) => self.low_part(end) <= last_low,
                None => false,
            };
        }
        let start = self.bucket(last_high);
        if start - last_high > end {
            return true;
        }
        self.high.get(start) && self.low_part(end) <= last_low
    }

    #[inline]
    fn low_part(&self, index: u64) -> u64 {
        if self.low_bits == 0 { 0 } else { self.low.get(index) }
    }

    /// The first of these indices whose low part is at least this, or `end`.
    #[inline]
    fn at_least(&self, index: u64, end: u64, low: u64) -> u64 {
        if end - index <= SHORT {
            return (index..end).find(|at| self.low_part(*at) >= low).unwrap_or(end);
        }
        let (mut from, mut to) = (index, end);
        while from < to {
            let middle = from + (to - from) / 2;
            if self.low_part(middle) >= low {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        from
    }

    /// The first bit of a bucket.
    #[inline]
    fn bucket(&self, high: u64) -> u64 {
        if high == 0 { 0 } else { self.select_zero(high - 1) + 1 }
    }

    /// How many numbers are in the bucket of this high part, which begins at this bit.
    #[inline]
    fn run(&self, start: u64, high: u64) -> u64 {
        let (word, shift) = ((start / 64) as usize, start % 64);
        let Some(bits) = self.high.words().get(word) else { return 0 };
        let ones = u64::from((bits >> shift).trailing_ones());
        if ones + shift < 64 { ones } else { self.select_zero(high) - start }
    }

    /// The first one from bit `from` to bit `to`, both included.
    #[inline]
    fn next_one(&self, from: u64, to: u64) -> Option<u64> {
        let [first, last] = [from, to].map(|bit| (bit / 64) as usize);
        let words = self.high.words().get(first..)?;
        let mut mask = u64::MAX << (from % 64);
        for (at, word) in (first..=last).zip(words) {
            if word & mask != 0 {
                let one = at as u64 * 64 + u64::from((word & mask).trailing_zeros());
                return (one <= to).then_some(one);
            }
            mask = u64::MAX;
        }
        None
    }

    /// The position of a zero, by its number from 0.
    #[inline]
    fn select_zero(&self, number: u64) -> u64 {
        let (from, to) = self.blocks_near(number);
        let (block, rest) = self.block_of_zero(number, from, to);
        self.zero_in_block(block, rest)
    }

    /// The first and the last block that a zero may be in.
    #[inline]
    fn blocks_near(&self, zero: u64) -> (u64, u64) {
        let hint = zero / HINT;
        (self.hints.get(hint), self.hints.get(hint + 1))
    }

    /// The block that a zero is in, and its number there. It is in one from `from` to `to`.
    #[inline]
    fn block_of_zero(&self, zero: u64, mut from: u64, mut to: u64) -> (u64, u64) {
        while from < to {
            let middle = (from + to).div_ceil(2);
            if self.zeros.get(middle) <= zero {
                from = middle;
            } else {
                to = middle - 1;
            }
        }
        (from, zero - self.zeros.get(from))
    }

    /// The position of a zero, by its number from 0 in its block.
    #[inline]
    fn zero_in_block(&self, block: u64, number: u64) -> u64 {
        let mut rest = number;
        #[expect(clippy::cast_possible_truncation, reason = "the row is in memory")]
        let first = block as usize * BLOCK;
        for (at, word) in (first..).zip(&self.high.words()[first..]) {
            let count = u64::from(word.count_zeros());
            if rest < count {
                return at as u64 * 64 + select_one(!word, rest);
            }
            rest -= count;
        }
        // There are as many zeros as values of the high part, and no number is above the bound.
        unreachable!("zero {number} of block {block} of the high parts")
    }
}

/// The width of a cell that holds numbers up to this one.
fn width(most: u64) -> u32 {
    (64 - most.leading_zeros()).max(1)
}

/// As many low bits as the mean gap has, rounded down: so there are one to two zeros per number.
fn low_bits(len: u64, bound: u64) -> u32 {
    let gap = (u128::from(bound) + 1) / u128::from(len.max(1));
    (gap.max(1).ilog2()).min(63)
}

/// A bit for each number, and a zero for each value of the high part.
fn high_len(len: u64, bound: u64, low_bits: u32) -> u64 {
    // Below 3 times the length and 3: the caller's length is below 2⁴⁸ or that of a slice.
    len + (bound >> low_bits) + 1
}

/// The position of a one, by its number from 0.
#[inline]
fn select_one(word: u64, number: u64) -> u64 {
    let (mut at, mut rest) = (0, number);
    for width in [32, 16, 8] {
        let count = u64::from((word >> at & ((1 << width) - 1)).count_ones());
        if rest >= count {
            rest -= count;
            at += width;
        }
    }
    let mut byte = word >> at;
    for _ in 0..rest {
        byte &= byte - 1;
    }
    at + u64::from(byte.trailing_zeros())
}

/// The positions of the ones of a word that begins at this bit.
fn ones_of(word: u64, start: u64) -> impl Iterator<Item = u64> {
    let mut left = word;
    std::iter::from_fn(move || {
        let at = start + u64::from(left.trailing_zeros());
        let some = left != 0;
        left &= left.wrapping_sub(1);
        some.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::hash::mix;
    use std::collections::BTreeSet;

    fn words(words: &[u64]) -> Words {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Words::copied(&bytes).unwrap()
    }

    /// Uniform, clustered, dense and sparse rows, each against a set.
    fn rows() -> Vec<(Vec<u64>, u64)> {
        let drawn = |len: u64, bound: u64, salt: u64| {
            let number = |i| mix(i + salt) % bound.saturating_add(1).max(1);
            let all: BTreeSet<u64> = (1..=len).map(number).collect();
            (all.into_iter().collect::<Vec<_>>(), bound)
        };
        let mut rows = vec![
            (vec![], 0),
            (vec![0], 0),
            (vec![], u64::MAX),
            (vec![u64::MAX], u64::MAX),
            (vec![0, u64::MAX], u64::MAX),
            ((0..3000).collect(), 2999),
            ((0..3000).collect(), 300_000_000),
            ((5_000_000..5_003_000).chain([9_999_999]).collect(), 10_000_000),
            ((0..1000).map(|i| i * 1000).collect(), 1_000_000),
            // The last zero is the first of its hint, and behind a word that is full of ones.
            ((1985..=2 * HINT).collect(), 2 * HINT),
        ];
        for (len, bound) in [(10, 20), (1000, 1001), (1000, 1_000_000), (20_000, 3_000_000)] {
            rows.push(drawn(len, bound, bound));
        }
        rows.push(drawn(2000, u64::MAX, 3));
        rows
    }

    #[test]
    fn searches_as_a_set_does() {
        for (numbers, bound) in rows() {
            let set: BTreeSet<u64> = numbers.iter().copied().collect();
            let coded = EliasFano::new(&numbers, bound).unwrap();
            assert_eq!(coded.iter().collect::<Vec<_>>(), numbers);
            let near = numbers.iter().flat_map(|&x| [x.saturating_sub(1), x, x.saturating_add(1)]);
            let drawn = (0..500).map(|i| mix(i + 77));
            for first in near.chain(drawn).map(|x| x.min(bound)).step_by(7) {
                for len in [0, 1, 2, 63, 64, 1000, 100_000, 1 << 40, u64::MAX] {
                    let last = first.saturating_add(len).min(bound);
                    let expected = set.range(first..=last).next().is_some();
                    assert_eq!(coded.contains_any(first, last), expected, "{first} to {last}");
                }
            }
        }
    }

    #[test]
    fn words_are_read_back_and_others_refused() {
        for (numbers, bound) in rows() {
            let coded = EliasFano::new(&numbers, bound).unwrap();
            let len = numbers.len() as u64;
            let read = |low: &[u64], high: &[u64]| {
                EliasFano::from_words(len, bound, words(low), words(high)).map(Result::unwrap)
            };
            assert_eq!(read(coded.low(), coded.high()), Some(coded.clone()));
            assert!(read(&[coded.low(), &[0]].concat(), coded.high()).is_none());
            assert!(read(coded.low(), &[coded.high(), &[0]].concat()).is_none());
            // A changed bit is refused, or other numbers that are in order.
            for at in (0..coded.low().len() * 64).step_by(coded.low().len() | 1) {
                let mut low = coded.low().to_vec();
                low[at / 64] ^= 1 << (at % 64);
                if let Some(other) = read(&low, coded.high()) {
                    assert!(other.iter().is_sorted_by(|a, b| a < b && *b <= bound));
                }
            }
            for at in (0..coded.high().len() * 64).step_by(coded.high().len() | 1) {
                let mut high = coded.high().to_vec();
                high[at / 64] ^= 1 << (at % 64);
                assert!(read(coded.low(), &high).is_none(), "another number of ones");
            }
        }
        // In order, but one is above the bound: 4 numbers up to 9 have 1 low bit.
        let coded = EliasFano::new(&[1, 3, 5, 8], 8).unwrap();
        let mut low = coded.low().to_vec();
        low[0] |= 1 << 3;
        let read = EliasFano::from_words(4, 8, words(&low), words(coded.high()));
        assert!(read.is_none(), "9 is above 8");
    }

    /// At most the two bits, and 0.3 for the counts of zeros.
    #[test]
    fn takes_two_bits_more_than_the_gap() {
        for gap in [100.0, 128.0, 181.0, 255.0, 3000.0] {
            let len = 200_000_u64;
            let bound = (len as f64 * gap) as u64;
            let numbers: BTreeSet<u64> = (1..=len).map(|i| mix(i) % bound).collect();
            let numbers: Vec<u64> = numbers.into_iter().collect();
            let coded = EliasFano::new(&numbers, bound).unwrap();
            let least = (bound as f64 / numbers.len() as f64).log2() + 2.0;
            let bits = coded.bits() as f64 / numbers.len() as f64;
            assert!(bits < least + 0.2, "{bits} bits per number, {least} expected");
        }
    }

    #[test]
    fn every_one_of_a_word_is_found() {
        for word in (0..200).map(|i| mix(i) & mix(i + 1000)).chain([u64::MAX, 1, 1 << 63]) {
            for (number, at) in (0..).zip(ones_of(word, 0)) {
                assert_eq!(select_one(word, number), at);
            }
        }
    }
}
