//! Keys of different lengths (§4.2).

use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::figure::structures::{Keys, Structure, bytes, weight};
use crate::figure::tally::{Tally, seed};
use crate::figure::{Effort, Made, Picture, timing};
use crate::table::{Cell, Table};
use anther::sizing::bloom;
use anther::units::whole;
use anther::{Classic, Target};
use std::hint::black_box;

const RATE: f64 = 0.01;
/// Few enough that a thousand bytes of each are no burden.
const ITEMS: u64 = 20_000;
const LENGTHS: [u32; 8] = [8, 16, 32, 64, 128, 256, 512, 1024];

/// "The memory does not depend on the size of the elements."
pub fn key_length(effort: &Effort<'_>) -> Result<Made, Error> {
    let broken = |error| Error::about("key-length", error);
    let items = effort.choose(ITEMS, 10 * ITEMS);
    let target = Target::new(items, RATE).map_err(|error| broken(error.into()))?;
    let mut table = Table::new([
        "key bytes",
        "filter",
        "file bytes",
        "hash table",
        "query",
        "rate",
        "rate predicted",
    ]);
    let mut memory = ["filter", "hash table"].map(Series::new);
    let mut time = Series::new("query");
    let (mut agree, mut files, mut weights) = (true, Vec::new(), Vec::new());
    for (done, length) in LENGTHS.into_iter().enumerate() {
        let mut filter = Classic::with_seed(target, seed(0)).map_err(broken)?;
        let present: Vec<Box<[u8]>> = (0..items).map(|number| bytes(number, length)).collect();
        filter.extend(&present);
        let mut tally = Tally { filters: 1, ..Tally::default() };
        for number in items..11 * items {
            tally.asked += 1;
            tally.wrong += u64::from(filter.contains(bytes(number, length)));
        }
        // In the order in which they lie in memory: the reading of long keys is not to be measured.
        let ask = |keys: &[Box<[u8]>]| {
            let found = || keys.iter().filter(|key| filter.contains(*key)).count();
            timing::a_step(keys.len() as u64, || {
                black_box(found());
            })
        };
        let near = &present[..500];
        let [query] = timing::medians(200, [&mut || ask(near)]);
        let mut file = Vec::new();
        filter.write_to(&mut file).map_err(|error| Error::about("key-length", error))?;
        files.push(file.len() as u64);
        let keys = Keys::Bytes(length);
        let filter_bytes = weight(Structure::Filter, keys, items)?.0;
        let set_bytes = weight(Structure::HashSet, keys, items)?.0;
        weights.push((filter_bytes, set_bytes));
        let profile = filter.profile();
        let predicted = bloom::rate(profile.bits, items, profile.probes);
        agree &= tally.agrees(predicted, bloom::spread(profile.bits, items, profile.probes));
        let x = f64::from(length);
        memory[0].measured.push((x, filter_bytes));
        memory[0].predicted.push((x, profile.bits as f64 / 8.0));
        memory[1].measured.push((x, set_bytes));
        time.measured.push((x, query));
        table.row([
            Cell::Count(length.into()),
            Cell::Bytes(whole(filter_bytes)),
            Cell::Count(file.len() as u64),
            Cell::Bytes(whole(set_bytes)),
            Cell::Nanoseconds(query),
            Cell::Rate(tally.rate()),
            Cell::Rate(predicted),
        ]);
        effort.tell(done + 1, LENGTHS.len());
    }
    let mut made = Made { table, ..Made::default() };
    let chart = |title: &str, y, series| {
        let x = Axis::log("bytes of a key", Unit::Plain);
        Picture::Chart(Chart { title: title.to_string(), x, y, series })
    };
    let count = anther::units::count(items);
    let title = format!("Memory of {count} keys against their length");
    let y = Axis::log("memory", Unit::Bytes);
    made.pictures.push(("memory", chart(&title, y, memory.to_vec())));
    let y = Axis::linear("time of a query", Unit::Nanoseconds);
    made.pictures.push(("time", chart("Time of a query against the key's length", y, vec![time])));
    made.notes.push(timing::NOTE.to_string());
    made.notes.push(
        "Keys of the hash table are boxes of bytes: 16 bytes in it, and the key elsewhere. A filter \
         keeps none of a key; only hashing takes longer."
            .to_string(),
    );
    made.claim(
        "the filters' files are equally long, to the byte",
        files.iter().all(|n| *n == files[0]),
    );
    let (least, most) = weights
        .iter()
        .fold((f64::INFINITY, 0.0f64), |(least, most), (one, _)| (least.min(*one), most.max(*one)));
    made.claim("the filters' memory is the same for all lengths, within 5 %", most < 1.05 * least);
    // Below 32 bytes the allocator's least piece is larger than the keys.
    let long = weights.iter().map(|(_, set)| *set).skip(2);
    made.claim(
        "the hash table's grows with every length from 32 bytes on",
        long.is_sorted_by(|a, b| a < b),
    );
    made.claim("each measured rate is the predicted one, within what chance allows", agree);
    Ok(made)
}
