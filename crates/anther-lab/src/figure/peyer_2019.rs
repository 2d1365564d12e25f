//! *Bloom-Filter* by Peyer and Obrist (2019).

use super::freiberg_slides::usual_size;
use super::tally::{Tally, seed};
use super::{Effort, Made};
use crate::chart::{Axis, Chart, Line, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use crate::tour::data::word;
use crate::tour::words::{ABSENT, PROMISE, WORDS};
use anther::sizing::{binomial, bloom};
use anther::{Classic, Shape};

/// What the text's program printed, as a share: 99.5908625980225 %.
const PRINTED: f64 = 2921.0 / 2933.0;
/// The members and the others of 20,000 test values with which that is a precision. Five times
/// 2921/2933; with other multiples the false-positive rate would be far from 1 %.
const MIXED: (u64, u64) = (14_605, 5395);

const NAMES: [&str; 2] = ["usual formulas", "anther"];

/// Test values, and what is computed from the false positives among them.
struct Test {
    ratio: &'static str,
    members: u64,
    absent: u64,
    /// How many false positives count as one mark in the chart.
    step: u64,
    /// The marks: the n-th has the filters with step·n+1 to step·(n+1) false positives, so that of
    /// absent values one ends at 200, and has those of 99.00 % and a little more.
    marks: std::ops::Range<u64>,
}

/// All test values absent, and the share of right answers.
const RELIABILITY: Test =
    Test { ratio: "reliability", members: 0, absent: ABSENT, step: 10, marks: 14..26 };
/// A mixed list, and the share of members among the positives.
const PRECISION: Test =
    Test { ratio: "precision", members: MIXED.0, absent: MIXED.1, step: 4, marks: 7..21 };

impl Test {
    /// The ratio for a given number of false positives.
    fn value(&self, wrong: f64) -> f64 {
        match self.members {
            0 => 1.0 - wrong / self.absent as f64,
            members => members as f64 / (members as f64 + wrong),
        }
    }

    /// The mean of the ratio at a false-positive rate.
    fn predicted(&self, rate: f64) -> f64 {
        let likely = 0..=self.absent.min(1000);
        likely.map(|n| binomial::exactly(n, self.absent, rate) * self.value(n as f64)).sum()
    }

    fn counts(&self, mark: u64) -> std::ops::RangeInclusive<u64> {
        self.step * mark + 1..=self.step * (mark + 1)
    }

    /// The false positives of each filter, drawn: how many filters are at each mark, and how many
    /// were predicted to be; and whether they agree.
    fn series(&self, name: &str, wrong: &[u64], rate: f64) -> (Series, bool) {
        let mut series = Series::new(name);
        let filters = u32::try_from(wrong.len()).unwrap_or(u32::MAX);
        let mut agrees = true;
        for mark in self.marks.clone().rev() {
            let counts = self.counts(mark);
            let count = wrong.iter().filter(|wrong| counts.contains(wrong)).count() as u64;
            let middle = (counts.start() + counts.end()) as f64 / 2.0;
            let share: f64 = counts.map(|n| binomial::exactly(n, self.absent, rate)).sum();
            let tally = Tally { asked: filters.into(), wrong: count, filters };
            agrees &= tally.agrees(share, 0.0);
            series.measured.push((self.value(middle), count as f64));
            series.predicted.push((self.value(middle), share * f64::from(filters)));
        }
        (series, agrees)
    }
}

/// A line upright at a number that is compared with, as high as the marks.
fn upright(name: &str, at: f64, others: &[Series]) -> Series {
    let heights = others.iter().flat_map(|series| &series.measured).map(|(_, y)| *y);
    let highest = heights.fold(0.0, f64::max);
    let predicted = vec![(at, 0.0), (at, highest)];
    Series { predicted, ..Series::new(name).with_line(Line::Reference) }
}

/// §3: the reliability, as the share of right answers and as the text seems to compute it, of many
/// filters with 58,110 words each.
pub fn reliability(effort: &Effort<'_>) -> Result<Made, Error> {
    let broken = |error| Error::about("reliability", error);
    let filters: u32 = effort.choose(200, 2000);
    let ours = bloom::size(WORDS, PROMISE, 1 << 40);
    let ours = ours.ok_or_else(|| Error::about("reliability", "no filter of that size"))?;
    let (usual_bits, usual_probes) = usual_size(WORDS, PROMISE);
    let sizes = [bloom::Size { bits: usual_bits, probes: usual_probes }, ours];
    let words: Vec<String> = (0..WORDS).map(word).collect();
    let others: Vec<String> = (WORDS..WORDS + ABSENT).map(word).collect();
    let tests = [RELIABILITY, PRECISION];
    // By test, then by size: the false positives of each filter.
    let mut wrong: [[Vec<u64>; 2]; 2] = Default::default();
    let mut missed = 0;
    for number in 0..filters {
        for (at, size) in sizes.iter().enumerate() {
            let shape = Shape::bits(size.bits).probes(size.probes);
            let mut filter = Classic::with_shape(shape, seed(number)).map_err(broken)?;
            filter.extend(&words);
            for (test, wrong) in tests.iter().zip(&mut wrong) {
                let absent = others.iter().take(usize::try_from(test.absent).unwrap_or(0));
                let count = absent.filter(|word| filter.contains(*word)).count();
                wrong[at].push(count as u64);
            }
            missed += words.iter().filter(|word| !filter.contains(*word)).count();
        }
        effort.tell(number as usize + 1, filters as usize);
    }
    let mut table = Table::new([
        "ratio",
        "size by",
        "bits",
        "hash functions",
        "mean %",
        "predicted %",
        "lowest %",
        "highest %",
        "99 % or more",
        "99.59 % or less",
    ]);
    let mut made = Made::default();
    let (mut agree, mut spread_agrees) = (true, true);
    for (test, wrong) in tests.iter().zip(&wrong) {
        let mut series = Vec::new();
        for ((name, size), wrong) in NAMES.into_iter().zip(&sizes).zip(wrong) {
            let rate = bloom::rate(size.bits, WORDS, size.probes);
            let asked = u64::from(filters) * test.absent;
            let tally = Tally { asked, wrong: wrong.iter().sum(), filters };
            agree &= tally.agrees(rate, bloom::spread(size.bits, WORDS, size.probes));
            let (one, agrees) = test.series(name, wrong, rate);
            spread_agrees &= agrees;
            series.push(one);
            let values: Vec<f64> = wrong.iter().map(|wrong| test.value(*wrong as f64)).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let share = |holds: &dyn Fn(f64) -> bool| {
                let count = values.iter().filter(|value| holds(**value)).count();
                Cell::Rate(count as f64 / values.len() as f64)
            };
            let is_precision = test.members > 0;
            table.row([
                test.ratio.into(),
                name.into(),
                Cell::Count(size.bits),
                Cell::Count(size.probes.into()),
                Cell::Number(100.0 * mean, 4),
                Cell::Number(100.0 * test.predicted(rate), 4),
                Cell::Number(100.0 * values.iter().copied().fold(1.0, f64::min), 2),
                Cell::Number(100.0 * values.iter().copied().fold(0.0, f64::max), 2),
                if is_precision { Cell::Empty } else { share(&|value| value >= 0.99) },
                if is_precision { share(&|value| value <= PRINTED) } else { Cell::Empty },
            ]);
        }
        let (ending, title, label, reference) = match test.members {
            0 => (
                "",
                format!("Reliability of {filters} filters: 20,000 absent words"),
                "share of right answers; a mark counts the filters of 0.05 %",
                upright("promised: 99 %", 0.99, &series),
            ),
            _ => (
                "precision",
                format!("Precision of {filters} filters: 14,605 members and 5,395 others"),
                "share of members among the positives; a mark counts four false positives",
                upright("printed in the text: 99.59 %", PRINTED, &series),
            ),
        };
        series.push(reference);
        made.chart(
            ending,
            Chart {
                title,
                x: Axis::linear(label, Unit::Rate),
                y: Axis::linear("filters", Unit::Count),
                series,
            },
        );
    }
    made.table = table;
    made.note(
        "Each filter has another seed. With 20,000 absent words the text's claim, that the \
         reliability never falls below 99 %, fails for about half of the filters, by chance, and with \
         the usual formulas even the mean is below: 98.9961 %.",
    );
    made.note(
        "The text's printed 99.5908625980225 % is 2921/2933, and so it cannot be a share of 20,000. It \
         is what 14,605 members and 60 false positives among 5,395 other words give as the share of \
         members among the positives. So many false positives or more are nothing unusual.",
    );
    made.claim("mean reliability and precision are as predicted, within what chance allows", agree);
    made.claim(
        "as many filters as predicted are at each mark, within what chance allows",
        spread_agrees,
    );
    made.claim("no word is missed", missed == 0);
    let [usual, ours] = sizes.map(|size| bloom::rate(size.bits, WORDS, size.probes));
    made.claim(
        "predicted: the usual formulas miss 99 %, and ours keep it",
        usual > PROMISE && ours <= PROMISE,
    );
    made.claim(
        "the text's number is the precision with 60 false positives among 5,395 others",
        (PRECISION.value(60.0) - 0.995_908_625_980_225).abs() < 5e-16,
    );
    Ok(made)
}
