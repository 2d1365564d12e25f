//! Mitzenmacher 2001: fewer functions in more bits, and a file that is smaller for it.

use super::super::sample::{broken, filled, rates};
use super::super::tally::seed;
use super::super::{Effort, Made, places};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::sizing::{bloom, wire};
use anther::units::whole;
use anther::{Compressed, Shape};

const ITEMS: u64 = 100_000;

/// m/n, k, and in print: z/n and f.
const PRINTED: [(f64, u32, f64, f64); 10] = [
    (8.0, 6, 8.0, 0.0216),
    (14.0, 2, 7.923, 0.0177),
    (92.0, 1, 7.923, 0.0108),
    (12.6, 2, 7.582, 0.0216),
    (46.0, 1, 6.891, 0.0215),
    (16.0, 11, 16.0, 4.59e-4),
    (28.0, 4, 15.846, 3.14e-4),
    (48.0, 3, 15.829, 2.22e-4),
    (37.5, 3, 14.666, 4.54e-4),
    (93.0, 2, 13.815, 4.53e-4),
];

/// Bits per key in memory at which `probes` hash functions, whole or fractional, have this rate.
fn bits_for(rate: f64, probes: f64) -> f64 {
    let (mut low, mut high) = (1.0, 1000.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if bloom::approximate(middle, 1.0, probes) > rate {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Bits that are sent, against bits in memory.
pub fn compressed(effort: &Effort<'_>) -> Result<Made, Error> {
    let mut table = Table::new([
        "m/n",
        "k",
        "sent published",
        "m·h(p)/n",
        "sent",
        "rate published",
        "rate predicted",
        "rate",
    ]);
    let mut series = [("rate 2.16 %", 0.0216, 6.0), ("rate 0.0459 %", 4.59e-4, 11.0)].map(
        |(name, rate, most)| {
            let line = places(1.0, most).map(|k| {
                let bits = bits_for(rate, k);
                (bits, wire::sent(bits, 1.0, k))
            });
            // One function at the lower rate takes 2178 bits per key.
            Series {
                predicted: line.filter(|(bits, _)| *bits < 100.0).collect(),
                ..Series::new(name)
            }
        },
    );
    let (mut near, mut coded, mut within) = (true, true, true);
    for (done, (ratio, k, sent, rate)) in PRINTED.into_iter().enumerate() {
        let bits = whole(ratio * ITEMS as f64);
        let shape = Shape::bits(bits).probes(k);
        let make = |number| filled(Compressed::with_shape(shape, seed(number)), ITEMS);
        let filter = make(0)?;
        let mut file = Vec::new();
        filter.write_to(&mut file).map_err(broken)?;
        let measured = 8.0 * file.len() as f64 / ITEMS as f64;
        // Where coding would not help, bits are sent as they are.
        let predicted = wire::sent(ratio, 1.0, k.into()).min(ratio);
        near &= (measured / predicted - 1.0).abs() < 0.01;
        coded &= (predicted - sent).abs() <= 0.02;
        let due = bloom::rate(bits, ITEMS, k);
        let asked = effort.choose(200_000, 2_000_000);
        let sample = rates(2, asked, make)?;
        within &= sample.agrees(due);
        // Those rows of the tables that have one rate.
        let of = match (ratio, k) {
            (14.0 | 92.0, _) | (28.0 | 48.0, _) => None,
            _ => Some(if ratio < 15.0 || ratio == 46.0 { 0 } else { 1 }),
        };
        if let Some(of) = of {
            let series: &mut Series = &mut series[of];
            series.measured.push((ratio, measured));
        }
        table.row([
            Cell::Number(ratio, 1),
            Cell::Count(k.into()),
            Cell::Number(sent, 3),
            Cell::Number(predicted, 3),
            Cell::Number(measured, 3),
            Cell::Rate(rate),
            Cell::Rate(due),
            Cell::Rate(sample.mean()),
        ]);
        effort.tell(done + 1, PRINTED.len());
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "Bits sent a key against bits in memory a key, at one rate".into(),
            x: Axis::log("bits in memory a key", Unit::Plain),
            y: Axis::linear("bits sent a key", Unit::Plain),
            series: series.to_vec(),
        },
    );
    made.claim("each file is within 1 % of m·H(p), header and all", near);
    made.claim("m·H(p) is what is in print, to 0.02 bits per key", coded);
    made.claim("each measured rate is the predicted one, within what chance allows", within);
    made.note(
        "Sent is the whole file of 100,000 keys. The print's 2.16 % at 12.6 and 2 is 2.154 %.",
    );
    Ok(made)
}
