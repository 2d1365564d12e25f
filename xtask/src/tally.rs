//! Counts what ran, by reading what `cargo test` prints.

use std::fmt;
use std::mem;

/// What passed, what failed and what was not run.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    pub passed: usize,
    /// One entry for each failure.
    pub failures: Vec<String>,
    /// One entry for each thing not run.
    pub not_run: Vec<NotRun>,
}

/// Something that was not run, and why.
#[derive(Debug, PartialEq)]
pub struct NotRun {
    pub what: String,
    pub why: String,
}

impl Outcome {
    pub fn pass() -> Self {
        Self { passed: 1, ..Self::default() }
    }

    pub fn failure(what: String) -> Self {
        Self { failures: vec![what], ..Self::default() }
    }

    pub fn not_run(what: NotRun) -> Self {
        Self { not_run: vec![what], ..Self::default() }
    }

    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failures.extend(other.failures);
        self.not_run.extend(other.not_run);
    }
}

/// `12 passed, 1 failed`, and `2 not run` where there are such.
impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failures.len())?;
        match self.not_run.len() {
            0 => Ok(()),
            count => write!(out, ", {count} not run"),
        }
    }
}

/// Reads the output of `cargo test` line by line.
#[derive(Default)]
pub struct Tally {
    outcome: Outcome,
    /// The test program, as cargo announced it.
    program: String,
    stage: Stage,
    /// Names since the last `failures:`, a heading that comes twice: the second time with a
    /// plain list, which is whole even where tests print into each other's lines.
    failed_names: Vec<String>,
    ignored: Vec<NotRun>,
}

/// How far a test program has come.
#[derive(Clone, Copy, Default, PartialEq)]
enum Stage {
    /// Not started, or its result is in.
    #[default]
    Done,
    /// Announced by cargo.
    Announced,
    /// It said how many tests it will run. Doc tests come in several such rounds.
    Running,
}

impl Tally {
    pub fn see(&mut self, line: &str) {
        if let Some(program) = announced_program(line) {
            self.note_lost_result();
            self.program = program;
            self.stage = Stage::Announced;
        } else if is_round(line) {
            if self.stage == Stage::Running {
                self.note_lost_result();
            }
            self.stage = Stage::Running;
        } else if let Some(counts) = Counted::parse(line) {
            self.close(&counts);
        } else if line == "failures:" {
            self.failed_names.clear();
        } else if let Some(name) = line.strip_prefix("    ") {
            self.failed_names.push(name.to_owned());
        } else if let Some((name, why)) = ignored_test(line) {
            self.ignored.push(NotRun { what: self.label(name), why });
        }
    }

    pub fn finish(mut self) -> Outcome {
        self.note_lost_result();
        self.outcome
    }

    /// Books the counts of one round. The counts are the truth; names are added where known.
    fn close(&mut self, counts: &Counted) {
        self.stage = Stage::Done;
        self.outcome.passed += counts.passed;

        let mut names = mem::take(&mut self.failed_names);
        names.resize(counts.failed, "a test whose name was lost in the output".to_owned());
        let failures: Vec<String> = names.iter().map(|name| self.label(name)).collect();
        self.outcome.failures.extend(failures);

        let mut ignored = mem::take(&mut self.ignored);
        ignored.truncate(counts.ignored);
        while ignored.len() < counts.ignored {
            let what = self.label("a test whose name was lost in the output");
            ignored.push(NotRun { what, why: "ignored".to_owned() });
        }
        self.outcome.not_run.extend(ignored);
    }

    /// A program that began and gave no result has crashed, or left with its tests undone.
    fn note_lost_result(&mut self) {
        if self.stage != Stage::Done {
            let lost = self.label("ended without a result; did a test abort or exit?");
            self.outcome.failures.push(lost);
            self.stage = Stage::Done;
        }
        self.failed_names.clear();
        self.ignored.clear();
    }

    fn label(&self, what: &str) -> String {
        if self.program.is_empty() { what.to_owned() } else { format!("{}: {what}", self.program) }
    }
}

/// The numbers of a `test result:` line that we use.
struct Counted {
    passed: usize,
    failed: usize,
    ignored: usize,
}

impl Counted {
    /// Reads `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; ...`.
    fn parse(line: &str) -> Option<Self> {
        let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let mut parts = counts.split("; ");
        let mut next = |unit: &str| parts.next()?.strip_suffix(unit)?.parse().ok();
        Some(Self {
            passed: next(" passed")?,
            failed: next(" failed")?,
            ignored: next(" ignored")?,
        })
    }
}

/// Reads `     Running tests/a.rs (target/debug/deps/a-0123)` and `   Doc-tests anther`, with the
/// indent that cargo gives them, so that the words of a test are not taken for cargo's.
fn announced_program(line: &str) -> Option<String> {
    if let Some(library) = line.strip_prefix("   Doc-tests ") {
        return Some(format!("{library}, doc tests"));
    }
    let (source, file) = line.strip_prefix("     Running ")?.strip_suffix(')')?.split_once(" (")?;
    let file = file.rsplit(['/', '\\']).next()?;
    let name = file.rsplit_once('-').map_or(file, |(name, _hash)| name);
    Some(format!("{name}, {source}"))
}

/// Reads `running 3 tests`.
fn is_round(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("running ") else { return false };
    let count = rest.strip_suffix(" tests").or_else(|| rest.strip_suffix(" test"));
    count.is_some_and(|count| count.parse::<usize>().is_ok())
}

/// Reads `test NAME ... ignored` and `test NAME ... ignored, REASON`.
fn ignored_test(line: &str) -> Option<(&str, String)> {
    let (name, verdict) = line.strip_prefix("test ")?.split_once(" ... ")?;
    match verdict.strip_prefix("ignored")? {
        "" => Some((name, "ignored, no reason given".to_owned())),
        reason => Some((name, format!("ignored: {}", reason.strip_prefix(", ")?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(output: &str) -> Outcome {
        let mut tally = Tally::default();
        output.lines().for_each(|line| tally.see(line));
        tally.finish()
    }

    const GOOD: &str = "
   Compiling anther v0.1.0
    Finished `test` profile [optimized] target(s) in 1.00s
     Running unittests src/lib.rs (target/debug/deps/anther-0123456789abcdef)

running 3 tests
test bits::a ... ok
test bits::b ... ignored
test bits::c ... ignored, needs a server

test result: ok. 1 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

    #[test]
    fn passes_and_ignored_tests_are_counted_and_named() {
        let outcome = tally(GOOD);
        assert_eq!(outcome.passed, 1);
        assert!(outcome.failures.is_empty());
        let not_run: Vec<_> =
            outcome.not_run.iter().map(|it| (it.what.as_str(), it.why.as_str())).collect();
        assert_eq!(
            not_run,
            [
                ("anther, unittests src/lib.rs: bits::b", "ignored, no reason given"),
                ("anther, unittests src/lib.rs: bits::c", "ignored: needs a server"),
            ]
        );
    }

    #[test]
    fn failures_are_named_from_the_second_list() {
        let outcome = tally(
            "     Running tests/accuracy.rs (target/debug/deps/accuracy-01)

running 3 tests
test one ... FAILED
test two ... ok
test three ... FAILED

failures:

---- one stdout ----
thread 'one' panicked at tests/accuracy.rs:1:1:
    an indented line of the message

failures:
    one
    three

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `-p anther --test accuracy`
",
        );
        assert_eq!(outcome.passed, 1);
        let program = "accuracy, tests/accuracy.rs";
        assert_eq!(outcome.failures, [format!("{program}: one"), format!("{program}: three")]);
    }

    #[test]
    fn counts_hold_where_names_are_lost() {
        let outcome = tally("test result: FAILED. 0 passed; 2 failed; 1 ignored; 0 measured");
        assert_eq!((outcome.failures.len(), outcome.not_run.len()), (2, 1));
    }

    #[test]
    fn a_crash_is_one_failure_and_does_not_hide_its_neighbours() {
        let crash = "     Running tests/crash.rs (target/debug/deps/crash-01)

running 2 tests
test fine ... ok
error: test failed, to rerun pass `-p anther --test crash`
";
        for output in [format!("{crash}{GOOD}"), format!("{GOOD}{crash}")] {
            let outcome = tally(&output);
            assert_eq!((outcome.passed, outcome.failures.len()), (1, 1));
            assert!(outcome.failures[0].starts_with("crash, tests/crash.rs: "));
        }
    }

    #[test]
    fn a_program_that_says_nothing_is_a_failure() {
        let outcome = tally("     Running tests/mute.rs (target/debug/deps/mute-01)");
        assert_eq!(outcome.failures.len(), 1);
    }

    #[test]
    fn doc_tests_may_come_in_rounds() {
        let round = "
running 1 test
test crates/anther/src/lib.rs - bits (line 3) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
";
        let lost = "running 1 test\n";
        let whole = format!("   Doc-tests anther\n{round}{round}");
        assert_eq!(tally(&whole), Outcome { passed: 2, ..Outcome::default() });
        let crashed = tally(&format!("   Doc-tests anther\n{lost}{round}"));
        assert_eq!((crashed.passed, crashed.failures.len()), (1, 1));
    }

    #[test]
    fn words_that_only_look_alike_are_not_counted() {
        let outcome = tally(
            "test result: nonsense
 test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured
Running late (again)
running out of tests
error[E0425]: cannot find value `x` in this scope
",
        );
        assert_eq!(outcome, Outcome::default());
    }
}
