//! What was measured beside what was promised, and whether that holds.

use super::ask::Outcomes;
use crate::units;
use anther::sizing::binomial::{self, Interval};
use anther::{AnyFilter, Profile};
use serde::Serialize;
use std::path::Path;

/// What was asked, and what the answers were.
pub struct Measured {
    /// Of the keys that are in, where they are known.
    pub members: Option<Outcomes>,
    /// Of the test values, where there are any.
    pub tests: Option<Tests>,
    /// Of the intervals.
    pub confidence: f64,
}

/// Answers to test values.
pub struct Tests {
    /// Among the test values, members are tested too, and not set aside.
    pub mixed: bool,
    /// How many answers there were of each sort.
    pub outcomes: Outcomes,
}

/// The report. The names of its fields are API: tests hold them.
#[derive(Debug, Serialize)]
pub struct Report {
    file: String,
    kind: &'static str,
    /// Distinct keys that are in and were asked; null where none were given.
    members: Option<u64>,
    false_negatives: Option<u64>,
    misses_measured: Option<f64>,
    misses_low: Option<f64>,
    misses_high: Option<f64>,
    /// The share of members that it may forget: 0 but for kinds that are made to. Null where they
    /// promise nothing of so many members.
    misses_promised: Option<f64>,
    /// Distinct keys that were asked to see how often the filter is wrong.
    test_values: Option<u64>,
    /// Those of them that are not in.
    absent: Option<u64>,
    false_positives: Option<u64>,
    /// Keys that were said to be absent and are members: they were not counted.
    set_aside: u64,
    /// All four outcomes, of a list of members and others.
    probe: Option<Outcomes>,
    fpr_measured: Option<f64>,
    fpr_low: Option<f64>,
    fpr_high: Option<f64>,
    confidence: f64,
    /// What it was made for; what its cells say where it was made from a shape.
    fpr_promised: f64,
    /// Which of both: target or cells.
    promise: &'static str,
    /// The promise, or the rate now where that is higher by chance.
    fpr_allowed: f64,
    fpr_now: f64,
    /// The share of test values that were answered rightly, in per cent.
    reliability: Option<f64>,
    /// The share of members among the keys that were answered maybe, in per cent; null unless the
    /// list has both, since it depends on how many of each there are.
    precision: Option<f64>,
    probes: u32,
    items: Option<u64>,
    items_target: Option<u64>,
    overfull: bool,
    verdict: Verdict,
}

/// Whether the promise was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing that was measured speaks against it.
    Holds,
    /// It was not, or chance would have to be as rare as the confidence says.
    Broken,
}

impl Report {
    /// Judges what was measured.
    pub fn new(
        path: &Path,
        filter: &AnyFilter,
        profile: &Profile,
        measured: &Measured,
        set_aside: u64,
    ) -> Report {
        let confidence = measured.confidence;
        let rate = |events: u64, trials: u64| {
            let interval = binomial::interval(events, trials, confidence)?;
            Some((events as f64 / trials as f64, interval))
        };
        let members = measured.members;
        let outcomes = measured.tests.as_ref().map(|tests| tests.outcomes);
        let tested = |tests: &Tests| match tests.mixed {
            true => tests.outcomes.present() + tests.outcomes.absent(),
            false => tests.outcomes.absent(),
        };
        let test_values = measured.tests.as_ref().map(tested);
        let misses = members.and_then(|all| rate(all.false_negatives, all.present()));
        let fpr = outcomes.and_then(|all| rate(all.false_positives, all.absent()));
        let (fpr_allowed, misses_promised) =
            (profile.fpr_allowed(), promised_misses(filter, profile, members));
        let beyond = |measured: Option<(f64, Interval)>, promised: Option<f64>| {
            measured.zip(promised).is_some_and(|((_, at), promised)| at.low > promised)
        };
        let broken = beyond(misses, misses_promised) || beyond(fpr, Some(fpr_allowed));
        let mixed = measured.tests.as_ref().filter(|tests| tests.mixed);
        Report {
            file: path.to_string_lossy().into_owned(),
            kind: profile.kind.name(),
            members: members.map(|all| all.present()),
            false_negatives: members.map(|all| all.false_negatives),
            misses_measured: misses.map(|(rate, _)| rate),
            misses_low: misses.map(|(_, interval)| interval.low),
            misses_high: misses.map(|(_, interval)| interval.high),
            misses_promised,
            test_values,
            absent: outcomes.map(|all| all.absent()),
            false_positives: outcomes.map(|all| all.false_positives),
            set_aside,
            probe: mixed.map(|tests| tests.outcomes),
            fpr_measured: fpr.map(|(rate, _)| rate),
            fpr_low: fpr.map(|(_, interval)| interval.low),
            fpr_high: fpr.map(|(_, interval)| interval.high),
            confidence,
            fpr_promised: profile.target.map_or(profile.fpr_now, |target| target.fpr()),
            promise: if profile.target.is_some() { "target" } else { "cells" },
            fpr_allowed,
            fpr_now: profile.fpr_now,
            reliability: outcomes.zip(test_values).map(|(all, tested)| {
                // Of a list that is not mixed, members count for nothing.
                let missed = mixed.map_or(0, |tests| tests.outcomes.false_negatives);
                100.0 * (tested - all.false_positives - missed) as f64 / tested as f64
            }),
            precision: mixed
                .and_then(|tests| tests.outcomes.precision())
                .map(|share| 100.0 * share),
            probes: profile.probes,
            items: profile.items.map(|items| units::whole(items.items)),
            items_target: profile.target.map(|target| target.items()),
            overfull: profile.is_overfull(),
            verdict: if broken { Verdict::Broken } else { Verdict::Holds },
        }
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// How many test values show something, where there were too few to.
    pub fn wanted_test_values(&self) -> Option<u64> {
        let absent = self.absent? as f64;
        let few = self.fpr_allowed > 0.0 && absent * self.fpr_allowed < 5.0;
        (few && self.verdict == Verdict::Holds).then(|| units::whole(100.0 / self.fpr_allowed))
    }

    /// How many test values there were.
    pub fn absent(&self) -> u64 {
        self.absent.unwrap_or(0)
    }

    /// A table of names and words.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        if let (Some(members), Some(missed)) = (self.members, self.false_negatives) {
            rows.push(("words", units::count(members)));
            rows.push(("false negatives", self.missed_in_words(missed)));
        }
        rows.push(("wanted rate", self.promise_in_words()));
        rows.push(("rate by cells", self.cells_in_words()));
        rows.push(("hash functions", self.probes.to_string()));
        if let (Some(tested), Some(wrong)) = (self.test_values, self.false_positives) {
            let mut values = units::count(tested);
            if let Some(probe) = self.probe {
                let (present, absent) = (units::count(probe.present()), probe.absent());
                values += &format!(": {present} members and {} others", units::count(absent));
            }
            rows.push(("test values", values));
            rows.push(("false positives", units::count(wrong)));
        }
        if let (Some(rate), Some(low), Some(high)) =
            (self.fpr_measured, self.fpr_low, self.fpr_high)
        {
            let ends = self.between(low, high);
            rows.push(("measured rate", format!("{}, {ends}", units::rate(rate))));
        }
        if let Some(reliability) = self.reliability {
            rows.push(("reliability", per_cent(reliability)));
        }
        if let (Some(precision), Some(probe)) = (self.precision, self.probe) {
            let (members, all) = (units::count(probe.true_positives), probe.positives());
            let words = format!("{members} of the {} positives are members", units::count(all));
            rows.push(("precision", format!("{}: {words}", per_cent(precision))));
        }
        rows.push(("verdict", self.verdict_in_words()));
        rows
    }

    fn between(&self, low: f64, high: f64) -> String {
        let (low, high) = (units::rate(low), units::rate(high));
        let confidence = per_cent(100.0 * self.confidence);
        format!("between {low} and {high} (Clopper-Pearson, {confidence})")
    }

    fn missed_in_words(&self, missed: u64) -> String {
        let mut words = units::count(missed);
        // A kind that never forgets has nothing to explain.
        let (Some(share), Some(low), Some(high), true) =
            (self.misses_measured, self.misses_low, self.misses_high, self.may_forget())
        else {
            return words;
        };
        words += &format!(": {} forgotten, {}", units::rate(share), self.between(low, high));
        words
            + &match self.misses_promised {
                Some(promised) => format!("; at most {} promised", units::rate(promised)),
                None => "; nothing is promised of so many keys".to_string(),
            }
    }

    fn may_forget(&self) -> bool {
        self.misses_promised != Some(0.0)
    }

    fn promise_in_words(&self) -> String {
        match self.items_target {
            Some(_) => units::rate(self.fpr_promised),
            None => "none, it was made from a shape; that of its cells counts".to_string(),
        }
    }

    /// What the cells say, and what that means for the promise.
    fn cells_in_words(&self) -> String {
        let now = units::rate(self.fpr_now);
        match (self.items_target, self.items) {
            (Some(target), Some(items)) if self.overfull && items > target => {
                let (items, target) = (units::count(items), units::count(target));
                format!("{now} now; it holds about {items} keys and was made for {target}")
            }
            (Some(target), _) if self.overfull => {
                format!(
                    "{now} now; it holds more than the {} keys it was made for",
                    units::count(target)
                )
            }
            _ if self.fpr_allowed > self.fpr_promised => {
                format!("{now} now; above the promise by chance, which is allowed")
            }
            _ => format!("{now} now"),
        }
    }

    fn verdict_in_words(&self) -> String {
        if self.verdict == Verdict::Holds {
            return "holds".to_string();
        }
        let mut reasons = Vec::new();
        if let (Some(low), Some(promised)) = (self.misses_low, self.misses_promised)
            && low > promised
        {
            reasons.push(match (promised, self.false_negatives) {
                (0.0, Some(1)) => "a word that is in is answered no".to_string(),
                (0.0, Some(missed)) => {
                    format!("{} words that are in are answered no", units::count(missed))
                }
                _ => format!("it forgets more than {}", units::rate(promised)),
            });
        }
        if self.fpr_low.is_some_and(|low| low > self.fpr_allowed) {
            let allowed = units::rate(self.fpr_allowed);
            reasons.push(format!("the rate is above {allowed} by more than chance"));
        }
        format!("broken: {}", reasons.join("; "))
    }
}

/// The share of its members that a filter may forget. Kinds that are made to forget promise it for
/// keys as old as those that they were made for, and younger ones are forgotten less. So the latest
/// so many keys of a stream are judged by it, and of longer lists nothing is promised.
fn promised_misses(
    filter: &AnyFilter,
    profile: &Profile,
    members: Option<Outcomes>,
) -> Option<f64> {
    if !profile.may_forget() {
        return Some(0.0);
    }
    let items = profile.target?.items();
    match filter {
        AnyFilter::Stable(filter) if members.is_none_or(|all| all.present() <= items) => {
            Some(filter.chain().misses(items))
        }
        AnyFilter::Generalized(filter) => Some(filter.rule().misses(items - 1)),
        _ => None,
    }
}

/// `99.03 %`: four decimals, and as many as it takes where that would read as 100.
fn per_cent(number: f64) -> String {
    let decimals = (4..16).find(|decimals| {
        let text = format!("{number:.decimals$}");
        number == 100.0 || !text.starts_with("100")
    });
    let text = format!("{number:.*}", decimals.unwrap_or(16));
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::per_cent;

    #[test]
    fn only_all_is_a_hundred_per_cent() {
        for (number, text) in [
            (100.0, "100 %"),
            (99.03, "99.03 %"),
            (99.590_862_598_022_5, "99.5909 %"),
            (99.999_999_9, "99.9999999 %"),
            (0.0, "0 %"),
            (50.0, "50 %"),
        ] {
            assert_eq!(per_cent(number), text);
        }
    }
}
