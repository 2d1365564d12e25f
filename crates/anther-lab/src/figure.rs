//! Every figure and table of the five texts and of the papers behind them, measured anew.
//!
//! A figure is a line in [`FIGURES`] and a function that measures, in the module of its text. What
//! it says is measured was measured in this run; what it computes is called predicted.

mod chinese_slides;
mod drawings;
mod freiberg_slides;
mod gogos_2014;
mod jambura_2026;
mod list;
mod papers;
mod peyer_2019;
mod sample;
mod structures;
mod tally;
mod timing;

use crate::chart::Chart;
use crate::draw::scene::Scene;
use crate::draw::{self, Page};
use crate::error::Error;
use crate::table::Table;
use anther::units::whole;
pub use list::{FIGURES, Figure};
use serde::Serialize;
pub use structures::weigh;

/// How much is to be measured.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// The whole range.
    pub full: bool,
    /// Who makes the figure.
    pub program: &'a dyn Program,
}

/// What figures need from the program that makes them.
pub trait Program {
    /// Called when `done` of `total` parts of the figure are finished.
    fn progress(&self, done: u64, all: u64);
    /// What the verb `draw` makes of these options.
    fn draw(&self, options: &str) -> Result<Scene, Error>;
}

impl Effort<'_> {
    /// The smaller number, or the larger one for the whole range.
    fn choose<T>(&self, short: T, full: T) -> T {
        if self.full { full } else { short }
    }

    /// Reports that some of the figure's parts are finished.
    fn tell(&self, done: usize, all: usize) {
        self.program.progress(done as u64, all as u64);
    }
}

/// What a figure came to.
#[derive(Debug, Default)]
pub struct Made {
    /// The numbers.
    pub table: Table,
    /// What is drawn beside the table; each with the end of its file's name, or none.
    pub pictures: Vec<(&'static str, Picture)>,
    /// What should hold.
    pub claims: Vec<Claim>,
    /// What a reader should know, below the table.
    pub notes: Vec<String>,
}

/// Something to look at.
#[derive(Debug)]
pub enum Picture {
    /// Numbers on two axes.
    Chart(Chart),
    /// Cells, step by step.
    Scene(Scene),
    /// A table beside the figure's own, with its title.
    Table(&'static str, Table),
}

impl Picture {
    fn svg(&self) -> String {
        match self {
            Picture::Chart(chart) => chart.svg(),
            Picture::Scene(scene) => draw::svg(scene),
            Picture::Table(title, table) => table.svg(title),
        }
    }

    /// For a terminal.
    pub fn text(&self, page: Page) -> String {
        match self {
            Picture::Chart(chart) => chart.text(page.pen()),
            Picture::Scene(scene) => page.text(scene),
            Picture::Table(title, table) => format!("{title}\n{}", table.text()),
        }
    }
}

/// What should hold, and whether it does.
#[derive(Debug, Serialize)]
pub struct Claim {
    /// What should hold.
    pub claim: String,
    /// Whether it does.
    pub holds: bool,
}

impl Made {
    /// Its pictures, with the ends of their names; the table among them, unless a drawing says all
    /// that it does, or it is too long for a picture.
    pub fn svgs(&self, title: &str) -> Vec<(&'static str, String)> {
        let drawn = |(ending, picture): &(&'static str, Picture)| (*ending, picture.svg());
        let mut svgs: Vec<_> = self.pictures.iter().map(drawn).collect();
        let is_drawing = self.pictures.iter().any(|(_, it)| matches!(it, Picture::Scene(_)));
        if !is_drawing && self.table.rows.len() <= 40 {
            svgs.push(("table", self.table.svg(title)));
        }
        svgs
    }

    fn claim(&mut self, claim: impl Into<String>, holds: bool) {
        self.claims.push(Claim { claim: claim.into(), holds });
    }

    fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    fn chart(&mut self, ending: &'static str, chart: Chart) {
        self.pictures.push((ending, Picture::Chart(chart)));
    }
}

/// Numbers of items between two, both included, each larger by the same factor: where a predicted
/// line has its points.
fn grid(from: u64, to: u64) -> impl Iterator<Item = u64> {
    const STEPS: u32 = 60;
    (0..=STEPS).map(move |step| {
        let share = f64::from(step) / f64::from(STEPS);
        whole(from as f64 * (to as f64 / from as f64).powf(share))
    })
}

/// Evenly spaced points between two values, both included.
fn places(from: f64, to: f64) -> impl Iterator<Item = f64> {
    const STEPS: u32 = 60;
    (0..=STEPS).map(move |step| from + (to - from) * f64::from(step) / f64::from(STEPS))
}
