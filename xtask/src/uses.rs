//! The uses: their unit tests, then every demonstration with its real parts (processes, sockets,
//! network namespaces, other programs).

use crate::call::Call;
use crate::crate_apart::missing_after_installing;
use crate::packages::Package;
use crate::step::Step;
use crate::workspace::Workspace;

/// What demonstrations need beside the system. npm fetches the routes of longest-prefix.
const PROGRAMS: [Package; 4] =
    [("iproute2", "ip"), ("npm", "npm"), ("sqlite3", "sqlite3"), ("squid", "/usr/sbin/squid")];

pub fn steps(workspace: &Workspace) -> Vec<Step> {
    // What lacks a program says so itself, as not run; the others run.
    if let Some(missing) = missing_after_installing(workspace, PROGRAMS) {
        println!("uses: {missing}");
    }
    vec![without_demonstrations(), tests(workspace), demonstrations()]
}

/// What others copy, and what the tour calls, compiles without the demonstrations.
fn without_demonstrations() -> Step {
    let call = cargo("check").args(["--lib", "--no-default-features"]);
    Step::new("uses without demonstrations", call)
}

/// In release mode as the demonstrations, so that dependencies are compiled once.
fn tests(workspace: &Workspace) -> Step {
    let mut call = cargo("test").args(["--no-fail-fast"]);
    if makes_namespaces(workspace) {
        call = call.args(["--", "--include-ignored"]);
    }
    Step::cargo_test("uses tests", call)
}

fn demonstrations() -> Step {
    Step::uses("uses", cargo("run").args(["--", "all"]))
}

fn cargo(verb: &str) -> Call {
    Call::cargo([verb, "--release", "--locked", "--package", "anther-uses"])
}

/// Root in a container often may not.
fn makes_namespaces(workspace: &Workspace) -> bool {
    Call::program("unshare").args(["--net", "--mount", "true"]).succeeds(workspace)
}
