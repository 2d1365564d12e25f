//! What a run found, row by row, and as a file of comma-separated values.

use super::contender::HashOf;
use super::rounds::Times;
use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// One number with all that it needs to be understood alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Which part of the benchmark.
    pub section: &'static str,
    /// The family of keys.
    pub keys: &'static str,
    /// How many are in the set.
    pub items: u64,
    /// The rate that was asked for.
    pub rate: f64,
    /// insert, hit, miss, mixed or hash.
    pub work: &'static str,
    /// One key per call, or many.
    pub way: &'static str,
    /// On how many threads.
    pub threads: usize,
    /// Who.
    pub contender: &'static str,
    /// Whose hash it uses, where contenders with several are compared.
    pub hash: Option<HashOf>,
    /// Nanoseconds per key, the middle of the rounds.
    pub ns: f64,
    /// Nanoseconds per key of each round, for ratios between any two rows of the same rounds. Not
    /// in the file.
    pub times: Times,
    /// How many times as long as `anther blocked` did in the same rounds, unless the section is
    /// about something else.
    pub ratio: Option<f64>,
    /// Bits that it stores per key.
    pub bits: Option<f64>,
    /// The false-positive rate that was measured.
    pub fpr: Option<f64>,
    /// Bytes per key that building took at most.
    pub peak: Option<f64>,
    /// What else must be known.
    pub note: String,
}

/// By how much a measured rate may exceed the one that was asked for, before a row is marked.
const SLACK: f64 = 1.1;

impl Row {
    /// With the times of its rounds.
    pub fn timed(self, times: &Times) -> Row {
        Row { ns: times.median(), times: times.clone(), ..self }
    }

    /// Whether it may have a star: its hash is ours, and it keeps the rate.
    pub fn may_win(&self) -> bool {
        self.hash == Some(HashOf::Ours) && !self.misses_rate()
    }

    /// Whether the rate was measured and is too high to win by it.
    pub fn misses_rate(&self) -> bool {
        self.fpr.is_some_and(|fpr| fpr > SLACK * self.rate)
    }
}

/// The first line of a record.
const HEADER: &str = "section,keys,items,rate,work,way,threads,contender,ns_per_key,\
                      times_reference,bits_per_key,measured_rate,peak_bytes_per_key,note,hash";

/// All rows, with a line of names above.
pub fn csv(rows: &[Row]) -> String {
    let mut text = format!("{HEADER}\n");
    for row in rows {
        let number = |value: Option<f64>| value.map_or(String::new(), significant);
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            row.section,
            row.keys,
            row.items,
            row.rate,
            row.work,
            row.way,
            row.threads,
            quoted(row.contender),
            // Nothing where a contender was left out; the note says why.
            number(Some(row.ns).filter(|ns| !ns.is_nan())),
            number(row.ratio),
            number(row.bits),
            row.fpr.map_or(String::new(), |fpr| format!("{fpr:.6}")),
            number(row.peak),
            quoted(&row.note),
            match row.hash {
                Some(HashOf::Ours) => "ours",
                Some(HashOf::Own) => "own",
                None => "",
            }
        );
    }
    text
}

/// Four digits that count: more would be noise.
pub fn significant(value: f64) -> String {
    match value {
        v if v >= 1000.0 => format!("{v:.0}"),
        v if v >= 100.0 => format!("{v:.1}"),
        v if v >= 10.0 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

/// The day, by the system's clock, as 2026-01-31; UTC.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    date(since.as_secs() / 86_400)
}

/// The date of a day, counted from the first of 1970.
fn date(days: u64) -> String {
    // Years that begin in March end with the leap day: then a month is 30.6 days, rounded
    // (Hinnant, "chrono-compatible low-level date algorithms").
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        let known = [
            (0, "1970-01-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_772, "2026-11-15"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ];
        for (days, text) in known {
            assert_eq!(date(days), text);
        }
    }

    #[test]
    fn a_row_has_a_field_for_each_name() {
        let row = Row {
            section: "table",
            keys: "u64",
            items: 1_000_000,
            rate: 0.01,
            work: "hit",
            way: "batch",
            threads: 1,
            contender: "fastbloom (foldhash)",
            hash: Some(HashOf::Own),
            ns: 12.345_6,
            times: Times::default(),
            ratio: Some(2.0),
            bits: Some(9.5851),
            fpr: Some(0.010_05),
            peak: None,
            note: "looked up one by one, \"single\"".to_string(),
        };
        let text = csv(std::slice::from_ref(&row));
        let expected = "table,u64,1000000,0.01,hit,batch,1,fastbloom (foldhash),12.35,2.000,9.585,\
                        0.010050,,\"looked up one by one, \"\"single\"\"\",own";
        assert_eq!(text.lines().collect::<Vec<_>>(), [HEADER, expected]);
        assert_eq!(HEADER.split(',').count(), 15);
        assert!(!row.misses_rate());
        let left_out = csv(&[Row { ns: f64::NAN, note: "not run".to_string(), ..row.clone() }]);
        assert!(left_out.contains("(foldhash),,2.000") && left_out.ends_with(",not run,own\n"));
        assert!(Row { fpr: Some(0.0111), ..row }.misses_rate());
    }
}
