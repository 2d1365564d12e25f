//! Compiling the library with its switches, and its tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::tree::Tree;

const FEATURES: &str = "foreign,serde";

/// Tests of the source's text, which has switches now; they run no code of the library.
const OF_TEXT: [&str; 1] = ["layers"];

/// A program of tests.
pub struct Program {
    /// `lib` for the unit tests, else the name of its file in `tests/`.
    pub name: String,
    pub path: PathBuf,
}

/// What cargo prints with `--message-format=json`, of which we read a little.
#[derive(Deserialize)]
struct Message {
    message: Option<Diagnostic>,
    executable: Option<PathBuf>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    rendered: Option<String>,
    spans: Vec<DiagnosticSpan>,
}

#[derive(Deserialize)]
struct DiagnosticSpan {
    file_name: String,
    line_start: usize,
}

/// The mutants that do not compile; none means that all is well.
pub fn unviable(tree: &Tree, target: &Path) -> Result<BTreeSet<u32>, String> {
    let (succeeded, messages) = cargo(tree, target, &["check", "--lib"])?;
    if succeeded {
        return Ok(BTreeSet::new());
    }
    let mut numbers = BTreeSet::new();
    let errors = messages.iter().filter_map(|message| message.message.as_ref());
    let mut unexplained = Vec::new();
    for error in errors.filter(|error| error.level == "error" && !error.spans.is_empty()) {
        let found =
            error.spans.iter().filter_map(|span| tree.mutant_at(&span.file_name, span.line_start));
        let before = numbers.len();
        numbers.extend(found);
        if numbers.len() == before {
            unexplained.extend(error.rendered.clone());
        }
    }
    if numbers.is_empty() {
        return Err(format!("the library does not compile:\n{}", unexplained.join("\n")));
    }
    Ok(numbers)
}

/// Compiles all tests of the library.
pub fn tests(tree: &Tree, target: &Path) -> Result<Vec<Program>, String> {
    let (succeeded, messages) = cargo(tree, target, &["test", "--no-run", "--lib", "--tests"])?;
    if !succeeded {
        let errors = messages.iter().filter_map(|message| message.message.as_ref());
        let errors = errors.filter(|error| error.level == "error");
        let errors: Vec<&str> = errors.filter_map(|error| error.rendered.as_deref()).collect();
        return Err(format!("the tests do not compile:\n{}", errors.join("\n")));
    }
    let program = |message: Message| {
        let target = message.target?;
        let is_library = target.kind.iter().any(|kind| kind == "lib");
        let name = if is_library { "lib".to_owned() } else { target.name };
        Some(Program { name, path: message.executable? })
    };
    let programs = messages.into_iter().filter_map(program);
    Ok(programs.filter(|program| !OF_TEXT.contains(&program.name.as_str())).collect())
}

/// With a profile of its own: quick to compile, and quick enough to run.
fn cargo(tree: &Tree, target: &Path, args: &[&str]) -> Result<(bool, Vec<Message>), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(args)
        .args(["--package", "anther", "--features", FEATURES, "--locked", "--jobs", "1"])
        .args(["--message-format", "json"])
        .current_dir(&tree.root)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_PROFILE_TEST_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_TEST_DEBUG", "0")
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "1")
        // The switch takes an intrinsic of the compiler.
        .env("RUSTC_BOOTSTRAP", "1")
        // What a mutant no longer uses is no error.
        .env("RUSTFLAGS", "--cap-lints=allow")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    let lines = String::from_utf8_lossy(&output.stdout);
    let messages = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    Ok((output.status.success(), messages))
}
