//! The module for Redis and Valkey: a workspace of its own, tested with real servers.
//!
//! Debian has Redis and what bindgen needs as packages; Valkey comes inside a wheel. Servers are
//! started on free ports, so that one which Debian starts on its own port is in nobody's way.

use std::process::ExitCode;

use crate::call::Call;
use crate::packages::{self, Package};
use crate::stages::{clippy_driver, rustfmt};
use crate::step::{self, Need, Step};
use crate::workspace::Workspace;
use crate::{Trouble, exit_code, run};

const MANIFEST: &str = "crates/anther-redis/Cargo.toml";
const TESTS: &str = "crates/anther-redis/tests";
const LONG: &str = "crates/anther-redis/tests/long.py";
const LOAD: &str = "bench/server/load.py";

/// Cargo's for the module: in the root's folder, so that one `cargo clean` takes all.
const TARGET: &str = "target/server";
const MODULE: &str = "target/server/release/libanther_redis.so";

/// The program, which the tests of BF.IMPORT and BF.EXPORT call.
const ANTHER: &str = "target/server/program/debug/anther";

const ENVIRONMENT: &str = "target/server/python";
const PYTHON: &str = "target/server/python/bin/python";

/// What the module is compiled with.
const TO_BUILD: [Package; 2] =
    [("clang-14", "clang-14"), ("libclang-14-dev", "/usr/lib/llvm-14/lib/libclang.so")];

/// What its tests run on. A wheel brings Valkey.
const TO_SERVE: [Package; 2] = [("redis-server", "redis-server"), ("python3", "python3")];

/// Lints, unit tests, and the tests with servers.
pub fn steps(workspace: &Workspace) -> Vec<Step> {
    let missing = Missing::after_installing(workspace);
    let [build, environment, wheels] = preparation(workspace, &missing);
    let pytest = python(workspace).args(["-m", "pytest", "-q", "-r", "fEs", TESTS]);
    let pytest = pytest.args(["--module", MODULE, "--anther", ANTHER]);
    vec![
        formatting(),
        clippy().unless(missing.to_build.as_ref()),
        rustdoc().unless(missing.to_build.as_ref()),
        build,
        unit_tests().unless(missing.to_build.as_ref()),
        program(),
        environment,
        wheels,
        Step::pytest("module with servers", pytest)
            .unless(missing.to_serve.as_ref())
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
    let missing = Missing::after_installing(workspace);
    let outcome = step::run_all(workspace, &preparation(workspace, &missing));
    outcome.notes.iter().for_each(|note| println!("{note}"));
    if outcome.failed + outcome.not_run > 0 {
        return Ok(exit_code(false));
    }
    run(workspace, &python(workspace).args([file, "--module", MODULE]).args(args))
}

/// What could not be installed, in words.
struct Missing {
    to_build: Option<String>,
    to_serve: Option<String>,
}

impl Missing {
    fn after_installing(workspace: &Workspace) -> Self {
        Self {
            to_build: packages::install(workspace, &TO_BUILD, []).err(),
            to_serve: packages::install(workspace, &to_serve(workspace), []).err(),
        }
    }
}

/// The module, and Python with what its tests import.
fn preparation(workspace: &Workspace, missing: &Missing) -> [Step; 3] {
    [
        Step::new("module", of_module("build")).unless(missing.to_build.as_ref()),
        environment().unless(missing.to_serve.as_ref()),
        wheels(workspace).unless(missing.to_serve.as_ref()),
    ]
}

/// Debian keeps what makes environments in a package of its own.
fn to_serve(workspace: &Workspace) -> Vec<Package> {
    let probe = Call::program("python3").args(["-m", "ensurepip", "--version"]);
    let venv =
        (!probe.succeeds(workspace)).then_some(("python3-venv", "/usr/share/doc/python3-venv"));
    TO_SERVE.into_iter().chain(venv).collect()
}

fn formatting() -> Step {
    let call = Call::cargo(["fmt", "--check", "--manifest-path", MANIFEST]);
    Step::new("module formatting", call).needs(rustfmt())
}

/// In release mode, as all of them here: bindgen runs once.
fn clippy() -> Step {
    let call = of_module("clippy").args(["--all-targets", "--", "-D", "warnings"]);
    Step::new("module clippy", call).needs(clippy_driver())
}

fn rustdoc() -> Step {
    let call = of_module("doc").args(["--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    Step::new("module rustdoc", call)
}

fn unit_tests() -> Step {
    Step::cargo_test("module unit tests", of_module("test").args(["--no-fail-fast"]))
}

/// Without what only its pictures need, and unoptimised: the filters of these tests are small.
fn program() -> Step {
    let call = Call::cargo(["build", "--locked", "--package", "anther-cli"]).args([
        "--no-default-features",
        "--target-dir",
        "target/server/program",
    ]);
    Step::new("program for the module's tests", call)
}

/// One word instead of a thousand tests that fail for one reason.
fn built(workspace: &Workspace) -> Need {
    let files = [MODULE, ANTHER, PYTHON].map(|file| workspace.path(file));
    Need {
        missing: "the module, the program or Python is missing; see above".to_owned(),
        probe: Call::program("ls").args(files),
    }
}

fn environment() -> Step {
    let call = Call::program("python3").args(["-m", "venv", ENVIRONMENT]);
    Step::install("Python environment", call)
}

fn wheels(workspace: &Workspace) -> Step {
    let list = format!("{TESTS}/requirements.txt");
    let call = python(workspace).args(["-m", "pip", "install", "--quiet"]);
    let call = call.args(["--disable-pip-version-check", "--requirement", list.as_str()]);
    Step::install("Valkey, redis-py and pytest", call)
}

fn of_module(verb: &str) -> Call {
    Call::cargo([verb, "--release", "--locked", "--manifest-path", MANIFEST])
        .args(["--target-dir", TARGET])
}

fn python(workspace: &Workspace) -> Call {
    Call::program(workspace.path(PYTHON)).env("PYTHONDONTWRITEBYTECODE", "1")
}
