//! Files of other systems, with those systems: each reads what the program writes, and the program
//! reads what they write.
//!
//! Debian has Guava, Squid and the compilers as packages. Arrow, DuckDB, flor and the jars of Spark
//! come in wheels, most of them those of the Python package's tests. DCSO's own library for Go has no
//! package; flor reads and writes the same files. RedisBloom has none, either: the stage `server`
//! restores dumps that the program wrote into servers with our module.

use crate::compiled::{self, PROGRAM};
use crate::environment::{Environment, missing_after_installing};
use crate::packages::Package;
use crate::python;
use crate::step::{Need, Step};
use crate::workspace::Workspace;

/// The environment of the Python package's tests: Spark's jars alone are 400 MB.
const ENVIRONMENT: Environment =
    Environment { folder: python::ENVIRONMENT.folder, requirements: REQUIREMENTS };
const REQUIREMENTS: &str = "crates/anther-cli/tests/systems/requirements.txt";
const TESTS: &str = "crates/anther-cli/tests/systems";

/// What is tested with, beside what comes in wheels.
const SYSTEMS: [Package; 4] = [
    ("openjdk-17-jdk-headless", "javac"),
    ("g++", "c++"),
    ("libguava-java", "/usr/share/java/guava.jar"),
    ("squid", "/usr/sbin/squid"),
];

pub fn steps(workspace: &Workspace) -> Vec<Step> {
    let missing = missing_after_installing(workspace, Environment::packages(workspace));
    // Tests whose system is missing are skipped one by one, and count as not run.
    if let Some(missing) = missing_after_installing(workspace, SYSTEMS) {
        println!("foreign: {missing}");
    }
    let [environment, wheels] = ENVIRONMENT.steps(workspace);
    let pytest = ENVIRONMENT.python(workspace).args(["-m", "pytest", "-q", "-r", "fEs", TESTS]);
    let pytest = pytest.args(["--anther", &workspace.built(PROGRAM)]);
    vec![
        compiled::build(),
        environment.unless(missing.as_ref()),
        wheels.unless(missing.as_ref()),
        Step::pytest("program with other systems", pytest)
            .unless(missing.as_ref())
            .needs(prepared(workspace)),
    ]
}

/// One word instead of many tests that fail for one reason.
fn prepared(workspace: &Workspace) -> Need {
    let program =
        format!("import pathlib, flor; pathlib.Path({:?}).stat()", workspace.built(PROGRAM));
    Need {
        missing: "the program or a wheel is missing; see above".to_owned(),
        probe: ENVIRONMENT.python(workspace).args(["-c", &program]),
    }
}
