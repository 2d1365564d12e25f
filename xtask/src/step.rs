//! A step of a run: what it needs, what it calls, and how its result counts.

use std::process::ExitStatus;

use crate::call::Call;
use crate::clock::Clock;
use crate::tally::Outcome;
use crate::workspace::Workspace;

/// One command, and what is expected of it.
pub struct Step {
    name: String,
    call: Call,
    need: Option<Need>,
    counts: Counts,
}

/// How the result of a step counts.
enum Counts {
    /// It passes or fails by its exit code.
    Success,
    /// It must fail, and say this.
    Refusal(&'static str),
    /// A `cargo test`, of which each test counts.
    Tests,
}

/// What must be there before a step makes sense.
pub struct Need {
    /// What to say when the probe fails: the cause, and what to do.
    pub missing: &'static str,
    /// Succeeds when all is there.
    pub probe: Call,
}

impl Step {
    /// A command that must succeed.
    pub fn new(name: impl Into<String>, call: Call) -> Self {
        Self { name: name.into(), call, need: None, counts: Counts::Success }
    }

    /// A command that must fail, and say this.
    pub fn refusal(name: impl Into<String>, call: Call, says: &'static str) -> Self {
        Self { counts: Counts::Refusal(says), ..Self::new(name, call) }
    }

    /// A `cargo test`, of which each test counts.
    pub fn cargo_test(name: impl Into<String>, call: Call) -> Self {
        Self { counts: Counts::Tests, ..Self::new(name, call) }
    }

    pub fn needs(mut self, need: Need) -> Self {
        self.need = Some(need);
        self
    }

    fn run(&self, workspace: &Workspace) -> Outcome {
        if let Some(need) = self.need.as_ref().filter(|need| !need.probe.succeeds(workspace)) {
            return Outcome::not_run(&format!("{}: {}", self.name, need.missing));
        }
        let result = match self.counts {
            Counts::Success => self.succeed(workspace),
            Counts::Refusal(says) => self.refuse(workspace, says),
            Counts::Tests => self.test(workspace),
        };
        result.unwrap_or_else(|why| Outcome::failure(&format!("{}: {why}", self.name)))
    }

    fn succeed(&self, workspace: &Workspace) -> Result<Outcome, String> {
        let status = self.call.run(workspace)?;
        if status.success() { Ok(Outcome::pass()) } else { Err(ended(status)) }
    }

    fn refuse(&self, workspace: &Workspace, says: &str) -> Result<Outcome, String> {
        let output = self.call.output(workspace)?;
        let said = String::from_utf8_lossy(&output.stderr);
        print!("{said}");
        if output.status.success() || !said.contains(says) {
            return Err(format!("it did not fail with `{says}`"));
        }
        Ok(Outcome::pass())
    }

    fn test(&self, workspace: &Workspace) -> Result<Outcome, String> {
        let mut outcome = Outcome::default();
        let status = self.call.tee(workspace, &mut |line| outcome.see(line))?;
        if status.success() && outcome == Outcome::default() {
            return Err("no test ran".to_owned());
        }
        // Without a failed test it did not compile, or a test program crashed.
        if !status.success() && outcome.failed == 0 {
            outcome.add(Outcome::failure(&format!("{}: {}", self.name, ended(status))));
        }
        Ok(outcome)
    }
}

/// Runs all of them, whatever fails on the way, so that one run shows everything.
pub fn run_all(workspace: &Workspace, steps: &[Step]) -> Outcome {
    let mut all = Outcome::default();
    for step in steps {
        println!("== {}: {}", step.name, step.call);
        let clock = Clock::start();
        let outcome = step.run(workspace);
        println!("== {}: {outcome} in {}\n", step.name, clock.read());
        all.add(outcome);
    }
    all
}

fn ended(status: ExitStatus) -> String {
    format!("the command ended with {status}; read its output above")
}
