//! The cuckoo filter: how long an insert takes as it fills (§6). How full it gets is in the figure
//! of its paper, and how small it is in that of the bound: `cuckoo` and `lower-bound`.

use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::figure::tally::seed;
use crate::figure::{Effort, Made, Picture, timing};
use crate::table::{Cell, Table};
use anther::Cuckoo;
use anther::sizing::cuckoo::Load;
use anther::units::whole;

/// Wide enough that keys with one tag do not crowd.
const TAG_BITS: u32 = 16;
/// Not single cells: there the load at the first refusal is too much a matter of chance.
const BUCKETS: [u32; 3] = [2, 4, 8];
/// A filter each, and the median of their times.
const ROUNDS: u32 = 5;

fn empty(cells: u64, bucket: u32, number: u32) -> Result<Cuckoo, Error> {
    let buckets = cells / 2 / u64::from(bucket);
    Cuckoo::with_buckets(buckets, bucket, TAG_BITS, seed(number))
        .map_err(|error| Error::about("cuckoo-load", error))
}

/// The loads up to which inserts are timed together: each twentieth, and the published one in the
/// place of what lies above it.
fn loads(most: f64) -> impl Iterator<Item = f64> {
    let twentieths = (1..=20).map(|twentieth| f64::from(twentieth) / 20.0);
    twentieths.take_while(move |load| *load < most - 0.001).chain([most])
}

/// Nanoseconds an insert on the way from each of the loads to the next, and how many keys found no
/// room.
fn insert_times(
    mut filter: Cuckoo,
    keys: &[u64],
    loads: impl Iterator<Item = f64>,
) -> (Vec<f64>, u64) {
    let (mut times, mut inside, mut refused) = (Vec::new(), 0, 0);
    for load in loads {
        let until = usize::try_from(whole(load * keys.len() as f64)).unwrap_or(inside);
        let stretch = &keys[inside.min(until)..until];
        times.push(timing::a_step(stretch.len() as u64, || {
            refused += stretch.iter().filter(|key| filter.insert(**key).is_err()).count() as u64;
        }));
        inside = until;
    }
    (times, refused)
}

/// "With a high load the chain of displacements becomes long."
pub fn load(effort: &Effort<'_>) -> Result<Made, Error> {
    let cells = effort.choose(1u64 << 16, 1 << 20);
    let keys = timing::members(cells);
    let mut table = Table::new(["bucket", "load", "insert"]);
    let mut series = Vec::new();
    let mut refused = 0;
    for bucket in BUCKETS {
        let published = Load::of(bucket).published;
        let mut rounds = Vec::new();
        for number in 0..ROUNDS {
            let (times, none) =
                insert_times(empty(cells, bucket, number)?, &keys, loads(published));
            refused += none;
            rounds.push(times);
        }
        let mut one = Series::new(format!("buckets of {bucket}"));
        for (at, load) in loads(published).enumerate() {
            let mut times: Vec<f64> = rounds.iter().map(|round| round[at]).collect();
            times.sort_by(f64::total_cmp);
            let time = times[times.len() / 2];
            one.measured.push((load, time));
            table.row([Cell::Count(bucket.into()), Cell::Rate(load), Cell::Nanoseconds(time)]);
        }
        series.push(one);
        effort.tell(series.len(), BUCKETS.len());
    }
    let mut made = Made { table, ..Made::default() };
    made.pictures.push((
        "",
        Picture::Chart(Chart {
            title: "Cuckoo filter: time of an insert as the table fills".to_string(),
            x: Axis::linear("share of cells taken", Unit::Rate),
            y: Axis::log("time of an insert", Unit::Nanoseconds),
            series,
        }),
    ));
    made.notes.push(timing::NOTE.to_string());
    made.notes.push(format!(
        "Filters of {} cells; a time is that of the inserts since the load before it. Keys move \
         until all have room: the shortest chain of moves is searched, through 2,048 buckets at \
         most, which takes long where hardly a cell is free. The text says that fingerprints are \
         unique: they are not, or there would be no false positives. How full filters get at \
         most is in the figure cuckoo, and how many bits per key they take in lower-bound.",
        anther::units::count(cells)
    ));
    made.claim(
        "every key finds room until 84, 95 and 98 % of the cells are taken, in buckets of 2, 4, 8",
        refused == 0,
    );
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_rise_and_end_where_they_should() {
        for most in [0.84, 0.95, 0.98] {
            let loads: Vec<f64> = loads(most).collect();
            assert!(loads.is_sorted_by(|a, b| a < b) && loads.last() == Some(&most), "{loads:?}");
        }
        assert_eq!((loads(0.84).count(), loads(0.95).count(), loads(0.98).count()), (17, 19, 20));
    }
}
