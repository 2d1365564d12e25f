//! A figure of each of the five texts, measured: one line per text.

use super::ledger::{DELETING, FLOOM, FUNCTIONS, Ledger, RELIABILITY, TABLE};
use super::stage::Stage;
use crate::error::Error;
use anther::units;
use std::fs;

/// The part.
pub fn run(stage: &mut Stage, ledger: &mut Ledger) -> Result<(), Error> {
    stage.say("One figure of each text. List all of them with: anther figure\n")?;
    let figures = "reliability deleting error-table hashes floom-16-1";
    let ran = stage.run(&format!("figure {figures} --out figures --quiet"))?;
    if ran.code > 1 {
        ran.or_stop()?;
        return Ok(());
    }
    let hold = ran.code == 0;

    let table = FigureCsv::read(stage, "reliability")?;
    let (mean, reach) = (table.at("mean %", 0)?, table.at("99 % or more", 0)?);
    let measured = format!("{mean:.2} % on average, {} of the filters", units::rate(reach));
    let holds = hold && reach > 0.2 && reach < 0.8;
    ledger.claim(RELIABILITY, "200 filters: only some reach 99 %", &measured, holds);

    let table = FigureCsv::read(stage, "deleting")?;
    let row = table.row("deleted", 1000.0)?;
    let (lost, counting) = (table.at("lost measured", row)?, table.at("lost by counting", row)?);
    let measured = format!("{} and {}", units::rate(lost), units::rate(counting));
    let holds = hold && lost > 0.3 && counting == 0.0;
    let claim = "deleting by bits loses others, by counters none";
    ledger.claim(DELETING, claim, &measured, holds);

    let table = FigureCsv::read(stage, "error-table")?;
    let pairs = table.column("exact")?.into_iter().zip(table.column("measured")?);
    let off: Vec<f64> = pairs.map(|(exact, measured)| (measured / exact - 1.0).abs()).collect();
    let (cells, worst) = (off.len(), off.iter().copied().fold(0.0, f64::max));
    let measured = format!("{cells} cells, at most {} off", units::rate(worst));
    ledger.claim(TABLE, "the table of rates by m/n and k", &measured, hold && cells == 49);

    let table = FigureCsv::read(stage, "hashes")?;
    let rates = table.column("rate measured")?;
    let best = (1..).zip(&rates).min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(k, _)| k);
    let measured = format!("lowest at k={best}");
    // By chance a neighbour's rate may be lower: 6 and 8 have 3 % more.
    let holds = hold && (6..=8).contains(&best);
    ledger.claim(FUNCTIONS, "more functions help up to (m/n)·ln 2=6.9", &measured, holds);

    let table = FigureCsv::read(stage, "floom-16-1")?;
    let row = table.row("items", 10_000.0)?;
    let (floom, big) = (table.at("floom", row)?, table.at("big bf", row)?);
    let measured = format!("{} and {}", units::rate(floom), units::rate(big));
    let claim = "Floom's memory does more in a standard filter";
    ledger.claim(FLOOM, claim, &measured, hold && big < floom);
    Ok(())
}

/// The numbers of a figure, from its CSV.
struct FigureCsv {
    name: String,
    lines: Vec<Vec<String>>,
}

impl FigureCsv {
    fn read(stage: &Stage, figure: &str) -> Result<FigureCsv, Error> {
        let name = format!("figures/{figure}.csv");
        let path = stage.path(&name);
        let text =
            fs::read_to_string(&path).map_err(|error| Error::about(path.display(), error))?;
        // None of these has commas in its cells.
        let cells = |line: &str| line.split(',').map(String::from).collect();
        Ok(FigureCsv { name, lines: text.lines().map(cells).collect() })
    }

    /// The cells of a column, as numbers; nothing in the place of those that are empty.
    fn cells(&self, name: &str) -> Result<Vec<Option<f64>>, Error> {
        let lacking = || Error::about(&self.name, format_args!("has no column {name}"));
        let (titles, rows) = self.lines.split_first().ok_or_else(lacking)?;
        let at = titles.iter().position(|title| title == name).ok_or_else(lacking)?;
        Ok(rows.iter().map(|row| row.get(at).and_then(|cell| cell.parse().ok())).collect())
    }

    fn column(&self, name: &str) -> Result<Vec<f64>, Error> {
        let numbers: Option<Vec<f64>> = self.cells(name)?.into_iter().collect();
        numbers.ok_or_else(|| Error::about(&self.name, format_args!("lacks numbers in {name}")))
    }

    fn at(&self, name: &str, row: usize) -> Result<f64, Error> {
        let cell = self.cells(name)?.get(row).copied().flatten();
        let lacking = || Error::about(&self.name, format_args!("has no {name} in row {row}"));
        cell.ok_or_else(lacking)
    }

    fn row(&self, name: &str, value: f64) -> Result<usize, Error> {
        let row = self.column(name)?.iter().position(|cell| *cell == value);
        row.ok_or_else(|| Error::about(&self.name, format_args!("has no {name} {value}")))
    }
}
