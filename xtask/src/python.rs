//! The Python package: its wheel, built in release mode and installed in an environment of its own,
//! tested on the oldest and the newest Python that are there, with Spark and with a Redis cluster.

use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs};

use crate::call::Call;
use crate::compiled::{self, MODULE, PROGRAM};
use crate::environment::{Environment, missing_after_installing};
use crate::packages::Package;
use crate::step::{self, Need, Step};
use crate::workspace::Workspace;
use crate::{Trouble, exit_code, run, server};

const MANIFEST: &str = "crates/anther-python/Cargo.toml";
/// The stage `foreign` uses it, too.
pub const ENVIRONMENT: Environment = Environment {
    folder: "target/python/environment",
    requirements: "crates/anther-python/tests/requirements.txt",
};

const TESTS: &str = "crates/anther-python/tests";
const SPARK: &str = "crates/anther-python/tests/spark";
const REDIS: &str = "crates/anther-python/tests/redis";
/// What needs the package and Python, and nothing else.
const ALONE: &str = "crates/anther-python/tests/alone.py";
/// What the benchmark compares with.
const PEERS: &str = "bench/python/requirements.txt";
const WHEELS: &str = "target/python/wheels";

/// What Spark runs on.
const JAVA: Package = ("openjdk-17-jre-headless", "java");

pub fn steps(workspace: &Workspace) -> Vec<Step> {
    let to_run = missing_after_installing(workspace, Environment::packages(workspace));
    let to_spark = missing_after_installing(workspace, [JAVA]);
    let to_build = compiled::missing_for_the_module(workspace);
    let to_serve = missing_after_installing(workspace, [server::SERVER]);
    let test = |name: &str, args: &[&str]| {
        Step::pytest(name, pytest(ENVIRONMENT.python(workspace), workspace, args))
            .needs(installed(workspace))
    };
    let lint = |name: &str, args: &[&str]| {
        Step::new(name, ENVIRONMENT.python(workspace).args(args.iter().copied()))
            .needs(installed(workspace))
    };
    // Without the minute that a published wheel's optimisation takes.
    let prepare = preparation(workspace, &["--profile", "release"]);
    let mut steps: Vec<Step> =
        prepare.into_iter().map(|step| step.unless(to_run.as_ref())).collect();
    steps.extend([
        compiled::build(),
        lint("types of the package", &["-m", "mypy", "--strict", "--package", "anther"]),
        lint("stubs of the package", &["-m", "mypy.stubtest", "anther"]),
        test("package", &[TESTS, "--ignore", SPARK, "--ignore", REDIS]),
    ]);
    for (version, python) in oldest_and_newest(workspace) {
        steps.extend(alone(workspace, &version, &python));
    }
    steps.extend([
        test("package with Spark", &[SPARK]).unless(to_spark.as_ref()),
        test("package with a Redis cluster", &[REDIS])
            .unless(to_build.as_ref())
            .unless(to_serve.as_ref()),
    ]);
    steps
}

/// The package beside its peers, or inside an engine: `bench python spark`.
pub fn bench(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    let (file, args) = match args.split_first() {
        Some((first, rest)) if first == "spark" || first == "engines" => (first.as_str(), rest),
        _ => ("peers", args),
    };
    // The library's own call, in the same process: no wheel that is published has it.
    let mut steps = preparation(workspace, &["--profile", "wheel", "--features", "bench"]);
    let peers = ENVIRONMENT.pip_install(workspace).args(["--requirement", PEERS]);
    steps.push(Step::install("peers", peers));
    let outcome = step::run_all(workspace, &steps);
    outcome.notes.iter().for_each(|note| println!("{note}"));
    if outcome.failed + outcome.not_run > 0 {
        return Ok(exit_code(false));
    }
    let script = format!("bench/python/{file}.py");
    run(workspace, &ENVIRONMENT.python(workspace).args([script]).args(args))
}

/// The environment, and the wheel in it.
fn preparation(workspace: &Workspace, options: &[&str]) -> Vec<Step> {
    let maturin = ENVIRONMENT
        .python(workspace)
        .args(["-m", "maturin", "build", "--locked", "--quiet", "--manifest-path", MANIFEST])
        .args(["--out", WHEELS])
        .args(options.iter().copied());
    // Wheels of other versions would be installed, too.
    workspace.remove(WHEELS);
    let [made, filled] = ENVIRONMENT.steps(workspace);
    vec![
        made,
        filled,
        Step::new("wheel", maturin),
        Step::new("wheel installed", install(ENVIRONMENT.pip_install(workspace))),
    ]
}

/// Installs the wheel and nothing else, over one of the same version.
fn install(pip: Call) -> Call {
    pip.args(["--force-reinstall", "--no-deps", "--no-index", "--find-links", WHEELS, "anther"])
}

fn pytest(python: Call, workspace: &Workspace, args: &[&str]) -> Call {
    python
        .args(["-m", "pytest", "-q", "-r", "fEs"])
        .args(args.iter().copied())
        .env("ANTHER", workspace.built(PROGRAM))
        .env("ANTHER_REDIS_MODULE", workspace.built(MODULE))
}

/// One wheel does for every Python from 3.10 on. Nothing else is installed there, so the tests show
/// that nothing else is needed.
fn alone(workspace: &Workspace, version: &str, python: &str) -> [Step; 3] {
    let folder = format!("target/python/{version}");
    let interpreter = || {
        Call::program(workspace.path(&format!("{folder}/bin/python")))
            .env("PYTHONDONTWRITEBYTECODE", "1")
    };
    let pip =
        interpreter().args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    [
        Step::install(
            format!("Python {version}"),
            Call::program(python).args(["-m", "venv", folder.as_str()]),
        ),
        Step::new(format!("wheel on Python {version}"), install(pip)),
        Step::new(format!("package on Python {version}"), interpreter().args([ALONE])),
    ]
}

/// The oldest and the newest Python of those that the package supports and that are there.
fn oldest_and_newest(workspace: &Workspace) -> Vec<(String, String)> {
    let mut found: Vec<_> = (10..20).filter_map(|minor| interpreter(workspace, minor)).collect();
    if found.len() > 2 {
        found.drain(1..found.len() - 1);
    }
    found
}

/// On the path, or among those of pyenv. A shim of pyenv for a version that is not chosen fails.
fn interpreter(workspace: &Workspace, minor: u32) -> Option<(String, String)> {
    let name = format!("python3.{minor}");
    let root = env::var_os("PYENV_ROOT").map(PathBuf::from);
    let root = root.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".pyenv")));
    let entries = root.and_then(|root| fs::read_dir(root.join("versions")).ok());
    let in_pyenv = entries.into_iter().flatten().flatten();
    let in_pyenv = in_pyenv.map(|entry| entry.path().join("bin").join(&name).display().to_string());
    let runs = |python: &String| {
        Call::program(python.as_str()).args(["-m", "ensurepip", "--version"]).succeeds(workspace)
    };
    let python = [name.clone()].into_iter().chain(in_pyenv).find(runs)?;
    Some((format!("3.{minor}"), python))
}

/// One word instead of many tests that fail for one reason.
fn installed(workspace: &Workspace) -> Need {
    Need {
        missing: "the wheel is not installed; see above".to_owned(),
        probe: ENVIRONMENT.python(workspace).args(["-c", "import anther"]),
    }
}
