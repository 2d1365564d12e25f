//! The scene in characters: on a terminal in colour, and the same without.
//!
//! Below the cells stand marks, so nothing depends on colour.

use super::scene::{Cell, FOLD, Row, Scene, Step};
use crate::pen::Pen;
use anstyle::{AnsiColor, Style};
use std::collections::BTreeSet;

/// The width of lines if that of the terminal is unknown.
pub const WIDTH: usize = 80;
/// The least that is any use.
const NARROWEST: usize = 40;

/// The paper: how wide, and with which characters.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    width: usize,
    pen: Pen,
}

impl Page {
    /// A page of this width, within limits.
    pub fn new(width: usize, pen: Pen) -> Page {
        Page { width: width.max(NARROWEST), pen }
    }

    /// Its characters.
    pub fn pen(self) -> Pen {
        self.pen
    }

    /// A scene as text.
    pub fn text(self, scene: &Scene) -> String {
        self.lines(scene).join("\n") + "\n"
    }

    fn bar(self) -> char {
        match self.pen {
            Pen::Blocks => '│',
            Pen::Ascii => '|',
        }
    }

    /// A scene in lines, with styles. The stream strips them if it shows none.
    pub fn lines(self, scene: &Scene) -> Vec<String> {
        let title = wrapped(&scene.title, self.width).into_iter();
        let mut lines: Vec<String> = title.map(|line| format!("{BOLD}{line}{BOLD:#}")).collect();
        lines.extend(wrapped(&scene.about, self.width));
        lines.push(String::new());
        lines.extend(self.steps(scene));
        lines
    }

    /// The steps and what their marks mean.
    pub fn steps(self, scene: &Scene) -> Vec<String> {
        let mut lines = match Table::of(scene, self.width) {
            Some(table) => table.lines(scene, self.width),
            None => scene.steps.iter().flat_map(|step| self.block(step)).collect(),
        };
        let legend = legend(scene, self.width);
        if !legend.is_empty() {
            if lines.last().is_some_and(|line| !line.is_empty()) {
                lines.push(String::new());
            }
            lines.extend(legend);
        }
        lines
    }

    /// A step whose rows take lines of their own.
    fn block(self, step: &Step) -> Vec<String> {
        let mut lines = vec![format!("{BOLD}{}{BOLD:#}", step.title)];
        lines.extend(
            wrapped(&step.note, self.width - 2).into_iter().map(|line| format!("  {line}")),
        );
        for row in &step.rows {
            if step.rows.len() > 1 || row.name != "bits" {
                lines.push(format!("  {}", row.name));
            }
            lines.extend(self.row(row, step.folds()));
        }
        lines.push(String::new());
        lines
    }

    fn row(self, row: &Row, fold: bool) -> Vec<String> {
        let grid = Grid::of(row);
        let last = row.first + row.cells.len().saturating_sub(1) as u64;
        let margin = last.to_string().len() + 2;
        let most = grid.fit(self.width - margin - 2);
        let mut lines = Vec::new();
        let broken = row.lines(most);
        let marked =
            |(from, to): &(usize, usize)| row.cells[*from..*to].iter().any(Cell::stands_out);
        let mut at = 0;
        while at < broken.len() {
            let quiet = broken[at..].iter().take_while(|line| !marked(line)).count();
            if fold && quiet >= FOLD {
                let dots = if self.pen == Pen::Blocks { '…' } else { ':' };
                let words = row.left_out(&broken[at..at + quiet]);
                lines.push(format!("{dots:>margin$}  {words}"));
                at += quiet;
                continue;
            }
            let (from, to) = broken[at];
            let number = row.number(from);
            let cells = grid.cells(row, from, to, self.bar());
            lines.push(format!("{DIM}{number:>margin$}{DIM:#}  {cells}"));
            if let Some(marks) = grid.marks(row, from, to) {
                lines.push(format!("{:margin$}  {marks}", ""));
            }
            at += 1;
        }
        lines
    }
}

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// How wide the cells of a row are, and what is between them.
struct Grid {
    width: usize,
    /// Bits of long rows stand in eights; everything else has room around it.
    tight: bool,
}

const TIGHT: usize = 8;

impl Grid {
    fn of(row: &Row) -> Grid {
        let width = row.cells.iter().map(|cell| cell.text.chars().count()).max();
        let width = width.unwrap_or(0).max(row.wide);
        let small = !row.groups.is_empty() && row.group() < TIGHT;
        Grid { width, tight: width == 1 && row.cells.len() > 32 && !small }
    }

    /// How many cells have room, with a bar or a space before each group.
    fn fit(&self, room: usize) -> usize {
        match self.tight {
            true => (room + 1) / (TIGHT + 1) * TIGHT,
            // As if each were a group of its own.
            false => (room + 2) / (self.width + 2),
        }
        .max(1)
    }

    fn gap(&self, row: &Row, at: usize, bar: char) -> String {
        match (self.tight, row.begins_group(at)) {
            (true, _) if (row.first + at as u64).is_multiple_of(TIGHT as u64) => " ".to_string(),
            (true, _) => String::new(),
            (false, true) => format!(" {bar} "),
            (false, false) => " ".to_string(),
        }
    }

    fn cells(&self, row: &Row, from: usize, to: usize, bar: char) -> String {
        let mut line = String::new();
        for at in from..to {
            if at > from {
                line += &self.gap(row, at, bar);
            }
            let (cell, width) = (&row.cells[at], self.width);
            let style = style(cell);
            let text = if cell.text.is_empty() { "." } else { &cell.text };
            line += &format!("{style}{text:>width$}{style:#}");
        }
        line
    }

    fn marks(&self, row: &Row, from: usize, to: usize) -> Option<String> {
        let mut line = String::new();
        for at in from..to {
            if at > from {
                line.extend(self.gap(row, at, ' ').chars().map(|_| ' '));
            }
            line += &format!("{:>1$}", mark(&row.cells[at]), self.width);
        }
        let line = line.trim_end();
        (!line.is_empty()).then(|| line.to_string())
    }
}

fn style(cell: &Cell) -> Style {
    let colour = match cell {
        Cell { missing: true, .. } => Some(AnsiColor::Red),
        Cell { changed: true, .. } => Some(AnsiColor::Green),
        Cell { touched: true, .. } => Some(AnsiColor::Cyan),
        _ => None,
    };
    let style = Style::new().fg_color(colour.map(Into::into));
    let style =
        if cell.taken || cell.missing || cell.changed { style.bold() } else { style.dimmed() };
    if cell.shared || cell.found { style.underline() } else { style }
}

/// The marks and what they mean, in the order of the legend.
const MARKS: [(char, &str); 7] = [
    ('^', "a cell of the key"),
    ('*', "changed"),
    ('=', "a cell of the key, and of others"),
    ('#', "the same, changed"),
    ('!', "the reason for a no"),
    ('+', "its tag"),
    ('~', "changed, of another key"),
];

/// What stands below a cell.
fn mark(cell: &Cell) -> char {
    match (cell.touched, cell.changed, cell.shared) {
        _ if cell.missing => '!',
        _ if cell.found => '+',
        (true, true, true) => '#',
        (true, true, false) => '*',
        (true, false, true) => '=',
        (true, false, false) => '^',
        (false, true, _) => '~',
        (false, false, _) => ' ',
    }
}

/// What the marks mean that occur.
fn legend(scene: &Scene, width: usize) -> Vec<String> {
    let rows = scene.steps.iter().flat_map(|step| &step.rows);
    let seen: BTreeSet<char> = rows.flat_map(|row| &row.cells).map(mark).collect();
    let known = MARKS.iter().filter(|(mark, _)| seen.contains(mark));
    let words: Vec<String> = known.map(|(mark, means)| format!("{mark} {means}")).collect();
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 3 + word.chars().count() <= width => {
                *line += &format!("   {word}");
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// A scene of one short row: a line a step, below each other.
struct Table {
    /// How wide the titles are.
    titles: usize,
    grid: Grid,
}

impl Table {
    fn of(scene: &Scene, width: usize) -> Option<Table> {
        let first = scene.steps.first()?.rows.first()?;
        let alike = |step: &Step| match &step.rows[..] {
            [row] => {
                (row.cells.len(), row.first, row.buckets) == (first.cells.len(), first.first, None)
            }
            _ => false,
        };
        if !scene.steps.iter().all(alike) {
            return None;
        }
        let titles = scene.steps.iter().map(|step| step.title.chars().count()).max()? + 3;
        let last = first.first + first.cells.len() as u64 - u64::from(!first.cells.is_empty());
        let rows = scene.steps.iter().flat_map(|step| &step.rows);
        let cells = rows.map(|row| Grid::of(row).width).max()?;
        let grid = Grid { width: cells.max(last.to_string().len()), tight: false };
        let fits = 2 + titles + grid.total(first) <= width;
        fits.then_some(Table { titles, grid })
    }

    fn lines(&self, scene: &Scene, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let titles = self.titles;
        for (at, step) in scene.steps.iter().enumerate() {
            let Some(row) = step.rows.first() else { continue };
            let len = row.cells.len();
            if at == 0 {
                let name = row.name.strip_suffix('s').unwrap_or(&row.name);
                let head = Row { cells: numbers(row), ..row.clone() };
                let cells = self.grid.cells(&head, 0, len, ' ');
                lines.push(format!("  {name:titles$}{cells}"));
            }
            let cells = self.grid.cells(row, 0, len, ' ');
            let note = wrapped(
                &step.note,
                width.saturating_sub(4 + titles + self.grid.total(row)).max(24),
            );
            let beside = note.len() <= 2
                && note
                    .iter()
                    .all(|line| 4 + titles + self.grid.total(row) + line.chars().count() <= width);
            let marks = self.grid.marks(row, 0, len);
            let mut line = format!("  {BOLD}{:titles$}{BOLD:#}{cells}", step.title);
            let mut notes = note.into_iter();
            if beside && let Some(note) = notes.next() {
                line += &format!("  {note}");
            }
            lines.push(line);
            let second = if beside { notes.next() } else { None };
            if marks.is_some() || second.is_some() {
                let (marks, second) = (marks.unwrap_or_default(), second.unwrap_or_default());
                let total = self.grid.total(row) + 2;
                let line = format!("  {:titles$}{marks:total$}{second}", "");
                lines.push(line.trim_end().to_string());
            }
            if !beside && !step.note.is_empty() {
                let room = width - 2 - titles;
                let note = wrapped(&step.note, room);
                lines.extend(note.into_iter().map(|line| format!("  {:titles$}{line}", "")));
            }
        }
        lines
    }
}

impl Grid {
    /// How wide a whole row is in one line.
    fn total(&self, row: &Row) -> usize {
        let gaps: usize =
            (1..row.cells.len()).map(|at| self.gap(row, at, ' ').chars().count()).sum();
        row.cells.len() * self.width + gaps
    }
}

/// The numbers of a row's cells, as cells.
fn numbers(row: &Row) -> Vec<Cell> {
    let cell = |number: u64| Cell { text: number.to_string(), ..Cell::default() };
    (row.first..).take(row.cells.len()).map(cell).collect()
}

/// Words in lines.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                *line += &format!(" {word}");
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}
