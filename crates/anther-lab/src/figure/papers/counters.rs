//! Counters in the place of bits: how high they get, and what takes less.

use super::super::sample::{Sample, counter_values, filled, rates};
use super::super::tally::seed;
use super::super::{Effort, Made, places};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::sizing::increments::Refusal;
use anther::sizing::{bloom, counters as sizing, dleft};
use anther::units::whole;
use anther::{Counting, DLeft, Increments, VariableIncrement};
use std::f64::consts::LN_2;

/// Keys of a d-left filter: six for each of 4 times 4096 buckets.
const BUCKETS: u64 = 4096;
const DLEFT_ITEMS: u64 = 98_304;
const ITEMS: u64 = 10_000;

fn counting_rate(ratio: u64, probes: u32) -> Result<Sample, Error> {
    let make = |number| filled(Counting::with_cells(ratio * ITEMS, probes, 4, seed(number)), ITEMS);
    rates(5, 100_000, make)
}

fn dleft_rate(remainder: u32, filters: u32) -> Result<(Sample, f64), Error> {
    let make = |number| filled(DLeft::with_buckets(BUCKETS, remainder, seed(number)), DLEFT_ITEMS);
    let bits = make(0)?.profile().bits as f64 / DLEFT_ITEMS as f64;
    Ok((rates(filters, 200_000, make)?, bits))
}

/// Fan et al. 1998: how high counters get. Bonomi et al. 2006: d-left in half the space.
pub fn counters(effort: &Effort<'_>) -> Result<Made, Error> {
    let mut table = Table::new(["what", "known", "predicted", "measured"]);
    let (cells, probes) = (1_000_000, 7);
    // As many throws as make half of the counters rise: k=(m/n)·ln 2.
    let items = whole(cells as f64 * LN_2 / f64::from(probes));
    let filter = filled(Counting::with_cells(cells, probes, 4, seed(0)), items)?;
    let load = f64::from(probes) * items as f64 / cells as f64;
    let mut series = Series::new("counters of a filter at its best k");
    let mut within = true;
    for (value, count) in (0u32..).zip(counter_values(&filter)) {
        let (share, due) = (count as f64 / cells as f64, sizing::poisson(load, value));
        let deviation = (due * (1.0 - due) / cells as f64).sqrt().max(1.0 / cells as f64);
        within &= (share - due).abs() <= 6.0 * deviation;
        series.predicted.push((value.into(), due));
        if count > 0 {
            series.measured.push((value.into(), share));
            let what = Cell::Text(format!("counters at {value}"));
            table.row([what, Cell::Empty, Cell::Rate(due), Cell::Rate(share)]);
        }
    }
    series.predicted.retain(|(value, _)| *value <= 10.0);
    let overflow = sizing::poisson(LN_2, 16);
    let bound = sizing::overflow_bound(1, 16);
    for (what, known, value) in
        [("a counter at 16", 6.78e-17, overflow), ("any at 16, bound, over m", 1.37e-15, bound)]
    {
        table.row([what.into(), Cell::Rate(known), Cell::Rate(value), Cell::Empty]);
    }

    let mut space = [Series::new("counting, 4 bits per counter"), Series::new("d-left")];
    for (ratio, published) in [(6, None), (9, Some(0.01327)), (12, None)] {
        let probes = bloom::best_probes(ratio * ITEMS, ITEMS);
        let (due, sample) =
            (bloom::rate(ratio * ITEMS, ITEMS, probes), counting_rate(ratio, probes)?);
        within &= sample.agrees(due);
        space[0].measured.push((4.0 * ratio as f64, sample.mean()));
        let what = Cell::Text(format!("counting, {} bits per key: rate", 4 * ratio));
        let known = published.map_or(Cell::Empty, Cell::Rate);
        table.row([what, known, Cell::Rate(due), Cell::Rate(sample.mean())]);
    }
    for bits in places(20.0, 52.0) {
        let cells = whole(bits / 4.0 * ITEMS as f64);
        let rate = bloom::rate(cells, ITEMS, bloom::best_probes(cells, ITEMS));
        space[0].predicted.push((bits, rate));
    }
    let mut half = true;
    for (remainder, published) in [(8, 0.0893), (11, 0.01163), (14, 0.001465)] {
        let (sample, bits) = dleft_rate(remainder, effort.choose(2, 8))?;
        let due = dleft::rate(BUCKETS, remainder, DLEFT_ITEMS);
        within &= sample.agrees(due);
        half &= remainder != 11 || (bits < 36.0 / 2.0 && sample.mean() < 0.01327);
        space[1].measured.push((bits, sample.mean()));
        let what = Cell::Text(format!("d-left, {bits:.2} bits per key: rate"));
        table.row([what, Cell::Rate(published), Cell::Rate(due), Cell::Rate(sample.mean())]);
    }
    for remainder in 7..=16 {
        let size = dleft::Size { buckets: BUCKETS, remainder_bits: remainder };
        let bits = size.bits() as f64 / DLEFT_ITEMS as f64;
        space[1].predicted.push((bits, dleft::rate(BUCKETS, remainder, DLEFT_ITEMS)));
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "How many counters reach a value: a million counters, k=(m/n)·ln 2".into(),
            x: Axis::linear("value", Unit::Plain),
            y: Axis::log("share of the counters", Unit::Rate),
            series: vec![series],
        },
    );
    made.chart(
        "space",
        Chart {
            title: "Rate against bits per key: counting and d-left".into(),
            x: Axis::linear("bits per key", Unit::Plain),
            y: Axis::log("false-positive rate", Unit::Rate),
            series: space.to_vec(),
        },
    );
    made.claim("counters and rates are as predicted, within what chance allows", within);
    made.claim("d-left has a lower rate in less than half of counting's 36 bits", half);
    made.note(
        "Of d-left, the known rates at 13.33 and 17.33 bits are those of earlier simulations.",
    );
    Ok(made)
}

/// Rottenstreich, Kanizo and Keslassy 2012: increments that differ, in the same memory.
pub fn variable_increment(effort: &Effort<'_>) -> Result<Made, Error> {
    const D4: Increments = Increments::Interval(4);
    const B2: Increments = Increments::Sums(2);
    let mut table =
        Table::new(["filter", "bits per key", "k", "known", "predicted", "measured", "times less"]);
    // Name, increments, bits that are asked for, bits of a cell, and at 40 bits k and the print.
    let kinds = [
        ("counting", None, 4, 4, 7, Some(0.00819)),
        ("D4, 6 bits", Some(D4), 6, 6, 7, Some(5.74e-4)),
        ("D4, 7 bits", Some(D4), 7, 7, 6, Some(0.00167)),
        ("B2, 4+4 bits", Some(B2), 4, 8, 7, None),
    ];
    let rate = |increments: Option<Increments>, cells: u64, probes: u32| match increments {
        None => bloom::rate(cells, ITEMS, probes),
        Some(increments) => Refusal::of(increments).rate(cells, ITEMS, probes),
    };
    let best = |increments, cells| {
        let found = (1..=16)
            .min_by(|a, b| rate(increments, cells, *a).total_cmp(&rate(increments, cells, *b)));
        found.unwrap_or(1)
    };
    let mut series = Vec::new();
    let (mut within, mut fewer) = (true, Vec::new());
    for (done, (name, increments, bits, width, probes, published)) in kinds.into_iter().enumerate()
    {
        let mut one = Series::new(name);
        for (room, probes, published) in [(24, 0, None), (32, 0, None), (40, probes, published)] {
            let cells = room * ITEMS / width;
            let probes = if probes == 0 { best(increments, cells) } else { probes };
            let due = rate(increments, cells, probes);
            let asked = effort.choose(100_000, 1_000_000);
            let sample = match increments {
                None => rates(5, asked, |number| {
                    filled(Counting::with_cells(cells, probes, bits, seed(number)), ITEMS)
                })?,
                Some(increments) => rates(5, asked, |number| {
                    let seed = seed(number);
                    let made = VariableIncrement::with_cells(cells, probes, increments, bits, seed);
                    filled(made, ITEMS)
                })?,
            };
            within &= sample.agrees(due);
            one.measured.push((room as f64, sample.mean()));
            let counting = rate(None, room * ITEMS / 4, best(None, room * ITEMS / 4));
            if room == 40 {
                fewer.push(counting / sample.mean());
            }
            table.row([
                name.into(),
                Cell::Count(room),
                Cell::Count(probes.into()),
                published.map_or(Cell::Empty, Cell::Rate),
                Cell::Rate(due),
                Cell::Rate(sample.mean()),
                Cell::Number(counting / sample.mean(), 1),
            ]);
        }
        for bits in places(20.0, 44.0) {
            let cells = whole(bits * ITEMS as f64 / width as f64);
            one.predicted.push((bits, rate(increments, cells, best(increments, cells))));
        }
        series.push(one);
        effort.tell(done + 1, kinds.len());
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "Rate in the same memory: equal and variable increments".into(),
            x: Axis::linear("bits per key", Unit::Plain),
            y: Axis::log("false-positive rate", Unit::Rate),
            series,
        },
    );
    made.claim("each measured rate is the predicted one, within what chance allows", within);
    made.claim(
        "at 40 bits D4 in 6 bits has less than a tenth of counting's rate, as published",
        fewer.get(1).is_some_and(|times| *times > 10.0),
    );
    made.note(
        "Six bits hold nine increments of D4; seven hold 18, as counters of four bits nearly do. \
         Times less: than counting with its best k in the same memory.",
    );
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_counters() {
        let mut filter = Counting::with_cells(100, 1, 4, seed(0)).unwrap();
        for _ in 0..3 {
            filter.insert(7u32);
        }
        let values = counter_values(&filter);
        assert_eq!((values[0], values[3], values.iter().sum::<u64>()), (99, 1, 100));
    }
}
