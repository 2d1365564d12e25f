//! Cohen and Matias 2003: counts, and how many of them are wrong.

use crate::papers::table::{Measured, Table};
use crate::papers::trial::{key, mean};
use anther::sizing::bloom;
use anther::{Count, Insert, KeyHash, Method, Seed, Spectral};

const ITEMS: u64 = 20_000;
/// Ten per item, drawn with replacement: with Zipf's law a sixth of the items is never drawn, and
/// only then is E_b as small as in the table.
const DRAWS: u64 = 10 * ITEMS;
const PROBES: u32 = 5;

/// How often each item is drawn.
#[derive(Clone, Copy, PartialEq)]
enum Law {
    Uniform,
    Zipf,
}

impl Law {
    /// The cumulative probabilities of the items.
    fn sums(self) -> Vec<f64> {
        let weight = |i: u64| match self {
            Law::Uniform => 1.0,
            Law::Zipf => 1.0 / (i + 1) as f64,
        };
        let all: f64 = (0..ITEMS).map(weight).sum();
        let mut sum = 0.0;
        (0..ITEMS)
            .map(|i| {
                sum += weight(i) / all;
                sum
            })
            .collect()
    }

    /// The expected number of distinct items in all draws.
    fn distinct(self) -> f64 {
        let sums = self.sums();
        let chances = (0..sums.len()).map(|i| sums[i] - if i == 0 { 0.0 } else { sums[i - 1] });
        chances.map(|p| -(DRAWS as f64 * (-p).ln_1p()).exp_m1()).sum()
    }

    /// The items of a trial in the order in which they are drawn.
    fn draws(self, trial: u64) -> impl Iterator<Item = u64> {
        let sums = self.sums();
        (0..DRAWS).map(move |draw| {
            let x = key(trial, (1 << 38) + draw).0 as f64 / 2f64.powi(64);
            (sums.partition_point(|sum| *sum < x) as u64).min(ITEMS - 1)
        })
    }
}

/// The recurring minimum in each of its forms, on plain vectors: as the paper is quoted, repaired,
/// and with the lower of both answers, which is the library's.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    Quoted,
    Repaired,
    Lower,
}

struct Recurring {
    rule: Rule,
    first: Vec<u64>,
    second: Vec<u64>,
}

/// Two of them coincide for one item in 10,000, which changes no figure.
fn cells(key: KeyHash, count: usize) -> [usize; PROBES as usize] {
    let draw = |i| u128::from(key.again(i as u64).0) * count as u128;
    std::array::from_fn(|i| (draw(i) >> 64) as usize)
}

fn least(counters: &[u64], cells: &[usize]) -> u64 {
    cells.iter().map(|&cell| counters[cell]).min().unwrap()
}

impl Recurring {
    fn stands_alone(&self, key: KeyHash) -> (u64, bool) {
        let cells = cells(key, self.first.len());
        let low = least(&self.first, &cells);
        (low, cells.iter().filter(|&&cell| self.first[cell] == low).count() == 1)
    }

    fn insert(&mut self, key: KeyHash) {
        for cell in cells(key, self.first.len()) {
            self.first[cell] += 1;
        }
        let (low, alone) = self.stands_alone(key);
        let second = cells(key.again(99), self.second.len());
        let by = match (least(&self.second, &second) > 0, alone) {
            (true, true) => 1,
            (true, false) => u64::from(self.rule != Rule::Quoted),
            (false, true) => low,
            (false, false) => 0,
        };
        second.iter().for_each(|&cell| self.second[cell] += by);
    }

    fn count(&self, key: KeyHash) -> u64 {
        let (low, alone) = self.stands_alone(key);
        let other = least(&self.second, &cells(key.again(99), self.second.len()));
        match (alone && other > 0, self.rule) {
            (false, _) => low,
            (true, Rule::Lower) => other.min(low),
            (true, _) => other,
        }
    }
}

/// A trial's result: the shares of items counted wrong and too low, and the sum of all errors.
struct Found {
    wrong: f64,
    low: f64,
    sum: f64,
}

/// The trials of one law and one load. Each has the size of the published run.
struct Runs {
    cells: u64,
    draws: Vec<Vec<u64>>,
}

impl Runs {
    const TRIALS: u64 = 3;

    fn new(law: Law, gamma: f64) -> Runs {
        let cells = (f64::from(PROBES) * ITEMS as f64 / gamma).round() as u64;
        Runs { cells, draws: (0..Runs::TRIALS).map(|trial| law.draws(trial).collect()).collect() }
    }

    /// Inserts the items of each trial and compares the counts with the truth.
    fn run<F>(
        &self,
        make: impl Fn() -> F,
        insert: impl Fn(&mut F, KeyHash),
        count: impl Fn(&F, KeyHash) -> u64,
    ) -> Vec<Found> {
        let trials = (0..).zip(&self.draws).map(|(trial, draws)| {
            let (mut filter, mut truth) = (make(), vec![0u64; ITEMS as usize]);
            for &item in draws {
                insert(&mut filter, key(trial, item));
                truth[item as usize] += 1;
            }
            let (mut items, mut wrong, mut low, mut sum) = (0u32, 0u32, 0u32, 0);
            for (item, &truth) in (0..).zip(&truth).filter(|(_, truth)| **truth > 0) {
                let count = count(&filter, key(trial, item));
                items += 1;
                wrong += u32::from(count != truth);
                low += u32::from(count < truth);
                sum += count.abs_diff(truth);
            }
            let share = |some: u32| f64::from(some) / f64::from(items);
            Found { wrong: share(wrong), low: share(low), sum: sum as f64 }
        });
        trials.collect()
    }

    fn of_method(&self, method: Method) -> Vec<Found> {
        let make = || Spectral::with_cells(self.cells, PROBES, 32, method, Seed::FIXED).unwrap();
        let insert = |filter: &mut Spectral, key| {
            filter.insert_hash(key).unwrap();
        };
        self.run(make, insert, Spectral::count_hash)
    }

    fn of_rule(&self, rule: Rule) -> Vec<Found> {
        let vector = |len: u64| vec![0; len as usize];
        let make = || Recurring { rule, first: vector(self.cells), second: vector(self.cells / 2) };
        self.run(make, Recurring::insert, Recurring::count)
    }
}

/// A published figure with the deviation of one run of this size.
fn one_run(print: &str) -> String {
    let p: f64 = print.parse().unwrap();
    format!("{print} ±{:.0e}", (p * (1.0 - p) / ITEMS as f64).sqrt())
}

fn shares(found: &[Found], share: fn(&Found) -> f64) -> Measured {
    mean(&found.iter().map(share).collect::<Vec<f64>>(), ITEMS)
}

fn total(found: &[Found]) -> f64 {
    found.iter().map(|found| found.sum).sum()
}

/// Asserts that at most the share `most` is too low, up to chance.
fn at_most(table: &mut Table, what: String, found: &[Found], most: f64) {
    let low = shares(found, |found| found.low).rate;
    let asked = (ITEMS * Runs::TRIALS) as f64;
    let near = low <= most + 6.0 * ((most + 1.0 / asked) / asked).sqrt();
    table.push([what, format!("≤ {most}"), String::new(), format!("{low:.6}")], near);
}

#[test]
fn spectral_methods() {
    let mut table = Table::new("Spectral: shares of items with a wrong count, k=5");
    for (law, gamma, e_b, [minimum, increase], times) in [
        (Law::Uniform, 1.0, "0.1009", ["0.1008", "0.0544"], 6.5),
        (Law::Uniform, 0.7, "0.0323", ["0.0324", "0.0149"], 7.6),
        (Law::Uniform, 0.5, "0.0094", ["0.0101", "0.0050"], 7.0),
        // The number of distinct items in a run is itself random: 16,821 ± 50.
        (Law::Zipf, 0.7, "0.0173 ±0.0001", ["0.0169", "0.0042"], 4.7),
    ] {
        let runs = Runs::new(law, gamma);
        let name = format!("{gamma}{}", if law == Law::Zipf { ", Zipf" } else { "" });
        let predicted = bloom::approximate(runs.cells as f64, law.distinct(), f64::from(PROBES));
        table.row(format!("{name}: E_b"), e_b, predicted, None);
        let [ms, mi] = [Method::Minimum, Method::Increase].map(|method| runs.of_method(method));
        let wrong = |found: &[Found]| shares(found, |found| found.wrong);
        table.row(format!("{name}: minimum"), &one_run(minimum), predicted, wrong(&ms));
        table.row(format!("{name}: increase"), &one_run(increase), None, wrong(&mi));
        for found in [&ms, &mi] {
            assert_eq!(shares(found, |found| found.low).rate, 0.0, "{name}: one-sided");
        }
        // The sums follow the few largest errors, so a run of 100 wrong items has an error of a
        // fifth. Between E_b and E_b/k in wrong items, k times and more in their sum.
        let (got, doubt) = (total(&ms) / total(&mi), 0.2 * times);
        let what = format!("{name}: sum of errors, minimum over increase");
        let near = (got - times).abs() <= 2.0 * doubt;
        table
            .push([what, format!("{times} ±{doubt:.1}"), String::new(), format!("{got:.2}")], near);
        assert!(wrong(&mi).rate > predicted / f64::from(PROBES), "not k times fewer");
    }
    table.finish();
}

#[test]
fn spectral_recurring_minimum() {
    let mut table = Table::new("Spectral: the recurring minimum as quoted, and repaired");
    for (law, gamma, quoted, repaired) in [
        (Law::Uniform, 1.0, "0.0924", "0.0847"),
        (Law::Uniform, 0.7, "0.0264", "0.0192"),
        (Law::Uniform, 0.5, "0.0080", "0.0064"),
        (Law::Zipf, 0.7, "0.0130", "0.0118"),
    ] {
        let runs = Runs::new(law, gamma);
        let name = format!("{gamma}{}", if law == Law::Zipf { ", Zipf" } else { "" });
        let wrong = |found: &[Found]| shares(found, |found| found.wrong);
        let found = runs.of_rule(Rule::Quoted);
        table.row(format!("{name}: as quoted"), &one_run(quoted), None, wrong(&found));
        if gamma == 0.7 && law == Law::Uniform {
            let low = shares(&found, |found| found.low);
            table.row(format!("{name}: as quoted, too low"), &one_run("0.012"), None, low);
        }
        let found = runs.of_rule(Rule::Repaired);
        table.row(format!("{name}: repaired"), &one_run(repaired), None, wrong(&found));
        at_most(&mut table, format!("{name}: repaired, too low"), &found, 0.00005);
        let ours = runs.of_method(Method::Recurring);
        if gamma == 1.0 {
            let lower = wrong(&runs.of_rule(Rule::Lower));
            table.row("1: repaired, the lower answer", &one_run("0.0635"), None, lower);
            table.row("1: the kind itself", &one_run("0.0635"), None, wrong(&ours));
        }
        at_most(&mut table, format!("{name}: the kind itself, too low"), &ours, 0.00011);
        assert!(wrong(&ours).rate < wrong(&found).rate * 1.1, "{name}");
    }
    table.finish();
}
