//! Any two or three of items, rate, bits and probes; the rest is computed.
//!
//! Forwards a kind's own plan has the answer. Backwards, from bits to items or to the rate, there is
//! one search for all kinds: over what [`Kind::plan`] says, which sees whole lines, powers of two
//! and counters as they are, where a formula of the literature would not.

use crate::error::{SizeError, SolveError};
use crate::kind::Kind;
use crate::options::Options;
use crate::parts::probes::Spread;
use crate::sizing::{bound, first};
use crate::target::{Plan, Shape, Target};
use std::iter::successors;

/// What is known of a filter that is to be made.
///
/// | known | computed |
/// |---|---|
/// | items, rate | bits and probes |
/// | items, bits | the least rate, and probes |
/// | rate, bits | the most items, and probes |
/// | two of these, and probes | the third |
/// | items, rate and bits | the fewest probes |
///
/// Probes are a choice only of kinds that are made from a [`Shape`].
///
/// ```
/// use anther::plan::Known;
/// use anther::{Kind, Options};
///
/// let known = Known { items: Some(1_000_000), fpr: Some(0.01), ..Known::default() };
/// let solved = known.solve(Kind::Classic, &Options::new())?;
/// assert_eq!((solved.plan.bits, solved.plan.probes), (9_592_957, 7));
///
/// // How many fit in 64 MiB?
/// let known = Known { bits: Some(8 * (64 << 20)), fpr: Some(0.01), ..Known::default() };
/// let solved = known.solve(Kind::Cuckoo, &Options::new())?;
/// assert!(solved.target.items() > 50_000_000 && solved.plan.bits <= 8 * (64 << 20));
/// # Ok::<(), anther::error::SolveError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    /// How many distinct items.
    pub items: Option<u64>,
    /// The highest false-positive rate.
    pub fpr: Option<f64>,
    /// The most bits in memory.
    pub bits: Option<u64>,
    /// Probes per key.
    pub probes: Option<u32>,
}

/// A filter that is as [`Known`] says.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solved {
    /// Items and rate to make it for.
    pub target: Target,
    /// What it then has.
    pub plan: Plan,
}

/// The steps of the search for a rate, and for items; see [`best_within`].
const RATE_STEP: f64 = 1.2;
const ITEMS_STEP: f64 = 1.05;
/// Above this rate there is nothing to plan.
const MAX_FPR: f64 = 1.0 - 1e-6;

impl Known {
    /// The filter of a kind, with options of the kind.
    pub fn solve(&self, kind: Kind, options: &Options) -> Result<Solved, SolveError> {
        options.check(kind)?;
        if let Some(items) = self.items {
            Target::new(items, 0.5).map_err(SizeError::from)?;
        }
        if let Some(fpr) = self.fpr {
            Target::new(1, fpr).map_err(SizeError::from)?;
        }
        match (self.items, self.fpr, self.bits, self.probes) {
            (Some(items), Some(fpr), None, None) => planned(kind, items, fpr, options),
            (Some(items), None, Some(bits), None) => least_rate(kind, items, bits, options),
            (None, Some(fpr), Some(bits), None) => most_items(kind, fpr, bits, options),
            (Some(_), Some(_), Some(_), Some(_)) => Err(SolveError::TooMany { kind }),
            (Some(_), Some(_), Some(_), None) if !kind.capabilities().shape => {
                Err(SolveError::TooMany { kind })
            }
            (None, None, ..) | (None, _, None, _) | (_, None, None, _) => Err(SolveError::TooFew),
            _ if *options != Options::default() => Err(SolveError::ProbesAndOptions { kind }),
            _ => self.shaped(kind),
        }
    }

    /// For requests that give or ask for the probes.
    fn shaped(&self, kind: Kind) -> Result<Solved, SolveError> {
        if let Some(fpr) = self.fpr {
            // What no probes can reach.
            let target = Target::new(self.items.unwrap_or(1), fpr).map_err(SizeError::from)?;
            if let Err(error @ SizeError::Fpr { .. }) = kind.plan(target, &Options::default()) {
                return Err(error.into());
            }
        }
        match (self.items, self.fpr, self.bits, self.probes) {
            (Some(items), Some(fpr), None, Some(probes)) => fewest_bits(kind, items, fpr, probes),
            (None, Some(fpr), Some(bits), Some(probes)) => fill(kind, fpr, bits, probes),
            (Some(items), None, Some(bits), Some(probes)) => {
                let plan = within(kind, bits, probes, items)?;
                if plan.fpr >= 1.0 {
                    return Err(SolveError::Saturated { kind, items, bits });
                }
                solved(items, plan.fpr.max(Target::MIN_FPR), plan)
            }
            (Some(items), Some(fpr), Some(bits), None) => fewest_probes(kind, items, fpr, bits),
            _ => Err(SolveError::TooFew),
        }
    }
}

fn solved(items: u64, fpr: f64, plan: Plan) -> Result<Solved, SolveError> {
    Ok(Solved { target: Target::new(items, fpr).map_err(SizeError::from)?, plan })
}

fn planned(kind: Kind, items: u64, fpr: f64, options: &Options) -> Result<Solved, SolveError> {
    let target = Target::new(items, fpr).map_err(SizeError::from)?;
    Ok(Solved { target, plan: kind.plan(target, options)? })
}

/// The bits of a target, if it has a plan.
fn bits_of(kind: Kind, items: u64, fpr: f64, options: &Options) -> Result<u64, SolveError> {
    Ok(planned(kind, items, fpr, options)?.plan.bits)
}

/// Searches upwards from the lowest rate that any filter of this size can have.
fn least_rate(kind: Kind, items: u64, bits: u64, options: &Options) -> Result<Solved, SolveError> {
    // Numbers that are not negative are in the order of their bits.
    let taken = |fpr| bits_of(kind, items, f64::from_bits(fpr), options).unwrap_or(u64::MAX);
    let bound = (-(bits as f64) / items as f64).exp2().clamp(Target::MIN_FPR, MAX_FPR);
    let next = |fpr: &f64| (*fpr < MAX_FPR).then(|| (fpr * RATE_STEP).min(MAX_FPR));
    let steps = successors(Some(bound), next).map(f64::to_bits);
    match best_within(steps, taken, bits) {
        Some(fpr) => planned(kind, items, f64::from_bits(fpr), options),
        None => {
            // Of all rates the highest says why, and takes the fewest bits.
            let least = bits_of(kind, items, MAX_FPR, options)?;
            Err(SolveError::NoRate { kind, items, bits, least })
        }
    }
}

/// Searches downwards from the most items that any filter of this size can hold.
fn most_items(kind: Kind, fpr: f64, bits: u64, options: &Options) -> Result<Solved, SolveError> {
    // By how many items fewer than can be, since fewer take less.
    let items = |fewer: u64| Target::MAX_ITEMS - fewer;
    let taken = |fewer| bits_of(kind, items(fewer), fpr, options).unwrap_or(u64::MAX);
    let bound = whole(bits as f64 / bound::lower_bound_bits(1, fpr)).saturating_add(1);
    let bound = bound.min(Target::MAX_ITEMS);
    let next =
        |items: &u64| (*items > 1).then(|| whole(*items as f64 / ITEMS_STEP).clamp(1, items - 1));
    let steps = successors(Some(bound), next).map(|items| Target::MAX_ITEMS - items);
    match best_within(steps, taken, bits) {
        Some(fewer) => planned(kind, items(fewer), fpr, options),
        None => {
            let least = bits_of(kind, 1, fpr, options)?;
            Err(SolveError::NoItem { kind, fpr, bits, least })
        }
    }
}

/// The least x that takes no more than the budget, from the first step on.
///
/// What is taken falls with x, for most kinds; then any steps find the same. For some it rises here
/// and there: `compressed` takes four times the memory where a probe fewer pays, `scalable` a third
/// more where its layers become blocked, `floom` and `ribbon` some per cent where sizes round.
/// Between two steps it may fall and then rise again, beyond where it began: just before that
/// rise it is least, so there we look, too.
fn best_within(
    steps: impl Iterator<Item = u64>,
    taken: impl Fn(u64) -> u64,
    budget: u64,
) -> Option<u64> {
    let fits = |x| taken(x) <= budget;
    let (mut before, mut most) = (0, u64::MAX);
    for step in steps {
        let now = taken(step);
        // A step does not halve what is taken, so what is far above the budget stays there.
        let near = now > most && most / 2 <= budget;
        let rise = near.then(|| first(before + 1, step, |x| taken(x) > most));
        let end = rise.flatten().map_or(step, |rise| rise - 1);
        if fits(end) {
            return first(before + 1, end, fits).or(Some(end));
        }
        (before, most) = (step, now);
    }
    None
}

/// The fewest bits for a given number of probes.
fn fewest_bits(kind: Kind, items: u64, fpr: f64, probes: u32) -> Result<Solved, SolveError> {
    let plan = |bits| kind.plan_shape(Shape::bits(bits).probes(probes), items);
    let mut enough = 1;
    while plan(enough).map(|plan| plan.fpr > fpr)? {
        let twice = enough * 2;
        enough = match plan(twice) {
            // Not beyond the largest, but up to it.
            Err(SizeError::TooLarge { most, .. }) if enough < most => most,
            _ => twice,
        };
    }
    let holds = |bits| plan(bits).is_ok_and(|plan| plan.fpr <= fpr);
    let fewest = first(enough / 2 + 1, enough, holds).unwrap_or(enough);
    solved(items, fpr, plan(fewest)?)
}

/// The most items for a given size and number of probes.
fn fill(kind: Kind, fpr: f64, bits: u64, probes: u32) -> Result<Solved, SolveError> {
    if within(kind, bits, probes, 1)?.fpr > fpr {
        let least = fewest_bits(kind, 1, fpr, probes)?.plan.bits;
        return Err(SolveError::NoItem { kind, fpr, bits, least });
    }
    // No filter holds 64 times as many items as bits: its rate would be 1 to the last digit.
    let most = bits.saturating_mul(64).clamp(1, Target::MAX_ITEMS);
    let too_many = |items| within(kind, bits, probes, items).is_ok_and(|plan| plan.fpr > fpr);
    let items = first(2, most, too_many).map_or(most, |beyond| beyond - 1);
    solved(items, fpr, within(kind, bits, probes, items)?)
}

/// The fewest probes with which this size suffices.
fn fewest_probes(kind: Kind, items: u64, fpr: f64, bits: u64) -> Result<Solved, SolveError> {
    for probes in 1..=Spread::MAX_PROBES {
        match within(kind, bits, probes, items) {
            Ok(plan) if plan.fpr <= fpr => return solved(items, fpr, plan),
            // A number that the kind does not have.
            Ok(_) | Err(SizeError::Probes { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let least = bits_of(kind, items, fpr, &Options::default())?;
    Err(SolveError::NoRoom { kind, items, fpr, bits, least })
}

/// The plan for at most this many bits; kinds with lines or blocks round down.
fn within(kind: Kind, bits: u64, probes: u32, items: u64) -> Result<Plan, SizeError> {
    let plan = kind.plan_shape(Shape::bits(bits).probes(probes), items)?;
    if plan.bits <= bits {
        return Ok(plan);
    }
    kind.plan_shape(Shape::memory(bits / 8).probes(probes), items)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, and `as` stops at the largest"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::{blocked, bloom};

    fn known(
        items: Option<u64>,
        fpr: Option<f64>,
        bits: Option<u64>,
        probes: Option<u32>,
    ) -> Known {
        Known { items, fpr, bits, probes }
    }

    /// There and back, in every kind: the bits of a target hold at least its items and give at
    /// most its rate; and what is found takes no more than those bits, while a little more would.
    #[test]
    fn backwards_agrees_with_forwards() {
        let options = Options::new();
        for &kind in Kind::ALL {
            for (items, fpr) in [(10, 0.3), (20_000, 0.02), (3_000_000, 0.001)] {
                let there = planned(kind, items, fpr, &options).unwrap().plan;
                let what = format!("{kind}, {items} at {fpr}: {there:?}");

                let rate = known(Some(items), None, Some(there.bits), None).solve(kind, &options);
                let rate = rate.unwrap();
                assert!(rate.target.fpr() <= fpr && rate.plan.fpr <= fpr, "{what}: {rate:?}");
                assert!(rate.plan.bits <= there.bits, "{what}: {rate:?}");
                let less = rate.target.fpr() * (1.0 - 1e-9);
                if let Ok(bits) = bits_of(kind, items, less, &options) {
                    assert!(bits > there.bits || kind == Kind::Generalized, "{what}: {rate:?}");
                }

                let most = known(None, Some(fpr), Some(there.bits), None).solve(kind, &options);
                let most = most.unwrap();
                assert!(most.target.items() >= items, "{what}: {most:?}");
                assert!(most.plan.bits <= there.bits && most.plan.fpr <= fpr, "{what}: {most:?}");
                let bits = bits_of(kind, most.target.items() + 1, fpr, &options).unwrap();
                assert!(bits > there.bits, "{what}: {most:?}");
            }
        }
    }

    /// Shapes, against the formulas of their kinds.
    #[test]
    fn probes_may_be_chosen() {
        let options = Options::new();
        for (n, p, k) in [(1000, 0.01, 3), (58_110, 0.01, 7), (1_000_000, 1e-3, 4)] {
            let bits =
                known(Some(n), Some(p), None, Some(k)).solve(Kind::Classic, &options).unwrap();
            assert_eq!(Some(bits.plan.bits), bloom::bits_for(n, p, k, 1 << 46));
            assert_eq!(bits.plan.probes, k);
            let bits =
                known(Some(n), Some(p), None, Some(k)).solve(Kind::Blocked, &options).unwrap();
            assert_eq!(Some(bits.plan.bits / 512), blocked::lines_for(n, p, k, 1 << 37));

            // 700 bits are one line and a part of one.
            let (m, lines) = (10 * n + 700, (10 * n + 700) / 512);
            let most =
                known(None, Some(p), Some(m), Some(k)).solve(Kind::Classic, &options).unwrap();
            assert_eq!(most.target.items(), bloom::capacity(m, k, p));
            let most =
                known(None, Some(p), Some(m), Some(k)).solve(Kind::Blocked, &options).unwrap();
            assert_eq!(most.target.items(), blocked::line_capacity(lines, k, p));
            assert_eq!(most.plan.bits, 512 * lines);

            let rate =
                known(Some(n), None, Some(m), Some(k)).solve(Kind::Classic, &options).unwrap();
            assert_eq!(rate.plan.fpr, bloom::rate(m, n, k));
            let rate =
                known(Some(n), None, Some(m), Some(k)).solve(Kind::Blocked, &options).unwrap();
            assert_eq!(rate.plan.fpr, blocked::line_rate(lines, n, k));
        }
        // Twice the bits need fewer probes.
        let fewest = known(Some(1000), Some(0.01), Some(20_000), None);
        let fewest = fewest.solve(Kind::Classic, &options).unwrap().plan.probes;
        assert_eq!(fewest, 2);
        assert!(bloom::rate(20_000, 1000, 1) > 0.01 && bloom::rate(20_000, 1000, 2) <= 0.01);
        let fewest = known(Some(1000), Some(0.01), Some(20_000), None);
        assert_eq!(fewest.solve(Kind::Split, &options).unwrap().plan.probes, 8);
    }

    #[test]
    fn what_gives_no_filter_says_why() {
        let options = Options::new();
        let (n, p, m, k) = (Some(1000), Some(0.01), Some(10_000), Some(7));
        let fails = |known: Known, kind| known.solve(kind, &options).unwrap_err().to_string();
        for few in [
            known(None, None, None, None),
            known(n, None, None, None),
            known(n, None, None, k),
            known(None, p, None, k),
            known(None, None, m, k),
        ] {
            assert!(
                fails(few, Kind::Classic)
                    .starts_with("give two of items, false-positive rate and bits")
            );
        }
        for (known, kind, says) in [
            (
                known(n, p, m, k),
                Kind::Classic,
                "items, false-positive rate, bits and probes are one too many",
            ),
            (
                known(n, p, m, None),
                Kind::Cuckoo,
                "items, false-positive rate and bits are one too many for cuckoo",
            ),
            (
                known(n, p, None, k),
                Kind::Cuckoo,
                "cuckoo chooses its number of probes itself; classic, bl",
            ),
            (
                known(n, p, None, k),
                Kind::Split,
                "split cannot have 7 probes per key; it always has 8",
            ),
            (known(n, p, None, Some(0)), Kind::Classic, "classic cannot have 0 probes per key"),
            (known(n, p, None, Some(17)), Kind::Blocked, "it can have 1 to 16"),
            (
                known(n, None, Some(0), None),
                Kind::Classic,
                "classic cannot hold 1000 items in 0 bi",
            ),
            (known(n, None, Some(511), k), Kind::Blocked, "blocked cannot have 504 bits; it needs"),
            (known(n, None, Some(1), k), Kind::Classic, "answers maybe to everything"),
            (known(n, None, Some(900), None), Kind::Cuckoo, "cuckoo cannot hold 1000 items in 900"),
            (
                known(None, p, Some(4), None),
                Kind::Classic,
                "holds no item at a false-positive rate of 0.01 in 4 b",
            ),
            (
                known(None, p, Some(4), k),
                Kind::Classic,
                "holds no item at a false-positive rate of 0.01 in 4 bits",
            ),
            (
                known(n, p, Some(9000), None),
                Kind::Classic,
                "at a false-positive rate of 0.01 in 9000 bits; it needs 9",
            ),
            (known(Some(0), p, None, None), Kind::Classic, "0 items are not possible"),
            (known(n, Some(1.0), None, None), Kind::Classic, "rate of 1.0 is not possible"),
            (known(n, Some(1e-9), None, k), Kind::Blocked, "blocked cannot reach a false-positive"),
            (
                known(n, Some(1e-14), None, Some(1)),
                Kind::Classic,
                "classic cannot have 1407374883553",
            ),
            (known(n, Some(1e-17), None, Some(1)), Kind::Classic, "its lowest is 5.42"),
        ] {
            let said = fails(known, kind);
            assert!(said.contains(says), "{says:?} is not in {said:?}");
        }
        let both = known(n, p, None, k).solve(Kind::Compressed, &options.expansion(3.0));
        assert_eq!(both, Err(SolveError::ProbesAndOptions { kind: Kind::Compressed }));
    }
}
