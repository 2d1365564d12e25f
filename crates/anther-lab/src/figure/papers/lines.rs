//! Filters whose keys stay within a line or a block: what that costs.

use super::super::sample::{Sample, broken, filled, rates};
use super::super::tally::seed;
use super::super::{Effort, Made, places};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::sizing::blocked::{self, Mixture};
use anther::sizing::{bloom, bound};
use anther::units::whole;
use anther::{Blocked, Shape, Split};

const ITEMS: u64 = 200_000;
const BLOCK: u64 = 256;
const LINE: u64 = 512;

/// Enough lookups for a few hundred false positives, as far as time allows.
fn asked(effort: &Effort<'_>, rate: f64) -> u64 {
    effort.choose(1, 10) * whole((500.0 / rate).clamp(1e5, 3e6))
}

fn split_rate(effort: &Effort<'_>, bits_a_key: f64, rate: f64) -> Result<Sample, Error> {
    let shape = Shape::bits(whole(bits_a_key * ITEMS as f64)).probes(8);
    let make = |number| filled(Split::with_shape(shape, seed(number)), ITEMS);
    rates(2, asked(effort, rate) / 2, make)
}

/// The format of Apache Parquet: its own table of rates.
pub fn split_block(effort: &Effort<'_>) -> Result<Made, Error> {
    let mut table = Table::new(["bits per key", "published", "predicted", "measured", "deviation"]);
    let mut series =
        [Series::new("split-block"), Series::new("classic filter, best k, for comparison")];
    let published = [
        (5.0, 0.18, 3),
        (6.0, 0.10, 3),
        (10.0, 0.0126, 4),
        (10.5, 0.01, 3),
        (16.9, 0.001, 4),
        (20.0, 0.0004, 4),
        (26.4, 0.0001, 5),
        (41.0, 1e-5, 6),
    ];
    let predicted = |bits: f64| blocked::lanes_rate(whole(bits * ITEMS as f64) / BLOCK, ITEMS);
    let (mut within, mut in_print) = (true, true);
    for (done, (bits, printed, decimals)) in published.into_iter().enumerate() {
        let rate = predicted(bits);
        // "18" and "1" per cent are round numbers.
        in_print &= (rate - printed).abs() <= 0.02 * printed + 0.5 * 10f64.powi(-decimals);
        let sample = split_rate(effort, bits, rate)?;
        within &= sample.agrees(rate);
        series[0].measured.push((bits, sample.mean()));
        table.row([
            Cell::Number(bits, 1),
            Cell::Rate(printed),
            Cell::Rate(rate),
            Cell::Rate(sample.mean()),
            Cell::Rate(sample.error()),
        ]);
        effort.tell(done + 1, published.len());
    }
    for bits in places(5.0, 41.0) {
        series[0].predicted.push((bits, predicted(bits)));
        let cells = whole(bits * ITEMS as f64);
        let rate = bloom::rate(cells, ITEMS, bloom::best_probes(cells, ITEMS));
        // Far below what a split-block filter reaches, the line would only stretch the chart.
        if rate > 2e-6 {
            series[1].predicted.push((bits, rate));
        }
    }
    let mut made = Made { table, ..Made::default() };
    // What the usual formula for the size gives: eight probes as if they were spread over all bits.
    let usual = |rate: f64| -8.0 / (-rate.powf(0.125)).ln_1p();
    let missed = predicted(usual(0.01));
    made.chart(
        "",
        Chart {
            title: "Split-block filter of Parquet: rate against bits per key".into(),
            x: Axis::linear("bits per key", Unit::Plain),
            y: Axis::log("false-positive rate", Unit::Rate),
            series: series.to_vec(),
        },
    );
    made.claim("each measured rate is the predicted one, within what chance allows", within);
    made.claim(
        "each published rate is the predicted one, to half of its last digit and 2 %",
        in_print,
    );
    made.claim(
        "the usual size, -8n/ln(1-p^(1/8)), misses 1 % by 40 % and more",
        missed > 0.014 && split_rate(effort, usual(0.01), missed)?.agrees(missed),
    );
    Ok(made)
}

/// How a line may be cut: its name, how keys spread in it, its bits, and the bits per key that are
/// known for each rate.
type Layout = (&'static str, Option<Mixture>, u64, [f64; 3]);

/// Putze, Sanders and Singler 2007 and since: bits per key by layout of a line.
pub fn layouts(effort: &Effort<'_>) -> Result<Made, Error> {
    let line = |bits, probes| Some(Mixture::line(bits, probes));
    let list: [Layout; 8] = [
        ("bound log2(1/ε)", None, 0, [6.64, 9.97, 13.29]),
        ("classic, best k", None, 1, [9.59, 14.38, 19.17]),
        ("512 unsplit, k=6", line(512, 6), 512, [9.92, 16.76, 27.37]),
        ("512 unsplit, k=9", line(512, 9), 512, [10.26, 15.55, 22.71]),
        ("8 lanes of 64, k=8", Some(Mixture::lanes(64, 8)), 512, [10.10, 15.72, 23.61]),
        ("16 lanes of 32, k=16", Some(Mixture::lanes(32, 16)), 512, [12.46, 17.24, 23.01]),
        ("8 lanes of 32, split", Some(Mixture::lanes(32, 8)), 256, [10.53, 16.89, 26.34]),
        ("1024 unsplit, k=8", line(1024, 8), 1024, [9.87, 15.13, 22.26]),
    ];
    let asked_rates = [0.01, 0.001, 1e-4];
    let mut table = Table::new(["layout", "rate", "bits known", "bits predicted", "rate measured"]);
    let mut series = Vec::new();
    let (mut same, mut within) = (true, true);
    for (name, mixture, block, known) in list {
        let mut one = Series::new(name);
        for (rate, known) in asked_rates.into_iter().zip(known) {
            let bits = bits_a_key(mixture.as_ref(), block, rate)?;
            same &= (bits - known).abs() < 0.011;
            let sample = measured(effort, name, bits, rate)?;
            // Bits in whole lines: the rate is that of the filter as it was made.
            within &= sample.as_ref().is_none_or(|sample| sample.agrees(rate));
            if let Some(sample) = &sample {
                one.measured.push((sample.mean(), bits));
            }
            table.row([
                name.into(),
                Cell::Rate(rate),
                Cell::Number(known, 2),
                Cell::Number(bits, 2),
                sample.map_or(Cell::Empty, |sample| Cell::Rate(sample.mean())),
            ]);
            effort.tell(table.rows.len(), 24);
        }
        for step in 0..=24 {
            let rate = 10f64.powf(-1.5 - f64::from(step) / 8.0);
            one.predicted.push((rate, bits_a_key(mixture.as_ref(), block, rate)?));
        }
        if ["512 unsplit, k=9", "1024 unsplit, k=8"].iter().all(|left_out| *left_out != name) {
            series.push(one);
        }
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "Bits per key against the rate, by layout of a line".into(),
            x: Axis::log("false-positive rate", Unit::Rate),
            y: Axis::linear("bits per key", Unit::Plain),
            series,
        },
    );
    made.claim("the bits predicted for each layout are the known ones, to 0.01 bits per key", same);
    made.claim(
        "blocked and split filters of that size have the rate, within what chance allows",
        within,
    );
    made.note(
        "The library has 512 unsplit (blocked) and 8 lanes of 32 (split); those are measured.",
    );
    Ok(made)
}

/// The bits per key that a layout needs for a rate.
fn bits_a_key(mixture: Option<&Mixture>, block: u64, rate: f64) -> Result<f64, Error> {
    const MANY: u64 = 1 << 30;
    let Some(mixture) = mixture else {
        if block == 0 {
            return Ok(bound::lower_bound_bits(1, rate));
        }
        let size = bloom::size(MANY, rate, 1 << 40);
        return size.map(|size| size.bits as f64 / MANY as f64).ok_or_else(|| broken("no size"));
    };
    let (mut low, mut high) = (1u64, 1 << 32);
    while low < high {
        let middle = low.midpoint(high);
        if mixture.rate(middle, MANY) > rate {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok((low * block) as f64 / MANY as f64)
}

/// The rate of a filter of the library that has the layout, where one does.
fn measured(
    effort: &Effort<'_>,
    name: &str,
    bits: f64,
    rate: f64,
) -> Result<Option<Sample>, Error> {
    let probes = match name {
        "512 unsplit, k=6" => 6,
        "512 unsplit, k=9" => 9,
        "8 lanes of 32, split" => return split_rate(effort, bits, rate).map(Some),
        _ => return Ok(None),
    };
    let lines = (bits * ITEMS as f64 / LINE as f64).ceil();
    let shape = Shape::bits(whole(lines) * LINE).probes(probes);
    let make = |number| filled(Blocked::with_shape(shape, seed(number)), ITEMS);
    rates(2, asked(effort, rate) / 2, make).map(Some)
}
