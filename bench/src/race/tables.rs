//! Rows as tables to read: in columns for a terminal, and as Markdown.

use super::ours::REFERENCE;
use super::peers::{FOLDED, SBBF};
use super::record::{Row, significant};
use super::trial::LIMIT;
use std::fmt::Write;

/// A table: a title, names of columns, and rows of cells, the first of them on the left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    title: String,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

/// The columns of a race after those that describe the filter: work and way.
const CELLS: [(&str, &str); 8] = [
    ("insert", "single"),
    ("insert", "batch"),
    ("hit", "single"),
    ("miss", "single"),
    ("mixed", "single"),
    ("hit", "batch"),
    ("miss", "batch"),
    ("mixed", "batch"),
];

/// All tables of the rows, in their order.
pub fn tables(rows: &[Row]) -> Vec<Table> {
    races(rows)
        .map(|rows| if rows[0].section == "table" { race(rows) } else { list(rows) })
        .collect()
}

/// The columns that open a record: their name, the number of keys, work and way.
const SHORT: [(&str, u64, &str, &str); 6] = [
    ("10^6 hit", 1_000_000, "hit", "single"),
    ("10^6 miss", 1_000_000, "miss", "single"),
    ("10^8 hit, batch", 100_000_000, "hit", "batch"),
    ("10^8 miss, batch", 100_000_000, "miss", "batch"),
    ("10^8 mixed, batch", 100_000_000, "mixed", "batch"),
    ("10^8 insert, batch", 100_000_000, "insert", "batch"),
];

/// What a reader wants to know first: integers at 1 %, in the cache and out of it, beside the peers
/// that are closest and the limit of memory.
pub fn in_short(rows: &[Row]) -> Table {
    let cell = |name: &str, (_, items, work, way): (&str, u64, &str, &str)| {
        let is = |row: &&Row| {
            (row.section, row.keys, row.rate) == ("table", "u64", 0.01)
                && (row.items, row.work, row.way, row.contender) == (items, work, way, name)
        };
        rows.iter().find(is).map_or("-".to_string(), |row| {
            let ratio = row.ratio.map_or(String::new(), |ratio| format!(" {}×", short(ratio)));
            format!("{}{ratio}", short(row.ns))
        })
    };
    let mut columns = vec!["ns per key".to_string()];
    columns.extend(SHORT.map(|(name, ..)| name.to_string()));
    let line = |name: &str| {
        let mut line = vec![name.to_string()];
        line.extend(SHORT.map(|column| cell(name, column)));
        line
    };
    Table {
        title: "In short: 64-bit keys, 1 % false positives".to_string(),
        columns,
        rows: [REFERENCE, FOLDED, SBBF, LIMIT].map(line).to_vec(),
        notes: vec!["×: times the time of anther blocked in the same rounds".to_string()],
    }
}

fn race(rows: &[Row]) -> Table {
    let first = &rows[0];
    let title = format!(
        "{} keys ({}), {} % false positives",
        count(first.items),
        first.keys,
        100.0 * first.rate
    );
    let mut columns = vec!["ns per key".to_string(), "bits/key".into(), "FPR %".into()];
    columns.extend(CELLS.map(|(work, way)| format!("{work} {way}")));
    let cell = |name: &str, work: &str, way: &str| {
        rows.iter().find(|row| (row.contender, row.work, row.way) == (name, work, way))
    };
    let best = CELLS.map(|cell| fastest(rows, cell));
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&row.contender) {
            names.push(row.contender);
        }
    }
    let mut table = Table { title, columns, ..Table::default() };
    for name in names {
        let Some(any) = rows.iter().find(|row| row.contender == name) else { continue };
        let too_many = if any.misses_rate() { "!" } else { "" };
        let mut line = vec![
            name.to_string(),
            any.bits.map_or("-".into(), |bits| format!("{bits:.2}")),
            any.fpr.map_or("-".into(), |fpr| format!("{:.4}{too_many}", 100.0 * fpr)),
        ];
        for ((work, way), best) in CELLS.into_iter().zip(best) {
            line.push(match cell(name, work, way) {
                Some(row) => {
                    let best = if best == Some(name) { "*" } else { "" };
                    let alone = if row.note.is_empty() { "" } else { "s" };
                    let ratio = row.ratio.map_or(String::new(), |r| format!(" {}×", short(r)));
                    format!("{best}{}{alone}{ratio}", short(row.ns))
                }
                None => "-".to_string(),
            });
        }
        table.rows.push(line);
        if any.ns.is_nan() {
            table.notes.push(format!("{name}: {}", any.note));
        }
    }
    table.notes.push(
        "×: times the time of anther blocked in the same rounds; *: the fastest of those that hash as \
         we do (ours, sbbf-rs, and those with `our hash`; xorf, bloomfilter and growable-bloom-filter \
         take no hash) and keep the false-positive rate; !: more than a tenth above it; s: no call \
         for many keys, so one by one"
            .to_string(),
    );
    table
}

/// Who has the star of a column: the fastest of those that may win it, by the ratio of the same
/// rounds. By the medians of times, a slow round of one contender gave the star to another whose
/// ratio is worse.
fn fastest(rows: &[Row], cell: (&str, &str)) -> Option<&'static str> {
    let column = rows.iter().filter(|row| (row.work, row.way) == cell && row.may_win());
    let time = |row: &Row| row.ratio.unwrap_or(row.ns);
    column.min_by(|a, b| time(a).total_cmp(&time(b))).map(|row| row.contender)
}

/// How many stars each contender has in the tables of these rows.
pub fn stars(rows: &[Row]) -> Table {
    let races = || races(rows).filter(|rows| rows[0].section == "table");
    let won: Vec<_> = races()
        .flat_map(|rows| CELLS.map(|cell| (cell, fastest(rows, cell))))
        .filter_map(|(cell, name)| Some((cell, name?)))
        .collect();
    let mut names: Vec<&str> = Vec::new();
    for row in races().flatten().filter(|row| row.may_win()) {
        if !names.contains(&row.contender) {
            names.push(row.contender);
        }
    }
    let line = |title: &str, is: &dyn Fn(&str) -> bool| {
        let count = |cells: &dyn Fn((&str, &str)) -> bool| {
            won.iter().filter(|(cell, name)| cells(*cell) && is(name)).count().to_string()
        };
        vec![
            title.to_string(),
            count(&|_| true),
            count(&|(work, way)| work != "insert" && way == "single"),
            count(&|(work, way)| work != "insert" && way == "batch"),
            count(&|(work, way)| work == "insert" && way == "single"),
            count(&|(work, way)| work == "insert" && way == "batch"),
        ]
    };
    let mut lines: Vec<_> = names.iter().map(|name| line(name, &|other| other == *name)).collect();
    lines.push(line("all", &|_| true));
    lines.push(line("all of anther", &|name| name.starts_with("anther")));
    let columns =
        ["who", "stars", "single lookups", "batch lookups", "single inserts", "batch inserts"];
    Table {
        title: "Stars: cells that each contender wins".to_string(),
        columns: columns.map(String::from).to_vec(),
        rows: lines,
        notes: vec!["among contenders with equal hashes, as in the tables above".to_string()],
    }
}

/// The rows of each table.
fn races(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    let key = |row: &Row| (row.section, row.keys, row.items, row.rate.to_bits());
    rows.chunk_by(move |a, b| key(a) == key(b))
}

fn list(rows: &[Row]) -> Table {
    let first = &rows[0];
    let title = match first.items {
        0 => format!("{}: {}", first.section, first.keys),
        items => format!(
            "{}: {} keys ({}), {} % false positives",
            first.section,
            count(items),
            first.keys,
            100.0 * first.rate
        ),
    };
    let names =
        ["who", "work", "way", "threads", "ns per key", "ratio", "bits/key", "FPR %", "peak B/key"];
    let mut table = Table { title, columns: names.map(String::from).to_vec(), ..Table::default() };
    for row in rows {
        let number = |value: Option<f64>| value.map_or("-".to_string(), short);
        table.rows.push(vec![
            row.contender.to_string(),
            row.work.to_string(),
            row.way.to_string(),
            row.threads.to_string(),
            short(row.ns),
            row.ratio.map_or("-".into(), |ratio| format!("{ratio:.2}×")),
            row.bits.map_or("-".into(), |bits| format!("{bits:.2}")),
            row.fpr.map_or("-".into(), |fpr| format!("{:.4}", 100.0 * fpr)),
            number(row.peak),
        ]);
        let note = match rows.iter().all(|other| other.note == row.note) {
            true => row.note.clone(),
            false => format!("{}, {} {}: {}", row.contender, row.work, row.way, row.note),
        };
        if !row.note.is_empty() && !table.notes.contains(&note) {
            table.notes.push(note);
        }
    }
    table
}

/// 10^6 for a million, which is how many zeros.
pub fn count(items: u64) -> String {
    let power = items.checked_ilog10().unwrap_or(0);
    if items == 10u64.pow(power) { format!("10^{power}") } else { items.to_string() }
}

/// Three digits.
fn short(value: f64) -> String {
    match value {
        v if v.is_nan() => "-".to_string(),
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

impl Table {
    /// A table of goals and whether they were met.
    pub fn of_goals(goals: &[super::goals::Goal]) -> Table {
        let columns = ["work", "goal", "measured", ""].map(String::from).to_vec();
        let row = |goal: &super::goals::Goal| {
            let met = if goal.is_met() { "met" } else { "not met" };
            let unit = goal.unit;
            vec![
                goal.text.clone(),
                format!("{}{unit}", goal.bound),
                format!("{}{unit}", significant(goal.measured)),
                met.to_string(),
            ]
        };
        let rows = goals.iter().map(row).collect();
        Table { title: "Goals".to_string(), columns, rows, notes: Vec::new() }
    }

    /// In aligned columns, for a terminal.
    pub fn text(&self) -> String {
        let lines = || std::iter::once(&self.columns).chain(&self.rows);
        let width = |at: usize| lines().map(|line| line[at].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = format!("\n{}\n{}\n", self.title, "-".repeat(self.title.chars().count()));
        for line in lines() {
            let mut row = String::new();
            for (at, (cell, width)) in line.iter().zip(&widths).enumerate() {
                let _ = match at {
                    0 => write!(row, "{cell:<width$}"),
                    _ => write!(row, "  {cell:>width$}"),
                };
            }
            text += row.trim_end();
            text.push('\n');
        }
        self.notes.iter().for_each(|note| text += &format!("({note})\n"));
        text
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells = cells.iter().map(|cell| cell.replace('*', "**★** ")).collect::<Vec<_>>();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = "|---".to_string() + &"|---:".repeat(self.columns.len() - 1) + "|\n";
        let mut text = format!("\n## {}\n\n{}{rule}", self.title, line(&self.columns));
        self.rows.iter().for_each(|row| text += &line(row));
        for note in &self.notes {
            text += &format!("\n{}\n", note.replace("*:", "★:"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::contender::HashOf;

    fn row(contender: &'static str, ns: f64, fpr: f64) -> Row {
        Row {
            section: "table",
            keys: "u64",
            items: 1_000_000,
            rate: 0.01,
            work: "hit",
            way: "single",
            threads: 1,
            contender,
            hash: Some(HashOf::Ours),
            ns,
            ratio: Some(ns / 2.0),
            fpr: Some(fpr),
            ..Row::default()
        }
    }

    /// A filter that misses the rate or has another hash cannot win, nor can the limit.
    #[test]
    fn the_best_is_marked() {
        let rows = [
            // The faster median, but not in the same rounds.
            Row { ratio: Some(0.8), ..row("ours", 1.4, 0.01) },
            row("peer", 1.5, 0.0105),
            row("cheat", 1.0, 0.03),
            Row { hash: Some(HashOf::Own), ..row("foreign", 0.7, 0.01) },
            Row { hash: None, ..row(LIMIT, 0.5, 0.0) },
        ];
        let tables = tables(&rows);
        let text = tables[0].text();
        assert!(text.contains("10^6 keys (u64), 1 % false positives"), "{text}");
        let line = |name: &str| {
            text.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_string()
        };
        assert!(line("peer").contains("*1.50 0.75×"), "{text}");
        assert!(!line("ours").contains('*') && !line("cheat").contains('*'), "{text}");
        assert!(!line("foreign").contains('*'), "{text}");
        assert!(line("cheat").contains("3.0000!") && !line(LIMIT).contains('*'), "{text}");
        assert_eq!(tables[0].markdown().matches("★**").count(), 1);
    }

    /// A star is counted once for each column of each table.
    #[test]
    fn stars_are_counted() {
        let at = |items, row: Row| Row { items, ..row };
        let batch = |row: Row| Row { way: "batch", ..row };
        let insert = |row: Row| Row { work: "insert", ..row };
        let rows = [
            row("anther a", 2.0, 0.01),
            row("peer", 1.5, 0.01),
            batch(row("anther a", 1.0, 0.01)),
            batch(row("peer", 1.5, 0.01)),
            at(10_000_000, row("anther a", 1.0, 0.01)),
            at(10_000_000, insert(row("anther a", 1.0, 0.01))),
        ];
        let lines = stars(&rows).rows.into_iter().map(|row| row.join(" "));
        assert_eq!(
            lines.collect::<Vec<_>>(),
            ["anther a 3 1 1 1 0", "peer 1 1 0 0 0", "all 4 2 1 1 0", "all of anther 3 1 1 1 0"]
        );
    }

    /// What was not measured has no number.
    #[test]
    fn a_record_opens_with_the_closest_peers() {
        let table = in_short(&[row(REFERENCE, 2.0, 0.01), row(SBBF, 3.0, 0.01)]);
        let firsts =
            table.rows.iter().map(|row| (row[0].as_str(), row[1].as_str(), row[2].as_str()));
        assert_eq!(
            firsts.collect::<Vec<_>>(),
            [
                (REFERENCE, "2.00 1.00×", "-"),
                (FOLDED, "-", "-"),
                (SBBF, "3.00 1.50×", "-"),
                (LIMIT, "-", "-")
            ]
        );
    }

    #[test]
    fn counts_are_powers_where_they_are() {
        assert_eq!([1, 100_000, 123].map(count), ["10^0", "10^5", "123"]);
    }
}
