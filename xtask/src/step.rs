//! A step of a run: what it needs, what it calls, and how its result counts.

use std::process::ExitStatus;

use crate::call::Call;
use crate::clock::Clock;
use crate::tally::Outcome;
use crate::workspace::Workspace;

/// What demonstrations exit with if some were not run, and none failed.
const NOT_RUN: i32 = 3;

/// One command, and what is expected of it.
pub struct Step {
    name: String,
    call: Call,
    need: Option<Need>,
    /// What is already known to be missing.
    missing: Option<String>,
    counts: Counts,
}

/// How the result of a step counts.
enum Counts {
    /// It passes or fails by its exit code.
    Success,
    /// It must fail, and say this.
    Refusal(&'static str),
    /// Tests that count one by one, in lines that this reads.
    Tests(fn(&mut Outcome, &str)),
    /// Demonstrations that count one by one.
    Uses,
    /// It brings what later steps need: if it fails, it was not run.
    Install,
}

/// What must be there before a step makes sense.
pub struct Need {
    /// What to say when the probe fails: the cause, and what to do.
    pub missing: String,
    /// Succeeds when all is there.
    pub probe: Call,
}

impl Step {
    /// A command that must succeed.
    pub fn new(name: impl Into<String>, call: Call) -> Self {
        Self { name: name.into(), call, need: None, missing: None, counts: Counts::Success }
    }

    /// A command that must fail, and say this.
    pub fn refusal(name: impl Into<String>, call: Call, says: &'static str) -> Self {
        Self { counts: Counts::Refusal(says), ..Self::new(name, call) }
    }

    /// A `cargo test`, of which each test counts.
    pub fn cargo_test(name: impl Into<String>, call: Call) -> Self {
        Self { counts: Counts::Tests(Outcome::see_cargo), ..Self::new(name, call) }
    }

    /// A run of pytest, of which each test counts.
    pub fn pytest(name: impl Into<String>, call: Call) -> Self {
        Self { counts: Counts::Tests(Outcome::see_pytest), ..Self::new(name, call) }
    }

    /// A run of `node --test` with the reporter `tap`, of which each test counts.
    pub fn node_test(name: impl Into<String>, call: Call) -> Self {
        Self { counts: Counts::Tests(Outcome::see_tap), ..Self::new(name, call) }
    }

    /// A run of demonstrations, of which each counts.
    pub fn uses(name: impl Into<String>, call: Call) -> Self {
        Self { counts: Counts::Uses, ..Self::new(name, call) }
    }

    /// A command that brings what later steps need. If it fails, it was not run: nothing is wrong
    /// with what is tested.
    pub fn install(name: impl Into<String>, call: Call) -> Self {
        Self { counts: Counts::Install, ..Self::new(name, call) }
    }

    pub fn needs(mut self, need: Need) -> Self {
        self.need = Some(need);
        self
    }

    /// Not run if something is known to be missing.
    pub fn unless(mut self, missing: Option<&String>) -> Self {
        self.missing = self.missing.or_else(|| missing.cloned());
        self
    }

    fn run(&self, workspace: &Workspace) -> Outcome {
        if let Some(missing) = &self.missing {
            return Outcome::not_run(&format!("{}: {missing}", self.name));
        }
        if let Some(need) = self.need.as_ref().filter(|need| !need.probe.succeeds(workspace)) {
            return Outcome::not_run(&format!("{}: {}", self.name, need.missing));
        }
        let result = match self.counts {
            Counts::Success => self.succeed(workspace),
            Counts::Refusal(says) => self.refuse(workspace, says),
            Counts::Tests(see) => self.test(workspace, see, None),
            Counts::Uses => self.test(workspace, Outcome::see_uses, Some(NOT_RUN)),
            Counts::Install => Ok(self.install_now(workspace)),
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

    fn install_now(&self, workspace: &Workspace) -> Outcome {
        let why = self.succeed(workspace).err();
        why.map_or(Outcome::pass(), |why| Outcome::not_run(&format!("{}: {why}", self.name)))
    }

    /// `not_run` is the exit code that says: some were not run, and none failed.
    fn test(
        &self,
        workspace: &Workspace,
        see: fn(&mut Outcome, &str),
        not_run: Option<i32>,
    ) -> Result<Outcome, String> {
        let mut outcome = Outcome::default();
        let status = self.call.tee(workspace, &mut |line| see(&mut outcome, line))?;
        if status.success() && outcome == Outcome::default() {
            return Err("no test ran".to_owned());
        }
        let told = outcome.failed > 0 || outcome.not_run > 0 && not_run == status.code();
        // Otherwise it did not compile, or a test program crashed.
        if !status.success() && !told {
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
