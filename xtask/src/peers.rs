//! The program beside those that people use today: Debian's packages and published crates.

use std::process::ExitCode;

use crate::call::Call;
use crate::packages::{self, Package};
use crate::workspace::Workspace;
use crate::{Trouble, from_bench, run};

/// What `anther grep` is compared with. ripgrep calls zstd for compressed files.
const SEARCHERS: [Package; 3] = [("ripgrep", "rg"), ("zstd", "zstd"), ("ugrep", "ugrep")];

/// What `anther uniq` is compared with, by name and version.
const CRATES: [&str; 2] = ["huniq@2.7.0", "runiq@2.1.0"];
const CRATES_ROOT: &str = "target/peers";

/// `anther grep` beside `rg -z`.
pub fn search(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    packages::install(workspace, &SEARCHERS, []).map_err(Trouble::blocked)?;
    run(workspace, &from_bench("search").args(["--"]).args(args))
}

/// `anther uniq` beside huniq, runiq, sort and awk.
pub fn uniq(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    // Those that are installed already, in this version, are left as they are.
    let install = Call::cargo(["install", "--locked", "--root", CRATES_ROOT]).args(CRATES);
    let status = install.run(workspace).map_err(Trouble::blocked)?;
    if !status.success() {
        return Err(Trouble::blocked(format!("`{install}` ended with {status}")));
    }
    run(workspace, &from_bench("uniq").args(["--"]).args(args))
}
