//! False-positive rates in a chart: against bits per key, and against the fill.

use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use anther::sizing::bound;
use anther::{AnyFilter, Filter, Key, Kind, Options, Seed, Target, units};

/// Without a word about kinds: what people choose between, and the bound is the sixth.
const USUAL: [Kind; 5] = [Kind::Classic, Kind::Blocked, Kind::Split, Kind::Cuckoo, Kind::Ribbon];
/// How many kinds a plot has at most: the bound takes the last of six colours.
pub const MOST_KINDS: usize = 5;
/// Filters that are filled are made for so many keys at most; larger ones have the same curve.
pub const MOST_FILLED: u64 = 10_000;
/// About how many absent keys, for each mark.
const QUESTIONS: u64 = 100_000;
/// Of the rates that are drawn against the fill: ten wrong answers are expected.
const LEAST_RATE: f64 = 1e-4;

/// The bits per key of each kind for each rate, beside the lower bound. Without kinds, of some
/// usual ones.
pub fn by_bits(kinds: &[Kind], items: u64, options: &Options) -> Result<Chart, Error> {
    const STEPS: u32 = 120;
    let kinds = if kinds.is_empty() { &USUAL } else { kinds };
    // Five decades, from a half to one in 200,000.
    let rates =
        || (0..=STEPS).map(|step| 0.5 * 10f64.powf(-5.0 * f64::from(step) / f64::from(STEPS)));
    let mut all = Vec::new();
    for kind in kinds {
        let mut series = Series::new(kind.name());
        let mut trouble = None;
        for rate in rates() {
            let plan = Target::new(items, rate)
                .map_err(Into::into)
                .and_then(|target| kind.plan(target, options));
            match plan {
                Ok(plan) => series.predicted.push((plan.bits as f64 / items as f64, rate)),
                Err(error) => trouble = Some(error),
            }
        }
        match trouble {
            Some(error) if series.predicted.is_empty() => {
                return Err(Error::Failed(error.to_string()));
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
/// their cells say, and lookups of absent keys. Beside the chart, remarks on kinds that are not
/// drawn to the end.
pub fn by_fill(
    kinds: &[Kind],
    made_for: u64,
    rate: f64,
    options: &Options,
) -> Result<(Chart, Vec<String>), Error> {
    let filled = |kind: &&Kind| kind.capabilities().insert;
    if let Some(kind) = kinds.iter().find(|kind| !filled(kind)) {
        let cause = "is made of all its keys at once and has no fill to watch; --plot bits";
        return Err(Error::about(kind, cause));
    }
    let chosen = if kinds.is_empty() { &USUAL } else { kinds };
    let made_for = made_for.min(MOST_FILLED);
    let (mut all, mut remarks) = (Vec::new(), Vec::new());
    for kind in chosen.iter().filter(filled) {
        let series = filling(*kind, made_for, rate, options, &mut remarks)?;
        if series.predicted.is_empty() {
            let cause = format!("no rate above {} to draw", units::rate(LEAST_RATE));
            remarks.push(format!("{kind}: {cause}"));
        } else {
            all.push(series);
        }
    }
    if all.is_empty() {
        return Err(Error::Failed(
            "nothing to draw; choose another kind, or a higher --fpr".into(),
        ));
    }
    let (items, rate) = (units::count(made_for), units::rate(rate));
    let chart = Chart {
        title: format!(
            "Rate against fill: filters for {items} keys at {rate}, filled to twice that"
        ),
        x: Axis::linear("share of cells that are taken", Unit::Rate),
        y: Axis::log("rate of false alarms", Unit::Rate),
        series: all,
    };
    Ok((chart, remarks))
}

fn filling(
    kind: Kind,
    made_for: u64,
    rate: f64,
    options: &Options,
    remarks: &mut Vec<String>,
) -> Result<Series, Error> {
    const STEPS: u64 = 40;
    const MARKS: u64 = 5;
    let stop = |error: &dyn std::fmt::Display| Error::about(kind, error);
    let target = Target::new(made_for, rate).map_err(|error| stop(&error))?;
    let mut filter = AnyFilter::with_options(kind, target, options, Seed::FIXED)
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
            remarks.push(note);
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
            remarks.push(note);
            break;
        }
    }
    Ok(series)
}
