//! The benchmark: `cargo xtask bench` builds and runs it.

use anther_bench::race::args::{self, Args};
use anther_bench::race::memory::Counting;
use anther_bench::race::record::Row;
use anther_bench::race::tables::{Table, in_short, stars, tables};
use anther_bench::race::{goals, machine, plot, record, sections};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use std::{fs, io};

#[global_allocator]
static COUNTING: Counting = Counting;

/// What follows it in the page is of the build for this very machine.
const NATIVE: &str = "\n# With target-cpu=native\n";

fn main() -> ExitCode {
    let args = match args::parse(std::env::args().skip(1)) {
        Ok(Some(args)) => args,
        Ok(None) => {
            println!("{}", args::USAGE);
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("bench: {error}");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    let machine = machine::describe();
    machine.iter().for_each(|line| println!("{line}"));
    let rows = sections::run(&args, &mut |rows| {
        tables(rows).iter().for_each(|table| print!("{}", table.text()));
    });
    print!("{}", stars(&rows).text());
    let goals = Table::of_goals(&goals::goals(&rows, args.native));
    print!("{}", goals.text());
    eprintln!("({:.0} s)", start.elapsed().as_secs_f64());
    if !args.records() {
        eprintln!("(not recorded: a quick or partial run is kept only with --record)");
        return ExitCode::SUCCESS;
    }
    match keep(&args, &rows, &machine, &goals) {
        Ok(paths) => {
            paths.iter().for_each(|path| eprintln!("written: {}", path.display()));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("bench: the records could not be written: {error}; the tables stand above");
            ExitCode::from(2)
        }
    }
}

/// Writes the record of the day, the page of the latest, and the plots.
fn keep(args: &Args, rows: &[Row], machine: &[String], goals: &Table) -> io::Result<Vec<PathBuf>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let records = root.join("records");
    fs::create_dir_all(&records)?;
    let day = record::today();
    let part = if args.is_full() { "" } else { "-part" };
    let native = if args.native { "-native" } else { "" };
    let mut written = vec![records.join(format!("{day}{part}{native}.csv"))];
    fs::write(&written[0], record::csv(rows))?;
    if !args.is_full() {
        return Ok(written);
    }
    let latest = records.join("latest.md");
    let mut page = String::new();
    if args.native {
        let before = fs::read_to_string(&latest).unwrap_or_default();
        page += before.split(NATIVE).next().unwrap_or_default();
        page += NATIVE;
    } else {
        page += "# The latest run of `cargo xtask bench`\n";
    }
    page += &format!("\n{day}.\n\n");
    machine.iter().for_each(|line| page += &format!("- {line}\n"));
    page += &in_short(rows).markdown();
    tables(rows).iter().for_each(|table| page += &table.markdown());
    page += &stars(rows).markdown();
    page += &goals.markdown();
    fs::write(&latest, page)?;
    written.push(latest);
    if !args.native {
        let times = root.join("../crates/anther-lab/src/page/plan/times.csv");
        fs::write(&times, lookups_for_the_page(rows, &day, machine))?;
        written.push(times);
        let figures = root.join("../docs/figures");
        for (name, svg) in plot::all(rows) {
            let path = figures.join(name);
            fs::write(&path, svg)?;
            written.push(path);
        }
    }
    Ok(written)
}

/// What the page of `anther lab` says of lookups: ours, one key at a time, half of them present.
fn lookups_for_the_page(rows: &[Row], day: &str, machine: &[String]) -> String {
    let cpu = machine.iter().find_map(|line| line.strip_prefix("CPU: ")).unwrap_or("?");
    let mut file = format!("# {day} on {cpu}\nkind,keys,fpr,ns\n");
    for row in rows.iter().filter(|row| (row.section, row.keys, row.threads) == ("table", "u64", 1))
    {
        if let ("mixed", "single", Some(kind)) =
            (row.work, row.way, row.contender.strip_prefix("anther "))
        {
            file += &format!("{kind},{},{},{:.4}\n", row.items, row.rate, row.ns);
        }
    }
    file
}
