//! Graf and Lemire 2022, Dillinger et al. 2022: filters that are solved for all keys at once.

use super::super::sample::{Sample, broken, rates};
use super::super::tally::seed;
use super::super::{Effort, Made, grid};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::sizing::{bound, fuse};
use anther::{AnyFilter, Filter, Key, Kind, Options, Target, Work};

/// Kind, its options, and how it is called.
fn kinds() -> [(Kind, Options, &'static str); 3] {
    [
        (Kind::Fuse, Options::new().arity(3), "fuse, three cells a key"),
        (Kind::Fuse, Options::new().arity(4), "fuse, four cells a key"),
        (Kind::Ribbon, Options::new(), "ribbon"),
    ]
}

fn built(
    kind: Kind,
    options: &Options,
    items: u64,
    rate: f64,
    number: u32,
) -> Result<AnyFilter, Error> {
    let (target, seed) = (Target::new(items, rate).map_err(broken)?, seed(number));
    let mut keys: Vec<_> = (0..items).map(|key| key.key_hash(&seed)).collect();
    AnyFilter::build(kind, &mut keys, target, options, seed, Work::new()).map_err(broken)
}

/// Bits per key, and for fuse slots per key, against the number of keys.
pub fn fuse_ribbon(effort: &Effort<'_>) -> Result<Made, Error> {
    /// Eight bits per slot.
    const RATE: f64 = 1.0 / 256.0 + 1e-6;
    let sizes = effort.choose(
        vec![1000, 10_000, 100_000, 1_000_000],
        vec![1000, 10_000, 100_000, 1_000_000, 10_000_000],
    );
    let published = [
        (3, [(10_000, "1.280"), (100_000, "1.188"), (1_000_000, "1.1305"), (10_000_000, "1.1272")]),
        (4, [(10_000, "1.229"), (100_000, "1.126"), (1_000_000, "1.0772"), (10_000_000, "1.0764")]),
    ];
    let mut table = Table::new([
        "kind",
        "keys",
        "slots known",
        "slots predicted",
        "slots",
        "bits predicted",
        "bits",
        "times the bound",
        "rate",
    ]);
    let mut slots_of = Vec::new();
    let mut bits_of = Vec::new();
    let (mut within, mut as_planned, mut printed) = (true, true, true);
    for (kind, options, name) in kinds() {
        let (mut slots_line, mut bits_line) = (Series::new(name), Series::new(name));
        for &items in &sizes {
            let target = Target::new(items, RATE).map_err(broken)?;
            let plan = kind.plan(target, &options).map_err(broken)?;
            let filter = built(kind, &options, items, RATE, 0)?;
            let bits = filter.profile().bits as f64 / items as f64;
            let predicted = plan.bits as f64 / items as f64;
            as_planned &=
                (bits / predicted - 1.0).abs() < if items < 10_000 { 0.05 } else { 0.015 };
            // Larger ones have the same rate, and take longer to build twice.
            let small = items <= 100_000;
            let rate = small.then(|| rate_of(effort, kind, &options, items, RATE)).transpose()?;
            within &= rate.as_ref().is_none_or(|rate| rate.agrees(1.0 / 256.0));
            let slots = options.arity.map(|arity| {
                let planned = fuse::slots(items, arity) as f64 / items as f64;
                let print = published.iter().find(|(of, _)| *of == arity);
                let print = print.and_then(|(_, list)| list.iter().find(|(of, _)| *of == items));
                let print = print.map_or("", |(_, print)| *print);
                // A header of 64 bits, and eight bits per slot.
                let measured = (filter.profile().bits - 64) as f64 / 8.0 / items as f64;
                let near = |print: f64| (measured - print).abs() < 0.002;
                printed &= items > 1_000_000 || print.parse().map_or(true, near);
                slots_line.measured.push((items as f64, measured));
                (print, planned, measured)
            });
            bits_line.measured.push((items as f64, bits));
            let number = |value: f64| Cell::Number(value, 4);
            let arity = options.arity.map_or(String::new(), |arity| format!(" {arity}"));
            table.row([
                Cell::Text(format!("{kind}{arity}")),
                Cell::Count(items),
                slots.map_or(Cell::Empty, |(print, ..)| print.into()),
                slots.map_or(Cell::Empty, |(_, planned, _)| number(planned)),
                slots.map_or(Cell::Empty, |(.., measured)| number(measured)),
                Cell::Number(predicted, 3),
                Cell::Number(bits, 3),
                Cell::Number(1.0 + bound::overhead(filter.profile().bits, items, RATE), 3),
                rate.map_or(Cell::Empty, |rate| Cell::Rate(rate.mean())),
            ]);
            effort.tell(table.rows.len(), 3 * sizes.len());
        }
        for items in grid(1000, sizes.last().copied().unwrap_or(1000)) {
            let target = Target::new(items, RATE).map_err(broken)?;
            let plan = kind.plan(target, &options).map_err(broken)?;
            bits_line.predicted.push((items as f64, plan.bits as f64 / items as f64));
            if let Some(arity) = options.arity {
                let slots = fuse::slots(items, arity) as f64 / items as f64;
                slots_line.predicted.push((items as f64, slots));
            }
        }
        bits_of.push(bits_line);
        if kind == Kind::Fuse {
            slots_of.push(slots_line);
        }
    }
    let ends = [1000, sizes.last().copied().unwrap_or(1000)];
    let least = bound::lower_bound_bits(1, RATE);
    bits_of.push(Series {
        predicted: ends.map(|items| (items as f64, least)).to_vec(),
        ..Series::new("bound log2(1/ε)")
    });
    let mut made = Made { table, ..Made::default() };
    let x = || Axis::log("keys", Unit::Count);
    made.chart(
        "",
        Chart {
            title: "Bits per key at a rate of 1/256, against keys".into(),
            x: x(),
            y: Axis::linear("bits per key", Unit::Plain),
            series: bits_of,
        },
    );
    made.chart(
        "slots",
        Chart {
            title: "Binary fuse filter: slots a key against keys".into(),
            x: x(),
            y: Axis::linear("slots a key", Unit::Plain),
            series: slots_of,
        },
    );
    made.claim(
        "each filter has as many bits as planned, to 1.5 %, with 1,000 keys to 5 %",
        as_planned,
    );
    made.claim("fuse has as many slots a key as known, to 0.002, up to a million keys", printed);
    made.claim("each measured rate is 1/256, within what chance allows", within);
    Ok(made)
}

/// The false-positive rate of filters of `items` keys.
fn rate_of(
    effort: &Effort<'_>,
    kind: Kind,
    options: &Options,
    items: u64,
    rate: f64,
) -> Result<Sample, Error> {
    let asked = effort.choose(300_000, 3_000_000);
    rates(2, asked, |number| built(kind, options, items, rate, number))
}
