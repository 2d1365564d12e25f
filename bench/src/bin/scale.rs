//! How cost grows with the number of keys: `cargo xtask bench scale` builds and runs it.

use anther_bench::race::memory::Counting;
use anther_bench::race::record;
use anther_bench::scale::{measure, page, picture, read};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

#[global_allocator]
static COUNTING: Counting = Counting;

const USAGE: &str = "\
Usage: scale [--items=N | --draw]

Measures builds and lookups of 10^5 to 10^9 keys, in about ten minutes and 10 GB of memory, writes
bench/records/DATE-scale.csv, and renews the tables and figures of docs/scale.md from the records.

  --items=N   up to N keys; prints the record and writes nothing
  --draw      measures nothing: the tables and figures of the records that are there";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let done = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => measured(),
        ["--draw"] => drawn(),
        ["--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        [items] if items.starts_with("--items=") => trial(&items["--items=".len()..]),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scale: {error}");
            ExitCode::FAILURE
        }
    }
}

fn trial(items: &str) -> Result<(), Box<dyn Error>> {
    print!("{}", record::csv(&measure::run(anther::units::parse_count(items)?)?));
    Ok(())
}

fn measured() -> Result<(), Box<dyn Error>> {
    let rows = measure::run(u64::MAX)?;
    let path = read::folder().join(format!("{}-scale.csv", record::today()));
    fs::write(&path, record::csv(&rows))?;
    eprintln!("written: {}", path.display());
    drawn()
}

/// Renews what docs/scale.md has from the records.
fn drawn() -> Result<(), Box<dyn Error>> {
    let records = read::Records::latest()?;
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    for (name, svg) in picture::all(&records) {
        let path = docs.join("figures").join(name);
        fs::write(&path, svg)?;
        eprintln!("written: {}", path.display());
    }
    let path = docs.join("scale.md");
    let text = fs::read_to_string(&path)?;
    fs::write(&path, page::renew(&text, &records)?)?;
    eprintln!("written: {}", path.display());
    Ok(())
}
