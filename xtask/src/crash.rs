//! What a crash at any moment leaves of files.

use std::process::ExitCode;

use crate::call::Call;
use crate::step::{Need, Step};
use crate::workspace::Workspace;
use crate::{Trouble, run};

const RECORD: &str = "bench/records/crash.csv";

/// Crash states and faults, or kills; with a record, unless only some paths are looked at.
pub fn crash(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    refuse_elsewhere()?;
    // Wrong arguments are told before the program is built, which takes minutes.
    let code = run(workspace, &states("").args(["--parse-only"]).args(args))?;
    if code != ExitCode::SUCCESS {
        return Ok(code);
    }
    let code = run(workspace, &program())?;
    if code != ExitCode::SUCCESS {
        return Ok(code);
    }
    let is_part = args.iter().any(|arg| arg.parse::<u64>().is_err() && !arg.starts_with("--"));
    let record = (!is_part).then_some(["--record", RECORD]).into_iter().flatten();
    run(workspace, &states(&workspace.path("target/release/anther")).args(record).args(args))
}

/// All states and faults: they take half a minute. The program is the one of the tour.
pub fn step(workspace: &Workspace) -> Step {
    let call = Call::program(workspace.built("crash"));
    let call = call.args(["--program", &workspace.path("target/release/anther")]);
    Step::new("crash states and faults", call).needs(Need {
        missing: "programs are traced on Linux on x86-64 only".to_owned(),
        probe: Call::program(if is_supported() { "true" } else { "false" }),
    })
}

/// The program as it is installed.
fn program() -> Call {
    Call::cargo(["build", "--release", "--locked", "--package", "anther-cli"])
}

fn states(program: &str) -> Call {
    Call::cargo(["run", "--release", "--locked", "--package", "anther-crash"]).args([
        "--",
        "--program",
        program,
    ])
}

fn is_supported() -> bool {
    cfg!(all(target_os = "linux", target_arch = "x86_64"))
}

fn refuse_elsewhere() -> Result<(), Trouble> {
    match is_supported() {
        true => Ok(()),
        false => {
            Err(Trouble::blocked("crash: programs are traced on Linux on x86-64 only.".to_owned()))
        }
    }
}
