//! The tables: a published number, its prediction, its measurement.

use std::fmt::{Display, Write};

/// A rate measured by queries.
pub struct Measured {
    pub rate: f64,
    pub queries: u64,
    /// The relative variance of the rate between filters.
    pub spread: f64,
}

impl Measured {
    /// The standard deviation, if p is the true rate.
    fn sigma(&self, p: f64) -> f64 {
        (p * (1.0 - p) / self.queries as f64 + p * p * self.spread).sqrt()
    }
}

/// A published number: `0.0217`, `1.463 %`, or, from a simulation, `1.66e-5 ±3e-7`.
struct Print {
    value: f64,
    /// Half a unit of the last digit, or the standard deviation.
    off: f64,
    simulated: bool,
    percent: bool,
}

impl Print {
    fn read(text: &str) -> Print {
        let (number, sigma) = text.split_once('±').map_or((text, None), |(a, b)| (a, Some(b)));
        let (number, scale) = number.split_once('%').map_or((number, 1.0), |(a, _)| (a, 0.01));
        let number = number.trim();
        let (digits, exponent) = number.split_once('e').unwrap_or((number, "0"));
        let decimals = digits.split_once('.').map_or(0, |(_, after)| after.len());
        let unit = 10f64.powi(exponent.parse::<i32>().unwrap() - decimals as i32) * scale;
        Print {
            value: number.parse::<f64>().unwrap() * scale,
            off: sigma.map_or(unit / 2.0, |sigma| sigma.parse().unwrap()),
            simulated: sigma.is_some(),
            percent: scale < 1.0,
        }
    }

    /// Whether an exact value rounds to the printed one.
    fn is(&self, value: f64) -> bool {
        let room = if self.simulated { 6.0 * self.off } else { self.off * (1.0 + 1e-6) };
        (value - self.value).abs() <= room
    }

    /// How far a measurement is from the expected value, and whether that is close enough.
    fn compare(&self, measured: Option<Measured>, expected: f64, unsure: f64) -> (String, bool) {
        let Some(measured) = measured else { return (String::new(), true) };
        let sigma = measured.sigma(expected).hypot(unsure);
        let off = measured.rate - expected;
        let sigmas = if off == 0.0 { 0.0 } else { off / sigma };
        (format!("{} ({sigmas:+.1}σ)", self.show(measured.rate)), sigmas.abs() <= 6.0)
    }

    /// Another value in the same unit.
    fn show(&self, value: f64) -> String {
        if self.percent { significant(100.0 * value) + " %" } else { significant(value) }
    }
}

/// One section.
pub struct Table {
    title: &'static str,
    rows: Vec<([String; 4], bool)>,
}

impl Table {
    pub fn new(title: &'static str) -> Table {
        Table { title, rows: Vec::new() }
    }

    /// One number three times: published, predicted, measured.
    pub fn row(
        &mut self,
        what: impl Display,
        print: &str,
        predicted: impl Into<Option<f64>>,
        measured: impl Into<Option<Measured>>,
    ) {
        let (read, predicted) = (Print::read(print), predicted.into());
        let (expected, unsure) = predicted.map_or((read.value, read.off), |value| (value, 0.0));
        let (shown, near) = read.compare(measured.into(), expected, unsure);
        let ok = near && predicted.is_none_or(|value| read.is(value));
        let predicted = predicted.map(|value| read.show(value)).unwrap_or_default();
        self.push([what.to_string(), print.to_string(), predicted, shown], ok);
    }

    /// Bits per key, published and predicted; measured is the rate p that they are for.
    pub fn row_for_rate(
        &mut self,
        what: impl Display,
        print: &str,
        predicted: f64,
        p: f64,
        measured: Option<Measured>,
    ) {
        let read = Print::read(print);
        let (shown, near) = read.compare(measured, p, 0.0);
        let ok = near && read.is(predicted);
        self.push([what.to_string(), print.to_string(), read.show(predicted), shown], ok);
    }

    pub fn push(&mut self, cells: [String; 4], ok: bool) {
        self.rows.push((cells, ok));
    }

    /// Prints the table, in one piece since tests run in parallel, and fails if a row does.
    pub fn finish(self) {
        let mut text = format!("\n{}\n", self.title);
        let head = ["", "published", "predicted", "measured"].map(String::from);
        for (cells, ok) in [(head, true)].iter().chain(&self.rows) {
            let [what, print, predicted, measured] = cells;
            let verdict = if *ok { "" } else { "  DIFFERS" };
            let cells = format!("  {what:<46} {print:>18} {predicted:>18} {measured:>24}{verdict}");
            writeln!(text, "{}", cells.trim_end()).unwrap();
        }
        print!("{text}");
        let wrong = self.rows.iter().filter(|(_, ok)| !ok).count();
        assert_eq!(wrong, 0, "{wrong} of {} numbers differ:{text}", self.rows.len());
    }
}

/// Six significant digits.
fn significant(value: f64) -> String {
    match value.abs() {
        x if x >= 1e-3 => format!("{value:.*}", (5.0 - x.log10().floor()).max(0.0) as usize),
        _ => format!("{value:.5e}"),
    }
}
