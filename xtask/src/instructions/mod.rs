//! How many instructions the hot calls take, under callgrind, beside what was recorded before.
//!
//! Times move by a tenth between two runs on a busy machine; instructions do not move at all, so a
//! few more of them show. They say nothing about memory, which only times show.
//!
//! valgrind is called as it is. The crates that wrap it (gungraun, once iai-callgrind) want a
//! runner of the very version of the crate to be installed beside it; all that we need of them is
//! to count within one function, which is an option of callgrind.

mod compare;
mod record;

use std::process::{ExitCode, Output};

use crate::call::Call;
use crate::workspace::{BENCH_MANIFEST, Workspace};
use crate::{Trouble, require_bench, unknown_argument};
use compare::Comparison;
use record::{Count, Record};

/// Where the counts are kept, from the root of the workspace.
const RECORD: &str = "bench/records/instructions.csv";

/// Runs the program that cargo built, counting inside of one function of it. The name has stars
/// since what stands before and after it is the compiler's choice.
const RUNNER: &str = "target.'cfg(all())'.runner = ['valgrind', '--tool=callgrind', \
                      '--callgrind-out-file=/dev/null', '--toggle-collect=*counted_part*']";

/// Counts all cases and compares them; with `--record`, writes them down.
pub fn run(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    let mut write = false;
    for arg in args {
        match arg.as_str() {
            "--record" => write = true,
            other => return Err(unknown_argument("instructions", other)),
        }
    }
    require_bench("instructions", workspace)?;
    count(workspace, write).map_err(|message| Trouble::blocked(format!("instructions: {message}")))
}

fn count(workspace: &Workspace, write: bool) -> Result<ExitCode, String> {
    let path = workspace.root.join(RECORD);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(format!("cannot read {RECORD}: {error}.")),
    };
    // Before minutes of building, all that can be refused.
    let old = match text.as_deref().map(Record::read) {
        Some(Ok(old)) => old,
        // What is written anew need not be read.
        Some(Err(_)) | None if write => Record::default(),
        Some(Err(error)) => return Err(format!("{RECORD}: {error}; `--record` writes it anew.")),
        None => return Err(format!("there is no {RECORD}; `--record` writes one.")),
    };
    if !Call::program("valgrind").args(["--version"]).succeeds(workspace) {
        return Err(
            "valgrind is not installed; its package is called valgrind on Debian, Ubuntu, \
                    Fedora, Arch and Alpine."
                .to_owned(),
        );
    }

    let new = Record { made_with: made_with(workspace)?, counts: counts(workspace)? };
    let comparison = Comparison::new(&old, &new);
    print!("{comparison}");
    if write {
        std::fs::create_dir_all(path.parent().unwrap_or(&path))
            .and_then(|()| std::fs::write(&path, new.to_string()))
            .map_err(|error| format!("cannot write {RECORD}: {error}."))?;
        println!("{RECORD}: written.");
        return Ok(ExitCode::SUCCESS);
    }
    print!("{}", comparison.advice());
    Ok(if comparison.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the counts depend on beside the code: the compiler, and which kernels are picked.
fn made_with(workspace: &Workspace) -> Result<String, String> {
    let call = Call::program("rustc").args(["--version"]);
    let compiler = printed(&call, &call.output(workspace)?)?;
    #[cfg(target_arch = "x86_64")]
    let vectors = if is_x86_feature_detected!("avx2") { "with AVX2" } else { "without AVX2" };
    #[cfg(not(target_arch = "x86_64"))]
    let vectors = std::env::consts::ARCH;
    Ok(format!("{}, {vectors}", compiler.trim()))
}

fn counts(workspace: &Workspace) -> Result<Vec<Count>, String> {
    // By itself, so that it shows what it compiles.
    let build = program("build");
    let status = build.run(workspace)?;
    if !status.success() {
        return Err(format!("`{build}` ended with {status}; read its output above."));
    }
    let list = program("run");
    let names = printed(&list, &list.output(workspace)?)?;
    names.lines().map(|name| one(workspace, name)).collect()
}

fn one(workspace: &Workspace, name: &str) -> Result<Count, String> {
    let call = program("run").args(["--config", RUNNER, "--", name]);
    let output = call.output(workspace)?;
    let keys = printed(&call, &output)?;
    let keys = keys.trim().parse().ok().filter(|keys| *keys > 0);
    let collected = collected(&String::from_utf8_lossy(&output.stderr));
    match (collected, keys) {
        (Some(instructions), Some(keys)) => Ok(Count::of(name, instructions, keys)),
        _ => Err(format!("`{call}` printed no count:\n{}", shown(&output))),
    }
}

/// The program of cases in release, as users build: no flags but Cargo's own, whatever the
/// contributor has set.
fn program(verb: &str) -> Call {
    Call::cargo([verb, "--release", "--locked", "--manifest-path", BENCH_MANIFEST])
        .args(["--bin", "instructions"])
        .env("CARGO_ENCODED_RUSTFLAGS", "")
}

/// What a call printed as its answer; an error when it failed.
fn printed(call: &Call, output: &Output) -> Result<String, String> {
    if !output.status.success() {
        return Err(format!("`{call}` ended with {}:\n{}", output.status, shown(output)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn shown(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim_end().to_owned()
}

/// The sum in callgrind's last lines: `==8747== Collected : 2120029`. None was counted where the
/// function was never entered, and then 0 would be a lie.
fn collected(said: &str) -> Option<u64> {
    let sum = said.lines().find_map(|line| {
        let rest = line.strip_prefix("==")?;
        rest.split_once("== Collected : ").map(|(_, sum)| sum)
    })?;
    // With caches simulated there would be more numbers; the first is that of instructions.
    sum.split_whitespace().next()?.parse().ok().filter(|sum| *sum > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "==8747== Callgrind, a call-graph generating cache profiler\n\
                        ==8747== Command: x Collected : 5\n\
                        ==8747== \n\
                        ==8747== Events    : Ir\n\
                        ==8747== Collected : 2120029\n\
                        ==8747== \n\
                        ==8747== I   refs:      2,120,029\n";

    #[test]
    fn the_sum_is_read_from_what_callgrind_says() {
        assert_eq!(collected(SAID), Some(2_120_029));
        assert_eq!(collected(&SAID.replace(": 2120029", ": 2120029 7 9")), Some(2_120_029));
    }

    #[test]
    fn where_nothing_was_counted_there_is_no_sum() {
        assert_eq!(collected(&SAID.replace(": 2120029", ": 0")), None);
        assert_eq!(collected(&SAID.replace("Collected", "Gathered")), None);
        assert_eq!(collected(""), None);
    }
}
