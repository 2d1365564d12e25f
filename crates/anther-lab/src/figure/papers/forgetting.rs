//! Filters that forget: a no of theirs is not certain.

use super::super::sample::{ABSENT, Sample, broken, filled, rates, share_found};
use super::super::tally::seed;
use super::super::{Effort, Made, grid};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::sizing::generalized::Rule;
use anther::sizing::stable::{self, Chain};
use anther::units;
use anther::{Filter, Generalized, Insert, Key, Stable};

/// A share of zeros at the start, and which bits are ones then.
type Start = (&'static str, f64, fn(u64) -> bool);

/// Laufer, Velloso and Duarte 2005: functions that clear beside functions that set.
pub fn generalized(effort: &Effort<'_>) -> Result<Made, Error> {
    const RULE: Rule = Rule { bits: 304, clears: 2, sets: 2 };
    let Rule { bits, clears, sets } = RULE;
    let starts: [Start; 3] = [
        ("empty at the start", 1.0, |_| false),
        ("half full", 0.5, |bit| bit % 2 == 0),
        ("all ones", 0.0, |_| true),
    ];
    let mut table =
        Table::new(["what", "keys", "known", "published form", "predicted", "measured"]);
    let known = |start: &str, items: u64| match (start, items) {
        ("empty at the start", 10) => Cell::Rate(0.0041),
        ("empty at the start", 30) => Cell::Rate(0.0204),
        ("half full", 200) => Cell::Rate(0.0645),
        ("all ones", 30) => Cell::Rate(0.0194),
        _ => Cell::Empty,
    };
    let mut made = Made::default();
    let (mut within, mut bounded) = (true, true);
    let mut series = Vec::new();
    for (name, zeros, is_one) in starts {
        let mut one = Series::new(name);
        for items in [3, 10, 30, 100, 200] {
            let make = |number| {
                filled(Generalized::with_start(bits, clears, sets, seed(number), is_one), items)
            };
            let sample = rates(effort.choose(400, 2000), 2000, make)?;
            let left = RULE.zeros(zeros, items);
            let due = RULE.rate_at(left * bits as f64);
            within &= sample.agrees(due);
            bounded &= sample.mean() <= RULE.worst_rate() + 6.0 * sample.error();
            one.measured.push((items as f64, sample.mean()));
            table.row([
                Cell::Text(format!("rate, {name}")),
                Cell::Count(items),
                known(name, items),
                Cell::Rate(RULE.published_rate(left)),
                Cell::Rate(due),
                Cell::Rate(sample.mean()),
            ]);
        }
        let rate = |items| RULE.rate_at(RULE.zeros(zeros, items) * bits as f64);
        one.predicted = grid(3, 200).map(|items| (items as f64, rate(items))).collect();
        series.push(one);
        effort.tell(series.len(), 4);
    }
    let mut worst = Series::new("highest rate");
    worst.predicted = vec![(3.0, RULE.worst_rate()), (200.0, RULE.worst_rate())];
    series.push(worst);
    made.chart(
        "",
        Chart {
            title: "Generalized filter, 304 bits, two functions clear and two set".into(),
            x: Axis::log("keys put in", Unit::Count),
            y: Axis::linear("false-positive rate", Unit::Rate),
            series,
        },
    );
    let ages = [1, 2, 5, 10, 29, 60, 100];
    let mut lost = Series::new("forgotten");
    for (later, sample) in
        ages.into_iter().zip(forgotten(RULE, &ages, effort.choose(20_000, 100_000))?)
    {
        let due = RULE.misses(later);
        within &= sample.agrees(due);
        lost.measured.push((later as f64, sample.mean()));
        let known = match later {
            1 => Cell::Rate(0.0266),
            5 => Cell::Rate(0.123),
            29 => Cell::Rate(0.507),
            _ => Cell::Empty,
        };
        table.row([
            "forgotten after so many others".into(),
            Cell::Count(later),
            known,
            Cell::Rate(RULE.published_misses(later)),
            Cell::Rate(due),
            Cell::Rate(sample.mean()),
        ]);
    }
    lost.predicted = grid(1, 100).map(|later| (later as f64, RULE.misses(later))).collect();
    made.chart(
        "forgotten",
        Chart {
            title: "The share of keys forgotten after so many others".into(),
            x: Axis::log("later keys", Unit::Count),
            y: Axis::linear("forgotten", Unit::Rate),
            series: vec![lost],
        },
    );
    made.table = table;
    made.claim("rates and shares are as predicted, within what chance allows", within);
    made.claim(
        "whatever the start, the rate does not pass its highest by more than chance allows",
        bounded,
    );
    made.note("Known are earlier simulations; the published form takes b0 and b1 bits on average.");
    Ok(made)
}

/// For each of `ages`: the share of filters that have forgotten their first key after that many
/// others.
fn forgotten(rule: Rule, ages: &[u64], filters: u32) -> Result<Vec<Sample>, Error> {
    let mut missed = vec![0u64; ages.len()];
    for number in 0..filters {
        let made = Generalized::with_bits(rule.bits, rule.clears, rule.sets, seed(number));
        let mut filter = filled(made, 1)?;
        let first = 0u64.key_hash(filter.seed());
        let mut later = 0;
        for (age, missed) in ages.iter().zip(&mut missed) {
            while later < *age {
                later += 1;
                let hash = later.key_hash(filter.seed());
                filter.insert_hash(hash).map_err(broken)?;
            }
            *missed += u64::from(!filter.contains_hash(first));
        }
    }
    let sample = |missed: u64| {
        let mut sample = Sample::default();
        sample.push(missed as f64 / f64::from(filters), filters.into());
        sample
    };
    Ok(missed.into_iter().map(sample).collect())
}

/// K, bits of a cell, P, and in print: zeros and the rate for ever.
const CHAINS: [(u32, u32, u64, [&str; 2]); 4] = [
    (3, 1, 4, ["0.57142", "0.07872"]),
    (3, 2, 13, ["0.53637", "0.09966"]),
    (2, 3, 36, ["0.68490", "0.09929"]),
    (6, 2, 26, ["0.53636", "0.00993"]),
];

fn empty(chain: Chain, number: u32) -> Result<Stable, Error> {
    let Chain { cells, probes, bits, decrements } = chain;
    Stable::with_cells(cells, probes, bits, decrements, seed(number)).map_err(broken)
}

fn arrive(filter: &mut Stable, keys: std::ops::Range<u64>) -> Result<(), Error> {
    for key in keys {
        let hash = key.key_hash(filter.seed());
        filter.insert_hash(hash).map_err(broken)?;
    }
    Ok(())
}

/// Deng and Rafiei 2006: duplicates in a stream without end.
pub fn stable(effort: &Effort<'_>) -> Result<Made, Error> {
    const CELLS: u64 = 100_000;
    let lengths = [10_000, 30_000, 100_000, 300_000];
    let mut table = Table::new([
        "k, max, p",
        "arrivals",
        "zeros published",
        "zeros predicted",
        "zeros",
        "rate published",
        "rate predicted",
        "rate",
    ]);
    let (mut within, mut series) = (true, Vec::new());
    for (probes, bits, decrements, [zeros_printed, rate_printed]) in CHAINS {
        let chain = Chain { cells: CELLS, probes, bits, decrements };
        let max = (1 << bits) - 1;
        let name = format!("{probes}, {max}, {decrements}");
        let mut one = Series::new(format!("K={probes}, Max={max}, P={decrements}"));
        let mut all = (0..3).map(|number| empty(chain, number)).collect::<Result<Vec<_>, _>>()?;
        let mut before = 0;
        for length in lengths {
            let (mut zeros, mut rate) = (Sample::default(), Sample::default());
            for filter in &mut all {
                arrive(filter, before..length)?;
                zeros.push(1.0 - filter.profile().fill, CELLS);
                let asked = effort.choose(50_000, 500_000);
                rate.push(share_found(filter, ABSENT, asked), asked);
            }
            before = length;
            within &= zeros.agrees(chain.zeros(length)) && rate.agrees(chain.rate(length));
            one.measured.push((length as f64, rate.mean()));
            let last = length == 300_000;
            let printed = |text: &str| if last { text.into() } else { Cell::Empty };
            table.row([
                Cell::Text(name.clone()),
                Cell::Count(length),
                printed(zeros_printed),
                Cell::Number(chain.zeros(length), 5),
                Cell::Number(zeros.mean(), 5),
                printed(rate_printed),
                Cell::Number(chain.rate(length), 5),
                Cell::Number(rate.mean(), 5),
            ]);
        }
        one.predicted =
            grid(3000, 300_000).map(|length| (length as f64, chain.rate(length))).collect();
        let for_ever = stable::published_zeros(CELLS, probes, max, decrements as f64);
        within &= format!("{for_ever:.5}") == zeros_printed;
        series.push(one);
        effort.tell(series.len(), 6);
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "Stable filter: the rate levels off, however long the stream".into(),
            x: Axis::log("arrivals", Unit::Count),
            y: Axis::linear("false-positive rate", Unit::Rate),
            series,
        },
    );
    let (lost, near) = missed(effort)?;
    made.chart(
        "misses",
        Chart {
            title: "The share forgotten of keys that arrived so long ago: 20,000 cells, K=3".into(),
            x: Axis::log("arrivals since", Unit::Count),
            y: Axis::linear("forgotten", Unit::Rate),
            series: lost,
        },
    );
    made.claim("zeros and rates are as predicted, within what chance allows", within);
    made.claim("so are the shares of keys forgotten", near);
    made.note("Published is the limit for ever; 300,000 arrivals come to it.");
    Ok(made)
}

/// The share of keys forgotten, by how long ago they arrived, in filters that have settled.
fn missed(effort: &Effort<'_>) -> Result<(Vec<Series>, bool), Error> {
    let mut series = Vec::new();
    let mut near = true;
    for (bits, decrements, ages) in
        [(2, 13, [300u64, 1000, 2000, 3000, 5000]), (1, 4, [50, 200, 500, 1000, 3000])]
    {
        let chain = Chain { cells: 20_000, probes: 3, bits, decrements };
        let mut samples = vec![Sample::default(); ages.len()];
        for number in 0..effort.choose(5, 20) {
            let mut filter = empty(chain, number)?;
            // The filters lower the same cells in turn, so each goes on a while longer.
            let settled = (8 + 2 * u64::from(number)) * 5000;
            arrive(&mut filter, 0..settled)?;
            let mut missed = vec![0u64; ages.len()];
            let asked = 10_000;
            for key in settled..settled + asked {
                arrive(&mut filter, key..key + 1)?;
                for (age, missed) in ages.iter().zip(&mut missed) {
                    let hash = (key + 1 - age).key_hash(filter.seed());
                    *missed += u64::from(!filter.contains_hash(hash));
                }
            }
            for (sample, missed) in samples.iter_mut().zip(missed) {
                sample.push(missed as f64 / asked as f64, asked);
            }
        }
        let max = (1 << bits) - 1;
        let mut one = Series::new(format!("Max={max}, P={}", units::count(decrements)));
        for (age, sample) in ages.into_iter().zip(&samples) {
            near &= sample.agrees(chain.misses(age));
            one.measured.push((age as f64, sample.mean()));
        }
        one.predicted = grid(50, 5000).map(|age| (age as f64, chain.misses(age))).collect();
        series.push(one);
    }
    Ok((series, near))
}
