//! What a crash at any moment leaves of files: a workspace of its own, since it traces the program.

use std::process::ExitCode;

use crate::call::Call;
use crate::crate_apart::CrateApart;
use crate::step::{Need, Step};
use crate::workspace::Workspace;
use crate::{Trouble, run};

const CRATE: CrateApart =
    CrateApart { name: "crash", manifest: "crash/Cargo.toml", target: "target/crash" };
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

/// Lints, then all states and faults: they take half a minute. The program is the one of the tour.
pub fn steps(workspace: &Workspace) -> Vec<Step> {
    let call = states(&workspace.path("target/release/anther"));
    let crashes = Step::new("crash states and faults", call).needs(Need {
        missing: "programs are traced on Linux on x86-64 only".to_owned(),
        probe: Call::program(if is_supported() { "true" } else { "false" }),
    });
    vec![CRATE.formatting(), CRATE.clippy(), CRATE.tests(), crashes]
}

/// The program as it is installed.
fn program() -> Call {
    Call::cargo(["build", "--release", "--locked", "--package", "anther-cli"])
}

fn states(program: &str) -> Call {
    CRATE.cargo("run").args(["--", "--program", program])
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
