//! Runs in a ring of slots, found by rank and select.
//!
//! A run is the contiguous slots of one quotient. It begins in the quotient's home slot, or as few
//! slots after it as others allow; after the last slot comes the first. Runs are in the order of
//! their quotients. So their positions depend on their lengths and not on the order of inserts.
//! [`copies`](super::copies) defines what the slots contain; a free slot is 0.
//!
//! Two bits per slot are enough to find a run: `occupied` for a quotient that has one, `run_ends`
//! for the slot where one ends. The k-th occupied quotient of a block owns the k-th run end after
//! those that reach into the block from before. The block's offset says how far those reach.
//!
//! A *position* is a slot, or a slot plus the number of slots: so a run that wraps from the last
//! slot to the first has rising positions.

use crate::error::OutOfMemory;
use crate::parts::bits::{Bits, place};
use crate::parts::packed::Packed;
use crate::parts::view::{Row, Touch, View};
use crate::parts::words::Words;
use crate::sizing::quotient::{BLOCK, Size, capacity};
use std::ops::Range;

/// An offset of this many slots or more. At load 0.95 one in 10¹¹ is that long, so eight bits are
/// enough; a longer one is computed from an earlier block. A block with a free slot has an offset
/// below 64, so there is such a block.
const MANY: u64 = 255;
const OFFSET_BITS: u32 = 8;

/// The slots.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slots {
    pub(super) remainders: Packed,
    pub(super) occupied: Bits,
    pub(super) run_ends: Bits,
    /// For each block, how many slots from its first on hold runs of earlier quotients.
    pub(super) offsets: Packed,
    /// How many slots are used; at most the capacity, so one is always free.
    held: u64,
}

/// The positions of a quotient's slots. Without any, the range is empty and begins where the first
/// would be.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) quotient: u64,
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Run {
    pub(super) fn len(&self) -> u64 {
        self.end - self.start
    }
}

/// The rows of slots, as read from a file.
pub(super) struct Rows {
    pub(super) remainders: Words,
    pub(super) occupied: Words,
    pub(super) run_ends: Words,
    pub(super) offsets: Words,
}

impl Slots {
    pub(super) fn new(size: Size) -> Result<Slots, OutOfMemory> {
        let slots = size.slots();
        Ok(Slots {
            remainders: Packed::zeroed(slots, size.remainder_bits)?,
            occupied: Bits::zeroed(slots)?,
            run_ends: Bits::zeroed(slots)?,
            offsets: Packed::zeroed(size.blocks, OFFSET_BITS)?,
            held: 0,
        })
    }

    /// Slots from untrusted rows, or the name of the row that is malformed. Whatever passes could
    /// come from opening slots, so all other code here may rely on it. Reads all slots, and calls
    /// `in_order` for the content of each run.
    pub(super) fn from_rows(
        rows: Rows,
        size: Size,
        in_order: impl FnMut(&Slots, &Run) -> bool,
    ) -> Result<Slots, &'static str> {
        let count = size.slots();
        let mut slots = Slots {
            remainders: Packed::from_words(rows.remainders, count, size.remainder_bits)
                .ok_or("remainders")?,
            occupied: Bits::from_words(rows.occupied, count).ok_or("occupied")?,
            run_ends: Bits::from_words(rows.run_ends, count).ok_or("run.ends")?,
            offsets: Packed::from_words(rows.offsets, size.blocks, OFFSET_BITS).ok_or("offsets")?,
            held: 0,
        };
        slots.held = slots.check(in_order)?;
        Ok(slots)
    }

    /// The number of used slots, if every run is where it should be; else the row that is
    /// malformed.
    fn check(&self, mut in_order: impl FnMut(&Slots, &Run) -> bool) -> Result<u64, &'static str> {
        if self.occupied.ones() != self.run_ends.ones() {
            return Err("run.ends");
        }
        let (slots, blocks) = (self.count(), self.blocks());
        // Once around, from an offset that is complete. If it is wrong, it ends up different.
        let first = (0..blocks).find(|block| self.offsets.get(*block) < MANY).ok_or("offsets")?;
        let begin = first * BLOCK + self.offsets.get(first);
        let free = |mut range: Range<u64>| range.all(|position| self.get(position) == 0);
        let (mut position, mut held) = (begin, 0);
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
                let start = position.max(quotient);
                // The ends found are less than one round apart, so they are all different; and
                // since there are no more of them than quotients, no other ends exist.
                let last = self.run_end(start, 1).filter(|last| last - begin < slots);
                position = last.ok_or("run.ends")? + 1;
                let run = Run { quotient: self.slot(quotient), start, end: position };
                if !in_order(self, &run) {
                    return Err("remainders");
                }
                held += run.len();
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

    /// The stored rows, for inspection. A remainder of 0 may be a key's or a free slot's, so
    /// remainders are not marks.
    pub(super) fn rows(&self) -> Vec<Row<'_>> {
        let slots = |name, cells| Row::new(name, cells).grouped(BLOCK);
        vec![
            slots("remainders", View::packed(&self.remainders)).without_marks(),
            slots("occupied", View::of(&self.occupied)),
            slots("run ends", View::of(&self.run_ends)),
            Row::new("offsets", View::packed(&self.offsets)).without_marks(),
        ]
    }

    /// What finding the run of a quotient touches: whether it has one, how far those before it
    /// reach, and the run, or the slot where its first would be.
    pub(super) fn touches(&self, quotient: u64) -> Vec<Touch> {
        let run = self.run(quotient);
        let mut touches = vec![Touch::new(1, quotient), Touch::new(3, quotient / BLOCK)];
        for position in run.start..run.end.max(run.start + 1) {
            touches.extend([2, 0].map(|row| Touch::new(row, self.slot(position))));
        }
        touches
    }

    /// The number of slots.
    fn count(&self) -> u64 {
        self.remainders.cells()
    }

    fn blocks(&self) -> u64 {
        self.offsets.cells()
    }

    #[inline]
    fn slot(&self, position: u64) -> u64 {
        if position < self.count() { position } else { position % self.count() }
    }

    /// The content of a slot.
    #[inline]
    pub(super) fn get(&self, position: u64) -> u64 {
        self.remainders.get(self.slot(position))
    }

    #[inline]
    pub(super) fn set(&mut self, position: u64, value: u64) {
        self.remainders.set(self.slot(position), value);
    }

    /// The position of the nth run end from a position on. It exists wherever a block or a quotient
    /// says so; only [`check`](Slots::check) looks for others.
    #[inline]
    fn run_end(&self, from: u64, nth: u32) -> Option<u64> {
        let words = self.run_ends.words();
        let mut left = nth;
        let mut base = from - from % BLOCK;
        let mut ends = words[place(self.slot(base)).0] & u64::MAX << (from % BLOCK);
        while ends.count_ones() < left {
            left -= ends.count_ones();
            base += BLOCK;
            if base > from + self.count() {
                return None;
            }
            ends = words[place(self.slot(base)).0];
        }
        for _ in 1..left {
            ends &= ends - 1;
        }
        Some(base + u64::from(ends.trailing_zeros()))
    }

    /// The position after `runs` runs that begin at this position or later.
    #[inline]
    fn after_runs(&self, from: u64, runs: u32) -> u64 {
        match runs {
            0 => from,
            _ => self.run_end(from, runs).map_or(from, |end| end + 1),
        }
    }

    /// How many slots from a block's first on hold runs of earlier quotients.
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

    /// Prefetches what finding the run of a quotient reads. Run ends are near: 512 of them share a
    /// cache line.
    #[inline]
    pub(super) fn fetch(&self, quotient: u64) {
        self.occupied.fetch(quotient);
        self.run_ends.fetch(quotient);
        self.offsets.fetch(quotient / BLOCK);
    }

    /// Prefetches the remainders of a run.
    #[inline]
    pub(super) fn fetch_run(&self, run: &Run) {
        self.remainders.fetch(self.slot(run.start));
    }

    /// The run of a quotient that has one.
    #[inline]
    pub(super) fn find(&self, quotient: u64) -> Option<Run> {
        self.occupied.get(quotient).then(|| {
            let start = self.run_start(quotient);
            Run { quotient, start, end: self.after_runs(start, 1) }
        })
    }

    /// The run of a quotient, empty or not.
    #[inline]
    pub(super) fn run(&self, quotient: u64) -> Run {
        self.find(quotient).unwrap_or_else(|| {
            let start = self.run_start(quotient);
            Run { quotient, start, end: start }
        })
    }

    /// All runs, in the order of their quotients.
    pub(super) fn runs(&self) -> Runs<'_> {
        Runs { slots: self, quotient: 0, position: self.offset(0) }
    }

    /// Whether there is room for a run to have `slots` slots instead of its own number.
    pub(super) fn has_room(&self, run: &Run, slots: u64) -> bool {
        self.held - run.len() + slots <= capacity(self.count())
    }

    /// The first free position from a slot on.
    fn first_free(&self, slot: u64) -> u64 {
        let mut position = slot;
        loop {
            let home = self.slot(position);
            let after = self.after_quotients(home, true) + (position - home);
            if after <= position || position >= slot + self.count() {
                return position;
            }
            position = after;
        }
    }

    /// Lengthens a run by a slot of content 0, at a position of the run or after its last. The
    /// slots from there to the next free one move by one. There must be [room](Slots::has_room).
    pub(super) fn open(&mut self, at: u64, run: &mut Run) {
        debug_assert!(run.start <= at && at <= run.end && self.has_room(run, run.len() + 1));
        let free = self.first_free(run.quotient);
        for position in (at..free).rev() {
            self.copy(position, position + 1);
        }
        let ends = at == run.end;
        self.set(at, 0);
        self.set_end(at, ends);
        if run.len() == 0 {
            self.occupied.set(run.quotient);
        } else if ends {
            self.set_end(at - 1, false);
        }
        for block in run.quotient / BLOCK + 1..=free / BLOCK {
            let block = block % self.blocks();
            let offset = self.offsets.get(block);
            self.offsets.set(block, (offset + 1).min(MANY));
        }
        run.end += 1;
        self.held += 1;
    }

    /// Shortens a run by the slot at one of its positions. Everything after it that is not in its
    /// home slot moves one slot back.
    pub(super) fn close(&mut self, at: u64, run: &mut Run) {
        debug_assert!(run.start <= at && at < run.end);
        let (mut home, mut end) = (run.quotient, run.end);
        while let Some(next) =
            (home + 1..end).find(|position| self.occupied.get(self.slot(*position)))
        {
            (home, end) = (next, self.after_runs(end, 1));
        }
        if run.len() == 1 {
            self.occupied.unset(run.quotient);
        } else if at + 1 == run.end {
            self.set_end(at - 1, true);
        }
        for position in at + 1..end {
            self.copy(position, position - 1);
        }
        self.set(end - 1, 0);
        self.set_end(end - 1, false);
        for block in run.quotient / BLOCK + 1..=(end - 1) / BLOCK {
            let block = block % self.blocks();
            let offset = match self.offsets.get(block) {
                // From the blocks before it, which are correct by now.
                MANY => self.long_offset(block).min(MANY),
                offset => offset.saturating_sub(1),
            };
            self.offsets.set(block, offset);
        }
        run.end -= 1;
        self.held -= 1;
    }

    #[inline]
    fn set_end(&mut self, position: u64, ends: bool) {
        let slot = self.slot(position);
        if ends {
            self.run_ends.set(slot);
        } else {
            self.run_ends.unset(slot);
        }
    }

    #[inline]
    fn copy(&mut self, from: u64, to: u64) {
        self.set(to, self.get(from));
        self.set_end(to, self.run_ends.get(self.slot(from)));
    }

    /// The first quotient from this one on that has a run.
    fn next_occupied(&self, quotient: u64) -> Option<u64> {
        if quotient >= self.count() {
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

/// All runs, in the order of their quotients.
#[derive(Clone, Debug)]
pub(super) struct Runs<'a> {
    slots: &'a Slots,
    /// The first quotient that may have a run.
    quotient: u64,
    /// The position after the runs before it.
    position: u64,
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let quotient = self.slots.next_occupied(self.quotient)?;
        let start = self.position.max(quotient);
        let end = self.slots.after_runs(start, 1);
        (self.quotient, self.position) = (quotient + 1, end);
        Some(Run { quotient, start, end })
    }
}
