//! What a demonstration claims, predicts and measures.

use anstyle::AnsiColor;
use serde_json::{Value, json};
use std::error::Error;
use std::fmt;

/// Why a demonstration could not run here: a program or a privilege is missing. It counts as not
/// run, never as passed.
#[derive(Debug)]
pub struct NotRun(pub String);

impl fmt::Display for NotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for NotRun {}

/// The lines of a demonstration.
#[derive(Debug, Default)]
pub struct Report {
    lines: Vec<Line>,
    notes: Vec<String>,
    /// The claims from this one on differ from run to run.
    varies_from: Option<usize>,
}

#[derive(Debug)]
struct Line {
    claim: String,
    predicted: String,
    measured: String,
    /// The smallest deviation from the prediction that would have failed, if it is not any; from
    /// what was measured, where the prediction is a bound.
    notices: Option<String>,
    verdict: Verdict,
}

/// How a claim ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Holds,
    Fails,
    /// There are so few trials that half as much again would have passed, too.
    Open,
}

impl Verdict {
    fn of(holds: bool) -> Verdict {
        if holds { Verdict::Holds } else { Verdict::Fails }
    }

    fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "FAILS",
            Verdict::Open => "none: too few trials",
        }
    }
}

impl Report {
    /// A claim, what its formula says, what was measured, and whether they agree. The smallest
    /// deviation that it notices is any, or what the prediction says.
    pub fn claim(
        &mut self,
        claim: impl fmt::Display,
        predicted: impl fmt::Display,
        measured: impl fmt::Display,
        holds: bool,
    ) {
        let [claim, predicted, measured] =
            [claim.to_string(), predicted.to_string(), measured.to_string()];
        let verdict = Verdict::of(holds);
        self.lines.push(Line { claim, predicted, measured, notices: None, verdict });
    }

    /// A number that should be within a bound of another: both are shown with `digits` digits. A
    /// bound of half the prediction leaves the claim open.
    pub fn within(
        &mut self,
        claim: impl fmt::Display,
        predicted: f64,
        bound: f64,
        measured: f64,
        digits: usize,
    ) {
        let verdict = match Verdict::of((measured - predicted).abs() <= bound) {
            Verdict::Holds if bound >= predicted / 2.0 => Verdict::Open,
            verdict => verdict,
        };
        self.lines.push(Line {
            claim: claim.to_string(),
            predicted: format!("{predicted:.digits$} ± {bound:.digits$}"),
            measured: format!("{measured:.digits$}"),
            notices: Some(percent(bound / predicted)),
            verdict,
        });
    }

    /// A number that has a least value. It notices by which factor the measured one would have had
    /// to be smaller; one that is half as much again as the bound leaves the claim open.
    pub fn at_least(
        &mut self,
        claim: impl fmt::Display,
        (bound, remark): (f64, &str),
        measured: f64,
        digits: usize,
    ) {
        let predicted = format!("at least {bound:.digits$}{remark}");
        let room = if measured == bound { 1.0 } else { measured / bound };
        self.bounded(claim, predicted, format!("{measured:.digits$}"), room);
    }

    /// The same for a number that has a greatest value.
    pub fn at_most(
        &mut self,
        claim: impl fmt::Display,
        (bound, remark): (f64, &str),
        measured: f64,
        digits: usize,
    ) {
        let predicted = format!("at most {bound:.digits$}{remark}");
        let room = if measured == bound { 1.0 } else { bound / measured };
        self.bounded(claim, predicted, format!("{measured:.digits$}"), room);
    }

    /// `room` is the factor between the bound and the number; below 1 the claim fails.
    fn bounded(
        &mut self,
        claim: impl fmt::Display,
        predicted: String,
        measured: String,
        room: f64,
    ) {
        let verdict = if room >= 1.5 { Verdict::Open } else { Verdict::of(room >= 1.0) };
        let notices = Some(percent((room - 1.0).max(0.0)));
        let claim = claim.to_string();
        self.lines.push(Line { claim, predicted, measured, notices, verdict });
    }

    /// A share of independent trials: it may differ from its prediction by five standard deviations
    /// and one event.
    pub fn share(
        &mut self,
        claim: impl fmt::Display,
        predicted: f64,
        events: usize,
        trials: usize,
    ) {
        let trials = trials.max(1) as f64;
        let deviation = (predicted * (1.0 - predicted) / trials).sqrt();
        self.within(claim, predicted, 5.0 * deviation + 1.0 / trials, events as f64 / trials, 5);
    }

    /// Something that a reader should know, without a verdict.
    pub fn note(&mut self, note: impl fmt::Display) {
        self.notes.push(note.to_string());
    }

    /// What follows depends on time, or on another program: a rerun may print other digits.
    pub fn varies(&mut self) {
        self.varies_from.get_or_insert(self.lines.len());
    }

    /// How many claims hold.
    pub fn held(&self) -> usize {
        self.count(Verdict::Holds)
    }

    /// How many claims fail.
    pub fn failed(&self) -> usize {
        self.count(Verdict::Fails)
    }

    /// How many claims had too few trials.
    pub fn open(&self) -> usize {
        self.count(Verdict::Open)
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.lines.iter().filter(|line| line.verdict == verdict).count()
    }

    /// The claims as rows of a record: claim, prediction, what would be noticed, measurement, and
    /// whether a rerun prints the same.
    pub fn rows(&self) -> Vec<[String; 5]> {
        let varies_from = self.varies_from.unwrap_or(usize::MAX);
        let row = |(at, line): (usize, &Line)| {
            let Line { claim, predicted, measured, notices, .. } = line;
            let again = if at < varies_from { "seeded" } else { "varies" };
            let notices = notices.clone().unwrap_or_default();
            [claim.trim().to_string(), predicted.clone(), notices, measured.clone(), again.into()]
        };
        self.lines.iter().enumerate().map(row).collect()
    }

    /// The claims, as JSON has them.
    pub fn claims_as_json(&self) -> Vec<Value> {
        let claim = |line: &Line| {
            let Line { claim, predicted, measured, notices, verdict } = line;
            let holds = match verdict {
                Verdict::Holds => Some(true),
                Verdict::Fails => Some(false),
                Verdict::Open => None,
            };
            json!({ "claim": claim, "predicted": predicted, "notices": notices,
                    "measured": measured, "holds": holds })
        };
        self.lines.iter().map(claim).collect()
    }

    /// What a reader should know.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Prints all lines.
    pub fn print(&self) {
        for Line { claim, predicted, measured, notices, verdict } in &self.lines {
            let style = match verdict {
                Verdict::Holds => AnsiColor::Green.on_default(),
                Verdict::Fails => AnsiColor::Red.on_default(),
                Verdict::Open => AnsiColor::Yellow.on_default(),
            };
            anstream::println!("  {claim}");
            anstream::println!("    predicted  {predicted}");
            if let Some(notices) = notices {
                anstream::println!("    notices    deviations above {notices}");
            }
            anstream::println!("    measured   {measured}");
            anstream::println!("    verdict    {style}{}{style:#}", verdict.name());
        }
        for note in &self.notes {
            anstream::println!("  {note}");
        }
    }
}

/// Two digits, or all of those before the point.
fn percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent < 10.0 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_that_can_hardly_fail_is_open() {
        let mut report = Report::default();
        // Half as many again would pass.
        report.share("few", 0.0092, 97, 10_000);
        report.share("many", 0.0092, 194, 20_000);
        report.share("off", 0.0092, 200, 10_000);
        assert_eq!((report.open(), report.held(), report.failed()), (1, 1, 1));
        let notices = report.rows().into_iter().map(|row| row[2].clone());
        assert_eq!(notices.collect::<Vec<_>>(), ["53 %", "37 %", "53 %"]);
    }

    #[test]
    fn a_bound_far_from_what_was_measured_is_open() {
        let mut report = Report::default();
        report.at_least("far", (1.0, ""), 1.82, 2);
        report.at_least("near", (1.0, " each"), 1.0157, 4);
        report.at_least("below", (1.0, ""), 0.9, 1);
        report.at_most("exact", (320.0, ""), 320.0, 0);
        report.at_most("above", (4.0, ""), 5.0, 0);
        report.at_most("none", (4.0, ""), 0.0, 0);
        assert_eq!((report.open(), report.held(), report.failed()), (2, 2, 2));
        let rows = report.rows();
        assert_eq!(rows[1][1..4], ["at least 1.0000 each", "1.6 %", "1.0157"]);
        let notices = rows.iter().map(|row| &row[2][..]);
        assert_eq!(
            notices.collect::<Vec<_>>(),
            ["82 %", "1.6 %", "0.0 %", "0.0 %", "0.0 %", "inf %"]
        );
    }
}
