//! What a run has shown, and the reasons why some mutants survive.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::guard::Fate;
use crate::list::{FOLDERS, Mutant};

/// The reasons, one row of a table for each mutant.
const EXPLANATIONS: &str = "bench/records/mutants.md";
/// The results, a row for each folder.
const RECORD: &str = "bench/records/mutants.csv";
const HEADING: &str =
    "date,commit,seed,folder,mutants,unviable,caught,timeouts,equivalent,accepted,unexplained";

/// Why a mutant survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// It does the same as the code.
    Equivalent,
    /// It does something else that no test should hold us to.
    Accepted,
}

/// The survivors that someone has looked at.
#[derive(Default)]
pub struct Explanations(BTreeMap<String, Reason>);

impl Explanations {
    pub fn read(root: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(root.join(EXPLANATIONS)).unwrap_or_default();
        Self::parse(&text).map_err(|error| format!("{EXPLANATIONS}: {error}"))
    }

    /// Rows such as ``| `parts/bits.rs: replace < with <= in f` | equivalent | why |``.
    fn parse(text: &str) -> Result<Self, String> {
        let rows = text.lines().enumerate().filter(|(_, line)| line.starts_with("| `"));
        let reasons = rows.map(|(at, line)| {
            let wrong = |what: &str| format!("line {}: {what}", at + 1);
            // A mutant's name may have `|` in it, and no backquote.
            let rest = line.trim_start_matches("| `");
            let (name, rest) =
                rest.split_once("` | ").ok_or_else(|| wrong("no end of the name"))?;
            let (reason, why) = rest.split_once(" | ").ok_or_else(|| wrong("no reason"))?;
            let reason = match reason {
                "equivalent" => Reason::Equivalent,
                "accepted" => Reason::Accepted,
                _ => return Err(wrong("neither `equivalent` nor `accepted`")),
            };
            if why.trim_end_matches('|').trim().is_empty() {
                return Err(wrong("it does not say why"));
            }
            Ok((name.replace("\\|", "|"), reason))
        });
        Ok(Self(reasons.collect::<Result<_, _>>()?))
    }
}

/// The counts of one folder.
#[derive(Clone, Copy, Default)]
struct Counts {
    mutants: usize,
    unviable: usize,
    caught: usize,
    timeouts: usize,
    equivalent: usize,
    accepted: usize,
    unexplained: usize,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.mutants += other.mutants;
        self.unviable += other.unviable;
        self.caught += other.caught;
        self.timeouts += other.timeouts;
        self.equivalent += other.equivalent;
        self.accepted += other.accepted;
        self.unexplained += other.unexplained;
    }

    /// In the order of the record's columns.
    fn row(&self) -> [usize; 7] {
        let Self { mutants, unviable, caught, timeouts, equivalent, accepted, unexplained } = *self;
        [mutants, unviable, caught, timeouts, equivalent, accepted, unexplained]
    }

    /// Caught of those that change what the library does, in percent.
    fn percent(&self) -> f64 {
        let caught = self.caught + self.timeouts;
        let changing = caught + self.accepted + self.unexplained;
        // Both are a few hundred at most.
        100.0 * caught as f64 / changing.max(1) as f64
    }
}

/// The results of a run.
pub struct Report {
    folders: Vec<(&'static str, Counts)>,
    unexplained: Vec<String>,
}

impl Report {
    pub fn new(fates: &[(&Mutant, Fate)], unviable: &[&Mutant], reasons: &Explanations) -> Self {
        let mut unexplained = Vec::new();
        let mut folders: Vec<(&str, Counts)> =
            FOLDERS.iter().map(|(name, _)| (*name, Counts::default())).collect();
        let mut add = |mutant: &Mutant, counts: Counts| {
            let folder = folders.iter_mut().find(|(name, _)| *name == mutant.folder);
            folder.into_iter().for_each(|(_, sum)| sum.add(Counts { mutants: 1, ..counts }));
        };
        for mutant in unviable {
            add(mutant, Counts { unviable: 1, ..Counts::default() });
        }
        for (mutant, fate) in fates {
            let mut counts = Counts::default();
            match (fate, reasons.0.get(&mutant.name)) {
                (Fate::Caught(_), _) => counts.caught = 1,
                (Fate::TimedOut(_), _) => counts.timeouts = 1,
                (Fate::Survived(_), Some(Reason::Equivalent)) => counts.equivalent = 1,
                (Fate::Survived(_), Some(Reason::Accepted)) => counts.accepted = 1,
                (Fate::Survived(tests), None) => {
                    counts.unexplained = 1;
                    unexplained.push(format!(
                        "{} (line {}; {tests} tests reach it)",
                        mutant.name, mutant.line
                    ));
                }
            }
            add(mutant, counts);
        }
        Self { folders, unexplained }
    }

    pub fn is_explained(&self) -> bool {
        self.unexplained.is_empty()
    }

    fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.folders.iter().for_each(|(_, counts)| total.add(*counts));
        total
    }

    /// Adds its rows to the record.
    pub fn record(&self, root: &Path, seed: u64) -> Result<(), String> {
        let path = root.join(RECORD);
        let mut text = fs::read_to_string(&path).unwrap_or_else(|_| format!("{HEADING}\n"));
        let date = printed(root, "date", &["-u", "+%F"])?;
        let commit = printed(root, "git", &["describe", "--always", "--dirty", "--exclude=*"])?;
        for (folder, counts) in &self.folders {
            let counts = counts.row().map(|count| count.to_string()).join(",");
            text += &format!("{date},{commit},{seed},{folder},{counts}\n");
        }
        fs::write(&path, text).map_err(|error| format!("cannot write {RECORD}: {error}"))?;
        println!("{RECORD}: {} rows added.", self.folders.len());
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for mutant in &self.unexplained {
            writeln!(out, "survived: {mutant}")?;
        }
        let columns: Vec<&str> = HEADING.split(',').skip(3).collect();
        writeln!(
            out,
            "{:<8}  {}  of those that change something",
            columns[0],
            columns[1..].join("  ")
        )?;
        for (folder, counts) in self.folders.iter().copied().chain([("all", self.total())]) {
            write!(out, "{folder:<8}")?;
            for (column, count) in columns[1..].iter().zip(counts.row()) {
                write!(out, "  {count:>width$}", width = column.len())?;
            }
            writeln!(out, "  {:.1} % caught", counts.percent())?;
        }
        if !self.is_explained() {
            writeln!(
                out,
                "Write a test that notices each survivor, or explain it in {EXPLANATIONS}."
            )?;
        }
        Ok(())
    }
}

fn printed(root: &Path, program: &str, args: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(args).current_dir(root).output();
    let output = output.map_err(|error| format!("cannot start {program}: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::{Place, Span};

    const REASONS: &str = "# Survivors\n\n| mutant | | why |\n|---|---|---|\n\
        | `parts/a.rs: replace \\| with ^ in f` | equivalent | no bit is in both |\n\
        | `parts/b.rs: replace < with <= in g` | accepted | one word more is reserved |\n";

    fn mutant(name: &str) -> Mutant {
        let place = Place { line: 1, column: 1 };
        let span = Span { start: place, end: place };
        Mutant {
            name: name.to_owned(),
            folder: "parts",
            file: String::new(),
            line: 1,
            function: span,
            span,
            replacement: String::new(),
        }
    }

    #[test]
    fn survivors_count_by_their_reasons() {
        let reasons = Explanations::parse(REASONS).unwrap();
        let names = [
            "parts/a.rs: replace | with ^ in f",
            "parts/b.rs: replace < with <= in g",
            "parts/c.rs: replace < with <= in h",
            "parts/d.rs: replace < with <= in i",
        ];
        let mutants = names.map(mutant);
        let caught = Fate::Caught("lib::t".to_owned());
        let fates = [Fate::Survived(3), Fate::Survived(3), Fate::Survived(1), caught];
        let fates: Vec<(&Mutant, Fate)> = mutants.iter().zip(fates).collect();
        let other = mutant("parts/e.rs: replace f with ()");
        let report = Report::new(&fates, &[&other], &reasons);
        let total = report.total();
        assert_eq!(total.row(), [5, 1, 1, 0, 1, 1, 1]);
        assert_eq!(
            report.unexplained,
            ["parts/c.rs: replace < with <= in h (line 1; 1 tests reach it)"]
        );
        assert!(!report.is_explained());
        assert!((total.percent() - 100.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn an_explanation_that_explains_nothing_is_refused() {
        for wrong in [
            REASONS.replace("no bit is in both", ""),
            REASONS.replace("equivalent", "unlucky"),
            REASONS.replace(" | accepted | one word more is reserved", ""),
        ] {
            assert!(Explanations::parse(&wrong).is_err(), "{wrong}");
        }
    }
}
