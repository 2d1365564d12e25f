//! What the numbers were to be, beside what they are.

use super::hashes::MORE;
use super::ours::{FUSE, REFERENCE};
use super::peers::{ATOMIC, FOLDED, SPLIT, XORF};
use super::record::Row;
use super::trial::LIMIT;
use std::fmt;

/// What a number must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// This or more.
    Least(f64),
    /// This or less.
    Most(f64),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Least(least) => write!(f, "≥{least}"),
            Bound::Most(most) => write!(f, "≤{most}"),
        }
    }
}

/// A goal that the run covered.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// What it is about.
    pub text: String,
    /// What it must be.
    pub bound: Bound,
    /// What it was.
    pub measured: f64,
    /// Behind the numbers.
    pub unit: &'static str,
}

impl Goal {
    /// Whether the number is as it must be.
    pub fn is_met(&self) -> bool {
        match self.bound {
            Bound::Least(least) => self.measured >= least,
            Bound::Most(most) => self.measured <= most,
        }
    }
}

/// "Level" with a peer: within what two runs of the same code differ by.
const LEVEL: f64 = 0.9;

/// The goals that these rows can tell of; those of a build for this very machine, or the others.
pub fn goals(rows: &[Row], native: bool) -> Vec<Goal> {
    let mut found = Found { rows, goals: Vec::new() };
    if native {
        found.native()
    } else {
        found.default_flags()
    }
    found.goals
}

struct Found<'a> {
    rows: &'a [Row],
    goals: Vec<Goal>,
}

/// What picks a row: section, keys, items, work, way, contender.
type Pick = (&'static str, &'static str, u64, &'static str, &'static str, &'static str);

impl Found<'_> {
    fn row(&self, (section, keys, items, work, way, who): Pick) -> Option<&Row> {
        let is = |row: &&Row| {
            (row.section, row.keys, row.items, row.work, row.way, row.contender)
                == (section, keys, items, work, way, who)
        };
        // The first is at 1 %, and the last on the most threads.
        let mut rows = self.rows.iter().filter(is);
        if section == "threads" { rows.next_back() } else { rows.next() }
    }

    fn add(&mut self, text: String, bound: Bound, measured: Option<f64>, unit: &'static str) {
        if let Some(measured) = measured {
            self.goals.push(Goal { text, bound, measured, unit });
        }
    }

    /// How many times as long as ours the contender takes.
    fn times(&mut self, text: &str, pick: Pick, least: f64) {
        let ratio = self.row(pick).and_then(|row| row.ratio);
        self.add(format!("{text}, {}", pick.5), Bound::Least(least), ratio, "×");
    }

    fn default_flags(&mut self) {
        let (large, small) = (100_000_000, 1_000_000);
        for (work, fold) in [("hit", 15.0), ("miss", 10.0)] {
            let pick = |who| ("table", "u64", large, work, "batch", who);
            let share = self.row(pick(LIMIT)).and_then(|row| row.ratio);
            let text = format!("10^8 keys, 1 %, batch, {work}");
            self.add(format!("{text}: share of the line limit"), Bound::Least(0.8), share, "");
            self.times(&text, pick(FOLDED), fold);
            self.times(&text, pick(SPLIT), 3.5);
            let two = ("threads", "u64", large, work, "batch", REFERENCE);
            self.times(&format!("{text}: two threads over one"), two, 1.9);
        }
        let build = ("table", "u64", large, "insert", "bulk", FOLDED);
        self.times("10^8 keys, bulk build", build, 12.0);
        for (work, fold) in [("hit", 2.0), ("miss", 3.0)] {
            let text = format!("10^6 keys, single, {work}");
            self.times(&text, ("table", "u64", small, work, "single", FOLDED), fold);
            self.times(&text, ("table", "u64", small, work, "single", SPLIT), LEVEL);
        }
        for way in ["single", "batch"] {
            for work in ["hit", "miss"] {
                let text = format!("10^6 strings, {way}, {work}");
                self.times(&text, ("table", "strings", small, work, way, FOLDED), 1.5);
                self.times(&text, ("table", "strings", small, work, way, SPLIT), LEVEL);
            }
        }
        let shared = ("threads", "u64", large, "insert", "shared", ATOMIC);
        self.times("10^8 keys, two threads insert at once", shared, 5.0);
        for work in ["hit", "miss"] {
            let pick = ("static", "u64", large, work, "batch", XORF);
            self.times(&format!("fuse8, 10^8 keys, batch, {work}"), pick, 4.0);
        }
        self.times("fuse8, build", ("static", "u64", large, "insert", "bulk", XORF), 1.0);
        let fuse = self.row(("static", "u64", large, "insert", "bulk", FUSE));
        let peak = fuse.and_then(|row| row.peak);
        self.add("fuse8, build, peak".to_string(), Bound::Most(20.0), peak, " bytes per key");
        for (rate, most) in [(0.01, 9.99), (0.001, 15.7)] {
            let ours = |row: &&Row| row.rate == rate && row.contender == REFERENCE;
            let bits = self.rows.iter().filter(ours).filter_map(|row| row.bits).reduce(f64::max);
            let text = format!("blocked at {} %", 100.0 * rate);
            self.add(text, Bound::Most(most), bits, " bits per key");
        }
        let more = self.row(("hash", "16 bytes", 0, "hash", "single", MORE)).map(|row| row.ns);
        let text = "the keyed hash at 16 bytes, over the default".to_string();
        self.add(text, Bound::Most(15.0), more, " ns");
    }

    fn native(&mut self) {
        for work in ["hit", "miss"] {
            let text = format!("10^6 keys, single, {work}, target-cpu=native");
            let pick = |who| ("table", "u64", 1_000_000, work, "single", who);
            self.times(&text, pick(SPLIT), 1.1);
            self.times(&text, pick(FOLDED), 4.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(work: &'static str, contender: &'static str, ratio: f64) -> Row {
        Row {
            section: "table",
            keys: "u64",
            items: 1_000_000,
            rate: 0.01,
            work,
            way: "single",
            threads: 1,
            contender,
            ns: 1.0,
            ratio: Some(ratio),
            ..Row::default()
        }
    }

    #[test]
    fn only_what_was_measured_is_judged() {
        let rows = [row("hit", FOLDED, 2.5), row("miss", FOLDED, 2.5), row("hit", SPLIT, 0.95)];
        let met: Vec<(Bound, bool)> =
            goals(&rows, false).iter().map(|goal| (goal.bound, goal.is_met())).collect();
        let least = Bound::Least;
        assert_eq!(met, [(least(2.0), true), (least(LEVEL), true), (least(3.0), false)]);
        let met: Vec<bool> = goals(&rows, true).iter().map(Goal::is_met).collect();
        assert_eq!(met, [false, false, false], "more is asked of a native build");
        assert_eq!(goals(&[], false), []);
    }

    #[test]
    fn bits_are_the_worst_of_all_sizes() {
        let bits = |bits| Row { bits: Some(bits), ..row("hit", REFERENCE, 1.0) };
        let goals = goals(&[bits(9.9), bits(10.1)], false);
        assert_eq!(goals.len(), 1);
        assert!(goals[0].measured == 10.1 && !goals[0].is_met());
    }
}
