//! Slices that grow old together: the latest keys are all found, older ones fade.

use super::super::sample::{ABSENT, Sample, broken, share_found};
use super::super::tally::seed;
use super::super::{Effort, Made, grid, whole};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::sizing::aging::{self, Ring};
use anther::{Aging, Filter, Insert, Key};

/// Inserts per generation.
const INSERTS: u64 = 500;
/// k, l, and in print: the rate once all slices are in use.
const RINGS: [(u32, u32, &str); 4] =
    [(7, 5, "1.283e-2"), (10, 20, "7.88e-3"), (10, 7, "1.474e-3"), (14, 11, "1.20e-4")];

/// The published ring: its slices are half full once they have taken k generations.
fn half_full(probes: u32, generations: u32) -> Ring {
    let bits = INSERTS as f64 * f64::from(probes) / std::f64::consts::LN_2;
    Ring { probes, generations, inserts: INSERTS, slice_bits: whole(bits) }
}

fn arrive(filter: &mut Aging, keys: std::ops::Range<u64>) -> Result<(), Error> {
    for key in keys {
        let hash = key.key_hash(filter.seed());
        filter.insert_hash(hash).map_err(broken)?;
    }
    Ok(())
}

/// Shtul, Baquero and Almeida 2020: a window over a stream without end.
pub fn aging(effort: &Effort<'_>) -> Result<Made, Error> {
    let mut table =
        Table::new(["k, l", "what", "generations", "published", "predicted", "measured"]);
    let (mut within, mut found_all, mut near) = (true, true, true);
    let (mut rates, mut shares) = (Vec::new(), Vec::new());
    for (k, l, printed) in RINGS {
        let ring = half_full(k, l);
        let (slices, name) = (u64::from(ring.slices()), format!("k={k}, l={l}"));
        let mut filters = (0..effort.choose(6, 30))
            .map(|number| Aging::with_ring(ring, seed(number)).map_err(broken))
            .collect::<Result<Vec<_>, _>>()?;
        let mut rate = Series::new(&name);
        let mut before = 0;
        let window = u64::from(l);
        for generations in [3, window, (window + slices) / 2, slices, 2 * slices, 4 * slices] {
            let (end, mut sample) = (generations * INSERTS, Sample::default());
            for filter in &mut filters {
                arrive(filter, before..end)?;
                let asked = effort.choose(50_000, 500_000);
                sample.push(share_found(filter, ABSENT, asked), asked);
            }
            before = end;
            within &= sample.agrees(ring.rate(end));
            rate.measured.push((generations as f64, sample.mean()));
            let last = generations == 4 * slices;
            table.row([
                Cell::Text(name.clone()),
                "rate".into(),
                Cell::Count(generations),
                if last { printed.into() } else { Cell::Empty },
                Cell::Rate(ring.rate(end)),
                Cell::Rate(sample.mean()),
            ]);
        }
        rate.predicted = grid(1, 4 * slices)
            .map(|generations| (generations as f64, ring.rate(generations * INSERTS)))
            .collect();
        let published = aging::published_rate(k, l, 1.0);
        within &= (published / printed.parse::<f64>().unwrap_or(0.0) - 1.0).abs() < 5e-3;
        rates.push(rate);

        let mut share = Series::new(&name);
        for age in 0..slices + 3 {
            let mut sample = Sample::default();
            for filter in &filters {
                let oldest = before - (age + 1) * INSERTS;
                sample.push(share_found(filter, oldest, INSERTS), INSERTS);
            }
            let due = ring.found(age);
            near &= sample.agrees(due);
            found_all &= age > window || sample.mean() >= 1.0;
            share.measured.push((age as f64, sample.mean()));
            if [0, window, window + 1, slices].contains(&age) {
                table.row([
                    Cell::Text(name.clone()),
                    "found, so many generations old".into(),
                    Cell::Count(age),
                    Cell::Empty,
                    Cell::Rate(due),
                    Cell::Rate(sample.mean()),
                ]);
            }
        }
        share.predicted = (0..slices + 3).map(|age| (age as f64, ring.found(age))).collect();
        shares.push(share);
        effort.tell(rates.len(), RINGS.len());
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "Aging filter: the rate levels off, however long the stream".into(),
            x: Axis::log("generations since the start", Unit::Count),
            y: Axis::linear("false-positive rate", Unit::Rate),
            series: rates,
        },
    );
    made.chart(
        "found",
        Chart {
            title: "The share found of keys so many generations old".into(),
            x: Axis::linear("generations since", Unit::Count),
            y: Axis::linear("found", Unit::Rate),
            series: shares,
        },
    );
    made.claim("rates are as predicted, within what chance allows", within);
    made.claim("every key of the latest l generations is found", found_all);
    made.claim("older keys fade as predicted", near);
    made.note("Slices are half full, as published; rates are those at the end of a generation.");
    Ok(made)
}
