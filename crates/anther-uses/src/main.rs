//! Runs the demonstrations: `cargo run --release -p anther-uses -- all`.

mod record;

use anther_uses::demo::{self, NotRun, Outcome, Report};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use serde_json::{Value, json};
use std::fmt;
use std::path::{Path, PathBuf};
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
    /// Print one JSON object, with every claim
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    which: Which,
}

#[derive(Subcommand, Debug)]
enum Which {
    /// Run every demonstration, and print one ledger
    All {
        /// Write the claims of all demonstrations to a file, as rows of CSV; without it, those that
        /// are seeded are compared with the record of this project
        #[arg(long, value_name = "FILE")]
        record: Option<PathBuf>,
    },
    #[command(flatten)]
    One(Use),
    /// What child processes run
    #[command(subcommand, hide = true)]
    Part(demo::Part),
}

/// A use with its options.
#[derive(Subcommand, Debug)]
enum Use {
    BrowserCache(demo::browser_cache::Args),
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
            Use::BrowserCache(args) => args.run(report),
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

/// A demonstration that has run.
struct Ran {
    name: String,
    report: Report,
    ended: Ended,
}

/// How a demonstration ended.
enum Ended {
    Passed(usize),
    Failed(usize),
    NotRun(String),
    Error(String),
}

impl Ended {
    fn code(&self) -> u8 {
        match self {
            Ended::Passed(_) => 0,
            Ended::Failed(_) => 1,
            Ended::Error(_) => 2,
            Ended::NotRun(_) => 3,
        }
    }

    /// A word for programs.
    fn name(&self) -> &'static str {
        match self {
            Ended::Passed(_) => "passed",
            Ended::Failed(_) => "failed",
            Ended::Error(_) => "error",
            Ended::NotRun(_) => "not run",
        }
    }
}

/// As in the ledger. `cargo xtask test uses` reads this.
impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Passed(1) => f.write_str("1 claim holds"),
            Ended::Passed(claims) => write!(f, "{claims} claims hold"),
            Ended::Failed(1) => f.write_str("1 claim FAILS"),
            Ended::Failed(claims) => write!(f, "{claims} claims FAIL"),
            Ended::NotRun(cause) => write!(f, "not run: {cause}"),
            Ended::Error(cause) => write!(f, "ERROR: {cause}"),
        }
    }
}

fn main() -> ExitCode {
    let matches = Program::command().get_matches();
    let name = matches.subcommand_name().unwrap_or_default().to_string();
    let program = Program::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match program.which {
        Which::One(one) => {
            let ran = run(&name, &one);
            if program.json {
                anstream::println!("{}", ran.to_json());
            } else {
                ran.print();
            }
            ExitCode::from(ran.ended.code())
        }
        Which::All { record } => all(program.json, record.as_deref()),
        Which::Part(part) => match part.run() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                anstream::eprintln!("anther-uses: {error}");
                ExitCode::from(2)
            }
        },
    }
}

fn run(name: &str, one: &Use) -> Ran {
    let mut report = Report::default();
    let ended = match one.run(&mut report) {
        Ok(()) if report.failed() > 0 => Ended::Failed(report.failed()),
        Ok(()) if report.held() == 0 => Ended::Error("it measured nothing".to_string()),
        Ok(()) => Ended::Passed(report.held()),
        Err(error) if error.is::<NotRun>() => Ended::NotRun(error.to_string()),
        Err(error) => Ended::Error(error.to_string()),
    };
    Ran { name: name.to_string(), report, ended }
}

impl Ran {
    /// Prints its lines, and what stopped it.
    fn print(&self) {
        self.report.print();
        match &self.ended {
            Ended::NotRun(cause) => anstream::eprintln!("anther-uses: not run: {cause}"),
            Ended::Error(cause) => anstream::eprintln!("anther-uses: {cause}"),
            Ended::Passed(_) | Ended::Failed(_) => {}
        }
    }

    fn to_json(&self) -> Value {
        let mut object = json!({
            "use": self.name,
            "ended": self.ended.name(),
            "claims": self.report.claims_as_json(),
            "notes": self.report.notes(),
        });
        if let Ended::NotRun(cause) | Ended::Error(cause) = &self.ended {
            object["cause"] = json!(cause);
        }
        object
    }
}

/// Runs every demonstration with its defaults.
fn all(as_json: bool, write: Option<&Path>) -> ExitCode {
    let mut ledger = Vec::new();
    let command = Program::command();
    let names = command.get_subcommands().filter(|one| !one.is_hide_set());
    for name in names.map(clap::Command::get_name).filter(|name| *name != "all") {
        if !as_json {
            anstream::println!("{name}");
        }
        let matches = Program::command().try_get_matches_from(["anther-uses", name]);
        let parsed = matches.and_then(|matches| Program::from_arg_matches(&matches));
        let ran = match parsed {
            Ok(Program { which: Which::One(one), .. }) => run(name, &one),
            Ok(_) => continue,
            Err(error) => {
                let ended = Ended::Error(error.to_string());
                Ran { name: name.to_string(), report: Report::default(), ended }
            }
        };
        if !as_json {
            ran.print();
            anstream::println!();
        }
        ledger.push(ran);
    }
    if let Some(ran) = record::keep(&ledger, write) {
        ledger.push(ran);
    }
    if as_json {
        let uses: Vec<Value> = ledger.iter().map(Ran::to_json).collect();
        anstream::println!("{}", json!({ "uses": uses }));
    } else {
        anstream::println!("Ledger");
        for Ran { name, ended, .. } in &ledger {
            anstream::println!("  {name:20} {ended}");
        }
    }
    // An error comes before a claim that fails, and that before what was not run.
    let codes: Vec<u8> = ledger.iter().map(|ran| ran.ended.code()).collect();
    ExitCode::from([2, 1, 3].into_iter().find(|code| codes.contains(code)).unwrap_or(0))
}
