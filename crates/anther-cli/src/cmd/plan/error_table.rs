//! The table of Fan, Cao, Almeida and Broder, as in text \[3\]: false-positive rates by bits per key
//! and probes.

use crate::exit::Stop;
use crate::output::Out;
use anther::sizing::bloom;
use serde::Serialize;

/// m/n.
const BITS_PER_KEY: std::ops::RangeInclusive<u32> = 2..=10;
/// The most probes of a row, at ten bits per key.
const COLUMNS: usize = 8;

/// One row.
#[derive(Serialize)]
struct ErrorTableRow {
    bits_per_key: u32,
    /// (m/n)·ln 2, not rounded.
    probes_optimal: f64,
    /// The whole number with the lowest rate.
    probes: usize,
    /// The rate with one probe, with two, and so on.
    fpr: Vec<f64>,
}

/// What `--json` prints.
#[derive(Serialize)]
struct ErrorTableJson {
    rows: Vec<ErrorTableRow>,
}

impl ErrorTableRow {
    /// As many columns as the slides have: one or two beyond the optimum, and no more than bits.
    fn new(bits: u32) -> ErrorTableRow {
        let optimum = bloom::optimal_probes(f64::from(bits), 1.0);
        let probes = (1..=bits).take_while(|probes| f64::from(*probes) < optimum + 2.0);
        let rate = |probes| bloom::approximate(f64::from(bits), 1.0, f64::from(probes));
        let fpr: Vec<f64> = probes.map(rate).collect();
        let best = fpr.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        let probes = best.map_or(1, |(at, _)| at + 1);
        ErrorTableRow { bits_per_key: bits, probes_optimal: optimum, probes, fpr }
    }

    fn line(&self) -> String {
        let mut line = format!("{:>3}  {:.2}", self.bits_per_key, self.probes_optimal);
        for (probes, fpr) in (1..).zip(&self.fpr) {
            let mark = if probes == self.probes { "*" } else { " " };
            line += &format!("  {:>7}{mark}", digits(*fpr));
        }
        line.trim_end().to_string()
    }
}

/// Three significant digits, as in the slides.
fn digits(rate: f64) -> String {
    let decimals = match rate {
        rate if rate >= 0.0995 => 3,
        rate if rate >= 0.00995 => 4,
        _ => 5,
    };
    format!("{rate:.decimals$}")
}

pub fn print(out: &mut Out, json: bool) -> Result<(), Stop> {
    let rows: Vec<ErrorTableRow> = BITS_PER_KEY.map(ErrorTableRow::new).collect();
    if json {
        return out.json(&ErrorTableJson { rows });
    }
    let columns: String = (1..=COLUMNS).map(|k| format!("  {:>7} ", format!("k={k}"))).collect();
    out.heading(format_args!("{}", format!("m/n     k{columns}").trim_end()))?;
    for row in &rows {
        out.line(format_args!("{}", row.line()))?;
    }
    out.line(format_args!(""))?;
    out.line(format_args!(
        "False-positive rates (1-e^(-kn/m))^k of n keys in m bits with k probes.\n\
         * marks the lowest of a row; column k is the optimum (m/n)·ln 2."
    ))
}
