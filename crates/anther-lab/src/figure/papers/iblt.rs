//! What two sets differ in: cells that come apart, and symbols until they do.

use super::super::sample::{Random, Sample, broken};
use super::super::tally::seed;
use super::super::{Effort, Made};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::iblt::{Decoder, Encoder, Iblt, Integers};
use anther::sizing::iblt as sizing;
use anther::units::whole;

/// `count` different keys, others for each `number`.
fn keys(number: u32, count: u64) -> Vec<u64> {
    let mut random = Random::new(number);
    (0..count).map(|_| random.draw()).collect()
}

/// The most cells for each key in the chart.
const CHART_ENDS: f64 = 1.5;

/// The share of tables whose `difference` keys can be decoded.
fn decoded(probes: u32, difference: u64, factor: f64, tables: u32) -> Result<Sample, Error> {
    let cells = whole(factor * difference as f64);
    let mut came = 0u32;
    for number in 0..tables {
        let mut table = Iblt::with_cells(Integers, cells, probes, seed(number)).map_err(broken)?;
        let keys = keys(number, difference);
        // Half of them on each side, which makes no difference.
        let (ours, theirs) = keys.split_at(keys.len() / 2);
        table.insert_all(ours.iter().copied()).map_err(broken)?;
        for key in theirs {
            table.remove(*key).map_err(broken)?;
        }
        came += u32::from(table.decode().is_ok());
    }
    let mut sample = Sample::default();
    sample.push(f64::from(came) / f64::from(tables), tables.into());
    Ok(sample)
}

/// Goodrich and Mitzenmacher 2011: how many cells a difference needs.
pub fn decoding(effort: &Effort<'_>) -> Result<Made, Error> {
    let factors = [1.1, 1.2, 1.25, 1.3, 1.4, 1.5, 1.7, 2.0];
    // k, d, and known for 1.25, 1.3, 1.4, 1.5 and 2.
    let rows = [
        (3, 100, [0.385, 0.697, 0.893, 0.937, 0.977]),
        (3, 1000, [0.782, 0.989, 0.994, 0.993, 1.0]),
        (4, 100, [0.107, 0.329, 0.833, 0.992, 0.998]),
        (4, 1000, [0.001, 0.374, 1.0, 1.0, 1.0]),
    ];
    let mut table = Table::new(["k", "difference", "cells each", "threshold", "known", "decoded"]);
    let mut series = Vec::new();
    let (mut near, mut sharp) = (true, true);
    for (k, difference, known) in rows {
        let mut one = Series::new(format!("k={k}, {} keys", anther::units::count(difference)));
        let known = [1.25, 1.3, 1.4, 1.5, 2.0].into_iter().zip(known);
        for factor in factors {
            let tables = effort.choose(if difference == 100 { 1000 } else { 200 }, 3000);
            let sample = decoded(k, difference, factor, tables)?;
            let known = known.clone().find(|(at, _)| *at == factor).map(|(_, share)| share);
            // Known are the shares of a thousand tables.
            let sure = |share: f64| {
                let variance = share.mul_add(-share, share).max(0.001);
                (variance / 1000.0 + variance / f64::from(tables)).sqrt()
            };
            near &=
                known.is_none_or(|share: f64| (sample.mean() - share).abs() <= 6.0 * sure(share));
            let threshold = sizing::threshold(k);
            if difference == 1000 {
                sharp &= factor > 0.95 * threshold || sample.mean() < 0.1;
                sharp &= factor < 1.1 * threshold || sample.mean() > 0.95;
            }
            // Beyond, little happens, and the chart would be mostly that.
            if factor <= CHART_ENDS {
                one.measured.push((factor, sample.mean()));
            }
            table.row([
                Cell::Count(k.into()),
                Cell::Count(difference),
                Cell::Number(factor, 2),
                Cell::Number(threshold, 4),
                known.map_or(Cell::Empty, |share| Cell::Number(share, 3)),
                Cell::Number(sample.mean(), 3),
            ]);
        }
        series.push(one);
        effort.tell(series.len(), rows.len());
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "How often a table gives its difference back, against cells for each key".into(),
            x: Axis::linear("cells for each key that differs", Unit::Plain),
            y: Axis::linear("tables that come apart", Unit::Rate),
            series,
        },
    );
    made.claim("shares are the known ones, within what chance allows to both", near);
    made.claim(
        "1,000 keys come out of fewer than 10 % of the tables 5 % below the threshold, and of more \
         than 95 % of them 10 % above it",
        sharp,
    );
    made.note(format!(
        "Thresholds {:.4} for k=3 and {:.4} for k=4, of very many keys. Known: a thousand tables of \
         an earlier run. The chart ends at {CHART_ENDS} cells for each key; the table goes on to 2.",
        sizing::threshold(3),
        sizing::threshold(4)
    ));
    Ok(made)
}

/// Symbols for each key that differs, of many runs, in order.
fn symbols(difference: u64, runs: u32) -> Result<Vec<f64>, Error> {
    let mut all = Vec::new();
    for number in 0..runs {
        let keys = keys(number, difference);
        let (theirs, ours) = keys.split_at(keys.len() / 2);
        let sender =
            Encoder::new(Integers, theirs.iter().copied(), seed(number)).map_err(broken)?;
        let receiver = Decoder::new(Integers, ours.iter().copied(), seed(number));
        let mut receiver = receiver.map_err(broken)?;
        for symbol in sender {
            if receiver.push(symbol).map_err(broken)? {
                break;
            }
        }
        if receiver.found().len() as u64 != difference {
            return Err(broken("not all came out"));
        }
        all.push(receiver.symbols() as f64 / difference as f64);
    }
    all.sort_by(f64::total_cmp);
    Ok(all)
}

/// Yang, Gilad and Alizadeh 2024: a stream that ends when the difference is known.
pub fn rateless(effort: &Effort<'_>) -> Result<Made, Error> {
    // d, runs, and known: the mean, and what 99 in 100 stay below.
    let rows = [
        (1, 100, 1.0, None),
        (4, 2000, 1.757, Some(4.75)),
        (10, 1500, 1.721, Some(3.7)),
        (100, 400, 1.454, Some(1.77)),
        (1000, 60, 1.385, Some(1.46)),
        (3000, 20, 1.362, Some(1.41)),
    ];
    let mut table =
        Table::new(["difference", "runs", "mean known", "mean", "deviation", "99 % known", "99 %"]);
    let mut series = ["mean", "99 in 100 need no more", "limit"].map(Series::new);
    let limit = sizing::rateless_limit();
    series[2].predicted = vec![(1.0, limit), (10_000.0, limit)];
    let (mut near, mut at_limit) = (true, true);
    for (done, (difference, runs, known, known_99)) in rows.into_iter().enumerate() {
        let runs = effort.choose(runs, 5 * runs);
        let all = symbols(difference, runs)?;
        let mut sample = Sample::default();
        all.iter().for_each(|one| sample.push(*one, 1));
        let at = whole((0.99 * (all.len() as f64 - 1.0)).round());
        let high = usize::try_from(at).ok().and_then(|at| all.get(at)).copied().unwrap_or(0.0);
        near &= (sample.mean() - known).abs() <= 6.0 * sample.error() + 0.01;
        near &= known_99.is_none_or(|known: f64| (high / known - 1.0).abs() < 0.2);
        at_limit &= difference < 3000 || (sample.mean() / limit - 1.0).abs() < 0.02;
        series[0].measured.push((difference as f64, sample.mean()));
        series[1].measured.push((difference as f64, high));
        table.row([
            Cell::Count(difference),
            Cell::Count(runs.into()),
            Cell::Number(known, 3),
            Cell::Number(sample.mean(), 3),
            Cell::Number(sample.error(), 3),
            known_99.map_or(Cell::Empty, |known| Cell::Number(known, 2)),
            Cell::Number(high, 2),
        ]);
        effort.tell(done + 1, rows.len());
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "Symbols of an endless stream until the difference is known".into(),
            x: Axis::log("keys that differ", Unit::Count),
            y: Axis::linear("symbols for each", Unit::Plain),
            series: series.to_vec(),
        },
    );
    made.claim(
        "means are the known ones, to 0.01 besides what chance allows, and the 99 % to a fifth",
        near,
    );
    made.claim(
        format!("with 3,000 keys the mean has come to the limit, {limit:.3}, to 2 %"),
        at_limit,
    );
    made.note("In print: 1.35 for very many. Every difference came out whole.");
    Ok(made)
}
