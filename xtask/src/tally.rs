//! What passed, failed and was not run.

use std::fmt;

/// Counts, and what the closing report says about those that did not pass.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    pub passed: usize,
    pub failed: usize,
    pub not_run: usize,
    pub notes: Vec<String>,
}

impl Outcome {
    pub fn pass() -> Self {
        Self { passed: 1, ..Self::default() }
    }

    pub fn failure(note: &str) -> Self {
        Self { failed: 1, notes: vec![format!("failed: {note}")], ..Self::default() }
    }

    pub fn not_run(note: &str) -> Self {
        Self { not_run: 1, notes: vec![format!("not run: {note}")], ..Self::default() }
    }

    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.not_run += other.not_run;
        self.notes.extend(other.notes);
    }

    /// Reads a line of `cargo test`: the summary of a test program, or the name of a test that
    /// failed or is ignored.
    pub fn see_cargo(&mut self, line: &str) {
        if let Some([passed, failed, ignored]) = summary(line) {
            self.passed += passed;
            self.failed += failed;
            self.not_run += ignored;
        } else if let Some((name, result)) =
            line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "))
        {
            if result == "FAILED" {
                self.notes.push(format!("failed: {name}"));
            } else if result.starts_with("ignored") {
                self.notes.push(format!("not run: {name}: {result}"));
            }
        }
    }

    /// Reads a line of the ledger of `anther-uses all`: a use, and how it ended.
    pub fn see_uses(&mut self, line: &str) {
        let Some((name, ended)) = line.strip_prefix("  ").and_then(|line| line.split_once(' '))
        else {
            return;
        };
        let ended = ended.trim_start();
        let note = |kind: &str, words: &str| format!("{kind}: {name}: {words}");
        if is_count(ended, &["claim holds", "claims hold"]) {
            self.passed += 1;
        } else if is_count(ended, &["claim FAILS", "claims FAIL"]) || ended.starts_with("ERROR: ") {
            self.failed += 1;
            self.notes.push(note("failed", ended));
        } else if let Some(cause) = ended.strip_prefix("not run: ") {
            self.not_run += 1;
            self.notes.push(note("not run", cause));
        }
    }

    /// Reads a line of `pytest -q -r fEs`: what did not pass, or the closing line.
    pub fn see_pytest(&mut self, line: &str) {
        if let Some(what) = line.strip_prefix("FAILED ").or(line.strip_prefix("ERROR ")) {
            self.notes.push(format!("failed: {what}"));
        } else if let Some(what) = line.strip_prefix("SKIPPED ") {
            self.notes.push(format!("not run: {what}"));
        } else if let Some(counts) = closing(line) {
            for (count, unit) in counts {
                match unit {
                    "passed" => self.passed += count,
                    "failed" | "error" | "errors" => self.failed += count,
                    "skipped" => self.not_run += count,
                    _ => {}
                }
            }
        }
    }

    /// Reads a line of `node --test`: a test, and how it ended. What tests print is indented or
    /// begins with `#`.
    pub fn see_tap(&mut self, line: &str) {
        let (passed, rest) = match (line.strip_prefix("ok "), line.strip_prefix("not ok ")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return,
        };
        let Some((_, name)) = rest.split_once(" - ") else { return };
        if let Some((name, why)) = name.split_once(" # SKIP") {
            self.not_run += 1;
            self.notes.push(format!("not run: {name}:{why}"));
        } else if passed {
            self.passed += 1;
        } else {
            self.failed += 1;
            self.notes.push(format!("failed: {name}"));
        }
    }
}

/// `12 passed, 1 failed`, and `, 2 not run` where there are such.
impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)?;
        match self.not_run {
            0 => Ok(()),
            count => write!(out, ", {count} not run"),
        }
    }
}

/// Reads `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; …`.
fn summary(line: &str) -> Option<[usize; 3]> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut parts = counts.split("; ");
    let mut next = |unit: &str| parts.next()?.strip_suffix(unit)?.parse().ok();
    Some([next(" passed")?, next(" failed")?, next(" ignored")?])
}

/// Whether the words are a number and one of these.
fn is_count(words: &str, units: &[&str]) -> bool {
    let (count, unit) = words.split_once(' ').unwrap_or_default();
    count.parse::<usize>().is_ok() && units.contains(&unit)
}

/// Reads `1 failed, 3 passed, 2 skipped in 61.40s (0:01:01)`.
fn closing(line: &str) -> Option<Vec<(usize, &str)>> {
    let (counts, time) = line.rsplit_once(" in ")?;
    time.split('s').next()?.parse::<f64>().ok()?;
    let read = |part| {
        let (count, unit) = str::split_once(part, ' ')?;
        Some((count.parse().ok()?, unit))
    };
    counts.split(", ").map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_added_up_and_what_did_not_pass_is_named() {
        let mut outcome = Outcome::default();
        let output = "
running 3 tests
test bits::a ... ok
test bits::b ... FAILED
test bits::c ... ignored, needs a server
test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out
test result: ok. 7 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out
test result: nonsense
";
        output.lines().for_each(|line| outcome.see_cargo(line));
        assert_eq!(outcome.to_string(), "8 passed, 1 failed, 1 not run");
        assert_eq!(outcome.notes, ["failed: bits::b", "not run: bits::c: ignored, needs a server"]);
    }

    #[test]
    fn each_use_counts_by_its_line_in_the_ledger() {
        let mut outcome = Outcome::default();
        let output = "
near-duplicates
  resemblance of FORMAT.md and its copy
    predicted  0.8312 ± 0.0203
    measured   0.8287
    verdict    holds
  of each search, 3 claims hold
Ledger
  fair-queue         8 claims hold
  ip-traceback       1 claim holds
  packet-loops       2 claims FAIL
  longest-prefix     ERROR: the table is corrupt
  web-proxies        not run: Squid is missing; install the package squid
";
        output.lines().for_each(|line| outcome.see_uses(line));
        assert_eq!(outcome.to_string(), "2 passed, 2 failed, 1 not run");
        assert_eq!(
            outcome.notes,
            [
                "failed: packet-loops: 2 claims FAIL",
                "failed: longest-prefix: ERROR: the table is corrupt",
                "not run: web-proxies: Squid is missing; install the package squid",
            ]
        );
    }

    #[test]
    fn pytest_is_added_up_by_its_closing_line() {
        let mut outcome = Outcome::default();
        let output = "
...F.s                                                                   [100%]
FAILED tests/test_a.py::test_b[redis] - assert 1 == 2
ERROR tests/test_c.py::test_d - no server
SKIPPED [2] tests/test_e.py:7: no vectors
1 failed, 3 passed, 2 skipped, 1 warning, 1 error in 61.40s (0:01:01)
7 passed in the end
";
        output.lines().for_each(|line| outcome.see_pytest(line));
        assert_eq!(outcome.to_string(), "3 passed, 2 failed, 2 not run");
        assert_eq!(outcome.notes.len(), 3);
        assert_eq!(outcome.notes[2], "not run: [2] tests/test_e.py:7: no vectors");
    }

    #[test]
    fn tests_of_node_count_one_by_one() {
        let mut outcome = Outcome::default();
        let output = "
TAP version 13
# from a slider's change to the drawn page: 23 ms
# Subtest: the first stop skips to the content
ok 1 - the first stop skips to the content
  ---
  duration_ms: 1100.3
  ...
not ok 2 - 320 pixels are enough: plan
ok 3 - a finger reads a chart # SKIP no finger
1..3
# pass 1
";
        output.lines().for_each(|line| outcome.see_tap(line));
        assert_eq!(outcome.to_string(), "1 passed, 1 failed, 1 not run");
        assert_eq!(
            outcome.notes,
            ["failed: 320 pixels are enough: plan", "not run: a finger reads a chart: no finger"]
        );
    }
}
