//! Records: tables of CSV, and their cells.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What the demonstrations measured.
pub const USES: &str = "bench/records/uses.csv";

/// A table; its lines that begin with `#` say where it was measured.
pub struct Table {
    pub remark: String,
    heading: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    fn parse(text: &str) -> Table {
        let is_remark = |line: &&str| line.starts_with('#');
        let remark = text.lines().find(is_remark).unwrap_or_default().trim_start_matches("# ");
        let mut rows: Vec<Vec<String>> =
            text.lines().filter(|line| !is_remark(line)).map(fields).collect();
        let heading = if rows.is_empty() { Vec::new() } else { rows.remove(0) };
        // Files of an older heading may leave out what came last.
        rows.iter_mut().for_each(|row| row.resize(heading.len(), String::new()));
        Table { remark: remark.to_owned(), heading, rows }
    }

    /// The first table below a heading of a page.
    fn of_page(text: &str, heading: &str) -> Table {
        let below = text.split_once(&format!("\n## {heading}")).map_or("", |(_, below)| below);
        let lines = below.lines().skip_while(|line| !line.starts_with('|'));
        let cells = |line: &str| {
            line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
        };
        let mut rows: Vec<Vec<String>> =
            lines.take_while(|line| line.starts_with('|')).map(cells).collect();
        // The second line is the rule.
        rows.retain(|row| !row.iter().all(|cell| cell.starts_with("---")));
        let heading = if rows.is_empty() { Vec::new() } else { rows.remove(0) };
        Table { remark: String::new(), heading, rows }
    }

    pub fn column(&self, name: &str) -> Option<usize> {
        self.heading.iter().position(|column| column == name)
    }
}

/// The fields of a line of CSV.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            other => field.push(other),
        }
    }
    fields.push(field);
    fields
}

/// All records, each read once.
pub struct Records {
    root: PathBuf,
    read: RefCell<BTreeMap<String, Rc<Table>>>,
}

impl Records {
    pub fn new(root: &Path) -> Records {
        Records { root: root.to_owned(), read: RefCell::default() }
    }

    pub fn table(&self, path: &str) -> Result<Rc<Table>, String> {
        if let Some(table) = self.read.borrow().get(path) {
            return Ok(Rc::clone(table));
        }
        let (file, heading) = path.split_once('#').unwrap_or((path, ""));
        let text = fs::read_to_string(self.root.join(file))
            .map_err(|error| format!("cannot read {file}: {error}."))?;
        let table = match heading {
            "" => Table::parse(&text),
            heading => Table::of_page(&text, heading),
        };
        let table = Rc::new(table);
        self.read.borrow_mut().insert(path.to_owned(), Rc::clone(&table));
        Ok(table)
    }

    /// A cell: `FILE | COLUMN=VALUE | … | COLUMN`, of the one row that has these values. `race` is the
    /// last full run of the benchmark, another bare name a figure's table, and `FILE.md#HEADING` the
    /// table below a heading.
    pub fn cell(&self, place: &str) -> Result<f64, String> {
        let mut parts: Vec<&str> = place.split(" | ").collect();
        let (file, column) = (parts.remove(0), parts.pop().unwrap_or_default());
        let table = self.table(&self.path(file)?)?;
        let at = |name: &str| table.column(name).ok_or(format!("{place}: no column {name}"));
        let column = at(column)?;
        let mut rows: Vec<&Vec<String>> = table.rows.iter().collect();
        for part in parts {
            let (name, value) = part.split_once('=').ok_or(format!("{place}: {part} has no ="))?;
            let name = at(name)?;
            rows.retain(|row| row[name] == value);
        }
        let &[row] = &rows[..] else { return Err(format!("{place}: {} rows are so", rows.len())) };
        row[column].parse().map_err(|_| format!("{place}: {:?} is no number", row[column]))
    }

    /// The day of a full run, as people write it.
    pub fn day(&self) -> Result<String, String> {
        let path = self.path("race")?;
        let day = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".csv");
        Ok(spoken(day))
    }

    fn path(&self, name: &str) -> Result<String, String> {
        match name {
            "race" => self.newest().map(|name| format!("bench/records/{name}")),
            path if path.contains('/') => Ok(path.to_owned()),
            figure => Ok(format!("docs/figures/{figure}.csv")),
        }
    }

    /// `DATE.csv` and nothing more: parts and other programs have longer names.
    fn newest(&self) -> Result<String, String> {
        let entries = fs::read_dir(self.root.join("bench/records"))
            .map_err(|error| format!("cannot read bench/records: {error}."))?;
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let is_day = |name: &String| {
            let day = name.strip_suffix(".csv").unwrap_or_default();
            day.len() == 10 && day.chars().all(|letter| letter.is_ascii_digit() || letter == '-')
        };
        names.filter(is_day).max().ok_or_else(|| "bench/records has no full run".to_owned())
    }
}

/// 2026-11-18 as 18 November 2026.
pub fn spoken(day: &str) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let numbers: Vec<usize> = day.split('-').filter_map(|part| part.parse().ok()).collect();
    match &numbers[..] {
        [year, month @ 1..=12, day] => format!("{day} {} {year}", MONTHS[month - 1]),
        _ => day.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_that_of_the_one_row() {
        let table =
            Table::parse("# 2026-11-18, a machine\nwhat,at,ns\n\"1,000 \"\"x\"\"\",5,2.5\na,6\n");
        assert_eq!(table.remark, "2026-11-18, a machine");
        assert_eq!(table.rows, [["1,000 \"x\"", "5", "2.5"], ["a", "6", ""]]);
        let records = Records::new(Path::new("nowhere"));
        records.read.borrow_mut().insert("docs/figures/some.csv".into(), Rc::new(table));
        assert_eq!(records.cell("some | what=1,000 \"x\" | at=5 | ns"), Ok(2.5));
        let wrong = |place| records.cell(place).unwrap_err();
        assert_eq!(wrong("some | ns"), "some | ns: 2 rows are so");
        assert_eq!(wrong("some | what=a | ns"), "some | what=a | ns: \"\" is no number");
        assert_eq!(wrong("some | nosuch"), "some | nosuch: no column nosuch");
        assert_eq!(spoken("2026-11-08"), "8 November 2026");
    }
}
