//! The variable-increment counting filter: each key increments its counters by amounts of its own
//! (Rottenstreich, Kanizo and Keslassy, INFOCOM 2012).
//!
//! **For**: sets whose keys are removed again, in two thirds of the space of
//! [`Counting`](crate::Counting), with filters that can be merged. **Not for** sets that need no
//! merging: [`DLeft`](crate::DLeft) takes less. Nor for repeated keys: each copy counts as another
//! key, and with every key inserted three times the false-positive rate is 30 % instead of 1 %
//! ([`Profile::is_overfull`] reports it). It cannot count how often a key was inserted.
//!
//! There are two forms ([`Increments`]) in which a cell shows that it does not contain an
//! increment:
//!
//! - **D**: increments from {L, …, 2L-1} and one counter. Without the probe's increment, the rest
//!   is 0 or at least L. Otherwise the key is absent.
//! - **B**: increments from a B_h set and two counters, their number and their sum. The sum of up
//!   to h increments determines them.
//!
//! The default is B2 with four bits for the number, which sticks at 15 as the counter of `counting`
//! does. Bits per key where at least 14 increments fit before a counter sticks:
//!
//! | | cell | 10 % | 1 % | 0.1 % | 10⁻⁶ |
//! |---|---|---|---|---|---|
//! | **B2** | 4+4 bits | 12.9 | 25.8 | 38.5 | 77.0 |
//! | B3 | 4+6 | 13.9 | 27.4 | 41.2 | 82.2 |
//! | D2 | 6 | 16.1 | 32.3 | 48.4 | 96.8 |
//! | D4 | 7 | 14.5 | 28.9 | 43.2 | 86.3 |
//! | D8 | 8 | 14.5 | 28.9 | 43.3 | 86.7 |
//! | D16 | 9 | 15.3 | 30.6 | 45.8 | 91.4 |
//! | `counting` | 4 | 19.2 | 38.4 | 57.5 | 115.0 |
//!
//! The false-positive rate is [`Refusal::rate`](crate::sizing::increments::Refusal::rate).

use super::cells;
use crate::error::{Full, LoadError, Mismatch, RemoveError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::{Increments, Kind};
use crate::options::{self, Options};
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::packed::Packed;
use crate::parts::probes::Spread;
use crate::parts::view::{self, Row, Touch, View};
use crate::profile::{About, Profile, highest_rate};
use crate::sizing::increments::{Refusal, Size, sums_set};
use crate::sizing::{bound, estimate};
use crate::target::{Plan, Target};
use crate::traits::{Filter, ForTarget, Insert, Inspect, Merge, Planned, Remove};

/// The variable-increment counting filter.
///
/// ```
/// use anther::{Counting, Target, VariableIncrement};
///
/// let target = Target::new(10_000, 0.01)?;
/// let mut cached = VariableIncrement::new(target)?;
/// cached.insert("/index.html");
/// cached.insert("/logo.png");
/// assert!(cached.remove("/logo.png")?);
/// assert!(!cached.contains("/logo.png"), "gone");
/// assert!(cached.contains("/index.html"), "the others stay");
/// assert!(!cached.remove("/never.html")?, "definitely absent: nothing changes");
/// let counting = Counting::new(target)?.profile().bits;
/// assert!(cached.profile().bits < counting * 68 / 100, "two thirds of the space");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VariableIncrement {
    probes: Spread,
    rule: Rule,
    cells: Packed,
    about: About,
}

/// How cells are incremented, and what they show. An amount has the form of a cell: what an empty
/// cell becomes by it. So adding increments and adding another filter's cells is the same
/// operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rule {
    increments: Increments,
    counter_bits: u32,
}

impl Rule {
    const MAX_COUNTER_BITS: u32 = 32;

    /// The rule, if these increments and this counter width are valid.
    fn new(increments: Increments, counter_bits: Option<u32>) -> Result<Rule, SizeError> {
        let (kind, name) = (Kind::VariableIncrement, "increments");
        match increments {
            Increments::Interval(l) => options::within(kind, name, l, 2, 16)?,
            Increments::Sums(h) => options::within(kind, name, h, 2, 3)?,
        };
        let (least, fitting) = Rule::widths(increments);
        let bits = counter_bits.unwrap_or(fitting);
        let bits = options::within(kind, "counter-bits", bits, least, Rule::MAX_COUNTER_BITS)?;
        Ok(Rule { increments, counter_bits: bits })
    }

    fn from_options(options: &Options) -> Result<Rule, SizeError> {
        Rule::new(options.increments.unwrap_or(Increments::Sums(2)), options.counter_bits)
    }

    /// The narrowest counter that does not change the false-positive rate by sticking: a cell that
    /// sticks holds more increments than it could tell apart. And the narrowest that holds 14
    /// increments before it sticks, as the counter of `counting` does.
    fn widths(increments: Increments) -> (u32, u32) {
        let above = |value: u32| u32::BITS - (value + 1).leading_zeros();
        match increments {
            Increments::Interval(l) => (above(2 * (2 * l - 1)), above(14 * (2 * l - 1))),
            Increments::Sums(h) => (above(h), above(14)),
        }
    }

    /// Bits of the sum of increments. Only sums of up to h increments are ever examined, so the sum
    /// may wrap around while more are present, and unwraps when they are removed.
    fn sum_bits(self) -> u32 {
        match self.increments {
            Increments::Interval(_) => 0,
            Increments::Sums(h) => {
                let most = u64::from(h) * sums_set(h)[3];
                u64::BITS - most.leading_zeros()
            }
        }
    }

    fn cell_bits(self) -> u32 {
        self.counter_bits + self.sum_bits()
    }

    /// The counter's largest value, where it sticks.
    fn most(self) -> u64 {
        (1 << self.counter_bits) - 1
    }

    /// Whether keys cannot be told apart in a cell: its counter is full, or it holds what no keys
    /// leave, as in a forged file or after removing a key that was never inserted. Nothing can be
    /// concluded from such a cell, so it passes every key, and adding to it makes its counter full.
    fn is_stuck(self, cell: u64) -> bool {
        let (count, sum) = (cell & self.most(), cell >> self.counter_bits);
        let possible = match self.increments {
            Increments::Interval(l) => count == 0 || count >= u64::from(l),
            Increments::Sums(h) => count > u64::from(h) || is_sum(count, sum, sums_set(h)),
        };
        count == self.most() || !possible
    }

    /// The increment for a draw of 16 bits.
    #[inline]
    fn amount(self, draw: u64) -> u64 {
        match self.increments {
            Increments::Interval(l) => u64::from(l) + ((draw * u64::from(l)) >> 16),
            Increments::Sums(h) => self.pair(1, sums_set(h)[(draw >> 14 & 3) as usize]),
        }
    }

    /// A cell with this number of increments and this sum, which wraps around.
    fn pair(self, count: u64, sum: u64) -> u64 {
        let sum = sum & ((1 << self.sum_bits()) - 1);
        count | sum << self.counter_bits
    }

    /// Adds an amount. A stuck cell has no sum: it would depend on the order.
    #[inline]
    fn add(self, cell: u64, amount: u64) -> u64 {
        let (most, bits) = (self.most(), self.counter_bits);
        let count = (cell & most) + (amount & most);
        if count >= most || self.is_stuck(cell) || self.is_stuck(amount) {
            return most;
        }
        self.pair(count, (cell >> bits) + (amount >> bits))
    }

    /// The cell without the amount, unless the amount is definitely not in it. A stuck cell stays.
    #[inline]
    fn subtract(self, cell: u64, amount: u64) -> Option<u64> {
        let (most, bits) = (self.most(), self.counter_bits);
        let rest = (cell & most).checked_sub(amount & most).filter(|_| cell & most < most);
        let rest = rest.map(|left| self.pair(left, (cell >> bits).wrapping_sub(amount >> bits)));
        let possible = |rest: u64| match self.increments {
            Increments::Interval(l) => rest == 0 || rest >= u64::from(l),
            Increments::Sums(h) => {
                cell & most > u64::from(h) || is_sum(rest & most, rest >> bits, sums_set(h))
            }
        };
        // Nothing possible can be left of a stuck cell, so the common case is tested first.
        rest.filter(|rest| possible(*rest)).or_else(|| self.is_stuck(cell).then_some(cell))
    }

    /// The share of increments that the cell passes.
    fn passed(self, cell: u64) -> f64 {
        let number = match self.increments {
            Increments::Interval(l) => l,
            Increments::Sums(_) => 4,
        };
        // The first draw for each of them.
        let draws = (0..number).map(|at| (u64::from(at) << 16).div_ceil(u64::from(number)));
        let passed = draws.filter(|draw| self.subtract(cell, self.amount(*draw)).is_some()).count();
        passed as f64 / f64::from(number)
    }
}

/// Whether a sum is one of `count` members of the set.
fn is_sum(count: u64, sum: u64, set: [u64; 4]) -> bool {
    match count {
        0 => sum == 0,
        1 => set.contains(&sum),
        _ => set.iter().any(|one| sum >= *one && is_sum(count - 1, sum - one, set)),
    }
}

/// The amounts of a key's probes in turn: 16 bits each, from further hashes.
struct Amounts {
    rule: Rule,
    key: KeyHash,
    probe: u64,
    bits: u64,
}

impl Amounts {
    #[inline]
    fn draw(&mut self) -> u64 {
        if self.probe.is_multiple_of(4) {
            self.bits = self.key.again(self.probe / 4).0;
        }
        let amount = self.rule.amount(self.bits & 0xFFFF);
        self.bits >>= 16;
        self.probe += 1;
        amount
    }
}

impl VariableIncrement {
    /// Makes an empty filter of `cells` cells, with `probes` probes per key and counters of
    /// `counter_bits` bits. With [`Increments::Sums`], the sum's bits come on top.
    pub fn with_cells(
        cells: u64,
        probes: u32,
        increments: Increments,
        counter_bits: u32,
        seed: Seed,
    ) -> Result<VariableIncrement, SizeError> {
        let rule = Rule::new(increments, Some(counter_bits))?;
        VariableIncrement::sized(Size { cells, probes }, rule, seed, None)
    }

    fn sized(
        size: Size,
        rule: Rule,
        seed: Seed,
        target: Option<Target>,
    ) -> Result<VariableIncrement, SizeError> {
        let kind = Kind::VariableIncrement;
        let probes = cells::spread(kind, size.cells, size.probes, rule.cell_bits())?;
        let cells = Packed::zeroed(size.cells, rule.cell_bits())?;
        Ok(VariableIncrement { probes, rule, cells, about: About::new(seed, target) })
    }

    #[inline]
    fn amounts(&self, key: KeyHash) -> Amounts {
        Amounts { rule: self.rule, key, probe: 0, bits: 0 }
    }

    /// The key's cells, each once, and their values without the key; `None` when the key is
    /// definitely absent. Where probes share a cell, their amounts are removed together.
    fn without(&self, key: KeyHash) -> Option<Vec<(u64, u64)>> {
        let mut raised: Vec<(u64, u64)> = Vec::with_capacity(self.probes.probes() as usize);
        let mut amounts = self.amounts(key);
        self.probes.each(key, |cell| {
            let amount = amounts.draw();
            match raised.iter_mut().find(|(other, _)| *other == cell) {
                Some((_, both)) => *both = self.rule.add(*both, amount),
                None => raised.push((cell, amount)),
            }
        });
        for (cell, value) in &mut raised {
            *value = self.rule.subtract(self.cells.get(*cell), *value)?;
        }
        Some(raised)
    }
}

impl Filter for VariableIncrement {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        let mut amounts = self.amounts(key);
        self.probes
            .all(key, |cell| self.rule.subtract(self.cells.get(cell), amounts.draw()).is_some())
    }

    fn profile(&self) -> Profile {
        let (cells, probes) = (self.probes.cells(), self.probes.probes());
        let (mut occupied, mut stuck, mut passed) = (0, 0, 0.0);
        for value in (0..cells).map(|cell| self.cells.get(cell)).filter(|value| *value > 0) {
            occupied += 1;
            stuck += u64::from(self.rule.is_stuck(value));
            passed += self.rule.passed(value);
        }
        let bits = cells * u64::from(self.rule.cell_bits());
        let items = estimate::classic(cells, probes, occupied);
        let fpr_now = (passed / cells as f64).powi(probes.cast_signed());
        Profile {
            items: Some(items),
            fpr_now,
            fill: occupied as f64 / cells as f64,
            // A repeated key counts as several, so only the rate shows it.
            crowded: self.about.target.is_some_and(|t| fpr_now > highest_rate(items, t.fpr())),
            stuck,
            ..self.about.profile(Kind::VariableIncrement, bits, probes)
        }
    }
}

impl Insert for VariableIncrement {
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        let new = !self.contains_hash(key);
        let mut amounts = self.amounts(key);
        self.about.count(1);
        self.probes.each(key, |cell| {
            let raised = self.rule.add(self.cells.get(cell), amounts.draw());
            self.cells.set(cell, raised);
        });
        Ok(new)
    }
}

impl Inspect for VariableIncrement {
    fn rows(&self) -> Vec<Row<'_>> {
        vec![Row::new("counters", View::packed(&self.cells))]
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        view::spread(0, self.probes, key)
    }
}

impl Remove for VariableIncrement {
    fn remove_hash(&mut self, key: KeyHash) -> Result<bool, RemoveError> {
        let Some(without) = self.without(key) else { return Ok(false) };
        if without.iter().all(|(_, value)| self.rule.is_stuck(*value)) {
            let (kind, most) = (Kind::VariableIncrement, self.rule.most());
            return Err(RemoveError::Stuck { kind, most });
        }
        without.iter().for_each(|(cell, value)| self.cells.set(*cell, *value));
        Ok(true)
    }
}

impl Merge for VariableIncrement {
    fn merge(&mut self, other: &VariableIncrement) -> Result<(), Mismatch> {
        self.about.check_alike(&other.about)?;
        cells::check_same(self.probes, other.probes)?;
        if self.rule.increments != other.rule.increments {
            return Err(Mismatch::Option { name: "increments" });
        }
        if self.rule.counter_bits != other.rule.counter_bits {
            return Err(Mismatch::Option { name: "counter-bits" });
        }
        self.cells.try_own()?;
        for cell in 0..self.probes.cells() {
            let both = self.rule.add(self.cells.get(cell), other.cells.get(cell));
            self.cells.set(cell, both);
        }
        self.about.take_in(&other.about);
        Ok(())
    }
}

fn size(target: Target, rule: Rule) -> Result<Size, SizeError> {
    let (kind, items, got) = (Kind::VariableIncrement, target.items(), target.fpr());
    let least = bound::hash_floor(items);
    let size = Refusal::of(rule.increments).size(items, got);
    let size = size.ok_or(SizeError::Fpr { kind, got, least })?;
    cells::check_bits(kind, size.cells, rule.cell_bits())?;
    Ok(size)
}

impl Planned for VariableIncrement {
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        let rule = Rule::from_options(options)?;
        let size = size(target, rule)?;
        let fpr = Refusal::of(rule.increments).rate(size.cells, target.items(), size.probes);
        Ok(Plan::new(size.cells * u64::from(rule.cell_bits()), size.probes, fpr))
    }
}

impl ForTarget for VariableIncrement {
    fn with_options(
        target: Target,
        options: &Options,
        seed: Seed,
    ) -> Result<VariableIncrement, SizeError> {
        let rule = Rule::from_options(options)?;
        VariableIncrement::sized(size(target, rule)?, rule, seed, Some(target))
    }
}

impl Stored for VariableIncrement {
    const KIND: Kind = Kind::VariableIncrement;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        cells::describe(self.probes, sheet);
        let (form, size) = match self.rule.increments {
            Increments::Interval(l) => (0, l),
            Increments::Sums(h) => (1, h),
        };
        sheet.field("increments.form", form);
        sheet.field("increments.size", u64::from(size));
        sheet.field("counter.bits", u64::from(self.rule.counter_bits));
        sheet.words("cells", self.cells.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<VariableIncrement, LoadError> {
        let increments = match parts.small("increments.form", 0..=1)? {
            0 => Increments::Interval(parts.small("increments.size", 2..=16)?),
            _ => Increments::Sums(parts.small("increments.size", 2..=3)?),
        };
        let least = Rule::widths(increments).0;
        let counter_bits = parts.small("counter.bits", least..=Rule::MAX_COUNTER_BITS)?;
        let rule = Rule { increments, counter_bits };
        let probes = cells::restore(parts, rule.cell_bits())?;
        let cells = Packed::from_words(parts.words("cells")?, probes.cells(), rule.cell_bits())
            .ok_or(LoadError::Section { name: "cells" })?;
        Ok(VariableIncrement { probes, rule, cells, about })
    }
}

super::methods_by_key!(VariableIncrement, about);
super::inserts_by_key!(VariableIncrement);
super::removes!(VariableIncrement);
super::merges!(VariableIncrement);

#[cfg(test)]
mod tests;
