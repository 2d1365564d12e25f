//! A chart on a terminal: marks in a field of characters.

use super::{Chart, axis::Fitted};
use crate::lettering::COLOURS;
use crate::pen::Pen;
use anstyle::{RgbColor, Style};
use std::fmt::Write;

/// Of the field, without numbers and frame.
const COLUMNS: usize = 64;
const ROWS: usize = 18;

/// A mark for each series, and a dot for its line.
fn marks(pen: Pen) -> ([char; 6], char) {
    match pen {
        Pen::Blocks => (['●', '■', '▲', '◆', '▼', '✚'], '·'),
        Pen::Ascii => (['o', '#', '^', '*', 'v', '+'], '.'),
    }
}

/// What is in a place: the series, and whether it was measured.
type Place = Option<(usize, bool)>;

impl Chart {
    /// The chart in lines. Colours are for whoever shows them.
    pub fn text(&self, pen: Pen) -> String {
        let (across, up) = self.fitted();
        let mut field = vec![[None; COLUMNS]; ROWS];
        for (at, series) in self.series.iter().enumerate() {
            let places = series.predicted.iter().map(|point| place(&across, &up, *point));
            let places: Vec<(f64, f64)> = places.collect();
            for pair in places.windows(2) {
                line(&mut field, at, pair[0], pair[1]);
            }
        }
        for (at, series) in self.series.iter().enumerate() {
            for point in &series.measured {
                let (x, y) = place(&across, &up, *point);
                put(&mut field, x, y, (at, true));
            }
        }
        let (marks, dot) = marks(pen);
        // Lines alone have the marks, or nobody could tell them apart without colours.
        let any_measured = self.series.iter().any(|series| !series.measured.is_empty());
        let coloured = |(at, measured): (usize, bool)| {
            let [red, green, blue] = COLOURS[at % COLOURS.len()];
            // Black would not be seen on a dark terminal.
            let style = match [red, green, blue] {
                [0, 0, 0] => Style::new().bold(),
                _ => Style::new().fg_color(Some(RgbColor(red, green, blue).into())),
            };
            let mark = if measured || !any_measured { marks[at % marks.len()] } else { dot };
            format!("{style}{mark}{style:#}")
        };
        let mut text = format!("{}\n", self.title);
        for (at, series) in self.series.iter().enumerate() {
            let _ =
                write!(text, "  {} {}", coloured((at, !series.measured.is_empty())), series.name);
        }
        let _ = writeln!(text, "  ({})\n{}", self.key(), self.y.label);
        let names: Vec<(usize, String)> = up
            .ticks
            .iter()
            .map(|tick| (ROWS - 1 - cell(up.place(*tick), ROWS), up.name(*tick)))
            .collect();
        let wide = names.iter().map(|(_, name)| name.chars().count()).max().unwrap_or(0);
        for (at, row) in field.iter().enumerate() {
            let name = names.iter().find(|(row, _)| *row == at).map_or("", |(_, name)| name);
            let cells: String =
                row.iter().map(|place| place.map_or(" ".to_string(), coloured)).collect();
            let _ = writeln!(text, "{}", format!("{name:>wide$} |{cells}").trim_end());
        }
        let _ = writeln!(text, "{:wide$} +{}", "", "-".repeat(COLUMNS));
        let _ = writeln!(text, "{:wide$}  {}", "", below(&across));
        if !self.x.label.is_empty() {
            let _ = writeln!(text, "{:wide$}  {:>COLUMNS$}", "", self.x.label);
        }
        text
    }
}

fn place(across: &Fitted<'_>, up: &Fitted<'_>, (x, y): (f64, f64)) -> (f64, f64) {
    (across.place(x), up.place(y))
}

/// Which of `cells` cells a place between 0 and 1 lies in.
fn cell(place: f64, cells: usize) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few dozen")]
    let at = (place * (cells - 1) as f64).round() as usize;
    at.min(cells - 1)
}

fn put(field: &mut [[Place; COLUMNS]], x: f64, y: f64, what: (usize, bool)) {
    let (column, row) = (cell(x, COLUMNS), ROWS - 1 - cell(y, ROWS));
    if let Some(place) = field.get_mut(row).and_then(|row| row.get_mut(column)) {
        *place = Some(what);
    }
}

fn line(field: &mut [[Place; COLUMNS]], at: usize, from: (f64, f64), to: (f64, f64)) {
    // Two steps a column, so that no column is left out.
    for step in 0..=2 * COLUMNS {
        let share = step as f64 / (2 * COLUMNS) as f64;
        let between = |a: f64, b: f64| a + share * (b - a);
        put(field, between(from.0, to.0), between(from.1, to.1), (at, false));
    }
}

/// The numbers below, as many as have room.
fn below(across: &Fitted<'_>) -> String {
    let mut line: Vec<char> = Vec::new();
    for tick in &across.ticks {
        let name: Vec<char> = across.name(*tick).chars().collect();
        let middle = cell(across.place(*tick), COLUMNS);
        let start = middle.saturating_sub(name.len() / 2);
        if !line.is_empty() && start < line.len() + 1 {
            continue;
        }
        line.resize(start.max(line.len()), ' ');
        line.extend(name);
    }
    line.into_iter().collect()
}
