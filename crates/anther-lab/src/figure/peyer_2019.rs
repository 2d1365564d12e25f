//! *Bloom-Filter* by Peyer and Obrist (2019).

use super::freiberg_slides::usual_size;
use super::tally::{Tally, seed};
use super::{Effort, Made, Picture};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use crate::tour::data::word;
use crate::tour::words::{ABSENT, PROMISE, WORDS};
use anther::sizing::{binomial, bloom};
use anther::{Classic, Shape};

/// Wrong answers in a bar: 10 of 20,000 are 0.05 % of reliability.
const STEP: u64 = 10;
/// The bars, from 99.25 % down to 98.7 %. The n-th has the filters with 10n+1 to 10n+10 wrong
/// answers, so that one ends at 200: it has those of 99.00 % and a little more.
const BARS: std::ops::Range<u64> = 14..26;

/// §3: the share of right answers, of many filters with 58,110 words each.
pub fn reliability(effort: &Effort<'_>) -> Result<Made, Error> {
    let broken = |error| Error::about("reliability", error);
    let filters: u32 = effort.choose(200, 2000);
    let ours = bloom::size(WORDS, PROMISE, 1 << 40);
    let ours = ours.ok_or_else(|| Error::about("reliability", "no filter of that size"))?;
    let (usual_bits, usual_probes) = usual_size(WORDS, PROMISE);
    let sizes = [bloom::Size { bits: usual_bits, probes: usual_probes }, ours];
    let words: Vec<String> = (0..WORDS).map(word).collect();
    let others: Vec<String> = (WORDS..WORDS + ABSENT).map(word).collect();
    let mut wrong: [Vec<u64>; 2] = Default::default();
    let mut missed = 0;
    for number in 0..filters {
        for (size, wrong) in sizes.iter().zip(&mut wrong) {
            let shape = Shape::bits(size.bits).probes(size.probes);
            let mut filter = Classic::with_shape(shape, seed(number)).map_err(broken)?;
            filter.extend(&words);
            wrong.push(others.iter().filter(|word| filter.contains(*word)).count() as u64);
            missed += words.iter().filter(|word| !filter.contains(*word)).count();
        }
        effort.tell(number as usize + 1, filters as usize);
    }
    let names = ["usual formulas", "anther"];
    let mut table = Table::new([
        "size by",
        "bits",
        "functions",
        "reliability %",
        "predicted %",
        "lowest %",
        "highest %",
        "99 % or more",
    ]);
    let mut series = names.map(Series::new);
    let (mut agree, mut spread_agrees) = (true, true);
    let percent = |wrong: f64| 100.0 * (1.0 - wrong / ABSENT as f64);
    for (at, (size, wrong)) in sizes.iter().zip(&wrong).enumerate() {
        let rate = bloom::rate(size.bits, WORDS, size.probes);
        let asked = u64::from(filters) * ABSENT;
        let tally = Tally { asked, wrong: wrong.iter().sum(), filters };
        agree &= tally.agrees(rate, bloom::spread(size.bits, WORDS, size.probes));
        for (x, bar) in BARS.rev().enumerate() {
            let inside = |wrong: &&u64| wrong.saturating_sub(1) / STEP == bar;
            let count = wrong.iter().filter(inside).count() as u64;
            let all = STEP * bar + 1..=STEP * (bar + 1);
            let share: f64 = all.map(|wrong| binomial::exactly(wrong, ABSENT, rate)).sum();
            let tally = Tally { asked: filters.into(), wrong: count, filters };
            spread_agrees &= tally.agrees(share, 0.0);
            series[at].measured.push((x as f64, count as f64));
            series[at].predicted.push((x as f64, share * f64::from(filters)));
        }
        let reliable = wrong.iter().filter(|wrong| **wrong <= ABSENT / 100).count();
        table.row([
            names[at].into(),
            Cell::Count(size.bits),
            Cell::Count(size.probes.into()),
            Cell::Number(100.0 * (1.0 - tally.rate()), 4),
            Cell::Number(100.0 * (1.0 - rate), 4),
            Cell::Number(percent(wrong.iter().max().map_or(0.0, |wrong| *wrong as f64)), 2),
            Cell::Number(percent(wrong.iter().min().map_or(0.0, |wrong| *wrong as f64)), 2),
            Cell::Rate(reliable as f64 / f64::from(filters)),
        ]);
    }
    let mut made = Made { table, ..Made::default() };
    let from = |bar: u64| percent((STEP * (bar + 1)) as f64);
    let x = Axis::names(BARS.rev().map(|bar| format!("{:.2}", from(bar))))
        .labelled("reliability in per cent; a bar covers 0.05 from there up");
    made.pictures.push((
        "",
        Picture::Chart(Chart {
            title: format!("Reliability of {filters} filters of 58,110 words"),
            x,
            y: Axis::linear("filters", Unit::Count),
            series: series.to_vec(),
        }),
    ));
    made.notes.push(format!(
        "Each filter has another seed and is asked about the same {} absent words.",
        anther::units::count(ABSENT)
    ));
    made.notes.push(
        "The text says that the reliability never falls below 99 %. Half of the filters lie below, \
         by chance, and with the usual formulas even the mean does: 98.9961 %. Its printed \
         99.5908625980225 % is 2921/2933 and thus another ratio, likely that of true answers \
         among the positive ones."
            .to_string(),
    );
    made.claim("the mean reliability is the predicted one, within what chance allows", agree);
    made.claim(
        "as many filters as predicted are in each bar, within what chance allows",
        spread_agrees,
    );
    made.claim("no word is missed", missed == 0);
    let [usual, ours] = sizes.map(|size| bloom::rate(size.bits, WORDS, size.probes));
    made.claim(
        "predicted: the usual formulas miss 99 %, and ours keep it",
        usual > PROMISE && ours <= PROMISE,
    );
    Ok(made)
}
