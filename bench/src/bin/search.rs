//! `anther grep` beside `rg -z`: `cargo xtask bench search` builds and runs it.

use anther_bench::search::{Extent, measure};
use std::error::Error;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: search [--quick]

Makes 10,000 compressed logs with 1 GB of text in target/search, unless they are there, indexes and
searches them, and writes bench/records/DATE-search.csv. Takes about half an hour.

  --quick   500 logs, fewer rounds; writes nothing";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (extent, is_recorded) = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => (Extent::FULL, true),
        ["--quick"] => (Extent::QUICK, false),
        ["--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match bench(extent, is_recorded) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("search: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(extent: Extent, is_recorded: bool) -> Result<(), Box<dyn Error>> {
    let (findings, about) = measure::run(extent)?;
    println!("{} goals missed", findings.missed());
    if is_recorded {
        println!("written: {}", findings.record("search", &about)?.display());
    }
    Ok(())
}
