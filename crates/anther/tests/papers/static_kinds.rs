//! Graf and Lemire 2022, Dillinger et al. 2022, Charles and Chellapilla 2008: static filters and
//! maps.

use crate::papers::table::Table;
use crate::papers::trial::{ABSENT, key, mean};
use anther::sizing::{bound, fuse as sizing};
use anther::{Bloomier, Build, Filter, Fuse, KeyHash, Lookup, Options, Ribbon, Seed, Target, Work};

fn keys(trial: u64, n: u64) -> Vec<KeyHash> {
    (0..n).map(|i| key(trial, i)).collect()
}

fn built<F: Build>(trial: u64, n: u64, fpr: f64, options: &Options) -> F {
    let (keys, target) = (keys(trial, n), Target::new(n, fpr).unwrap());
    F::build(&mut &keys[..], target, options, Seed::FIXED, Work::new()).unwrap()
}

/// The share of absent keys that are found.
fn rate(filter: &impl Filter, trial: u64, queries: u64) -> f64 {
    let found = (0..queries).filter(|i| filter.contains_hash(key(trial, ABSENT + i))).count();
    found as f64 / queries as f64
}

/// A published value, the computed one, and that of a filter.
fn counted(table: &mut Table, what: String, print: &str, predicted: f64, measured: Option<f64>) {
    let half_digit = 0.5 * 10f64.powi(-(print.split_once('.').map_or(0, |(_, d)| d.len()) as i32));
    let near = |value: f64| (value - print.parse::<f64>().unwrap()).abs() <= half_digit * 1.3;
    let ok = near(predicted) && measured.is_none_or(near);
    let shown = measured.map(|value| format!("{value:.4}")).unwrap_or_default();
    table.push([what, print.to_string(), format!("{predicted:.4}"), shown], ok);
}

#[test]
fn fuse_sizes_and_rates() {
    let mut table = Table::new("Fuse: slots per key, bits per key, rate");
    let published =
        [(3, ["1.280", "1.188", "1.1305", "1.1272"]), (4, ["1.229", "1.126", "1.0772", "1.0764"])];
    for (arity, prints) in published {
        let options = Options::new().arity(arity);
        for (n, print) in [10_000, 100_000, 1_000_000, 10_000_000].into_iter().zip(prints) {
            // Whole filters up to a million keys, the rest by the geometry of one shard.
            let measured =
                (n <= if cfg!(feature = "long") { 1_000_000 } else { 100_000 }).then(|| {
                    let filter: Fuse = built(1, n, 0.6, &options); // one bit
                    (filter.profile().bits - 64) as f64 / n as f64
                });
            let predicted = sizing::shard_slots(n, arity) as f64 / n as f64;
            counted(
                &mut table,
                format!("{arity}-wise, {n}: slots per key"),
                print,
                predicted,
                measured,
            );
        }
    }
    for (arity, print) in [(3, "9.04"), (4, "8.62")] {
        let bits = sizing::bits(1_000_000, arity, 8) as f64 / 1e6;
        counted(&mut table, format!("{arity}-wise, 10⁶, 8 bits: bits per key"), print, bits, None);
    }
    for arity in [3, 4] {
        let rates: Vec<f64> = (0..8)
            .map(|trial| {
                let filter: Fuse = built(trial, 20_000, 0.004, &Options::new().arity(arity));
                assert_eq!(filter.profile().fpr_now, sizing::fpr(20_000, 8));
                rate(&filter, trial, 250_000)
            })
            .collect();
        let measured = mean(&rates, 250_000);
        table.row(format!("{arity}-wise, 8 bits: rate"), "0.39 %", 2f64.powi(-8), measured);
    }
    table.finish();
}

/// The overhead over the lower bound, everything included. Published: 1 to 5 %.
#[test]
fn ribbon_overheads_and_rates() {
    let mut table = Table::new("Ribbon: bits over n·log2(1/ε), and the rate");
    let most = if cfg!(feature = "long") { 10_000_000 } else { 1_000_000 };
    for n in [10_000, 100_000, 1_000_000, 10_000_000].into_iter().filter(|n| *n <= most) {
        for fpr in [0.01, 1e-3, 1e-6] {
            let filter: Ribbon = built(2, n, fpr, &Options::new());
            let planned = anther::Kind::Ribbon.plan(Target::new(n, fpr).unwrap(), &Options::new());
            let over = |bits: u64| 100.0 * bound::overhead(bits, n, fpr);
            let (predicted, measured) =
                (over(planned.unwrap().bits_sent), over(filter.profile().bits));
            let ok = measured <= 2.5 && (predicted - measured).abs() < 1.3;
            let what = format!("{n} keys at {fpr:e}: over the bound");
            let cells =
                ["≤ 5 %".to_string(), format!("{predicted:.2} %"), format!("{measured:.2} %")];
            let [print, predicted, measured] = cells;
            table.push([what, print, predicted, measured], ok);
        }
    }
    for (fpr, print) in [(0.01, "1 %"), (1e-3, "0.1 %")] {
        let rates: Vec<f64> = (0..4)
            .map(|trial| {
                let filter: Ribbon = built(trial, 30_000, fpr, &Options::new());
                assert!(filter.profile().fpr_now <= fpr);
                rate(&filter, trial, 500_000)
            })
            .collect();
        table.row(format!("30,000 keys: rate at {fpr:e}"), print, fpr, mean(&rates, 500_000));
    }
    table.finish();
}

#[test]
fn bloomier_maps() {
    let mut table =
        Table::new("Bloomier: values of members are exact; absent keys have one at 2⁻ᶠ");
    for (check_bits, print) in [(4, "6.25 %"), (8, "0.390625 %"), (12, "2.44140625e-4")] {
        for arity in [3, 4] {
            let fpr = 2f64.powi(-check_bits) * 1.0001;
            let options = Options::new().arity(arity).value_bits(10);
            let rates: Vec<f64> = (0..4)
                .map(|trial| {
                    let pairs: Vec<_> = keys(trial, 10_000)
                        .into_iter()
                        .zip(0..)
                        .map(|(k, i)| (k, i % 1024))
                        .collect();
                    let target = Target::new(10_000, fpr).unwrap();
                    let (seed, work) = (Seed::FIXED, Work::new());
                    let map =
                        Bloomier::build_pairs(&mut &pairs[..], target, &options, false, seed, work);
                    let map = map.unwrap();
                    assert!(pairs.iter().all(|(key, value)| map.get_hash(*key) == Some(*value)));
                    rate(&map, trial, 500_000)
                })
                .collect();
            let what = format!("f={check_bits}, {arity}-wise: wrong value");
            table.row(what, print, 2f64.powi(-check_bits), mean(&rates, 500_000));
        }
    }
    table.finish();
}
