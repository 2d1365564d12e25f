//! What threads and processes may do to each other: model checking, ThreadSanitizer, and a soak.

use std::path::Path;
use std::process::ExitCode;

use crate::call::Call;
use crate::clock::Clock;
use crate::record::{Record, said};
use crate::tally::Outcome;
use crate::workspace::Workspace;
use crate::{Trouble, exit_code, unknown_argument};

/// One way to look for mistakes.
struct Way {
    name: &'static str,
    /// What the record counts.
    counts: &'static str,
    calls: fn() -> Vec<Call>,
    /// Makes it possible, or says why it is not.
    prepare: fn(&Workspace) -> Result<(), String>,
}

const WAYS: [Way; 3] = [
    Way { name: "model", counts: "executions", calls: model, prepare: |_| Ok(()) },
    Way { name: "tsan", counts: "tests", calls: tsan, prepare: rust_source },
    Way { name: "soak", counts: "lookups", calls: soak, prepare: |_| Ok(()) },
];

const RECORD: Record = Record {
    path: "bench/records/threads.csv",
    heading: "date,commit,what,counted,number,seconds,findings",
};

/// Lookups of the soak, in all kinds.
const CHECKS: u64 = 10_000_000_000;

/// How many times the schedules of an ordinary run of the tests.
const SCHEDULES: &str = "5";

/// The lines by which tests say how much they have checked.
const COUNTS: [&str; 3] = ["executions: ", "schedules: ", "checks: "];

/// The program with no more than what is checked: the rest takes minutes to compile.
const PROGRAM: [&str; 5] = ["--bin", "anther", "--no-default-features", "--features", "index"];

pub fn run(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    if let Some(other) = args.iter().find(|arg| WAYS.iter().all(|way| way.name != **arg)) {
        return Err(unknown_argument("threads", other));
    }
    let mut is_well = true;
    for way in WAYS.iter().filter(|way| args.is_empty() || args.iter().any(|arg| arg == way.name)) {
        is_well &= way
            .run(workspace)
            .map_err(|cause| Trouble::blocked(format!("threads: {}: {cause}", way.name)))?;
    }
    Ok(exit_code(is_well))
}

impl Way {
    /// Whether nothing was found.
    fn run(&self, workspace: &Workspace) -> Result<bool, String> {
        (self.prepare)(workspace)?;
        let clock = Clock::start();
        let (mut outcome, mut number, mut broken) = (Outcome::default(), 0, false);
        for call in (self.calls)() {
            println!("== {}: {call}", self.name);
            let before = outcome.passed + outcome.failed;
            let status = call.tee(workspace, &mut |line| {
                outcome.see_cargo(line);
                number += checked(line).unwrap_or(0);
            })?;
            if outcome.passed + outcome.failed == before {
                return Err(format!("no test ran ({status}); read its output above"));
            }
            // A sanitizer ends a test program without a word about its tests.
            broken |= !status.success() && outcome.failed == 0;
        }
        if self.counts == "tests" {
            number = outcome.passed as u64;
        }
        let findings = outcome.failed + usize::from(broken);
        if number == 0 && findings == 0 {
            return Err(format!("the tests do not say how many {} there were", self.counts));
        }
        let seconds = clock.read().wall.as_secs();
        println!("{}: {number} {}, {findings} findings, {seconds} s", self.name, self.counts);
        let row = format!("{},{},{number},{seconds},{findings}", self.name, self.counts);
        RECORD.append(workspace, &[row])?;
        Ok(findings == 0)
    }
}

/// What a line of a test's output says that it has checked.
fn checked(line: &str) -> Option<u64> {
    // The first line of a test that prints stands behind its name.
    COUNTS.iter().find_map(|word| line.split_once(word)?.1.parse().ok())
}

fn unit_tests(package: &str, target: &[&str], cfg: &str) -> Call {
    Call::cargo(["test", "--locked", "--target-dir", "target/model", "--package", package])
        .args(target.iter().copied())
        .args(["model::", "--", "--nocapture", "--test-threads=1"])
        .env("RUSTFLAGS", format!("--cfg {cfg}"))
        .env("ANTHER_MODEL_TIMES", SCHEDULES)
}

fn model() -> Vec<Call> {
    vec![
        unit_tests("anther", &["--lib"], "anther_loom"),
        unit_tests("anther", &["--lib"], "anther_shuttle"),
        unit_tests("anther-cli", &PROGRAM, "anther_shuttle"),
    ]
}

/// The standard library is compiled with it, too: otherwise its locks and channels look like races.
fn tsan() -> Vec<Call> {
    const TARGET: &str = "x86_64-unknown-linux-gnu";
    let call = |package: &str| {
        Call::cargo(["test", "--locked", "-Zbuild-std", "--target", TARGET])
            .args(["--target-dir", "target/tsan", "--package", package])
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", "-Zsanitizer=thread")
            .env("TSAN_OPTIONS", "halt_on_error=1")
    };
    vec![
        call("anther").args(["--lib", "--", "threads", "shared", "shards", "bulk", "blocks"]),
        call("anther").args(["--test", "tests", "--", "shared_file::", "laws::threads::"]),
        call("anther-cli").args(PROGRAM).args(["--", "keys::", "stdin::", "page::"]),
    ]
}

fn soak() -> Vec<Call> {
    let call = Call::cargo(["test", "--release", "--locked", "--package", "anther"])
        .args(["--features", "long", "--test", "tests"])
        .args(["soak::", "--", "--nocapture", "--test-threads=1"]);
    vec![call.env("ANTHER_SOAK_CHECKS", CHECKS.to_string())]
}

/// The source of the standard library, which rustup brings.
fn rust_source(workspace: &Workspace) -> Result<(), String> {
    if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
        return Err("ThreadSanitizer is set up for Linux on x86-64 only".to_owned());
    }
    let sysroot = said(workspace, &Call::program("rustc").args(["--print", "sysroot"]))?;
    if Path::new(&sysroot).join("lib/rustlib/src/rust/library/Cargo.lock").is_file() {
        return Ok(());
    }
    let add = Call::program("rustup").args(["component", "add", "rust-src"]);
    if add.run(workspace)?.success() {
        return Ok(());
    }
    Err("no source of the standard library: `rustup component add rust-src`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_test_has_checked_is_read_from_its_output() {
        assert_eq!(checked("executions: 1246"), Some(1246));
        assert_eq!(checked("test model::one ... schedules: 8000"), Some(8000));
        assert_eq!(checked("test model::one ... ok"), None);
        assert_eq!(checked("checks: many"), None);
    }
}
