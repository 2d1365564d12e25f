//! False-positive rates in a chart, against bits per key and against the fill; and memory against keys.

use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use anther::sizing::bound;
use anther::{AnyFilter, Filter, Key, Kind, Options, Seed, Target, units};

/// The default kinds. The bound is the sixth line.
const USUAL: [Kind; 5] = [Kind::Classic, Kind::Blocked, Kind::Split, Kind::Cuckoo, Kind::Ribbon];
/// The most kinds in a plot: the bound takes the last of six colours.
pub const MOST_KINDS: usize = 5;
/// The most keys that a filter is filled with; larger filters have the same curve.
pub const MOST_FILLED: u64 = 10_000;
/// Lookups of absent keys per mark.
const LOOKUPS: u64 = 100_000;
/// The lowest rate that is plotted against the fill: there, ten false positives are expected.
const LEAST_RATE: f64 = 1e-4;

/// Bits per key and rate of each kind, and the lower bound. Without kinds, of some common ones.
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
        title: format!("False-positive rate by bits per key, {} keys", units::count(items)),
        x: Axis::linear("bits per key", Unit::Plain),
        y: Axis::log("false-positive rate", Unit::Rate),
        series: all,
    })
}

/// Memory of each kind by the number of keys, up to 10¹², at one rate, and the lower bound. Also returns
/// remarks on kinds that are not plotted to the end.
pub fn by_keys(
    kinds: &[Kind],
    rate: f64,
    options: &Options,
) -> Result<(Chart, Vec<String>), Error> {
    const DECADES: u32 = 12;
    const STEPS: u32 = 6;
    let kinds = if kinds.is_empty() { &USUAL } else { kinds };
    // Ten keys to 10¹²; below, the smallest possible filter is all that one would see.
    let counts = || {
        (STEPS..=DECADES * STEPS)
            .map(|step| units::whole(10f64.powf(f64::from(step) / f64::from(STEPS))))
    };
    let (mut all, mut remarks) = (Vec::new(), Vec::new());
    for kind in kinds {
        let mut series = Series::new(kind.name());
        let mut trouble = None;
        for items in counts() {
            let plan = Target::new(items, rate)
                .map_err(Into::into)
                .and_then(|target| kind.plan(target, options));
            match plan {
                Ok(plan) => series.predicted.push((items as f64, plan.bits as f64 / 8.0)),
                Err(error) => trouble = Some(error),
            }
        }
        if let Some(error) = trouble {
            remarks.push(format!("{kind}: {error}"));
        }
        if !series.predicted.is_empty() {
            all.push(series);
        }
    }
    if all.is_empty() {
        return Err(Error::Failed(remarks.join("\n")));
    }
    let mut least = Series::new("the fewest possible");
    let bytes = |items| bound::lower_bound_bits(items, rate) / 8.0;
    least.predicted = counts().map(|items| (items as f64, bytes(items))).collect();
    all.push(least);
    let chart = Chart {
        title: format!("Memory by number of keys, at {} false positives", units::rate(rate)),
        x: Axis::log("keys", Unit::Count),
        y: Axis::log("memory", Unit::Bytes),
        series: all,
    };
    Ok((chart, remarks))
}

/// Fills filters of the kinds to twice what they were made for, and plots the rate computed from the
/// cells and the rate measured with absent keys. Also returns remarks on kinds that are not plotted
/// to the end.
pub fn by_fill(
    kinds: &[Kind],
    made_for: u64,
    rate: f64,
    options: &Options,
) -> Result<(Chart, Vec<String>), Error> {
    let filled = |kind: &&Kind| kind.capabilities().insert;
    if let Some(kind) = kinds.iter().find(|kind| !filled(kind)) {
        let cause = "is static, so it is never partly filled; use --plot bits";
        return Err(Error::about(kind, cause));
    }
    let chosen = if kinds.is_empty() { &USUAL } else { kinds };
    let made_for = made_for.min(MOST_FILLED);
    let (mut all, mut remarks) = (Vec::new(), Vec::new());
    for kind in chosen.iter().filter(filled) {
        let series = filling(*kind, made_for, rate, options, &mut remarks)?;
        if series.predicted.is_empty() {
            let cause = format!("not drawn, all its rates are below {}", units::rate(LEAST_RATE));
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
            "False-positive rate by fill: filters for {items} keys at {rate}, filled to twice that"
        ),
        x: Axis::linear("share of cells in use", Unit::Rate),
        y: Axis::log("false-positive rate", Unit::Rate),
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
            let mut is_full = |key: u64| insert.insert_hash(key.key_hash(&Seed::FIXED)).is_err();
            full = (keys(step - 1)..keys(step)).any(&mut is_full);
        }
        let profile = filter.profile();
        // A filter that has grown is emptier again, and the line would run back.
        if profile.fill < fill {
            let note =
                format!("{kind} grows at a fill of {}; plotted up to there", units::rate(fill));
            remarks.push(note);
            break;
        }
        fill = profile.fill;
        // Too few false positives to measure.
        if profile.fpr_now < LEAST_RATE {
            continue;
        }
        series.predicted.push((profile.fill, profile.fpr_now));
        if step.is_multiple_of(STEPS / MARKS / 2) || full {
            let absent = 2 * made_for..2 * made_for + LOOKUPS;
            let wrong =
                absent.filter(|key| filter.contains_hash(key.key_hash(&Seed::FIXED))).count();
            series.measured.push((profile.fill, wrong as f64 / LOOKUPS as f64));
        }
        if full {
            let note = format!(
                "{kind} rejects inserts at a fill of {}; plotted up to there",
                units::rate(profile.fill)
            );
            remarks.push(note);
            break;
        }
    }
    Ok(series)
}
