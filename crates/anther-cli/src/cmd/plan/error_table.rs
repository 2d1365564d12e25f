//! The error table of the slides that this project starts from, after Fan, Cao, Almeida and
//! Broder: rates by bits a key and probes.

use crate::exit::Stop;
use crate::output::Out;
use anther::sizing::bloom;
use serde::Serialize;

/// m/n.
const BITS_PER_KEY: std::ops::RangeInclusive<u32> = 2..=10;
/// The most probes of a row, at ten bits a key.
const COLUMNS: usize = 8;

/// One row.
#[derive(Serialize)]
struct Row {
    bits_per_key: u32,
    /// (m/n)·ln 2, which is not whole.
    probes_optimal: f64,
    /// The whole number with the lowest rate.
    probes: usize,
    /// The rate with one probe, with two, and so on.
    fpr: Vec<f64>,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Table {
    rows: Vec<Row>,
}

impl Row {
    /// As far as the slides go: beyond the optimum by one or two, and no more probes than bits.
    fn new(bits: u32) -> Row {
        let optimum = bloom::optimal_probes(f64::from(bits), 1.0);
        let probes = (1..=bits).take_while(|probes| f64::from(*probes) < optimum + 2.0);
        let rate = |probes| bloom::approximate(f64::from(bits), 1.0, f64::from(probes));
        let fpr: Vec<f64> = probes.map(rate).collect();
        let best = fpr.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        let probes = best.map_or(1, |(at, _)| at + 1);
        Row { bits_per_key: bits, probes_optimal: optimum, probes, fpr }
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

/// Three digits that say something, as in the slides.
fn digits(rate: f64) -> String {
    let decimals = match rate {
        rate if rate >= 0.0995 => 3,
        rate if rate >= 0.00995 => 4,
        _ => 5,
    };
    format!("{rate:.decimals$}")
}

pub fn print(out: &mut Out, json: bool) -> Result<(), Stop> {
    let rows: Vec<Row> = BITS_PER_KEY.map(Row::new).collect();
    if json {
        return out.json(&Table { rows });
    }
    let columns: String = (1..=COLUMNS).map(|k| format!("  {:>7} ", format!("k={k}"))).collect();
    out.line(format_args!("{}", format!("m/n     k{columns}").trim_end()))?;
    for row in &rows {
        out.line(format_args!("{}", row.line()))?;
    }
    out.line(format_args!(""))?;
    out.line(format_args!(
        "Rates (1-e^(-kn/m))^k of n keys in m bits with k probes; * the lowest of a row;\n\
         column k: the optimum (m/n)·ln 2."
    ))
}
