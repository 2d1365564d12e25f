//! Bruck, Gao and Jiang 2006: more probes for frequent queries, and what their table costs.

use super::super::sample::{Random, Sample, broken};
use super::super::tally::seed;
use super::super::{Effort, Made, grid};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::sizing::bloom;
use anther::sizing::weighted::{self as sizing, Demand, ENTRY_BITS};
use anther::{Classic, Insert, KeyHash, Queries, Shape, Weighted};

const UNIVERSE: u64 = 20_000;
const ITEMS: u64 = 2000;
const BITS: u64 = 16_000;
/// How likely a key is in the set.
const LIKELIHOOD: f64 = 0.1;
/// Up to this many entries the classic filter with their bits is drawn: beyond, its rate falls so
/// fast that nothing else would be seen.
const CLASSIC_SHOWN: u64 = 200;

/// Zipf's law: the share of the queries that each key gets.
fn shares() -> Vec<f64> {
    let all: f64 = (1..=UNIVERSE).map(|rank| 1.0 / rank as f64).sum();
    (1..=UNIVERSE).map(|rank| 1.0 / rank as f64 / all).collect()
}

/// What the first `hot` keys ask for, and what the others do together.
fn demands(shares: &[f64], hot: usize) -> Vec<Demand> {
    let demand = |share: f64, members| Demand { asked: share * (1.0 - LIKELIHOOD), members };
    let others = shares[hot..].iter().sum();
    let rest = (hot < shares.len()).then(|| demand(others, ITEMS as f64 - LIKELIHOOD * hot as f64));
    shares[..hot].iter().map(|share| demand(*share, LIKELIHOOD)).chain(rest).collect()
}

/// The entries of a table that may have the first `hot` keys, and the rate with it. Keys that get
/// as many probes as all others need no entry.
fn predicted(shares: &[f64], hot: usize) -> (u64, f64) {
    let probes = bloom::best_probes(BITS, ITEMS);
    let demands = demands(shares, hot);
    let Some(level) = sizing::best_level(BITS, ITEMS, probes, &demands) else {
        return (0, bloom::rate(BITS, ITEMS, probes));
    };
    let entries = demands[..hot].iter().filter(|demand| level.probes(demand) != level.others);
    (entries.count() as u64, level.rate)
}

/// A classic filter in as many bits, and those of the table besides.
fn instead(hot: u64) -> f64 {
    let bits = BITS + hot * ENTRY_BITS;
    bloom::rate(bits, ITEMS, bloom::best_probes(bits, ITEMS))
}

/// A key's hash, another one in each trial: where a frequent key's bits lie is chance, too.
fn key(trial: u32, rank: u64) -> KeyHash {
    seed(trial).hash_integer(rank)
}

/// The rate over the questions for absent keys, of filters with other members each. All keys are
/// asked, each by its weight.
fn measured<F: Insert>(
    shares: &[f64],
    trials: u32,
    empty: impl Fn(u32) -> Result<F, Error>,
) -> Result<Sample, Error> {
    let mut sample = Sample::default();
    for trial in 0..trials {
        let mut random = Random::new(trial + 1);
        let mut order: Vec<(u64, u64)> = (0..UNIVERSE).map(|rank| (random.draw(), rank)).collect();
        order.sort_unstable();
        let mut filter = empty(trial)?;
        let (mut asked, mut wrong) = (0.0, 0.0);
        for (number, (_, rank)) in (0..).zip(order) {
            if number < ITEMS {
                filter.insert_hash(key(trial, rank)).map_err(broken)?;
                continue;
            }
            let share = usize::try_from(rank).ok().and_then(|rank| shares.get(rank));
            let share = share.copied().unwrap_or_default();
            asked += share;
            wrong += if filter.contains_hash(key(trial, rank)) { share } else { 0.0 };
        }
        // As if asked without end: the deviation is that between the filters.
        sample.push(wrong / asked, 1 << 40);
    }
    Ok(sample)
}

/// Rate against the number of keys in the table.
pub fn weighted(effort: &Effort<'_>) -> Result<Made, Error> {
    let shares = shares();
    let trials = effort.choose(40, 200);
    // The first key alone is a tenth of the queries: rates of classic filters lie far apart.
    let many = effort.choose(400, 2000);
    let mut table = Table::new([
        "entries",
        "bits",
        "bits with the table",
        "known",
        "predicted",
        "measured",
        "classic in all bits",
    ]);
    let mut series =
        ["weighted, table not counted", "classic with the table's bits"].map(Series::new);
    let mut within = true;
    let shape = Shape::bits(BITS).items(ITEMS);
    let classic =
        measured(&shares, many, |trial| Classic::with_shape(shape, seed(trial)).map_err(broken))?;
    within &= classic.agrees(instead(0));
    table.row([
        "none: classic".into(),
        Cell::Count(BITS),
        Cell::Count(BITS),
        Cell::Rate(0.02116),
        Cell::Rate(instead(0)),
        Cell::Rate(classic.mean()),
        Cell::Empty,
    ]);
    let all = shares.len();
    let mut last = 1.0;
    for (done, hot) in [10, 100, 1000, all].into_iter().enumerate() {
        let make = |trial| {
            let pairs = (0..).zip(&shares).map(|(rank, share)| (key(trial, rank), *share));
            let queries = Queries::weighted(pairs).map_err(broken)?.hot(hot);
            let queries = queries.likelihood(LIKELIHOOD).map_err(broken)?;
            Weighted::with_bits(BITS, ITEMS, &queries, seed(trial)).map_err(broken)
        };
        let (filter, sample) = (make(0)?, measured(&shares, trials, make)?);
        let (entries, due) = (filter.hot_keys() as u64, predicted(&shares, hot).1);
        within &= sample.agrees(due);
        series[0].measured.push((entries as f64, sample.mean()));
        last = sample.mean();
        table.row([
            Cell::Text(anther::units::count(entries)),
            Cell::Count(BITS),
            Cell::Count(filter.profile().bits),
            if hot == all { Cell::Rate(0.00568) } else { Cell::Empty },
            Cell::Rate(due),
            Cell::Rate(sample.mean()),
            Cell::Rate(instead(entries)),
        ]);
        effort.tell(done + 1, 4);
    }
    for hot in grid(1, UNIVERSE) {
        let at = usize::try_from(hot).unwrap_or(all).min(all);
        let (entries, rate) = predicted(&shares, at);
        series[0].predicted.push((entries as f64, rate));
        if hot <= CLASSIC_SHOWN {
            series[1].predicted.push((hot as f64, instead(hot)));
        }
    }
    let ideal = sizing::ideal_rate(BITS, &demands(&shares, all));
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "Rate over questions by Zipf's law: 2,000 of 20,000 keys, 16,000 bits".into(),
            x: Axis::log("entries of the table", Unit::Count),
            y: Axis::log("rate over the questions", Unit::Rate),
            series: series.to_vec(),
        },
    );
    made.claim("each measured rate is the predicted one, within what chance allows", within);
    made.claim(
        "with every key that gains by an entry the rate is less than a third of classic's",
        last < instead(0) / 3.0,
    );
    made.claim(
        "but a classic filter in the bits of 100 entries more is better",
        instead(100) < predicted(&shares, 100).1,
    );
    made.note(format!(
        "Known: 0.568 %, where {} is ideal, in a universe whose table is not counted. An \
         entry takes {ENTRY_BITS} bits; keys that get as many probes as all others have none. The \
         line of the classic filter ends at {CLASSIC_SHOWN} entries: at 1,000 its rate is {}.",
        anther::units::rate(ideal),
        anther::units::rate(instead(1000))
    ));
    Ok(made)
}
