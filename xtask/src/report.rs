//! The words at the end of a run.

use crate::clock::Time;
use crate::tally::Outcome;

/// A stage that has run.
pub struct Ran {
    pub name: &'static str,
    pub outcome: Outcome,
    pub time: Time,
    pub budget_minutes: u64,
}

/// How many failures a run has; with `require_all`, what was not run has failed.
pub fn failed(outcome: &Outcome, require_all: bool) -> usize {
    outcome.failed + if require_all { outcome.not_run } else { 0 }
}

/// What did not pass, a line for each stage, and alone on the last line the two counts.
pub fn render(stages: &[Ran], require_all: bool) -> String {
    let notes = stages.iter().flat_map(|stage| {
        stage.outcome.notes.iter().map(move |note| format!("{}: {note}\n", stage.name))
    });
    let mut text: String = notes.collect();
    if require_all && stages.iter().any(|stage| stage.outcome.not_run > 0) {
        text += "With --require-all, what was not run has failed.\n";
    }
    let (mut passed, mut all_failed) = (0, 0);
    for stage in stages {
        let over = stage.time.wall.as_secs() > stage.budget_minutes * 60;
        text += &format!(
            "{}: {}, {} of {} min{}\n",
            stage.name,
            stage.outcome,
            stage.time,
            stage.budget_minutes,
            if over { ": over its budget" } else { "" }
        );
        passed += stage.outcome.passed;
        all_failed += failed(&stage.outcome, require_all);
    }
    text + &format!("{passed} passed, {all_failed} failed\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn stage(name: &'static str, seconds: u64, outcome: Outcome) -> Ran {
        let time = Time { wall: Duration::from_secs(seconds), cpu: None };
        Ran { name, outcome, time, budget_minutes: 15 }
    }

    #[test]
    fn each_stage_has_a_line_and_the_sum_comes_last() {
        let core = stage("core", 125, Outcome { passed: 3, ..Outcome::default() });
        let page = stage("page", 960, Outcome { passed: 2, ..Outcome::default() });
        assert_eq!(
            render(&[core, page], true),
            "core: 3 passed, 0 failed, 2 min 5 s of 15 min\n\
             page: 2 passed, 0 failed, 16 min 0 s of 15 min: over its budget\n\
             5 passed, 0 failed\n"
        );
    }

    #[test]
    fn what_was_not_run_fails_only_when_all_is_required() {
        let core = || {
            let mut outcome = Outcome::pass();
            outcome.add(Outcome::not_run("formatting: no rustfmt"));
            outcome.add(Outcome::failure("tour: broke"));
            [stage("core", 1, outcome)]
        };
        let text = render(&core(), false);
        assert!(text.starts_with("core: not run: formatting: no rustfmt\ncore: failed: tour"));
        assert!(text.ends_with("\n1 passed, 1 failed\n"));
        assert!(render(&core(), true).ends_with("\n1 passed, 2 failed\n"));
    }
}
