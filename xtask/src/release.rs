//! Everything that a release needs, checked; nothing is published.
//!
//! To add a check, add an entry to [`CHECKS`].

use std::fs;
use std::process::ExitCode;

use crate::call::Call;
use crate::clock::Clock;
use crate::workspace::Workspace;
use crate::{Trouble, exit_code};

mod contents;
mod versions;

/// The crates that are published, each after those that it depends on.
const RELEASED: [&str; 6] =
    ["anther", "anther-index", "anther-records", "anther-uses", "anther-lab", "anther-cli"];

/// The manifest of every workspace of the repository.
const WORKSPACES: [&str; 3] = ["Cargo.toml", "bench/Cargo.toml", "fuzz/Cargo.toml"];

const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];
const LICENCE_FIELD: &str = "license = \"MIT OR Apache-2.0\"";

/// Of cargo-deny; the ones before read other fields of deny.toml.
const DENY: &str = "0.20.2";
const DENY_ROOT: &str = "target/tools";
const DENY_PROGRAM: &str = "target/tools/bin/cargo-deny";

/// Where lockfiles of the lowest versions are kept, so that Cargo.lock stays as it is.
const MINIMAL: &str = "target/minimal";

/// What was found.
enum Verdict {
    Passed(String),
    Failed(String),
    /// Something that it takes is not here.
    NotRun(String),
}

use Verdict::{Failed, NotRun, Passed};

struct Check {
    name: &'static str,
    about: &'static str,
    run: fn(&Workspace) -> Result<Verdict, String>,
}

/// The fast ones first.
const CHECKS: &[Check] = &[
    Check { name: "tree", about: "everything is committed", run: tree },
    Check {
        name: "versions",
        about: "one version in Rust, Python, C and the module",
        run: version,
    },
    Check { name: "changelog", about: "CHANGELOG.md has a section of the version", run: changelog },
    Check { name: "licences", about: "each released crate has both texts", run: licences },
    Check { name: "contents", about: "what is in each package, and what must not be", run: list },
    Check { name: "deny", about: "licences, duplicates and sources of dependencies", run: deny },
    Check { name: "advisories", about: "known vulnerabilities of dependencies", run: advisories },
    Check { name: "golden", about: "golden files are unchanged, and read", run: golden },
    Check { name: "docs", about: "documentation as docs.rs builds it", run: docs },
    Check { name: "minimal", about: "the lowest versions that Cargo.toml allows", run: minimal },
    Check { name: "msrv", about: "the oldest compiler that Cargo.toml allows", run: msrv },
    Check { name: "package", about: "the packages build alone", run: package },
];

/// Runs all checks, or those that are named, and prints how to publish.
pub fn run(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    let names = names(args)?;
    let wanted = |check: &&Check| names.is_empty() || names.contains(&check.name);
    let mut rows = Vec::new();
    for check in CHECKS.iter().filter(wanted) {
        println!("== {}: {}", check.name, check.about);
        let clock = Clock::start();
        let verdict = (check.run)(workspace).unwrap_or_else(Failed);
        rows.push((check.name, verdict, clock.read().to_string()));
    }
    println!();
    for (name, verdict, time) in &rows {
        let (word, note) = match verdict {
            Passed(note) => ("passed", note),
            Failed(note) => ("FAILED", note),
            NotRun(note) => ("not run", note),
        };
        println!("{name:<11}{word:<9}{note}  [{time}]");
    }
    let failed = rows.iter().filter(|(_, verdict, _)| matches!(verdict, Failed(_))).count();
    let not_run = rows.iter().filter(|(_, verdict, _)| matches!(verdict, NotRun(_))).count();
    println!("{} passed, {failed} failed, {not_run} not run", rows.len() - failed - not_run);
    if names.is_empty() {
        print!("{}", how_to_publish(&read(workspace, "Cargo.toml").map_err(Trouble::blocked)?));
    }
    Ok(exit_code(failed == 0))
}

fn names(args: &[String]) -> Result<Vec<&'static str>, Trouble> {
    let (flag, names) =
        args.split_first().map_or((None, args), |(first, rest)| (Some(first), rest));
    match flag.map(String::as_str) {
        None => return Ok(Vec::new()),
        Some("--only") if !names.is_empty() => {}
        Some("--only") => {
            let all: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
            let message = format!("release: --only needs a check: {}", all.join(", "));
            return Err(Trouble::usage(message));
        }
        Some(other) => return Err(crate::unknown_argument("release", other)),
    }
    let known = |name: &String| CHECKS.iter().map(|check| check.name).find(|known| known == name);
    let all: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
    let wrong = |name: &String| {
        Trouble::usage(format!("release: `{name}`: no such check; there are {}", all.join(", ")))
    };
    names.iter().map(|name| known(name).ok_or_else(|| wrong(name))).collect()
}

fn how_to_publish(manifest: &str) -> String {
    let version = versions::quoted(manifest, "version = ").unwrap_or("VERSION");
    let mut text = "\nNothing was published. When all has passed:\n".to_owned();
    text += &format!("  git tag --sign v{version} && git push origin v{version}\n");
    for name in RELEASED {
        text += &format!("  cargo publish --locked --package {name}\n");
    }
    text + "  (cd crates/anther-python && maturin publish)\n"
}

fn read(workspace: &Workspace, name: &str) -> Result<String, String> {
    fs::read_to_string(workspace.root.join(name)).map_err(|error| format!("{name}: {error}"))
}

/// Runs calls until one fails.
fn all_succeed(workspace: &Workspace, calls: &[Call], passed: &str) -> Result<Verdict, String> {
    for call in calls {
        println!("{call}");
        if !call.run(workspace)?.success() {
            return Ok(Failed(format!("`{call}`; read its output above")));
        }
    }
    Ok(Passed(passed.to_owned()))
}

fn tree(workspace: &Workspace) -> Result<Verdict, String> {
    let output = Call::program("git").args(["status", "--porcelain"]).output(workspace)?;
    if !output.status.success() {
        return Ok(NotRun("not a clone: git cannot say what changed".to_owned()));
    }
    Ok(match String::from_utf8_lossy(&output.stdout).lines().count() {
        0 => Passed("clean".to_owned()),
        count => Failed(format!("{count} files are not committed; see `git status`")),
    })
}

fn version(workspace: &Workspace) -> Result<Verdict, String> {
    let found = versions::find(|name| read(workspace, name))?;
    let (_, first) = &found[0];
    let other: Vec<String> = found
        .iter()
        .filter(|(_, version)| version != first)
        .map(|(place, version)| format!("{place} has {version}"))
        .collect();
    if other.is_empty() {
        return Ok(Passed(format!("{first} in {} places", found.len())));
    }
    Ok(Failed(format!("{} has {first}, but {}", found[0].0, other.join(", "))))
}

fn changelog(workspace: &Workspace) -> Result<Verdict, String> {
    let manifest = read(workspace, "Cargo.toml")?;
    let version = versions::quoted(&manifest, "version = ").ok_or("Cargo.toml: no version")?;
    Ok(if versions::has_section(&read(workspace, "CHANGELOG.md")?, version) {
        Passed(format!("has a section `## {version}`"))
    } else {
        Failed(format!(
            "CHANGELOG.md has no section `## {version}`; name the one of this release so"
        ))
    })
}

fn licences(workspace: &Workspace) -> Result<Verdict, String> {
    for text in LICENCES {
        let ours = read(workspace, text)?;
        for name in RELEASED {
            let path = format!("crates/{name}/{text}");
            if read(workspace, &path)? != ours {
                return Ok(Failed(format!("{path} is not {text}; make it a link to ../../{text}")));
            }
        }
    }
    for manifest in WORKSPACES {
        if !read(workspace, manifest)?.contains(LICENCE_FIELD) {
            return Ok(Failed(format!("{manifest}: no `{LICENCE_FIELD}`")));
        }
    }
    Ok(Passed(format!("{} texts in {} crates", LICENCES.len(), RELEASED.len())))
}

fn list(workspace: &Workspace) -> Result<Verdict, String> {
    let (mut files, mut bytes) = (0, 0);
    for name in RELEASED {
        let call = Call::cargo(["package", "--list", "--locked", "--allow-dirty", "--quiet"])
            .args(["--package", name]);
        let output = call.output(workspace)?;
        if !output.status.success() {
            return Err(format!("`{call}`: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // Made while packaging, or copied from the root: their size is not looked at.
        let size = |path: &str| {
            let path = workspace.root.join("crates").join(name).join(path);
            fs::metadata(path).map_or(0, |meta| meta.len())
        };
        let sized: Vec<(&str, u64)> = text.lines().map(|path| (path, size(path))).collect();
        if let Some(wrong) = contents::wrong(&sized) {
            return Ok(Failed(format!("{name}: {wrong}")));
        }
        files += sized.len();
        bytes += sized.iter().map(|(_, size)| size).sum::<u64>();
    }
    Ok(Passed(format!("{files} files, {} kB, in {} packages", bytes / 1000, RELEASED.len())))
}

/// Installs cargo-deny, which takes minutes the first time; says so if that fails.
fn deny_missing(workspace: &Workspace) -> Option<Verdict> {
    let install = Call::cargo(["install", "cargo-deny", "--locked", "--version", DENY]).args([
        "--root",
        DENY_ROOT,
        "--target-dir",
        "target/tools/build",
    ]);
    println!("{install}");
    let is_there = install.run(workspace).is_ok_and(|status| status.success());
    (!is_there).then(|| NotRun(format!("cargo-deny {DENY} could not be installed; see above")))
}

fn deny_call(manifest: &str, checks: &[&str]) -> Call {
    // An entry of deny.toml that one workspace does not need is there for another.
    let quiet = ["--allow", "unmatched-skip", "--allow", "unnecessary-skip"];
    Call::program(DENY_PROGRAM)
        .args(["--locked", "--log-level", "error", "--manifest-path", manifest])
        .args(["--config", "deny.toml", "check"])
        .args(quiet)
        .args(checks.iter().copied())
}

fn deny(workspace: &Workspace) -> Result<Verdict, String> {
    if let Some(missing) = deny_missing(workspace) {
        return Ok(missing);
    }
    let calls = WORKSPACES.map(|manifest| deny_call(manifest, &["licenses", "bans", "sources"]));
    all_succeed(workspace, &calls, "all workspaces; advisories are a check of their own")
}

/// The database is a repository of its own, on another server than the crates.
fn advisories(workspace: &Workspace) -> Result<Verdict, String> {
    if let Some(missing) = deny_missing(workspace) {
        return Ok(missing);
    }
    for manifest in WORKSPACES {
        let call = deny_call(manifest, &["advisories"]);
        println!("{call}");
        let output = call.output(workspace)?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if said.contains("failed to fetch") || said.contains("failed to load advisory database") {
            let what =
                "the advisory database could not be fetched; run this where there is a network";
            return Ok(NotRun(what.to_owned()));
        }
        if !output.status.success() {
            print!("{said}");
            return Ok(Failed(format!("`{call}`; read its output above")));
        }
    }
    Ok(Passed("none".to_owned()))
}

fn golden(workspace: &Workspace) -> Result<Verdict, String> {
    let test = |package: &str| Call::cargo(["test", "--quiet", "--locked", "--package", package]);
    let calls = [
        test("conformance"),
        test("anther").args(["--test", "tests", "--", "golden::", "hashes::", "sketch::"]),
        test("anther-index").args(["--test", "tests", "golden::"]),
        test("anther-cli").args(["--test", "tests", "a_frozen_state"]),
    ];
    all_succeed(workspace, &calls, "as they were, with the same answers")
}

/// With the features that each manifest names for docs.rs, without a network, as there. docs.rs has a
/// nightly compiler.
fn docs(workspace: &Workspace) -> Result<Verdict, String> {
    let mut calls = Vec::new();
    for name in RELEASED {
        let manifest = read(workspace, &format!("crates/{name}/Cargo.toml"))?;
        // The program has no library: its manual is `anther man`.
        let Some(features) = contents::docs_features(&manifest) else { continue };
        calls.push(
            Call::cargo(["doc", "--lib", "--no-deps", "--locked", "--offline"])
                .args(["--package", name, "--target-dir", "target/docsrs"])
                .args(features)
                .env("RUSTC_BOOTSTRAP", "1")
                .env("RUSTDOCFLAGS", "--cfg docsrs -D warnings"),
        );
    }
    if calls.is_empty() {
        return Err("no manifest has [package.metadata.docs.rs]".to_owned());
    }
    let passed = format!("{} libraries, without warnings", calls.len());
    all_succeed(workspace, &calls, &passed)
}

fn minimal(workspace: &Workspace) -> Result<Verdict, String> {
    let lock = workspace.path(&format!("{MINIMAL}/Cargo.lock"));
    let unstable = |verb: &str| {
        Call::cargo([verb, "-Zdirect-minimal-versions", "-Zlockfile-path"])
            .args(["--config".to_owned(), format!("resolver.lockfile-path=\"{lock}\"")])
            .env("RUSTC_BOOTSTRAP", "1")
    };
    let mut check = unstable("check").args(["--all-features", "--target-dir", MINIMAL]);
    for name in RELEASED {
        check = check.args(["--package", name]);
    }
    let calls = [unstable("generate-lockfile"), check];
    all_succeed(workspace, &calls, "direct dependencies in their lowest versions")
}

fn msrv(workspace: &Workspace) -> Result<Verdict, String> {
    let manifest = read(workspace, "Cargo.toml")?;
    let oldest = versions::quoted(&manifest, "rust-version = ").ok_or("no rust-version")?;
    let cargo = ["run", oldest, "cargo"];
    if !Call::program("rustup").args(cargo).args(["--version"]).succeeds(workspace) {
        return Ok(NotRun(format!(
            "Rust {oldest} is not installed (`rustup toolchain install {oldest}`); clippy has looked at \
             calls of std alone"
        )));
    }
    let mut check = Call::program("rustup").args(cargo).args(["check", "--locked"]);
    check = check.args(["--all-features", "--target-dir", "target/msrv"]);
    for name in RELEASED {
        check = check.args(["--package", name]);
    }
    all_succeed(workspace, &[check], &format!("Rust {oldest}"))
}

fn package(workspace: &Workspace) -> Result<Verdict, String> {
    // Whether all is committed is a check of its own.
    let mut call = Call::cargo(["package", "--locked", "--allow-dirty"]);
    for name in RELEASED {
        call = call.args(["--package", name]);
    }
    all_succeed(workspace, &[call], "built from the packages alone")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_named_after_only() {
        let named = |args: &str| {
            let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
            names(&args).ok()
        };
        assert_eq!(named(""), Some(vec![]));
        assert_eq!(named("--only deny docs"), Some(vec!["deny", "docs"]));
        for wrong in ["deny", "--only", "--only publish", "--all"] {
            assert_eq!(named(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn crates_are_published_after_those_they_depend_on() {
        let text = how_to_publish("[workspace.package]\nversion = \"1.2.3\"\n");
        assert!(text.contains("git tag --sign v1.2.3"));
        let at = |name: &str| text.find(&format!("--package {name}\n"));
        assert!(RELEASED.windows(2).all(|pair| at(pair[0]) < at(pair[1])));
    }
}
