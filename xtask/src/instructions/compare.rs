//! New counts beside old ones, and whether the new ones will do.

use std::fmt;

use super::record::{Record, Tenths};

/// By how much a count may grow, in per cent. Counts are exact, so this is no allowance for noise.
/// It is for the compiler: single calls take 50 to 300 instructions, and a change elsewhere moves
/// one or two of them, by another choice of registers. A call that is no longer inlined, a bounds
/// check for each probe or a lost vector costs ten and more.
const ALLOWED: u64 = 2;

/// Old and new counts, case by case.
pub struct Comparison {
    rows: Vec<Row>,
    /// The old and the new compiler, where they differ and there is an old one.
    made_with: Option<(String, String)>,
}

struct Row {
    case: String,
    old: Option<u64>,
    new: Option<u64>,
}

#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Fine,
    Grew,
    Shrank,
    /// Not in the record.
    Unknown,
    /// In the record alone.
    Gone,
}

impl Comparison {
    pub fn new(old: &Record, new: &Record) -> Self {
        let run = new.counts.iter().map(|count| Row {
            case: count.case.clone(),
            old: old.tenths(&count.case),
            new: Some(count.tenths),
        });
        let gone = old.counts.iter().filter(|count| new.tenths(&count.case).is_none());
        let gone =
            gone.map(|count| Row { case: count.case.clone(), old: Some(count.tenths), new: None });
        let differ = !old.made_with.is_empty() && old.made_with != new.made_with;
        Self {
            rows: run.chain(gone).collect(),
            made_with: differ.then(|| (old.made_with.clone(), new.made_with.clone())),
        }
    }

    /// Whether no case grew by more than is allowed, and all are in both.
    pub fn holds(&self) -> bool {
        self.rows.iter().all(|row| matches!(row.verdict(), Verdict::Fine | Verdict::Shrank))
    }

    /// What to do about it, a sentence a line.
    pub fn advice(&self) -> String {
        let mut advice = String::new();
        if self.any(Verdict::Grew) {
            advice += &format!(
                "A case grew by more than {ALLOWED} %: find out why, or accept it with `--record`.\n"
            );
        }
        if self.any(Verdict::Shrank) {
            advice +=
                &format!("A case shrank by more than {ALLOWED} %: `--record` keeps the gain.\n");
        }
        if self.any(Verdict::Unknown) || self.any(Verdict::Gone) {
            advice += "Cases and record differ: `--record` writes down the cases of today.\n";
        }
        advice
    }

    fn any(&self, verdict: Verdict) -> bool {
        self.rows.iter().any(|row| row.verdict() == verdict)
    }
}

impl Row {
    fn verdict(&self) -> Verdict {
        let beyond = |less: u64, more: u64| more * 100 > less * (100 + ALLOWED);
        match (self.old, self.new) {
            (Some(old), Some(new)) if beyond(old, new) => Verdict::Grew,
            (Some(old), Some(new)) if beyond(new, old) => Verdict::Shrank,
            (Some(_), Some(_)) => Verdict::Fine,
            (None, _) => Verdict::Unknown,
            (Some(_), None) => Verdict::Gone,
        }
    }

    /// In per cent, where there are both.
    fn change(&self) -> String {
        match (self.old, self.new) {
            (Some(old), Some(new)) if old > 0 => {
                format!("{:+.1} %", (new as f64 / old as f64 - 1.0) * 100.0)
            }
            _ => "–".to_owned(),
        }
    }
}

/// The table.
impl fmt::Display for Comparison {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wide = self.rows.iter().map(|row| row.case.len()).max().unwrap_or(0);
        let tenths = |count: Option<u64>| {
            count.map_or_else(|| "–".to_owned(), |count| Tenths(count).to_string())
        };
        writeln!(
            out,
            "{:wide$} {:>8} {:>8} {:>9}",
            "instructions per key", "old", "new", "change"
        )?;
        for row in &self.rows {
            let (case, old, new) = (&row.case, tenths(row.old), tenths(row.new));
            let mark = match row.verdict() {
                Verdict::Fine => "",
                Verdict::Grew => "  grew",
                Verdict::Shrank => "  shrank",
                Verdict::Unknown => "  not in the record",
                Verdict::Gone => "  no longer counted",
            };
            writeln!(out, "{case:wide$} {old:>8} {new:>8} {:>9}{mark}", row.change())?;
        }
        if let Some((old, new)) = &self.made_with {
            writeln!(out, "The record was made with {old}, and this run with {new}.")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::record::Count;

    fn record(made_with: &str, counts: &[(&str, u64)]) -> Record {
        let count =
            |(case, tenths): &(&str, u64)| Count { case: (*case).to_owned(), tenths: *tenths };
        Record { made_with: made_with.to_owned(), counts: counts.iter().map(count).collect() }
    }

    fn compared(old: u64, new: u64) -> Comparison {
        Comparison::new(&record("rustc", &[("ask", old)]), &record("rustc", &[("ask", new)]))
    }

    #[test]
    fn two_per_cent_more_will_do_and_a_tenth_above_will_not() {
        assert!(compared(1000, 1020).holds());
        assert!(!compared(1000, 1021).holds());
        assert!(compared(1000, 500).holds());
        assert!(!compared(0, 1).holds());
    }

    #[test]
    fn a_case_that_one_side_lacks_does_not_hold() {
        let both = record("rustc", &[("ask", 10), ("put", 20)]);
        let one = record("rustc", &[("put", 20)]);
        assert!(Comparison::new(&both, &both).holds());
        assert!(!Comparison::new(&one, &both).holds());
        assert!(!Comparison::new(&both, &one).holds());
    }

    #[test]
    fn another_compiler_is_named_and_compared_nevertheless() {
        let old = record("rustc 1", &[("ask", 1000)]);
        let comparison = Comparison::new(&old, &record("rustc 2", &[("ask", 1000)]));
        assert!(comparison.holds());
        assert!(comparison.to_string().contains("made with rustc 1, and this run with rustc 2."));
        assert!(!Comparison::new(&old, &record("rustc 2", &[("ask", 2000)])).holds());
        assert!(!compared(10, 10).to_string().contains("made with"));
    }

    #[test]
    fn the_table_shows_old_new_and_change() {
        let old = record("rustc", &[("ask", 1000), ("put", 2000), ("gone", 5)]);
        let new = record("rustc", &[("ask", 1100), ("put", 1000), ("fresh", 71)]);
        let text = Comparison::new(&old, &new).to_string();
        let lines: Vec<String> = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(lines[0], "instructions per key old new change");
        assert_eq!(lines[1], "ask 100.0 110.0 +10.0 % grew");
        assert_eq!(lines[2], "put 200.0 100.0 -50.0 % shrank");
        assert_eq!(lines[3], "fresh – 7.1 – not in the record");
        assert_eq!(lines[4], "gone 0.5 – – no longer counted");
    }

    #[test]
    fn what_is_amiss_comes_with_advice() {
        assert_eq!(compared(1000, 1000).advice(), "");
        assert!(compared(1000, 1100).advice().starts_with("A case grew by more than 2 %"));
        assert!(compared(1000, 900).advice().starts_with("A case shrank"));
        let none = record("rustc", &[]);
        let some = record("rustc", &[("ask", 10)]);
        assert!(Comparison::new(&none, &some).advice().starts_with("Cases and record differ"));
        assert!(Comparison::new(&some, &none).advice().starts_with("Cases and record differ"));
    }
}
