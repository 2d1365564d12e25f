//! Rates in a chart: against the bits a key takes, and against the fill.

use super::figures::Asked;
use crate::chart::{Axis, Chart, Series, Unit};
use crate::exit::Stop;
use crate::image;
use crate::output::{self, Out};
use crate::picture::Pen;
use crate::units;
use anther::sizing::bound;
use anther::{AnyFilter, Filter, Key, Kind, Seed, Target};
use clap::ValueEnum;
use serde::Serialize;
use std::path::Path;

/// What the rate is drawn against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Against {
    /// The bits that a key takes
    Bits,
    /// The share of cells that are taken, in a filter that is being filled
    Fill,
}

/// Without a word about kinds: what people choose between, and the bound is the sixth.
const USUAL: [Kind; 5] = [Kind::Classic, Kind::Blocked, Kind::Split, Kind::Cuckoo, Kind::Ribbon];
/// The bound takes the last of six colours.
pub const MOST_KINDS: usize = 5;
/// Larger filters have the same curve.
const MOST_FILLED: u64 = 10_000;
/// About how many absent keys, for each mark.
const QUESTIONS: u64 = 100_000;
/// Of the rates that are drawn against the fill: ten wrong answers are expected.
const LEAST_RATE: f64 = 1e-4;

/// What `--json` prints.
#[derive(Serialize)]
struct Plot<'a> {
    against: &'static str,
    items: u64,
    series: &'a [Series],
}

/// A chart, on the terminal or in a file.
pub fn print(
    out: &mut Out,
    kinds: Vec<Kind>,
    against: Against,
    asked: &Asked<'_>,
    file: Option<(&Path, bool)>,
    json: bool,
) -> Result<(), Stop> {
    if let Some((path, _)) = file {
        image::Form::of(path)?;
    }
    let chart = match against {
        Against::Bits => by_bits(if kinds.is_empty() { &USUAL } else { &kinds }, asked)?,
        Against::Fill => by_fill(&kinds, asked)?,
    };
    if let Some((path, force)) = file {
        let svg = chart.svg().map_err(|error| Stop::about(path.display(), error))?;
        image::save(&svg, path, force)?;
    }
    if json {
        let (against, items) = match against {
            Against::Bits => ("bits_per_key", items(asked)),
            Against::Fill => ("fill", made_for(asked)),
        };
        return out.json(&Plot { against, items, series: &chart.series });
    }
    if file.is_none() {
        out.styled(&chart.text(Pen::of_the_terminal()))?;
    }
    Ok(())
}

fn items(asked: &Asked<'_>) -> u64 {
    asked.known.items.unwrap_or(super::DEFAULT_ITEMS)
}

/// For how many keys filters are made that are filled.
fn made_for(asked: &Asked<'_>) -> u64 {
    items(asked).min(MOST_FILLED)
}

/// What each kind takes for each rate.
fn by_bits(kinds: &[Kind], asked: &Asked<'_>) -> Result<Chart, Stop> {
    const STEPS: u32 = 120;
    // Five decades, from a half to one in 200,000.
    let rates =
        || (0..=STEPS).map(|step| 0.5 * 10f64.powf(-5.0 * f64::from(step) / f64::from(STEPS)));
    let items = items(asked);
    let mut all = Vec::new();
    for kind in kinds {
        let mut series = Series::new(kind.name());
        let mut trouble = None;
        for rate in rates() {
            let plan = Target::new(items, rate)
                .map_err(Into::into)
                .and_then(|target| kind.plan(target, &asked.options));
            match plan {
                Ok(plan) => series.predicted.push((plan.bits as f64 / items as f64, rate)),
                Err(error) => trouble = Some(error),
            }
        }
        match trouble {
            Some(error) if series.predicted.is_empty() => {
                return Err(Stop::Error(error.to_string()));
            }
            _ => all.push(series),
        }
    }
    let mut least = Series::new("the fewest possible");
    least.predicted = rates().map(|rate| (bound::lower_bound_bits(1, rate), rate)).collect();
    all.push(least);
    Ok(Chart {
        title: format!("Rate against bits a key, {} keys", units::count(items)),
        x: Axis::linear("bits a key", Unit::Plain),
        y: Axis::log("rate of false alarms", Unit::Rate),
        series: all,
    })
}

/// Filters of the kinds while they are filled, to twice what they were made for: the rate that
/// their cells say, and questions about absent keys.
fn by_fill(kinds: &[Kind], asked: &Asked<'_>) -> Result<Chart, Stop> {
    let filled = |kind: &&Kind| kind.capabilities().insert;
    if let Some(kind) = kinds.iter().find(|kind| !filled(kind)) {
        let cause = "is made of all its keys at once and has no fill to watch; --plot bits";
        return Err(Stop::about(kind, cause));
    }
    let chosen = if kinds.is_empty() { &USUAL } else { kinds };
    let (made_for, rate) = (made_for(asked), asked.known.fpr.unwrap_or(super::DEFAULT_FPR));
    let mut all = Vec::new();
    for kind in chosen.iter().filter(filled) {
        let series = filling(*kind, made_for, rate, asked)?;
        if series.predicted.is_empty() {
            let cause = format!("no rate above {} to draw", units::rate(LEAST_RATE));
            output::complain(&format!("{kind}: {cause}"));
        } else {
            all.push(series);
        }
    }
    if all.is_empty() {
        return Err(Stop::Error("nothing to draw; choose another kind, or a higher --fpr".into()));
    }
    let (items, rate) = (units::count(made_for), units::rate(rate));
    Ok(Chart {
        title: format!(
            "Rate against fill: filters for {items} keys at {rate}, filled to twice that"
        ),
        x: Axis::linear("share of cells that are taken", Unit::Rate),
        y: Axis::log("rate of false alarms", Unit::Rate),
        series: all,
    })
}

fn filling(kind: Kind, made_for: u64, rate: f64, asked: &Asked<'_>) -> Result<Series, Stop> {
    const STEPS: u64 = 40;
    const MARKS: u64 = 5;
    let stop = |error: &dyn std::fmt::Display| Stop::about(kind, error);
    let target = Target::new(made_for, rate).map_err(|error| stop(&error))?;
    let mut filter = AnyFilter::with_options(kind, target, &asked.options, Seed::FIXED)
        .map_err(|error| stop(&error))?;
    let mut series = Series::new(kind.name());
    let mut fill = 0.0;
    for step in 1..=STEPS {
        let keys = |step: u64| 2 * made_for * step / STEPS;
        let insert = filter.as_insert();
        let mut full = false;
        if let Some(insert) = insert {
            let mut put = |key: u64| insert.insert_hash(key.key_hash(&Seed::FIXED)).is_err();
            full = (keys(step - 1)..keys(step)).any(&mut put);
        }
        let profile = filter.profile();
        // What grows has more room again, and the line would run back.
        if profile.fill < fill {
            let note =
                format!("{kind} grows at a fill of {}; drawn up to there", units::rate(fill));
            output::complain(&note);
            break;
        }
        fill = profile.fill;
        // Where hardly a question would be answered wrong there is nothing to see.
        if profile.fpr_now < LEAST_RATE {
            continue;
        }
        series.predicted.push((profile.fill, profile.fpr_now));
        if step.is_multiple_of(STEPS / MARKS / 2) || full {
            let absent = 2 * made_for..2 * made_for + QUESTIONS;
            let wrong =
                absent.filter(|key| filter.contains_hash(key.key_hash(&Seed::FIXED))).count();
            series.measured.push((profile.fill, wrong as f64 / QUESTIONS as f64));
        }
        if full {
            let note = format!("{kind} refuses more at a fill of {}", units::rate(profile.fill));
            output::complain(&note);
            break;
        }
    }
    Ok(series)
}
