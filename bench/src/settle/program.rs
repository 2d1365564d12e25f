//! The program beside `cat`, `wc -l`, `grep` and `jq`: how near it comes to reading, what the filter
//! saves where a list is too large to keep, and what formats other than lines cost.

use super::heading;
use crate::process::{self, built};
use crate::statistics::median;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ROUNDS: usize = 5;

/// Prints all tables.
pub fn run() {
    if let Err(error) = tables() {
        println!("program: skipped, {error}");
    }
}

fn tables() -> Result<(), Box<dyn Error>> {
    let program = built()?;
    let folder = folder()?;
    let done = formats(&program, &folder)
        .and_then(|()| beside_grep(&program, &folder))
        .and_then(|()| beside_reading(&program, &folder));
    fs::remove_dir_all(&folder)?;
    done
}

/// A folder of our own.
pub(super) fn folder() -> io::Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("anther-bench-{}", std::process::id()));
    fs::create_dir(&folder)?;
    Ok(folder)
}

/// The i-th line.
fn url(i: u64) -> String {
    format!(
        "https://host{}.example.org/{:x}\n",
        i % 977,
        i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 16
    )
}

pub(super) fn write(path: &Path, lines: impl Iterator<Item = String>) -> io::Result<u64> {
    let mut file = BufWriter::new(File::create(path)?);
    for line in lines {
        file.write_all(line.as_bytes())?;
    }
    file.into_inner()?.metadata().map(|meta| meta.len())
}

/// A run: seconds, and MiB at its peak.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    pub seconds: f64,
    pub mebibytes: f64,
}

/// A command of the table.
pub(super) struct Row<'a> {
    pub name: &'a str,
    pub program: PathBuf,
    pub arguments: Vec<&'a str>,
    pub input: Option<&'a str>,
    pub output: Option<&'a str>,
}

impl Row<'_> {
    fn run(&self, folder: &Path) -> Result<Cost, Box<dyn Error>> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(folder).env("LC_ALL", "C");
        command.stdin(match self.input {
            Some(name) => Stdio::from(File::open(folder.join(name))?),
            None => Stdio::null(),
        });
        command.stdout(match self.output {
            Some(name) => Stdio::from(File::create(folder.join(name))?),
            None => Stdio::null(),
        });
        let ran = process::run(&mut command)?;
        // 1 is no error to grep, check and spell.
        if ran.code > 1 {
            return Err(format!("{} ended with {}", self.name, ran.code).into());
        }
        Ok(Cost { seconds: ran.seconds, mebibytes: ran.bytes as f64 / f64::from(1 << 20) })
    }
}

/// Runs all rows in turn, some rounds; the median of each.
pub(super) fn measure(rows: &[Row<'_>], folder: &Path) -> Result<Vec<Cost>, Box<dyn Error>> {
    let mut costs = vec![Vec::new(); rows.len()];
    for _ in 0..ROUNDS {
        for (row, costs) in rows.iter().zip(&mut costs) {
            costs.push(row.run(folder)?);
        }
    }
    let middle = |costs: &[Cost], of: fn(&Cost) -> f64| {
        median(&mut costs.iter().map(of).collect::<Vec<_>>())
    };
    let both = |costs: &Vec<Cost>| Cost {
        seconds: middle(costs, |cost| cost.seconds),
        mebibytes: middle(costs, |cost| cost.mebibytes),
    };
    Ok(costs.iter().map(both).collect())
}

fn formats(program: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    const RECORDS: u64 = 3_000_000;
    let mail = |i| format!("user{i}@host{}.example.org", i % 977);
    let head = || std::iter::once("id,name,mail,day\n".to_string());
    let files = [
        ("plain.txt", write(&folder.join("plain.txt"), (0..RECORDS).map(url))?),
        ("plain.csv", {
            let row = |i| format!("{i},Person {},{},{}\n", i % 1000, mail(i), i % 28 + 1);
            write(&folder.join("plain.csv"), head().chain((0..RECORDS).map(row)))?
        }),
        ("quoted.csv", {
            let row = |i| format!("{i},\"Doe, {}\",{},{}\n", i % 1000, mail(i), i % 28 + 1);
            write(&folder.join("quoted.csv"), head().chain((0..RECORDS).map(row)))?
        }),
        ("lines.json", {
            let line = |i| {
                format!(
                    "{{\"day\":{},\"user\":{{\"name\":\"Person {}\",\"id\":{i}}},\"mail\":\"{}\"}}\n",
                    i % 28 + 1,
                    i % 1000,
                    mail(i)
                )
            };
            write(&folder.join("lines.json"), (0..RECORDS).map(line))?
        }),
    ];
    heading(&format!("{RECORDS} records, to a filter"));
    let build = format!("{} build -q --force f.anther --items 3M", program.display());
    let commands = [
        ("lines", format!("{build} plain.txt")),
        ("CSV", format!("{build} plain.csv --column mail")),
        ("CSV with quotes", format!("{build} quoted.csv --column mail")),
        ("JSON lines", format!("{build} lines.json --format json --column user.id")),
        ("jq -r .user.id |", format!("jq -r .user.id lines.json | {build}")),
    ];
    let rows = commands.each_ref().map(|(name, command)| Row {
        name,
        program: "sh".into(),
        arguments: vec!["-c", command],
        input: None,
        output: None,
    });
    let costs = measure(&rows, folder)?;
    println!("{:>22} {:>9} {:>8}", "", "seconds", "MB/s");
    let sizes = files.iter().map(|(_, bytes)| *bytes).chain([files[3].1]);
    for ((row, cost), bytes) in rows.iter().zip(&costs).zip(sizes) {
        let rate = bytes as f64 / 1e6 / cost.seconds;
        println!("{:>22} {:>9.2} {:>8.0}", row.name, cost.seconds, rate);
    }
    println!(
        "JSON lines are read {:.1} times as fast as by jq",
        costs[4].seconds / costs[3].seconds
    );
    Ok(())
}

fn beside_grep(program: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    const LISTED: u64 = 5_000_000;
    const ASKED: u64 = 1_000_000;
    write(&folder.join("list.txt"), (0..LISTED).map(url))?;
    // Half of them are in the list.
    write(&folder.join("asked.txt"), (0..ASKED).map(|i| url(i * 10)))?;
    heading(&format!("{ASKED} lines, of which half are in a list of {LISTED}: those that are not"));
    let ours = |name, arguments: &[&'static str], output| Row {
        name,
        program: program.to_path_buf(),
        arguments: arguments.to_vec(),
        input: Some("asked.txt"),
        output: Some(output),
    };
    ours("build", &["build", "-q", "seen.anther", "list.txt"], "none").run(folder)?;
    let rows = [
        Row {
            name: "grep -v -x -F -f list",
            program: "grep".into(),
            arguments: vec!["-v", "-x", "-F", "-f", "list.txt"],
            input: Some("asked.txt"),
            output: Some("grep.txt"),
        },
        ours("anther check -v", &["check", "-v", "seen.anther"], "check.txt"),
        ours(
            "… --confirm list",
            &["check", "-v", "seen.anther", "--confirm", "list.txt"],
            "confirm.txt",
        ),
    ];
    let costs = measure(&rows, folder)?;
    let lines = |name| fs::read(folder.join(name));
    if lines("confirm.txt")? != lines("grep.txt")? {
        return Err("confirmed answers differ from grep's".into());
    }
    println!("{:>22} {:>9} {:>8} {:>9} {:>8}", "", "seconds", "times", "MiB", "times");
    for (row, cost) in rows.iter().zip(&costs) {
        println!(
            "{:>22} {:>9.2} {:>8.1} {:>9.1} {:>8.1}",
            row.name,
            cost.seconds,
            costs[0].seconds / cost.seconds,
            cost.mebibytes,
            costs[0].mebibytes / cost.mebibytes
        );
    }
    println!("confirmed answers are those of grep, byte for byte");
    Ok(())
}

fn beside_reading(program: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    const LINES: u64 = 100_000_000;
    let bytes = write(&folder.join("many.txt"), (0..LINES).map(url))?;
    heading(&format!("{LINES} lines, {:.1} GB, from the system's memory", bytes as f64 / 1e9));
    let tool = |name: &'static str, arguments: &[&'static str]| Row {
        name,
        program: name.split(' ').next().unwrap_or(name).into(),
        arguments: arguments.to_vec(),
        input: Some("many.txt"),
        output: None,
    };
    let ours = |name, arguments: &[&'static str]| Row {
        name,
        program: program.to_path_buf(),
        arguments: arguments.to_vec(),
        input: Some("many.txt"),
        output: None,
    };
    let rows = [
        tool("cat", &[]),
        tool("wc -l", &["-l"]),
        tool("grep -c x", &["-c", "x"]),
        ours("anther build", &["build", "-q", "--force", "many.anther"]),
        ours("anther build --items", &["build", "-q", "--force", "many.anther", "--items", "100M"]),
        ours("anther check -c", &["check", "-c", "many.anther"]),
        ours("anther check", &["check", "many.anther"]),
        ours("anther check -v", &["check", "-v", "many.anther"]),
    ];
    let costs = measure(&rows, folder)?;
    let filter = fs::metadata(folder.join("many.anther"))?.len() as f64 / f64::from(1 << 20);
    println!("{:>22} {:>9} {:>8} {:>9} {:>15}", "", "seconds", "MB/s", "MiB", "over the filter");
    for (row, cost) in rows.iter().zip(&costs) {
        println!(
            "{:>22} {:>9.2} {:>8.0} {:>9.1} {:>15.1}",
            row.name,
            cost.seconds,
            bytes as f64 / 1e6 / cost.seconds,
            cost.mebibytes,
            (cost.mebibytes - filter).max(0.0)
        );
    }
    println!("the filter has {filter:.1} MiB");
    Ok(())
}
