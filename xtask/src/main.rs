//! The single entrance for contributors: `cargo xtask help` lists its verbs.
//!
//! To add a verb, add an entry to [`VERBS`]. To add a step to a verb, add it to its list in
//! `checks.rs`.

mod call;
mod checks;
mod instructions;
mod report;
mod step;
mod tally;
mod workspace;

use std::process::ExitCode;

use call::Call;
use step::Step;
use workspace::Workspace;

/// One thing that a contributor can ask for.
struct Verb {
    name: &'static str,
    takes: &'static str,
    about: &'static str,
    run: fn(&Workspace, &[String]) -> Result<ExitCode, Trouble>,
}

const VERBS: &[Verb] = &[
    Verb {
        name: "test",
        takes: "[--require-all]",
        about: "everything a change must pass; with --require-all, what was not run has failed",
        run: test,
    },
    Verb { name: "lint", takes: "", about: "formatting, clippy and rustdoc only", run: lint },
    Verb {
        name: "long",
        takes: "",
        about: "the library's tests with those that take minutes or gigabytes, in release",
        run: long,
    },
    Verb {
        name: "settle",
        takes: "[WHAT]",
        about: "the measurements that settle a choice, from the bench folder",
        run: settle,
    },
    Verb {
        name: "instructions",
        takes: "[--record]",
        about: "instructions of the hot calls under callgrind, beside their record",
        run: instructions::run,
    },
    Verb {
        name: "bench",
        takes: "[--quick] [SECTION…]",
        about: "the filters beside their rivals: all, 10^5 and 10^6 keys only, or u64, strings, \
                static, threads, hash; --record keeps the numbers of a part, too",
        run: bench,
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
    let mut require_all = false;
    for arg in args {
        match arg.as_str() {
            "--require-all" => require_all = true,
            other => return Err(unknown_argument("test", other)),
        }
    }
    let note = "The long-run tests are apart from these: `cargo xtask long` has them.";
    Ok(check(workspace, &checks::test(workspace), require_all, Some(note)))
}

fn lint(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    refuse_arguments("lint", args)?;
    Ok(check(workspace, &checks::lint(), false, None))
}

fn long(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    refuse_arguments("long", args)?;
    Ok(check(workspace, &checks::long(), false, None))
}

fn settle(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    require_bench("settle", workspace)?;
    run(workspace, &from_bench("settle").args(["--"]).args(args))
}

/// With Cargo's default flags, as users build; and once more for this very machine.
fn bench(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    require_bench("bench", workspace)?;
    let by_default = from_bench("bench").env("RUSTFLAGS", "").args(["--"]).args(args);
    let code = run(workspace, &by_default)?;
    // A part of the benchmark is asked for while something is being changed: once is enough.
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

/// Runs the steps, reports, and says by the exit code whether all is well.
fn check(workspace: &Workspace, steps: &[Step], require_all: bool, note: Option<&str>) -> ExitCode {
    let outcome = step::run_all(workspace, steps);
    print!("{}", report::render(&outcome, require_all, note));
    if report::failed(&outcome, require_all) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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
        text += &format!("\n  {call:<26}  {}", verb.about);
    }
    text
}
