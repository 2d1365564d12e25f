//! Chinese slides, after Broder and Mitzenmacher: the table of rates, why half of the bits should be
//! zeros, the bound, and mice.

pub mod bound;
mod mice;

pub use bound::lower_bound;
pub use mice::mice;

use super::sample::broken;
use super::tally::{Tally, seed};
use super::{Effort, Made, Picture, places};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::sizing::bloom;
use anther::{Classic, Shape};

/// m/n, the column k, and the rates for 1, 2, 3 and so on functions, as printed.
const PRINTED: [(u64, &str, &[&str]); 9] = [
    (2, "1.39", &["0.393", "0.400"]),
    (3, "2.08", &["0.283", "0.237", "0.253"]),
    (4, "2.77", &["0.221", "0.155", "0.147", "0.160"]),
    (5, "3.46", &["0.181", "0.109", "0.092", "0.092", "0.101"]),
    (6, "4.16", &["0.154", "0.0804", "0.0609", "0.0561", "0.0578", "0.0638"]),
    (7, "4.85", &["0.133", "0.0618", "0.0423", "0.0359", "0.0347", "0.0364"]),
    (8, "5.55", &["0.118", "0.0489", "0.0306", "0.024", "0.0217", "0.0216", "0.0229"]),
    (9, "6.24", &["0.105", "0.0397", "0.0228", "0.0166", "0.0141", "0.0133", "0.0135", "0.0145"]),
    (
        10,
        "6.93",
        &["0.0952", "0.0329", "0.0174", "0.0118", "0.00943", "0.00844", "0.00819", "0.00846"],
    ),
];

const ITEMS: u64 = 10_000;

/// With as many decimals as are printed.
fn as_printed(value: f64, printed: &str) -> String {
    let decimals = printed.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    format!("{value:.decimals$}")
}

/// The false-positive rate of filters by bits per key and probes, and their mean share of zeros.
fn measured(ratio: u64, probes: u32, filters: u32, asked: u64) -> Result<(Tally, f64), Error> {
    let (mut tally, mut zeros) = (Tally::default(), 0.0);
    for number in 0..filters {
        let shape = Shape::bits(ratio * ITEMS).probes(probes);
        let mut filter = Classic::with_shape(shape, seed(number)).map_err(broken)?;
        filter.extend(0..ITEMS);
        tally.ask(&filter, ITEMS..ITEMS + asked);
        zeros += 1.0 - filter.profile().fill;
    }
    Ok((tally, zeros / f64::from(filters)))
}

/// Whether the measured rate is that of a true filter.
fn agrees(tally: &Tally, ratio: u64, probes: u32) -> bool {
    let bits = ratio * ITEMS;
    tally.agrees(bloom::rate(bits, ITEMS, probes), bloom::spread(bits, ITEMS, probes))
}

/// "错误概率": the rate by bits per key and functions, all 49 cells of it.
pub fn error_table(effort: &Effort<'_>) -> Result<Made, Error> {
    let mut table = Table::new(["m/n", "best k", "k", "printed", "predicted", "exact", "measured"]);
    let mut again =
        Table::new(["m/n", "k", "k=1", "k=2", "k=3", "k=4", "k=5", "k=6", "k=7", "k=8"]);
    let mut series = Vec::new();
    let (mut printed_right, mut within, mut slips) = (true, true, Vec::new());
    for (done, (ratio, best, rates)) in PRINTED.into_iter().enumerate() {
        let optimal = bloom::optimal_probes(ratio as f64, 1.0);
        if as_printed(optimal, best) != best {
            slips.push(ratio);
        }
        let mut one = Series::new(format!("m/n={ratio}"));
        let mut line = vec![Cell::Count(ratio), Cell::Number(optimal, 2)];
        for (k, printed) in (1u32..).zip(rates) {
            let predicted = bloom::approximate(ratio as f64, 1.0, f64::from(k));
            printed_right &= as_printed(predicted, printed) == *printed;
            let (tally, _) = measured(ratio, k, effort.choose(4, 20), 100_000)?;
            within &= agrees(&tally, ratio, k);
            one.measured.push((f64::from(k), tally.rate()));
            line.push(Cell::Text(as_printed(tally.rate(), printed)));
            table.row([
                Cell::Count(ratio),
                Cell::Number(optimal, 2),
                Cell::Count(k.into()),
                (*printed).into(),
                Cell::Number(predicted, 6),
                Cell::Number(bloom::rate(ratio * ITEMS, ITEMS, k), 6),
                Cell::Number(tally.rate(), 6),
            ]);
        }
        line.resize(again.columns.len(), Cell::Empty);
        again.rows.push(line);
        one.predicted =
            places(1.0, 8.0).map(|k| (k, bloom::approximate(ratio as f64, 1.0, k))).collect();
        if ratio % 2 == 0 {
            series.push(one);
        }
        effort.tell(done + 1, PRINTED.len());
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "Rate against the number of functions k, by bits per key m/n".into(),
            x: Axis::linear("k", Unit::Plain),
            y: Axis::log("false-positive rate", Unit::Rate),
            series,
        },
    );
    made.pictures.push(("measured", Picture::Table("The slides' table, measured", again)));
    made.claim("all 49 printed rates are (1-e^(-kn/m))^k, rounded", printed_right);
    made.claim("the printed best k is (m/n)·ln 2, but at m/n=5: 3.46 should be 3.47", slips == [5]);
    made.claim("each measured rate is the exact one, within what chance allows", within);
    made.note(format!(
        "Measured with {} items; exact is the rate of a filter of that size. The table is that of \
         Summary Cache (Fan et al.), and so is its slip: 3.46.",
        anther::units::count(ITEMS)
    ));
    Ok(made)
}

/// "要想保持错误率低，最好让位数组有一半还空着": the rate is least where half of the bits are zeros.
pub fn half_full(effort: &Effort<'_>) -> Result<Made, Error> {
    let mut table = Table::new(["m/n", "k", "zeros", "rate", "rate predicted", "g", "g of zeros"]);
    let mut series = Vec::new();
    let (mut within, mut least_at_half) = (true, true);
    for (ratio, most) in [(10u64, 20u32), (6, 12)] {
        let mut one = Series::new(format!("m/n={ratio}"));
        let mut lowest = (0, 1.0);
        for k in 1..=most {
            let (tally, zeros) = measured(ratio, k, effort.choose(4, 20), 200_000)?;
            within &= agrees(&tally, ratio, k);
            one.measured.push((zeros, tally.rate()));
            if tally.rate() < lowest.1 {
                lowest = (k, tally.rate());
            }
            table.row([
                Cell::Count(ratio),
                Cell::Count(k.into()),
                Cell::Rate(zeros),
                Cell::Rate(tally.rate()),
                Cell::Rate(bloom::rate(ratio * ITEMS, ITEMS, k)),
                Cell::Number(tally.rate().ln(), 3),
                Cell::Number(of_zeros(ratio, zeros).ln(), 3),
            ]);
            effort.tell(table.rows.len(), 32);
        }
        least_at_half &= f64::from(lowest.0) == bloom::optimal_probes(ratio as f64, 1.0).round();
        let ends = [f64::from(most), 1.0].map(|k| (-k / ratio as f64).exp());
        one.predicted = places(ends[0], ends[1]).map(|p| (p, of_zeros(ratio, p))).collect();
        series.push(one);
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "Rate against the share of bits that are 0".into(),
            x: Axis::linear("share of zeros p", Unit::Rate),
            y: Axis::log("false-positive rate", Unit::Rate),
            series,
        },
    );
    made.claim("each measured rate is the exact one, within what chance allows", within);
    made.claim(
        "the lowest measured rate is that of k=7 and k=4: where p is nearest ½",
        least_at_half,
    );
    made.note(
        "g = -(m/n)·ln(p)·ln(1-p) is the logarithm of the rate. The slides say that p=½ does not \
         depend on approximations; their f' is one, too: with 64 bits and 8 keys it is least at 6 \
         functions, the exact rate at 5.",
    );
    Ok(made)
}

/// The rate where a share p of the bits is 0: e^g, by the k that leaves this share.
fn of_zeros(ratio: u64, p: f64) -> f64 {
    bloom::approximate(ratio as f64, 1.0, -(ratio as f64) * p.ln())
}
