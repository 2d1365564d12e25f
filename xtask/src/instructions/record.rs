//! Counts as they are kept in a file.

use std::fmt;

const HEADING: &str = "case,instructions per key";
const MADE_WITH: &str = "# ";

/// All counts of one run.
#[derive(Debug, Default, PartialEq)]
pub struct Record {
    /// The compiler and the machine's vectors.
    pub made_with: String,
    pub counts: Vec<Count>,
}

/// What a call takes.
#[derive(Debug, PartialEq)]
pub struct Count {
    pub case: String,
    /// Instructions per key, in tenths: as they are printed and compared, so that a record that
    /// was read is the one that was written.
    pub tenths: u64,
}

impl Count {
    /// `instructions` for `keys` keys: per key, rounded to tenths.
    pub fn of(case: &str, instructions: u64, keys: u64) -> Self {
        let tenths = (instructions.saturating_mul(10).saturating_add(keys / 2)) / keys;
        Self { case: case.to_owned(), tenths }
    }
}

impl Record {
    /// The record in this text; an error that names its line.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate();
        let made_with = lines.next().and_then(|(_, line)| line.strip_prefix(MADE_WITH));
        let Some(made_with) = made_with else {
            return Err(format!("line 1 should be `{MADE_WITH}` and the compiler's version"));
        };
        if lines.next().map(|(_, line)| line) != Some(HEADING) {
            return Err(format!("line 2 should be `{HEADING}`"));
        }
        let counts = lines.map(|(at, line)| {
            count(line).ok_or_else(|| {
                format!("line {}, `{line}`, should be a case and a number such as 53.1", at + 1)
            })
        });
        Ok(Self { made_with: made_with.to_owned(), counts: counts.collect::<Result<_, _>>()? })
    }

    /// What this case took.
    pub fn tenths(&self, case: &str) -> Option<u64> {
        self.counts.iter().find(|count| count.case == case).map(|count| count.tenths)
    }
}

fn count(line: &str) -> Option<Count> {
    let (case, number) = line.rsplit_once(',')?;
    let (whole, tenth) = number.split_once('.')?;
    let tenth: u64 = tenth.parse().ok().filter(|tenth| *tenth < 10)?;
    let tenths = whole.parse::<u64>().ok()?.checked_mul(10)?.checked_add(tenth)?;
    (!case.is_empty()).then(|| Count { case: case.to_owned(), tenths })
}

/// As it is written to the file.
impl fmt::Display for Record {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{MADE_WITH}{}", self.made_with)?;
        writeln!(out, "{HEADING}")?;
        self.counts
            .iter()
            .try_for_each(|count| writeln!(out, "{},{}", count.case, Tenths(count.tenths)))
    }
}

/// A number in tenths, with its one decimal.
pub struct Tenths(pub u64);

impl fmt::Display for Tenths {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&format!("{}.{}", self.0 / 10, self.0 % 10))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# rustc 1.95.0, with AVX2\ncase,instructions per key\nask,53.1\nput,9.0\n";

    #[test]
    fn what_is_written_is_what_is_read() {
        let record = Record::read(TEXT).unwrap();
        assert_eq!(record.made_with, "rustc 1.95.0, with AVX2");
        assert_eq!((record.tenths("ask"), record.tenths("put")), (Some(531), Some(90)));
        assert_eq!(record.tenths("other"), None);
        assert_eq!(record.to_string(), TEXT);
    }

    #[test]
    fn counts_are_rounded_to_tenths() {
        let tenths = |instructions| Count::of("ask", instructions, 20_000).tenths;
        assert_eq!((tenths(2_120_029), tenths(999), tenths(1000)), (1060, 0, 1));
    }

    #[test]
    fn a_record_that_is_none_is_refused_by_its_line() {
        for (wrong, line) in [
            (String::new(), "line 1"),
            (TEXT.replace("# ", ""), "line 1"),
            (TEXT.replace("case,", "kind,"), "line 2"),
            (TEXT.replace("53.1", "53.10"), "line 3"),
            (TEXT.replace("53.1", "-53.1"), "line 3"),
            (TEXT.replace("put,9.0", "put"), "line 4"),
            (TEXT.replace("put,", ","), "line 4"),
            (TEXT.replace("9.0", "99999999999999999999.0"), "line 4"),
        ] {
            let error = Record::read(&wrong).unwrap_err();
            assert!(error.starts_with(line), "{wrong}: {error}");
        }
    }
}
