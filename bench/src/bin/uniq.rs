//! `anther uniq` beside its peers: `cargo xtask bench uniq` and `cargo xtask long uniq` run it.

use anther_bench::uniq::{long, measure};
use std::error::Error;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: uniq [--quick]
       uniq --long [--lines=N] [OPTION…]

Makes 10^7 and 10^8 lines in target/uniq (4.4 GB), unless they are there, drops duplicates with anther,
huniq, runiq, sort and awk, and writes bench/records/DATE-uniq.csv. Takes about an hour.

  --quick     10^6 lines; writes nothing
  --long      sends 10^9 lines, or N, through `anther uniq OPTION…` and checks what remains";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.split_first() {
        None => bench(&measure::Extent::FULL, true),
        Some((first, [])) if first == "--quick" => bench(&measure::Extent::QUICK, false),
        Some((first, rest)) if first == "--long" => long(rest),
        Some((first, _)) if first == "--help" || first == "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        Some(_) => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("uniq: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(extents: &[measure::Extent], is_recorded: bool) -> Result<(), Box<dyn Error>> {
    let (findings, about) = measure::run(extents)?;
    println!("{} goals missed", findings.missed());
    if is_recorded {
        println!("written: {}", findings.record("uniq", &about)?.display());
    }
    Ok(())
}

fn long(args: &[String]) -> Result<(), Box<dyn Error>> {
    let (lines, options) = match args.split_first() {
        Some((first, rest)) if first.starts_with("--lines=") => {
            (anther::units::parse_count(&first["--lines=".len()..])?, rest)
        }
        _ => (1_000_000_000, args),
    };
    long::run(lines, options)
}
