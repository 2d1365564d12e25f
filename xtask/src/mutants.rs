//! Mutants of the library, which its tests must notice, and the lines that its tests run.

use std::fs;
use std::process::ExitCode;

use crate::call::Call;
use crate::workspace::Workspace;
use crate::{Trouble, run};

const CARGO_MUTANTS: &str = "27.1.0";
const TOOLS: &str = "target/mutants/tools";
/// What cargo-mutants lists, for the program in `xtask/mutants`.
const LIST: &str = "target/mutants/list.json";

/// `filter` has `solve` in it.
const FOLDERS: [&str; 4] = ["parts", "sizing", "filter", "format"];

/// Installs cargo-mutants, lists the mutants, and runs a sample of them.
pub fn run_sample(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    let blocked = |message| Trouble::blocked(format!("mutants: {message}"));
    let program = || Call::cargo(["run", "--quiet", "--locked", "--package", "mutants", "--"]);
    // Wrong arguments are told before anything is installed.
    let code = run(workspace, &program().args(["--parse-only"]).args(args))?;
    if code != ExitCode::SUCCESS {
        return Ok(code);
    }
    install(workspace, "cargo-mutants", CARGO_MUTANTS, TOOLS).map_err(blocked)?;
    let files = FOLDERS.map(|folder| format!("--file=crates/anther/src/{folder}/**"));
    let list = Call::program(workspace.path(&format!("{TOOLS}/bin/cargo-mutants")))
        .args(["mutants", "--list", "--json", "--package", "anther"])
        .args(files);
    let output = list.output(workspace).map_err(blocked)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(blocked(format!("`{list}` ended with {}:\n{said}", output.status)));
    }
    let path = workspace.path(LIST);
    fs::write(&path, output.stdout)
        .map_err(|error| blocked(format!("cannot write {path}: {error}.")))?;
    run(workspace, &program().args([format!("--list={path}")]).args(args))
}

/// Does nothing if it is there.
pub fn install(workspace: &Workspace, name: &str, version: &str, root: &str) -> Result<(), String> {
    let call = Call::cargo(["install", name, "--locked", "--version", version])
        .args(["--root", root])
        .args(["--target-dir".to_owned(), format!("{root}/build")]);
    let status = call.run(workspace)?;
    if !status.success() {
        return Err(format!("`{call}` ended with {status}; it needs the crates registry."));
    }
    Ok(())
}
