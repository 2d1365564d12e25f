//! Slides of the TEI of Epirus.

use super::tally::{Tally, near, seed};
use super::{Effort, Made, Picture, timing};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::sizing::bloom;
use anther::{Classic, Shape};

/// Bits per key: the best number of functions is 6.93.
const BITS_A_KEY: u64 = 10;
const ITEMS: u64 = 20_000;
const MOST: u32 = 16;

/// What the filters of one number of functions came to.
struct Measured {
    tally: Tally,
    fill: f64,
    insert: f64,
    hit: f64,
    miss: f64,
}

fn measure(probes: u32, filters: u32, asked: u64) -> Result<Measured, Error> {
    let shape = Shape::bits(BITS_A_KEY * ITEMS).probes(probes);
    let make = |number| {
        Classic::with_shape(shape, seed(number)).map_err(|error| Error::about("hashes", error))
    };
    let (mut tally, mut fill) = (Tally::default(), 0.0);
    for number in 0..filters {
        let mut filter = make(number)?;
        filter.extend(0..ITEMS);
        tally.ask(&filter, ITEMS..ITEMS + asked / u64::from(filters));
        fill += filter.profile().fill / f64::from(filters);
    }
    let (empty, keys) = (make(0)?, timing::members(ITEMS));
    let (hits, misses) = (timing::hits(ITEMS, 50_000), timing::misses(ITEMS, 50_000));
    let mut full = empty.clone();
    full.extend(keys.iter().copied());
    let [insert, hit, miss] = timing::medians(
        3,
        [
            &mut || timing::insert(|| empty.clone(), &keys),
            &mut || timing::ask(&hits, |key| full.contains(key)),
            &mut || timing::ask(&misses, |key| full.contains(key)),
        ],
    );
    Ok(Measured { tally, fill, insert, hit, miss })
}

/// "More hash functions: fewer false positives, slower, and the filter fills faster."
pub fn hashes(effort: &Effort<'_>) -> Result<Made, Error> {
    let (bits, filters) = (BITS_A_KEY * ITEMS, effort.choose(5, 20));
    let mut table = Table::new([
        "functions",
        "rate measured",
        "rate predicted",
        "fill measured",
        "fill predicted",
        "insert",
        "hit",
        "miss",
    ]);
    let mut rate = Series::new("false-positive rate");
    let mut fill = Series::new("share of ones");
    let mut times = ["insert", "query, present", "query, absent"].map(Series::new);
    let (mut rates_agree, mut fills_agree) = (true, true);
    let mut rates = Vec::new();
    for probes in 1..=MOST {
        let measured = measure(probes, filters, effort.choose(1_000_000, 20_000_000))?;
        let x = f64::from(probes);
        let predicted = (bloom::rate(bits, ITEMS, probes), bloom::fill(bits, ITEMS, probes));
        let spread = bloom::spread(bits, ITEMS, probes);
        rates_agree &= measured.tally.agrees(predicted.0, spread);
        // The spread of the rate is k times that of the fill.
        let of_the_fill = predicted.1 * spread / x / f64::from(filters).sqrt();
        fills_agree &= near(measured.fill, predicted.1, of_the_fill);
        rates.push(measured.tally);
        rate.measured.push((x, measured.tally.rate()));
        rate.predicted.push((x, predicted.0));
        fill.measured.push((x, measured.fill));
        fill.predicted.push((x, predicted.1));
        let all = [measured.insert, measured.hit, measured.miss];
        for (series, time) in times.iter_mut().zip(all) {
            series.measured.push((x, time));
        }
        let [insert, hit, miss] = all.map(Cell::Nanoseconds);
        table.row([
            Cell::Count(probes.into()),
            Cell::Rate(measured.tally.rate()),
            Cell::Rate(predicted.0),
            Cell::Rate(measured.fill),
            Cell::Rate(predicted.1),
            insert,
            hit,
            miss,
        ]);
        effort.tell(probes as usize, MOST as usize);
    }
    let mut made = Made { table, ..Made::default() };
    let chart = |title: &str, y, series: Vec<Series>| {
        let x = Axis::linear("hash functions", Unit::Count);
        Picture::Chart(Chart { title: format!("{title}, 10 bits per key"), x, y, series })
    };
    let log = Axis::log("false-positive rate", Unit::Rate);
    made.pictures.push(("rate", chart("Rate against hash functions", log, vec![rate])));
    let linear = Axis::linear("share of ones", Unit::Rate);
    made.pictures.push(("fill", chart("Fill against hash functions", linear, vec![fill])));
    let time = Axis::linear("time per key", Unit::Nanoseconds);
    made.pictures.push(("time", chart("Time against hash functions", time, times.to_vec())));
    made.notes.push(timing::NOTE.to_string());
    made.notes.push(
        "The slides say that more hash functions typically mean fewer false positives. That holds up \
         to (m/n)·ln 2, here 6.93. Beyond, each function sets more bits than its test is worth. A \
         lookup of an absent key stops at the first 0, but it gets slower, too: the fuller the \
         filter, the later that comes, after 1.6 bits on average with five functions and after \
         4.5 with 16, and where it comes is harder to predict for the processor."
            .to_string(),
    );
    made.claim("each measured rate is the predicted one, within what chance allows", rates_agree);
    made.claim("each measured share of ones is the predicted one, too", fills_agree);
    let best = bloom::best_probes(bits, ITEMS) as usize;
    let at = |probes: usize| rates[probes - 1].rate();
    let falls = (1..best.min(5)).all(|probes| at(probes + 1) < at(probes));
    let rises = (best + 2..MOST as usize).all(|probes| at(probes + 1) > at(probes));
    made.claim("the rate falls with the first functions", falls);
    made.claim("and it rises again beyond (m/n)·ln 2", rises);
    Ok(made)
}
