//! Runs the demonstrations: `cargo run --release -p anther-uses -- all`.

use anther_uses::demo::{self, NotRun, Outcome, Report};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

/// What Bloom filters are used for in networks and storage, running at small scale
///
/// Each demonstration prints what it claims, what the formula predicts, what was measured and
/// whether both agree.
#[derive(Parser, Debug)]
#[command(
    name = "anther-uses",
    after_help = "Exit codes: 0 every claim holds; 1 one does not; 2 error; 3 not run, since \
                  something is missing here."
)]
struct Program {
    #[command(subcommand)]
    which: Which,
}

#[derive(Subcommand, Debug)]
enum Which {
    /// Run every demonstration, and print one ledger
    All,
    #[command(flatten)]
    One(Use),
    /// What child processes run
    #[command(subcommand, hide = true)]
    Part(demo::Part),
}

/// A use with its options.
#[derive(Subcommand, Debug)]
enum Use {
    DifferentialFile(demo::differential_file::Args),
    EncryptedSearch(demo::encrypted_search::Args),
    FairQueue(demo::fair_queue::Args),
    FloodControl(demo::flood_control::Args),
    IntrusionDetection(demo::intrusion_detection::Args),
    IpTraceback(demo::ip_traceback::Args),
    KeyValueStore(demo::key_value_store::Args),
    LongestPrefix(demo::longest_prefix::Args),
    NearDuplicates(demo::near_duplicates::Args),
    PacketLoops(demo::packet_loops::Args),
    PeerRouting(demo::peer_routing::Args),
    SafeBrowsing(demo::safe_browsing::Args),
    WebProxies(demo::web_proxies::Args),
}

impl Use {
    fn run(&self, report: &mut Report) -> Outcome {
        match self {
            Use::DifferentialFile(args) => args.run(report),
            Use::EncryptedSearch(args) => args.run(report),
            Use::FairQueue(args) => args.run(report),
            Use::FloodControl(args) => args.run(report),
            Use::IntrusionDetection(args) => args.run(report),
            Use::IpTraceback(args) => args.run(report),
            Use::KeyValueStore(args) => args.run(report),
            Use::LongestPrefix(args) => args.run(report),
            Use::NearDuplicates(args) => args.run(report),
            Use::PacketLoops(args) => args.run(report),
            Use::PeerRouting(args) => args.run(report),
            Use::SafeBrowsing(args) => args.run(report),
            Use::WebProxies(args) => args.run(report),
        }
    }
}

/// How a demonstration ended.
enum Ended {
    Passed(usize),
    Failed(usize),
    NotRun(String),
    Error(String),
}

fn main() -> ExitCode {
    match Program::parse().which {
        Which::One(one) => match run(&one) {
            Ended::Passed(_) => ExitCode::SUCCESS,
            Ended::Failed(_) => ExitCode::FAILURE,
            Ended::NotRun(_) => ExitCode::from(3),
            Ended::Error(_) => ExitCode::from(2),
        },
        Which::All => all(),
        Which::Part(part) => match part.run() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                anstream::eprintln!("anther-uses: {error}");
                ExitCode::from(2)
            }
        },
    }
}

/// Runs one, and prints its lines.
fn run(one: &Use) -> Ended {
    let mut report = Report::default();
    let outcome = one.run(&mut report);
    report.print();
    match outcome {
        Ok(()) if report.failed() > 0 => Ended::Failed(report.failed()),
        Ok(()) if report.is_empty() => Ended::Error("it measured nothing".to_string()),
        Ok(()) => Ended::Passed(report.len()),
        Err(error) if error.is::<NotRun>() => {
            anstream::eprintln!("anther-uses: not run: {error}");
            Ended::NotRun(error.to_string())
        }
        Err(error) => {
            anstream::eprintln!("anther-uses: {error}");
            Ended::Error(error.to_string())
        }
    }
}

/// Runs every demonstration with its defaults.
fn all() -> ExitCode {
    let mut ledger = Vec::new();
    let command = Program::command();
    let names = command.get_subcommands().filter(|one| !one.is_hide_set());
    for name in names.map(clap::Command::get_name).filter(|name| *name != "all") {
        anstream::println!("{name}");
        let matches = Program::command().try_get_matches_from(["anther-uses", name]);
        let parsed = matches.and_then(|matches| Program::from_arg_matches(&matches));
        let ended = match parsed {
            Ok(Program { which: Which::One(one) }) => run(&one),
            Ok(_) => continue,
            Err(error) => Ended::Error(error.to_string()),
        };
        anstream::println!();
        ledger.push((name, ended));
    }
    let mut code = ExitCode::SUCCESS;
    anstream::println!("Ledger");
    for (name, ended) in &ledger {
        let words = match ended {
            Ended::Passed(claims) => format!("{claims} claims hold"),
            Ended::Failed(claims) => format!("{claims} claims FAIL"),
            Ended::NotRun(cause) => format!("not run: {cause}"),
            Ended::Error(cause) => format!("ERROR: {cause}"),
        };
        if matches!(ended, Ended::Failed(_) | Ended::Error(_)) {
            code = ExitCode::FAILURE;
        }
        anstream::println!("  {name:20} {words}");
    }
    code
}
