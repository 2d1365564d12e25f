//! The content of a run: its remainders, and how often each is present.
//!
//! A *plain* run lists its remainders in order, one slot per copy. A *counted* run begins with
//! slots 1 and 0, as no plain run does since they descend, and then lists each remainder once, in
//! order, followed by its count. A count is in Elias's gamma code: as many zeros as it has bits
//! after the first, then its bits, the highest first; in the fewest slots that hold it, padded with
//! zeros. With remainders of 7 bits a million takes 6 slots, and the largest count 19.
//!
//! A run has the shorter form, and is plain when they are equal. So its form depends on its content
//! alone, and no key takes more slots than as many keys with other fingerprints would: a filter has
//! room for its capacity, whichever fingerprints its keys share. The simpler rule, a count after
//! the third copy, does not guarantee that: three copies then take four slots. For 10⁷ keys at 1 %
//! that is 90 slots more than keys, enough to double a filter; at 50 % it is 3 % more. The counters
//! of Pandey et al. mark themselves by digits out of order, which needs remainders of two bits or
//! more.

use super::slots::{Run, Slots};

/// A remainder of a run, and its count, at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) remainder: u64,
    pub(super) count: u64,
}

impl Item {
    /// Slots for the remainder and its count.
    fn counted_slots(&self, width: u32) -> u64 {
        1 + u64::from(code_bits(self.count).div_ceil(width))
    }
}

/// The first slots of a counted run.
const MARK: [u64; 2] = [1, 0];

/// The slots of the shortest counted run, of one remainder and a count in one slot.
pub(super) const LEAST_COUNTED: u64 = 4;

/// The form of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    counted: bool,
    pub(super) slots: u64,
}

impl Form {
    /// The form for these items, in slots of `width` bits.
    pub(super) fn of(items: &[Item], width: u32) -> Form {
        let plain = items.iter().fold(0, |sum: u64, item| sum.saturating_add(item.count));
        let counted = items.iter().map(|item| item.counted_slots(width)).sum();
        Form::shorter(plain, counted)
    }

    /// The shorter of `plain` copies and `counted` slots after the mark.
    fn shorter(plain: u64, counted: u64) -> Form {
        let counted = counted + MARK.len() as u64;
        Form { counted: counted < plain, slots: counted.min(plain) }
    }

    /// Writes the items to a run that has the right number of slots.
    pub(super) fn write(self, items: &[Item], slots: &mut Slots, run: &Run) {
        debug_assert_eq!(run.len(), self.slots);
        let width = slots.size().remainder_bits;
        let mut at = run.start;
        let mut set = |value| {
            slots.set(at, value);
            at += 1;
        };
        if self.counted {
            MARK.into_iter().for_each(&mut set);
        }
        for Item { remainder, count } in items {
            if self.counted {
                set(*remainder);
                code(*count, width).for_each(&mut set);
            } else {
                (0..*count).for_each(|_| set(*remainder));
            }
        }
    }
}

/// The items of a run, in order. They end early at a malformed count, which
/// [`total`](Items::total) detects.
#[derive(Clone, Debug)]
pub(super) struct Items<'a> {
    slots: &'a Slots,
    start: u64,
    /// The first slot of the next item.
    at: u64,
    end: u64,
    counted: bool,
}

impl<'a> Items<'a> {
    #[inline]
    pub(super) fn of(slots: &'a Slots, run: &Run) -> Items<'a> {
        let &Run { start, end, .. } = run;
        let counted = run.len() >= LEAST_COUNTED && [0, 1].map(|at| slots.get(start + at)) == MARK;
        let at = if counted { start + MARK.len() as u64 } else { start };
        Items { slots, start, at, end, counted }
    }

    /// The number of copies in an untrusted run. `None` unless it is as [`Form::write`] would have
    /// written it.
    pub(super) fn total(mut self) -> Option<u64> {
        let width = self.slots.size().remainder_bits;
        let (mut total, mut counted, mut least) = (0u64, 0, 0);
        for item in self.by_ref() {
            if item.remainder < least {
                return None;
            }
            least = item.remainder + 1;
            total = total.checked_add(item.count)?;
            counted += item.counted_slots(width);
        }
        let form = Form { counted: self.counted, slots: self.end - self.start };
        (self.at == self.end && form == Form::shorter(total, counted)).then_some(total)
    }
}

impl Iterator for Items<'_> {
    type Item = Item;

    #[inline]
    fn next(&mut self) -> Option<Item> {
        if self.at == self.end {
            return None;
        }
        let (slots, first) = (self.slots, self.at);
        let remainder = slots.get(first);
        let mut next = first + 1;
        let count = if self.counted {
            let (count, length) = decode(slots, next, self.end)?;
            next += length;
            count
        } else {
            while next < self.end && slots.get(next) == remainder {
                next += 1;
            }
            next - first
        };
        self.at = next;
        Some(Item { remainder, count })
    }
}

/// 2·⌊log₂ c⌋+1: the bits of a count.
fn code_bits(count: u64) -> u32 {
    2 * count.max(1).ilog2() + 1
}

/// The slots of a count.
fn code(count: u64, width: u32) -> impl Iterator<Item = u64> {
    let (bits, slots) = (code_bits(count), code_bits(count).div_ceil(width));
    // The zeros that begin the code need not be written, so up to 64+57 bits are enough.
    let padded = u128::from(count) << (slots * width - bits);
    #[expect(clippy::cast_possible_truncation, reason = "only the bits of a slot are kept")]
    (0..slots).rev().map(move |slot| (padded >> (slot * width)) as u64 & u64::MAX >> (64 - width))
}

/// The count that begins at a position, and its slots; `None` when it does not end within the run.
fn decode(slots: &Slots, from: u64, end: u64) -> Option<(u64, u64)> {
    let width = slots.size().remainder_bits;
    let first = (from..end.min(from + 64)).find(|at| slots.get(*at) != 0)?;
    let skipped = u32::try_from(first - from).ok()?;
    // Zeros before the first 1; a count has at most 63.
    let zeros = skipped * width + slots.get(first).leading_zeros() - (64 - width);
    let bits = (zeros < 64).then_some(2 * zeros + 1)?;
    let length = bits.div_ceil(width);
    let last = from + u64::from(length);
    if last > end {
        return None;
    }
    let padded = (first..last).fold(0, |code, at| code << width | u128::from(slots.get(at)));
    let padding = length * width - bits;
    let count = u64::try_from(padded >> padding).ok()?;
    (padded == u128::from(count) << padding).then_some((count, u64::from(length)))
}
