//! More keys than were expected (§5.2): a filter that is too small, and one that grows.

use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::figure::tally::{Tally, seed};
use crate::figure::{Effort, Made, Picture, grid, timing};
use crate::table::{Cell, Table};
use anther::sizing::bloom;
use anther::sizing::scalable::{self, Series as Layers};
use anther::{Classic, Filter, Kind, Options, Scalable, Target};

const RATE: f64 = 0.01;
/// Beyond every filter here.
const MOST_BITS: u64 = 1 << 40;
/// Absent keys begin here, beyond all that are inserted.
const ABSENT: u64 = 1 << 40;

fn broken(error: anther::SizeError) -> Error {
    Error::about("figure", error)
}

fn target(items: u64) -> Result<Target, Error> {
    Target::new(items, RATE).map_err(|error| broken(error.into()))
}

/// Filters that are filled further and further, and queried on the way.
struct Filled<F> {
    filters: Vec<F>,
    items: u64,
}

impl<F: Filter> Filled<F> {
    fn new(filters: u32, make: impl Fn(u32) -> Result<F, Error>) -> Result<Filled<F>, Error> {
        let filters = (0..filters).map(make).collect::<Result<Vec<F>, Error>>()?;
        Ok(Filled { filters, items: 0 })
    }

    /// Inserts keys until there are `items` in each filter, and looks up others.
    fn to(&mut self, items: u64, asked: u64, put: impl Fn(&mut F, u64)) -> Tally {
        let mut tally = Tally::default();
        let each = asked / self.filters.len() as u64;
        for filter in &mut self.filters {
            (self.items..items).for_each(|key| put(filter, timing::scattered(key)));
            tally.ask(filter, (ABSENT..ABSENT + each).map(timing::scattered));
        }
        self.items = items;
        tally
    }
}

/// "Too small": the rate of a filter made for 10,000 keys that gets up to ten times as many.
pub fn undersized(effort: &Effort<'_>) -> Result<Made, Error> {
    const MADE_FOR: u64 = 10_000;
    let size = bloom::size(MADE_FOR, RATE, MOST_BITS);
    let bloom::Size { bits, probes } =
        size.ok_or_else(|| Error::about("undersized", "no filter of that size"))?;
    let mut filled = Filled::new(effort.choose(10, 100), |number| {
        Classic::with_seed(target(MADE_FOR)?, seed(number)).map_err(broken)
    })?;
    let mut table =
        Table::new(["items", "bits per key", "ones", "rate measured", "rate predicted"]);
    let mut series = Series::new("rate");
    let mut agree = true;
    let thousands = [1, 2, 5, 8, 10, 12, 15, 20, 30, 40, 50, 70, 100];
    for (done, thousand) in thousands.into_iter().enumerate() {
        let items = 1000 * thousand;
        let tally = filled.to(items, effort.choose(1_000_000, 10_000_000), |filter, key| {
            filter.insert(key);
        });
        let predicted = bloom::rate(bits, items, probes);
        agree &= tally.agrees(predicted, bloom::spread(bits, items, probes));
        // Where not one wrong answer is expected, a rate of 0 says nothing; it is in the table.
        if predicted * tally.asked as f64 >= 1.0 {
            series.measured.push((items as f64, tally.rate()));
        }
        let fill = filled.filters.first().map_or(0.0, |filter| filter.profile().fill);
        table.row([
            Cell::Count(items),
            Cell::Number(bits as f64 / items as f64, 2),
            Cell::Rate(fill),
            Cell::Rate(tally.rate()),
            Cell::Rate(predicted),
        ]);
        effort.tell(done + 1, thousands.len());
    }
    series.predicted =
        grid(1000, 100_000).map(|n| (n as f64, bloom::rate(bits, n, probes))).collect();
    let mut made = Made { table, ..Made::default() };
    made.pictures.push((
        "",
        Picture::Chart(Chart {
            title: "A filter made for 10,000 keys at 1 %, with more and fewer".to_string(),
            x: Axis::log("items", Unit::Count),
            y: Axis::log("false-positive rate", Unit::Rate),
            series: vec![series],
        }),
    ));
    made.notes.push(
        "Twice the keys are 16 times the rate. With fewer keys than it was made for, a filter is \
         better than asked, and its bits per key are what is wasted. Rates of which less than one \
         wrong answer was expected are in the table, and not drawn."
            .to_string(),
    );
    made.claim("each measured rate is the predicted one, within what chance allows", agree);
    Ok(made)
}

/// The false-positive rate of a filter with `items` items, from its layers, and how far one filter
/// may lie from it.
fn compound(layers: Layers, items: u64) -> (f64, f64) {
    let (mut rates, mut variance) = (Vec::new(), 0.0);
    for layer in layers.holding(items) {
        if let Some(size) = bloom::size(layer.capacity, layer.fpr, MOST_BITS) {
            let rate = bloom::rate(size.bits, layer.items, size.probes);
            rates.push(rate);
            variance += (rate * bloom::spread(size.bits, layer.items, size.probes)).powi(2);
        }
    }
    let rate = scalable::compound(rates);
    (rate, variance.sqrt() / rate)
}

/// "Queries become slower with every further filter": a filter that grows from 1,000 keys, beside
/// one that does not.
pub fn scalable_queries(effort: &Effort<'_>) -> Result<Made, Error> {
    const MADE_FOR: u64 = 1000;
    let layers = Layers {
        items: MADE_FOR,
        fpr: RATE,
        growth: Scalable::DEFAULT_GROWTH,
        tightening: Scalable::DEFAULT_TIGHTENING,
    };
    let size = bloom::size(MADE_FOR, RATE, MOST_BITS);
    let fixed_size = size.ok_or_else(|| Error::about("figure", "no filter of that size"))?;
    let fixed_rate = |items| bloom::rate(fixed_size.bits, items, fixed_size.probes);
    let filters = 5;
    let mut grown = Filled::new(filters, |number| {
        let options = Options::new().over(Kind::Classic);
        Scalable::with_options(target(MADE_FOR)?, &options, seed(number)).map_err(broken)
    })?;
    let mut fixed = Filled::new(filters, |number| {
        Classic::with_seed(target(MADE_FOR)?, seed(number)).map_err(broken)
    })?;
    let mut table = Table::new([
        "items",
        "layers",
        "rate",
        "predicted",
        "fixed",
        "predicted fixed",
        "hit",
        "miss",
        "miss fixed",
        "bits per key",
    ]);
    let mut rates = ["scalable", "fixed, made for 1,000"].map(Series::new);
    let mut times = ["scalable, present", "scalable, absent", "fixed, absent"].map(Series::new);
    let (mut agree, mut below, mut lost) = (true, true, 0);
    // Up to where a layer is full, and the next begins.
    let ends = (1..=effort.choose(8, 11)).map(|layers| 1000 * ((1u64 << layers) - 1));
    let sizes: Vec<u64> = [500].into_iter().chain(ends).collect();
    for (done, &items) in sizes.iter().enumerate() {
        let asked = 1_000_000;
        let tally = grown.to(items, asked, |filter, key| {
            // It grows; without memory for that the key would be missed, and that is counted.
            let _ = filter.insert(key);
        });
        let fixed_tally = fixed.to(items, asked / 5, |filter, key| {
            filter.insert(key);
        });
        let ([scalable, ..], [fixed, ..]) = (&grown.filters[..], &fixed.filters[..]) else { break };
        let (hits, misses) = (timing::hits(items, 50_000), timing::misses(items, 50_000));
        lost += hits.iter().filter(|key| !scalable.contains(**key)).count();
        let all = timing::medians(
            3,
            [
                &mut || timing::ask(&hits, |key| scalable.contains(key)),
                &mut || timing::ask(&misses, |key| scalable.contains(key)),
                &mut || timing::ask(&misses, |key| fixed.contains(key)),
            ],
        );
        let (predicted, spread) = compound(layers, items);
        let fixed_spread = bloom::spread(fixed_size.bits, items, fixed_size.probes);
        agree &= tally.agrees(predicted, spread);
        agree &= fixed_tally.agrees(fixed_rate(items), fixed_spread);
        below &= tally.rate() <= RATE;
        let x = items as f64;
        rates[0].measured.push((x, tally.rate()));
        rates[1].measured.push((x, fixed_tally.rate()));
        for (series, time) in times.iter_mut().zip(all) {
            series.measured.push((x, time));
        }
        let profile = scalable.profile();
        let [hit, miss, miss_fixed] = all.map(Cell::Nanoseconds);
        table.row([
            Cell::Count(items),
            Cell::Count(profile.layers.into()),
            Cell::Rate(tally.rate()),
            Cell::Rate(predicted),
            Cell::Rate(fixed_tally.rate()),
            Cell::Rate(fixed_rate(items)),
            hit,
            miss,
            miss_fixed,
            Cell::Number(profile.bits as f64 / x, 1),
        ]);
        effort.tell(done + 1, sizes.len());
    }
    let last = sizes.last().copied().unwrap_or(MADE_FOR);
    for items in grid(500, last) {
        rates[0].predicted.push((items as f64, compound(layers, items).0));
        rates[1].predicted.push((items as f64, fixed_rate(items)));
    }
    let mut made = Made { table, ..Made::default() };
    let chart = |title: &str, y, series: &[Series]| {
        let x = Axis::log("items", Unit::Count);
        Picture::Chart(Chart { title: title.to_string(), x, y, series: series.to_vec() })
    };
    let y = Axis::log("false-positive rate", Unit::Rate);
    made.pictures
        .push(("rate", chart("The rate of a filter that grows, and of one not", y, &rates)));
    let y = Axis::linear("time of a query", Unit::Nanoseconds);
    made.pictures.push(("time", chart("The time of a query as the filter grows", y, &times)));
    made.notes.push(timing::NOTE.to_string());
    made.notes.push(
        "Both were made for 1,000 keys at 1 %. Each layer holds twice as many as the one before at \
         0.85 times its rate. An absent key asks all layers, a present one those that are newer \
         than its own; the last two hold three quarters of the keys."
            .to_string(),
    );
    made.claim("each measured rate is the predicted one, within what chance allows", agree);
    made.claim("the filter that grows stays below 1 %", below);
    made.claim("and loses no key", lost == 0);
    Ok(made)
}
