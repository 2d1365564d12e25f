//! The module for Redis and Valkey: a workspace of its own, tested with real servers.
//!
//! Debian has Redis and what bindgen needs as packages; Valkey comes inside a wheel. Servers are
//! started on free ports, so that one which Debian starts on its own port is in nobody's way.

use std::process::ExitCode;

use crate::call::Call;
use crate::crate_apart::{self, CrateApart, Environment, PROGRAM, missing_after_installing};
use crate::packages::Package;
use crate::step::{self, Need, Step};
use crate::workspace::Workspace;
use crate::{Trouble, exit_code, run};

const CRATE: CrateApart = CrateApart {
    name: "module",
    manifest: "crates/anther-redis/Cargo.toml",
    target: "target/server",
};
const ENVIRONMENT: Environment = Environment {
    folder: "target/server/python",
    requirements: "crates/anther-redis/tests/requirements.txt",
};

pub const MODULE: &str = "target/server/release/libanther_redis.so";
const TESTS: &str = "crates/anther-redis/tests";
const LONG: &str = "crates/anther-redis/tests/long.py";
const LOAD: &str = "bench/server/load.py";

/// What the module is compiled with.
const TO_BUILD: [Package; 2] =
    [("clang-14", "clang-14"), ("libclang-14-dev", "/usr/lib/llvm-14/lib/libclang.so")];

/// What its tests run on. A wheel brings Valkey.
pub const SERVER: Package = ("redis-server", "redis-server");

/// Lints, unit tests, and the tests with servers.
pub fn steps(workspace: &Workspace) -> Vec<Step> {
    let to_build = missing_after_installing(workspace, TO_BUILD);
    let to_serve = missing_to_serve(workspace);
    let [environment, wheels] = ENVIRONMENT.steps(workspace);
    let pytest = ENVIRONMENT.python(workspace).args(["-m", "pytest", "-q", "-r", "fEs", TESTS]);
    let pytest = pytest.args(["--module", MODULE, "--anther", PROGRAM]);
    vec![
        CRATE.formatting(),
        CRATE.clippy().unless(to_build.as_ref()),
        CRATE.rustdoc().unless(to_build.as_ref()),
        build_step().unless(to_build.as_ref()),
        CRATE.tests().unless(to_build.as_ref()),
        crate_apart::program(),
        environment.unless(to_serve.as_ref()),
        wheels.unless(to_serve.as_ref()),
        Step::pytest("module with servers", pytest)
            .unless(to_serve.as_ref())
            .needs(built(workspace)),
    ]
}

/// The module alone, for the tests of others. Installs what it takes.
pub fn build(workspace: &Workspace) -> Step {
    build_step().unless(missing_after_installing(workspace, TO_BUILD).as_ref())
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
    let to_serve = missing_to_serve(workspace);
    let [environment, wheels] = ENVIRONMENT.steps(workspace);
    let steps =
        [build(workspace), environment.unless(to_serve.as_ref()), wheels.unless(to_serve.as_ref())];
    let outcome = step::run_all(workspace, &steps);
    outcome.notes.iter().for_each(|note| println!("{note}"));
    if outcome.failed + outcome.not_run > 0 {
        return Ok(exit_code(false));
    }
    run(workspace, &ENVIRONMENT.python(workspace).args([file, "--module", MODULE]).args(args))
}

fn missing_to_serve(workspace: &Workspace) -> Option<String> {
    missing_after_installing(workspace, Environment::packages(workspace).chain([SERVER]))
}

fn build_step() -> Step {
    Step::new("module", CRATE.cargo("build"))
}

/// One word instead of a thousand tests that fail for one reason.
fn built(workspace: &Workspace) -> Need {
    let files = [MODULE, PROGRAM].map(|file| workspace.path(file));
    Need {
        missing: "the module, the program or Python is missing; see above".to_owned(),
        probe: Call::program("ls").args(files).args([ENVIRONMENT.interpreter(workspace)]),
    }
}
