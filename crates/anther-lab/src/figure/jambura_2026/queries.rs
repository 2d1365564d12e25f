//! What a query takes: bits read, and time (§1.3 and §4.1).

use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::figure::tally::{near, seed};
use crate::figure::{Effort, Made, Picture, grid, timing};
use crate::table::{Cell, Table};
use anther::parts::probes::Spread;
use anther::sizing::bloom;
use anther::{Classic, Filter, Key, PlainBits, Shape};

const RATE: f64 = 0.01;
/// Beyond every filter here.
const MOST_BITS: u64 = 1 << 40;

/// Bits that queries read, counted.
#[derive(Clone, Copy, Debug, Default)]
struct Reads {
    queries: u64,
    bits: u64,
    squares: u64,
    /// Queries whose answer differed from the filter's own.
    other_answers: u64,
}

impl Reads {
    /// Walks through the probes of each key as the filter does, to the first 0. Of the keys, only
    /// those count to which the filter gives this answer.
    fn count(filter: &Classic, probes: u32, keys: &[u64], answer: bool) -> Reads {
        let (bits, spread) = (filter.bits(), Spread::new(filter.bits().len(), probes));
        let mut reads = Reads::default();
        for key in keys {
            let mut read = 0;
            let maybe = spread.all(key.key_hash(filter.seed()), |bit| {
                read += 1;
                bits.get(bit)
            });
            reads.other_answers += u64::from(maybe != filter.contains(*key));
            if maybe == answer {
                reads.queries += 1;
                reads.bits += read;
                reads.squares += read * read;
            }
        }
        reads
    }

    fn mean(&self) -> f64 {
        self.bits as f64 / self.queries as f64
    }

    /// Whether the mean is the predicted function of the fill, which itself has a deviation.
    fn agrees(&self, predicted: impl Fn(f64) -> f64, fill: f64, deviation: f64) -> bool {
        let variance = self.squares as f64 / self.queries as f64 - self.mean().powi(2);
        let slope = (predicted(fill + deviation) - predicted(fill - deviation)) / 2.0;
        let all = (variance / self.queries as f64).sqrt().hypot(slope);
        self.other_answers == 0 && near(self.mean(), predicted(fill), all)
    }
}

fn size(items: u64) -> Result<bloom::Size, Error> {
    let size = bloom::size(items, RATE, MOST_BITS);
    size.ok_or_else(|| Error::about("figure", "no filter of that size"))
}

fn empty(size: bloom::Size) -> Result<Classic, Error> {
    let shape = Shape::bits(size.bits).probes(size.probes);
    Classic::with_shape(shape, seed(0)).map_err(|error| Error::about("figure", error))
}

/// One standard deviation of the share of ones.
fn fill_deviation(size: bloom::Size, items: u64) -> f64 {
    let bloom::Size { bits, probes } = size;
    let share = bloom::spread(bits, items, probes) / f64::from(probes);
    share * bloom::fill(bits, items, probes)
}

/// §1.3: the time to reject an absent key, beside that to find a present one.
pub fn reject(effort: &Effort<'_>) -> Result<Made, Error> {
    let made_for = effort.choose(100_000, 1_000_000);
    let size = size(made_for)?;
    let bloom::Size { bits, probes } = size;
    let mut filter = empty(size)?;
    let mut table = Table::new([
        "items",
        "ones",
        "bits read",
        "bits predicted",
        "bits read by a hit",
        "reject",
        "hit",
    ]);
    let mut reads = ["a reject", "a hit"].map(Series::new);
    let mut times = ["a reject", "a hit"].map(Series::new);
    let (mut agree, mut all_bits, mut inside) = (true, true, 0);
    let tenths = [1, 2, 4, 6, 8, 10, 14, 20, 30, 40];
    for (done, tenth) in tenths.into_iter().enumerate() {
        let items = made_for * tenth / 10;
        filter.extend((inside..items).map(timing::scattered));
        inside = items;
        let mut misses = timing::misses(40 * made_for, 100_000);
        let hits = timing::hits(items, 50_000);
        let rejected = Reads::count(&filter, probes, &misses, false);
        let found = Reads::count(&filter, probes, &hits, true);
        misses.retain(|key| !filter.contains(*key));
        let [reject, hit] = timing::medians(
            3,
            [&mut || timing::ask(&misses, |key| filter.contains(key)), &mut || {
                timing::ask(&hits, |key| filter.contains(key))
            }],
        );
        let fill = bloom::fill(bits, items, probes);
        let predicted = |fill| bloom::bits_read_to_reject(fill, probes);
        agree &= rejected.agrees(predicted, fill, fill_deviation(size, items));
        all_bits &= found.bits == found.queries * u64::from(probes) && found.other_answers == 0;
        let x = filter.profile().fill;
        reads[0].measured.push((x, rejected.mean()));
        reads[1].measured.push((x, found.mean()));
        times[0].measured.push((x, reject));
        times[1].measured.push((x, hit));
        table.row([
            Cell::Count(items),
            Cell::Rate(x),
            Cell::Number(rejected.mean(), 3),
            Cell::Number(predicted(fill), 3),
            Cell::Number(found.mean(), 3),
            Cell::Nanoseconds(reject),
            Cell::Nanoseconds(hit),
        ]);
        effort.tell(done + 1, tenths.len());
    }
    for items in grid(made_for / 10, 4 * made_for) {
        let fill = bloom::fill(bits, items, probes);
        reads[0].predicted.push((fill, bloom::bits_read_to_reject(fill, probes)));
        reads[1].predicted.push((fill, f64::from(probes)));
    }
    let chart = |title: &str, y, series: &[Series]| {
        let x = Axis::linear("share of ones", Unit::Rate);
        Picture::Chart(Chart { title: title.to_string(), x, y, series: series.to_vec() })
    };
    let mut made = Made { table, ..Made::default() };
    let y = Axis::linear("bits read", Unit::Plain);
    made.pictures.push(("reads", chart("Bits read until the answer is known", y, &reads)));
    let y = Axis::linear("time", Unit::Nanoseconds);
    made.pictures.push(("time", chart("Time to reject, and to find", y, &times)));
    made.notes.push(timing::NOTE.to_string());
    made.notes.push(format!(
        "A filter made for {} keys at 1 %, filled from a tenth of them to four times as many. A \
         no needs the first 0 only, two bits where half are 1; a maybe needs all {probes}. Yet a \
         reject need not take less time while the filter is in the cache: nobody can guess \
         where it stops, and the processor goes astray.",
        anther::units::count(made_for)
    ));
    made.claim(
        "the bits that a reject reads are as many as predicted, within what chance allows",
        agree,
    );
    made.claim(format!("a hit reads {probes} bits, always"), all_bits);
    Ok(made)
}

/// §4.1: "whether 1,000 or 100 million elements are in, the query time stays constant". The number
/// of probes does.
pub fn probes(effort: &Effort<'_>) -> Result<Made, Error> {
    let mut sizes: Vec<u64> =
        vec![1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000];
    if effort.full {
        sizes.extend([30_000_000, 100_000_000]);
    }
    let mut table = Table::new([
        "items",
        "memory",
        "bits of a hit",
        "bits of a miss",
        "miss predicted",
        "hit",
        "miss",
    ]);
    let mut reads = ["present", "absent"].map(Series::new);
    let mut times = ["present", "absent"].map(Series::new);
    let (mut agree, mut constant) = (true, true);
    for (done, &items) in sizes.iter().enumerate() {
        let size = size(items)?;
        let bloom::Size { bits, probes } = size;
        let mut filter = empty(size)?;
        filter.extend((0..items).map(timing::scattered));
        let (hits, misses) = (timing::hits(items, 100_000), timing::misses(items, 100_000));
        let found = Reads::count(&filter, probes, &hits, true);
        let rejected = Reads::count(&filter, probes, &misses, false);
        let [hit, miss] = timing::medians(
            3,
            [&mut || timing::ask(&hits, |key| filter.contains(key)), &mut || {
                timing::ask(&misses, |key| filter.contains(key))
            }],
        );
        let fill = bloom::fill(bits, items, probes);
        let predicted = |fill| bloom::bits_read_to_reject(fill, probes);
        agree &= rejected.agrees(predicted, fill, fill_deviation(size, items));
        constant &= found.bits == 7 * found.queries && found.queries == hits.len() as u64;
        let x = items as f64;
        reads[0].measured.push((x, found.mean()));
        reads[0].predicted.push((x, f64::from(probes)));
        reads[1].measured.push((x, rejected.mean()));
        reads[1].predicted.push((x, predicted(fill)));
        times[0].measured.push((x, hit));
        times[1].measured.push((x, miss));
        table.row([
            Cell::Count(items),
            Cell::Bytes(bits / 8),
            Cell::Number(found.mean(), 3),
            Cell::Number(rejected.mean(), 3),
            Cell::Number(predicted(fill), 3),
            Cell::Nanoseconds(hit),
            Cell::Nanoseconds(miss),
        ]);
        effort.tell(done + 1, sizes.len());
    }
    let chart = |title: &str, y, series: &[Series]| {
        let x = Axis::log("items", Unit::Count);
        Picture::Chart(Chart { title: title.to_string(), x, y, series: series.to_vec() })
    };
    let mut made = Made { table, ..Made::default() };
    let y = Axis::linear("bits read by a query", Unit::Plain);
    made.pictures
        .push(("reads", chart("The number of probes does not grow with the keys", y, &reads)));
    let y = Axis::linear("time of a query", Unit::Nanoseconds);
    made.pictures.push(("time", chart("The time of a query grows with the keys", y, &times)));
    made.notes.push(timing::NOTE.to_string());
    made.notes.push(
        "The text says that the time of a query is the same with 1,000 and with 100 million keys. \
         The number of probes is. The time grows when the bits no longer fit a cache, since a \
         present key reads seven places far apart."
            .to_string(),
    );
    made.claim("a present key reads 7 bits, with any number of items", constant);
    made.claim(
        "an absent key reads as many as predicted, within what chance allows: about 2",
        agree,
    );
    Ok(made)
}
