//! What a demonstration claims, predicts and measures.

use anstyle::{AnsiColor, Style};
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
}

#[derive(Debug)]
struct Line {
    claim: String,
    predicted: String,
    measured: String,
    holds: bool,
}

impl Report {
    /// A claim, what its formula says, what was measured, and whether they agree.
    pub fn claim(
        &mut self,
        claim: impl fmt::Display,
        predicted: impl fmt::Display,
        measured: impl fmt::Display,
        holds: bool,
    ) {
        let [claim, predicted, measured] =
            [claim.to_string(), predicted.to_string(), measured.to_string()];
        self.lines.push(Line { claim, predicted, measured, holds });
    }

    /// A number that should be within a bound of another: both are shown with `digits` digits.
    pub fn within(
        &mut self,
        claim: impl fmt::Display,
        predicted: f64,
        bound: f64,
        measured: f64,
        digits: usize,
    ) {
        let holds = (measured - predicted).abs() <= bound;
        let predicted = format!("{predicted:.digits$} ± {bound:.digits$}");
        self.claim(claim, predicted, format_args!("{measured:.digits$}"), holds);
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

    /// How many claims there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is no claim yet.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// How many claims fail.
    pub fn failed(&self) -> usize {
        self.lines.iter().filter(|line| !line.holds).count()
    }

    /// The claims, as JSON has them.
    pub fn claims_as_json(&self) -> Vec<Value> {
        let claim = |line: &Line| {
            let Line { claim, predicted, measured, holds } = line;
            json!({ "claim": claim, "predicted": predicted, "measured": measured, "holds": holds })
        };
        self.lines.iter().map(claim).collect()
    }

    /// What a reader should know.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Prints all lines.
    pub fn print(&self) {
        let (good, bad) = (AnsiColor::Green.on_default(), AnsiColor::Red.on_default());
        for Line { claim, predicted, measured, holds } in &self.lines {
            let (style, verdict): (Style, _) =
                if *holds { (good, "holds") } else { (bad, "FAILS") };
            anstream::println!("  {claim}");
            anstream::println!("    predicted  {predicted}");
            anstream::println!("    measured   {measured}");
            anstream::println!("    verdict    {style}{verdict}{style:#}");
        }
        for note in &self.notes {
            anstream::println!("  {note}");
        }
    }
}
