//! A chart: numbers on two axes, for a file ([`svg`]) and for a terminal ([`text`]).
//!
//! What was measured is drawn as marks, what was predicted as lines, and each series has both in
//! one colour; so nobody takes one for the other, in black and white neither.

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
}

impl Series {
    /// Named and empty.
    pub fn new(name: impl Into<String>) -> Series {
        Series { name: name.into(), ..Series::default() }
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
        let predicted = any(|series| !series.predicted.is_empty());
        // Marks of which nothing is predicted are joined.
        let joined = any(|series| !series.measured.is_empty() && series.predicted.is_empty());
        let key = match (measured, predicted, self.x.is_names()) {
            (true, true, false) if joined => "marks: measured; lines without marks: predicted",
            (true, true, true) => "bars: measured; lines: predicted",
            (true, true, false) => "marks: measured; lines: predicted",
            (true, false, _) => "measured",
            (false, _, _) => "predicted",
        };
        let up = self.fitted().1;
        let beyond = |series: &Series| series.measured.iter().any(|(_, y)| !up.shows(*y));
        match !self.x.is_names() && self.series.iter().any(beyond) {
            true => format!("{key}; hollow: 0"),
            false => key.to_string(),
        }
    }

    /// Both axes with the ends that the numbers need.
    fn fitted(&self) -> (axis::Fitted<'_>, axis::Fitted<'_>) {
        let all = || self.series.iter().flat_map(Series::points);
        (self.x.fit(all().map(|(x, _)| x)), self.y.fit(all().map(|(_, y)| y)))
    }
}
