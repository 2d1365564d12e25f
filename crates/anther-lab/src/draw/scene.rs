//! What is drawn: a filter's cells, step by step. It knows neither terminals nor SVG.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// A story in steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scene {
    /// What is drawn, such as "10 bits, 3 hash functions".
    pub title: String,
    /// What else there is to know of it; may be empty.
    pub about: String,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

/// What happens in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Nothing: the cells as they are.
    Look,
    /// Keys are inserted.
    Insert,
    /// A key is looked up.
    Query,
    /// A key is removed.
    Remove,
}

/// What a filter answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The key may be in.
    Maybe,
    /// The key is certainly absent.
    No,
}

impl Answer {
    /// The answer to a lookup.
    pub fn of(found: bool) -> Answer {
        if found { Answer::Maybe } else { Answer::No }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Answer::Maybe => "maybe",
            Answer::No => "no",
        }
    }
}

/// An answer that is not the truth, where the truth is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Wrong {
    /// Maybe, but the key is absent.
    #[serde(rename = "false positive")]
    FalsePositive,
    /// No, but the key is present.
    #[serde(rename = "false negative")]
    FalseNegative,
}

impl Wrong {
    /// What is wrong with an answer, by the truth.
    pub fn of(answer: Answer, is_in: bool) -> Option<Wrong> {
        match (answer, is_in) {
            (Answer::Maybe, false) => Some(Wrong::FalsePositive),
            (Answer::No, true) => Some(Wrong::FalseNegative),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Wrong::FalsePositive => "false positive",
            Wrong::FalseNegative => "false negative",
        }
    }
}

/// One step: what happened, and the cells after it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// What happens.
    pub action: Action,
    /// Its key, safe to be shown.
    pub key: Option<String>,
    /// Such as "insert 4".
    pub title: String,
    /// What came of it, such as "sets 4 1 9".
    pub note: String,
    /// What the filter answers.
    pub answer: Option<Answer>,
    /// Where that is not the truth.
    pub wrong: Option<Wrong>,
    /// The cells.
    pub rows: Vec<Row>,
    /// Where the key's hash functions lead.
    pub touches: Vec<Touch>,
    /// Several keys at once, where the step has no single one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<Together>,
}

/// A key of a step that shows several, and the cells that its hash functions lead to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Together {
    /// The key, safe to be shown.
    pub key: String,
    /// Whether it was inserted; else it was looked up.
    pub inserted: bool,
    /// Its cells, each once.
    pub cells: Vec<u64>,
}

/// A hash function of a step's key, and the cell that it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Touch {
    /// The row, from 0.
    pub row: usize,
    /// The cell, from 0.
    pub cell: u64,
    /// Which hash function, from 1. None where cells are not those of single functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<usize>,
}

/// Cells side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What they are, such as "bits".
    pub name: String,
    /// The places among the cells drawn where groups begin that belong together, such as buckets;
    /// none where there are no groups.
    pub groups: Vec<usize>,
    /// Whether a cell says by itself whether a key has left something in it.
    pub marks: bool,
    /// The number of the first that is drawn.
    pub first: u64,
    /// The number of the first group, where groups have numbers and cells do not: buckets.
    pub buckets: Option<u64>,
    /// How many characters a cell has room for, whether or not they are there now.
    pub wide: usize,
    /// The cells.
    pub cells: Vec<Cell>,
}

/// A cell as it is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Its content.
    pub text: String,
    /// Whether a key has left something in it.
    pub taken: bool,
    /// Whether it is another than before this step.
    pub changed: bool,
    /// Whether it is one of the key's.
    pub touched: bool,
    /// Whether several present keys have it.
    pub shared: bool,
    /// Whether it is the reason for a no.
    pub missing: bool,
    /// Whether it is a counter at its largest value, where it stays.
    pub stuck: bool,
    /// Whether it is the one of the key's buckets that has its tag.
    pub found: bool,
}

/// If at least this many lines in a row have nothing to do with a step, they are left out.
pub const FOLD: usize = 3;

impl Cell {
    /// Whether it has to do with the step.
    pub fn stands_out(&self) -> bool {
        self.touched || self.changed
    }
}

impl Row {
    /// The cells of which something holds, by their numbers.
    fn which(&self, holds: impl Fn(&Cell) -> bool) -> Vec<u64> {
        let numbered = (self.first..).zip(&self.cells);
        numbered.filter(|(_, cell)| holds(cell)).map(|(number, _)| number).collect()
    }

    /// A cell by its number, where it is drawn.
    pub fn at(&mut self, number: u64) -> Option<&mut Cell> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.cells.get_mut(at)
    }

    /// How the row is broken into lines of at most `most` cells: between groups where they fit, and
    /// else within them. Where each begins and ends.
    pub fn lines(&self, most: usize) -> Vec<(usize, usize)> {
        let (len, most) = (self.cells.len(), most.max(1));
        if len <= most {
            return vec![(0, len)];
        }
        // Numbers of cells are easier to find in lines of a round number.
        let round = [100, 64, 50, 32, 20, 16, 10, 8, 5, 4, 2];
        let round = round.into_iter().find(|round| *round <= most).unwrap_or(1);
        let ends = self.groups.iter().copied().filter(|at| *at > 0).chain([len]);
        let mut lines: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        for end in ends {
            match lines.last_mut() {
                // One more group has room.
                Some(line) if !self.groups.is_empty() && end - line.0 <= most => line.1 = end,
                _ if end - at <= most && !self.groups.is_empty() => lines.push((at, end)),
                _ => {
                    let starts = (at..end).step_by(round);
                    lines.extend(starts.map(|start| (start, (start + round).min(end))));
                }
            }
            at = end;
        }
        lines
    }

    /// What to say in the place of lines that are left out.
    pub fn left_out(&self, lines: &[(usize, usize)]) -> String {
        let cells = lines.iter().flat_map(|(from, to)| &self.cells[*from..*to]);
        let taken = cells.filter(|cell| cell.taken).count();
        let count = lines.len();
        match (self.marks, taken) {
            (false, _) => format!("{count} more lines"),
            (true, 0) => format!("{count} more empty lines"),
            (true, 1) if self.name.starts_with("bits") => format!("{count} more lines, with a one"),
            (true, _) if self.name.starts_with("bits") => {
                format!("{count} more lines, with {taken} ones")
            }
            (true, _) => format!("{count} more lines, with {taken} taken"),
        }
    }

    /// The number of the cell at this place, or of its bucket.
    pub fn number(&self, at: usize) -> u64 {
        match self.buckets {
            Some(first) => {
                first + self.groups.iter().filter(|begin| (1..=at).contains(*begin)).count() as u64
            }
            None => self.first + at as u64,
        }
    }

    /// Whether a group begins with the cell at this place.
    pub fn begins_group(&self, at: usize) -> bool {
        self.groups.binary_search(&at).is_ok()
    }

    /// The size of the first group that is whole, or of the row.
    pub fn group(&self) -> usize {
        self.groups.windows(2).map(|pair| pair[1] - pair[0]).next().unwrap_or(self.cells.len())
    }
}

impl Step {
    /// A step of which nothing more is known yet.
    pub fn new(action: Action, title: &str) -> Step {
        Step {
            action,
            key: None,
            title: title.to_string(),
            note: String::new(),
            answer: None,
            wrong: None,
            rows: Vec::new(),
            touches: Vec::new(),
            together: Vec::new(),
        }
    }

    /// Whether lines of cells may be left out: others tell more, or nothing is in any.
    pub fn folds(&self) -> bool {
        let mut cells = self.rows.iter().flat_map(|row| &row.cells);
        cells.clone().any(Cell::stands_out)
            || self.action == Action::Look && !cells.any(|c| c.taken)
    }

    /// Marks the cell that has the key's tag, where it is drawn.
    pub fn mark_found(&mut self, found: Option<(usize, u64)>) {
        let Some((row, cell)) = found else { return };
        if let Some(cell) = self.rows.get_mut(row).and_then(|row| row.at(cell)) {
            cell.found = true;
        }
    }

    /// Whether the filter rejected the key.
    pub fn is_rejected(&self) -> bool {
        self.note.starts_with("refused: ") || self.note.starts_with("rejected: ")
    }

    /// What to say of the answer in a word or two.
    pub fn verdict(&self) -> Option<&'static str> {
        self.wrong.map(Wrong::name).or(self.answer.map(Answer::name))
    }
}

/// Numbers of cells, and not all properties of each: a row of thousands stays readable.
impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let texts: Vec<&str> = self.cells.iter().map(|cell| cell.text.as_str()).collect();
        let mut row = serializer.serialize_struct("Row", 11)?;
        row.serialize_field("name", &self.name)?;
        let groups = self.groups.iter().map(|at| self.first + *at as u64);
        row.serialize_field("groups", &groups.collect::<Vec<_>>())?;
        row.serialize_field("first", &self.first)?;
        row.serialize_field("buckets", &self.buckets)?;
        row.serialize_field("cells", &texts)?;
        row.serialize_field("taken", &self.which(|cell| cell.taken))?;
        row.serialize_field("changed", &self.which(|cell| cell.changed))?;
        row.serialize_field("shared", &self.which(|cell| cell.shared))?;
        row.serialize_field("missing", &self.which(|cell| cell.missing))?;
        row.serialize_field("stuck", &self.which(|cell| cell.stuck))?;
        row.serialize_field("found", &self.which(|cell| cell.found))?;
        row.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: usize, groups: &[usize]) -> Row {
        let cells = vec![Cell::default(); cells];
        Row {
            name: String::new(),
            groups: groups.to_vec(),
            marks: true,
            first: 0,
            buckets: None,
            wide: 1,
            cells,
        }
    }

    #[test]
    fn lines_break_at_groups() {
        assert_eq!(row(10, &[]).lines(20), [(0, 10)]);
        assert_eq!(row(25, &[]).lines(17), [(0, 16), (16, 25)]);
        assert_eq!(row(24, &[0, 4, 8, 12, 16, 20]).lines(11), [(0, 8), (8, 16), (16, 24)]);
        assert_eq!(row(14, &[0, 7]).lines(5), [(0, 5), (5, 7), (7, 12), (12, 14)]);
        assert_eq!(row(0, &[]).lines(5), [(0, 0)]);
        // Of a part of a row, the first group may be cut; regions may differ by a cell.
        assert_eq!(row(10, &[2, 6]).lines(4), [(0, 2), (2, 6), (6, 10)]);
        assert_eq!(row(11, &[0, 3, 7]).lines(8), [(0, 7), (7, 11)]);
        for (cells, groups, most) in
            [(1000, vec![], 7), (512, vec![0], 32), (99, (0..99).step_by(6).collect(), 13)]
        {
            let lines = row(cells, &groups).lines(most);
            assert!(lines.iter().all(|(from, to)| from < to && to - from <= most));
            assert!(lines.windows(2).all(|pair| pair[0].1 == pair[1].0));
            assert_eq!((lines[0].0, lines[lines.len() - 1].1), (0, cells));
        }
    }
}
