//! `anther grep` beside ripgrep, in random cases.

use crate::compiled;
use crate::environment::{Environment, missing_after_installing};
use crate::packages::Package;
use crate::step::Step;
use crate::workspace::Workspace;

/// What `rg -z` decompresses with.
const PROGRAMS: [Package; 4] =
    [("bzip2", "bzip2"), ("gzip", "gzip"), ("xz-utils", "xz"), ("zstd", "zstd")];

/// A wheel has ripgrep of the release whose crates the program uses. Debian's is older, and prints
/// some things in another way; compiling it took 80 s.
const ENVIRONMENT: Environment = Environment {
    folder: "target/search",
    requirements: "crates/anther-cli/tests/search/requirements.txt",
};

/// How many random cases an ordinary run has: five worlds of files, with every option in many cases.
const CASES: &str = "500";
const LONG_CASES: &str = "10000";

pub fn steps(workspace: &Workspace) -> Vec<Step> {
    steps_of(workspace, CASES)
}

/// The same with twenty times as many cases.
pub fn long(workspace: &Workspace) -> Vec<Step> {
    steps_of(workspace, LONG_CASES)
}

fn steps_of(workspace: &Workspace, cases: &str) -> Vec<Step> {
    let packages = Environment::packages(workspace).chain(PROGRAMS);
    let missing = missing_after_installing(workspace, packages);
    let [made, filled] = ENVIRONMENT.steps(workspace);
    let tests = compiled::test_call(["--test", "search", "--", "--nocapture"])
        .env("ANTHER_RG", workspace.path("target/search/bin/rg"))
        .env("ANTHER_SEARCH_CASES", cases);
    [made, filled, Step::cargo_test("search", tests)]
        .map(|step| step.unless(missing.as_ref()))
        .into()
}
