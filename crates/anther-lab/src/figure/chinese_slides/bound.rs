//! "1.44": how many bits the kinds take above the least that any filter needs.

use super::super::sample::broken;
use super::super::tally::{Tally, seed};
use super::super::{Effort, Made};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::sizing::bound::{BLOOM_FACTOR, lower_bound_bits};
use anther::{AnyFilter, Filter, Key, Kind, Options, Target, Work};

const ITEMS: u64 = 100_000;
const KINDS: [Kind; 6] =
    [Kind::Classic, Kind::Blocked, Kind::Split, Kind::Cuckoo, Kind::Fuse, Kind::Ribbon];

/// The filter of 0, 1, 2 and so on.
fn built(kind: Kind, rate: f64) -> Result<AnyFilter, Error> {
    let target = Target::new(ITEMS, rate).map_err(broken)?;
    let seed = seed(0);
    let keys: Vec<_> = (0..ITEMS).map(|key| key.key_hash(&seed)).collect();
    AnyFilter::build(kind, &mut &keys[..], target, &Options::new(), seed, Work::new())
        .map_err(broken)
}

/// Rates from 50 % down, so that six lie between two that are ten times apart.
fn rates() -> impl Iterator<Item = f64> {
    (0..=26).map(|step| 0.5 * 10f64.powf(-f64::from(step) / 6.0))
}

/// "m 至少需要取到最小值的1.44倍": bits per key against the rate, for the bound and for real filters.
pub fn lower_bound(effort: &Effort<'_>) -> Result<Made, Error> {
    let mut table = Table::new([
        "kind",
        "rate asked",
        "rate predicted",
        "rate",
        "bits per key",
        "bound",
        "times the bound",
        "predicted times",
    ]);
    let mut bits_of = KINDS.map(|kind| Series::new(kind.name()));
    let mut times_of = bits_of.clone();
    let asked_rates = [0.1, 0.01, 0.001, 1e-4];
    let (mut within, mut above, mut factor) = (true, true, true);
    for (at, kind) in KINDS.into_iter().enumerate() {
        for rate in asked_rates {
            let target = Target::new(ITEMS, rate).map_err(broken)?;
            let plan = kind.plan(target, &Options::new()).map_err(broken)?;
            let filter = built(kind, rate)?;
            let profile = filter.profile();
            let mut tally = Tally::default();
            // About 400 false positives, and as many lookups for the rarest as time allows.
            let asked = effort.choose(1, 10) * if rate < 5e-4 { 3_000_000 } else { 400_000 };
            tally.ask(&filter, ITEMS..ITEMS + asked);
            // Filters of lines lie farther apart than those of plain bits: 1 % is more than either.
            within &= tally.agrees(plan.fpr, 0.01);
            let bits = profile.bits as f64 / ITEMS as f64;
            let bound = lower_bound_bits(1, tally.rate());
            above &= bits >= lower_bound_bits(1, plan.fpr);
            factor &= kind != Kind::Classic || (bits / bound / BLOOM_FACTOR - 1.0).abs() < 0.03;
            bits_of[at].measured.push((tally.rate(), bits));
            times_of[at].measured.push((tally.rate(), bits / bound));
            table.row([
                kind.name().into(),
                Cell::Rate(rate),
                Cell::Rate(plan.fpr),
                Cell::Rate(tally.rate()),
                Cell::Number(bits, 2),
                Cell::Number(bound, 2),
                Cell::Number(bits / bound, 3),
                Cell::Number(times(plan.bits, plan.fpr), 3),
            ]);
            effort.tell(table.rows.len(), KINDS.len() * asked_rates.len());
        }
        let mut plans = Vec::new();
        for rate in rates() {
            let target = Target::new(ITEMS, rate).map_err(broken)?;
            // Some kinds begin below the highest rates.
            let plan = kind.plan(target, &Options::new()).ok();
            // Whole bits of a tag make some rates much lower than asked; the chart ends at 1e-5.
            plans.extend(plan.filter(|plan| plan.fpr >= 1e-5).map(|plan| (plan.fpr, plan.bits)));
        }
        for (rate, bits) in best_line(plans) {
            bits_of[at].predicted.push((rate, bits / ITEMS as f64));
            times_of[at].predicted.push((rate, bits / lower_bound_bits(ITEMS, rate)));
        }
    }
    let mut made = Made { table, ..Made::default() };
    let least = Series {
        predicted: rates().map(|rate| (rate, lower_bound_bits(1, rate))).collect(),
        ..Series::new("bound log2(1/ε)")
    };
    // Six colours: split lies beside blocked, and is in the other chart.
    let shown = bits_of.into_iter().filter(|series| series.name != Kind::Split.name());
    made.chart(
        "",
        Chart {
            title: "Bits per key against the false-positive rate: 100,000 keys".into(),
            x: Axis::log("false-positive rate", Unit::Rate),
            y: Axis::linear("bits per key", Unit::Plain),
            series: [least].into_iter().chain(shown).collect(),
        },
    );
    let from_ten_percent = |series: Series| Series {
        // Not a hair more, or the axis would go on to 100 %.
        predicted: series.predicted.into_iter().filter(|(rate, _)| *rate <= 0.1).collect(),
        ..series
    };
    made.chart(
        "times",
        Chart {
            title: "Bits over the bound log2(1/ε): 1.44 for the filter of the slides".into(),
            x: Axis::log("false-positive rate", Unit::Rate),
            y: Axis::linear("times the bound", Unit::Plain),
            series: times_of.into_iter().map(from_ten_percent).collect(),
        },
    );
    made.claim("each measured rate is the predicted one, within what chance allows", within);
    made.claim("no filter has fewer bits than the bound", above);
    made.claim("the classic filter has 1.44 times as many, to 3 %", factor);
    made.note("The bound is that of the measured rate: log2(1/ε) bits per key.");
    Ok(made)
}

/// The fewest bits that a kind can have at each rate, by plans for some: on a logarithmic axis no plan
/// lies below the line. Tags have whole bits, so plans for rates between two widths lie above it.
pub fn best_line(mut plans: Vec<(f64, u64)>) -> Vec<(f64, f64)> {
    plans.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    plans.dedup_by_key(|plan| plan.0);
    let slope =
        |from: (f64, u64), to: (f64, u64)| (to.1 as f64 - from.1 as f64) / (to.0 / from.0).ln();
    let mut best: Vec<(f64, u64)> = Vec::new();
    for plan in plans {
        while let [.., before, last] = best[..]
            && slope(before, last) >= slope(before, plan)
        {
            best.pop();
        }
        best.push(plan);
    }
    // Twelve to a decade, since other axes bend the line.
    let rates = (0..=72).map(|step| 10f64.powf(-f64::from(step) / 12.0)).rev();
    let between = |rate: f64| {
        let pair = best.windows(2).find(|pair| (pair[0].0..=pair[1].0).contains(&rate))?;
        Some((rate, pair[0].1 as f64 + slope(pair[0], pair[1]) * (rate / pair[0].0).ln()))
    };
    let ends = |end: Option<&(f64, u64)>| end.map(|(rate, bits)| (*rate, *bits as f64));
    let mut line: Vec<(f64, f64)> = ends(best.first()).into_iter().collect();
    line.extend(rates.filter_map(between));
    line.extend(ends(best.last()));
    line
}

fn times(bits: u64, rate: f64) -> f64 {
    bits as f64 / lower_bound_bits(ITEMS, rate)
}
