//! Almeida et al. 2007: layers, each larger and at a lower rate than the one before.

use super::super::sample::{ABSENT, broken};
use super::super::tally::{Tally, seed};
use super::super::{Effort, Made, grid};
use crate::chart::{Axis, Chart, Series as Line, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::sizing::bloom;
use anther::sizing::scalable::{Series, Slices, compound};
use anther::units;
use anther::{Kind, Options, Scalable, Target};

const MOST: u64 = 200_000;
const FIRST: u64 = 1000;
const TARGET: f64 = 0.01;

/// The rate of layers of classic filters.
fn predicted(series: &Series, items: u64) -> f64 {
    compound(series.holding(items).map(|layer| {
        let size = bloom::size(layer.capacity, layer.fpr, 1 << 40);
        size.map_or(1.0, |size| bloom::rate(size.bits, layer.items, size.probes))
    }))
}

/// The rate while the set grows, and what 200,000 keys take.
pub fn scalable(effort: &Effort<'_>) -> Result<Made, Error> {
    let mut table = Table::new([
        "growth",
        "tightening",
        "keys",
        "layers",
        "known",
        "slices",
        "predicted",
        "measured",
        "bits",
        "bits known",
    ]);
    let mut lines = Vec::new();
    let (mut within, mut below) = (true, true);
    for (growth, tightening, published, published_bits) in [
        (2, 0.5, 0.0078, 25.8),
        (2, 0.8, 0.00636, 21.0),
        (2, 0.9, 0.00393, 21.2),
        (4, 0.9, 0.0025, 27.1),
    ] {
        let series = Series { items: FIRST, fpr: TARGET, growth, tightening };
        let mut line = Line::new(format!("growth {growth}, tightening {tightening}"));
        let target = Target::new(FIRST, TARGET).map_err(broken)?;
        let options = Options::new().over(Kind::Classic).growth(growth).tightening(tightening);
        let filters = effort.choose(3, 10);
        let mut all = Vec::new();
        for number in 0..filters {
            all.push(Scalable::with_options(target, &options, seed(number)).map_err(broken)?);
        }
        let mut before = 0;
        for items in [500, 1000, 3000, 10_000, 30_000, 100_000, MOST] {
            let mut tally = Tally::default();
            for filter in &mut all {
                for key in before..items {
                    filter.insert(key).map_err(broken)?;
                }
                tally.ask(filter, ABSENT..ABSENT + 50_000);
            }
            before = items;
            let due = predicted(&series, items);
            // The first layer holds 1000 keys: such filters differ by 4 % of their rate.
            within &= tally.agrees(due, 0.04);
            below &= tally.rate() < TARGET;
            line.measured.push((items as f64, tally.rate()));
            if items < 10_000 {
                continue;
            }
            let last = items == MOST;
            let slices = compound(
                series.holding(items).map(|it| Slices::size(it.capacity, it.fpr).rate(it.items)),
            );
            let profile = all[0].profile();
            let only_last = |cell: Cell| if last { cell } else { Cell::Empty };
            table.row([
                Cell::Count(growth.into()),
                Cell::Number(tightening, 1),
                Cell::Count(items),
                Cell::Count(profile.layers.into()),
                only_last(Cell::Rate(published)),
                Cell::Rate(slices),
                Cell::Rate(due),
                Cell::Rate(tally.rate()),
                Cell::Number(profile.bits as f64 / items as f64, 1),
                only_last(Cell::Number(published_bits, 1)),
            ]);
        }
        line.predicted =
            grid(500, MOST).map(|items| (items as f64, predicted(&series, items))).collect();
        lines.push(line);
        effort.tell(lines.len(), 4);
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: format!(
                "Rate while the set grows: made for {}, first layer of {} keys",
                units::rate(TARGET),
                units::count(FIRST)
            ),
            x: Axis::log("keys", Unit::Count),
            y: Axis::linear("false-positive rate", Unit::Rate),
            series: lines,
        },
    );
    made.claim("each measured rate is the predicted one, within what chance allows", within);
    made.claim("no rate exceeds the one asked for, however many keys came", below);
    made.note(
        "Known, and slices as predicted: the paper's layers, whose number of functions is \
         rounded up. Ours are classic filters of just the size, hence higher rates in fewer bits. Bits are a key's.",
    );
    Ok(made)
}
