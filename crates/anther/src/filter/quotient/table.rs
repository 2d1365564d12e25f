//! Runs of remainders in a ring of slots, found by rank and select.
//!
//! A pair of quotient and remainder lies in the slot that its quotient says, or as few slots after
//! it as others allow; after the last slot comes the first. The pairs lie in the order of their
//! quotients, those of one quotient side by side as a run, sorted. So where they lie depends on
//! which there are and not on the order in which they came.
//!
//! Two bits a slot are enough to find a run: `occupied` for a quotient that has one, `run_ends` for
//! the slot where one ends. The k-th occupied quotient of a block owns the k-th run end after those
//! that reach into the block from before. How far those reach is the block's offset.
//!
//! A *position* is a slot, or a slot and as many again as there are: so a run that goes from the
//! last slot to the first has rising positions.

use crate::error::OutOfMemory;
use crate::parts::bits::{Bits, place};
use crate::parts::packed::Packed;
use crate::parts::words::Words;
use crate::sizing::quotient::{BLOCK, Size, capacity};
use std::ops::Range;

/// An offset of so many slots or more. At load 0.95 one in 10¹¹ is that long, so eight bits do; then
/// it is found from an earlier block. A block with a free slot has one below 64, so there is one.
const MANY: u64 = 255;
const OFFSET_BITS: u32 = 8;

/// The slots.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    pub(super) remainders: Packed,
    pub(super) occupied: Bits,
    pub(super) run_ends: Bits,
    /// Of each block, the slots from its first on that hold runs of quotients before it.
    pub(super) offsets: Packed,
    /// How many slots are taken; at most the capacity, so there always is a free one.
    held: u64,
}

/// A quotient and a remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pair {
    pub(super) quotient: u64,
    pub(super) remainder: u64,
}

/// The rows of a table, as they come from a file.
pub(super) struct Rows {
    pub(super) remainders: Words,
    pub(super) occupied: Words,
    pub(super) run_ends: Words,
    pub(super) offsets: Words,
}

impl Table {
    pub(super) fn new(size: Size) -> Result<Table, OutOfMemory> {
        let slots = size.slots();
        Ok(Table {
            remainders: Packed::zeroed(slots, size.remainder_bits)?,
            occupied: Bits::zeroed(slots)?,
            run_ends: Bits::zeroed(slots)?,
            offsets: Packed::zeroed(size.blocks, OFFSET_BITS)?,
            held: 0,
        })
    }

    /// A table of rows that nobody vouches for, or the name of the one that does not fit. What
    /// passes is what some inserts leave behind, so all else here may rely on it. Reads all slots.
    pub(super) fn from_rows(rows: Rows, size: Size) -> Result<Table, &'static str> {
        let slots = size.slots();
        let mut table = Table {
            remainders: Packed::from_words(rows.remainders, slots, size.remainder_bits)
                .ok_or("remainders")?,
            occupied: Bits::from_words(rows.occupied, slots).ok_or("occupied")?,
            run_ends: Bits::from_words(rows.run_ends, slots).ok_or("run.ends")?,
            offsets: Packed::from_words(rows.offsets, size.blocks, OFFSET_BITS).ok_or("offsets")?,
            held: 0,
        };
        table.held = table.check()?;
        Ok(table)
    }

    /// How many slots are taken, if every run is where it should be; else what is wrong.
    fn check(&self) -> Result<u64, &'static str> {
        if self.occupied.ones() != self.run_ends.ones() {
            return Err("run.ends");
        }
        let (slots, blocks) = (self.slots(), self.blocks());
        // Once around, from an offset that says all. If it is wrong, it comes out different.
        let first = (0..blocks).find(|block| self.offsets.get(*block) < MANY).ok_or("offsets")?;
        let start = first * BLOCK + self.offsets.get(first);
        let free = |mut range: Range<u64>| range.all(|position| self.remainder(position) == 0);
        let (mut position, mut held) = (start, 0);
        for block in first..first + blocks {
            let base = block * BLOCK;
            if self.offsets.get(block % blocks) != position.saturating_sub(base).min(MANY) {
                return Err("offsets");
            }
            let mut quotients = self.occupied.words()[place(self.slot(base)).0];
            while quotients != 0 {
                let quotient = base + u64::from(quotients.trailing_zeros());
                quotients &= quotients - 1;
                if !free(position..quotient) {
                    return Err("remainders");
                }
                let begin = position.max(quotient);
                // The ends that were found lie less than one round apart, so each is another, and
                // as there are no more than quotients, none lies elsewhere.
                let end = self.run_end(begin, 1).filter(|end| end - start < slots);
                let end = end.ok_or("run.ends")?;
                let sorted = (begin..end).all(|at| self.remainder(at) <= self.remainder(at + 1));
                if !sorted {
                    return Err("remainders");
                }
                position = end + 1;
                held += position - begin;
            }
        }
        let last = first * BLOCK + slots;
        if !free(position..last) {
            return Err("remainders");
        }
        if position.saturating_sub(last) != self.offsets.get(first) {
            return Err("offsets");
        }
        if held > capacity(slots) {
            return Err("occupied");
        }
        Ok(held)
    }

    pub(super) fn size(&self) -> Size {
        Size { blocks: self.blocks(), remainder_bits: self.remainders.width() }
    }

    pub(super) fn held(&self) -> u64 {
        self.held
    }

    fn slots(&self) -> u64 {
        self.remainders.cells()
    }

    fn blocks(&self) -> u64 {
        self.offsets.cells()
    }

    #[inline]
    fn slot(&self, position: u64) -> u64 {
        if position < self.slots() { position } else { position % self.slots() }
    }

    #[inline]
    fn remainder(&self, position: u64) -> u64 {
        self.remainders.get(self.slot(position))
    }

    /// The position of the nth run end from a position on. There is one, wherever a block or a
    /// quotient says so; nothing else asks but [`check`](Table::check).
    #[inline]
    fn run_end(&self, from: u64, nth: u32) -> Option<u64> {
        let words = self.run_ends.words();
        let mut left = nth;
        let mut base = from - from % BLOCK;
        let mut ends = words[place(self.slot(base)).0] & u64::MAX << (from % BLOCK);
        while ends.count_ones() < left {
            left -= ends.count_ones();
            base += BLOCK;
            if base > from + self.slots() {
                return None;
            }
            ends = words[place(self.slot(base)).0];
        }
        for _ in 1..left {
            ends &= ends - 1;
        }
        Some(base + u64::from(ends.trailing_zeros()))
    }

    /// The position after so many runs that begin at this position or later.
    #[inline]
    fn after_runs(&self, from: u64, runs: u32) -> u64 {
        match runs {
            0 => from,
            _ => self.run_end(from, runs).map_or(from, |end| end + 1),
        }
    }

    /// How many slots from a block's first on hold runs of quotients before it.
    #[inline]
    fn offset(&self, block: u64) -> u64 {
        match self.offsets.get(block) {
            MANY => self.long_offset(block),
            offset => offset,
        }
    }

    #[cold]
    fn long_offset(&self, block: u64) -> u64 {
        let blocks = self.blocks();
        let known =
            (1..blocks).find(|back| self.offsets.get((block + blocks - back) % blocks) < MANY);
        let back = known.unwrap_or(0);
        let (upto, from) = (block + blocks, block + blocks - back);
        let mut position = from * BLOCK + self.offsets.get(from % blocks);
        for block in from..upto {
            let runs = self.occupied.words()[place(self.slot(block * BLOCK)).0].count_ones();
            position = self.after_runs(position.max(block * BLOCK), runs);
        }
        position.saturating_sub(upto * BLOCK)
    }

    /// The position after all runs of quotients below this one or, with `included`, up to it.
    #[inline]
    fn after_quotients(&self, quotient: u64, included: bool) -> u64 {
        let block = quotient / BLOCK;
        let (word, bit) = place(quotient);
        let before = (bit - 1) | if included { bit } else { 0 };
        let runs = (self.occupied.words()[word] & before).count_ones();
        self.after_runs(block * BLOCK + self.offset(block), runs)
    }

    /// Where the run of a quotient begins, or would.
    #[inline]
    fn run_start(&self, quotient: u64) -> u64 {
        self.after_quotients(quotient, false).max(quotient)
    }

    #[inline]
    fn run(&self, quotient: u64) -> Option<Range<u64>> {
        self.occupied.get(quotient).then(|| {
            let start = self.run_start(quotient);
            start..self.after_runs(start, 1)
        })
    }

    /// The first position of a run whose remainder is not below (or, with `or_equal`, above) one.
    fn first_not_below(&self, run: &Range<u64>, remainder: u64, or_equal: bool) -> u64 {
        let below = |got: u64| got < remainder || or_equal && got == remainder;
        let Range { mut start, mut end } = *run;
        // Most runs have one or two slots; those of keys that came often have many.
        while start < end {
            let middle = start + (end - start) / 2;
            if below(self.remainder(middle)) {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        start
    }

    /// How often a pair is in.
    #[inline]
    pub(super) fn count(&self, pair: Pair) -> u64 {
        self.run(pair.quotient).map_or(0, |run| {
            let first = self.first_not_below(&run, pair.remainder, false);
            self.first_not_below(&(first..run.end), pair.remainder, true) - first
        })
    }

    #[inline]
    pub(super) fn contains(&self, pair: Pair) -> bool {
        self.run(pair.quotient).is_some_and(|run| {
            let first = self.first_not_below(&run, pair.remainder, false);
            first < run.end && self.remainder(first) == pair.remainder
        })
    }

    /// The first free position from a slot on.
    fn first_free(&self, slot: u64) -> u64 {
        let mut position = slot;
        loop {
            let home = self.slot(position);
            let after = self.after_quotients(home, true) + (position - home);
            if after <= position || position >= slot + self.slots() {
                return position;
            }
            position = after;
        }
    }

    /// Puts a pair in. There must be room: fewer pairs than the capacity.
    pub(super) fn put(&mut self, pair: Pair) {
        debug_assert!(self.held < capacity(self.slots()));
        let free = self.first_free(pair.quotient);
        let run = self.run(pair.quotient);
        let at = match &run {
            Some(run) => self.first_not_below(run, pair.remainder, true),
            None => self.run_start(pair.quotient),
        };
        for position in (at..free).rev() {
            self.copy(position, position + 1);
        }
        let ends = run.as_ref().is_none_or(|run| at == run.end);
        self.set(at, pair.remainder, ends);
        match run {
            Some(run) if ends => self.run_ends.unset(self.slot(run.end - 1)),
            Some(_) => {}
            None => {
                self.occupied.set(pair.quotient);
            }
        }
        for block in pair.quotient / BLOCK + 1..=free / BLOCK {
            let block = block % self.blocks();
            let offset = self.offsets.get(block);
            self.offsets.set(block, (offset + 1).min(MANY));
        }
        self.held += 1;
    }

    /// Takes a pair out, once; false when it is not in.
    pub(super) fn take(&mut self, pair: Pair) -> bool {
        let Some(run) = self.run(pair.quotient) else { return false };
        let at = self.first_not_below(&run, pair.remainder, false);
        if at == run.end || self.remainder(at) != pair.remainder {
            return false;
        }
        // All runs after it that are not at home come one slot nearer.
        let (mut home, mut end) = (pair.quotient, run.end);
        while let Some(next) =
            (home + 1..end).find(|position| self.occupied.get(self.slot(*position)))
        {
            (home, end) = (next, self.after_runs(end, 1));
        }
        if run.end - run.start == 1 {
            self.occupied.unset(pair.quotient);
        } else if at + 1 == run.end {
            self.run_ends.set(self.slot(at - 1));
        }
        for position in at + 1..end {
            self.copy(position, position - 1);
        }
        self.set(end - 1, 0, false);
        for block in pair.quotient / BLOCK + 1..=(end - 1) / BLOCK {
            let block = block % self.blocks();
            let offset = match self.offsets.get(block) {
                // From the blocks before it, which are right by now.
                MANY => self.long_offset(block).min(MANY),
                offset => offset.saturating_sub(1),
            };
            self.offsets.set(block, offset);
        }
        self.held -= 1;
        true
    }

    fn set(&mut self, position: u64, remainder: u64, ends: bool) {
        let slot = self.slot(position);
        self.remainders.set(slot, remainder);
        if ends {
            self.run_ends.set(slot);
        } else {
            self.run_ends.unset(slot);
        }
    }

    fn copy(&mut self, from: u64, to: u64) {
        let ends = self.run_ends.get(self.slot(from));
        self.set(to, self.remainder(from), ends);
    }

    /// The pairs, in order; equal ones side by side.
    pub(super) fn pairs(&self) -> Pairs<'_> {
        Pairs { table: self, quotient: 0, position: self.offset(0), end: 0 }
    }

    /// The same pairs in a table that was doubled so many times: the upper bits of a remainder
    /// become the lower bits of its quotient.
    pub(super) fn doubled(&self, size: Size) -> Result<Table, OutOfMemory> {
        let mut table = Table::new(size)?;
        self.pairs().for_each(|pair| table.put(pair.moved(self.size(), size)));
        Ok(table)
    }
}

impl Pair {
    /// The pair in a table that was doubled from one size to another.
    pub(super) fn moved(self, from: Size, to: Size) -> Pair {
        let bits = from.remainder_bits - to.remainder_bits;
        Pair {
            quotient: self.quotient << bits | self.remainder >> to.remainder_bits,
            remainder: self.remainder & !(u64::MAX << to.remainder_bits),
        }
    }
}

/// All pairs of a table, in order.
#[derive(Clone, Debug)]
pub(super) struct Pairs<'a> {
    table: &'a Table,
    /// Whose run this is, and after the run the first that may have one.
    quotient: u64,
    position: u64,
    /// Where the run ends; not after the position when a new one is to be found.
    end: u64,
}

impl Iterator for Pairs<'_> {
    type Item = Pair;

    fn next(&mut self) -> Option<Pair> {
        if self.position >= self.end {
            let table = self.table;
            let next = table.next_occupied(self.quotient)?;
            self.position = self.position.max(next);
            self.end = table.after_runs(self.position, 1);
            self.quotient = next + 1;
        }
        let remainder = self.table.remainder(self.position);
        self.position += 1;
        Some(Pair { quotient: self.quotient - 1, remainder })
    }
}

impl Table {
    /// The first quotient from this one on that has a run.
    fn next_occupied(&self, quotient: u64) -> Option<u64> {
        if quotient >= self.slots() {
            return None;
        }
        let mut base = quotient - quotient % BLOCK;
        let mut mask = u64::MAX << (quotient % BLOCK);
        for word in &self.occupied.words()[place(quotient).0..] {
            if word & mask != 0 {
                return Some(base + u64::from((word & mask).trailing_zeros()));
            }
            base += BLOCK;
            mask = u64::MAX;
        }
        None
    }
}
