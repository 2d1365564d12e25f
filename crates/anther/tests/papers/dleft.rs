//! Bonomi, Mitzenmacher, Panigrahy, Singh and Varghese 2006: d-left hash tables of fingerprints.

use crate::papers::table::Table;
use crate::papers::trial::{key, measure};
use anther::sizing::{bloom, counters, dleft};
use anther::{DLeft, Insert, KeyHash, Remove, Seed};
use std::collections::HashMap;

/// 4 subtables of 4096 buckets, 6 items per bucket.
const BUCKETS: u64 = 4096;
const ITEMS: u64 = 98_304;

fn filled(remainder_bits: u32, items: u64, trial: u64) -> DLeft {
    let mut filter = DLeft::with_buckets(BUCKETS, remainder_bits, Seed::FIXED).unwrap();
    for i in 0..items {
        filter.insert_hash(key(trial, i)).unwrap();
    }
    filter
}

/// The number of keys with the most frequent fingerprint: keys with equal first bits, since 4096
/// buckets are a power of two.
fn most_frequent(remainder_bits: u32, trial: u64) -> u64 {
    let mut counts: HashMap<u64, u64> = HashMap::new();
    for i in 0..ITEMS {
        let KeyHash(hash) = key(trial, i);
        *counts.entry(hash >> (64 - 12 - remainder_bits)).or_default() += 1;
    }
    counts.into_values().max().unwrap()
}

#[test]
fn dleft_rates_loads_and_counters() {
    let mut table = Table::new("d-left: rates, bits, loads and counters");
    let bits = |r| filled(r, 0, 0).profile().bits as f64 / ITEMS as f64;
    table.row("r=11: bits per item", "17.33", bits(11), None);
    table.row("r=14: bits per item", "21.33", bits(14), None);
    table.row("r=11: bound 24/2^r", "0.01172", dleft::bound(11), None);
    table.row("r=14: bound", "0.001465", dleft::bound(14), None);
    table.row("r=8: bound", "0.0938", dleft::bound(8), None);
    table.row(
        "the alternative: 9 counters per item, 36 bits",
        "0.01327",
        bloom::rate(9 * ITEMS, ITEMS, 6),
        None,
    );

    // The simulations state no error: one filter, and perhaps a million queries.
    for (r, print, filters) in [(11, "0.01163 ±1.1e-4", 8), (8, "0.0893 ±3e-4", 4)] {
        let measured = measure(filters, 250_000, |trial| filled(r, ITEMS, trial));
        let predicted = dleft::rate(BUCKETS, r, ITEMS);
        table.row(format!("r={r}: rate of 98,304 items"), print, predicted, measured);
    }
    // The rate after inserting and removing as many again. Twice as many do not fit.
    let measured = measure(4, 250_000, |trial| {
        let mut filter = filled(11, ITEMS / 2, trial);
        for i in ITEMS / 2..2 * ITEMS {
            filter.insert_hash(key(trial, i)).unwrap();
            // A few counters stick.
            let _ = filter.remove_hash(key(trial, i));
        }
        (ITEMS / 2..ITEMS).for_each(|i| assert!(filter.insert_hash(key(trial, i)).is_ok()));
        filter
    });
    table.row(
        "r=11: the same after inserts and removals",
        "0.01163 ±1.1e-4",
        dleft::rate(BUCKETS, 11, ITEMS),
        measured,
    );

    let mut fact = |what: &str, print: &str, predicted: String, measured: String, ok: bool| {
        table.push([what.to_string(), print.to_string(), predicted, measured], ok);
    };
    for r in [11, 8] {
        let loads = filled(r, ITEMS, 0).loads();
        let highest = loads.iter().rposition(|buckets| *buckets > 0).unwrap();
        fact(
            &format!("r={r}: highest load of a bucket"),
            "7",
            String::new(),
            highest.to_string(),
            highest == 7,
        );
        // N fingerprints, each drawn λ times on average.
        let all = dleft::fingerprints(BUCKETS, r);
        let reach = |count| all * counters::poisson_tail(ITEMS as f64 / all, count);
        let print = if r == 11 { 3 } else { 4 };
        let highest = most_frequent(r, 0);
        fact(
            &format!("r={r}: highest count"),
            &print.to_string(),
            format!("{:.2} reach it", reach(print)),
            highest.to_string(),
            highest == u64::from(print) && reach(print) > 0.5 && reach(print + 1) < 0.5,
        );
        // Three or more keys of one fingerprint: two bits stick.
        let (due, stuck) = (reach(3), filled(r, ITEMS, 0).profile().stuck);
        let off = (stuck as f64 - due) / due.sqrt();
        fact(
            &format!("r={r}: cells that stick at 3"),
            "",
            format!("{due:.1}"),
            format!("{stuck} ({off:+.1}σ)"),
            off.abs() < 6.0,
        );
    }
    table.finish();
}
