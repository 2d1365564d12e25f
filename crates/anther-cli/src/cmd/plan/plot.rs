//! `plan --plot`: false-positive rates in a chart.

use super::numbers::Asked;
use super::{DEFAULT_FPR, DEFAULT_ITEMS};
use crate::exit::Stop;
use crate::output::{self, Out};
use crate::{picture_file, terminal};
use anther::Kind;
use anther_lab::chart::Series;
use anther_lab::plot::{self, MOST_FILLED, MOST_KINDS};
use clap::ValueEnum;
use serde::Serialize;
use std::path::PathBuf;

/// What the rate is drawn against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Against {
    /// Bits per key
    Bits,
    /// The share of cells that are taken, in a filter that is being filled
    Fill,
}

/// A plot in place of numbers.
#[derive(clap::Args, Debug)]
pub struct PlotArgs {
    /// Draw the rate against bits per key, or against the fill
    ///
    /// For the kinds of --kind, or some usual ones. Against the fill it makes small filters, and
    /// looks up absent keys while they are filled.
    #[arg(long, value_name = "AGAINST", num_args = 0..=1, default_missing_value = "bits")]
    #[arg(conflicts_with_all = ["memory", "bits", "probes", "all", "table"])]
    plot: Option<Against>,
    /// Put the plot into a file: .svg, or .png where the program was built with it
    #[arg(short, long, value_name = "FILE", requires = "plot", hide_short_help = true)]
    out: Option<PathBuf>,
    /// Replace that file
    #[arg(short, long, requires = "out", hide_short_help = true)]
    force: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Plot<'a> {
    against: &'static str,
    items: u64,
    series: &'a [Series],
}

impl PlotArgs {
    /// What the rate is drawn against, if a plot is asked for.
    pub fn against(&self) -> Option<Against> {
        self.plot
    }

    /// A chart, on the terminal or in a file.
    pub fn print(
        &self,
        out: &mut Out,
        against: Against,
        kinds: &[Kind],
        asked: &Asked<'_>,
        json: bool,
    ) -> Result<(), Stop> {
        if let Some(path) = &self.out {
            picture_file::Form::of(path)?;
        }
        let kinds = each_once(kinds)?;
        let items = asked.known.items.unwrap_or(DEFAULT_ITEMS);
        let (chart, name, items) = match against {
            Against::Bits => (plot::by_bits(&kinds, items, &asked.options)?, "bits_per_key", items),
            Against::Fill => {
                let fpr = asked.known.fpr.unwrap_or(DEFAULT_FPR);
                let (chart, remarks) = plot::by_fill(&kinds, items, fpr, &asked.options)?;
                remarks.iter().for_each(|remark| output::complain(remark));
                (chart, "fill", items.min(MOST_FILLED))
            }
        };
        if let Some(path) = &self.out {
            picture_file::save(&chart.svg(), path, self.force)?;
        }
        if json {
            return out.json(&Plot { against: name, items, series: &chart.series });
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
        let most = format_args!("no more than {MOST_KINDS} in one plot");
        return Err(Stop::about("--kind", most));
    }
    Ok(kinds)
}
