//! The cuckoo filter: how full it gets, and how small it is (§6).

use crate::chart::{Axis, Chart, Series, Unit};
use crate::cmd::figure::tally::seed;
use crate::cmd::figure::{Effort, Made, Picture, timing};
use crate::exit::Stop;
use crate::table::{Cell, Table};
use anther::sizing::bound;
use anther::sizing::cuckoo::Load;
use anther::{Cuckoo, Kind, Options, Target};

/// Wide enough that keys with one tag do not crowd.
const TAG_BITS: u32 = 16;

fn empty(cells: u64, bucket: u32, number: u32) -> Result<Cuckoo, Stop> {
    let buckets = cells / 2 / u64::from(bucket);
    Cuckoo::with_buckets(buckets, bucket, TAG_BITS, seed(number))
        .map_err(|error| Stop::about("cuckoo-load", error))
}

/// How many keys go in before the first that has no room.
fn until_full(mut filter: Cuckoo, cells: u64) -> u64 {
    let first = (0..=cells).find(|key| filter.insert(*key).is_err());
    first.unwrap_or(cells)
}

/// Nanoseconds an insert on the way from one twentieth of the load to the next.
fn insert_times(mut filter: Cuckoo, cells: u64, most: f64) -> Vec<(f64, f64)> {
    let keys = timing::members(cells);
    let (mut times, mut inside) = (Vec::new(), 0);
    for twentieth in 1..=20 {
        let load = (f64::from(twentieth) / 20.0).min(most);
        let until = usize::try_from(crate::describe::whole(load * cells as f64)).unwrap_or(inside);
        let stretch = &keys[inside.min(until)..until];
        if stretch.is_empty() {
            break;
        }
        let time = timing::a_step(stretch.len() as u64, || {
            // What finds no room is not in; the load stays below where that happens.
            stretch.iter().for_each(|key| {
                let _ = filter.insert(*key);
            });
        });
        times.push((load, time));
        inside = until;
    }
    times
}

/// "With a high load the chain of displacements becomes long."
pub fn load(effort: &Effort<'_>) -> Result<Made, Stop> {
    let (cells, filters) = effort.choose((1u64 << 16, 5), (1 << 20, 20));
    let buckets = [1, 2, 4, 8];
    let mut table =
        Table::new(["bucket", "cells", "load measured", "least", "limit", "load published"]);
    let mut full = Series::new("load at the first refusal");
    let mut times = Vec::new();
    let (mut enough, mut below) = (true, true);
    for (at, bucket) in buckets.into_iter().enumerate() {
        let mut loads = Vec::new();
        for number in 0..filters {
            loads.push(until_full(empty(cells, bucket, number)?, cells) as f64 / cells as f64);
        }
        let mean = loads.iter().sum::<f64>() / loads.len() as f64;
        let least = loads.iter().copied().fold(1.0, f64::min);
        let Load { published, limit, spare } = Load::of(bucket);
        // Buckets of one have a wide spread, of which nobody took the measure.
        if bucket > 1 {
            enough &= least >= published;
            below &= mean <= limit + 0.6 * spare / (cells as f64).sqrt();
        }
        full.measured.push((at as f64, mean));
        full.predicted.push((at as f64, limit));
        if bucket > 1 {
            let mut rounds = Vec::new();
            for _ in 0..5 {
                rounds.push(insert_times(empty(cells, bucket, 0)?, cells, published));
            }
            let mut series = Series::new(format!("buckets of {bucket}"));
            for point in 0..rounds[0].len() {
                let mut at: Vec<f64> = rounds.iter().map(|round| round[point].1).collect();
                at.sort_by(f64::total_cmp);
                series.measured.push((rounds[0][point].0, at[at.len() / 2]));
            }
            times.push(series);
        }
        table.row([
            Cell::Count(bucket.into()),
            Cell::Count(cells),
            Cell::Rate(mean),
            Cell::Rate(least),
            Cell::Rate(limit),
            Cell::Rate(published),
        ]);
        effort.tell(at + 1, buckets.len());
    }
    let mut made = Made { table, ..Made::default() };
    let chart = |title: &str, x, y, series| {
        Picture::Chart(Chart { title: title.to_string(), x, y, series })
    };
    let x = Axis::names(buckets.map(|bucket| format!("buckets of {bucket}")));
    let y = Axis::linear("share of cells taken", Unit::Rate);
    made.pictures.push(("", chart("Load at which the first key finds no room", x, y, vec![full])));
    let (x, y) =
        (Axis::linear("load", Unit::Rate), Axis::log("time of an insert", Unit::Nanoseconds));
    made.pictures.push(("time", chart("Time of an insert as the table fills", x, y, times)));
    made.pictures.push(("bits", bits_a_key()?));
    made.notes.push(timing::NOTE.to_string());
    made.notes.push(
        "Keys move until all have room: the shortest chain of moves is searched, through 2048 \
         buckets at most, so the load is a little above what the paper had with 500 random \
         moves. The limit is where no search helps. The text says that fingerprints are unique: \
         they are not, or there would be no false positives."
            .to_string(),
    );
    made.claim("buckets of 2, 4 and 8 take at least 84, 95 and 98 % of their cells", enough);
    made.claim("and no more than the limit, within what chance allows", below);
    Ok(made)
}

/// Bits a key of kinds against the rate: computed.
fn bits_a_key() -> Result<Picture, Stop> {
    const ITEMS: u64 = 1_000_000;
    let kinds = [Kind::Cuckoo, Kind::Classic, Kind::Blocked, Kind::Ribbon];
    let mut series: Vec<Series> = kinds.iter().map(|kind| Series::new(kind.name())).collect();
    let mut least = Series::new("no filter can do with less");
    for step in 0..=50 {
        let rate = 10f64.powf(-1.0 - f64::from(step) / 10.0);
        let target = Target::new(ITEMS, rate).map_err(|error| Stop::about("cuckoo-load", error))?;
        for (series, kind) in series.iter_mut().zip(kinds) {
            // Lines do not reach every rate.
            if let Ok(plan) = kind.plan(target, &Options::new()) {
                series.predicted.push((rate, plan.bits as f64 / ITEMS as f64));
            }
        }
        least.predicted.push((rate, bound::lower_bound_bits(1, rate)));
    }
    series.push(least);
    Ok(Picture::Chart(Chart {
        title: "Bits a key against the rate, a million keys".to_string(),
        x: Axis::log("rate of false positives", Unit::Rate),
        y: Axis::linear("bits a key", Unit::Plain),
        series,
    }))
}
