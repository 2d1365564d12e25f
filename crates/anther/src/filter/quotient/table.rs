//! Pairs of a quotient and a remainder, each with its count, stored in runs.

use super::copies::{Form, Item, Items, LEAST_COUNTED};
use super::slots::{Rows, Run, Runs, Slots};
use crate::batch::steps;
use crate::error::OutOfMemory;
use crate::sizing::quotient::Size;
use std::ops::ControlFlow;

/// The runs, and the number of pairs in them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    pub(super) slots: Slots,
    /// The number of pairs, counting every copy.
    len: u64,
}

/// A quotient and a remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pair {
    pub(super) quotient: u64,
    pub(super) remainder: u64,
}

/// Why a pair was not inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoRoom {
    /// It may fit in twice the slots.
    Slots,
    /// More than a `u64` can count, or out of memory.
    Ever,
}

impl From<OutOfMemory> for NoRoom {
    fn from(_: OutOfMemory) -> NoRoom {
        NoRoom::Ever
    }
}

impl Table {
    pub(super) fn new(size: Size) -> Result<Table, OutOfMemory> {
        Ok(Table { slots: Slots::new(size)?, len: 0 })
    }

    /// A table from untrusted rows, or the name of the row that is malformed. Whatever passes could
    /// come from inserts.
    pub(super) fn from_rows(rows: Rows, size: Size) -> Result<Table, &'static str> {
        let mut len = 0u64;
        let slots = Slots::from_rows(rows, size, |slots, run| {
            let more = Items::of(slots, run).total().and_then(|total| len.checked_add(total));
            len = more.unwrap_or(len);
            more.is_some()
        })?;
        Ok(Table { slots, len })
    }

    /// A table of sorted pairs; a pair may be split into several entries.
    pub(super) fn of(
        size: Size,
        pairs: impl Iterator<Item = (Pair, u64)> + Clone,
    ) -> Result<Table, NoRoom> {
        // Counted first: sorted runs in too few slots push each other ever further from home, and
        // finding them would take too long.
        let mut needed = 0;
        let len = each_run(pairs.clone(), |_, items| {
            needed += Form::of(items, size.remainder_bits).slots;
            Ok(())
        })?;
        if needed > size.capacity() {
            return Err(NoRoom::Slots);
        }
        let mut table = Table { slots: Slots::new(size)?, len };
        each_run(pairs, |quotient, items| table.write(table.slots.run(quotient), items))?;
        Ok(table)
    }

    pub(super) fn size(&self) -> Size {
        self.slots.size()
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The number of copies of a pair.
    #[inline]
    pub(super) fn count(&self, pair: Pair) -> u64 {
        self.slots.find(pair.quotient).map_or(0, |run| self.count_in(&run, pair.remainder))
    }

    /// How often a run has a remainder.
    #[inline]
    fn count_in(&self, run: &Run, remainder: u64) -> u64 {
        let found = Items::of(&self.slots, run).find(|item| item.remainder >= remainder);
        found.filter(|item| item.remainder == remainder).map_or(0, |item| item.count)
    }

    /// Whether each of the pairs is present: a step to find the run, and one to search it.
    pub(super) fn look_up(&self, pairs: impl Iterator<Item = Pair>, found: &mut [bool]) {
        let starts = pairs.map(|pair| {
            self.slots.fetch(pair.quotient);
            (pair, None)
        });
        steps::contains_in_steps(found, starts, |(pair, run): (Pair, Option<(u64, u64)>)| {
            let quotient = pair.quotient;
            let Some((start, end)) = run else {
                let Some(run) = self.slots.find(quotient) else { return ControlFlow::Break(false) };
                self.slots.fetch_run(&run);
                return ControlFlow::Continue((pair, Some((run.start, run.end))));
            };
            ControlFlow::Break(self.count_in(&Run { quotient, start, end }, pair.remainder) > 0)
        });
    }

    #[inline]
    pub(super) fn contains(&self, pair: Pair) -> bool {
        self.count(pair) > 0
    }

    /// Rewrites a run with these items; nothing changes when there is no room.
    fn write(&mut self, mut run: Run, items: &[Item]) -> Result<(), NoRoom> {
        let form = Form::of(items, self.size().remainder_bits);
        if !self.slots.has_room(&run, form.slots) {
            return Err(NoRoom::Slots);
        }
        while run.len() < form.slots {
            self.slots.open(run.end, &mut run);
        }
        while run.len() > form.slots {
            self.slots.close(run.end - 1, &mut run);
        }
        form.write(items, &mut self.slots, &run);
        Ok(())
    }

    /// Inserts a pair; returns true when it was absent. Nothing changes when there is no room.
    pub(super) fn insert(&mut self, pair: Pair) -> Result<bool, NoRoom> {
        let len = self.len.checked_add(1).ok_or(NoRoom::Ever)?;
        let run = self.slots.run(pair.quotient);
        // Nearly all runs are this short, and plain with one more. The general path takes 95 ns
        // where this takes 65, in a filter that is at most half full.
        let new = if run.len() < LEAST_COUNTED {
            self.insert_plain(run, pair.remainder)?
        } else {
            self.insert_any(run, pair.remainder)?
        };
        self.len = len;
        Ok(new)
    }

    fn insert_plain(&mut self, mut run: Run, remainder: u64) -> Result<bool, NoRoom> {
        if !self.slots.has_room(&run, run.len() + 1) {
            return Err(NoRoom::Slots);
        }
        let above = (run.start..run.end).find(|at| self.slots.get(*at) > remainder);
        let at = above.unwrap_or(run.end);
        let new = at == run.start || self.slots.get(at - 1) != remainder;
        self.slots.open(at, &mut run);
        self.slots.set(at, remainder);
        Ok(new)
    }

    fn insert_any(&mut self, run: Run, remainder: u64) -> Result<bool, NoRoom> {
        let mut items: Vec<Item> = Items::of(&self.slots, &run).collect();
        let found = items.binary_search_by_key(&remainder, |item| item.remainder);
        match found {
            // At most the number of all pairs, which fits a `u64`.
            Ok(at) => items[at].count += 1,
            Err(at) => items.insert(at, Item { remainder, count: 1 }),
        }
        self.write(run, &items)?;
        Ok(found.is_err())
    }

    /// Removes one copy of a pair; returns false when it is absent.
    pub(super) fn remove(&mut self, pair: Pair) -> bool {
        let Some(run) = self.slots.find(pair.quotient) else { return false };
        let taken = if run.len() < LEAST_COUNTED {
            self.remove_plain(run, pair.remainder)
        } else {
            self.remove_any(run, pair.remainder)
        };
        self.len -= u64::from(taken);
        taken
    }

    fn remove_plain(&mut self, mut run: Run, remainder: u64) -> bool {
        let found = (run.start..run.end).find(|at| self.slots.get(*at) == remainder);
        found.map(|at| self.slots.close(at, &mut run)).is_some()
    }

    fn remove_any(&mut self, run: Run, remainder: u64) -> bool {
        let mut items: Vec<Item> = Items::of(&self.slots, &run).collect();
        let Ok(at) = items.binary_search_by_key(&remainder, |item| item.remainder) else {
            return false;
        };
        items[at].count -= 1;
        if items[at].count == 0 {
            items.remove(at);
        }
        // One copy less never takes more slots.
        self.write(run, &items).is_ok()
    }

    /// The pairs, in order, with their counts.
    pub(super) fn pairs(&self) -> Pairs<'_> {
        Pairs { table: self, runs: self.slots.runs(), run: None }
    }

    /// The pairs as in a table that was doubled from this size to another, in order.
    pub(super) fn moved(&self, size: Size) -> impl Iterator<Item = (Pair, u64)> + Clone {
        let from = self.size();
        self.pairs().map(move |(pair, count)| (pair.moved(from, size), count))
    }
}

/// Passes on the items of each quotient, from sorted pairs; returns the number of pairs, counting
/// every copy.
fn each_run(
    pairs: impl Iterator<Item = (Pair, u64)>,
    mut run: impl FnMut(u64, &[Item]) -> Result<(), NoRoom>,
) -> Result<u64, NoRoom> {
    let (mut len, mut items, mut pairs) = (0u64, Vec::<Item>::new(), pairs.peekable());
    while let Some((Pair { quotient, remainder }, count)) = pairs.next() {
        len = len.checked_add(count).ok_or(NoRoom::Ever)?;
        match items.last_mut() {
            // At most the number of all pairs, which fits a `u64`.
            Some(last) if last.remainder == remainder => last.count += count,
            _ => items.push(Item { remainder, count }),
        }
        if pairs.peek().is_none_or(|(next, _)| next.quotient != quotient) {
            run(quotient, &items)?;
            items.clear();
        }
    }
    Ok(len)
}

impl Pair {
    /// The pair in a table that was doubled from one size to another: the upper bits of a remainder
    /// become the lower bits of its quotient.
    pub(super) fn moved(self, from: Size, to: Size) -> Pair {
        let bits = from.remainder_bits - to.remainder_bits;
        Pair {
            quotient: self.quotient << bits | self.remainder >> to.remainder_bits,
            remainder: self.remainder & !(u64::MAX << to.remainder_bits),
        }
    }
}

/// All pairs of a table, in order, with their counts.
#[derive(Clone, Debug)]
pub(super) struct Pairs<'a> {
    table: &'a Table,
    runs: Runs<'a>,
    run: Option<(u64, Items<'a>)>,
}

impl Iterator for Pairs<'_> {
    type Item = (Pair, u64);

    fn next(&mut self) -> Option<(Pair, u64)> {
        loop {
            if let Some((quotient, items)) = &mut self.run
                && let Some(Item { remainder, count }) = items.next()
            {
                return Some((Pair { quotient: *quotient, remainder }, count));
            }
            let run = self.runs.next()?;
            self.run = Some((run.quotient, Items::of(&self.table.slots, &run)));
        }
    }
}
