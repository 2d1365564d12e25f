//! A step of a run: what it needs, what it calls, and how its result counts.

use std::process::ExitStatus;

use crate::call::Call;
use crate::clock::Clock;
use crate::tally::Outcome;
use crate::workspace::Workspace;

/// One command that must succeed.
pub struct Step {
    name: String,
    call: Call,
    need: Option<Need>,
    is_cargo_test: bool,
}

/// What must be there before a step makes sense.
pub struct Need {
    /// What to say when the probe fails: the cause, and what to do.
    pub missing: &'static str,
    /// Succeeds when all is there.
    pub probe: Call,
}

impl Step {
    /// Passes or fails by its exit code.
    pub fn new(name: impl Into<String>, call: Call) -> Self {
        Self { name: name.into(), call, need: None, is_cargo_test: false }
    }

    /// A `cargo test`, of which each test counts.
    pub fn cargo_test(name: impl Into<String>, call: Call) -> Self {
        Self { is_cargo_test: true, ..Self::new(name, call) }
    }

    pub fn needs(mut self, need: Need) -> Self {
        self.need = Some(need);
        self
    }

    fn run(&self, workspace: &Workspace) -> Outcome {
        if let Some(need) = self.need.as_ref().filter(|need| !need.probe.succeeds(workspace)) {
            return Outcome::not_run(&format!("{}: {}", self.name, need.missing));
        }
        let mut outcome = Outcome::default();
        let status = if self.is_cargo_test {
            self.call.tee(workspace, &mut |line| outcome.see(line))
        } else {
            self.call.run(workspace)
        };
        outcome.add(match status {
            Err(why) => Outcome::failure(&format!("{}: {why}", self.name)),
            // Without a failed test it did not compile, or a test program crashed.
            Ok(status) if !status.success() && outcome.failed == 0 => {
                Outcome::failure(&format!("{}: {}", self.name, ended(status)))
            }
            Ok(_) if !self.is_cargo_test => Outcome::pass(),
            Ok(_) if outcome == Outcome::default() => {
                Outcome::failure(&format!("{}: no test ran", self.name))
            }
            Ok(_) => Outcome::default(),
        });
        outcome
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
