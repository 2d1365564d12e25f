//! A step of a run: what it needs, what it calls, and how its result counts.

use std::process::ExitStatus;
use std::time::Instant;

use crate::call::Call;
use crate::tally::{NotRun, Outcome, Tally};
use crate::workspace::Workspace;

/// One command whose success is asked for.
pub struct Step {
    name: String,
    call: Call,
    need: Option<Need>,
    counts: Counts,
}

/// What must be there before a step makes sense.
pub struct Need {
    /// What to say when the probe fails: the cause, and what to do.
    pub missing: &'static str,
    /// Succeeds when all is there.
    pub probe: Call,
}

/// How the result of a step counts.
#[derive(Clone, Copy)]
pub enum Counts {
    /// The step is one thing that passes or fails by its exit code.
    Whole,
    /// The step is a `cargo test`: each test counts for itself.
    Tests,
}

impl Step {
    pub fn new(name: impl Into<String>, call: Call) -> Self {
        Self { name: name.into(), call, need: None, counts: Counts::Whole }
    }

    pub fn needs(mut self, need: Need) -> Self {
        self.need = Some(need);
        self
    }

    pub fn counts(mut self, counts: Counts) -> Self {
        self.counts = counts;
        self
    }

    fn missing(&self, workspace: &Workspace) -> Option<&'static str> {
        let need = self.need.as_ref()?;
        (!need.probe.succeeds(workspace)).then_some(need.missing)
    }

    fn run(&self, workspace: &Workspace) -> Outcome {
        if let Some(why) = self.missing(workspace) {
            return Outcome::not_run(NotRun { what: self.name.clone(), why: why.to_owned() });
        }
        let result = match self.counts {
            Counts::Whole => self.run_whole(workspace),
            Counts::Tests => self.run_tests(workspace),
        };
        result.unwrap_or_else(|why| Outcome::failure(format!("{}: {why}", self.name)))
    }

    fn run_whole(&self, workspace: &Workspace) -> Result<Outcome, String> {
        let status = self.call.run(workspace)?;
        if status.success() { Ok(Outcome::pass()) } else { Err(ended(status)) }
    }

    fn run_tests(&self, workspace: &Workspace) -> Result<Outcome, String> {
        let mut tally = Tally::default();
        let status = self.call.tee(workspace, &mut |line| tally.see(line))?;
        let mut outcome = tally.finish();
        // A compile error leaves no result to count, and a run of nothing proves nothing.
        if !status.success() && outcome.failures.is_empty() {
            outcome.failures.push(format!("{}: {}", self.name, ended(status)));
        } else if outcome.passed == 0 && outcome.failures.is_empty() {
            outcome.failures.push(format!("{}: no test ran", self.name));
        }
        Ok(outcome)
    }
}

/// Runs all of them, whatever fails on the way, so that one run shows everything.
pub fn run_all(workspace: &Workspace, steps: &[Step]) -> Outcome {
    let mut all = Outcome::default();
    for step in steps {
        println!("== {}: {}", step.name, step.call);
        let start = Instant::now();
        let outcome = step.run(workspace);
        println!("== {}: {outcome} in {:.1} s\n", step.name, start.elapsed().as_secs_f64());
        all.add(outcome);
    }
    all
}

fn ended(status: ExitStatus) -> String {
    format!("the command ended with {status}; read its output above")
}
