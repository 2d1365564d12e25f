//! Which lines and regions of the library its tests run, by cargo-llvm-cov.
//!
//! The toolchain's own llvm-tools or Debian's LLVM of the compiler's version read the profiles.

use std::fmt;
use std::fs;
use std::process::ExitCode;

use crate::call::Call;
use crate::mutants::install;
use crate::packages::{self, Package};
use crate::workspace::Workspace;
use crate::{Trouble, unknown_argument};

const CARGO_LLVM_COV: &str = "0.9.1";
const TOOLS: &str = "target/coverage/tools";
const RECORD: &str = "bench/records/coverage.csv";
const HEADING: &str = "date,commit,folder,lines,lines run,regions,regions run";

/// In the order of the record. A file counts in the longest that it begins with.
const FOLDERS: [&str; 6] = ["parts/", "sizing/", "filter/", "format/", "filter/solve/", ""];

/// Runs the library's tests and prints what they have run; with `--record`, adds it to the record.
pub fn run(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    let mut write = false;
    for arg in args {
        match arg.as_str() {
            "--record" => write = true,
            other => return Err(unknown_argument("coverage", other)),
        }
    }
    measure(workspace, write).map_err(|message| Trouble::blocked(format!("coverage: {message}")))
}

fn measure(workspace: &Workspace, write: bool) -> Result<ExitCode, String> {
    let version = llvm_version(workspace)?;
    install(workspace, "cargo-llvm-cov", CARGO_LLVM_COV, TOOLS)?;
    let (reader, merger) = llvm(workspace, version)?;
    let call = Call::program(workspace.path(&format!("{TOOLS}/bin/cargo-llvm-cov")))
        .args(["llvm-cov", "test", "--package", "anther", "--features", "foreign,serde"])
        .args(["--lib", "--tests", "--locked"])
        .env("LLVM_COV", reader)
        .env("LLVM_PROFDATA", merger)
        // Counters in every loop: without optimization the tests take minutes.
        .env("CARGO_PROFILE_TEST_OPT_LEVEL", "1");
    println!("== {call}");
    let mut folders = FOLDERS.map(|folder| (folder, Counts::default()));
    let status = call.tee(workspace, &mut |line| {
        if let Some((file, counts)) = row(line) {
            folder_of(&mut folders, file).add(counts);
        }
    })?;
    if !status.success() {
        return Err(format!("`{call}` ended with {status}; read its output above."));
    }
    if folders.iter().any(|(_, counts)| counts.lines == 0) {
        return Err("the table has no lines of some folder; did its form change?".to_owned());
    }
    for (folder, counts) in &folders {
        println!(
            "{:<14} lines {:5.1} %  regions {:5.1} %",
            shown(folder),
            percent(counts.lines_run, counts.lines),
            percent(counts.regions_run, counts.regions)
        );
    }
    if write {
        record(workspace, &folders)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The number before the first dot of rustc's LLVM: profiles have a version of their own for each.
fn llvm_version(workspace: &Workspace) -> Result<u32, String> {
    let call = Call::program("rustc").args(["--verbose", "--version"]);
    let output = call.output(workspace)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix("LLVM version: "));
    let version = line.and_then(|line| line.split('.').next()?.parse().ok());
    version.ok_or_else(|| format!("`{call}` names no version of LLVM"))
}

/// Debian's programs of this version, installed where they are missing.
fn llvm(workspace: &Workspace, version: u32) -> Result<(String, String), String> {
    const KNOWN: [(u32, Package); 1] = [(22, ("llvm-22", "llvm-cov-22"))];
    let Some((_, package)) = KNOWN.iter().find(|(known, _)| *known == version) else {
        return Err(format!(
            "rustc has LLVM {version}; add its package to `KNOWN` in xtask/src/coverage.rs."
        ));
    };
    packages::install(workspace, &[*package], [])?;
    Ok((format!("llvm-cov-{version}"), format!("llvm-profdata-{version}")))
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counts {
    lines: u64,
    lines_run: u64,
    regions: u64,
    regions_run: u64,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.lines += other.lines;
        self.lines_run += other.lines_run;
        self.regions += other.regions;
        self.regions_run += other.regions_run;
    }
}

/// A row of llvm-cov's table: the file, then regions, functions and lines, each as all of them,
/// those that were missed, and percent.
fn row(line: &str) -> Option<(&str, Counts)> {
    let mut fields = line.split_whitespace();
    let file = fields.next().filter(|file| file.ends_with(".rs"))?;
    let fields: Vec<&str> = fields.collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    let (regions, lines) = (number(0)?, number(6)?);
    let counts = Counts {
        lines,
        lines_run: lines.checked_sub(number(7)?)?,
        regions,
        regions_run: regions.checked_sub(number(1)?)?,
    };
    Some((file.rsplit_once("anther/src/").map_or(file, |(_, file)| file), counts))
}

fn folder_of<'f>(folders: &'f mut [(&str, Counts)], file: &str) -> &'f mut Counts {
    let fits = folders.iter_mut().filter(|(folder, _)| file.starts_with(folder));
    let longest = fits.max_by_key(|(folder, _)| folder.len());
    &mut longest.expect("the last folder fits every file").1
}

fn shown(folder: &str) -> &str {
    let name = folder.trim_end_matches('/').rsplit('/').next();
    name.filter(|name| !name.is_empty()).unwrap_or("all other")
}

fn percent(run: u64, all: u64) -> f64 {
    100.0 * run as f64 / all.max(1) as f64
}

fn record(workspace: &Workspace, folders: &[(&str, Counts)]) -> Result<(), String> {
    let path = workspace.root.join(RECORD);
    let mut text = fs::read_to_string(&path).unwrap_or_else(|_| format!("{HEADING}\n"));
    let printed = |call: Call| {
        let output = call.output(workspace)?;
        Ok::<_, String>(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let date = printed(Call::program("date").args(["-u", "+%F"]))?;
    let commit = printed(Call::program("git").args(["rev-parse", "--short", "HEAD"]))?;
    for (folder, counts) in folders {
        text += &format!("{date},{commit},{},{counts}\n", shown(folder));
    }
    fs::write(&path, text).map_err(|error| format!("cannot write {RECORD}: {error}."))?;
    println!("{RECORD}: {} rows added.", folders.len());
    Ok(())
}

/// In the order of the record's columns.
impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{},{},{},{}", self.lines, self.lines_run, self.regions, self.regions_run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_table_are_counted_in_the_longest_folder_that_fits() {
        let table = "Filename   Regions Missed Regions Cover Functions Missed Executed Lines Missed Cover\n\
            ------------\n\
            filter/solve/peel.rs  100  10  90.00%  7  1  85.71%  60  6  90.00%  0  0  -\n\
            filter/cuckoo.rs      200   0 100.00%  9  0 100.00%  90  3  96.67%  0  0  -\n\
            crates/anther/src/any.rs 5  1  80.00%  1  0 100.00%   4  1  75.00%  0  0  -\n\
            TOTAL                 305  11  96.39% 17  1  94.12% 154 10  93.51%  0  0  -\n";
        let mut folders = FOLDERS.map(|folder| (folder, Counts::default()));
        for (file, counts) in table.lines().filter_map(row) {
            folder_of(&mut folders, file).add(counts);
        }
        let counted: Vec<String> = folders
            .iter()
            .filter(|(_, counts)| counts.lines > 0)
            .map(|(folder, counts)| format!("{} {counts}", shown(folder)))
            .collect();
        assert_eq!(counted, ["filter 90,87,200,200", "solve 60,54,100,90", "all other 4,3,5,4"]);
    }
}
