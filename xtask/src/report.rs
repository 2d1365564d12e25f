//! The words at the end of a run.

use crate::tally::Outcome;

/// How many failures a run has; with `require_all`, what was not run is one each.
pub fn failed(outcome: &Outcome, require_all: bool) -> usize {
    outcome.failures.len() + if require_all { outcome.not_run.len() } else { 0 }
}

/// What failed, what was not run, and as the last line the two counts.
pub fn render(outcome: &Outcome, require_all: bool, note: Option<&str>) -> String {
    let mut lines: Vec<String> = note.iter().map(|note| (*note).to_owned()).collect();
    if !outcome.failures.is_empty() {
        lines.push("failed:".to_owned());
        lines.extend(outcome.failures.iter().map(|what| format!("  {what}")));
    }
    lines.push(not_run_heading(outcome, require_all).to_owned());
    lines.extend(outcome.not_run.iter().map(|it| format!("  {}: {}", it.what, it.why)));
    lines.push(format!("{} passed, {} failed\n", outcome.passed, failed(outcome, require_all)));
    lines.join("\n")
}

fn not_run_heading(outcome: &Outcome, require_all: bool) -> &'static str {
    match (outcome.not_run.is_empty(), require_all) {
        (true, _) => "not run: nothing",
        (false, false) => "not run:",
        (false, true) => "not run: (each is counted as failed, because of --require-all)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::NotRun;

    fn with_one_not_run() -> Outcome {
        let mut outcome = Outcome { passed: 3, ..Outcome::default() };
        let (what, why) = ("formatting".to_owned(), "no rustfmt".to_owned());
        outcome.add(Outcome::not_run(NotRun { what, why }));
        outcome
    }

    #[test]
    fn a_clean_run_says_that_nothing_is_missing() {
        let outcome = Outcome { passed: 3, ..Outcome::default() };
        assert_eq!(render(&outcome, true, None), "not run: nothing\n3 passed, 0 failed\n");
    }

    #[test]
    fn what_was_not_run_fails_only_when_all_is_required() {
        let outcome = with_one_not_run();
        assert_eq!(
            render(&outcome, false, None),
            "not run:\n  formatting: no rustfmt\n3 passed, 0 failed\n"
        );
        assert!(render(&outcome, true, None).ends_with("\n3 passed, 1 failed\n"));
    }

    #[test]
    fn failures_come_before_the_counts() {
        let mut outcome = with_one_not_run();
        outcome.add(Outcome::failure("tour: broke".to_owned()));
        let text = render(&outcome, true, Some("a note"));
        assert!(text.starts_with("a note\nfailed:\n  tour: broke\nnot run: ("));
        assert!(text.ends_with("\n3 passed, 2 failed\n"));
    }
}
