//! The stages of `cargo xtask test`, and the steps of each: the fast ones first.

use crate::c;
use crate::call::Call;
use crate::clock::Clock;
use crate::compiled;
use crate::conformance;
use crate::crash;
use crate::foreign;
use crate::fuzz;
use crate::page;
use crate::python;
use crate::report::Ran;
use crate::search;
use crate::server;
use crate::step::{self, Need, Step};
use crate::uses;
use crate::web;
use crate::workspace::{BENCH_MANIFEST, Workspace};

/// A part of the tests that runs alone.
pub struct Stage {
    pub name: &'static str,
    pub about: &'static str,
    /// By the clock, on two cores, from nothing compiled.
    pub budget_minutes: u64,
    pub steps: fn(&Workspace) -> Vec<Step>,
}

/// All of them, in the order in which they run.
pub const STAGES: &[Stage] = &[
    Stage {
        name: "core",
        about: "lints, docs, unit tests of every crate, the library, the program, fuzz corpora, examples, tour",
        budget_minutes: 11,
        steps: core,
    },
    Stage {
        name: "server",
        about: "the module for Redis and Valkey, with real servers and clusters",
        budget_minutes: 3,
        steps: server::steps,
    },
    Stage {
        name: "python",
        about: "the Python package: types, wheel, with NumPy, Arrow, engines, Spark, a cluster",
        budget_minutes: 3,
        steps: python::steps,
    },
    Stage {
        name: "c",
        about: "the C interface: header, examples in C, C++ and Go",
        budget_minutes: 1,
        steps: c::steps,
    },
    Stage {
        name: "foreign",
        about: "files of other systems, with Guava, Spark, Arrow, DuckDB, parquet-java, flor and Squid",
        budget_minutes: 1,
        steps: foreign::steps,
    },
    Stage {
        name: "conformance",
        about: "readers of our files in C, Go, Java, JavaScript and Python, by the vectors",
        budget_minutes: 1,
        steps: conformance::steps,
    },
    Stage {
        name: "uses",
        about: "what filters are used for: every demonstration with its real parts",
        budget_minutes: 1,
        steps: uses::steps,
    },
    Stage {
        name: "search",
        about: "grep beside ripgrep: random patterns against random files",
        budget_minutes: 1,
        steps: search::steps,
    },
    Stage {
        name: "web",
        about: "lookups in filters on a web server, with nginx",
        budget_minutes: 1,
        steps: web::steps,
    },
    Stage {
        name: "page",
        about: "the page of anther lab in Chromium: every tab, the keyboard, small screens, themes",
        budget_minutes: 2,
        steps: page::steps,
    },
];

impl Stage {
    pub fn run(&self, workspace: &Workspace) -> Ran {
        let clock = Clock::start();
        let outcome = step::run_all(workspace, &(self.steps)(workspace));
        let Stage { name, budget_minutes, .. } = *self;
        Ran { name, outcome, time: clock.read(), budget_minutes }
    }
}

/// Where the tour of the tests keeps its files.
const TOUR: &str = "target/tour";

fn core(workspace: &Workspace) -> Vec<Step> {
    if let Some(missing) = compiled::missing_for_the_module(workspace) {
        println!("core: without the module: {missing}");
    }
    let has_bench = workspace.has_bench();
    let mut steps = lint();
    steps.push(Step::new("weight", Call::cargo(["xtask", "weight"])));
    steps.extend(has_bench.then(bench_formatting));
    steps.push(compiled::build());
    steps.push(compiled::tests("tests", []));
    steps.extend(workspace.examples().iter().map(|name| example(workspace, name)));
    steps.push(tour(workspace));
    steps.push(without_png(workspace));
    steps.push(without_parquet(workspace));
    steps.extend(fuzz::replay());
    // With the program that the tour has compiled.
    steps.push(crash::step(workspace));
    // Last, because it compiles every peer.
    steps.extend(has_bench.then(bench_clippy));
    steps.extend(has_bench.then(bench_tests));
    steps
}

/// What needs no program to run: formatting, clippy and rustdoc.
pub fn lint() -> Vec<Step> {
    vec![formatting(), clippy(), plain_clippy(), rustdoc()]
}

/// The library's tests with those behind its feature `long`, and many random searches.
pub fn long(workspace: &Workspace) -> Vec<Step> {
    let call =
        Call::cargo(["test", "--release", "--package", "anther", "--features", "foreign,long"])
            .args(["--locked", "--no-fail-fast", "--", "--nocapture"]);
    let mut steps = vec![Step::cargo_test("long-run tests", call)];
    steps.extend(search::long(workspace));
    steps
}

fn formatting() -> Step {
    Step::new("formatting", Call::cargo(["fmt", "--all", "--check"])).needs(rustfmt())
}

fn clippy() -> Step {
    let call = Call::cargo(["clippy"]).args(compiled::members());
    let call = call.args(["--all-targets", "--all-features", "--locked", "--", "-D", "warnings"]);
    Step::new("clippy", call).needs(clippy_driver())
}

/// The program and the uses without their default features compile, too.
fn plain_clippy() -> Step {
    let call = Call::cargo(["clippy", "--package", "anther-cli", "--package", "anther-uses"]);
    let call = call.args(["--no-default-features", "--locked", "--", "-D", "warnings"]);
    Step::new("clippy of the plain program", call).needs(clippy_driver())
}

fn rustdoc() -> Step {
    // Libraries only: the program `anther` and the library `anther` would write the same pages.
    // All features, as for clippy, which has checked all dependencies.
    let call = Call::cargo(["doc"]).args(compiled::members());
    let call = call
        .args(["--lib", "--no-deps", "--all-features", "--locked"])
        .env("RUSTDOCFLAGS", "-D warnings");
    Step::new("rustdoc", call)
}

/// Runs what was built for the tests. `cargo run --example` would compile the library again:
/// for one package alone, its dependencies have other features.
fn example(workspace: &Workspace, name: &str) -> Step {
    let program = workspace.built(&format!("examples/{name}"));
    Step::new(format!("example {name}"), Call::program(program))
}

fn tour(workspace: &Workspace) -> Step {
    // As the README has it, but in a folder that does not pile up: it keeps a hundred megabytes,
    // and starts empty.
    workspace.remove(TOUR);
    Step::new("tour", Call::cargo(["run", "--release", "--locked", "--", "tour", "--dir", TOUR]))
}

/// What `tests/png.rs` cannot test in a program that has the feature.
fn without_png(workspace: &Workspace) -> Step {
    let program = Call::program(workspace.built("../release/anther"));
    let call = program.args(["plan", "--plot", "-o", "target/tour/plot.png"]);
    Step::refusal("PNG without its feature", call, "built without PNG")
}

/// What `tests/parquet_filters.rs` cannot test in a program that has the feature.
fn without_parquet(workspace: &Workspace) -> Step {
    let program = Call::program(workspace.built("../release/anther"));
    let call = program.args([
        "build",
        "target/tour/copy.parquet",
        "crates/anther/tests/foreign/parquet/files/pyarrow_100.parquet",
        "--to",
        "parquet",
    ]);
    Step::refusal("Parquet without its feature", call, "installed with --features parquet")
}

fn bench_formatting() -> Step {
    // Without `--all`, which would look at the library a second time.
    let call = Call::cargo(["fmt", "--check", "--manifest-path", BENCH_MANIFEST]);
    Step::new("bench formatting", call).needs(rustfmt())
}

fn bench_clippy() -> Step {
    let call = of_bench("clippy").args(["--all-targets", "--", "-D", "warnings"]);
    Step::new("bench clippy", call).needs(clippy_driver())
}

/// What the measurements are made of: keys, ratios, records. Nothing is timed.
fn bench_tests() -> Step {
    Step::cargo_test("bench tests", of_bench("test").args(["--no-fail-fast"]))
}

/// In the one target folder, so that what has the same features is compiled once.
fn of_bench(verb: &str) -> Call {
    Call::cargo([verb, "--manifest-path", BENCH_MANIFEST, "--locked", "--target-dir", "target"])
}

pub fn rustfmt() -> Need {
    Need {
        missing: "rustfmt is not installed: `rustup component add rustfmt`".to_owned(),
        probe: Call::cargo(["fmt", "--version"]),
    }
}

pub fn clippy_driver() -> Need {
    Need {
        missing: "clippy is not installed: `rustup component add clippy`".to_owned(),
        probe: Call::cargo(["clippy", "--version"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budgets_are_those_of_the_page_and_25_minutes_in_all() {
        let root = Workspace::find().expect("a workspace").root;
        let page = std::fs::read_to_string(root.join("CONTRIBUTING.md")).expect("the page");
        for Stage { name, budget_minutes, .. } in STAGES {
            let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
            let row = row.unwrap_or_else(|| panic!("CONTRIBUTING.md has no stage {name}"));
            assert!(row.ends_with(&format!("| {budget_minutes} |")), "{row}");
        }
        let sum: u64 = STAGES.iter().map(|stage| stage.budget_minutes).sum();
        assert!(sum <= 25, "{sum} minutes");
    }
}
