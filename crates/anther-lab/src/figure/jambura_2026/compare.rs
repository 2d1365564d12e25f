//! A filter beside a hash table, a balanced tree (table 1 and §4.4) and a plain list (§1.1).
//!
//! The sets are those of Rust's library: a table with open addressing, where the text has one with
//! lists, and a B-tree, where it may think of a binary one. Both are what one would use in place of
//! a filter today, and both are smaller than what the text has. The list is an array in no order.

use crate::chart::{Axis, Chart, Line, Series, Unit};
use crate::error::Error;
use crate::figure::structures::{Keys, Structure, weight};
use crate::figure::tally::Tally;
use crate::figure::{Effort, Made, Picture, grid, timing};
use crate::table::{Cell, Table};
use anther::{Classic, Kind, Options, Target};
use std::collections::{BTreeSet, HashSet};

const RATE: f64 = 0.01;
const NAMES: [&str; 4] = ["filter", "hash table", "tree", "list"];
/// Keys that a round of lookups in the list passes: as long as other rounds take, or so.
const MOST_PASSED: u64 = 20_000_000;
const WHICH: &str = "The sets are those of Rust's library: HashSet, a hash table with open addressing \
                     and SipHash, and BTreeSet, a B-tree; the list is an array in no order. The \
                     text's own structures, a table with chaining and a balanced binary tree, are \
                     in the figure chains, with the worst case.";

fn broken(error: anther::SizeError) -> Error {
    Error::about("compare", error)
}

fn target(items: u64) -> Result<Target, Error> {
    Target::new(items, RATE).map_err(|error| broken(error.into()))
}

/// Nanoseconds of an insert, of a lookup of a present and of an absent key: in a filter,
/// in a hash table, in a tree and in a list. And the wrong answers: of the filter to absent keys,
/// and all others, of which there should be none.
fn times(items: u64, rounds: usize) -> Result<([[f64; 4]; 3], Tally, u64), Error> {
    let empty = Classic::new(target(items)?).map_err(broken)?;
    let keys = timing::members(items);
    let (hits, misses) = (timing::hits(items, 100_000), timing::misses(items, 100_000));
    let inserts = timing::medians(
        rounds,
        [
            &mut || timing::insert(|| empty.clone(), &keys),
            // Both know how many will come.
            &mut || timing::insert(|| HashSet::with_capacity(keys.len()), &keys),
            &mut || timing::insert(BTreeSet::new, &keys),
            &mut || timing::insert(|| Vec::with_capacity(keys.len()), &keys),
        ],
    );
    let mut filter = empty;
    filter.extend(keys.iter().copied());
    let table: HashSet<u64> = keys.iter().copied().collect();
    let tree: BTreeSet<u64> = keys.iter().copied().collect();
    let mut asked = [[0.0; 4]; 2];
    let few = usize::try_from(MOST_PASSED / items).unwrap_or(0).clamp(1, hits.len());
    for (times, asked) in asked.iter_mut().zip([&hits, &misses]) {
        *times = timing::medians(
            rounds,
            [
                &mut || timing::ask(asked, |key| filter.contains(key)),
                &mut || timing::ask(asked, |key| table.contains(&key)),
                &mut || timing::ask(asked, |key| tree.contains(&key)),
                &mut || timing::ask(&asked[..few], |key| keys.contains(&key)),
            ],
        );
    }
    let mut tally = Tally::default();
    tally.ask(&filter, misses.iter().copied());
    let lost =
        |key: &&u64| !(filter.contains(**key) && table.contains(*key) && tree.contains(*key));
    let lost = hits.iter().filter(lost).count();
    let invented = misses.iter().filter(|key| table.contains(*key) || tree.contains(*key)).count();
    // The list takes too long for all of them.
    let is_wrong = |[hit, miss]: &[&u64; 2]| !keys.contains(hit) || keys.contains(miss);
    let wrong = hits.iter().zip(&misses).take(few).map(<[_; 2]>::from).filter(is_wrong).count();
    Ok(([inserts, asked[0], asked[1]], tally, (lost + invented + wrong) as u64))
}

/// Table 1, the times of it.
pub fn time(effort: &Effort<'_>) -> Result<Made, Error> {
    let sizes = [1000, 10_000, 100_000, 1_000_000, 10_000_000];
    let kinds = ["insert", "hit", "miss"];
    let mut table = Table::new(["items", "structure", "insert", "hit", "miss"]);
    let mut charts = kinds.map(|_| NAMES.map(Series::new));
    let (mut wrong, mut within) = (0, true);
    for (done, &items) in sizes.iter().enumerate() {
        let rounds = match items {
            0..10_000_000 => 3,
            _ => 1,
        };
        let (times, tally, others) = times(items, rounds)?;
        let plan = Kind::Classic.plan(target(items)?, &Options::new()).map_err(broken)?;
        let spread = anther::sizing::bloom::spread(plan.bits, items, plan.probes);
        within &= tally.agrees(plan.fpr, spread);
        wrong += others;
        for (series, times) in charts.iter_mut().zip(times) {
            for (series, time) in series.iter_mut().zip(times) {
                series.measured.push((items as f64, time));
            }
        }
        for (at, name) in NAMES.into_iter().enumerate() {
            let [insert, hit, miss] = times.map(|times| Cell::Nanoseconds(times[at]));
            table.row([Cell::Count(items), name.into(), insert, hit, miss]);
        }
        effort.tell(done + 1, sizes.len());
    }
    let mut made = Made { table, ..Made::default() };
    let titles =
        ["Time of an insert", "Time to find a present key", "Time to reject an absent key"];
    for ((ending, title), series) in kinds.into_iter().zip(titles).zip(charts) {
        let chart = Chart {
            title: title.to_string(),
            x: Axis::log("items", Unit::Count),
            y: Axis::log("time", Unit::Nanoseconds),
            series: series.to_vec(),
        };
        made.pictures.push((ending, Picture::Chart(chart)));
    }
    made.notes.extend([timing::NOTE, WHICH].map(String::from));
    made.claim("no present key is missed, and the sets are never wrong", wrong == 0);
    made.claim("the filter's rate is the predicted one, within what chance allows", within);
    Ok(made)
}

/// How many slots the hash table has for `items` keys: the next power of two, of which an eighth
/// stays free.
fn slots(items: u64) -> u64 {
    (items * 8).div_ceil(7).next_power_of_two()
}

/// How many bytes a set takes with any number of items: slots as far as they are known, and for the
/// rest as many per key as were measured with the most keys.
struct Extrapolated {
    slot: f64,
    a_key: f64,
}

impl Extrapolated {
    fn fit(structure: Structure, keys: Keys, items: u64, bytes: f64) -> Extrapolated {
        // A key and a byte of its hash.
        let slot = match (structure, keys) {
            (Structure::HashSet, Keys::Numbers) => size_of::<u64>() + 1,
            (Structure::HashSet, _) => size_of::<String>() + 1,
            _ => 0,
        } as f64;
        let a_key = (bytes - slot * slots(items) as f64) / items as f64;
        Extrapolated { slot, a_key: a_key.max(0.0) }
    }

    fn bytes(&self, items: u64) -> f64 {
        self.slot * slots(items) as f64 + self.a_key * items as f64
    }
}

/// §4.4: 100 million URLs in 120 MB, where a hash table takes over a gigabyte.
pub fn memory(effort: &Effort<'_>) -> Result<Made, Error> {
    const MOST: u64 = 100_000_000;
    let sizes = [1000, 10_000, 100_000, 1_000_000, 10_000_000];
    // Ten million strings take a minute to weigh and more than a gigabyte.
    let urls = effort.choose(4, 5);
    let mut table = Table::new([
        "keys",
        "items",
        "filter",
        "filter predicted",
        "table",
        "table extrapolated",
        "tree",
        "tree extrapolated",
        "list",
        "list extrapolated",
    ]);
    let mut made = Made::default();
    let filter_bytes = |items: u64| -> Result<f64, Error> {
        let plan = Kind::Classic.plan(target(items)?, &Options::new()).map_err(broken)?;
        Ok(plan.bits as f64 / 8.0)
    };
    let (mut close, mut measured, mut done) = (true, true, 0);
    let mut times_of_urls = f64::INFINITY;
    for (keys, name) in [(Keys::Numbers, "numbers"), (Keys::Urls, "urls")] {
        let shown = if keys == Keys::Urls { "URLs" } else { name };
        let mut series = NAMES.map(|name| match name {
            "filter" => Series::new(name),
            _ => Series::new(name).with_line(Line::Extrapolated),
        });
        let mut weights = Vec::new();
        let sizes = if keys == Keys::Urls { &sizes[..urls] } else { &sizes[..] };
        for &items in sizes {
            let mut row = [0.0; 4];
            for (at, structure) in Structure::ALL.into_iter().enumerate() {
                let (bytes, told) = weight(structure, keys, items)?;
                measured &= told;
                row[at] = bytes;
                series[at].measured.push((items as f64, bytes / items as f64));
            }
            // Smaller ones are mostly what describes them.
            if items >= 100_000 {
                close &= (row[0] / filter_bytes(items)? - 1.0).abs() < 0.05;
                if keys == Keys::Urls {
                    times_of_urls = times_of_urls.min(row[1].min(row[2]).min(row[3]) / row[0]);
                }
            }
            weights.push(row);
            done += 1;
            effort.tell(done, 2 * sizes.len());
        }
        let (last, [_, hash, tree, list]) = match (sizes.last(), weights.last()) {
            (Some(items), Some(row)) => (*items, *row),
            _ => continue,
        };
        let hash = Extrapolated::fit(Structure::HashSet, keys, last, hash);
        let tree = Extrapolated::fit(Structure::BTree, keys, last, tree);
        let list = Extrapolated::fit(Structure::List, keys, last, list);
        let predict = |items: u64| -> Result<[f64; 4], Error> {
            Ok([filter_bytes(items)?, hash.bytes(items), tree.bytes(items), list.bytes(items)])
        };
        for items in grid(1000, MOST) {
            for (series, bytes) in series.iter_mut().zip(predict(items)?) {
                series.predicted.push((items as f64, bytes / items as f64));
            }
        }
        let beyond = [10_000_000, MOST].into_iter().filter(|items| !sizes.contains(items));
        for (at, items) in sizes.iter().copied().chain(beyond).enumerate() {
            let bytes = |bytes: f64| Cell::Bytes(anther::units::whole(bytes));
            let weighed = |one: usize| weights.get(at).map_or(Cell::Empty, |row| bytes(row[one]));
            let [filter, hash, tree, list] = predict(items)?.map(bytes);
            table.row([
                name.into(),
                Cell::Count(items),
                weighed(0),
                filter,
                weighed(1),
                hash,
                weighed(2),
                tree,
                weighed(3),
                list,
            ]);
        }
        let chart = Chart {
            title: format!(
                "Bytes per key of a filter at 1 %, a hash table, a tree and a list: {shown}"
            ),
            x: Axis::log("items", Unit::Count),
            // By the key, since in bytes two of the lines would be one.
            y: Axis::linear("bytes per key", Unit::Plain),
            series: series.to_vec(),
        };
        made.pictures.push((name, Picture::Chart(chart)));
    }
    made.table = table;
    made.notes.push(WHICH.to_string());
    made.notes.push(
        "Measured: how much a process of its own grows; many structures of few keys are measured \
         together. Predicted: the filter's bits, from its formula. Extrapolated: the hash table from \
         its slots, which double, and all else in proportion to the largest that was measured, 1 \
         million URLs, or 10 million with --full."
            .to_string(),
    );
    if !measured {
        made.notes.push("This system does not tell; what must be held at least stands in.".into());
    }
    let full = filter_bytes(MOST)? / 1e6;
    made.claim(
        format!("100 million keys at 1 % take some 120 MB: {full:.1} MB"),
        (119.0..121.0).contains(&full),
    );
    made.claim("from 100,000 keys on a filter takes what its formula says, within 5 %", close);
    made.claim(
        format!("URLs in sets take over 8 times as much, here at least {times_of_urls:.0} times"),
        times_of_urls > 8.0,
    );
    Ok(made)
}

/// Table 1 with its complexities, and what they come to.
pub fn table(effort: &Effort<'_>) -> Result<Made, Error> {
    let items = effort.choose(100_000, 1_000_000);
    let (times, tally, wrong) = times(items, 3)?;
    let mut table = Table::new([
        "property",
        "filter",
        "hash table (HashSet)",
        "tree (BTreeSet)",
        "list (array)",
    ]);
    let mut add = |name: &str, [a, b, c, d]: [Cell; 4]| table.row([name.into(), a, b, c, d]);
    add("time", ["O(k)", "O(1), at worst O(n)", "O(log n)", "O(n)"].map(Cell::from));
    let lookups = ["insert, mean", "find a present key, mean", "reject an absent key, mean"];
    for (name, times) in lookups.iter().zip(times) {
        add(name, times.map(Cell::Nanoseconds));
    }
    add("memory", ["O(m)", "O(n)", "O(n)", "O(n)"].map(Cell::from));
    for (keys, name) in [(Keys::Numbers, "bits per number"), (Keys::Urls, "bits per URL")] {
        let mut bits = [0.0; 4];
        for (bits, structure) in bits.iter_mut().zip(Structure::ALL) {
            *bits = 8.0 * weight(structure, keys, items)?.0 / items as f64;
        }
        add(name, bits.map(|bits| Cell::Number(bits, 1)));
    }
    add("answers", ["probabilistic", "exact", "exact", "exact"].map(Cell::from));
    let exact = wrong as f64 / items as f64;
    add("wrong, of absent keys", [tally.rate(), exact, exact, exact].map(Cell::Rate));
    add("keys can be listed", ["no", "yes", "yes, in order", "yes"].map(Cell::from));
    let mut made = Made { table, ..Made::default() };
    made.notes.push(format!(
        "Times, bits and wrong answers were measured with {} keys; the rest is what the text has, \
         but for the list, which it only names (§1.1). It says 64 bits or more an element for the hash table.",
        anther::units::count(items)
    ));
    made.notes.extend([timing::NOTE, WHICH].map(String::from));
    made.claim("no present key is missed, and the sets are never wrong", wrong == 0);
    made.claim(
        "the filter is wrong for 1 % of the absent keys, within what chance allows",
        tally.agrees(RATE, 0.01),
    );
    Ok(made)
}
