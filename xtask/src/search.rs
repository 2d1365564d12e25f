//! `anther grep` beside ripgrep, in random cases.

use crate::call::Call;
use crate::crate_apart::missing_after_installing;
use crate::packages::Package;
use crate::step::Step;
use crate::workspace::Workspace;

/// What `rg -z` decompresses with.
const PROGRAMS: [Package; 4] =
    [("bzip2", "bzip2"), ("gzip", "gzip"), ("xz-utils", "xz"), ("zstd", "zstd")];

/// The release whose crates the program uses. Debian's is older, and prints some things in another
/// way.
const RIPGREP: &str = "15.1.0";

/// Where it is installed.
const ROOT: &str = "target/search";

pub fn steps(workspace: &Workspace) -> Vec<Step> {
    let missing = missing_after_installing(workspace, PROGRAMS);
    let rg = workspace.path(&format!("{ROOT}/bin/rg"));
    let tests = Call::cargo(["test", "--locked", "--package", "anther-cli", "--test", "search"])
        .args(["--", "--nocapture"])
        .env("ANTHER_RG", rg);
    vec![install(), Step::cargo_test("search", tests).unless(missing.as_ref())]
}

/// Does nothing if it is there.
fn install() -> Step {
    let call = Call::cargo(["install", "ripgrep", "--locked", "--version", RIPGREP]).args([
        "--root",
        ROOT,
        "--target-dir",
        "target/search/build",
    ]);
    Step::install("ripgrep installed", call)
}
