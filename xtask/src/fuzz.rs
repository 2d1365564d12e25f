//! Fuzzing under AddressSanitizer: every target for its share of the time, on all cores.

use std::collections::VecDeque;
use std::env;
use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::call::Call;
use crate::packages::{self, Package};
use crate::record::Record;
use crate::stages::{clippy_driver, rustfmt};
use crate::step::Step;
use crate::workspace::Workspace;
use crate::{Trouble, exit_code, unknown_argument};

/// A workspace of its own: libFuzzer is C++.
const MANIFEST: &str = "fuzz/Cargo.toml";

/// The release that is installed if cargo-fuzz is missing.
const CARGO_FUZZ: &str = "0.13.2";

/// libFuzzer is C++.
const COMPILER: [Package; 1] = [("g++", "c++")];

const TOOL: &str = "target/fuzz-tool";
const BUILT: &str = "target/fuzz";
const RECORD: Record = Record {
    path: "bench/records/fuzz.csv",
    heading: "date,commit,target,executions,seconds,edges,findings",
};

/// What `--for` is if neither it nor `--runs` is given.
const TIME: Duration = Duration::from_secs(600);

/// How long to fuzz.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Span {
    /// All targets together.
    For(Duration),
    /// This many executions of each target.
    Runs(u64),
}

/// An input of a few kilobytes must not allocate more at once, nor in all, nor take longer. Leaks are
/// not looked for: that takes a debugger's rights, and safe code may leak.
const LIMITS: [&str; 5] = [
    "-max_len=8192",
    "-malloc_limit_mb=128",
    "-rss_limit_mb=2048",
    "-timeout=20",
    "-detect_leaks=0",
];

/// What the tests of `core` run: lints, and every input of the corpora once. In the one target folder, so that
/// what has the same features is compiled once.
pub fn replay() -> Vec<Step> {
    let of_fuzz = |verb: &str| Call::cargo([verb, "--manifest-path", MANIFEST]);
    // Without libFuzzer, and so without a C++ compiler.
    let plain = |verb: &str| {
        of_fuzz(verb).args(["--locked", "--no-default-features", "--target-dir", "target"])
    };
    // Without the unit tests of the program's sources that are compiled in.
    let clippy = plain("clippy").args(["--lib", "--tests", "--", "-D", "warnings"]);
    vec![
        Step::new("fuzz formatting", of_fuzz("fmt").args(["--check"])).needs(rustfmt()),
        Step::new("fuzz clippy", clippy).needs(clippy_driver()),
        Step::cargo_test("fuzz replay", plain("test")),
    ]
}

/// `cargo xtask fuzz [TARGET…] [--for 1h | --runs 1e6]`.
pub fn run(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    let all = targets(&workspace.root.join("fuzz/fuzz_targets"));
    let (named, span) = parse(args, &all)?;
    build(workspace).map_err(Trouble::blocked)?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let turns = turns(&named, cores, span);
    println!("{} targets on {cores} cores, {}", named.len(), turns.limit.text(turns.copies));
    let queue = Mutex::new(turns.targets.into_iter().collect::<VecDeque<_>>());
    let rows = Mutex::new(Vec::<Row>::new());
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                // What panics here is a defect of this program: the others go on.
                while let Some((target, copy)) = queue.lock().ok().and_then(|mut it| it.pop_front())
                {
                    let row = turn(workspace, &target, copy, turns.limit);
                    println!("{}: {} executions in {} s", row.target, row.executions, row.seconds);
                    rows.lock().map(|mut rows| rows.push(row)).unwrap_or_default();
                }
            });
        }
    });
    let rows = summed(rows.into_inner().unwrap_or_default());
    print!("\n{}", table(&rows));
    let recorded: Vec<String> = rows.iter().map(Row::to_string).collect();
    RECORD
        .append(workspace, &recorded)
        .map_err(|cause| Trouble::blocked(format!("fuzz: {cause}")))?;
    let findings: u64 = rows.iter().map(|row| row.findings).sum();
    if findings > 0 {
        println!(
            "\nFindings are in {BUILT}/findings, what libFuzzer said in {BUILT}/logs. Fix the cause, \
             and keep the input in fuzz/regressions/TARGET: fuzz/README.md says how."
        );
    }
    Ok(exit_code(findings == 0 && rows.iter().all(|row| row.executions > 0)))
}

/// The targets, by their files.
fn targets(folder: &Path) -> Vec<String> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let name = |path: PathBuf| Some(path.file_stem()?.to_string_lossy().into_owned());
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| name(entry.path())).collect();
    names.sort();
    names
}

/// The targets that are named, or all, and how long to fuzz.
fn parse(args: &[String], all: &[String]) -> Result<(Vec<String>, Span), Trouble> {
    if all.is_empty() {
        let message = "fuzz: there is no fuzz/fuzz_targets; check out a commit that has it.";
        return Err(Trouble::blocked(message.to_owned()));
    }
    let (mut named, mut span, mut args) = (Vec::new(), Span::For(TIME), args.iter());
    while let Some(arg) = args.next() {
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (arg.as_str(), None),
        };
        let mut value = || value.or_else(|| args.next().map(String::as_str)).unwrap_or_default();
        if name == "--for" {
            let value = value();
            let message = format!("fuzz: --for `{value}`: needs a time such as 90s, 10m or 1h.");
            span = Span::For(duration(value).ok_or_else(|| Trouble::usage(message))?);
        } else if name == "--runs" {
            let value = value();
            let message = format!("fuzz: --runs `{value}`: needs a count such as 50000 or 1e6.");
            span = Span::Runs(count(value).ok_or_else(|| Trouble::usage(message))?);
        } else if arg.starts_with('-') {
            return Err(unknown_argument("fuzz", arg));
        } else if all.contains(arg) {
            named.push(arg.clone());
        } else {
            return Err(Trouble::usage(format!(
                "fuzz: `{arg}`: no such target. There are {}.",
                all.join(", ")
            )));
        }
    }
    named.sort();
    named.dedup();
    Ok((if named.is_empty() { all.to_vec() } else { named }, span))
}

/// A count, in figures or as 1e6.
fn count(text: &str) -> Option<u64> {
    let (figures, zeros) = text.split_once('e').unwrap_or((text, "0"));
    let count =
        figures.parse::<u64>().ok()?.checked_mul(10u64.checked_pow(zeros.parse().ok()?)?)?;
    // libFuzzer counts in an int.
    (1..=1 << 30).contains(&count).then_some(count)
}

fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(|it: char| !it.is_ascii_digit())?);
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return None,
    };
    let seconds = number.parse::<u64>().ok()?.checked_mul(seconds)?;
    // At most a year.
    (1..=31_536_000).contains(&seconds).then_some(Duration::from_secs(seconds))
}

/// Installs what is missing, and builds all targets: they share all but a few lines.
fn build(workspace: &Workspace) -> Result<(), String> {
    if !cfg!(any(target_os = "linux", target_os = "macos")) {
        return Err("fuzz: AddressSanitizer needs Linux or macOS, on x86-64 or aarch64.".to_owned());
    }
    packages::install(workspace, &COMPILER, [])?;
    // Does nothing if it is there.
    let install = Call::cargo(["install", "cargo-fuzz", "--locked", "--version", CARGO_FUZZ])
        .args(["--root", TOOL, "--target-dir", "target/fuzz-tool/build"]);
    succeed(workspace, &install, "could not install cargo-fuzz; needs the crates registry.")?;
    let path = env::var_os("PATH").unwrap_or_default();
    let own = workspace.root.join(TOOL).join("bin");
    let path = env::join_paths([own].into_iter().chain(env::split_paths(&path)));
    let path = path.map_err(|error| format!("fuzz: PATH: {error}"))?;
    let build = Call::cargo(["fuzz", "build", "--fuzz-dir", "fuzz", "--target-dir", BUILT])
        .env("PATH", path.to_string_lossy())
        // Sanitizers are behind a flag that is for nightly compilers only.
        .env("RUSTC_BOOTSTRAP", "1");
    let why = "could not build the targets with AddressSanitizer; needs a toolchain of rustup for \
               x86-64 or aarch64, which has its runtime, and a C++ compiler.";
    succeed(workspace, &build, why)
}

fn succeed(workspace: &Workspace, call: &Call, why: &str) -> Result<(), String> {
    println!("== {call}");
    if call.run(workspace)?.success() { Ok(()) } else { Err(format!("fuzz: {why}")) }
}

/// Who runs for how long.
struct Turns {
    /// Each target, as often as it takes to keep all cores busy, with the number of its copy.
    targets: Vec<(String, u64)>,
    copies: u64,
    limit: Limit,
}

/// Where a turn ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    Seconds(u64),
    Runs(u64),
}

impl Limit {
    fn option(self) -> String {
        match self {
            Limit::Seconds(seconds) => format!("-max_total_time={seconds}"),
            Limit::Runs(runs) => format!("-runs={runs}"),
        }
    }

    /// Of all copies of a target.
    fn text(self, copies: u64) -> String {
        match self {
            Limit::Seconds(seconds) => format!("{} s each", seconds * copies),
            Limit::Runs(runs) => format!("{} executions each", runs * copies),
        }
    }
}

fn turns(named: &[String], cores: usize, span: Span) -> Turns {
    let copies = cores.div_ceil(named.len()).max(1);
    let each = |copy: usize| named.iter().map(move |target| (target.clone(), copy as u64));
    let limit = match span {
        Span::For(time) => {
            let seconds = time.as_secs() * cores as u64 / (named.len() * copies) as u64;
            Limit::Seconds(seconds.max(1))
        }
        Span::Runs(runs) => Limit::Runs(runs.div_ceil(copies as u64)),
    };
    Turns { targets: (0..copies).flat_map(each).collect(), copies: copies as u64, limit }
}

/// What came of a target.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    target: String,
    executions: u64,
    seconds: u64,
    edges: u64,
    findings: u64,
}

/// In the order of the record's columns.
impl fmt::Display for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { target, executions, seconds, edges, findings } = self;
        write!(out, "{target},{executions},{seconds},{edges},{findings}")
    }
}

/// Runs a target for a while, or until it finds something.
fn turn(workspace: &Workspace, target: &str, copy: u64, limit: Limit) -> Row {
    let start = Instant::now();
    let (mut row, ended) = fuzz(workspace, target, copy, limit).unwrap_or_else(|error| {
        println!("{target}: {error}");
        (Row::default(), true)
    });
    if !ended && row.findings == 0 {
        println!("{target}: was ended by something else; see {BUILT}/logs/{target}");
        row.findings = 1;
    }
    Row { target: target.to_owned(), seconds: start.elapsed().as_secs(), ..row }
}

/// What libFuzzer said, and whether it ended by itself.
fn fuzz(
    workspace: &Workspace,
    target: &str,
    copy: u64,
    limit: Limit,
) -> Result<(Row, bool), String> {
    let folder = |name: &str| workspace.root.join(BUILT).join(name).join(target);
    let (corpus, found, logs) = (folder("corpus"), folder("findings"), folder("logs"));
    for folder in [&corpus, &found, &logs] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let program = program(workspace, target)?;
    let log = logs.join(format!("{copy}.txt"));
    let file = fs::File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    let kept =
        ["corpus", "regressions"].map(|name| workspace.root.join("fuzz").join(name).join(target));
    let mut command = Command::new(program);
    command.arg(&corpus).args(kept.iter().filter(|folder| folder.is_dir())).args(LIMITS);
    command.arg(limit.option());
    command.arg(format!("-artifact_prefix={}/", found.display())).arg("-print_final_stats=1");
    // Freed memory is kept from use a while: 16 MB of it, not 256.
    command.env("ASAN_OPTIONS", "quarantine_size_mb=16:allocator_may_return_null=1");
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file).status();
    let status = status.map_err(|error| format!("cannot start: {error}"))?;
    let said = fs::read(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    Ok((read(&String::from_utf8_lossy(&said)), status.success()))
}

/// The program of a target, below the folder of the machine that it was built for.
fn program(workspace: &Workspace, target: &str) -> Result<PathBuf, String> {
    let entries =
        workspace.root.join(BUILT).read_dir().map_err(|error| format!("{BUILT}: {error}"))?;
    let programs = entries.flatten().map(|entry| entry.path().join("release").join(target));
    programs.into_iter().find(|path| path.is_file()).ok_or(format!("{BUILT}: no program {target}"))
}

/// Reads the last number of executions and edges, and whether there is a finding.
fn read(said: &str) -> Row {
    let mut row = Row::default();
    for line in said.lines() {
        let after = |word: &str| {
            let (_, rest) = line.split_once(word)?;
            rest.split_whitespace().next()?.parse::<u64>().ok()
        };
        row.executions = after("stat::number_of_executed_units:").unwrap_or(row.executions);
        // `#65536 pulse  cov: 812 ft: 1530 …`
        if line.starts_with('#') {
            row.edges = after("cov: ").unwrap_or(row.edges);
            row.executions = after("#").unwrap_or(row.executions);
        }
        // An input that took seconds is kept, too, and the fuzzer goes on.
        let is_kept = line.contains("Test unit written to");
        row.findings += u64::from(is_kept && !line.contains("/slow-unit-"));
    }
    row
}

/// The copies of a target as one row: the most edges of any.
fn summed(rows: Vec<Row>) -> Vec<Row> {
    let mut all: Vec<Row> = Vec::new();
    for row in rows {
        match all.iter_mut().find(|sum| sum.target == row.target) {
            Some(sum) => {
                sum.executions += row.executions;
                sum.seconds += row.seconds;
                sum.edges = sum.edges.max(row.edges);
                sum.findings += row.findings;
            }
            None => all.push(row),
        }
    }
    all.sort_by(|a, b| a.target.cmp(&b.target));
    all
}

fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<14} {:>12} {:>8} {:>11} {:>7} {:>8}\n",
        "target", "executions", "seconds", "per second", "edges", "findings"
    );
    let all = Row {
        target: "all".to_owned(),
        executions: rows.iter().map(|row| row.executions).sum(),
        seconds: rows.iter().map(|row| row.seconds).sum(),
        edges: rows.iter().map(|row| row.edges).sum(),
        findings: rows.iter().map(|row| row.findings).sum(),
    };
    for row in rows.iter().chain([&all]) {
        let Row { target, executions, seconds, edges, findings } = row;
        let speed = executions / seconds.max(&1);
        let _ = writeln!(
            text,
            "{target:<14} {executions:>12} {seconds:>8} {speed:>11} {edges:>7} {findings:>8}"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn arguments_name_targets_and_a_time() {
        let all = names(&["csv", "files"]);
        let parsed = |args: &[&str]| parse(&names(args), &all).map_err(|trouble| trouble.code);
        assert_eq!(parsed(&[]), Ok((all.clone(), Span::For(TIME))));
        let hour = Span::For(Duration::from_secs(3600));
        assert_eq!(parsed(&["--for", "1h", "csv"]), Ok((names(&["csv"]), hour)));
        assert_eq!(parsed(&["--for=60m"]), Ok((all.clone(), hour)));
        assert_eq!(parsed(&["--for", "1h", "csv", "csv"]), Ok((names(&["csv"]), hour)));
        assert_eq!(parsed(&["--runs=1e6"]), Ok((all.clone(), Span::Runs(1_000_000))));
        assert_eq!(parsed(&["files", "--runs", "70"]), Ok((names(&["files"]), Span::Runs(70))));
        for wrong in ["json", "--for", "--for=1", "--for=0s", "--for=9999999h", "--fast"] {
            assert_eq!(parsed(&[wrong]), Err(2), "{wrong:?}");
        }
        for wrong in ["--runs", "--runs=0", "--runs=e6", "--runs=1e", "--runs=1e99", "--runs=-1"] {
            assert_eq!(parsed(&[wrong]), Err(2), "{wrong:?}");
        }
        assert!(parse(&[], &[]).is_err_and(|trouble| trouble.code == 1));
    }

    #[test]
    fn the_time_is_shared_over_targets_and_cores() {
        let minute = Span::For(Duration::from_secs(60));
        let all = names(&["a", "b", "c"]);
        let shared = turns(&all, 2, minute);
        assert_eq!((shared.targets.len(), shared.copies), (3, 1));
        assert_eq!(shared.limit, Limit::Seconds(40));
        let alone = turns(&all[..1], 2, minute);
        assert_eq!((alone.targets.len(), alone.copies), (2, 2));
        assert_eq!(alone.limit, Limit::Seconds(60));
        assert_eq!(turns(&all, 1, Span::For(Duration::from_secs(1))).limit, Limit::Seconds(1));
        assert_eq!(turns(&all, 2, Span::Runs(7)).limit, Limit::Runs(7));
        assert_eq!(turns(&all[..1], 2, Span::Runs(7)).limit, Limit::Runs(4));
    }

    #[test]
    fn libfuzzers_words_become_numbers() {
        let said = "INFO: seed corpus\n#2\tINITED cov: 80 ft: 81 corp: 1/1b\n\
                    #65536\tpulse  cov: 812 ft: 1530 corp: 90/4Kb\n\
                    ==7== ERROR: libFuzzer: deadly signal\n\
                    Test unit written to target/fuzz/findings/csv/slow-unit-1\n\
                    Test unit written to target/fuzz/findings/csv/crash-1\n\
                    stat::number_of_executed_units: 70001\n";
        let row = read(said);
        assert_eq!((row.executions, row.edges, row.findings), (70001, 812, 1));
        let half =
            Row { target: "csv".to_owned(), executions: 5, seconds: 2, edges: 9, findings: 0 };
        let two = summed(vec![half.clone(), Row { edges: 7, findings: 1, ..half }]);
        assert_eq!((two.len(), two[0].executions, two[0].edges, two[0].findings), (1, 10, 9, 1));
        assert!(table(&two).ends_with("10        4           2       9        1\n"));
    }
}
