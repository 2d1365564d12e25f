//! The ledger: claims with their sources, measurements, and verdicts.

use super::stage::Stage;
use crate::error::Error;
use crate::texts;
use anstyle::{AnsiColor, Style};
use anther::units::whole;
use serde::Serialize;

/// Insertion and queries of the worked example.
pub const EXAMPLE: &str = "[2] 2.2";
/// Bits per key, for keys of any length.
pub const BITS: &str = "[2] 4.2";
/// The memory of other structures.
pub const MEMORY: &str = "[2] 4.4";
/// Deleting.
pub const DELETING: &str = "[2] 5.1";
/// No false negatives.
pub const NO_MISS: &str = "[1] 1";
/// The reliability test.
pub const RELIABILITY: &str = "[1] 3";
/// The fewest bits that any filter can have.
pub const BOUND: &str = "[3]";
/// The table of rates.
pub const TABLE: &str = "[3]";
/// How many hash functions are best.
pub const FUNCTIONS: &str = "[4]";
/// Floom against a standard filter of the same memory.
pub const FLOOM: &str = "[5]";
/// Deletion with a cuckoo filter.
pub const REMOVAL: &str = "[2] 6";
/// The closing question: which filter also stores the elements?
pub const ELEMENTS: &str = "[5]";
/// What this program promises.
pub const OURS: &str = "anther";
/// What must fail.
pub const CONTROL: &str = "control";

/// All lines so far.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Ledger {
    lines: Vec<LedgerLine>,
}

#[derive(Debug, Serialize)]
struct LedgerLine {
    source: &'static str,
    claim: String,
    measured: String,
    verdict: &'static str,
    passed: bool,
}

impl Ledger {
    /// A claim that should hold.
    pub(super) fn claim(&mut self, source: &'static str, claim: &str, measured: &str, holds: bool) {
        let verdict = if holds { "holds" } else { "FAILS" };
        self.push(source, claim, measured, verdict, holds);
    }

    /// Something broken that should be found out.
    pub(super) fn control(&mut self, claim: &str, measured: &str, found_out: bool) {
        let verdict = if found_out { "broken, as it must be" } else { "NOT DETECTED" };
        self.push(CONTROL, claim, measured, verdict, found_out);
    }

    fn push(
        &mut self,
        source: &'static str,
        claim: &str,
        measured: &str,
        verdict: &'static str,
        passed: bool,
    ) {
        let (claim, measured) = (claim.to_string(), measured.to_string());
        self.lines.push(LedgerLine { source, claim, measured, verdict, passed });
    }

    /// Whether every line passed. A ledger without lines has shown nothing.
    pub fn passed(&self) -> bool {
        !self.lines.is_empty() && self.lines.iter().all(|line| line.passed)
    }

    /// Prints it.
    pub(super) fn show(&self, stage: &mut Stage) -> Result<(), Error> {
        let width = |cell: fn(&LedgerLine) -> &str, title: &str| {
            let cells = self.lines.iter().map(|line| cell(line).chars().count());
            cells.chain([title.len()]).max().unwrap_or(0)
        };
        let sources = width(|line| line.source, "source");
        let claims = width(|line| &line.claim, "claim");
        let measures = width(|line| &line.measured, "measured");
        stage.say(&format!(
            "{:sources$}  {:claims$}  {:measures$}  verdict",
            "source", "claim", "measured"
        ))?;
        for line in &self.lines {
            let colour = if line.passed { AnsiColor::Green } else { AnsiColor::Red };
            let style = Style::new().fg_color(Some(colour.into()));
            stage.say(&format!(
                "{:sources$}  {:claims$}  {:measures$}  {style}{}{style:#}",
                line.source, line.claim, line.measured, line.verdict
            ))?;
        }
        stage.say(&texts::list())?;
        let failed = self.lines.iter().filter(|line| !line.passed).count();
        stage.say(&format!("{} claims held, {failed} failed", self.lines.len() - failed))
    }
}

/// The most false positives that a target rate allows: six standard deviations of the binomial above
/// it. Chance exceeds that once in a billion times.
pub fn most_by_chance(promise: f64, lookups: u64) -> u64 {
    let expected = promise * lookups as f64;
    whole(expected + 6.0 * (expected * (1.0 - promise)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_allows_six_deviations() {
        assert_eq!(most_by_chance(0.01, 1_000_000), 10_597);
        assert_eq!(most_by_chance(0.01, 20_000), 284);
        assert_eq!(most_by_chance(0.5, 0), 0);
    }

    #[test]
    fn one_failure_fails_all_and_nothing_passes_nothing() {
        let mut ledger = Ledger::default();
        assert!(!ledger.passed());
        ledger.claim(OURS, "one", "one", true);
        assert!(ledger.passed());
        ledger.control("a control", "not found out", false);
        assert!(!ledger.passed());
    }
}
