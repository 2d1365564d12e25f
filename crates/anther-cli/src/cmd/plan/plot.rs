//! `plan --plot`: false-positive rates in a chart.

use super::{DEFAULT_FPR, DEFAULT_ITEMS};
use crate::exit::Stop;
use crate::output::{self, Out};
use crate::{picture_file, terminal};
use anther::Kind;
use anther::plan::Request;
use anther_lab::chart::Series;
use anther_lab::plot::{self, MOST_FILLED, MOST_KINDS};
use clap::ValueEnum;
use serde::Serialize;
use std::path::PathBuf;

/// The x axis of the plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Against {
    /// Bits per key
    Bits,
    /// The share of cells in use, in a filter that is being filled
    Fill,
}

/// A plot instead of numbers.
#[derive(clap::Args, Debug)]
pub struct PlotArgs {
    /// Plot the FPR against bits per key, or against the fill
    ///
    /// The fill is the share of cells in use. Plots the kinds of --kind, or some common ones. For fill it makes small filters, and measures the rate while it fills them.
    #[arg(long, value_name = "AGAINST", num_args = 0..=1, default_missing_value = "bits")]
    #[arg(conflicts_with_all = ["memory", "bits", "probes", "all", "table"])]
    plot: Option<Against>,
    /// Write the plot to a file: .svg, or .png with --features png
    #[arg(short, long, value_name = "FILE", requires = "plot", hide_short_help = true)]
    out: Option<PathBuf>,
    /// Replace that file if it exists
    #[arg(long, requires = "out", hide_short_help = true)]
    force: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct PlotJson<'a> {
    against: &'static str,
    items: u64,
    series: &'a [Series],
}

impl PlotArgs {
    /// The x axis, if `--plot` was given.
    pub fn against(&self) -> Option<Against> {
        self.plot
    }

    /// Without a plot there is nothing to write. Clap does not say so beside an option that
    /// conflicts with --plot.
    pub fn refuse_file(&self) -> Result<(), Stop> {
        match &self.out {
            Some(_) => Err(Stop::about("--out", "needs --plot; leave it out, or add --plot")),
            None => Ok(()),
        }
    }

    /// Draws the plot on the terminal or into a file.
    pub fn print(
        &self,
        out: &mut Out,
        against: Against,
        kinds: &[Kind],
        request: &Request,
        json: bool,
    ) -> Result<(), Stop> {
        if let Some(path) = &self.out {
            picture_file::Form::of(path)?;
        }
        let kinds = each_once(kinds)?;
        let items = request.known.items.unwrap_or(DEFAULT_ITEMS);
        let (chart, name, items) = match against {
            Against::Bits => {
                (plot::by_bits(&kinds, items, &request.options)?, "bits_per_key", items)
            }
            Against::Fill => {
                let fpr = request.known.fpr.unwrap_or(DEFAULT_FPR);
                let (chart, remarks) = plot::by_fill(&kinds, items, fpr, &request.options)?;
                remarks.iter().for_each(|remark| output::complain(remark));
                (chart, "fill", items.min(MOST_FILLED))
            }
        };
        if let Some(path) = &self.out {
            picture_file::save(&chart.svg(), path, self.force)?;
        }
        if json {
            return out.json(&PlotJson { against: name, items, series: &chart.series });
        }
        if self.out.is_none() {
            out.styled(&chart.text(terminal::page().pen()))?;
        }
        Ok(())
    }
}

/// The kinds of a plot, each once.
fn each_once(said: &[Kind]) -> Result<Vec<Kind>, Stop> {
    let mut kinds: Vec<Kind> = Vec::new();
    for kind in said {
        if !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    if kinds.len() > MOST_KINDS {
        let most = format_args!("too many kinds; a plot has at most {MOST_KINDS}");
        return Err(Stop::about("--kind", most));
    }
    Ok(kinds)
}
