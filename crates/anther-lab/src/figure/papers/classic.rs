//! The classic filter: five formulas for its rate, and the ways from a key to its bits.

use super::super::sample::Sample;
use super::super::{Effort, Made};
use super::walks::{Trial, Walk};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::sizing::bloom;

/// Bose et al. 2008, Grandi 2018: what every text gives as the rate, and what it is.
pub fn exact_rates(effort: &Effort<'_>) -> Result<Made, Error> {
    let mut table = Table::new([
        "m, n, k",
        "known",
        "exact",
        "measured",
        "S",
        "A",
        "Grandi",
        "Bloom 1970",
        "measured 1970",
    ]);
    let mut series = [
        "exact (Bose et al.)",
        "S = (1-(1-1/m)^kn)^k",
        "A = (1-e^(-kn/m))^k",
        "Grandi",
        "Bloom 1970, k different bits",
    ]
    .map(Series::new);
    let rows = [
        (2u64, 1u64, 2u32, "0.625"),
        (10, 3, 3, "0.24718495681"),
        (16, 2, 2, "0.0528726577759"),
        (32, 4, 3, "0.032878573"),
        (64, 8, 5, "0.023416087"),
        (1024, 102, 7, "0.0081096792"),
        (8192, 1024, 5, "0.021692521"),
    ];
    let (mut printed, mut within, mut too_small) = (true, true, true);
    for (done, (m, n, k, published)) in rows.into_iter().enumerate() {
        let throws = n * u64::from(k);
        // Small filters differ much, so many of them; large ones cost more, and differ less.
        let trial = Trial {
            bits: m,
            items: n,
            probes: k,
            filters: u32::try_from((1_000_000 / throws).clamp(200, 50_000)).unwrap_or(200),
            asked: (2 * throws).clamp(20, 3000),
        };
        let exact = bloom::exact(m, n, k);
        let ours = Walk::Ours.measure(&trial, effort)?;
        within &= ours.agrees(exact);
        let distinct = (m <= 1024).then(|| bloom::exact_distinct(m, n, k));
        let different = distinct.map(|_| Walk::Different.measure(&trial, effort)).transpose()?;
        if let (Some(rate), Some(sample)) = (distinct, &different) {
            within &= sample.agrees(rate);
        }
        let (s, a) = (bloom::standard(m, n, k), bloom::approximate(m as f64, n as f64, k.into()));
        let grandi = bloom::grandi(m, n, k);
        let decimals = published.len() - 2;
        printed &= format!("{exact:.decimals$}") == published;
        too_small &= a < s && s < exact;
        let x = m as f64;
        series[0].measured.push((x, ours.mean() / exact));
        series[0].predicted.push((x, 1.0));
        for (series, value) in series[1..4].iter_mut().zip([s, a, grandi]) {
            series.predicted.push((x, value / exact));
        }
        if let (Some(rate), Some(sample)) = (distinct, &different) {
            series[4].predicted.push((x, rate / exact));
            series[4].measured.push((x, sample.mean() / exact));
        }
        let number = |value: f64| Cell::Number(value, 6);
        table.row([
            Cell::Text(format!("{m}, {n}, {k}")),
            published.into(),
            number(exact),
            number(ours.mean()),
            number(s),
            number(a),
            number(grandi),
            distinct.map_or(Cell::Empty, number),
            different.as_ref().map_or(Cell::Empty, |sample| number(sample.mean())),
        ]);
        effort.tell(done + 1, rows.len());
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "What the formulas give, over the exact rate".into(),
            x: Axis::log("bits of the filter m", Unit::Count),
            y: Axis::linear("times the exact rate", Unit::Plain),
            series: series.to_vec(),
        },
    );
    made.claim("each exact rate has the known digits", printed);
    made.claim("each measured rate is the exact one, within what chance allows", within);
    made.claim("S and A are always too small, A more than S", too_small);
    made.note(
        "Known: the first three are fractions, 5/8, 24718495681/10^11 and 55441/2^20. \
         Formulas are computed for each row; the lines only lead from one to the next.",
    );
    Ok(made)
}

/// Kirsch and Mitzenmacher 2008, Dillinger and Manolios 2004: two hash functions in place of k.
pub fn double_hashing(effort: &Effort<'_>) -> Result<Made, Error> {
    let mut table = Table::new([
        "n, m/n, k",
        "way",
        "known",
        "predicted",
        "measured",
        "deviation",
        "times predicted",
    ]);
    let walks = [
        (Walk::Independent, "independent"),
        (Walk::Double, "double"),
        (Walk::Enhanced, "enhanced"),
        (Walk::Ours, "ours"),
    ];
    // n, c, k; what is known of independent, double, enhanced and ours; filters and questions.
    type Row = (u64, u64, u32, [Option<f64>; 4], u32, u64);
    let rows: [Row; 4] = [
        (100, 8, 6, [Some(0.02176), Some(0.02330), Some(0.02192), None], 1000, 1000),
        (5000, 8, 6, [Some(0.02155), Some(0.02161), Some(0.02161), None], 60, 20_000),
        (10_000, 16, 11, [Some(4.62e-4), Some(4.69e-4), Some(4.64e-4), None], 20, 50_000),
        (500, 24, 17, [Some(1.00e-5), None, Some(1.38e-5), Some(1.005e-5)], 300, 30_000),
    ];
    let mut series = walks.map(|(_, name)| Series::new(name));
    let mut names = Vec::new();
    let (mut within, mut worse) = (true, 0.0);
    for (at, (n, c, k, published, filters, asked)) in rows.into_iter().enumerate() {
        let trial = Trial { bits: c * n, items: n, probes: k, filters, asked };
        let predicted = bloom::rate(c * n, n, k);
        names.push(format!("{n}, {c}, {k}"));
        for ((series, (walk, name)), published) in series.iter_mut().zip(walks).zip(published) {
            let sample: Sample = walk.measure(&trial, effort)?;
            // Nobody has a formula for the others at these sizes.
            let has_formula = matches!(walk, Walk::Independent | Walk::Ours);
            within &= !has_formula || sample.agrees(predicted);
            if at == 0 && walk == Walk::Double {
                worse = (sample.mean() - predicted) / sample.error();
            }
            // Two decimals: more would not have room above a bar.
            let times = (100.0 * sample.mean() / predicted).round() / 100.0;
            series.measured.push((at as f64, times));
            table.row([
                Cell::Text(format!("{n}, {c}, {k}")),
                name.into(),
                published.map_or(Cell::Empty, Cell::Rate),
                if has_formula { Cell::Rate(predicted) } else { Cell::Empty },
                Cell::Rate(sample.mean()),
                Cell::Rate(sample.error()),
                Cell::Number(sample.mean() / predicted, 3),
            ]);
        }
        effort.tell(at + 1, rows.len());
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "Rate over the one predicted for independent functions".into(),
            x: Axis::names(names).labelled("n, m/n, k"),
            // Linear, from 0: what is a bar has a height.
            y: Axis::linear("times the predicted rate", Unit::Plain),
            series: series.to_vec(),
        },
    );
    made.claim("independent functions and ours have the predicted rate, within chance", within);
    made.claim(
        "double hashing is worse in small filters (100 keys: by more than six deviations)",
        worse > 6.0,
    );
    made.note(
        "Known are earlier, longer simulations. The last row has so few wrong answers that its deviation is a tenth of it; --full asks \
         ten times as often. Predicted is the rate of independent functions, for all ways. Ours is x+=y; y=rotl(y,5)+φ in 64 bits, with a multiply for the range.",
    );
    Ok(made)
}
