//! A table of numbers: printed, as CSV, as JSON, and as a picture (`svg`).

mod svg;

use anther::units;
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

/// A table. The names of its columns are those of CSV and JSON, too.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Table {
    /// Their names.
    pub columns: Vec<String>,
    /// As many cells each as there are columns.
    #[serde(serialize_with = "rows_of")]
    pub rows: Vec<Vec<Cell>>,
}

/// What is in a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// Words.
    Text(String),
    /// A number of things.
    Count(u64),
    /// In per cent.
    Rate(f64),
    /// An amount of memory.
    Bytes(u64),
    /// A time.
    Nanoseconds(f64),
    /// With this many decimals.
    Number(f64, usize),
    /// Yes or no.
    Truth(bool),
}

impl Cell {
    /// For people.
    pub fn shown(&self) -> String {
        match self {
            Cell::Empty => String::new(),
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => units::count(*count),
            Cell::Rate(rate) => units::percent(*rate),
            Cell::Bytes(bytes) => units::size(*bytes),
            Cell::Nanoseconds(time) => units::duration(*time),
            Cell::Number(number, decimals) => format!("{number:.decimals$}"),
            Cell::Truth(true) => "yes".to_string(),
            Cell::Truth(false) => "no".to_string(),
        }
    }

    /// For programs: plain numbers, with all their digits.
    fn raw(&self) -> serde_json::Value {
        match self {
            Cell::Empty => serde_json::Value::Null,
            Cell::Text(text) => text.clone().into(),
            Cell::Count(number) | Cell::Bytes(number) => (*number).into(),
            Cell::Rate(number) | Cell::Nanoseconds(number) | Cell::Number(number, _) => {
                (*number).into()
            }
            Cell::Truth(truth) => (*truth).into(),
        }
    }

    fn is_words(&self) -> bool {
        matches!(self, Cell::Text(_) | Cell::Truth(_))
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_string())
    }
}

fn rows_of<S: Serializer>(rows: &[Vec<Cell>], to: S) -> Result<S::Ok, S::Error> {
    let mut list = to.serialize_seq(Some(rows.len()))?;
    for row in rows {
        list.serialize_element(&row.iter().map(Cell::raw).collect::<Vec<_>>())?;
    }
    list.end()
}

impl Table {
    /// Without rows yet.
    pub fn new<const N: usize>(columns: [&str; N]) -> Table {
        Table { columns: columns.map(String::from).to_vec(), rows: Vec::new() }
    }

    /// One more row: as many cells as there are columns.
    pub fn row<const N: usize>(&mut self, cells: [Cell; N]) {
        self.rows.push(cells.to_vec());
    }

    /// What each cell shows, below the names of the columns.
    fn shown(&self) -> Vec<Vec<String>> {
        let rows = self.rows.iter().map(|row| row.iter().map(Cell::shown).collect());
        [self.columns.clone()].into_iter().chain(rows).collect()
    }

    /// Whether a column is aligned left, as words are.
    fn is_words(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.any(Cell::is_words)
    }

    /// Whether there are times or sizes in it, which another machine would not have.
    pub fn is_of_this_machine(&self) -> bool {
        let of_machine = |cell: &Cell| matches!(cell, Cell::Nanoseconds(_) | Cell::Bytes(_));
        self.rows.iter().flatten().any(of_machine)
    }

    /// In lines, with columns below each other.
    pub fn text(&self) -> String {
        let rows = self.shown();
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for row in &rows {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
                if self.is_words(column) {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            });
            text += cells.collect::<Vec<_>>().join("  ").trim_end();
            text.push('\n');
        }
        text
    }

    /// As RFC 4180 has it, but with line feeds alone.
    pub fn csv(&self) -> String {
        let quoted = |text: &str| match text.contains(['"', ',', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_string(),
        };
        let cell = |cell: &Cell| match cell.raw() {
            serde_json::Value::Null => String::new(),
            serde_json::Value::String(text) => quoted(&text),
            other => other.to_string(),
        };
        let names = self.columns.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
        let rows = self.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(","));
        [names].into_iter().chain(rows).map(|line| line + "\n").collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(["items", "rate", "what"]);
        table.row([Cell::Count(1000), Cell::Rate(0.0125), "a \"b\", c".into()]);
        table.row([Cell::Count(7), Cell::Empty, Cell::Truth(true)]);
        table
    }

    #[test]
    fn people_and_programs_read_the_same_numbers() {
        assert_eq!(
            table().text(),
            "items    rate  what\n1,000  1.25 %  a \"b\", c\n    7          yes\n"
        );
        assert_eq!(table().csv(), "items,rate,what\n1000,0.0125,\"a \"\"b\"\", c\"\n7,,true\n");
        let json = serde_json::to_string(&table()).unwrap();
        assert_eq!(
            json,
            r#"{"columns":["items","rate","what"],"rows":[[1000,0.0125,"a \"b\", c"],[7,null,true]]}"#
        );
    }

    #[test]
    fn pictures_are_svg() {
        let svg = table().svg("A <title>");
        assert!(svg.contains("A &lt;title&gt;") && svg.contains("1.25 %"));
        assert_eq!(crate::png::clashes(&svg), Vec::<String>::new());
    }
}
