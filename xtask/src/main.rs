//! The single entrance for contributors: `cargo xtask help` lists its verbs.
//!
//! To add a verb, add an entry to [`VERBS`]. To add a stage of tests or a step, see `stages.rs`.

mod c;
mod call;
mod clock;
mod compiled;
mod conformance;
mod coverage;
mod crash;
mod environment;
mod foreign;
mod fuzz;
mod instructions;
mod mutants;
mod numbers;
mod packages;
mod page;
mod peers;
mod portable;
mod python;
mod record;
mod release;
mod report;
mod search;
mod server;
mod stages;
mod step;
mod tally;
mod threads;
mod uses;
mod web;
mod weight;
mod workspace;

use std::process::ExitCode;

use call::Call;
use report::Ran;
use stages::{STAGES, Stage};
use step::Step;
use workspace::Workspace;

/// One thing that a contributor can do.
struct Verb {
    name: &'static str,
    takes: &'static str,
    about: &'static str,
    run: fn(&Workspace, &[String]) -> Result<ExitCode, Trouble>,
}

const VERBS: &[Verb] = &[
    Verb {
        name: "test",
        takes: "[--require-all] [STAGE…]",
        about: "everything a change must pass, or the stages that are named; with --require-all, \
                what was not run has failed",
        run: test,
    },
    Verb { name: "lint", takes: "", about: "formatting, clippy and rustdoc", run: lint },
    Verb {
        name: "long",
        takes: "[server …|uniq …]",
        about: "the library's tests in release, with those that take minutes or gigabytes, and 10,000 \
                random searches beside ripgrep; \
                `long server --rounds 100` kills servers instead: see its --help; `long uniq` sends 10^9 \
                lines through `anther uniq`, `long uniq --lines=1e8 --memory 1G` fewer, with options",
        run: long,
    },
    Verb {
        name: "fuzz",
        takes: "[--for 1h | --runs 1e6] [TARGET…]",
        about: "fuzzing under AddressSanitizer on all cores: all targets, or those that are named, for \
                ten minutes, a time, or a number of executions of each target (1e6: an hour on two \
                cores); appends to bench/records/fuzz.csv",
        run: fuzz::run,
    },
    Verb {
        name: "crash",
        takes: "[--kills N] [--adders N] [PATH…]",
        about: "opens every state that a crash may leave of a file, and lets each system call that \
                writes fail in turn; with --kills, kills the program so often instead, and with \
                --adders, processes that insert into one file at once",
        run: crash::crash,
    },
    Verb {
        name: "portable",
        takes: "",
        about: "the golden files on aarch64 and on s390x, which is big-endian, under qemu",
        run: portable::run,
    },
    Verb {
        name: "conformance",
        takes: "[--keys N] [LANGUAGE|KIND…]",
        about: "the readers in C, Go, Java, JavaScript and Python on files of 100,000 keys of every \
                type, three kinds, open and keyed; adds to bench/records/conformance.csv unless \
                --keys asks for fewer; ten minutes",
        run: conformance::run,
    },
    Verb {
        name: "bench",
        takes: "[--quick] [SECTION…]",
        about: "our filters beside their peers: all sections, or some of u64, strings, static, \
                threads, hash; --quick for 10^5 and 10^6 keys; --record keeps partial results; \
                `bench server`: the module's commands beside the server's own; `bench python`: the \
                package beside its peers, `bench python spark` and `bench python engines` inside \
                others; `bench scale`: 10^5 to 10^9 keys, and the tables of docs/scale.md; `bench \
                search` and `bench uniq`: `anther grep` beside ripgrep, `anther uniq` beside huniq, runiq \
                and sort, each with --quick for a trial",
        run: bench,
    },
    Verb {
        name: "instructions",
        takes: "[--record]",
        about: "instructions per key of the hot calls, counted by callgrind, beside the record",
        run: instructions::run,
    },
    Verb {
        name: "settle",
        takes: "[--items=N] [SECTION…]",
        about: "the measurements behind docs/decisions.md: layers, kinds, batches, statics, cascade, \
                program, ranges, lists, grams, adversaries; --items=1e8 for batches of 10^8 keys",
        run: settle,
    },
    Verb {
        name: "release",
        takes: "[--only CHECK…]",
        about: "checks what a release needs, and publishes nothing: tree, versions, changelog, licences, \
                contents, deny, advisories, golden, docs, minimal, msrv, package; half an hour, and \
                minutes more when it installs cargo-deny",
        run: release::run,
    },
    Verb {
        name: "threads",
        takes: "[model] [tsan] [soak]",
        about: "what threads and processes may do to each other: every order of their steps under Loom and \
                Shuttle, ThreadSanitizer, and 10^10 lookups beside inserts; all three, or those that are \
                named; appends to bench/records/threads.csv",
        run: threads::run,
    },
    Verb {
        name: "mutants",
        takes: "[--each=N] [--seed=N] [--record]",
        about: "small changes to the library that its tests must notice: 40 of each of five folders, \
                or N; --seed=2 for others; --record adds the counts to bench/records/mutants.csv; \
                an interrupted run goes on where it was",
        run: mutants::run_sample,
    },
    Verb {
        name: "coverage",
        takes: "[--record]",
        about: "lines and regions of the library that its tests run; --record adds them to \
                bench/records/coverage.csv",
        run: coverage::run,
    },
    Verb {
        name: "numbers",
        takes: "[--check] [uses]",
        about: "writes the measured numbers of the README and docs/ from the records, and the tables of \
                docs/scale.md; `numbers uses` runs the demonstrations first, and records them; --check \
                only says which pages differ",
        run: numbers::run,
    },
    Verb {
        name: "weight",
        takes: "",
        about: "crates, lock files, lines, names and words, each beside its line in xtask/weight.csv; \
                the stage core fails if one is above",
        run: weight::run,
    },
    Verb { name: "help", takes: "", about: "this list", run: help },
];

/// Why a verb could not do its work, and the exit code that says so.
struct Trouble {
    message: String,
    code: u8,
}

impl Trouble {
    /// The request itself makes no sense.
    fn usage(message: String) -> Self {
        Self { message, code: 2 }
    }

    /// The request makes sense, and something else is in the way.
    fn blocked(message: String) -> Self {
        Self { message, code: 1 }
    }
}

fn main() -> ExitCode {
    // Lossy, so that a name that is not UTF-8 is refused by name instead of a panic.
    let args: Vec<String> =
        std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    dispatch(&args).unwrap_or_else(|trouble| {
        eprintln!("xtask: {}", trouble.message);
        ExitCode::from(trouble.code)
    })
}

fn dispatch(args: &[String]) -> Result<ExitCode, Trouble> {
    let Some((name, rest)) = args.split_first() else {
        return Ok(print_usage());
    };
    if is_plea(name) || rest.first().is_some_and(|arg| is_plea(arg)) {
        return Ok(print_usage());
    }
    let Some(verb) = VERBS.iter().find(|verb| verb.name == name) else {
        return Err(Trouble::usage(format!("`{name}`: no such verb.\n\n{}", usage())));
    };
    let workspace = Workspace::find().map_err(Trouble::blocked)?;
    (verb.run)(&workspace, rest)
}

fn test(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    let (flags, names): (Vec<&String>, Vec<&String>) =
        args.iter().partition(|arg| arg.starts_with('-'));
    if let Some(other) = flags.iter().find(|flag| flag.as_str() != "--require-all") {
        return Err(unknown_argument("test", other));
    }
    if let Some(other) = names.iter().find(|name| STAGES.iter().all(|stage| stage.name != **name)) {
        return Err(Trouble::usage(format!("test: `{other}`: no such stage.\n\n{}", usage())));
    }
    let wanted = |stage: &&Stage| names.is_empty() || names.iter().any(|name| *name == stage.name);
    let ran: Vec<Ran> = STAGES.iter().filter(wanted).map(|stage| stage.run(workspace)).collect();
    let require_all = !flags.is_empty();
    println!("The long-run tests and other processors are apart: `cargo xtask help`.");
    print!("{}", report::render(&ran, require_all));
    Ok(exit_code(ran.iter().all(|stage| report::failed(&stage.outcome, require_all) == 0)))
}

fn lint(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    refuse_arguments("lint", args)?;
    Ok(check(workspace, &stages::lint()))
}

fn long(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    if let Some((_, rest)) = args.split_first().filter(|(first, _)| *first == "server") {
        return server::long(workspace, rest);
    }
    if let Some((_, rest)) = args.split_first().filter(|(first, _)| *first == "uniq") {
        require_bench("long", workspace)?;
        return run(workspace, &from_bench("uniq").args(["--", "--long"]).args(rest));
    }
    refuse_arguments("long", args)?;
    Ok(check(workspace, &stages::long(workspace)))
}

/// The sections of `settle` and of `bench`, to refuse others before anything is built.
const SETTLED: [&str; 10] = [
    "layers",
    "kinds",
    "batches",
    "statics",
    "cascade",
    "program",
    "ranges",
    "lists",
    "grams",
    "adversaries",
];
const BENCHED: [&str; 5] = ["u64", "strings", "static", "threads", "hash"];

/// Refuses a name that is none of these. Options are left to the program.
fn require_sections(verb: &str, args: &[String], known: &[&str]) -> Result<(), Trouble> {
    let is_unknown = |arg: &&String| !arg.starts_with('-') && !known.contains(&arg.as_str());
    args.iter().find(is_unknown).map_or(Ok(()), |arg| {
        let known = known.join(", ");
        let help = "`cargo xtask help` has the others of its parts";
        Err(Trouble::usage(format!("{verb}: `{arg}`: no such section. There are {known}; {help}.")))
    })
}

fn settle(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    require_bench("settle", workspace)?;
    require_sections("settle", args, &SETTLED)?;
    run(workspace, &from_bench("settle").args(["--"]).args(args))
}

/// With Cargo's default flags, as users build; and once more for this very machine.
fn bench(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    match args.split_first() {
        Some((first, rest)) if first == "server" => return server::bench(workspace, rest),
        Some((first, rest)) if first == "python" => return python::bench(workspace, rest),
        _ => {}
    }
    require_bench("bench", workspace)?;
    if let Some(rest) = args.strip_prefix(&["scale".to_string()]) {
        let scale = from_bench("scale").env("RUSTFLAGS", "").args(["--"]).args(rest);
        return run(workspace, &scale);
    }
    match args.split_first() {
        Some((first, rest)) if first == "search" => return peers::search(workspace, rest),
        Some((first, rest)) if first == "uniq" => return peers::uniq(workspace, rest),
        _ => {}
    }
    require_sections("bench", args, &BENCHED)?;
    let by_default = from_bench("bench").env("RUSTFLAGS", "").args(["--"]).args(args);
    let code = run(workspace, &by_default)?;
    // A part of the benchmark is run while something is being changed: once is enough.
    if args.iter().any(|arg| arg != "--record") || code != ExitCode::SUCCESS {
        return Ok(code);
    }
    let native = from_bench("bench").env("RUSTFLAGS", "-C target-cpu=native").args([
        "--target-dir",
        "bench/target/native",
        "--",
        "--native",
    ]);
    run(workspace, &native)
}

/// A program of the bench folder; what follows is for cargo until a `--`.
fn from_bench(program: &str) -> Call {
    Call::cargo(["run", "--release", "--locked", "--manifest-path", workspace::BENCH_MANIFEST])
        .args(["--bin", program])
}

/// Hands on what the program says of itself: 2 is a request that makes no sense.
fn run(workspace: &Workspace, call: &Call) -> Result<ExitCode, Trouble> {
    let status = call.run(workspace).map_err(Trouble::blocked)?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

fn help(_: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    refuse_arguments("help", args)?;
    Ok(print_usage())
}

/// Runs steps that are no stage, and reports.
fn check(workspace: &Workspace, steps: &[Step]) -> ExitCode {
    let outcome = step::run_all(workspace, steps);
    outcome.notes.iter().for_each(|note| println!("{note}"));
    println!("{outcome}");
    exit_code(outcome.failed == 0)
}

fn exit_code(all_is_well: bool) -> ExitCode {
    if all_is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Refuses where the folder of measurements is not there.
fn require_bench(verb: &str, workspace: &Workspace) -> Result<(), Trouble> {
    if workspace.has_bench() {
        return Ok(());
    }
    Err(Trouble::blocked(format!(
        "{verb}: there is no {}; check out a commit that has it.",
        workspace::BENCH_MANIFEST
    )))
}

fn is_plea(arg: &str) -> bool {
    matches!(arg, "--help" | "-h")
}

fn refuse_arguments(verb: &str, args: &[String]) -> Result<(), Trouble> {
    args.first().map_or(Ok(()), |arg| Err(unknown_argument(verb, arg)))
}

fn unknown_argument(verb: &str, arg: &str) -> Trouble {
    Trouble::usage(format!("{verb}: `{arg}`: no such argument.\n\n{}", usage()))
}

fn print_usage() -> ExitCode {
    println!("{}", usage());
    ExitCode::SUCCESS
}

fn usage() -> String {
    let mut text = String::from("Usage: cargo xtask VERB\n");
    for verb in VERBS {
        let call = format!("{} {}", verb.name, verb.takes);
        text += &format!("\n  {call:<31}  {}", verb.about);
    }
    text += "\n\nStages of the tests, with their budget:\n";
    for Stage { name, about, budget_minutes, .. } in STAGES {
        text += &format!("\n  {name:<10}  {budget_minutes:>2} min  {about}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_sections_are_refused_and_options_are_not() {
        let refused = |args: &[&str]| {
            let args: Vec<String> = args.iter().map(ToString::to_string).collect();
            require_sections("bench", &args, &BENCHED).err().map(|trouble| trouble.code)
        };
        assert_eq!(refused(&["nosuch"]), Some(2));
        assert_eq!(refused(&["--quick", "u64", "nosuch"]), Some(2));
        assert_eq!(refused(&["--items=1e7", "--nosuch", "hash", "u64"]), None);
        assert_eq!(refused(&[]), None);
    }

    /// Neither list lacks a section that the program has, or has one more.
    #[test]
    fn the_sections_are_those_of_the_programs() {
        let root = Workspace::find().expect("a workspace").root;
        let source = |path: &str| std::fs::read_to_string(root.join("bench/src").join(path));
        // A release has no measurements.
        let (Ok(settle), Ok(bench)) = (source("bin/settle.rs"), source("race/args.rs")) else {
            return;
        };
        let settled = settle.matches("::run)").count();
        assert_eq!(settled, SETTLED.len());
        for name in SETTLED {
            assert!(settle.contains(&format!("(\"{name}\", {name}::run)")), "{name}");
        }
        let benched = BENCHED.map(|name| format!("\"{name}\"")).join(", ");
        let line = format!("SECTIONS: [&str; {}] = [{benched}];", BENCHED.len());
        assert!(bench.contains(&line), "{line}");
    }
}
