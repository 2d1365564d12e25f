//! Which lines and regions of the library its tests run, by cargo-llvm-cov.
//!
//! Debian's LLVM of the compiler's version reads the profiles.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::process::ExitCode;

use crate::call::Call;
use crate::mutants::install;
use crate::packages::{self, Package};
use crate::record::{Record, said};
use crate::workspace::Workspace;
use crate::{Trouble, unknown_argument};

const CARGO_LLVM_COV: &str = "0.9.1";
const TOOLS: &str = "target/coverage/tools";
const RECORD: Record = Record {
    path: "bench/records/coverage.csv",
    heading: "date,commit,folder,lines,lines run,regions,regions run",
};

/// The library's source.
const SOURCE: &str = "crates/anther/src/";

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
    let tool = |args: &[&str]| {
        Call::program(workspace.path(&format!("{TOOLS}/bin/cargo-llvm-cov")))
            .args(["llvm-cov"])
            .args(args.iter().copied())
            .env("LLVM_COV", &reader)
            .env("LLVM_PROFDATA", &merger)
    };
    let tests = tool(&["test", "--no-report", "--package", "anther", "--lib", "--tests"])
        .args(["--features", "foreign,serde", "--locked"])
        // Counters in every loop: without optimization the tests take minutes.
        .env("CARGO_PROFILE_TEST_OPT_LEVEL", "1");
    // What earlier tests ran would be added.
    said(workspace, &tool(&["clean", "--profraw-only", "--workspace"]))?;
    println!("== {tests}");
    let status = tests.run(workspace)?;
    if !status.success() {
        return Err(format!("`{tests}` ended with {status}; read its output above."));
    }
    let mut folders = FOLDERS.map(|folder| (folder, Counts::default()));
    for (file, regions, run) in said(workspace, &tool(&["report"]))?.lines().filter_map(row) {
        let counts = folder_of(&mut folders, file);
        counts.regions += regions;
        counts.regions_run += run;
    }
    let mut ends: HashMap<String, usize> = HashMap::new();
    for (file, line, runs) in lines(&said(workspace, &tool(&["report", "--lcov"]))?) {
        if !ends.contains_key(&file) {
            let text = fs::read_to_string(workspace.root.join(SOURCE).join(&file))
                .map_err(|error| format!("cannot read {file}: {error}."))?;
            ends.insert(file.clone(), tests_begin(&text));
        }
        if line < ends[&file] {
            let counts = folder_of(&mut folders, &file);
            counts.lines += 1;
            counts.lines_run += u64::from(runs > 0);
        }
    }
    if folders.iter().any(|(_, counts)| counts.lines == 0 || counts.regions == 0) {
        return Err("the reports have no lines of some folder; did their form change?".to_owned());
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
        let rows = folders.each_ref().map(|(folder, counts)| format!("{},{counts}", shown(folder)));
        RECORD.append(workspace, &rows)?;
        println!("{}: {} rows added.", RECORD.path, rows.len());
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

/// A row of llvm-cov's table: the file, all its regions, and those that were run. The table has the
/// regions that were missed, and functions and lines behind them.
fn row(line: &str) -> Option<(&str, u64, u64)> {
    let mut fields = line.split_whitespace();
    let file = own_file(fields.next()?)?;
    let mut number = || fields.next()?.parse::<u64>().ok();
    let (regions, missed) = (number()?, number()?);
    Some((file, regions, regions.checked_sub(missed)?))
}

/// The lines of an lcov report: the file, the line, and how often it was run.
fn lines(report: &str) -> Vec<(String, usize, u64)> {
    let mut file = None;
    let mut found = Vec::new();
    for line in report.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            file = own_file(path);
        } else if let Some((file, (line, runs))) =
            file.zip(line.strip_prefix("DA:").and_then(|line| line.split_once(',')))
        {
            let numbers = line.parse().ok().zip(runs.parse().ok());
            found.extend(numbers.map(|(line, runs)| (file.to_owned(), line, runs)));
        }
    }
    found
}

/// A file of the library that is not one of tests, from its source folder.
fn own_file(path: &str) -> Option<&str> {
    let file = path.rsplit_once(SOURCE).map_or(path, |(_, file)| file);
    let is_own = file.ends_with(".rs") && !file.starts_with('/');
    let is_test = file.ends_with("tests.rs") || file.contains("/tests/");
    Some(file).filter(|_| is_own && !is_test)
}

/// The line of a file's own tests, which come last.
fn tests_begin(text: &str) -> usize {
    let is_tests = |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ");
    let lines: Vec<&str> = text.lines().collect();
    lines.windows(2).position(is_tests).map_or(usize::MAX, |at| at + 1)
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
    fn regions_are_counted_in_the_longest_folder_that_fits() {
        let table = "Filename   Regions Missed Regions Cover Functions Missed Executed Lines Missed Cover\n\
            ------------\n\
            filter/solve/peel.rs  100  10  90.00%  7  1  85.71%  60  6  90.00%  0  0  -\n\
            filter/cuckoo.rs      200   0 100.00%  9  0 100.00%  90  3  96.67%  0  0  -\n\
            filter/cuckoo/tests.rs 50   0 100.00%  9  0 100.00%  90  3  96.67%  0  0  -\n\
            crates/anther/src/any.rs 5  1  80.00%  1  0 100.00%   4  1  75.00%  0  0  -\n\
            TOTAL                 305  11  96.39% 17  1  94.12% 154 10  93.51%  0  0  -\n";
        let mut folders = FOLDERS.map(|folder| (folder, Counts::default()));
        for (file, regions, run) in table.lines().filter_map(row) {
            let counts = folder_of(&mut folders, file);
            counts.regions += regions;
            counts.regions_run += run;
        }
        let counted: Vec<String> = folders
            .iter()
            .filter(|(_, counts)| counts.regions > 0)
            .map(|(folder, counts)| format!("{} {counts}", shown(folder)))
            .collect();
        assert_eq!(counted, ["filter 0,0,200,200", "solve 0,0,100,90", "all other 0,0,5,4"]);
    }

    #[test]
    fn lines_are_those_of_the_library_before_its_tests() {
        let report = "SF:/home/a/crates/anther/src/any.rs\nFN:3,f\nDA:3,7\nDA:4,0\nend_of_record\n\
            SF:/home/a/crates/anther/src/any/tests.rs\nDA:1,1\nend_of_record\n\
            SF:/home/a/crates/anther/tests/laws/main.rs\nDA:1,1\nend_of_record\n";
        assert_eq!(lines(report), [("any.rs".to_owned(), 3, 7), ("any.rs".to_owned(), 4, 0)]);
        let text = "a\n#[cfg(test)]\nuse b;\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!((tests_begin(text), tests_begin("a\nb\n")), (4, usize::MAX));
    }
}
