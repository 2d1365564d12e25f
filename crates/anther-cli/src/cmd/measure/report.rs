//! The measured errors, the target, and the verdict.

use super::judge::Outcomes;
use crate::units;
use anther::foreign::Info;
use anther::sizing::binomial::{self, Interval};
use anther::{AnyFilter, Profile};
use serde::Serialize;
use std::path::Path;

/// The lookups and their answers.
pub struct Measured {
    /// Of the members, if they are known.
    pub members: Option<Outcomes>,
    /// Of the test keys, if there are any.
    pub tests: Option<Tests>,
    /// The confidence of the intervals.
    pub confidence: f64,
}

/// Answers for test keys.
pub struct Tests {
    /// Whether the test keys are a mixed list, whose members count too.
    pub mixed: bool,
    /// The answers.
    pub outcomes: Outcomes,
}

/// What a filter promises, and what its cells say.
pub struct Promise {
    kind: Option<&'static str>,
    system: Option<&'static str>,
    fpr_target: Option<f64>,
    fpr_now: f64,
    /// The target, or the rate computed from the cells if that is higher by chance.
    fpr_allowed: f64,
    /// The share of its members that it may forget.
    misses: Option<f64>,
    probes: u32,
    items: Option<u64>,
    items_target: Option<u64>,
    saturated: bool,
    overfull: bool,
}

impl Promise {
    /// Of one of our filters.
    pub fn own(filter: &AnyFilter, profile: &Profile, members: Option<Outcomes>) -> Promise {
        Promise {
            kind: Some(profile.kind.name()),
            system: None,
            fpr_target: profile.target.map(|target| target.fpr()),
            fpr_now: profile.fpr_now,
            fpr_allowed: profile.fpr_allowed(),
            misses: promised_misses(filter, profile, members),
            probes: profile.probes,
            items: profile.keys().map(units::whole),
            items_target: profile.target.map(|target| target.items()),
            saturated: profile.holds_at_least(),
            overfull: profile.is_overfull(),
        }
    }

    /// Of another system's filter.
    pub fn foreign(info: &Info, overfull: bool) -> Promise {
        // These systems make all probes from two hashes. The few keys whose probes fall together
        // are false positives more often: 1.3 / bits of all, 14 % of the FPR at 1,000 bits.
        let by_cells = info.fpr * 1.05 + 2.0 / info.bits.max(1) as f64;
        let fpr_allowed = match info.target_fpr {
            Some(target) if overfull => target,
            Some(target) => target.max(by_cells),
            None => by_cells,
        };
        Promise {
            kind: None,
            system: Some(info.system.name()),
            fpr_target: info.target_fpr,
            fpr_now: info.fpr,
            fpr_allowed,
            misses: Some(0.0),
            probes: info.probes,
            items: info.inserted.or(info.items.map(|items| units::whole(items.items))),
            items_target: info.capacity,
            saturated: info.items.is_some_and(|items| items.saturated),
            overfull,
        }
    }
}

/// The report. The names of its fields are API; tests pin them.
#[derive(Debug, Serialize)]
pub struct Report {
    file: String,
    /// Null for filters of other systems.
    kind: Option<&'static str>,
    /// The system, if it is not one of ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<&'static str>,
    /// Distinct members that were looked up; null if none were given.
    members: Option<u64>,
    false_negatives: Option<u64>,
    misses_measured: Option<f64>,
    misses_low: Option<f64>,
    misses_high: Option<f64>,
    /// The share of members that it may forget: 0 except for kinds that forget. Null if they promise
    /// nothing for this many members.
    misses_promised: Option<f64>,
    /// Distinct test keys.
    test_values: Option<u64>,
    /// The absent keys among them.
    absent: Option<u64>,
    false_positives: Option<u64>,
    /// Members in the `--absent` list, which were not counted.
    set_aside: u64,
    /// All four outcomes of a mixed list.
    probe: Option<Outcomes>,
    fpr_measured: Option<f64>,
    fpr_low: Option<f64>,
    fpr_high: Option<f64>,
    confidence: f64,
    /// The target; if it was made from a shape, the rate computed from its cells.
    fpr_promised: f64,
    /// Which of the two: target or cells.
    promise: &'static str,
    /// The target, or the rate computed from the cells if that is higher by chance.
    fpr_allowed: f64,
    fpr_now: f64,
    /// The share of test keys that were answered correctly, in per cent.
    reliability: Option<f64>,
    /// The share of members among the keys that were answered maybe, in per cent; null unless the
    /// list has both, since it depends on how many of each there are.
    precision: Option<f64>,
    probes: u32,
    items: Option<u64>,
    items_target: Option<u64>,
    /// Whether it holds at least this many items.
    saturated: bool,
    overfull: bool,
    verdict: Verdict,
}

/// Whether the filter meets its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing measured contradicts it.
    Holds,
    /// It does not, at the given confidence.
    Broken,
}

impl Report {
    /// Judges the measurements.
    pub fn new(path: &Path, promise: &Promise, measured: &Measured, set_aside: u64) -> Report {
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
        let Promise { fpr_allowed, misses: misses_promised, .. } = *promise;
        let beyond = |measured: Option<(f64, Interval)>, promised: Option<f64>| {
            measured.zip(promised).is_some_and(|((_, at), promised)| at.low > promised)
        };
        let broken = beyond(misses, misses_promised) || beyond(fpr, Some(fpr_allowed));
        let mixed = measured.tests.as_ref().filter(|tests| tests.mixed);
        Report {
            file: path.to_string_lossy().into_owned(),
            kind: promise.kind,
            system: promise.system,
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
            fpr_promised: promise.fpr_target.unwrap_or(promise.fpr_now),
            promise: if promise.fpr_target.is_some() { "target" } else { "cells" },
            fpr_allowed,
            fpr_now: promise.fpr_now,
            reliability: outcomes.zip(test_values).map(|(all, tested)| {
                // In an --absent list, members do not count.
                let missed = mixed.map_or(0, |tests| tests.outcomes.false_negatives);
                100.0 * (tested - all.false_positives - missed) as f64 / tested as f64
            }),
            precision: mixed
                .and_then(|tests| tests.outcomes.precision())
                .map(|share| 100.0 * share),
            probes: promise.probes,
            items: promise.items,
            items_target: promise.items_target,
            saturated: promise.saturated,
            overfull: promise.overfull,
            verdict: if broken { Verdict::Broken } else { Verdict::Holds },
        }
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// How many test keys would be enough, if there were too few.
    pub fn wanted_test_keys(&self) -> Option<u64> {
        let absent = self.absent? as f64;
        let few = self.fpr_allowed > 0.0 && absent * self.fpr_allowed < 5.0;
        (few && self.verdict == Verdict::Holds).then(|| units::whole(100.0 / self.fpr_allowed))
    }

    /// How many of the members are missing, of how many, if they look like those of another filter:
    /// no damage makes a filter miss most of its keys.
    pub fn members_of_another(&self) -> Option<(u64, u64)> {
        let (missed, members) = self.false_negatives.zip(self.members)?;
        (!self.may_forget() && missed > members / 2).then_some((missed, members))
    }

    /// How many absent keys were tested.
    pub fn absent(&self) -> u64 {
        self.absent.unwrap_or(0)
    }

    /// The rows of the table: a name and a text each.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        if let (Some(members), Some(missed)) = (self.members, self.false_negatives) {
            rows.push(("keys", units::count(members)));
            rows.push(("false negatives", self.missed_in_words(missed)));
        }
        rows.push(("FPR target", self.target_in_words()));
        rows.push(("FPR by cells", self.cells_in_words()));
        rows.push(("probes", format!("{} per key", self.probes)));
        if let (Some(tested), Some(wrong)) = (self.test_values, self.false_positives) {
            let mut values = units::count(tested);
            if let Some(probe) = self.probe {
                let (present, absent) = (units::count(probe.present()), probe.absent());
                values += &format!(": {present} members and {} absent", units::count(absent));
            }
            rows.push(("test keys", values));
            rows.push(("false positives", units::count(wrong)));
        }
        if let (Some(rate), Some(low), Some(high)) =
            (self.fpr_measured, self.fpr_low, self.fpr_high)
        {
            let ends = self.between(low, high);
            rows.push(("FPR measured", format!("{}, {ends}", units::rate(rate))));
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
        // Other kinds never forget.
        let (Some(share), Some(low), Some(high), true) =
            (self.misses_measured, self.misses_low, self.misses_high, self.may_forget())
        else {
            return words;
        };
        words += &format!(": {} forgotten, {}", units::rate(share), self.between(low, high));
        words
            + &match self.misses_promised {
                Some(promised) => format!("; at most {} promised", units::rate(promised)),
                None => "; nothing is promised for this many keys".to_string(),
            }
    }

    fn may_forget(&self) -> bool {
        self.misses_promised != Some(0.0)
    }

    fn target_in_words(&self) -> String {
        match (self.promise, self.system) {
            ("target", _) => units::rate(self.fpr_promised),
            (_, Some(_)) => "none in its file; FPR by cells counts".to_string(),
            _ => "none (made from bits and probes); FPR by cells counts".to_string(),
        }
    }

    /// The rate computed from the cells, and what that means for the target.
    fn cells_in_words(&self) -> String {
        let now = units::rate(self.fpr_now);
        match (self.items_target, self.items) {
            (Some(target), Some(items)) if self.overfull && items > target => {
                let (items, target) = (units::count(items), units::count(target));
                let about = if self.saturated { "at least" } else { "about" };
                format!("{now}; it holds {about} {items} keys, but was made for {target}")
            }
            (Some(target), _) if self.overfull => {
                format!(
                    "{now}; it holds more than the {} keys it was made for",
                    units::count(target)
                )
            }
            _ if self.fpr_allowed > self.fpr_promised && self.fpr_now > self.fpr_promised => {
                format!("{now}; above the target by chance, which is allowed")
            }
            _ => now,
        }
    }

    fn verdict_in_words(&self) -> String {
        if self.verdict == Verdict::Holds {
            return match self.wanted_test_keys() {
                Some(_) => {
                    "not broken, but too few test keys tell whether the FPR holds".to_string()
                }
                None => "holds".to_string(),
            };
        }
        let mut reasons = Vec::new();
        if let (Some(low), Some(promised)) = (self.misses_low, self.misses_promised)
            && low > promised
        {
            reasons.push(match (promised, self.false_negatives) {
                (0.0, Some(1)) => "1 false negative".to_string(),
                (0.0, Some(missed)) => {
                    format!("{} false negatives", units::count(missed))
                }
                _ => format!("it forgets more than {}", units::rate(promised)),
            });
        }
        if self.fpr_low.is_some_and(|low| low > self.fpr_allowed) {
            let allowed = units::rate(self.fpr_allowed);
            reasons.push(format!("the FPR is above {allowed} by more than chance"));
        }
        format!("broken: {}", reasons.join("; "))
    }
}

/// The share of its members that a filter may forget. Kinds that forget promise it for the oldest
/// of the keys that they were made for; younger keys are forgotten less. So it holds for the latest
/// keys of a stream, and nothing is promised for a longer list.
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
        // Without a list it forgets as the others do.
        AnyFilter::Aging(_) if members.is_some_and(|all| all.present() <= items) => Some(0.0),
        AnyFilter::Stable(filter) if members.is_none_or(|all| all.present() <= items) => {
            Some(filter.chain().misses(items))
        }
        AnyFilter::Generalized(filter) => Some(filter.rule().misses(items - 1)),
        _ => None,
    }
}

/// `99.03 %`: four decimals, or more if it would be rounded to 100.
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
