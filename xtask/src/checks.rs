//! The steps of each verb, in order: the fast ones first.

use crate::call::Call;
use crate::step::{Counts, Need, Step};
use crate::workspace::{BENCH_MANIFEST, Workspace};

/// Where the tour of `test` keeps its files.
const TOUR: &str = "target/tour";

/// What needs no program to run: formatting, clippy and rustdoc.
pub fn lint() -> Vec<Step> {
    vec![formatting(), clippy(), rustdoc()]
}

/// Everything that a change must pass.
pub fn test(workspace: &Workspace) -> Vec<Step> {
    let has_bench = workspace.has_bench();
    let mut steps = lint();
    steps.extend(has_bench.then(bench_formatting));
    steps.push(tests());
    steps.push(parquet());
    steps.extend(workspace.examples().iter().map(|name| example(name)));
    steps.push(tour(workspace));
    // Last, because it compiles every peer.
    steps.extend(has_bench.then(bench_clippy));
    steps.extend(has_bench.then(bench_tests));
    steps
}

/// The library's tests with those behind its feature `long`.
pub fn long() -> Vec<Step> {
    let call = Call::cargo(["test", "--release", "--package", "anther", "--features", "long"])
        .args(["--locked", "--no-fail-fast", "--", "--nocapture"]);
    vec![Step::new("long-run tests", call).counts(Counts::Tests)]
}

fn formatting() -> Step {
    Step::new("formatting", Call::cargo(["fmt", "--all", "--check"])).needs(rustfmt())
}

fn clippy() -> Step {
    let call = Call::cargo(["clippy", "--workspace", "--all-targets", "--all-features"])
        .args(["--locked", "--", "-D", "warnings"]);
    Step::new("clippy", call).needs(clippy_driver())
}

fn rustdoc() -> Step {
    // Libraries only: the program `anther` and the library `anther` would write the same pages.
    let call = Call::cargo(["doc", "--workspace", "--lib", "--no-deps", "--locked"])
        .env("RUSTDOCFLAGS", "-D warnings");
    Step::new("rustdoc", call)
}

fn tests() -> Step {
    let call = Call::cargo(["test", "--workspace", "--locked", "--no-fail-fast"]);
    Step::new("tests", call).counts(Counts::Tests)
}

/// What the program does with Parquet files; by itself, since its crates are many.
fn parquet() -> Step {
    let call = Call::cargo(["test", "--package", "anther-cli", "--features", "parquet"]).args([
        "--locked",
        "--no-fail-fast",
        "--test",
        "parquet",
    ]);
    Step::new("Parquet columns", call).counts(Counts::Tests)
}

fn example(name: &str) -> Step {
    let call = Call::cargo(["run", "--quiet", "--locked", "--package", "anther"])
        .args(["--example", name]);
    Step::new(format!("example {name}"), call).needs(library())
}

fn tour(workspace: &Workspace) -> Step {
    // As the README has it, but in a folder that does not pile up: it keeps a hundred megabytes
    // and wants to begin with none.
    workspace.remove(TOUR);
    Step::new("tour", Call::cargo(["run", "--release", "--locked", "--", "tour", "--dir", TOUR]))
}

fn bench_formatting() -> Step {
    // Without `--all`, which would look at the library a second time.
    let call = Call::cargo(["fmt", "--check", "--manifest-path", BENCH_MANIFEST]);
    Step::new("bench formatting", call).needs(rustfmt())
}

fn bench_clippy() -> Step {
    let call = Call::cargo(["clippy", "--manifest-path", BENCH_MANIFEST, "--workspace"]).args([
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ]);
    Step::new("bench clippy", call).needs(clippy_driver())
}

/// What the measurements are made of: keys, ratios, records. Nothing is timed.
fn bench_tests() -> Step {
    let call = Call::cargo(["test", "--manifest-path", BENCH_MANIFEST, "--locked"]);
    Step::new("bench tests", call.args(["--no-fail-fast"])).counts(Counts::Tests)
}

fn rustfmt() -> Need {
    Need {
        missing: "rustfmt is not installed: `rustup component add rustfmt`",
        probe: Call::cargo(["fmt", "--version"]),
    }
}

fn clippy_driver() -> Need {
    Need {
        missing: "clippy is not installed: `rustup component add clippy`",
        probe: Call::cargo(["clippy", "--version"]),
    }
}

/// Without it every example would fail alike, and repeat what the tests already said.
fn library() -> Need {
    Need {
        missing: "the library does not build: mend what the step `tests` shows",
        probe: Call::cargo(["build", "--quiet", "--locked", "--package", "anther", "--lib"]),
    }
}
