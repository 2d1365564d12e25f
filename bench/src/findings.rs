//! What a benchmark of the program found: a line each, beside its goal, and a file of them.

use crate::race::goals::Bound;
use crate::race::machine;
use crate::race::record::{significant, today};
use crate::scale::read;
use crate::statistics::median;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// The first line of a record, after what is said of the machine.
pub const HEADER: &str = "work,contender,unit,value,lowest,highest,goal,met,note";

/// One number with all that it needs to be understood alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What was done.
    pub work: String,
    /// By whom.
    pub contender: String,
    /// seconds, times, %, …
    pub unit: &'static str,
    /// The middle of the rounds.
    pub value: f64,
    /// The lowest and the highest of the rounds.
    pub range: [f64; 2],
    pub goal: Option<Bound>,
    /// What else must be known.
    pub note: String,
}

impl Finding {
    /// A number that does not vary.
    pub fn of(work: impl Into<String>, contender: &str, unit: &'static str, value: f64) -> Finding {
        Finding::middle(work, contender, unit, &[value])
    }

    /// The middle of some rounds, of which there is at least one.
    pub fn middle(
        work: impl Into<String>,
        contender: &str,
        unit: &'static str,
        rounds: &[f64],
    ) -> Finding {
        let mut rounds = rounds.to_vec();
        let value = median(&mut rounds);
        let range = [rounds[0], rounds[rounds.len() - 1]];
        let (work, contender, note) = (work.into(), contender.to_string(), String::new());
        Finding { work, contender, unit, value, range, goal: None, note }
    }

    pub fn goal(mut self, goal: Bound) -> Finding {
        self.goal = Some(goal);
        self
    }

    pub fn note(mut self, note: impl Into<String>) -> Finding {
        self.note = note.into();
        self
    }

    /// Whether the goal is met, if there is one.
    pub fn is_met(&self) -> Option<bool> {
        Some(match self.goal? {
            Bound::Least(least) => self.value >= least,
            Bound::Most(most) => self.value <= most,
        })
    }

    fn line(&self) -> String {
        let goal = match self.is_met() {
            Some(true) => "  (holds)",
            Some(false) => "  (MISSED)",
            None => "",
        };
        let bound = self.goal.map_or(String::new(), |goal| format!("  goal {goal}"));
        let value = significant(self.value);
        let note = if self.note.is_empty() { String::new() } else { format!("  {}", self.note) };
        format!(
            "{:<52} {:<24} {value:>9} {:<10}{bound}{goal}{note}",
            self.work, self.contender, self.unit
        )
    }
}

/// All of them, shown as they are found.
#[derive(Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    pub fn push(&mut self, finding: Finding) {
        println!("{}", finding.line());
        self.0.push(finding);
    }

    /// As a file: the machine in comments, the names, a line per finding.
    pub fn csv(&self, about: &[String]) -> String {
        let mut text = String::new();
        for line in machine::describe().iter().chain(about) {
            let _ = writeln!(text, "# {line}");
        }
        let _ = writeln!(text, "{HEADER}");
        for it in &self.0 {
            let [lowest, highest] = it.range.map(significant);
            let goal = it.goal.map_or(String::new(), |goal| goal.to_string());
            let met = it.is_met().map_or("", |met| if met { "yes" } else { "no" });
            let [work, contender, note] = [&it.work, &it.contender, &it.note].map(|it| quoted(it));
            let value = significant(it.value);
            let _ = writeln!(
                text,
                "{work},{contender},{},{value},{lowest},{highest},{goal},{met},{note}",
                it.unit
            );
        }
        text
    }

    /// Keeps a full run in bench/records; where it is.
    pub fn record(&self, name: &str, about: &[String]) -> Result<PathBuf, Box<dyn Error>> {
        let path = read::folder().join(format!("{}-{name}.csv", today()));
        fs::write(&path, self.csv(about))?;
        Ok(path)
    }

    /// How many goals were missed.
    pub fn missed(&self) -> usize {
        self.0.iter().filter(|finding| finding.is_met() == Some(false)).count()
    }
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fields of a line, quotes taken off.
    fn fields(line: &str) -> Vec<String> {
        let mut fields = vec![String::new()];
        let mut is_quoted = false;
        for letter in line.chars() {
            match letter {
                '"' => is_quoted = !is_quoted,
                ',' if !is_quoted => fields.push(String::new()),
                other => fields.last_mut().expect("there is a field").push(other),
            }
        }
        fields
    }

    fn check(text: &str) {
        let mut lines = text.lines().skip_while(|line| line.starts_with('#'));
        assert_eq!(lines.next(), Some(HEADER));
        let mut count = 0;
        for line in lines {
            let fields = fields(line);
            assert_eq!(fields.len(), HEADER.split(',').count(), "{line}");
            let number = |at: usize| fields[at].parse::<f64>().expect(line);
            let (value, lowest, highest) = (number(3), number(4), number(5));
            assert!(lowest <= value && value <= highest, "{line}");
            count += 1;
            // The sign takes three bytes.
            let Some((sign, bound)) = fields[6].chars().next().zip(fields[6].get(3..)) else {
                assert_eq!(fields[7], "", "{line}");
                continue;
            };
            let bound: f64 = bound.parse().expect(line);
            let met = if sign == '≥' { value >= bound } else { value <= bound };
            // What is written is rounded.
            if value != bound {
                assert_eq!(fields[7], if met { "yes" } else { "no" }, "{line}");
            }
        }
        assert!(count > 0);
    }

    #[test]
    fn a_record_says_what_was_found() {
        let mut findings = Findings::default();
        findings.push(Finding::of("index of logs", "anther", "%", 3.9).goal(Bound::Most(4.0)));
        let slow = Finding::middle("a word", "rg -z", "seconds", &[9.0, 7.5, 8.0]);
        findings.push(slow.goal(Bound::Least(100.0)).note("a, \"quoted\" note"));
        findings.push(Finding::of("lines", "huniq", "lines", 5e7));
        assert_eq!(findings.missed(), 1);
        let text = findings.csv(&["10 files".to_string()]);
        assert!(text.contains("a word,rg -z,seconds,8.000,7.500,9.000,≥100,no,"), "{text}");
        check(&text);
    }

    #[test]
    fn records_can_be_read() {
        for entry in fs::read_dir(read::folder()).expect("records") {
            let path = entry.expect("an entry").path();
            let name = path.to_string_lossy().into_owned();
            if ["-search.csv", "-uniq.csv"].iter().any(|ending| name.ends_with(ending)) {
                check(&fs::read_to_string(&path).expect("a record"));
            }
        }
    }
}
