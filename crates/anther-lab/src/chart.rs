//! A chart: numbers on two axes, for a file (`svg`) and for a terminal (`text`).
//!
//! What was measured is drawn as marks, what was predicted as lines, and each series has both in
//! one colour. The key below the title says so, and what a line is that was not predicted.

mod axis;
mod paper;
mod svg;
mod text;

pub use axis::{Axis, Unit};
use serde::Serialize;

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// The axis across.
    pub x: Axis,
    /// The upright axis.
    pub y: Axis,
    /// At most six: there are no more colours that everybody can tell apart.
    pub series: Vec<Series>,
}

/// What belongs to one colour.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// Marks.
    pub measured: Vec<(f64, f64)>,
    /// A line. Empty where nothing predicts it; the marks are joined then.
    pub predicted: Vec<(f64, f64)>,
    /// Where the line comes from.
    pub line: Line,
}

/// Where the line of a series comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Line {
    /// A formula predicts what is measured.
    #[default]
    Predicted,
    /// Computed from what was measured elsewhere on the axis.
    Extrapolated,
    /// A number to compare with, which the series' name explains.
    Reference,
}

impl Series {
    /// Named and empty.
    pub fn new(name: impl Into<String>) -> Series {
        Series { name: name.into(), ..Series::default() }
    }

    /// With a line that was not predicted.
    pub fn with_line(self, line: Line) -> Series {
        Series { line, ..self }
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.measured.iter().chain(&self.predicted).copied()
    }
}

impl Chart {
    /// What the marks and lines are, where both occur.
    fn key(&self) -> String {
        let any = |of: fn(&Series) -> bool| self.series.iter().any(of);
        let measured = any(|series| !series.measured.is_empty());
        let lines = self.lines();
        // Marks of which nothing is predicted are joined.
        let joined = any(|series| !series.measured.is_empty() && series.predicted.is_empty());
        let key = match (measured, &*lines, self.x.is_names()) {
            (true, "", _) => "measured".to_string(),
            (true, _, true) => format!("bars: measured; black lines: {lines}"),
            (true, _, false) if joined => {
                format!("marks: measured; lines without marks: {lines}")
            }
            (true, _, false) => format!("marks: measured; lines: {lines}"),
            (false, ..) => lines,
        };
        let up = self.fitted().1;
        let beyond = |series: &Series| series.measured.iter().any(|(_, y)| !up.shows(*y));
        match !self.x.is_names() && self.series.iter().any(beyond) {
            true => format!("{key}; hollow: 0"),
            false => key,
        }
    }

    /// What the lines are, with the names of the series where they are not all the same.
    fn lines(&self) -> String {
        let of = |line: Line| -> Vec<&str> {
            let drawn = self.series.iter().filter(|series| !series.predicted.is_empty());
            drawn.filter(|series| series.line == line).map(|series| &*series.name).collect()
        };
        let (predicted, extrapolated) = (of(Line::Predicted), of(Line::Extrapolated));
        match (&predicted[..], &extrapolated[..]) {
            ([], []) => String::new(),
            (_, []) => "predicted".to_string(),
            ([], _) => "extrapolated".to_string(),
            (_, some) => format!("predicted, but extrapolated for {}", some.join(" and ")),
        }
    }

    /// Both axes with the ends that the numbers need.
    fn fitted(&self) -> (axis::Fitted<'_>, axis::Fitted<'_>) {
        let all = || self.series.iter().flat_map(Series::points);
        let mut up = self.y.fit(all().map(|(_, y)| y));
        if self.x.is_names() {
            // Above the highest bar is its number.
            let highest = all().map(|(_, y)| y).fold(f64::NEG_INFINITY, f64::max);
            up = up.with_room_above(highest, 0.09);
        }
        (self.x.fit(all().map(|(x, _)| x)), up)
    }
}
