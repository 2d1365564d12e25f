//! The claims of all demonstrations as a file of CSV, from which docs/uses.md has its tables.
//!
//! A run without `--record` compares what is seeded with the record of this project, so that the
//! tables are those of a run.

use super::{Ended, Ran};
use anther_uses::demo::Report;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const HEADING: &str = "use,claim,predicted,notices,measured,again";

/// Writes the record, or compares with it: one line of the ledger. `None` where the program is away
/// from the project's files.
pub fn keep(ledger: &[Ran], write: Option<&Path>) -> Option<Ran> {
    let ended = match write {
        Some(path) => written(ledger, path),
        None => compared(ledger, &fs::read_to_string(project_record()).ok()?),
    };
    Some(Ran { name: "record".into(), report: Report::default(), ended })
}

fn project_record() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/records/uses.csv")
}

/// A record that lacks a demonstration would take its table from the page.
fn written(ledger: &[Ran], path: &Path) -> Ended {
    if let Some(ran) = ledger.iter().find(|ran| !matches!(ran.ended, Ended::Passed(_))) {
        return Ended::NotRun(format!("{} {}; nothing was written", ran.name, ran.ended));
    }
    let rows: Vec<String> = ledger.iter().flat_map(|ran| lines(ran, |_| true)).collect();
    let text = format!("{HEADING}\n{}\n", rows.join("\n"));
    match fs::write(path, text) {
        Ok(()) => Ended::Passed(rows.len()),
        Err(error) => Ended::Error(format!("{}: {error}", path.display())),
    }
}

/// What is seeded, beside the rows of the record. A demonstration that was not run, or not to its
/// end, is compared as far as it went.
fn compared(ledger: &[Ran], record: &str) -> Ended {
    let (mut same, mut others) = (0, Vec::new());
    for line in ledger.iter().flat_map(|ran| lines(ran, |row| row[4] == "seeded")) {
        match record.lines().any(|known| known == line) {
            true => same += 1,
            false => others.push(line),
        }
    }
    match others.first() {
        None => Ended::Passed(same),
        Some(first) => {
            anstream::eprintln!(
                "anther-uses: not in bench/records/uses.csv, the first of {}: {first}; write it and \
                 docs/uses.md anew by `cargo xtask numbers uses`",
                others.len()
            );
            Ended::Failed(others.len())
        }
    }
}

fn lines(ran: &Ran, takes: impl Fn(&[String; 5]) -> bool) -> Vec<String> {
    let line = |row: [String; 5]| {
        row.iter().fold(ran.name.clone(), |mut line, field| {
            // Writing to text does not fail.
            let _ = match field.contains([',', '"']) {
                true => write!(line, ",\"{}\"", field.replace('"', "\"\"")),
                false => write!(line, ",{field}"),
            };
            line
        })
    };
    ran.report.rows().into_iter().filter(|row| takes(row)).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(measured: f64) -> Ran {
        let mut report = Report::default();
        report.within("a rate, of one", 0.5, 0.1, measured, 2);
        report.varies();
        report.within("a speed", 0.5, 0.4, measured, 2);
        Ran { name: "some".into(), ended: Ended::Passed(2), report }
    }

    #[test]
    fn what_is_seeded_must_be_as_recorded() {
        let path = tempfile::tempdir().unwrap();
        let path = path.path().join("uses.csv");
        assert!(matches!(written(&[ran(0.51)], &path), Ended::Passed(2)));
        let mut record = fs::read_to_string(&path).unwrap();
        assert!(record.contains("\nsome,\"a rate, of one\",0.50 ± 0.10,20 %,0.51,seeded\n"));
        assert!(matches!(compared(&[ran(0.51)], &record), Ended::Passed(1)));
        record = record.replace("0.51,varies", "0.52,varies");
        assert!(matches!(compared(&[ran(0.51)], &record), Ended::Passed(1)));
        assert!(matches!(compared(&[ran(0.52)], &record), Ended::Failed(1)));
    }
}
