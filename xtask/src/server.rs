//! The module for Redis and Valkey, tested with real servers.
//!
//! Debian has Redis and what bindgen needs as packages; Valkey comes inside a wheel. Servers are
//! started on free ports, so that one which Debian starts on its own port is in nobody's way.

use std::process::ExitCode;

use crate::call::Call;
use crate::compiled::{self, MODULE, PROGRAM};
use crate::environment::{Environment, missing_after_installing};
use crate::packages::Package;
use crate::step::{self, Need, Step};
use crate::workspace::Workspace;
use crate::{Trouble, exit_code, run};

const ENVIRONMENT: Environment = Environment {
    folder: "target/server/python",
    requirements: "crates/anther-redis/tests/requirements.txt",
};

const TESTS: &str = "crates/anther-redis/tests";
const LONG: &str = "crates/anther-redis/tests/long.py";
const LOAD: &str = "bench/server/load.py";

/// As it is installed: what the long runs and the benchmark load.
const RELEASED: &str = "target/release/libanther_redis.so";

/// What its tests run on. A wheel brings Valkey.
pub const SERVER: Package = ("redis-server", "redis-server");

/// The tests with servers; its unit tests are in the stage `core`.
pub fn steps(workspace: &Workspace) -> Vec<Step> {
    let to_build = compiled::missing_for_the_module(workspace);
    let to_serve = missing_to_serve(workspace);
    let [environment, wheels] = ENVIRONMENT.steps(workspace);
    let pytest = ENVIRONMENT.python(workspace).args(["-m", "pytest", "-q", "-r", "fEs", TESTS]);
    let pytest = pytest
        .args(["--module", &workspace.built(MODULE)])
        .args(["--anther", &workspace.built(PROGRAM)]);
    vec![
        compiled::build().unless(to_build.as_ref()),
        environment.unless(to_serve.as_ref()),
        wheels.unless(to_serve.as_ref()),
        Step::pytest("module with servers", pytest)
            .unless(to_serve.as_ref())
            .needs(built(workspace)),
    ]
}

/// The tests that kill servers, forge payloads and fail over, as often as asked.
pub fn long(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    prepared(workspace, LONG, args)
}

/// Commands of the module beside the server's own, under load.
pub fn bench(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    prepared(workspace, LOAD, args)
}

/// Runs a Python program that needs the module and the servers.
fn prepared(workspace: &Workspace, file: &str, args: &[String]) -> Result<ExitCode, Trouble> {
    let to_build = compiled::missing_for_the_module(workspace);
    let to_serve = missing_to_serve(workspace);
    let [environment, wheels] = ENVIRONMENT.steps(workspace);
    let module = Call::cargo(["build", "--release", "--locked", "--package", "anther-redis"]);
    let steps = [
        Step::new("module", module).unless(to_build.as_ref()),
        environment.unless(to_serve.as_ref()),
        wheels.unless(to_serve.as_ref()),
    ];
    let outcome = step::run_all(workspace, &steps);
    outcome.notes.iter().for_each(|note| println!("{note}"));
    if outcome.failed + outcome.not_run > 0 {
        return Ok(exit_code(false));
    }
    run(workspace, &ENVIRONMENT.python(workspace).args([file, "--module", RELEASED]).args(args))
}

fn missing_to_serve(workspace: &Workspace) -> Option<String> {
    missing_after_installing(workspace, Environment::packages(workspace).chain([SERVER]))
}

/// One word instead of a thousand tests that fail for one reason.
fn built(workspace: &Workspace) -> Need {
    let files = [MODULE, PROGRAM].map(|file| workspace.built(file));
    Need {
        missing: "the module, the program or Python is missing; see above".to_owned(),
        probe: Call::program("ls").args(files).args([ENVIRONMENT.interpreter(workspace)]),
    }
}
