//! Cuckoo filters (§6): what "must be enlarged" costs, and how they compare with classic ones.

use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::figure::chinese_slides::bound::best_line;
use crate::figure::sample::ABSENT;
use crate::figure::tally::{Tally, seed};
use crate::figure::{Effort, Made, timing};
use crate::table::{Cell, Table};
use anther::units;
use anther::{Classic, Cuckoo, Filter, Key, Kind, Options, Target};
use std::time::Instant;

fn broken(error: impl std::fmt::Display) -> Error {
    Error::about("cuckoo", error)
}

fn rate(filter: &impl Filter, asked: u64) -> Tally {
    let mut tally = Tally::default();
    tally.ask(filter, ABSENT..ABSENT + asked);
    tally
}

/// "Then the whole structure must be enlarged": a filter that is doubled whenever it rejects a key.
pub fn doubling(effort: &Effort<'_>) -> Result<Made, Error> {
    let asked = effort.choose(400_000, 4_000_000);
    let doublings = 4u32;
    // Buckets on each side, of four tags of 14 bits.
    let mut filter = Cuckoo::with_buckets(1 << 10, 4, 14, seed(0)).map_err(broken)?;
    let mut table = Table::new([
        "keys",
        "slots",
        "load",
        "tag bits",
        "FPR full",
        "FPR doubled",
        "predicted",
        "bits per key",
        "doubling",
    ]);
    let mut series =
        [Series::new("doubled when full"), Series::new("with room for all from the start")];
    let (mut within, mut kept, mut high) = (true, true, true);
    let mut next = 0u64;
    for tag_bits in (14 - doublings..=14).rev() {
        while filter.insert(next).is_ok() {
            next += 1;
        }
        let profile = filter.profile();
        let slots = profile.bits / u64::from(tag_bits);
        let load = next as f64 / slots as f64;
        high &= load > 0.95;
        let full = rate(&filter, asked);
        let bits = profile.bits as f64 / next as f64;
        let predicted = profile.fpr_now;
        within &= full.agrees(predicted, 0.01);
        series[0].measured.push((next as f64, full.rate()));
        series[0].predicted.push((next as f64, predicted));
        let started = Instant::now();
        filter.double().map_err(broken)?;
        let time = started.elapsed().as_secs_f64() * 1e9;
        let after = rate(&filter, asked);
        within &= after.agrees(predicted, 0.03);
        kept &= (0..next).all(|key| filter.contains(key));
        table.row([
            Cell::Count(next),
            Cell::Count(slots),
            Cell::Rate(load),
            Cell::Count(tag_bits.into()),
            Cell::Rate(full.rate()),
            Cell::Rate(after.rate()),
            Cell::Rate(predicted),
            Cell::Number(bits, 2),
            Cell::Nanoseconds(time),
        ]);
        effort.tell(table.rows.len(), doublings as usize + 1);
    }
    // One of the last size, with tags as long as the first one had.
    let mut large = Cuckoo::with_buckets(1 << (10 + doublings), 4, 14, seed(0)).map_err(broken)?;
    let mut inside = 0u64;
    for &(keys, _) in &series[0].measured.clone() {
        let keys = units::whole(keys);
        for key in inside..keys {
            large.insert(key).map_err(broken)?;
        }
        inside = keys;
        series[1].measured.push((keys as f64, rate(&large, asked).rate()));
        series[1].predicted.push((keys as f64, large.profile().fpr_now));
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "A cuckoo filter that is doubled whenever it is full".into(),
            x: Axis::log("keys", Unit::Count),
            y: Axis::log("false-positive rate", Unit::Rate),
            series: series.to_vec(),
        },
    );
    made.note(
        "Doubling needs no keys: each fingerprint gives its first bit to the number of its bucket. So \
         fingerprints get a bit shorter each time, and the false-positive rate doubles by the time \
         the new room is used. From 14 bits one can double ten times. A filter with room for all \
         keys from the start keeps its 14 bits.",
    );
    made.claim("the filter rejects no key before 95 % of the slots are taken", high);
    made.claim("no key is lost by doubling", kept);
    made.claim("false-positive rates are as predicted, and doubling leaves them as they are, within what chance allows", within);
    Ok(made)
}

/// What filters of one kind and rate came to.
struct Measured {
    bits: f64,
    predicted: f64,
    tally: Tally,
    times: [f64; 3],
}

/// Fills a filter, and times that and lookups: the mean insert from empty to full, the median of
/// five rounds.
fn measure<F: Filter + Clone>(
    empty: &F,
    items: u64,
    asked: u64,
    insert: impl Fn(&mut F, u64) -> bool,
) -> Result<Measured, Error> {
    let keys = timing::members(items);
    let (hits, misses) = (timing::hits(items, 100_000), timing::misses(items, 100_000));
    let mut full = empty.clone();
    let mut rejected = 0;
    keys.iter().for_each(|key| rejected += u64::from(!insert(&mut full, *key)));
    if rejected > 0 {
        return Err(broken("a key was rejected"));
    }
    let contains = |key: u64| full.contains_hash(key.key_hash(full.seed()));
    let times = timing::medians(
        5,
        [
            &mut || {
                let mut filter = empty.clone();
                timing::a_step(items, || {
                    keys.iter().for_each(|key| {
                        insert(&mut filter, *key);
                    })
                })
            },
            &mut || timing::ask(&hits, contains),
            &mut || timing::ask(&misses, contains),
        ],
    );
    let profile = full.profile();
    Ok(Measured {
        bits: profile.bits as f64 / items as f64,
        predicted: profile.fpr_now,
        tally: rate(&full, asked),
        times,
    })
}

/// "In many real applications cuckoo filters do better than classic ones": bits and time.
pub fn against_classic(effort: &Effort<'_>) -> Result<Made, Error> {
    let items = effort.choose(200_000, 2_000_000);
    let rates = [0.05, 0.02, 0.01, 0.003, 0.001, 3e-4, 1e-4];
    let names = ["classic", "cuckoo"];
    let mut table = Table::new([
        "made for",
        "kind",
        "FPR",
        "predicted",
        "bits per key",
        "insert",
        "hit",
        "miss",
    ]);
    let mut bits = names.map(Series::new);
    let mut times =
        ["insert", "hit", "miss"].map(|of| names.map(|name| Series::new(format!("{name}, {of}"))));
    let mut within = true;
    let mut smaller = None;
    for (done, wanted) in rates.into_iter().enumerate() {
        let target = Target::new(items, wanted).map_err(broken)?;
        let asked = if wanted < 5e-4 { 3_000_000 } else { 400_000 };
        let classic = Classic::with_seed(target, seed(0)).map_err(broken)?;
        let cuckoo = Cuckoo::with_seed(target, seed(0)).map_err(broken)?;
        let both = [
            measure(&classic, items, asked, |filter, key| {
                filter.insert(key);
                true
            })?,
            measure(&cuckoo, items, asked, |filter, key| filter.insert(key).is_ok())?,
        ];
        if smaller.is_none() && both[1].bits < both[0].bits {
            smaller = Some(wanted);
        }
        for (at, measured) in both.into_iter().enumerate() {
            within &= measured.tally.agrees(measured.predicted, 0.01);
            let x = measured.tally.rate();
            bits[at].measured.push((x, measured.bits));
            for (series, time) in times.iter_mut().zip(measured.times) {
                series[at].measured.push((wanted, time));
            }
            let [insert, hit, miss] = measured.times.map(Cell::Nanoseconds);
            table.row([
                Cell::Rate(wanted),
                names[at].into(),
                Cell::Rate(x),
                Cell::Rate(measured.predicted),
                Cell::Number(measured.bits, 2),
                insert,
                hit,
                miss,
            ]);
        }
        effort.tell(done + 1, rates.len());
    }
    for (series, kind) in bits.iter_mut().zip([Kind::Classic, Kind::Cuckoo]) {
        let mut plans = Vec::new();
        for step in 0..=36 {
            let wanted = 0.1 * 10f64.powf(-f64::from(step) / 12.0);
            let target = Target::new(items, wanted).map_err(broken)?;
            let plan = kind.plan(target, &Options::new()).map_err(broken)?;
            plans.push((plan.fpr, plan.bits));
        }
        let line = best_line(plans).into_iter();
        series.predicted = line.map(|(rate, bits)| (rate, bits / items as f64)).collect();
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "bits",
        Chart {
            title: format!("Classic against cuckoo: bits per key, {} keys", units::count(items)),
            x: Axis::log("false-positive rate", Unit::Rate),
            y: Axis::linear("bits per key", Unit::Plain),
            series: bits.to_vec(),
        },
    );
    made.chart(
        "time",
        Chart {
            title: format!("Classic against cuckoo: time per key, {} keys", units::count(items)),
            x: Axis::log("false-positive rate that the filter is made for", Unit::Rate),
            y: Axis::log("time per key", Unit::Nanoseconds),
            series: times.into_iter().flatten().collect(),
        },
    );
    made.note(timing::NOTE);
    made.claim("false-positive rates are as predicted, within what chance allows", within);
    made.claim(
        "a cuckoo filter takes fewer bits from 0.3 % or 0.1 % on, and more above",
        smaller.is_some_and(|rate| (5e-4..5e-3).contains(&rate)),
    );
    Ok(made)
}
