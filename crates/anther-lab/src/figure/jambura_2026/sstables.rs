//! Tables on disk, with a filter each (§7.2.1).

use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::figure::tally::{Tally, seed};
use crate::figure::{Effort, Made, Picture};
use crate::table::{Cell, Table};
use anther::sizing::bloom;
use anther::{Classic, Target};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

const RATE: f64 = 0.01;
/// Bytes of a block, about: what is read at once.
const BLOCK: usize = 4096;

/// A sorted table: records in blocks on disk; the first key of each block, and a filter of all
/// keys, in memory.
struct Sorted {
    file: File,
    /// Where each block begins, and with which key; and the end.
    index: Vec<(String, u64)>,
    end: u64,
    filter: Classic,
}

fn key(number: u64) -> String {
    format!("row-{number:010}")
}

fn value(number: u64) -> String {
    format!("value of row {number}")
}

impl Sorted {
    /// Writes a table of these rows, in ascending order.
    fn write(rows: impl Iterator<Item = u64>, mut filter: Classic) -> io::Result<Sorted> {
        // Without a name, so that nothing stays behind however the process ends.
        let file = tempfile::tempfile()?;
        let mut out = BufWriter::new(&file);
        let (mut index, mut at, mut block) = (Vec::new(), 0, BLOCK);
        for row in rows {
            let (key, record) = (key(row), format!("{}\t{}\n", key(row), value(row)));
            filter.insert(&key);
            if block + record.len() > BLOCK {
                index.push((key, at));
                block = 0;
            }
            block += record.len();
            at += record.len() as u64;
            out.write_all(record.as_bytes())?;
        }
        out.flush()?;
        drop(out);
        Ok(Sorted { file, index, end: at, filter })
    }

    /// The value of a key, from the one block that may have it; and how many blocks were read.
    fn get(&self, key: &str) -> io::Result<(Option<String>, u64)> {
        let after = self.index.partition_point(|(first, _)| first.as_str() <= key);
        let Some((_, from)) = after.checked_sub(1).and_then(|at| self.index.get(at)) else {
            return Ok((None, 0));
        };
        let to = self.index.get(after).map_or(self.end, |(_, at)| *at);
        let mut block = String::new();
        let mut file = &self.file;
        file.seek(SeekFrom::Start(*from))?;
        file.take(to - from).read_to_string(&mut block)?;
        let mut records = block.lines().filter_map(|line| line.split_once('\t'));
        Ok((records.find(|(found, _)| *found == key).map(|(_, value)| value.to_string()), 1))
    }
}

/// What the lookups of rows took.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    queries: u64,
    reads: u64,
    wrong: u64,
}

impl Asked {
    fn reads_per_query(&self) -> f64 {
        self.reads as f64 / self.queries as f64
    }
}

/// Asks all tables about a row, as a newer value may be in any; with or without their filters.
fn ask(
    tables: &[Sorted],
    row: u64,
    present: bool,
    filters: bool,
    asked: &mut Asked,
) -> io::Result<()> {
    let key = key(row);
    let mut found = None;
    for table in tables.iter().filter(|table| !filters || table.filter.contains(&key)) {
        let (value, reads) = table.get(&key)?;
        asked.reads += reads;
        found = found.or(value);
    }
    asked.queries += 1;
    asked.wrong += u64::from(found != present.then(|| value(row)));
    Ok(())
}

/// "Instead of three accesses to the disk only one."
pub fn sstables(effort: &Effort<'_>) -> Result<Made, Error> {
    let failed = |error: io::Error| Error::about("sstables", error);
    let broken = |error| Error::about("sstables", error);
    let rows = effort.choose(20_000, 200_000);
    let queries = effort.choose(5000, 100_000);
    let target = Target::new(rows, RATE).map_err(|error| broken(error.into()))?;
    let mut table =
        Table::new(["tables", "row", "filters", "reads per query", "predicted", "the text"]);
    let mut series = ["without filters", "with filters"].map(Series::new);
    let (mut exact, mut agree, mut right) = (true, true, true);
    let numbers = [1u64, 3, 10];
    for (done, number) in numbers.into_iter().enumerate() {
        let mut tables = Vec::new();
        for at in 0..number {
            // Every row is in one table, or in none: each (number+1)-th.
            let own = (0..rows).map(|row| row * (number + 1) + at);
            let salt = u32::try_from(at).unwrap_or(0);
            let filter = Classic::with_seed(target, seed(salt)).map_err(broken)?;
            tables.push(Sorted::write(own, filter).map_err(failed)?);
        }
        let size = tables.first().map(|table| table.filter.profile());
        let (bits, probes) = size.map_or((1, 1), |profile| (profile.bits, profile.probes));
        let (rate, spread) = (bloom::rate(bits, rows, probes), bloom::spread(bits, rows, probes));
        let tables_asked = number as f64;
        for (x, present) in [(0.0, false), (1.0, true)] {
            for (filters, series) in [false, true].into_iter().zip(&mut series) {
                let mut asked = Asked::default();
                for query in 0..queries {
                    // Not the very first and last, which the index of some table would rule out.
                    let row = 1 + query * (rows - 2) / queries;
                    let of = if present { query % number } else { number };
                    let row = row * (number + 1) + of;
                    ask(&tables, row, present, filters, &mut asked).map_err(failed)?;
                }
                right &= asked.wrong == 0;
                // Tables that do not have the row, of which the filters let some through.
                let others = number - u64::from(present);
                let predicted = match filters {
                    false => tables_asked,
                    true => f64::from(u8::from(present)) + others as f64 * rate,
                };
                if filters {
                    let wrong = asked.reads - if present { queries } else { 0 };
                    let count = u32::try_from(others).unwrap_or(1);
                    let tally = Tally { asked: others * queries, wrong, filters: count };
                    agree &= others == 0 && wrong == 0 || tally.agrees(rate, spread);
                } else {
                    exact &= asked.reads == number * queries;
                }
                if number == 3 {
                    series.measured.push((x, asked.reads_per_query()));
                    series.predicted.push((x, predicted));
                }
                // The text speaks of a key that is in one of three tables, and of no other.
                let text = match (number, present, filters) {
                    (3, true, false) => Cell::Count(3),
                    (3, true, true) => Cell::Count(1),
                    _ => Cell::Empty,
                };
                table.row([
                    Cell::Count(number),
                    if present { "present" } else { "absent" }.into(),
                    Cell::Truth(filters),
                    Cell::Number(asked.reads_per_query(), 4),
                    Cell::Number(predicted, 4),
                    text,
                ]);
            }
        }
        effort.tell(done + 1, numbers.len());
    }
    let mut made = Made { table, ..Made::default() };
    made.pictures.push((
        "",
        Picture::Chart(Chart {
            title: "Blocks read from three tables for a query".to_string(),
            x: Axis::names(["absent row", "present row"]),
            y: Axis::linear("reads per query", Unit::Plain),
            series: series.to_vec(),
        }),
    ));
    made.notes.push(format!(
        "Tables of {} rows in files, sorted, with the first key of each block of 4 KiB in memory. A \
         read is a call that fetched a block; whether the disk or the system's memory served it \
         is not seen here. All tables are asked, since a newer value may be in any.",
        anther::units::count(rows)
    ));
    made.notes.push(
        "In the text's example the first two of three filters may say no, so that one read is enough \
         instead of three. With filters of 1 % it takes 1.02 reads on average. Of a row that is in \
         none of the tables the text says nothing; it takes 0.03."
            .to_string(),
    );
    made.claim("without filters a query reads one block of each table", exact);
    made.claim(
        "with filters absent rows take S·ε reads and present ones 1+(S-1)·ε, within chance",
        agree,
    );
    made.claim("every query gets the right value, or none", right);
    Ok(made)
}
