//! Filters of fingerprints: how full they get, and their rate on the way there.

use super::super::sample::{ABSENT, Sample, broken, share_found};
use super::super::tally::seed;
use super::super::{Effort, Made, places};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::sizing::cuckoo::{self as cuckoo_sizes, Load};
use anther::sizing::quotient as quotient_sizes;
use anther::units::whole;
use anther::{Cuckoo, Insert, Key, Quotient, Seed};

fn put(filter: &mut impl Insert, key: u64) -> Result<bool, anther::Full> {
    let hash = key.key_hash(filter.seed());
    filter.insert_hash(hash)
}

/// The share of cells that are taken when the first key finds no room.
fn first_refused(buckets: u64, bucket_size: u32, tag_bits: u32, seed: Seed) -> Result<f64, Error> {
    let made = Cuckoo::with_buckets(buckets / 2, bucket_size, tag_bits, seed);
    let mut filter = made.map_err(broken)?;
    let refused = (0..).find(|key| put(&mut filter, *key).is_err()).unwrap_or(u64::MAX);
    Ok(refused as f64 / (buckets * u64::from(bucket_size)) as f64)
}

/// Fan, Andersen, Kaminsky and Mitzenmacher 2014: the load at the first failure, and the rate.
pub fn cuckoo(effort: &Effort<'_>) -> Result<Made, Error> {
    let buckets = effort.choose(1 << 15, 1 << 18);
    let mut table = Table::new(["what", "published", "predicted", "measured", "deviation"]);
    let mut series = Series::new("load at the first failure");
    let mut near = true;
    let sizes = [(1u32, 0.50), (2, 0.84), (4, 0.95), (8, 0.98)];
    for (at, (b, published)) in sizes.into_iter().enumerate() {
        let mut sample = Sample::default();
        // Where cells are single the first failure is one unlucky crowd, so the mean of more.
        for number in 0..if b == 1 { 20 } else { 3 } {
            sample.push(first_refused(buckets, b, 16, seed(number))?, buckets);
        }
        let limit = Load::of(b).limit;
        // The limits are those of endless tables. Where cells are single, the first crowd that is
        // too large comes while the load passes ½ by about m^(-1/3): the window in which the
        // largest component of a random graph begins to grow.
        let room = if b == 1 { ((buckets * u64::from(b)) as f64).powf(-1.0 / 3.0) } else { 0.012 };
        near &= (sample.mean() - limit).abs() < room;
        near &= sample.mean() > published;
        series.measured.push((at as f64, sample.mean()));
        series.predicted.push((at as f64, limit));
        table.row([
            Cell::Text(format!("load, {b} a bucket")),
            Cell::Rate(published),
            Cell::Rate(limit),
            Cell::Rate(sample.mean()),
            Cell::Rate(sample.error()),
        ]);
        effort.tell(at + 1, 6);
    }
    let mut rates = Vec::new();
    let mut within = true;
    for (b, f) in [(2, 8), (4, 8), (4, 12)] {
        let size = cuckoo_sizes::Size { buckets: 5000, bucket_size: b, tag_bits: f };
        let mut one = Series::new(format!("{b} a bucket, tags of {f} bits"));
        let most = Load::of(b).published;
        let at = |load: f64| whole(load * size.cells() as f64);
        for load in [0.2, 0.5, most] {
            let mut sample = Sample::default();
            for number in 0..3 {
                let made = Cuckoo::with_buckets(size.buckets, b, f, seed(number));
                let mut filter = made.map_err(broken)?;
                for key in 0..at(load) {
                    put(&mut filter, key).map_err(broken)?;
                }
                let asked = effort.choose(200_000, 2_000_000);
                sample.push(share_found(&filter, ABSENT, asked), asked);
            }
            let due = size.rate(at(load));
            within &= sample.agrees(due);
            one.measured.push((load, sample.mean()));
            table.row([
                Cell::Text(format!("rate, {b} a bucket, {f} bits, load {load}")),
                Cell::Empty,
                Cell::Rate(due),
                Cell::Rate(sample.mean()),
                Cell::Rate(sample.error()),
            ]);
        }
        one.predicted = places(0.05, most).map(|load| (load, size.rate(at(load)))).collect();
        rates.push(one);
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "How full a cuckoo filter is when the first key finds no room".into(),
            x: Axis::names(["1 a bucket", "2 a bucket", "4 a bucket", "8 a bucket"]),
            y: Axis::linear("load", Unit::Rate),
            series: vec![series],
        },
    );
    made.chart(
        "rate",
        Chart {
            title: "Cuckoo filter: rate against load".into(),
            x: Axis::linear("load", Unit::Rate),
            y: Axis::log("false-positive rate", Unit::Rate),
            series: rates,
        },
    );
    made.claim("filters fill beyond what is published, and to their limit within 1.2 % of the cells (single \
         cells: within m^(-1/3) of them)",
        near,
    );
    made.claim("each measured rate is the predicted one, within what chance allows", within);
    made.note(
        "Published is what the paper's random walk fills. The library looks for the shortest chain \
         of moves, and so comes nearer to the limit. Limits are those of endless tables; one of m \
         single cells passes ½ by about m^(-1/3) before the first key finds no room.",
    );
    Ok(made)
}

/// Bender et al. 2012, Pandey et al. 2017: the rate grows with the load, α·2^-r.
pub fn quotient(effort: &Effort<'_>) -> Result<Made, Error> {
    const BLOCKS: u64 = 256;
    let slots = BLOCKS * quotient_sizes::BLOCK;
    // Rounded down: with one key more than 95 % it would double.
    let at = |load: f64| whole((load * slots as f64).floor());
    let mut table = Table::new([
        "remainder bits",
        "load",
        "published",
        "predicted",
        "measured",
        "deviation",
        "bits per key",
    ]);
    let mut series = Vec::new();
    let (mut within, mut bounded, mut as_many_bits) = (true, true, true);
    for r in [5, 7, 10] {
        let mut one = Series::new(format!("remainders of {r} bits"));
        let made = (0..4).map(|number| Quotient::with_blocks(BLOCKS, r, seed(number)));
        let mut all = made.collect::<Result<Vec<_>, _>>().map_err(broken)?;
        let mut before = 0;
        for load in [0.1, 0.25, 0.5, 0.75, 0.95] {
            let mut sample = Sample::default();
            for filter in &mut all {
                for key in before..at(load) {
                    put(filter, key).map_err(broken)?;
                }
                let asked = effort.choose(200_000, 2_000_000);
                sample.push(share_found(filter, ABSENT, asked), asked);
            }
            before = at(load);
            let (bound, due) =
                (quotient_sizes::bound(r, load), quotient_sizes::rate(slots, r, at(load)));
            within &= sample.agrees(due);
            bounded &= sample.mean() <= bound + 6.0 * sample.error();
            let bits = all[0].profile().bits as f64 / at(load) as f64;
            as_many_bits &= (bits / quotient_sizes::bits_per_item(r, load) - 1.0).abs() < 1e-3;
            one.measured.push((load, sample.mean()));
            table.row([
                Cell::Count(r.into()),
                Cell::Number(load, 2),
                Cell::Rate(bound),
                Cell::Rate(due),
                Cell::Rate(sample.mean()),
                Cell::Rate(sample.error()),
                Cell::Number(bits, 2),
            ]);
        }
        one.predicted = places(0.02, 0.95)
            .map(|load| (load, quotient_sizes::rate(slots, r, at(load))))
            .collect();
        series.push(one);
        effort.tell(series.len(), 3);
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "Quotient filter: rate against load".into(),
            x: Axis::linear("load", Unit::Rate),
            y: Axis::log("false-positive rate", Unit::Rate),
            series,
        },
    );
    made.claim("each measured rate is the predicted one, within what chance allows", within);
    made.claim("none is above the published bound, load·2^-r, by more than chance allows", bounded);
    made.claim("a key takes (r+2.125)/load bits, to 0.1 %", as_many_bits);
    made.note(
        "The bound counts keys; the rate counts fingerprints, of which some are of two keys.",
    );
    Ok(made)
}
