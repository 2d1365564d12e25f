//! Variable increments: cells that hold how many numbers were added, and their sum.

use super::explain::{Moment, distinct};
use super::look::Look;
use super::worked::join;
use anther::format::Value;
use anther::{AnyFilter, Inspect};

/// How many bits of a cell count the numbers in it, where the others are their sum; nothing where
/// a cell is a sum alone.
pub fn counter_bits(filter: &AnyFilter) -> Option<u32> {
    let AnyFilter::VariableIncrement(own) = filter else { return None };
    let width = own.rows().first()?.cells.width();
    let parameters = filter.parameters();
    let (_, bits) = parameters.iter().find(|(name, _)| name == "counter.bits")?;
    let Value::Whole(bits) = bits else { return None };
    u32::try_from(*bits).ok().filter(|bits| *bits < width)
}

/// A cell's count and sum.
pub fn parts(value: u64, counter_bits: u32) -> (u64, u64) {
    (value & ((1 << counter_bits) - 1), value >> counter_bits)
}

impl Moment<'_> {
    /// The key's cells, and what it adds to each, by those without it and with it; nothing where a
    /// cell sticks.
    fn between(&self, without: &Look, with: &Look) -> Vec<(u64, Option<u64>)> {
        let most = self.now.most(0);
        let amount = |cell: u64| {
            let (was, is) = (without.value(0, cell)?, with.value(0, cell)?);
            let Some(bits) = self.now.counter_bits() else {
                return Some(is.checked_sub(was)?).filter(|_| is < most);
            };
            let ((_, was), (count, is)) = (parts(was, bits), parts(is, bits));
            // Sums go round.
            let sums = most >> bits;
            (count < (1 << bits) - 1).then_some(is.wrapping_sub(was) & sums)
        };
        distinct(self.of_row(0)).into_iter().map(|cell| (cell, amount(cell))).collect()
    }

    /// What came of putting the key in: "adds 5 to 3 and 1 to 7".
    pub fn added(&self) -> String {
        format!("adds {}", said(&self.between(self.before, self.now), "to"))
    }

    /// What came of taking it out.
    pub fn taken(&self) -> String {
        format!("takes {}", said(&self.between(self.now, self.before), "from"))
    }

    /// What the key would add, by a copy that takes it.
    fn amounts(&self) -> Vec<(u64, Option<u64>)> {
        let mut copy = self.filter.clone();
        let taken = copy.as_insert().is_some_and(|copy| copy.insert_hash(self.key).is_ok());
        match (taken, Look::at(self.filter, None), Look::at(&copy, None)) {
            (true, Ok(now), Ok(with)) => self.between(&now, &with),
            // Too large to be compared.
            _ => Vec::new(),
        }
    }

    /// Why all of the key's cells may hold its numbers, or one cannot.
    pub fn increments_found(&self, found: bool) -> String {
        let amounts = self.amounts();
        if found && amounts.is_empty() {
            return "all may hold its numbers, so maybe".to_string();
        }
        if found {
            return format!("may have {}, so maybe", said(&amounts, "in"));
        }
        if self.of_row(0).any(|cell| self.value(0, cell) == 0) {
            return self.zeros();
        }
        for (cell, amount) in &amounts {
            // Two of the key's numbers in one cell are asked for one by one.
            let alone = self.of_row(0).filter(|other| other == cell).count() == 1;
            let (Some(amount), Some(bits)) = (amount.filter(|_| alone), self.now.counter_bits())
            else {
                continue;
            };
            match parts(self.value(0, *cell), bits) {
                (1, sum) if sum != amount => {
                    return format!("{cell} has one number, {sum}, and its own is {amount}, so no");
                }
                _ => {}
            }
        }
        match &amounts[..] {
            [] => "a cell cannot hold its number, so no".to_string(),
            some => format!("not all can have {}, so no", said(some, "in")),
        }
    }
}

/// Such as "5 in 3 and 1 in 7".
fn said(amounts: &[(u64, Option<u64>)], place: &str) -> String {
    let words = amounts.iter().map(|(cell, amount)| match amount {
        Some(amount) => format!("{amount} {place} {cell}"),
        None => format!("nothing {place} {cell}, which is at its largest value"),
    });
    join(&words.collect::<Vec<_>>())
}
