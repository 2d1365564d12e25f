//! What a crash at any moment, a fault of any system call and a kill leave of anther's files.
//!
//! Every path that changes a file is run under ptrace. From what it wrote and synced, all states are
//! built that a disk may be in after a power cut, and opened: the old file or the new one, and no key
//! is lost that was acknowledged. Then each system call that writes fails in turn.

mod adders;
mod disk;
mod faults;
mod kills;
mod paths;
mod record;
mod states;
mod trace;

use paths::{ChangePath, PATHS};
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "\
Usage: cargo xtask crash [--kills N] [--adders N] [PATH…]

  PATH          only these paths, by name [default: all]
  --kills N     kill the program N times at random moments, over all paths
  --adders N    kill N processes that insert into one file at once

Without --kills and --adders: every state that a crash may leave, and every fault. Appends to
bench/records/crash.csv, unless paths are named.";

/// What to do.
#[derive(Default)]
struct Args {
    program: String,
    /// The file to append results to.
    record: Option<String>,
    kills: u64,
    adders: u64,
    paths: Vec<String>,
    /// Only say whether the arguments are right.
    parse_only: bool,
}

impl Args {
    fn parse(arguments: Vec<String>) -> Result<Args, String> {
        let mut args = Args::default();
        let mut rest = arguments.into_iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or(format!("{argument}: what?\n\n{USAGE}"));
            let number = |text: String| {
                text.parse().map_err(|_| format!("{argument} {text}: not a number\n\n{USAGE}"))
            };
            match argument.as_str() {
                "--program" => args.program = value()?,
                "--record" => args.record = Some(value()?),
                "--kills" => args.kills = number(value()?)?,
                "--adders" => args.adders = number(value()?)?,
                "--parse-only" => args.parse_only = true,
                name if PATHS.iter().any(|path| path.name == name) => {
                    args.paths.push(name.to_owned());
                }
                other if other.starts_with('-') => {
                    return Err(format!("`{other}`: no such argument\n\n{USAGE}"));
                }
                other => {
                    let names: Vec<&str> = PATHS.iter().map(|path| path.name).collect();
                    let names = names.join("\n  ");
                    return Err(format!("`{other}`: no such path\n\n{USAGE}\n\nPaths:\n  {names}"));
                }
            }
        }
        let not_killed = args.chosen().find(|path| args.kills > 0 && !kills::is_killed(path));
        match not_killed {
            Some(path) if !args.paths.is_empty() => {
                Err(format!("`{}`: has two commands, and --kills kills one", path.name))
            }
            _ => Ok(args),
        }
    }

    fn chosen(&self) -> impl Iterator<Item = &'static ChangePath> {
        let is_chosen = |path: &&ChangePath| {
            self.paths.is_empty() || self.paths.iter().any(|name| name == path.name)
        };
        PATHS.iter().filter(is_chosen)
    }
}

/// A line of the record.
#[derive(Default)]
struct Line {
    path: String,
    operations: usize,
    states: u64,
    distinct: u64,
    faults: u64,
    kills: u64,
    bad: u64,
}

const HEAD: &str = "date,commit,path,operations,states,distinct,faults,kills,bad";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.split_first() {
        Some((verb, rest)) if verb == trace::TRACED => Err(trace::become_traced(rest).into()),
        Some((verb, rest)) if verb == adders::ADDER => {
            adders::insert(rest).map(|()| ExitCode::SUCCESS)
        }
        _ => match Args::parse(arguments) {
            Ok(args) if args.parse_only => return ExitCode::SUCCESS,
            Ok(args) => run(&args),
            Err(why) => {
                eprintln!("crash: {why}");
                return ExitCode::from(2);
            }
        },
    };
    done.unwrap_or_else(|error| {
        eprintln!("crash: {error}");
        ExitCode::FAILURE
    })
}

fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let mut lines = Vec::new();
    for path in args.chosen() {
        let start = Instant::now();
        let line = match args.kills + args.adders {
            0 => look(path, args)?,
            _ => kill(path, args)?,
        };
        if line.states + line.kills > 0 {
            line.print(start);
            lines.push(line);
        }
    }
    if args.adders > 0 {
        let start = Instant::now();
        let killed = adders::all(args.adders)?;
        killed.bad.iter().take(TOLD).for_each(|why| println!("  bad: {why}"));
        let line = Line {
            path: "shared adders".to_owned(),
            kills: killed.kills,
            bad: killed.bad.len() as u64,
            ..Line::default()
        };
        line.print(start);
        lines.push(line);
    }
    if let Some(record) = &args.record {
        append(record, &lines)?;
    }
    let bad: u64 = lines.iter().map(|line| line.bad).sum();
    let sum = |of: fn(&Line) -> u64| lines.iter().map(of).sum::<u64>();
    println!(
        "{} states ({} distinct), {} faults, {} kills: {bad} bad",
        sum(|line| line.states),
        sum(|line| line.distinct),
        sum(|line| line.faults),
        sum(|line| line.kills),
    );
    Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The most bad ones of a path that are told.
const TOLD: usize = 10;

/// States and faults of a path.
fn look(path: &ChangePath, args: &Args) -> Result<Line, Box<dyn Error>> {
    let opened = states::all(path, &args.program)?;
    let (faults, bad_faults) = faults::all(path, &args.program)?;
    opened.told.iter().for_each(|why| println!("  bad state: {why}"));
    bad_faults.iter().take(TOLD).for_each(|why| println!("  bad: {why}"));
    Ok(Line {
        path: path.name.to_owned(),
        operations: opened.operations,
        states: opened.count.states,
        distinct: opened.count.distinct,
        faults,
        bad: opened.bad + bad_faults.len() as u64,
        ..Line::default()
    })
}

/// The kills of a path.
fn kill(path: &ChangePath, args: &Args) -> Result<Line, Box<dyn Error>> {
    let paths: Vec<&ChangePath> = args.chosen().filter(|path| kills::is_killed(path)).collect();
    let killed = kills::all(path, &args.program, kills::share(args.kills, &paths, path))?;
    killed.bad.iter().take(TOLD).for_each(|why| println!("  bad: {why}"));
    let bad = killed.bad.len() as u64;
    Ok(Line { path: path.name.to_owned(), kills: killed.kills, bad, ..Line::default() })
}

impl Line {
    fn print(&self, start: Instant) {
        let Line { path, operations, states, distinct, faults, kills, bad } = self;
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{path}: {operations} operations, {states} states ({distinct} distinct), {faults} \
             faults, {kills} kills: {bad} bad, in {seconds:.1} s"
        );
    }
}

/// Appends lines to the record.
fn append(record: &str, lines: &[Line]) -> Result<(), Box<dyn Error>> {
    let is_new = fs::metadata(record).is_err();
    let mut file = File::options().append(true).create(true).open(record)?;
    if is_new {
        writeln!(file, "{HEAD}")?;
    }
    let said = |program: &str, arguments: &[&str]| -> Result<String, Box<dyn Error>> {
        let output = Command::new(program).args(arguments).output()?;
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    let date = said("date", &["-u", "+%F"])?;
    let commit = said("git", &["describe", "--always", "--dirty", "--exclude=*"])?;
    for Line { path, operations, states, distinct, faults, kills, bad } in lines {
        let path = path.replace(',', "");
        writeln!(
            file,
            "{date},{commit},{path},{operations},{states},{distinct},{faults},{kills},{bad}"
        )?;
    }
    Ok(())
}
